"""The part of the OpenAPI document that describes the OSRM services, made from their options."""

from typing import Any

from server.api.osrm import SERVICES
from server.api.osrm_params import Params, options_of

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
    "nearest": (
        "Nearest roads",
        "The roads nearest to a point on which a route may begin and end.",
        "24.94,60.167",
    ),
}
_ERROR = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
}
_ANSWER = {
    "type": "object",
    "required": ["code"],
    "properties": {"code": {"type": "string", "enum": ["Ok"]}},
}
_ANSWERS = {
    "200": ("`code` is Ok", _ANSWER),
    "400": ("What was asked is wrong or has no answer; `code` names the kind", _ERROR),
    "414": ("The URL is too long; use POST", _ERROR),
    "431": ("The headers are too long", _ERROR),
    "500": ("A fault of the server", _ERROR),
    "503": ("Too many requests are waiting; try again later", _ERROR),
}
_BODY_ANSWERS = {
    "413": ("The body is too long", _ERROR),
    "415": ("The body does not say that it is JSON", _ERROR),
}


def osrm_paths() -> dict[str, Any]:
    """OpenAPI paths of every service, for GET and for POST."""
    paths: dict[str, Any] = {}
    for name, service in SERVICES.items():
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
            "responses": _responses(_ANSWERS),
        }
        post = {
            "operationId": f"post_{name}",
            "parameters": [_profile()],
            "requestBody": {"required": True, "content": _json(_body_schema(service.params))},
            "responses": _responses(_ANSWERS | _BODY_ANSWERS),
        }
        paths[f"{base}/{{coordinates}}"] = {"get": text | get}
        paths[base] = {
            "post": text | {"description": f"{description} Options come as a JSON object."} | post
        }
    return paths


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
        schema = dict(value.url_schema)
        default = getattr(defaults, name)
        if isinstance(default, bool | int | str):
            schema["default"] = default
        found.append(
            {
                "name": name,
                "in": "query",
                "required": False,
                "description": description,
                "schema": schema,
            }
        )
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


def _responses(answers: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    return {
        status: {"description": description, "content": _json(schema)}
        for status, (description, schema) in sorted(answers.items())
    }


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
