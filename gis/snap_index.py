"""The shape of a road network with a tree over it: segments, edges, and places along them."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I32, U32, Bool, freeze
from gis.geodesy import lon_difference, normal_lon, polyline_length_m
from gis.jit import inner_kernel, int64, plain_kernel
from gis.network.road_network import RoadNetwork
from gis.rtree import RTree, build_rtree

_BLOCK_BITS = 4
POINTS_OF_BLOCK = 1 << _BLOCK_BITS


class SnapIndex(NamedTuple):
    """What a search for the nearest roads needs. E edges, P points.

    | array | dtype, shape | content |
    |---|---|---|
    | tree | ``RTree`` | over the segments of the shape |
    | block_edge | uint32 (P / 16 rounded up,) | the edge of every 16th point |
    | first_point | uint32 (E + 1,) | as in ``RoadNetwork`` |
    | point_lon, point_lat | int32 (P,) | as in ``RoadNetwork`` |
    | left_hand | bool (E,) | whether one drives on the left there |
    """

    tree: RTree
    block_edge: U32
    first_point: U32
    point_lon: I32
    point_lat: I32
    left_hand: Bool


def build_snap_index(network: RoadNetwork) -> SnapIndex:
    """The index over a network's shape."""
    tree = build_rtree(network.first_point, network.point_lon, network.point_lat)
    shape = network.first_point, network.point_lon, network.point_lat
    return make_snap_index(tree, *shape, network.edge_left_hand)


def make_snap_index(
    tree: RTree, first_point: U32, point_lon: I32, point_lat: I32, left_hand: Bool | None = None
) -> SnapIndex:
    """The index around a tree that is there already; one drives on the right unless told."""
    if left_hand is None:
        left_hand = freeze(np.zeros(len(first_point) - 1, np.bool_))
    block = np.arange(0, len(point_lon), POINTS_OF_BLOCK)
    block_edge = (np.searchsorted(first_point, block, side="right") - 1).astype(np.uint32)
    return SnapIndex(tree, freeze(block_edge), first_point, point_lon, point_lat, left_hand)


@plain_kernel
def edge_of_point(index: SnapIndex, point: int) -> int:
    """The edge that a shape point belongs to."""
    edge: Any = np.int64(index.block_edge[point >> _BLOCK_BITS])
    while index.first_point[edge + 1] <= point:
        edge += 1
    return edge  # type: ignore[no-any-return]


@inner_kernel
def fraction_of_edge(index: SnapIndex, edge: int, point: int, part: float) -> float:
    """The part of an edge's length that lies before a place on its segment at ``point``.

    ``part`` is how much of the segment lies before. 0 on an edge without length.
    """
    lon, lat = index.point_lon, index.point_lat
    start: Any = np.int64(index.first_point[edge])
    stop: Any = np.int64(index.first_point[edge + 1])
    before_m = polyline_length_m(lon, lat, start, point + 1)
    segment_m = polyline_length_m(lon, lat, point, point + 2)
    total_m = before_m + segment_m + polyline_length_m(lon, lat, point + 1, stop)
    return min((before_m + part * segment_m) / total_m, 1.0) if total_m > 0.0 else 0.0


@inner_kernel
def locate_on_edge(index: SnapIndex, edge: int, fraction: float) -> tuple[int, int, int]:
    """Segment, longitude and latitude (1e-7 degree) at a fraction of an edge's length."""
    lon, lat = index.point_lon, index.point_lat
    point: Any = np.int64(index.first_point[edge])
    stop: Any = np.int64(index.first_point[edge + 1])
    left_m = fraction * polyline_length_m(lon, lat, point, stop)
    segment_m = polyline_length_m(lon, lat, point, point + 2)
    while left_m > segment_m and point < stop - 2:
        left_m -= segment_m
        point += 1
        segment_m = polyline_length_m(lon, lat, point, point + 2)
    part = min(max(left_m / segment_m, 0.0), 1.0) if segment_m > 0.0 else 0.0
    x = lon[point] + part * lon_difference(int64(lon[point]), int64(lon[point + 1]))
    y = lat[point] + part * (float(lat[point + 1]) - lat[point])
    return point, int(np.rint(normal_lon(x))), int(np.rint(y))


def edge_positions(index: SnapIndex, edge: U32, fraction: F64) -> tuple[U32, I32, I32]:
    """Where fractions (n,) of the lengths of edges (n,) lie.

    The segment (uint32), longitude and latitude (int32, 1e-7 degree) of each, (n,).
    Raises ``IndexError`` for an edge that there is not.
    """
    n, n_edges = len(edge), len(index.first_point) - 1
    if n and int(edge.max()) >= n_edges:
        raise IndexError(f"edge {edge.max()} of a network with {n_edges} edges")
    point, lon, lat = np.empty(n, np.uint32), np.empty(n, np.int32), np.empty(n, np.int32)
    edge, fraction = freeze(edge.astype(np.uint32)), freeze(fraction.astype(np.float64))
    _locate_many(index, edge, fraction, point, lon, lat)
    return point, lon, lat


@plain_kernel
def _locate_many(
    index: SnapIndex, edge: U32, fraction: F64, point: U32, lon: I32, lat: I32
) -> None:
    for i in range(len(edge)):
        point[i], lon[i], lat[i] = locate_on_edge(index, edge[i], fraction[i])
