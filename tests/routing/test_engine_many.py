"""Routes, tables, areas and alternatives of one engine against each other and the slow search."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from engines import engine_of
from graphs import SmallEdge, build_small_network, lattice_worlds, worlds
from graphs import World as RandomWorld
from hypothesis import given, settings
from hypothesis import strategies as st
from world import PLAIN, World, spell

from gis.arrays import INF
from gis.dataset import Dataset
from gis.geodesy import metres_per_unit
from gis.manifest import About, Extract, Manifest
from gis.profiles.rules import Tags, Warn, WayRule
from gis.snap_index import build_snap_index
from routing.areas import around as areas
from routing.build import BuildReport, build_dataset, prepare_profiles
from routing.changes.reweight import MANY
from routing.changes.road_changes import make_changes
from routing.engine import Engine
from routing.errors import InvalidCoordinate, InvalidInput, NoRoute, NoSegment
from routing.graph.components import ARC_OPEN, ARC_STARTPOINT
from routing.many.batch import RouteStatus
from routing.route import Route
from routing.store import save_index, save_network, save_profile

Point = tuple[float, float]
NO_ROUTE = "no route"
NO_SEGMENT = "no segment"


def between(world: World, letters: str, part: float = 0.5) -> Point:
    """A place on the line between two letters."""
    (x, y), (to_x, to_y) = (world.position(letter) for letter in letters)
    return x + part * (to_x - x), y + part * (to_y - y)


TOWN = """
    a---b---c---d   s-t
    |   |   |   |   | |
    e---f---g---h   u-v
    |   |   |   |
    i---j---k---l   w-x-y
    |   |   |   |
    m---n---o---p     z
    """
STREETS = [
    f"{a}{b}"
    for row in ("abcd", "efgh", "ijkl", "mnop", "aeim", "bfjn", "cgko", "dhlp")
    for a, b in pairwise(row)
]
"""Of the main part; beside it there are a block, a one-way street and a lonely node."""


def _with_motorways(tags: Tags, warn: Warn) -> WayRule | None:
    rule = PLAIN.way(tags, warn)
    return rule and replace(rule, startpoint=tags["highway"] != "motorway")


PICKY = replace(PLAIN, way=_with_motorways)
"""As PLAIN, but nobody starts on a motorway."""


def town_ways(seed: int) -> dict[str, str]:
    """The streets and their tags: some one-way, slow, fast, closed, or motorways."""
    rng = np.random.default_rng(seed)
    tags = [*[""] * 6, "oneway=yes", "oneway=-1", "kmh=18", "kmh=90"]
    kinds = ["x", "x", "x", "x", "x", "x", "motorway", "closed"]
    found = {street: f"highway={rng.choice(kinds)} {rng.choice(tags)}" for street in STREETS}
    found |= dict.fromkeys(("st", "tv", "vu", "us"), "highway=x")
    return found | {"wx": "highway=x oneway=yes", "xy": "highway=x oneway=yes"}


def town_of(ways: dict[str, str], relations: str = "") -> World:
    return World(TOWN, "\n".join(f"{way} {tags}" for way, tags in ways.items()), "", relations)


@cache
def town(seed: int) -> tuple[World, Engine]:
    """A town with turns that are forbidden, by one street and by the way over another."""
    ways = town_ways(seed)
    rng = np.random.default_rng(seed)
    relations = []
    for via in rng.choice(list("fgjk"), 3, replace=False).tolist():
        meeting = [street for street in STREETS if via in street]
        one, other = rng.choice(meeting, 2, replace=False).tolist()
        relations.append(f"restriction=no_turn from:{one} via:{via} to:{other}")
    relations.append("restriction=no_turn from:ef via:fg to:gk")
    relations.append("restriction=only_straight_on from:jn via:fj to:bf")
    world = town_of(ways, "\n".join(relations))
    return world, engine_of(world, PICKY)


SPOTS = st.tuples(
    st.sampled_from([*STREETS, "st", "tv", "us", "wx", "xy", "zy"]),
    st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)),
    st.sampled_from([0.0, 0.0, 2e-4]),
)


def spot(world: World, place: tuple[str, float, float]) -> Point:
    """A place on or beside a street."""
    lon, lat = between(world, *place[:2])
    return lon + place[2], lat + place[2] / 3


def engine_over(world: RandomWorld) -> Engine:
    """The engine for a network and the verdicts of a vehicle."""
    network, verdicts = world
    report = BuildReport(Path("random.osm"), Path("random.whimbrel"), [])
    (prepared,) = prepare_profiles(network, [PLAIN], [verdicts], report)
    arrays = save_network(network) | save_index(build_snap_index(network))
    arrays |= save_profile("plain", prepared)
    about = About("test", Extract("random.osm", 0, ""), ("plain",), (0.0, 0.0, 0.0, 0.0), {})
    return Engine(Dataset(Path("random.whimbrel"), Manifest(about, ()), arrays))


def ask(engine: Engine, points: Sequence[Point], **options: Any) -> Route | str:
    """A route, or why there is none."""
    try:
        return engine.route(points, **options)
    except NoRoute:
        return NO_ROUTE
    except NoSegment:
        return NO_SEGMENT


def check_pair(engine: Engine, a: Point, b: Point, **options: Any) -> Route | str:
    """All ways to a route between two points agree, down to its legs."""
    found = ask(engine, [a, b], **options)
    detailed = ask(engine, [a, b], with_details=True, **options)
    slow = [ask(engine, [a, b], algorithm=name, **options) for name in ("dijkstra", "astar")]
    if isinstance(found, str):
        assert [detailed, *slow] == [found] * 3
        return found
    assert isinstance(detailed, Route)
    assert (detailed.duration_s, detailed.distance_m) == (found.duration_s, found.distance_m)
    assert found.waypoints == detailed.waypoints
    for other in slow:
        assert isinstance(other, Route)
        assert other.duration_s == found.duration_s
        assert other.distance_m >= found.distance_m, "the shortest of the fastest"
    for route in (found, detailed):
        check_totals(route)
    for one, other in zip(found.legs, detailed.legs, strict=True):
        assert np.array_equal(one.lon, other.lon) and np.array_equal(one.lat, other.lat)
        assert one.names == other.names
    return found


def check_totals(route: Route) -> None:
    """The totals are the sums of the legs, and each leg joins its waypoints."""
    assert route.duration_s == round(sum(leg.duration_s for leg in route.legs), 2)
    assert route.distance_m == pytest.approx(sum(leg.distance_m for leg in route.legs), abs=1e-6)
    assert len(route.waypoints) == len(route.legs) + 1
    for leg, (start, end) in zip(route.legs, pairwise(route.waypoints), strict=True):
        assert (leg.lon[0], leg.lat[0]) == (start.lon, start.lat)
        assert (leg.lon[-1], leg.lat[-1]) == (end.lon, end.lat)
        pieces = leg.annotation
        assert len(pieces.duration_s) == len(pieces.distance_m) == len(leg.lon) - 1
        assert pieces.duration_s.sum() <= leg.duration_s + 1e-6, "turns cost more"


def check_table(engine: Engine, found: dict[tuple[int, int], Route | str], points: Any) -> None:
    """A table between all points has the routes of each pair, and so has a list of pairs."""
    n = len(points)
    table = engine.table(points, distances=True, threads=1)
    assert table.distance_m is not None
    pairs = list(product(range(n), range(n)))
    starts, ends = np.reshape([(points[i], points[j]) for i, j in pairs], (-1, 2, 2)).swapaxes(0, 1)
    routes = engine.routes(starts, ends)
    for row, (i, j) in enumerate(pairs):
        route = found[i, j]
        cells = table.duration_s[i, j], table.distance_m[i, j]
        listed = routes.duration_s[row], routes.distance_m[row]
        if isinstance(route, str):
            assert np.isnan(cells).all() and np.isnan(listed).all()
            assert routes.status[row] == RouteStatus.NO_ROUTE
        else:
            assert cells == listed == (route.duration_s, route.distance_m), (i, j)
            assert routes.status[row] == RouteStatus.OK


# Routes between two points


def test_towns_have_everything() -> None:
    """Memory of restrictions, small components, one-ways and roads where nobody starts."""
    memories = motorways = 0
    for seed in range(8):
        _, engine = town(seed)
        prepared = engine._vehicles["plain"].prepared
        memories += prepared.turn_graph.n_vertices - len(prepared.metric.weight)
        assert len(np.unique(prepared.components.arc_component)) > 3
        is_open = prepared.metric.weight.reshape(-1, 2) < INF
        assert (is_open.sum(axis=1) == 1).any()
        flags = prepared.components.arc_flags & (ARC_OPEN | ARC_STARTPOINT)
        motorways += int((flags == ARC_OPEN).sum())
    assert memories >= 8 and motorways >= 8


@given(st.integers(0, 7), st.lists(SPOTS, min_size=2, max_size=5))
def test_every_way_to_a_route_in_a_town(seed: int, places: list[tuple[str, float, float]]) -> None:
    """With islands, one-ways, restrictions: routes, details, searches, tables, lists agree."""
    world, engine = town(seed)
    points = [spot(world, place) for place in places]
    found = {
        (i, j): check_pair(engine, points[i], points[j])
        for i, j in product(range(len(points)), repeat=2)
    }
    check_table(engine, found, points)
    for i, point in enumerate(points):
        same = found[i, i]
        assert isinstance(same, Route) and same.duration_s == same.distance_m == 0
        assert len(same.legs[0].lon) == 2, point


@pytest.mark.compiled
@settings(max_examples=40)
@given(st.one_of(worlds(n_edges=(1, 10)), lattice_worlds(6)), st.integers(0, 2**32 - 1))
def test_every_way_to_a_route_in_random_worlds(world: RandomWorld, seed: int) -> None:
    """The same where loops, parallel roads, roads without length and memory vertices are."""
    if not (world.verdicts.forward_kmh[world.network.edge_tagset] > 0).any():
        return
    engine = engine_over(world)
    rng = np.random.default_rng(seed)
    at = rng.integers(0, len(world.network.point_lon), 4)
    jitter = rng.choice([0, 0, 1, 300, 500], (4, 2))
    places = np.stack([world.network.point_lon[at], world.network.point_lat[at]], 1) + jitter
    points = [(lon / 1e7, lat / 1e7) for lon, lat in places.tolist()]
    try:
        found = {
            (i, j): check_pair(engine, points[i], points[j]) for i in range(4) for j in range(4)
        }
    except NoSegment:
        return
    if NO_SEGMENT not in found.values():
        check_table(engine, found, points)


@given(
    st.integers(0, 7),
    st.tuples(SPOTS, SPOTS),
    st.tuples(*[st.sampled_from([None, 0.0, 5.0, 150.0])] * 2),
    st.tuples(*[st.sampled_from([None, (0, 30), (90, 60), (270, 90), (180, 180)])] * 2),
    st.sampled_from(["default", "any"]),
)
def test_limits_of_points(
    seed: int,
    places: Any,
    radiuses: tuple[float | None, float | None],
    bearings: tuple[tuple[int, int] | None, tuple[int, int] | None],
    snapping: str,
) -> None:
    """Radiuses, bearings and snapping mean the same to all ways to a route, and to a table."""
    world, engine = town(seed)
    a, b = (spot(world, place) for place in places)
    options = {"radiuses": radiuses, "bearings": bearings, "snapping": snapping}
    route = check_pair(engine, a, b, **options)
    try:
        table = engine.table(
            [a],
            [b],
            distances=True,
            radiuses=radiuses[:1],
            destination_radiuses=radiuses[1:],
            bearings=bearings[:1],
            destination_bearings=bearings[1:],
            snapping=snapping,
        )
    except NoSegment:
        assert route == NO_SEGMENT
        return
    assert route != NO_SEGMENT and table.distance_m is not None
    if isinstance(route, Route):
        cell = table.duration_s[0, 0], table.distance_m[0, 0]
        assert cell == (route.duration_s, route.distance_m)
    else:
        assert np.isnan(table.duration_s[0, 0])
    if radiuses[0] == radiuses[1] and bearings == (None, None):
        one = engine.routes([a], [b], radius_m=radiuses[0], snapping=snapping)
        expected = RouteStatus.NO_ROUTE if route == NO_ROUTE else RouteStatus.OK
        assert one.status.tolist() == [expected]


LINE = World("a---b---c---d", "abcd highway=x name=Long")
ONE_WAY = World(
    "a---b\n|   |\nc---d", "ab highway=x oneway=yes\nac highway=x\nbd highway=x\ncd highway=x"
)


def test_places_on_one_road() -> None:
    """Ahead on a road a route stays on it; behind on a one-way street it goes round the block."""
    engine = engine_of(LINE)
    for a, b in ((0.2, 0.7), (0.7, 0.2)):
        route = check_pair(engine, between(LINE, "ab", a), between(LINE, "ab", b))
        assert isinstance(route, Route) and route.duration_s == pytest.approx(20, abs=0.02)
        assert route.distance_m == pytest.approx(200, abs=0.1)
        assert route.legs[0].annotation.distance_m.sum() == pytest.approx(200, abs=0.1)
        assert route.legs[0].annotation.duration_s.sum() == pytest.approx(route.duration_s)
    block = engine_of(ONE_WAY)
    behind = check_pair(block, between(ONE_WAY, "ab", 0.75), between(ONE_WAY, "ab", 0.25))
    assert isinstance(behind, Route) and behind.duration_s == pytest.approx(100, abs=0.1)
    assert spell(behind.legs[0].annotation.nodes) == "abdcab"
    table = block.table([between(ONE_WAY, "ab", part) for part in (0.25, 0.75)])
    assert table.duration_s == pytest.approx(np.array([[0, 20], [100, 0]]), abs=0.1)


def test_no_road_within_the_radius_names_the_coordinate() -> None:
    """The first point without a road is the one that is named, whoever is asked."""
    engine = engine_of(LINE)
    near, far = between(LINE, "ab"), (LINE.position("a")[0] - 0.5, 60.2)
    for points, number in (([far, near], 0), ([near, far], 1), ([far, far], 0)):
        for options in ({}, {"with_details": True}, {"algorithm": "astar"}):
            with pytest.raises(NoSegment, match=rf"for coordinate {number}$"):
                engine.route(points, radiuses=[10, 10], **options)  # type: ignore[arg-type]
        with pytest.raises(NoSegment, match=rf"for coordinate {number}$"):
            engine.alternatives(points, radiuses=[10, 10])
        with pytest.raises(NoSegment, match=rf"for coordinate {number}$"):
            engine.table(points[:1], points[1:], radiuses=[10], destination_radiuses=[10])


def test_many_roads_around_a_junction() -> None:
    """A point where a dozen roads end that each lead to a hundred others is a point like any."""
    n_spokes, n_leaves = 12, 100
    edges, place = [], [(0, 0)]
    for spoke in range(n_spokes):
        hub = len(place)
        place.append((20 * (spoke + 1), spoke))
        edges.append(SmallEdge(0, hub, 0, 50.0, None))
        for leaf in range(n_leaves):
            edges.append(SmallEdge(hub, len(place), 0, 10.0, None))
            place.append((20 * (spoke + 1), 20 + leaf))
    network = build_small_network(edges, place, [0] * len(place), [], [])
    world = World("ab", "ab highway=x")
    (verdicts,) = world.verdicts()
    verdicts = replace(
        verdicts,
        **{
            name: np.repeat(getattr(verdicts, name)[-1:], 5)
            for name in (
                *("forward_kmh", "backward_kmh", "forward_preference", "backward_preference"),
                *("duration_s", "way_flags"),
            )
        },
        **{
            name: np.repeat(getattr(verdicts, name)[:1], 4)
            for name in ("node_blocked", "node_forward_s", "node_backward_s")
        },
    )
    engine = engine_over(RandomWorld(network, verdicts))
    centre, leaf_place = (0.0, 0.0), (20e3 / 1e7, 100e3 / 1e7)
    slow = engine.route([centre, leaf_place], algorithm="dijkstra")
    assert engine.route([centre, leaf_place]).duration_s == slow.duration_s
    assert engine.table([centre], [leaf_place]).duration_s[0, 0] == slow.duration_s


# Lists of pairs


def test_routes_of_pairs() -> None:
    """Every pair has its row, in order, with what is wrong with it; threads change nothing."""
    world, engine = town(0)
    rng = np.random.default_rng(5)
    west, north = world.position("a")
    east, south = world.position("y")
    points = rng.random((60, 2)) * (east - west, south - north) + (west, north)
    starts, ends = points[:30].copy(), points[30:].copy()
    bad = [(np.nan, 60.2), (24.9, np.inf), (-np.inf, 0), (180.5, 0), (0, -90.01)]
    starts[3:8] = bad
    ends[6:11] = bad[::-1]
    found = engine.routes(starts, ends)
    assert len(found) == 30
    assert found.duration_s.shape == found.distance_m.shape == found.status.shape == (30,)
    assert found.status.dtype == np.uint8 and not found.duration_s.flags.writeable
    assert (found.status[3:11] == RouteStatus.INVALID).all()
    assert np.isnan(found.duration_s[3:11]).all() and np.isnan(found.distance_m[3:11]).all()
    others = [i for i in range(30) if not 3 <= i < 11]
    for i in others:
        route = ask(engine, [tuple(starts[i]), tuple(ends[i])])
        if isinstance(route, Route):
            assert found.status[i] == RouteStatus.OK
            assert found.duration_s[i] == route.duration_s
            assert found.distance_m[i] == route.distance_m
        else:
            assert found.status[i] == RouteStatus.NO_ROUTE
    assert (found.status[others] == RouteStatus.OK).sum() > 10
    for threads in (2, 3, 50):
        again = engine.routes(starts, ends, threads=threads)
        assert np.array_equal(again.status, found.status)
        assert np.array_equal(again.duration_s, found.duration_s, equal_nan=True)
        assert np.array_equal(again.distance_m, found.distance_m, equal_nan=True)


def test_routes_that_are_not_there() -> None:
    """No way, no road within the radius, and no place on the globe, in this order of weight."""
    world, engine = town(0)
    on_island, main = between(world, "tv"), world.position("f")
    far = (main[0] - 1, main[1])
    found = engine.routes(
        [on_island, main, far, main, far, (np.nan, 0)],
        [main, on_island, main, far, (0, 100), far],
        radius_m=30,
    )
    wanted = [RouteStatus.NO_ROUTE] * 2 + [RouteStatus.NO_SEGMENT] * 2 + [RouteStatus.INVALID] * 2
    assert found.status.tolist() == wanted
    assert np.isnan(found.duration_s).all() and np.isnan(found.distance_m).all()


def test_no_pairs() -> None:
    """Nothing is asked, nothing is answered."""
    _, engine = town(0)
    for nothing in ([], np.empty((0, 2)), ()):
        for threads in (1, 3):
            found = engine.routes(nothing, nothing, threads=threads)
            assert len(found) == 0 and found.duration_s.dtype == np.float64


@pytest.mark.parametrize(
    ("origins", "destinations", "message"),
    [
        ([[1, 2, 3]], [[1, 2]], r"origins have the shape \(1, 3\), expected \(n, 2\)"),
        ([[1, 2]], [1, 2], r"destinations have the shape \(2,\), expected \(n, 2\)"),
        ([[1, 2]], [[1, 2], [3, 4]], "there are 1 origins and 2 destinations"),
        ([[1, 2]], [], "there are 1 origins and 0 destinations"),
        ([["a", 2]], [[1, 2]], "origins are not numbers"),
        ([[1, 2], [3]], [[1, 2]], "origins are not numbers"),
        (None, [[1, 2]], r"origins have the shape \(\), expected"),
        (np.zeros((1, 2, 2)), [[1, 2]], r"origins have the shape \(1, 2, 2\)"),
    ],
)
def test_arrays_of_other_shapes(origins: Any, destinations: Any, message: str) -> None:
    """What is no list of points is told in one line."""
    _, engine = town(0)
    with pytest.raises(InvalidInput, match=message) as caught:
        engine.routes(origins, destinations)
    assert "\n" not in str(caught.value)


def test_senseless_options_for_many() -> None:
    """Options that make no sense are InvalidInput for lists, tables, areas and alternatives."""
    world, engine = town(0)
    a, b = world.position("f"), world.position("k")
    for radius in (-1.0, float("nan")):
        with pytest.raises(InvalidInput, match="radius"):
            engine.routes([a], [b], radius_m=radius)
        with pytest.raises(InvalidInput, match="radius"):
            engine.table([a], [b], radiuses=[radius])
        with pytest.raises(InvalidInput, match="radius"):
            engine.isochrone(*a, durations_s=[1], radius_m=radius)
    calls: list[Callable[..., Any]] = [
        lambda **more: engine.routes([a], [b], **more),
        lambda **more: engine.table([a], [b], **more),
        lambda **more: engine.isochrone(*a, durations_s=[1], **more),
        lambda **more: engine.alternatives([a, b], **more),
    ]
    for call in calls:
        with pytest.raises(InvalidInput, match="no snapping 'some'"):
            call(snapping="some")
        with pytest.raises(InvalidInput, match="no profile 'boat'"):
            call(profile="boat")
    with pytest.raises(InvalidInput, match="number is -1"):
        engine.alternatives([a, b], -1)
    for few in ([], [a]):
        with pytest.raises(InvalidInput, match="at least two"):
            engine.alternatives(few)


@pytest.mark.parametrize("threads", [0, -1])
def test_senseless_numbers_of_threads(threads: int) -> None:
    """No threads cannot work."""
    world, engine = town(0)
    a, b = world.position("f"), world.position("k")
    with pytest.raises(InvalidInput, match="threads"):
        engine.routes([a], [b], threads=threads)
    with pytest.raises(InvalidInput, match="threads"):
        engine.table([a], [b], threads=threads)


# Tables


def test_table_shapes_and_waypoints() -> None:
    """Sources down, destinations across; without destinations the sources are both."""
    world, engine = town(2)
    points = [world.position(letter) for letter in "fgjs"]
    wide = engine.table(points[:1], points, distances=True)
    assert wide.duration_cs.shape == (1, 4) and wide.duration_cs.dtype == np.uint32
    assert wide.length_cm is not None and wide.length_cm.shape == (1, 4)
    assert len(wide.sources) == 1 and len(wide.destinations) == 4
    tall = engine.table(np.array(points), points[:1])
    assert tall.duration_s.shape == (4, 1) and tall.length_cm is tall.distance_m is None
    square = engine.table(points)
    assert square.sources == square.destinations and len(square.sources) == 4
    assert np.array_equal(square.duration_cs[0], wide.duration_cs[0])
    assert np.array_equal(square.duration_cs[:, :1], tall.duration_cs)
    for array in (square.duration_cs, square.duration_s):
        assert not array.flags.writeable
    with pytest.raises(InvalidInput, match="limits for destinations, but no destinations"):
        engine.table(points, destination_radiuses=[1.0] * 4)
    both = engine.table(points, points)
    assert np.array_equal(both.duration_cs, square.duration_cs)
    assert [w.lon for w in square.sources[:3]] == pytest.approx([p[0] for p in points[:3]])
    for n, m in ((0, 3), (3, 0), (0, 0)):
        empty = engine.table(points[:n], points[:m], distances=True)
        assert empty.duration_s.shape == (n, m)
        assert empty.distance_m is not None and empty.distance_m.shape == (n, m)
        assert (len(empty.sources), len(empty.destinations)) == (n, m)
    assert engine.table([]).duration_s.shape == (0, 0)


def test_table_for_any_number_of_threads() -> None:
    """Threads change nothing."""
    world, engine = town(3)
    points = [world.position(letter) for letter in "abcdefghijklmnopstuvwxy"]
    one = engine.table(points, distances=True, threads=1)
    for threads in (None, 2, 7):
        many = engine.table(points, distances=True, threads=threads)
        assert np.array_equal(one.duration_cs, many.duration_cs)
        assert one.distance_m is not None and many.distance_m is not None
        assert np.array_equal(one.distance_m, many.distance_m, equal_nan=True)


def test_table_counts_destinations_after_sources() -> None:
    """Whatever is wrong with a point is said of its number in both lists together."""
    world, engine = town(0)
    near = world.position("f")
    far, off = (near[0] - 1, near[1]), (200.0, 0.0)
    for sources, destinations, number in (([near, far], [far], 1), ([near, near], [near, far], 3)):
        n, m = len(sources), len(destinations)
        with pytest.raises(NoSegment, match=rf"for coordinate {number}$"):
            engine.table(sources, destinations, radiuses=[99] * n, destination_radiuses=[99] * m)
    with pytest.raises(InvalidCoordinate, match="coordinate 0 is not on the globe"):
        engine.table([off], [near, off])
    with pytest.raises(InvalidCoordinate, match="coordinate 2 is not on the globe"):
        engine.table([near], [near, (float("nan"), 0)])


def test_table_limits_of_wrong_lengths() -> None:
    """Limits are one for each point of their side."""
    world, engine = town(0)
    a, b = world.position("f"), world.position("k")
    for options in (
        {"radiuses": [1]},
        {"bearings": [None] * 3},
        {"destination_radiuses": [1, 2]},
        {"destination_bearings": [(0, 10)] * 2},
        {"radiuses": []},
        {"destination_bearings": []},
    ):
        with pytest.raises(InvalidInput, match=r"Number of elements in \w+ size"):
            engine.table([a, b], [b], **options)  # type: ignore[arg-type]


def test_table_bearings() -> None:
    """Bearings count for their own side."""
    engine = engine_of(LINE)
    a, b = between(LINE, "ab"), between(LINE, "cd")
    plain = engine.table([a], [b]).duration_s[0, 0]
    assert plain == pytest.approx(80, abs=0.1)
    back_first = engine.table([a], [b], bearings=[(270, 20)]).duration_s[0, 0]
    assert back_first == pytest.approx(80 + 2 * 20, abs=0.1)
    from_beyond = engine.table([a], [b], destination_bearings=[(270, 20)]).duration_s[0, 0]
    assert from_beyond == pytest.approx(80 + 2 * 20, abs=0.1)


# Areas


def sampled(world: World, ways: Sequence[str]) -> list[Point]:
    """Places all along some streets, but not on junctions."""
    return [between(world, way, part) for way in ways for part in np.linspace(0.03, 0.97, 9)]


def check_lines(
    engine: Engine, origin: Point, samples: list[Point], limit: float, reverse: bool = False
) -> int:
    """Lines hold the samples that are reached within the limit; how many these are."""
    area = engine.isochrone(*origin, durations_s=[limit], reverse=reverse, lines=True)
    (lines,) = area.shapes
    scale = np.array(metres_per_unit(round(origin[1] * 1e7))) * 1e7
    roads = shapely.union_all([shapely.linestrings(line * scale) for line in lines])
    n_within = 0
    for sample in samples:
        route = ask(engine, [sample, origin] if reverse else [origin, sample])
        apart = shapely.distance(roads, shapely.Point(np.array(sample) * scale)) if lines else 1e9
        duration = route.duration_s if isinstance(route, Route) else np.inf
        if duration < limit - 0.1:
            n_within += 1
            assert apart < 0.1, (sample, duration)
        elif duration > limit + 0.1:
            assert apart > 0.2, (sample, duration)
    return n_within


def own_places(world: World, engine: Engine) -> list[Point]:
    """The samples that stand where they are, on streets joined to the rest."""
    found = []
    for place in sampled(world, STREETS):
        route = ask(engine, [place, world.position("f")])
        if isinstance(route, Route) and route.waypoints[0].distance_m < 0.05:
            found.append(place)
    return found


@cache
def kept_places(seed: int) -> list[Point]:
    return own_places(*town(seed))


@settings(max_examples=25)
@given(
    st.integers(0, 4),
    st.integers(0, 10**6),
    st.sampled_from([0.5, 15.0, 47.0, 90.0, 200.0, 10_000.0]),
    st.booleans(),
    st.booleans(),
)
def test_areas_are_what_routes_reach(
    seed: int, number: int, limit: float, reverse: bool, by_sweep: bool
) -> None:
    """A place lies on a line if and only if the route there, or back, is within the limit."""
    _, engine = town(seed)
    places = kept_places(seed)
    origin = places[number % len(places)]
    kept = areas.SWEEP_FROM
    areas.SWEEP_FROM = 0.0 if by_sweep else 2.0
    try:
        n_within = check_lines(engine, origin, places[:: 2 + number % 3], limit, reverse)
    finally:
        areas.SWEEP_FROM = kept
    if limit == 10_000:
        assert n_within > 0


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("limits", [{"durations_s": [30, 90.5]}, {"distances_m": [250, 900.5]}])
@pytest.mark.parametrize("lines", [False, True])
def test_both_searches_find_the_same_area(
    reverse: bool, limits: Any, lines: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that ends at the limit and a sweep over everything: the same shapes."""
    for seed in range(4):
        world, engine = town(seed)
        found = []
        for part in (2.0, 0.0):
            monkeypatch.setattr(areas, "SWEEP_FROM", part)
            origin = between(world, "fg", 0.3)
            area = engine.isochrone(*origin, reverse=reverse, lines=lines, **limits)
            rings = [
                sorted(np.asarray(ring).tolist() for ring in (shape if lines is False else [shape]))
                for shapes in area.shapes
                for shape in shapes
            ]
            found.append(sorted(rings))
        assert found[0] == found[1] and found[0]


