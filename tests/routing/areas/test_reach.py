import math
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from graphs import SearchWorld, search_worlds
from hypothesis import given
from hypothesis import strategies as st
from oracles import naive_dijkstra, turns_of
from world import World

from gis.arrays import INF, freeze
from gis.geodesy import distances_m
from gis.snap_index import SnapIndex, build_snap_index
from routing.areas.reach import Lines, Reach, check_reach, find_reach, reached_box, reached_lines
from routing.graph.turn_graph import build_turn_graph
from routing.metric import duration_metric
from routing.search.dijkstra import SearchState, Turns, shortest_path_tree
from routing.search.dijkstra import turns_of as turns_for
from routing.search.seeds import Place, Position, source_seeds, target_seeds, vertices_of

Step = tuple[tuple[int, int], int]


def search(
    world: SearchWorld, origins: Sequence[Position], backward: bool, limit: int = INF
) -> tuple[Turns, np.ndarray]:
    """The turns of a search from the origins, or backward to them, and its costs."""
    _, graph, metric = world
    n_arcs = len(metric.weight)
    if backward:
        places = [Place(v, f) for arc, f in origins for v in vertices_of(graph, n_arcs, arc)]
        seeds = target_seeds(graph, metric, places)
    else:
        seeds = source_seeds(graph, metric, [Place(*origin) for origin in origins])
    cost, _ = shortest_path_tree(SearchState(graph), graph, metric, seeds, backward, limit)
    return turns_for(graph, metric, backward), cost


def naive_costs(
    world: SearchWorld, origins: Iterable[tuple[int, int]], backward: bool
) -> dict[tuple[int, int], int]:
    """Least costs to all places, given as arc and cost from its tail, in the smallest steps."""
    _, graph, metric = world
    weight = metric.weight.tolist()
    arc_of = graph.vertex_arc.tolist()
    steps: dict[tuple[int, int], list[Step]] = {}

    def join(a: tuple[int, int], b: tuple[int, int], cost: int) -> None:
        if backward:
            a, b = b, a
        steps.setdefault(a, []).append((b, cost))

    for vertex, arc in enumerate(arc_of):
        if weight[arc] < INF:
            for gone in range(weight[arc]):
                join((vertex, gone), (vertex, gone + 1), 1)
    for tail, head, cost in turns_of(graph):
        join((tail, weight[arc_of[tail]]), (head, 0), cost)
    starts = [
        ((vertex, gone), 0)
        for arc, gone in origins
        for vertex in (vertices_of(graph, len(weight), arc) if backward else [arc])
        if weight[arc] < INF
    ]
    found = naive_dijkstra(lambda place: steps.get(place, []), starts)
    best: dict[tuple[int, int], int] = {}
    for (vertex, gone), cost in found.items():
        if vertex < len(weight) or not backward:  # who sets out on an arc is at no copy of it
            place = (arc_of[vertex], gone)
            best[place] = min(best.get(place, INF), cost)
    return best


def cost_at(reach: Reach, edge: int, fraction: float) -> float:
    """The cost of a place by the formula of ``Reach``."""
    costs = [math.inf]
    for row in np.flatnonzero(reach.edge == edge):
        low, high = reach.span[row].tolist()
        if low - 1e-6 <= fraction <= high + 1e-6:
            for (cost, weight), gone in zip(
                zip(reach.cost[row].tolist(), reach.weight[row].tolist(), strict=True),
                (fraction - low, high - fraction),
                strict=True,
            ):
                if cost < INF:
                    costs.append(cost + weight * max(gone, 0))
    return min(costs)


@st.composite
def questions(draw: st.DrawFn) -> tuple[SearchWorld, list[tuple[int, int]], int, bool]:
    """A world, one to three places on open arcs, a limit and a direction."""
    world = draw(search_worlds().filter(lambda world: (world.metric.weight < INF).any()))
    arcs = np.flatnonzero(world.metric.weight < INF).tolist()
    places = []
    for _ in range(draw(st.integers(1, 3))):
        arc = draw(st.sampled_from(arcs))
        places.append((arc, draw(st.integers(0, int(world.metric.weight[arc])))))
    return world, places, draw(st.sampled_from([0, 1, 5, 30, 1000, 10**9])), draw(st.booleans())


def positions_of(world: SearchWorld, places: Iterable[tuple[int, int]]) -> list[Position]:
    return [Position(arc, gone / int(world.metric.weight[arc])) for arc, gone in places]


