"""Nearest places on edges against a look at every segment."""

import math
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from snap_indices import all_flags, index_of, random_edges

from gis.arrays import F64, U8, AnyArray, freeze
from gis.geodesy import HALF_TURN, QUARTER_TURN, distance_m
from gis.network.build import build_network
from gis.osm.read import read_osm
from gis.profiles.registry import apply_profile, get_profile, tag_selection
from gis.rtree import check_rtree
from gis.snap import ANY_BEARING, BACKWARD, FORWARD, SNAP, TIE_M, Snap, nearest, nearest_many
from gis.snap_index import (
    SnapIndex,
    build_snap_index,
    edge_of_point,
    edge_positions,
)

GRID_M = 0.02
"""Places are rounded to 1e-7 degree, which is up to 0.8 cm."""


NEAR = 2_500_000
"""Up to a quarter of a degree the direction is that on the flat map."""


class Question(NamedTuple):
    """What is asked of the index."""

    lon: int
    lat: int
    mask: int = 1
    radius_m: float = math.inf
    bearing: tuple[int, int] | None = None


def scale_at(lat: int) -> tuple[float, float]:
    """Metres of a unit at a latitude, from the radii of the ellipse."""
    a, b, phi = 6378137.0, 6378137.0 * (1 - 1 / 298.257223563), math.radians(lat / 1e7)
    root = (a * math.cos(phi)) ** 2 + (b * math.sin(phi)) ** 2
    unit = math.pi / HALF_TURN
    return unit * a * a / math.sqrt(root) * math.cos(phi), unit * (a * b) ** 2 / root**1.5


