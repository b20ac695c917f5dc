"""The part of the OpenAPI document that describes the OSRM services, made from their options."""

from collections.abc import Mapping
from typing import Any

from gis.tiles.levels import MAX_ZOOM, MIN_ZOOM
from server.api.openapi_answers import ANSWERS, ERROR
from server.api.osrm_params import Params, options_of
from server.api.services import SERVICES
from server.api.tile import MEDIA_TYPE

_COORDINATES = (
    "Points as `longitude,latitude` in degrees separated by `;`, or `polyline(...)` or"
    " `polyline6(...)`. A `.json` behind them is allowed."
)
_TEXTS = {
    "route": (
        "Route",
        "The fastest route over two points or more, in the order given.",
        "24.94,60.167;24.95,60.175",
    ),
    "table": (
        "Table",
        "Durations and distances of the fastest routes from every source to every destination.",
        "24.94,60.167;24.95,60.175;24.945,60.17",
    ),
    "trip": (
        "Trip",
        "The order of the points in which a route over all of them takes least, and that route:"
        " the best of up to 12, of more one that is nearly so. Without `roundtrip` the source or"
        " the destination must be fixed.",
        "24.94,60.167;24.95,60.175;24.945,60.17",
    ),
    "match": (
        "Match",
        "The roads that a trace of two points or more was most likely driven on, as one route or"
        " more. `radiuses` are the standard deviations of the points, 5 m by default; a road may be"
        " three times as far away.",
        "24.9403,60.1671;24.9415,60.1677;24.9432,60.1681",
    ),
    "isochrone": (
        "Isochrone",
        "What can be reached from a point, or reach it, within some minutes or metres: GeoJSON"
        " with a feature for each limit. Either `contours_minutes` or `contours_meters` must be"
        " given.",
        "24.94,60.167",
    ),
    "nearest": (
        "Nearest roads",
        "The roads nearest to a point on which a route may begin and end.",
        "24.94,60.167",
    ),
}
_TILE_TEXT = {
    "summary": "Vector tile",
    "description": (
        "Roads that the profile may use, in the Mapbox Vector Tile format. Below zoom 12 only the"
        " more important ones, joined and simplified. Layers: `speeds` (lines), `turns` (points,"
        " from zoom 15) and `osmnodes` (points, from zoom 12)."
    ),
    "tags": ["tile"],
}
_TILE_FAILURES = ("400", "414", "431", "500", "503")
_EXAMPLES = {"contours_minutes": "3,6"}
"""Of options without which nothing is asked."""

_FAILURES = {
    "400": "What was asked is wrong or has no answer; `code` names the kind",
    "414": "The URL is too long; use POST",
    "431": "The headers are too long",
    "500": "A fault of the server",
    "503": "Too many requests are waiting; try again later",
}
_BODY_FAILURES = {
    "413": "The body is too long",
    "415": "The body does not say that it is JSON",
}


def osrm_paths() -> dict[str, Any]:
    """OpenAPI paths of every service, for GET and for POST."""
    paths: dict[str, Any] = {}
    for name, service in SERVICES.items():
        if service.reader is not None:
            continue
        summary, description, example = _TEXTS[name]
        base = f"/{name}/v1/{{profile}}"
        text = {"summary": summary, "description": description, "tags": [name]}
        get = {
            "operationId": f"get_{name}",
            "parameters": [
                _profile(),
                {
                    "name": "coordinates",
                    "in": "path",
                    "required": True,
                    "description": _COORDINATES,
                    "schema": {"type": "string"},
                    "example": example,
                },
                *_query(service.params),
            ],
            "responses": _responses(name, _FAILURES),
        }
        post = {
            "operationId": f"post_{name}",
            "parameters": [_profile()],
            "requestBody": {"required": True, "content": _json(_body_schema(service.params))},
            "responses": _responses(name, _FAILURES | _BODY_FAILURES),
        }
        paths[f"{base}/{{coordinates}}"] = {"get": text | get}
        if service.reads_bodies:
            text |= {"description": f"{description} Options come as a JSON object."}
            paths[base] = {"post": text | post}
    return paths | _tile_paths()


def _tile_paths() -> dict[str, Any]:
    numbers = {
        "z": ("Zoom", MIN_ZOOM, MAX_ZOOM, 14),
        "x": ("Column, from 180 degrees west; less than 2^z", 0, 2**MAX_ZOOM - 1, 9326),
        "y": ("Row, from the north; less than 2^z", 0, 2**MAX_ZOOM - 1, 4741),
    }
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": description,
            "schema": {"type": "integer", "minimum": least, "maximum": most},
            "example": example,
        }
        for name, (description, least, most, example) in numbers.items()
    ]
    etag = {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "The `ETag` of the tile that is there already.",
        "schema": {"type": "string"},
    }
    binary = {MEDIA_TYPE.decode(): {"schema": {"type": "string", "format": "binary"}}}
    answers = {
        "200": {"description": "The tile, empty where there are no roads", "content": binary},
        "304": {"description": "The tile that is there already is right"},
    }
    failures = {
        status: {"description": _FAILURES[status], "content": _json(ERROR)}
        for status in _TILE_FAILURES
    }
    get = {
        "operationId": "get_tile",
        "parameters": [_profile(), *parameters, etag],
        "responses": answers | failures,
    }
    return {"/tile/v1/{profile}/tile({x},{y},{z}).mvt": {"get": _TILE_TEXT | get}}


def _profile() -> dict[str, Any]:
    return {
        "name": "profile",
        "in": "path",
        "required": True,
        "description": "A profile of the dataset; `driving` is another name for `car`.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9_.~:-]+$"},
        "example": "car",
    }


def _query(params: type[Params]) -> list[dict[str, Any]]:
    defaults = params(coordinates=[])
    found = []
    for name, (value, description) in options_of(params).items():
        if not value.url_schema:
            continue
        schema = dict(value.url_schema)
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
            option["example"] = _EXAMPLES[name]
        found.append(option)
    return found


def _body_schema(params: type[Params]) -> dict[str, Any]:
    pair = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    points = {"oneOf": [{"type": "array", "items": pair}, {"type": "string"}]}
    return {
        "type": "object",
        "required": ["coordinates"],
        "properties": {
            "coordinates": points | {"description": _COORDINATES},
            **{
                name: dict(value.json_schema) | {"description": description}
                for name, (value, description) in options_of(params).items()
            },
        },
    }


def _responses(service: str, failures: dict[str, str]) -> dict[str, Any]:
    ok = {"description": "`code` is Ok", "content": _json(ANSWERS[service])}
    return {"200": ok} | {
        status: {"description": description, "content": _json(ERROR)}
        for status, description in sorted(failures.items())
    }


def _json(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
