"""A* from both ends with landmarks: the search for weights that nothing has been prepared for."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, INF, INVALID, U32, freeze
from gis.geodesy import UNITS_PER_DEGREE
from gis.jit import inner_kernel, int64, kernel, plain_kernel
from gis.network.road_network import RoadNetwork, arc_ends
from routing.graph.components import Components
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.search.dijkstra import SearchState, Side, Turns, found_path, plant, turns_of
from routing.search.heap import VERTEX_BITS, VERTEX_MASK, Int, pop, push
from routing.search.seeds import Path, Seeds

N_LANDMARKS = 8
"""Measured on cities: 12 settle a sixth fewer vertices, for half as much memory again."""

BURST = 32
"""Vertices settled on one side before the other gets its turn, so that a call pays."""


@dataclass(frozen=True)
class Landmarks:
    """Shortest distances between all nodes and a few of them, turns free. N nodes, k landmarks.

    | array | dtype, shape | content |
    |---|---|---|
    | node | uint32 (k,) | the landmarks |
    | from_landmark | uint32 (N, k) | cost from each landmark to the node, or INF |
    | to_landmark | uint32 (N, k) | cost from the node to each landmark, or INF |
    | arc_tail | uint32 (A,) | node where each arc starts |

    By the triangle inequality they bound the cost of every path from below (Goldberg and
    Harrelson, SODA 2005), for the metric they were made for and for any with no lower weight.
    """

    node: U32
    from_landmark: U32
    to_landmark: U32
    arc_tail: U32


def check_landmarks(landmarks: Landmarks, n_nodes: int, n_arcs: int) -> None:
    """Assert every documented invariant that the arrays alone can show."""
    k = len(landmarks.node)
    assert len(set(landmarks.node.tolist())) == k and (landmarks.node < n_nodes).all()
    for cost in (landmarks.from_landmark, landmarks.to_landmark):
        assert cost.dtype == np.uint32 and cost.shape == (n_nodes, k) and (cost <= INF).all()
        assert (cost[landmarks.node, np.arange(k)] == 0).all()
    assert landmarks.arc_tail.dtype == np.uint32 and landmarks.arc_tail.shape == (n_arcs,)
    assert (landmarks.arc_tail < n_nodes).all()


class Bounds(NamedTuple):
    """What a path costs at least between a vertex and the other end of a search. k landmarks.

    | array | dtype, shape | content |
    |---|---|---|
    | near, far | uint32 (N, k) | forward: costs from and to the landmarks; backward: to and from |
    | goal_near, goal_far | int64 (k,) | the same for the end that the search runs towards |
    """

    arc_tail: U32
    near: U32
    far: U32
    goal_near: I64
    goal_far: I64


class Direction(NamedTuple):
    """All that a search needs in one direction."""

    turns: Turns
    side: Side
    bounds: Bounds


def build_landmarks(
    network: RoadNetwork, metric: Metric, components: Components, k: int = N_LANDMARKS
) -> Landmarks:
    """Choose landmarks along the rim of the map and measure the network from and to each.

    Around the middle of the largest component its nodes are divided into ``k`` sectors of equal
    number, and of each the node is taken that is farthest from the middle, there and back
    (planar landmark selection, Goldberg and Harrelson). Linear space; two threads.
    """
    tail, head = arc_ends(network)
    out = network.out_arc
    neighbour = freeze(head[out])
    leaving, arriving = freeze(metric.weight[out]), freeze(metric.weight[out ^ np.uint32(1)])

    def measure(weight: U32, source: int) -> U32:
        cost = np.full(network.n_nodes, INF, np.uint32)
        heap = np.empty(network.n_arcs + 1, np.int64)
        _measure(network.first_out, neighbour, weight, source, cost, heap)
        return cost

    node = np.unique(tail[components.arc_component == 0])
    k = min(k, len(node))
    chosen = np.empty(k, np.uint32)
    from_landmark = np.empty((network.n_nodes, k), np.uint32)
    to_landmark = np.empty((network.n_nodes, k), np.uint32)
    if k:
        middle, sectors = _divide(network, node, k)
        away = measure(leaving, middle).astype(np.int64) + measure(arriving, middle)
        chosen[:] = [sector[np.argmax(away[sector])] for sector in sectors]
    with ThreadPoolExecutor(2) as pool:
        there = pool.map(partial(measure, leaving), chosen.tolist())
        back = pool.map(partial(measure, arriving), chosen.tolist())
        for i in range(k):
            from_landmark[:, i], to_landmark[:, i] = next(there), next(back)
    return Landmarks(freeze(chosen), freeze(from_landmark), freeze(to_landmark), freeze(tail))


def _divide(network: RoadNetwork, node: U32, k: int) -> tuple[int, list[U32]]:
    """The middle one of some nodes, and all of them in ``k`` sectors around it."""
    lon, lat = network.node_lon[node], network.node_lat[node]
    north = lat - np.median(lat)
    east = (lon - np.median(lon)) * np.cos(np.radians(np.median(lat) / UNITS_PER_DEGREE))
    middle = int(node[np.argmin(north**2 + east**2)])
    return middle, np.array_split(node[np.argsort(np.arctan2(north, east), kind="stable")], k)


def alt_query(
    state: SearchState,
    graph: TurnGraph,
    metric: Metric,
    landmarks: Landmarks,
    sources: Seeds,
    targets: Seeds,
) -> Path:
    """The same path cost as ``dijkstra``, from far fewer vertices.

    New bidirectional A* (Pijls and Post, ESA 2009): each vertex is settled from one side only,
    and not followed where the bounds of both sides show that it cannot beat the best path yet.
    """
    query = state.begin(graph, len(sources.vertex) + len(targets.vertex))
    near, far = landmarks.from_landmark, landmarks.to_landmark
    source_arc, target_arc = graph.vertex_arc[sources.vertex], graph.vertex_arc[targets.vertex]
    to_target = _bounds(landmarks.arc_tail, near, far, target_arc, targets.cost)
    to_source = _bounds(landmarks.arc_tail, far, near, source_arc, sources.cost)
    n_forward = plant(state.forward, query, sources, _seed_bounds(to_target, source_arc))
    n_backward = plant(state.backward, query, targets, _seed_bounds(to_source, target_arc))
    best, meeting, n_settled = _search(
        Direction(turns_of(graph, metric), state.forward, to_target),
        Direction(turns_of(graph, metric, backward=True), state.backward, to_source),
        state.settled,
        query,
        n_forward,
        n_backward,
    )
    return found_path(state, sources, targets, best, meeting, n_settled)


def _bounds(arc_tail: U32, near: U32, far: U32, arc: U32, cost: U32) -> Bounds:
    """Bounds between any vertex and the nearest of a search's goals: arcs (S,) with costs."""
    beyond = cost.astype(np.int64)[:, None]
    goal_near = np.min(near[arc_tail[arc]] + beyond, axis=0, initial=INF)
    goal_far = np.max(far[arc_tail[arc]] - beyond, axis=0, initial=0)
    return Bounds(arc_tail, near, far, freeze(goal_near), freeze(goal_far))


