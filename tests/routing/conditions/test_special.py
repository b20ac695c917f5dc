"""Roads at a time or without some classes: as in a world that has only these."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from engines import engine_of
from hierarchies import turns_are_arcs
from hypothesis import given, settings
from timed_towns import MONDAY_MORNING, durations, worlds
from world import World

from gis.profiles.bicycle import PROFILE as BICYCLE
from gis.profiles.car import PROFILE as CAR
from routing.areas.around import ReachedArea
from routing.conditions.prepared import check_conditions
from routing.conditions.special import SpecialWeightings
from routing.engine import Engine
from routing.errors import InvalidInput, InvalidValue, NoRoute
from routing.graph.turn_graph import check_turn_graph

NIGHT, MORNING, SUNDAY = "2026-11-30T23:30", "2026-11-30T08:15", "2026-11-29T12:00"

BLOCK = """
    a---b---c---d
        |   |
        e---f
    """
DETOUR = "be highway=residential\nef highway=residential\nfc highway=residential"


def engine(ways: str, relations: str = "", **changes: Any) -> tuple[World, Engine]:
    """The block for a car that does not mind turns."""
    world = World(BLOCK, f"{ways}\n{DETOUR}", relations=relations)
    return world, engine_of(world, replace(CAR, turn=lambda *_: 0.0, **changes))


def length_m(world: World, found: Engine, ends: str = "ad", **options: Any) -> float:
    """Metres from one letter to another, -1 if there is no way."""
    try:
        return found.route([world.position(x) for x in ends], **options).distance_m
    except NoRoute:
        return -1.0


STRAIGHT, AROUND = 1200.0, 1600.0

AT_TIMES = [
    pytest.param(
        "bc highway=primary motor_vehicle:conditional='no @ (Mo-Fr 07:00-09:00)'",
        "",
        {None: STRAIGHT, MORNING: AROUND, NIGHT: STRAIGHT, SUNDAY: STRAIGHT},
        id="access",
    ),
    pytest.param(
        "bc highway=primary motor_vehicle=no motor_vehicle:conditional='yes @ (22:00-06:00)'",
        "",
        {None: AROUND, MORNING: AROUND, NIGHT: STRAIGHT},
        id="closed but at night",
    ),
    pytest.param(
        "bc highway=primary access=private access:conditional='yes @ (22:00-06:00)'",
        "",
        {None: AROUND, MORNING: AROUND, NIGHT: STRAIGHT},
        id="private but at night",
    ),
    pytest.param(
        "bc highway=primary access:conditional='destination @ (22:00-06:00)'",
        "",
        {None: STRAIGHT, MORNING: STRAIGHT, NIGHT: AROUND},
        id="only for residents at night",
    ),
    pytest.param(
        "bc highway=primary oneway:conditional='-1 @ (Mo-Fr 07:00-09:00)'",
        "",
        {None: STRAIGHT, MORNING: AROUND, NIGHT: STRAIGHT},
        id="oneway",
    ),
    pytest.param(
        "bc highway=primary oneway=reversible "
        "oneway:conditional='yes @ (Mo-Fr 06:00-10:00); -1 @ (Mo-Fr 15:00-19:00)'",
        "",
        {None: AROUND, MORNING: STRAIGHT, "2026-11-30T16:00": AROUND},
        id="reversible",
    ),
    pytest.param(
        "bc highway=primary maxspeed=50 maxspeed:conditional='5 @ (22:00-06:00)'",
        "",
        {None: STRAIGHT, MORNING: STRAIGHT, NIGHT: AROUND},
        id="maxspeed",
    ),
    pytest.param(
        "bc highway=primary",
        "restriction:conditional='no_straight_on @ (22:00-06:00)' from:ab via:b to:bc",
        {None: STRAIGHT, MORNING: STRAIGHT, NIGHT: AROUND},
        id="restriction over a node",
    ),
    pytest.param(
        "bc highway=primary",
        "restriction:conditional='only_right_turn @ (22:00-06:00)' from:ab via:b to:be",
        {None: STRAIGHT, MORNING: STRAIGHT, NIGHT: AROUND},
        id="demand over a node",
    ),
    pytest.param(
        "bc highway=primary",
        "restriction:conditional='no_straight_on @ (Su)' from:ab via:bc to:cd",
        {None: STRAIGHT, MORNING: STRAIGHT, SUNDAY: AROUND},
        id="restriction over a way",
    ),
    pytest.param(
        "bc highway=primary",
        "restriction:conditional='only_right_turn @ (Su)' from:ab via:bc to:fc",
        {None: STRAIGHT, MORNING: STRAIGHT, SUNDAY: AROUND},
        id="demand over a way",
    ),
    pytest.param(
        "bc highway=primary",
        "restriction=no_straight_on hour_on=22:00 hour_off=06:00 from:ab via:b to:bc",
        {None: STRAIGHT, MORNING: STRAIGHT, NIGHT: AROUND},
        id="old hours",
    ),
    pytest.param(
        "bc highway=primary",
        "restriction=no_straight_on restriction:conditional='none @ (Su)' from:ab via:b to:bc",
        {None: AROUND, MORNING: AROUND, SUNDAY: STRAIGHT},
        id="restriction but on Sundays",
    ),
    pytest.param(
        "bc highway=primary access:conditional='no @ wet; no @ weight>7.5; no @ what'",
        "",
        {None: STRAIGHT, MORNING: STRAIGHT, NIGHT: STRAIGHT},
        id="no times",
    ),
]


@pytest.mark.parametrize(("bc", "relation", "expected"), AT_TIMES)
def test_what_holds_at_times(bc: str, relation: str, expected: dict[str | None, float]) -> None:
    """The way through is straight or around the block, depending on the time."""
    world, found = engine(f"ab highway=primary\n{bc}\ncd highway=primary", relation)
    for departure, length in expected.items():
        for algorithm in ("hierarchy", "astar", "dijkstra"):
            options = {"depart_at": departure, "algorithm": algorithm}
            assert length_m(world, found, **options) == pytest.approx(length, rel=1e-3)


def test_the_largest_part_at_a_time() -> None:
    """What is the largest by day may lie behind a private road of what is the largest at night.

    By day the east is an island, and its end stands for the nearest place that is none.
    """
    ways = """
        ab highway=residential
        bc highway=residential
        cd highway=residential access=private
        de highway=residential
        ef highway=residential motor_vehicle=no motor_vehicle:conditional='yes @ (22:00-06:00)'
        fg highway=residential
        """
    world = World("a---b---c---d---e---f---g", ways)
    found = engine_of(world, replace(CAR, turn=lambda *_: 0.0))
    for departure, to_end in ((None, 1600.0), (MORNING, 1600.0), (NIGHT, 2400.0)):
        for ends, expected in (("ae", 1600.0), ("ag", to_end)):
            there = length_m(world, found, ends, depart_at=departure)
            back = length_m(world, found, ends[::-1], depart_at=departure)
            assert (there, back) == pytest.approx((expected, expected), rel=1e-3)


@settings(max_examples=50)
@given(worlds())
def test_a_time_is_as_if_the_tags_said_so(both: tuple[World, World]) -> None:
    """Durations of all pairs at a time are those of a map with only what holds then."""
    timed, plain = both
    found, other = engine_of(timed, CAR), engine_of(plain, CAR)
    prepared = found._vehicles["car"].prepared
    n_arcs = len(prepared.metric.weight)
    check_conditions(prepared.conditions, n_arcs)
    _, weighting = found._vehicle("car", MONDAY_MORNING)
    check_turn_graph(weighting.graph, n_arcs)
    assert weighting.graph.vertex_arc.tolist() == prepared.turn_graph.vertex_arc.tolist()
    assert turns_are_arcs(weighting.graph, prepared.hierarchy)
    at_time = durations(found, timed, depart_at=MONDAY_MORNING)
    np.testing.assert_allclose(at_time, durations(other, plain), atol=0.3)


def test_nothing_is_made_anew_without_need() -> None:
    """Where no condition holds the vehicle's own weights are used; others are kept."""
    _, found = engine(
        "ab highway=primary\nbc highway=primary maxspeed:conditional='5 @ (22:00-06:00)'\n"
        "cd highway=primary"
    )
    _, own = found._vehicle("car")
    assert found._vehicle("car", MORNING)[1] is own
    _, night = found._vehicle("car", NIGHT)
    assert night is not own and night.graph is own.graph
    assert found._vehicle("car", "2026-11-30T03:00+00:00")[1] is night
    for exclude in (["toll"], ["motorway"], ["ferry"], ["tunnel"]):
        found._vehicle("car", NIGHT, exclude)
    assert found._vehicle("car", NIGHT)[1] is not night


