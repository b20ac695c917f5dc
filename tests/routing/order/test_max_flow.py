"""Maximum flow against SciPy's, and the cut that limits it."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plane_graphs import edges_of, grid_graph, plane_graph, plane_graphs
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from routing.order.layer import Layer, fill_layer, new_layer, u32
from routing.order.max_flow import SOURCE, TARGET, Flow, max_flow
from routing.order.plane_graph import PlaneGraph


class Problem(NamedTuple):
    """A graph as the kernel takes it, with sources and targets marked."""

    layer: Layer
    flow: Flow
    n_starts: int


def problem(graph: PlaneGraph, sources: set[int], targets: set[int]) -> Problem:
    n, h = graph.n_nodes, 2 * graph.n_edges
    layer = new_layer(n, h)
    n_halves = fill_layer(layer, graph, u32(h))
    flow = Flow(np.zeros(n, np.int32), u32(n), u32(n), u32(n), np.zeros(h, np.uint8), u32(h))
    flow.mark[list(sources)] = SOURCE
    flow.mark[list(targets)] = TARGET
    tail = layer.head[layer.twin[:n_halves]].tolist()
    starts = [half for half in range(n_halves) if tail[half] in sources]
    flow.start[: len(starts)] = starts
    return Problem(layer, flow, len(starts))


def naive_value(graph: PlaneGraph, sources: set[int], targets: set[int]) -> int:
    """The value of a maximum flow from a node before the sources to one behind the targets."""
    n = graph.n_nodes
    capacity = np.zeros((n + 2, n + 2), np.int32)
    for a, b in edges_of(graph):
        if a != b:
            capacity[a, b] += 1
            capacity[b, a] += 1
    capacity[n, list(sources)] = capacity[list(targets), n + 1] = 1000
    return int(maximum_flow(csr_array(capacity), n, n + 1).flow_value)


def crossing(graph: PlaneGraph, inside: set[int]) -> int:
    return sum((a in inside) != (b in inside) for a, b in edges_of(graph))


@st.composite
def ends(draw: st.DrawFn, graph: PlaneGraph) -> tuple[set[int], set[int]]:
    """Some sources, and some targets that are not sources; at least one of each if possible."""
    kind = draw(st.lists(st.sampled_from("st  "), min_size=graph.n_nodes, max_size=graph.n_nodes))
    kind[0], kind[-1] = "s", "t" if graph.n_nodes > 1 else "s"
    return tuple({node for node, k in enumerate(kind) if k == end} for end in "st")  # type: ignore


@given(plane_graphs(max_nodes=20, max_degree=6), st.data())
def test_value_and_cut(graph: PlaneGraph, data: st.DataObject) -> None:
    """The value is SciPy's, and as many edges leave the nodes that flow still reaches."""
    sources, targets = data.draw(ends(graph))
    layer, flow, n_starts = problem(graph, sources, targets)
    value, stamp = max_flow(layer, flow, (0, n_starts), 0, 10**6)
    assert value == naive_value(graph, sources, targets)
    inside = set(np.flatnonzero(flow.mark >= stamp).tolist())
    assert sources <= inside and not targets & inside
    assert crossing(graph, inside) == value


@given(plane_graphs(max_nodes=20, max_degree=6), st.data())
def test_flow_is_conserved(graph: PlaneGraph, data: st.DataObject) -> None:
    """What arrives at a node between the ends leaves it, and no edge carries flow both ways."""
    sources, targets = data.draw(ends(graph))
    layer, flow, n_starts = problem(graph, sources, targets)
    max_flow(layer, flow, (0, n_starts), 0, 10**6)
    for node in range(graph.n_nodes):
        halves = range(int(layer.first[node]), int(layer.last[node]))
        leaving = sum(int(flow.full[half]) for half in halves)
        arriving = sum(int(flow.full[layer.twin[half]]) for half in halves)
        assert all(flow.full[half] + flow.full[layer.twin[half]] <= 1 for half in halves)
        if node not in sources | targets:
            assert leaving == arriving


@given(plane_graphs(max_nodes=20, max_degree=6), st.data(), st.integers(1, 8))
def test_bound(graph: PlaneGraph, data: st.DataObject, bound: int) -> None:
    """The search ends when the bound is reached."""
    sources, targets = data.draw(ends(graph))
    layer, flow, n_starts = problem(graph, sources, targets)
    value, _ = max_flow(layer, flow, (0, n_starts), 0, bound)
    assert value == min(bound, naive_value(graph, sources, targets))


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 1), (7, 4), (9, 9)])
def test_across_a_grid(width: int, height: int) -> None:
    """As many paths as there are streets."""
    west = {height_ * (width + 1) for height_ in range(height)}
    east = {node + width for node in west}
    graph = grid_graph(width + 1, height)
    assert crossing(graph, west) == height
    layer, flow, n_starts = problem(graph, west, east)
    value, _ = max_flow(layer, flow, (0, n_starts), 0, 10**6)
    assert value == height


def test_a_path_is_changed() -> None:
    """A path that was taken first may have to give way; it leaves along another."""
    street = [*pairwise([0, 1, 2, 5]), *pairwise([0, 3, 4, 5]), (1, 4)]
    graph = plane_graph(street, [(0, 0), (1, 1), (2, 1), (1, -1), (2, -1), (3, 0)])
    layer, flow, n_starts = problem(graph, {0}, {5})
    assert max_flow(layer, flow, (0, n_starts), 0, 10**6)[0] == 2
