"""The whole OpenAPI document: the OSRM services, and the routes of our own."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from server.api.openapi import osrm_paths
from server.api.openapi_failures import all_failures
from server.api.openapi_requests import profile_schema
from server.state import EngineState

DESCRIPTION = (
    "Routes, tables and isochrones over OpenStreetMap roads. The services speak version 1 of OSRM's"
    " HTTP interface, so clients of OSRM work unchanged; isochrones are asked for in the same way."
    " What goes wrong is told as a JSON object with `code` and `message`. HEAD answers as GET does,"
    " without the body, but for a stream of events; OPTIONS answers 204; another method than those"
    " of a path gets 405 with `Allow`, and what is no path at all 400 with the code `InvalidUrl`,"
    " `InvalidService` or `InvalidVersion`. Longer answers of the services are compressed for"
    " whoever sends `Accept-Encoding: gzip` or `deflate`."
)

_SCHEME = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The server's token; without one these services are not there",
    }
}
_AUTHENTICATE = {
    "WWW-Authenticate": {
        "description": "How to say who one is",
        "schema": {"type": "string", "enum": ["Bearer"]},
        "required": True,
    }
}


def openapi_document(app: FastAPI, state: EngineState) -> dict[str, Any]:
    """The document as it is true of the dataset that is served now."""
    document = get_openapi(
        title=app.title, version=app.version, description=DESCRIPTION, routes=app.routes
    )
    for operations in document["paths"].values():
        for operation in operations.values():
            _complete(operation, state)
    document["paths"] = osrm_paths(state) | document["paths"]
    components = document.setdefault("components", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        components.get("schemas", {}).pop(unused, None)
    if state.settings.admin_token:
        components["securitySchemes"] = _SCHEME
    return document


def _complete(operation: dict[str, Any], state: EngineState) -> None:
    """What is true of every route of our own is added to what it says itself."""
    answers = operation["responses"]
    answers.pop("422", None)  # which we tell as 400
    for status, found in all_failures({}).items():
        answers.setdefault(status, found)
    if "401" in answers:
        operation["security"] = [{"token": []}]
        answers["401"]["headers"] = _AUTHENTICATE
    for parameter in operation.get("parameters", ()):
        if (parameter["name"], parameter["in"]) == ("profile", "path"):
            parameter["schema"] = profile_schema(state)
            parameter["example"] = state.engine.profiles[0]
    operation["responses"] = dict(sorted(answers.items()))