def _seed_bounds(bounds: Bounds, arc: U32) -> I64:
    """What ``_bound`` says of the start of some arcs (S,): int64 (S,)."""
    node = bounds.arc_tail[arc]
    before = bounds.goal_near - bounds.near[node]
    behind = bounds.far[node] - bounds.goal_far
    least: I64 = np.max(np.maximum(before, behind), axis=1, initial=0)
    return least


@plain_kernel
def _measure(first: U32, head: U32, weight: U32, source: int, cost: U32, heap: I64) -> None:
    """Costs from a node to all others (Dijkstra 1959); ``cost`` (N,) comes filled with INF."""
    cost[source] = 0
    size = push(heap, int64(0), int64(0), int64(source))
    while size > 0:
        reached = heap[0] >> VERTEX_BITS
        node = heap[0] & VERTEX_MASK
        size = pop(heap, size)
        if reached > np.int64(cost[node]):
            continue
        for i in range(first[node], first[node + 1]):
            neighbour = np.int64(head[i])
            through = reached + np.int64(weight[i])
            if through < np.int64(cost[neighbour]):
                cost[neighbour] = through
                size = push(heap, size, through, neighbour)


@inner_kernel
def _bound(near: U32, far: U32, goal_near: I64, goal_far: I64, node: Int) -> Int:
    """The least that a path costs between a node and the goal."""
    least = np.int64(0)
    for i in range(len(goal_near)):
        least = max(least, goal_near[i] - np.int64(near[node, i]))
        least = max(least, np.int64(far[node, i]) - goal_far[i])
    return least


