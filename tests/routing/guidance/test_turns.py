"""Turns, forks, ends of roads and new names in drawn worlds."""

import pytest
from drawn import drive, spell_steps
from drawn_turns import CASES

ROUTES = [(name, route) for name, case in CASES.items() for route in case.expected()]


@pytest.mark.parametrize(("name", "route"), ROUTES)
def test_turns(name: str, route: str) -> None:
    """Each route has the steps that the table tells."""
    case = CASES[name]
    assert spell_steps(drive(case, route)) == case.expected()[route]


def test_there_are_cases() -> None:
    """The table is no empty one."""
    assert len(ROUTES) > 60
