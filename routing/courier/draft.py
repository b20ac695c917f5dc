"""Routes in the making: what becomes of routes while orders are taken out and put in again.

A draft has only those legs of a route on which something may be put in, as a linked list, and what
is to be known of those between them. So its cost is that of a neighbourhood, not of whole routes,
and the routes stay what they are until the draft is found good: most are not.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from gis.arrays import I32, I64, U8, U32
from gis.jit import inlined_kernel, inner_kernel, int64
from routing.courier.instance import NO_WAY, TIMED, Instance
from routing.courier.routes import (
    Routes,
    depot,
    finish,
    halt,
    last_moment,
    note_places,
    reach,
    refresh,
    route_cost,
    way,
)

_N_NEAR = 4
"""An order is put in beside one of so many stops that are nearest to any that is put in."""


class Draft(NamedTuple):
    """Legs of the routes of v couriers over n stops of r orders.

    A route that is drafted has at least its first and its last leg in it.

    | array | dtype, shape | content |
    |---|---|---|
    | x, y | uint32 (n + v + 1,) | each leg leads from stop x to stop y; each may be a depot |
    | leg | int32 (n + v + 1,) | its centiseconds |
    | load | int64 (n + v + 1, d) | what is carried on it |
    | gap | int64 (n + v + 1, d) | the most that is carried on the legs left out behind it |
    | left | int64 (n + v + 1,) | when x is done, at the earliest; -1 if too late |
    | due | int64 (n + v + 1,) | when y has to be done, so that all after it can be |
    | before, after | uint32 (n + v + 1,) | the legs beside it; at the ends the last of all |
    | first, last | uint32 (v,) | the legs at the ends of a route |
    | stops, travel, span | int64 (v,) | as `Routes` have them |
    | state | uint8 (v,) | of a route: ``ABSENT``, ``SAME`` or ``CHANGED`` |
    | drafted | int64 (v,) | the routes that are not absent |
    | mark | uint8 (n,) | of a stop: ``NEAR`` if the leg to it is to be in the draft, or ``TAKEN`` |
    | taken | int64 (r,) | the orders that are taken out of the routes |
    | line | uint32 (n,) | scratch: the stops of a route |
    | less, room | int64 (d,) | scratch: how much less is carried without them, may be carried |
    | total | int64 (4,) | how many routes, legs and taken orders; the cost of all routes |
    """

    x: U32
    y: U32
    leg: I32
    load: I64
    gap: I64
    left: I64
    due: I64
    before: U32
    after: U32
    first: U32
    last: U32
    stops: I64
    travel: I64
    span: I64
    state: U8
    drafted: I64
    mark: U8
    taken: I64
    line: U32
    less: I64
    room: I64
    total: I64


ABSENT: Final = 0
SAME: Final = 1
CHANGED: Final = 2
"""What ``Draft.state`` says."""

NEAR: Final = 1
TAKEN: Final = 2
"""What ``Draft.mark`` says, if anything."""

N_ROUTES: Final = 0
N_LEGS: Final = 1
N_TAKEN: Final = 2
COST: Final = 3
"""What the places of ``Draft.total`` mean."""


def empty_draft(instance: Instance) -> Draft:
    """A draft of no route."""
    n_couriers, n_stops = len(instance.fleet.kind), len(instance.order)
    n_orders, n_dimensions = len(instance.may), instance.load.shape[2]
    n_legs = n_stops + n_couriers + 1
    return Draft(
        x=np.zeros(n_legs, np.uint32),
        y=np.zeros(n_legs, np.uint32),
        leg=np.zeros(n_legs, np.int32),
        load=np.zeros((n_legs, n_dimensions), np.int64),
        gap=np.zeros((n_legs, n_dimensions), np.int64),
        left=np.zeros(n_legs, np.int64),
        due=np.zeros(n_legs, np.int64),
        before=np.zeros(n_legs, np.uint32),
        after=np.zeros(n_legs, np.uint32),
        first=np.zeros(n_couriers, np.uint32),
        last=np.zeros(n_couriers, np.uint32),
        stops=np.zeros(n_couriers, np.int64),
        travel=np.zeros(n_couriers, np.int64),
        span=np.zeros(n_couriers, np.int64),
        state=np.zeros(n_couriers, np.uint8),
        drafted=np.zeros(n_couriers, np.int64),
        mark=np.zeros(n_stops, np.uint8),
        taken=np.zeros(n_orders, np.int64),
        line=np.zeros(n_stops, np.uint32),
        less=np.zeros(n_dimensions, np.int64),
        room=np.zeros(n_dimensions, np.int64),
        total=np.zeros(4, np.int64),
    )


@inlined_kernel
def begin_draft(routes: Routes, draft: Draft) -> None:
    """Forget all that is drafted and taken out."""
    for i in range(draft.total[N_ROUTES]):
        draft.state[draft.drafted[i]] = ABSENT
    draft.total[N_ROUTES], draft.total[N_LEGS], draft.total[N_TAKEN] = 0, 0, 0
    draft.total[COST] = routes.total[0]


@inlined_kernel
def no_leg(draft: Draft) -> Any:
    """What stands before a route's first leg and behind its last."""
    return len(draft.x) - 1


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
    n_near = int64(min(_N_NEAR, instance.near.shape[1]))
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
                if draft.load.shape[1] > 0:
                    _lessen(instance, draft, y)
                travel -= now
                stops -= 1
                is_hole = True
                continue
        if is_hole or is_wanted:
            c += 1
            draft.x[c], draft.y[c] = x, y
            draft.before[c], draft.after[c] = c - 1, c + 1
            if is_hole:
                leg = way(instance, v, x, y)
                travel += leg - now
                draft.leg[c] = leg
                is_hole = False
            else:
                draft.leg[c] = now
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
        draft.total[COST] += draft_cost(instance, draft, v) - route_cost(instance, routes, v)
    if instance.rules[TIMED] != 0:
        find_times(instance, draft, v)


