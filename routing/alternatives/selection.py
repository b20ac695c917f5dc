"""Alternative routes over one more vertex, for people rather than for a formula.

Abraham, Delling, Goldberg, Werneck: Alternative routes in road networks, JEA 18 (2013). A via
path is a shortest path to some vertex and a shortest path on from there; the paper's section 3
says which of them people take for sensible, its section 5 finds them with a hierarchy.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I64, INF, INVALID, U32, Bool, freeze
from gis.jit import inner_kernel, int64, plain_kernel
from routing.alternatives.via_paths import (
    Bounds,
    Candidates,
    Trees,
    cost_at,
    find_candidates,
    grow_trees,
)
from routing.cch.hierarchy import Hierarchy
from routing.cch.query import QueryState, plant_one, reset, run_query, search
from routing.cch.weights import COST_BITS, Weights
from routing.search.seeds import Path, Seeds, cheapest_place

_BITS = np.uint64(COST_BITS)
_FREE = np.uint64(0)
_UNKNOWN = -1


@dataclass(frozen=True)
class AlternativeLimits:
    """Which via paths count as alternatives; the parts are parts of the optimum's cost.

    | field | meaning |
    |---|---|
    | sharing | at most so much lies on routes chosen before, the optimum included |
    | optimality | every piece of a route that costs at most so much is a cheapest path |
    | stretch | a detour costs at most so much more than the piece of the optimum it avoids |
    | most_candidates | so many of the most promising via paths are looked at |

    The defaults are the paper's.
    """

    sharing: float = 0.8
    optimality: float = 0.25
    stretch: float = 0.25
    most_candidates: int = 100


DEFAULT_LIMITS = AlternativeLimits()


class _Route(NamedTuple):
    """Room for a path of m vertices; the routes chosen before, which it is compared with.

    | array | dtype, shape | content |
    |---|---|---|
    | vertex | uint32 (m,) | vertices of the turn graph |
    | cost | int64 (m,) | cost from the source's place to the start of each vertex's arc |
    | is_shared | bool (m + 1,) | the steps to each vertex and to the target's place |
    | chosen | uint32 (k,) | vertices of the routes chosen, INVALID after each |
    """

    vertex: U32
    cost: I64
    is_shared: Bool
    chosen: U32


def find_alternatives(
    state: QueryState,
    hierarchy: Hierarchy,
    weights: Weights,
    sources: Seeds,
    targets: Seeds,
    number: int,
    limits: AlternativeLimits = DEFAULT_LIMITS,
) -> list[Path]:
    """The cheapest path and up to ``number`` others, the best first; nothing without a path.

    Candidates are the vertices above either end. The paper's search space of a hierarchy knows
    some only by paths that are not the cheapest; here a sweep down makes all of them exact.
    """
    optimum = run_query(state, hierarchy, weights, sources, targets)
    paths = [optimum] if len(optimum.vertices) else []
    if not paths or number < 1:
        return paths
    bounds = _bounds(optimum.cost, limits)
    trees = grow_trees(state, hierarchy, weights, sources, targets, bounds)
    found = find_candidates(hierarchy, weights, state, trees, optimum.vertices, bounds)
    best = np.argsort(found.objective, kind="stable")[: limits.most_candidates]
    found = Candidates(*(column[best] for column in found))
    room = 2 * len(optimum.vertices)
    at = 0
    while at < len(best) and len(paths) <= number:
        route = _new_route(room, paths)
        at, size, cost = _next_route(hierarchy, weights, state, trees, found, at, route, bounds)
        if size > room:
            room = 2 * size
        elif size > 0:
            vertices = freeze(route.vertex[:size].copy())
            source = cheapest_place(sources, int(vertices[0]))
            target = cheapest_place(targets, int(vertices[-1]))
            paths.append(Path(int(cost), vertices, source, target, len(trees.visited)))
    return paths


def _bounds(cost: int, limits: AlternativeLimits) -> Bounds:
    most = min(int(cost * (1 + limits.stretch)), INF - 1)
    shared, window = int(cost * limits.sharing), int(cost * limits.optimality)
    return Bounds(cost, most, shared, window, float(limits.stretch))


def _new_route(room: int, paths: list[Path]) -> _Route:
    """Room for a route of so many vertices that is compared with paths."""
    stop = np.array([INVALID], np.uint32)
    chosen = np.concatenate([piece for path in paths for piece in (path.vertices, stop)])
    vertex, cost = np.empty(room, np.uint32), np.empty(room, np.int64)
    return _Route(vertex, cost, np.empty(room + 1, np.bool_), chosen)


@plain_kernel
def _next_route(
    hierarchy: Hierarchy,
    weights: Weights,
    state: QueryState,
    trees: Trees,
    found: Candidates,
    at: int,
    route: _Route,
    bounds: Bounds,
) -> tuple[int, int, Any]:
    """Fill the route of the next candidate that is an alternative to those chosen.

    Returns where to go on, the number of the route's vertices, 0 if there is none, and its cost.
    If there are more vertices than room, it is to go on where it was.

    Whether pieces up to the window are cheapest paths takes one query, as the paper's T-test
    does: a piece that is not within either tree's path contains the plateau, so it ends within
    what the plateau leaves of the window. The paper tests a window to either side of a vertex.
    """
    place = state.backward.origin
    for i in range(at, len(found.place)):
        via = found.place[i]
        size = _unpack(via, hierarchy, weights, state, trees, route)
        if size > len(route.vertex):
            return i, size, int64(INF)
        if _has_loop(route, size, place):
            continue
        cost = cost_at(trees.forward, via) + cost_at(trees.backward, via)
        alike, shared = _shared_costs(route, size, cost, place)
        is_detour = cost - alike <= (1 + bounds.stretch) * (bounds.cost - alike)
        if shared > bounds.most_shared or shared == cost or not is_detour:
            continue
        start, end = cost_at(trees.forward, via), found.end[i]
        reach = bounds.window - (end - start)
        if reach <= 0 or _is_cheapest(
            start - reach, end + reach, hierarchy, weights, state, route, size
        ):
            return i + 1, size, cost
    return len(found.place), 0, int64(INF)


@inner_kernel
def _unpack(
    via: Any,
    hierarchy: Hierarchy,
    weights: Weights,
    state: QueryState,
    trees: Trees,
    route: _Route,
) -> int:
    """Fill the vertices and costs of the path over a vertex, given by its place; their number.

    If they are more than there is room for, the others are left out.
    """
    tree, chain, n_chain = trees.forward, state.path, 0
    at = via
    while tree.link[at, 0] != INVALID:
        chain[n_chain] = at
        n_chain += 1
        at = tree.link[at, 0]
    route.vertex[0] = hierarchy.vertex[trees.visited[at]]
    route.cost[0] = cost_at(tree, at)
    size = int64(1)
    while n_chain > 0:
        n_chain -= 1
        size = _append(tree.link[chain[n_chain], 1], weights, state.stack, route, size)
    tree, at = trees.backward, via
    while tree.link[at, 0] != INVALID:
        size = _append(tree.link[at, 1], weights, state.stack, route, size)
        at = tree.link[at, 0]
    return size


@inner_kernel
def _append(arc: Any, weights: Weights, stack: U32, route: _Route, n: int) -> int:
    """Append the vertices along an arc, as `routing.cch.unpack` does, with their costs."""
    room = len(route.vertex)
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
        if n < room:
            key = weights.up[arc >> 1] if arc & 1 else weights.down[arc >> 1]
            route.vertex[n] = second
            route.cost[n] = route.cost[n - 1] + int64(key >> _BITS)
        n += 1
    return n


@inner_kernel
def _has_loop(route: _Route, size: int, place: U32) -> bool:
    """Whether a vertex comes twice; if none does, ``place`` (V,) tells where each is.

    What ``place`` holds for others does not matter: they are not where it says.
    """
    for i in range(size):
        vertex = route.vertex[i]
        before = place[vertex]
        if before < i and route.vertex[before] == vertex:
            return True
        place[vertex] = i
    return False


@inner_kernel
def _shared_costs(route: _Route, size: int, cost: Any, place: U32) -> tuple[Any, Any]:
    """What a route costs where it goes along with the optimum, and with any of those chosen."""
    for i in range(size + 1):
        route.is_shared[i] = False
    alike, shared, before = int64(_UNKNOWN), int64(0), int64(-1)
    for vertex in route.chosen:
        here = int64(INVALID)
        if vertex == INVALID:
            if before == size - 1:
                here = int64(size)
        else:
            at = int64(place[vertex])
            if at < size and route.vertex[at] == vertex:
                here = at
        if here != INVALID and here == before + 1 and not route.is_shared[here]:
            route.is_shared[here] = True
            end = route.cost[here] if here < size else cost
            shared += end - (route.cost[here - 1] if here > 0 else 0)
        before = here
        if vertex == INVALID:
            before = int64(-1)
            if alike == _UNKNOWN:
                alike = shared
    return alike, shared


@inner_kernel
def _is_cheapest(
    start: Any,
    end: Any,
    hierarchy: Hierarchy,
    weights: Weights,
    state: QueryState,
    route: _Route,
    size: int,
) -> bool:
    """Whether a route's piece between two costs, or a little more of it, is a cheapest path."""
    first = 0
    while first + 1 < size and route.cost[first + 1] <= start:
        first += 1
    last = first
    while last + 1 < size and route.cost[last] < end:
        last += 1
    rank, none = hierarchy.rank, int64(0)
    n_forward = plant_one(state.forward, rank[route.vertex[first]], _FREE, none, none)
    n_backward = plant_one(state.backward, rank[route.vertex[last]], _FREE, none, none)
    key, _, n_visited = search(hierarchy, weights, state, n_forward, n_backward)
    reset(state, n_visited)
    cost: int = route.cost[last] - route.cost[first]
    return int64(key >> _BITS) == cost
