"""A solver that cannot fail by being clever: each task in turn goes where it costs least."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from couriers.alone import can_be_done, fails_by
from couriers.clock import cs, first_opening, leg_cs

from routing.courier.plan import (
    DELIVERY,
    END,
    JOB,
    NO_ROOM,
    NO_SKILLS,
    NO_TIME,
    PICKUP,
    SHIPMENT,
    START,
    TOO_FAR,
    TOO_LARGE,
    UNREACHABLE,
    CourierPlan,
    PlannedRoute,
    PlannedStop,
    Progress,
    Unserved,
)
from routing.courier.problem import MAKESPAN, Courier, CourierProblem, Job, Stop

REASONS = (NO_SKILLS, TOO_LARGE, UNREACHABLE, TOO_FAR, NO_TIME)


class Visit(NamedTuple):
    """A task's stop in a route."""

    kind: str
    index: int


def solve_naively(
    problem: CourierProblem,
    params: object = None,
    on_progress: Callable[[Progress], bool] | None = None,
) -> CourierPlan:
    """A plan that keeps all rules; far from the best."""
    orders: list[list[Visit]] = [[] for _ in problem.couriers]
    unserved = []
    shipments = [(SHIPMENT, i) for i in range(len(problem.shipments))]
    jobs = [(JOB, i) for i in range(len(problem.jobs))]
    for kind, index in sorted(shipments + jobs, key=lambda one: -_task(problem, *one).priority):
        best = None
        for courier, order in enumerate(orders):
            for changed in _insertions(order, kind, index):
                route = drive(problem, courier, changed)
                if route is not None and (best is None or route.travel_cs < best[0]):
                    best = route.travel_cs, courier, changed
        if best is None:
            unserved.append(Unserved(kind, index, _reason(problem, kind, index)))
        else:
            orders[best[1]] = best[2]
        if on_progress is not None:
            plan = plan_of(problem, orders, unserved)
            if on_progress(Progress(0.0, 0, plan)):
                break
    return plan_of(problem, orders, unserved)


def plan_of(
    problem: CourierProblem, orders: Sequence[list[Visit]], unserved: Sequence[Unserved]
) -> CourierPlan:
    """The plan in which each courier has the visits of his list."""
    routes = [drive(problem, courier, order) for courier, order in enumerate(orders) if order]
    done = [route for route in routes if route is not None]
    travel = sum(route.travel_cs for route in done)
    cost = max((_lasts_cs(problem, route) / 100 for route in done), default=0.0)
    if problem.objective != MAKESPAN:
        couriers = [problem.couriers[route.courier] for route in done]
        cost = sum(
            route.travel_cs / 100 * courier.cost_per_hour / 3600 + courier.fixed_cost
            for route, courier in zip(done, couriers, strict=True)
        )
    return CourierPlan(tuple(done), tuple(unserved), travel, cost, 0, 0.0)


def _lasts_cs(problem: CourierProblem, route: PlannedRoute) -> int:
    window = problem.couriers[route.courier].window
    return route.stops[-1].departure_cs - (cs(window[0]) if window else 0)


def drive(problem: CourierProblem, courier: int, order: Sequence[Visit]) -> PlannedRoute | None:
    """The route over visits from the best start to the best end; None if a rule forbids it."""
    driver = problem.couriers[courier]
    if not _is_allowed(problem, driver, order):
        return None
    found = [
        route
        for start in driver.starts or (None,)
        for end in driver.ends or (None,)
        if (route := _drive_between(problem, courier, order, start, end)) is not None
    ]
    return min(found, key=lambda route: route.travel_cs, default=None)


def _is_allowed(problem: CourierProblem, driver: Courier, order: Sequence[Visit]) -> bool:
    if driver.max_tasks is not None and len(order) > driver.max_tasks:
        return False
    if not all(_task(problem, *visit).skills <= driver.skills for visit in order):
        return False
    loads = _loads(problem, order)
    return not driver.capacity or all(
        quantity <= room
        for load in loads
        for quantity, room in zip(load, driver.capacity, strict=True)
    )


