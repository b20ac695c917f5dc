"""Arcs of a hierarchy unpacked into turns."""

from itertools import pairwise

import numpy as np
from graphs import SearchWorld, lattice_worlds, search_worlds
from hierarchies import (
    Key,
    Prepared,
    key_steps,
    packed,
    prepare,
    prepared_worlds,
    sum_of_all,
    unpack_one_arc,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from gis.arrays import INF
from routing.cch.weights import INF_COST, Weights


def unpack(prepared: Prepared, weights: Weights, arc: int, tail: int) -> list[int]:
    """Vertices along an arc, its tail included."""
    n = len(prepared.order)
    path, stack = np.full(n + 2, 7, np.uint32), np.empty(n + 1, np.uint32)
    path[0] = tail
    n_path = unpack_one_arc(weights, arc, stack, path, 1)
    assert (path[n_path:] == 7).all()
    found: list[int] = path[:n_path].tolist()
    return found


def check_arcs(prepared: Prepared) -> None:
    """Every arc that can be driven leads over lower vertices by turns that add up to its cost."""
    (_, graph, metric), _, hierarchy, customizer = prepared
    weights = customizer.customize(metric, 1)
    steps = {v: dict(out) for v, out in key_steps(graph, metric).items()}
    rank, vertex = hierarchy.rank.tolist(), hierarchy.vertex.tolist()
    for is_up, first, upper, cost, third in (
        (1, hierarchy.first_up, hierarchy.up_head, weights.up, weights.up_third),
        (0, hierarchy.first_down, hierarchy.down_tail, weights.down, weights.down_third),
    ):
        lower = np.repeat(np.arange(len(rank)), np.diff(first)).tolist()
        for i, (x, y) in enumerate(zip(lower, upper.tolist(), strict=True)):
            if cost[i] >= INF_COST:
                continue
            tail, head = (vertex[x], vertex[y]) if is_up else (vertex[y], vertex[x])
            path = unpack(prepared, weights, 2 * i + is_up, tail)
            assert (path[0], path[-1]) == (tail, head)
            assert len(set(path)) == len(path)
            assert all(rank[v] < x for v in path[1:-1])
            keys: list[Key] = [steps[a][b] for a, b in pairwise(path)]
            assert cost[i] == packed(sum_of_all(keys))
            if len(third):
                assert third[i] == sum_of_all(keys)[2]


@given(prepared_worlds(search_worlds() | search_worlds(max_weight=INF - 1)))
def test_arcs(prepared: Prepared) -> None:
    """Arcs of any height are turns in the end."""
    check_arcs(prepared)


@settings(max_examples=5)
@given(search_worlds(max_weight=30, of=lattice_worlds()), st.integers(0, 2**32 - 1))
def test_arcs_in_town(world: SearchWorld, seed: int) -> None:
    """High arcs have many turns."""
    check_arcs(prepare(world, seed))


def test_a_turn_is_its_head() -> None:
    """What has no children is one step."""
    none = np.uint32(2**32 - 1)
    children = np.array([[none, 5]], np.uint32)
    costs = np.array([1], np.uint64)
    none_such = np.empty(0, np.uint32)
    down_children = children + np.array([0, 1], np.uint32)
    weights = Weights(costs, costs, children, down_children, none_such, none_such)
    path, stack = np.zeros(3, np.uint32), np.empty(2, np.uint32)
    assert unpack_one_arc(weights, 1, stack, path, 1) == 2
    assert unpack_one_arc(weights, 0, stack, path, 2) == 3
    assert path.tolist() == [0, 5, 6]
