"""Steps as text, in the JSON of OSRM's HTTP API, put together from pieces that are known.

Numbers are written as `orjson` writes them: the shortest decimals.
"""

from typing import NamedTuple

from gis.arrays import F64, I64, U8, U32, Bool
from gis.jit import inner_kernel, int64, plain_kernel
from gis.line_text import put_line
from routing.graph.components import ARC_RESTRICTED
from routing.guidance.fixed_texts import (
    BEARINGS,
    CLASSES,
    DISTANCE,
    DURATION,
    ENDS_HERE,
    ENTRY,
    EXIT_NUMBER,
    GEOMETRY,
    HEADED_AFTER,
    HEADED_BEFORE,
    INTERSECTIONS,
    LINE_BEGIN,
    LINE_END,
    LOCATION,
    MANEUVERS,
    MODES,
    MODIFIERS,
    NEXT_POINT,
    SIDES,
    STARTS_HERE,
    STEP_END,
    TURNS_HERE,
    WEIGHT,
)
from routing.guidance.passage import (
    AFTER,
    BEFORE,
    EXIT,
    FIRST,
    KIND,
    PLACE,
    PLACE_LENGTH,
    POINT,
    RECORD,
    ROTARY,
    TEXT_FROM,
    TEXT_TO,
    TEXTS,
    WAY,
    WITHIN,
)
from routing.guidance.telling import Line

_PLACE_FROM = len('{"location":[')
"""Where the place is in the text of a crossing."""

GEOJSON = 0
"""Instead of the unit of an encoded polyline, in 1e-7 degree."""
TOO_SMALL = -1

_STEP_BYTES, _POINT_BYTES, _WITHIN_BYTES = 600, 40, 300
"""What a step, a point of its line and a place within a road take at most, beside their texts."""
_FEW = 10
"""Millionths of a degree that are written with an exponent."""


class Texts(NamedTuple):
    """What steps are written from, of a `Book`.

    ``letters`` uint8 holds all texts; ``fixed`` int64 (F + 1,) are offsets to those that are always
    the same, ``spelled`` int64 (T, 4) to those of a road: its name, what else there is to read, and
    the same as that of a rotary. ``record`` is as in `Passage`.
    """

    letters: U8
    fixed: I64
    spelled: I64
    record: I64


class Roads(NamedTuple):
    """What steps tell of roads within which one departs, arrives or turns around.

    Where one drives on the left, bool (E,); tag sets, (E,), and the bits of their classes, (S,);
    which arcs have ``ARC_RESTRICTED``, (A,), and what bit that is among those of classes.
    """

    left_hand: Bool
    tagset: U32
    forward_classes: U8
    backward_classes: U8
    arc_flags: U8
    restricted: int


class Told(NamedTuple):
    """Steps as `tell` leaves them: what each takes (n, 3), drafts (n, 13), crossings (m, 4).

    ``arc`` int64 (k,) and ``mode`` int64 (k,) are as in `Course`.
    """

    total: F64
    draft: I64
    passed: I64
    arc: I64
    mode: I64


@inner_kernel
def _copy(texts: Texts, start: int, stop: int, out: U8, at: int) -> int:
    for i in range(stop - start):
        out[at + i] = texts.letters[start + i]
    return at + stop - start


@inner_kernel
def _put(texts: Texts, piece: int, out: U8, at: int) -> int:
    """Write a text that is always the same."""
    return _copy(texts, int64(texts.fixed[piece]), int64(texts.fixed[piece + 1]), out, at)


@inner_kernel
def _put_whole(number: int, out: U8, at: int) -> int:
    """Write a whole number from 0."""
    n, rest = 1, number // 10
    while rest:
        n += 1
        rest //= 10
    for i in range(at + n - 1, at - 1, -1):
        out[i] = 48 + number % 10
        number //= 10
    return at + n


