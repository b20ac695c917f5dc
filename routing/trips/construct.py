"""A first tour over many stops, by farthest insertion.

Rosenkrantz, Stearns and Lewis, "An analysis of several heuristics for the traveling salesman
problem" (1977): the stop farthest from the tour comes next, where it lengthens the tour least.
"""

import numpy as np

from gis.arrays import I64
from gis.jit import plain_kernel


def insert_farthest(cost: I64, begin: int = 0) -> I64:
    """A tour over all n >= 2 stops, int64 (n,), which begins at one of them."""
    n = len(cost)
    tour = np.full(n, begin, np.int64)
    nearest = np.zeros(n, np.int64)
    _insert_all(cost, tour, nearest)
    return tour


@plain_kernel
def _insert_all(cost: I64, tour: I64, nearest: I64) -> None:
    """Fill ``tour`` after its first stop.

    ``nearest`` is how far each stop is from it, there and back; -1 if on it.
    """
    n = len(cost)
    begin = tour[0]
    for x in range(n):
        nearest[x] = cost[begin, x] + cost[x, begin]
    nearest[begin] = -1
    for size in range(1, n):
        farthest = begin
        for x in range(n):
            if nearest[x] > nearest[farthest]:
                farthest = x
        best, place = np.int64(1 << 60), 0
        for i in range(size):
            a, b = tour[i], tour[i + 1 if i + 1 < size else 0]
            longer = cost[a, farthest] + cost[farthest, b] - cost[a, b]
            if longer < best:
                best, place = longer, i + 1
        for i in range(size, place, -1):
            tour[i] = tour[i - 1]
        tour[place] = farthest
        nearest[farthest] = -1
        for x in range(n):
            if nearest[x] >= 0:
                nearest[x] = min(nearest[x], cost[farthest, x] + cost[x, farthest])
