import threading
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from engines import engine_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import naive_dijkstra
from world import PLAIN, World, spell

from gis.profiles.rules import Tags, Warn, WayRule
from routing.engine import Engine
from routing.errors import InvalidCoordinate, InvalidInput, NoRoute, NoSegment
from routing.route import Route

Point = tuple[float, float]
STEP_S = 10.0
"""One step of a drawn map is 100 m, a road 10 m/s."""


def between(world: World, letters: str, part: float = 0.5) -> Point:
    """A place on the line between two letters."""
    (x, y), (to_x, to_y) = (world.position(letter) for letter in letters)
    return x + part * (to_x - x), y + part * (to_y - y)


def nodes(route: Route) -> list[str]:
    """The nodes of each leg by their letters."""
    return [spell(leg.annotation.nodes) for leg in route.legs]


def seconds(expected: float) -> object:
    """Drawn coordinates are rounded to a centimetre: some milliseconds on each piece."""
    return pytest.approx(expected, abs=0.05)


GRID = World(
    """
    a---b---c
    |   |   |
    d---e---f
    |   |   |
    g---h---i
    """,
    """
    abc highway=x name=North
    def highway=x name=Middle
    ghi highway=x name=South
    adg highway=x name=West
    beh highway=x
    cfi highway=x name=East
    """,
)


@pytest.fixture(scope="module")
def grid() -> Engine:
    return engine_of(GRID)


def test_route_between_places_on_roads(grid: Engine) -> None:
    """A route takes the shortest way from within a road to within another."""
    route = grid.route([between(GRID, "ab", 0.25), between(GRID, "fi", 0.5)])
    assert route.duration_s == seconds(3 * STEP_S + 4 * STEP_S + 2 * STEP_S + STEP_S)
    assert route.distance_m == pytest.approx(route.duration_s * 10, abs=1)
    (leg,) = route.legs
    assert leg.annotation.distance_m.sum() == pytest.approx(leg.distance_m, abs=0.05)
    assert leg.annotation.duration_s.sum() == pytest.approx(leg.duration_s)
    assert leg.annotation.nodes[0] == ord("a") and leg.annotation.nodes[-1] == ord("i")
    assert len(leg.lon) == len(leg.lat) == len(leg.annotation.nodes)
    start, end = route.waypoints
    assert (start.lon, start.lat) == (leg.lon[0], leg.lat[0])
    assert (end.lon, end.lat) == (leg.lon[-1], leg.lat[-1])
    assert start.distance_m < 0.02 and spell(start.nodes) == "ab" and start.name == "North"
    assert spell(end.nodes) == "fi" and end.name == "East"


@pytest.mark.parametrize(("a", "b", "expected"), [(0.25, 0.75, "ab"), (0.75, 0.25, "ba")])
def test_route_within_one_road(grid: Engine, a: float, b: float, expected: str) -> None:
    """Two places on one road are joined along it, in either direction."""
    route = grid.route([between(GRID, "ab", a), between(GRID, "ab", b)])
    assert route.duration_s == seconds(2 * STEP_S)
    assert nodes(route) == [expected] and len(route.legs[0].lon) == 2


def test_route_without_length(grid: Engine) -> None:
    """Twice the same place is a route of no length, with its point twice."""
    route = grid.route([between(GRID, "ab", 0.3)] * 3)
    assert route.duration_s == route.distance_m == 0
    for leg in route.legs:
        assert len(leg.lon) == 2 and leg.lon[0] == leg.lon[1] and leg.lat[0] == leg.lat[1]
        assert leg.annotation.duration_s.tolist() == leg.annotation.distance_m.tolist() == [0]


def test_junctions_belong_to_every_road(grid: Engine) -> None:
    """From a junction a route leaves by any road, and the waypoint has all their names."""
    for letter in "bdfh":
        route = grid.route([GRID.position("e"), GRID.position(letter)])
        assert len(route.legs[0].lon) == 2
        assert route.duration_s == seconds((4 if letter in "df" else 2) * STEP_S)
    assert grid.nearest(*GRID.position("e"))[0].name == "Middle"
    assert grid.nearest(*GRID.position("c"))[0].name == "North / East"


