"""In which direction a road leaves a crossing, as a driver perceives it.

Roads are drawn along the middle of their lanes, so the first metres of a shape often lead across
other lanes rather than along the road. What is looked at, and how far, follows OSRM's guidance.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I32, U8, U32, Bool
from gis.geodesy import lon_difference, metres_per_unit
from gis.jit import inner_kernel, int64

LANE_M = 3.25
RING, MINOR, MOTORWAY = 0, 1, 5
"""Values of ``Shapes.manner``: part of a circle, a road of no importance; else half lanes, most
for roads with ramps."""
MAX_POINTS = 64
_FAR_M, _NEAR_M, _KINK_M = 40.0, 10.0, 2.0
_ALONG_M = 5.0
_OFFSET_PART = 0.9
_SAMPLE_M = 1.0
_MAX_ARCS = 8
_CURVE_DEG = 20.0
_BOTH_TURN_DEG = 25.0


class Shapes(NamedTuple):
    """Shapes of edges, how they are joined, and what kind of road each is. S tag sets.

    ``open_arc`` bool (A,) tells which arcs the vehicle may use; the rest are a network's arrays.
    ``manner`` uint8 (S,) is RING, MINOR or how wide the road is assumed, in halves of the lanes
    that are counted: 2 for a normal road and up to MOTORWAY; ``special`` bool (S,) tells of
    links and ferries, ``street`` bool (S,) of streets that are no links; ``lanes`` uint8 is by
    label.
    """

    first_point: U32
    lon: I32
    lat: I32
    edge_tail: U32
    edge_head: U32
    edge_tagset: U32
    edge_label: U32
    first_out: U32
    out_arc: U32
    open_arc: Bool
    manner: U8
    special: Bool
    lanes: U8
    street: Bool


class Sketch(NamedTuple):
    """Scratch: the beginning of a road in metres from its node; ``step`` is each piece's length.

    float64 (MAX_POINTS,) each.
    """

    x: F64
    y: F64
    step: F64


def new_sketch() -> Sketch:
    """Room for one road."""
    return Sketch(*(np.zeros(MAX_POINTS) for _ in range(3)))


@inner_kernel
def head_of(shapes: Shapes, arc: int) -> int:
    """The node where an arc ends."""
    ends = shapes.edge_tail if arc & 1 else shapes.edge_head
    return int64(ends[arc >> 1])


@inner_kernel
def _onward(shapes: Shapes, arc: int) -> int:
    """The arc that goes on where nothing but the same road leaves the head of one, or -1."""
    node = head_of(shapes, arc)
    onward = -1
    for i in range(shapes.first_out[node], shapes.first_out[node + 1]):
        other = int64(shapes.out_arc[i])
        if other != arc ^ 1 and (shapes.open_arc[other] or shapes.open_arc[other ^ 1]):
            if onward >= 0:
                return -1
            onward = other
    if onward < 0:
        return -1
    edge, next_edge = arc >> 1, onward >> 1
    alike = (
        shapes.edge_label[edge] == shapes.edge_label[next_edge]
        and shapes.edge_tagset[edge] == shapes.edge_tagset[next_edge]
        and shapes.open_arc[arc] == shapes.open_arc[onward]
    )
    return onward if alike else -1


@inner_kernel
def _draw(shapes: Shapes, arc: int, limit_m: float, sketch: Sketch) -> int:
    """Fill the first metres of a road, the last piece cut; the number of points, 1 if no length.

    The road goes on beyond the arc where no other road leaves.
    """
    origin = (
        int64(shapes.first_point[(arc >> 1) + 1]) - 1
        if arc & 1
        else int64(shapes.first_point[arc >> 1])
    )
    lon, lat = shapes.lon[origin], shapes.lat[origin]
    x_m, y_m = metres_per_unit(float(lat))
    n, left_m = 1, limit_m
    sketch.x[0] = sketch.y[0] = sketch.step[0] = 0.0
    for _ in range(_MAX_ARCS):
        i: Any = int64(shapes.first_point[arc >> 1])
        last: Any = int64(shapes.first_point[(arc >> 1) + 1]) - 1
        step = 1
        if arc & 1:
            i, last, step = last, i, -1
        while i != last and left_m > 0.0 and n < MAX_POINTS:
            i += step
            x = lon_difference(lon, shapes.lon[i]) * x_m
            y = (float(shapes.lat[i]) - float(lat)) * y_m
            dx, dy = x - sketch.x[n - 1], y - sketch.y[n - 1]
            length = math.sqrt(dx * dx + dy * dy)
            if length == 0.0:
                continue
            part = min(1.0, left_m / length)
            sketch.x[n], sketch.y[n] = sketch.x[n - 1] + part * dx, sketch.y[n - 1] + part * dy
            sketch.step[n] = part * length
            left_m -= length
            n += 1
        if left_m <= 0.0 or n == MAX_POINTS:
            break
        arc = _onward(shapes, arc)
        if arc < 0:
            break
    return n


@inner_kernel
def _bearing(x: float, y: float) -> float:
    bearing = math.degrees(math.atan2(x, y))
    if bearing < 0.0:
        bearing += 360.0
    return bearing if bearing < 360.0 else 0.0


@inner_kernel
def _place_at(sketch: Sketch, n: int, wanted_m: float) -> tuple[float, float]:
    """The point so many metres along the sketch, or its end."""
    left_m = wanted_m
    for i in range(1, n):
        if sketch.step[i] >= left_m:
            part = left_m / sketch.step[i]
            return (
                sketch.x[i - 1] + part * (sketch.x[i] - sketch.x[i - 1]),
                sketch.y[i - 1] + part * (sketch.y[i] - sketch.y[i - 1]),
            )
        left_m -= sketch.step[i]
    return sketch.x[n - 1], sketch.y[n - 1]


@inner_kernel
def _bearing_at(sketch: Sketch, n: int, wanted_m: float) -> float:
    x, y = _place_at(sketch, n, wanted_m)
    return _bearing(x, y)


@inner_kernel
def _away(sketch: Sketch, i: int, a: int, b: int) -> float:
    """Metres of a point from the line between two others of the sketch."""
    dx, dy = sketch.x[b] - sketch.x[a], sketch.y[b] - sketch.y[a]
    px, py = sketch.x[i] - sketch.x[a], sketch.y[i] - sketch.y[a]
    length_2 = dx * dx + dy * dy
    part = 0.0
    if length_2 > 0.0:
        part = min(max((px * dx + py * dy) / length_2, 0.0), 1.0)
    return math.sqrt((px - part * dx) ** 2 + (py - part * dy) ** 2)


@inner_kernel
def _most_away(sketch: Sketch, a: int, b: int) -> float:
    """How far the points between two others stray from the line between these."""
    most = 0.0
    for i in range(a + 1, b):
        most = max(most, _away(sketch, i, a, b))
    return most


@inner_kernel
def _without_offset(base_x: float, base_y: float, head_x: float, head_y: float) -> float:
    """The direction from one point to another, most of the first one's offset taken off."""
    if (head_x - base_x) ** 2 + (head_y - base_y) ** 2 < _KINK_M * _KINK_M:
        return _bearing(head_x, head_y)
    return _bearing(head_x - _OFFSET_PART * base_x, head_y - _OFFSET_PART * base_y)


