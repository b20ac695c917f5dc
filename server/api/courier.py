"""Couriers' problems over HTTP: solved in a process of their own, told as they get better."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import AsyncExitStack, aclosing, suppress
from functools import partial
from typing import Annotated, Any, TypeAlias, TypeVar

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Scope, Send

from routing.courier.schedule import CourierParams
from routing.errors import InvalidInput, InvalidValue
from server.api.bodies import media_type
from server.api.courier_schemas import BODY, RESPONSES
from server.api.osrm_json import error_answer, to_bytes
from server.courier.messages import Done, Failed, Going
from server.courier.reading import read_problem
from server.courier.runs import Run
from server.courier.solver import GRACE_S, Work
from server.courier.solving import Prepared, prepare, read_json
from server.errors import Busy, InvalidContentType, SolverFailed, status_code_message
from server.state import EngineState, Serving

_log = logging.getLogger(__name__)

T = TypeVar("T")
Event: TypeAlias = tuple[str, dict[str, Any]]
"""Its name and its data."""

PROGRESS, PLAN, ERROR = "progress", "plan", "error"
_CORS = {"access-control-allow-origin": "*"}
_STREAM = "text/event-stream"
_POLL_S = 0.2
_DEFAULT_S = 5.0
_KILLED = (
    "The solver's process was ended before it had a plan to answer with, as when memory runs out;"
    " try again later, or with fewer stops."
)

Profile: TypeAlias = Annotated[str, Path(examples=["car"])]
Events: TypeAlias = Annotated[
    bool,
    Query(description="Server-sent events, as with `Accept: text/event-stream`."),
]


class CourierService:
    """Answers requests for plans."""

    def __init__(self, state: EngineState) -> None:
        self._state = state

    async def solve(self, request: Request, profile: Profile, events: Events = False) -> Response:
        """The best plan found within a time for couriers who pick up and deliver, or visit places.

        Problem and answer have the shape of VROOM's. Beside its members a vehicle may have
        `starts` and `ends`: any of these depots, whichever is best. `seconds`, `seed`,
        `iterations`, `objective`, `geometry` and `geometries` may stand in `options` or beside it.
        With `iterations` alone the plan is the same every time, if they are done within the longest
        time that the server allows.
        What is not supported is refused. With events the best plan so far is told while it gets
        better; closing the connection ends the search.
        """
        self._state.profile(profile)  # rather wrong now than after a long body
        if media_type(request) != "application/json":
            raise InvalidContentType("POST requests require a Content-Type of application/json.")
        body = await request.body()
        serving = self._state.serving(profile)
        headers = {name.decode(): value.decode() for name, value in serving.headers} | _CORS
        async with AsyncExitStack() as stack:
            stack.enter_context(self._state.runs.slot())
            try:
                beginning = self._begin(body, serving, profile, stack)
                prepared, run = await _or_gone(beginning, _gone(request.receive))
                is_stream = events or _STREAM in request.headers.get("accept", "")
                found = self._events(prepared, run, is_stream)
                if is_stream:
                    return EventStream(found, stack.pop_all(), headers)
                answer = await _or_gone(_last(found), _gone(request.receive))
            except _Gone:
                raise Busy("Nobody waits for the answer.") from None
        return Response(
            to_bytes(answer), 200, headers, media_type="application/json; charset=UTF-8"
        )

    async def _begin(
        self, body: bytes, serving: Serving, profile: str, stack: AsyncExitStack
    ) -> tuple[Prepared, Run]:
        """Read the problem, find the times between its places, and start to solve it.

        The stack ends the run. A thread cannot be ended: one that nobody waits for any more starts
        no run, or its run is ended at once.
        """
        has_left = threading.Event()

        def begin() -> tuple[Prepared, Run]:
            prepared = self._prepare(body, serving, profile)
            if has_left.is_set():
                raise _Gone
            return prepared, self._start(Work(prepared.problem, prepared.params))

        beginning = self._state.runs.threads.submit(begin)
        try:
            prepared, run = await asyncio.wrap_future(beginning)
        except asyncio.CancelledError:
            has_left.set()
            beginning.add_done_callback(_end_run)
            raise
        stack.callback(run.close)
        return prepared, run

    def _start(self, work: Work) -> Run:
        try:
            return self._state.runs.start(work)
        except OSError as error:
            what = error.strerror or str(error)
            _log.warning("no process for a courier's problem: %s", what)
            raise SolverFailed(
                f"There is no process to solve it: {what}; try again later."
            ) from None

    def _prepare(self, body: bytes, serving: Serving, profile: str) -> Prepared:
        settings, engine = self._state.settings, serving.engine
        most = settings.max_courier_seconds
        asked = read_problem(read_json(body), profile, settings.max_courier_stops, most)
        own = asked.profile if asked.matrix is None else None
        if own is not None and self._state.profile(own, engine) != serving.profile:
            raise InvalidValue(f"the vehicles' profile is {own!r}, but the URL's {profile!r}")
        wishes = asked.wishes
        default = min(_DEFAULT_S, most) if wishes.iterations is None else most
        seconds = default if wishes.seconds is None else wishes.seconds
        params = CourierParams(seconds=seconds, iterations=wishes.iterations, seed=wishes.seed)
        return prepare(
            asked, engine, {"profile": serving.profile}, params, settings.max_courier_stops
        )

    async def _events(
        self, prepared: Prepared, run: Run, with_progress: bool
    ) -> AsyncGenerator[Event, None]:
        """Progress, and the plan at last; raises what went wrong instead."""
        deadline = time.monotonic() + (prepared.params.seconds or 0) + GRACE_S
        async with aclosing(run.messages(_POLL_S)) as messages:
            async for message in messages:
                if self._state.stopping:
                    run.finish()
                if isinstance(message, Done):
                    yield PLAN, await self._in_thread(partial(prepared.answer, message.plan, True))
                    return
                if isinstance(message, Failed):
                    raise (InvalidInput if message.is_input else SolverFailed)(message.message)
                if isinstance(message, Going) and with_progress:
                    yield PROGRESS, await self._progress(prepared, message)
                if time.monotonic() > deadline:
                    _log.warning("a courier's problem: the solver did not end in time")
                    raise SolverFailed("The solver did not end in time; try again later.")
        _log.warning("a courier's problem: the solver was ended, perhaps for want of memory")
        raise SolverFailed(_KILLED)

    async def _progress(self, prepared: Prepared, going: Going) -> dict[str, Any]:
        told: dict[str, Any] = {
            "elapsed": round(going.elapsed_s, 3),
            "iterations": going.iterations,
            "cost": round(going.cost, 2),
            "unassigned": going.unserved,
        }
        plan = going.plan
        if plan is not None:
            told["plan"] = await self._in_thread(partial(prepared.answer, plan))
        return told

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._state.runs.threads.submit(work))


class EventStream(Response):
    """Server-sent events until the last one, or until whoever reads them has gone."""

    media_type = _STREAM

    def __init__(
        self, events: AsyncGenerator[Event, None], stack: AsyncExitStack, headers: dict[str, str]
    ) -> None:
        more = {"cache-control": "no-cache", "x-accel-buffering": "no"}
        super().__init__(None, 200, headers | more)
        del self.headers["content-length"]
        self._events, self._stack = events, stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what there is; with the stream ends what it is about."""
        async with self._stack:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            with suppress(_Gone):
                await _or_gone(self._send_all(send), _gone(receive))

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._events) as events:
            try:
                async for name, data in events:
                    await send(_part(_event(name, data)))
            except Exception as error:
                status, code, message = status_code_message(error)
                if status == 500:
                    _log.error("solving failed", exc_info=error)
                await send(_part(_event(ERROR, error_answer(code, message))))
        await send({"type": "http.response.body", "body": b""})


