from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import World, spell, spell_arcs

from gis.arrays import freeze, offsets
from gis.geodesy import distance_m
from gis.network.names import NamePool
from routing.assemble import End, LegAssembler, PathOfArcs, _Shape, _Trace, trace_path

Place = tuple[int, int]


class Walk(NamedTuple):
    """A path through drawn shapes: points of each arc in the direction of travel.

    It begins at ``start`` on piece ``first`` of the first arc, and ends likewise.
    """

    arcs: list[list[Place]]
    backward: list[bool]
    costs: list[float]
    first: int
    start: Place
    last: int
    end: Place


@st.composite
def walks(draw: st.DrawFn) -> Walk:
    grid = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda p: (p[0] * 5000, p[1] * 5000))
    arcs = [draw(st.lists(grid, min_size=2, max_size=5))]
    for _ in range(draw(st.integers(0, 4))):
        arcs.append([arcs[-1][-1], *draw(st.lists(grid, min_size=1, max_size=4))])
    first = draw(st.integers(0, len(arcs[0]) - 2))
    last = draw(st.integers(first if len(arcs) == 1 else 0, len(arcs[-1]) - 2))
    quarters = st.integers(0, 4)
    begin = draw(quarters)
    stop = draw(st.integers(begin, 4) if len(arcs) == 1 and first == last else quarters)

    def between(points: list[Place], piece: int, quarter: int) -> Place:
        (x, y), (to_x, to_y) = points[piece : piece + 2]
        return x + (to_x - x) * quarter // 4, y + (to_y - y) * quarter // 4

    return Walk(
        arcs,
        [draw(st.booleans()) for _ in arcs],
        [float(draw(st.integers(0, 5000))) for _ in arcs],
        first,
        between(arcs[0], first, begin),
        last,
        between(arcs[-1], last, stop),
    )


def length_m(points: list[Place]) -> float:
    return sum(distance_m(*a, *b) for a, b in pairwise(points))


def fraction(points: list[Place], piece: int, place: Place) -> float:
    """Part of the length of an arc that lies before a place on one of its pieces."""
    whole = length_m(points)
    return length_m([*points[: piece + 1], place]) / whole if whole else 0.0


def node_id(arc: int, index: int) -> int:
    return 100 * (arc + 1) + index


def shape_of(walk: Walk) -> tuple[_Shape, np.ndarray]:
    """The arcs of a walk as edges of their own, some drawn against the direction of travel."""
    points, nodes = [], []
    for k, (arc, backward) in enumerate(zip(walk.arcs, walk.backward, strict=True)):
        step = -1 if backward else 1
        points += arc[::step]
        nodes += [node_id(k, index) for index in range(len(arc))][::step]
    lon, lat = np.array(points, np.int32).T
    first = offsets(np.array([len(arc) for arc in walk.arcs]))
    arcs = np.array([2 * k + backward for k, backward in enumerate(walk.backward)], np.uint32)
    shape = _Shape(freeze(first), freeze(lon), freeze(lat), freeze(np.array(nodes, np.int64)))
    return shape, freeze(arcs)


def trace(walk: Walk) -> _Trace:
    shape, arcs = shape_of(walk)
    room = len(shape.lon) + 2
    dtypes = (float, float, np.int64, np.int64, float, float)
    found = _Trace(*(np.full(room, -1, dtype) for dtype in dtypes))
    start = End(fraction(walk.arcs[0], walk.first, walk.start), *walk.start)
    end = End(fraction(walk.arcs[-1], walk.last, walk.end), *walk.end)
    n = trace_path(shape, arcs, np.array(walk.costs), start, end, found, True)
    first = found.first[: len(arcs)]
    pieces = (column[: n - 1] for column in found[4:])
    return _Trace(*(column[:n] for column in found[:3]), first, *pieces)


@given(walks())
def test_points_alone(walk: Walk) -> None:
    """Without measures the points are the same, and nothing else is written."""
    shape, arcs = shape_of(walk)
    room = len(shape.lon) + 2
    nothing = np.empty(0)
    numbers = np.empty((2, room), np.int64)
    found = _Trace(*np.empty((2, room)), *numbers, nothing, nothing)
    start = End(fraction(walk.arcs[0], walk.first, walk.start), *walk.start)
    end = End(fraction(walk.arcs[-1], walk.last, walk.end), *walk.end)
    n = trace_path(shape, arcs, np.array(walk.costs), start, end, found, False)
    for column, expected in zip(found[:3], trace(walk)[:3], strict=True):
        assert column[:n].tolist() == expected.tolist()
    assert found.first[: len(arcs)].tolist() == trace(walk).first.tolist()


def naive_points(walk: Walk) -> list[tuple[Place, int]]:
    """All points with the node of each, repeats included."""
    found = [(walk.start, node_id(0, walk.first))]
    for k, arc in enumerate(walk.arcs):
        start = walk.first if k == 0 else 0
        stop = walk.last if k == len(walk.arcs) - 1 else len(arc) - 1
        found += [(arc[i], node_id(k, i)) for i in range(start + 1, stop + 1)]
    return [*found, (walk.end, node_id(len(walk.arcs) - 1, walk.last + 1))]


@given(walks())
def test_points(walk: Walk) -> None:
    """A path gives its shape points between start and end, each once, and at least two."""
    places = [place for place, _ in naive_points(walk)]
    once = [a for a, b in zip(places, [None, *places], strict=False) if a != b]
    expected = once if len(once) > 1 else once * 2
    found = trace(walk)
    assert [
        (round(x * 1e7), round(y * 1e7)) for x, y in zip(found.lon, found.lat, strict=True)
    ] == (expected)
    assert found.distance_m.tolist() == [distance_m(*a, *b) for a, b in pairwise(expected)]