def short_way(difference: AnyArray) -> AnyArray:
    return (difference + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN


def naive_directions(index: SnapIndex, flags: U8, question: Question) -> AnyArray:
    """Directions that qualify on the segment that starts at each point; 0 at ends of edges."""
    lon, lat = index.point_lon.astype(float), index.point_lat.astype(float)
    ends = index.first_point[1:].astype(int) - 1
    edge = np.repeat(np.arange(len(ends)), np.diff(index.first_point.astype(int)))
    has = flags & question.mask == question.mask
    forward, backward = has[2 * edge], has[2 * edge + 1]
    if question.bearing and question.bearing[1] < 180:
        value, limit = question.bearing
        x, y = short_way(np.append(np.diff(lon), 0)), np.append(np.diff(lat), 0)
        bearing = np.rint(naive_bearings(lat, x, y))
        moves = (x != 0) | (y != 0)
        for open_, ahead in ((forward, bearing), (backward, bearing + 180)):
            open_ &= moves & (np.abs((ahead - value + 180) % 360 - 180) <= limit)
    directions = forward * FORWARD + backward * BACKWARD
    directions[ends] = 0
    return directions


def naive_bearings(lat: AnyArray, x: AnyArray, y: AnyArray) -> AnyArray:
    """Directions of segments from latitudes, longer ones along the great circle at their start."""
    wide = np.array([scale_at(v) for v in lat + y / 2])
    flat = np.arctan2(x * wide[:, 0], y * wide[:, 1])
    a, b, turn = (np.radians(angle / 1e7) for angle in (lat, lat + y, x))
    north = np.cos(a) * np.sin(b) - np.sin(a) * np.cos(b) * np.cos(turn)
    great_circle = np.arctan2(np.sin(turn) * np.cos(b), north)
    is_near = (np.abs(x) <= NEAR) & (np.abs(y) <= NEAR)
    return np.degrees(np.where(is_near, flat, great_circle))


def naive_distances(index: SnapIndex, question: Question) -> F64:
    """Metres on the flat map to the segment that starts at each point; the last has none."""
    x_m, y_m = scale_at(question.lat)
    lon, lat = index.point_lon.astype(float), index.point_lat.astype(float)
    xa = short_way(lon - question.lon)
    x = short_way(np.append(np.diff(lon), 0)) * x_m
    xa, ya, y = xa * x_m, (lat - question.lat) * y_m, np.append(np.diff(lat), 0) * y_m
    length = x * x + y * y
    part = np.divide(-(xa * x + ya * y), length, out=np.zeros_like(x), where=length > 0)
    part = np.clip(part, 0, 1)
    return np.hypot(xa + part * x, ya + part * y)


def check(index: SnapIndex, flags: U8, question: Question, max_results: int) -> list[Snap]:
    """Assert that the answer is the one that looking at all segments gives."""
    found = nearest(index, question.lon, question.lat, flags, question.mask, max_results,
                    question.radius_m, question.bearing)  # fmt: skip
    directions = naive_directions(index, flags, question)
    away = np.where(directions > 0, naive_distances(index, question), math.inf)
    of_edge = np.minimum.reduceat(away, index.first_point[:-1].astype(int)) if len(away) else away
    expected = np.sort(of_edge[np.isfinite(of_edge)])
    within = [np.count_nonzero(expected <= question.radius_m + d) for d in (-GRID_M, GRID_M)]
    assert min(within[0], max_results) <= len(found) <= min(within[1], max_results)
    assert len({snap.edge for snap in found}) == len(found)
    keys = [(snap.distance_m, snap.edge) for snap in found]
    assert keys == sorted(keys)
    flat = sorted(of_edge[snap.edge] for snap in found)
    np.testing.assert_allclose(flat, expected[: len(found)], atol=GRID_M, rtol=1e-9)
    for snap in found:
        edge_points = range(*index.first_point[snap.edge : snap.edge + 2].tolist())
        assert snap.point in edge_points[:-1]
        assert abs(snap.lon) <= HALF_TURN and abs(snap.lat) <= QUARTER_TURN
        assert snap.directions == directions[snap.point]
        assert away[snap.point] == pytest.approx(of_edge[snap.edge], abs=GRID_M)
        place = distance_m(question.lon, question.lat, snap.lon, snap.lat)
        assert snap.distance_m == pytest.approx(place, abs=1e-9)
    check_places(index, found)
    return found


def check_places(index: SnapIndex, found: list[Snap]) -> None:
    """The fraction of each result leads back to its place."""
    edge = np.array([snap.edge for snap in found], np.uint32)
    fraction = np.array([snap.fraction for snap in found])
    point, lon, lat = edge_positions(index, edge, fraction)
    for i, snap in enumerate(found):
        assert 0 <= snap.fraction <= 1
        assert distance_m(int(lon[i]), int(lat[i]), snap.lon, snap.lat) < 2 * GRID_M
        assert edge_of_point(index, int(point[i])) == snap.edge


@example(200_000, 28, (0, 0), 3_000_000, (0, 0), 1)  # segments so long that the globe is round
@given(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.sampled_from([(0, 0), (249_000_000, 602_000_000), (HALF_TURN, -170_000_000)]),
    st.sampled_from([1, 1000, 3_000_000]),
    st.tuples(st.integers(-9000, 9000), st.integers(-9000, 9000)),
    st.sampled_from([1, 2, 5, 50]),
)
def test_nearest_of_all_segments(
    seed: int,
    n_edges: int,
    centre: tuple[int, int],
    step: int,
    offset: tuple[int, int],
    max_results: int,
) -> None:
    """Any flags, mask, radius and bearing on small worlds full of ties and odd edges."""
    rng = np.random.default_rng(seed)
    index = index_of(random_edges(seed, n_edges, centre, step))
    flags = freeze(rng.choice([0, 1, 2, 3, 7], 2 * n_edges, p=[0.2, 0.2, 0.2, 0.3, 0.1]))
    x, y = (round(c + o * step / 1000) for c, o in zip(centre, offset, strict=True))
    question = Question(int(short_way(np.int64(x))), y, int(rng.choice([0, 1, 3, 4])))
    check(index, flags.astype(np.uint8), question, max_results)
    reach = float(naive_distances(index, question).max())
    question = question._replace(radius_m=rng.uniform(0, 1) * reach)
    check(index, flags.astype(np.uint8), question, max_results)
    bearing = (int(rng.integers(0, 361)), int(rng.choice([0, 10, 45, 90, 179, 180])))
    question = question._replace(radius_m=math.inf, bearing=bearing)
    check(index, flags.astype(np.uint8), question, max_results)


@given(
    st.integers(0, 10**6),
    st.integers(-HALF_TURN, HALF_TURN),
    st.sampled_from([-QUARTER_TURN, -450_000_000, 0, 899_999_990, QUARTER_TURN]),
)
def test_from_anywhere_on_the_globe(seed: int, lon: int, lat: int) -> None:
    """Questions from the other side of the world and from the poles are answered, too."""
    for centre in ((249_000_000, 602_000_000), (HALF_TURN, 0), (0, QUARTER_TURN)):
        index = index_of(random_edges(seed, 30, centre, 20_000))
        check(index, all_flags(index), Question(lon, lat), 3)


def test_a_large_network() -> None:
    """A tree of five levels, with more nodes pending than are compared at a time."""
    rng = np.random.default_rng(8)
    edges = []
    for x, y in rng.integers(-10_000_000, 10_000_000, (5000, 2)):
        steps = rng.integers(-40_000, 40_000, (6, 2)).cumsum(axis=0)
        edges.append([(int(x + a), int(y + b)) for a, b in steps])
    index = index_of(edges)
    assert len(index.tree.level) == 6
    flags = freeze(rng.integers(0, 4, 2 * len(edges)).astype(np.uint8))
    for x, y in rng.integers(-15_000_000, 15_000_000, (10, 2)):
        check(index, flags, Question(int(x), int(y), 3), 1)
        check(index, flags, Question(int(x), int(y), 1, bearing=(30, 1)), 5)
    assert nearest(index, 5000, 5000, flags, 4) == []


def test_on_a_real_network(sample: Path) -> None:
    """Central Helsinki, as a car sees it, from points within and around."""
    car = get_profile("car")
    tables = read_osm(sample, tag_selection([car]))
    sets = (tables.way_tags, tables.node_tags, tables.relation_tags)
    network, _ = build_network(tables, [apply_profile(car, *sets)])
    index = build_snap_index(network)
    check_rtree(index.tree, network.first_point, network.point_lon, network.point_lat)
    rng = np.random.default_rng(4)
    flags = freeze(rng.integers(0, 4, network.n_arcs).astype(np.uint8))
    for i in rng.integers(0, len(network.point_lon), 40):
        lon, lat = (int(v[i] + rng.normal(0, 5000)) for v in (network.point_lon, network.point_lat))
        check(index, flags, Question(lon, lat), 4)
        check(index, flags, Question(lon, lat, 2, 300.0, (int(rng.integers(0, 360)), 30)), 2)


CROSS = [[(0, 0), (x, y)] for x, y in [(9000, 0), (0, 9000), (-9000, 0), (0, -9000)]]


def test_all_roads_of_a_junction_are_equally_near() -> None:
    """At a junction every edge has distance 0; they come by number, as many as asked for."""
    star = [[(0, 0), (x, y), (2 * x, y)] for x in (-7000, 3000, 9000) for y in (-5000, 1000, 8000)]
    star = [edge if i % 2 else edge[::-1] for i, edge in enumerate(star)]
    index = index_of(star)
    for wanted in (1, 4, 9, 20):
        found = check(index, all_flags(index), Question(0, 0), wanted)
        assert [snap.edge for snap in found] == list(range(min(wanted, 9)))
        assert all(snap.distance_m == 0 and (snap.lon, snap.lat) == (0, 0) for snap in found)
        assert all(snap.fraction == (snap.edge + 1) % 2 for snap in found)


@pytest.mark.parametrize("side", [-1, 1])
def test_of_equally_near_roads_the_first_is_found(side: int) -> None:
    """Roads on either side, in different branches of the tree: the lower number comes first."""
    edges = []
    for y in range(-200_000, 200_000, 10_000):
        edges += [[(x, y - 2500), (x, y + 2500)] for x in (1000 * side, -1000 * side)]
    index = index_of(edges)
    first = edges.index([(1000 * side, -2500), (1000 * side, 2500)])
    for wanted in (1, 2):
        found = check(index, all_flags(index), Question(0, 0), wanted)
        assert [snap.edge for snap in found] == [first, first + 1][:wanted]


def test_ties_come_along() -> None:
    """With room for ties one result brings all roads that are as near, and no others."""
    star = [[(0, 0), (x, y)] for x in (-7000, 3000, 9000) for y in (1000, 5000, 8000)]
    index = index_of([[(-9000, -3000), (9000, -3000)], *star])
    flags = all_flags(index)
    for ties, last in ((0, 1), (3, 4), (8, 9), (30, 9)):
        found = nearest(index, 100, -1000, flags, 1, max_ties=ties)
        assert [snap.edge for snap in found] == list(range(1, last + 1))
    assert [snap.edge for snap in nearest(index, 100, -1500, flags, 1, max_ties=30)] == [0]
    assert len(nearest(index, 100, -1500, flags, 1, max_results=2, max_ties=30)) == 10
    assert len(nearest(index, 100, -1500, flags, 1, max_results=2, max_ties=30, radius_m=16.6)) == 1


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 60))
def test_ties_are_those_of_a_longer_answer(seed: int, max_results: int, max_ties: int) -> None:
    """Results with ties are the beginning of the results without a limit."""
    index = index_of(random_edges(seed, 40, (249_000_000, 602_000_000), 10))
    everything = nearest(index, 249_000_010, 602_000_020, all_flags(index), 1, 40)
    limit_m = everything[max_results - 1].distance_m + TIE_M
    expected = [snap for snap in everything if snap.distance_m <= limit_m]
    found = nearest(
        index, 249_000_010, 602_000_020, all_flags(index), 1, max_results, max_ties=max_ties
    )
    assert found == expected[: max_results + max_ties]


