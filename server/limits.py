"""Limits on what a request brings along, whatever it is for."""

import asyncio
from contextlib import suppress

from starlette.types import Message, Receive, Scope, Send

from server.api.osrm_json import error_answer, to_bytes
from server.api.osrm_url import target_of
from server.errors import BodyTooLarge, HeadersTooLarge, UrlTooLong, status_code_message
from server.settings import Settings

_LINGER_S = 5.0
"""How long what is left of a refused body is read: a sender that is cut off sees no answer."""


def check_size(scope: Scope, service: str, settings: Settings) -> None:
    """Raise what there is to say of a request with too long a URL, headers or announced body."""
    url_bytes = len(target_of(scope))
    if url_bytes > settings.max_url_bytes:
        raise UrlTooLong(
            f"URL of {url_bytes} bytes is longer than {settings.max_url_bytes}; use POST"
        )
    header_bytes = sum(len(name) + len(value) for name, value in scope["headers"])
    if header_bytes > settings.max_header_bytes:
        raise HeadersTooLarge(
            f"Headers of {header_bytes} bytes are longer than {settings.max_header_bytes}"
        )
    limit = _body_limit(service, settings)
    if _announced_length(scope) > limit:
        raise _too_large(limit)


def limited(receive: Receive, service: str, settings: Settings) -> Receive:
    """The same, but ``BodyTooLarge`` is raised when there is too much."""
    limit = _body_limit(service, settings)
    size = 0

    async def within_limit() -> Message:
        nonlocal size
        message = await receive()
        was_within = size <= limit
        size += len(message.get("body", b""))
        if size > limit and was_within:
            raise _too_large(limit)
        return message

    return within_limit


async def refuse(
    error: BodyTooLarge | HeadersTooLarge | UrlTooLong, receive: Receive, send: Send
) -> None:
    """Say what is too large, read on for a while what still comes, and end the connection."""
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


def _body_limit(service: str, settings: Settings) -> int:
    if service == "live":
        return settings.max_live_body_bytes
    return settings.max_courier_body_bytes if service == "courier" else settings.max_body_bytes


def _announced_length(scope: Scope) -> int:
    """The length of the body that is to come, 0 if it is not told."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:18])
    return 0


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"Body is longer than the maximum of {limit} bytes")
