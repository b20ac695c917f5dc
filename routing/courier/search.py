"""Better routes by taking some orders out and putting them in again, over and over.

Ruin and recreate after Christiaens and Vanden Berghe (2020), with simulated annealing.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I64, U32
from gis.jit import inlined_kernel, inner_kernel, int64, plain_kernel
from routing.courier.insertion import Trial, insert_best, next_random
from routing.courier.instance import NO_WAY, TIMED, Instance
from routing.courier.routes import (
    Routes,
    empty_routes,
    insert,
    is_in_time,
    note_places,
    refresh,
    sum_up,
)
from routing.courier.ruin import Ruin, ruin, touch
from routing.courier.segments import exchange_parts

_MEAN_GONE = 10
"""So many orders are taken out at a time, on average."""
_MOST_WAITING = 20
"""Of the orders that were in no route before, so many are tried along with those taken out."""


class Search(NamedTuple):
    """A search: the routes it is at, the best it has found, and scratch.

    | array | dtype, shape | content |
    |---|---|---|
    | best_stop, best_length | uint32 (v, n), int64 (v,) | the best routes |
    | best_total | int64 (2,) | their total |
    | missed | int64 (r,) | how often each order was in no route |
    | rank | int64 (r,) | scratch: by what absent orders are put in again |
    """

    routes: Routes
    trial: Trial
    ruined: Ruin
    best_stop: U32
    best_length: I64
    best_total: I64
    missed: I64
    rank: I64


def new_search(instance: Instance, seed: int) -> Search:
    """A search that begins with nothing served."""
    routes = empty_routes(instance)
    n_couriers, n_stops = routes.stop.shape
    n_orders = len(instance.may)
    trial = Trial(
        before=np.zeros(n_stops + 1, np.int32),
        second=np.zeros(n_stops + 1, np.int32),
        together=np.zeros(n_stops + 1, np.int32),
        after=np.zeros(n_stops + 1, np.int64),
        tried=np.zeros(n_couriers, np.int64),
        random=np.array([seed % 2147483646 + 1, 1, 0], np.int64),
    )
    ruined = Ruin(
        gone=np.zeros(n_orders, np.int64),
        touched=np.zeros(n_couriers + 1, np.int64),
        was_touched=np.zeros(n_couriers, np.int64),
        stop=np.zeros((n_couriers, n_stops), np.uint32),
        length=np.zeros(n_couriers, np.int64),
        absent=np.zeros(n_orders + 1, np.int64),
    )
    return Search(
        routes,
        trial,
        ruined,
        best_stop=routes.stop.copy(),
        best_length=routes.length.copy(),
        best_total=routes.total.copy(),
        missed=np.zeros(n_orders, np.int64),
        rank=np.zeros(n_orders, np.int64),
    )


@plain_kernel
def run_search(instance: Instance, search: Search, n_iterations: int, heat: F64) -> None:
    """Go on for some iterations, while it cools from ``heat[0]`` to ``heat[1]`` units of cost.

    What is in no route at the beginning is put in first: that alone is no iteration.
    """
    routes, ruined = search.routes, search.ruined
    random = search.trial.random
    temperature = heat[0]
    cooling = (heat[1] / heat[0]) ** (1.0 / max(n_iterations, 1))
    for i in range(n_iterations + 1):
        temperature *= cooling
        wanted = int64(0)
        if i > 0:
            routes.total[0] += exchange_parts(instance, routes, search.trial, temperature)
            _keep_better(search)
            wanted = 1 + next_random(random) % (2 * _MEAN_GONE - 1)
        cost, worth = routes.total[0], routes.total[1]
        ruin(instance, routes, search.trial, ruined, min(wanted, int64(len(instance.may))))
        recreate(instance, search, _MOST_WAITING if i > 0 else len(instance.may))
        sum_up(instance, routes)
        chance = -math.log(next_random(random) / 2147483647.0)
        worse = routes.total[1] > worth
        if routes.total[1] == worth:
            worse = routes.total[0] - cost > temperature * chance
        worse = worse or not _is_allowed(instance, search)
        if worse:
            _undo(instance, search)
            routes.total[0], routes.total[1] = cost, worth
        else:
            _keep_better(search)
        for k in range(ruined.touched[len(ruined.touched) - 1]):
            ruined.was_touched[ruined.touched[k]] = 0
            if not worse:
                note_places(routes, ruined.touched[k])


@inner_kernel
def recreate(instance: Instance, search: Search, most_waiting: Any) -> None:
    """Put absent orders in again, one after the other, where each costs least.

    Of those that were absent before the ruin only some by chance, so that it takes no longer where
    there are many that fit in nowhere.
    """
    routes, ruined, random = search.routes, search.ruined, search.trial.random
    last = len(routes.absent) - 1
    n = routes.absent[last]
    n_waiting = ruined.absent[last]
    left = max(int64(0), n_waiting - most_waiting)
    for i in range(left):
        k = i + next_random(random) % (n_waiting - i)
        routes.absent[i], routes.absent[k] = routes.absent[k], routes.absent[i]
    how = next_random(random) % 8
    hard = n_waiting > 0 and next_random(random) % 2 == 0
    for i in range(left, n):
        order = routes.absent[i]
        ruined.gone[order] = 0
        if hard:
            search.rank[i] = -search.missed[order]
        elif how < 4:
            search.rank[i] = next_random(random)
        elif how < 6:
            search.rank[i] = -_apart(instance, order)
        elif how < 7:
            search.rank[i] = -_quantity(instance, order)
        else:
            search.rank[i] = int64(instance.leave[0, instance.delivery[order]])
    _sort(routes.absent[left:n], search.rank[left:n])
    for i in range(left, n):
        order = routes.absent[i]
        v, first, second = insert_best(instance, routes, search.trial, order)
        if v < 0:
            routes.absent[left] = order
            search.missed[order] += 1
            left += 1
            continue
        touch(routes, ruined, v)
        insert(instance, routes, order, v, first, second)
    routes.absent[last] = left


@inlined_kernel
def _apart(instance: Instance, order: Any) -> Any:
    """How far the stops of an order are from each other, or its only one from the start."""
    p, d = instance.pickup[order], instance.delivery[order]
    return int64(instance.leave[0, d]) if p < 0 else int64(instance.out[0, p, d])


@inlined_kernel
def _quantity(instance: Instance, order: Any) -> Any:
    quantity = int64(0)
    for part in range(3):
        for k in range(instance.load.shape[2]):
            quantity += instance.load[part, order, k]
    return quantity


@inlined_kernel
def _sort(orders: I64, rank: I64) -> None:
    """Sort orders by rank: they are few but for the first time."""
    for i in range(1, len(orders)):
        order, key = orders[i], rank[i]
        at = int64(i)
        while at > 0 and rank[at - 1] > key:
            orders[at], rank[at] = orders[at - 1], rank[at - 1]
            at -= 1
        orders[at], rank[at] = order, key


@inlined_kernel
def _is_allowed(instance: Instance, search: Search) -> Any:
    """Whether the routes that were changed are still short enough and in time.

    Without a stop a route may take longer: the next at its place has its setup then, and times
    need not keep the triangle inequality.
    """
    routes, ruined = search.routes, search.ruined
    for i in range(ruined.touched[len(ruined.touched) - 1]):
        v = ruined.touched[i]
        if routes.length[v] == 0:
            continue
        if routes.travel[v] > instance.fleet.most_travel[v]:
            return False
        if routes.travel[v] >= NO_WAY:
            for leg in range(routes.length[v] + 1):
                if routes.leg[v, leg] >= NO_WAY:
                    return False
        if instance.rules[TIMED] != 0 and not is_in_time(instance, routes, v):
            return False
    return True


@inlined_kernel
def _undo(instance: Instance, search: Search) -> None:
    """Give the routes back that were there before."""
    routes, ruined = search.routes, search.ruined
    for i in range(routes.absent[len(routes.absent) - 1]):
        ruined.gone[routes.absent[i]] = 0
    n_absent = ruined.absent[len(ruined.absent) - 1]
    for i in range(ruined.touched[len(ruined.touched) - 1]):
        v = ruined.touched[i]
        routes.length[v] = ruined.length[v]
        for k in range(ruined.length[v]):
            routes.stop[v, k] = ruined.stop[v, k]
            routes.route[ruined.stop[v, k]] = v
        refresh(instance, routes, v)
    for i in range(n_absent):
        order = ruined.absent[i]
        routes.absent[i] = order
        if instance.pickup[order] >= 0:
            routes.route[instance.pickup[order]] = -1
        routes.route[instance.delivery[order]] = -1
    routes.absent[len(routes.absent) - 1] = n_absent


@inner_kernel
def _keep_better(search: Search) -> None:
    """Keep the routes if they are the best."""
    routes, best = search.routes, search.best_total
    if routes.total[1] > best[1] or (routes.total[1] == best[1] and routes.total[0] >= best[0]):
        return
    for v in range(len(routes.length)):
        search.best_length[v] = routes.length[v]
        for i in range(routes.length[v]):
            search.best_stop[v, i] = routes.stop[v, i]
    best[0], best[1] = routes.total[0], routes.total[1]