@inlined_kernel
def draft_cost(instance: Instance, draft: Draft, v: Any) -> Any:
    """What a route costs, the makespan left out."""
    if draft.stops[v] == 0:
        return int64(0)
    return draft.travel[v] * instance.fleet.rate[v] + instance.fleet.fixed[v]


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


@inner_kernel
def find_times(instance: Instance, draft: Draft, v: Any) -> None:
    """Find out when the stops of a route are done, and when they have to be."""
    fleet, first, last = instance.fleet, draft.first[v], draft.last[v]
    c: Any = int64(first)
    t: Any = fleet.opens[v]
    draft.left[c] = t
    while c != last:
        t = finish(instance, v, int64(draft.x[c]), int64(draft.y[c]), t + draft.leg[c])
        c = int64(draft.after[c])
        draft.left[c] = t
    draft.span[v] = t + draft.leg[c] - fleet.opens[v] if draft.stops[v] > 0 else int64(0)
    t = fleet.closes[v]
    draft.due[c] = t
    t -= draft.leg[c]
    while c != first:
        c = int64(draft.before[c])
        draft.due[c] = t
        x, y = int64(draft.x[c]), int64(draft.y[c])
        t = last_moment(instance.clock, y, t - halt(instance, v, x, y)) - draft.leg[c]


@inlined_kernel
def put_in(instance: Instance, draft: Draft, order: Any, v: Any, i: Any, j: Any) -> None:
    """Put the stops of an order on legs i and j, which is i or comes behind it; a job's on j."""
    p, d = instance.pickup[order], instance.delivery[order]
    before: Any = draft_cost(instance, draft, v)
    if p < 0:
        new = _split(instance, draft, v, j, d)
        _carry(instance, draft, order, 0, draft.first[v], new)
        _carry(instance, draft, order, 2, new, no_leg(draft))
    elif i == j:
        new = _split(instance, draft, v, i, p)
        _split(instance, draft, v, new, d)
        _carry(instance, draft, order, 1, new, draft.after[new])
    else:
        new = _split(instance, draft, v, j, d)
        _carry(instance, draft, order, 1, draft.after[i], new)
        new = _split(instance, draft, v, i, p)
        _carry(instance, draft, order, 1, new, draft.after[new])
    draft.stops[v] += 1 if p < 0 else 2
    draft.state[v] = CHANGED
    draft.total[COST] += draft_cost(instance, draft, v) - before
    if instance.rules[TIMED] != 0:
        find_times(instance, draft, v)


