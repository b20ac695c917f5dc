"""What each service answers, as JSON schemas."""

from collections.abc import Mapping
from typing import Any

from routing.errors import QueryError
from routing.guidance.lanes import INDICATIONS
from routing.guidance.sentences import MANEUVERS, MODIFIERS
from server.api.osrm_params import ANNOTATIONS
from server.api.osrm_steps import TEXTS
from server.errors import INTERNAL_ERROR, STATUS

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


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


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
_BEARING = _WHOLE | {"description": "Degrees clockwise from north, 0 to 359"}
_LANE = _object({"indications": _array(_one_of(*INDICATIONS)), "valid": {"type": "boolean"}})
_INTERSECTION = _object(
    {
        "location": _POSITION,
        "bearings": _array(_BEARING, "All roads that meet, each as it leads away"),
        "entry": _array({"type": "boolean"}, "Which of them may be turned into"),
    },
    **{"in": _WHOLE | {"description": "The road that one comes by; absent at the departure"}},
    out=_WHOLE | {"description": "The road taken; absent at the arrival"},
    lanes=_array(_LANE, "From left to right; absent if unknown"),
    classes=_array(_TEXT, "Of the road taken; absent if it has none"),
)
_MANEUVER = _object(
    {
        "type": _one_of(*MANEUVERS),
        "location": _POSITION,
        "bearing_before": _BEARING,
        "bearing_after": _BEARING,
    },
    modifier=_one_of(*MODIFIERS),
    exit=_WHOLE | {"description": "Which way out of a roundabout, counted from 1"},
)
_STEP = _object(
    {
        "distance": _DISTANCE,
        "duration": _DURATION,
        "weight": _NUMBER,
        "name": _TEXT,
        "mode": _TEXT,
        "driving_side": _one_of("left", "right"),
        "geometry": _GEOMETRY,
        "maneuver": _MANEUVER,
        "intersections": _array(_INTERSECTION, "The maneuver's, then those that are passed"),
    },
    **dict.fromkeys(TEXTS, _TEXT | {"description": "Absent where there is none"}),
)
_LEG = _object(
    {
        "distance": _DISTANCE,
        "duration": _DURATION,
        "weight": _NUMBER,
        "summary": _TEXT | {"description": "The main roads; empty without `steps=true`"},
        "steps": _array(_STEP, "From maneuver to maneuver; empty without `steps=true`"),
    },
    annotation=_ANNOTATION,
    geometry=_GEOMETRY,
)
_ROUTE_MEMBERS = {
    "legs": _array(_LEG),
    "distance": _DISTANCE,
    "duration": _DURATION,
    "weight": _NUMBER,
    "weight_name": _TEXT,
}
_ROUTE = _object(_ROUTE_MEMBERS, geometry=_GEOMETRY)
_LIKELIHOOD = _NUMBER | {"description": "How likely it is right", "minimum": 0, "maximum": 1}
_MATCHING = _object(_ROUTE_MEMBERS | {"confidence": _LIKELIHOOD}, geometry=_GEOMETRY)
_TRACEPOINT = _object(
    _WAYPOINT_MEMBERS
    | {
        "matchings_index": _WHOLE,
        "waypoint_index": {
            "type": ["integer", "null"],
            "description": "Which waypoint of the matching it is; null for one that ends no leg",
        },
        "alternatives_count": _WHOLE | {"description": "Other roads that it may be on"},
    },
    hint=_HINT,
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
        "metric": _one_of("time", "distance"),
        "direction": _one_of("from", "to"),
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
    "trip": _object(
        _OK | {"trips": _array(_ROUTE, "One route, a leg from each stop to the next")},
        waypoints=_array(
            _object(
                _WAYPOINT_MEMBERS
                | {
                    "trips_index": _WHOLE,
                    "waypoint_index": _WHOLE | {"description": "Its place in the trip, from 0"},
                },
                hint=_HINT,
            ),
            "In the order of the request; absent with `skip_waypoints=true`",
        ),
    ),
    "match": _object(
        _OK | {"matchings": _array(_MATCHING, "A route for each piece of the trace")},
        tracepoints=_array(
            {"anyOf": [_TRACEPOINT, {"type": "null"}]},
            "In the order of the request, null where no road fits; absent with"
            " `skip_waypoints=true`",
        ),
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

_CODES = {kind.code for kind in STATUS if issubclass(kind, QueryError)} | {INTERNAL_ERROR[1]}

ERROR = _object({"code": _one_of(*sorted(_CODES)), "message": _TEXT})
