"""Random graphs in the plane, and slow answers about orders of elimination."""

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import strategies as st

from routing.order.plane_graph import PlaneGraph, build_plane_graph

Edges = list[tuple[int, int]]


def plane_graph(edges: Edges, places: Sequence[tuple[int, int]]) -> PlaneGraph:
    ends = np.array(edges, np.uint32).reshape(-1, 2)
    lon, lat = np.array(places, np.int32).reshape(-1, 2).T
    return build_plane_graph(lon, lat, ends[:, 0], ends[:, 1])


@st.composite
def plane_graphs(draw: st.DrawFn, max_nodes: int = 30, max_degree: float = 4) -> PlaneGraph:
    """Loops, parallel edges, isolated nodes, several components, nodes in one place."""
    n_nodes = draw(st.integers(1, max_nodes))
    n_edges = draw(st.integers(0, int(n_nodes * max_degree / 2) + 1))
    near = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tail = rng.integers(0, n_nodes, n_edges)
    head = rng.integers(0, n_nodes, n_edges)
    if near:
        head = np.clip(tail + rng.integers(-3, 4, n_edges), 0, n_nodes - 1)
    place = rng.integers(-5, 6, (n_nodes, 2)) * int(rng.choice([1, 10**7]))
    return plane_graph(np.stack([tail, head], axis=1).tolist(), place.tolist())


def grid_graph(width: int, height: int) -> PlaneGraph:
    """A town of straight streets."""
    at = np.arange(width * height).reshape(height, width)
    along = np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()], axis=1).tolist()
    up = np.stack([at[:-1].ravel(), at[1:].ravel()], axis=1).tolist()
    places = [(1000 * x, 1000 * y) for y in range(height) for x in range(width)]
    return plane_graph(along + up, places)


def edges_of(graph: PlaneGraph) -> Edges:
    return list(zip(graph.edge_tail.tolist(), graph.edge_head.tolist(), strict=True))


def eliminate(
    n_vertices: int, edges: Iterable[tuple[int, int]], order: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Upward degree and depth in the elimination tree of every vertex."""
    neighbours: list[set[int]] = [set() for _ in range(n_vertices)]
    for a, b in edges:
        if a != b:
            neighbours[a].add(b)
            neighbours[b].add(a)
    rank = {vertex: i for i, vertex in enumerate(order)}
    upper: list[list[int]] = [[] for _ in range(n_vertices)]
    for vertex in order:
        upper[vertex] = sorted(neighbours[vertex], key=rank.__getitem__)
        for one in upper[vertex]:
            neighbours[one] |= neighbours[vertex] - {one}
            neighbours[one].discard(vertex)
    depth = [0] * n_vertices
    for vertex in reversed(order):
        if upper[vertex]:
            depth[vertex] = depth[upper[vertex][0]] + 1
    return [len(up) for up in upper], depth


def components(vertices: Iterable[int], edges: Iterable[tuple[int, int]]) -> list[set[int]]:
    """The connected components of a graph."""
    part = {vertex: {vertex} for vertex in vertices}
    for a, b in edges:
        if part[a] is not part[b]:
            part[a] |= part[b]
            for vertex in part[b]:
                part[vertex] = part[a]
    return list({id(members): members for members in part.values()}.values())