@inner_kernel
def _settle(
    here: Direction, there: Direction, settled: U32, query: int, size: int, meeting: I64
) -> int:
    """Settle the next vertices of one side; the new size of its heap.

    ``meeting`` int64 (3,) holds the cost of the best path yet, the vertex where it meets and the
    number of vertices settled by both sides.
    """
    first, heads, costs, vertex_arc, weight, backward = here.turns
    stamp, label, parent, heap = here.side
    node_of, near, far, goal_near, goal_far = here.bounds
    _, far_near, far_far, source_near, source_far = there.bounds
    stamp_there, label_there = there.side.stamp, there.side.label
    key_there = there.side.heap[0] >> VERTEX_BITS
    best, n_settled = meeting[0], 0
    while size > 0 and n_settled < BURST and heap[0] >> VERTEX_BITS < best:
        vertex = heap[0] & VERTEX_MASK
        size = pop(heap, size)
        if settled[vertex] == query:
            continue
        settled[vertex] = query
        n_settled += 1
        arc = vertex_arc[vertex]
        reached = np.int64(label[vertex])
        if stamp_there[vertex] == query and reached + np.int64(label_there[vertex]) < best:
            best = reached + np.int64(label_there[vertex])
            meeting[1] = vertex
        behind = _bound(far_near, far_far, source_near, source_far, node_of[arc])
        if reached + key_there - behind >= best:
            continue
        if not backward:
            reached += np.int64(weight[arc])
        for turn in range(first[vertex], first[vertex + 1]):
            neighbour = np.int64(heads[turn])
            if settled[neighbour] == query:
                continue
            arc = vertex_arc[neighbour]
            through = reached + np.int64(costs[turn])
            if backward:
                through += np.int64(weight[arc])
            if stamp[neighbour] == query and through >= np.int64(label[neighbour]):
                continue
            key = through + _bound(near, far, goal_near, goal_far, node_of[arc])
            if key >= best:
                continue
            stamp[neighbour], label[neighbour], parent[neighbour] = query, through, vertex
            size = push(heap, size, key, neighbour)
    meeting[0] = best
    meeting[2] += n_settled
    return size


@kernel
def _search(
    forward: Direction,
    backward: Direction,
    settled: U32,
    query: int,
    n_forward: int,
    n_backward: int,
) -> tuple[Int, Int, int]:
    """Cost of the best path, the vertex where it meets, and how many vertices were settled."""
    meeting = np.empty(3, np.int64)
    meeting[0], meeting[1], meeting[2] = INF, INVALID, 0
    while n_forward > 0 and n_backward > 0:
        if max(forward.side.heap[0], backward.side.heap[0]) >> VERTEX_BITS >= meeting[0]:
            break
        if n_forward <= n_backward:
            n_forward = _settle(forward, backward, settled, query, n_forward, meeting)
        else:
            n_backward = _settle(backward, forward, settled, query, n_backward, meeting)
    return meeting[0], meeting[1], int(meeting[2])
