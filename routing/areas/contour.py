"""Contours of a cost surface: polygons with holes."""

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from gis.arrays import F64, I32, INF, U8, U32, Bool, freeze
from gis.geodesy import UNITS_PER_DEGREE
from gis.jit import inner_kernel, plain_kernel
from routing.areas.cost_surface import Surface, handicap_of, place_of

Polygon: TypeAlias = list[F64]
"""Rings of longitudes and latitudes in degrees, float64 (n, 2), closed: shell, then holes.

Shells run counterclockwise, holes clockwise (RFC 7946, section 3.1.6).
"""

_LEAST_PART = 0.05
"""Contours keep so far from the nodes of the grid, in cells: so rings never touch, not even with
coordinates rounded to 1e-6 degree."""


class _Rings(NamedTuple):
    """Room for rings. G nodes, n crossings, half as many rings at most.

    | array | dtype, shape | content |
    |---|---|---|
    | ring_of | int32 (G,) | ring, from 1, between a node and the next of its row; 0: none yet |
    | point | float64 (n + rings, 2) | longitude and latitude |
    | first | uint32 (rings + 1,) | first point of each ring |
    | polygon | uint32 (rings,) | which polygon each ring belongs to |
    """

    ring_of: I32
    point: F64
    first: U32
    polygon: U32


def contours(surface: Surface, limit: float) -> list[Polygon]:
    """The area around places that cost less than a limit.

    A node of the grid is inside if the nearest place on a road is, and is near enough. Between
    the nodes the contour runs where a reached place and one that is not are equally near, moved
    towards the place that costs the limit, or where what is reached has spread as far as it may
    (marching squares; Lorensen and Cline, SIGGRAPH 1987, in the plane). Where two nodes inside
    lie across a cell from two outside, those outside are joined. All this only grows with the
    limit, so areas lie within each other, and polygons are valid: of rings that never meet.
    """
    frame = surface.frame
    shape = (frame.rows, frame.columns)
    is_inside = np.empty(shape, np.bool_)
    _find_inside(surface, float(limit), is_inside.ravel())
    across = int(np.count_nonzero(is_inside[:, 1:] != is_inside[:, :-1]))
    along = int(np.count_nonzero(is_inside[1:] != is_inside[:-1]))
    n_most = across // 2
    rings = _Rings(
        np.zeros(is_inside.size, np.int32),
        np.empty((along + across + n_most, 2)),
        np.zeros(n_most + 1, np.uint32),
        np.empty(n_most, np.uint32),
    )
    n = _trace_rings(surface, freeze(is_inside.view(np.uint8).ravel()), float(limit), rings)
    polygons: list[Polygon] = []
    first, points = rings.first[: n + 1].tolist(), freeze(rings.point[: rings.first[n]])
    for ring, polygon in enumerate(rings.polygon[:n].tolist()):
        if polygon == len(polygons):
            polygons.append([])
        polygons[polygon].append(points[first[ring] : first[ring + 1]])
    return polygons


@plain_kernel
def _find_inside(surface: Surface, limit: float, is_inside: Bool) -> None:
    """Fill which nodes have a place near enough that costs less than the limit."""
    frame = surface.frame
    for row in range(frame.rows):
        for column in range(frame.columns):
            node = row * frame.columns + column
            x, y, cost = place_of(surface, node)
            distance_2 = (x - column) ** 2 + (y - row) ** 2
            is_inside[node] = cost < limit and distance_2 <= frame.spread**2


@plain_kernel
def _trace_rings(surface: Surface, inside: U8, limit: float, rings: _Rings) -> int:
    """Fill all rings around nodes that are inside; their number.

    In a row from the west, what is inside begins and ends at rings of one polygon. A ring that is
    first met where the inside begins is a shell, the lowest of its polygon; any other is a hole in
    the polygon of the ring where the inside began.
    """
    n_rings, n_polygons, n = 0, 0, 0
    outer = 0  # the ring that the inside began at
    for node in range(len(inside) - 1):
        if inside[node] == inside[node + 1]:
            continue
        if rings.ring_of[node] == 0:
            if inside[node]:
                rings.polygon[n_rings] = rings.polygon[outer - 1]
                begin = n
                n = _trace(surface, inside, (node, node + 1, n_rings + 1), limit, rings, n)
                if n == begin + 5:  # a lone node: too little to show
                    rings.ring_of[node] = rings.ring_of[node + 1] = outer
                    n = begin
                    continue
            else:
                rings.polygon[n_rings] = n_polygons
                n_polygons += 1
                n = _trace(surface, inside, (node + 1, node, n_rings + 1), limit, rings, n)
            n_rings += 1
            rings.first[n_rings] = n
        outer = rings.ring_of[node]
    return n_rings


@plain_kernel
def _trace(
    surface: Surface, inside: U8, start: tuple[int, int, int], limit: float, rings: _Rings, n: int
) -> int:
    """Add the points of a ring after the ``n`` that there are; their new number.

    ``start`` is a node inside, its neighbour outside, and the number of the ring. The ring keeps
    the inside to its left.
    """
    a, b, ring = start
    columns = surface.frame.columns
    begin = n
    while True:
        if abs(a - b) == 1:
            if rings.ring_of[min(a, b)] == ring:
                break
            rings.ring_of[min(a, b)] = ring
        _place_crossing(surface, a, b, limit, rings.point, n)
        n += 1
        step = b - a
        onward = step * columns if abs(step) == 1 else -step // columns
        if not inside[a + onward]:
            b = a + onward
        elif not inside[b + onward]:
            a, b = a + onward, b + onward
        else:
            a = b + onward
    rings.point[n, 0], rings.point[n, 1] = rings.point[begin, 0], rings.point[begin, 1]
    return n + 1


@inner_kernel
def _place_crossing(surface: Surface, a: int, b: int, limit: float, point: F64, n: int) -> None:
    """Fill the point where the contour crosses from node ``a`` inside to ``b`` outside."""
    frame = surface.frame
    column, row = a % frame.columns, a // frame.columns
    along_x, along_y = b % frame.columns - column, b // frame.columns - row
    # From here on seen from a, in cells.
    px, py, cost_a = place_of(surface, a)
    qx, qy, cost_b = place_of(surface, b)
    px, py, qx, qy = px - column, py - row, qx - column, qy - row
    part = 0.5
    if (qx - along_x) ** 2 + (qy - along_y) ** 2 > frame.spread**2:
        ahead = px * along_x + py * along_y
        aside = px * along_y - py * along_x
        part = ahead + math.sqrt(max(frame.spread**2 - aside * aside, 0.0))
    else:
        dx, dy = qx - px, qy - py
        slope = dx * along_x + dy * along_y
        if slope > 0.0:
            # On a line across that from p to q, where that has the limit or both have one power.
            share = (limit - cost_a) / (cost_b - cost_a)
            if cost_b >= INF:
                handicap = handicap_of(surface, b) - handicap_of(surface, a)
                share = 0.5 + handicap / (2.0 * (dx * dx + dy * dy))
            share = min(max(share, 0.2), 0.8)
            part = ((px + share * dx) * dx + (py + share * dy) * dy) / slope
    part = min(max(part, _LEAST_PART), 1.0 - _LEAST_PART)
    lon = frame.middle + frame.west + (column + part * along_x) * frame.lon_step
    lat = frame.south + (row + part * along_y) * frame.lat_step
    point[n, 0], point[n, 1] = lon / UNITS_PER_DEGREE, lat / UNITS_PER_DEGREE
