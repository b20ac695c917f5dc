"""Rules that a search may break by taking something out, and orders that it may overlook."""

import numpy as np
import pytest
from couriers.checker import check_plan

from gis.arrays import INF, U32, freeze
from routing.courier.plan import CourierPlan
from routing.courier.problem import Courier, CourierProblem, Job, Shipment, Stop, Window
from routing.courier.schedule import CourierParams
from routing.courier.solve import solve_courier

pytestmark = pytest.mark.compiled
A, B = frozenset({1}), frozenset({2})


def matrix(rows: list[list[int]]) -> U32:
    """Of seconds."""
    return freeze((np.array(rows) * 100).astype(np.uint32))


def solved(problem: CourierProblem, seed: int = 1) -> CourierPlan:
    """A plan that keeps all rules."""
    params = CourierParams(seconds=None, iterations=300, seed=seed, workers=1)
    plan = solve_courier(problem, params)
    check_plan(problem, plan)
    return plan


@pytest.mark.parametrize("seed", range(10))
def test_setup_that_another_stop_has_spared(seed: int) -> None:
    """Nobody is late at a stop because the one before it at the same place is another's now."""
    a = Courier((0,), (), (), (0.0, 90.0), A)
    b = Courier((2,), (2,), (), (0.0, 500.0), B, fixed_cost=200.0)
    jobs = (Job(Stop(1, 0, 100), skills=A, priority=1), Job(Stop(1), skills=B))
    durations = matrix([[0, 10, 30], [10, 0, 30], [30, 30, 0]])
    plan = solved(CourierProblem(durations, (a, b), (Shipment(Stop(1), Stop(2)),), jobs), seed)
    assert not plan.unserved


@pytest.mark.parametrize("hourly", [(3600.0, 1800.0), (1e-300, 1e-300), (1e7, 1e-3)])
def test_what_is_worth_any_cost(hourly: tuple[float, ...]) -> None:
    """What can be served is, however dear the couriers."""
    couriers = tuple(Courier((0,), (0,), fixed_cost=1e10, cost_per_hour=cost) for cost in hourly)
    plan = solved(CourierProblem(matrix([[0, 10], [10, 0]]), couriers, jobs=(Job(Stop(1)),)))
    assert not plan.unserved


@pytest.mark.parametrize("window", [None, (0.0, 1000.0)])
def test_pickup_from_where_only_the_delivery_is_reached(window: Window | None) -> None:
    """Both are put in together, with times to keep as without."""
    durations = np.array(matrix([[0, 10, 10, 10], [10, 0, 10, 10], [10, 10, 0, 10], [10] * 4]))
    durations[1, [0, 3]] = INF
    durations[3, 3] = 0
    courier = Courier((0,), (0,), window=window)
    shipments, jobs = (Shipment(Stop(1), Stop(2)),), (Job(Stop(3)),)
    assert not solved(CourierProblem(freeze(durations), (courier,), shipments, jobs)).unserved