def test_weights_of_ones_own_at_a_time() -> None:
    """Speeds of one's own count before those at times, closed is closed, avoided is avoided."""
    world, found = engine(
        "ab highway=primary\n"
        "bc highway=primary motor_vehicle=no motor_vehicle:conditional='yes @ (22:00-06:00)'\n"
        "cd highway=primary"
    )
    (west, north), (east, _) = world.position("b"), world.position("c")
    inner = (west + 0.002, north - 0.0001), (east - 0.002, north + 0.0001)
    (x, y), (to_x, to_y) = inner
    square = [[(x, y), (to_x, y), (to_x, to_y), (x, to_y), (x, y)]]
    assert length_m(world, found, depart_at=NIGHT) == pytest.approx(STRAIGHT, rel=1e-3)
    for n_routes in (1, 1 << 40):
        avoiding = found.with_weights(avoid=[square], n_routes=n_routes)
        assert length_m(world, avoiding, depart_at=NIGHT) == pytest.approx(AROUND, rel=1e-3)
        slow = found.with_weights(way_speeds={world.way_id("bc"): 1.0}, n_routes=n_routes)
        assert length_m(world, slow, depart_at=NIGHT) == pytest.approx(AROUND, rel=1e-3)
        assert length_m(world, slow, depart_at=MORNING) == pytest.approx(AROUND, rel=1e-3)
        closed = found.with_weights(way_speeds={world.way_id("ef"): 0.0}, n_routes=n_routes)
        assert length_m(world, closed, depart_at=MORNING) == -1
        assert length_m(world, closed, depart_at=NIGHT) == pytest.approx(STRAIGHT, rel=1e-3)


