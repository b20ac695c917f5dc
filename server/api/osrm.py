"""The services that speak OSRM's HTTP interface, as one ASGI application."""

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from starlette.types import Receive, Scope, Send

from server.api.codings import DEFLATE, GZIP, PLAIN, WORTH_ENCODING, coding_for, encode
from server.api.osrm_json import error_answer, to_bytes
from server.api.osrm_requests import params_from_json
from server.api.osrm_url import RequestPath, decode_target, split_url, target_of
from server.api.own_roads import check_own_roads, has_own_roads, with_own_roads
from server.api.replies import Header, Reply
from server.api.services import SERVICES, Service
from server.errors import (
    BodyTooLarge,
    Busy,
    InvalidContentType,
    InvalidMethod,
    InvalidService,
    InvalidVersion,
    Unsupported,
    status_code_message,
)
from server.state import EngineState

_log = logging.getLogger(__name__)

METHODS = "GET, HEAD, POST, OPTIONS"

_CORS: tuple[Header, ...] = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", METHODS.encode()),
    (b"access-control-allow-headers", b"X-Requested-With, Content-Type"),
)
_JSON: tuple[Header, ...] = (
    *_CORS,
    (b"content-type", b"application/json; charset=UTF-8"),
    (b"content-disposition", b'inline; filename="response.json"'),
)
_VARY: Header = (b"vary", b"Accept-Encoding")
_PLAIN_HEAD = b"".join(b"%b: %b\r\n" % pair for pair in _JSON)
_HEADS = {
    PLAIN: _PLAIN_HEAD,
    GZIP: _PLAIN_HEAD + b"content-encoding: gzip\r\n",
    DEFLATE: _PLAIN_HEAD + b"content-encoding: deflate\r\n",
}
_LONG_BODY_BYTES = 16 << 10
"""A longer body takes more than some milliseconds to read."""
_WRONG, _BUSY = 400, 503
_NOT_MODIFIED = 304

_VERSION = 1


class _Answer(NamedTuple):
    """What is sent, and how it is encoded."""

    body: bytes
    coding: bytes = PLAIN
    headers: tuple[Header, ...] = ()
    status: int = 200
    media_type: bytes = b""
    """What it is unless JSON."""


def _packed(body: bytes, coding: bytes, headers: tuple[Header, ...] = ()) -> _Answer:
    """An answer, encoded if that pays."""
    if len(body) < WORTH_ENCODING:
        return _Answer(body, PLAIN, headers)
    return _Answer(encode(body, coding), coding, (*headers, _VARY))


def _replied(reply: Reply, coding: bytes, known: bytes, headers: tuple[Header, ...]) -> _Answer:
    """An answer from a reply, which is not sent to those who know it."""
    headers = (*headers, *reply.headers)
    if reply.is_known(known):
        return _Answer(b"", PLAIN, headers, _NOT_MODIFIED, reply.media_type)
    if coding == GZIP and len(reply.body) >= WORTH_ENCODING:
        return _Answer(reply.packed, GZIP, headers, media_type=reply.media_type)
    return _Answer(reply.body, PLAIN, headers, media_type=reply.media_type)