@pytest.mark.compiled
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "limits", [{"durations_s": [60, 20, 40]}, {"distances_m": [600, 200, 400]}]
)
def test_areas_are_valid_and_nested(reverse: bool, limits: Any) -> None:
    """Polygons are valid, hold their lines' middle, and larger limits hold the smaller ones."""
    for seed in range(3):
        world, engine = town(seed)
        origin = between(world, "fg", 0.4)
        area = engine.isochrone(*origin, reverse=reverse, **limits)
        assert list(area.limits) == next(iter(limits.values()))
        large, small, middle = (
            shapely.union_all([shapely.Polygon(p[0], p[1:]) for p in polygons])
            for polygons in area.shapes
        )
        for polygons in area.shapes:
            for shell, *holes in polygons:
                assert shapely.is_valid(shapely.Polygon(shell, holes))
        assert small.area < middle.area < large.area
        assert shapely.difference(small, middle).area < 1e-12
        assert shapely.difference(middle, large).area < 1e-12
        assert shapely.distance(small, shapely.Point(area.waypoint.lon, area.waypoint.lat)) < 1e-4


def test_areas_by_distance() -> None:
    """A distance counts metres, however slow the road and however dear the turns."""
    slow = World("a---b---c", "abc highway=x kmh=3.6")
    engine = engine_of(slow, replace(PLAIN, turn=lambda _a, _u, _j: 100.0))
    area = engine.isochrone(*slow.position("b"), distances_m=[100, 300, 5000], lines=True)
    lengths = [
        sum(shapely.length(shapely.linestrings(line * (55_660, 111_400))) for line in lines)
        for lines in area.shapes
    ]
    assert lengths == pytest.approx([200, 600, 800], rel=0.01)


