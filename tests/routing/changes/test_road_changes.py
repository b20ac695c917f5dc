"""Changes of weights against naive arithmetic, and routes under them against each other."""

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shapely
from graphs import (
    SearchWorld,
    SmallEdge,
    build_small_network,
    lattice_worlds,
    make_metric,
    plain_road_use,
    search_worlds,
)
from hierarchies import prepare
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gis.arrays import INF, freeze
from gis.geodesy import distances_m
from gis.network.build import build_network
from gis.network.road_network import RoadNetwork, arc_ends
from gis.osm.read import read_osm
from gis.profiles.registry import apply_profile, get_profile, tag_selection
from gis.snap_index import build_snap_index
from routing.cch.weights import Weights, check_weights
from routing.changes import reweight as reweighting
from routing.changes.avoided_areas import close_areas
from routing.changes.reweight import MANY, Reweighted, reweight
from routing.changes.road_changes import (
    Outcome,
    RoadChanges,
    apply_changes,
    bounds_hold,
    check_changes,
    combine_changes,
    make_changes,
    no_changes,
    scale_arcs,
)
from routing.changes.road_index import RoadIndex
from routing.changes.road_speeds import BACKWARD, BOTH, FORWARD, speeds_between, speeds_of_ways
from routing.errors import InvalidInput
from routing.graph.components import build_components
from routing.metric import DistanceMetric, Metric, check_metric
from routing.search.landmarks import build_landmarks
from routing.search.seeds import Path as FoundPath
from routing.search.seeds import Place, source_seeds, target_seeds
from routing.store import PreparedProfile
from routing.vehicle import Vehicle

seeds = st.integers(0, 2**32 - 1)


def check_outcome(outcome: Outcome, metric: Metric) -> dict[int, int]:
    """What holds for all changes; their weights by arc."""
    changes = outcome.changes
    check_changes(changes, len(metric.weight))
    assert (metric.weight[changes.arcs] < INF).all(), "closed arcs are not among the changes"
    return dict(zip(changes.arcs.tolist(), changes.duration_cs.tolist(), strict=True))


# --- changes themselves


@given(seeds)
def test_changes_like_dictionaries(seed: int) -> None:
    """The last weight of an arc counts, in one list and over several; none opens an arc."""
    rng = np.random.default_rng(seed)
    base = rng.choice([1, 7, 500, INF - 1, INF], 12)
    metric = make_metric(base.tolist())
    expected: dict[int, int] = {}
    parts = []
    for _ in range(int(rng.integers(0, 4))):
        arcs, weight = rng.integers(0, 12, 5), rng.choice([1, 2, 900, INF], 5)
        parts.append(make_changes(arcs, weight))
        expected |= dict(zip(arcs.tolist(), weight.tolist(), strict=True))
    changes = combine_changes(*parts)
    check_changes(changes, 12)
    assert dict(zip(changes.arcs.tolist(), changes.duration_cs.tolist(), strict=True)) == expected
    assert len(changes) == len(expected)
    after = apply_changes(metric, changes)
    for arc, weight in enumerate(base.tolist()):
        wanted = expected.get(arc, weight) if weight < INF else INF
        assert after.weight[arc] == wanted
    assert not after.weight.flags.writeable and after.length_cm is metric.length_cm
    assert metric.weight.tolist() == base.tolist()


@given(seeds)
def test_weights_in_proportion(seed: int) -> None:
    """Where durations are not the weights, they change, and weights keep their ratio to them."""
    rng = np.random.default_rng(seed)
    weight, duration = rng.integers(1, 10**6, (2, 12))
    weight[:2], duration[:2] = INF, INF
    weight[2], duration[2] = INF - 1, 1
    columns = weight, np.zeros(12), duration
    metric = Metric(*(freeze(column.astype(np.uint32)) for column in columns))
    arcs = rng.permutation(12)[: rng.integers(0, 12)]
    new = np.where(rng.random(len(arcs)) < 0.3, duration[arcs], rng.integers(1, 10**6, len(arcs)))
    new[rng.random(len(arcs)) < 0.1] = INF
    after = apply_changes(metric, make_changes(arcs, new))
    check_metric(after, 12)
    wanted = dict(zip(arcs.tolist(), new.tolist(), strict=True))
    for arc in range(12):
        to = wanted.get(arc, int(duration[arc])) if weight[arc] < INF else INF
        assert after.duration_cs[arc] == to
        exact = Fraction(int(weight[arc]) * to, int(duration[arc])) + Fraction(1, 2)
        expected = INF if to == INF else min(max(int(exact), 1), INF - 1)
        assert abs(int(after.weight[arc]) - expected) <= (to != duration[arc])


