"""The checker of plans: right plans pass, and each broken rule is told."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from couriers.checker import check_plan, faults
from couriers.stand_in import Visit, drive, plan_of, solve_naively
from couriers.worlds import fleet, problems, single_courier, tight_windows
from hypothesis import given

from gis.arrays import INF, freeze
from routing.courier.plan import (
    DELIVERY,
    JOB,
    NO_ROOM,
    NO_SKILLS,
    NO_TIME,
    PICKUP,
    SHIPMENT,
    TOO_FAR,
    TOO_LARGE,
    UNREACHABLE,
    CourierPlan,
    PlannedStop,
    Unserved,
)
from routing.courier.problem import MAKESPAN, Courier, CourierProblem, Job, Shipment, Stop


def line(n: int) -> CourierProblem:
    """Places in a row, ten seconds apart; what is done there is put in by whoever asks."""
    steps = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) * 1000
    return CourierProblem(freeze(steps.astype(np.uint32)), (Courier(),))


PROBLEM = replace(
    line(6),
    couriers=(Courier((0, 5), (0,), (3,), (0, 1000), frozenset({7}), 4, 500.0),),
    shipments=(
        Shipment(Stop(1, 5, 2, ((50, 60),)), Stop(3, 5), (2,), frozenset({7})),
        Shipment(Stop(2), Stop(4), (9,)),
    ),
    jobs=(Job(Stop(3, 7, 4, ((0, 10), (100, 200))), (1,), (2,)),),
)
PLAN = plan_of(
    PROBLEM,
    [[Visit(PICKUP, 0), Visit(DELIVERY, 0), Visit(JOB, 0)]],
    [Unserved(SHIPMENT, 1, TOO_LARGE)],
)


def with_stop(plan: CourierPlan, i: int, **changes: object) -> CourierPlan:
    """The plan with another stop in its only route."""
    (route,) = plan.routes
    stops = list(route.stops)
    stops[i] = replace(stops[i], **changes)  # type: ignore[arg-type]
    return replace(plan, routes=(replace(route, stops=tuple(stops)),))


def with_order(plan: CourierPlan, order: list[int]) -> CourierPlan:
    """The plan with the stops of its only route in another order, or without some."""
    (route,) = plan.routes
    stops: tuple[PlannedStop, ...] = tuple(route.stops[i] for i in order)
    return replace(plan, routes=(replace(route, stops=stops),))


def test_a_right_plan() -> None:
    """Its figures are those one finds by hand: it waits, and turns without another setup."""
    check_plan(PROBLEM, PLAN)
    stops = PLAN.routes[0].stops
    assert [stop.kind for stop in stops] == ["start", PICKUP, DELIVERY, JOB, "end"]
    assert [stop.arrival_cs for stop in stops] == [0, 1000, 7700, 8200, 13700]
    assert [stop.waiting_cs for stop in stops] == [0, 4000, 0, 1800, 0]
    assert [stop.setup_cs for stop in stops] == [0, 200, 0, 0, 0]
    assert [stop.load for stop in stops] == [(1,), (3,), (1,), (2,), (2,)]
    assert (PLAN.travel_cs, PLAN.cost) == (6000, 60.0)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (lambda p: with_order(p, [0, 2, 1, 3, 4]), "picked up and then delivered"),
        (lambda p: with_order(p, [0, 1, 3, 4]), "picked up and then delivered"),
        (lambda p: with_order(p, [0, 1, 2, 4]), "job 0 is missing"),
        (lambda p: with_order(p, [0, 1, 2, 3, 3, 4]), "job 0 is there 1 times too often"),
        (lambda p: with_order(p, [1, 2, 3, 4]), "begins with pickup"),
        (lambda p: with_order(p, [0, 1, 2, 3]), "does not end"),
        (lambda p: replace(p, routes=p.routes * 2), "each once and in order"),
        (lambda p: replace(p, routes=(replace(p.routes[0], courier=1),)), "no courier 1"),
        (lambda p: replace(p, routes=(replace(p.routes[0], stops=()),)), "has no stop"),
        (lambda p: with_stop(p, 0, place=2), "begins with start at 2"),
        (lambda p: with_stop(p, 4, place=5), "does not end"),
        (lambda p: with_stop(p, 1, place=2), "not where it is"),
        (lambda p: with_stop(p, 1, index=5), "there is no pickup 5"),
        (lambda p: with_stop(p, 1, kind="break"), "no task"),
        (lambda p: with_stop(p, 2, arrival_cs=7600), "leaves and arrives"),
        (lambda p: with_stop(p, 2, travel_cs=2900), "travels 1900 from 1 to 3"),
        (lambda p: with_stop(p, 0, travel_cs=5), "has travelled"),
        (lambda p: with_stop(p, 1, waiting_cs=3900), "outside of"),
        (lambda p: with_stop(p, 1, waiting_cs=5001), "outside of"),
        (lambda p: with_stop(p, 1, waiting_cs=4500), "waits longer"),
        (lambda p: with_stop(p, 3, waiting_cs=0), "outside of"),
        (lambda p: with_stop(p, 4, waiting_cs=-1), "waits for -1"),
        (lambda p: with_stop(p, 1, setup_cs=0), "takes 0 + 500"),
        (lambda p: with_stop(p, 3, setup_cs=400), "takes 400 + 700"),
        (lambda p: with_stop(p, 2, service_cs=400), "takes 0 + 400"),
        (lambda p: with_stop(p, 2, load=(2,)), "carries (2,) on"),
        (lambda p: with_stop(p, 0, arrival_cs=-100), "outside of its window"),
        (lambda p: replace(p, unserved=()), "pickup 1 is missing"),
        (lambda p: replace(p, unserved=p.unserved * 2), "too often"),
        (lambda p: replace(p, unserved=(*p.unserved, Unserved(JOB, 0, NO_ROOM))), "too often"),
        (lambda p: replace(p, travel_cs=1), "travel is 1"),
        (lambda p: replace(p, cost=61.0), "cost is 61.0"),
    ],
)
def test_broken_plans(broken: Callable[[CourierPlan], CourierPlan], told: str) -> None:
    """Each is told by its own words."""
    found = faults(PROBLEM, broken(PLAN))
    assert any(told in fault for fault in found), found


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"capacity": (2,)}, "more than (2,)"),
        ({"skills": frozenset()}, "has not the skills"),
        ({"max_tasks": 2}, "has 3 tasks"),
        ({"max_travel_s": 59.0}, "travels 6000"),
        ({"window": (0.0, 136.0)}, "outside of its window"),
        ({"window": (1.0, 500.0)}, "outside of its window"),
        ({"speed": 2.0}, "expected 500"),
        ({"fixed_cost": 10.0}, "expected 70.0"),
        ({"cost_per_hour": 1800.0}, "expected 30.0"),
        ({"starts": (5,)}, "begins with start at 0"),
        ({"ends": (1, 5)}, "does not end"),
    ],
)
def test_plans_of_another_courier(changes: dict[str, object], told: str) -> None:
    """The same plan is wrong for who may less."""
    courier = replace(PROBLEM.couriers[0], **changes)  # type: ignore[arg-type]
    found = faults(replace(PROBLEM, couriers=(courier,)), PLAN)
    assert any(told in fault for fault in found), found


def test_no_way() -> None:
    """A leg where no way leads is told, whatever time it is said to take."""
    durations = np.array(PROBLEM.durations_cs)
    durations[1, 3] = INF
    assert "route of courier 0: no way leads from 1 to 3" in faults(
        replace(PROBLEM, durations_cs=freeze(durations)), PLAN
    )


def test_makespan() -> None:
    """Its cost is the time of the longest route."""
    problem = replace(PROBLEM, objective=MAKESPAN)
    assert any("expected 137.0" in fault for fault in faults(problem, PLAN))
    check_plan(problem, replace(PLAN, cost=137.0))


def test_first_stop_of_a_route_without_a_start() -> None:
    """There is no travel before it, but its setup."""
    problem = replace(line(3), jobs=(Job(Stop(1, 5, 2)),))
    route = drive(problem, 0, [Visit(JOB, 0)])
    assert route is not None and route.duration_cs == 700 and route.travel_cs == 0


_FAR = Courier((0,), (0,), (3,), (0.0, 100.0), frozenset({1}), None, 50.0)
_CANNOT = {
    NO_SKILLS: Job(Stop(1), skills=frozenset({2})),
    TOO_LARGE: Job(Stop(1), (4,)),
    UNREACHABLE: Job(Stop(5)),
    TOO_FAR: Job(Stop(4)),
    NO_TIME: Job(Stop(1, windows=((95.0, 99.0),))),
}


@pytest.mark.parametrize("true", _CANNOT)
@pytest.mark.parametrize("said", [*_CANNOT, NO_ROOM, "any other"])
def test_reasons(true: str, said: str) -> None:
    """Only the true one passes."""
    durations = np.array(line(6).durations_cs)
    durations[:5, 5] = INF
    jobs = (_CANNOT[true],)
    problem = CourierProblem(freeze(durations), (_FAR,), jobs=jobs)
    plan = CourierPlan((), (Unserved(JOB, 0, said),), 0, 0.0, 0, 0.0)
    assert (faults(problem, plan) == []) == (said == true), faults(problem, plan)


@pytest.mark.parametrize("said", list(_CANNOT))
def test_reason_for_what_can_be_done(said: str) -> None:
    """It cannot be true; that there is no room may be."""
    problem = CourierProblem(line(6).durations_cs, (_FAR,), jobs=(Job(Stop(1)),))
    plan = CourierPlan((), (Unserved(JOB, 0, said),), 0, 0.0, 0, 0.0)
    assert faults(problem, plan) == [f"job 0 can be done, but is told to be '{said}'"]
    check_plan(problem, replace(plan, unserved=(Unserved(JOB, 0, NO_ROOM),)))


@given(problems())
def test_plans_made_step_by_step(problem: CourierProblem) -> None:
    """Whatever the problem, what is only ever put where it may go is right."""
    check_plan(problem, solve_naively(problem))


@pytest.mark.parametrize("kind", ["clustered", "random", "mixed"])
def test_seeded_problems(kind: str) -> None:
    """They are the same each time, and what they promise."""
    problem = tight_windows(16, 3, kind)
    again = tight_windows(16, 3, kind)
    assert problem.shipments == again.shipments
    assert np.array_equal(problem.durations_cs, again.durations_cs)
    assert len(problem.shipments) == 16 and len(problem.couriers) == 2
    assert (problem.durations_cs != problem.durations_cs.T).any()
    through = problem.durations_cs[:, :, None].astype(np.int64) + problem.durations_cs[None]
    assert (problem.durations_cs[:, None] <= through.transpose(0, 1, 2)).all()
    check_plan(problem, solve_naively(problem))


def test_other_seeded_problems() -> None:
    """One courier who need not come back where he began, and a fleet."""
    for problem in (
        single_courier(10, 1),
        single_courier(10, 1, shared=True, capacity=6),
        fleet(9, 3, 1),
    ):
        plan = solve_naively(problem)
        check_plan(problem, plan)
        assert plan.routes
    pickups = {s.pickup.place for s in single_courier(10, 1, shared=True).shipments}
    assert len(pickups) <= 2
