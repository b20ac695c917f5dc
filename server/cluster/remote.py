"""Files at URLs: of http and https by Python itself, of all others by fsspec."""

from collections.abc import Generator
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from gis.errors import DatasetError

_TIMEOUT_S = 60.0
_PIECE_BYTES = 1 << 20


class Unreachable(DatasetError):
    """What cannot be read at a URL now, but perhaps in a moment."""


def pieces(url: str) -> Generator[bytes, None, None]:
    """The bytes at a URL, some at a time.

    Raises ``DatasetError``, which is `Unreachable` if it makes sense to try again.
    """
    try:
        with _open(url) as stream:
            while piece := stream.read(_PIECE_BYTES):
                yield piece
    except Exception as error:  # each file system of fsspec has errors of its own
        raise _failure(url, error) from None


def joined(url: str, *names: str) -> str:
    """The URL of an entry below that of a folder; a query stays, and what is chained by ``::``."""
    head, chained, rest = url.partition("::")
    path, query = head, ""
    if _is_http(head):
        path, question, query = head.partition("?")
        query = question + query
    return "/".join([path.rstrip("/"), *names]) + query + chained + rest


def shown(url: str) -> str:
    """A URL for messages: without user, password and query, which may be secret."""
    return "::".join(map(_shown_part, url.split("::")))


def _shown_part(url: str) -> str:
    parts = urlsplit(url)
    netloc = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=netloc, query="", fragment="").geturl()


def _is_http(url: str) -> bool:
    return "::" not in url and url.lower().startswith(("http://", "https://"))


def _open(url: str) -> Any:
    """A context manager for the stream of bytes at a URL."""
    if _is_http(url):
        return urlopen(url, timeout=_TIMEOUT_S)
    import fsspec

    return fsspec.open(url, "rb")


def _failure(url: str, error: Exception) -> DatasetError:
    what = f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")
    final = isinstance(error, FileNotFoundError | PermissionError | ImportError | ValueError)
    if isinstance(error, HTTPError):
        what = f"{error.code} {error.reason}"
        final = error.code < 500
        error.close()
    kind = DatasetError if final else Unreachable
    return kind(f"{shown(url)}: cannot be read: {what.replace(url, shown(url))}")
