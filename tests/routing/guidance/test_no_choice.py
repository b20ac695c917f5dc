"""Nothing is said where there is only one way on."""

import pytest

from routing.guidance.book import is_only_way
from routing.guidance.drafts import Crossing, Road


def crossing(onward: float = 90.0, entry: bool = False) -> Crossing:
    """A road goes from west to east or so, another one joins it that may be entered or not."""
    return Crossing(7, [Road(2, 30.0, entry), Road(4, onward, True), Road(1, 270.0, False)], 2, 1)


def test_straight_on_where_nothing_else_is_open() -> None:
    """As long as it is no bend."""
    assert is_only_way(crossing())
    assert is_only_way(crossing(109.0)) and is_only_way(crossing(71.0))


@pytest.mark.parametrize("other", [crossing(entry=True), crossing(111.0), crossing(69.0)])
def test_where_there_is_a_choice(other: Crossing) -> None:
    """Or a bend."""
    assert not is_only_way(other)


def test_no_u_turn() -> None:
    """Nor where one departs, or turns around."""
    roads = crossing().roads
    for came_in, out in ((2, 2), (None, 1), (2, None)):
        assert not is_only_way(Crossing(7, roads, came_in, out))
