"""Which coding is chosen, and that its content is what any client expects."""

import gzip
import time
import zlib

import pytest

from server.api.codings import DEFLATE, GZIP, PLAIN, coding_for, encode


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        (b"", PLAIN),
        (b"identity", PLAIN),
        (b"br", PLAIN),
        (b"x-gzip", PLAIN),
        (b"gzip", GZIP),
        (b"deflate", DEFLATE),
        (b"DEFLATE", DEFLATE),
        (b"deflate, gzip", GZIP),
        (b"gzip;q=0, deflate", DEFLATE),
        (b"deflate;q=0.0,gzip;q=0.00", PLAIN),
        (b"br, deflate ; q=0.1", DEFLATE),
        (b"gzip, deflate, br, zstd", GZIP),
        (b"gzip ; q = 0.000 , deflate;q=0.0", PLAIN),
        (b"gzip;q= ,br", GZIP),
        (b"gzip;q=x", PLAIN),
    ],
)
def test_coding(accepted: bytes, coding: bytes) -> None:
    """Gzip before deflate, and nothing that a weight of 0 forbids."""
    assert coding_for(accepted) == coding


def test_content() -> None:
    """Deflate is zlib's format, not the bare stream."""
    body = b"abc" * 1000
    assert gzip.decompress(encode(body, GZIP)) == body
    assert zlib.decompress(encode(body, DEFLATE)) == body
    assert encode(body, PLAIN) == body


@pytest.mark.parametrize("start", [b"gzip", b"gzip;", b"gzip;q", b"gzip;q=", b"gzip;q=1", b","])
def test_odd_headers_take_no_time(start: bytes) -> None:
    """However many spaces there are."""
    began = time.process_time()
    for end in (b"x", b"", b";", b"="):
        coding_for(start + b" " * 100_000 + end)
    assert time.process_time() - began < 1
