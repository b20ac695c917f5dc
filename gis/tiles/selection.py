"""Which roads a box touches, by the tree over their segments."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I64, U32, Bool, freeze
from gis.geodesy import HALF_TURN
from gis.jit import inner_kernel, int64, plain_kernel
from gis.rtree import NODE_SIZE, children
from gis.snap_index import SnapIndex, edge_of_point

_MAX_LEVELS = 16
"""More than the levels of a tree over 2^32 segments."""


class _Found(NamedTuple):
    """Edges that were found: whether each of all was, bool (E,), and room for them uint32 (E,)."""

    seen: Bool
    edge: U32


def edges_within(index: SnapIndex, box: tuple[int, int, int, int]) -> U32:
    """Edges with a segment whose own box meets one, ascending: frozen uint32 (k,).

    The box is west, south, east and north in 1e-7 degree. It may go beyond the antimeridian, to
    roads at the other end of the world.
    """
    n_edges = len(index.first_point) - 1
    # Of large arrays only the pages that are touched cost anything.
    found = _Found(np.zeros(n_edges, np.bool_), np.empty(n_edges, np.uint32))
    n = 0
    west, south, east, north = box
    stack = np.empty(NODE_SIZE * _MAX_LEVELS, np.int64)
    if len(index.tree.segment):
        for turn in (0, 2 * HALF_TURN, -2 * HALF_TURN):
            if west + turn <= HALF_TURN and east + turn >= -HALF_TURN:
                around = np.array([west + turn, south, east + turn, north], np.int64)
                n = _find_edges(index, freeze(around), found, n, stack)
    return freeze(np.sort(found.edge[:n]))


@inner_kernel
def _meets(box: I64, west: int, south: int, east: int, north: int) -> bool:
    return west <= box[2] and east >= box[0] and south <= box[3] and north >= box[1]  # type: ignore[no-any-return]


@inner_kernel
def _segment_meets(index: SnapIndex, point: int, box: I64) -> bool:
    lon_a, lon_b = int64(index.point_lon[point]), int64(index.point_lon[point + 1])
    lat_a, lat_b = int64(index.point_lat[point]), int64(index.point_lat[point + 1])
    west, east = min(lon_a, lon_b), max(lon_a, lon_b)
    if east - west > HALF_TURN:
        west, east = -HALF_TURN, HALF_TURN
    return _meets(box, west, min(lat_a, lat_b), east, max(lat_a, lat_b))


@plain_kernel
def _find_edges(index: SnapIndex, box: I64, found: _Found, n: int, stack: I64) -> int:
    """Add the edges of all segments that meet a box to n others; how many there are then.

    ``stack`` is scratch.
    """
    tree = index.tree
    top = len(tree.level) - 2
    stack[0] = int64(tree.level[top])
    depth = 1
    while depth > 0:
        depth -= 1
        node: Any = stack[depth]
        bounds = tree.box[node]
        if not _meets(box, bounds[0], bounds[1], bounds[2], bounds[3]):
            continue
        level = top
        while node < tree.level[level]:
            level -= 1
        if level > 0:
            first, stop = children(tree, node, level)
            for child in range(first, stop):
                stack[depth] = child
                depth += 1
            continue
        for i in range(node * NODE_SIZE, min((node + 1) * NODE_SIZE, len(tree.segment))):
            point = int64(tree.segment[i])
            if not _segment_meets(index, point, box):
                continue
            edge = edge_of_point(index, point)
            if not found.seen[edge]:
                found.seen[edge] = True
                found.edge[n] = edge
                n += 1
    return n
