"""Distances by common ancestors against Dijkstra's search in plain Python."""

from typing import Any

import numpy as np
import pytest
from graphs import make_graph
from hierarchies import Prepared, key_steps, least_keys, packed, prepared_worlds
from hypothesis import given, settings

from gis.arrays import I64, U32, U64, freeze
from gis.jit import plain_kernel
from routing.cch.customize import Customizer
from routing.cch.hierarchy import Hierarchy, build_hierarchy
from routing.cch.query import QueryState, new_state
from routing.cch.weights import INF_COST, Weights
from routing.graph.turn_graph import TurnGraph
from routing.matching.climbs import (
    Climbs,
    climb,
    least_between,
    new_climbs,
    tree_depths,
    ways_down,
    ways_up,
)
from routing.metric import Metric


@plain_kernel
def climb_all(
    hierarchy: Hierarchy, weights: Weights, depth: U32, state: QueryState, up: Climbs, down: Climbs
) -> None:
    """Fill all lists."""
    for i in range(len(up.start)):
        climb(ways_up(hierarchy, weights, depth), state.forward, up, i)
        climb(ways_down(hierarchy, weights, depth), state.backward, down, i)


@plain_kernel
def all_between(up: Climbs, down: Climbs, depth: U32, cost: U64, third: I64) -> None:
    """Costs between all starts."""
    for i in range(len(up.start)):
        for j in range(len(down.start)):
            cost[i, j], third[i, j] = least_between(up, i, down, j, depth)


@given(prepared=prepared_worlds())
@settings(max_examples=100, deadline=None)
def test_costs_between_all_vertices(prepared: Prepared) -> None:
    """Cost and third are the least, and the labels are as they were before."""
    check_costs(prepared.world.graph, prepared.world.metric, prepared.hierarchy)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_hierarchy_with_arcs_in_one_direction(order: list[int]) -> None:
    """What decides between equals is known of an arc up though there is none down, and conversely.

    A graph of one turn, found by chance as a case of the test above.
    """
    graph = make_graph([0, 1], [(0, 1, 5)])
    columns = (freeze(np.array(column, np.uint32)) for column in ([7, 3], [1, 2], [4, 6]))
    hierarchy = build_hierarchy(graph, freeze(np.array(order, np.uint32)))
    check_costs(graph, Metric(*columns), hierarchy)


def check_costs(graph: TurnGraph, metric: Metric, hierarchy: Hierarchy) -> None:
    """Compare with Dijkstra's search from every vertex."""
    weights = Customizer.of(graph, hierarchy).customize(metric)
    state = new_state(hierarchy)
    depth = tree_depths(hierarchy)
    ranks = freeze(hierarchy.rank.copy())
    up, down = (new_climbs(weights, depth, ranks) for _ in range(2))
    climb_all(hierarchy, weights, depth, state, up, down)
    n = graph.n_vertices
    cost, third = np.zeros((n, n), np.uint64), np.zeros((n, n), np.int64)
    all_between(up, down, depth, cost, third)
    steps = key_steps(graph, metric)
    for a in range(n):
        best: Any = least_keys(steps, [(a, (0, 0, 0))])
        for b in range(n):
            found = min(int(cost[a, b]), INF_COST)
            assert found == packed(best.get(b))
            if b in best and metric.has_durations:
                assert third[a, b] == best[b][2]
    for side in (state.forward, state.backward):
        assert (side.label == INF_COST).all()