def test_nearest(grid: Engine) -> None:
    """The nearest roads come in order; none within the radius is an error."""
    place = between(GRID, "ab", 0.25)
    found = grid.nearest(*place, number=4)
    assert [waypoint.name for waypoint in found][:2] == ["North", "West"]
    assert [w.distance_m for w in found] == sorted(w.distance_m for w in found)
    assert len(grid.nearest(*place, number=100)) == 12
    assert len(grid.nearest(*place, radius_m=1)) == 1
    with pytest.raises(NoSegment, match="matching segment for coordinate"):
        grid.nearest(place[0], place[1] + 0.001, radius_m=50)


ONE_WAYS = World(
    """
    a-b-c
      | |
      d-e
    """,
    """
    ab highway=x
    bc highway=x oneway=yes
    ce highway=x oneway=yes
    ed highway=x oneway=yes
    db highway=x oneway=yes
    """,
)


def test_one_way_streets() -> None:
    """Who wants to go back along a one-way street goes round the block."""
    engine = engine_of(ONE_WAYS)
    there = engine.route([between(ONE_WAYS, "bc", 0.25), between(ONE_WAYS, "bc", 0.75)])
    assert there.duration_s == seconds(0.5 * 2 * STEP_S)
    round_the_block = engine.route([between(ONE_WAYS, "bc", 0.75), between(ONE_WAYS, "bc", 0.25)])
    assert round_the_block.duration_s == seconds((0.5 + 2 + 2 + 2 + 0.5) * STEP_S)
    assert nodes(round_the_block) == ["bcedbc"]
    assert spell(round_the_block.waypoints[0].nodes) == "bc"
    (against,) = engine.nearest(*between(ONE_WAYS, "db"))
    assert spell(against.nodes) == "db"


LINE = World("a--b--c--d", "abcd highway=x name=Long")


def test_straight_on_at_a_via(grid: Engine) -> None:
    """At a via the route goes on as it came; freed from that it turns around."""
    points = [between(GRID, "de", 0.5), between(GRID, "ef", 0.25), between(GRID, "be", 0.5)]
    straight = grid.route(points)
    assert straight.legs[0].duration_s == seconds(3 * STEP_S)
    assert straight.legs[1].duration_s == seconds((3 + 2 + 4 + 1) * STEP_S)
    assert nodes(straight) == ["def", "efcbe"]
    free = grid.route(points, continue_straight=False)
    assert free.legs[1].duration_s == seconds((1 + 1) * STEP_S)
    assert nodes(free) == ["def", "feb"]
    assert straight.duration_s == round(sum(leg.duration_s for leg in straight.legs), 2)


@pytest.mark.parametrize("straight", [True, False])
def test_straight_on_is_the_vehicles_choice(straight: bool) -> None:
    """What is not asked for is as the profile has it, for alternatives, too."""
    engine = engine_of(GRID, replace(PLAIN, continue_straight=straight))
    points = [between(GRID, "de", 0.5), between(GRID, "ef", 0.25), between(GRID, "be", 0.5)]
    expected = engine.route(points, continue_straight=straight).duration_s
    assert expected != engine.route(points, continue_straight=not straight).duration_s
    assert engine.route(points).duration_s == expected
    assert engine.alternatives(points)[0].duration_s == expected


def test_turning_at_a_dead_end() -> None:
    """Straight on includes the way back from the end of a dead-end road."""
    engine = engine_of(LINE)
    points = [between(LINE, "ab"), between(LINE, "cd", 0.5), between(LINE, "ab")]
    assert engine.route(points).duration_s == seconds((6 + 1.5 + 1.5 + 6) * STEP_S)
    assert engine.route(points, continue_straight=False).duration_s == seconds(12 * STEP_S)
    at_the_end = engine.route([between(LINE, "ab"), LINE.position("d"), between(LINE, "ab")])
    assert at_the_end.duration_s == seconds(2 * 7.5 * STEP_S)


