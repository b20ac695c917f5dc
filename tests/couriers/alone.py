"""What one courier could do if there were nothing else to do, for tests: all ways are tried."""

import math
from collections.abc import Iterator
from itertools import pairwise

from couriers.clock import cs, first_opening, leg_cs

from routing.courier.plan import NO_SKILLS, NO_TIME, TOO_FAR, TOO_LARGE, UNREACHABLE
from routing.courier.problem import Courier, CourierProblem, Job, Shipment, Stop

Task = Job | Shipment


def can_be_done(problem: CourierProblem, courier: Courier, task: Task) -> bool:
    """Whether a courier can do a task and nothing else."""
    if not has_skills(courier, task) or not has_room(courier, task):
        return False
    far = math.inf if courier.max_travel_s is None else cs(courier.max_travel_s)
    return any(travel <= far and is_in_time for travel, is_in_time in _ways(problem, courier, task))


def fails_by(problem: CourierProblem, courier: Courier, task: Task, reason: str) -> bool:
    """Whether a reason why a task is undone holds for a courier."""
    if reason == NO_SKILLS:
        return not has_skills(courier, task)
    if reason == TOO_LARGE:
        return not has_room(courier, task)
    ways = list(_ways(problem, courier, task))
    far = math.inf if courier.max_travel_s is None else cs(courier.max_travel_s)
    if reason == UNREACHABLE:
        return not ways
    if reason == TOO_FAR:
        return bool(ways) and not any(travel <= far for travel, _ in ways)
    if reason == NO_TIME:
        near = [way for way in ways if way[0] <= far]
        return any(some and not any(in_time for _, in_time in some) for some in (ways, near))
    return False


def has_skills(courier: Courier, task: Task) -> bool:
    """Whether the courier has what the task needs."""
    return task.skills <= courier.skills


def has_room(courier: Courier, task: Task) -> bool:
    """Whether the task alone fits."""
    if not courier.capacity:
        return True
    amounts = (task.amount,) if isinstance(task, Shipment) else (task.delivered, task.collected)
    return all(
        quantity <= room
        for amount in amounts
        if amount
        for quantity, room in zip(amount, courier.capacity, strict=True)
    )


def _ways(problem: CourierProblem, courier: Courier, task: Task) -> Iterator[tuple[int, bool]]:
    """Travel of each way that leads there and back, and whether it is in time."""
    stops = (task.pickup, task.delivery) if isinstance(task, Shipment) else (task.stop,)
    for start in courier.starts or (None,):
        for end in courier.ends or (None,):
            places = [start, *(stop.place for stop in stops), end]
            legs = [
                0 if a is None or b is None else leg_cs(problem, courier, a, b)
                for a, b in pairwise(places)
            ]
            if None not in legs:
                whole = [leg for leg in legs if leg is not None]
                yield sum(whole), _is_in_time(courier, stops, whole, start)


def _is_in_time(
    courier: Courier, stops: tuple[Stop, ...], legs: list[int], start: int | None
) -> bool:
    time: float = cs(courier.window[0]) if courier.window else 0
    before = start
    for leg, stop in zip(legs, stops, strict=False):
        time = first_opening(stop.windows, int(time) + leg)
        if time == math.inf:
            return False
        time += cs(stop.service_s) + (cs(stop.setup_s) if before != stop.place else 0)
        before = stop.place
    return courier.window is None or time + legs[-1] <= cs(courier.window[1])
