"""The search for the nearest places on roads: kernels, and what they read and write."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gis.arrays import F64, I64, U8, U32
from gis.geodesy import (
    bearing_deg,
    distance_m,
    lon_difference,
    metres_per_unit,
    normal_lon,
    project_on_segment,
)
from gis.jit import inner_kernel, int64, plain_kernel
from gis.rtree import NODE_SIZE, box_distance_2, children, level_of_node
from gis.snap_index import SnapIndex, edge_of_point, fraction_of_edge

FORWARD, BACKWARD = 1, 2
"""Bits of ``directions``: the arcs ``2 * edge`` and ``2 * edge + 1``."""

ANY_BEARING = (0, 180)
"""A bearing and a range that every direction lies in."""

ANY_SIDE, CURB_SIDE, OTHER_SIDE = 0, 1, 2
"""Which side of a two-way road an input point must lie on, seen in the direction of travel: any,
that on which one drives, or the one across."""

SNAP = np.dtype(
    [
        ("distance_m", np.float64),
        ("fraction", np.float64),
        ("edge", np.uint32),
        ("point", np.uint32),
        ("lon", np.int32),
        ("lat", np.int32),
        ("directions", np.uint8),
    ],
    align=True,
)
"""The fields of ``Snap`` as a record of 40 bytes."""

QUERY = np.dtype(
    [
        ("row", np.int64),
        ("lon", np.int32),
        ("lat", np.int32),
        ("bearing_deg", np.int32),
        ("range_deg", np.int32),
        ("side", np.int32),
        ("radius_m", np.float64),
    ],
    align=True,
)
"""One of many questions, and the row for its answer; the rest as in ``Query``."""

TIE_M = 0.01
"""Places farther than another by no more than this, the grid of coordinates, are as near."""

Records = npt.NDArray[np.void]

_WINDOW = 64

_IS_OPEN = 1
"""The flag of an arc that one may travel along."""


class Snap(NamedTuple):
    """A place on an edge, near an input point."""

    distance_m: float
    """From the input point, along the ellipsoid."""
    fraction: float
    """The part of the edge's length that lies between its tail and the place, 0..1."""
    edge: int
    point: int
    """The shape point at which the segment with the place starts."""
    lon: int
    lat: int
    """The place in 1e-7 degree."""
    directions: int
    """FORWARD, BACKWARD or both: the arcs that qualify."""


class Query(NamedTuple):
    """What a kernel looks for: the nearest ``wanted`` edges, and those as near as the last.

    ``scale`` is ``metres_per_unit`` at the latitude; the rest is as for ``gis.snap.nearest``.
    """

    lon: int
    lat: int
    scale: tuple[float, float]
    bearing_deg: int
    range_deg: int
    side: int
    radius_m: float
    mask: int
    wanted: int


class Pending(NamedTuple):
    """Scratch of a search, one for each thread: room for every node of the tree."""

    distance_2: F64
    node: U32


def make_pending(index: SnapIndex) -> Pending:
    """Scratch for ``find_nearest``."""
    n_nodes = len(index.tree.box)
    return Pending(np.empty(n_nodes, np.float64), np.empty(n_nodes, np.uint32))


@plain_kernel
def find_nearest_many(
    index: SnapIndex,
    queries: Records,
    arc_flags: U8,
    mask: int,
    wanted: int,
    found: Records,
    count: I64,
    pending: Pending,
) -> None:
    """Answer each of ``queries`` (n,) in its row of ``found`` (n, k) and ``count`` (n,)."""
    for i in range(len(queries)):
        q = queries[i]
        scale = metres_per_unit(float(q["lat"]))
        bearing, reach, side = q["bearing_deg"], q["range_deg"], q["side"]
        limits = bearing, reach, side, q["radius_m"]
        query = Query(q["lon"], q["lat"], scale, *limits, mask, wanted)
        count[q["row"]] = find_nearest(index, query, arc_flags, found[q["row"]], pending)


