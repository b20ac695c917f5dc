"""One step of a trace: how long the way is from a state of one point to a state of the next."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I64, U8, U32
from gis.jit import inner_kernel, int64
from routing.cch.hierarchy import Hierarchy
from routing.cch.weights import INF_COST, SECOND_MASK, Weights
from routing.many.pairs import PairScratch, Seeding, find_between, part_of
from routing.matching.climbs import Climbs, climb, least_between, ways_down, ways_up
from routing.matching.states import States
from routing.matching.trace import Trace

_NOTHING = np.uint64(INF_COST)


class Ways(NamedTuple):
    """What finds ways: the hierarchy, its weights, seeds, and each arc's length uint32 (A,)."""

    hierarchy: Hierarchy
    weights: Weights
    seeding: Seeding
    length_cm: U32
    depth: U32


class Ends(NamedTuple):
    """The distances between the arcs of all states.

    ``row`` int64 (m,) is where the arc of each state is among the sources, and ``first_target``
    int64 (k + 1,) where each of these begins among the targets: an arc may be entered by several
    vertices of the turn graph.
    """

    row: I64
    first_target: I64
    up: Climbs
    down: Climbs


class Beliefs(NamedTuple):
    """What is known of each of m states.

    | array | dtype, shape | content |
    |---|---|---|
    | value | float64 (m,) | logarithm of the likelihood of the best way here, -inf: none |
    | parent | int64 (m,) | the state before it on that way, -1: it begins here |
    | left | int64 (m,) | the state as which that is left: itself, or its mate after turning |
    | place | float64 (m,) | where it stands on its arc, 0..1 |
    | length_m | float64 (m,) | of the way from the parent |
    | mark | uint8 (m,) | whether it is part of a best way to one of the last states |
    """

    value: F64
    parent: I64
    left: I64
    place: F64
    length_m: F64
    mark: U8


class Model(NamedTuple):
    """All that a decoder reads."""

    ways: Ways
    trace: Trace
    states: States
    ends: Ends


class Way(NamedTuple):
    """A way from a place to a state: metres, -1 if there is none, and where on its arc it ends.

    That is nearest to the point unless it stays where it was, and then that is farther from the
    point by the metres ``off_m`` along the road.
    """

    length_m: Any
    place: Any
    off_m: Any


@inner_kernel
def way_to(
    model: Model, pairs: PairScratch, source: int, start: float, target: int, radius_m: float
) -> Way:
    """The way from a state, at a fraction of its arc, to a state of another point.

    A position a little behind on the same arc is most likely noise: who would go around the block
    stays where he was, if that is within the other point's radius.
    """
    ways, states = model.ways, model.states
    a: Any = int64(states.arc[source])
    b: Any = int64(states.arc[target])
    end = states.fraction[target]
    if a == b:
        along_m = (end - start) * ways.length_cm[a] / 100.0
        if along_m >= 0:
            return Way(along_m, end, 0.0)
        if states.distance_m[target] ** 2 + along_m**2 <= radius_m * radius_m:
            return Way(0.0, start, -along_m)
        return Way(_around(ways, pairs, a, start, end), end, 0.0)
    ends = model.ends
    best, least = _NOTHING, int64(0)
    hierarchy, weights, query = ways.hierarchy, ways.weights, pairs.query
    i, j = ends.row[source], ends.row[target]
    climb(ways_up(hierarchy, weights, ways.depth), query.forward, ends.up, i)
    for k in range(ends.first_target[j], ends.first_target[j + 1]):
        climb(ways_down(hierarchy, weights, ways.depth), query.backward, ends.down, k)
        cost, third = least_between(ends.up, i, ends.down, k, ways.depth)
        if cost < best or (cost == best and third < least):
            best, least = cost, third
    if best >= _NOTHING:
        return Way(-1.0, end, 0.0)
    length_cm = least if len(ways.seeding.third) > 0 else int64(best & np.uint64(SECOND_MASK))
    length_cm += part_of(ways.length_cm[b], end) - part_of(ways.length_cm[a], start)
    return Way(length_cm / 100.0, end, 0.0)


@inner_kernel
def _around(ways: Ways, pairs: PairScratch, arc: int, start: float, end: float) -> float:
    """Metres of the way that leaves an arc and comes back to it, -1 if there is none."""
    positions = pairs.positions
    positions.arc[0] = positions.arc[1] = arc
    positions.fraction[0], positions.fraction[1] = start, end
    hierarchy, weights, seeding = ways.hierarchy, ways.weights, ways.seeding
    ends = int64(0), int64(1), int64(1), int64(2)
    found = find_between(hierarchy, weights, seeding, pairs.query, positions, ends, False)
    if found.cost >= _NOTHING:
        return -1.0
    if len(seeding.third) > 0:
        return float(found.third) / 100.0
    return float(found.cost & np.uint64(SECOND_MASK)) / 100.0
