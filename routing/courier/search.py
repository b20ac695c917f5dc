"""Better routes by taking some orders out and putting them in again, over and over.

Ruin and recreate after Christiaens and Vanden Berghe (2020), with simulated annealing.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I64, U32
from gis.jit import inlined_kernel, inner_kernel, int64, plain_kernel
from routing.courier.draft import COST, N_ROUTES, N_TAKEN, Draft, empty_draft
from routing.courier.draft_changes import accept, is_allowed, put_in
from routing.courier.draft_legs import ask_for_legs, ask_for_route, begin_draft, draft_route
from routing.courier.insertion import NO_COST, Trial, insert_best, longest_drafted, next_random
from routing.courier.instance import SPAN, SPAN_WEIGHT, Instance
from routing.courier.routes import Routes, empty_routes, longest_span
from routing.courier.ruin import ruin
from routing.courier.segments import exchange_parts

_MEAN_GONE = 10
"""So many orders are taken out at a time, on average."""
_MOST_WAITING = 20
"""Of the orders that were in no route before, so many are tried along with those taken out."""
_WHOLE_ONE_IN = 8
"""Of so many times that orders are in no route, once they are tried on every leg."""


class Search(NamedTuple):
    """A search: the routes it is at, the best it has found, and scratch.

    | array | dtype, shape | content |
    |---|---|---|
    | best_stop, best_length | uint32 (v, n), int64 (v,) | the best routes |
    | best_total | int64 (2,) | their total |
    | missed | int64 (r,) | how often each order was in no route |
    | tried, rank | int64 (r,) | scratch: the orders that are to be put in, and in what order |
    """

    routes: Routes
    draft: Draft
    trial: Trial
    best_stop: U32
    best_length: I64
    best_total: I64
    missed: I64
    tried: I64
    rank: I64


def new_search(instance: Instance, seed: int) -> Search:
    """A search that begins with nothing served."""
    routes, draft = empty_routes(instance), empty_draft(instance)
    n_orders, n_legs = len(instance.may), len(draft.x)
    trial = Trial(
        before=np.zeros(n_legs, np.int64),
        second=np.zeros(n_legs, np.int64),
        after=np.zeros(n_legs, np.int64),
        tried=np.zeros(len(routes.length), np.int64),
        random=np.array([seed % 2147483646 + 1, 1, 0], np.int64),
    )
    return Search(
        routes,
        draft,
        trial,
        best_stop=routes.stop.copy(),
        best_length=routes.length.copy(),
        best_total=routes.total.copy(),
        missed=np.zeros(n_orders, np.int64),
        tried=np.zeros(n_orders, np.int64),
        rank=np.zeros(n_orders, np.int64),
    )


@plain_kernel
def run_search(instance: Instance, search: Search, n_iterations: int, heat: F64) -> None:
    """Go on for some iterations, while it cools from ``heat[0]`` to ``heat[1]`` units of cost.

    What is in no route at the beginning is put in first: that alone is no iteration.
    """
    routes, draft, random = search.routes, search.draft, search.trial.random
    n_orders = int64(len(instance.may))
    temperature = heat[0]
    cooling = (heat[1] / heat[0]) ** (1.0 / max(n_iterations, 1))
    for i in range(n_iterations + 1):
        temperature *= cooling
        if i > 0:
            routes.total[0] += exchange_parts(instance, routes, search.trial, temperature)
            _keep_better(search)
        begin_draft(routes, draft)
        if i > 0:
            wanted = 1 + next_random(random) % (2 * _MEAN_GONE - 1)
            ruin(instance, routes, draft, random, min(wanted, n_orders))
        most = routes.total[0] - temperature * math.log(next_random(random) / 2147483647.0)
        recreate(instance, search, most, i == 0)


@inlined_kernel
def recreate(instance: Instance, search: Search, most: float, everywhere: Any) -> None:
    """Put absent orders in again, one after the other, where each costs least.

    The routes become those of the draft if more is served then, or as much for at most so much.
    """
    routes, draft = search.routes, search.draft
    n_waiting = routes.absent[len(routes.absent) - 1]
    n = _choose(instance, search, everywhere)
    everywhere = everywhere or (
        n_waiting > 0 and next_random(search.trial.random) % _WHOLE_ONE_IN == 0
    )
    for i in range(n):
        ask_for_legs(instance, routes, draft, search.tried[i])
    if everywhere:
        for v in range(len(routes.length)):
            if routes.length[v] > 0:
                ask_for_route(draft, v)
    for i in range(draft.total[N_ROUTES]):
        draft_route(instance, routes, draft, draft.drafted[i], everywhere)
    # Dearer drafts are given up at once, unless more may be served in the end.
    is_dear = n_waiting == 0 and instance.rules[SPAN] == 0
    n_missed = int64(0)
    for i in range(n):
        order = search.tried[i]
        limit = min(most - draft.total[COST] + 1, float(NO_COST)) if is_dear else float(NO_COST)
        v, first, second = insert_best(instance, routes, draft, search.trial, order, int64(limit))
        if v >= 0:
            put_in(instance, draft, order, v, first, second)
            continue
        if is_dear:
            return
        search.tried[n_missed] = order
        search.missed[order] += 1
        n_missed += 1
    _decide(instance, search, n - draft.total[N_TAKEN], n_missed, most)


@inlined_kernel
def _decide(instance: Instance, search: Search, n_tried: Any, n_missed: Any, most: float) -> None:
    """Make the draft the routes if it is good enough.

    Of the absent orders the first ``n_tried`` were tried; of all that were, those that are in no
    route stand first.
    """
    routes, draft = search.routes, search.draft
    more = int64(0)
    for i in range(n_missed):
        more += instance.worth[search.tried[i]]
    for i in range(n_tried):
        more -= instance.worth[routes.absent[i]]
    cost = draft.total[COST]
    if instance.rules[SPAN] != 0:
        longer = longest_drafted(instance, routes, draft) - longest_span(routes)
        cost += SPAN_WEIGHT * longer
    if more > 0 or (more == 0 and cost > most) or not is_allowed(instance, draft):
        return
    accept(instance, routes, draft)
    _note_absent(search, n_tried, n_missed)
    routes.total[0], routes.total[1] = cost, routes.total[1] + more
    _keep_better(search)


@inlined_kernel
def _choose(instance: Instance, search: Search, everywhere: Any) -> Any:
    """Those orders that are to be put in, in their order: how many there are.

    What is taken out, and of those in no route only some by chance, which come first among the
    absent then: so it takes no longer where there are many that fit in nowhere.
    """
    routes, draft, random = search.routes, search.draft, search.trial.random
    n_waiting = routes.absent[len(routes.absent) - 1]
    n = n_waiting if everywhere else min(n_waiting, int64(_MOST_WAITING))
    for i in range(n):
        if n < n_waiting:
            k = i + next_random(random) % (n_waiting - i)
            routes.absent[i], routes.absent[k] = routes.absent[k], routes.absent[i]
        search.tried[i] = routes.absent[i]
    for i in range(draft.total[N_TAKEN]):
        search.tried[n] = draft.taken[i]
        n += 1
    how = next_random(random) % 8
    hard = n_waiting > 0 and next_random(random) % 2 == 0
    for i in range(n):
        order = search.tried[i]
        if hard:
            search.rank[i] = -search.missed[order]
        elif how < 4:
            search.rank[i] = next_random(random)
        elif how < 6:
            search.rank[i] = -_apart(instance, order)
        elif how < 7:
            search.rank[i] = -_quantity(instance, order)
        else:
            search.rank[i] = _far(instance, order)
    _sort(search.tried[:n], search.rank[:n])
    return n


@inlined_kernel
def _note_absent(search: Search, n_tried: Any, n_missed: Any) -> None:
    """Note the orders that are in no route now, if so many of the absent were tried."""
    absent = search.routes.absent
    last = len(absent) - 1
    n = int64(0)
    for i in range(n_tried, absent[last]):
        absent[n] = absent[i]
        n += 1
    for i in range(n_missed):
        absent[n] = search.tried[i]
        n += 1
    absent[last] = n


@inlined_kernel
def _far(instance: Instance, order: Any) -> Any:
    """How far the last stop of an order is from the first kind's start."""
    return int64(instance.out[0, len(instance.order), instance.delivery[order]])


@inlined_kernel
def _apart(instance: Instance, order: Any) -> Any:
    """How far the stops of an order are from each other, or its only one from the start."""
    p, d = instance.pickup[order], instance.delivery[order]
    return _far(instance, order) if p < 0 else int64(instance.out[0, p, d])


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
