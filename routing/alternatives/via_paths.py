"""All via paths between two ends, and which of them may be alternatives."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I64, INVALID, U32, U64
from gis.jit import inner_kernel, int64, plain_kernel
from routing.cch.hierarchy import Hierarchy, find_arc
from routing.cch.query import QueryState, Side, climb, lowest, plant, relax, reset
from routing.cch.weights import COST_BITS, Weights
from routing.search.seeds import Seeds

_BITS = np.uint64(COST_BITS)
_UNKNOWN = -1


class Bounds(NamedTuple):
    """The limits for one optimum, as costs."""

    cost: int
    most: int
    most_shared: int
    window: int
    stretch: float


class Tree(NamedTuple):
    """Cheapest paths between the seeds of one side and the n vertices visited, by their places.

    | array | dtype, shape | content |
    |---|---|---|
    | key | uint64 (n,) | weight << 32 | second of the path, as in `Weights` |
    | link | int64 (n, 2) | next place on the path to the seed, and twice the arc + 1 if upward |
    | shared | int64 (n,) | cost that the path has in common with the optimum, or _UNKNOWN |
    | on | int64 (n,) | where on the optimum the vertex is, if all of the path is; else _UNKNOWN |

    A seed has no next place, but INVALID.
    """

    key: U64
    link: I64
    shared: I64
    on: I64


class Trees(NamedTuple):
    """All via paths over the n vertices that a search has visited, whose ranks ascend."""

    visited: U32
    forward: Tree
    backward: Tree


class Candidates(NamedTuple):
    """One place for each via path that may do, of n, and what is known of the path.

    | array | dtype, shape | content |
    |---|---|---|
    | place | int64 (n,) | where its plateau begins: the piece that is cheapest in both trees |
    | end | int64 (n,) | cost from the start to where the plateau ends |
    | objective | int64 (n,) | the least is the best |
    """

    place: I64
    end: I64
    objective: I64


def grow_trees(
    state: QueryState,
    hierarchy: Hierarchy,
    weights: Weights,
    sources: Seeds,
    targets: Seeds,
    bounds: Bounds,
) -> Trees:
    """All cheapest paths between either end and the vertices above both, if they cost little."""
    rank = hierarchy.rank
    n_forward = plant(state.forward, rank, sources.vertex, sources.key, sources.third)
    n_backward = plant(state.backward, rank, targets.vertex, targets.key, targets.third)
    limit = np.uint64((bounds.most + 1) << COST_BITS)
    n = _explore(hierarchy, weights, state, n_forward, n_backward, limit)
    forward, backward = (
        Tree(
            np.empty(n, np.uint64),
            np.empty((n, 2), np.int64),
            np.full(n, _UNKNOWN, np.int64),
            np.empty(n, np.int64),
        )
        for _ in range(2)
    )
    trees = Trees(state.visited[:n].copy(), forward, backward)
    _keep(hierarchy, state.forward, trees.visited, forward, limit, False)
    _keep(hierarchy, state.backward, trees.visited, backward, limit, True)
    reset(state, n)
    return trees


@plain_kernel
def _explore(
    hierarchy: Hierarchy,
    weights: Weights,
    state: QueryState,
    n_forward: int,
    n_backward: int,
    limit: Any,
) -> int:
    """Label all vertices above either end with the cheapest paths below a limit; their number.

    One-to-all in two passes (PHAST: Delling, Goldberg, Nowatzyk, Werneck 2011) for the ancestors
    alone: whatever a vertex's label depends on is above it, and so visited too.
    """
    forward, backward, visited = state.forward, state.backward, state.visited
    first_up, up_head = hierarchy.first_up, hierarchy.up_head
    first_down, down_tail = hierarchy.first_down, hierarchy.down_tail
    n, n_ties = 0, int64(0)  # ties make no difference here: noted, and forgotten
    while n_forward > 0 or n_backward > 0:
        x_forward, x_backward, f, b = int64(INVALID), int64(INVALID), 0, 0
        if n_forward > 0:
            f = lowest(forward.front, n_forward)
            x_forward = int64(forward.front[f])
        if n_backward > 0:
            b = lowest(backward.front, n_backward)
            x_backward = int64(backward.front[b])
        x = np.uint32(min(x_forward, x_backward))
        visited[n] = x
        n += 1
        if forward.label[x] < limit:
            relax(x, first_up, up_head, weights.up, forward, n_ties)
        if backward.label[x] < limit:
            relax(x, first_down, down_tail, weights.down, backward, n_ties)
        if x_forward == x:
            n_forward = climb(forward.front, n_forward, f, hierarchy.parent)
        if x_backward == x:
            n_backward = climb(backward.front, n_backward, b, hierarchy.parent)
    for i in range(n - 1, -1, -1):
        x = visited[i]
        _come_down(x, first_down, down_tail, weights.down, forward)
        _come_down(x, first_up, up_head, weights.up, backward)
    return n


@inner_kernel
def _come_down(x: Any, first: U32, upper: U32, cost: U64, side: Side) -> None:
    """Label a vertex from those above it."""
    best = side.label[x]
    for i in range(first[x], first[x + 1]):
        through = side.label[upper[i]] + cost[i]
        if through < best:
            best = through
            side.origin[x] = upper[i]
    side.label[x] = best


@plain_kernel
def _keep(
    hierarchy: Hierarchy, side: Side, visited: U32, tree: Tree, limit: Any, backward: bool
) -> None:
    """Copy what one side of a search has found, so that the next search can follow.

    What is not below the limit has no path that could be followed.
    """
    for i in range(len(visited)):
        x = visited[i]
        tree.key[i] = side.label[x]
        tree.link[i, 0] = tree.link[i, 1] = INVALID
        if side.label[x] >= limit or side.origin[x] == INVALID:
            continue
        y = side.origin[x]
        a, b = 0, len(visited)
        while b - a > 1:
            middle = (a + b) >> 1
            if visited[middle] <= y:
                a = middle
            else:
                b = middle
        tree.link[i, 0] = a
        if (y < x) != backward:
            first, upper, is_up = hierarchy.first_up, hierarchy.up_head, 1
        else:
            first, upper, is_up = hierarchy.first_down, hierarchy.down_tail, 0
        tree.link[i, 1] = 2 * find_arc(first, upper, min(x, y), max(x, y)) + is_up


def find_candidates(
    hierarchy: Hierarchy,
    weights: Weights,
    state: QueryState,
    trees: Trees,
    optimum: U32,
    bounds: Bounds,
) -> Candidates:
    """The via paths whose stretch and sharing with the optimum are within the bounds."""
    found = Candidates(*(np.empty(len(trees.visited), np.int64) for _ in range(3)))
    n_found = _find(hierarchy, weights, state, trees, optimum, found, bounds)
    return Candidates(*(column[:n_found] for column in found))


@plain_kernel
def _find(
    hierarchy: Hierarchy,
    weights: Weights,
    state: QueryState,
    trees: Trees,
    optimum: U32,
    found: Candidates,
    bounds: Bounds,
) -> int:
    """Fill the via paths that may do; their number.

    All vertices of a plateau have the same via path: only the first stands for it.
    """
    visited, forward, backward = trees
    for i in range(len(visited)):
        found.end[i] = _UNKNOWN
    for i in range(len(visited)):
        total = forward.key[i] + backward.key[i]
        if int64(total >> _BITS) > bounds.most:
            continue
        start = _end_of_plateau(i, total, forward, backward)
        end = int64(total >> _BITS) - cost_at(
            backward, _end_of_plateau(i, total, backward, forward)
        )
        found.end[start] = max(found.end[start], end)
    n_found = 0
    for i in range(len(visited)):
        end = found.end[i]
        if end == _UNKNOWN:
            continue
        cost = cost_at(forward, i) + cost_at(backward, i)
        shared = int64(0)
        for is_backward in (False, True):  # as constants they would be compiled for each
            tree = backward if is_backward else forward
            shared += _measure(i, tree, visited, hierarchy, weights, state, optimum, is_backward)
        is_detour = cost - shared <= (1 + bounds.stretch) * (bounds.cost - shared)
        if shared <= bounds.most_shared and shared < cost and is_detour:
            found.place[n_found], found.end[n_found] = i, end
            found.objective[n_found] = 2 * cost + shared - (end - cost_at(forward, i))
            n_found += 1
    return n_found


@inner_kernel
def cost_at(tree: Tree, i: Any) -> Any:
    """Cost of the path of a tree to a place."""
    return int64(tree.key[i] >> _BITS)


@inner_kernel
def _end_of_plateau(i: Any, total: Any, tree: Tree, other: Tree) -> Any:
    """Where, on the way back to a tree's seed, the via path is no cheapest path any more."""
    before = tree.link[i, 0]
    while before != INVALID and tree.key[before] + other.key[before] == total:
        i = before
        before = tree.link[i, 0]
    return i