@inner_kernel
def _put_tenth(value: float, out: U8, at: int) -> int:
    """Write a number from 0, to a tenth."""
    tenths = int64(round(value * 10.0))
    at = _put_whole(tenths // 10, out, at)
    out[at], out[at + 1] = 46, 48 + tenths % 10
    return at + 2


@inner_kernel
def _put_degrees(value: float, out: U8, at: int) -> int:
    """Write degrees, to a millionth."""
    if value < 0.0:
        out[at] = 45
        at += 1
    millionths = int64(round(abs(value) * 1e6))
    if 0 < millionths < _FEW:
        out[at], out[at + 1], out[at + 2], out[at + 3] = 48 + millionths, 101, 45, 54
        return at + 4
    at = _put_whole(millionths // 1_000_000, out, at)
    out[at] = 46
    rest, n = millionths % 1_000_000, 6
    while n > 1 and rest % 10 == 0:
        rest //= 10
        n -= 1
    for i in range(at + n, at, -1):
        out[i] = 48 + rest % 10
        rest //= 10
    return at + n + 1


@inner_kernel
def _put_place(line: Line, point: int, out: U8, at: int) -> int:
    at = _put_degrees(line.lon[point], out, at)
    out[at] = 44
    return _put_degrees(line.lat[point], out, at + 1)


@inner_kernel
def _put_points(texts: Texts, line: Line, first: int, last: int, out: U8, at: int) -> int:
    """Write a part of a line as GeoJSON; one of one point has it twice."""
    at = _put_place(line, first, out, _put(texts, LINE_BEGIN, out, at))
    for i in range(first + 1, max(last, first + 1) + 1):
        at = _put_place(line, min(i, last), out, _put(texts, NEXT_POINT, out, at))
    return _put(texts, LINE_END, out, at)


@inner_kernel
def _classes(roads: Roads, arc: int) -> int:
    """The bits of what class of road an arc is."""
    tagset = roads.tagset[arc >> 1]
    bits = roads.backward_classes[tagset] if arc & 1 else roads.forward_classes[tagset]
    if roads.arc_flags[arc] & ARC_RESTRICTED:
        return int64(bits) | roads.restricted
    return int64(bits)


@inner_kernel
def _put_within(
    texts: Texts, roads: Roads, told: Told, line: Line, i: int, j: int, out: U8, at: int
) -> int:
    """Write the j-th crossing, a place within a road, by the bearings of the i-th maneuver."""
    k, place = len(told.arc), int64(told.passed[j, PLACE])
    point = len(line.lon) - 1 if place == k else int64(line.first_point[place])
    at = _put(texts, BEARINGS, out, _put_place(line, point, out, _put(texts, LOCATION, out, at)))
    bearing, ways = int64(told.draft[i, AFTER]), TURNS_HERE
    if place == 0:
        ways = STARTS_HERE
    elif place == k:
        bearing, ways = (int64(told.draft[i, BEFORE]) + 180) % 360, ENDS_HERE
    at = _put(texts, ENTRY, out, _put_whole(bearing, out, at))
    at = _put(texts, ways, out, at)
    arc = int64(told.arc[min(place, k - 1)])
    at = _put(texts, CLASSES + _classes(roads, arc), out, at)
    out[at] = 125
    return at + 1


@inner_kernel
def _put_words(texts: Texts, roads: Roads, told: Told, i: int, out: U8, at: int) -> int:
    """Write all that is said of the road of a step."""
    draft, spelled = told.draft[i], texts.spelled
    road, rotary = draft[TEXTS] >> 2, draft[ROTARY] >> 2
    place = min(int64(told.passed[draft[FIRST], PLACE]), len(told.arc) - 1)
    at = _copy(texts, int64(spelled[road, 0]), int64(spelled[road, 1]), out, at)
    at = _put(texts, MODES + int64(told.mode[place]), out, at)
    left = 1 if roads.left_hand[told.arc[place] >> 1] else 0
    at = _put(texts, SIDES + left, out, at)
    at = _copy(texts, int64(spelled[road, 1]), int64(spelled[road, 2]), out, at)
    return _copy(texts, int64(spelled[rotary, 2]), int64(spelled[rotary, 3]), out, at)


@inner_kernel
def _put_maneuver(texts: Texts, told: Told, line: Line, i: int, out: U8, at: int) -> int:
    """Write the maneuver of a step, up to its crossings."""
    draft = told.draft[i]
    record = int64(told.passed[draft[FIRST], RECORD])
    at = _put(texts, MANEUVERS + int64(draft[KIND]), out, at)
    if record == WITHIN:
        at = _put_place(line, int64(draft[POINT]), out, at)
    else:
        start = int64(texts.record[record, TEXT_FROM]) + _PLACE_FROM
        stop = start + int64(texts.record[record, PLACE_LENGTH])
        at = _copy(texts, start, stop, out, at)
    at = _put_whole(int64(draft[BEFORE]), out, _put(texts, HEADED_BEFORE, out, at))
    at = _put_whole(int64(draft[AFTER]), out, _put(texts, HEADED_AFTER, out, at))
    if draft[WAY] >= 0:
        at = _put(texts, MODIFIERS + int64(draft[WAY]), out, at)
    if draft[EXIT] > 0:
        at = _put_whole(int64(draft[EXIT]), out, _put(texts, EXIT_NUMBER, out, at))
    return _put(texts, INTERSECTIONS, out, at)


@inner_kernel
def _most_bytes(texts: Texts, told: Told, i: int, n_points: int, crossings: tuple[int, int]) -> int:
    """No less than what the text of a step takes."""
    spelled, road, rotary = texts.spelled, told.draft[i, TEXTS] >> 2, told.draft[i, ROTARY] >> 2
    most = int64(_STEP_BYTES + _POINT_BYTES * (n_points + 1))
    most += int64(spelled[road, 2] - spelled[road, 0] + spelled[rotary, 3] - spelled[rotary, 2])
    n_fixed = len(texts.fixed) - 1  # the last text has all classes of roads
    within = _WITHIN_BYTES + int64(texts.fixed[n_fixed] - texts.fixed[n_fixed - 1])
    for j in range(crossings[0], crossings[1]):
        record = texts.record[told.passed[j, RECORD]]
        most += within + int64(record[TEXT_TO] - record[TEXT_FROM])
    return most


@plain_kernel
def write_steps(texts: Texts, roads: Roads, told: Told, line: Line, unit: int, out: U8) -> int:
    """Write the steps of a leg; how many bytes that are, TOO_SMALL if there was no room.

    Lines are encoded polylines in a unit of 1e-7 degree, or GEOJSON.
    """
    draft, at, n = told.draft, 0, len(told.draft)
    for i in range(n):
        last = i == n - 1
        first, stop = int64(draft[i, FIRST]), int64(len(told.passed))
        begin, end = int64(draft[i, POINT]), int64(draft[i, POINT])
        if not last:
            stop, end = int64(draft[i + 1, FIRST]), int64(draft[i + 1, POINT])
        if at + _most_bytes(texts, told, i, end - begin + 1, (first, stop)) > len(out):
            return TOO_SMALL
        out[at] = 44 if i else 91
        at = _put_tenth(told.total[i, 0], out, _put(texts, DISTANCE, out, at + 1))
        at = _put_tenth(told.total[i, 1], out, _put(texts, DURATION, out, at))
        at = _put_tenth(told.total[i, 2], out, _put(texts, WEIGHT, out, at))
        at = _put_words(texts, roads, told, i, out, at)
        at = _put(texts, GEOMETRY, out, at)
        if unit == GEOJSON:
            at = _put_points(texts, line, begin, end, out, at)
        else:
            at = put_line(line.lon, line.lat, (begin, end), unit, out, at)
        at = _put_maneuver(texts, told, line, i, out, at)
        for j in range(first, stop):
            if j > first:
                out[at] = 44
                at += 1
            record = texts.record[told.passed[j, RECORD]]
            if told.passed[j, RECORD] == WITHIN:
                at = _put_within(texts, roads, told, line, i, j, out, at)
            else:
                at = _copy(texts, int64(record[TEXT_FROM]), int64(record[TEXT_TO]), out, at)
        at = _put(texts, STEP_END, out, at)
    out[at] = 93
    return at + 1
