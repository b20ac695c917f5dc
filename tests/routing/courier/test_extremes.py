"""The largest numbers that a problem may have: no sum overflows."""

from itertools import pairwise

import numpy as np
import pytest
from couriers.checker import check_plan
from hypothesis import given, settings
from hypothesis import strategies as st

from gis.arrays import freeze
from routing.courier.compile import make_instance
from routing.courier.instance import FARTHEST, SPAN, SPAN_WEIGHT, TIMED, Instance
from routing.courier.problem import (
    LONGEST_S,
    MAKESPAN,
    MOST_AMOUNT,
    MOST_PRIORITY,
    TRAVEL,
    Courier,
    CourierProblem,
    Job,
    Shipment,
    Stop,
)
from routing.courier.routes import Routes
from routing.courier.schedule import CourierParams
from routing.courier.search import new_search, run_search
from routing.courier.solve import solve_courier

pytestmark = pytest.mark.compiled
HEAT = freeze(np.array([1e6, 1e3]))


def apart(n: int, duration_cs: int) -> CourierProblem:
    """Places that are all as far from each other, with nothing to do yet."""
    durations = np.full((n, n), duration_cs, np.uint32)
    np.fill_diagonal(durations, 0)
    return CourierProblem(freeze(durations), (Courier(),))


def first_window(instance: Instance, stop: int, moment: int) -> int:
    """When a stop may begin."""
    clock = instance.clock
    some = range(int(clock.first[stop]), int(clock.first[stop + 1]))
    open_ = [max(int(clock.opens[i]), moment) for i in some if int(clock.closes[i]) >= moment]
    return min(open_) if some else moment


def check_route(instance: Instance, routes: Routes, v: int) -> tuple[int, int]:
    """All of a route in numbers that have no end; what it costs, and how long it lasts."""
    fleet, clock = instance.fleet, instance.clock
    kind, m = int(fleet.kind[v]), int(routes.length[v])
    if m == 0:
        return 0, 0
    stops = routes.stop[v, :m].tolist()
    ways = instance.out[fleet.speed[kind]]
    depot = len(instance.order) + kind
    legs = [int(ways[x, y]) for x, y in pairwise([depot, *stops, depot])]
    assert routes.leg[v, : m + 1].tolist() == legs
    assert int(routes.travel[v]) == sum(legs)
    load = instance.load.astype(object)
    orders = instance.order[stops].tolist()
    carried = sum(load[0, order] for order in orders)
    for i, (y, order) in enumerate(zip(stops, orders, strict=True), 1):
        if instance.pickup[order] == y:
            carried = carried + load[1, order]
        else:
            is_job = instance.pickup[order] < 0
            carried = carried + load[2, order] - load[0, order] - (0 if is_job else load[1, order])
        assert routes.load[v, i].tolist() == list(carried)
    now = int(fleet.opens[v])
    if instance.rules[TIMED]:
        before = -1
        for i, y in enumerate(stops):
            now = first_window(instance, y, now + legs[i]) + int(clock.service[y])
            if before < 0:
                now += int(clock.first_setup[kind, y])
            elif clock.place[before] != clock.place[y]:
                now += int(clock.setup[y])
            assert int(routes.done[v, i]) == now
            before = y
        now += legs[-1]
        assert int(routes.span[v]) == now - int(fleet.opens[v])
    return sum(legs) * int(fleet.rate[v]) + int(fleet.fixed[v]), now - int(fleet.opens[v])


def check_sums(problem: CourierProblem, seed: int) -> None:
    """What a search has added up is what Python's integers make of the same stops."""
    instance = make_instance(problem)
    search = new_search(instance, seed)
    run_search(instance, search, 40, HEAT)
    routes = search.routes
    found = [check_route(instance, routes, v) for v in range(len(routes.length))]
    cost = sum(cost for cost, _ in found)
    if instance.rules[SPAN]:
        cost += SPAN_WEIGHT * max(span for _, span in found)
    absent = routes.absent[: routes.absent[-1]].tolist()
    worth = sum(problem_priority(problem, order) * 10**5 + 1 for order in absent)
    assert routes.total.tolist() == [cost, worth]


