"""Which lanes lead into which roads, and which of two crossings they are drawn for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.guidance.directions import direction_of
from routing.guidance.lane_match import Span, Way, match, partition, spans_of
from routing.guidance.lanes import parse_turns

ROADS = {
    "S": 40.0,
    "R": 90.0,
    "r": 150.0,
    "|": 180.0,
    "l": 210.0,
    "L": 270.0,
    "H": 320.0,
}
"""Sharp right, right, slight right, straight, slight left, left, hard left. A comma after a road:
it may not be entered. ``b``: one may turn back."""


def ways_of(roads: str) -> tuple[list[Way], Way]:
    """Roads from left to right."""
    ways = []
    for i, letter in enumerate(roads.replace(",", "").replace("b", "")):
        closed = letter + "," in roads
        angle = ROADS[letter]
        ways.append(Way(i + 1, angle, direction_of(angle), not closed, letter == "|"))
    return ways, Way(0, 0.0, "uturn", "b" in roads)


MATCHES = [
    # lanes, roads from left to right, lanes (from 0) for each of them, and for turning back
    ("left|through|right", "L|R", "0 1 2"),
    ("left|through|through|right", "L|R", "0 12 3"),
    ("left;through|right", "L|R", "0 0 1"),
    ("left|through;right", "L|R", "0 1 1"),
    ("left;through;right", "L|R", "0 0 0"),
    ("left|right", "LR", "0 1"),
    ("through|right", "|R", "0 1"),
    ("left|through", "L|", "0 1"),
    ("through", "|", "0"),
    # as many kinds of arrows as roads
    ("left|through", "L|R", ""),
    ("left|through|right", "L|", ""),
    ("left|right", "|R", ""),
    ("right|left", "LR", ""),
    ("left|through|right", "L|,R", ""),
    ("left|right", "L|,R", "0 - 1"),
    # arrows need not be exact
    ("slight_left|slight_right", "LR", "0 1"),
    ("left|right", "lr", "0 1"),
    ("through|slight_right", "|r", "0 1"),
    ("slight_left|through", "H|", "0 1"),
    ("left|slight_left|through", "Ll|", "0 1 2"),
    ("left|slight_left|through", "lL|", ""),
    # lanes without arrows
    ("none|right", "|R", "0 1"),
    ("none|right", "L|R", "0 0 1"),
    ("left|none", "L|R", "0 1 1"),
    ("left|none|none", "L|R", "0 12 2"),
    ("none|none|right", "L|R", "0 01 2"),
    ("none|none", "L|R", "0 01 1"),
    ("none|none", "LR", "01 01"),
    ("none", "L|R", ""),
    ("left|none|right", "LR", "01 12"),
    ("left|none|none|right", "LR", "01 23"),
    ("left|none|none|none|right", "LR", ""),
    ("left|through|none", "L|", "0 12"),
    ("none|through|right", "|R", "01 2"),
    ("through|none", "|R", "01 1"),
    ("none|through", "L|", "0 01"),
    ("left|none|right", "L|R", "0 1 2"),
    # lanes for turning back
    ("reverse|left|through", "bL|", "1 2 back 0"),
    ("reverse;left|through;right", "bL|R", "0 1 1 back 0"),
    ("reverse;left|through;right", "L|R", "0 1 1 back 0"),
    ("left|through", "bL|", "0 1 back 0"),
    ("left|none", "bL|", "0 1"),
    ("reverse|through|through", "H|", "0 12"),
    ("reverse|through", "L|", "0 1"),
    ("reverse|through", "l|", ""),
    ("left|through|right;reverse", "L|R", "0 1 2 back 2"),
    ("left|reverse|right", "LR", ""),
    # nothing is known of lanes that merge
    ("merge_to_left|through", "|", ""),
]


def shown(found: dict[int, Span], ways: list[Way]) -> str:
    def lanes(road: int) -> str:
        span = found.get(road)
        return "".join(map(str, range(span.first, span.last + 1))) if span else "-"

    if not found:
        return ""
    texts = [lanes(way.road) for way in ways]
    return " ".join([*texts, "back", lanes(0)] if 0 in found else texts)


@pytest.mark.parametrize(("lanes", "roads", "expected"), MATCHES)
def test_lanes_lead_into_roads(lanes: str, roads: str, expected: str) -> None:
    ways, back = ways_of(roads)
    assert shown(match(spans_of(parse_turns(lanes)), ways, back), ways) == expected


def test_arrows_tell_the_own_side_where_roads_merge() -> None:
    spans = spans_of(parse_turns("slight_right|slight_right"))
    way = Way(1, 210.0, "slight left", entry=True)
    assert match(spans, [way], Way(0, 0.0, "uturn", False)) == {}
    merging = Way(1, 210.0, "slight left", entry=True, merges=True)
    assert match(spans, [merging], Way(0, 0.0, "uturn", False)) == {1: Span("slight right", 0, 1)}


def test_a_road_may_bend_and_still_go_on() -> None:
    spans = spans_of(parse_turns("through|right"))
    bend, side = Way(1, 210.0, "slight left", True, through=True), Way(2, 100.0, "right", True)
    assert set(match(spans, [bend, side], Way(0, 0.0, "uturn", False))) == {1, 2}


PARTITIONS = [
    # lanes, roads here, roads at the next crossing, spans here, spans there
    ("left|through|right", "|R", "L|", "straight 01, right 2", "left 0, straight 1"),
    ("left|right", "|R", "L", "straight 0, right 1", "left 0"),
    ("left|through;right", "|R", "L|", "straight 01, right 1", "left 0, straight 1"),
    ("left|through|right", "L|", "|R", "left 0, straight 12", "straight 1, right 2"),
    ("left|through", "|,", "L|", "", ""),
    ("left|through|right", "|", "L|R", "straight 012", "left 0, straight 1, right 2"),
    ("left|none|right", "|R", "L|", "none 01, right 2", "left 0, none 1"),
    ("left|through|right", "|", "|", "", ""),
]


@pytest.mark.parametrize(("lanes", "here", "there", "first", "second"), PARTITIONS)
def test_lanes_may_be_drawn_for_two_crossings(
    lanes: str, here: str, there: str, first: str, second: str
) -> None:
    def written(spans: list[Span]) -> str:
        return ", ".join(
            f"{span.arrow} {''.join(map(str, range(span.first, span.last + 1)))}" for span in spans
        )

    found = partition(spans_of(parse_turns(lanes)), ways_of(here)[0], ways_of(there)[0])
    assert [written(spans) for spans in found] == [first, second]


ARROWS = ("left", "slight_left", "through", "slight_right", "right", "reverse", "none", "")


@given(
    st.lists(st.lists(st.sampled_from(ARROWS), max_size=3), min_size=1, max_size=6),
    st.lists(st.sampled_from("HLl|rRS"), unique=True, max_size=5),
    st.lists(st.sampled_from("HLl|rRS"), unique=True, max_size=5),
    st.booleans(),
)
def test_whatever_is_drawn_lanes_exist_and_roads_are_open(
    lanes: list[list[str]], roads: list[str], there: list[str], turn_back: bool
) -> None:
    order = "HLl|rRS".index
    arrows = parse_turns("|".join(";".join(lane) for lane in lanes))
    spans = spans_of(arrows)
    ways, back = ways_of("".join(sorted(roads, key=order)) + "b" * turn_back)
    found = match(spans, ways, back)
    assert not found or {way.road for way in ways if way.entry} <= set(found)
    first, second = partition(spans, ways, ways_of("".join(sorted(there, key=order)))[0])
    for span in (*found.values(), *first, *second):
        assert 0 <= span.first <= span.last < len(arrows)
