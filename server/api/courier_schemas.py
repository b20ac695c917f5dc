"""What couriers' problems and plans look like over HTTP, for OpenAPI."""

from collections.abc import Mapping
from typing import Any

from routing.courier.problem import LONGEST_S, OBJECTIVES
from routing.courier.schedule import MOST_SEED
from server.api.openapi_failures import failures
from server.courier.limits import MOST_ITERATIONS
from server.courier.reading import GEOMETRIES

Schema = dict[str, Any]

_WHOLE: Schema = {"type": "integer", "minimum": 0}
_SECONDS: Schema = {
    "type": "number",
    "minimum": 0,
    "maximum": LONGEST_S,
    "description": "Seconds",
}
_TEXT: Schema = {"type": "string"}


def _array(items: Schema, description: str = "", **more: Any) -> Schema:
    found = {"type": "array", "items": items} | more
    return found | {"description": description} if description else found


def _object(required: tuple[str, ...], members: Mapping[str, Schema], closed: bool) -> Schema:
    found: Schema = {"type": "object", "required": list(required), "properties": dict(members)}
    return found | {"additionalProperties": False} if closed else found


_POINT = _array({"type": "number"}, "Longitude and latitude", minItems=2, maxItems=2)
_WINDOW = _array(
    {"type": "number", "minimum": 0, "maximum": LONGEST_S},
    "Begin and end in seconds",
    minItems=2,
    maxItems=2,
)
_AMOUNT = _array(_WHOLE, "One for each dimension of the vehicles' capacities", maxItems=8)
_SKILLS = _array(_WHOLE, "What a vehicle must have to do it")
_PRIORITY = _WHOLE | {"maximum": 100}
_INDEX = _WHOLE | {"description": "Row of the matrix, where there are matrices"}
_STOP = {
    "id": _WHOLE,
    "description": _TEXT,
    "location": _POINT,
    "location_index": _INDEX,
    "setup": _SECONDS,
    "service": _SECONDS,
    "time_windows": _array(_WINDOW, "It begins within one of these"),
}
_JOB = _object(
    ("id",),
    _STOP | {"delivery": _AMOUNT, "pickup": _AMOUNT, "skills": _SKILLS, "priority": _PRIORITY},
    True,
)
_END = _object(("id",), _STOP, True)
_SHIPMENT = _object(
    ("pickup", "delivery"),
    {
        "pickup": _END,
        "delivery": _END,
        "amount": _AMOUNT,
        "skills": _SKILLS,
        "priority": _PRIORITY,
    },
    True,
)
_DEPOTS = _array(_POINT, "Any of these, whichever is best")
_ROWS = _array(_INDEX, "The same as rows of the matrix")
_VEHICLE = _object(
    ("id",),
    {
        "id": _WHOLE,
        "profile": _TEXT,
        "description": _TEXT,
        "start": _POINT,
        "start_index": _INDEX,
        "starts": _DEPOTS,
        "start_indices": _ROWS,
        "end": _POINT,
        "end_index": _INDEX,
        "ends": _DEPOTS,
        "end_indices": _ROWS,
        "capacity": _AMOUNT,
        "costs": _object((), {"fixed": _SECONDS, "per_hour": {"type": "number"}}, True),
        "skills": _SKILLS,
        "time_window": _WINDOW,
        "speed_factor": {"type": "number", "minimum": 0.01, "maximum": 100},
        "max_tasks": _WHOLE,
        "max_travel_time": _SECONDS,
    },
    True,
)
_NUMBERS = _array(_array({"type": ["number", "null"]}))
_MATRICES = {
    "type": "object",
    "additionalProperties": _object(
        ("durations",), {"durations": _NUMBERS, "distances": _NUMBERS}, True
    ),
    "description": "By profile; the roads are not asked then",
}
_WISHES: dict[str, Schema] = {
    "objective": {"type": "string", "enum": list(OBJECTIVES), "default": OBJECTIVES[0]},
    "seconds": {
        "type": "number",
        "exclusiveMinimum": 0,
        "description": "How long to search, at most so long as the server allows (60); without it"
        " 5, or as long as the server allows where there are `iterations`",
    },
    "seed": _WHOLE | {"maximum": MOST_SEED},
    "iterations": {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_ITERATIONS,
        "description": "After so many the search ends; without `seconds` the plan is the same"
        " every time, if they are done within the longest time that the server allows",
    },
    "geometry": {"type": "boolean", "description": "Lines of the routes", "default": False},
    "geometries": {"type": "string", "enum": list(GEOMETRIES), "default": GEOMETRIES[0]},
}
_OPTIONS = _object((), _WISHES | {"g": {"type": "boolean"}}, True)
PROBLEM = _object(
    ("vehicles",),
    {
        "vehicles": _array(_VEHICLE, minItems=1),
        "jobs": _array(_JOB),
        "shipments": _array(_SHIPMENT),
        "matrices": _MATRICES,
        "options": _OPTIONS,
        **_WISHES,
    },
    True,
)
EXAMPLE = {
    "vehicles": [{"id": 1, "starts": [[24.935, 60.168], [24.948, 60.165]], "capacity": [4]}],
    "shipments": [
        {
            "pickup": {"id": 1, "location": [24.941, 60.172]},
            "delivery": {"id": 1, "location": [24.926, 60.163], "service": 120},
            "amount": [1],
        }
    ],
    "options": {"g": True, "seconds": 2},
}
BODY: Schema = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": PROBLEM, "example": EXAMPLE}},
    }
}