def test_isolated_origins() -> None:
    """From a dead end of its own only that is reached; an island counts as the mainland."""
    world, engine = town(0)
    on_island = between(world, "tv")
    area = engine.isochrone(*on_island, durations_s=[10], lines=True)
    assert area.waypoint.lon < world.position("s")[0] - 1e-4, "stands for the mainland"
    exactly = engine.isochrone(*on_island, durations_s=[10_000], lines=True, radius_m=5)
    (lines,) = exactly.shapes
    assert lines and min(line[:, 0].min() for line in lines) >= world.position("s")[0] - 1e-6
    with pytest.raises(NoSegment, match=r"for coordinate 0$"):
        engine.isochrone(on_island[0] + 1, on_island[1], durations_s=[10], radius_m=10)
    (none,) = engine.isochrone(*between(world, "fg"), durations_s=[0], lines=True).shapes
    assert all(np.ptp(line, axis=0).max() < 1e-6 for line in none)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either durations or distances"),
        ({"durations_s": [1], "distances_m": [1]}, "either durations or distances"),
        ({"durations_s": []}, "there are no limits"),
        ({"distances_m": []}, "there are no limits"),
        ({"durations_s": [1, -1]}, "limit -1.0, expected 0 to 10000000"),
        ({"durations_s": [float("nan")]}, "limit nan"),
        ({"distances_m": [float("inf")]}, "limit inf"),
        ({"distances_m": [1e7 + 1]}, "limit 10000001.0"),
    ],
)
def test_senseless_limits(options: Any, message: str) -> None:
    """What is no limit is told in one line."""
    engine = engine_of(LINE)
    with pytest.raises(InvalidInput, match=message):
        engine.isochrone(*LINE.position("a"), **options)


