"""What hangs on by one or two edges is taken out, and in an order that costs nothing."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from plane_graphs import components, edges_of, eliminate, plane_graph, plane_graphs

from routing.order.layer import Layer, fill_layer, new_layer, u32
from routing.order.plane_graph import PlaneGraph
from routing.order.reduction import SEPARATOR, Reduction, reduce_graph


class Reduced(NamedTuple):
    """A graph after the reduction; what was taken out, and the (arc, tail, head) that remain."""

    nodes: list[int]
    arcs: list[int]
    kept: set[int]
    remaining: list[tuple[int, int, int]]


def reduce(graph: PlaneGraph) -> Reduced:
    n, h = graph.n_nodes, 2 * graph.n_edges
    layer: Layer = new_layer(n, h)
    fill_layer(layer, graph, u32(h))
    side = np.zeros(n, np.uint8)
    out = Reduction(u32(n), u32(n), u32(n), u32(n), u32(h))
    n_nodes, n_arcs = reduce_graph(layer, side, out)
    kept = set(np.flatnonzero(side != SEPARATOR).tolist())
    remaining = []
    for node in kept:
        for half in range(int(layer.first[node]), int(layer.last[node])):
            head, twin = int(layer.head[half]), int(layer.twin[half])
            if head in kept:
                assert layer.twin[twin] == half and layer.head[twin] == node
                assert layer.arc[twin] == layer.arc[half] ^ 1
                remaining.append((int(layer.arc[half]), node, head))
    return Reduced(out.node[:n_nodes].tolist(), out.arc[:n_arcs].tolist(), kept, remaining)


@given(plane_graphs())
def test_taken_out(graph: PlaneGraph) -> None:
    """Nodes with at most two neighbours, until every node that remains has three edges."""
    nodes, _, kept, remaining = reduce(graph)
    assert sorted([*nodes, *kept]) == list(range(graph.n_nodes))
    degree = dict.fromkeys(kept, 0)
    for _, tail, head in remaining:
        assert tail != head
        degree[tail] += 1
    assert all(n >= 3 for n in degree.values())
    upward, _ = eliminate(graph.n_nodes, edges_of(graph), [*nodes, *kept])
    assert all(upward[node] <= 2 for node in nodes)


@given(plane_graphs())
def test_what_remains_is_connected_as_before(graph: PlaneGraph) -> None:
    """Nodes that remain are linked where they were neighbours, or all between was taken out."""
    nodes, _, kept, remaining = reduce(graph)
    linked = {(tail, head) for _, tail, head in remaining}
    if kept:
        neighbours: dict[int, set[int]] = {node: set() for node in range(graph.n_nodes)}
        for a, b in edges_of(graph):
            if a != b:
                neighbours[a].add(b)
                neighbours[b].add(a)
        for node in nodes:
            for a in neighbours[node]:
                neighbours[a] |= neighbours[node] - {a}
                neighbours[a].discard(node)
        assert linked == {(a, b) for a in kept for b in neighbours[a]}


@given(plane_graphs())
def test_arcs(graph: PlaneGraph) -> None:
    """Every arc but loops is taken out or remains, edge by edge."""
    _, arcs, _, remaining = reduce(graph)
    kept = [arc for arc, _, _ in remaining]
    loops = {edge for edge, (a, b) in enumerate(edges_of(graph)) if a == b}
    wanted = [arc for arc in range(2 * graph.n_edges) if arc // 2 not in loops]
    assert sorted(arcs + kept) == wanted
    assert {arc ^ 1 for arc in arcs} == set(arcs)


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1000])
def test_a_long_road_becomes_a_shallow_tree(n: int) -> None:
    """Never are two neighbours eliminated in one round."""
    road = [(node, node + 1) for node in range(n - 1)]
    nodes, _, kept, _ = reduce(plane_graph(road, [(node, 0) for node in range(n)]))
    assert not kept
    _, depth = eliminate(n, road, nodes)
    assert max(depth) <= 3 * math.log2(n)


def test_a_star_and_a_ring() -> None:
    """A junction of a thousand dead ends comes after them; a ring ends in two nodes."""
    star = [(0, leaf) for leaf in range(1, 1001)]
    nodes, _, kept, _ = reduce(plane_graph(star, [(node, 0) for node in range(1001)]))
    assert not kept and nodes[-1] == 0
    ring = [(node, (node + 1) % 64) for node in range(64)]
    nodes, arcs, kept, _ = reduce(plane_graph(ring, [(node, 0) for node in range(64)]))
    assert not kept and len(arcs) == 128
    assert max(eliminate(64, ring, nodes)[1]) < 20
    assert len(components(range(64), ring)) == 1