def modes(found: Engine, world: World, ends: str, **options: Any) -> list[str]:
    """How one travels on each step but the last."""
    (leg,) = found.route([world.position(x) for x in ends], **options).legs
    return [step.mode for step in leg.steps[:-1]]


def test_how_one_travels_at_a_time() -> None:
    """Steps tell of pushing where that is what takes so long, and of riding where it is not."""
    world = World(
        "a---b---c---d",
        "ab highway=residential\n"
        "bc highway=pedestrian bicycle:conditional='yes @ (18:00-10:00)'\n"
        "cd highway=residential",
    )
    found = engine_of(world, BICYCLE)
    for departure, mode in ((None, "pushing bike"), (NIGHT, "cycling"), (None, "pushing bike")):
        assert modes(found, world, "bc", depart_at=departure) == [mode]
        assert set(modes(found, world, "ad", depart_at=departure)) == {"cycling", mode}


def classes(found: Engine, world: World, ends: str, **options: Any) -> list[tuple[str, ...]]:
    """The classes of the roads after the crossings of a route, without repetition."""
    (leg,) = found.route([world.position(x) for x in ends], **options).legs
    told = [crossing.classes for step in leg.steps[:-1] for crossing in step.intersections]
    return list(dict.fromkeys(told))


def test_what_is_restricted_at_a_time() -> None:
    """Steps tell so then, of what lies behind, too."""
    world = World(
        "x---a---b---c---d",
        "xa highway=primary\nab highway=primary\n"
        "bc highway=primary name=inner access:conditional='private @ (22:00-06:00)'\n"
        "cd highway=primary name=outer toll=yes",
    )
    found = engine_of(world, CAR)
    for _ in range(2):
        assert classes(found, world, "ad") == [(), ("toll",)]
        told = classes(found, world, "ad", depart_at=NIGHT)
        assert told == [(), ("restricted",), ("toll", "restricted")]


def test_behind_a_gate_whatever_was_asked_first() -> None:
    """A road that the first request excluded is described as any other for the next."""
    world = World(
        "x---a---b---c---d",
        "xa highway=primary\nab highway=primary\nbc highway=primary access=private\n"
        "cd highway=primary name=outer toll=yes",
    )
    for first in ({}, {"exclude": ["toll"]}):
        found = engine_of(world, CAR)
        assert classes(found, world, "ab", **first) == [()]
        assert classes(found, world, "cd") == [("toll", "restricted")]


def max_lon(area: ReachedArea) -> float:
    """The easternmost place that is reached."""
    return float(np.concatenate(area.shapes[0])[:, 0].max())


TOLLS = "ab highway=primary\nbc highway=primary toll=yes\ncd highway=primary"


def test_exclude() -> None:
    """Routes keep out of a class, and nobody stands on its roads: as if there were none."""
    world, found = engine(TOLLS)
    without, other = engine("ab highway=primary\ncd highway=primary")
    assert length_m(world, found) == pytest.approx(STRAIGHT, rel=1e-3)
    for options in ({"exclude": ["toll"]}, {"exclude": ("toll", "toll")}):
        assert length_m(world, found, **options) == pytest.approx(AROUND, rel=1e-3)
        assert length_m(world, found, **options) == length_m(without, other)
    middle = tuple(np.add(world.position("b"), world.position("c")) / 2)
    assert found.nearest(*middle)[0].distance_m < 1
    assert found.nearest(*middle, exclude=["toll"])[0].distance_m > 150
    near = found.nearest_roads([middle, world.position("a")], exclude=["toll"]).distance_m
    assert near[0] > 150 and near[1] < 1
    points = [world.position(x) for x in "abcdef"]
    same = [without.position(x) for x in "abcdef"]
    table = found.table(points, exclude=["toll"]).duration_s
    np.testing.assert_allclose(table, other.table(same).duration_s, atol=0.05)
    pairs = found.routes(points, points[::-1], exclude=["toll"])
    np.testing.assert_allclose(pairs.duration_s, table[range(6), range(5, -1, -1)])
    assert len(found.alternatives([points[0], points[3]], exclude=["toll"])) == 1
    area = found.isochrone(*points[0], durations_s=[40], lines=True)
    smaller = found.isochrone(*points[0], durations_s=[40], lines=True, exclude=["toll"])
    assert max_lon(smaller) < max_lon(area) - 0.002


