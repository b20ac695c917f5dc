"""Everything that costs less than a limit, by a search that touches nothing else."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, INF, INVALID, U32, freeze
from gis.jit import int64, plain_kernel
from routing.graph.turn_graph import TurnGraph
from routing.search.dijkstra import Turns
from routing.search.heap import VERTEX_BITS, VERTEX_MASK, pop, push
from routing.search.seeds import Seeds


class BoundedState(NamedTuple):
    """Scratch of one caller; between searches all labels are INF.

    | array | dtype, shape | content |
    |---|---|---|
    | label | uint32 (V,) | best cost known |
    | labelled | uint32 (V,) | vertices that have one |
    | settled | uint32 (V,) | vertices by cost |
    | heap | int64 (H,) | room for every turn and seed |
    """

    label: U32
    labelled: U32
    settled: U32
    heap: I64


class Reached(NamedTuple):
    """What a search has reached: vertices uint32 (R,), the cheapest first, and their costs."""

    vertex: U32
    cost: U32


def new_bounded_state(graph: TurnGraph, n_seeds: int = 1024) -> BoundedState:
    """Scratch for searches from up to so many seeds."""
    n = graph.n_vertices
    return BoundedState(
        np.full(n, INF, np.uint32),
        np.empty(n, np.uint32),
        np.empty(n, np.uint32),
        np.empty(graph.n_turns + n_seeds, np.int64),
    )


def bounded_search(
    state: BoundedState, turns: Turns, seeds: Seeds, limit: int, max_vertices: int = INVALID
) -> Reached | None:
    """All vertices whose cost from the seeds (backward: to them) is less than ``limit``.

    None if they are more than ``max_vertices``: a sweep over the hierarchy is then quicker.
    Dijkstra's search (1959).
    """
    if len(turns.head) + len(seeds.vertex) > len(state.heap):
        state = state._replace(heap=np.empty(len(turns.head) + len(seeds.vertex), np.int64))
    max_vertices = min(max_vertices, len(state.label))
    n_labelled, n_settled = _search(
        turns, state, seeds.vertex, seeds.cost, min(limit, INF), max_vertices
    )
    vertex = state.settled[: min(n_settled, max_vertices)].copy()
    cost = state.label[vertex]
    state.label[state.labelled[:n_labelled]] = INF
    return None if n_settled > max_vertices else Reached(freeze(vertex), freeze(cost))


@plain_kernel
def _search(
    turns: Turns, state: BoundedState, seed: U32, seed_cost: U32, limit: int, max_vertices: int
) -> tuple[int, int]:
    """Settle vertices; how many are labelled and settled, the latter one more if too many."""
    first, head, turn, vertex_arc, weight, backward = turns
    label, labelled, settled, heap = state
    size, n_labelled, n_settled = int64(0), 0, 0
    for i in range(len(seed)):
        if seed_cost[i] < label[seed[i]] and seed_cost[i] < limit:
            if label[seed[i]] == INF:
                labelled[n_labelled] = seed[i]
                n_labelled += 1
            label[seed[i]] = seed_cost[i]
            size = push(heap, size, np.int64(seed_cost[i]), np.int64(seed[i]))
    while size > 0:
        reached = heap[0] >> VERTEX_BITS
        vertex = heap[0] & VERTEX_MASK
        size = pop(heap, size)
        if reached > label[vertex]:
            continue
        if n_settled == max_vertices:
            return n_labelled, n_settled + 1
        settled[n_settled] = vertex
        n_settled += 1
        if not backward:
            reached += np.int64(weight[vertex_arc[vertex]])
        for i in range(first[vertex], first[vertex + 1]):
            neighbour = np.int64(head[i])
            through = reached + np.int64(turn[i])
            if backward:
                through += np.int64(weight[vertex_arc[neighbour]])
            if through < label[neighbour] and through < limit:
                if label[neighbour] == INF:
                    labelled[n_labelled] = neighbour
                    n_labelled += 1
                label[neighbour] = through
                size = push(heap, size, through, neighbour)
    return n_labelled, n_settled
