"""What steps tell besides their words: sides, bearings, modes, and carriageways seen as one."""

import pytest
from drawn import Case, drive, engine_for, place, spell_steps
from drawn_turns import CASES

from routing.guidance.crossings import intersection_of
from routing.guidance.drafts import Crossing, Road
from routing.route import Leg

STREET = Case("a - - - - b", "ab", "")


def beside(east_m: float, north_m: float) -> tuple[float, float]:
    """A place so far from the middle of the street."""
    world, _ = engine_for(STREET)
    lon, lat = place(world, "ab")
    (lon_a, _), (lon_b, _) = world.position("a"), world.position("b")
    per_m = (lon_b - lon_a) / 1000.0
    return lon + east_m * per_m, lat + north_m / 111_300.0


def leg_between(begin: tuple[float, float], goal: tuple[float, float]) -> Leg:
    """The leg between two places at the street."""
    _, engine = engine_for(STREET)
    (leg,) = engine.route([begin, goal]).legs
    return leg


@pytest.mark.parametrize(
    ("north_m", "side"),
    [(30.0, "left"), (-30.0, "right"), (2.0, None), (-2.0, None), (400.0, None)],
)
def test_sides(north_m: float, side: str | None) -> None:
    """Eastwards, what lies north is on the left; nothing is said of what is near or far."""
    leg = leg_between(beside(-200.0, north_m), beside(200.0, north_m))
    assert [step.maneuver.modifier for step in leg.steps] == [side, side]
    back = leg_between(beside(200.0, north_m), beside(-200.0, north_m))
    opposite = {"left": "right", "right": "left", None: None}[side]
    assert [step.maneuver.modifier for step in back.steps] == [opposite, opposite]


def test_beyond_the_end_of_a_road() -> None:
    """Who starts behind the end of a road goes straight on, and so does one who arrives there."""
    leg = leg_between(beside(-530.0, 0.0), beside(530.0, 0.0))
    assert [step.maneuver.modifier for step in leg.steps] == ["straight", "straight"]


def test_bearings() -> None:
    """Whole degrees before and after each maneuver; none before the first and after the last."""
    leg = drive(CASES["cross of four names"], "a>b")
    found = [(step.maneuver.bearing_before, step.maneuver.bearing_after) for step in leg.steps]
    assert found == [(0, 90), (90, 0), (0, 0)]
    depart, turn, arrive = (step.intersections[0] for step in leg.steps)
    assert (depart.bearings, depart.entry, depart.came_in, depart.out) == ((90,), (True,), None, 0)
    assert turn.bearings == (0, 90, 180, 270) and (turn.came_in, turn.out) == (3, 0)
    assert (arrive.bearings, arrive.entry, arrive.came_in, arrive.out) == ((180,), (True,), 0, None)


def test_driving_side() -> None:
    """It is told of each step."""
    case = CASES["tee"]
    assert {step.driving_side for step in drive(case, "a>d").steps} == {"right"}
    left = case._replace(ways="abc driving_side=left\nbd driving_side=left")
    assert {step.driving_side for step in drive(left, "a>d").steps} == {"left"}


def test_silent_vias() -> None:
    """Points on the way that end no leg change nothing."""
    case = CASES["cross of four names"]
    direct, over = drive(case, "a>e"), drive(case, "a>ac>ce>e")
    assert spell_steps(direct) == spell_steps(over)
    assert sum(step.distance_m for step in over.steps) == pytest.approx(over.distance_m, abs=0.02)


@pytest.mark.parametrize("via_m", [100.0, 499.0])
def test_turning_around_at_a_silent_via(via_m: float) -> None:
    """It takes place there, however near the end of the road is, and costs nothing."""
    _, engine = engine_for(STREET)
    points = [beside(east_m, 0.0) for east_m in (-200.0, via_m, -100.0)]
    (leg,) = engine.route(points, waypoints=[0, 2], continue_straight=False).legs
    assert spell_steps(leg) == "depart ab, continue uturn ab, arrive ab"
    assert leg.steps[0].distance_m == pytest.approx(via_m + 200.0, abs=2)
    assert leg.steps[1].distance_m == pytest.approx(via_m + 100.0, abs=2)
    turn = leg.steps[1].maneuver
    assert (turn.bearing_before, turn.bearing_after) == (90, 270)
    assert sum(step.duration_s for step in leg.steps) == pytest.approx(leg.duration_s, abs=0.02)
    assert sum(step.weight for step in leg.steps) == pytest.approx(leg.weight, abs=0.02)