def problem_priority(problem: CourierProblem, order: int) -> int:
    """That of an order: shipments come first, then jobs."""
    tasks: tuple[Shipment | Job, ...] = (*problem.shipments, *problem.jobs)
    return tasks[order].priority


SECONDS = st.sampled_from((0.0, 1.0, LONGEST_S / 2, LONGEST_S - 0.01, float(LONGEST_S)))
WINDOWS = st.sampled_from(
    ((), ((0.0, float(LONGEST_S)),), ((LONGEST_S - 1.0, float(LONGEST_S)),), ((0, 1), (2, 10**10)))
)
STOPS = st.builds(Stop, st.integers(0, 3), SECONDS, SECONDS, WINDOWS)
AMOUNTS = st.tuples(*[st.sampled_from((0, 1, MOST_AMOUNT - 1, MOST_AMOUNT))] * 3)
PRIORITIES = st.sampled_from((0, MOST_PRIORITY))
COURIERS = st.builds(
    Courier,
    st.sampled_from(((), (0,), (0, 3))),
    st.sampled_from(((), (0,), (1, 2))),
    st.sampled_from(((), (MOST_AMOUNT,) * 3)),
    st.sampled_from((None, (0.0, float(LONGEST_S)))),
    max_travel_s=st.sampled_from((None, float(LONGEST_S))),
    speed=st.sampled_from((1.0, 0.01, 100.0)),
    fixed_cost=st.sampled_from((0.0, float(LONGEST_S))),
    cost_per_hour=st.sampled_from((0.0, 1e-300, 1e-3, 3600.0, 1e7)),
)


@settings(max_examples=200)
@given(
    couriers=st.lists(COURIERS, min_size=1, max_size=3),
    shipments=st.lists(
        st.builds(Shipment, STOPS, STOPS, AMOUNTS, st.just(frozenset()), PRIORITIES), max_size=4
    ),
    jobs=st.lists(
        st.builds(Job, STOPS, AMOUNTS, AMOUNTS, st.just(frozenset()), PRIORITIES),
        min_size=1,
        max_size=4,
    ),
    duration=st.sampled_from((1, FARTHEST // 100 - 1, FARTHEST - 1)),
    objective=st.sampled_from((TRAVEL, MAKESPAN)),
)
def test_the_largest_numbers(
    couriers: list[Courier],
    shipments: list[Shipment],
    jobs: list[Job],
    duration: int,
    objective: str,
) -> None:
    """In any mixture with the smallest."""
    durations = apart(4, duration).durations_cs
    if not any(courier.capacity for courier in couriers):
        couriers = [Courier(capacity=(MOST_AMOUNT,) * 3), *couriers]
    check_sums(
        CourierProblem(durations, tuple(couriers), tuple(shipments), tuple(jobs), objective), 1
    )


def test_a_thousand_of_the_largest() -> None:
    """Sums of the longest ways, amounts and services, for the dearest of couriers."""
    n = 1000
    jobs = tuple(
        Job(Stop(i, float(LONGEST_S) / 2), (MOST_AMOUNT,), (MOST_AMOUNT,), priority=MOST_PRIORITY)
        for i in range(n)
    )
    couriers = tuple(
        Courier((0,), (0,), fixed_cost=float(LONGEST_S) / 100, cost_per_hour=hourly)
        for hourly in (1e7, 1e6)
    )
    durations = apart(n, FARTHEST - 1).durations_cs
    roomy = Courier(capacity=(1,), max_tasks=0)
    check_sums(CourierProblem(durations, (*couriers, roomy), (), jobs, MAKESPAN), 1)


def test_ways_from_the_farthest_on_do_not_exist() -> None:
    """The longest that does is driven."""
    params = CourierParams(seconds=None, iterations=20, workers=1)
    for duration, n_unserved in ((FARTHEST - 1, 0), (FARTHEST, 1)):
        durations = apart(2, duration).durations_cs
        problem = CourierProblem(durations, (Courier((0,), (0,)),), jobs=(Job(Stop(1)),))
        plan = solve_courier(problem, params)
        check_plan(problem, plan)
        assert len(plan.unserved) == n_unserved
