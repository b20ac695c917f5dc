"""Hierarchies over random little worlds, eliminated in any order, and slow answers about them."""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from graphs import SearchWorld, search_worlds
from hypothesis import strategies as st
from oracles import turns_of

from gis.arrays import INF, U32, freeze
from gis.jit import plain_kernel
from routing.cch.customize import Customizer
from routing.cch.hierarchy import Hierarchy, build_hierarchy, check_hierarchy
from routing.cch.unpack import unpack_arc
from routing.cch.weights import COST_BITS, Weights
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.search.seeds import Seeds

Key = tuple[int, int, int]
"""Weight, second and third as in `Metric`, which count in this order."""

Row = tuple[int, int, int, int]
"""Vertex of a seed, and its key."""

Arcs = set[tuple[int, int]]


class Prepared(NamedTuple):
    """A world and its hierarchy, with the order that the hierarchy was built in."""

    world: SearchWorld
    order: U32
    hierarchy: Hierarchy
    customizer: Customizer


@st.composite
def prepared_worlds(draw: st.DrawFn, of: st.SearchStrategy[SearchWorld] | None = None) -> Prepared:
    """Any permutation is an order of elimination, if not a good one."""
    world = draw(search_worlds() if of is None else of)
    return prepare(world, draw(st.integers(0, 2**32 - 1)))


def prepare(world: SearchWorld, seed: int) -> Prepared:
    """A world with a hierarchy of a random order, which is checked."""
    rng = np.random.default_rng(seed)
    order = freeze(rng.permutation(world.graph.n_vertices).astype(np.uint32))
    hierarchy = build_hierarchy(world.graph, order)
    check_hierarchy(hierarchy, world.graph)
    return Prepared(world, order, hierarchy, Customizer.of(world.graph, hierarchy))


def turns_are_arcs(graph: TurnGraph, hierarchy: Hierarchy) -> bool:
    """Whether the hierarchy has all turns: it cannot weigh another."""
    n = graph.n_vertices
    up = np.repeat(np.arange(n), np.diff(hierarchy.first_up)) * n + hierarchy.up_head
    down = hierarchy.down_tail * n + np.repeat(np.arange(n), np.diff(hierarchy.first_down))
    tail = hierarchy.rank[np.repeat(np.arange(n), np.diff(graph.first_turn))].astype(np.int64)
    head = hierarchy.rank[graph.turn_head]
    other = tail != head
    known = np.isin((tail * n + head)[other], np.concatenate([up, down]))
    return bool(known.all())


def naive_elimination(arcs: Arcs, order: Sequence[int]) -> Arcs:
    """The arcs without loops, and y -> z for all y -> x -> z when x is eliminated, in an order."""
    done = {(tail, head) for tail, head in arcs if tail != head}
    place = {vertex: i for i, vertex in enumerate(order)}
    for x in order:
        before = {y for y, head in done if head == x and place[y] > place[x]}
        after = {z for tail, z in done if tail == x and place[z] > place[x]}
        done |= {(y, z) for y in before for z in after if y != z}
    return done


def naive_parents(arcs: Arcs, order: Sequence[int]) -> dict[int, int]:
    """The vertex eliminated next of those that a vertex is joined to in the chordal graph."""
    filled = naive_elimination(arcs | {(head, tail) for tail, head in arcs}, order)
    place = {vertex: i for i, vertex in enumerate(order)}
    parents: dict[int, int] = {}
    for x in order:
        above = [y for tail, y in filled if tail == x and place[y] > place[x]]
        if above:
            parents[x] = min(above, key=lambda y: place[y])
    return parents


def turn_arcs(graph: TurnGraph) -> Arcs:
    """All turns as pairs of vertices."""
    return {(tail, head) for tail, head, _ in turns_of(graph)}


def hierarchy_arcs(hierarchy: Hierarchy) -> Arcs:
    """All arcs of a hierarchy as pairs of ranks."""
    arcs = set()
    for x in range(len(hierarchy.rank)):
        first, stop = hierarchy.first_up[x : x + 2].tolist()
        arcs |= {(x, y) for y in hierarchy.up_head[first:stop].tolist()}
        first, stop = hierarchy.first_down[x : x + 2].tolist()
        arcs |= {(y, x) for y in hierarchy.down_tail[first:stop].tolist()}
    return arcs


def key_steps(graph: TurnGraph, metric: Metric) -> Mapping[int, list[tuple[int, Key]]]:
    """Where one gets to from a vertex by a turn, and for how much."""
    weight, second = metric.weight.tolist(), metric.second.tolist()
    third = metric.third.tolist() if metric.has_durations else [0] * len(weight)
    steps: dict[int, list[tuple[int, Key]]] = {}
    costs = metric.turn_costs(graph.turn_cost).tolist()
    for turn, (tail, head, _) in enumerate(turns_of(graph)):
        arc = int(graph.vertex_arc[tail])
        later = costs[turn] if metric.has_durations else 0
        key = weight[arc] + costs[turn], second[arc] + later, third[arc]
        steps.setdefault(tail, []).append((head, key))
    return steps


def least_keys(
    steps: Mapping[int, list[tuple[int, Key]]],
    sources: Iterable[tuple[int, Key]],
    may_pass: Callable[[int], bool] = lambda vertex: True,
) -> dict[int, Key]:
    """The least keys of all vertices that are reached for a weight of less than INF.

    Only vertices that ``may_pass`` are passed, sources excepted.
    """
    best: dict[int, Key] = {}
    queue = [(key, True, vertex) for vertex, key in sources]
    heapq.heapify(queue)
    while queue:
        key, is_source, vertex = heapq.heappop(queue)
        if key[0] >= INF or vertex in best:
            continue
        best[vertex] = key
        if is_source or may_pass(vertex):
            for head, more in steps.get(vertex, []):
                heapq.heappush(queue, (sum_of(key, more), False, head))
    return best


def sum_of(one: Key, other: Key) -> Key:
    """What one costs and the other after it."""
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def best_between(
    steps: Mapping[int, list[tuple[int, Key]]], sources: Sequence[Row], targets: Sequence[Row]
) -> Key | None:
    """The least key of a path from seed to seed, None if there is none."""
    best = least_keys(steps, [(row[0], row[1:]) for row in sources])
    keys = [sum_of(best[row[0]], row[1:]) for row in targets if row[0] in best]
    return min((key for key in keys if key[0] < INF), default=None)


def key_of_row(row: Sequence[int]) -> Key:
    """The key of a seed; second and third are 0 where nothing is said of them."""
    _, weight, second, third = (*row, 0, 0)[:4]
    return weight, second, third


def sum_of_all(keys: Iterable[Key]) -> Key:
    """What all of some steps cost."""
    total = 0, 0, 0
    for key in keys:
        total = sum_of(total, key)
    return total


def packed(key: Key | None) -> int:
    """Weight and second of a key as one number; that of what cannot be reached if there is none."""
    weight, second, _ = (INF, 0, 0) if key is None else key
    return weight << COST_BITS | second


def seeds_of(rows: Sequence[Row | tuple[int, int, int]]) -> Seeds:
    """Seeds with a place each; their thirds are 0 where nothing is said of them."""
    table = [(*row, *(0,) * (4 - len(row)), place) for place, row in enumerate(rows)]
    columns = np.array(table, np.uint32).reshape(-1, 5).T.copy()
    return Seeds(*(freeze(column) for column in columns))


@plain_kernel
def unpack_one_arc(weights: Weights, arc: int, stack: U32, path: U32, n_path: int) -> int:
    """The way to `unpack_arc` from Python."""
    return unpack_arc(weights, arc, stack, path, n_path)