@inner_kernel
def _fit(sketch: Sketch, n: int, skip_m: float, tolerance_m: float) -> float:
    """The direction of the line that fits the sketch after some metres; -1 if none does."""
    total = 0.0
    for i in range(1, n):
        total += sketch.step[i]
    total = min(total, _FAR_M + skip_m)
    count = 0
    mean_x = mean_y = xx = xy = yy = 0.0
    at = skip_m
    while at <= total:
        x, y = _place_at(sketch, n, at)
        count += 1
        mean_x += x
        mean_y += y
        xx += x * x
        xy += x * y
        yy += y * y
        at += _SAMPLE_M
    if count < 2:
        return -1.0
    mean_x /= count
    mean_y /= count
    xx = xx / count - mean_x * mean_x
    xy = xy / count - mean_x * mean_y
    yy = yy / count - mean_y * mean_y
    turn = 0.5 * math.atan2(2.0 * xy, xx - yy)
    ux, uy = math.cos(turn), math.sin(turn)
    x, y = _place_at(sketch, n, skip_m)
    if abs((x - mean_x) * uy - (y - mean_y) * ux) > tolerance_m:
        return -1.0
    base = (x - mean_x) * ux + (y - mean_y) * uy
    at = 0.0
    for i in range(n):
        at += sketch.step[i]
        if at >= skip_m:
            off = (sketch.x[i] - mean_x) * uy - (sketch.y[i] - mean_y) * ux
            if abs(off) > tolerance_m:
                return -1.0
    head = (sketch.x[n - 1] - mean_x) * ux + (sketch.y[n - 1] - mean_y) * uy
    return _without_offset(
        mean_x + base * ux, mean_y + base * uy, mean_x + head * ux, mean_y + head * uy
    )


@inner_kernel
def _turn_deg(sketch: Sketch, i: int) -> float:
    """By how many degrees the sketch turns at a point, positive to the right."""
    before = _bearing(sketch.x[i] - sketch.x[i - 1], sketch.y[i] - sketch.y[i - 1])
    after = _bearing(sketch.x[i + 1] - sketch.x[i], sketch.y[i + 1] - sketch.y[i])
    return (after - before + 540.0) % 360.0 - 180.0


