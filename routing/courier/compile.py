"""From a courier's problem to the arrays of an instance."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np

from gis.arrays import I32, I64, INF, U8, freeze
from routing.courier.instance import ALWAYS, FARTHEST, NEVER, Clock, Fleet, Instance
from routing.courier.problem import MAKESPAN, Courier, CourierProblem, Stop
from routing.errors import InvalidInput

T = TypeVar("T", bound=Hashable)

CS_PER_S = 100
S_PER_HOUR = 3600
_HIGHEST_RATE = 10_000
"""What costs per hour are scaled to where they differ: they are told apart to so small a part."""
_MOST_FIXED = 2**50
"""What a route may cost beside its travel, in units of cost: sums of it fit in 64 bits."""
_MOST_CELLS = 4_000_000
"""Couriers times stops: what the routes of one search take is at most about 250 MB."""
_MOST_WAYS = 200_000_000
"""Speeds times stops times stops: ways of 8 bytes each."""
_MOST_NEAR = 100
_PRIORITY_WORTH = 10**5
"""More than there can be orders: one of a higher priority is worth more than all of none."""

_Kind = tuple[tuple[int, ...], tuple[int, ...], float]


def make_instance(problem: CourierProblem) -> Instance:
    """The arrays of a problem. Raises ``InvalidInput`` if it is too large."""
    n_couriers, n_stops = len(problem.couriers), problem.n_stops
    if n_couriers * n_stops > _MOST_CELLS:
        raise InvalidInput(
            f"{n_couriers} couriers times {n_stops} stops, expected at most {_MOST_CELLS}"
        )
    stops = _stops_of(problem)
    places = np.array([stop.place for stop in stops], np.int64)
    kinds, kind = _number([(c.starts, c.ends, c.speed) for c in problem.couriers])
    speeds, speed = _number([kind[2] for kind in kinds])
    n_rows = n_stops + len(kinds)
    if len(speeds) * n_rows**2 > _MOST_WAYS:
        raise InvalidInput(
            f"{len(speeds)} speeds times {n_rows} stops, starts and ends squared, expected at most"
            f" {_MOST_WAYS}"
        )
    out = np.zeros((len(speeds), n_rows, n_rows), np.int32)
    setup = _cs([stop.setup_s for stop in stops])
    first_setup = np.empty((len(kinds), n_stops), np.int64)
    for s, factor in enumerate(speeds):
        ways = _at_speed(problem, factor)
        out[s, :n_stops, :n_stops] = ways[np.ix_(places, places)]
        for k in np.flatnonzero(speed == s).tolist():
            leave, come, first_setup[k] = _ends(kinds[k], ways, places, setup)
            out[s, n_stops + k, :n_stops], out[s, :n_stops, n_stops + k] = leave, come
    windows = [stop.windows for stop in stops]
    clock = Clock(
        first=freeze(np.cumsum([0, *map(len, windows)], dtype=np.int64)),
        opens=freeze(_cs([window[0] for some in windows for window in some])),
        closes=freeze(_cs([window[1] for some in windows for window in some])),
        service=freeze(_cs([stop.service_s for stop in stops])),
        setup=freeze(_cs([stop.setup_s for stop in stops])),
        place=freeze(places),
        first_setup=freeze(first_setup),
    )
    n_shipments, n_orders = len(problem.shipments), len(problem.shipments) + len(problem.jobs)
    orders = np.arange(n_orders)
    is_job = orders >= n_shipments
    pickup = np.where(is_job, -1, 2 * orders)
    delivery = np.where(is_job, n_shipments + orders, 2 * orders + 1)
    spans = problem.objective == MAKESPAN
    timed = spans or len(clock.opens) > 0 or any(c.window is not None for c in problem.couriers)
    return Instance(
        out=freeze(out),
        into=freeze(out.transpose(0, 2, 1)),
        near=freeze(_near(out[0, :n_stops, :n_stops])),
        related=freeze(_related(out[0], np.where(is_job, delivery, pickup), delivery)),
        order=freeze(np.repeat(orders, np.where(is_job, 1, 2))),
        pickup=freeze(pickup),
        delivery=freeze(delivery),
        load=freeze(_loads(problem)),
        worth=freeze(_worth(problem)),
        may=freeze(_may(problem)),
        clock=clock,
        fleet=_fleet(problem.couriers, kind, speed, problem.n_dimensions),
        rules=freeze(np.array([timed, spans], np.int64)),
    )


def _stops_of(problem: CourierProblem) -> list[Stop]:
    """The stops in the order of an instance: of each shipment both, then those of the jobs."""
    stops = [stop for order in problem.shipments for stop in (order.pickup, order.delivery)]
    return stops + [job.stop for job in problem.jobs]


def in_cs(seconds: float) -> int:
    """Hundredths of a second."""
    return round(seconds * CS_PER_S)


def _rates(couriers: Sequence[Courier]) -> tuple[I64, I64]:
    """Units of cost of a centisecond of travel, int64 (v,), and of a route that is used, (v,)."""
    costs = [courier.cost_per_hour / S_PER_HOUR for courier in couriers]
    highest = max(costs)
    unit = highest if min(costs) == highest else highest / _HIGHEST_RATE
    if unit == 0:  # travel is free
        unit = 1.0
    # Nothing that costs anything is free.
    rate = [max(round(cost / unit), 1) if cost > 0 else 0 for cost in costs]
    fixed = [round(min(in_cs(c.fixed_cost) / unit, _MOST_FIXED)) for c in couriers]
    return np.array(rate, np.int64), np.array(fixed, np.int64)


def _number(values: Sequence[T]) -> tuple[list[T], I64]:
    """The distinct values, and which of them each is."""
    known: dict[T, int] = {}
    numbers = np.array([known.setdefault(value, len(known)) for value in values], np.int64)
    return list(known), numbers


def _cs(seconds: Sequence[float]) -> I64:
    return np.array([in_cs(value) for value in seconds], np.int64)


def _at_speed(problem: CourierProblem, speed: float) -> I32:
    """The matrix for couriers of a speed; row by row, since whole ones fill the memory."""
    ways = np.empty(problem.durations_cs.shape, np.int32)
    for row, durations in zip(ways, problem.durations_cs, strict=True):
        slower = np.rint(durations / speed) if speed != 1 else durations
        row[:] = np.where((durations >= INF) | (slower >= FARTHEST), NEVER, slower)
    return ways


def _ends(kind: _Kind, ways: I32, places: I64, setup: I64) -> tuple[I32, I32, I64]:
    """The way from the best start, to the best end, and the setup after the start; by stop (n,)."""
    starts, ends, _ = kind
    leave, come = np.zeros(len(places), np.int32), np.zeros(len(places), np.int32)
    first_setup = setup
    if starts:
        from_starts = ways[np.ix_(np.array(starts), places)]
        leave = from_starts.min(axis=0, initial=NEVER)
        is_here = np.array(starts)[:, None] == places
        first_setup = np.where((is_here & (from_starts == leave)).any(axis=0), 0, setup)
    if ends:
        come = ways[np.ix_(places, np.array(ends))].min(axis=1, initial=NEVER)
    return leave, come, first_setup


def _near(out: I32) -> I32:
    """The nearest stops of each, there or back."""
    near = np.empty((len(out), _how_many(len(out))), np.int32)
    for i in range(len(out)):
        near[i] = _least(np.minimum(out[i], out[:, i]).astype(np.int64), i)
    return near


def _related(out: I32, first: I64, last: I64) -> I32:
    """The orders nearest to each, with both of their stops, there or back."""
    related = np.empty((len(first), _how_many(len(first))), np.int32)
    for i, (x, y) in enumerate(zip(first, last, strict=True)):
        apart = np.minimum(out[x, first], out[first, x]).astype(np.int64)
        related[i] = _least(apart + np.minimum(out[y, last], out[last, y]), i)
    return related


def _how_many(n: int) -> int:
    return max(0, min(n - 1, _MOST_NEAR))


def _least(apart: I64, itself: int) -> I64:
    """Where the least numbers stand, least first, but for one place."""
    apart[itself] = np.iinfo(np.int64).max
    most = _how_many(len(apart))
    some = np.argpartition(apart, most)[:most] if most < len(apart) - 1 else np.arange(len(apart))
    return some[np.argsort(apart[some], kind="stable")][:most]


def _loads(problem: CourierProblem) -> I64:
    n_orders, d = len(problem.shipments) + len(problem.jobs), problem.n_dimensions
    load = np.zeros((3, n_orders, d), np.int64)
    if d > 0:
        for i, shipment in enumerate(problem.shipments):
            load[1, i] = shipment.amount or 0
        for i, job in enumerate(problem.jobs, len(problem.shipments)):
            load[0, i] = job.delivered or 0
            load[2, i] = job.collected or 0
    return load


def _worth(problem: CourierProblem) -> I64:
    priorities = [shipment.priority for shipment in problem.shipments]
    priorities += [job.priority for job in problem.jobs]
    return np.array(priorities, np.int64) * _PRIORITY_WORTH + 1


def _may(problem: CourierProblem) -> U8:
    skills = [shipment.skills for shipment in problem.shipments]
    wanted, wants = _number(skills + [job.skills for job in problem.jobs])
    had, has = _number([courier.skills for courier in problem.couriers])
    fits = np.array([[want <= have for have in had] for want in wanted], np.uint8)
    return fits.reshape(len(wanted), len(had))[np.ix_(wants, has)]


def _fleet(couriers: Sequence[Courier], kind: I64, speed: I64, n_dimensions: int) -> Fleet:
    rate, fixed = _rates(couriers)
    _, alike = _number(couriers)
    unlimited = (2**60,) * n_dimensions
    capacity = [courier.capacity or unlimited for courier in couriers]
    windows = [courier.window for courier in couriers]
    travel = [courier.max_travel_s for courier in couriers]
    return Fleet(
        kind=freeze(kind),
        speed=freeze(speed),
        alike=freeze(alike),
        capacity=freeze(np.array(capacity, np.int64).reshape(len(couriers), n_dimensions)),
        opens=freeze(np.array([in_cs(w[0]) if w else 0 for w in windows], np.int64)),
        closes=freeze(np.array([in_cs(w[1]) if w else ALWAYS for w in windows], np.int64)),
        most_stops=freeze(
            np.array([ALWAYS if c.max_tasks is None else c.max_tasks for c in couriers], np.int64)
        ),
        most_travel=freeze(
            np.array([ALWAYS if most is None else in_cs(most) for most in travel], np.int64)
        ),
        rate=freeze(rate),
        fixed=freeze(fixed),
    )
