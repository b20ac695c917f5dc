"""Steps of a leg as OSRM's JSON; what there is nothing to say about is left out.

Most of it is the same for all routes over a crossing or along a road: such text is kept, and put
together rather than written again.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson

from gis.polyline import encode_parts
from routing.guidance.memo import Memo
from routing.guidance.steps import Intersection, Maneuver, Step
from routing.guidance.writing import GEOJSON
from routing.route import Leg
from server.api.osrm_numbers import PRECISION

TEXTS = ("ref", "pronunciation", "destinations", "exits", "rotary_name", "rotary_pronunciation")
"""What few steps have."""

_UNITS = {"polyline": 100, "polyline6": 10, "geojson": GEOJSON}
_MAX_KNOWN = 1 << 16
_words = Memo[tuple[str, ...], str](_MAX_KNOWN)
_places = Memo[int, tuple[Intersection, str]](_MAX_KNOWN)
"""By identity: guidance has one object for each crossing. What is kept keeps its identity."""


def steps_text(leg: Leg, geometries: str) -> orjson.Fragment:
    """From maneuver to maneuver; the last is the arrival."""
    found = leg.directions[0]
    if not isinstance(found, tuple):
        return orjson.Fragment(found.text(_UNITS[geometries]))
    steps = leg.steps
    measures = _numbers([step[:3] for step in steps], 1)
    places = _numbers([(step.maneuver.lon, step.maneuver.lat) for step in steps], 6)
    parts = zip(steps, measures, _lines(leg, steps, geometries), places, strict=True)
    return orjson.Fragment(f"[{','.join([_step(*part) for part in parts])}]")


def _step(step: Step, measures: str, line: str, place: str) -> str:
    distance, duration, weight = measures.split(",")
    words = _words.get(step.words, _words_text, step)
    return (
        f'{{"distance":{distance},"duration":{duration},"weight":{weight},{words},'
        f'"geometry":{line},"maneuver":{_maneuver(step.maneuver, place)},'
        f'"intersections":[{_crossings(step.intersections)}]}}'
    )


def _crossings(places: Sequence[Intersection]) -> str:
    known = _places.known
    try:
        return ",".join([known[id(place)][1] for place in places])
    except KeyError:
        return ",".join([_place(place)[1] for place in places])


def _maneuver(maneuver: Maneuver, place: str) -> str:
    kind, modifier, _, _, before, after, exit_ = maneuver
    more = "" if modifier is None else f',"modifier":"{modifier}"'
    if exit_ is not None:
        more += f',"exit":{exit_}'
    return (
        f'{{"type":"{kind}","location":[{place}],"bearing_before":{before},"bearing_after":{after}'
        f"{more}}}"
    )


def _words_text(step: Step) -> str:
    found = {"name": step.name, "mode": step.mode, "driving_side": step.driving_side}
    for name in TEXTS:
        text = getattr(step, name)
        if text:
            found[name] = text
    return _text(found)[1:-1]


def _place(place: Intersection) -> tuple[Intersection, str]:
    if place.came_in is None or place.out is None:
        return _intersection(place)  # an end of this leg alone
    return _places.get(id(place), _intersection, place)


def _intersection(place: Intersection) -> tuple[Intersection, str]:
    found: dict[str, Any] = {
        "location": np.array((place.lon, place.lat)).round(6),
        "bearings": place.bearings,
        "entry": place.entry,
    }
    if place.came_in is not None:
        found["in"] = place.came_in
    if place.out is not None:
        found["out"] = place.out
    if place.lanes:
        found["lanes"] = [lane._asdict() for lane in place.lanes]
    if place.classes:
        found["classes"] = place.classes
    return place, _text(found)


def _lines(leg: Leg, steps: Sequence[Step], form: str) -> list[str]:
    """The line of each step, all its points; the arrival's is a point twice."""
    ends = [(step.first_point, step.last_point) for step in steps]
    if form != "geojson":
        # No line has a quotation mark or a comma in it.
        texts = _text(encode_parts(leg.lon, leg.lat, ends, PRECISION[form]))
        return texts[1:-1].split(",")
    points = np.stack((leg.lon, leg.lat), axis=1).round(6)
    lines = (points[a : b + 1] if a < b else points[[a, a]] for a, b in ends)
    return [_text({"type": "LineString", "coordinates": line}) for line in lines]


def _numbers(rows: Sequence[tuple[float, ...]], digits: int) -> list[str]:
    """Rows of numbers, of each row what stands between its brackets."""
    return _text(np.array(rows).round(digits))[2:-2].split("],[")


def _text(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
