"""The web application: the OSRM services, and the pages and checks around them."""

import logging
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gis.errors import EngineError
from gis.version import installed_version
from routing.engine import Engine
from server.api.courier import courier_router
from server.api.datasets import datasets_router
from server.api.live import live_router
from server.api.metrics import metrics_router
from server.api.openapi_document import openapi_document
from server.api.osrm import OsrmServices
from server.api.osrm_json import error_answer, to_bytes
from server.api.own_options import invalid_query
from server.api.parse_benchmark import parse_router
from server.api.search import search_router
from server.api.services import SERVICES
from server.counting import Counted
from server.errors import InvalidMethod, InvalidQuery, status_code_message
from server.pages import docs_page
from server.state import EngineState
from server.web import web_router

_log = logging.getLogger(__name__)

ROUTERS: tuple[Callable[[EngineState], APIRouter], ...] = (
    web_router,
    courier_router,
    live_router,
    datasets_router,
    metrics_router,
    parse_router,
    search_router,
)
"""Our own services; those for administrators are made only where there is a token."""

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
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )

    @app.get("/health", summary="Health", tags=["server"])
    async def health() -> Health:
        """Whether the server answers, and from what."""
        return Health(**state.health())

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(docs_page(app.openapi()))

    described_for: Engine | None = None

    def describe() -> dict[str, Any]:
        nonlocal described_for
        if app.openapi_schema is None or described_for is not state.engine:
            described_for = state.engine
            app.openapi_schema = openapi_document(app, state)
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]
    routers = [make(state) for make in ROUTERS]
    for router in routers:
        app.include_router(router)
    app.state.own_routes = [*app.routes, *(route for router in routers for route in router.routes)]
    app.add_exception_handler(EngineError, tell_error)
    app.add_exception_handler(RequestValidationError, tell_error)
    app.add_exception_handler(HTTPException, _tell_refusal)
    app.add_exception_handler(Exception, tell_error)
    services = OsrmServices(state)
    app.state.services = services
    app.add_middleware(_ServicesFirst, services=services)
    app.add_middleware(Counted, state=state)  # the last to be added is the first to be asked
    app.router.default = services  # which says what is wrong with any other path
    return app


def tell_error(request: Request, error: Exception) -> Response:
    """An error as the routing services tell it."""
    if isinstance(error, RequestValidationError):
        error = invalid_query(error)
    status, code, message = status_code_message(error)
    if status == 500:
        _log.error("request failed: %s", request.url.path, exc_info=error)
    headers = {"access-control-allow-origin": "*"}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    elif status == 503:
        headers["retry-after"] = "1"
    body = to_bytes(error_answer(code, message))
    return Response(body, status, headers, media_type="application/json; charset=UTF-8")


def _tell_refusal(request: Request, error: Exception) -> Response:
    """What the framework refuses: as a rule a method that a path does not have."""
    assert isinstance(error, HTTPException)
    if error.status_code != 405:
        return tell_error(request, InvalidQuery(str(error.detail)))
    methods = ", ".join(sorted(_methods_of(request.scope)))
    if request.method == "OPTIONS":
        headers = {
            "access-control-allow-origin": "*",
            "access-control-allow-methods": methods,
            "access-control-allow-headers": "X-Requested-With, Content-Type",
            "allow": methods,
        }
        return Response(status_code=204, headers=headers)
    told = tell_error(request, InvalidMethod(f"Method not allowed. Use {methods}."))
    told.headers["allow"] = methods
    return told


def _methods_of(scope: Scope) -> set[str]:
    """The methods of a path of our own."""
    methods = {"OPTIONS"}
    for route in scope["app"].state.own_routes:
        if isinstance(route, Route | APIRoute) and route.matches(scope)[0] != Match.NONE:
            methods |= route.methods or set()
    return methods | ({"HEAD"} if "GET" in methods and _answers_head(scope["path"]) else set())


def _answers_head(path: str) -> bool:
    """Whether HEAD is answered as GET is where no route says how."""
    return path in _PAGES or path.startswith("/live/")


class _ServicesFirst:
    """Hands requests for a service on at once: finding them among all routes takes longer."""

    def __init__(self, app: ASGIApp, services: OsrmServices) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_for_services(scope["path"]):
            await self._services(scope, receive, send)
        elif scope.get("method") == "HEAD" and _answers_head(scope["path"]):
            await self._app({**scope, "method": "GET"}, receive, send)  # the server cuts the body
        else:
            await self._app(scope, receive, send)


def _is_for_services(path: str) -> bool:
    """Whether a path begins with a service, or is none: the services say what is wrong with it."""
    return not path.startswith("/") or path.split("/", 2)[1] in SERVICES
