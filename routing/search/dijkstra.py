"""Dijkstra's search on the turn graph: the truth that every other search is held against."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, INF, INVALID, U16, U32, freeze
from gis.jit import kernel
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.search.heap import VERTEX_BITS, VERTEX_MASK, Int, pop, push
from routing.search.seeds import Path, Seeds, cheapest_place, no_path


class Turns(NamedTuple):
    """A graph's turns in the direction of a search, with all that they cost.

    ``first``, ``head`` and ``cost`` are those of the turns or, backward, of the turns reversed;
    an arc's weight is paid as a path leaves it, so backward it belongs to the vertex reached.
    """

    first: U32
    head: U32
    cost: U16
    vertex_arc: U32
    weight: U32
    backward: bool


class Side(NamedTuple):
    """Scratch of one direction of a search. V vertices.

    | array | dtype, shape | content |
    |---|---|---|
    | stamp | uint32 (V,) | the query that the vertex was labelled in |
    | label | uint32 (V,) | best cost known, if the stamp is the query's |
    | parent | uint32 (V,) | vertex it was reached from, INVALID for a seed |
    | heap | int64 (H,) | room for every turn and seed |
    """

    stamp: U32
    label: U32
    parent: U32
    heap: I64


class SearchState:
    """Scratch of one thread, reused by its searches on graphs of one size.

    Stamps tell old labels from new, so a query touches only what it visits; pages that no query
    visits take no memory.
    """

    def __init__(self, graph: TurnGraph) -> None:
        self.n_vertices, self.n_turns = graph.n_vertices, graph.n_turns
        self.forward = self._new_side(n_seeds=0)
        self.backward = self._new_side(n_seeds=0)
        self.settled = np.zeros(self.n_vertices, np.uint32)
        self.path = np.empty(self.n_vertices, np.uint32)
        self.query = 0

    def begin(self, graph: TurnGraph, n_seeds: int) -> int:
        """Forget everything and return the number of the query that begins."""
        if graph.n_vertices != self.n_vertices:
            raise ValueError(
                f"scratch for {self.n_vertices} vertices cannot serve a graph of {graph.n_vertices}"
            )
        self.n_turns = max(self.n_turns, graph.n_turns)
        exhausted = self.query == INVALID
        if exhausted or len(self.forward.heap) < self.n_turns + n_seeds:
            self.forward = self._new_side(n_seeds)
            self.backward = self._new_side(n_seeds)
            self.settled = np.zeros(self.n_vertices, np.uint32)
            self.query = 0
        self.query += 1
        return self.query

    def _new_side(self, n_seeds: int) -> Side:
        return Side(
            np.zeros(self.n_vertices, np.uint32),
            np.empty(self.n_vertices, np.uint32),
            np.empty(self.n_vertices, np.uint32),
            np.empty(self.n_turns + max(n_seeds, 64), np.int64),
        )


def turns_of(graph: TurnGraph, metric: Metric, backward: bool = False) -> Turns:
    """The turns of a graph for kernels, forward or backward."""
    if backward:
        first, head, cost = graph.first_back, graph.back_tail, graph.back_cost
    else:
        first, head, cost = graph.first_turn, graph.turn_head, graph.turn_cost
    return Turns(first, head, metric.turn_costs(cost), graph.vertex_arc, metric.weight, backward)


def dijkstra(
    state: SearchState, graph: TurnGraph, metric: Metric, sources: Seeds, targets: Seeds
) -> Path:
    """The cheapest path from one of the sources to one of the targets (Dijkstra 1959)."""
    query = state.begin(graph, len(sources.vertex) + len(targets.vertex))
    size = plant(state.forward, query, sources)
    plant(state.backward, query, targets)
    turns = turns_of(graph, metric)
    best, meeting, n_settled = _search(turns, state.forward, state.backward, query, size, INF)
    return found_path(state, sources, targets, best, meeting, n_settled)


def shortest_path_tree(
    state: SearchState,
    graph: TurnGraph,
    metric: Metric,
    seeds: Seeds,
    backward: bool = False,
    limit: int = INF,
) -> tuple[U32, U32]:
    """Costs from the seeds to all vertices, or backward from all vertices to the seeds.

    Returns uint32 (V,) twice: the cost if it is below ``limit``, else INF, and the vertex before
    on the path (backward: after it), INVALID for a seed and where there is no cost.
    """
    side = state.forward
    query = state.begin(graph, len(seeds.vertex))
    size = plant(side, query, seeds)
    _search(turns_of(graph, metric, backward), side, state.backward, query, size, limit)
    reached = side.stamp == query
    reached[reached] = side.label[reached] < limit
    cost = np.where(reached, side.label, np.uint32(INF))
    return freeze(cost), freeze(np.where(reached, side.parent, np.uint32(INVALID)))


def plant(side: Side, query: int, seeds: Seeds, bound: I64 | None = None) -> int:
    """Label the seeds of one side and queue them; the size of its heap.

    ``bound`` (S,) is what a path costs at least beyond each seed; none in Dijkstra's search.
    """
    dearest_first = np.argsort(seeds.cost)[::-1]
    vertex = seeds.vertex[dearest_first]
    side.stamp[vertex] = query
    side.label[vertex] = seeds.cost[dearest_first]
    side.parent[vertex] = INVALID
    key = seeds.cost.astype(np.int64)
    if bound is not None:
        key += bound
    entry = np.sort((key << VERTEX_BITS | seeds.vertex)[key < INF])
    side.heap[: len(entry)] = entry
    return len(entry)


def found_path(
    state: SearchState, sources: Seeds, targets: Seeds, best: Int, meeting: Int, n_settled: int
) -> Path:
    """The path that both sides of a finished search know through the vertex where they meet."""
    if best == INF:
        return no_path(n_settled)
    n_path = _trace(state.forward.parent, state.backward.parent, int(meeting), state.path)
    vertices = freeze(state.path[:n_path].copy())
    source = cheapest_place(sources, int(vertices[0]))
    target = cheapest_place(targets, int(vertices[-1]))
    return Path(int(best), vertices, source, target, n_settled)


@kernel
def _trace(forward_parent: U32, backward_parent: U32, meeting: int, path: U32) -> int:
    """Fill the path from its first vertex by way of ``meeting`` to its last; its length."""
    n_path = 0
    vertex = np.int64(meeting)
    while vertex != INVALID:
        path[n_path] = vertex
        n_path += 1
        vertex = np.int64(forward_parent[vertex])
    for i in range(n_path // 2):
        path[i], path[n_path - 1 - i] = path[n_path - 1 - i], path[i]
    vertex = np.int64(backward_parent[meeting])
    while vertex != INVALID:
        path[n_path] = vertex
        n_path += 1
        vertex = np.int64(backward_parent[vertex])
    return n_path


@kernel
def _search(
    turns: Turns, side: Side, other: Side, query: int, size: int, limit: int
) -> tuple[Int, Int, int]:
    """Settle vertices until no path below ``limit``, or below the best, can come any more.

    ``other`` holds the labels of targets. Returns the cost of the best path to one of them, the
    target's vertex, and how many vertices were settled.
    """
    first, head, cost, vertex_arc, weight, backward = turns
    stamp, label, parent, heap = side
    best, meeting, n_settled = np.int64(limit), np.int64(INVALID), 0
    while size > 0 and heap[0] >> VERTEX_BITS < best:
        reached = heap[0] >> VERTEX_BITS
        vertex = heap[0] & VERTEX_MASK
        size = pop(heap, size)
        if reached > np.int64(label[vertex]):
            continue
        n_settled += 1
        if other.stamp[vertex] == query and reached + np.int64(other.label[vertex]) < best:
            best, meeting = reached + np.int64(other.label[vertex]), vertex
        if not backward:
            reached += np.int64(weight[vertex_arc[vertex]])
        for turn in range(first[vertex], first[vertex + 1]):
            neighbour = np.int64(head[turn])
            through = reached + np.int64(cost[turn])
            if backward:
                through += np.int64(weight[vertex_arc[neighbour]])
            known = stamp[neighbour] == query
            if through >= (np.int64(label[neighbour]) if known else INF):
                continue
            stamp[neighbour], label[neighbour], parent[neighbour] = query, through, vertex
            size = push(heap, size, through, neighbour)
    return best, meeting, n_settled
