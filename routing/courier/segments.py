"""Neighbouring parts of a route that change places, both in the same direction as before.

The exchange of segments or-3opt (Or, "Traveling salesman-type combinatorial problems", 1976), where
a delivery stays behind its pick-up. Whole parts of a route go elsewhere this way, for which many
orders would have to be taken out.
"""

import math
from typing import Any

from gis.jit import inlined_kernel, int64
from routing.courier.insertion import Trial, next_random
from routing.courier.instance import NO_WAY, SPAN, TIMED, Instance
from routing.courier.routes import Routes, is_in_time, refresh, stop_at, way

_TRIES = 20
_N_NEAR = 12
"""One of the new ways leads from or to one of so many stops that are nearest."""
_LONGEST_PART = 40


@inlined_kernel
def exchange_parts(instance: Instance, routes: Routes, trial: Trial, temperature: float) -> Any:
    """Try some exchanges by chance; what those cost that were made.

    Each that costs less is made, others as simulated annealing has it.
    """
    random, total = trial.random, int64(0)
    n_near = int64(min(_N_NEAR, instance.near.shape[1]))
    if n_near == 0 or instance.rules[SPAN] != 0:
        return total
    for _ in range(_TRIES):
        x = next_random(random) % len(routes.route)
        y = int64(instance.near[x, next_random(random) % n_near])
        v = routes.route[x]
        length = 1 + next_random(random) % _LONGEST_PART
        if v < 0 or routes.route[y] != v:
            continue
        i, j, k = routes.at[x] + 1, routes.at[y], routes.at[y] + length
        if i > j:
            i, j, k = j, k, i
        if i == j or j >= k or k > routes.length[v]:
            continue
        more = _more(instance, routes, v, i, j, k)
        cost = more * instance.fleet.rate[v]
        if more >= NO_WAY or routes.travel[v] + more > instance.fleet.most_travel[v]:
            continue
        if cost > 0 and cost > -temperature * math.log(next_random(random) / 2147483647.0):
            continue
        if not _keeps_order(instance, routes, v, i, j, k) or not _fits(
            instance, routes, v, i, j, k
        ):
            continue
        _exchange(instance, routes, v, i, j, k)
        if instance.rules[TIMED] != 0 and not is_in_time(instance, routes, v):
            _exchange(instance, routes, v, i, i + k - j, k)
        else:
            total += cost
    return total


@inlined_kernel
def _more(instance: Instance, routes: Routes, v: Any, i: Any, j: Any, k: Any) -> Any:
    """How much longer a route is with stops j to k before stops i to j."""
    to = way(instance, v, stop_at(instance, routes, v, i - 1), stop_at(instance, routes, v, j))
    between = way(instance, v, stop_at(instance, routes, v, k - 1), stop_at(instance, routes, v, i))
    on = way(instance, v, stop_at(instance, routes, v, j - 1), stop_at(instance, routes, v, k))
    return to + between + on - routes.leg[v, i] - routes.leg[v, j] - routes.leg[v, k]


@inlined_kernel
def _keeps_order(instance: Instance, routes: Routes, v: Any, i: Any, j: Any, k: Any) -> Any:
    """Whether no order is picked up in stops i to j and delivered in stops j to k."""
    if j - i < k - j:
        for at in range(i, j):
            y = routes.stop[v, at]
            order = instance.order[y]
            if instance.pickup[order] == y and j <= routes.at[instance.delivery[order]] < k:
                return False
        return True
    for at in range(j, k):
        y = routes.stop[v, at]
        pickup = instance.pickup[instance.order[y]]
        if pickup >= 0 and pickup != y and i <= routes.at[pickup] < j:
            return False
    return True


@inlined_kernel
def _fits(instance: Instance, routes: Routes, v: Any, i: Any, j: Any, k: Any) -> Any:
    """Whether there is room for all with stops j to k before stops i to j."""
    for q in range(routes.load.shape[2]):
        room = instance.fleet.capacity[v, q]
        first = routes.load[v, j, q] - routes.load[v, i, q]
        second = routes.load[v, k, q] - routes.load[v, j, q]
        if second > 0:
            for leg in range(i, j):
                if routes.load[v, leg, q] + second > room:
                    return False
        if first < 0:
            for leg in range(j + 1, k):
                if routes.load[v, leg, q] - first > room:
                    return False
    return True


@inlined_kernel
def _exchange(instance: Instance, routes: Routes, v: Any, i: Any, j: Any, k: Any) -> None:
    """Put stops j to k before stops i to j: each is turned around, then both as one."""
    _turn(routes, v, i, j)
    _turn(routes, v, j, k)
    _turn(routes, v, i, k)
    for at in range(i, k):
        routes.at[routes.stop[v, at]] = at
    refresh(instance, routes, v)


@inlined_kernel
def _turn(routes: Routes, v: Any, i: Any, k: Any) -> None:
    while i < k - 1:
        k -= 1
        routes.stop[v, i], routes.stop[v, k] = routes.stop[v, k], routes.stop[v, i]
        i += 1
