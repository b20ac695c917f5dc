"""Which roads are shown at a zoom, and as how fine lines."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gis.arrays import F64, I32, I64, U32, Bool, freeze, offsets, ranges
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
    | edge | uint32 (K,) or None | those of the network, ascending; None: all |
    | index | ``SnapIndex`` | over their simplified shapes, counting as ``edge`` does |
    """

    edge: U32 | None
    index: SnapIndex

    def edges(self, found: U32) -> U32:
        """The edges of the network that the index calls so."""
        return found if self.edge is None else self.edge[found]

    def numbers(self, edge: I64) -> I64:
        """What the index calls edges of the network that are shown."""
        if self.edge is None:
            return edge
        numbers: I64 = np.searchsorted(self.edge, edge).astype(np.int64)
        return numbers


class _Shapes(NamedTuple):
    """Shapes of K edges: offsets uint32 (K + 1,) into points in 1e-7 degree, int32 (P,)."""

    first_point: U32
    point_lon: I32
    point_lat: I32


def shown_from(kind: RoadClass) -> int:
    """The zoom from which on roads of a class are shown."""
    return _SHOWN_FROM.get(kind, ALL_ROADS_ZOOM)


def level_of(network: RoadNetwork, index: SnapIndex, zoom: int) -> Level:
    """The level for a zoom, over the index of a network."""
    if zoom >= ALL_ROADS_ZOOM:
        return Level(None, index)
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
    shape = _Shapes(own_first, lon, lat)
    _keep_corners_of_all(shape, view_of(Tile(0, 0, zoom)), TOLERANCE / 2, x, y, kept, stack)
    kept_before = np.concatenate([[0], np.cumsum(kept)])
    first_kept = freeze(kept_before[own_first].astype(np.uint32))
    lon, lat = freeze(lon[kept]), freeze(lat[kept])
    tree = build_rtree(first_kept, lon, lat)
    left_hand = freeze(network.edge_left_hand[edge])
    return Level(freeze(edge), make_snap_index(tree, first_kept, lon, lat, left_hand))


@kernel
def _keep_corners_of_all(
    shape: _Shapes,
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
    edge = np.arange(network.n_edges) if level.edge is None else level.edge
    assert np.array_equal(edge, shown)
    first = level.index.first_point
    assert len(first) == len(edge) + 1
    tail, head = network.edge_tail[edge], network.edge_head[edge]
    for node, point in ((tail, first[:-1]), (head, first[1:].astype(np.int64) - 1)):
        assert np.array_equal(network.node_lon[node], level.index.point_lon[point])
        assert np.array_equal(network.node_lat[node], level.index.point_lat[point])
