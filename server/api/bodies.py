"""Bodies of requests to routes of our own."""

from starlette.requests import Request


def media_type(request: Request) -> str:
    """What the request says that its body is."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()
