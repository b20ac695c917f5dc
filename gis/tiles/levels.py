"""Which roads are shown at a zoom, and as how fine lines."""

from dataclasses import dataclass

import numpy as np

from gis.arrays import F64, I64, U32, Bool, freeze, offsets, ranges
from gis.geodesy import HALF_TURN
from gis.jit import kernel
from gis.network.road_class import RoadClass
from gis.network.road_network import RoadNetwork
from gis.polyline import keep_corners
from gis.rtree import build_rtree
from gis.snap_index import SnapIndex, make_snap_index
from gis.tiles.grid import Tile, View, grid_x, grid_y, view_of

MIN_ZOOM, MAX_ZOOM = 5, 19
ALL_ROADS_ZOOM = 12
"""From here on a tile shows every road, each as a line of its own."""
TOLERANCE = 2.0
"""How far simplified lines may be from the roads, in units of the grid: a quarter of a pixel."""

_SHOWN_FROM = {
    RoadClass.MOTORWAY: MIN_ZOOM,
    RoadClass.TRUNK: MIN_ZOOM,
    RoadClass.FERRY: 7,
    RoadClass.PRIMARY: 7,
    RoadClass.SECONDARY: 9,
    RoadClass.MOTORWAY_LINK: 10,
    RoadClass.TRUNK_LINK: 10,
    RoadClass.TERTIARY: 10,
    RoadClass.PRIMARY_LINK: 11,
    RoadClass.SECONDARY_LINK: 11,
    RoadClass.TERTIARY_LINK: 11,
    RoadClass.UNCLASSIFIED: 11,
    RoadClass.CYCLEWAY: 11,
}


@dataclass(frozen=True)
class Level:
    """The roads of a zoom. K edges.

    | array | dtype, shape | content |
    |---|---|---|
    | edge | uint32 (K,) | those of the network, ascending |
    | index | ``SnapIndex`` | over their simplified shapes, counting as ``edge`` does |
    """

    edge: U32
    index: SnapIndex


def shown_from(kind: RoadClass) -> int:
    """The zoom from which on roads of a class are shown."""
    return _SHOWN_FROM.get(kind, ALL_ROADS_ZOOM)


def level_of(network: RoadNetwork, index: SnapIndex, zoom: int) -> Level:
    """The level for a zoom, over the index of a network."""
    if zoom >= ALL_ROADS_ZOOM:
        return Level(freeze(np.arange(network.n_edges, dtype=np.uint32)), index)
    shown = np.array([shown_from(kind) <= zoom for kind in RoadClass])
    edge = np.flatnonzero(shown[network.way_class[network.edge_tagset]]).astype(np.uint32)
    first = network.first_point[edge]
    count = network.first_point[edge + np.uint32(1)].astype(np.int64) - first
    point = ranges(first.astype(np.int64), count)
    lon, lat = freeze(network.point_lon[point]), freeze(network.point_lat[point])
    own_first = freeze(offsets(count))
    kept = np.zeros(len(point), np.bool_)
    longest = int(count.max(initial=0))
    x, y, stack = np.empty(longest), np.empty(longest), np.empty((longest, 2), np.int64)
    left_hand = freeze(network.edge_left_hand[edge])
    shape = SnapIndex(index.tree, own_first, own_first, lon, lat, left_hand)
    _keep_corners_of_all(shape, view_of(Tile(0, 0, zoom)), TOLERANCE / 2, x, y, kept, stack)
    kept_before = np.concatenate([[0], np.cumsum(kept)])
    first_kept = freeze(kept_before[own_first].astype(np.uint32))
    lon, lat = freeze(lon[kept]), freeze(lat[kept])
    tree = build_rtree(first_kept, lon, lat)
    return Level(freeze(edge), make_snap_index(tree, first_kept, lon, lat, left_hand))


@kernel
def _keep_corners_of_all(
    shape: SnapIndex,
    view: View,
    tolerance: float,
    x: F64,
    y: F64,
    kept: Bool,
    stack: I64,
) -> None:
    """Mark the points of each edge that matter; ``x``, ``y`` and ``stack`` are scratch."""
    for edge in range(len(shape.first_point) - 1):
        start, stop = np.int64(shape.first_point[edge]), np.int64(shape.first_point[edge + 1])
        n = stop - start
        around = 0.0
        for i in range(n):
            if i > 0:
                step = float(shape.point_lon[start + i]) - shape.point_lon[start + i - 1]
                around += -view.world if step > HALF_TURN else 0.0
                around += view.world if step < -HALF_TURN else 0.0
            x[i] = grid_x(view, shape.point_lon[start + i]) + around
            y[i] = grid_y(view, shape.point_lat[start + i])
        keep_corners(x[:n], y[:n], tolerance * tolerance, kept[start:stop], stack)


def check_level(level: Level, network: RoadNetwork, zoom: int) -> None:
    """Assert every documented invariant."""
    kinds = network.way_class[network.edge_tagset]
    shown = np.flatnonzero([shown_from(RoadClass(kind)) <= zoom for kind in kinds])
    assert np.array_equal(level.edge, shown)
    first = level.index.first_point
    assert len(first) == len(level.edge) + 1
    tail, head = network.edge_tail[level.edge], network.edge_head[level.edge]
    for node, point in ((tail, first[:-1]), (head, first[1:].astype(np.int64) - 1)):
        assert np.array_equal(network.node_lon[node], level.index.point_lon[point])
        assert np.array_equal(network.node_lat[node], level.index.point_lat[point])
