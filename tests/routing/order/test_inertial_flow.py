"""Cuts against the least cuts that SciPy finds between the ends of a cell."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plane_graphs import components, edges_of, grid_graph, plane_graph, plane_graphs
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from gis.arrays import U8
from routing.order.inertial_flow import (
    BALANCE_PERCENT,
    COST_UNIT,
    SWEEP_NODES,
    Cell,
    find_cut,
    sweep_cut,
)
from routing.order.layer import Layer, fill_layer, new_layer, u32
from routing.order.max_flow import Flow
from routing.order.plane_graph import N_DIRECTIONS, PlaneGraph, directions


class Problem(NamedTuple):
    """A connected graph as the kernel takes it."""

    layer: Layer
    flow: Flow
    side: U8
    cell: Cell


def problem(graph: PlaneGraph) -> Problem:
    n, h = graph.n_nodes, 2 * graph.n_edges
    layer = new_layer(n, h)
    n_halves = fill_layer(layer, graph, u32(h))
    flow = Flow(np.empty(n, np.int32), u32(n), u32(n), u32(n), np.empty(h, np.uint8), u32(h))
    return Problem(layer, flow, np.full(n, 7, np.uint8), Cell(0, n, 0, n_halves))


def crossing(graph: PlaneGraph, side: U8) -> int:
    return int(np.count_nonzero(side[graph.edge_tail] != side[graph.edge_head]))


def fixed_ends(graph: PlaneGraph, direction: int) -> tuple[list[int], list[int]]:
    n_fixed = max(1, graph.n_nodes * BALANCE_PERCENT // 100)
    nodes = directions(graph)[direction].tolist()
    return nodes[:n_fixed], nodes[-n_fixed:]


def naive_cut(graph: PlaneGraph, direction: int) -> int:
    n = graph.n_nodes
    capacity = np.zeros((n + 2, n + 2), np.int32)
    for a, b in edges_of(graph):
        if a != b:
            capacity[a, b] += 1
            capacity[b, a] += 1
    sources, targets = fixed_ends(graph, direction)
    capacity[n, sources] = capacity[targets, n + 1] = 1000
    return int(maximum_flow(csr_array(capacity), n, n + 1).flow_value)


def lattice(seed: int, n_nodes: tuple[int, int]) -> PlaneGraph:
    """A connected town with missing streets, and a few that cross others."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(*n_nodes))
    width = int(rng.integers(2, 9))
    at = [(node % width, node // width) for node in range(size)]
    edges = [
        (a, b)
        for a, b in itertools.combinations(range(size), 2)
        if abs(at[a][0] - at[b][0]) + abs(at[a][1] - at[b][1]) == 1 and rng.random() < 0.85
    ]
    edges += rng.integers(0, size, (3, 2)).tolist()
    largest = max(components(range(size), edges), key=len)
    number = {node: i for i, node in enumerate(sorted(largest))}
    inside = [(number[a], number[b]) for a, b in edges if a in largest]
    return plane_graph(inside, [(1000 * at[node][0], 1000 * at[node][1]) for node in number])


@given(st.integers(0, 10**6), st.integers(0, N_DIRECTIONS - 1))
def test_along_a_line(seed: int, direction: int) -> None:
    """A least cut that separates the ends; its cost says how many edges, and how balanced."""
    graph = lattice(seed, (4, 60))
    assume(graph.n_nodes >= 4)
    layer, flow, side, cell = problem(graph)
    cost = find_cut(layer, flow, side, cell, direction, 1)
    value = naive_cut(graph, direction)
    assert crossing(graph, side) == value
    sources, targets = fixed_ends(graph, direction)
    assert not side[sources].any() and (side[targets] == 1).all()
    smaller = min(int(np.count_nonzero(side == 0)), int(np.count_nonzero(side == 1)))
    assert cost == value * COST_UNIT // smaller


@given(st.integers(0, 10**6))
def test_as_good_as_any_line(seed: int) -> None:
    """Of the lines that a cell is cut along the best is taken."""
    graph = lattice(seed, (SWEEP_NODES + 20, 80))
    assume(graph.n_nodes > SWEEP_NODES)
    layer, flow, side, cell = problem(graph)
    costs = [
        find_cut(layer, flow, side, cell, direction, 1) for direction in range(0, N_DIRECTIONS, 2)
    ]
    cost = find_cut(layer, flow, side, cell, 0, N_DIRECTIONS // 2)
    smaller = min(int(np.count_nonzero(side == 0)), int(np.count_nonzero(side == 1)))
    assert crossing(graph, side) * COST_UNIT // smaller == cost == min(costs)


@given(st.integers(0, 10**6))
def test_beside_the_best_line(seed: int) -> None:
    """Two more cuts are tried: along the lines on either side of the best one."""
    graph = lattice(seed, (20, 80))
    assume(graph.n_nodes >= 4)
    layer, flow, side, cell = problem(graph)
    costs = [find_cut(layer, flow, side, cell, direction, 1) for direction in range(N_DIRECTIONS)]
    best = 2 * costs[::2].index(min(costs[::2]))
    beside = [costs[best - 1], costs[best + 1]]
    cost = find_cut(layer, flow, side, cell, 0, N_DIRECTIONS // 2 + 2)
    assert cost == min(min(costs[::2]), *beside)


@given(plane_graphs(max_nodes=SWEEP_NODES, max_degree=6))
def test_sweep(graph: PlaneGraph) -> None:
    """A small cell is cut where a straight line costs least."""
    n = graph.n_nodes
    assume(n >= 2)
    layer, flow, side, cell = problem(graph)
    sweep_cut(layer, flow, side, cell)
    assert set(side.tolist()) == {0, 1}
    n_fixed = max(1, n * BALANCE_PERCENT // 100)
    costs = []
    for nodes in directions(graph)[::2].tolist():
        for size in range(n_fixed, n - n_fixed + 1):
            behind = np.zeros(n, np.uint8)
            behind[nodes[:size]] = 1
            costs.append(crossing(graph, behind) * COST_UNIT // min(size, n - size))
    smaller = min(int(np.count_nonzero(side == 0)), int(np.count_nonzero(side == 1)))
    assert crossing(graph, side) * COST_UNIT // smaller == min(costs)


@pytest.mark.parametrize("towns", [(30, 30), (20, 40), (25, 60)])
def test_towns_joined_by_a_road(towns: tuple[int, int]) -> None:
    """The one road between two towns is the cut, wherever it lies between the limits."""
    edges, places = [], []
    for first, size in ((0, towns[0]), (towns[0], towns[1])):
        edges += [(first + i, first + i + 1) for i in range(size - 1)]
        edges += [(first + i, first + i + 2) for i in range(size - 2)]
        places += [(10 * first + i % 5, i // 5) for i in range(size)]
    graph = plane_graph([*edges, (0, sum(towns) - 1)], places)
    layer, flow, side, cell = problem(graph)
    find_cut(layer, flow, side, cell, 0, N_DIRECTIONS // 2)
    assert crossing(graph, side) == 1
    assert sorted(np.bincount(side).tolist()) == sorted(towns)


def test_the_most_balanced_of_equal_cuts() -> None:
    """Along a street of the same width the cut lies in the middle."""
    graph = grid_graph(40, 3)
    layer, flow, side, cell = problem(graph)
    find_cut(layer, flow, side, cell, 0, N_DIRECTIONS // 2)
    assert crossing(graph, side) == 3
    assert np.bincount(side).tolist() == [60, 60]
