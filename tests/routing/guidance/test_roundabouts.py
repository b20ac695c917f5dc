"""Roundabouts, rotaries and the turns that small roundabouts are, in drawn worlds."""

import pytest
from drawn import drive, routes_of, spell_steps
from drawn_rings import CASES

ROUTES = routes_of(CASES)


@pytest.mark.parametrize(("name", "route"), ROUTES)
def test_roundabouts(name: str, route: str) -> None:
    """Each route has the steps that the table tells."""
    case = CASES[name]
    assert spell_steps(drive(case, route)) == case.expected()[route]


def test_rotary_names() -> None:
    """A rotary's own name is told beside that of the road taken; at an exit it is not."""
    steps = drive(CASES["rotary"], "w>e").steps
    assert [step.rotary_name for step in steps] == ["", "Place de Mars", "", ""]
    assert {step.rotary_name for step in drive(CASES["roundabout"], "w>e").steps} == {""}


def test_exits_are_told_at_both_ends() -> None:
    """Whoever enters and whoever leaves hears the same number; no other step has one."""
    steps = drive(CASES["roundabout"], "w>n").steps
    assert [step.maneuver.exit for step in steps] == [None, 3, 3, None]
