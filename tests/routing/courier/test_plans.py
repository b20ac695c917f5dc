"""Plans of the solver keep every rule, whatever the problem."""

import numpy as np
import pytest
from couriers.checker import check_plan
from couriers.stand_in import solve_naively
from couriers.worlds import fleet, problems, single_courier, tight_windows
from hypothesis import given, settings

from gis.arrays import freeze
from routing.courier.problem import MAKESPAN, Courier, CourierProblem, Job, Shipment, Stop
from routing.courier.schedule import CourierParams
from routing.courier.solve import solve_courier


def solve(problem: CourierProblem, iterations: int = 60, workers: int = 1, seed: int = 1):  # type: ignore[no-untyped-def]
    return solve_courier(
        problem, CourierParams(seconds=None, iterations=iterations, seed=seed, workers=workers)
    )


@pytest.mark.compiled
@settings(max_examples=300)
@given(problems())
def test_small_problems(problem: CourierProblem) -> None:
    """With anything that a problem may be."""
    check_plan(problem, solve(problem))


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["clustered", "random", "mixed"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tight_windows(kind: str, seed: int) -> None:
    """All is served, as it can be, and no rule is broken."""
    problem = tight_windows(24, seed, kind)
    plan = solve(problem, 30_000)
    check_plan(problem, plan)
    assert not plan.unserved


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["clustered", "random", "mixed"])
@pytest.mark.parametrize("seed", range(100, 134))
def test_many_tight_windows(kind: str, seed: int) -> None:
    """Fifty shipments for as many couriers as drove them: hardly any is left, no rule is broken."""
    problem = tight_windows(50, seed, kind)
    plan = solve(problem, 20_000)
    check_plan(problem, plan)
    assert len(plan.unserved) <= 2


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_fleets(seed: int) -> None:
    """Several couriers of different kinds, and more than one seed."""
    problem = fleet(20, 4, seed)
    for search in (1, 2):
        check_plan(problem, solve(problem, 500, seed=search))


@pytest.mark.compiled
@pytest.mark.parametrize(("shared", "capacity"), [(False, 0), (True, 0), (True, 6), (False, 4)])
def test_one_courier(shared: bool, capacity: int) -> None:
    """Better than putting one after the other where it costs least, and the same again."""
    problem = single_courier(20, 5, shared=shared, capacity=capacity)
    plan, again = solve(problem, 2000), solve(problem, 2000, workers=2)
    check_plan(problem, plan)
    assert plan.cost <= solve_naively(problem).cost
    assert plan.routes == again.routes


@pytest.mark.compiled
def test_anything_else_is_checked_before() -> None:
    """Nobody and nothing to do are no plan's fault."""
    here = freeze(np.zeros((1, 1), np.uint32))
    nothing = CourierProblem(here, (Courier(),))
    check_plan(nothing, solve(nothing))
    idle = CourierProblem(here, (Courier(max_tasks=0),), jobs=(Job(Stop(0)),))
    check_plan(idle, solve(idle))
    early = CourierProblem(
        here, (Courier((0,), (0,)),) * 2, (Shipment(Stop(0), Stop(0)),), (), MAKESPAN
    )
    check_plan(early, solve(early))


@pytest.mark.compiled
def test_far_more_than_fits() -> None:
    """Few of many can be done: what fits nowhere takes no time from what does."""
    n = 150
    places = np.random.default_rng(1).uniform(0, 5000, (n + 1, 2))
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    durations = freeze(np.rint(apart / 8).astype(np.uint32) * 100)
    jobs = tuple(Job(Stop(1 + i), priority=i % 3) for i in range(n))
    problem = CourierProblem(durations, (Courier((0,), (0,), max_tasks=8),), jobs=jobs)
    plan = solve(problem, 3000)
    check_plan(problem, plan)
    served = [stop for stop in plan.routes[0].stops if stop.index is not None]
    assert len(served) == 8
    assert all(jobs[stop.index].priority == 2 for stop in served)  # type: ignore[index]
    assert plan.routes == solve(problem, 3000, workers=2).routes
