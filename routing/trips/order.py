"""In which order to visit stops, with what is fixed about the first and the last."""

import numpy as np

from gis.arrays import I64, U32, freeze
from routing.trips.construct import insert_farthest
from routing.trips.exact import MOST_EXACT, shortest_tour
from routing.trips.improve import improve

KICKS_PER_STOP = 12
"""Measured on tours of 50 stops in Porto: 0.3 % above the best on average, 0.2 % with 60."""


def order_stops(cost: U32, *, round_trip: bool, first: bool, last: bool) -> I64:
    """The order, int64 (n,), in which the way over all n >= 2 stops takes least.

    ``cost`` uint32 (n, n) from each to each, all finite. If ``first``, it begins at stop 0; if
    ``last``, it ends at stop n - 1; a round trip goes back from its end to its beginning, and
    where that is open, it begins at stop 0. Shortest for up to 12 stops, beyond that nearly so.

    A way between fixed ends is a tour over all other stops and one that is both ends: left like
    the first, reached like the last. One with an open end is a tour from which the way back to its
    beginning, or from its end, is free.
    """
    n = len(cost)
    costs = cost.astype(np.int64)
    if first and last:
        if n == 2:
            return freeze(np.arange(2))
        costs[:, 0] = costs[:, n - 1]
        tour = _tour(freeze(costs[: n - 1, : n - 1].copy()))
        return freeze(np.append(tour, n - 1))
    if not round_trip and first:
        costs[:, 0] = 0
    elif not round_trip and last:
        costs[n - 1] = 0
    tour = _tour(freeze(costs))
    begin = 0
    if last:
        at = int(np.flatnonzero(tour == n - 1)[0])
        begin = at if round_trip else (at + 1) % n
    return freeze(np.roll(tour, -begin))


def _tour(cost: I64) -> I64:
    """A tour that begins at stop 0."""
    if len(cost) <= MOST_EXACT:
        return shortest_tour(cost)
    tour = improve(cost, insert_farthest(cost), KICKS_PER_STOP * len(cost))
    return np.roll(tour, -int(np.flatnonzero(tour == 0)[0]))
