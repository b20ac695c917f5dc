"""From the stops of routes to a plan with times and loads."""

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np

from gis.arrays import I64, U32
from routing.courier.compile import CS_PER_S, S_PER_HOUR, in_cs
from routing.courier.instance import Instance
from routing.courier.plan import (
    DELIVERY,
    END,
    JOB,
    PICKUP,
    START,
    CourierPlan,
    PlannedRoute,
    PlannedStop,
    Unserved,
)
from routing.courier.problem import MAKESPAN, CourierProblem
from routing.courier.trace import trace


def arrange(
    problem: CourierProblem,
    instance: Instance,
    stop: U32,
    length: I64,
    reason: Callable[[int], Unserved],
) -> CourierPlan:
    """The plan of routes: ``stop`` (v, n) and ``length`` (v,) as those of a search.

    ``reason`` says why an order is in none. How long it took is left to whoever knows.
    """
    visits = {v: [int(y) for y in stop[v, : length[v]]] for v in range(len(length)) if length[v]}
    routes = tuple(_route(problem, instance, v, stops) for v, stops in visits.items())
    served = {int(instance.order[y]) for stops in visits.values() for y in stops}
    absent = [order for order in range(len(instance.may)) if order not in served]
    return CourierPlan(
        routes=routes,
        unserved=tuple(map(reason, absent)),
        travel_cs=sum(route.travel_cs for route in routes),
        cost=_cost(problem, routes),
        iterations=0,
        elapsed_s=0.0,
    )


def _cost(problem: CourierProblem, routes: Sequence[PlannedRoute]) -> float:
    """What a search makes small, in seconds."""
    if problem.objective == MAKESPAN:
        spans = [0]
        for route in routes:
            window = problem.couriers[route.courier].window
            spans.append(route.stops[-1].departure_cs - (in_cs(window[0]) if window else 0))
        return max(spans) / CS_PER_S
    cost = 0.0
    for route in routes:
        courier = problem.couriers[route.courier]
        cost += route.travel_cs / CS_PER_S * courier.cost_per_hour / S_PER_HOUR + courier.fixed_cost
    return cost


def _route(problem: CourierProblem, instance: Instance, v: int, stops: list[int]) -> PlannedRoute:
    courier = problem.couriers[v]
    departure, table = trace(instance, v, stops)
    legs, arrivals, begins, halts = table.T.tolist()
    loads, travelled = _loads(instance, stops), list(accumulate(legs))
    planned = []
    if courier.starts:
        place = _best_end(problem, courier.starts, stops[0], instance, courier.speed, out=True)
        planned.append(PlannedStop(START, None, place, departure, 0, 0, 0, 0, loads[0]))
    for i, y in enumerate(stops):
        service = int(instance.clock.service[y])
        kind, index = _what(problem, instance, y)
        planned.append(
            PlannedStop(
                kind=kind,
                index=index,
                place=int(instance.clock.place[y]),
                arrival_cs=arrivals[i],
                setup_cs=halts[i] - service,
                service_cs=service,
                waiting_cs=begins[i] - arrivals[i],
                travel_cs=travelled[i],
                load=loads[i + 1],
            )
        )
    if courier.ends:
        place = _best_end(problem, courier.ends, stops[-1], instance, courier.speed, out=False)
        last = PlannedStop(END, None, place, arrivals[-1], 0, 0, 0, travelled[-1], loads[-1])
        planned.append(last)
    return PlannedRoute(v, tuple(planned))


def _loads(instance: Instance, stops: Sequence[int]) -> list[tuple[int, ...]]:
    """What is carried from the start on, and from each stop on."""
    before, between, after = instance.load
    carried = before[instance.order[list(stops)]].sum(axis=0)
    loads = [tuple(carried.tolist())]
    for y in stops:
        order = instance.order[y]
        if instance.pickup[order] == y:
            carried = carried + between[order]
        elif instance.pickup[order] >= 0:
            carried = carried - between[order]
        else:
            carried = carried - before[order] + after[order]
        loads.append(tuple(carried.tolist()))
    return loads


def _what(problem: CourierProblem, instance: Instance, y: int) -> tuple[str, int]:
    order = int(instance.order[y])
    if order >= len(problem.shipments):
        return JOB, order - len(problem.shipments)
    return (PICKUP if instance.pickup[order] == y else DELIVERY), order


def _best_end(
    problem: CourierProblem,
    ends: Sequence[int],
    y: int,
    instance: Instance,
    speed: float,
    *,
    out: bool,
) -> int:
    """The start from which a stop is nearest, or the end that is nearest to it.

    Of starts as near as each other the stop's own place, where no setup is due.
    """
    at = int(instance.clock.place[y])
    matrix = problem.durations_cs

    def far(end: int) -> tuple[float, bool]:
        duration = int(matrix[end, at] if out else matrix[at, end])
        return float(np.rint(duration / speed)), end != at

    return min(ends, key=far)
