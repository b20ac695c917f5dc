"""A plan as GeoJSON (RFC 7946): a line for each route, a point for each stop."""

from typing import Any

import orjson

from routing.courier.plan import CourierPlan
from server.api.osrm_json import geometry
from server.courier.answers import Writer

_ABOUT_STOPS = ("type", "id", "description", "arrival", "waiting_time", "service", "load")
_ABOUT_ROUTES = ("vehicle", "description", "cost", "duration", "distance")


def plan_geojson(writer: Writer, plan: CourierPlan, answer: dict[str, Any]) -> dict[str, Any]:
    """Lines in the order of the routes, then the stops of each, then what nobody does."""
    lines, points = [], []
    for route, told in zip(plan.routes, answer["routes"], strict=True):
        line = writer.legs.line([stop.place for stop in route.stops])
        if line is not None:
            shape = geometry(*line, "geojson")
            lines.append(_feature(shape, {name: told.get(name) for name in _ABOUT_ROUTES}))
        for number, step in enumerate(told["steps"]):
            about = {"vehicle": told["vehicle"], "stop": number}
            points.append(_point(step, about | {name: step.get(name) for name in _ABOUT_STOPS}))
    left = [
        _point(one, {"vehicle": None} | {name: one.get(name) for name in ("type", "id", "reason")})
        for one in answer["unassigned"]
    ]
    return {"type": "FeatureCollection", "features": [*lines, *points, *left]}


def _point(place: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    return _feature({"type": "Point", "coordinates": place["location"]}, about)


def _feature(shape: orjson.Fragment | dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    properties = {name: value for name, value in about.items() if value is not None}
    return {"type": "Feature", "geometry": shape, "properties": properties}
