"""The fastest route between two points, as kernels that have no need of Python in between."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import INF, U16, U32
from gis.jit import inner_kernel, int64, plain_kernel
from gis.snap_search import Records
from routing.cch.hierarchy import Hierarchy
from routing.cch.query import (
    QueryState,
    Side,
    new_state,
    plant_one,
    reset,
    search,
    third_over,
    trace,
)
from routing.cch.weights import COST_BITS, INF_COST, Weights
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.places.positions import (
    Ground,
    LocateScratch,
    Positions,
    locate_from,
    new_positions,
    new_scratch,
)

_NOTHING = np.uint64(INF_COST)
_ROOM_OF_TWO = 192
"""Positions that two points have at most."""


class Seeding(NamedTuple):
    """What makes seeds of positions, arrays as in `TurnGraph`, `Metric` and `Components`."""

    first_turn: U32
    turn_head: U32
    turn_cost: U16
    vertex_arc: U32
    weight: U32
    second: U32
    third: U32
    arc_component: U32


class Found(NamedTuple):
    """The best route between some positions: its cost, and the third as `Metric` has it.

    ``source`` and ``target`` are the positions that it runs between, -1 if nobody asked;
    ``n_path`` is the number of vertices of its path, 0 if it stays on one arc, too.
    """

    cost: Any
    third: Any
    source: Any
    target: Any
    n_path: Any


class Key(NamedTuple):
    """What a part of a route costs: weight << 32 | second, and the third, 0 if there is none."""

    cost: Any
    third: Any


class PairScratch(NamedTuple):
    """Scratch of a thread that answers for pairs of points."""

    query: QueryState
    locate: LocateScratch
    positions: Positions


def seeding(graph: TurnGraph, metric: Metric, arc_component: U32) -> Seeding:
    """The arrays that seeds are made from."""
    turn_cost = metric.turn_costs(graph.turn_cost)
    arrays = graph.first_turn, graph.turn_head, turn_cost, graph.vertex_arc
    return Seeding(*arrays, metric.weight, metric.second, metric.third, arc_component)


def new_pair_scratch(ground: Ground, hierarchy: Hierarchy) -> PairScratch:
    """Scratch for one thread."""
    positions = new_positions(2, _ROOM_OF_TWO, with_snaps=True)
    return PairScratch(new_state(hierarchy), new_scratch(ground.roads), positions)


@inner_kernel
def part_of(whole: Any, fraction: float) -> int:
    """The part of a weight, say, up to a fraction of it, as ``part_cost`` of `seeds`."""
    return min(int64(int64(whole) * fraction + 0.5), int64(whole))


@inner_kernel
def cost_key(weight: Any, second: Any, third: Any) -> Key:
    """Three columns as what a part of a route costs; nothing if the weight is too much."""
    if weight >= INF:
        return Key(_NOTHING, int64(0))
    return Key(np.uint64((int64(weight) << COST_BITS) + int64(second)), int64(third))


@inner_kernel
def third_of(seeding: Seeding, arc: Any) -> int:
    """The third of a whole arc, 0 if there is none."""
    return int64(seeding.third[arc]) if len(seeding.third) > 0 else int64(0)


@inner_kernel
def is_less(one: Key, other: Key) -> bool:
    """Whether a part of a route costs less, or as much with less of the third."""
    return bool(one.cost < other.cost or (one.cost == other.cost and one.third < other.third))


@inner_kernel
def source_key(seeding: Seeding, arc: Any, fraction: float, turn: Any) -> Key:
    """What a route has paid that leaves an arc, from a fraction of it, by a turn."""
    weight, second = int64(seeding.weight[arc]), int64(seeding.second[arc])
    third, turn_cost = third_of(seeding, arc), int64(seeding.turn_cost[turn])
    rest = weight - part_of(weight, fraction) + turn_cost
    second_rest = second - part_of(second, fraction)
    if len(seeding.third) > 0:
        second_rest += turn_cost
    return cost_key(rest, second_rest, third - part_of(third, fraction))


@inner_kernel
def target_key(seeding: Seeding, arc: Any, fraction: float) -> Key:
    """What a route has still to pay from the start of an arc to a fraction of it."""
    weight, second = int64(seeding.weight[arc]), int64(seeding.second[arc])
    third = third_of(seeding, arc)
    if weight >= INF:
        return cost_key(weight, second, third)
    return cost_key(part_of(weight, fraction), part_of(second, fraction), part_of(third, fraction))


@inner_kernel
def plant_source(
    seeding: Seeding, hierarchy: Hierarchy, arc: Any, fraction: float, side: Side, n_front: int
) -> int:
    """Plant seeds for routes that leave an arc by any turn; the new size of the front."""
    for turn in range(seeding.first_turn[arc], seeding.first_turn[arc + 1]):
        key = source_key(seeding, arc, fraction, turn)
        x = hierarchy.rank[seeding.turn_head[turn]]
        n_front = plant_one(side, x, key.cost, key.third, n_front)
    return n_front


@inner_kernel
def plant_target(
    seeding: Seeding, hierarchy: Hierarchy, arc: Any, fraction: float, side: Side, n_front: int
) -> int:
    """Plant seeds for routes that end on an arc; the new size of the front."""
    key = target_key(seeding, arc, fraction)
    n_front = plant_one(side, hierarchy.rank[arc], key.cost, key.third, n_front)
    copy = first_copy(seeding, arc)
    while copy < len(seeding.vertex_arc) and seeding.vertex_arc[copy] == arc:
        n_front = plant_one(side, hierarchy.rank[copy], key.cost, key.third, n_front)
        copy += 1
    return n_front


@inner_kernel
def first_copy(seeding: Seeding, arc: Any) -> int:
    """The first vertex, beyond those of the arcs, that stands for this arc or a later one."""
    low, high = len(seeding.weight), len(seeding.vertex_arc)
    while low < high:
        middle = (low + high) >> 1
        if seeding.vertex_arc[middle] < arc:
            low = middle + 1
        else:
            high = middle
    return low


@plain_kernel
def cost_ahead(seeding: Seeding, arc: Any, start: float, end: float) -> Key:
    """Cost of driving along an arc from one place on it to another, if that is ahead."""
    weight, second, third = seeding.weight[arc], seeding.second[arc], third_of(seeding, arc)
    if start > end or weight >= INF:
        return Key(_NOTHING, int64(0))
    return cost_key(
        part_of(weight, end) - part_of(weight, start),
        part_of(second, end) - part_of(second, start),
        part_of(third, end) - part_of(third, start),
    )


@inner_kernel
def find_between(
    hierarchy: Hierarchy,
    weights: Weights,
    seeding: Seeding,
    state: QueryState,
    positions: Positions,
    ends: tuple[Any, Any, Any, Any],
    with_path: bool,
) -> Found:
    """The best route from positions ends[0]..ends[1] - 1 to ends[2]..ends[3] - 1."""
    best, source, target, n_forward, n_backward = Key(_NOTHING, int64(0)), -1, -1, 0, 0
    for i in range(ends[0], ends[1]):
        arc: Any = int64(positions.arc[i])
        fraction = positions.fraction[i]
        n_forward = plant_source(seeding, hierarchy, arc, fraction, state.forward, n_forward)
        for j in range(ends[2], ends[3]):
            if positions.arc[j] == arc:
                ahead = cost_ahead(seeding, arc, fraction, positions.fraction[j])
                if is_less(ahead, best):
                    best, source, target = ahead, i, j
    for j in range(ends[2], ends[3]):
        arc = int64(positions.arc[j])
        fraction = positions.fraction[j]
        n_backward = plant_target(seeding, hierarchy, arc, fraction, state.backward, n_backward)
    cost, meeting, n_visited = search(hierarchy, weights, state, n_forward, n_backward)
    n_path, third = 0, int64(0)
    if cost < _NOTHING and len(seeding.third) > 0:
        third = third_over(hierarchy, weights, state, np.uint32(meeting))
    if is_less(Key(cost, third), best):
        best, source, target = Key(cost, third), -1, -1
        if with_path:
            n_path = trace(hierarchy, weights, state, meeting)
    reset(state, n_visited)
    return Found(best.cost, best.third, source, target, n_path)


@inner_kernel
def source_of(seeding: Seeding, positions: Positions, first: Any, stop: Any, vertex: Any) -> int:
    """The position from which a route comes cheapest to its first vertex."""
    best, source = Key(_NOTHING, int64(0)), -1
    for i in range(first, stop):
        arc: Any = int64(positions.arc[i])
        fraction = positions.fraction[i]
        for turn in range(seeding.first_turn[arc], seeding.first_turn[arc + 1]):
            if seeding.turn_head[turn] == vertex:
                key = source_key(seeding, arc, fraction, turn)
                if is_less(key, best):
                    best, source = key, i
    return source


@inner_kernel
def target_of(seeding: Seeding, positions: Positions, first: Any, stop: Any, vertex: Any) -> int:
    """The position to which a route goes cheapest from the start of its last arc."""
    best, target = Key(_NOTHING, int64(0)), -1
    for j in range(first, stop):
        arc: Any = int64(positions.arc[j])
        if seeding.vertex_arc[vertex] == arc:
            key = target_key(seeding, arc, positions.fraction[j])
            if is_less(key, best):
                best, target = key, j
    return target


@inner_kernel
def share_component(seeding: Seeding, positions: Positions, a: int, b: int) -> bool:
    """Whether two points have nearest positions in one component."""
    for i in range(positions.first[a], positions.middle[a]):
        for j in range(positions.first[b], positions.middle[b]):
            if seeding.arc_component[positions.arc[i]] == seeding.arc_component[positions.arc[j]]:
                return True
    return False


@inner_kernel
def joined(positions: Positions, point: int) -> tuple[Any, Any]:
    """Range of the positions of a point that are joined to a big component, or the nearest."""
    if positions.middle[point] < positions.stop[point]:
        return positions.middle[point], positions.stop[point]
    return positions.first[point], positions.middle[point]


@inner_kernel
def find_pair(
    hierarchy: Hierarchy,
    weights: Weights,
    seeding: Seeding,
    state: QueryState,
    positions: Positions,
    pair: tuple[Any, Any],
    with_path: bool,
) -> Found:
    """The route from one point to another, each with its rules for islands.

    If both are nearest to one component, that is tried first; then what is joined to the rest.
    The vertices of the path are in ``state.path``; between positions on one arc there are none.
    """
    a, b = pair
    is_plain = positions.middle[a] == positions.stop[a] and positions.middle[b] == positions.stop[b]
    on_island = not is_plain and share_component(seeding, positions, a, b)
    found = Found(_NOTHING, int64(0), -1, -1, 0)
    ends = positions.first[a], positions.middle[a], positions.first[b], positions.middle[b]
    for is_joined in range(0 if on_island else 1, 2):  # one call, or it is compiled twice
        if is_joined:
            from_a, to_b = joined(positions, a), joined(positions, b)
            ends = from_a[0], from_a[1], to_b[0], to_b[1]
        found = find_between(hierarchy, weights, seeding, state, positions, ends, with_path)
        if found.cost < _NOTHING:
            break
    if found.n_path > 0:
        first, last = state.path[0], state.path[found.n_path - 1]
        source = source_of(seeding, positions, ends[0], ends[1], first)
        target = target_of(seeding, positions, ends[2], ends[3], last)
        found = Found(found.cost, found.third, source, target, found.n_path)
    return found


class DirectFound(NamedTuple):
    """A route between two points, and which places it was chosen from.

    ``missing`` is the point that has no road within its radius, 2 if both have one. Each end is
    at a ``fraction`` of an arc, one of the places ``first`` to ``stop`` - 1 of its point.
    """

    cost: Any
    third: Any
    n_path: Any
    missing: Any
    start_arc: Any
    start_fraction: Any
    start_first: Any
    start_stop: Any
    end_arc: Any
    end_fraction: Any
    end_first: Any
    end_stop: Any


@plain_kernel
def find_route(
    ground: Ground,
    hierarchy: Hierarchy,
    weights: Weights,
    seeding: Seeding,
    scratch: PairScratch,
    queries: Records,
    options: tuple[bool, bool],
) -> DirectFound:
    """The route between two points.

    ``options`` are whether any open road will do for its ends, and whether its path and its ends
    are wanted.
    """
    anywhere, with_path = options
    positions = scratch.positions
    locate_from(int64(0), int64(0), ground, queries, anywhere, scratch.locate, positions)
    missing: Any = int64(2)
    for i in range(2):
        if missing == 2 and positions.first[i] == positions.stop[i]:
            missing = int64(i)
    found = Found(_NOTHING, int64(0), -1, -1, 0)
    if missing == 2:
        state = scratch.query
        found = find_pair(hierarchy, weights, seeding, state, positions, (0, 1), with_path)
    if found.cost >= _NOTHING or not with_path:
        nowhere = int64(0), 0.0, int64(0), int64(0)
        return DirectFound(found.cost, int64(found.third), 0, missing, *nowhere, *nowhere)
    start = _end_of(positions, 0, found.source)
    end = _end_of(positions, 1, found.target)
    return DirectFound(found.cost, int64(found.third), found.n_path, missing, *start, *end)


@inner_kernel
def _end_of(positions: Positions, point: int, chosen: Any) -> tuple[Any, Any, Any, Any]:
    """Arc and fraction of a position, and the first and last of those it was chosen from."""
    first, stop = int64(positions.first[point]), int64(positions.middle[point])
    if chosen >= stop:
        first, stop = stop, int64(positions.stop[point])
    return int64(positions.arc[chosen]), positions.fraction[chosen], first, stop
