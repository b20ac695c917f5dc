"""The shortest tour over a few stops, by dynamic programming over their subsets.

Held and Karp, "A dynamic programming approach to sequencing problems" (1962). Time and memory grow
with 2^n.
"""

import numpy as np

from gis.arrays import I64, freeze
from gis.jit import plain_kernel

MOST_EXACT = 13
"""So many stops take a millisecond: twelve, and one more for a way whose ends are both open."""

_FAR = np.int64(1 << 60)


def shortest_tour(cost: I64) -> I64:
    """The shortest tour over all n stops, int64 (n,), which begins at stop 0.

    ``cost`` int64 (n, n) is what the way from each to each takes, at most 2^50.
    """
    n = len(cost)
    if n < 3:
        return freeze(np.arange(n))
    tour = np.zeros(n, np.int64)
    least = np.full((1 << (n - 1), n - 1), _FAR)
    before = np.zeros((1 << (n - 1), n - 1), np.int64)
    _fill(cost, least, before, tour)
    return freeze(tour)


@plain_kernel
def _fill(cost: I64, least: I64, before: I64, tour: I64) -> None:
    """Fill ``tour``; ``least[s, j]`` is the best way over the stops of s that ends at the j-th.

    Stop j + 1 is bit j of a set.
    """
    n = len(cost) - 1
    for j in range(n):
        least[1 << j, j] = cost[0, j + 1]
    for subset in range(1 << n):
        for j in range(n):
            reached = least[subset, j]
            if reached >= _FAR:
                continue
            for k in range(n):
                if not (subset >> k) & 1:
                    further = reached + cost[j + 1, k + 1]
                    larger = subset | (1 << k)
                    if further < least[larger, k]:
                        least[larger, k] = further
                        before[larger, k] = j
    subset = (1 << n) - 1
    last = 0
    for j in range(n):
        if least[subset, j] + cost[j + 1, 0] < least[subset, last] + cost[last + 1, 0]:
            last = j
    for i in range(n, 0, -1):
        tour[i] = last + 1
        earlier = before[subset, last]
        subset ^= 1 << last
        last = earlier