@inner_kernel
def _measure(
    i: int,
    tree: Tree,
    visited: U32,
    hierarchy: Hierarchy,
    weights: Weights,
    state: QueryState,
    optimum: U32,
    backward: bool,
) -> Any:
    """What a path of a tree has in common with the optimum; kept for all that goes over it.

    A cheapest path from the seed that has left the optimum never comes back to it, except where
    two paths are alike to the centimetre; so only what lies along the optimum is unpacked.
    """
    at, n_chain = int64(i), 0
    while tree.shared[at] == _UNKNOWN and tree.link[at, 0] != INVALID:
        state.path[n_chain] = at
        n_chain += 1
        at = tree.link[at, 0]
    if tree.shared[at] == _UNKNOWN:
        end = len(optimum) - 1 if backward else 0
        is_end = hierarchy.vertex[visited[at]] == optimum[end]
        tree.on[at] = end if is_end else _UNKNOWN
        tree.shared[at] = cost_at(tree, at) if is_end else 0
    while n_chain > 0:
        n_chain -= 1
        after = int64(state.path[n_chain])
        on, shared = tree.on[at], tree.shared[at]
        if on != _UNKNOWN:
            arc, stack = tree.link[after, 1], state.stack
            if backward:
                tail = hierarchy.vertex[visited[after]]
                on, more = _follow_back(arc, tail, weights, stack, optimum, on)
            else:
                on, more = _follow(arc, weights, stack, optimum, on)
            shared += more
        tree.on[after], tree.shared[after] = on, shared
        at = after
    return tree.shared[at]


