"""Lines as short text (encoded polylines), and lines with fewer points.

The text is Google's encoded polyline algorithm format: latitude before longitude, each as the
difference to the point before, in units of 10**-precision degree.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from gis.arrays import F64, I32, I64, U8, AnyArray, Bool, freeze
from gis.geodesy import to_units
from gis.jit import kernel

_UNITS = {5: 100, 6: 10}  # units of 1e-7 degree for each precision
_MAX_LETTERS = 12  # of one point: a whole turn at precision 6 takes 6 letters twice
_CHUNK_BITS = 5
_MORE = 0x20
_FIRST_LETTER = 63
_MAX_CHUNKS = 7
_SAME_POINT = "??"

_MAX_MERCATOR_LAT = 85.05113
_TILE_PIXELS = 256
_VIEW_TILES = (8, 5)
_ZOOMS = (1, 18)
_TOLERANCE_PIXELS = 5


def encode_polyline(lon: AnyArray, lat: AnyArray, precision: int = 5) -> str:
    """Points as text: int32 in 1e-7 degree or float degrees, (n,) each; halves go away from 0.

    Raises ``ValueError`` for another precision than 5 and 6, and for a point off the globe.
    """
    unit = _unit(precision)
    lon, lat = _as_units(lon, 180), _as_units(lat, 90)
    (text,) = _encode_all(lon, lat, [(0, len(lon))], unit)
    return text


def encode_parts(
    lon: AnyArray, lat: AnyArray, ends: Sequence[tuple[int, int]], precision: int = 5
) -> list[str]:
    """Parts of a line as texts: from the first to the last point of each, both included.

    A part of one point has it twice. Raises ``ValueError`` as `encode_polyline`.
    """
    unit = _unit(precision)
    lon, lat = _as_units(lon, 180), _as_units(lat, 90)
    texts = _encode_all(lon, lat, [(first, last + 1) for first, last in ends], unit)
    return [
        text + _SAME_POINT if first == last else text
        for text, (first, last) in zip(texts, ends, strict=True)
    ]


def _encode_all(lon: I32, lat: I32, parts: list[tuple[int, int]], unit: int) -> list[str]:
    """A text for each part, as its first point and the one after its last."""
    part = freeze(np.array(parts, np.int64).reshape(-1, 2))
    end = np.empty(len(part), np.int64)
    text = np.empty(_MAX_LETTERS * sum(stop - first for first, stop in parts), np.uint8)
    letters = text[: _encode(lon, lat, unit, part, text, end)].tobytes().decode("ascii")
    ends = end.tolist()
    return [letters[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def decode_polyline(text: str, precision: int = 5) -> tuple[F64, F64]:
    """Longitudes and latitudes in degrees, float64 (n,) each; whether on the globe or not.

    Raises ``ValueError`` saying where, for text that is no encoded polyline.
    """
    degree = 10_000_000 // _unit(precision)
    if not text.isascii():
        raise ValueError(f"polyline: {text!r} has letters outside ASCII")
    chunk = np.frombuffer(text.encode(), np.uint8).astype(np.int64) - _FIRST_LETTER
    strange = np.flatnonzero((chunk < 0) | (chunk >= 2 * _MORE))
    if len(strange):
        raise ValueError(f"polyline: {text[strange[0]]!r} at letter {strange[0]}, expected ? to ~")
    last = np.flatnonzero(chunk < _MORE)
    first = np.concatenate(([0], last[:-1] + 1)) if len(last) else last
    if len(text) != (last[-1] + 1 if len(last) else 0):
        raise ValueError(f"polyline: the number before the end, letter {len(text)}, is cut off")
    long = np.flatnonzero(last - first >= _MAX_CHUNKS)
    if len(long):
        raise ValueError(f"polyline: the number at letter {first[long[0]]} is too large")
    if len(last) % 2:
        raise ValueError("polyline: the last point has a latitude, but no longitude")
    shift = _CHUNK_BITS * (np.arange(len(chunk)) - np.repeat(first, last - first + 1))
    number = np.add.reduceat((chunk & (_MORE - 1)) << shift, first) if len(first) else last
    difference = (number >> 1) ^ -(number & 1)
    lat, lon = difference[0::2].cumsum(), difference[1::2].cumsum()
    return lon / degree, lat / degree


def _unit(precision: int) -> int:
    if precision not in _UNITS:
        raise ValueError(f"precision of a polyline is {precision}, expected 5 or 6")
    return _UNITS[precision]


def _as_units(degrees: AnyArray, limit: int) -> I32:
    """A read-only int32 array in 1e-7 degree, from that or from degrees."""
    if degrees.dtype.kind == "f":
        if len(degrees) and not np.abs(degrees).max() <= limit:
            raise ValueError(f"polyline: a coordinate is not within {limit} degrees of 0")
        return freeze(to_units(degrees))
    units = np.ascontiguousarray(degrees, np.int32).view()
    units.flags.writeable = False
    return units


@kernel
def _encode(lon: I32, lat: I32, unit: int, part: I64, text: U8, end: I64) -> int:
    """Fill ``text`` with the parts (n, 2) and ``end`` with where each ends; return the last."""
    size = 0
    for k in range(len(part)):
        before_x, before_y = 0, 0
        for i in range(part[k, 0], part[k, 1]):
            x = int(lon[i] / unit + math.copysign(0.5, lon[i]))
            y = int(lat[i] / unit + math.copysign(0.5, lat[i]))
            for change in (y - before_y, x - before_x):
                number = change << 1 if change >= 0 else ~(change << 1)
                while number >= _MORE:
                    text[size] = (number & (_MORE - 1) | _MORE) + _FIRST_LETTER
                    number >>= _CHUNK_BITS
                    size += 1
                text[size] = number + _FIRST_LETTER
                size += 1
            before_x, before_y = x, y
        end[k] = size
    return size


def simplify(lon: F64, lat: F64, tolerance_deg: float) -> tuple[F64, F64]:
    """The points of a line that matter on a map: degrees, float64 (n,) each.

    What is left out lies within the tolerance of the line that is kept, on a Mercator map that
    counts in degrees of longitude. The ends are kept. (Douglas and Peucker 1973.)
    """
    if len(lon) < 3:
        return lon, lat
    kept = np.zeros(len(lon), np.bool_)
    stack = np.empty((len(lon), 2), np.int64)
    x, y = freeze(_unbroken(lon)), freeze(_mercator_deg(lat))
    keep_corners(x, y, tolerance_deg * tolerance_deg, kept, stack)
    return lon[kept], lat[kept]


def simplify_all(lines: Sequence[tuple[F64, F64]], tolerance_deg: float) -> list[tuple[F64, F64]]:
    """What ``simplify`` leaves of each of many lines, the next from where the one before ends."""
    if len(lines) == 1:
        return [simplify(*lines[0], tolerance_deg)]
    lon, lat = (np.concatenate(axis) for axis in zip(*lines, strict=True))
    first = np.cumsum([0, *(len(line) for line, _ in lines)])
    kept, stack = np.zeros(len(lon), np.bool_), np.empty((len(lon), 2), np.int64)
    x, y = freeze(_unbroken(lon)), freeze(_mercator_deg(lat))
    keep_corners_of_all(x, y, first, tolerance_deg * tolerance_deg, kept, stack)
    of = [slice(a, b) for a, b in pairwise(first.tolist())]
    return [(lon[part][kept[part]], lat[part][kept[part]]) for part in of]


@kernel
def keep_corners_of_all(
    x: F64, y: F64, first: I64, tolerance_2: float, kept: Bool, stack: I64
) -> None:
    """Mark the corners of many lines, each from ``first`` to the next, by themselves."""
    for i in range(len(first) - 1):
        a, b = first[i], first[i + 1]
        keep_corners(x[a:b], y[a:b], tolerance_2, kept[a:b], stack)


def overview_tolerance_deg(lon: F64, lat: F64) -> float:
    """How closely ``simplify`` follows a line that is to be seen as a whole.

    Five pixels at the largest zoom from 1 to 18 at which the points, degrees (n,) each and at
    least one, fit a view of 8 x 5 tiles of 256 pixels: OSRM's rule for simplified overviews.
    """
    x = _unbroken(lon)
    south, north = _mercator_deg(np.array([lat.min(), lat.max()]))
    zoom = _ZOOMS[1]
    for extent, tiles in zip((x.max() - x.min(), north - south), _VIEW_TILES, strict=True):
        if extent > 0:
            zoom = min(zoom, math.floor(math.log2(360 * tiles / extent)))
    return _TOLERANCE_PIXELS * 360 / (_TILE_PIXELS << max(zoom, _ZOOMS[0]))


def _unbroken(lon: F64) -> F64:
    """Longitudes that go on beyond 180 degrees where a line crosses the antimeridian."""
    if np.abs(np.diff(lon)).max(initial=0.0) <= 180:
        return lon.view()
    return np.unwrap(lon, period=360.0)


def _mercator_deg(lat: F64) -> F64:
    """Northing on the web's Mercator map, in degrees of longitude."""
    limited = np.radians(np.clip(lat, -_MAX_MERCATOR_LAT, _MAX_MERCATOR_LAT))
    northing: F64 = np.degrees(np.arctanh(np.sin(limited)))
    return northing


@kernel
def keep_corners(x: F64, y: F64, tolerance_2: float, kept: Bool, stack: I64) -> None:
    """Mark the corners of a line (n,) that lie farther away than the root of a tolerance.

    ``stack`` (n, 2) is scratch for the pieces to look at.
    """
    last = len(x) - 1
    kept[0] = kept[last] = True
    stack[0, 0], stack[0, 1] = 0, last
    depth = 1
    while depth > 0:
        depth -= 1
        a, b = stack[depth, 0], stack[depth, 1]
        dx, dy = x[b] - x[a], y[b] - y[a]
        length_2 = dx * dx + dy * dy
        farthest_2, corner = tolerance_2, a
        for i in range(a + 1, b):
            px, py = x[i] - x[a], y[i] - y[a]
            part = 0.0
            if length_2 > 0.0:
                part = min(max((px * dx + py * dy) / length_2, 0.0), 1.0)
            away_2 = (px - part * dx) ** 2 + (py - part * dy) ** 2
            if away_2 > farthest_2:
                farthest_2, corner = away_2, i
        if corner > a:
            kept[corner] = True
            stack[depth, 0], stack[depth, 1] = a, corner
            stack[depth + 1, 0], stack[depth + 1, 1] = corner, b
            depth += 2
