"""The services that speak OSRM's HTTP interface, as one ASGI application."""

import asyncio
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import deflate
from starlette.types import Receive, Scope, Send

from server.api.osrm_json import error_answer, nearest_answer, route_answer, to_bytes
from server.api.osrm_params import (
    NearestParams,
    Params,
    RouteParams,
    check_nearest,
    check_route,
    params_from_json,
    params_from_url,
)
from server.api.osrm_url import SCOPE_TARGET, RequestPath, decode_target, split_url
from server.errors import (
    BodyTooLarge,
    HeadersTooLarge,
    InvalidContentType,
    InvalidMethod,
    InvalidService,
    InvalidVersion,
    Unsupported,
    UrlTooLong,
    status_code_message,
)
from server.settings import Settings
from server.state import EngineState

_log = logging.getLogger(__name__)

Header: TypeAlias = tuple[bytes, bytes]

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
_COMPRESSED: tuple[Header, ...] = ((b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding"))
_WORTH_COMPRESSING = 1024
_CLOSING = (413, 414, 431)
"""After these the rest of the request is not worth keeping."""
_BUSY = 503

_LINGER_S = 5.0
"""How long what is left of a refused body is read: a sender that is cut off sees no answer."""

_GZIP = re.compile(rb"(?:^|,)\s*gzip\s*(?:;\s*q\s*=\s*([0-9.]*)\s*)?(?:,|$)")

_VERSION = 1
_QUICK_DEG = 0.1
"""Sum of the differences in longitude and latitude: some 10 km, a search of a millisecond."""
_QUICK_RESULTS = 10


def _route(state: EngineState, profile: str, params: RouteParams) -> bytes:
    route = state.engine.route(
        params.coordinates,
        profile=profile,
        radiuses=params.radiuses,
        bearings=params.bearings,
        continue_straight=params.continue_straight,
        snapping=params.snapping,
        waypoints=params.waypoints or None,
    )
    return to_bytes(route_answer(route, params))


def _nearest(state: EngineState, profile: str, params: NearestParams) -> bytes:
    (lon, lat) = params.coordinates[0]
    waypoints = state.engine.nearest(
        lon,
        lat,
        profile=profile,
        number=params.number,
        radius_m=params.radiuses[0] if params.radiuses else None,
        bearing=params.bearings[0] if params.bearings else None,
        snapping=params.snapping,
    )
    return to_bytes(nearest_answer(waypoints, params))


def _is_quick_route(params: RouteParams) -> bool:
    if len(params.coordinates) > 2 or params.bearings is not None:
        return False
    (lon_a, lat_a), (lon_b, lat_b) = params.coordinates
    return abs(lon_a - lon_b) + abs(lat_a - lat_b) < _QUICK_DEG


def _is_quick_nearest(params: NearestParams) -> bool:
    """Whether few roads have to be looked at: a bearing may rule out any number of them."""
    return params.bearings is None and params.number <= _QUICK_RESULTS


@dataclass(frozen=True)
class Service:
    """How one service reads, checks and answers a request.

    What ``is_quick`` is answered at once, since that takes a millisecond as a rule; whatever may
    hold up others for longer is handed to a thread.
    """

    params: type[Params]
    check: Callable[[Any, Settings], None]
    answer: Callable[[EngineState, str, Any], bytes]
    is_quick: Callable[[Any], bool]


SERVICES = {
    "route": Service(RouteParams, check_route, _route, _is_quick_route),
    "nearest": Service(NearestParams, check_nearest, _nearest, _is_quick_nearest),
}
PLANNED = ("table", "match", "trip", "tile")


class OsrmServices:
    """Answers every path: what is no request of a service is told so."""

    def __init__(self, state: EngineState) -> None:
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = _JSON
        incoming = _Incoming(receive)
        try:
            status, body = 200, await self._answer(scope, incoming)
        except Exception as error:
            status, code, message = status_code_message(error)
            if status == 500:
                _log.exception("request failed: %s", scope.get("path"))
            body = to_bytes(error_answer(code, message))
        if body is None:
            status, body, headers = 204, b"", _CORS
        elif status == 405:
            headers = (*headers, (b"allow", METHODS.encode()))
        elif status in _CLOSING:
            headers = (*headers, (b"connection", b"close"))
        elif status == _BUSY:
            headers = (*headers, (b"retry-after", b"1"))
        if len(body) >= _WORTH_COMPRESSING and _accepts_gzip(scope):
            body = bytes(deflate.gzip_compress(body, 1))
            headers = (*headers, *_COMPRESSED)
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [*headers, (b"content-length", b"%d" % len(body))],
            }
        )
        if scope["method"] == "HEAD":
            body = b""
        if status in _CLOSING:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            await incoming.skip()
            body = b""
        await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: Scope, incoming: "_Incoming") -> bytes | None:
        """The answer to a request that is right, or None where there is nothing to say."""
        method = scope["method"]
        _check_size(scope, self._state.settings)
        if method in ("GET", "HEAD"):
            path = split_url(decode_target(_target(scope)), with_query=True)
            service = _find_service(path)
            params = params_from_url(service.params, path)
        elif method == "POST":
            path = split_url(decode_target(_target(scope)), with_query=False)
            service = _find_service(path)
            _check_content_type(scope)
            body = await _read_body(scope, incoming, self._state.settings.max_body_bytes)
            params = params_from_json(service.params, body)
        elif method == "OPTIONS":
            return None
        else:
            raise InvalidMethod("Method not allowed. Use GET, HEAD, POST, or OPTIONS.")
        profile = self._state.profile(path.profile)
        service.check(params, self._state.settings)
        if service.is_quick(params):
            return service.answer(self._state, profile, params)
        return await self._state.in_thread(partial(service.answer, self._state, profile, params))


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

    async def skip(self) -> None:
        """Read on, for a limited time, until the body ends or the sender has gone."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_S):
                while not self.ended:
                    await self.part()


def _find_service(path: RequestPath) -> Service:
    service = SERVICES.get(path.service)
    if service is None and path.service not in PLANNED:
        raise InvalidService(f"Service {path.service} not found!")
    if path.version != _VERSION:
        raise InvalidVersion(f"Service {path.service} not found!")
    if service is None:
        raise Unsupported(f"The service {path.service} is not available in this version.")
    return service


def _check_size(scope: Scope, settings: Settings) -> None:
    url_bytes = len(_target(scope))
    if url_bytes > settings.max_url_bytes:
        raise UrlTooLong(
            f"URL of {url_bytes} bytes is longer than {settings.max_url_bytes}; use POST"
        )
    header_bytes = sum(len(name) + len(value) for name, value in scope["headers"])
    if header_bytes > settings.max_header_bytes:
        raise HeadersTooLarge(
            f"Headers of {header_bytes} bytes are longer than {settings.max_header_bytes}"
        )


def _target(scope: Scope) -> bytes:
    """The request target as it was sent, or as near as the server tells it."""
    target: bytes | None = scope.get(SCOPE_TARGET)
    if target is None:
        target, query = scope["raw_path"], scope["query_string"]
        target = target + b"?" + query if query else target
    return target


def _check_content_type(scope: Scope) -> None:
    value = _header(scope, b"content-type")
    if value.split(b";")[0].strip().lower() != b"application/json":
        raise InvalidContentType("POST requests require a Content-Type of application/json.")


async def _read_body(scope: Scope, incoming: _Incoming, limit: int) -> bytes:
    announced = _header(scope, b"content-length")
    parts: list[bytes] = []
    size = int(announced) if announced.isdigit() and len(announced) < 19 else 0
    size = size if size > limit else 0
    while size <= limit and not incoming.ended:
        parts.append(await incoming.part())
        size += len(parts[-1])
    if size > limit:
        raise BodyTooLarge(f"Body is longer than the maximum of {limit} bytes")
    return b"".join(parts)


def _accepts_gzip(scope: Scope) -> bool:
    found = _GZIP.search(_header(scope, b"accept-encoding").lower())
    return found is not None and (found[1] is None or found[1].strip(b"0.") != b"")


def _header(scope: Scope, wanted: bytes) -> bytes:
    value: bytes = next((value for name, value in scope["headers"] if name == wanted), b"")
    return value
