"""From seeds to seeds: the elimination-tree query, and the path it has found."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import INVALID, U32, U64, freeze
from gis.jit import inlined_kernel, int64, plain_kernel
from routing.cch.hierarchy import Hierarchy, find_arc
from routing.cch.unpack import unpack_arc
from routing.cch.weights import COST_BITS, INF_COST, Weights
from routing.search.seeds import Path, Seeds, cheapest_place, no_path

_NOTHING = np.uint64(INF_COST)


class Side(NamedTuple):
    """What a query knows in one direction. V vertices.

    | array | dtype, shape | content |
    |---|---|---|
    | label | uint64 (V,) | cost of the best path yet between the seeds and the vertex |
    | origin | uint32 (V,) | vertex before it on that path, INVALID for a seed |
    | front | uint32 (V,) | the next vertex on the way up from each seed, or fewer |
    | third | uint32 (V,) | of the best seed of a vertex, what decides between equal costs |
    | ties | uint32 (M, 2) | vertices, and arcs from there whose way costs as much as was known |
    """

    label: U64
    origin: U32
    front: U32
    third: U32
    ties: U32


class QueryState(NamedTuple):
    """Scratch of one thread; between queries all labels are INF_COST. V vertices.

    | array | dtype, shape | content |
    |---|---|---|
    | visited | uint32 (V,) | vertices whose labels are to be reset |
    | stack | uint32 (V + 1,) | arcs still to be unpacked |
    | path | uint32 (V,) | vertices of the turn graph along the path found |

    Pages that no query visits take no memory.
    """

    forward: Side
    backward: Side
    visited: U32
    stack: U32
    path: U32


def new_state(hierarchy: Hierarchy) -> QueryState:
    """Scratch for queries with any seeds."""
    n, up_head, down_tail = len(hierarchy.rank), hierarchy.up_head, hierarchy.down_tail
    stack, path, visited = (np.empty(n + 1, np.uint32) for _ in range(3))
    forward, backward = (_new_side(n, len(upper)) for upper in (up_head, down_tail))
    return QueryState(forward, backward, visited, stack, path)


def _new_side(n: int, n_arcs: int) -> Side:
    label = np.full(n, INF_COST, np.uint64)
    origin, front, third = (np.empty(n, np.uint32) for _ in range(3))
    return Side(label, origin, front, third, np.empty((n_arcs, 2), np.uint32))


def run_query(
    state: QueryState, hierarchy: Hierarchy, weights: Weights, sources: Seeds, targets: Seeds
) -> Path:
    """The cheapest path from one of the sources to one of the targets.

    Elimination-tree query (Dibbelt, Strasser, Wagner, JEA 21, 2016, section 6): all ancestors of
    either end in ascending order, without a queue.
    """
    rank = hierarchy.rank
    n_forward = plant(state.forward, rank, sources.vertex, sources.key, sources.third)
    n_backward = plant(state.backward, rank, targets.vertex, targets.key, targets.third)
    cost, meeting, n_visited = search(hierarchy, weights, state, n_forward, n_backward)
    n_path = trace(hierarchy, weights, state, meeting)
    reset(state, n_visited)
    if n_path == 0:
        return no_path(n_visited)
    vertices = freeze(state.path[:n_path].copy())
    source = cheapest_place(sources, int(vertices[0]))
    target = cheapest_place(targets, int(vertices[-1]))
    return Path(int(cost) >> COST_BITS, vertices, source, target, n_visited)


@plain_kernel
def plant(side: Side, rank: U32, vertex: U32, cost: U64, third: U32) -> int:
    """Label the seeds (S,) of one side; returns how many vertices its front has."""
    n_front = 0
    for i in range(len(vertex)):
        n_front = plant_one(side, rank[vertex[i]], cost[i], int64(third[i]), n_front)
    return n_front


@inlined_kernel
def plant_one(side: Side, x: Any, cost: Any, third: Any, n_front: int) -> int:
    """Label one seed of a side; returns how many vertices its front has."""
    known = side.label[x]
    if cost < known or (cost == known and cost < _NOTHING and third < side.third[x]):
        if known == _NOTHING:
            side.front[n_front] = x
            n_front += 1
        side.label[x] = cost
        side.origin[x] = INVALID
        side.third[x] = third
    return n_front


@plain_kernel
def third_at(side: Side, x: Any, first: U32, upper: U32, third: U32) -> Any:
    """The third of the path that a side knows to a vertex, summed from the arcs that it climbs.

    Costs are hardly ever alike, so this takes less time than to know it of all vertices.
    """
    total = int64(0)
    while side.origin[x] != INVALID:
        below = side.origin[x]
        if len(third) > 0:
            total += int64(third[find_arc(first, upper, below, x)])
        x = below
    return total + int64(side.third[x])


@plain_kernel
def third_over(hierarchy: Hierarchy, weights: Weights, state: QueryState, x: Any) -> Any:
    """The third of the path that both sides know over a vertex."""
    first_up, up_head = hierarchy.first_up, hierarchy.up_head
    first_down, down_tail = hierarchy.first_down, hierarchy.down_tail
    up, down = weights.up_third, weights.down_third
    forward = third_at(state.forward, x, first_up, up_head, up)
    return forward + third_at(state.backward, x, first_down, down_tail, down)


@inlined_kernel
def lowest(front: U32, n_front: int) -> int:
    """Where the lowest vertex of a front is."""
    best = 0
    for i in range(1, n_front):
        if front[i] < front[best]:
            best = i
    return best


@inlined_kernel
def climb(front: U32, n_front: int, at: int, parent: U32) -> int:
    """Replace one vertex of a front by its parent; returns how many vertices remain."""
    above = parent[front[at]]
    front[at] = above
    joined = above == INVALID
    for i in range(n_front):
        joined |= front[i] == above and i != at
    if joined:
        n_front -= 1
        front[at] = front[n_front]
    return n_front


@inlined_kernel
def relax(x: Any, first: U32, upper: U32, cost: U64, side: Side, n_ties: int) -> int:
    """Follow the arcs of a vertex to their upper ends, and note which cost as much as is known.

    Returns how many arcs are noted. What they mean is looked at later: such rare work in this
    loop, even if it is never done, made queries take a fifth longer.
    """
    here = side.label[x]
    for i in range(first[x], first[x + 1]):
        through = here + cost[i]
        if through < side.label[upper[i]]:
            side.label[upper[i]] = through
            side.origin[upper[i]] = x
        elif through == side.label[upper[i]]:
            side.ties[n_ties, 0], side.ties[n_ties, 1] = x, i
            n_ties += 1
    return n_ties


@plain_kernel
def settle_ties(
    side: Side, first: U32, upper: U32, cost: U64, third: U32, n_ties: int, best: Any
) -> None:
    """Follow the arcs noted that still cost as much as is known, if they have less of the third.

    In the order in which they were noted what is below is settled before. What costs more than
    ``best`` is part of no best path; what costs as much may end at a seed that costs nothing.
    """
    for at in range(n_ties):
        x, i = side.ties[at, 0], side.ties[at, 1]
        y = upper[i]
        if side.label[y] <= best and side.label[y] == side.label[x] + cost[i]:
            known = third_at(side, y, first, upper, third)
            if third_at(side, x, first, upper, third) + int64(third[i]) < known:
                side.origin[y] = x


@plain_kernel
def _least_third(
    hierarchy: Hierarchy, weights: Weights, state: QueryState, best: Any, n_visited: int
) -> Any:
    """Of the visited vertices that a best path leads over, one over which the third is least."""
    meeting, least = int64(INVALID), int64(0)
    for at in range(n_visited):
        x = state.visited[at]
        if state.forward.label[x] + state.backward.label[x] == best:
            third = third_over(hierarchy, weights, state, x)
            if meeting == INVALID or third < least:
                meeting, least = int64(x), third
    return meeting


@plain_kernel
def _search(
    hierarchy: Hierarchy, weights: Weights, state: QueryState, n_forward: int, n_backward: int
) -> tuple[Any, Any, int, int, int, bool]:
    """As `search`; then how many ties either side has noted, and whether best paths meet twice.

    A label that is not below the best cost known cannot be part of a better path, nor of one that
    is alike: every arc has a weight.
    """
    forward, backward, visited = state.forward, state.backward, state.visited
    first_up, up_head = hierarchy.first_up, hierarchy.up_head
    first_down, down_tail = hierarchy.first_down, hierarchy.down_tail
    best, meeting, n_visited = _NOTHING, int64(INVALID), 0
    n_up, n_down, is_alike = int64(0), int64(0), False
    while n_forward > 0 or n_backward > 0:
        x_forward, x_backward, f, b = int64(INVALID), int64(INVALID), 0, 0
        if n_forward > 0:
            f = lowest(forward.front, n_forward)
            x_forward = int64(forward.front[f])
        if n_backward > 0:
            b = lowest(backward.front, n_backward)
            x_backward = int64(backward.front[b])
        x = np.uint32(min(x_forward, x_backward))
        visited[n_visited] = x
        n_visited += 1
        total = forward.label[x] + backward.label[x]
        if total <= best:
            is_alike = total == best
            best, meeting = total, int64(x)
        if forward.label[x] < best:
            n_up = relax(x, first_up, up_head, weights.up, forward, n_up)
        if backward.label[x] < best:
            n_down = relax(x, first_down, down_tail, weights.down, backward, n_down)
        if x_forward == x:
            n_forward = climb(forward.front, n_forward, f, hierarchy.parent)
        if x_backward == x:
            n_backward = climb(backward.front, n_backward, b, hierarchy.parent)
    return best, meeting, n_visited, n_up, n_down, is_alike


@plain_kernel
def search(
    hierarchy: Hierarchy, weights: Weights, state: QueryState, n_forward: int, n_backward: int
) -> tuple[Any, Any, int]:
    """Cost of the best path between planted seeds, where it is highest, and vertices visited."""
    best, meeting, n_visited, n_up, n_down, is_alike = _search(
        hierarchy, weights, state, n_forward, n_backward
    )
    if best >= _NOTHING:
        return best, int64(INVALID), n_visited
    has_third = len(weights.up_third) + len(weights.down_third) > 0
    if is_alike or (has_third and n_up + n_down > 0):
        if has_third:
            first, upper, third = hierarchy.first_up, hierarchy.up_head, weights.up_third
            settle_ties(state.forward, first, upper, weights.up, third, n_up, best)
            first, upper, third = hierarchy.first_down, hierarchy.down_tail, weights.down_third
            settle_ties(state.backward, first, upper, weights.down, third, n_down, best)
        meeting = _least_third(hierarchy, weights, state, best, n_visited)
    return best, meeting, n_visited


@plain_kernel
def reset(state: QueryState, n_visited: int) -> None:
    """Make the state ready for the next query."""
    for i in range(n_visited):
        x = state.visited[i]
        state.forward.label[x] = _NOTHING
        state.backward.label[x] = _NOTHING


@plain_kernel
def trace(hierarchy: Hierarchy, weights: Weights, state: QueryState, meeting: Any) -> int:
    """Unpack the path over the vertex where a search has met; its number of vertices.

    0 if there is no path.
    """
    if meeting == INVALID:
        return 0
    forward, backward = state.forward.origin, state.backward.origin
    # The way up is known from its end: its vertices are kept at the end of the path's room.
    start = len(state.path)
    x = np.uint32(meeting)
    while forward[x] != INVALID:
        start -= 1
        state.path[start] = x
        x = forward[x]
    state.path[0] = hierarchy.vertex[x]
    n_path = 1
    for i in range(start, len(state.path)):
        y = state.path[i]
        arc = find_arc(hierarchy.first_up, hierarchy.up_head, x, y)
        n_path = unpack_arc(weights, 2 * arc + 1, state.stack, state.path, n_path)
        x = y
    while backward[x] != INVALID:
        y = backward[x]
        arc = find_arc(hierarchy.first_down, hierarchy.down_tail, y, x)
        n_path = unpack_arc(weights, 2 * arc, state.stack, state.path, n_path)
        x = y
    return n_path