@inner_kernel
def find_nearest(
    index: SnapIndex, query: Query, arc_flags: U8, found: Records, pending: Pending
) -> int:
    """Fill ``found`` (k,), k >= ``wanted``, with the nearest places and return how many there are.

    Best-first search (Hjaltason and Samet 1999), but each step goes on down to a group, always
    into the nearest child: the first group gives a limit so small that few of the nodes passed
    by remain, and those are kept in no order.
    """
    tree = index.tree
    if len(tree.segment) == 0:
        return 0
    count: Any = np.int64(0)
    limit_2 = _limit_2(query, found, count)
    pending.distance_2[0] = 0.0
    pending.node[0] = len(tree.box) - 1
    n_pending: Any = np.int64(1)
    while n_pending > 0:
        n_pending, node = _take_nearest(pending, n_pending, limit_2)
        if node < 0:
            continue
        level = level_of_node(tree, node)
        while level > 0 and node >= 0:
            first, stop = children(tree, node, level)
            level -= 1
            node, node_2 = -1, limit_2
            for child in range(first, stop):
                child_2 = box_distance_2(tree.box, child, query.lon, query.lat, query.scale)
                passed, passed_2 = child, child_2
                if child_2 <= node_2:
                    passed, passed_2, node, node_2 = node, node_2, child, child_2
                if passed >= 0 and passed_2 <= limit_2:
                    pending.distance_2[n_pending] = passed_2
                    pending.node[n_pending] = passed
                    n_pending += 1
        if node >= 0:
            count = _scan_group(index, node, query, arc_flags, found, count)
            limit_2 = _limit_2(query, found, count)
    while count > query.wanted and found[count - 1]["distance_m"] > limit_2:
        count -= 1
    _finish(index, query, found, count)
    return count  # type: ignore[no-any-return]


@inner_kernel
def _limit_2(query: Query, found: Records, count: int) -> float:
    """Squared metres beyond which no place belongs to the result any more."""
    limit_2 = query.radius_m * query.radius_m
    if count >= query.wanted:
        tie_m = math.sqrt(found[query.wanted - 1]["distance_m"]) + TIE_M
        limit_2 = min(limit_2, tie_m * tie_m)
    if count == len(found):
        limit_2 = min(limit_2, found[count - 1]["distance_m"])
    return limit_2


@inner_kernel
def _take_nearest(pending: Pending, n_pending: int, limit_2: float) -> tuple[int, int]:
    """Drop nodes beyond the limit and take the nearest of the rest: their number, and the node.

    Only the newest nodes are looked at, so that a search without a limit stays linear. -1 if
    all of them lie beyond.
    """
    left = max(n_pending - _WINDOW, 0)
    nearest_2, nearest_at = limit_2, -1
    for i in range(left, n_pending):
        if pending.distance_2[i] <= limit_2:
            pending.distance_2[left] = pending.distance_2[i]
            pending.node[left] = pending.node[i]
            if pending.distance_2[left] <= nearest_2:
                nearest_2, nearest_at = pending.distance_2[left], left
            left += 1
    if nearest_at < 0:
        return left, -1
    node: Any = np.int64(pending.node[nearest_at])
    left -= 1
    pending.distance_2[nearest_at] = pending.distance_2[left]
    pending.node[nearest_at] = pending.node[left]
    return left, node


@inner_kernel
def _scan_group(
    index: SnapIndex, group: int, query: Query, arc_flags: U8, found: Records, count: int
) -> int:
    """Offer the place nearest to the query on each segment of a group; returns the new count.

    Distances are those of places rounded to 1e-7 degree, so that the same place is equally far
    on whichever segment it was found. As long as the search lasts ``distance_m`` holds their
    squares, and ``fraction`` the part of the segment.
    """
    lon, lat = index.point_lon, index.point_lat
    x_m, y_m = query.scale
    limit_2 = _limit_2(query, found, count)
    first = group * NODE_SIZE
    for i in range(first, min(first + NODE_SIZE, len(index.tree.segment))):
        point: Any = np.int64(index.tree.segment[i])
        x_a = lon_difference(int64(query.lon), int64(lon[point]))
        y_a = float(lat[point]) - query.lat
        x_b = x_a + lon_difference(int64(lon[point]), int64(lon[point + 1]))
        y_b = float(lat[point + 1]) - query.lat
        part = project_on_segment(x_a * x_m, y_a * y_m, x_b * x_m, y_b * y_m)
        x = np.rint(x_a + part * (x_b - x_a))
        y = np.rint(y_a + part * (y_b - y_a))
        distance_2 = (x * x_m) ** 2 + (y * y_m) ** 2
        if distance_2 > limit_2:
            continue
        edge = edge_of_point(index, point)
        directions = _open_directions(index, query, arc_flags, edge, point)
        if directions > 0 and query.side != ANY_SIDE:
            directions &= _directions_beside(index, query, arc_flags, edge, point, part)
        if directions > 0:
            x, y = normal_lon(query.lon + x), query.lat + y
            snap = Snap(distance_2, part, edge, point, int(x), int(y), directions)
            count = _offer(found, count, snap)
            limit_2 = _limit_2(query, found, count)
    return count


@plain_kernel
def _open_directions(index: SnapIndex, query: Query, arc_flags: U8, edge: int, point: int) -> int:
    """Which arcs of an edge have the mask and, on one segment, the bearing asked for."""
    directions = 0
    if arc_flags[2 * edge] & query.mask == query.mask:
        directions |= FORWARD
    if arc_flags[2 * edge + 1] & query.mask == query.mask:
        directions |= BACKWARD
    if directions == 0 or query.range_deg >= ANY_BEARING[1]:
        return directions
    lon_a, lat_a = index.point_lon[point], index.point_lat[point]
    lon_b, lat_b = index.point_lon[point + 1], index.point_lat[point + 1]
    if lon_a == lon_b and lat_a == lat_b:
        return 0
    ahead = round(bearing_deg(lon_a, lat_a, lon_b, lat_b))
    turned = abs((ahead - query.bearing_deg + 540) % 360 - 180)
    if turned > query.range_deg:
        directions &= ~FORWARD
    if 180 - turned > query.range_deg:
        directions &= ~BACKWARD
    return directions