def test_the_same_place_is_equally_far_on_either_side_of_a_point() -> None:
    """At a bend the segment before it is named, whichever was looked at first."""
    index = index_of([[(0, 0), (5000, 0), (5000, 5000), (0, 5000)]] * 3)
    found = check(index, all_flags(index), Question(6000, -1000), 3)
    assert [(snap.edge, snap.point) for snap in found] == [(0, 0), (1, 4), (2, 8)]
    assert found[0].fraction == pytest.approx(1 / 3, abs=1e-3)


def test_flags_decide_edge_and_direction() -> None:
    """All bits of the mask are needed, in one of the two directions."""
    index = index_of(CROSS)
    flags = freeze(np.array([1, 3, 2, 0, 3, 1, 3, 3], np.uint8))
    for mask, expected in ((3, [(0, 2), (2, 1), (3, 3)]), (2, [(0, 2), (1, 1), (2, 1), (3, 3)])):
        found = check(index, flags, Question(0, 0, mask), 9)
        assert [(snap.edge, snap.directions) for snap in found] == expected
    assert nearest(index, 0, 0, flags, 4) == []


@pytest.mark.parametrize(
    ("bearing", "expected"),
    [
        ((90, 0), (0, FORWARD)),
        ((270, 0), (0, BACKWARD)),
        ((80, 10), (0, FORWARD)),  # the range counts with its ends
        ((79, 10), None),
        ((355, 5), (1, FORWARD)),
        ((360, 0), (1, FORWARD)),
        ((5, 5), (1, FORWARD)),
        ((180, 3), (1, BACKWARD)),
        ((90, 90), (0, FORWARD)),
        ((0, 90), (0, FORWARD | BACKWARD)),
        ((45, 180), (0, FORWARD | BACKWARD)),
    ],
)
def test_bearings(bearing: tuple[int, int], expected: tuple[int, int] | None) -> None:
    """A bearing chooses the direction on a street, and passes by the streets that lead astray."""
    index = index_of([[(0, 0), (9000, 0)], [(-1000, 0), (-1000, 9000)]])
    found = check(index, all_flags(index), Question(1000, 50, bearing=bearing), 1)
    assert [(snap.edge, snap.directions) for snap in found] == ([expected] if expected else [])


