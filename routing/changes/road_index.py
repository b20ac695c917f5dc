"""Finding roads by the names that the world gives them: pairs of nodes, ways, places."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gis.arrays import I32, I64, U32, AnyArray, freeze, ranges
from gis.geodesy import HALF_TURN
from gis.network.road_network import RoadNetwork


class NamedPieces(NamedTuple):
    """Pieces of arcs that pairs of nodes name; n found.

    | array | dtype, shape | content |
    |---|---|---|
    | row | int64 (n,) | which pair names it, ascending within each direction |
    | arc | int64 (n,) | the arc it belongs to |
    | point | int64 (n,) | the shape point where the piece starts in the way's direction |
    """

    row: I64
    arc: I64
    point: I64


@dataclass(frozen=True)
class RoadIndex:
    """A network with orders of its points and edges, each made when it is first needed."""

    network: RoadNetwork

    def prepare(self) -> None:
        """Make all orders now."""
        _ = self._by_id, self._by_way, self._boxes

    @cached_property
    def _by_id(self) -> tuple[I64, I64]:
        """Ids of all shape points, ascending, and the points (P,) in that order."""
        order = np.argsort(self.network.point_id, kind="stable")
        return freeze(self.network.point_id[order]), freeze(order)

    @cached_property
    def _by_way(self) -> tuple[I64, I64]:
        """Ids of the ways of all edges, ascending, and the edges (E,) in that order."""
        order = np.argsort(self.network.edge_way, kind="stable")
        return freeze(self.network.edge_way[order]), freeze(order)

    @cached_property
    def _boxes(self) -> tuple[I32, I32, I32, I32]:
        """West, south, east and north of each edge, int32 (E,) each."""
        network = self.network
        first, lon, lat = network.first_point[:-1], network.point_lon, network.point_lat
        if not len(first):
            nothing = np.empty(0, np.int32)
            return nothing, nothing, nothing, nothing
        west, east = np.minimum.reduceat(lon, first), np.maximum.reduceat(lon, first)
        across = self.crosses_antimeridian(west, east)
        west[across], east[across] = -HALF_TURN, HALF_TURN
        return west, np.minimum.reduceat(lat, first), east, np.maximum.reduceat(lat, first)

    def boxes(self, edge: I64) -> I64:
        """West, south, east and north of edges (k,), int64 (k, 4)."""
        return np.column_stack([side[edge].astype(np.int64) for side in self._boxes])

    @staticmethod
    def crosses_antimeridian(west: AnyArray, east: AnyArray) -> AnyArray:
        """Which roads reach so far that they rather go the other way round."""
        crosses: AnyArray = east.astype(np.int64) - west > HALF_TURN
        return crosses

    def edges_near(self, west: int, south: int, east: int, north: int) -> I64:
        """Edges whose boxes meet one in 1e-7 degree, ascending."""
        edge_west, edge_south, edge_east, edge_north = self._boxes
        # Most roads lie beside it, so each comparison leaves less for the next.
        edge = np.flatnonzero((edge_west <= east) & (edge_east >= west))
        near: I64 = edge[(edge_south[edge] <= north) & (edge_north[edge] >= south)]
        return near

    def edges_of_ways(self, way: I64) -> tuple[I64, I64]:
        """Rows of ``way`` (n,) and the edges that each names: int64 (k,) twice, rows ascending."""
        ids, order = self._by_way
        row, place = _equal_places(ids, way)
        return row, order[place]

    def arcs_between(self, tail_id: I64, head_id: I64) -> tuple[I64, I64]:
        """Rows of pairs of nodes (n,), ascending, and the arcs that run between their two."""
        network = self.network
        n_nodes = network.n_nodes
        tail = np.searchsorted(network.node_id, tail_id)
        at = np.minimum(tail, max(n_nodes - 1, 0))
        known = np.flatnonzero(network.node_id[at] == tail_id) if n_nodes else at[:0]
        first = network.first_out[tail[known]].astype(np.int64)
        count = network.first_out[tail[known] + 1].astype(np.int64) - first
        row, place = np.repeat(known, count), ranges(first, count)
        arc = network.out_arc[place].astype(np.int64)
        edge, is_back = arc >> 1, arc & 1 == 1
        head = np.where(is_back, network.edge_tail[edge], network.edge_head[edge])
        is_named = network.node_id[head] == head_id[row]
        return row[is_named], arc[is_named]

    def pieces_between(self, from_id: I64, to_id: I64) -> NamedPieces:
        """The pieces of arcs from a point to the next that pairs of nodes (n,) name."""
        network = self.network
        ids, order = self._by_id
        row, place = _equal_places(ids, from_id)
        point = order[place]
        edge = np.searchsorted(network.first_point, point, "right") - 1
        found = []
        for direction, step in ((0, 1), (1, -1)):
            last = network.first_point[edge + 1].astype(np.int64) - 1
            end = last if direction == 0 else network.first_point[edge].astype(np.int64)
            has_next = np.flatnonzero(point != end)
            following = network.point_id[point[has_next] + step]
            is_named = has_next[following == to_id[row[has_next]]]
            start = point[is_named] - direction
            found.append((row[is_named], 2 * edge[is_named] + direction, start))
        return NamedPieces(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _equal_places(ascending: I64, wanted: I64) -> tuple[I64, I64]:
    """Rows of ``wanted`` and the places where each stands in an ascending array."""
    low = np.searchsorted(ascending, wanted, "left")
    count = np.searchsorted(ascending, wanted, "right") - low
    return np.repeat(np.arange(len(wanted)), count), ranges(low, count)


def point_ranges(network: RoadNetwork, edge: AnyArray) -> tuple[U32, I64]:
    """First shape point of edges (k,), and how many each has."""
    first = network.first_point[edge]
    return first, network.first_point[edge + 1].astype(np.int64) - first
