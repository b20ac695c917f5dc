"""The routes of a search: stops in their order, and what is known about each place in them."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I32, I64, U32
from gis.jit import inlined_kernel, inner_kernel, int64, plain_kernel
from routing.courier.instance import SPAN, SPAN_WEIGHT, TIMED, Clock, Instance


class Routes(NamedTuple):
    """Routes in the making of v couriers over n stops of r orders.

    Leg i of a route with m stops leads to its i-th stop, leg m to the end.

    | array | dtype, shape | content |
    |---|---|---|
    | stop | uint32 (v, n) | the stops of each route, in their order |
    | length | int64 (v,) | how many each has |
    | leg | int32 (v, n + 1) | centiseconds of each leg |
    | load | int64 (v, n + 1, d) | what is carried on each leg |
    | done | int64 (v, n) | when each stop is done, at the earliest |
    | due | int64 (v, n) | when it has to be, so that all after it can be |
    | travel | int64 (v,) | the sum of the legs |
    | span | int64 (v,) | from the beginning of the courier's window until all is done |
    | route, at | int64 (n,) | the route of a stop, -1 for none, and the place in it |
    | absent | int64 (r + 1,) | orders in no route; how many there are stands last |
    | total | int64 (2,) | the cost of the routes, and what the absent orders are worth |
    """

    stop: U32
    length: I64
    leg: I32
    load: I64
    done: I64
    due: I64
    travel: I64
    span: I64
    route: I64
    at: I64
    absent: I64
    total: I64


def empty_routes(instance: Instance) -> Routes:
    """Routes that serve nothing."""
    n_couriers, n_stops, n_orders = len(instance.fleet.kind), len(instance.order), len(instance.may)
    absent = np.append(np.arange(n_orders, dtype=np.int64), n_orders)
    return Routes(
        stop=np.zeros((n_couriers, n_stops), np.uint32),
        length=np.zeros(n_couriers, np.int64),
        leg=np.zeros((n_couriers, n_stops + 1), np.int32),
        load=np.zeros((n_couriers, n_stops + 1, instance.load.shape[2]), np.int64),
        done=np.zeros((n_couriers, n_stops), np.int64),
        due=np.zeros((n_couriers, n_stops), np.int64),
        travel=np.zeros(n_couriers, np.int64),
        span=np.zeros(n_couriers, np.int64),
        route=np.full(n_stops, -1, np.int64),
        at=np.zeros(n_stops, np.int64),
        absent=absent,
        total=np.array([0, instance.worth.sum()], np.int64),
    )


@inlined_kernel
def stop_at(routes: Routes, v: Any, i: Any) -> Any:
    """The i-th stop of a route; -1, its start or end, where it has none."""
    return int64(routes.stop[v, i]) if 0 <= i < routes.length[v] else int64(-1)


@inlined_kernel
def way(instance: Instance, v: Any, x: Any, y: Any) -> Any:
    """Centiseconds from stop to stop; -1 stands for the courier's start or end."""
    kind = instance.fleet.kind[v]
    if x >= 0:
        if y >= 0:
            return int64(instance.out[instance.fleet.speed[kind], x, y])
        return int64(instance.come[kind, x])
    if y >= 0:
        return int64(instance.leave[kind, y])
    return int64(0)


@inner_kernel
def finish(instance: Instance, v: Any, x: Any, y: Any, arrival: Any) -> Any:
    """When stop y is done if reached so, coming from x (-1: the start); -1 if too late."""
    clock = instance.clock
    begin = opening(clock, y, arrival)
    if begin < 0:
        return begin
    return begin + halt(instance, v, x, y)


@inlined_kernel
def halt(instance: Instance, v: Any, x: Any, y: Any) -> Any:
    """How long setup and service at y take, coming from x (-1: the start)."""
    clock = instance.clock
    took = clock.service[y]
    if x < 0:
        return took + clock.first_setup[instance.fleet.kind[v], y]
    if clock.place[x] != clock.place[y]:
        return took + clock.setup[y]
    return took


@inlined_kernel
def opening(clock: Clock, y: Any, arrival: Any) -> Any:
    """The first moment from an arrival on in a window of a stop, -1 if none is left."""
    first, end = clock.first[y], clock.first[y + 1]
    if first == end:
        return arrival
    for i in range(first, end):
        if arrival <= clock.closes[i]:
            return max(arrival, clock.opens[i])
    return int64(-1)


@inlined_kernel
def last_moment(clock: Clock, y: Any, latest: Any) -> Any:
    """The last moment in a window of a stop, not after another; -1 if there is none."""
    first, end = clock.first[y], clock.first[y + 1]
    if first == end:
        return latest
    for i in range(end - 1, first - 1, -1):
        if clock.opens[i] <= latest:
            return min(latest, clock.closes[i])
    return int64(-1)


@inlined_kernel
def route_cost(instance: Instance, routes: Routes, v: Any) -> Any:
    """What the route of a courier costs, the makespan left out."""
    if routes.length[v] == 0:
        return int64(0)
    return routes.travel[v] * instance.fleet.rate[v] + instance.fleet.fixed[v]


@inlined_kernel
def longest_span(routes: Routes) -> Any:
    """The makespan."""
    longest = int64(0)
    for v in range(len(routes.span)):
        longest = max(longest, routes.span[v])
    return longest


@inlined_kernel
def sum_up(instance: Instance, routes: Routes) -> None:
    """Find out the cost of all routes and what the absent orders are worth."""
    cost = int64(0)
    for v in range(len(routes.length)):
        cost += route_cost(instance, routes, v)
    if instance.rules[SPAN] != 0:
        cost += SPAN_WEIGHT * longest_span(routes)
    worth = int64(0)
    for i in range(routes.absent[len(routes.absent) - 1]):
        worth += instance.worth[routes.absent[i]]
    routes.total[0] = cost
    routes.total[1] = worth


