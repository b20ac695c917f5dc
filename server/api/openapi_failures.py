"""What the OpenAPI document says of requests that fail."""

from collections.abc import Mapping
from typing import Any

from server.api.openapi_answers import ERROR

FAILURES: Mapping[int, str] = {
    408: "The request does not come in",
    413: "The body is too long",
    414: "The URL is too long; use POST",
    431: "The headers are too long",
    500: "A fault of the server",
    503: "Too many requests are waiting, or the server is stopping; try again later",
}
"""What may happen to every request."""

_RETRY = {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer"}}}


def failures(descriptions: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    """The answers that tell what went wrong, by status, as ``responses`` of a route."""
    return {status: _failure(status, told) for status, told in descriptions.items()}


def all_failures(descriptions: Mapping[int, str]) -> dict[str, dict[str, Any]]:
    """These and what may happen to every request, as in a document."""
    told = sorted({**FAILURES, **descriptions}.items())
    return {str(status): _failure(status, description) for status, description in told}


def _failure(status: int, description: str) -> dict[str, Any]:
    found = {"description": description, "content": {"application/json": {"schema": ERROR}}}
    return found | {"headers": _RETRY} if status == 503 else found