def test_the_kind_of_a_metric_stays() -> None:
    """Lengths with changes are lengths still, for which turns cost nothing."""
    metric = make_metric([5, 6])
    changed = apply_changes(DistanceMetric(metric.weight, metric.length_cm), make_changes([1], INF))
    assert isinstance(changed, DistanceMetric) and changed.weight.tolist() == [5, INF]


@pytest.mark.parametrize(
    ("arcs", "weight"),
    [
        ([-1], 5),
        ([2**32 - 1], 5),
        ([0], 0),
        ([0], INF + 1),
        ([0.5], 5),
        ([[0]], 5),
        ([0], 1.5),
        (["a"], 5),
    ],
)
def test_impossible_changes(arcs: object, weight: object) -> None:
    with pytest.raises(InvalidInput):
        make_changes(arcs, weight)  # type: ignore[arg-type]


def test_arcs_that_there_are_not() -> None:
    with pytest.raises(InvalidInput, match="arc 2 of a network of 2 arcs"):
        apply_changes(make_metric([5, 6]), make_changes([0, 2], 9))
    with pytest.raises(InvalidInput, match="out of range"):
        scale_arcs(make_metric([5, 6]), [2], 1.5)


@given(seeds)
def test_factors(seed: int) -> None:
    """Weights are multiplied and rounded half up; they stay between 1 and the most there is."""
    rng = np.random.default_rng(seed)
    metric = make_metric(rng.choice([1, 3, 1001, INF - 1, INF], 9).tolist())
    arcs, factor = rng.integers(0, 9, 6), rng.choice([0.001, 0.5, 1, 1.5, 1000], 6)
    outcome = scale_arcs(metric, arcs, factor)
    found = check_outcome(outcome, metric)
    last = dict(zip(arcs.tolist(), factor.tolist(), strict=True))
    n_closed = 0
    for arc, by in last.items():
        if metric.weight[arc] == INF:
            n_closed += 1
            continue
        exact = Fraction(int(metric.weight[arc])) * Fraction(by) + Fraction(1, 2)
        assert found.pop(arc) == min(max(int(exact), 1), INF - 1)
    assert not found and outcome.n_closed == n_closed


@pytest.mark.parametrize("factor", [0, -1, np.inf, np.nan])
def test_impossible_factors(factor: float) -> None:
    with pytest.raises(InvalidInput):
        scale_arcs(make_metric([5]), [0], factor)


# --- speeds


