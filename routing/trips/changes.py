"""Small changes that make a tour shorter, until none does: Or-3opt and 2-opt.

All costs may differ there and back. Or-3opt exchanges two neighbouring parts of a tour and keeps
their directions, which suits such costs (Or, 1976; Kanellakis and Papadimitriou, "Local search for
the asymmetric traveling salesman problem", 1980); 2-opt turns a part around. Both are looked for
along nearest stops, as far as the ways taken out so far exceed those put in (Lin and Kernighan,
1973), from stops at which something has changed (Bentley, 1992).
"""

from typing import Any, NamedTuple

from gis.arrays import I64
from gis.jit import inner_kernel, int64
from routing.trips.tour import Tour, exchange, turn

_LONGEST_TURN = 50
"""Parts that are turned around have at most so many stops: their ways back are added up."""


class Ways(NamedTuple):
    """The ways between n stops.

    | array | dtype, shape | content |
    |---|---|---|
    | cost | int64 (n, n) | what each takes, at most 2^50 |
    | onward | int64 (n, k) | the stops to which it is nearest from each, nearest first |
    | inward | int64 (n, k) | the stops from which it is nearest to each |
    """

    cost: I64
    onward: I64
    inward: I64


@inner_kernel
def settle(ways: Ways, tour: Tour, slack: Any, n_waiting: Any, n_changes: Any) -> tuple[Any, Any]:
    """Make changes until none gains from the stops that wait; what they gain, and their number.

    A part is turned around only if what this saves at its ends lacks at most ``slack``.
    """
    gained: Any = int64(0)
    while n_waiting > 0:
        n_waiting -= 1
        a = tour.waiting[n_waiting]
        tour.waits[a] = 0
        while n_changes < len(tour.changes):
            gain, first, one, two = _change_onward(ways, tour, a, slack)
            if gain == 0:
                gain, first, one, two = _change_inward(ways, tour, a, slack)
            if gain == 0:
                break
            gained += gain
            n_waiting = _wait_at_ends(tour, first, one, two, n_waiting)
            if two > 0:
                n_changes = exchange(tour, first, one, two, n_changes)
            else:
                n_changes = turn(tour, first, one, n_changes)
    return gained, n_changes


@inner_kernel
def wait(tour: Tour, x: Any, n_waiting: Any) -> Any:
    """Have a stop looked at again; how many wait then."""
    if tour.waits[x] == 0:
        tour.waits[x] = 1
        tour.waiting[n_waiting] = x
        n_waiting += 1
    return n_waiting


@inner_kernel
def _wait_at_ends(tour: Tour, first: Any, one: Any, two: Any, n_waiting: Any) -> Any:
    """Have the stops on both sides of the ends of parts looked at again."""
    n = len(tour.stop)
    for at in (first, first + one, first + one + two):
        for i in (at - 1, at):
            n_waiting = wait(tour, tour.stop[i % n], n_waiting)
    return n_waiting


@inner_kernel
def _change_onward(ways: Ways, tour: Tour, a: Any, slack: Any) -> tuple[Any, Any, Any, Any]:
    """A change by which another way leads on from a stop: a to x, not to b.

    Its gain, 0 if none gains, the place of the first part and both lengths.
    """
    cost, stop, place, n = ways.cost, tour.stop, tour.place, len(tour.stop)
    gain, found, one, two = int64(0), int64(0), int64(0), int64(0)
    first = place[a] + 1 if place[a] + 1 < n else 0
    b = stop[first]
    for k in range(ways.onward.shape[1]):
        x = ways.onward[a, k]
        saved = cost[a, b] - cost[a, x]
        if saved <= 0 or gain > 0:
            break
        if x == b:
            continue
        at = place[x]
        length = at - first if at >= first else at - first + n
        e = stop[at + 1 if at + 1 < n else 0]
        more = saved + cost[x, e] - cost[b, e]  # a b .. x e becomes a x .. b e
        if length < _LONGEST_TURN and more + slack > 0 and e != b:
            more += _turned(cost, stop, first, length)
            if more > gain:
                gain, found, one, two = more, first, length + 1, int64(0)
        p = stop[at - 1 if at > 0 else n - 1]
        saved += cost[p, x]
        for m in range(ways.onward.shape[1]):
            e = ways.onward[p, m]
            left = saved - cost[p, e]
            if left <= 0:
                break
            other = place[e] - at if place[e] >= at else place[e] - at + n
            if other == 0 or length + other >= n:
                continue
            d = stop[place[e] - 1 if place[e] > 0 else n - 1]
            more = left + cost[d, e] - cost[d, b]  # a b .. p x .. d e becomes a x .. d b .. p e
            if more > gain:
                gain, found, one, two = more, first, length, other
                break
    return gain, found, one, two


@inner_kernel
def _change_inward(ways: Ways, tour: Tour, a: Any, slack: Any) -> tuple[Any, Any, Any, Any]:
    """A change by which another way leads to a stop: from x to a, not from z. As onward."""
    cost, stop, place, n = ways.cost, tour.stop, tour.place, len(tour.stop)
    gain, found, one, two = int64(0), int64(0), int64(0), int64(0)
    last = place[a] - 1 if place[a] > 0 else n - 1
    z = stop[last]
    for k in range(ways.inward.shape[1]):
        x = ways.inward[a, k]
        saved = cost[z, a] - cost[x, a]
        if saved <= 0 or gain > 0:
            break
        if x == z:
            continue
        at = place[x]
        length = last - at if last >= at else last - at + n
        w = stop[at - 1 if at > 0 else n - 1]
        more = saved + cost[w, x] - cost[w, z]  # w x .. z a becomes w z .. x a
        if length < _LONGEST_TURN and more + slack > 0 and w != z:
            more += _turned(cost, stop, at, length)
            if more > gain:
                gain, found, one, two = more, at, length + 1, int64(0)
        y = stop[at + 1 if at + 1 < n else 0]
        saved += cost[x, y]
        for m in range(ways.inward.shape[1]):
            q = ways.inward[y, m]
            left = saved - cost[q, y]
            if left <= 0:
                break
            other = at - place[q] if at >= place[q] else at - place[q] + n
            if other == 0 or length + other >= n:
                continue
            first = place[q] + 1 if place[q] + 1 < n else 0
            r = stop[first]
            more = left + cost[q, r] - cost[z, r]  # q r .. x y .. z a becomes q y .. z r .. x a
            if more > gain:
                gain, found, one, two = more, first, other, length
                break
    return gain, found, one, two


@inner_kernel
def _turned(cost: I64, stop: I64, first: Any, length: Any) -> Any:
    """What so many ways from a place on cost less the other way around."""
    saved: Any = int64(0)
    i = first
    x = stop[i]
    for _ in range(length):
        i = i + 1 if i + 1 < len(stop) else 0
        y = stop[i]
        saved += cost[x, y] - cost[y, x]
        x = y
    return saved
