"""The routes that a search is at: stops in their order, and what is known about each leg."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I32, I64, U32
from gis.jit import inlined_kernel, inner_kernel, int64, plain_kernel
from routing.courier.instance import SPAN, SPAN_WEIGHT, TIMED, Clock, Instance


class Routes(NamedTuple):
    """Routes of v couriers over n stops of r orders.

    Leg i of a route with m stops leads to its i-th stop, leg m to the end.

    | array | dtype, shape | content |
    |---|---|---|
    | stop | uint32 (v, n) | the stops of each route, in their order |
    | length | int64 (v,) | how many each has |
    | leg | int32 (v, n + 1) | centiseconds of each leg |
    | load | int64 (v, n + 1, d) | what is carried on each leg |
    | done | int64 (v, n) | when each stop is done, at the earliest |
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
        travel=np.zeros(n_couriers, np.int64),
        span=np.zeros(n_couriers, np.int64),
        route=np.full(n_stops, -1, np.int64),
        at=np.zeros(n_stops, np.int64),
        absent=absent,
        total=np.array([0, instance.worth.sum()], np.int64),
    )


@inlined_kernel
def depot(instance: Instance, v: Any) -> Any:
    """What stands for a courier's start and end where stops are expected."""
    return len(instance.order) + instance.fleet.kind[v]


@inlined_kernel
def stop_at(instance: Instance, routes: Routes, v: Any, i: Any) -> Any:
    """The i-th stop of a route; the depot where it has none."""
    if 0 <= i < routes.length[v]:
        return int64(routes.stop[v, i])
    return depot(instance, v)


@inlined_kernel
def way(instance: Instance, v: Any, x: Any, y: Any) -> Any:
    """Centiseconds from stop to stop, of which one may be the courier's depot."""
    return int64(instance.out[instance.fleet.speed[instance.fleet.kind[v]], x, y])


@inlined_kernel
def reach(instance: Instance, v: Any, x: Any, y: Any) -> Any:
    """What `way` is, read from where all ways to y lie side by side: for loops over x."""
    return int64(instance.into[instance.fleet.speed[instance.fleet.kind[v]], y, x])


@inlined_kernel
def finish(instance: Instance, v: Any, x: Any, y: Any, arrival: Any) -> Any:
    """When stop y is done if reached so, coming from x; -1 if too late."""
    clock = instance.clock
    begin = opening(clock, y, arrival)
    if begin < 0:
        return begin
    return begin + halt(instance, v, x, y)


@inlined_kernel
def halt(instance: Instance, v: Any, x: Any, y: Any) -> Any:
    """How long setup and service at y take, coming from x."""
    clock = instance.clock
    took = clock.service[y]
    if x >= len(instance.order):
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
def route_cost(instance: Instance, v: Any, stops: Any, travel: Any) -> Any:
    """What a courier's route of so many stops costs, the makespan left out."""
    if stops == 0:
        return int64(0)
    return travel * instance.fleet.rate[v] + instance.fleet.fixed[v]


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
        cost += route_cost(instance, v, routes.length[v], routes.travel[v])
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
    x: Any = depot(instance, v)
    travel = int64(0)
    for i in range(m):
        y = int64(routes.stop[v, i])
        leg = way(instance, v, x, y)
        routes.leg[v, i] = leg
        travel += leg
        x = y
    leg = way(instance, v, x, depot(instance, v))
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
    x: Any = depot(instance, v)
    t: Any = fleet.opens[v]
    for i in range(m):
        y = int64(routes.stop[v, i])
        t = finish(instance, v, x, y, t + routes.leg[v, i])
        routes.done[v, i] = t
        x = y
    routes.span[v] = t + routes.leg[v, m] - fleet.opens[v] if m > 0 else int64(0)


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