def test_limits_as_arrays() -> None:
    """Limits may be any sequence of numbers."""
    engine = engine_of(LINE)
    place = LINE.position("b")
    for name in ("durations_s", "distances_m"):
        wanted = engine.isochrone(*place, lines=True, **{name: [10.0, 20.0]})
        found = engine.isochrone(*place, lines=True, **{name: np.array([10.0, 20.0])})
        assert [len(lines) for lines in found.shapes] == [len(lines) for lines in wanted.shapes]


# Alternatives


LADDER = World(
    """
          b---c---d
         /         \\
    w---a           e---y---z
         \\         /
          f---g---h
          |       |
          i---j---k
    """,
    """
    wa highway=x name=Head
    ab highway=x name=North
    bcd highway=x name=North
    de highway=x name=North
    af highway=x name=South
    fgh highway=x name=South kmh=34
    he highway=x name=South
    fi highway=x
    ijk highway=x name=Far kmh=30
    kh highway=x
    eyz highway=x name=Tail
    """,
)


def test_alternatives_of_two_junctions() -> None:
    """The same way from another of the roads at a junction is no alternative."""
    engine = engine_of(LADDER)
    points = [LADDER.position("a"), LADDER.position("e")]
    assert check_alternatives(engine, points, engine.alternatives(points, 3)) == 1