def test_edges_without_length() -> None:
    """Edges of one place are found there, and face no direction."""
    index = index_of([[(100, 100), (100, 100)], [(100, 100)] * 4])
    found = check(index, all_flags(index), Question(0, 0), 5)
    assert [(snap.edge, snap.fraction, snap.directions) for snap in found] == [(0, 0, 3), (1, 0, 3)]
    assert check(index, all_flags(index), Question(0, 0, bearing=(0, 179)), 5) == []
    assert len(check(index, all_flags(index), Question(0, 0, bearing=ANY_BEARING), 5)) == 2


def test_no_edges() -> None:
    """A network without edges has nothing near."""
    index = index_of([])
    assert nearest(index, 0, 0, all_flags(index), 0) == []
    found, count = nearest_many(
        index, np.zeros(3, np.int32), np.zeros(3, np.int32), all_flags(index), 0, 2
    )
    assert found.shape == (3, 2) and count.tolist() == [0, 0, 0]
    assert [
        len(column) for column in edge_positions(index, np.zeros(0, np.uint32), np.zeros(0))
    ] == [0, 0, 0]


def test_radius_includes_its_end() -> None:
    """Within 0 m lies what the point lies on."""
    index = index_of(CROSS)
    assert [
        snap.edge for snap in check(index, all_flags(index), Question(500, 0, radius_m=0), 9)
    ] == [0]
    assert check(index, all_flags(index), Question(500, 3, radius_m=0), 9) == []


