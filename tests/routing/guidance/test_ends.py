"""What is left out of legs: tiny ends, silent crossings, names that do not last; and summaries."""

import pytest
from told import car_engine, steps_of, told
from world import World

from routing.engine import Engine
from routing.route import Leg

STREET = World(
    """
        c               h
        |               |
a ----- b ----- d ----- g ----- k
        |               |
        e               i
    """,
    """
    ab   highway=tertiary name=West
    bd   highway=tertiary name=Middle
    dg   highway=tertiary name=Middle
    gk   highway=tertiary ref=A1
    cbe  highway=residential name=First
    hgi  highway=residential
    """,
    metres=40.0,
)


@pytest.fixture(scope="module")
def street() -> Engine:
    return car_engine(STREET)


def leg_of(engine: Engine, points: list[tuple[float, float]]) -> Leg:
    return engine.route(points).legs[0]


def beside(letter: str, towards: str, metres: float) -> tuple[float, float]:
    """A place on the way from one node to another."""
    (x, y), (to_x, to_y) = STREET.position(letter), STREET.position(towards)
    length_m = ((to_x - x) ** 2 * 0.25 + (to_y - y) ** 2) ** 0.5 * 111_300.0
    part = metres / length_m
    return x + part * (to_x - x), y + part * (to_y - y)


@pytest.mark.parametrize("away_m", [0.0, 0.4])
def test_a_leg_departs_and_arrives_without_turning_at_tiny_ends(
    street: Engine, away_m: float
) -> None:
    departing = leg_of(street, [beside("b", "a", away_m), STREET.position("c")])
    assert [step.maneuver.type for step in departing.steps] == ["depart", "arrive"]
    assert departing.steps[0].name == "First"
    arriving = leg_of(street, [STREET.position("c"), beside("b", "a", away_m)])
    assert [step.maneuver.type for step in arriving.steps] == ["depart", "arrive"]
    assert arriving.steps[-1].name == "First"


def test_a_turn_at_some_distance_from_the_ends_is_told(street: Engine) -> None:
    departing = leg_of(street, [beside("b", "a", 4.0), STREET.position("c")])
    assert told(list(departing.steps)) == "turn left [First]"


def test_trimmed_steps_still_cover_the_line(street: Engine) -> None:
    for points in (
        [beside("b", "a", 0.4), STREET.position("c")],
        [STREET.position("c"), beside("b", "a", 0.4)],
        [beside("b", "a", 0.4), beside("g", "k", 0.4)],
    ):
        leg = leg_of(street, points)
        assert leg.steps[0].first_point == 0
        assert leg.steps[-1].first_point == leg.steps[-1].last_point == len(leg.lon) - 1
        for step, after in zip(leg.steps, leg.steps[1:], strict=False):
            assert step.last_point == after.first_point
        assert sum(step.distance_m for step in leg.steps) == pytest.approx(leg.distance_m, abs=0.02)


def test_names_that_do_not_last_are_not_told(street: Engine) -> None:
    briefly = leg_of(street, [STREET.position("a"), beside("b", "d", 90.0)])
    assert told(list(briefly.steps)) == ""
    longer = leg_of(street, [STREET.position("a"), beside("b", "d", 120.0)])
    assert told(list(longer.steps)) == "new name straight [Middle]"
    assert (
        told(steps_of(street, STREET, "ak")) == "new name straight [Middle], new name straight []"
    )


@pytest.mark.parametrize(
    ("route", "summary"),
    [
        ("ad", "West, Middle"),
        ("da", "Middle, West"),
        ("ak", "West, Middle"),
        ("gk", "A1"),
        ("ce", "First"),
        ("hi", ""),
        ("ag", "West, Middle"),
    ],
)
def test_summaries_name_the_two_main_roads(street: Engine, route: str, summary: str) -> None:
    assert leg_of(street, [STREET.position(letter) for letter in route]).summary == summary
