"""Whether a plan keeps every rule of its problem; shares nothing with any search."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from couriers.alone import can_be_done, fails_by
from couriers.clock import cs, first_opening, is_open, leg_cs, near

from routing.courier.plan import (
    DELIVERY,
    END,
    JOB,
    NO_ROOM,
    PICKUP,
    SHIPMENT,
    START,
    CourierPlan,
    PlannedRoute,
    PlannedStop,
)
from routing.courier.problem import MAKESPAN, Courier, CourierProblem, Job, Shipment, Stop

_TASKS = (JOB, PICKUP, DELIVERY)


def check_plan(problem: CourierProblem, plan: CourierPlan) -> None:
    """Fail with the first broken rules."""
    found = faults(problem, plan)
    assert not found, "\n".join(found[:5])


def faults(problem: CourierProblem, plan: CourierPlan) -> list[str]:
    """Every rule that a plan breaks, in words; empty if it is right."""
    found: list[str] = []
    couriers = [route.courier for route in plan.routes]
    if couriers != sorted(set(couriers)):
        found.append(f"couriers are {couriers}, expected each once and in order")
    for route in plan.routes:
        if not 0 <= route.courier < len(problem.couriers):
            return [*found, f"there is no courier {route.courier}"]
        where = f"route of courier {route.courier}"
        found += [f"{where}: {fault}" for fault in _faults_of_route(problem, route)]
    found += _faults_of_tasks(problem, plan)
    found += _faults_of_reasons(problem, plan)
    return [*found, *_faults_of_cost(problem, plan)]


def _faults_of_route(problem: CourierProblem, route: PlannedRoute) -> Iterator[str]:
    courier = problem.couriers[route.courier]
    if not route.stops:
        yield "has no stop"
        return
    shape = list(_faults_of_shape(problem, courier, route.stops))
    yield from shape
    if shape:
        return
    yield from _faults_of_order(route.stops)
    yield from _faults_of_way(problem, courier, route.stops)
    yield from _faults_of_times(problem, courier, route.stops)
    yield from _faults_of_load(problem, courier, route.stops)
    yield from _faults_of_limits(problem, courier, route)


def _faults_of_shape(
    problem: CourierProblem, courier: Courier, stops: Sequence[PlannedStop]
) -> Iterator[str]:
    """Begin and end where the courier may, and in between what the problem has, where it is."""
    middle = list(stops)
    if courier.starts:
        first = middle.pop(0)
        if first.kind != START or first.place not in courier.starts:
            yield f"begins with {first.kind} at {first.place}, not at one of {courier.starts}"
    if courier.ends:
        last = middle.pop() if middle else None
        if last is None or last.kind != END or last.place not in courier.ends:
            yield f"does not end at one of {courier.ends}"
    for stop in middle:
        if stop.kind not in _TASKS or stop.index is None:
            yield f"{stop.kind} {stop.index} is no task"
            continue
        n_tasks = len(problem.jobs) if stop.kind == JOB else len(problem.shipments)
        if not 0 <= stop.index < n_tasks:
            yield f"there is no {stop.kind} {stop.index}"
        elif stop.place != _asked(problem, stop).place:
            yield f"{stop.kind} {stop.index} is done at {stop.place}, not where it is"


def _faults_of_order(stops: Sequence[PlannedStop]) -> Iterator[str]:
    place_of = {(stop.kind, stop.index): i for i, stop in enumerate(stops)}
    for stop in stops:
        if stop.kind in (PICKUP, DELIVERY):
            pickup, delivery = (place_of.get((kind, stop.index)) for kind in (PICKUP, DELIVERY))
            if pickup is None or delivery is None or delivery < pickup:
                yield f"shipment {stop.index} is not picked up and then delivered"


def _faults_of_way(
    problem: CourierProblem, courier: Courier, stops: Sequence[PlannedStop]
) -> Iterator[str]:
    """Arrivals and travel follow from the matrix and the speed."""
    if stops[0].travel_cs != 0:
        yield f"has travelled {stops[0].travel_cs} where it begins"
    for before, stop in pairwise(stops):
        where = f"from {before.place} to {stop.place}"
        leg = leg_cs(problem, courier, before.place, stop.place)
        if leg is None:
            yield f"no way leads {where}"
            continue
        if not near(stop.travel_cs - before.travel_cs, leg, courier.speed):
            yield f"travels {stop.travel_cs - before.travel_cs} {where}, expected {leg}"
        if not near(stop.arrival_cs - before.departure_cs, leg, courier.speed):
            took = stop.arrival_cs - before.departure_cs
            yield f"leaves and arrives {took} apart {where}, expected {leg}"


def _faults_of_times(
    problem: CourierProblem, courier: Courier, stops: Sequence[PlannedStop]
) -> Iterator[str]:
    """What is spent at each stop, and when."""
    before: int | None = None
    for stop in stops:
        where = f"{stop.kind} {stop.index}"
        setup = service = 0
        if stop.kind in _TASKS:
            asked = _asked(problem, stop)
            setup = cs(asked.setup_s) if before != stop.place else 0
            service = cs(asked.service_s)
            begins = stop.arrival_cs + stop.waiting_cs
            if not is_open(asked.windows, begins):
                yield f"{where} begins at {begins}, outside of {asked.windows}"
            elif stop.waiting_cs and begins > first_opening(asked.windows, stop.arrival_cs):
                yield f"{where} waits longer than it has to"
        if (stop.setup_cs, stop.service_cs) != (setup, service):
            yield f"{where} takes {stop.setup_cs} + {stop.service_cs}, not {setup} + {service}"
        if stop.waiting_cs < 0:
            yield f"{where} waits for {stop.waiting_cs}"
        before = stop.place
    if courier.window is not None:
        begin, end = (cs(side) for side in courier.window)
        if stops[0].arrival_cs < begin or stops[-1].departure_cs > end:
            yield f"lasts {stops[0].arrival_cs} to {stops[-1].departure_cs}, outside of its window"
    elif stops[0].arrival_cs < 0:
        yield f"begins at {stops[0].arrival_cs}"


def _faults_of_load(
    problem: CourierProblem, courier: Courier, stops: Sequence[PlannedStop]
) -> Iterator[str]:
    """What is carried on each leg, and that it fits."""
    dimensions = range(problem.n_dimensions)
    none = (0,) * problem.n_dimensions
    jobs = [problem.jobs[s.index] for s in stops if s.kind == JOB and s.index is not None]
    load = [sum((job.delivered or none)[d] for job in jobs) for d in dimensions]
    if courier.capacity and any(load[d] > courier.capacity[d] for d in dimensions):
        yield f"begins with {load}, more than {courier.capacity}"
    for stop in stops:
        for d in dimensions:
            load[d] += _change(problem, stop, d)
        if list(stop.load) != load:
            yield f"carries {stop.load} on from {stop.kind} {stop.index}, expected {load}"
        if courier.capacity and any(load[d] > courier.capacity[d] for d in dimensions):
            yield f"carries {load}, more than {courier.capacity}"


def _change(problem: CourierProblem, stop: PlannedStop, dimension: int) -> int:
    """By how much the load grows at a stop."""
    if stop.kind not in _TASKS or stop.index is None:
        return 0
    if stop.kind == JOB:
        job = problem.jobs[stop.index]
        more = job.collected[dimension] if job.collected else 0
        return more - (job.delivered[dimension] if job.delivered else 0)
    amount = problem.shipments[stop.index].amount
    change = amount[dimension] if amount else 0
    return change if stop.kind == PICKUP else -change


def _faults_of_limits(
    problem: CourierProblem, courier: Courier, route: PlannedRoute
) -> Iterator[str]:
    tasks = [stop for stop in route.stops if stop.kind in _TASKS]
    for stop in tasks:
        if not _task(problem, stop).skills <= courier.skills:
            yield f"has not the skills for {stop.kind} {stop.index}"
    if courier.max_tasks is not None and len(tasks) > courier.max_tasks:
        yield f"has {len(tasks)} tasks, more than {courier.max_tasks}"
    if courier.max_travel_s is not None and route.travel_cs > cs(courier.max_travel_s):
        yield f"travels {route.travel_cs}, more than {courier.max_travel_s} s"


def _faults_of_tasks(problem: CourierProblem, plan: CourierPlan) -> Iterator[str]:
    """Each task is done once, or told to be undone once."""
    times: Counter[tuple[str, int | None]] = Counter()
    for route in plan.routes:
        times.update((s.kind, s.index) for s in route.stops if s.kind in _TASKS)
    for unserved in plan.unserved:
        if unserved.kind == SHIPMENT:
            times.update([(PICKUP, unserved.index), (DELIVERY, unserved.index)])
        else:
            times[unserved.kind, unserved.index] += 1
    shipments = range(len(problem.shipments))
    expected = Counter((JOB, i) for i in range(len(problem.jobs)))
    expected.update((kind, i) for kind in (PICKUP, DELIVERY) for i in shipments)
    for (kind, index), number in sorted((times - expected).items(), key=str):
        yield f"{kind} {index} is there {number} times too often"
    for kind, index in sorted(expected - times, key=str):
        yield f"{kind} {index} is missing"


def _faults_of_reasons(problem: CourierProblem, plan: CourierPlan) -> Iterator[str]:
    """A reason holds for a courier at least, and no courier could do it alone."""
    for unserved in plan.unserved:
        tasks: Sequence[Job | Shipment]
        tasks = problem.jobs if unserved.kind == JOB else problem.shipments
        if not 0 <= unserved.index < len(tasks):
            continue
        task, where = tasks[unserved.index], f"{unserved.kind} {unserved.index}"
        possible = any(can_be_done(problem, courier, task) for courier in problem.couriers)
        if unserved.reason == NO_ROOM:
            if not possible:
                yield f"{where} is left for '{unserved.reason}', but nobody can do it at all"
        elif possible:
            yield f"{where} can be done, but is told to be '{unserved.reason}'"
        elif not any(fails_by(problem, c, task, unserved.reason) for c in problem.couriers):
            yield f"{where} is not '{unserved.reason}'"


def _faults_of_cost(problem: CourierProblem, plan: CourierPlan) -> Iterator[str]:
    travel = sum(route.travel_cs for route in plan.routes if route.stops)
    if plan.travel_cs != travel:
        yield f"travel is {plan.travel_cs}, expected {travel}"
    expected = 0.0
    if problem.objective == MAKESPAN:
        expected = max((_lasts_cs(problem, r) / 100 for r in plan.routes if r.stops), default=0.0)
    else:
        for route in plan.routes:
            courier = problem.couriers[route.courier]
            if any(stop.kind in _TASKS for stop in route.stops):
                expected += courier.fixed_cost
            if route.stops:
                expected += route.travel_cs / 100 * courier.cost_per_hour / 3600
    if abs(plan.cost - expected) > 1e-6 * max(abs(expected), 1.0):
        yield f"cost is {plan.cost}, expected {expected}"


def _lasts_cs(problem: CourierProblem, route: PlannedRoute) -> int:
    """From the opening of the courier's window to the end of his route."""
    window = problem.couriers[route.courier].window
    return route.stops[-1].departure_cs - (cs(window[0]) if window else 0)


def _task(problem: CourierProblem, stop: PlannedStop) -> Job | Shipment:
    assert stop.index is not None
    return problem.jobs[stop.index] if stop.kind == JOB else problem.shipments[stop.index]


def _asked(problem: CourierProblem, stop: PlannedStop) -> Stop:
    """The stop as the problem has it."""
    task = _task(problem, stop)
    if isinstance(task, Job):
        return task.stop
    return task.pickup if stop.kind == PICKUP else task.delivery