def _drive_between(
    problem: CourierProblem,
    courier: int,
    order: Sequence[Visit],
    start: int | None,
    end: int | None,
) -> PlannedRoute | None:
    driver, loads = problem.couriers[courier], _loads(problem, order)
    time, travel, stops = cs(driver.window[0]) if driver.window else 0, 0, []
    before = start
    if start is not None:
        stops.append(PlannedStop(START, None, start, time, 0, 0, 0, 0, loads[0]))
    for visit, load in zip(order, loads[1:], strict=True):
        asked = _stop(problem, visit)
        leg = 0 if before is None else leg_cs(problem, driver, before, asked.place)
        if leg is None:
            return None
        time, travel = time + leg, travel + leg
        begin = first_opening(asked.windows, time)
        if begin == float("inf"):
            return None
        setup = cs(asked.setup_s) if before != asked.place else 0
        wait, service = int(begin) - time, cs(asked.service_s)
        spent = setup, service, wait, travel
        stops.append(PlannedStop(*visit, asked.place, time, *spent, load))
        time, before = time + wait + setup + service, asked.place
    if end is not None:
        leg = 0 if before is None else leg_cs(problem, driver, before, end)
        if leg is None:
            return None
        time, travel = time + leg, travel + leg
        stops.append(PlannedStop(END, None, end, time, 0, 0, 0, travel, loads[-1]))
    if driver.window is not None and time > cs(driver.window[1]):
        return None
    if driver.max_travel_s is not None and travel > cs(driver.max_travel_s):
        return None
    return PlannedRoute(courier, tuple(stops))


def _insertions(order: list[Visit], kind: str, index: int) -> list[list[Visit]]:
    places = range(len(order) + 1)
    if kind == JOB:
        return [[*order[:i], Visit(JOB, index), *order[i:]] for i in places]
    pickup, delivery = Visit(PICKUP, index), Visit(DELIVERY, index)
    return [
        [*order[:i], pickup, *order[i:j], delivery, *order[j:]]
        for i in places
        for j in range(i, len(order) + 1)
    ]


def _loads(problem: CourierProblem, order: Sequence[Visit]) -> list[tuple[int, ...]]:
    """The load at the beginning, and on from each visit."""
    none = (0,) * problem.n_dimensions
    jobs = [problem.jobs[visit.index] for visit in order if visit.kind == JOB]
    load = [
        sum(amounts) for amounts in zip(none, *(j.delivered or none for j in jobs), strict=True)
    ]
    loads = [tuple(load)]
    for visit in order:
        if visit.kind == JOB:
            job = problem.jobs[visit.index]
            gone, come = job.delivered or none, job.collected or none
        else:
            amount = problem.shipments[visit.index].amount or none
            gone, come = (none, amount) if visit.kind == PICKUP else (amount, none)
        load = [now - minus + plus for now, minus, plus in zip(load, gone, come, strict=True)]
        loads.append(tuple(load))
    return loads


def _reason(problem: CourierProblem, kind: str, index: int) -> str:
    task = _task(problem, kind, index)
    if any(can_be_done(problem, courier, task) for courier in problem.couriers):
        return NO_ROOM
    couriers = problem.couriers
    return next(r for r in REASONS if any(fails_by(problem, c, task, r) for c in couriers))


def _task(problem: CourierProblem, kind: str, index: int):  # type: ignore[no-untyped-def]
    return problem.jobs[index] if kind == JOB else problem.shipments[index]


def _stop(problem: CourierProblem, visit: Visit) -> Stop:
    task = _task(problem, *visit)
    if isinstance(task, Job):
        return task.stop
    found: Stop = task.pickup if visit.kind == PICKUP else task.delivery
    return found
