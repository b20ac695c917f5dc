"""Better tours by small changes: Or-3opt and 2-opt, with kicks out of where these end.

All costs may differ there and back. Or-3opt exchanges two neighbouring parts of a tour and keeps
their directions, which suits such costs; 2-opt turns a part around. A kick exchanges two random
neighbouring parts (the double bridge of Martin, Otto and Felten, "Large-step Markov chains for the
traveling salesman problem", 1991, kept short as by Lourenço, Martin and Stützle, "Iterated local
search", 2003): what the search then makes of it is kept if it is not longer.
"""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I64, freeze
from gis.jit import inner_kernel, int64, plain_kernel

_N_NEAR = 8
"""New ways lead to one of so many stops that are nearest."""
_LONGEST_PART = 50
"""Parts that are exchanged or turned around have at most so many stops."""
_LONGEST_KICK = 12
"""The same for a kick."""
_ALLOWED = 1
"""At first a tour may be longer than the best by this part of a mean way between stops, at the
end by nothing (the threshold accepting of Dueck and Scheuer, 1990)."""


class Tour(NamedTuple):
    """A tour in the making, over n stops.

    | array | dtype, shape | content |
    |---|---|---|
    | stop | int64 (n,) | the stops in their order |
    | place | int64 (n,) | the place of each stop |
    | spare, best | int64 (n,) | scratch: as before the kick, and the best so far |
    | waiting | int64 (n,) | stops from which to look for changes |
    | waits | int64 (n,) | whether each does, 0 or 1 |
    """

    stop: I64
    place: I64
    spare: I64
    best: I64
    waiting: I64
    waits: I64


def improve(cost: I64, tour: I64, n_kicks: int, seed: int = 1) -> I64:
    """A tour that is not longer than the one given, int64 (n,).

    ``cost`` int64 (n, n), at most 2^50. The same for the same seed.
    """
    n = len(cost)
    if n < 4:
        return freeze(tour.copy())
    apart = cost.copy()
    np.fill_diagonal(apart, np.iinfo(np.int64).max)
    near = freeze(np.argsort(apart, axis=1, kind="stable")[:, : min(_N_NEAR, n - 1)])
    state = Tour(tour.copy(), *(np.zeros(n, np.int64) for _ in range(5)))
    _search_with_kicks(freeze(cost), near, state, int64(n_kicks), int64(seed))
    return freeze(state.stop)


def tour_cost(cost: I64, tour: I64) -> int:
    """What a tour takes, with the way back to its first stop."""
    return int(cost[tour, np.roll(tour, -1)].sum())


