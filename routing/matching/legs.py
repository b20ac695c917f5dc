"""The ways between matched points, exactly as the likeliest states say."""

from typing import NamedTuple

import numpy as np

from gis.arrays import F64, I64, U32, U64
from gis.jit import int64, plain_kernel
from routing.cch.weights import INF_COST
from routing.many.pairs import PairScratch, cost_ahead, find_between
from routing.matching.steps import Ways


class Gaps(NamedTuple):
    """What l legs lead over: from an arc at a fraction of it to another, arrays (l,)."""

    from_arc: U32
    from_place: F64
    to_arc: U32
    to_place: F64


class Legs(NamedTuple):
    """The ways of l legs.

    | array | dtype, shape | content |
    |---|---|---|
    | first | int64 (l + 1,) | offsets into ``arc`` |
    | cost | uint64 (l,) | as in `Weights` |
    | third | int64 (l,) | as in `Weights`, 0 if there is none |
    | enters | int64 (l,) | vertex of the turn graph as which its last arc is entered |
    | arc | uint32 (r,) | the arcs, the first and the last included |
    """

    first: I64
    cost: U64
    third: I64
    enters: I64
    arc: U32


def find_legs(ways: Ways, pairs: PairScratch, gaps: Gaps) -> Legs:
    """The cheapest way of each leg; every one is known to have some."""
    n = len(gaps.from_arc)
    first, third, enters = (np.zeros(k, np.int64) for k in (n + 1, n, n))
    legs = Legs(first, np.zeros(n, np.uint64), third, enters, np.empty(16 * n + 1024, np.uint32))
    done = fill_legs(ways, pairs, gaps, legs, 0)
    while done < n:
        larger = np.empty(2 * len(legs.arc) + len(pairs.query.path), np.uint32)
        larger[: legs.first[done]] = legs.arc[: legs.first[done]]
        legs = legs._replace(arc=larger)
        done = fill_legs(ways, pairs, gaps, legs, done)
    return legs


@plain_kernel
def fill_legs(ways: Ways, pairs: PairScratch, gaps: Gaps, legs: Legs, done: int) -> int:
    """Find the ways of the next legs as long as there is room; how many are done."""
    positions, path = pairs.positions, pairs.query.path
    seeding, ends = ways.seeding, (int64(0), int64(1), int64(1), int64(2))
    for leg in range(done, len(gaps.from_arc)):
        arc = gaps.from_arc[leg]
        at = legs.first[leg]
        positions.arc[0], positions.fraction[0] = arc, gaps.from_place[leg]
        positions.arc[1], positions.fraction[1] = gaps.to_arc[leg], gaps.to_place[leg]
        n_path, enters, cost, third = int64(0), int64(arc), np.uint64(INF_COST), int64(0)
        if arc == gaps.to_arc[leg]:
            ahead = cost_ahead(seeding, int64(arc), gaps.from_place[leg], gaps.to_place[leg])
            cost, third = ahead.cost, int64(ahead.third)
        if cost >= np.uint64(INF_COST):
            found = find_between(
                ways.hierarchy, ways.weights, seeding, pairs.query, positions, ends, True
            )
            n_path, cost, third = int64(found.n_path), found.cost, int64(found.third)
        if at + n_path + 1 > len(legs.arc):
            return leg
        legs.arc[at] = arc
        for i in range(n_path):
            legs.arc[at + 1 + i] = seeding.vertex_arc[path[i]]
            enters = int64(path[i])
        legs.first[leg + 1] = at + 1 + n_path
        legs.cost[leg], legs.third[leg], legs.enters[leg] = cost, third, enters
    return len(gaps.from_arc)
