"""From routes to a draft: what is taken out, and which legs are looked at."""

from typing import Any

from gis.jit import inlined_kernel, inner_kernel, int64
from routing.courier.draft import (
    ABSENT,
    CHANGED,
    COST,
    N_LEGS,
    N_ROUTES,
    N_TAKEN,
    NEAR,
    SAME,
    TAKEN,
    Draft,
    find_times,
    no_leg,
)
from routing.courier.instance import TIMED, Instance
from routing.courier.routes import Routes, depot, route_cost, way

_FEWEST_NEAR, _MOST_NEAR = 4, 16
"""An order is put in beside one of so many stops that are nearest to any that is put in.

The fewest for each courier: for both stops of a shipment there have to be legs in the same route.
"""


@inlined_kernel
def begin_draft(routes: Routes, draft: Draft) -> None:
    """Forget all that is drafted and taken out."""
    for i in range(draft.total[N_ROUTES]):
        draft.state[draft.drafted[i]] = ABSENT
    draft.total[N_ROUTES], draft.total[N_LEGS], draft.total[N_TAKEN] = 0, 0, 0
    draft.total[COST] = routes.total[0]


@inlined_kernel
def take_out(instance: Instance, draft: Draft, order: Any) -> None:
    """Have an order not be in the draft."""
    if instance.pickup[order] >= 0:
        draft.mark[instance.pickup[order]] = TAKEN
    draft.mark[instance.delivery[order]] = TAKEN
    draft.taken[draft.total[N_TAKEN]] = order
    draft.total[N_TAKEN] += 1


@inlined_kernel
def ask_for_legs(instance: Instance, routes: Routes, draft: Draft, order: Any) -> None:
    """Have those legs in the draft on which an order may be put in: beside near stops."""
    n_near = int64(min(_FEWEST_NEAR * len(routes.length), _MOST_NEAR, instance.near.shape[1]))
    for part in range(2):
        y = instance.delivery[order] if part == 0 else instance.pickup[order]
        if y < 0:
            return
        if routes.route[y] >= 0:
            ask_for_route(draft, routes.route[y])
        for i in range(n_near):
            near = instance.near[y, i]
            v = routes.route[near]
            if v < 0:
                continue
            ask_for_route(draft, v)
            draft.mark[near] |= NEAR
            at = routes.at[near] + 1
            if at < routes.length[v]:
                draft.mark[routes.stop[v, at]] |= NEAR


@inlined_kernel
def ask_for_route(draft: Draft, v: Any) -> None:
    """Have a route in the draft."""
    if draft.state[v] == ABSENT:
        draft.state[v] = SAME
        draft.drafted[draft.total[N_ROUTES]] = v
        draft.total[N_ROUTES] += 1


@inner_kernel
def draft_route(instance: Instance, routes: Routes, draft: Draft, v: Any, whole: Any) -> None:
    """Put the legs of a route in that are wanted; all if it is to be whole, or times to be kept."""
    m, end = routes.length[v], depot(instance, v)
    whole = whole or instance.rules[TIMED] != 0
    if draft.load.shape[1] > 0:
        _begin_less(instance, routes, draft, v)
    c: Any = draft.total[N_LEGS] - 1
    draft.first[v] = c + 1
    x: Any = end
    travel: Any = routes.travel[v]
    stops: Any = m
    is_hole = False
    for i in range(m + 1):
        y = int64(routes.stop[v, i]) if i < m else end
        now = int64(routes.leg[v, i])
        is_wanted = whole or i == 0 or i == m
        if i < m and draft.mark[y] != 0:
            mark, draft.mark[y] = draft.mark[y], 0
            is_wanted = True
            if mark & TAKEN != 0:
                _lessen(instance, draft, y)
                travel -= now
                stops -= 1
                is_hole = True
                continue
        if is_hole or is_wanted:
            c += 1
            draft.x[c], draft.y[c] = x, y
            draft.before[c], draft.after[c] = c - 1, c + 1
            leg = way(instance, v, x, y) if is_hole else now
            travel += leg - now
            draft.leg[c] = leg
            is_hole = False
            for k in range(draft.load.shape[1]):
                draft.load[c, k] = routes.load[v, i, k] - draft.less[k]
                draft.gap[c, k] = 0
        else:
            for k in range(draft.load.shape[1]):
                draft.gap[c, k] = max(draft.gap[c, k], routes.load[v, i, k] - draft.less[k])
        x = y
    draft.last[v] = c
    draft.before[draft.first[v]], draft.after[c] = no_leg(draft), no_leg(draft)
    draft.total[N_LEGS] = c + 1
    draft.travel[v], draft.stops[v] = travel, stops
    if stops < m:
        draft.state[v] = CHANGED
        draft.total[COST] += route_cost(instance, v, stops, travel)
        draft.total[COST] -= route_cost(instance, v, m, routes.travel[v])
    if instance.rules[TIMED] != 0:
        find_times(instance, draft, v)


@inlined_kernel
def _begin_less(instance: Instance, routes: Routes, draft: Draft, v: Any) -> None:
    """Begin to count what is carried less, with what a courier does not leave with."""
    for k in range(len(draft.less)):
        draft.less[k] = 0
    for i in range(draft.total[N_TAKEN]):
        order = draft.taken[i]
        if routes.route[instance.delivery[order]] == v:
            for k in range(len(draft.less)):
                draft.less[k] += instance.load[0, order, k]


@inlined_kernel
def _lessen(instance: Instance, draft: Draft, y: Any) -> None:
    """Count what is carried less from a stop on that is taken out."""
    order = instance.order[y]
    for k in range(len(draft.less)):
        if instance.pickup[order] == y:
            draft.less[k] += instance.load[1, order, k]
        elif instance.pickup[order] >= 0:
            draft.less[k] -= instance.load[1, order, k]
        else:
            draft.less[k] += instance.load[2, order, k] - instance.load[0, order, k]
