"""The steps of a leg from its drafts: how long they are, and which way their maneuvers lead."""

from typing import NamedTuple

from gis.arrays import F64, I64
from gis.geodesy import UNITS_PER_DEGREE, bearing_deg, distance_m
from gis.jit import inner_kernel, int64, plain_kernel
from routing.guidance.codes import ARRIVE, DEPART, LEFT, NO_MODIFIER, RIGHT, STRAIGHT
from routing.guidance.passage import (
    AFTER,
    AT,
    BEFORE,
    HEADS_IN,
    HEADS_OUT,
    KIND,
    LANES,
    N_DRAFTS,
    N_NEEDED,
    N_PASSED,
    OWN_LANES,
    POINT,
    RECORD,
    VARIANT,
    WAY,
    WITHIN,
    Passage,
    known,
    maneuver,
)
from routing.guidance.passes import draft_steps
from routing.guidance.summary import main_roads
from routing.guidance.trail import Course

SIDE_FROM_M, SIDE_TO_M = 5.0, 300.0
"""A point so far from the road is said to lie on a side of it."""


class Line(NamedTuple):
    """The line of a leg as of `LegLine`.

    ``wanted`` float64 (2, 2) are the points of the request in degrees.
    """

    lon: F64
    lat: F64
    first_point: I64
    wanted: F64


@inner_kernel
def _units(line: Line, point: int) -> tuple[int, int]:
    return (
        int64(round(line.lon[point] * UNITS_PER_DEGREE)),
        int64(round(line.lat[point] * UNITS_PER_DEGREE)),
    )


@inner_kernel
def _bearing(line: Line, point: int) -> float:
    """From a point to the next."""
    a, b = _units(line, point), _units(line, point + 1)
    return bearing_deg(a[0], a[1], b[0], b[1])


@inner_kernel
def _side(line: Line, end: int, place: tuple[int, int], along: float) -> int:
    """On which side of the road a point of the request lies, NO_MODIFIER if it is on the road.

    ``end`` is 0 at the departure and 1 at the arrival; ``along`` is the direction in which the
    road leads from or to there.
    """
    x = int64(round(line.wanted[end, 0] * UNITS_PER_DEGREE))
    y = int64(round(line.wanted[end, 1] * UNITS_PER_DEGREE))
    if not SIDE_FROM_M <= distance_m(place[0], place[1], x, y) <= SIDE_TO_M:
        return NO_MODIFIER
    if end == 0:
        turn = bearing_deg(x, y, place[0], place[1]) - along
    else:
        turn = along - bearing_deg(place[0], place[1], x, y)
    angle = (180.0 + turn) % 360.0
    if angle < 135.0:
        return RIGHT
    return STRAIGHT if angle <= 225.0 else LEFT


@inner_kernel
def _tell_within(passage: Passage, line: Line, i: int, k: int) -> None:
    """Fill the directions of a maneuver within a road, and the side of a departure or an arrival.

    A leg that is tiny as a whole may be trimmed to an end or a beginning without a length.
    """
    draft, last = passage.draft[i], len(line.lon) - 1
    kind, point = draft[KIND], last
    if draft[AT] < k:
        point = int64(line.first_point[draft[AT]])
    draft[BEFORE] = draft[AFTER] = 0
    if kind == DEPART:
        point = min(point, last - 1)
    elif kind == ARRIVE:
        point = max(point, 1)
    before = _bearing(line, point - 1) if kind != DEPART else 0.0
    after = _bearing(line, point) if kind != ARRIVE else 0.0
    draft[BEFORE], draft[AFTER] = int64(round(before)) % 360, int64(round(after)) % 360
    if kind == DEPART:
        draft[WAY] = _side(line, 0, _units(line, 0), after)
    elif kind == ARRIVE:
        draft[WAY] = _side(line, 1, _units(line, last), before)


@plain_kernel
def tell(passage: Passage, course: Course, line: Line, k: int, total: F64) -> tuple[bool, int, int]:
    """Fill the drafts of the steps along k arcs, and ``total`` (n, 3) with what each takes.

    Metres, seconds and weight. The first and the last step reach to the ends, whatever was trimmed.
    Whether all was known that had to be; what was not is in ``counts``. And the main roads.
    """
    if not draft_steps(passage, course, k):
        return False, 0, 0
    draft, n = passage.draft, passage.counts[N_DRAFTS]
    for i in range(n):
        start = 0 if i == 0 else int64(draft[i, AT]) if i < n - 1 else k
        stop = int64(draft[i + 1, AT]) if i < n - 2 else k
        draft[i, POINT] = line.first_point[start] if start < k else len(line.lon) - 1
        for column in range(3):
            total[i, column] = 0.0
            for arc in range(start, stop):
                total[i, column] += course.driven[column, arc]
        record = maneuver(passage, i)
        if record == WITHIN:
            _tell_within(passage, line, i, k)
        else:
            draft[i, BEFORE] = passage.record[record, HEADS_IN]
            draft[i, AFTER] = passage.record[record, HEADS_OUT]
    for j in range(passage.counts[N_PASSED]):
        record, lanes = int64(passage.passed[j, RECORD]), int64(passage.passed[j, LANES])
        if record != WITHIN and lanes != passage.record[record, OWN_LANES]:
            passage.passed[j, RECORD] = known(passage, VARIANT, record, lanes)
    main = main_roads(course.title, course.driven[1], k, course.seen, course.seconds)
    return bool(passage.counts[N_NEEDED] == 0), main[0], main[1]
