"""How the content of an answer is encoded for those who understand it."""

import re

import deflate

GZIP, DEFLATE, PLAIN = b"gzip", b"deflate", b""

WORTH_ENCODING = 1024
"""Bytes; what is shorter fits into one packet anyway."""

_LEVEL = 1

_CODING = re.compile(rb"(?:^|,)\s*(gzip|deflate)\s*(?:;\s*q\s*=\s*(?:([0-9.]+)\s*)?)?(?=,|$)")
"""No two parts of it may take the same spaces: that would take the square of their number."""


def coding_for(accepted: bytes) -> bytes:
    """The coding for an ``Accept-Encoding`` (RFC 9110, section 12.5.3): gzip before deflate."""
    if not accepted:
        return PLAIN
    wanted = {
        name
        for name, weight in _CODING.findall(accepted.lower())
        if weight.strip(b"0.") or weight == b""
    }
    return GZIP if GZIP in wanted else DEFLATE if DEFLATE in wanted else PLAIN


def encode(body: bytes, coding: bytes) -> bytes:
    """A body in a coding; deflate is the format of zlib (RFC 9110, section 8.4.1.2)."""
    if coding == GZIP:
        return bytes(deflate.gzip_compress(body, _LEVEL))
    if coding == DEFLATE:
        return bytes(deflate.zlib_compress(body, _LEVEL))
    return body
