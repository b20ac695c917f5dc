"""The parse benchmark over HTTP: anybody may run it on the server's own extract, one at a time."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import orjson
from fastapi import APIRouter, Depends, Query
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from gis.errors import ResourceError
from server.api.openapi_failures import failures
from server.api.osrm_json import to_bytes
from server.api.own_options import only
from server.benchmark.parse_files import ERROR, PROGRESS, Event
from server.benchmark.parse_service import ParseRuns
from server.errors import Busy, Conflict, Unsupported
from server.state import EngineState
from server.state_folder import state_folder

_log = logging.getLogger(__name__)

_POLL_S = 0.2
_HEARTBEAT_S = 10.0
_RECONNECT_MS = 2000
_STREAM_S = 900.0
"""After so long a stream ends; browsers come back by themselves."""
_MAX_STREAMS = 64
"""In each process."""

_CORS = {"access-control-allow-origin": "*"}

Repeat: TypeAlias = Annotated[
    int, Query(ge=1, le=5, description="How many times each reader reads the file.")
]


class Started(BaseModel):
    """A run has begun."""

    code: str = Field(examples=["Ok"])
    run: str = Field(description="The name of the run")


class Reading(BaseModel):
    """What one reader took: the median of its runs."""

    reader: str = Field(description="whimbrel, or what it is compared with")
    explanation: str
    processes: int
    seconds: float
    cpu_seconds: float = Field(description="Of all its processes and threads")
    mb_s: float = Field(description="Megabytes of the file in a second")
    speed_up: float = Field(description="How much faster than whimbrel in one process")
    runs_s: list[float]
    stages: list[dict[str, float | str]]


class ParseResult(BaseModel):
    """A run that has come to its end."""

    run: str
    started: str
    took_s: float
    version: str
    cpus: int
    extract: str
    bytes: int
    repeat: int
    in_one_process: bool = Field(
        description="The file is so small that more processes make no difference"
    )
    cpu_ratio: float = Field(description="CPU time of reading, by that of inflating alone")
    timings: list[Reading]


class ParseProgress(BaseModel):
    """How far the run is."""

    event: str = Field(examples=[PROGRESS])
    run: str
    percent: float
    reader: str = ""
    processes: int = 1


class ParseState(BaseModel):
    """Whether a run goes on, and the results that are kept."""

    code: str = Field(examples=["Ok"])
    running: bool
    progress: ParseProgress | None
    results: list[ParseResult] = Field(description="Newest first")


_NO_FOLDER = "The server has nowhere to keep results"


class ParseService:
    """Answers requests about the benchmark."""

    def __init__(self, state: EngineState, server: int) -> None:
        self._state, self._server = state, server
        self._n_streams = 0

    def _runs(self) -> ParseRuns:
        try:
            folder = state_folder(self._state.dataset, self._state.settings)
        except ResourceError as error:
            _log.warning("%s", error)  # whoever asks need not know where
            raise Unsupported(f"{_NO_FOLDER}; set WHIMBREL_STATE_DIR") from None
        return ParseRuns(folder, self._server)

    def start(self, repeat: Repeat = 3) -> Response:
        """Measure how fast the server's own extract is read, beside pyosmium.

        A process of its own with the lowest priority does it. There is one run at a time.
        """
        with _one_line():
            run = self._runs().start(self._state.dataset, repeat)
        if run is None:
            raise Conflict("A run goes on already; see its progress.")
        return _respond({"code": "Ok", "run": run}, 202)

    def inform(self) -> Response:
        """Whether a run goes on, how far it is, and the results of the last 50."""
        with _one_line():
            status = self._runs().status()
        return _respond({"code": "Ok", **status._asdict()})

    async def events(self) -> Response:
        """Server-sent events: `progress`, `result` and `error`, of the run that goes on and others.

        The data of each is a JSON object with the name of the `run`.
        """
        if self._n_streams >= _MAX_STREAMS:
            raise Busy("Too many streams are open; try again later.")
        self._n_streams += 1  # before anything is waited for: there may be many at once
        try:
            runs = await run_in_threadpool(self._runs)
        except BaseException:
            self._stream_ended()
            raise
        return _Stream(
            self._stream(runs),
            self._stream_ended,
            headers=_CORS | {"cache-control": "no-cache", "x-accel-buffering": "no"},
            media_type="text/event-stream",
        )

    def _stream_ended(self) -> None:
        self._n_streams -= 1

    async def _stream(self, runs: ParseRuns) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        end = loop.time() + _STREAM_S
        quiet_since = loop.time()
        yield b"retry: %d\n\n" % _RECONNECT_MS
        watch = _Watch(runs)
        while loop.time() < end and not self._state.stopping:
            events = await run_in_threadpool(watch.news)
            for event in events:
                yield b"event: %b\ndata: %b\n\n" % (
                    event["event"].encode(),
                    orjson.dumps(event),
                )
            if events:
                quiet_since = loop.time()
            elif loop.time() - quiet_since > _HEARTBEAT_S:
                quiet_since = loop.time()
                yield b": still here\n\n"
            await asyncio.sleep(_POLL_S)


class _Stream(StreamingResponse):
    """A stream whose end is told, also if whoever wanted it had gone before it began."""

    def __init__(
        self,
        content: AsyncIterator[bytes],
        ended: Callable[[], None],
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        super().__init__(content, headers=headers, media_type=media_type)
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()


@contextmanager
def _one_line() -> Iterator[None]:
    """Let what the folder does not allow be told in one line."""
    try:
        yield
    except OSError as error:
        file = Path(error.filename).name if error.filename else "the benchmark"
        raise Unsupported(f"{file}: {error.strerror}; set WHIMBREL_STATE_DIR") from None


class _Watch:
    """The events of runs as they come, and one more for a run that ended without a word."""

    def __init__(self, runs: ParseRuns) -> None:
        self._files = runs.files
        self._follower = runs.files.follow()
        self._open_run: str | None = None
        if not runs.files.is_locked():
            self._follower.news()  # of a run that is over, which nobody has to be told

    def news(self) -> list[Event]:
        was_locked = self._files.is_locked()  # before: what comes last is written under the lock
        events = [event for event in self._follower.news() if {"event", "run"} <= set(event)]
        for event in events:
            self._open_run = event["run"] if event["event"] == PROGRESS else None
        if self._open_run is not None and not was_locked:
            message = "The run was stopped before its end."
            events.append({"event": ERROR, "run": self._open_run, "message": message})
            self._open_run = None
        return events


def parse_router(state: EngineState) -> APIRouter:
    """The routes of the benchmark."""
    router = APIRouter(tags=["benchmark"])
    service = ParseService(state, os.getpid())  # of the server: its workers are forked later
    no_folder = failures({400: _NO_FOLDER})
    for method, path, answer, summary, model, status, may_fail in (
        (
            "POST",
            "/bench/v1/parse",
            service.start,
            "Run the parse benchmark",
            Started,
            202,
            failures({400: f"`repeat` is wrong. {_NO_FOLDER}", 409: "A run goes on already"}),
        ),
        ("GET", "/bench/v1/parse", service.inform, "Parse results", ParseState, 200, no_folder),
        ("HEAD", "/bench/v1/parse", service.inform, "Parse results", ParseState, 200, no_folder),
    ):
        router.add_api_route(
            path,
            answer,
            methods=[method],
            summary=summary,
            response_model=model,
            status_code=status,
            responses=may_fail,
            dependencies=[Depends(only("repeat"))] if method == "POST" else [],
            include_in_schema=method != "HEAD",
        )
    router.add_api_route(
        "/bench/v1/parse/events",
        service.events,
        methods=["GET"],
        summary="Progress of the parse benchmark",
        response_class=StreamingResponse,
        responses={
            200: {
                "description": "A stream of events",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            **failures({400: _NO_FOLDER, 503: "Too many streams are open"}),
        },
    )
    return router


def _respond(answer: dict[str, Any], status: int = 200) -> Response:
    return Response(to_bytes(answer), status, _CORS, media_type="application/json; charset=UTF-8")
