"""Turns, forks, ends of roads and new names in drawn worlds."""

import pytest
from drawn import drive, routes_of, spell_steps
from drawn_turns import CASES

ROUTES = routes_of(CASES)


@pytest.mark.parametrize(("name", "route"), ROUTES)
def test_turns(name: str, route: str) -> None:
    """Each route has the steps that the table tells."""
    case = CASES[name]
    assert spell_steps(drive(case, route)) == case.expected()[route]


def test_there_are_cases() -> None:
    """The table is no empty one."""
    assert len(ROUTES) > 60
