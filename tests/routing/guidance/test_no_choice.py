"""Nothing is said where there is only one way on."""

from typing import cast

from routing.guidance.drafts import (
    ARRIVE,
    DEPART,
    END_OF_ROAD,
    NEW_NAME,
    RIGHT,
    STRAIGHT,
    TURN,
    Crossing,
    Draft,
    Road,
)
from routing.guidance.no_choice import silence_only_ways
from routing.guidance.passage import Passage


class Names:
    """A passage whose roads are called by their place in the trail."""

    def __init__(self, names: str) -> None:
        self._names = names

    def have_same_name(self, one: Draft, other: Draft) -> bool:
        """As in a passage."""
        return self._names[one.at] == self._names[other.at]


def kinds(
    names: str, onward: float = 90.0, entry: bool = False, kind: str = TURN, n: int = 1
) -> list[tuple[str, str | None, int]]:
    """Type, modifier and number of crossings of what is left of a draft and both ends."""
    roads = [Road(2, 30.0, entry), Road(4, onward, True), Road(1, 270.0, False)]
    crossings = [Crossing(7, roads, 2, 1) for _ in range(n)]
    end = [Crossing(-1, [], None, None)]
    drafts = [
        Draft(0, DEPART, None, [Crossing(-1, [], None, None)]),
        Draft(1, kind, RIGHT, crossings),
        Draft(2, ARRIVE, None, end),
    ]
    silence_only_ways(cast("Passage", Names(names)), drafts)
    return [(draft.type, draft.modifier, len(draft.crossings)) for draft in drafts]


LEFT_ALONE = [(DEPART, None, 1), (TURN, RIGHT, 1), (ARRIVE, None, 1)]


def test_silent_under_the_same_name() -> None:
    """The crossing is one that the step before passes."""
    assert kinds("aaa") == [(DEPART, None, 2), (ARRIVE, None, 1)]
    assert kinds("aaa", 109.0) == kinds("aaa", 71.0) == kinds("aaa")


def test_another_name_is_told() -> None:
    """As a name, not as a turn."""
    assert kinds("abb") == [(DEPART, None, 1), (NEW_NAME, STRAIGHT, 1), (ARRIVE, None, 1)]


def test_where_there_is_a_choice() -> None:
    """Or a bend, or more than one crossing, or another maneuver: nothing changes."""
    assert kinds("aaa", entry=True) == kinds("aaa", 111.0) == LEFT_ALONE
    assert kinds("aaa", kind=END_OF_ROAD)[1] == (END_OF_ROAD, RIGHT, 1)
    assert kinds("aaa", n=2)[1] == (TURN, RIGHT, 2)