def test_best_of_all_ways_to_pass_a_via(grid: Engine) -> None:
    """The via is passed in the direction that makes the whole route shortest."""
    points = [GRID.position("a"), between(GRID, "ef", 0.75), GRID.position("d")]
    route = grid.route(points)
    assert route.legs[0].duration_s == seconds((4 + 4 + 2 + 1) * STEP_S), "by c, not by e"
    assert route.duration_s == seconds((4 + 4 + 2 + 4 + 4) * STEP_S)


def test_silent_vias(grid: Engine) -> None:
    """Points that are no waypoints shape the route but end no leg."""
    points = [GRID.position("a"), between(GRID, "hi", 0.5), between(GRID, "cf", 0.5)]
    loud = grid.route(points)
    silent = grid.route(points, waypoints=[0, 2])
    assert len(loud.legs) == 2 and len(silent.legs) == 1 and len(silent.waypoints) == 3
    assert silent.waypoints == loud.waypoints
    assert silent.duration_s == loud.duration_s
    assert silent.distance_m == pytest.approx(loud.distance_m, abs=0.05)
    assert silent.legs[0].annotation.duration_s.sum() == pytest.approx(loud.duration_s)
    assert nodes(silent)[0].endswith("hifc")
    assert (np.diff(silent.legs[0].lon) != 0).sum() + (np.diff(silent.legs[0].lat) != 0).sum() > 0
    every = grid.route(points, waypoints=[0, 1, 2])
    assert nodes(every) == nodes(loud)


def test_silent_via_where_the_route_turns(grid: Engine) -> None:
    """A leg that turns around at a silent via keeps the place where it turns."""
    points = [between(GRID, "de", 0.5), between(GRID, "ef", 0.25), between(GRID, "de", 0.5)]
    route = grid.route(points, continue_straight=False, waypoints=[0, 2])
    (leg,) = route.legs
    assert leg.duration_s == seconds(6 * STEP_S) and nodes(route) == ["defed"]
    assert leg.lon.tolist() == leg.lon[::-1].tolist()


ISLAND = World(
    """
    a---b---c
    |   |
    d---e   x-y
    """,
    """
    abc highway=x name=Main
    ade highway=x
    be  highway=x
    xy  highway=x name=Island
    """,
)


def test_small_components_are_left_aside() -> None:
    """A point near an island stands for the mainland, unless all points are on the island."""
    engine = engine_of(ISLAND)
    on_island, main = between(ISLAND, "xy"), between(ISLAND, "ab")
    for points in ([on_island, main], [main, on_island], [main, on_island, main]):
        route = engine.route(points)
        names = [waypoint.name for waypoint in route.waypoints]
        assert "Island" not in names and names.count("Main") == len(points)
    alone = engine.route([on_island, between(ISLAND, "xy", 0.75), between(ISLAND, "yx", 0.25)])
    assert {waypoint.name for waypoint in alone.waypoints} == {"Island"}
    assert alone.duration_s == seconds(0.25 * 2 * STEP_S)
    assert engine.nearest(*on_island)[0].name == "Island"


def test_unreachable() -> None:
    """Where the radius leaves only roads that are not connected, there is no route."""
    engine = engine_of(ISLAND)
    on_island, main = between(ISLAND, "xy"), between(ISLAND, "ab")
    for points in ([on_island, main], [main, on_island], [main, on_island, main]):
        with pytest.raises(NoRoute, match=r"^Impossible route between points$"):
            engine.route(points, radiuses=[5] * len(points))
    trap = World("a-b-c   x-y", "abc highway=x\nxy highway=x oneway=yes")
    engine = engine_of(trap)
    points = [between(trap, "xy", 0.75), between(trap, "xy", 0.25)]
    with pytest.raises(NoRoute, match=r"^No route found between points$"):
        engine.route(points, radiuses=[5, 5])
    assert engine.route(points[::-1]).duration_s == seconds(0.5 * 2 * STEP_S)
    assert engine.route(points).duration_s == 0, "both stand for the end of the mainland"


