"""Distances between many pairs of arcs that are near to each other, by the hierarchy.

From an arc, and to it, every ancestor in the elimination tree is looked at once; what two arcs
have in common of these is the beginning of both lists from the root on. So a distance is the
least sum over it, one loop over consecutive numbers, however far away the arcs are (Dibbelt,
Strasser, Wagner, JEA 21, 2016, section 6; the lists are a many-to-many query of Knopp et al.,
ALENEX 2007). What an arc costs up to a point on it is added by whoever asks.
"""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import INVALID, U8, U32, U64, AnyArray
from gis.jit import inner_kernel, int64, plain_kernel
from routing.cch.hierarchy import Hierarchy
from routing.cch.query import Side
from routing.cch.weights import INF_COST, Weights

_NOTHING = np.uint64(INF_COST)


class Climbs(NamedTuple):
    """What it costs between k vertices and their ancestors, the root first, itself last.

    | array | dtype, shape | content |
    |---|---|---|
    | start | uint32 (k,) | the vertices |
    | ancestor | uint32 (k, d) | their ancestors; what is beyond them is undefined |
    | cost | uint64 (k, d) | as in `Weights`, INF_COST where there is no way |
    | third | uint32 (k, d) or (k, 0) | as in `Weights` |
    | is_known | uint8 (k,) | whether a row is filled: that is done when it is first needed |
    """

    start: U32
    ancestor: U32
    cost: U64
    third: U32
    is_known: U8


class Upward(NamedTuple):
    """One direction of a hierarchy with its weights."""

    first: U32
    upper: U32
    cost: U64
    third: U32
    parent: U32
    depth: U32


def tree_depths(hierarchy: Hierarchy) -> U32:
    """How many ancestors every vertex has, itself included: uint32 (V,)."""
    depth = np.zeros(len(hierarchy.parent), np.uint32)
    _fill_depths(hierarchy.parent, depth)
    depth.flags.writeable = False
    return depth


@plain_kernel
def _fill_depths(parent: U32, depth: U32) -> None:
    for i in range(len(parent)):
        x = len(parent) - 1 - i
        depth[x] = 1 if parent[x] == INVALID else int64(depth[parent[x]]) + 1


def new_climbs(weights: Weights, depth: U32, start: U32) -> Climbs:
    """Room for the ways between vertices (ranks) and their ancestors."""
    k, deepest = len(start), int(depth[start].max(initial=1))
    # Where no arc leads up there are no thirds to tell it by.
    third_room = deepest if weights.has_third else 0
    return Climbs(
        start,
        _empty((k, deepest), np.uint32),
        _empty((k, deepest), np.uint64),
        _empty((k, third_room), np.uint32),
        np.zeros(k, np.uint8),
    )


def _empty(shape: tuple[int, int], dtype: type) -> AnyArray:
    return np.empty(shape, dtype)


@inner_kernel
def ways_up(hierarchy: Hierarchy, weights: Weights, depth: U32) -> Upward:
    """From vertices up to their ancestors."""
    up = weights.up, weights.up_third
    return Upward(hierarchy.first_up, hierarchy.up_head, *up, hierarchy.parent, depth)


@inner_kernel
def ways_down(hierarchy: Hierarchy, weights: Weights, depth: U32) -> Upward:
    """From the ancestors down to vertices."""
    down = weights.down, weights.down_third
    return Upward(hierarchy.first_down, hierarchy.down_tail, *down, hierarchy.parent, depth)


@plain_kernel
def climb(ways: Upward, side: Side, climbs: Climbs, i: int) -> None:
    """Fill the lists of the i-th start if need be; labels of the side are as before afterwards."""
    if climbs.is_known[i]:
        return
    climbs.is_known[i] = 1
    with_third = climbs.third.shape[1] > 0
    x = climbs.start[i]
    side.label[x] = 0
    if with_third:
        side.third[x] = 0
    at: Any = int64(ways.depth[x])
    while at > 0:
        at -= 1
        here = side.label[x]
        climbs.ancestor[i, at], climbs.cost[i, at] = x, here
        third = int64(0)
        if with_third:
            third = int64(side.third[x])
            climbs.third[i, at] = third
        side.label[x] = _NOTHING
        if here < _NOTHING:
            for arc in range(ways.first[x], ways.first[x + 1]):
                y, through = ways.upper[arc], here + ways.cost[arc]
                if with_third:
                    other = third + int64(ways.third[arc])
                    known = side.label[y]
                    if through < known or (through == known and other < side.third[y]):
                        side.label[y], side.third[y] = through, other
                elif through < side.label[y]:
                    side.label[y] = through
        x = ways.parent[x]


@inner_kernel
def shared_ancestors(up: Climbs, i: int, down: Climbs, j: int, depth: U32) -> int:
    """How many ancestors two vertices have in common."""
    low, high = int64(0), min(int64(depth[up.start[i]]), int64(depth[down.start[j]]))
    while low < high:
        middle = (low + high + 1) >> 1
        if up.ancestor[i, middle - 1] == down.ancestor[j, middle - 1]:
            low = middle
        else:
            high = middle - 1
    return low


@inner_kernel
def least_between(up: Climbs, i: int, down: Climbs, j: int, depth: U32) -> tuple[Any, Any]:
    """Cost and third of the best way from the i-th start of one to the j-th of the other.

    From the beginning of its arc to the beginning of the other; INF_COST or more: there is none.
    """
    n = shared_ancestors(up, i, down, j, depth)
    best = _NOTHING
    for k in range(n):
        best = min(best, up.cost[i, k] + down.cost[j, k])
    third = int64(0)
    if up.third.shape[1] > 0 and best < _NOTHING:
        third = int64(INVALID)
        for k in range(n):
            if up.cost[i, k] + down.cost[j, k] == best:
                third = min(third, int64(up.third[i, k]) + int64(down.third[j, k]))
    return best, third