@given(walks())
def test_where_arcs_begin(walk: Walk) -> None:
    """The line has the first point of each arc where it is said to be."""
    found = trace(walk)
    first = found.first.tolist()
    assert first[0] == 0 and first == sorted(first) and len(first) == len(walk.arcs)
    for k, arc in enumerate(walk.arcs[1:], 1):
        here = found.lon[first[k]], found.lat[first[k]]
        assert here == (arc[0][0] / 1e7, arc[0][1] / 1e7)


@given(walks())
def test_nodes(walk: Walk) -> None:
    """Nodes are those of the points, and at the ends those at the far side of the piece."""
    if any(a == b for arc in walk.arcs for a, b in pairwise(arc)):
        return  # two nodes at one place: either may be named
    points = naive_points(walk)
    arc = walk.arcs[0]
    if len(walk.arcs) == 1 and walk.start in arc and {p for p, _ in points} == {walk.start}:
        # Without length, at a point of the shape: either piece that meets there may be named.
        pieces = range(max(walk.first - 1, 0), min(walk.last + 2, len(arc) - 1))
        here = [i for i in pieces if walk.start in arc[i : i + 2]]
        assert trace(walk).node.tolist() in [[node_id(0, i), node_id(0, i + 1)] for i in here]
        return
    expected = [points[0]]
    for place, node in points[1:-1]:
        if place == expected[-1][0]:
            expected.pop()
        expected.append((place, node))
    if points[-1][0] != expected[-1][0] or len(expected) == 1:
        expected.append(points[-1])
    assert trace(walk).node.tolist() == [node for _, node in expected]


@given(walks())
def test_durations(walk: Walk) -> None:
    """What each arc costs is spread over its pieces by their length; nothing is lost."""
    found = trace(walk)
    assert (found.duration_s >= 0).all()
    assert found.duration_s.sum() == pytest.approx(sum(walk.costs) / 100)
    if len(walk.arcs) == 1 and found.distance_m.sum() > 0:
        share = found.distance_m / found.distance_m.sum()
        assert found.duration_s == pytest.approx(share * walk.costs[0] / 100)


TOWN = World(
    """
    a - b - c - d
            |
            e - f
    """,
    """
    abc  highway=primary name='High Street'
    cd   highway=primary name='High Street' ref=7
    ce   highway=residential
    ef   highway=residential name='Low Street'
    """,
)


def path_along(arcs: list[str], start: float, end: float) -> tuple[LegAssembler, PathOfArcs]:
    """A path over arcs by their letters, at 1 s for each, from and to fractions."""
    network, _ = TOWN.network()
    spelled = spell_arcs(network)
    numbers = freeze(np.array([spelled.index(arc) for arc in arcs], np.uint32))
    cost = np.full(len(arcs), 100.0)

    def place(arc: str, at: float) -> End:
        """For arcs of one piece, and at the ends of others."""
        (x, y), (to_x, to_y) = TOWN.places[arc[0]], TOWN.places[arc[-1]]
        return End(at, round(x + at * (to_x - x)), round(y + at * (to_y - y)))

    cost[0] *= 1 - start
    cost[-1] *= end
    path = PathOfArcs(numbers, cost, place(arcs[0], start), place(arcs[-1], end), 12345, 6789)
    return LegAssembler(network, NamePool(network.labels)), path


def test_leg() -> None:
    """A leg has the cost of its path, the length of its pieces, and names without repeats."""
    assembler, path = path_along(["abc", "ce", "ef"], 0.0, 0.5)
    leg = assembler.assemble([path])
    assert leg.duration_s == 123.45
    assert leg.distance_m == 67.89
    assert leg.annotation.distance_m.sum() == pytest.approx(1200, abs=1)
    assert leg.annotation.duration_s.sum() == pytest.approx(2.5)
    assert spell(leg.annotation.nodes) == "abcef"
    assert len(leg.lon) == len(leg.lat) == 5
    assert leg.names == ("High Street", "Low Street")


def test_names_are_joined_over_labels() -> None:
    """Labels that differ but in the name, and roads without name, do not repeat a name."""
    assembler, path = path_along(["abc", "cd"], 0.0, 1.0)
    assert assembler.assemble([path]).names == ("High Street",)
    assembler, path = path_along(["ec"], 0.25, 0.25)
    leg = assembler.assemble([path])
    assert leg.names == () and leg.annotation.distance_m.sum() == 0
    assert leg.lon[0] == leg.lon[1] and leg.lat[0] == leg.lat[1] and len(leg.lon) == 2
    assert spell(leg.annotation.nodes) == "ec"


def test_leg_over_several_paths() -> None:
    """A leg that turns around at a point holds that point once, between its paths."""
    assembler, there = path_along(["ce", "ef"], 0.5, 0.5)
    _, back = path_along(["fe", "ec"], 0.5, 0.5)
    leg = assembler.assemble([there, back])
    assert leg.duration_s == 2 * 123.45
    assert spell(leg.annotation.nodes) == "cefec"
    assert leg.lon.tolist() == leg.lon[::-1].tolist() and len(leg.lon) == 5
    assert leg.distance_m == 2 * 67.89
    assert leg.names == ("Low Street",)
