"""Options in the URLs of our own services: which there are, and what is wrong with one."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.requests import Request

from server.errors import InvalidQuery

_SHOWN = 40
"""So much of a name is shown that is wrong."""

_MESSAGES: Mapping[str, str] = {
    "missing": "is missing",
    "string_too_short": "must have at least {min_length} character",
    "string_too_long": "must have at most {max_length} characters",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_type": "must be a whole number",
}
"""What is wrong, by what the framework calls it."""


def only(*names: str) -> Callable[[Request], None]:
    """A dependency that raises ``InvalidQuery`` for any other option, or one given twice."""

    def check(request: Request) -> None:
        given = [name for name, _ in request.query_params.multi_items()]
        for name in given:
            if name not in names:
                expected = " or ".join(names)
                raise InvalidQuery(f"unknown option '{name[:_SHOWN]}', expected {expected}")
            if given.count(name) > 1:
                raise InvalidQuery(f"{name} is given more than once")

    return check


def invalid_query(error: RequestValidationError) -> InvalidQuery:
    """The first thing that the framework found wrong, in our words."""
    first: Mapping[str, Any] = error.errors()[0]
    name = str(first["loc"][-1])
    message = _MESSAGES.get(first["type"])
    told = message.format(**first.get("ctx", {})) if message else "is not as it should be"
    return InvalidQuery(f"{name} {told}")