def test_alternatives_of_two_points() -> None:
    """First the route, then another way round that costs a little more."""
    engine = engine_of(LADDER)
    points = [between(LADDER, "wa", 0.9), between(LADDER, "ey", 0.1)]
    found = engine.alternatives(points, 3)
    assert check_alternatives(engine, points, found) == 1
    assert found[0].legs[0].names == ("Head", "North", "Tail")
    assert found[1].legs[0].names == ("Head", "South", "Tail")
    assert len(engine.alternatives(points)) == 2, "one by default"
    for route in found:
        assert route.legs[0].annotation.duration_s.sum() == pytest.approx(route.duration_s)
    more = [engine.route([*points[:1], LADDER.position(letter), *points[1:]]) for letter in "cg"]
    assert [r.duration_s for r in found] == pytest.approx([r.duration_s for r in more], abs=0.02)


def check_alternatives(engine: Engine, points: Any, found: list[Route], **options: Any) -> int:
    """The first is the route, the others are other ones, slower by a quarter at most."""
    best = engine.route(points, **options)
    first, *others = found
    assert first.duration_s == best.duration_s
    assert first.distance_m == pytest.approx(best.distance_m, abs=0.05), "but for ties"
    ways = [tuple(tuple(leg.annotation.nodes.tolist()) for leg in route.legs) for route in found]
    assert len(set(ways)) == len(ways)
    for route in found:
        check_totals(route)
        assert len(route.legs) == len(best.legs)
    costs = [route.duration_s for route in others]
    assert costs == sorted(costs)
    for cost in costs:
        assert best.duration_s <= cost <= 1.25 * best.duration_s + 0.01
    return len(others)


