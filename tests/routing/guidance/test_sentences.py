"""Sentences for people."""

from typing import Any

import pytest

from routing.guidance.sentences import MANEUVERS, MODIFIERS, ordinal, road, sentence
from routing.guidance.steps import Maneuver, Step


def step_of(kind: str, modifier: str | None = None, **texts: Any) -> Step:
    """A step of a kind; other fields by their names."""
    bearing = texts.pop("bearing", 0)
    maneuver = Maneuver(kind, modifier, 0.0, 0.0, 0, bearing, texts.pop("exit", None))
    names = ("name", "ref", "pronunciation", "destinations", "exits", "rotary_name")
    words = [texts.pop(name, "") for name in names]
    mode, side = texts.pop("mode", "driving"), texts.pop("side", "right")
    assert not texts
    return Step(0.0, 0.0, 0.0, 0, 1, *words, "", mode, side, maneuver, ())


SENTENCES = [
    ("turn", "left", {"name": "Low Street"}, "Turn left into Low Street"),
    ("turn", "slight right", {}, "Bear right"),
    ("turn", "uturn", {"name": "Low Street"}, "Turn around into Low Street"),
    ("turn", "sharp left", {"ref": "B 7"}, "Turn sharply left into B 7"),
    ("turn", "right", {"name": "Ring", "ref": "B 7;B 8"}, "Turn right into Ring (B 7 / B 8)"),
    ("something new", "straight", {}, "Go straight on"),
    ("new name", "straight", {"name": "Quay"}, "Follow the road, from here Quay"),
    ("new name", "slight left", {}, "Follow the road gently to the left"),
    ("new name", "straight", {}, "Keep going"),
    ("continue", "right", {"name": "Quay"}, "Stay on Quay, which leads to the right"),
    ("continue", "left", {}, "Follow the road to the left"),
    ("continue", "uturn", {"name": "Quay"}, "Turn around, back along Quay"),
    ("depart", None, {"name": "Quay", "bearing": 50}, "Set out north-east along Quay"),
    ("depart", "left", {"bearing": 350}, "Set out north"),
    ("depart", None, {"mode": "ferry", "name": "A - B"}, "Board the ferry A - B"),
    ("arrive", None, {"name": "Quay"}, "The destination is here"),
    ("arrive", "slight left", {}, "The destination is on your left"),
    ("arrive", "straight", {}, "The destination is ahead of you"),
    ("merge", "slight left", {"ref": "A 1"}, "Join A 1 from the right"),
    ("merge", "slight right", {}, "Join the main road from the left"),
    (
        *("on ramp", "slight right", {"destinations": "A 1: Porto, Lisboa"}),
        "Use the slip road on the right, signed A 1: Porto, Lisboa",
    ),
    ("on ramp", "straight", {"ref": "A 1"}, "Use the slip road ahead to A 1"),
    (
        *("off ramp", "slight right", {"exits": "12;13", "destinations": "Porto"}),
        "Leave the road by exit 12, 13 on the right, signed Porto",
    ),
    ("off ramp", "left", {}, "Leave the road by the exit on the left"),
    ("fork", "slight left", {"ref": "A 2"}, "Where the road divides, keep to the left along A 2"),
    ("fork", "straight", {}, "Where the road divides, stay in the middle"),
    ("end of road", "right", {"name": "Quay"}, "At the T-junction turn right into Quay"),
    (
        *("roundabout", "right", {"exit": 3, "name": "Quay"}),
        "At the roundabout take the 3rd way out into Quay",
    ),
    ("roundabout", "right", {}, "Drive into the roundabout"),
    (
        *("rotary", "right", {"exit": 1, "rotary_name": "Rotunda"}),
        "At Rotunda take the 1st way out",
    ),
    ("roundabout turn", "left", {"name": "Quay"}, "At the small roundabout turn left into Quay"),
    ("exit roundabout", "right", {"name": "Quay"}, "Leave the roundabout into Quay"),
    ("exit rotary", "right", {"rotary_name": "Rotunda"}, "Leave Rotunda"),
    ("notification", "straight", {"mode": "ferry", "name": "A - B"}, "Board the ferry A - B"),
    ("turn", "right", {"mode": "ferry"}, "Board the ferry"),
    ("notification", "straight", {"name": "Quay"}, "Drive on along Quay"),
    ("notification", None, {"mode": "pushing bike"}, "Get off and push the bike"),
    ("notification", None, {"mode": "cycling", "name": "Quay"}, "Ride on along Quay"),
    ("notification", None, {"mode": "other"}, "Go on"),
]


@pytest.mark.parametrize(("kind", "modifier", "texts", "expected"), SENTENCES)
def test_sentences(kind: str, modifier: str | None, texts: Any, expected: str) -> None:
    """One for each kind of step, with what there is to say."""
    assert sentence(step_of(kind, modifier, **texts)) == expected


def test_stops_on_the_way() -> None:
    """The end of a leg is not always that of the route."""
    assert sentence(step_of("arrive"), at_goal=False) == "The stop on the way is here"


@pytest.mark.parametrize("kind", MANEUVERS)
def test_all_maneuvers_and_modifiers(kind: str) -> None:
    """Whatever is combined reads as a sentence, each modifier as another one where it matters."""
    named = {"name": "Quay", "destinations": "Porto", "exit": 2}
    for texts in ({}, named):
        said = [sentence(step_of(kind, modifier, **texts)) for modifier in (None, *MODIFIERS)]
        for text in said:
            assert text[0].isupper() and text == " ".join(text.split()) and text[-1] not in " ,."
            assert "None" not in text
        if kind in ("turn", "continue", "end of road", "roundabout turn"):
            assert len(set(said[1:])) == len(MODIFIERS)
    if kind != "arrive":
        assert "Quay" in sentence(step_of(kind, "left", **named))
    assert len(MANEUVERS) == 16


def test_ordinals() -> None:
    """As they are read aloud."""
    numbers = (1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 23, 101, 111)
    expected = "1st 2nd 3rd 4th 10th 11th 12th 13th 21st 22nd 23rd 101st 111th"
    assert " ".join(map(ordinal, numbers)) == expected


def test_a_number_that_the_name_has() -> None:
    """It is not said twice."""
    assert road(step_of("turn", name="EN 12", ref="EN 12")) == "EN 12"
    assert road(step_of("turn", ref="US 23; US 33;")) == "US 23 / US 33"
    assert road(step_of("turn", name="Ring", ref=";;")) == "Ring"
