"""Live speeds over HTTP: what is in force now, for whoever has the server's token."""

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import orjson
from fastapi import APIRouter, Depends, Path
from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from routing.engine import Engine
from server.admin import admin_only
from server.api.bodies import media_type
from server.api.live_schemas import (
    BODY_FAILURES,
    CHANGE_FAILURES,
    FAILURES,
    LiveRows,
    LiveState,
    body,
)
from server.api.osrm_json import to_bytes
from server.errors import InvalidContentType, InvalidQuery
from server.live.csv_rows import rows_from_csv
from server.live.rows import SpeedRows, rows_from_json
from server.live.speeds import InForce
from server.state import EngineState

How: TypeAlias = Callable[[Engine, str, SpeedRows], InForce]

Profile: TypeAlias = Annotated[str, Path(examples=["car"])]

_LISTED = 100
"""So many speeds of unknown roads are told."""


class LiveService:
    """Answers requests about live speeds, in threads: the work may take a second."""

    def __init__(self, state: EngineState) -> None:
        self._state = state

    def inform(self, profile: Profile) -> Response:
        """Which live speeds are in force, and which of them are of roads that are not here."""
        engine = self._state.engine
        name = self._state.profile(profile, engine)
        return _respond(engine, name, self._state.live.in_force(engine, name), with_rows=True)

    async def replace(self, request: Request, profile: Profile) -> Response:
        """Put these speeds in force instead of all before.

        Once answered, every request is answered by them. They stay in force until they are
        replaced or cleared, over restarts and other datasets. Speeds of pieces between two nodes
        count before those of their way. Nothing opens a road that is closed to the vehicle.
        """
        return await self._change(request, profile, self._state.live.replace, False)

    async def update(self, request: Request, profile: Profile) -> Response:
        """Put these speeds in force beside others; a speed of null takes one back."""
        return await self._change(request, profile, self._state.live.update, True)

    def clear(self, profile: Profile) -> Response:
        """Let all roads be as in the map again."""
        return self._put(profile, self._state.live.replace, SpeedRows({}, {}))

    async def _change(
        self, request: Request, profile: str, how: How, may_take_back: bool
    ) -> Response:
        self._state.profile(profile)  # rather wrong now than after a long body
        kind = media_type(request)
        if kind not in ("application/json", "text/csv"):
            raise InvalidContentType("Send speeds as application/json or as text/csv.")
        body = await request.body()
        read = _rows_from_json if kind == "application/json" else rows_from_csv
        speeds = await run_in_threadpool(read, body, may_take_back)
        return await run_in_threadpool(self._put, profile, how, speeds)

    def _put(self, profile: str, how: How, speeds: SpeedRows) -> Response:
        engine = self._state.engine
        name = self._state.profile(profile, engine)
        found = how(engine, name, speeds)
        if self._state.engine is not engine:  # another dataset has taken its place meanwhile
            self._state.live.restore(self._state.engine)
        return _respond(engine, name, found)


def live_router(state: EngineState) -> APIRouter:
    """Routes to see and to change the live speeds; none where there is no token."""
    router = APIRouter(tags=["live speeds"])
    if not state.settings.admin_token:
        return router
    service = LiveService(state)
    for method, answer, summary, failures, model, more in (
        ("GET", service.inform, "Speeds in force", FAILURES, LiveRows, None),
        ("PUT", service.replace, "Replace speeds", BODY_FAILURES, LiveState, body(False)),
        ("PATCH", service.update, "Update speeds", BODY_FAILURES, LiveState, body(True)),
        ("DELETE", service.clear, "Clear speeds", CHANGE_FAILURES, LiveState, None),
    ):
        router.add_api_route(
            "/live/v1/{profile}/speeds",
            answer,
            methods=[method],
            summary=summary,
            responses=failures,
            response_model=model,
            openapi_extra=more,
            dependencies=[Depends(admin_only(state.settings))],
        )
    return router


def _rows_from_json(body: bytes, may_take_back: bool) -> SpeedRows:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidQuery(f"invalid JSON: {error}") from None
    if not isinstance(document, dict) or "speeds" not in document:
        raise InvalidQuery("request body must be a JSON object with speeds")
    return rows_from_json("speeds", document["speeds"], may_take_back)


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
