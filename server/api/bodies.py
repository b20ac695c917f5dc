"""Bodies of requests to routes of our own."""

from starlette.requests import Request

from server.counting import announced_length
from server.errors import BodyTooLarge


async def read_body(request: Request, limit: int) -> bytes:
    """The body; ``BodyTooLarge`` if it is longer than the limit."""
    too_large = BodyTooLarge(f"Body is longer than the maximum of {limit} bytes")
    if announced_length(request.scope) > limit:
        raise too_large
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > limit:
            raise too_large
    return bytes(parts)


def media_type(request: Request) -> str:
    """What the request says that its body is."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()
