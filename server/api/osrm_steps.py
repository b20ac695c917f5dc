"""Steps of a leg as OSRM's JSON; what there is nothing to say about is left out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson

from gis.polyline import encode_parts
from routing.guidance.book import intersection_text
from routing.guidance.steps import Maneuver, Step
from routing.guidance.writing import GEOJSON
from routing.route import Leg
from server.api.osrm_numbers import PRECISION

TEXTS = ("ref", "pronunciation", "destinations", "exits", "rotary_name", "rotary_pronunciation")
"""What few steps have."""

_UNITS = {"polyline": 100, "polyline6": 10, "geojson": GEOJSON}


def steps_text(leg: Leg, geometries: str) -> orjson.Fragment:
    """From maneuver to maneuver; the last is the arrival.

    Legs that a route has just been made of have a text of their own; others come as objects.
    """
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
    crossings = ",".join([intersection_text(place).decode() for place in step.intersections])
    return (
        f'{{"distance":{distance},"duration":{duration},"weight":{weight},{_words(step)},'
        f'"geometry":{line},"maneuver":{_maneuver(step.maneuver, place)},'
        f'"intersections":[{crossings}]}}'
    )


def _maneuver(maneuver: Maneuver, place: str) -> str:
    kind, modifier, _, _, before, after, exit_ = maneuver
    more = "" if modifier is None else f',"modifier":"{modifier}"'
    if exit_ is not None:
        more += f',"exit":{exit_}'
    return (
        f'{{"type":"{kind}","location":[{place}],"bearing_before":{before},"bearing_after":{after}'
        f"{more}}}"
    )


def _words(step: Step) -> str:
    found = {"name": step.name, "mode": step.mode, "driving_side": step.driving_side}
    for name in TEXTS:
        text = getattr(step, name)
        if text:
            found[name] = text
    return _text(found)[1:-1]


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