def test_one_way_stubs() -> None:
    """A point stands for a road where one can come from and go to, first and last ones alike.

    Where a radius leaves only a road that leads into the map, or out of it, that road is used.
    """
    world = World(
        """
        u-a---b-v
          |   |
          c---d
        """,
        """
        acdb highway=x name=Block
        ab   highway=x name=Block
        ua   highway=x oneway=yes name=In
        bv   highway=x oneway=yes name=Out
        """,
    )
    engine = engine_of(world)
    into, out, block = between(world, "ua"), between(world, "bv"), between(world, "cd")
    for points in ([into, out], [out, into], [block, into, block], [block, out, block]):
        route = engine.route(points)
        assert [w.name for w in route.waypoints] == ["Block"] * len(points)
        assert route.waypoints[0].distance_m == pytest.approx(100 * (points[0] != block), abs=1)
    assert engine.route([into, out]).duration_s == seconds(4 * STEP_S)
    assert [engine.nearest(*point)[0].name for point in (into, out)] == ["In", "Out"]
    through = engine.route([into, out], radiuses=[5, 5])
    assert [w.name for w in through.waypoints] == ["In", "Out"]
    assert through.duration_s == seconds((1 + 4 + 1) * STEP_S)
    with pytest.raises(NoRoute):
        engine.route([out, into], radiuses=[5, 5])


def test_bearings(grid: Engine) -> None:
    """A bearing picks the direction of travel, and the road where several are near."""
    points = [between(GRID, "de"), between(GRID, "ef")]
    east = grid.route(points, bearings=[(90, 20), None])
    assert east.duration_s == seconds(4 * STEP_S)
    west = grid.route(points, bearings=[(270, 20), None])
    assert west.duration_s == seconds((2 + 2 + 4 + 2 + 2) * STEP_S)
    assert spell(west.waypoints[0].nodes) == "ed"
    near_e = between(GRID, "ef", 0.1)
    assert spell(grid.nearest(*near_e)[0].nodes) == "ef"
    assert spell(grid.nearest(*near_e, bearing=(180, 10))[0].nodes) in ("eh", "be")


def _quiet(tags: Tags, warn: Warn) -> WayRule | None:
    rule = PLAIN.way(tags, warn)
    return rule and replace(rule, startpoint=tags["highway"] != "motorway")


def test_roads_that_are_no_startpoint() -> None:
    """Routes use a motorway but do not begin or end there, unless any snapping is asked for."""
    world = World(
        """
        a---b
        |   |
        c---d
        """,
        "ab highway=motorway name=Fast\nac highway=x\nbd highway=x\ncd highway=x name=Slow",
    )
    engine = engine_of(world, replace(PLAIN, way=_quiet))
    fast, corner = between(world, "ab"), world.position("d")
    assert engine.nearest(*fast)[0].name != "Fast"
    assert engine.nearest(*fast, snapping="any")[0].name == "Fast"
    assert "Fast" not in engine.route([fast, corner]).waypoints[0].name
    anywhere = engine.route([fast, corner], snapping="any")
    assert anywhere.waypoints[0].name == "Fast" and anywhere.duration_s == seconds(4 * STEP_S)
    assert "Fast" in engine.route([world.position("a"), world.position("b")]).legs[0].names


