"""What is put into a draft, and from the draft to routes again."""

from typing import Any

from gis.jit import inlined_kernel, int64
from routing.courier.draft import (
    CHANGED,
    COST,
    N_LEGS,
    N_ROUTES,
    N_TAKEN,
    Draft,
    find_times,
    no_leg,
)
from routing.courier.instance import NO_WAY, TIMED, Instance
from routing.courier.routes import Routes, note_places, reach, refresh, route_cost, way


@inlined_kernel
def put_in(instance: Instance, draft: Draft, order: Any, v: Any, i: Any, j: Any) -> None:
    """Put the stops of an order on legs i and j, which is i or comes behind it; a job's on j."""
    p, d = instance.pickup[order], instance.delivery[order]
    draft.total[COST] -= route_cost(instance, v, draft.stops[v], draft.travel[v])
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
    draft.total[COST] += route_cost(instance, v, draft.stops[v], draft.travel[v])
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
