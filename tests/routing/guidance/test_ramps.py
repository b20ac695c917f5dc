"""Motorways, their ramps, links of other roads, ferries and other changes of mode."""

import pytest
from drawn import drive, routes_of, spell_steps
from drawn_ramps import CASES

ROUTES = routes_of(CASES)


@pytest.mark.parametrize(("name", "route"), ROUTES)
def test_ramps(name: str, route: str) -> None:
    """Each route has the steps that the table tells."""
    case = CASES[name]
    assert spell_steps(drive(case, route)) == case.expected()[route]


def test_signs_of_an_exit() -> None:
    """Where it leads and its number belong to the step onto the ramp."""
    _, ramp, _ = drive(CASES["exit with a destination"], "a>e").steps
    assert (ramp.destinations, ramp.exits) == ("Köln, Bonn", "23")


def test_modes() -> None:
    """Each change of the way to travel has a step, and its mode."""
    steps = drive(CASES["ferry"], "a>f").steps
    assert [step.mode for step in steps] == ["driving", "ferry", "driving", "driving"]
