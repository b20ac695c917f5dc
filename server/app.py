"""The web application: the OSRM services, and the pages and checks around them."""

import logging
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gis.errors import EngineError
from gis.version import installed_version
from server.api.datasets import datasets_router
from server.api.live import live_router
from server.api.metrics import metrics_router
from server.api.openapi import osrm_paths
from server.api.osrm import OsrmServices
from server.api.osrm_json import error_answer, to_bytes
from server.api.parse_benchmark import parse_router
from server.api.search import search_router
from server.api.services import SERVICES
from server.counting import Counted
from server.errors import InvalidQuery, status_code_message
from server.pages import docs_page
from server.state import EngineState
from server.web import web_router

_log = logging.getLogger(__name__)

ROUTERS: tuple[Callable[[EngineState], APIRouter], ...] = (
    web_router,
    live_router,
    datasets_router,
    metrics_router,
    parse_router,
    search_router,
)
"""Our own services; those for administrators are made only where there is a token."""

_DESCRIPTION = (
    "Routes, tables and isochrones over OpenStreetMap roads. The services speak version 1 of OSRM's"
    " HTTP interface, so clients of OSRM work unchanged; isochrones are asked for in the same way."
)


_PAGES = ("/docs", "/health", "/ready", "/metrics", "/openapi.json")


class Health(BaseModel):
    """How the server is."""

    status: str = Field(examples=["ok"])
    version: str = Field(description="Version of Whimbrel")
    dataset: str = Field(description="Name of the dataset")
    extract: str = Field(description="The OpenStreetMap file that it was made from")
    timestamp: str = Field(description="Date of the map data, empty if the file does not tell")
    profiles: list[str]
    bounds: list[float] = Field(description="West, south, east and north of all roads")
    data_id: str = Field(description="What answers call Whimbrel-Dataset")
    weights: dict[str, int] = Field(description="What answers call Whimbrel-Weights, by profile")
    uptime_s: float = Field(description="Seconds since the server opened the dataset")
    process: int = Field(description="Process id of the worker that answers")


def create_app(state: EngineState) -> FastAPI:
    """The application that answers from an engine."""
    app = FastAPI(
        title="Whimbrel",
        version=installed_version(),
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
    )

    @app.get("/health", summary="Health", tags=["server"])
    async def health() -> Health:
        """Whether the server answers, and from what."""
        return Health(**state.health())

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(docs_page(app.openapi()))

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
            )
            for operations in schema["paths"].values():
                for operation in operations.values():
                    operation["responses"].pop("422", None)  # which we tell as 400
            schema["paths"] = osrm_paths() | schema["paths"]
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]
    for make in ROUTERS:
        app.include_router(make(state))
    app.add_exception_handler(EngineError, tell_error)
    app.add_exception_handler(RequestValidationError, tell_error)
    services = OsrmServices(state)
    app.state.services = services
    app.add_middleware(_ServicesFirst, services=services)
    app.add_middleware(Counted, state=state)  # the last to be added is the first to be asked
    app.mount("/", services)  # which says what is wrong with any other path
    return app


def tell_error(request: Request, error: Exception) -> Response:
    """An error as the routing services tell it."""
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        error = InvalidQuery(f"{where}: {first['msg']}")
    status, code, message = status_code_message(error)
    if status == 500:
        _log.error("request failed: %s", request.url.path, exc_info=error)
    headers = {"access-control-allow-origin": "*"}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    body = to_bytes(error_answer(code, message))
    return Response(body, status, headers, media_type="application/json; charset=UTF-8")


class _ServicesFirst:
    """Hands requests for a service on at once: finding them among all routes takes longer."""

    def __init__(self, app: ASGIApp, services: OsrmServices) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_for_services(scope["path"]):
            await self._services(scope, receive, send)
        elif scope.get("method") == "HEAD" and scope["path"] in _PAGES:
            await self._app({**scope, "method": "GET"}, receive, send)  # the server cuts the body
        else:
            await self._app(scope, receive, send)


def _is_for_services(path: str) -> bool:
    """Whether a path begins with a service, or is none: the services say what is wrong with it."""
    return not path.startswith("/") or path.split("/", 2)[1] in SERVICES