def test_alternatives_over_vias() -> None:
    """Over several points one stretch is another way, the rest as before."""
    engine = engine_of(LADDER)
    points = [between(LADDER, "wa"), between(LADDER, "ey", 0.2), between(LADDER, "yz", 0.5)]
    found = engine.alternatives(points, 5)
    assert check_alternatives(engine, points, found) == 1
    assert "South" in found[1].legs[0].names and len(found[1].legs) == 2
    assert found[1].legs[1].duration_s == found[0].legs[1].duration_s
    silent = engine.alternatives(points, 1, waypoints=[0, 2])
    assert [len(route.legs) for route in silent] == [1, 1]
    assert [r.duration_s for r in silent] == [r.duration_s for r in found[:2]]


def test_no_alternatives() -> None:
    """None where none is asked for or there is none; what raises for a route raises here."""
    engine = engine_of(LADDER)
    points = [LADDER.position("a"), LADDER.position("e")]
    assert len(engine.alternatives(points, 0)) == 1
    tail = [between(LADDER, "ey"), between(LADDER, "yz")]
    assert len(engine.alternatives(tail, 5)) == 1
    same_road = [between(LADDER, "yz", 0.2), between(LADDER, "yz", 0.8)]
    assert len(engine.alternatives(same_road, 5)) == 1
    world, island_engine = town(0)
    apart = [between(world, "tv"), world.position("f")]
    with pytest.raises(NoRoute, match=r"^Impossible route between points$"):
        island_engine.route(apart, radiuses=[5, 5])
    with pytest.raises(NoRoute, match=r"^Impossible route between points$"):
        island_engine.alternatives(apart, radiuses=[5, 5])


def test_the_shortest_stay() -> None:
    """Where two roads are as near, and as fast, the best alternative is the very route."""
    world, engine = town(2)
    points = [world.position("e"), between(world, "ab")]
    best, first = engine.route(points), engine.alternatives(points, 0)[0]
    assert (first.duration_s, first.distance_m) == (best.duration_s, best.distance_m)
    assert first.waypoints == best.waypoints


@given(st.integers(0, 7), st.lists(SPOTS, min_size=2, max_size=3), st.integers(0, 4))
def test_alternatives_in_a_town(
    seed: int, places: list[tuple[str, float, float]], number: int
) -> None:
    """Alternatives between any places, where there is a route."""
    world, engine = town(seed)
    points = [spot(world, place) for place in places]
    route = ask(engine, points)
    if isinstance(route, str):
        with pytest.raises(NoRoute):
            engine.alternatives(points, number)
        return
    assert check_alternatives(engine, points, engine.alternatives(points, number)) <= number


# Weights of a request's own


SQUARE = World(
    """
    a---b---c
    |   |   |
    d---e---f
    |   |   |
    g---h---i
    """,
    "\n".join(
        f"{a}{b} highway=x"
        for row in ("abc", "def", "ghi", "adg", "beh", "cfi")
        for a, b in pairwise(row)
    ),
)
CORNERS = [SQUARE.position(letter) for letter in "aceghi"]
HOWS = {"astar": 1, "customization": MANY}


def square_with(changes: dict[str, str]) -> Engine:
    """The square as it would be drawn with some other ways."""
    lines = [f"{way.letters} {changes.get(way.letters, 'highway=x')}" for way in SQUARE.ways]
    drawing = "a---b---c\n|   |   |\nd---e---f\n|   |   |\ng---h---i"
    return engine_of(World(drawing, "\n".join(lines)))


def durations(engine: Engine, algorithm: str) -> list[float]:
    return [engine.route([a, b], algorithm=algorithm).duration_s for a in CORNERS for b in CORNERS]


def check_view(view: Engine, expected: Engine, how: str) -> None:
    """A view answers everything as an engine over the drawn changes does."""
    assert view.method() == how
    wanted = durations(expected, "dijkstra")
    for algorithm in ("hierarchy", "dijkstra", "astar"):
        assert durations(view, algorithm) == pytest.approx(wanted, abs=0.05), algorithm
    table = view.table(CORNERS, distances=True)
    assert table.duration_s.ravel() == pytest.approx(np.array(wanted), abs=0.05)
    starts, ends = (np.array(side) for side in zip(*product(CORNERS, CORNERS), strict=True))
    assert view.routes(starts, ends).duration_s == pytest.approx(np.array(wanted), abs=0.05)
    for a, b in product(CORNERS, CORNERS):
        found = view.alternatives([a, b], 2)
        best = expected.alternatives([a, b], 0)[0]
        assert found[0].duration_s == pytest.approx(best.duration_s, abs=0.05)


@pytest.mark.parametrize("how", HOWS)
def test_weights_by_way(how: str) -> None:
    """A way of another speed, or closed, is as if it were drawn so."""
    engine = engine_of(SQUARE)
    before = durations(engine, "hierarchy")
    view = engine.with_weights(
        way_speeds={SQUARE.way_id("de"): 9, SQUARE.way_id("bc"): 0}, n_routes=HOWS[how]
    )
    check_view(view, square_with({"de": "highway=x kmh=9", "bc": "highway=closed"}), how)
    assert engine.method() == "hierarchy" and durations(engine, "hierarchy") == before


@pytest.mark.parametrize("how", HOWS)
def test_weights_by_nodes(how: str) -> None:
    """Two nodes name a piece in one direction; closing that makes a one-way street."""
    engine = engine_of(SQUARE)
    speeds = {(ord("d"), ord("e")): 0.0, (ord("f"), ord("e")): 18.0, (ord("e"), ord("f")): 18.0}
    view = engine.with_weights(speeds=speeds, n_routes=HOWS[how])
    changed = {"de": "highway=x oneway=-1", "ef": "highway=x kmh=18"}
    check_view(view, square_with(changed), how)


