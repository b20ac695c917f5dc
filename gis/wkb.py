"""Lines as well-known binary (OGC 06-103r4, section 8), many in one kernel call."""

from typing import Any

import numpy as np

from gis.arrays import I32, I64, U8, U64, freeze
from gis.geodesy import UNITS_PER_DEGREE
from gis.jit import inner_kernel, int64, plain_kernel

_LITTLE_ENDIAN, _LINE_STRING = 1, 2
_HEAD_BYTES, _POINT_BYTES = 9, 16


def line_wkb(first: I64, lon: I32, lat: I32) -> tuple[I64, U8]:
    """N lines as bytes: offsets int64 (n + 1,), and WKB LineStrings one after the other.

    ``first`` int64 (n + 1,) are the offsets of the lines into ``lon``, ``lat`` int32 in 1e-7
    degree. Coordinates are float64 degrees in little endian; a line without points has no bytes.
    """
    n_points = np.diff(first)
    first_byte = np.zeros(len(first), np.int64)
    np.cumsum(_POINT_BYTES * n_points + _HEAD_BYTES * (n_points > 0), out=first_byte[1:])
    words = np.empty((int(first_byte[-1]) + 7) // 8, np.uint64)
    _write_lines(freeze(first), freeze(lon), freeze(lat), words)
    data = words.view(np.uint8)[: first_byte[-1]]
    return freeze(first_byte), freeze(data)


@plain_kernel
def _write_lines(first: I64, lon: I32, lat: I32, words: U64) -> None:
    """Write each line that has points."""
    stream = (int64(0), int64(0), np.uint64(0))
    for row in range(len(first) - 1):
        n_points = first[row + 1] - first[row]
        if n_points == 0:
            continue
        stream = _write(words, stream, np.uint64(_LITTLE_ENDIAN), 1)
        stream = _write(words, stream, np.uint64(_LINE_STRING | n_points << 32), 8)
        for i in range(first[row], first[row + 1]):
            x, y = np.float64(lon[i] / UNITS_PER_DEGREE), np.float64(lat[i] / UNITS_PER_DEGREE)
            stream = _write(words, stream, x.view(np.uint64), 8)
            stream = _write(words, stream, y.view(np.uint64), 8)
    if stream[1] > 0:
        words[stream[0]] = stream[2]


@inner_kernel
def _write(words: U64, stream: Any, value: Any, n_bytes: int) -> Any:
    """Append some bytes: whole words go to ``words``, the rest waits in the stream.

    A stream is how many words there are, and how many bits wait for the next, and which.
    """
    n, n_bits, waiting = stream
    waiting |= value << np.uint64(n_bits)
    n_bits += 8 * n_bytes
    if n_bits >= 64:
        words[n] = waiting
        n_bits -= 64
        # Shifted twice: no processor shifts a word by all of its bits.
        waiting = value >> np.uint64(1) >> np.uint64(8 * n_bytes - n_bits - 1)
        return n + 1, n_bits, waiting
    return n, n_bits, waiting
