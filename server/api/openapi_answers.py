"""What each service answers, as JSON schemas."""

from collections.abc import Mapping
from typing import Any

from server.api.osrm_params import ANNOTATIONS

_NUMBER = {"type": "number"}
_WHOLE = {"type": "integer"}
_TEXT = {"type": "string"}


def _array(items: Mapping[str, Any], description: str = "") -> dict[str, Any]:
    schema = {"type": "array", "items": items}
    return schema | {"description": description} if description else schema


def _object(required: Mapping[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": dict(required) | optional,
    }


def _one_of(value: str) -> dict[str, Any]:
    return {"type": "string", "enum": [value]}


_POSITION = _array(_NUMBER, "Longitude and latitude in degrees") | {"minItems": 2, "maxItems": 2}
_LINE = _object({"type": _one_of("LineString"), "coordinates": _array(_POSITION)})
_GEOMETRY = {"oneOf": [_TEXT, _LINE], "description": "As `geometries` and `overview` want it"}
_DURATION = _NUMBER | {"description": "Seconds, to a tenth"}
_DISTANCE = _NUMBER | {"description": "Metres, to a tenth"}

_WAYPOINT_MEMBERS = {
    "name": _TEXT | {"description": "The road; more that meet there are joined by ` / `"},
    "location": _POSITION,
    "distance": _NUMBER | {"description": "Metres from the coordinate given"},
}
_HINT = _TEXT | {"description": "Means nothing; absent with `generate_hints=false`"}
_WAYPOINT = _object(_WAYPOINT_MEMBERS, hint=_HINT)
_NODES = _array(_WHOLE, "The OpenStreetMap nodes on either side, in the order of travel")

_ANNOTATION = _object(
    {},
    **dict.fromkeys(ANNOTATIONS, _array(_NUMBER, "One for each piece; `nodes` has one more")),
    metadata=_object({"datasource_names": _array(_TEXT)}),
)
_LEG = _object(
    {
        "distance": _DISTANCE,
        "duration": _DURATION,
        "weight": _NUMBER,
        "summary": _TEXT,
        "steps": _array({"type": "object"}, "Empty: there are no instructions yet"),
    },
    annotation=_ANNOTATION,
    geometry=_GEOMETRY,
)
_ROUTE = _object(
    {
        "legs": _array(_LEG),
        "distance": _DISTANCE,
        "duration": _DURATION,
        "weight": _NUMBER,
        "weight_name": _TEXT,
    },
    geometry=_GEOMETRY,
)
_CELL = {"type": ["number", "null"]}
_CELLS = _array(_array(_WHOLE), "Rows and columns of the cells that are estimates")
_WAYPOINTS = _array(_WAYPOINT, "Absent with `skip_waypoints=true`")

_RING = _array(_POSITION)
_SHAPES = {
    "oneOf": [
        _object({"type": _one_of("Polygon"), "coordinates": _array(_RING)}),
        _object({"type": _one_of("MultiPolygon"), "coordinates": _array(_array(_RING))}),
        _object({"type": _one_of("MultiLineString"), "coordinates": _array(_array(_POSITION))}),
    ]
}
_CONTOUR = _object(
    {
        "contour": _NUMBER | {"description": "The limit, as it was given"},
        "metric": {"type": "string", "enum": ["time", "distance"]},
        "direction": {"type": "string", "enum": ["from", "to"]},
    }
)
_FEATURE = _object({"type": _one_of("Feature"), "geometry": _SHAPES, "properties": _CONTOUR})

_OK = {"code": _one_of("Ok")}

ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "route": _object(
        _OK | {"routes": _array(_ROUTE, "The fastest, then alternatives")}, waypoints=_WAYPOINTS
    ),
    "nearest": _object(
        _OK, waypoints=_array(_object(_WAYPOINT_MEMBERS | {"nodes": _NODES}, hint=_HINT))
    ),
    "table": _object(
        _OK,
        durations=_array(_array(_CELL), "Seconds to a tenth, a row for each source"),
        distances=_array(_array(_CELL), "Metres to a tenth along the fastest routes"),
        fallback_speed_cells=_CELLS,
        sources=_WAYPOINTS,
        destinations=_WAYPOINTS,
    ),
    "isochrone": _object(
        _OK
        | {
            "type": _one_of("FeatureCollection"),
            "features": _array(_FEATURE, "One for each contour, the largest first"),
        },
        waypoints=_WAYPOINTS,
    ),
}

ERROR = _object({"code": _TEXT, "message": _TEXT})