class OsrmServices:
    """Answers every path: what is no request of a service is told so."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._keep_alive: Header = (
            b"keep-alive",
            b"timeout=%d" % state.settings.keep_alive_s,
        )
        self._keep_alive_line = b"%b: %b\r\n" % self._keep_alive

    def answer_at_once(
        self, target: bytes, header_bytes: int, accepted: bytes
    ) -> tuple[int, bytes, bytes] | None:
        """Status, headers and body of the answer to a GET request if it is quick.

        ``target`` is its path and query, ``accepted`` which encodings whoever asks understands.
        What is no fault of the asker's takes the long way, which tells it.
        """
        settings = self._state.settings
        if len(target) > settings.max_url_bytes or header_bytes > settings.max_header_bytes:
            return None
        try:
            path = split_url(decode_target(target), with_query=True)
            service = _find_service(path)
            params = service.read(path)
            serving = self._state.serving_at_once(path.profile)
            if serving is None:
                return None
            service.check(params, settings)
            if not service.is_quick(params):
                return None
            body = service.answer(serving, params)
        except Exception as error:
            status, code, message = status_code_message(error)
            if status != _WRONG:
                return None
            answer = _packed(to_bytes(error_answer(code, message)), coding_for(accepted))
        else:
            if isinstance(body, Reply):
                return None
            status, answer = 200, _packed(body, coding_for(accepted), serving.headers)
        named = b"".join([b"%b: %b\r\n" % pair for pair in answer.headers])
        head = _HEADS[answer.coding]
        if not self._state.stopping:
            head += self._keep_alive_line
        head = b"%b%bcontent-length: %d\r\n" % (head, named, len(answer.body))
        return status, head, answer.body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = _JSON
        incoming = _Incoming(receive)
        try:
            answer = await self._answer(scope, incoming)
            status = 204 if answer is None else answer.status
        except BodyTooLarge:
            raise
        except (Exception, asyncio.CancelledError) as caught:
            error: Exception = Busy("The server is stopping.")
            if isinstance(caught, Exception):
                error = caught
            status, code, message = status_code_message(error)
            if status == 500:
                _log.exception("request failed: %s", scope.get("path"))
            answer = _packed(to_bytes(error_answer(code, message)), _coding(scope))
        if answer is None:
            answer, headers = _Answer(b""), _CORS
        elif answer.media_type:
            headers = (*_CORS, (b"content-type", answer.media_type))
        elif status == 405:
            headers = (*headers, (b"allow", METHODS.encode()))
        elif status == _BUSY:
            headers = (*headers, (b"retry-after", b"1"))
        if answer.coding:
            headers = (*headers, (b"content-encoding", answer.coding))
        if not self._state.stopping and _stays_open(scope):
            headers = (*headers, self._keep_alive)
        body = answer.body
        headers = (*headers, *answer.headers)
        if status != _NOT_MODIFIED:
            headers = (*headers, (b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": [*headers]})
        if scope["method"] == "HEAD":
            body = b""
        await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: Scope, incoming: "_Incoming") -> "_Answer | None":
        """The answer to a request that is right, or None where there is nothing to say."""
        method, is_long = scope["method"], False
        if method in ("GET", "HEAD"):
            path = split_url(decode_target(target_of(scope)), with_query=True)
            service = _find_service(path)
            params = service.read(path)
        elif method == "POST":
            _check_content_type(scope)
            path = split_url(decode_target(target_of(scope)), with_query=False)
            service = _find_service(path)
            if not service.reads_bodies:
                raise Unsupported("This service does not support POST requests with a JSON body.")
            body = await _read_body(incoming)
            is_long = len(body) > _LONG_BODY_BYTES
            read = partial(params_from_json, service.params, body)
            params = await self._state.in_thread(read, incoming.gone()) if is_long else read()
        elif method == "OPTIONS":
            return None
        else:
            raise InvalidMethod("Method not allowed. Use GET, HEAD, POST, or OPTIONS.")
        serving = await self._state.serving_soon(path.profile)
        coding = _coding(scope)

        def check() -> None:
            service.check(params, self._state.settings)
            check_own_roads(params, self._state.settings)

        def answer() -> _Answer:
            if is_long:
                check()
            found = service.answer(with_own_roads(serving, params), params)
            if isinstance(found, Reply):
                known = _header(scope, b"if-none-match")
                return _replied(found, coding, known, serving.headers)
            return _packed(found, coding, serving.headers)

        if not is_long:
            check()
            if service.is_quick(params) and not has_own_roads(params):
                return answer()
        return await self._state.in_thread(answer, incoming.gone())


class _Incoming:
    """The body of a request, as it comes in."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.ended = False

    async def part(self) -> bytes:
        """The next part of the body; ``ended`` tells whether it is the last."""
        message = await self._receive()
        self.ended = not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part

    async def gone(self) -> None:
        """Read on until whoever sends the request has gone; a body here is for nobody."""
        kind = ""
        while kind != "http.disconnect":
            with suppress(BodyTooLarge):
                kind = (await self._receive())["type"]


def _find_service(path: RequestPath) -> Service:
    service = SERVICES.get(path.service)
    if service is None:
        raise InvalidService(f"Service {path.service} not found!")
    if path.version != _VERSION:
        raise InvalidVersion(f"Service {path.service} not found!")
    return service


def _check_content_type(scope: Scope) -> None:
    value = _header(scope, b"content-type")
    if value.split(b";")[0].strip().lower() != b"application/json":
        raise InvalidContentType("POST requests require a Content-Type of application/json.")


async def _read_body(incoming: _Incoming) -> bytes:
    parts: list[bytes] = []
    while not incoming.ended:
        parts.append(await incoming.part())
    return b"".join(parts)


def _coding(scope: Scope) -> bytes:
    return coding_for(_header(scope, b"accept-encoding"))


def _stays_open(scope: Scope) -> bool:
    """Whether the connection is kept for another request (RFC 9112, section 9.3)."""
    wanted = _header(scope, b"connection").lower()
    return b"close" not in wanted and (scope["http_version"] != "1.0" or b"keep-alive" in wanted)


def _header(scope: Scope, wanted: bytes) -> bytes:
    value: bytes = next((value for name, value in scope["headers"] if name == wanted), b"")
    return value