def naive_speeds(
    network: RoadNetwork, metric: Metric, rows: Sequence[tuple[int, int, float]]
) -> tuple[dict[int, Fraction | None], int]:
    """Exact new weight of each arc that is named, None if it is closed; and rows of no use.

    Walks along every arc point by point.
    """
    ids = network.point_id.tolist()
    tails, heads = (network.node_id[ends].tolist() for ends in arc_ends(network))
    used: set[int] = set()
    result: dict[int, Fraction | None] = {}
    for arc in range(network.n_arcs):
        first, stop = network.first_point[arc // 2 : arc // 2 + 2].tolist()
        points = list(range(first, stop))[:: -1 if arc % 2 else 1]
        lon, lat = network.point_lon, network.point_lat
        metres = [
            Fraction(float(distances_m(lon[[a]], lat[[a]], lon[[b]], lat[[b]])[0]))
            for a, b in (sorted(pair) for pair in pairwise(points))
        ]
        whole = sum(metres)
        of_edge: float | None = None
        of_piece: dict[int, float] = {}
        for row, (tail, head, kmh) in enumerate(rows):
            if (tails[arc], heads[arc]) == (tail, head):
                of_edge = kmh
                used.add(row)
            for piece, (a, b) in enumerate(pairwise(points)):
                if (ids[a], ids[b]) == (tail, head):
                    of_piece[piece] = kmh
                    used.add(row)
        speeds = [of_piece.get(piece, of_edge) for piece in range(len(metres))]
        if any(speed is not None for speed in speeds):
            total: Fraction | None = Fraction(0)
            for length, speed in zip(metres, speeds, strict=True):
                share = length / whole if whole else Fraction(1, len(metres))
                if speed is None:
                    part = share * int(metric.duration_cs[arc])
                elif speed == 0:
                    total = None
                    break
                else:
                    part = share * Fraction(float(network.edge_length_m[arc // 2]))
                    part *= Fraction(360) / Fraction(speed)
                total += part
            result[arc] = total
    return result, len(rows) - len(used)


def agrees(weight: int, exact: Fraction | None) -> bool:
    """Whether a weight is the rounded sum; where that is a tie but for 1e-6, either way."""
    if exact is None or weight in (1, INF - 1):
        return weight == INF if exact is None else (exact < 1.6 or exact > INF - 2)
    return abs(weight - exact) <= Fraction(1, 2) + Fraction(1, 10**6)


def random_pairs(rng: np.random.Generator, network: RoadNetwork) -> list[tuple[int, int, float]]:
    """Pairs of neighbouring points, of ends of edges, and of anything, either way round."""
    ids = network.point_id.tolist()
    rows = []
    for _ in range(int(rng.integers(0, 9))):
        kind = rng.integers(0, 3)
        edge = int(rng.integers(0, network.n_edges))
        first, stop = network.first_point[edge : edge + 2].tolist()
        if kind == 0:
            at = int(rng.integers(first, stop - 1))
            pair = [ids[at], ids[at + 1]]
        elif kind == 1:
            pair = [ids[first], ids[stop - 1]]
        else:
            pair = rng.choice([*ids, -5, 10**15], 2).tolist()
        if rng.random() < 0.5:
            pair.reverse()
        rows.append((*pair, float(rng.choice([0, 0.5, 3.6, 50, 133.7, 1e-9]))))
    return rows


@settings(max_examples=150)
@given(search_worlds() | search_worlds(max_weight=INF - 1), seeds)
def test_speeds_between_nodes(world: SearchWorld, seed: int) -> None:
    """Loops, parallel roads, roads without length, bends, rows that contradict each other."""
    network, _, metric = world
    assume(network.n_edges)
    rows = random_pairs(np.random.default_rng(seed), network)
    columns = list(zip(*rows, strict=True)) if rows else [[], [], []]
    outcome = speeds_between(RoadIndex(network), metric, *columns)
    expected, n_unknown = naive_speeds(network, metric, rows)
    found = check_outcome(outcome, metric)
    is_open = {arc: exact for arc, exact in expected.items() if metric.weight[arc] < INF}
    assert found.keys() == is_open.keys()
    assert all(agrees(found[arc], exact) for arc, exact in is_open.items())
    assert outcome.n_closed == len(expected) - len(is_open)
    assert outcome.n_unknown == n_unknown


def bent_road() -> tuple[RoadIndex, Metric]:
    """One edge from node 0 over point 1000, in the middle, to node 1; 100 m, 10 s and closed."""
    network = build_small_network(
        [SmallEdge(0, 1, 0, 100.0, (1, 0))], [(0, 0), (2, 0)], [0, 0], [], []
    )
    return RoadIndex(network), make_metric([1000, INF])


def test_a_piece_of_a_road() -> None:
    """Half the road keeps half the weight, the other half takes its new time."""
    roads, metric = bent_road()
    outcome = speeds_between(roads, metric, [0], [1000], [90])
    assert check_outcome(outcome, metric) == {0: 500 + 200}
    assert speeds_between(roads, metric, [0, 1000], [1000, 1], [90, 45]).changes.duration_cs == [
        600
    ]
    assert speeds_between(roads, metric, [0, 0], [1000, 1], [90, 45]).changes.duration_cs == [
        600
    ], "pieces count more than edges"
    assert speeds_between(roads, metric, [0, 0], [1000, 1000], [0, 90]).changes.duration_cs == [700]
    assert speeds_between(roads, metric, [0, 0], [1, 1000], [90, 0]).changes.duration_cs == [INF]
    back = speeds_between(roads, metric, [1, 7], [0, 8], [90, 90])
    assert len(back.changes) == 0 and (back.n_closed, back.n_unknown) == (1, 1)
    assert speeds_between(roads, metric, [0], [1], [5e-324]).changes.duration_cs == [INF - 1]
    # 50 m at 180/0.5 km/h take 50.25 hundredths: 500 + 50.25 is rounded down, + 50.5 up.
    for kmh, expected in ((18000 / 50.25, 550), (18000 / 50.5, 551)):
        assert speeds_between(roads, metric, [0], [1000], [kmh]).changes.duration_cs == [expected]


@pytest.mark.parametrize(
    "columns",
    [
        ([0], [1], [-1]),
        ([0], [1], [np.nan]),
        ([0], [1], [np.inf]),
        ([0], [1], ["fast"]),
        ([0, 1], [1], [50]),
        ([0.5], [1], [50]),
        (["0"], [1], [50]),
        ([0], [1], 50),
    ],
)
def test_impossible_speeds(columns: tuple[object, object, object]) -> None:
    roads, metric = bent_road()
    with pytest.raises(InvalidInput):
        speeds_between(roads, metric, *columns)  # type: ignore[arg-type]


@given(search_worlds(), seeds)
def test_speeds_of_ways(world: SearchWorld, seed: int) -> None:
    """All edges of a way, in one direction or both."""
    rng = np.random.default_rng(seed)
    way = rng.integers(0, 4, world.network.n_edges)
    network = replace(world.network, edge_way=freeze(way))
    metric, n = world.metric, int(rng.integers(0, 6))
    ways, kmh = rng.integers(0, 6, n), rng.choice([0, 3.6, 50], n)
    direction = rng.choice([BOTH, FORWARD, BACKWARD], n)
    outcome = speeds_of_ways(RoadIndex(network), metric, ways, kmh, direction)
    expected: dict[int, float] = {}
    for row in range(n):
        for arc in range(network.n_arcs):
            along = BACKWARD if arc % 2 else FORWARD
            if way[arc // 2] == ways[row] and direction[row] in (BOTH, along):
                expected[arc] = float(kmh[row])
    found = check_outcome(outcome, metric)
    assert outcome.n_unknown == sum(int(w) not in way for w in ways)
    assert outcome.n_closed == sum(metric.weight[arc] == INF for arc in expected)
    assert found.keys() == {arc for arc in expected if metric.weight[arc] < INF}
    for arc, weight in found.items():
        speed = Fraction(expected[arc])
        length = Fraction(float(network.edge_length_m[arc // 2]))
        assert agrees(weight, length * 360 / speed if speed else None)


@pytest.mark.parametrize(
    "columns", [([0], [5], [2]), ([0], [5], [0, 1]), ([0], [5, 6], 0), ([0], [-5], 0)]
)
def test_impossible_speeds_of_ways(columns: tuple[object, object, object]) -> None:
    roads, metric = bent_road()
    with pytest.raises(InvalidInput):
        speeds_of_ways(roads, metric, *columns)  # type: ignore[arg-type]


# --- areas


def lines_of(network: RoadNetwork) -> list[shapely.LineString]:
    """The shape of every edge in degrees."""
    degrees = np.column_stack([network.point_lon, network.point_lat]) / 1e7
    first = network.first_point.tolist()
    return [shapely.LineString(degrees[a:b]) for a, b in pairwise(first)]


def meets_odd_area(area: shapely.Polygon, line: shapely.LineString) -> bool:
    """Whether a line meets what an odd number of the sides of a polygon surrounds, or these."""
    x, y = map(Fraction, line.coords[0])
    n_left = 0
    for ring in (area.exterior, *area.interiors):
        corners = [(Fraction(a), Fraction(b)) for a, b in ring.coords]
        for (from_x, from_y), (to_x, to_y) in pairwise(corners):
            if (from_y > y) != (to_y > y):
                n_left += from_x + (to_x - from_x) * (y - from_y) / (to_y - from_y) < x
    return n_left % 2 == 1 or bool(line.intersects(area.boundary))


def check_area(network: RoadNetwork, metric: Metric, area: shapely.Geometry, given: object) -> int:
    """Exactly the open arcs of the roads that meet an area are closed; how many they are."""
    outcome = close_areas(RoadIndex(network), metric, [given])
    found = check_outcome(outcome, metric)
    meets = area.intersects if area.is_valid else partial(meets_odd_area, area)
    edges = [edge for edge, line in enumerate(lines_of(network)) if meets(line)]
    arcs = {2 * edge + side for edge in edges for side in (0, 1)}
    is_open = {arc for arc in arcs if metric.weight[arc] < INF}
    assert found == dict.fromkeys(is_open, INF)
    assert outcome.n_closed == len(arcs) - len(is_open)
    assert outcome.n_unknown == (not edges)
    return len(found)


@given(search_worlds(of=lattice_worlds(6)), seeds)
def test_areas(world: SearchWorld, seed: int) -> None:
    """Triangles and stars of any kind, some with a hole, some of invalid rings, some far away."""
    rng = np.random.default_rng(seed)
    corners = rng.integers(-1, 7, (int(rng.integers(3, 6)), 2)) * rng.choice([1e-4, 0.7e-4, 1e-2])
    rings = [corners]
    if rng.random() < 0.3:
        middle = corners.mean(axis=0)
        rings.append(middle + (corners - middle) * 0.4)
    area = shapely.Polygon(rings[0], rings[1:])
    check_area(world.network, world.metric, area, [ring.tolist() for ring in rings])
    check_area(world.network, world.metric, area, area)


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("closed", [False, True])
def test_a_ring_that_goes_around_several_times(times: int, closed: bool) -> None:
    """It is the ring that goes around once, as the border of an area and of a hole."""
    roads, metric = bent_road()[0], make_metric([5, 5])
    for start in range(4):
        outer, inner = (
            np.roll(shapely.box(*box).exterior.coords[:-1], start, axis=0).tolist()
            for box in ((-1, -1, 1, 1), (-1e-3, -1e-3, 1e-3, 1e-3))
        )
        rings = [(ring + ring[:1] * closed) * times for ring in (outer, inner)]
        assert len(close_areas(roads, metric, [rings[:1]]).changes) == 2
        assert len(close_areas(roads, metric, [rings]).changes) == 0
        assert len(close_areas(roads, metric, [rings[1:]]).changes) == 2
        assert len(close_areas(roads, metric, [shapely.Polygon(*rings[:1])]).changes) == 2


def test_areas_that_would_take_long() -> None:
    """Many long sides across many roads are refused at once, short ones and few are not."""
    n = 100
    links = [SmallEdge(i, i + 1, 0, 10.0, None) for i in range(n * n - 1)]
    places = [(i % n, i // n) for i in range(n * n)]
    network = build_small_network(links, places, [0] * len(places), [], [])
    roads, metric = RoadIndex(network), make_metric([5] * (2 * len(links)))
    (west, east), (south, north) = (
        (side.min() / 1e7, side.max() / 1e7) for side in (network.point_lon, network.point_lat)
    )
    x = west + (east - west) * np.linspace(0, 1e-3, 4000)
    zigzag = np.column_stack(
        [np.column_stack([x, (west + east) - x]).ravel(), [south, north] * 4000]
    )
    began = time.monotonic()
    with pytest.raises(InvalidInput, match="too many long sides"):
        close_areas(roads, metric, [[zigzag]])
    assert time.monotonic() - began < 1
    circle = shapely.Point((west + east) / 2, (south + north) / 2).buffer((east - west) / 3, 2000)
    assert len(circle.exterior.coords) > 4000
    assert len(close_areas(roads, metric, [circle] * 20).changes) > 1000
    with pytest.raises(InvalidInput, match="too many long sides"):
        close_areas(roads, metric, [[zigzag[:400]]] * 1000)


def test_a_road_around_an_area_stays_open() -> None:
    """That its box holds the area is not enough; nor that a hole holds the road."""
    roads, metric = bent_road()
    metric = make_metric([5, 5])
    beside = shapely.box(-1e-4, 1e-5, 3e-4, 1e-4)
    assert check_area(roads.network, metric, beside, beside) == 0
    hole = shapely.box(-1e-4, -1e-4, 3e-4, 1e-4).exterior.coords
    around = shapely.Polygon(shapely.box(-1, -1, 1, 1).exterior.coords, [hole])
    assert check_area(roads.network, metric, around, around) == 0
    assert check_area(roads.network, metric, shapely.box(-1, -1, 1, 1), shapely.box(-1, -1, 1, 1))
    touching = shapely.box(-1e-4, 0, 3e-4, 1e-4)
    assert check_area(roads.network, metric, touching, touching) == 2


def test_areas_at_the_antimeridian() -> None:
    """A road across the border of the map is short, and found from both of its sides."""
    network = build_small_network(
        [SmallEdge(0, 1, 0, 40.0, None)], [(0, 0), (1, 0)], [0, 0], [], []
    )
    lon = freeze(np.array([179_9990000 * 1, -179_9990000], np.int32))
    network = replace(network, point_lon=lon, node_lon=lon)
    roads, metric = RoadIndex(network), make_metric([5, 5])
    for west, east, n in ((179.9995, 180, 2), (-180, -179.9995, 2), (179, 179.9, 0), (-90, 90, 0)):
        area = shapely.box(west, -1, east, 1)
        assert len(close_areas(roads, metric, [area]).changes) == n
    outcome = close_areas(roads, metric, [shapely.box(0, 0, 1, 1), shapely.box(179, -1, 180, 1)])
    assert len(outcome.changes) == 2 and outcome.n_unknown == 1
    assert len(close_areas(roads, metric, []).changes) == 0


@pytest.mark.parametrize(
    "area",
    [
        [],
        [[]],
        [[[0, 0], [1, 1]]],
        [[[0, 0], [1, 1], [200, 0]]],
        [[[0, 0], [1, 1], [0, np.nan]]],
        [[[0, 0, 1], [1, 1, 1], [0, 1, 1]]],
        [[["a", 0], [1, 1], [0, 1]]],
        5,
        shapely.Polygon(),
        shapely.box(0, 0, 0, 91),
    ],
)
def test_impossible_areas(area: object) -> None:
    roads, metric = bent_road()
    with pytest.raises(InvalidInput, match="area 0"):
        close_areas(roads, metric, [area])


def test_areas_of_a_real_map(sample: Path) -> None:
    """Circles on a city."""
    car = get_profile("car")
    tables = read_osm(sample, tag_selection([car]), 1)
    verdicts = apply_profile(car, tables.way_tags, tables.node_tags, tables.relation_tags)
    network, _ = build_network(tables, [verdicts])
    metric = make_metric([5] * network.n_arcs)
    rng = np.random.default_rng(4)
    n_closed = 0
    for at in rng.integers(0, network.n_nodes, 6).tolist():
        place = shapely.Point(network.node_lon[at] / 1e7, network.node_lat[at] / 1e7)
        circle = place.buffer(float(rng.choice([1e-5, 1e-3, 1e-2])))
        n_closed += check_area(network, metric, circle, circle)
    assert n_closed > 100


# --- weightings


def vehicle_of(world: SearchWorld, seed: int) -> Vehicle:
    """A vehicle in a little world, its hierarchy in any order."""
    network, graph, metric = world
    _, _, hierarchy, customizer = prepare(world, seed)
    is_open = metric.open_arc
    components = build_components(graph, is_open, freeze(np.ones(len(is_open), np.bool_)))
    landmarks = build_landmarks(network, metric, components)
    weights = customizer.customize(metric, 1)
    roads = plain_road_use(len(network.way_class))
    parts = PreparedProfile(roads, graph, metric, components, landmarks, hierarchy, weights)
    return Vehicle(parts, network, build_snap_index(network))


def random_changes(rng: np.random.Generator, metric: Metric, cheaper: bool) -> RoadChanges:
    n = len(metric.weight)
    arcs = rng.permutation(n)[: int(rng.integers(0, n + 1))]
    factor = rng.choice([0.3, 0.9, 1, 2] if cheaper else [1, 1.2, 2, 9], len(arcs))
    closed = make_changes(arcs[rng.random(len(arcs)) < 0.2], INF)
    return combine_changes(scale_arcs(metric, arcs, factor).changes, closed)


def search(
    vehicle: Vehicle, reweighted: Reweighted, algorithm: str, ends: tuple[Place, Place]
) -> FoundPath:
    weighting, graph = reweighted.weighting, vehicle.prepared.turn_graph
    return vehicle.search(algorithm, weighting)(
        source_seeds(graph, weighting.metric, ends[:1]),
        target_seeds(graph, weighting.metric, ends[1:]),
    )


def equal_weights(one: Weights | None, other: Weights | None) -> bool:
    assert one is not None and other is not None
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@settings(max_examples=80)
@given(
    search_worlds() | search_worlds(max_weight=500, of=lattice_worlds(5)),
    seeds,
    st.booleans(),
    st.booleans(),
)
def test_all_ways_to_reweight(world: SearchWorld, seed: int, cheaper: bool, on_top: bool) -> None:
    """Customized wholly, in part, or not at all: the routes cost the same as Dijkstra's."""
    assume(world.network.n_arcs)
    vehicle, rng = vehicle_of(world, seed), np.random.default_rng(seed)
    metric, start = world.metric, vehicle.weighting
    if on_top:
        first = random_changes(rng, metric, cheaper)
        start = reweight(vehicle, first, MANY).weighting
    changes = random_changes(rng, start.metric, cheaper)
    expected = apply_changes(start.metric, changes)
    ways = {}
    with pytest.MonkeyPatch.context() as patch:
        for mends in (True, False):
            patch.setattr(reweighting, "mending_pays", lambda *_, m=mends, **__: m)
            ways[mends] = reweight(vehicle, changes, MANY, start)
            assert ways[mends].how == "customization"
    assert equal_weights(ways[True].weighting.weights, ways[False].weighting.weights)
    assert ways[True].weighting.weights is not None
    check_weights(ways[True].weighting.weights, vehicle.prepared.hierarchy)
    few = reweight(vehicle, changes, 1, start)
    unchanged = bool(
        (expected.weight == start.metric.weight).all()
        and (expected.duration_cs == start.metric.duration_cs).all()
    )
    by_astar = bounds_hold(world.metric, expected) and not unchanged
    # Where hardly any turn leads to another road, the hierarchy has next to nothing to customize.
    by_astar &= vehicle.prepared.hierarchy.n_arcs > world.network.n_arcs or few.how == "astar"
    assert few.how == ("astar" if by_astar else "customization")
    assert (few.weighting.weights is None) == by_astar
    for way in (*ways.values(), few):
        assert np.array_equal(way.weighting.metric.weight, expected.weight)
        assert np.array_equal(way.weighting.metric.duration_cs, expected.duration_cs)
        assert np.array_equal(way.weighting.seeding.weight, expected.weight)
    for _ in range(4):
        arc, other = (int(rng.integers(0, world.network.n_arcs)) for _ in range(2))
        ends = Place(arc, float(rng.random())), Place(other, float(rng.random()))
        costs = {search(vehicle, way, "hierarchy", ends).cost for way in (*ways.values(), few)}
        assert costs == {search(vehicle, few, "dijkstra", ends).cost}


def test_what_takes_less() -> None:
    """Few routes are searched for, many get the hierarchy; no change takes nothing."""
    network = build_small_network(
        [SmallEdge(i, i + 1, 1, 40.0, None) for i in range(40)],
        [(i, 0) for i in range(41)],
        [0] * 41,
        [],
        [],
    )
    vehicle = vehicle_of(road_world(network), 1)
    dearer, cheaper = make_changes([3, 4], 999), make_changes([3], 1)
    assert [reweight(vehicle, dearer, n).how for n in (1, 5000, MANY)] == [
        "astar",
        "customization",
        "customization",
    ]
    assert reweight(vehicle, cheaper).how == "customization"
    nothing = reweight(vehicle, no_changes())
    assert nothing.weighting is vehicle.weighting and nothing.how == "customization"
    alone = reweight(vehicle, dearer).weighting
    assert alone.weights is None
    assert reweight(vehicle, no_changes(), MANY, alone).weighting.weights is not None


def road_world(network: RoadNetwork) -> SearchWorld:
    """A network where every road is open and all turns are free."""
    from graphs import make_graph

    tail, head = (ends.tolist() for ends in arc_ends(network))
    arcs = range(network.n_arcs)
    turns = [(a, b, 0) for a in arcs for b in arcs if head[a] == tail[b]]
    return SearchWorld(network, make_graph(list(arcs), turns), make_metric([40] * len(arcs)))
