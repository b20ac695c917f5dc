"""In which order to visit stops, with what is fixed about the first and the last."""

import numpy as np

from gis.arrays import I64, U32, freeze
from routing.trips.effort import QUICK, Effort
from routing.trips.exact import MOST_EXACT, shortest_tour
from routing.trips.search import search_tour


def order_stops(
    cost: U32, *, round_trip: bool, first: bool, last: bool, effort: Effort = QUICK
) -> I64:
    """The order, int64 (n,), in which the way over all n >= 2 stops takes least.

    ``cost`` uint32 (n, n) from each to each, INF at most. If ``first``, it begins at stop 0; if
    ``last``, it ends at stop n - 1; a round trip goes back from its end to its beginning, and
    where that is open, it begins at stop 0, or at stop n - 1 if only ``last``. Shortest for up to
    12 stops, beyond that nearly so.

    A way between fixed ends is a tour over all other stops and one that is both ends: left like
    the first, reached like the last. One with an open end is a tour from which the way back to its
    beginning, or from its end, is free; one with two goes over one more stop, to and from which
    all ways are.
    """
    n = len(cost)
    costs = cost.astype(np.int64)
    if first and last:
        if n == 2:
            return freeze(np.arange(2))
        costs[:, 0] = costs[:, n - 1]
        tour = _tour(costs[: n - 1, : n - 1].copy(), effort)
        return freeze(np.append(tour, n - 1))
    if not (round_trip or first or last):
        costs = np.pad(costs, (1, 0))
        costs[0] = costs[:, 0] = _usual(costs[1:, 1:])
        return freeze(_tour(costs, effort)[1:] - 1)
    if not round_trip and first:
        costs[:, 0] = _usual(costs)
    elif not round_trip and last:
        costs[n - 1] = _usual(costs)
    tour = _tour(costs, effort)
    begin = 0
    if last:
        at = int(np.flatnonzero(tour == n - 1)[0])
        begin = at if round_trip else (at + 1) % n
    return freeze(np.roll(tour, -begin))


def _usual(costs: I64) -> int:
    """What a way to the nearest stop usually takes.

    Free ways all take that, so that they do not seem the nearest: it is the same for all tours.
    """
    apart = costs.copy()
    np.fill_diagonal(apart, np.iinfo(np.int64).max)
    return int(np.median(apart.min(axis=0)))


def _tour(costs: I64, effort: Effort) -> I64:
    """A tour that begins at stop 0."""
    costs = freeze(costs)
    if len(costs) <= MOST_EXACT:
        return shortest_tour(costs)
    tour = search_tour(costs, effort)
    return np.roll(tour, -int(np.flatnonzero(tour == 0)[0]))
