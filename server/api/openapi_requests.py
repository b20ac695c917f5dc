"""What the OpenAPI document says of requests: this dataset's profiles, places, limits."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from server.api.osrm_params import (
    IsochroneParams,
    MatchParams,
    NearestParams,
    Params,
    RouteParams,
    TripParams,
    options_of,
)
from server.settings import Settings
from server.state import EngineState

Point: TypeAlias = tuple[float, float]

_COORDINATES = (
    "Points as `longitude,latitude` in degrees, without exponents, separated by `;`, or"
    " `polyline(...)` or `polyline6(...)`. A `.json` behind them is allowed."
)
_JSON_COORDINATES = (
    "Points as arrays of longitude and latitude in degrees, or a string `polyline(...)` or"
    " `polyline6(...)`"
)
_LON = r"-?0*(180(\.0*)?|(1[0-7][0-9]|[1-9]?[0-9])(\.[0-9]*)?|\.[0-9]+)"
_LAT = r"-?0*(90(\.0*)?|[1-8]?[0-9](\.[0-9]*)?|\.[0-9]+)"
_PLACE = f"{_LON},{_LAT}"
_ENCODED_PLACE = r"([_-~]{0,4}[?-^]){2}"
"""Two numbers of a polyline: all but the last letter of each say that it goes on."""

_MOST_POINTS: Mapping[type[Params], str] = {
    RouteParams: "max_route_coordinates",
    TripParams: "max_trip_coordinates",
    MatchParams: "max_match_coordinates",
}
"""The setting that limits them; a table is limited by its cells."""

_EXAMPLES: Mapping[str, Any] = {"contours_minutes": [3, 6]}
"""Of options without which nothing is asked."""


def profile_in_url(state: EngineState) -> dict[str, Any]:
    """The profile in the path of every request."""
    return {
        "name": "profile",
        "in": "path",
        "required": True,
        "description": "A profile of the dataset, or what clients of OSRM call it.",
        "schema": profile_schema(state),
        "example": state.engine.profiles[0],
    }


def profile_schema(state: EngineState) -> dict[str, Any]:
    """The names of profiles that are understood."""
    if state.settings.any_profile:
        return {"type": "string", "pattern": "^[A-Za-z0-9_.~:-]+$"}
    return {"type": "string", "enum": list(state.profile_names())}


def points_in_url(params: type[Params], example: Sequence[Point]) -> dict[str, Any]:
    """The coordinates in the path of a GET request."""
    more, times = (f"(;{_PLACE})+", "{2,}") if _is_of_many(params) else ("", "")
    pattern = rf"^({_PLACE}{more}|polyline6?\(({_ENCODED_PLACE}){times}\))(\.json)?$"
    return {
        "name": "coordinates",
        "in": "path",
        "required": True,
        "description": _COORDINATES,
        "schema": {"type": "string", "pattern": pattern},
        "example": ";".join(f"{lon},{lat}" for lon, lat in example),
    }


def options(params: type[Params], settings: Settings) -> list[dict[str, Any]]:
    """The options of a GET request."""
    defaults = params(coordinates=[])
    found = []
    for name, (value, description) in options_of(params).items():
        if not value.url_schema:
            continue
        schema = _limited(name, value.url_schema, settings)
        default = getattr(defaults, name)
        if isinstance(default, bool | int | float | str):
            schema["default"] = default
        elif isinstance(default, frozenset) and default:
            schema["default"] = ",".join(sorted(default))
        option = {
            "name": name,
            "in": "query",
            "required": False,
            "description": description,
            "schema": schema,
        }
        if name in _EXAMPLES:
            option["example"] = ",".join(map(str, _EXAMPLES[name]))
        found.append(option)
    return found


def body_of(params: type[Params], settings: Settings, example: Sequence[Point]) -> dict[str, Any]:
    """The body of a POST request: its schema, and an example."""
    longitude = {"type": "number", "minimum": -180, "maximum": 180}
    latitude = {"type": "number", "minimum": -90, "maximum": 90}
    place = {
        "type": "array",
        "prefixItems": [longitude, latitude],
        "minItems": 2,
        "maxItems": 2,
    }
    points: dict[str, Any] = {"type": "array", "items": place, "minItems": 2}
    times = "{2,}"
    if not _is_of_many(params):
        points |= {"minItems": 1, "maxItems": 1}
        times = ""
    elif params in _MOST_POINTS:
        points["maxItems"] = getattr(settings, _MOST_POINTS[params])
    encoded = {"type": "string", "pattern": rf"^polyline6?\(({_ENCODED_PLACE}){times}\)$"}
    members = {
        name: _limited(name, value.json_schema, settings) | {"description": description}
        for name, (value, description) in options_of(params).items()
    }
    schema = {
        "type": "object",
        "required": ["coordinates"],
        "properties": {
            "coordinates": {"oneOf": [points, encoded], "description": _JSON_COORDINATES},
            **members,
            "format": {
                "type": "string",
                "enum": ["json"],
                "description": "How the answer is written.",
            },
        },
    }
    wanted = {name: value for name, value in _EXAMPLES.items() if name in members}
    return {"schema": schema, "example": {"coordinates": [list(p) for p in example], **wanted}}


def _is_of_many(params: type[Params]) -> bool:
    """Whether a service wants two points or more, or exactly one."""
    return params not in (NearestParams, IsochroneParams)


def _limited(name: str, schema: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """A schema with the limits that the server is set to."""
    found: dict[str, Any] = json.loads(json.dumps(schema))
    if name == "number":
        found |= {"minimum": 1, "maximum": settings.max_nearest_results}
    elif name == "alternatives":
        found["oneOf"][1]["maximum"] = settings.max_alternatives
    elif name.startswith("contours_") and found["type"] == "array":
        most = getattr(settings, f"max_isochrone_{name.removeprefix('contours_')}")
        found["maxItems"] = settings.max_isochrone_contours
        found["items"]["maximum"] = most
    elif name == "speeds":
        found["maxItems"] = settings.max_speeds
    return found