@plain_kernel
def _search_with_kicks(cost: I64, near: I64, tour: Tour, n_kicks: int, seed: int) -> None:
    n = len(tour.stop)
    for i in range(n):
        tour.place[tour.stop[i]] = i
    random: Any = int64(seed) % 2147483647 + 1
    longest = min(_LONGEST_KICK, (n - 1) // 2)
    behind: Any = int64(0)  # how much longer this tour is than the best
    allowed: Any = int64(0)
    for i in range(n):
        allowed += cost[tour.stop[i], tour.stop[(i + 1) % n]]
    allowed //= n * _ALLOWED
    for kick in range(n_kicks + 2):
        if kick == 0 or kick > n_kicks:  # at both ends until no change gains from any stop
            if kick > n_kicks and behind > 0:
                _take(tour, tour.best)
            while _settle_all(cost, near, tour) > 0:
                pass
            continue
        if kick == 1:
            for i in range(n):
                tour.best[i] = tour.stop[i]
        for i in range(n):
            tour.spare[i] = tour.stop[i]
        random = _next_random(random)
        first = random % n
        random = _next_random(random)
        one = 1 + (random >> 5) % longest
        random = _next_random(random)
        two = 1 + (random >> 5) % longest
        gain = _kick(cost, tour, first, one, two)
        n_waiting: Any = int64(0)
        for at in (0, one, one + two):
            for i in range(2):
                n_waiting = _wait(tour, tour.stop[(first + at + i) % n], n_waiting)
        gain += _settle(cost, near, tour, n_waiting)
        if gain < 0 and behind - gain > allowed * (n_kicks - kick) // n_kicks:
            _take(tour, tour.spare)
            continue
        behind -= gain
        if behind < 0:
            behind = int64(0)
            for i in range(n):
                tour.best[i] = tour.stop[i]


@inner_kernel
def _take(tour: Tour, stops: I64) -> None:
    """Go on from another order."""
    for i in range(len(stops)):
        tour.stop[i] = stops[i]
        tour.place[stops[i]] = i


@inner_kernel
def _settle_all(cost: I64, near: I64, tour: Tour) -> Any:
    """Look for changes from every stop; what they gain."""
    n_waiting: Any = int64(0)
    for x in range(len(tour.stop)):
        n_waiting = _wait(tour, int64(x), n_waiting)
    return _settle(cost, near, tour, n_waiting)


@inner_kernel
def _settle(cost: I64, near: I64, tour: Tour, n_waiting: Any) -> Any:
    """Make changes until none gains from the stops that wait; what they gain."""
    gained: Any = int64(0)
    while n_waiting > 0:
        n_waiting -= 1
        a = tour.waiting[n_waiting]
        tour.waits[a] = 0
        better: Any = int64(1)
        while better > 0:
            better, n_waiting = _improve_from(cost, near, tour, a, n_waiting)
            gained += better
    return gained


@inner_kernel
def _next_random(random: Any) -> Any:
    """The minimal standard of Park and Miller (1988)."""
    return random * 48271 % 2147483647


@inner_kernel
def _kick(cost: I64, tour: Tour, first: Any, one: Any, two: Any) -> Any:
    """Exchange the two parts that come after a place; what that gains."""
    stop, n = tour.stop, len(tour.stop)
    a, b = stop[first], stop[(first + 1) % n]
    p, c = stop[(first + one) % n], stop[(first + one + 1) % n]
    d, e = stop[(first + one + two) % n], stop[(first + one + two + 1) % n]
    gain = cost[a, b] + cost[p, c] + cost[d, e] - cost[a, c] - cost[d, b] - cost[p, e]
    _exchange(tour, (first + 1) % n, one, two)
    return gain


@inner_kernel
def _exchange(tour: Tour, first: Any, one: Any, two: Any) -> None:
    """Exchange two neighbouring parts, the first of which begins at a place.

    Each is turned around, then both as one: that needs no room.
    """
    _turn(tour, first, one)
    _turn(tour, first + one, two)
    _turn(tour, first, one + two)


@inner_kernel
def _turn(tour: Tour, first: Any, length: Any) -> None:
    """Turn a part around."""
    n = len(tour.stop)
    i, j = first, first + length - 1
    while i < j:
        x, y = tour.stop[i % n], tour.stop[j % n]
        tour.stop[i % n], tour.stop[j % n] = y, x
        tour.place[y], tour.place[x] = i % n, j % n
        i += 1
        j -= 1


@inner_kernel
def _wait(tour: Tour, x: Any, n_waiting: Any) -> Any:
    """Have a stop looked at again; how many wait then."""
    if tour.waits[x] == 0:
        tour.waits[x] = 1
        tour.waiting[n_waiting] = x
        n_waiting += 1
    return n_waiting


@inner_kernel
def _improve_from(cost: I64, near: I64, tour: Tour, a: Any, n_waiting: Any) -> tuple[Any, Any]:
    """Make the best change by which another way leads on from a stop; its gain, 0 if none gains.

    Also how many stops wait then.
    """
    stop, place, n = tour.stop, tour.place, len(tour.stop)
    first = place[a] + 1
    b = stop[first % n]
    best: Any = int64(0)
    one, two = int64(0), int64(0)  # the parts that are exchanged; none of the second: turned
    for k in range(near.shape[1]):
        c = near[a, k]
        spared = cost[a, b] - cost[a, c]
        if spared <= 0:
            break
        length = (place[c] - first) % n
        p = stop[(first + length - 1) % n]
        spared += cost[p, c]
        if c == b or length > _LONGEST_PART:
            continue
        for other in range(1, min(n - 1 - length, _LONGEST_PART) + 1):
            d = stop[(first + length + other - 1) % n]
            e = stop[(first + length + other) % n]
            gain = spared + cost[d, e] - cost[d, b] - cost[p, e]
            if gain > best:
                best, one, two = gain, length, int64(other)
    there, back = int64(0), int64(0)
    d = b
    for length in range(2, min(n - 1, _LONGEST_PART) + 1):
        c = d
        d = stop[(first + length - 1) % n]
        e = stop[(first + length) % n]
        there += cost[c, d]
        back += cost[d, c]
        gain = cost[a, b] + there + cost[d, e] - cost[a, d] - back - cost[b, e]
        if gain > best:
            best, one, two = gain, int64(length), int64(0)
    if best > 0:
        if two > 0:
            _exchange(tour, first, one, two)
        else:
            _turn(tour, first, one)
        for at in (-1, 0, two - 1, two, one + two - 1, one + two):
            n_waiting = _wait(tour, stop[(first + at) % n], n_waiting)
    return best, n_waiting