@settings(max_examples=10)
@given(st.integers(0, 1000), st.sampled_from([0, 1, 7, 700]))
def test_many_are_as_one_by_one(seed: int, n: int) -> None:
    """A batch gives each point what it gets alone, in the order of the points."""
    rng = np.random.default_rng(seed)
    index = index_of(random_edges(seed, 60, (249_000_000, 602_000_000), 1000))
    flags = freeze(rng.integers(0, 4, 120).astype(np.uint8))
    lon = (249_000_000 + rng.integers(-9000, 9000, n)).astype(np.int32)
    lat = (602_000_000 + rng.integers(-9000, 9000, n)).astype(np.int32)
    radius_m = rng.choice([5.0, 50.0, math.inf], n)
    bearing = np.stack([rng.integers(0, 361, n), rng.integers(0, 181, n)], axis=1)
    found, count = nearest_many(index, lon, lat, flags, 1, 3, radius_m, bearing, max_ties=2)
    assert found.dtype == SNAP and found.shape == (n, 5)
    for i in range(0, n, 1 + n // 50):
        alone = nearest(index, int(lon[i]), int(lat[i]), flags, 1, 3, radius_m[i],
                        (int(bearing[i, 0]), int(bearing[i, 1])), max_ties=2)  # fmt: skip
        assert [Snap(*record) for record in found[i, : count[i]].tolist()] == alone


def test_refused_questions() -> None:
    """Points off the globe, negative radiuses and no results are errors that say what they got."""
    index = index_of(CROSS)
    flags, here = all_flags(index), np.zeros(2, np.int32)
    with pytest.raises(ValueError, match=r"200\.0, 0\.0 is not on the globe"):
        nearest(index, 2_000_000_000, 0, flags, 1)
    with pytest.raises(ValueError, match=r"point 1: 0\.0, -91\.0 is not on the globe"):
        nearest_many(index, here, np.array([0, -910_000_000], np.int32), flags, 1)
    for radius in (-1.0, math.nan):
        with pytest.raises(ValueError, match="radius is"):
            nearest(index, 0, 0, flags, 1, radius_m=radius)
        with pytest.raises(ValueError, match="radius is"):
            nearest_many(index, here, here, flags, 1, radius_m=np.array([1.0, radius]))
    with pytest.raises(ValueError, match="max_results is 0"):
        nearest(index, 0, 0, flags, 1, max_results=0)
    with pytest.raises(ValueError, match="flags for 6 arcs, expected 8"):
        nearest(index, 0, 0, flags[:6], 1)
    with pytest.raises(IndexError, match="edge 4 of a network with 4 edges"):
        edge_positions(index, np.array([4], np.uint32), np.zeros(1))
    with pytest.raises(ValueError, match="max_ties -1"):
        nearest(index, 0, 0, flags, 1, max_ties=-1)


def test_places_along_an_edge() -> None:
    """Fractions of the length, both ends and beyond a bend, on an edge across the antimeridian."""
    index = index_of(
        [CROSS[0], [(HALF_TURN - 3000, 0), (HALF_TURN + 1000, 0), (HALF_TURN + 1000, 4000)]]
    )
    edge = np.ones(5, np.uint32)
    point, lon, lat = edge_positions(index, edge, np.array([0, 0.25, 0.375, 0.75, 1]))
    assert point.tolist() == [2, 2, 2, 3, 3]
    along = short_way(lon.astype(int) - HALF_TURN)
    # A unit of longitude on the equator is 0.67 % longer than one of latitude.
    np.testing.assert_allclose(along, [-3000, -1007, -10, 1000, 1000], atol=1)
    np.testing.assert_allclose(lat, [0, 0, 0, 1993, 4000], atol=1)


@pytest.mark.parametrize("seed", range(3))
def test_fractions_are_by_length(seed: int) -> None:
    """The fraction is the length before the place, by the length of the edge."""
    index = index_of(random_edges(seed, 20, (249_000_000, 602_000_000), 1000))
    x_m, y_m = scale_at(602_000_000)
    for snap in nearest(index, 249_003_210, 602_001_230, all_flags(index), 1, 20):
        points = range(*index.first_point[snap.edge : snap.edge + 2].tolist())
        line = [(index.point_lon[p] * x_m, index.point_lat[p] * y_m) for p in points]
        place = (snap.lon * x_m, snap.lat * y_m)
        to_place = [*line[: snap.point - points[0] + 1], place]
        whole, before = (sum(math.dist(a, b) for a, b in pairwise(way)) for way in (line, to_place))
        assert snap.fraction == pytest.approx(
            before / whole if whole else 0, abs=0.02 / max(whole, 1)
        )