def test_senseless_questions(grid: Engine) -> None:
    """Each thing that makes no sense is told in one line."""
    a, b = GRID.position("a"), GRID.position("b")
    for bad in ((181.0, 0.0), (0.0, -90.1), (float("nan"), 0.0), (0.0, float("inf"))):
        with pytest.raises(InvalidCoordinate, match="coordinate 1 is not on the globe"):
            grid.route([a, bad])
        with pytest.raises(InvalidCoordinate):
            grid.nearest(*bad)
    for options, message in (
        ({"radiuses": [1]}, "elements in radiuses size 1 does not match coordinate size 2"),
        ({"bearings": []}, "elements in bearings size 0 does not match coordinate size 2"),
        ({"radiuses": [-1, None]}, "radius 0 is -1"),
        ({"radiuses": [None, float("nan")]}, "radius 1 is nan"),
        ({"bearings": [(361, 0), None]}, "bearing 0 is 361,0"),
        ({"bearings": [None, (0, 181)]}, "bearing 1 is 0,181"),
        ({"profile": "boat"}, "no profile 'boat' in this dataset; there is: plain"),
        ({"algorithm": "magic"}, "no algorithm 'magic'; there is: hierarchy, astar, dijkstra"),
        ({"snapping": "some"}, "no snapping 'some'; there is: default, any"),
        ({"waypoints": [0]}, "First and last"),
        ({"waypoints": []}, "First and last"),
        ({"waypoints": [0, 1, 2]}, "First and last"),
    ):
        with pytest.raises(InvalidInput, match=message):
            grid.route([a, b], **options)  # type: ignore[arg-type]
    for points in ([], [a]):
        with pytest.raises(InvalidInput, match="at least two"):
            grid.route(points)
    with pytest.raises(InvalidInput, match="number is 0"):
        grid.nearest(*a, number=0)
    far = (a[0] - 1.0, a[1])
    with pytest.raises(NoSegment, match=r"matching segment for coordinate 1$"):
        grid.route([a, far, b], radiuses=[None, 100, None])
    assert grid.route([a, far]).waypoints[1].distance_m > 50_000, "no radius, no limit"


def test_the_ends_of_the_world(grid: Engine) -> None:
    """Coordinates at the limits are on the globe."""
    for point in ((180.0, 0.0), (-180.0, 90.0), (180.0, -90.0)):
        assert grid.nearest(*point)[0].distance_m > 1e6


def test_barriers_delays_and_restrictions() -> None:
    """A blocked node is not passed, a delay is paid, a restriction obeyed."""
    drawing = """
        a---b---c
        |   |   |
        d---e---f
        """
    ways = "abc highway=x\nde highway=x\nef highway=x\nad highway=x\nbe highway=x\ncf highway=x"
    tags = "b barrier=gate\nd delay=7"
    world = World(drawing, ways, tags)
    points = [between(world, "ab"), between(world, "be")]
    route = engine_of(world).route(points)
    assert nodes(route) == ["badeb"]
    assert route.duration_s == seconds((2 + 2 + 4 + 1) * STEP_S + 7)
    restricted = World(drawing, ways, tags, "restriction=no_left_turn from:de via:e to:be")
    route = engine_of(restricted).route(points)
    assert nodes(route) == ["badefcbcfeb"]
    assert route.duration_s == seconds((2 + 2 + 4 + 4 + 2 + 4 + 4 + 2 + 4 + 1) * STEP_S + 7)


def shape_of(route: Route) -> list[list[tuple[float, float]]]:
    return [list(zip(leg.lon, leg.lat, strict=True)) for leg in route.legs]


lattice = st.sampled_from(
    [f"{a}{b}" for row in ("abc", "def", "ghi", "adg", "beh", "cfi") for a, b in pairwise(row)]
)
places = st.tuples(lattice, st.floats(0, 1))


@cache
def random_world(seed: int) -> tuple[World, Engine]:
    """The grid with some roads one-way, slow or closed."""
    rng = np.random.default_rng(seed)
    tags = ["", "", "", "oneway=yes", "oneway=-1", "kmh=18", "kmh=90"]
    roads = [
        f"{a}{b}" for row in ("abc", "def", "ghi", "adg", "beh", "cfi") for a, b in pairwise(row)
    ]
    lines = [f"{road} highway=x {rng.choice(tags)}" for road in roads]
    drawing = "a---b---c\n|   |   |\nd---e---f\n|   |   |\ng---h---i"
    world = World(drawing, "\n".join(lines))
    return world, engine_of(world)


