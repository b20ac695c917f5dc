"""Texts of roads from their tags, by direction."""

from typing import Any

import pytest

from gis.network.names import NamePool
from gis.osm.tagsets import build_tagsets
from gis.profiles.registry import LABEL_KEYS
from routing.guidance.labels import RoadLabels, RoadTexts, join_list, read_texts

D = "destination"

DESTINATIONS: list[tuple[dict[str, str], bool, bool, str]] = [
    # tags, against the way's direction?, one-way?, what one reads
    ({D: "Berlin"}, False, True, "Berlin"),
    ({D: "Berlin"}, True, True, "Berlin"),
    ({D: "Berlin"}, False, False, ""),
    ({D: "Berlin;Hamburg"}, False, True, "Berlin, Hamburg"),
    ({D: "Berlin; Hamburg ;Kiel"}, False, True, "Berlin, Hamburg, Kiel"),
    ({f"{D}:forward": "Berlin"}, False, True, "Berlin"),
    ({f"{D}:forward": "Berlin"}, False, False, "Berlin"),
    ({f"{D}:forward": "Berlin"}, True, False, ""),
    ({f"{D}:forward": "Berlin", f"{D}:backward": "Kiel"}, True, False, "Kiel"),
    ({D: "Berlin", f"{D}:backward": "Kiel"}, True, True, "Kiel"),
    ({f"{D}:ref": "A1"}, False, True, "A1"),
    ({f"{D}:ref": "A1;A2"}, False, True, "A1, A2"),
    ({f"{D}:ref": "A1;A2", D: "Berlin;Kiel"}, False, True, "A1, A2: Berlin, Kiel"),
    ({f"{D}:ref": "A1", f"{D}:forward": "Berlin"}, False, True, "A1: Berlin"),
    ({f"{D}:ref:backward": "A1", f"{D}:backward": "Berlin"}, True, False, "A1: Berlin"),
    ({f"{D}:street": "Ring"}, False, True, "Ring"),
    ({f"{D}:street": "Ring", f"{D}:ref": "A1"}, False, True, "A1"),
    ({f"{D}:street": "Ring", D: "Berlin"}, False, True, "Berlin"),
    ({D: ";;"}, False, True, ""),
    ({}, False, True, ""),
]


@pytest.mark.parametrize(("tags", "backward", "oneway", "read"), DESTINATIONS)
def test_destinations(tags: dict[str, str], backward: bool, oneway: bool, read: str) -> None:
    assert read_texts(tags, backward, oneway).destinations == read


@pytest.mark.parametrize(
    ("tags", "texts"),
    [
        ({"name": "Oak  Street "}, {"name": "Oak Street"}),
        ({"ref": "A1;A2"}, {"ref": "A1; A2"}),
        ({"ref": " US 64  ; US 412;"}, {"ref": "US 64; US 412"}),
        ({"name:pronunciation": " oʊk"}, {"pronunciation": "oʊk"}),
        ({"junction:ref": "10;11"}, {"exits": "10; 11"}),
        ({"junction:ref:forward": "7", "junction:ref:backward": "8"}, {"exits": "7"}),
        ({"street:name": "Oak Street"}, {"name": "Oak Street"}),
        ({"is_sidepath:of:name": "Oak Street"}, {"name": "Oak Street"}),
        ({"name": "Path", "street:name": "Oak Street"}, {"name": "Path"}),
        ({"name": ""}, {}),
    ],
)
def test_names_numbers_and_exits(tags: dict[str, str], texts: dict[str, Any]) -> None:
    assert read_texts(tags, False, False) == RoadTexts(**texts)


def test_a_list_has_one_spelling() -> None:
    assert join_list(" a ;b;; c  d", ";") == "a; b; c d"
    assert join_list("", ",") == ""


def test_texts_know_what_a_road_is_called() -> None:
    assert RoadTexts("Ring", "A 1").title == "Ring"
    assert RoadTexts(ref="A 1").title == "A 1"
    assert RoadTexts(destinations="Berlin").is_unnamed and not RoadTexts(ref="A 1").is_unnamed


def test_labels_are_read_once_for_each_direction() -> None:
    labels = build_tagsets([{}, {"name": "Ring", f"{D}:forward": "Berlin"}])
    texts = RoadLabels(NamePool(labels)).texts
    assert texts(1, False, False) == RoadTexts("Ring", destinations="Berlin")
    assert texts(1, True, False) == RoadTexts("Ring")
    assert texts(1, False, False) is texts(1, False, False)
    assert texts(0, False, False) == RoadTexts()


def test_what_is_read_is_kept() -> None:
    read = {key for tags, *_ in DESTINATIONS for key in tags}
    assert read <= set(LABEL_KEYS) and len(set(LABEL_KEYS)) == len(LABEL_KEYS)
