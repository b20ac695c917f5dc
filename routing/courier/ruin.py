"""Which orders are taken out of the routes: strings of stops near each other, or related orders.

After slack induction by string removals (Christiaens and Vanden Berghe, "Slack Induction by String
Removals for Vehicle Routing Problems", Transportation Science 54(2), 2020, section 5.2). Where
there is one route only, all strings are of it. Related orders are those of Shaw, "Using
constraint programming and local search methods to solve vehicle routing problems", CP 1998.
"""

from typing import Any, NamedTuple

from gis.arrays import I64, U32
from gis.jit import inlined_kernel, inner_kernel, int64
from routing.courier.insertion import Trial, next_random
from routing.courier.instance import Instance
from routing.courier.routes import Routes, refresh

_LONGEST_STRING = 10
"""At most so many stops next to each other are taken out at once."""
_SPLIT_ONE_IN = 2
"""Of so many strings one keeps some stops in its middle."""
_RELATED_OF_TEN = 3
"""So many times of ten related orders are taken, else strings."""
_PASSED_OF_TEN = 3
"""Of ten related orders so many are passed over."""


class Ruin(NamedTuple):
    """What is taken out, and the routes as they were before.

    | array | dtype, shape | content |
    |---|---|---|
    | gone | int64 (r,) | whether an order is out, 0 or 1 |
    | touched | int64 (v + 1,) | the routes that were changed; how many stands last |
    | was_touched | int64 (v,) | whether each is |
    | stop | uint32 (v, n) | what they were |
    | length | int64 (v,) | how long they were |
    | absent | int64 (r + 1,) | the orders that were in no route |
    """

    gone: I64
    touched: I64
    was_touched: I64
    stop: U32
    length: I64
    absent: I64


@inner_kernel
def ruin(instance: Instance, routes: Routes, trial: Trial, removed: Ruin, wanted: Any) -> None:
    """Take about so many orders out, from around a random stop: they join the absent ones."""
    random = trial.random
    removed.touched[len(removed.touched) - 1] = 0
    n_absent = routes.absent[len(routes.absent) - 1]
    for i in range(n_absent):
        removed.absent[i] = routes.absent[i]
    removed.absent[len(removed.absent) - 1] = n_absent
    if wanted == 0:
        return
    if next_random(random) % 10 < _RELATED_OF_TEN:
        _take_related(instance, routes, removed, trial, wanted)
    else:
        _take_strings(instance, routes, removed, trial, wanted)
    for i in range(removed.touched[len(removed.touched) - 1]):
        _close_gaps(instance, routes, removed, removed.touched[i])


@inlined_kernel
def touch(routes: Routes, removed: Ruin, v: Any) -> None:
    """Keep a route as it is now, before it is changed."""
    if removed.was_touched[v] != 0:
        return
    removed.was_touched[v] = 1
    n = removed.touched[len(removed.touched) - 1]
    removed.touched[n] = v
    removed.touched[len(removed.touched) - 1] = n + 1
    removed.length[v] = routes.length[v]
    for i in range(routes.length[v]):
        removed.stop[v, i] = routes.stop[v, i]


@inlined_kernel
def _take_related(
    instance: Instance, routes: Routes, removed: Ruin, trial: Trial, wanted: Any
) -> None:
    """Take a random order and some of those of which both stops are near its stops."""
    n_gone = int64(0)
    seed = next_random(trial.random) % len(instance.may)
    for i in range(-1, instance.related.shape[1]):
        order = int64(instance.related[seed, i]) if i >= 0 else seed
        if n_gone >= wanted:
            return
        if i >= 0 and next_random(trial.random) % 10 < _PASSED_OF_TEN:
            continue
        if routes.route[instance.delivery[order]] >= 0:
            _take(instance, routes, removed, order)
            n_gone += 1


@inlined_kernel
def _take_strings(
    instance: Instance, routes: Routes, removed: Ruin, trial: Trial, wanted: Any
) -> None:
    """Take the orders of strings of stops that are near a random one.

    Half the time near a stop of an order that is in no route, if there is one: so it gets room.
    """
    seed = next_random(trial.random) % len(routes.route)
    n_absent = removed.absent[len(removed.absent) - 1]
    if n_absent > 0 and next_random(trial.random) % 2 == 0:
        order = removed.absent[next_random(trial.random) % n_absent]
        seed = instance.delivery[order]
        if instance.pickup[order] >= 0 and next_random(trial.random) % 2 == 0:
            seed = instance.pickup[order]
    n_gone = int64(0)
    for i in range(-1, instance.near.shape[1]):
        if n_gone >= wanted:
            return
        x = int64(instance.near[seed, i]) if i >= 0 else seed
        n_gone += _take_string(instance, routes, removed, trial, x, wanted - n_gone)


@inlined_kernel
def _take_string(
    instance: Instance,
    routes: Routes,
    removed: Ruin,
    trial: Trial,
    x: Any,
    most: Any,
) -> Any:
    """Take the orders of a string of stops that holds x; how many they are."""
    v = routes.route[x]
    if v < 0 or removed.gone[instance.order[x]] != 0:
        return int64(0)
    random = trial.random
    m = routes.length[v]
    longest = min(m, _LONGEST_STRING, most)
    length = 1 + next_random(random) % longest
    kept_at, kept = int64(0), int64(0)
    if length > 1 and length < m and next_random(random) % _SPLIT_ONE_IN == 0:
        kept = 1 + next_random(random) % min(m - length, length)
        kept_at = 1 + next_random(random) % (length - 1)
    whole = length + kept
    first = routes.at[x] - next_random(random) % whole
    first = max(int64(0), min(first, m - whole))
    n_gone = int64(0)
    for i in range(first, first + whole):
        if kept_at <= i - first < kept_at + kept and i != routes.at[x]:
            continue
        order = instance.order[routes.stop[v, i]]
        if removed.gone[order] == 0 and n_gone < most:
            _take(instance, routes, removed, order)
            n_gone += 1
    return n_gone


@inlined_kernel
def _take(instance: Instance, routes: Routes, removed: Ruin, order: Any) -> None:
    removed.gone[order] = 1
    n_absent = routes.absent[len(routes.absent) - 1]
    routes.absent[n_absent] = order
    routes.absent[len(routes.absent) - 1] = n_absent + 1
    touch(routes, removed, routes.route[instance.delivery[order]])


@inner_kernel
def _close_gaps(instance: Instance, routes: Routes, removed: Ruin, v: Any) -> None:
    m = int64(0)
    for i in range(routes.length[v]):
        x = routes.stop[v, i]
        if removed.gone[instance.order[x]] != 0:
            routes.route[x] = -1
        else:
            routes.stop[v, m] = x
            m += 1
    routes.length[v] = m
    refresh(instance, routes, v)
