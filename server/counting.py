"""The outermost layer of the application: counts requests, and limits what they bring along."""

import asyncio
from contextlib import suppress
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.api.osrm_json import error_answer, to_bytes
from server.api.services import SERVICES
from server.errors import BodyTooLarge, status_code_message
from server.state import EngineState

_LIMIT_THEMSELVES = frozenset({*SERVICES, "live", "courier"})
"""Services that know best how large a body may be."""

_LINGER_S = 5.0
"""How long what is left of a refused body is read: a sender that is cut off sees no answer."""


class Counted:
    """Counts what an application answers, and refuses bodies that are too large for it.

    Some services see to the size of their bodies themselves; this is for the others.
    """

    def __init__(self, app: ASGIApp, state: EngineState) -> None:
        self._app = app
        self._metrics = state.metrics
        self._settings = state.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = perf_counter()
        metrics = self._metrics
        service = service_of(scope["path"])
        told = False

        async def tell(message: Message) -> None:
            nonlocal told
            if not told and message["type"] == "http.response.start":
                told = True
                metrics.observe(service, message["status"], perf_counter() - began)
            await send(message)

        metrics.began_or_ended(1)
        try:
            limit = self._settings.max_body_bytes
            if service in _LIMIT_THEMSELVES:
                await self._app(scope, receive, tell)
            elif announced_length(scope) > limit:
                await _refuse(limit, receive, tell)
            else:
                await self._app(scope, _limited(receive, limit), tell)
        except Exception:
            if not told:
                metrics.observe(service, 500, perf_counter() - began)
            raise
        finally:
            metrics.began_or_ended(-1)


def service_of(path: str) -> str:
    """The service that a path is for, by its first part."""
    parts = path.split("/", 2)
    return parts[1] if len(parts) > 1 else ""


def announced_length(scope: Scope) -> int:
    """The length of the body that is to come, 0 if it is not told."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:18])
    return 0


def _limited(receive: Receive, limit: int) -> Receive:
    """The same, but ``BodyTooLarge`` is raised once there is too much."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > limit:
            raise BodyTooLarge(f"Body is longer than the maximum of {limit} bytes")
        return message

    return limited


async def _refuse(limit: int, receive: Receive, send: Send) -> None:
    error = BodyTooLarge(f"Body is longer than the maximum of {limit} bytes")
    status, code, message = status_code_message(error)
    body = to_bytes(error_answer(code, message))
    headers = [
        (b"content-type", b"application/json; charset=UTF-8"),
        (b"content-length", b"%d" % len(body)),
        (b"access-control-allow-origin", b"*"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_S):
            while (await receive()).get("more_body", False):
                pass
    await send({"type": "http.response.body", "body": b""})