@inlined_kernel
def _split(instance: Instance, draft: Draft, v: Any, c: Any, stop: Any) -> Any:
    """Put a stop on a leg, which leads to it then; the new leg that leads on from it."""
    new = draft.total[N_LEGS]
    draft.total[N_LEGS] = new + 1
    x, y = int64(draft.x[c]), int64(draft.y[c])
    draft.x[new], draft.y[new], draft.y[c] = stop, y, stop
    to, on = reach(instance, v, x, stop), way(instance, v, stop, y)
    draft.travel[v] += to + on - draft.leg[c]
    draft.leg[c], draft.leg[new] = to, on
    for k in range(draft.load.shape[1]):
        draft.load[new, k], draft.gap[new, k] = draft.load[c, k], draft.gap[c, k]
        draft.gap[c, k] = 0
    after = draft.after[c]
    draft.before[new], draft.after[new], draft.after[c] = c, after, new
    if c == draft.last[v]:
        draft.last[v] = new
    else:
        draft.before[after] = new
    return new


@inlined_kernel
def _carry(instance: Instance, draft: Draft, order: Any, part: Any, c: Any, end: Any) -> None:
    """Carry what an order has from a leg on, up to another."""
    if draft.load.shape[1] == 0:
        return
    while c != end:
        for k in range(draft.load.shape[1]):
            quantity = instance.load[part, order, k]
            draft.load[c, k] += quantity
            draft.gap[c, k] += quantity
        c = draft.after[c]


@inlined_kernel
def is_allowed(instance: Instance, draft: Draft) -> Any:
    """Whether the routes that were changed are still short enough and in time.

    Without a stop a route may take longer: the next at its place has its setup then, and times
    need not keep the triangle inequality.
    """
    for i in range(draft.total[N_ROUTES]):
        v = draft.drafted[i]
        if draft.state[v] != CHANGED or draft.stops[v] == 0:
            continue
        if draft.travel[v] > instance.fleet.most_travel[v]:
            return False
        if draft.travel[v] >= NO_WAY and not _is_connected(draft, v):
            return False
        if instance.rules[TIMED] != 0 and not _is_in_time(instance, draft, v):
            return False
    return True


@inlined_kernel
def _is_connected(draft: Draft, v: Any) -> Any:
    c = draft.first[v]
    while c != no_leg(draft):
        if draft.leg[c] >= NO_WAY:
            return False
        c = draft.after[c]
    return True


@inlined_kernel
def _is_in_time(instance: Instance, draft: Draft, v: Any) -> Any:
    c = draft.first[v]
    while c != no_leg(draft):
        if draft.left[c] < 0:
            return False
        c = draft.after[c]
    last = draft.last[v]
    return draft.left[last] + draft.leg[last] <= instance.fleet.closes[v]


@inlined_kernel
def accept(instance: Instance, routes: Routes, draft: Draft) -> None:
    """Make the draft the routes, but for what is absent and their total."""
    for i in range(draft.total[N_TAKEN]):
        order = draft.taken[i]
        if instance.pickup[order] >= 0:
            routes.route[instance.pickup[order]] = -1
        routes.route[instance.delivery[order]] = -1
    for i in range(draft.total[N_ROUTES]):
        v = draft.drafted[i]
        if draft.state[v] == CHANGED:
            _write(routes, draft, v)
            refresh(instance, routes, v)
            note_places(routes, v)


@inlined_kernel
def _write(routes: Routes, draft: Draft, v: Any) -> None:
    """Write the stops of a route: those on legs that were left out are where they were."""
    m = int64(0)
    c, last = draft.first[v], draft.last[v]
    while c != last:
        y = draft.y[c]
        c = draft.after[c]
        draft.line[m] = y
        m += 1
        if draft.x[c] != y:
            for at in range(routes.at[y] + 1, routes.at[draft.x[c]] + 1):
                draft.line[m] = routes.stop[v, at]
                m += 1
    routes.length[v] = m
    for at in range(m):
        routes.stop[v, at] = draft.line[at]
