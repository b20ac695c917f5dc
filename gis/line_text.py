"""Encoded polylines as strings of JSON, written straight from degrees."""

import math

import numpy as np

from gis.arrays import F64, U8
from gis.geodesy import UNITS_PER_DEGREE
from gis.jit import Settled, inner_kernel, plain_kernel

UNITS = {5: 100, 6: 10}
"""Of each precision, in 1e-7 degree."""

_MORE, _CHUNK_BITS, _FIRST_LETTER = 0x20, 5, 63
_QUOTE, _BACKSLASH = 34, 92
_MAX_LETTERS = 24
"""Of one point: a whole turn takes 6 letters twice, each of which may be a backslash."""


@inner_kernel
def _put_change(change: int, out: U8, at: int) -> int:
    """Write a number of an encoded polyline; a backslash twice, as JSON has it."""
    number = change << 1 if change >= 0 else ~(change << 1)
    while True:
        more = number >= _MORE
        letter = ((number & (_MORE - 1)) | (_MORE if more else 0)) + _FIRST_LETTER
        out[at] = letter
        at += 1
        if letter == _BACKSLASH:
            out[at] = letter
            at += 1
        if not more:
            return at
        number >>= _CHUNK_BITS


@inner_kernel
def _in_unit(degrees: float, unit: int) -> int:
    """Degrees in units of so many 1e-7 degree; halves go away from 0."""
    whole = round(degrees * UNITS_PER_DEGREE)
    return int(whole / unit + math.copysign(0.5, whole))


@inner_kernel
def put_line(lon: F64, lat: F64, ends: tuple[int, int], unit: int, out: U8, at: int) -> int:
    """Write a part of a line, its last point included; one of one point has it twice.

    Where the text ends. Degrees are within +-180 and +-90.
    """
    out[at] = _QUOTE
    at += 1
    before_x, before_y = 0, 0
    for i in range(ends[0], ends[1] + 1):
        x, y = _in_unit(lon[i], unit), _in_unit(lat[i], unit)
        at = _put_change(y - before_y, out, at)
        at = _put_change(x - before_x, out, at)
        before_x, before_y = x, y
    if ends[0] == ends[1]:
        out[at], out[at + 1] = _FIRST_LETTER, _FIRST_LETTER
        at += 2
    out[at] = _QUOTE
    return at + 1


@plain_kernel
def write_line(lon: F64, lat: F64, unit: int, out: U8) -> int:
    """Write a line; how long its text is."""
    return put_line(lon, lat, (0, len(lon) - 1), unit, out, 0)


_write_line = Settled(write_line)


def line_text(lon: F64, lat: F64, precision: int) -> bytes:
    """A line on the globe, degrees (n,) each, as a string of JSON."""
    out = np.empty(_MAX_LETTERS * len(lon) + 4, np.uint8)
    return out[: _write_line(lon, lat, UNITS[precision], out)].tobytes()