def test_exclude_at_a_time() -> None:
    """Both at once; and what is of a class only at times is excluded only then."""
    world, found = engine(
        TOLLS.replace("toll=yes", "access:conditional='destination @ (22:00-06:00)'")
    )
    assert length_m(world, found, exclude=["restricted"]) == pytest.approx(STRAIGHT, rel=1e-3)
    middle = tuple(np.add(world.position("b"), world.position("c")) / 2)
    assert found.nearest(*middle, depart_at=NIGHT)[0].distance_m < 1
    far = found.nearest(*middle, depart_at=NIGHT, exclude=["restricted"])[0].distance_m
    assert far > 150


@pytest.mark.parametrize("exclude", [["tolls"], ["toll", "ferry"], [""], ["toll,ferry"], ["Toll"]])
def test_combinations_that_are_not_declared(exclude: list[str]) -> None:
    """They are refused in OSRM's words."""
    world, found = engine(TOLLS)
    with pytest.raises(InvalidValue, match=r"^Exclude flag combination is not supported\.$"):
        length_m(world, found, exclude=exclude)


@pytest.mark.parametrize("exclude", [5, [5], ["toll", None]])
def test_what_are_no_classes(exclude: Any) -> None:
    """Anything but words is refused as other wrong input is."""
    world, found = engine(TOLLS)
    with pytest.raises(InvalidInput, match=r"^exclude is .*, expected classes of roads"):
        length_m(world, found, exclude=exclude)


def test_declared_combinations() -> None:
    """Several classes at once, in any order, if the profile says so."""
    both = (frozenset(("toll", "ferry")),)
    world, found = engine(TOLLS, excludable=both)
    for exclude in (["toll", "ferry"], ["ferry", "toll"]):
        assert length_m(world, found, exclude=exclude) == pytest.approx(AROUND, rel=1e-3)
    with pytest.raises(InvalidValue):
        length_m(world, found, exclude=["toll"])


@pytest.mark.parametrize("when", ["soon", "", "2026-13-01T08:00", 5, "0001-01-01T00:00"])
def test_times_that_are_none(when: Any) -> None:
    """One line tells what is expected."""
    world, found = engine(TOLLS)
    with pytest.raises(InvalidInput, match=r"^depart_at is [^\n]+expected"):
        length_m(world, found, depart_at=when)


def test_directions_at_a_time() -> None:
    """Steps lead along roads and turns that there are only then, and take as long as the route."""
    world, found = engine(
        "ab highway=primary name=A\n"
        "bc highway=primary name=B access=no access:conditional='yes @ (22:00-06:00)'\n"
        "cd highway=primary name=C"
    )
    for departure, names in ((NIGHT, ["A", "B", "C", "C"]), (MORNING, ["A", "", "C", "C"])):
        route = found.route([world.position("a"), world.position("d")], depart_at=departure)
        steps = route.legs[0].steps
        assert [step.name for step in steps if step.name or step is steps[1]] == names
        total = sum(step.duration_s for step in steps)
        assert total == pytest.approx(route.duration_s, abs=0.1)


def test_who_waits_for_whom(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread makes what several want; who wants something else is not held up by it."""
    world, found = engine(TOLLS, excludable=(frozenset(("toll",)), frozenset(("ferry",))))
    make, made = SpecialWeightings._make, []
    begun, go_on = threading.Event(), threading.Event()

    def slowly(self: SpecialWeightings, *arguments: Any) -> Any:
        made.append(arguments)
        if len(made) == 1:
            begun.set()
            assert go_on.wait(20)
            raise MemoryError
        return make(self, *arguments)

    monkeypatch.setattr(SpecialWeightings, "_make", slowly)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(length_m, world, found, exclude=["toll"])
        assert begun.wait(20)
        second = pool.submit(length_m, world, found, exclude=["toll"])
        assert length_m(world, found, exclude=["ferry"]) == pytest.approx(STRAIGHT, rel=1e-3)
        assert not second.done() and len(made) == 2
        go_on.set()
        with pytest.raises(MemoryError):
            first.result(20)
        assert second.result(20) == pytest.approx(AROUND, rel=1e-3), "though the first has failed"
    assert len(made) == 3
    assert length_m(world, found, exclude=["toll"]) == pytest.approx(AROUND, rel=1e-3)
    assert len(made) == 3
