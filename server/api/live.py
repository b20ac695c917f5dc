"""Live speeds over HTTP: what is in force now, for whoever has the server's token."""

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import orjson
from fastapi import APIRouter, Depends
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from routing.engine import Engine
from server.admin import admin_only
from server.api.osrm_json import to_bytes
from server.errors import BodyTooLarge, InvalidContentType, InvalidQuery
from server.live_speeds import InForce
from server.speed_rows import ROW_SCHEMA, SpeedRows, rows_from_csv, rows_from_json
from server.state import EngineState

How: TypeAlias = Callable[[Engine, str, SpeedRows], InForce]

_LISTED = 100
"""So many speeds of unknown roads are told."""

_PATH = "/live/v1/{profile}/speeds"
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["speeds"],
                    "properties": {"speeds": {"type": "array", "items": ROW_SCHEMA}},
                },
                "example": {"speeds": [{"nodes": [25291537, 25291564], "speed": 0}]},
            },
            "text/csv": {
                "schema": {"type": "string"},
                "example": "25291537,25291564,0\n4252938,30\n",
            },
        },
    }
}


class Failure(BaseModel):
    """What went wrong."""

    code: str
    message: str


class LiveState(BaseModel):
    """What is in force, and how much of it this dataset knows."""

    code: str = Field(examples=["Ok"])
    profile: str
    dataset: str = Field(description="As in the header Whimbrel-Dataset")
    weights: int = Field(description="As in the header Whimbrel-Weights of answers made with it")
    changed: str = Field(description="When it was put in force, empty if nothing ever was")
    known: int = Field(description="Speeds of roads that are in this dataset")
    unknown: int = Field(description="Speeds of roads that are not: they change nothing")
    unknown_speeds: list[dict[str, Any]] = Field(description="The first of these")


class LiveRows(LiveState):
    """The same with all speeds."""

    speeds: list[dict[str, Any]]


_FAILURES: dict[int | str, dict[str, Any]] = {
    400: {"model": Failure, "description": "The profile or a row is wrong; the row is named"},
    401: {"model": Failure, "description": "Without the server's token"},
    500: {"model": Failure, "description": "A fault of the server; all is as it was"},
}
_BODY_FAILURES: dict[int | str, dict[str, Any]] = _FAILURES | {
    409: {"model": Failure, "description": "Others are being put in force; try again"},
    413: {"model": Failure, "description": "The body is too long"},
    415: {"model": Failure, "description": "The body is neither JSON nor CSV"},
}


def live_router(state: EngineState) -> APIRouter:
    """Routes to see and to change the live speeds; none where there is no token."""
    router = APIRouter(tags=["live speeds"])
    if not state.settings.admin_token:
        return router
    guard = Depends(admin_only(state.settings))
    Profile: TypeAlias = Annotated[str, Field(examples=["car"])]

    async def change(request: Request, profile: str, how: How, may_take_back: bool) -> Response:
        engine = state.engine
        name = state.profile(profile, engine)
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind not in ("application/json", "text/csv"):
            raise InvalidContentType("Send speeds as application/json or as text/csv.")
        body = await _read(request, state.settings.max_live_body_bytes)
        read = _rows_from_json if kind == "application/json" else rows_from_csv
        speeds = await run_in_threadpool(read, body, may_take_back)
        return await run_in_threadpool(_put, state, engine, name, how, speeds)

    @router.get(
        _PATH,
        summary="Speeds in force",
        responses=_FAILURES,
        response_model=LiveRows,
        dependencies=[guard],
    )
    def inform(profile: Profile) -> Response:
        """Which live speeds are in force, and which of them are of roads that are not here."""
        engine = state.engine
        name = state.profile(profile, engine)
        return _respond(engine, name, state.live.in_force(engine, name), with_rows=True)

    @router.put(
        _PATH,
        summary="Replace speeds",
        responses=_BODY_FAILURES,
        response_model=LiveState,
        openapi_extra=_BODY,
        dependencies=[guard],
    )
    async def replace(request: Request, profile: Profile) -> Response:
        """Put these speeds in force instead of all before.

        Once answered, every request is answered by them. They stay in force until they are
        replaced or cleared, over restarts and other datasets. Speeds of pieces between two nodes
        count before those of their way. Nothing opens a road that is closed to the vehicle.
        """
        return await change(request, profile, state.live.replace, False)

    @router.patch(
        _PATH,
        summary="Update speeds",
        responses=_BODY_FAILURES,
        response_model=LiveState,
        openapi_extra=_BODY,
        dependencies=[guard],
    )
    async def update(request: Request, profile: Profile) -> Response:
        """Put these speeds in force beside others; a speed of null takes one back."""
        return await change(request, profile, state.live.update, True)

    @router.delete(
        _PATH,
        summary="Clear speeds",
        responses=_FAILURES | {409: _BODY_FAILURES[409]},
        response_model=LiveState,
        dependencies=[guard],
    )
    def clear(profile: Profile) -> Response:
        """Let all roads be as in the map again."""
        engine = state.engine
        name = state.profile(profile, engine)
        return _put(state, engine, name, state.live.replace, SpeedRows({}, {}))

    return router


async def _read(request: Request, limit: int) -> bytes:
    """The body; ``BodyTooLarge`` if it is longer than the limit."""
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > limit:
            raise BodyTooLarge(f"Body is longer than the maximum of {limit} bytes")
    return bytes(parts)


def _rows_from_json(body: bytes, may_take_back: bool) -> SpeedRows:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidQuery(f"invalid JSON: {error}") from None
    if not isinstance(document, dict) or "speeds" not in document:
        raise InvalidQuery("request body must be a JSON object with speeds")
    return rows_from_json("speeds", document["speeds"], may_take_back)


def _put(state: EngineState, engine: Engine, profile: str, how: How, speeds: SpeedRows) -> Response:
    found = how(engine, profile, speeds)
    if state.engine is not engine:  # another dataset has taken its place meanwhile
        state.live.restore(state.engine)
    return _respond(engine, profile, found)


def _respond(engine: Engine, profile: str, found: InForce, with_rows: bool = False) -> Response:
    speeds, unknown = found.entry.speeds, found.unknown
    answer: dict[str, Any] = {
        "code": "Ok",
        "profile": profile,
        "dataset": engine.data_id,
        "weights": found.entry.version,
        "changed": found.entry.changed,
        "known": len(speeds) - len(unknown),
        "unknown": len(unknown),
        "unknown_speeds": unknown.rows()[:_LISTED],
    }
    if with_rows:
        answer["speeds"] = speeds.rows()
    return Response(to_bytes(answer), media_type="application/json; charset=UTF-8")
