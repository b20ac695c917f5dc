"""A packed Hilbert R-tree over the segments of road shapes, as plain arrays."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I32, U32, freeze
from gis.geodesy import HALF_TURN
from gis.hilbert import hilbert_order
from gis.jit import kernel

NODE_SIZE = 12
"""Segments of a group and children of a node. Measured: 8 to 16 search equally fast."""


class RTree(NamedTuple):
    """Boxes around groups of segments, and boxes around those. S segments, M nodes, L levels.

    A segment is named by the point it starts at and runs to the next; the last point of an edge
    starts none. Segments have no boxes of their own: their points say as much. Node ``i`` of
    level 0 holds the segments ``NODE_SIZE * i`` and following, node ``i`` of another level the
    nodes ``NODE_SIZE * i`` and following of the level below; only the last of a level may have
    fewer. (Kamel and Faloutsos, Hilbert R-tree, VLDB 1994; packed bottom-up.)

    | array | dtype, shape | content |
    |---|---|---|
    | segment | uint32 (S,) | starting points, by the Hilbert code of the segment's middle |
    | box | int32 (M, 4) | west, south, east, north of each node, level by level, root last |
    | level | uint32 (L + 1,) | offsets of the levels into ``box``; just 0 without segments |

    A node with a segment across the antimeridian spans all longitudes.
    """

    segment: U32
    box: I32
    level: U32


def build_rtree(first_point: U32, lon: I32, lat: I32) -> RTree:
    """The tree over the segments of edges: offsets uint32 (E + 1,), points int32 (P,)."""
    starts = np.ones(len(lon), np.bool_)
    starts[first_point[1:] - np.uint32(1)] = False
    segment = np.flatnonzero(starts).astype(np.uint32)
    if len(segment) == 0:
        return _freeze_tree(segment, [], [0])
    west, south, east, north = _segment_boxes(segment, lon, lat)
    middle_lon = (west.astype(np.int64) + east) // 2
    middle_lat = (south.astype(np.int64) + north) // 2
    order = hilbert_order(middle_lon, middle_lat)
    sides = [side[order] for side in (west, south, east, north)]
    boxes: list[I32] = []
    level = [0]
    while len(boxes) == 0 or len(boxes[-1]) > 1:
        group = np.arange(0, len(sides[0]), NODE_SIZE)
        sides = [np.minimum.reduceat(side, group) for side in sides[:2]] + [
            np.maximum.reduceat(side, group) for side in sides[2:]
        ]
        boxes.append(np.stack(sides, axis=1))
        level.append(level[-1] + len(group))
    return _freeze_tree(segment[order], boxes, level)


def _segment_boxes(segment: U32, lon: I32, lat: I32) -> tuple[I32, I32, I32, I32]:
    """West, south, east and north of each segment, int32 (S,) each."""
    lon_a, lon_b = lon[segment], lon[segment + np.uint32(1)]
    lat_a, lat_b = lat[segment], lat[segment + np.uint32(1)]
    west, east = np.minimum(lon_a, lon_b), np.maximum(lon_a, lon_b)
    across = east.astype(np.int64) - west > HALF_TURN
    west[across], east[across] = -HALF_TURN, HALF_TURN
    return west, np.minimum(lat_a, lat_b), east, np.maximum(lat_a, lat_b)


def _freeze_tree(segment: U32, boxes: list[I32], level: list[int]) -> RTree:
    box = np.concatenate(boxes) if boxes else np.zeros((0, 4), np.int32)
    return RTree(freeze(segment), freeze(box), freeze(np.array(level, np.uint32)))


def check_rtree(tree: RTree, first_point: U32, lon: I32, lat: I32) -> None:
    """Assert what ``RTree`` promises."""
    starts = np.setdiff1d(np.arange(len(lon)), first_point[1:].astype(np.int64) - 1)
    assert np.array_equal(np.sort(tree.segment), starts), "each segment stands in the tree once"
    level = tree.level.astype(np.int64)
    assert level[0] == 0 and level[-1] == len(tree.box), "the levels cover the boxes"
    below = np.stack(_segment_boxes(tree.segment, lon, lat), axis=1)
    for first, stop in pairwise(level):
        assert stop - first == -(-len(below) // NODE_SIZE), "nodes are full but for the last"
        for i, box in enumerate(tree.box[first:stop]):
            children = below[NODE_SIZE * i : NODE_SIZE * (i + 1)]
            assert np.array_equal(box[:2], children[:, :2].min(axis=0)), "west and south fit"
            assert np.array_equal(box[2:], children[:, 2:].max(axis=0)), "east and north fit"
        below = tree.box[first:stop]
    assert len(below) == (len(tree.segment) > 0), "there is one root"


@kernel
def level_of_node(tree: RTree, node: int) -> int:
    """The level a node belongs to."""
    level = 0
    while node >= tree.level[level + 1]:
        level += 1
    return level


@kernel
def children(tree: RTree, node: int, level: int) -> tuple[int, int]:
    """First and past-the-last node below a node of another level than 0."""
    start: Any = np.int64(tree.level[level - 1])
    end: Any = np.int64(tree.level[level])
    first = start + (node - end) * NODE_SIZE
    return first, min(first + NODE_SIZE, end)


@kernel
def box_distance_2(box: I32, node: int, lon: int, lat: int, scale: tuple[float, float]) -> float:
    """Squared distance in m2 from a point to a node's box, on a flat map.

    ``scale`` holds the metres of a unit of longitude and of latitude (``metres_per_unit``).
    """
    to_east = float(box[node, 0]) - lon
    to_west = lon - float(box[node, 2])
    x = max(to_east, to_west, 0.0)
    if to_east < -HALF_TURN:  # nearer the other way round the globe
        x = min(x, to_east + 2 * HALF_TURN)
    if to_west < -HALF_TURN:
        x = min(x, to_west + 2 * HALF_TURN)
    y = max(float(box[node, 1]) - lat, lat - float(box[node, 3]), 0.0)
    return (x * scale[0]) ** 2 + (y * scale[1]) ** 2
