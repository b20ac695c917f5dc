"""The engine asked for routes between two points, for lists of pairs and for tables."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from engines import engine_of
from graphs import SmallEdge, build_small_network, lattice_worlds, worlds
from graphs import World as RandomWorld
from hypothesis import given, settings
from hypothesis import strategies as st
from towns import (
    LINE,
    NO_ROUTE,
    NO_SEGMENT,
    SPOTS,
    ask,
    between,
    check_pair,
    check_table,
    engine_over,
    spot,
    town,
)
from world import World, spell

from gis.arrays import INF
from routing.errors import InvalidCoordinate, InvalidInput, NoSegment
from routing.graph.components import ARC_OPEN, ARC_STARTPOINT
from routing.many.batch import RouteStatus
from routing.route import Route


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
    st.tuples(*[st.sampled_from([None, "curb", "opposite"])] * 2),
    st.sampled_from(["default", "any"]),
)
def test_limits_of_points(
    seed: int,
    places: Any,
    radiuses: tuple[float | None, float | None],
    bearings: tuple[tuple[int, int] | None, tuple[int, int] | None],
    approaches: tuple[str | None, str | None],
    snapping: str,
) -> None:
    """Radiuses, bearings, sides and snapping mean the same to all routes, and to a table."""
    world, engine = town(seed)
    a, b = (spot(world, place) for place in places)
    limits = {"radiuses": radiuses, "bearings": bearings, "approaches": approaches}
    options = {**limits, "snapping": snapping}
    route = check_pair(engine, a, b, **options)
    try:
        table = engine.table(
            [a],
            [b],
            distances=True,
            **{name: values[:1] for name, values in limits.items()},
            **{f"destination_{name}": values[1:] for name, values in limits.items()},
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
    if radiuses[0] == radiuses[1] and bearings == approaches == (None, None):
        one = engine.routes([a], [b], radius_m=radiuses[0], snapping=snapping)
        expected = RouteStatus.NO_ROUTE if route == NO_ROUTE else RouteStatus.OK
        assert one.status.tolist() == [expected]


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
                *("duration_s", "way_flags", "forward_mode", "backward_mode"),
                *("forward_classes", "backward_classes"),
            )
        },
        **{
            name: np.repeat(getattr(verdicts, name)[:1], 4)
            for name in ("node_blocked", "node_restricted", "node_forward_s", "node_backward_s")
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
