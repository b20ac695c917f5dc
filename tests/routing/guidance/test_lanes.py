"""Lanes of roads from their tags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.network.names import NamePool
from gis.osm.tagsets import build_tagsets
from gis.profiles.registry import LABEL_KEYS
from routing.guidance.lanes import (
    INDICATIONS,
    LANE_KEYS,
    MAX_LANES,
    RoadLanes,
    parse_turns,
    read_lanes,
)

VALUES = [
    # value of turn:lanes, lanes from left to right
    ("", ""),
    ("  ", ""),
    ("left", "left"),
    ("through", "straight"),
    ("none", "none"),
    ("left|through|right", "left | straight | right"),
    ("through|through|", "straight | straight | none"),
    ("|through", "none | straight"),
    ("|left", "none | left"),
    ("||", "none | none | none"),
    ("left;through|right", "straight,left | right"),
    ("through;left|right", "straight,left | right"),
    ("left;left|right", "left | right"),
    ("left;none|right", "left | right"),
    ("reverse|through", "uturn | straight"),
    ("reverse;left|through;right", "left,uturn | straight,right"),
    ("slight_left|slight_right", "slight left | slight right"),
    ("slight left|slight-right", "slight left | slight right"),
    ("sharp_left|sharp_right", "sharp left | sharp right"),
    ("merge_to_left|through", "merge to left | straight"),
    ("through|merge_to_right", "straight | merge to right"),
    (" Left | THROUGH ; right ", "left | straight,right"),
    ("left|through;", "left | straight"),
    ("left|through,right", "left | straight,right"),
    ("left|trough", ""),
    ("yes", ""),
    ("left|through|banana;right", ""),
]


def written(lanes: tuple[tuple[str, ...], ...]) -> str:
    return " | ".join(",".join(lane) for lane in lanes)


@pytest.mark.parametrize(("value", "lanes"), VALUES)
def test_values(value: str, lanes: str) -> None:
    assert written(parse_turns(value)) == lanes


T, V, B = "turn:lanes", "vehicle:lanes", "bus:lanes"
FORWARD, BACKWARD, ONEWAY, AGAINST = (False, False), (True, False), (False, True), (True, True)

ROADS: list[tuple[dict[str, str], tuple[bool, bool], list[str]]] = [
    # tags, (against the way's direction, one-way), readings
    ({T: "left|right"}, ONEWAY, ["left | right"]),
    ({T: "left|right"}, AGAINST, ["left | right"]),
    ({T: "left|right"}, FORWARD, []),
    ({f"{T}:forward": "left|right"}, FORWARD, ["left | right"]),
    ({f"{T}:forward": "left|right"}, ONEWAY, ["left | right"]),
    ({f"{T}:forward": "left|right"}, BACKWARD, []),
    ({f"{T}:backward": "left|"}, BACKWARD, ["left | none"]),
    ({T: "through", f"{T}:forward": "left|right"}, ONEWAY, ["left | right"]),
    ({}, ONEWAY, []),
    # lanes that cars may not use
    ({T: "through|through|right", V: "yes|no|yes"}, ONEWAY, ["straight | right"]),
    ({T: "through|through|right", V: "yes|no"}, ONEWAY, ["straight | straight | right"]),
    ({f"{T}:forward": "through|right", f"{V}:forward": "no|"}, FORWARD, ["right"]),
    ({T: "through|right", "access:lanes": "yes|no"}, ONEWAY, ["straight"]),
    (
        {T: "through|right", "access:lanes": "yes|no", "motor_vehicle:lanes": "|designated"},
        ONEWAY,
        ["straight | right"],
    ),
    ({T: "through|right", "motorcar:lanes": "no|yes", V: "yes|yes"}, ONEWAY, ["right"]),
    ({T: "through|through", B: "|designated"}, ONEWAY, ["straight"]),
    ({T: "through|through", B: "|designated", V: "|yes"}, ONEWAY, ["straight | straight"]),
    ({T: "through|through", "psv:lanes": "designated|yes"}, ONEWAY, ["straight"]),
    ({T: "left|through|right", "bicycle:lanes": "|designated|"}, ONEWAY, ["left | right"]),
    ({T: "left|right", V: "no|no"}, ONEWAY, []),
    # numbers of bus lanes
    ({T: "through|right|", "lanes:psv": "1"}, ONEWAY, ["straight | right"]),
    ({T: "through|right", "lanes:psv": "1"}, ONEWAY, ["straight | right"]),
    ({T: "through||", "lanes:bus": "2"}, ONEWAY, ["straight"]),
    ({T: "through||", "lanes:psv": "foo"}, ONEWAY, ["straight | none | none"]),
    ({T: "|", "lanes:psv": "2"}, ONEWAY, ["none"]),
    ({f"{T}:forward": "through|", "lanes:psv:forward": "1"}, FORWARD, ["straight"]),
    ({f"{T}:forward": "through|", "lanes:psv:backward": "1"}, FORWARD, ["straight | none"]),
    # a lane in the middle for both directions
    (
        {f"{T}:forward": "through|right", f"{T}:both_ways": "left"},
        FORWARD,
        ["left | straight | right", "straight | right"],
    ),
    ({f"{T}:both_ways": "left"}, FORWARD, []),
]


@pytest.mark.parametrize(("tags", "direction", "readings"), ROADS)
def test_roads(tags: dict[str, str], direction: tuple[bool, bool], readings: list[str]) -> None:
    assert [written(lanes) for lanes in read_lanes(tags, *direction, False)] == readings


def test_on_the_left_side_outer_and_inner_lanes_change_places() -> None:
    tags = {f"{T}:forward": "|through|right", "lanes:psv:forward": "1", f"{T}:both_ways": "right"}
    readings = [written(lanes) for lanes in read_lanes(tags, False, False, True)]
    assert readings == ["straight | right | right", "straight | right"]


@pytest.mark.parametrize(
    ("tags", "cars", "cycles"),
    [
        ({"bicycle:lanes": "|designated|"}, "left | right", "left | straight | right"),
        ({"bicycle:lanes": "no|yes|yes"}, "left | straight | right", "straight | right"),
        ({"motor_vehicle:lanes": "yes|no|yes"}, "left | right", "left | straight | right"),
        ({V: "yes|yes|no"}, "left | straight", "left | straight"),
        ({B: "||designated"}, "left | straight", "left | straight"),
    ],
)
def test_who_cycles_has_lanes_of_his_own(tags: dict[str, str], cars: str, cycles: str) -> None:
    tags = {T: "left|through|right", **tags}
    assert [written(x) for x in read_lanes(tags, False, True, False)] == [cars]
    assert [written(x) for x in read_lanes(tags, False, True, False, cycles=True)] == [cycles]


def test_labels_have_lanes_by_direction() -> None:
    labels = build_tagsets([{}, {f"{T}:forward": "left|", f"{T}:backward": "|right"}])
    readings = RoadLanes(NamePool(labels)).readings
    assert [written(x) for x in readings(1, False, False, False)] == ["left | none"]
    assert [written(x) for x in readings(1, True, False, False)] == ["none | right"]
    assert readings(0, False, False, False) == ()


def test_too_many_lanes_are_none() -> None:
    assert len(parse_turns("|" * (MAX_LANES - 1))) == MAX_LANES
    assert parse_turns("|" * MAX_LANES) == ()


def test_what_is_read_is_kept() -> None:
    assert set(LANE_KEYS) <= set(LABEL_KEYS)


@given(st.text(alphabet="lefthrougsnvi_|; -", max_size=40))
def test_any_value_is_read(value: str) -> None:
    for lane in parse_turns(value):
        assert lane and list(lane) == [x for x in INDICATIONS if x in lane]


@given(st.dictionaries(st.sampled_from(LANE_KEYS), st.text(max_size=20), max_size=8), st.booleans())
def test_any_tags_are_read(tags: dict[str, str], left_hand: bool) -> None:
    for lanes in read_lanes(tags, False, True, left_hand):
        assert all(lanes)
