"""The best of two tours: what both have in common stays, and the rest is searched again.

Cook and Seymour, "Tour merging via branch-decomposition" (2003), restrict a tour to the ways of
several good ones; here the ways that two share are taken for given. Every chain of them becomes one
stop: reached as its first, left as its last. What is left is a far smaller tour of the same kind.
"""

import numpy as np

from gis.arrays import I64, freeze
from routing.trips.exact import MOST_EXACT, shortest_tour
from routing.trips.improve import improve, tour_cost, ways_between


def merge_tours(cost: I64, one: I64, other: I64, kicks_per_stop: int, seed: int) -> I64:
    """A tour that is no longer than either, int64 (n,), by a search with so many kicks."""
    n = len(one)
    if tour_cost(cost, other) < tour_cost(cost, one):
        one, other = other, one
    after = np.empty(n, np.int64)
    after[other] = np.roll(other, -1)
    breaks = np.flatnonzero(after[one] != np.roll(one, -1))
    if len(breaks) < 3:
        return one
    stops = np.roll(one, -int(breaks[0]) - 1)  # ends with the end of a chain
    first = np.append(0, np.flatnonzero(after[stops[:-1]] != stops[1:]) + 1)
    last = np.append(first[1:], n) - 1
    chained = cost[stops[last][:, None], stops[first]]
    np.fill_diagonal(chained, 0)
    if len(first) < MOST_EXACT:
        order = shortest_tour(freeze(chained))
    else:
        ways = ways_between(chained)
        order = improve(ways, np.arange(len(first)), kicks_per_stop * len(first), seed)
    return freeze(np.concatenate([stops[first[i] : last[i] + 1] for i in order]))
