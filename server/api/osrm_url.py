"""The grammar of a request's URL, and a scanner that knows where it stopped."""

import re
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import unquote

from starlette.types import Scope

from server.errors import InvalidQuery, InvalidUrl

_NAME = r"[A-Za-z0-9_.~:-]+"
_QUERY = r"(?:[&(),\-.0-9:;=?@A-Z\[\\\]^_`a-z{|}~]|\+(?=[0-9]{2}:?[0-9]{2}))+"
_URL = re.compile(rf"/(?:({_NAME})(?:/(?:v(?:(\d+)(?:/(?:({_NAME})(?:/({_QUERY})?)?)?)?)?)?)?)?")
"""Every part but the first is optional, so that the end of the match is where the URL stops
making sense."""

_MAX_VERSION = 2**32 - 1

SCOPE_TARGET = "whimbrel.target"
"""Where a request's scope may hold its target as sent, a lone "?" at its end included."""


@dataclass(frozen=True, slots=True)
class RequestPath:
    """``/{service}/v{version}/{profile}/{query}``; the query begins at ``query_start``."""

    service: str
    version: int
    profile: str
    text: str
    query_start: int


def target_of(scope: Scope) -> bytes:
    """The target of a request as it was sent, or as near as the server tells it."""
    target: bytes | None = scope.get(SCOPE_TARGET)
    if target is None:
        target, query = scope["raw_path"], scope["query_string"]
        target = target + b"?" + query if query else target
    return target


def decode_target(target: bytes) -> str:
    """The percent-decoded request target; an escape that is none stays as it is."""
    text = target.decode("latin-1")
    return unquote(text, errors="replace") if "%" in text else text


def split_url(text: str, *, with_query: bool) -> RequestPath:
    """The parts of a decoded request target; raises ``InvalidUrl`` with the position.

    Without a query (the coordinates come in the body) nothing may follow the profile but "/".
    """
    match = _URL.match(text)
    if match is None:
        raise _url_error(text, 0)
    service, version, profile, query = match.groups()
    if len(version or "") > 10 or int(version or 0) > _MAX_VERSION:
        raise _url_error(text, match.start(2))
    end = match.end()
    if with_query and (query is None or end != len(text)):
        in_query = profile is not None and end > match.end(3)
        raise _url_error(text, end + (in_query and text[end : end + 1] == "%"))
    if not with_query:
        if profile is None:
            raise _url_error(text, end)
        rest = text[match.end(3) :]
        if rest not in ("", "/"):
            raise _url_error(text, match.end(3) + rest.startswith("/"))
    return RequestPath(service, int(version), profile, text, match.start(4))


def _url_error(text: str, position: int) -> InvalidUrl:
    context = text[max(position - 3, 0) : position + 3]
    return InvalidUrl(f'URL string malformed close to position {position}: "{context}"')


class Scanner:
    """Reads a text from left to right. A method that does not match leaves the position."""

    __slots__ = ("position", "text")

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position

    @property
    def at_end(self) -> bool:
        return self.position == len(self.text)

    def literal(self, token: str) -> bool:
        """Whether the token stands here; if so, step over it."""
        if self.text.startswith(token, self.position):
            self.position += len(token)
            return True
        return False

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """What the pattern matches here, stepped over, or None."""
        found = pattern.match(self.text, self.position)
        if found is None:
            return None
        self.position = found.end()
        return found.group()

    def error(self) -> InvalidQuery:
        """The error that names the position."""
        return InvalidQuery(f"Query string malformed close to position {self.position}")

    def fail(self) -> NoReturn:
        """Raise the error that names the position."""
        raise self.error()
