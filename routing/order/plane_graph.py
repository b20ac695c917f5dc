"""A road network as nested dissection sees it: nodes with places, and edges between them."""

from dataclasses import dataclass

import numpy as np

from gis.arrays import I32, I64, U32, freeze, group_by
from gis.geodesy import UNITS_PER_DEGREE
from gis.network.road_network import RoadNetwork

N_DIRECTIONS = 8
"""Lines along which cells are ordered; large cells are cut along all, others along every other."""


@dataclass(frozen=True)
class PlaneGraph:
    """An undirected graph in the plane. N nodes, E edges; loops and parallel edges happen.

    | array | dtype, shape | content |
    |---|---|---|
    | node_lon, node_lat | int32 (N,) | 1e-7 degree |
    | edge_tail, edge_head | uint32 (E,) | nodes; equal for a loop |
    | first_out | uint32 (N + 1,) | offsets into ``out_arc`` |
    | out_arc | uint32 (2 E,) | arcs that leave a node, ascending within it |

    Arc ``2 * edge`` runs from ``edge_tail`` to ``edge_head``, arc ``2 * edge + 1`` back.
    """

    node_lon: I32
    node_lat: I32
    edge_tail: U32
    edge_head: U32
    first_out: U32
    out_arc: U32

    @property
    def n_nodes(self) -> int:
        return len(self.node_lon)

    @property
    def n_edges(self) -> int:
        return len(self.edge_tail)


def plane_graph_of(network: RoadNetwork) -> PlaneGraph:
    """The junction graph of a road network; no array is copied."""
    return PlaneGraph(
        network.node_lon,
        network.node_lat,
        network.edge_tail,
        network.edge_head,
        network.first_out,
        network.out_arc,
    )


def build_plane_graph(node_lon: I32, node_lat: I32, edge_tail: U32, edge_head: U32) -> PlaneGraph:
    """A graph from its nodes and edges alone."""
    ends = np.column_stack([edge_tail, edge_head]).astype(np.uint32).ravel()
    first_out, out_arc = group_by(ends, len(node_lon))
    return PlaneGraph(
        freeze(np.asarray(node_lon, np.int32)),
        freeze(np.asarray(node_lat, np.int32)),
        freeze(np.asarray(edge_tail, np.uint32)),
        freeze(np.asarray(edge_head, np.uint32)),
        freeze(first_out),
        freeze(out_arc),
    )


def check_plane_graph(graph: PlaneGraph) -> None:
    """Assert every documented invariant."""
    n, n_edges = graph.n_nodes, graph.n_edges
    for array in vars(graph).values():
        assert not array.flags.writeable and array.flags.c_contiguous
    for coordinate in (graph.node_lon, graph.node_lat):
        assert coordinate.dtype == np.int32 and coordinate.shape == (n,)
    for end in (graph.edge_tail, graph.edge_head):
        assert end.dtype == np.uint32 and end.shape == (n_edges,) and (end < n).all()
    assert graph.first_out.dtype == graph.out_arc.dtype == np.uint32
    assert graph.first_out.shape == (n + 1,) and graph.out_arc.shape == (2 * n_edges,)
    ends = np.column_stack([graph.edge_tail, graph.edge_head]).ravel()
    first_out, out_arc = group_by(ends, n)
    assert (graph.first_out == first_out).all() and (graph.out_arc == out_arc).all()


def directions(graph: PlaneGraph) -> I64:
    """The nodes in the order of their places along each line, int64 (N_DIRECTIONS, N).

    Direction ``d + N_DIRECTIONS / 2`` is at right angles to direction ``d``. Ties fall to the
    lower node.
    """
    lon, lat = graph.node_lon.astype(np.int64), graph.node_lat.astype(np.int64)
    middle = float(np.mean(graph.node_lat)) / UNITS_PER_DEGREE if graph.n_nodes else 0.0
    east = np.rint(lon * np.cos(np.radians(middle))).astype(np.int64)
    bits = max(1, int(graph.n_nodes).bit_length())
    order = np.empty((N_DIRECTIONS, graph.n_nodes), np.int64)
    half_turn = (
        *(east, 2 * east + lat, east + lat, east + 2 * lat),
        *(lat, 2 * lat - east, lat - east, lat - 2 * east),
    )
    for d, place in enumerate(half_turn):
        # Distinct numbers, so that NumPy's fastest sort gives the one order there is.
        key = (place << bits) | np.arange(graph.n_nodes)
        key.sort()
        order[d] = key & ((1 << bits) - 1)
    return order
