"""Graphs in the plane, and their nodes along lines."""

import math

import numpy as np
from graphs import World, worlds
from hypothesis import given
from plane_graphs import edges_of, plane_graph, plane_graphs

from routing.order.plane_graph import (
    N_DIRECTIONS,
    PlaneGraph,
    build_plane_graph,
    check_plane_graph,
    directions,
    plane_graph_of,
)


@given(worlds())
def test_of_a_network(world: World) -> None:
    """Nodes and edges are the network's, whether taken from it or built anew."""
    network = world.network
    graph = plane_graph_of(network)
    check_plane_graph(graph)
    ends = network.edge_tail, network.edge_head
    built = build_plane_graph(network.node_lon, network.node_lat, *ends)
    check_plane_graph(built)
    for ours, theirs in zip(vars(graph).values(), vars(built).values(), strict=True):
        assert (ours == theirs).all()


@given(plane_graphs())
def test_build(graph: PlaneGraph) -> None:
    """Every arc leaves its tail."""
    check_plane_graph(graph)
    for node in range(graph.n_nodes):
        out = graph.out_arc[graph.first_out[node] : graph.first_out[node + 1]].tolist()
        assert out == [
            arc for arc in range(2 * graph.n_edges) if edges_of(graph)[arc // 2][arc % 2] == node
        ]


@given(plane_graphs())
def test_directions(graph: PlaneGraph) -> None:
    """Each line orders all nodes by their place along it, equal ones by number."""
    order = directions(graph)
    lon, lat = graph.node_lon.astype(float), graph.node_lat.astype(float)
    east = np.rint(lon * math.cos(math.radians(lat.mean() / 1e7)))
    along = [(1, 0), (2, 1), (1, 1), (1, 2), (0, 1), (-1, 2), (-1, 1), (-2, 1)]
    assert order.shape == (N_DIRECTIONS, graph.n_nodes)
    for nodes, (x, y) in zip(order.tolist(), along, strict=True):
        place = (x * east + y * lat).tolist()
        assert nodes == sorted(range(graph.n_nodes), key=lambda node: (place[node], node))


def test_corners_of_the_world() -> None:
    """The largest coordinates there are do not overflow."""
    far = [(1800000000, 900000000), (-1800000000, -900000000), (-1800000000, 900000000)]
    order = directions(plane_graph([], far))
    assert order[0].tolist() == [1, 2, 0]
    assert order[2].tolist() == [1, 2, 0]
    assert order[4].tolist() == [1, 0, 2]
