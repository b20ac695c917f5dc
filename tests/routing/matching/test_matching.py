"""What traces are matched to, on drawn roads."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from engines import engine_of
from world import World

from routing.engine import Engine
from routing.errors import InvalidInput, InvalidValue, NoMatch, NoRoadNear
from routing.matching.results import Match
from routing.matching.trace import confidence, longest_step_s, tidy

Points = list[tuple[float, float]]
M_PER_DEGREE = 111_000.0

BLOCK = World(
    """
    a---b---c---d
    |   |   |
    e---f---g
    |
    h
    """,
    """
    abcd  highway=residential name=North
    efg   highway=residential name=South
    aeh   highway=residential name=West
    bf    highway=residential name=Middle
    cg    highway=residential name=East
    """,
    metres=50,
)
PAIR = World(
    """
    a---b---c---d
    h---g---f---e
    """,
    """
    abcd  highway=secondary oneway=yes name=Out
    efgh  highway=secondary oneway=yes name=Back
    de    highway=secondary oneway=yes
    ha    highway=secondary oneway=yes
    """,
    metres=25,
)
BRIDGE = World(
    """
          n
          |
    w-----x-----o
          |
          s
    """,
    """
    wo  highway=primary name=Bridge layer=1
    nxs highway=residential name=Below
    """,
    metres=40,
)


@cache
def engine(name: str) -> Engine:
    return engine_of({"block": BLOCK, "pair": PAIR, "bridge": BRIDGE}[name])


def along(world: World, letters: str, step_m: float, off_m: float = 0.0) -> Points:
    """Points along the straight lines from letter to letter, some metres to the north."""
    corners = [world.position(letter) for letter in letters]
    found: Points = []
    for (lon_a, lat_a), (lon_b, lat_b) in pairwise(corners):
        east = (lon_b - lon_a) * M_PER_DEGREE * np.cos(np.radians(lat_a))
        north = (lat_b - lat_a) * M_PER_DEGREE
        n = max(round(float(np.hypot(east, north)) / step_m), 1)
        for i in range(n + (letters.endswith(letters[-1]) and (lon_b, lat_b) == corners[-1])):
            part = i / n
            lat = lat_a + part * (lat_b - lat_a) + off_m / M_PER_DEGREE
            found.append((lon_a + part * (lon_b - lon_a), lat))
    return found


def moved(point: tuple[float, float], east_m: float, north_m: float) -> tuple[float, float]:
    lon, lat = point
    east = east_m / M_PER_DEGREE / float(np.cos(np.radians(lat)))
    return lon + east, lat + north_m / M_PER_DEGREE


def streets_of(match: Match) -> list[str]:
    """The pieces between nodes that the first matching passes, repeats joined."""
    found: list[str] = []
    for leg in match.matchings[0].route.legs:
        for a, b in pairwise(map(chr, leg.annotation.nodes.tolist())):
            if not found or found[-1] != a + b:
                found.append(a + b)
    return found


def indices(match: Match) -> list[tuple[int, int | None] | None]:
    return [p and (p.matching, p.waypoint_index) for p in match.tracepoints]


def check_legs(match: Match, n: int) -> None:
    """Legs lead from each matched point to the next, and add up."""
    assert len(match.tracepoints) == n
    for index, (route, sure) in enumerate(match.matchings):
        assert 0 <= sure <= 1
        points = [p for p in match.tracepoints if p is not None and p.matching == index]
        stops = [p for p in points if p.waypoint_index is not None]
        assert [p.waypoint_index for p in stops] == list(range(len(stops)))
        assert len(route.legs) == len(stops) - 1
        assert list(route.waypoints) == [p.waypoint for p in stops]
        for leg, a, b in zip(route.legs, stops, stops[1:], strict=False):
            assert (leg.lon[0], leg.lat[0]) == pytest.approx(a.waypoint[:2], abs=1e-7)
            assert (leg.lon[-1], leg.lat[-1]) == pytest.approx(b.waypoint[:2], abs=1e-7)
            assert leg.distance_m == pytest.approx(leg.annotation.distance_m.sum(), abs=0.03)
            assert leg.duration_s == pytest.approx(leg.annotation.duration_s.sum(), abs=3)
            assert leg.steps[0].maneuver.type == "depart"


def test_a_trace_on_its_roads() -> None:
    """Every point is on the road, the way is that of the trace, and that is most likely right."""
    points = along(BLOCK, "dcba", 25, off_m=2)
    match = engine("block").match(points)
    check_legs(match, len(points))
    ((route, sure),) = match.matchings
    assert indices(match) == [(0, i) for i in range(len(points))]
    assert streets_of(match) == ["dc", "cb", "ba"]
    assert route.distance_m == pytest.approx(600, abs=3)
    assert sure > 0.9
    assert all(p and p.waypoint.distance_m == pytest.approx(2, abs=0.1) for p in match.tracepoints)


def test_a_loop() -> None:
    """A trace around a block comes back to where it began."""
    points = along(BLOCK, "abfea", 20)
    match = engine("block").match(points)
    check_legs(match, len(points))
    assert len(match.matchings) == 1
    assert match.matchings[0].route.distance_m == pytest.approx(600, abs=3)
    assert streets_of(match) == ["ab", "bf", "fe", "ea"]


def test_sparse_points() -> None:
    """Points a few hundred metres apart are joined by the fastest way."""
    world = BLOCK
    points = [moved(world.position("d"), -20, 3), moved(world.position("h"), 2, 30)]
    match = engine("block").match(points)
    check_legs(match, 2)
    assert len(match.matchings[0].route.legs) == 1


@pytest.mark.parametrize("back", [False, True])
def test_one_way_streets(back: bool) -> None:
    """Of two one-way streets beside each other the one is taken that leads the right way."""
    points = along(PAIR, "ad" if not back else "eh", 20, off_m=-12 if not back else 12)
    match = engine("pair").match(points, radiuses=[10] * len(points))
    check_legs(match, len(points))
    assert {p and p.waypoint.name for p in match.tracepoints} == {"Back" if back else "Out"}


def test_bridges() -> None:
    """A way above another is not left where they cross."""
    points = along(BRIDGE, "wo", 15)
    match = engine("bridge").match(points)
    assert len(match.matchings) == 1
    names = {name for leg in match.matchings[0].route.legs for name in leg.names}
    assert names == {"Bridge"}


def test_an_outlier() -> None:
    """A point far from all others is left out, and only that one."""
    points = along(BLOCK, "ad", 25)
    points[8] = moved(points[8], 0, 400)
    match = engine("block").match(points)
    check_legs(match, len(points))
    assert [i for i, p in enumerate(match.tracepoints) if p is None] == [8]
    assert len(match.matchings) == 1
    assert match.matchings[0].route.distance_m == pytest.approx(600, abs=3)


def test_an_outlier_on_another_road() -> None:
    """A point on a road that cannot be reached in the time is left out, and only that one."""
    points = along(BLOCK, "ad", 20)
    there = moved(BLOCK.position("h"), 1, 0)
    for at, trace in (
        (10, [*points[:10], there, *points[11:]]),
        (0, [there, *points[-2::-1]]),
    ):
        match = engine("block").match(trace, timestamps=list(range(len(trace))))
        check_legs(match, len(trace))
        assert [i for i, p in enumerate(match.tracepoints) if p is None] == [at]


def test_gaps() -> None:
    """A step of a minute among steps of seconds begins a new matching, unless it is ignored."""
    points = along(BLOCK, "ad", 50)
    times = [5 * i for i in range(len(points))]
    times[6:] = [time + 61 - 5 for time in times[6:]]
    match = engine("block").match(points, timestamps=times)
    check_legs(match, len(points))
    assert indices(match) == [*((0, i) for i in range(6)), *((1, i) for i in range(7))]
    whole = engine("block").match(points, timestamps=times, gaps="ignore")
    assert indices(whole) == [(0, i) for i in range(13)]
    times[6:] = [time - 20 for time in times[6:]]
    assert len(engine("block").match(points, timestamps=times).matchings) == 1


def test_many_points_without_a_road() -> None:
    """After more than ten points that fit nowhere a new matching begins."""
    points = along(BLOCK, "ad", 10)
    for n, pieces in ((10, 2), (9, 1)):
        trace = [moved(p, 0, 500 if 20 <= i < 20 + n else 0) for i, p in enumerate(points)]
        match = engine("block").match(trace)
        check_legs(match, len(trace))
        assert len(match.matchings) == pieces
        assert [i for i, p in enumerate(match.tracepoints) if p is None] == list(range(20, 20 + n))


def test_turning_around_on_the_road() -> None:
    """Who drives back where he came from has turned around, and at that point."""
    there = along(BLOCK, "ab", 20)[:8]
    points = [*there, *there[-2::-1]]
    match = engine("block").match(points)
    check_legs(match, len(points))
    (route, _) = match.matchings[0]
    assert route.distance_m == pytest.approx(280, abs=2)
    assert all(p is not None for p in match.tracepoints)


def test_turning_around_at_a_dead_end() -> None:
    """At a dead end one may always turn around."""
    there = along(BLOCK, "eh", 20)
    points = [*there, *there[-2::-1]]
    match = engine("block").match(points)
    check_legs(match, len(points))
    assert match.matchings[0].route.distance_m == pytest.approx(200, abs=1)


def test_standing_still() -> None:
    """Points that are alike are one place, and points that jitter go nowhere."""
    place = moved(BLOCK.position("a"), 80, 2)
    match = engine("block").match([place] * 5)
    check_legs(match, 5)
    assert match.matchings[0].route.distance_m == 0
    assert match.matchings[0].confidence == 0
    rng = np.random.default_rng(3)
    noisy = [moved(place, *rng.normal(0, 3, 2)) for _ in range(40)]
    match = engine("block").match(noisy, timestamps=list(range(40)))
    check_legs(match, 40)
    assert len(match.matchings) == 1
    assert match.matchings[0].route.distance_m < 80  # the noise adds up to three times as much
    assert all(p is not None for p in match.tracepoints)


def test_standing_still_in_a_one_way_street() -> None:
    """Noise against the direction of travel leads nobody around the block."""
    place = moved(PAIR.position("b"), 40, 1)
    rng = np.random.default_rng(5)
    noisy = [moved(place, *rng.normal(0, 4, 2)) for _ in range(30)]
    match = engine("pair").match(noisy)
    check_legs(match, 30)
    assert sum(route.distance_m for route, _ in match.matchings) < 30


def test_ends_that_jitter() -> None:
    """A first point ahead of the second, and a last one behind, lead nobody around the block."""
    points = along(PAIR, "ad", 20)
    points[0] = moved(points[1], 6, 0)
    points[-1] = moved(points[-2], -6, 0)
    match = engine("pair").match(points)
    check_legs(match, len(points))
    assert match.matchings[0].route.distance_m < 310


def test_closed_pieces() -> None:
    """A piece that is closed is not matched, in the direction in which it is."""
    points = along(BLOCK, "ad", 25)
    closed = engine("block").with_weights(speeds={(ord("b"), ord("c")): 0})
    match = closed.match(points)
    assert "bc" not in streets_of(match)
    assert "bc" in streets_of(engine("block").match(points))
    back = closed.match(points[::-1])
    assert streets_of(back) == ["dc", "cb", "ba"]
    both = closed.with_weights(speeds={(ord("c"), ord("b")): 0})
    on = [p for p in both.match(points).tracepoints if p is not None]
    assert not any({*map(chr, p.waypoint.nodes)} == {"b", "c"} for p in on)


def test_tidy() -> None:
    """Points that say nothing new are null; the ends and waypoints stay."""
    points = along(BLOCK, "ad", 5)
    match = engine("block").match(points, tidy=True)
    check_legs(match, len(points))
    kept = [i for i, p in enumerate(match.tracepoints) if p is not None]
    last = len(points) - 1
    assert kept == [*range(0, last, 3), last]
    stops = engine("block").match(points, tidy=True, waypoints=[0, 61, last])
    check_legs(stops, len(points))
    assert [i for i, p in enumerate(stops.tracepoints) if p and p.waypoint_index is not None] == [
        0,
        60,
        last,
    ]
    assert tidy(points[:3], [0, 1, 2]) == [0, 2]
    assert tidy([points[0], points[10], points[20]], [0, 4, 9]) == [0, 2]
    assert tidy([points[0], points[10], points[20]], [0, 5, 9]) == [0, 1, 2]


def test_waypoints() -> None:
    """Legs end at waypoints alone; the way is the same."""
    points = along(BLOCK, "abfg", 20)
    all_stops = engine("block").match(points)
    match = engine("block").match(points, waypoints=[0, 7, len(points) - 1])
    check_legs(match, len(points))
    (route, _), (whole, _) = match.matchings[0], all_stops.matchings[0]
    assert len(route.legs) == 2
    assert route.distance_m == pytest.approx(whole.distance_m, abs=0.1)
    assert route.duration_s == pytest.approx(whole.duration_s, abs=0.1)
    assert [p and p.waypoint_index for p in match.tracepoints].count(None) == len(points) - 3


def test_waypoints_that_are_not_matched() -> None:
    """A trace in pieces has no waypoints, nor is a point one that is not matched."""
    points = along(BLOCK, "ad", 50)
    far = [*points[:5], moved(points[5], 0, 300), *points[6:]]
    with pytest.raises(NoMatch, match=r"Requested waypoint parameter could not be matched\."):
        engine("block").match(far, waypoints=[0, 5, len(far) - 1])
    times = [i + 100 * (i > 5) for i in range(len(points))]
    with pytest.raises(NoMatch, match=r"Could not match the trace with the given waypoints\."):
        engine("block").match(points, timestamps=times, waypoints=[0, len(points) - 1])


def test_bearings() -> None:
    """A bearing rules out roads that lead elsewhere."""
    corner = moved(BLOCK.position("b"), 3, -3)
    points = [moved(corner, 0, -40), corner]
    free = engine("block").match([corner, moved(corner, 30, 3)])
    assert free.tracepoints[0] is not None
    match = engine("block").match(points, bearings=[None, (0, 20)])
    assert match.tracepoints[1] is not None
    assert match.tracepoints[1].waypoint.name == "Middle"
    with pytest.raises(NoMatch):
        engine("block").match(points, bearings=[(90, 10), (90, 10)])


def test_alternatives() -> None:
    """Where it is not clear which road a point is on, others are counted."""
    match = engine("pair").match(along(PAIR, "ad", 20, off_m=-12), radiuses=[20] * 16)
    assert any(p and p.alternatives > 0 for p in match.tracepoints)
    alone = engine("block").match(along(BLOCK, "cd", 20))
    assert alone.tracepoints[-1] is not None


def _ask(points: Sequence[tuple[float, float]], **options: Any) -> Match:
    return engine("block").match(points, **options)


def test_failures() -> None:
    """What cannot be matched is told apart from what cannot be asked."""
    points = along(BLOCK, "ad", 100)
    away = [moved(p, 0, 400) for p in points]
    with pytest.raises(NoRoadNear, match=r"Could not find a matching segment for any coordinate\."):
        _ask(away)
    with pytest.raises(NoMatch, match=r"Could not match the trace\."):
        _ask([points[0], away[0]])
    with pytest.raises(InvalidValue, match=r"Timestamps need to be monotonically increasing\."):
        _ask(points[:3], timestamps=[1, 3, 2])
    with pytest.raises(InvalidInput, match="timestamps size 2 does not match coordinate size 3"):
        _ask(points[:3], timestamps=[1, 3])
    with pytest.raises(InvalidInput, match="at least two"):
        _ask(points[:1])
    with pytest.raises(InvalidInput, match="gaps is 'some'"):
        _ask(points, gaps="some")
    with pytest.raises(InvalidValue, match="First and last coordinates"):
        _ask(points, waypoints=[0, 2])


def test_equal_times() -> None:
    """Points of the same second are matched."""
    points = along(BLOCK, "ad", 25)
    match = _ask(points, timestamps=[7] * len(points))
    assert all(p is not None for p in match.tracepoints)


def test_confidence() -> None:
    """It is highest for a matching as long as its trace, and 0 where nothing moves."""
    values = [confidence(1000, matched) for matched in (1006, 1030, 1100, 2000)]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.97
    assert values[-1] < 0.1
    assert confidence(0, 10) == confidence(10, 0) == 0


def test_longest_step() -> None:
    """Ten times the step in the middle, at least ten seconds."""
    assert longest_step_s(np.array([0, 1, 6, 8])) == 20
    assert longest_step_s(np.array([5, 5, 5])) == 10
    assert longest_step_s(np.array([5])) == 10
