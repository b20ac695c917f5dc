"""Plans for ten shipments are the best there are, by dynamic programming over all that may be."""

import numpy as np
import pytest
from couriers.worlds import single_courier

from gis.arrays import I64, freeze
from gis.jit import plain_kernel
from routing.courier.problem import CourierProblem
from routing.courier.schedule import CourierParams
from routing.courier.solve import solve_courier

pytestmark = pytest.mark.compiled
_FAR = 2**60


@plain_kernel
def fill_least(ways: I64, amount: I64, capacity: int, least: I64) -> None:
    """The least for each state and last stop: a digit to base 3 tells how far each parcel is.

    0 waits, 1 is carried, 2 is there. Stops are 1, 2 of the first parcel and so on, 0 the depot.
    """
    n = len(amount)
    for state in range(len(least)):
        load, rest = 0, state
        for i in range(n):
            load += amount[i] * (rest % 3 == 1)
            rest //= 3
        for last in range(2 * n + 1):
            here = least[state, last]
            if here >= _FAR:
                continue
            unit = 1
            for i in range(n):
                digit = state // unit % 3
                if digit == 1 or (digit == 0 and load + amount[i] <= capacity):
                    stop = 2 * i + 1 + digit
                    further = here + ways[last, stop]
                    if further < least[state + unit, stop]:
                        least[state + unit, stop] = further
                unit *= 3


def optimum_cs(problem: CourierProblem) -> int:
    """What the best route of the only courier takes."""
    (courier,) = problem.couriers
    durations = problem.durations_cs.astype(np.int64)
    stops = [s.place for parcel in problem.shipments for s in (parcel.pickup, parcel.delivery)]
    ways = np.zeros((len(stops) + 1, len(stops) + 1), np.int64)
    ways[1:, 1:] = durations[np.ix_(stops, stops)]
    ways[0, 1:] = durations[np.ix_(courier.starts, stops)].min(axis=0)
    ways[1:, 0] = durations[np.ix_(stops, courier.ends)].min(axis=1)
    amount = np.array([sum(parcel.amount) for parcel in problem.shipments], np.int64)
    capacity = courier.capacity[0] if courier.capacity else int(amount.sum())
    least = np.full((3 ** len(amount), len(ways)), _FAR)
    least[0, 0] = 0
    fill_least(freeze(ways), freeze(amount), capacity, least)
    return int((least[-1] + ways[:, 0]).min())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("shared", "capacity"), [(False, 0), (True, 4), (False, 4)])
def test_ten_shipments(shared: bool, capacity: int, seed: int) -> None:
    """The proven optimum, by 20,000 iterations."""
    problem = single_courier(10, seed, shared=shared, capacity=capacity)
    plan = solve_courier(problem, CourierParams(seconds=None, iterations=20_000))
    assert not plan.unserved
    assert plan.travel_cs == optimum_cs(problem)
