"""The graph that is being cut: cells side by side, each with its nodes numbered consecutively."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I32, U32
from gis.jit import inner_kernel, int64, plain_kernel
from routing.order.plane_graph import N_DIRECTIONS, PlaneGraph, directions

MOST_SORTED = 64
"""Half-edges of a node beyond that many need not be in their place among the others."""


class Layer(NamedTuple):
    """Cells that wait to be cut, each a connected graph of its own. N nodes, H half-edges.

    A cell is a range of nodes and the range of their half-edges.

    | array | dtype, shape | content |
    |---|---|---|
    | node | uint32 (N,) | node of the whole graph |
    | first, last | uint32 (N,) | the node's half-edges, counterclockwise |
    | order | uint32 (N_DIRECTIONS, N) | a cell's nodes in the order of their places on each line |
    | head | uint32 (H,) | node that a half-edge leads to |
    | twin | uint32 (H,) | the same edge from its other end |
    | arc | uint32 (H,) | arc of the whole graph |
    """

    node: U32
    first: U32
    last: U32
    order: U32
    head: U32
    twin: U32
    arc: U32


def new_layer(n_nodes: int, n_halves: int) -> Layer:
    """A layer to be filled."""
    n, h = n_nodes, n_halves
    return Layer(u32(n), u32(n), u32(n), u32(N_DIRECTIONS, n), u32(h), u32(h), u32(h))


def u32(*shape: int) -> U32:
    """An array to be filled."""
    return np.empty(shape, np.uint32)


def fill_layer(layer: Layer, graph: PlaneGraph, half_of: U32) -> int:
    """Make the whole graph, without its loops, the only cell; its number of half-edges.

    ``half_of`` is scratch, uint32 (2 E,).
    """
    layer.node[:] = np.arange(graph.n_nodes)
    layer.order[:] = directions(graph)
    ends = graph.first_out, graph.out_arc, graph.edge_tail, graph.edge_head
    return _embed(*ends, graph.node_lon, graph.node_lat, layer, half_of)


@plain_kernel
def _embed(
    first_out: U32,
    out_arc: U32,
    edge_tail: U32,
    edge_head: U32,
    node_lon: I32,
    node_lat: I32,
    layer: Layer,
    half_of: U32,
) -> int:
    """Fill the half-edges, without loops; their number."""
    n_halves = 0
    for node in range(len(layer.node)):
        layer.first[node] = n_halves
        lon, lat = int64(node_lon[node]), int64(node_lat[node])
        for i in range(first_out[node], first_out[node + 1]):
            arc = out_arc[i]
            edge = arc >> 1
            if edge_tail[edge] == edge_head[edge]:
                continue
            head = edge_head[edge] if arc & 1 == 0 else edge_tail[edge]
            bearing = _bearing(int64(node_lon[head]) - lon, int64(node_lat[head]) - lat)
            place = n_halves
            lowest = max(int64(layer.first[node]), n_halves - MOST_SORTED)
            while place > lowest:
                other = layer.head[place - 1]
                if bearing >= _bearing(int64(node_lon[other]) - lon, int64(node_lat[other]) - lat):
                    break
                layer.head[place] = other
                layer.arc[place] = layer.arc[place - 1]
                place -= 1
            layer.head[place] = head
            layer.arc[place] = arc
            n_halves += 1
        layer.last[node] = n_halves
    for half in range(n_halves):
        half_of[layer.arc[half]] = half
    for half in range(n_halves):
        layer.twin[half] = half_of[layer.arc[half] ^ 1]
    return n_halves


@inner_kernel
def _bearing(east: int, north: int) -> float:
    """A number from 0 to 4 that grows with the angle from the east, counterclockwise."""
    if east == 0 and north == 0:
        return 0.0
    slope = north / (abs(east) + abs(north))
    if east < 0:
        return 2.0 - slope
    return slope if north >= 0 else 4.0 + slope