@plain_kernel
def _directions_beside(
    index: SnapIndex, query: Query, arc_flags: U8, edge: int, point: int, part: float
) -> int:
    """Which arcs have the point on the side asked for, seen from a part of one segment.

    A one-way road has no sides, a segment without length neither, and is none to stand beside. A
    point on the line lies to the right of it. Nearest to where the line bends are only points on
    the outer side, even if one of the segments drawn out has them on the other.
    """
    if not (arc_flags[2 * edge] & arc_flags[2 * edge + 1] & _IS_OPEN):
        return FORWARD | BACKWARD
    first: Any = int64(index.first_point[edge])
    last: Any = int64(index.first_point[edge + 1]) - 1
    lon, lat = int64(query.lon), int64(query.lat)
    x, y = _from_a_to_b(index, point, point + 1)
    x_q = lon_difference(int64(index.point_lon[point]), lon)
    y_q = float(lat - int64(index.point_lat[point]))
    if x == 0.0 and y == 0.0:
        return 0
    left = x * y_q - y * x_q
    is_at_start = part <= 0.0 and point > first and (x_q != 0.0 or y_q != 0.0)
    is_at_end = part >= 1.0 and point + 1 < last and (x_q != x or y_q != y)
    if is_at_start or is_at_end:
        before = point - 1 if is_at_start else point
        x_a, y_a = _from_a_to_b(index, before, before + 1)
        x_b, y_b = _from_a_to_b(index, before + 1, before + 2)
        bend = x_a * y_b - y_a * x_b
        if bend != 0.0:
            left = -bend
    is_right = left <= 0.0
    if index.left_hand[edge]:
        is_right = not is_right
    if query.side == OTHER_SIDE:
        is_right = not is_right
    return FORWARD if is_right else BACKWARD


@plain_kernel
def _from_a_to_b(index: SnapIndex, a: int, b: int) -> tuple[float, float]:
    x = lon_difference(int64(index.point_lon[a]), int64(index.point_lon[b]))
    return x, float(int64(index.point_lat[b]) - int64(index.point_lat[a]))


@inner_kernel
def _is_before(distance_a: float, tie_a: int, distance_b: float, tie_b: int) -> bool:
    return distance_a < distance_b or (distance_a == distance_b and tie_a < tie_b)


@plain_kernel
def _offer(found: Records, count: int, snap: Snap) -> int:
    """Take a place if it is among the nearest, one for each edge; returns the new count."""
    at = 0
    while at < count and found[at]["edge"] != snap.edge:
        at += 1
    if at < count:  # of equally near places on an edge the first along it stays
        old = found[at]
        if not _is_before(snap.distance_m, snap.point, old["distance_m"], old["point"]):
            return count
    elif count < len(found):
        count += 1
    else:
        at -= 1
        old = found[at]
        if not _is_before(snap.distance_m, snap.edge, old["distance_m"], old["edge"]):
            return count
    _insert(found, at, snap)
    return count


@inner_kernel
def _insert(found: Records, at: int, snap: Snap) -> None:
    """Overwrite a record with a place that belongs there or before, keeping the order."""
    while at > 0 and _is_before(
        snap.distance_m, snap.edge, found[at - 1]["distance_m"], found[at - 1]["edge"]
    ):
        found[at] = found[at - 1]
        at -= 1
    record = found[at]
    record["distance_m"] = snap.distance_m
    record["fraction"] = snap.fraction
    record["edge"] = snap.edge
    record["point"] = snap.point
    record["lon"] = snap.lon
    record["lat"] = snap.lat
    record["directions"] = snap.directions


@inner_kernel
def _finish(index: SnapIndex, query: Query, found: Records, count: int) -> None:
    """Replace flat distances by those of the ellipsoid, and parts of segments by parts of edges."""
    for i in range(count):
        old = found[i]
        edge: Any = np.int64(old["edge"])
        point: Any = np.int64(old["point"])
        lon: Any = np.int64(old["lon"])
        lat: Any = np.int64(old["lat"])
        directions: Any = np.int64(old["directions"])
        away_m = distance_m(query.lon, query.lat, old["lon"], old["lat"])
        fraction = fraction_of_edge(index, edge, point, old["fraction"])
        _insert(found, i, Snap(away_m, fraction, edge, point, lon, lat, directions))