@inner_kernel
def refresh(instance: Instance, routes: Routes, v: Any) -> None:
    """Find out all about a route from its stops, but `note_places`."""
    m = routes.length[v]
    x: Any = int64(-1)
    travel = int64(0)
    for i in range(m):
        y = int64(routes.stop[v, i])
        leg = way(instance, v, x, y)
        routes.leg[v, i] = leg
        travel += leg
        x = y
    leg = way(instance, v, x, -1)
    routes.leg[v, m] = leg
    routes.travel[v] = travel + leg
    if routes.load.shape[2] > 0:
        _find_loads(instance, routes, v)
    if instance.rules[TIMED] != 0:
        _find_times(instance, routes, v)


@inner_kernel
def note_places(routes: Routes, v: Any) -> None:
    """Note of each stop of a route where it is."""
    for i in range(routes.length[v]):
        y = routes.stop[v, i]
        routes.route[y] = v
        routes.at[y] = i


@inner_kernel
def _find_times(instance: Instance, routes: Routes, v: Any) -> None:
    m, fleet = routes.length[v], instance.fleet
    x: Any = int64(-1)
    t: Any = fleet.opens[v]
    for i in range(m):
        y = int64(routes.stop[v, i])
        t = finish(instance, v, x, y, t + routes.leg[v, i])
        routes.done[v, i] = t
        x = y
    routes.span[v] = t + routes.leg[v, m] - fleet.opens[v] if m > 0 else int64(0)
    t = fleet.closes[v] - routes.leg[v, m]
    for i in range(m - 1, -1, -1):
        y = int64(routes.stop[v, i])
        routes.due[v, i] = t
        x = stop_at(routes, v, i - 1)
        t = last_moment(instance.clock, y, t - halt(instance, v, x, y)) - routes.leg[v, i]


@inlined_kernel
def is_in_time(instance: Instance, routes: Routes, v: Any) -> Any:
    """Whether all stops of a route can be done, and the end be reached."""
    m = routes.length[v]
    for i in range(m):
        if routes.done[v, i] < 0:
            return False
    return routes.done[v, m - 1] + routes.leg[v, m] <= instance.fleet.closes[v]


@inner_kernel
def _find_loads(instance: Instance, routes: Routes, v: Any) -> None:
    m = routes.length[v]
    for k in range(routes.load.shape[2]):
        carried = int64(0)
        for i in range(m):
            carried += instance.load[0, instance.order[routes.stop[v, i]], k]
        routes.load[v, 0, k] = carried
        for i in range(m):
            y = routes.stop[v, i]
            order = instance.order[y]
            if instance.pickup[order] == y:
                carried += instance.load[1, order, k]
            else:
                if instance.pickup[order] >= 0:
                    carried -= instance.load[1, order, k]
                carried += instance.load[2, order, k] - instance.load[0, order, k]
            routes.load[v, i + 1, k] = carried


@inlined_kernel
def insert(instance: Instance, routes: Routes, order: Any, v: Any, i: Any, j: Any) -> None:
    """Put the stops of an order on legs i <= j of a route; a job's on j."""
    if instance.pickup[order] >= 0:
        _insert_stop(instance, routes, instance.pickup[order], v, i)
        j += 1
    _insert_stop(instance, routes, instance.delivery[order], v, j)
    if routes.load.shape[2] > 0:
        _add_load(instance, routes, order, v, i, j)
    if instance.rules[TIMED] != 0:
        _find_times(instance, routes, v)


@inlined_kernel
def _add_load(instance: Instance, routes: Routes, order: Any, v: Any, i: Any, j: Any) -> None:
    """Carry what an order has with it, whose stops are the i-th and the j-th since now."""
    m = routes.length[v]
    is_job = instance.pickup[order] < 0
    for k in range(routes.load.shape[2]):
        for at in range(m, j, -1):
            routes.load[v, at, k] = (
                routes.load[v, at - (1 if is_job else 2), k] + instance.load[2, order, k]
            )
        if not is_job:
            for at in range(j, i, -1):
                routes.load[v, at, k] = routes.load[v, at - 1, k] + instance.load[1, order, k]
        for at in range(i + 1):
            routes.load[v, at, k] += instance.load[0, order, k]


@inlined_kernel
def _insert_stop(instance: Instance, routes: Routes, y: Any, v: Any, i: Any) -> None:
    m = routes.length[v]
    routes.leg[v, m + 1] = routes.leg[v, m]
    for at in range(m, i, -1):
        routes.stop[v, at] = routes.stop[v, at - 1]
        routes.leg[v, at] = routes.leg[v, at - 1]
    routes.stop[v, i] = y
    routes.length[v] = m + 1
    to = way(instance, v, stop_at(routes, v, i - 1), y)
    on = way(instance, v, y, stop_at(routes, v, i + 1))
    routes.travel[v] += to + on - routes.leg[v, i]
    routes.leg[v, i], routes.leg[v, i + 1] = to, on
    routes.route[y] = v


@plain_kernel
def take_stops(instance: Instance, routes: Routes, stop: U32, length: I64) -> None:
    """Go on from other routes."""
    for y in range(len(routes.route)):
        routes.route[y] = -1
    for v in range(len(length)):
        routes.length[v] = length[v]
        for i in range(length[v]):
            routes.stop[v, i] = stop[v, i]
        refresh(instance, routes, v)
        note_places(routes, v)
    n_absent = int64(0)
    for order in range(len(instance.delivery)):
        if routes.route[instance.delivery[order]] < 0:
            routes.absent[n_absent] = order
            n_absent += 1
    routes.absent[len(routes.absent) - 1] = n_absent
    sum_up(instance, routes)