def courier_router(state: EngineState) -> APIRouter:
    """The route that solves couriers' problems."""
    router = APIRouter(tags=["courier"])
    router.add_api_route(
        "/courier/v1/{profile}",
        CourierService(state).solve,
        methods=["POST"],
        summary="Plan for couriers",
        responses=RESPONSES,
        openapi_extra=BODY,
    )
    return router


def _end_run(beginning: "Future[tuple[Prepared, Run]]") -> None:
    """End what has begun for somebody who has left meanwhile."""
    if not beginning.cancelled() and beginning.exception() is None:
        beginning.result()[1].close()


class _Gone(Exception):
    """Whoever has asked is no more there."""


async def _gone(receive: Receive) -> None:
    """Wait until whoever has asked has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _or_gone(work: Awaitable[T], gone: Awaitable[None]) -> T:
    """The result of work, or ``_Gone`` if nobody wants it any more before it is done."""
    working, watching = asyncio.ensure_future(work), asyncio.ensure_future(gone)
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise _Gone
        return working.result()
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def _last(events: AsyncGenerator[Event, None]) -> dict[str, Any]:
    """The data of the last event."""
    last: dict[str, Any] = {}
    async with aclosing(events) as found:
        async for event in found:
            last = event[1]
    return last


def _event(name: str, data: dict[str, Any]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), to_bytes(data))


def _part(body: bytes) -> AsgiMessage:
    return {"type": "http.response.body", "body": body, "more_body": True}
