"""The part of the OpenAPI document that describes the OSRM services, made from their options."""

import math
from collections.abc import Mapping
from typing import Any

from gis.tiles.levels import MAX_ZOOM, MIN_ZOOM
from server.api.openapi_answers import ANSWERS
from server.api.openapi_failures import all_failures
from server.api.openapi_requests import body_of, options, points_in_url, profile_in_url
from server.api.services import SERVICES
from server.api.tile import MEDIA_TYPE
from server.state import EngineState

_TEXTS = {
    "route": (
        "Route",
        "The fastest route over two points or more, in the order given.",
        2,
    ),
    "table": (
        "Table",
        "Durations and distances of the fastest routes from every source to every destination.",
        3,
    ),
    "trip": (
        "Trip",
        "The order of the points in which a route over all of them takes least, and that route:"
        " the best of up to 12, of more one that is nearly so. Without `roundtrip` the source or"
        " the destination must be fixed.",
        3,
    ),
    "match": (
        "Match",
        "The roads that a trace of two points or more was most likely driven on, as one route or"
        " more. `radiuses` are the standard deviations of the points, 5 m by default; a road may be"
        " three times as far away.",
        3,
    ),
    "isochrone": (
        "Isochrone",
        "What can be reached from a point, or reach it, within some minutes or metres: GeoJSON"
        " with a feature for each limit. Either `contours_minutes` or `contours_meters` must be"
        " given.",
        1,
    ),
    "nearest": (
        "Nearest roads",
        "The roads nearest to a point on which a route may begin and end.",
        1,
    ),
}
"""Name and description of each service, and how many points its example has."""
_TILE_TEXT = {
    "summary": "Vector tile",
    "description": (
        "Roads that the profile may use, in the Mapbox Vector Tile format. Below zoom 12 only the"
        " more important ones, joined and simplified. Layers: `speeds` (lines), `turns` (points,"
        " from zoom 15) and `osmnodes` (points, from zoom 12)."
    ),
    "tags": ["tile"],
}
_TILE_ZOOM = 14
"""Of the example: a town fits into a tile or two."""

_FAILURES = {400: "What was asked is wrong or has no answer; `code` names the kind"}
_BODY_FAILURES = {415: "The body does not say that it is JSON"}

_ANY_ORIGIN = {
    "Access-Control-Allow-Origin": {
        "description": "Pages from everywhere may ask",
        "schema": {"type": "string", "enum": ["*"]},
        "required": True,
    }
}
_VERSIONS = {
    "Whimbrel-Dataset": {
        "description": "The dataset that the answer was made from",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
        "required": True,
    },
    "Whimbrel-Weights": {
        "description": "Number of the live speeds that were in force, 0 if none ever were",
        "schema": {"type": "integer", "minimum": 0},
        "required": True,
    },
}
_ETAG = {
    "ETag": {
        "description": "Names what the tile holds, to be sent back as `If-None-Match`",
        "schema": {"type": "string"},
        "required": True,
    },
    "Cache-Control": {
        "description": "A tile may be kept, but not be used again without asking",
        "schema": {"type": "string", "enum": ["no-cache"]},
        "required": True,
    },
}


def osrm_paths(state: EngineState) -> dict[str, Any]:
    """OpenAPI paths of every service, for GET and for POST."""
    paths: dict[str, Any] = {}
    for name, service in SERVICES.items():
        if service.reader is not None:
            continue
        summary, description, n_points = _TEXTS[name]
        base = f"/{name}/v1/{{profile}}"
        text = {"summary": summary, "description": description, "tags": [name]}
        points = state.example_points[:n_points]
        get = {
            "operationId": f"get_{name}",
            "parameters": [
                profile_in_url(state),
                points_in_url(service.params, points),
                *options(service.params, state.settings),
            ],
            "responses": _responses(name, _FAILURES),
        }
        body = body_of(service.params, state.settings, points)
        post = {
            "operationId": f"post_{name}",
            "parameters": [profile_in_url(state)],
            "requestBody": {"required": True, "content": {"application/json": body}},
            "responses": _responses(name, _FAILURES | _BODY_FAILURES),
        }
        paths[f"{base}/{{coordinates}}"] = {"get": text | get}
        if service.reads_bodies:
            text |= {"description": f"{description} Options come as a JSON object."}
            paths[base] = {"post": text | post}
    return paths | _tile_paths(state)


def _tile_paths(state: EngineState) -> dict[str, Any]:
    x, y = _tile_around(*state.example_points[0])
    numbers = {
        "z": ("Zoom", MIN_ZOOM, MAX_ZOOM, _TILE_ZOOM),
        "x": ("Column, from 180 degrees west; less than 2^z", 0, 2**MAX_ZOOM - 1, x),
        "y": ("Row, from the north; less than 2^z", 0, 2**MAX_ZOOM - 1, y),
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
    headers = _ANY_ORIGIN | _VERSIONS | _ETAG
    answers = {
        "200": {
            "description": "The tile, empty where there are no roads",
            "headers": headers,
            "content": binary,
        },
        "304": {"description": "The tile that is there already is right", "headers": headers},
    }
    get = {
        "operationId": "get_tile",
        "parameters": [profile_in_url(state), *parameters, etag],
        "responses": answers | all_failures(_FAILURES),
    }
    return {"/tile/v1/{profile}/tile({x},{y},{z}).mvt": {"get": _TILE_TEXT | get}}


def _tile_around(lon: float, lat: float) -> tuple[int, int]:
    """Column and row of the example."""
    northing = 0.5 - math.asinh(math.tan(math.radians(lat))) / math.tau
    x, y = (math.floor(part * 2**_TILE_ZOOM) for part in (lon / 360 + 0.5, northing))
    return x, y


def _responses(service: str, failures: Mapping[int, str]) -> dict[str, Any]:
    ok = {
        "description": "`code` is Ok",
        "headers": _ANY_ORIGIN | _VERSIONS,
        "content": {"application/json": {"schema": ANSWERS[service]}},
    }
    return {"200": ok} | all_failures(failures)