@pytest.mark.parametrize("how", HOWS)
def test_areas_to_avoid(how: str) -> None:
    """No road that meets an area is used, and no point stands for one."""
    engine = engine_of(SQUARE)
    x, y = between(SQUARE, "be")
    ring = [(x - 1e-4, y - 1e-4), (x + 1e-4, y - 1e-4), (x + 1e-4, y + 1e-4), (x - 1e-4, y + 1e-4)]
    for area in ([ring], shapely.Polygon(ring)):
        view = engine.with_weights(avoid=[area], n_routes=HOWS[how])
        check_view(view, square_with({"be": "highway=closed"}), how)
        (snapped,) = view.nearest(x, y)
        assert spell(snapped.nodes) not in ("be", "eb") and snapped.distance_m > 50
        assert spell(engine.nearest(x, y)[0].nodes) == "be"
        for waypoint in (
            view.route([(x, y), CORNERS[0]]).waypoints[0],
            view.table([(x, y)], CORNERS).sources[0],
            view.isochrone(x, y, durations_s=[10]).waypoint,
        ):
            assert waypoint.distance_m > 50
        with pytest.raises(NoSegment):
            view.route([(x, y), CORNERS[0]], radiuses=[20, None])
        with pytest.raises(NoSegment):
            view.table([(x, y)], radiuses=[20])
        status = view.routes([(x, y)], [CORNERS[0]], radius_m=20).status
        assert status.tolist() == [RouteStatus.NO_SEGMENT]
        assert view.method() == "customization", "which the table needed"


@pytest.mark.parametrize("how", HOWS)
def test_areas_under_other_weights(how: str) -> None:
    """Isochrones by time know the weights; by distance the closed roads, and no speeds."""
    view = engine_of(SQUARE).with_weights(
        way_speeds={SQUARE.way_id("be"): 0, SQUARE.way_id("ab"): 9}, n_routes=HOWS[how]
    )
    drawn = square_with({"be": "highway=closed", "ab": "highway=x kmh=9"})
    origin = SQUARE.position("b")
    for limits in ({"durations_s": [70.0]}, {"distances_m": [700.0]}):
        lengths = []
        for engine in (view, drawn):
            for reverse in (False, True):
                (lines,) = engine.isochrone(*origin, lines=True, reverse=reverse, **limits).shapes
                roads = [shapely.linestrings(line * (55_660, 111_400)) for line in lines]
                lengths.append(shapely.length(shapely.union_all(roads)))
        assert lengths == pytest.approx([lengths[0]] * 4, abs=1)
        assert lengths[0] > 500


def test_faster_roads_need_the_hierarchy() -> None:
    """What is faster than the landmarks know is never left to A*."""
    engine = engine_of(SQUARE)
    view = engine.with_weights(way_speeds={SQUARE.way_id("ef"): 150.0})
    assert view.method() == "customization"
    check_view(view, square_with({"ef": "highway=x kmh=150"}), "customization")


def test_views_of_views() -> None:
    """What is wished of a view comes on top of it."""
    engine = engine_of(SQUARE)
    for one, two in product(HOWS.values(), HOWS.values()):
        first = engine.with_weights(way_speeds={SQUARE.way_id("de"): 9}, n_routes=one)
        before = durations(first, "dijkstra")
        second = first.with_weights(way_speeds={SQUARE.way_id("bc"): 0}, n_routes=two)
        drawn = square_with({"de": "highway=x kmh=9", "bc": "highway=closed"})
        assert durations(second, "hierarchy") == pytest.approx(durations(drawn, "dijkstra"))
        assert durations(first, "dijkstra") == before
    assert engine.with_weights().method() == "customization", "nothing to do"


def test_senseless_wishes() -> None:
    """What makes no sense is InvalidInput, and the engine is as before."""
    engine = engine_of(SQUARE)
    for options in (
        {"way_speeds": {1001: -1.0}},
        {"way_speeds": {1001: float("nan")}},
        {"speeds": {(97, 98): float("inf")}},
        {"avoid": [[[(0, 0), (1, 1)]]]},
        {"avoid": [[[(0, 0), (200, 1), (5, 5)]]]},
        {"avoid": ["all"]},
        {"profile": "boat"},
    ):
        with pytest.raises(InvalidInput):
            engine.with_weights(**options)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no profile 'boat'"):
        engine.method("boat")
    assert engine.method() == "hierarchy"


# Live weights


def test_following_live_weights(tmp_path: Path) -> None:
    """What is published counts for the next request, and never for a route already found."""
    engine = engine_of(SQUARE)
    alone = engine_of(SQUARE)
    vehicle = engine._vehicles["plain"]
    metric = vehicle.weighting.metric
    a, b = SQUARE.position("d"), between(SQUARE, "ef", 0.7)
    every_arc = np.arange(len(metric.weight))
    with engine.live_writer(tmp_path) as writer:
        engine.follow(tmp_path)
        assert engine.route([a, b]).duration_s == alone.route([a, b]).duration_s
        waiting = engine.route([a, b])
        table = engine.table([a], [b])
        writer.publish(make_changes(every_arc, metric.weight * 3))
        slow = engine.route([a, b])
        assert slow.duration_s == pytest.approx(3 * alone.route([a, b]).duration_s, abs=0.05)
        assert engine.table([a], [b]).duration_s[0, 0] == slow.duration_s
        assert engine.routes([a], [b]).duration_s[0] == slow.duration_s
        assert engine.alternatives([a, b])[0].duration_s == slow.duration_s
        assert engine.method() == "hierarchy"
        writer.publish(engine.changes(speeds={(ord("d"), ord("e")): 0, (ord("e"), ord("d")): 0}))
        closed = engine.route([a, b])
        assert closed.duration_s == pytest.approx(8 * 10 + 0.7 * 40, abs=0.1), "the other way"
        place = between(SQUARE, "de")
        assert engine.nearest(*place)[0].distance_m > 50, "nobody stands on a closed road"
        for route, factor in ((waiting, 1), (slow, 3)):
            assert route.legs[0].duration_s == route.duration_s
            parts = route.legs[0].annotation.duration_s.sum()
            assert parts == pytest.approx(route.duration_s, abs=0.01)
            assert spell(route.legs[0].annotation.nodes) == "def", factor
        assert table.sources[0].distance_m < 1
        view = engine.with_weights(way_speeds={SQUARE.way_id("ad"): 9})
        with pytest.raises(InvalidInput, match="weights of its own"):
            view.follow(tmp_path)
        writer.clear()
        assert engine.route([a, b]).duration_s == alone.route([a, b]).duration_s
        assert view.route([a, b]).duration_s > closed.duration_s - 0.1, "a view stays as it was"