@pytest.mark.parametrize("tiny_m", [0.1, 0.3])
def test_turning_around_at_the_end_of_a_road(tiny_m: float) -> None:
    """A leg of a few centimetres to the end, and no metre back, has a direction all the same."""
    _, engine = engine_for(STREET)
    begin, before, end = beside(-500.0, 0.0), beside(500.0 - tiny_m, 0.0), beside(500.0, 0.0)
    there = engine.route([begin, before, end, begin], continue_straight=True).legs[1]
    back = engine.route([begin, end, before, begin], continue_straight=True).legs[1]
    for leg, bearing in ((there, 90), (back, 270)):
        depart, arrive = leg.steps
        assert (depart.maneuver.type, depart.maneuver.bearing_after) == ("depart", bearing)
        assert (arrive.maneuver.type, arrive.maneuver.bearing_before) == ("arrive", bearing)


DEAD_END = Case(
    """
    a
    .
    b - - d - - e
    .     .
    c     f
    """,
    "abc name=One\nbde\ndf",
    "",
    metres=2.5,
)


def test_bearings_ascend_around_north() -> None:
    """Also where one road leads a little east of north and another a little west of it."""
    roads = [Road(0, 0.2, True), Road(2, 90.0, False), Road(5, 180.0, False), Road(6, 359.8, True)]
    found = intersection_of(Crossing(1, roads, 2, 3), (0.0, 0.0), ())
    assert found.bearings == (0, 0, 90, 180) and found.entry == (True, True, False, False)
    assert (found.came_in, found.out) == (3, 0)


def test_turning_around_behind_a_turn() -> None:
    """A turn is what it is, though the road ends soon behind it and one has to turn around."""
    world, engine = engine_for(DEAD_END)
    goal = place(world, "de")
    route = engine.route([world.position("a"), goal], bearings=[None, (270.0, 20.0)])
    _, turn, around, _ = route.legs[0].steps
    assert (turn.maneuver.type, turn.maneuver.modifier) == ("turn", "left")
    assert (around.maneuver.modifier, around.maneuver.bearing_after) == ("uturn", 270)


DUAL = Case(
    """
                  c - - - - - - - d
                .
    a - - - - b
                .
                  e - - - - - - - f
    """,
    """
    ab name=One highway=primary
    dcb name=One highway=primary oneway=yes
    bef name=One highway=primary oneway=yes
    """,
    "",
    metres=3.0,
)


def test_carriageways_part() -> None:
    """Where the directions of a road part or meet, nobody is told to keep right or to merge."""
    assert spell_steps(drive(DUAL, "a>f")) == "depart One, arrive One"
    assert spell_steps(drive(DUAL, "d>a")) == "depart One, arrive One"
    assert all(len(step.intersections) == 1 for step in drive(DUAL, "a>f").steps)


def test_branches_are_no_carriageways() -> None:
    """Two roads of different names that lead apart are a choice, whatever their directions."""
    ways = """
    ab name=One highway=primary
    dcb name=Two highway=primary
    bef name=Three highway=primary
    """
    apart = DUAL._replace(ways=ways)
    assert "fork slight right Three" in spell_steps(drive(apart, "a>f"))


@pytest.mark.parametrize("name", ["tee", "fork", "star of six"])
def test_the_same_again(name: str) -> None:
    """What is kept of a turn gives the same steps when it is taken again."""
    case = CASES[name]
    for route in case.expected():
        assert spell_steps(drive(case, route)) == spell_steps(drive(case, route))