@inner_kernel
def _follow(arc: Any, weights: Weights, stack: U32, optimum: U32, on: Any) -> tuple[Any, Any]:
    """Go along an arc that begins on the optimum, at ``on``, as far as both go together.

    Returns where on the optimum the arc ends, _UNKNOWN if it has left it, and what they share.
    """
    shared = int64(0)
    stack[0] = arc
    size = 1
    while size > 0:
        size -= 1
        arc = int64(stack[size])
        children = weights.up_children if arc & 1 else weights.down_children
        first, second = int64(children[arc >> 1, 0]), int64(children[arc >> 1, 1])
        if first != INVALID:
            stack[size] = 2 * second + 1
            stack[size + 1] = 2 * first
            size += 2
            continue
        on += 1
        if on == len(optimum) or optimum[on] != second:
            return int64(_UNKNOWN), shared
        key = weights.up[arc >> 1] if arc & 1 else weights.down[arc >> 1]
        shared += int64(key >> _BITS)
    return on, shared


@inner_kernel
def _follow_back(
    arc: Any, tail: Any, weights: Weights, stack: U32, optimum: U32, on: Any
) -> tuple[Any, Any]:
    """The same from an arc's end, which is on the optimum, back to its tail."""
    shared, step = int64(0), int64(_UNKNOWN)
    stack[0] = arc
    size = 1
    while size > 0:
        size -= 1
        arc = int64(stack[size])
        children = weights.up_children if arc & 1 else weights.down_children
        first, second = int64(children[arc >> 1, 0]), int64(children[arc >> 1, 1])
        if first != INVALID:
            stack[size] = 2 * first
            stack[size + 1] = 2 * second + 1
            size += 2
            continue
        # The head of this turn is the tail of the one before.
        if step != _UNKNOWN:
            on -= 1
            if on < 0 or optimum[on] != second:
                return int64(_UNKNOWN), shared
            shared += step
        key = weights.up[arc >> 1] if arc & 1 else weights.down[arc >> 1]
        step = int64(key >> _BITS)
    on -= 1
    if on < 0 or optimum[on] != tail:
        return int64(_UNKNOWN), shared
    return on, shared + step
