"""What a search does to its routes, beside brute force and a fresh look at the stops alone."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from couriers.stand_in import drive
from couriers.steps import (
    assert_allowed,
    assert_consistent,
    draft_whole,
    exchange,
    fresh,
    place_of,
    searched,
    there_and_back,
    visit_of,
    visits_of,
)
from couriers.worlds import fleet, problems, single_courier, tight_windows
from hypothesis import given, settings
from hypothesis import strategies as st

from gis.arrays import freeze
from routing.courier.instance import Instance
from routing.courier.problem import CourierProblem
from routing.courier.routes import Routes, empty_routes, take_stops

pytestmark = pytest.mark.compiled


def worlds(seed: int) -> CourierProblem:
    """Towns, in which no way around is shorter, with all that a problem may have."""
    kinds = (
        lambda: single_courier(9, seed),
        lambda: single_courier(9, seed, shared=True, capacity=5),
        lambda: fleet(7, 3, seed),
        lambda: tight_windows(9, seed, "mixed"),
    )
    return kinds[seed % 4]()


def without(instance: Instance, routes: Routes, order: int) -> None:
    """Take an order out."""
    gone = {int(instance.pickup[order]), int(instance.delivery[order])}
    stop, length = np.zeros_like(routes.stop), np.zeros_like(routes.length)
    for v, m in enumerate(routes.length.tolist()):
        kept = [s for s in routes.stop[v, :m].tolist() if s not in gone]
        stop[v, : len(kept)], length[v] = kept, len(kept)
    take_stops(instance, routes, freeze(stop), freeze(length))


def more_of(
    problem: CourierProblem, instance: Instance, routes: Routes, order: int, place: tuple[int, ...]
) -> int | None:
    """What an order costs at a place, all of it driven; None if a rule forbids it."""
    v, i, j = place
    before = visits_of(problem, instance, routes, v)
    pickup = int(instance.pickup[order])
    last = visit_of(problem, instance, int(instance.delivery[order]))
    middle = [visit_of(problem, instance, pickup)] if pickup >= 0 else []
    route = drive(problem, v, [*before[:i], *middle, *before[i:j], last, *before[j:]])
    if route is None:
        return None
    fleet = instance.fleet
    cost = int(fleet.fixed[v]) if not before else 0
    return cost + (route.travel_cs - int(routes.travel[v])) * int(fleet.rate[v])


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), iterations=st.integers(0, 40), chosen=st.integers(0, 10**6))
def test_the_cheapest_place_of_all(seed: int, iterations: int, chosen: int) -> None:
    """No courier and no pair of legs is cheaper that keeps all rules, and there is one if any."""
    problem = worlds(seed)
    instance, search = searched(problem, iterations, seed)
    routes, order = search.routes, chosen % len(instance.may)
    without(instance, routes, order)
    search.trial.random[1] = 10**9  # overlook nothing
    found = np.zeros(3, np.int64)
    draft_whole(instance, routes, search.draft)
    place_of(instance, routes, search.draft, search.trial, order, found)
    is_job = instance.pickup[order] < 0
    costs = {
        (v, i, j): more
        for v, m in enumerate(routes.length.tolist())
        for i, j in combinations_with_replacement(range(m + 1), 2)
        if (i == j or not is_job)
        and (more := more_of(problem, instance, routes, order, (v, i, j))) is not None
    }
    if not costs:
        assert found[0] == -1
        return
    place = (int(found[0]), *(found[1:] - search.draft.first[found[0]]).tolist())
    assert place in costs
    slack = 4 * int(instance.fleet.rate.max()) if any(c.speed != 1 for c in problem.couriers) else 0
    assert costs[place] <= min(costs.values()) + slack


@settings(max_examples=100)
@given(seed=st.integers(0, 10_000), iterations=st.integers(0, 60), hot=st.booleans())
def test_parts_that_change_places(seed: int, iterations: int, hot: bool) -> None:
    """What they are said to cost is what all routes cost more, and the rules are kept."""
    problem = worlds(seed)
    instance, search = searched(problem, iterations, seed)
    routes = search.routes
    for _ in range(20):
        before = int(routes.total[0])
        cost = exchange(instance, routes, search.trial, 3000.0 if hot else 1e-9)
        assert hot or cost <= 0
        assert fresh(instance, routes).total[0] - before == cost
        routes.total[0] += cost
    assert_consistent(instance, routes)
    assert_allowed(problem, instance, routes)


@settings(max_examples=100)
@given(problem=problems(10), iterations=st.integers(0, 60), seed=st.integers(0, 99))
def test_all_is_known_after_any_iteration(
    problem: CourierProblem, iterations: int, seed: int
) -> None:
    """Whatever has been accepted and undone."""
    if not problem.n_stops:
        return
    instance, search = searched(problem, iterations, seed)
    assert_consistent(instance, search.routes)
    assert_allowed(problem, instance, search.routes)
    best = empty_routes(instance)
    take_stops(instance, best, freeze(search.best_stop.copy()), freeze(search.best_length.copy()))
    assert best.total.tolist() == search.best_total.tolist()
    assert search.best_total[::-1].tolist() <= search.routes.total[::-1].tolist()


@settings(max_examples=60)
@given(problem=problems(10), iterations=st.integers(0, 40), wanted=st.integers(1, 8))
def test_what_is_too_dear(problem: CourierProblem, iterations: int, wanted: int) -> None:
    """Nothing of what was taken out and put in again elsewhere is to be seen."""
    if not problem.n_stops:
        return
    instance, search = searched(problem, iterations, 1)
    routes = search.routes
    stop, length = routes.stop.copy(), routes.length.copy()
    total = routes.total.copy()
    there_and_back(instance, search, min(wanted, len(instance.may)))
    if routes.total[1] < total[1]:  # more is served than before
        return
    assert routes.length.tolist() == length.tolist()
    for v, m in enumerate(length.tolist()):
        assert routes.stop[v, :m].tolist() == stop[v, :m].tolist()
    assert not search.draft.mark.any()
    assert_consistent(instance, routes)