def test_live_weights_of_another_profile(tmp_path: Path) -> None:
    """Each vehicle has its own; what is published for one does not concern the other."""
    engine = engine_of(SQUARE, PLAIN, replace(PLAIN, name="other"))
    points = [SQUARE.position("d"), SQUARE.position("f")]
    before = engine.route(points).duration_s
    engine.follow(tmp_path, profile="other")
    way = SQUARE.way_id("de")
    with engine.live_writer(tmp_path, profile="other") as writer:
        writer.publish(engine.changes(profile="other", way_speeds={way: 9.0}))
    assert engine.route(points).duration_s == before
    assert engine.route(points, profile="other").duration_s == pytest.approx(120, abs=0.1)
    with engine.live_writer(tmp_path, profile="other") as writer:
        with pytest.raises(InvalidInput, match="of another dataset or profile"):
            writer.publish(engine.changes(way_speeds={way: 9.0}))
        assert writer.sequence == 1
    with pytest.raises(InvalidInput, match="no profile 'boat'"):
        engine.follow(tmp_path, profile="boat")
    with pytest.raises(InvalidInput, match="no profile 'boat'"):
        engine.live_writer(tmp_path, profile="boat")
    with pytest.raises(InvalidInput, match="no profile 'boat'"):
        engine.changes(profile="boat")


# A real map


@pytest.fixture(scope="module")
def city(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    path = tmp_path_factory.mktemp("city") / "helsinki.whimbrel"
    build_dataset(sample, path)
    return Engine.open(path)


def city_points(n: int, seed: int = 0) -> list[Point]:
    rng = np.random.default_rng(seed)
    places = rng.random((n, 2)) * (0.055, 0.025) + (24.915, 60.157)
    return [(lon, lat) for lon, lat in places.tolist()]


@pytest.mark.compiled
def test_every_way_to_a_route_in_a_city(city: Engine) -> None:
    """On a real map, too, all ways to a route agree, and its pieces add up."""
    points = city_points(14)
    found = {
        (i, j): check_pair(city, points[i], points[j])
        for i, j in product(range(len(points)), repeat=2)
    }
    check_table(city, found, points)
    n_routes = 0
    for route in found.values():
        if isinstance(route, Route):
            n_routes += 1
            (leg,) = route.legs
            assert leg.annotation.distance_m.sum() == pytest.approx(leg.distance_m, abs=1)
    assert n_routes > 150


@pytest.mark.compiled
def test_areas_in_a_city(city: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a real map reached places lie inside the area, and both searches agree."""
    origin = (24.941, 60.171)
    samples = [
        (w.lon, w.lat) for w in (city.route([p, origin]).waypoints[0] for p in city_points(150, 3))
    ]
    for reverse in (False, True):
        monkeypatch.setattr(areas, "SWEEP_FROM", 2.0)
        assert 20 < check_lines(city, origin, samples, 240, reverse) < 150
        monkeypatch.setattr(areas, "SWEEP_FROM", 0.0)
        assert 20 < check_lines(city, origin, samples, 240, reverse) < 150


@pytest.mark.compiled
def test_alternatives_in_a_city(city: Engine) -> None:
    """Between most places of a city there is another way."""
    points = city_points(60, 4)
    n_found = 0
    for pair in zip(points[::2], points[1::2], strict=True):
        n_found += check_alternatives(city, pair, city.alternatives(pair, 2)) > 0
    for three in zip(points[::3], points[1::3], points[2::3], strict=True):
        check_alternatives(city, three, city.alternatives(three, 3))
    assert n_found > 10


@pytest.mark.compiled
def test_own_weights_in_a_city(city: Engine) -> None:
    """With closed and slow roads, A*, customization and Dijkstra's search agree."""
    x, y = 24.941, 60.171
    ring = [(x - 0.004, y - 0.002), (x + 0.004, y - 0.002), (x + 0.004, y + 0.002), (x, y + 0.003)]
    ways = np.unique(city._network.edge_way)[::7]
    options = {"avoid": [[ring]], "way_speeds": dict.fromkeys(ways.tolist(), 5.0)}
    astar = city.with_weights(**options)  # type: ignore[arg-type]
    hierarchy = city.with_weights(**options, n_routes=MANY)  # type: ignore[arg-type]
    points = city_points(40, 5)
    if astar.method() == "customization":  # some of these ways are slower still
        options["way_speeds"] = dict.fromkeys(ways.tolist(), 0.5)
        astar = city.with_weights(**options)  # type: ignore[arg-type]
        hierarchy = city.with_weights(**options, n_routes=MANY)  # type: ignore[arg-type]
    assert (astar.method(), hierarchy.method()) == ("astar", "customization")
    area = shapely.Polygon(ring)
    n_changed = 0
    for pair in zip(points[::2], points[1::2], strict=True):
        one, other = ask(astar, pair), ask(hierarchy, pair)
        slow = ask(astar, pair, algorithm="dijkstra")
        if isinstance(one, str):
            assert one == other == slow
            continue
        assert isinstance(other, Route) and isinstance(slow, Route)
        assert one.duration_s == other.duration_s == slow.duration_s
        assert [w.lon for w in one.waypoints] == [w.lon for w in other.waypoints]
        for route in (one, other):
            line = shapely.linestrings(np.stack([route.legs[0].lon, route.legs[0].lat], 1))
            assert not shapely.intersects(line, area)
        n_changed += one.duration_s != city.route(pair).duration_s
    assert n_changed > 10


@pytest.mark.compiled
def test_threads_share_an_engine(city: Engine) -> None:
    """Eight threads that ask everything at once get what one gets alone."""
    points = city_points(48, 6)
    jobs: list[Callable[[], Any]] = []
    for i in range(0, 40, 2):
        a, b = points[i : i + 2]
        jobs += [
            lambda a=a, b=b: described(ask(city, [a, b])),
            lambda a=a, b=b: described(ask(city, [a, b], with_details=True)),
            lambda a=a, b=b: [described(route) for route in city.alternatives([a, b], 2)],
            lambda a=a: [
                [np.asarray(line).tolist() for line in lines]
                for lines in city.isochrone(*a, durations_s=[120, 240], lines=True).shapes
            ],
            lambda i=i: city.table(points[i : i + 9], points[:7], threads=2).duration_cs.tolist(),
            lambda i=i: city.routes(points[i:], points[: 48 - i], threads=2).status.tolist(),
            lambda i=i: city.routes(points[i:], points[: 48 - i]).distance_m.tolist(),
        ]
    way = int(city._network.edge_way[0])
    view = city.with_weights(way_speeds={way: 0.0})
    jobs += [
        lambda i=i: view.table(points[i : i + 5], points[:5]).duration_cs.tolist()
        for i in range(0, 20, 2)
    ]
    wanted = [str(job()) for job in jobs]
    view = city.with_weights(way_speeds={way: 0.0})  # its hierarchy is made by several at once
    failures: list[object] = []

    def work(seed: int) -> None:
        try:
            order = np.random.default_rng(seed).permutation(len(jobs)).tolist()
            failures.extend(i for i in order if str(jobs[i]()) != wanted[i])
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def described(route: Route | str) -> object:
    """All that a route says."""
    if isinstance(route, str):
        return route
    legs = [(leg.names, leg.lon.tolist(), leg.annotation.duration_s.tolist()) for leg in route.legs]
    return route.duration_s, route.distance_m, route.waypoints, legs
