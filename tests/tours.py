"""Tours over stops in a plane, and what is known of them without a kernel."""

from itertools import pairwise

import numpy as np

from gis.arrays import I64, freeze

FIXED = [
    (round_trip, first, last)
    for round_trip in (True, False)
    for first in (True, False)
    for last in (True, False)
    if round_trip or first or last
]


def way_cost(cost: I64, order: list[int], round_trip: bool) -> int:
    """What a way over all stops takes, added up."""
    total = sum(int(cost[a, b]) for a, b in pairwise(order))
    return total + (int(cost[order[-1], order[0]]) if round_trip else 0)


def random_cost(n: int, seed: int) -> I64:
    """Costs in a plane, up to a third more in one direction than in the other."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, 10_000, (2, n))
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    cost = (apart * rng.uniform(1, 1.3, (n, n))).astype(np.int64)
    np.fill_diagonal(cost, 0)
    return freeze(cost)


def reference_tour(cost: I64, seed: int) -> list[int]:
    """The best of ten random tours, each improved by moving single stops until none gains."""
    n = len(cost)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(10):
        tour = rng.permutation(n).tolist()
        total, before = way_cost(cost, tour, True), None
        while total != before:
            before = total
            for x in range(n):
                rest = [y for y in tour if y != x]
                longer = [
                    int(cost[a, x] + cost[x, b] - cost[a, b])
                    for a, b in zip(rest, rest[1:] + rest[:1], strict=True)
                ]
                at = int(np.argmin(longer)) + 1
                other = [*rest[:at], x, *rest[at:]]
                if way_cost(cost, other, True) < total:
                    tour, total = other, way_cost(cost, other, True)
        found.append((total, tour))
    return min(found)[1]