@inner_kernel
def _is_curve(sketch: Sketch, n: int, total_m: float, width_m: float) -> bool:
    """Whether the sketch is one bend, and not a kink before a straight road."""
    first = _bearing(sketch.x[1], sketch.y[1])
    last = _bearing(sketch.x[n - 1] - sketch.x[n - 2], sketch.y[n - 1] - sketch.y[n - 2])
    if abs((last - first + 540.0) % 360.0 - 180.0) <= _CURVE_DEG or total_m <= 2.0 * width_m:
        return False
    end_x, end_y = sketch.x[n - 1], sketch.y[n - 1]
    highest, top, top_m, at_m, before = 0.0, 0, 0.0, 0.0, 0.0
    falls = False
    side = 0.0
    for i in range(1, n - 1):
        at_m += sketch.step[i]
        cross = end_x * sketch.y[i] - end_y * sketch.x[i]
        if cross * side < 0.0:
            return False
        side = cross
        away = _away(sketch, i, 0, n - 1)
        if away > highest and not falls:
            highest, top, top_m = away, i, at_m
        elif away > before:
            return False
        else:
            falls = True
        before = away
    if top == 0:
        return False
    if (
        top_m <= 0.35 * total_m or highest < max(0.3 * width_m, 0.5 * LANE_M)
    ) and total_m > _NEAR_M:
        return False
    straight_m = max(0.0, sketch.step[1] - width_m)
    before = 0.0
    was_straight = False
    for i in range(1, n - 1):
        turn = _turn_deg(sketch, i)
        if min(abs(turn), abs(before)) > _BOTH_TURN_DEG and turn * before < 0.0:
            return False
        is_straight = abs(turn) < 5.0
        if is_straight:
            straight_m += sketch.step[i + 1]
        if straight_m > 0.3 * total_m and (was_straight or not is_straight) and i > 1:
            return False
        if not is_straight:
            straight_m = sketch.step[i + 1]
        was_straight = is_straight
        before = turn
    return True


@inner_kernel
def _offset_end(sketch: Sketch, n: int, straight: int, total_m: float, lanes: float) -> int:
    """The point where a road begins after a piece across other lanes, 0 if it is not so."""
    at = max(1, straight)
    if at + 1 >= n or total_m < 0.4 * _FAR_M:
        return 0
    begin_m = 0.0
    for i in range(1, at + 1):
        begin_m += sketch.step[i]
    if begin_m - 0.5 * lanes * LANE_M >= LANE_M or total_m - begin_m < 0.1 * total_m:
        return 0
    return at if _most_away(sketch, at, n - 1) < 0.5 * LANE_M else 0


@inner_kernel
def perceived_bearing(shapes: Shapes, arc: int, lanes_at_node: int, sketch: Sketch) -> float:
    """The direction in which an arc seems to leave, degrees; 0 for an arc without length."""
    edge = arc >> 1
    manner = shapes.manner[shapes.edge_tagset[edge]]
    if manner == RING:
        return _bearing_at(sketch, _draw(shapes, arc, 2.0 * _KINK_M, sketch), _KINK_M)
    if manner == MINOR:
        return _bearing_at(sketch, _draw(shapes, arc, _NEAR_M, sketch), _NEAR_M)
    lanes = 0.5 * manner * (lanes_at_node if lanes_at_node > 0 else 2)
    width_m = 0.5 * lanes * LANE_M
    n = _draw(shapes, arc, _FAR_M + width_m, sketch)
    if n < 3 or sketch.step[1] > width_m + _NEAR_M:
        i = min(1, n - 1)
        return _bearing(sketch.x[i], sketch.y[i])
    total_m = 0.0
    for i in range(1, n):
        total_m += sketch.step[i]
    if total_m <= _KINK_M or _most_away(sketch, 0, n - 1) < 0.5 * LANE_M:
        if (sketch.x[n - 1] ** 2 + sketch.y[n - 1] ** 2) < 1.0:
            return _bearing_at(sketch, n, _KINK_M)
        return _bearing(sketch.x[n - 1], sketch.y[n - 1])
    straight, straight_m = 1, sketch.step[1]
    while straight + 1 < n and _most_away(sketch, 0, straight + 1) < 0.25 * LANE_M:
        straight += 1
        straight_m += sketch.step[straight]
    if straight_m >= width_m + _NEAR_M:
        return _bearing_at(sketch, n, _ALONG_M)
    fit = _fit(sketch, n, 0.0, 0.35 * LANE_M)
    if fit >= 0.0:
        return fit
    at = _offset_end(sketch, n, straight, total_m, lanes)
    if at > 0:
        return _without_offset(sketch.x[at], sketch.y[at], sketch.x[at + 1], sketch.y[at + 1])
    if _is_curve(sketch, n, total_m, width_m):
        base_x, base_y = _place_at(sketch, n, 2.0 * _KINK_M)
        head_x, head_y = _place_at(sketch, n, 3.0 * _KINK_M)
        return _without_offset(base_x, base_y, head_x, head_y)
    skip_m = 1.6 * width_m
    if total_m >= skip_m + _KINK_M:
        fit = _fit(sketch, n, 0.8 * skip_m, 0.5 * LANE_M)
        if fit >= 0.0:
            return fit
    return _bearing_at(sketch, n, _NEAR_M)
