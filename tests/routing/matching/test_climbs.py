"""Distances by common ancestors against Dijkstra's search in plain Python."""

from typing import Any

import numpy as np
from hierarchies import Prepared, key_steps, least_keys, packed, prepared_worlds
from hypothesis import given, settings

from gis.arrays import I64, U32, U64, freeze
from gis.jit import plain_kernel
from routing.cch.query import new_state
from routing.cch.weights import INF_COST
from routing.matching.climbs import Climbs, climb_both, least_between, tree_depths


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
    (_, graph, metric), _, hierarchy, customizer = prepared
    weights = customizer.customize(metric)
    state = new_state(hierarchy)
    depth = tree_depths(hierarchy)
    ranks = freeze(hierarchy.rank.copy())
    up, down = climb_both(hierarchy, weights, depth, state, ranks, ranks)
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
