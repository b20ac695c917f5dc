"""Steps of a leg as OSRM's JSON objects; what there is nothing to say about is left out."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gis.polyline import encode_parts
from routing.guidance.steps import Intersection, Lane, Maneuver, Step
from routing.route import Leg
from server.api.osrm_numbers import PRECISION, millionth, tenth

TEXTS = ("ref", "pronunciation", "destinations", "exits", "rotary_name", "rotary_pronunciation")
"""What few steps have."""


def step_objects(leg: Leg, geometries: str) -> list[dict[str, Any]]:
    """From maneuver to maneuver; the last is the arrival."""
    steps = leg.steps
    lines = _lines(leg, steps, geometries)
    # All at once: there are a hundred of them in a route through a city.
    degrees = [(place.lon, place.lat) for step in steps for place in step.intersections]
    places = iter(np.array(degrees).round(6).tolist())
    return [_step(step, line, places) for step, line in zip(steps, lines, strict=True)]


def _step(step: Step, line: Any, places: Iterator[list[float]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "distance": tenth(step.distance_m),
        "duration": tenth(step.duration_s),
        "weight": tenth(step.weight),
        "name": step.name,
        "mode": step.mode,
        "driving_side": step.driving_side,
        "geometry": line,
        "maneuver": _maneuver(step.maneuver),
        "intersections": [_intersection(place, next(places)) for place in step.intersections],
    }
    for name in TEXTS:
        text = getattr(step, name)
        if text:
            found[name] = text
    return found


def _maneuver(maneuver: Maneuver) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": maneuver.type,
        "location": (millionth(maneuver.lon), millionth(maneuver.lat)),
        "bearing_before": maneuver.bearing_before,
        "bearing_after": maneuver.bearing_after,
    }
    if maneuver.modifier is not None:
        found["modifier"] = maneuver.modifier
    if maneuver.exit is not None:
        found["exit"] = maneuver.exit
    return found


def _intersection(place: Intersection, location: list[float]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "location": location,
        "bearings": place.bearings,
        "entry": place.entry,
    }
    if place.came_in is not None:
        found["in"] = place.came_in
    if place.out is not None:
        found["out"] = place.out
    if place.lanes:
        found["lanes"] = [_lane(lane) for lane in place.lanes]
    if place.classes:
        found["classes"] = place.classes
    return found


def _lane(lane: Lane) -> dict[str, Any]:
    return {"indications": lane.indications, "valid": lane.valid}


def _lines(leg: Leg, steps: tuple[Step, ...], form: str) -> list[Any]:
    """The line of each step, all its points; the arrival's is a point twice."""
    ends = [(step.first_point, step.last_point) for step in steps]
    if form != "geojson":
        return encode_parts(leg.lon, leg.lat, ends, PRECISION[form])
    points = np.stack((leg.lon, leg.lat), axis=1).round(6)
    return [
        {
            "type": "LineString",
            "coordinates": points[a : b + 1] if a < b else points[[a, a]],
        }
        for a, b in ends
    ]