@given(questions())
def test_costs_along_all_roads(
    question: tuple[SearchWorld, list[tuple[int, int]], int, bool],
) -> None:
    """The stretches tell what each place costs, as walking there in the smallest steps does."""
    world, places, limit, backward = question
    origins = positions_of(world, places)
    reach = find_reach(*search(world, origins, backward), origins, limit)
    check_reach(reach)
    naive = naive_costs(world, places, backward)
    weight = world.metric.weight.tolist()
    for edge in range(len(weight) // 2):
        whole = [w for w in weight[2 * edge : 2 * edge + 2] if w < INF]
        if not whole:
            assert edge not in reach.edge
            continue
        # On a road with two weights, only places that are whole for both can be compared.
        for part in range(math.gcd(*whole) + 1):
            fraction = part / math.gcd(*whole)
            expected = min(
                naive.get((arc, round(share * weight[arc])), INF)
                for arc, share in ((2 * edge, fraction), (2 * edge + 1, 1 - fraction))
                if weight[arc] < INF
            )
            found = cost_at(reach, edge, fraction)
            if expected == 0:
                continue  # the origin itself, maybe at the end of its road: a piece of no length
            if expected < limit:
                assert found == pytest.approx(expected, abs=0.51)
            else:
                assert found > limit - 0.51


@given(questions())
def test_a_bounded_search_is_enough(
    question: tuple[SearchWorld, list[tuple[int, int]], int, bool],
) -> None:
    """Costs beyond the limit are not missed, and vertices may be named in any order."""
    world, places, limit, backward = question
    origins = positions_of(world, places)
    full = find_reach(*search(world, origins, backward), origins, limit)
    turns, cost = search(world, origins, backward, limit)
    named = np.random.default_rng(1).permutation(len(cost)).astype(np.uint32)
    for vertices in (None, named):
        found = find_reach(turns, cost, origins, limit, vertices)
        for expected, array in zip(full, found, strict=True):
            assert np.array_equal(expected, array)


def length_m(lines: Lines) -> float:
    lon = np.rint((lines.lon + 180) % 360 * 1e7 - 180e7).astype(np.int64)
    lat = np.rint(lines.lat * 1e7).astype(np.int64)
    lon[lon > 1800000000] -= 3600000000
    piece = distances_m(lon[:-1], lat[:-1], lon[1:], lat[1:])
    piece[lines.first_point[1:-1].astype(np.int64) - 1] = 0
    return float(piece.sum())


@given(questions())
def test_lines_are_as_long_as_what_is_reached(
    question: tuple[SearchWorld, list[tuple[int, int]], int, bool],
) -> None:
    """The pieces add up to the part of each road that costs less than the limit."""
    world, places, limit, backward = question
    index = build_snap_index(world.network)
    origins = positions_of(world, places)
    reach = find_reach(*search(world, origins, backward), origins, limit)
    for some in {limit, limit // 2}:
        lines = reached_lines(index, reach, some)
        expected, n_samples = 0.0, 500
        for edge in np.unique(reach.edge).tolist():
            middles = [(i + 0.5) / n_samples for i in range(n_samples)]
            part = np.mean([cost_at(reach, edge, middle) < some for middle in middles])
            expected += part * shape_length_m(index, edge)
        assert length_m(lines) == pytest.approx(expected, abs=0.3 * (1 + len(reach.edge)))
        assert (np.diff(lines.first_point.astype(np.int64)) >= 2).all()
    west, south, east, north = reached_box(index, reach)
    whole = reached_lines(index, reach, limit)
    if len(whole.lon):
        box = [whole.lon.min(), whole.lat.min(), whole.lon.max(), whole.lat.max()]
        assert np.allclose([west, south, east, north], np.array(box) * 1e7, atol=1e-3)


def shape_length_m(index: SnapIndex, edge: int) -> float:
    a, b = index.first_point[edge : edge + 2].tolist()
    lon, lat = index.point_lon[a:b], index.point_lat[a:b]
    return float(distances_m(lon[:-1], lat[:-1], lon[1:], lat[1:]).sum())


def drawn(world: World) -> tuple[SearchWorld, SnapIndex]:
    network, _ = world.network()
    (verdicts,) = world.verdicts()
    metric = duration_metric(network, verdicts)
    graph = build_turn_graph(network, verdicts, metric.open_arc)
    return SearchWorld(network, graph, metric), build_snap_index(network)


def lines_of(
    world: SearchWorld, index: SnapIndex, origins: list[Position], limit: float, backward: bool
) -> list[np.ndarray]:
    """Every line as points (n, 2)."""
    reach = find_reach(*search(world, origins, backward), origins, limit)
    lines = reached_lines(index, reach, limit)
    points = np.stack([lines.lon, lines.lat], axis=1)
    return np.split(points, lines.first_point[1:-1].astype(np.int64))


def test_a_road_is_cut_at_the_exact_place() -> None:
    """Fifty metres in five seconds, around the corner too, and from the middle of a road."""
    drawing = World("a - b\n    c", "abc highway=primary", metres=100)
    world, index = drawn(drawing)
    a, b, c = (np.array(drawing.position(letter)) for letter in "abc")
    forth, back = (world.metric.weight.tolist()[i] for i in (0, 1))
    assert forth == back
    total_m, first_m = shape_length_m(index, 0), 400.0
    speed = total_m / forth
    limit = (first_m + 25) / speed
    (line,) = lines_of(world, index, [Position(0, 0.0)], limit, False)
    part = 25 / (total_m - first_m)
    assert np.allclose(line, [a, b, b + part * (c - b)], rtol=0, atol=2e-7)
    middle = Position(0, 0.5)
    (line,) = lines_of(world, index, [middle], 50 / speed, False)
    start, end = ((total_m / 2 + d) / first_m for d in (0, 50))
    assert np.allclose(line, [a + start * (b - a), a + end * (b - a)], rtol=0, atol=2e-7)
    (line,) = lines_of(world, index, [middle, Position(1, 0.5)], 50 / speed, False)
    parts = [(total_m / 2 + d) / first_m for d in (-50, 0, 50)]
    assert np.allclose(line, [a + part * (b - a) for part in parts], rtol=0, atol=2e-7)
    (line,) = lines_of(world, index, [middle], 50 / speed, True)
    start, end = ((total_m / 2 + d) / first_m for d in (-50, 0))
    assert np.allclose(line, [a + start * (b - a), a + end * (b - a)], rtol=0, atol=2e-7)


def test_a_road_reached_from_both_ends_is_one_line_once_they_meet() -> None:
    """Two pieces of the long way before, one line after."""
    drawing = World("a - b\n    \nd - c", "ab highway=x\nbc highway=x\ncd highway=x\nad highway=x")
    world, index = drawn(drawing)
    origins = [Position(0, 0.5), Position(1, 0.5)]
    weights = world.metric.weight[::2].astype(np.int64)
    around = int(weights.sum()) // 2
    assert len(lines_of(world, index, origins, around - 50, False)) == 5
    assert len(lines_of(world, index, origins, around + 50, False)) == 4


def test_nothing_is_torn_at_the_antimeridian() -> None:
    """A line that crosses it goes on beyond 180 degrees, from either side."""
    drawing = World("a - b - c", "abc highway=primary", metres=100, origin=(179.998, 10.0))
    drawing.places = {
        letter: (lon - 360 * 10**7 if lon > 180 * 10**7 else lon, lat)
        for letter, (lon, lat) in drawing.places.items()
    }
    world, index = drawn(drawing)
    assert world.network.point_lon.min() < 0 < world.network.point_lon.max()
    (line,) = lines_of(world, index, [Position(0, 0.0)], 10**6, False)
    assert np.abs(np.diff(line[:, 0])).max() < 0.01 and line[:, 0].max() > 180
    (line,) = lines_of(world, index, [Position(1, 0.0)], 10**6, False)
    assert np.abs(np.diff(line[:, 0])).max() < 0.01


def test_what_makes_no_sense() -> None:
    world, index = drawn(World("a - b", "ab highway=primary"))
    origins = [Position(0, 0.0)]
    turns, cost = search(world, origins, False)
    with pytest.raises(ValueError, match="limit is -1, expected 0 or more"):
        find_reach(turns, cost, origins, -1)
    with pytest.raises(ValueError, match="limit is nan"):
        find_reach(turns, cost, origins, math.nan)
    with pytest.raises(ValueError, match="there are no origins"):
        find_reach(turns, cost, [], 1)
    with pytest.raises(ValueError, match=r"limit is 3\.0, expected at most 2\.0"):
        reached_lines(index, find_reach(turns, cost, origins, 2), 3)
    assert len(reached_lines(index, find_reach(turns, cost, origins, 0), 0).lon) == 0
    closed = freeze(np.full_like(turns.weight, INF))
    assert len(find_reach(turns._replace(weight=closed), cost, origins, 9).edge) == 0
