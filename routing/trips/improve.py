"""Better tours by small changes, with kicks out of where these end.

A kick puts three neighbouring parts of a tour in the opposite order and keeps their directions: the
double bridge of Martin, Otto and Felten ("Large-step Markov chains for the traveling salesman
problem", 1991), which no exchange of two parts takes back. It is kept short as by Lourenço, Martin
and Stützle ("Iterated local search", 2003), so that it touches few stops. What the search makes of
it is kept if that is not much longer (the threshold accepting of Dueck and Scheuer, 1990).
"""

from typing import Any

import numpy as np

from gis.arrays import I64, freeze
from gis.jit import inner_kernel, int64, plain_kernel
from routing.trips.changes import Ways, settle, wait
from routing.trips.tour import Tour, exchange, undo

_N_NEAR = 8
"""New ways lead to one of so many stops that are nearest."""
_LONGEST_KICK = 10
"""Parts that are kicked have at most so many stops."""
_ALLOWED = 0.3
"""At first a tour may be longer than the best by this part of a mean way of the tour, at the end
by nothing."""
_SLACK = 0.1
"""This part of a mean way between stops may be saved by turning a part around."""


def ways_between(cost: I64) -> Ways:
    """The ways between n >= 2 stops, and the nearest of each; ``cost`` int64 (n, n)."""
    apart = cost.copy()
    np.fill_diagonal(apart, np.iinfo(np.int64).max)
    n_near = min(_N_NEAR, len(cost) - 1)
    onward, inward = (np.argsort(x, axis=1, kind="stable")[:, :n_near] for x in (apart, apart.T))
    return Ways(freeze(cost), freeze(onward), freeze(inward))


def improve(ways: Ways, tour: I64, n_kicks: int, seed: int = 1) -> I64:
    """A tour that is not longer than the one given, int64 (n,). The same for the same seed."""
    n = len(tour)
    if n < 4:
        return freeze(tour.copy())
    place, best, waiting, waits, spare = np.zeros((5, n), np.int64)
    changes = np.zeros((4 * n + 100, 3), np.int64)
    state = Tour(tour.copy(), place, best, waiting, waits, spare, changes)
    slack = int(_SLACK * (ways.cost.sum() - np.trace(ways.cost)) / (n * n))
    allowed = int(_ALLOWED * tour_cost(ways.cost, tour) / n)
    _search_with_kicks(
        ways, state, int64(n_kicks), int64(seed % 2147483646 + 1), int64(slack), int64(allowed)
    )
    return freeze(state.best)


def tour_cost(cost: I64, tour: I64) -> int:
    """What a tour takes, with the way back to its first stop."""
    return int(cost[tour, np.roll(tour, -1)].sum())


@plain_kernel
def _search_with_kicks(
    ways: Ways, tour: Tour, n_kicks: int, random: Any, slack: int, allowed: int
) -> None:
    """Leave the best tour found in ``tour.best``."""
    n = len(tour.stop)
    for i in range(n):
        tour.place[tour.stop[i]] = i
    gained: Any = int64(1)
    while gained > 0:
        n_waiting: Any = int64(0)
        for i in range(n):
            n_waiting = wait(tour, tour.stop[i], n_waiting)
        gained, _ = settle(ways, tour, slack, n_waiting, int64(0))
    for i in range(n):
        tour.best[i] = tour.stop[i]
    behind: Any = int64(0)  # how much longer this tour is than the best
    for kick in range(n_kicks):
        gain, n_waiting, random = _kick(ways.cost, tour, random)
        gained, n_changes = settle(ways, tour, slack, n_waiting, int64(2))
        gain += gained
        if gain < 0 and behind - gain > allowed * (n_kicks - kick) // n_kicks:
            undo(tour, n_changes)
            continue
        behind -= gain
        if behind < 0:
            behind = int64(0)
            for i in range(n):
                tour.best[i] = tour.stop[i]


@inner_kernel
def _next_random(random: Any) -> Any:
    """The minimal standard of Park and Miller (1988)."""
    return random * 48271 % 2147483647


@inner_kernel
def _kick(cost: I64, tour: Tour, random: Any) -> tuple[Any, Any, Any]:
    """Put three parts in the opposite order; what that gains, how many stops wait, the random."""
    stop, n = tour.stop, len(tour.stop)
    longest = min(_LONGEST_KICK, (n - 1) // 3)
    random = _next_random(random)
    first = random * n >> 31
    random = _next_random(random)
    one = 1 + (random * longest >> 31)
    random = _next_random(random)
    two = 1 + (random * longest >> 31)
    random = _next_random(random)
    three = 1 + (random * longest >> 31)
    n_waiting: Any = int64(0)
    for at in (first, first + one, first + one + two, first + one + two + three):
        for i in (at - 1, at):
            n_waiting = wait(tour, stop[i % n], n_waiting)
    a, b = stop[(first - 1) % n], stop[first]
    c, d = stop[(first + one - 1) % n], stop[(first + one) % n]
    e, f = stop[(first + one + two - 1) % n], stop[(first + one + two) % n]
    last = first + one + two + three
    g, h = stop[(last - 1) % n], stop[last % n]
    gain = cost[a, b] + cost[c, d] + cost[e, f] + cost[g, h]
    gain -= cost[a, f] + cost[g, d] + cost[e, b] + cost[c, h]
    exchange(tour, first, one, two + three, int64(0))
    exchange(tour, tour.place[d], two, three, int64(1))
    return gain, n_waiting, random
