"""Answers that are no JSON, and may be kept by whoever asked."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import deflate

Header: TypeAlias = tuple[bytes, bytes]

_ETAG_BYTES = 12


@dataclass(frozen=True)
class Reply:
    """A body and its media type. It is compressed once, however often it is sent."""

    body: bytes
    media_type: bytes
    etag: bytes = field(init=False)
    """Names this content, compressed or not, so that nobody has to be sent it twice."""

    def __post_init__(self) -> None:
        digest = hashlib.blake2b(self.body, digest_size=_ETAG_BYTES).hexdigest()
        object.__setattr__(self, "etag", b'W/"%s"' % digest.encode())

    @cached_property
    def packed(self) -> bytes:
        """The body as gzip."""
        return bytes(deflate.gzip_compress(self.body, 1))

    @property
    def headers(self) -> tuple[Header, ...]:
        """What to send with it: it may be kept, but not be used again without asking."""
        return (
            (b"etag", self.etag),
            (b"cache-control", b"no-cache"),
            (b"vary", b"Accept-Encoding"),
        )

    def is_known(self, etags: bytes) -> bool:
        """Whether a request's ``If-None-Match`` names it (RFC 9110, section 13.1.2)."""
        wanted = {tag.strip().removeprefix(b"W/") for tag in etags.split(b",")}
        return b"*" in wanted or self.etag.removeprefix(b"W/") in wanted