_COUNT = _WHOLE | {"description": "Whole seconds"}
_SUMS = {
    "cost": {"type": "integer"},
    "setup": _COUNT,
    "service": _COUNT,
    "duration": _COUNT | {"description": "Travel time"},
    "waiting_time": _COUNT,
    "priority": _WHOLE,
    "distance": _WHOLE | {"description": "Metres, if known"},
    "delivery": _array(_WHOLE),
    "pickup": _array(_WHOLE),
    "violations": _array({"type": "object"}, "Always empty: no plan breaks a rule"),
}
_PLACE = {"location": _POINT, "location_index": _INDEX}
_STEP = _object(
    ("type", "arrival", "duration", "setup", "service", "waiting_time", "load", "violations"),
    {
        "type": {"type": "string", "enum": ["start", "job", "pickup", "delivery", "end"]},
        "id": _WHOLE,
        "description": _TEXT,
        "arrival": _COUNT,
        "duration": _COUNT | {"description": "Travel time so far"},
        "setup": _COUNT,
        "service": _COUNT,
        "waiting_time": _COUNT,
        "load": _array(_WHOLE, "What is carried on from there"),
        "distance": _WHOLE,
        "violations": _SUMS["violations"],
        **_PLACE,
    },
    False,
)
_ROUTE = _object(
    ("vehicle", "cost", "duration", "steps"),
    {
        "vehicle": _WHOLE,
        "description": _TEXT,
        "steps": _array(_STEP),
        "geometry": {"oneOf": [_TEXT, {"type": "object"}]},
        **_SUMS,
    },
    False,
)
_UNASSIGNED = _object(
    ("id", "type", "reason"),
    {
        "id": _WHOLE,
        "type": {"type": "string", "enum": ["job", "pickup", "delivery"]},
        "description": _TEXT,
        "reason": _TEXT | {"description": "Why nobody does it"},
        **_PLACE,
    },
    False,
)
_TIMES = _object((), dict.fromkeys(("loading", "solving", "routing"), _WHOLE), False)
_SUMMARY = _object(
    ("cost", "routes", "unassigned", "duration"),
    {
        **_SUMS,
        "routes": _WHOLE,
        "unassigned": _WHOLE,
        "objective": _WISHES["objective"],
        "objective_cost": {"type": "number", "description": "What the search has made small"},
        "iterations": _WHOLE,
        "computing_times": _TIMES | {"description": "Milliseconds"},
    },
    False,
)
PLAN = _object(
    ("code", "summary", "unassigned", "routes"),
    {
        "code": {"type": "integer", "enum": [0]},
        "summary": _SUMMARY,
        "unassigned": _array(_UNASSIGNED),
        "routes": _array(_ROUTE),
    },
    False,
)

_STREAM = (
    "Or a stream of events. `progress`: `elapsed` seconds, `iterations`, `cost`, `unassigned`, and"
    " a `plan` if there is a better one; at last `plan`, or `error` with `code` and `message`"
)
RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": f"The plan. {_STREAM}",
        "content": {
            "application/json": {"schema": PLAN},
            "text/event-stream": {"schema": {"type": "string"}},
        },
    },
    **failures(
        {
            400: "The problem is wrong, too large, or wants what is not supported",
            415: "The body does not say that it is JSON",
            429: "As many problems are being solved as may be at once",
            503: "`SolverFailed`: the solver's process was ended, as when memory runs out, or there"
            " is none to be had; `Busy`: too many requests are waiting, or the server is stopping."
            " Try again later",
        }
    ),
}