def naive_duration_s(world: World, points: list[tuple[str, float]]) -> float | None:
    """A search over the roads as they were drawn, from place to place straight on."""
    speed: dict[str, float] = {}
    for way in world.ways:
        kmh = float(way.tags.get("kmh", 36)) / 3.6
        if way.tags.get("oneway") != "-1":
            speed[way.letters] = kmh
        if way.tags.get("oneway") != "yes":
            speed[way.letters[::-1]] = kmh
    length = {road: 400.0 if abs(ord(road[0]) - ord(road[1])) == 1 else 200.0 for road in speed}
    cs = {road: round(length[road] / speed[road] * 100) for road in speed}

    def place(index: int, road: str) -> float | None:
        """How far along a directed road a point lies."""
        name, part = points[index]
        return part if name == road else 1 - part if name[::-1] == road else None

    def steps(state: tuple[int, str, float]) -> list[tuple[tuple[int, str, float], int]]:
        """States: points passed, directed road, how far along it."""
        passed, road, at = state
        found = []
        if passed < len(points):
            ahead = place(passed, road)
            if ahead is not None and ahead >= at:
                found.append(((passed + 1, road, ahead), round((ahead - at) * cs[road])))
        onward = [r for r in cs if r[0] == road[1] and r != road[::-1]]
        if not onward and road[::-1] in cs:
            onward = [road[::-1]]
        return found + [((passed, r, 0.0), round((1 - at) * cs[road])) for r in onward]

    starts = [((1, road, at), 0) for road in cs if (at := place(0, road)) is not None]
    costs = naive_dijkstra(steps, starts)
    best = min(
        (cost for (passed, *_), cost in costs.items() if passed == len(points)), default=None
    )
    return None if best is None else best / 100


@given(st.integers(0, 11), st.lists(places, min_size=2, max_size=4))
def test_durations_against_a_plain_search(seed: int, points: list[tuple[str, float]]) -> None:
    """Routes between any places take as long as a search over the drawn roads says.

    Where the plain search finds a way between the roads that the points were put on, the route
    is as short; a point at a junction, or on a road that leads nowhere, may do better.
    """
    world, engine = random_world(seed)
    expected = naive_duration_s(world, points)
    asked = [between(world, letters, part) for letters, part in points]
    try:
        route = engine.route(asked)
    except NoRoute:
        assert expected is None
        return
    assert engine.route(asked, algorithm="dijkstra").duration_s == route.duration_s
    stands_there = all(
        {spell(waypoint.nodes), spell(waypoint.nodes)[::-1]} & {letters}
        for waypoint, (letters, _) in zip(route.waypoints, points, strict=True)
    )
    if stands_there and expected is not None:
        at_junction = any(part < 1e-4 or part > 1 - 1e-4 for _, part in points)
        difference = route.duration_s - expected
        assert abs(difference) < 0.1 or (at_junction and difference < 0.1)


@given(st.lists(places, min_size=2, max_size=4))
def test_there_and_back(points: list[tuple[str, float]]) -> None:
    """Where all roads are two-way and turns are free, the way back takes as long."""
    engine = engine_of_grid()
    asked = [between(GRID, letters, part) for letters, part in points]
    there, back = engine.route(asked), engine.route(asked[::-1])
    assert there.duration_s == pytest.approx(back.duration_s, abs=0.05)
    for route in (there, back):
        for leg in route.legs:
            assert leg.annotation.duration_s.sum() == pytest.approx(leg.duration_s, abs=1e-6)
            assert leg.annotation.distance_m.sum() == pytest.approx(leg.distance_m, abs=0.05)
    free = engine.route(asked, continue_straight=False)
    alone = [engine.route([a, b]) for a, b in pairwise(asked)]
    assert [leg.duration_s for leg in free.legs] == [route.duration_s for route in alone]


@cache
def engine_of_grid() -> Engine:
    return engine_of(GRID)


def test_threads(grid: Engine) -> None:
    """Threads that ask at once get what one gets alone."""
    rng = np.random.default_rng(3)
    west, north = GRID.position("a")
    east, south = GRID.position("i")
    points = rng.random((80, 2)) * (east - west, south - north) + (west, north)
    pairs = list(zip(points[::2].tolist(), points[1::2].tolist(), strict=True))
    expected = [shape_of(grid.route(pair)) for pair in pairs]
    found: list[list[list[tuple[float, float]]]] = [[] for _ in pairs]

    def ask(order: list[int]) -> None:
        for i in order:
            found[i] = shape_of(grid.route(pairs[i]))

    threads = [
        threading.Thread(target=ask, args=(rng.permutation(len(pairs)).tolist(),)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected
