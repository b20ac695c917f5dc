"""What a search does to its routes, beside brute force and a fresh look at the stops alone."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from couriers.stand_in import Visit, drive
from couriers.worlds import fleet, problems, single_courier, tight_windows
from hypothesis import given, settings
from hypothesis import strategies as st

from gis.arrays import I64, freeze
from gis.jit import int64, plain_kernel
from routing.courier.compile import make_instance
from routing.courier.insertion import Trial, insert_best
from routing.courier.instance import TIMED, Instance
from routing.courier.plan import DELIVERY, JOB, PICKUP
from routing.courier.problem import CourierProblem
from routing.courier.routes import Routes, empty_routes, take_stops
from routing.courier.ruin import ruin
from routing.courier.search import Search, _undo, new_search, recreate, run_search
from routing.courier.segments import exchange_parts

pytestmark = pytest.mark.compiled
MILD = freeze(np.array([2000.0, 500.0]))


@plain_kernel
def place_of(instance: Instance, routes: Routes, trial: Trial, order: int, found: I64) -> None:
    found[0], found[1], found[2] = insert_best(instance, routes, trial, int64(order))


@plain_kernel
def exchange(instance: Instance, routes: Routes, trial: Trial, temperature: float) -> Any:
    return exchange_parts(instance, routes, trial, temperature)


@plain_kernel
def there_and_back(instance: Instance, search: Search, wanted: int) -> None:
    ruin(instance, search.routes, search.trial, search.ruined, int64(wanted))
    recreate(instance, search, int64(20))
    _undo(instance, search)
    for i in range(len(search.ruined.was_touched)):
        search.ruined.was_touched[i] = 0


def worlds(seed: int) -> CourierProblem:
    """Towns, in which no way around is shorter, with all that a problem may have."""
    kinds = (
        lambda: single_courier(9, seed),
        lambda: single_courier(9, seed, shared=True, capacity=5),
        lambda: fleet(7, 3, seed),
        lambda: tight_windows(9, seed, "mixed"),
    )
    return kinds[seed % 4]()


def searched(problem: CourierProblem, iterations: int, seed: int) -> tuple[Instance, Search]:
    instance = make_instance(problem)
    search = new_search(instance, seed)
    run_search(instance, search, iterations, MILD)
    return instance, search


def visits_of(problem: CourierProblem, instance: Instance, routes: Routes, v: int) -> list[Visit]:
    stops = routes.stop[v, : routes.length[v]].tolist()
    return [visit_of(problem, instance, stop) for stop in stops]


def visit_of(problem: CourierProblem, instance: Instance, stop: int) -> Visit:
    order = int(instance.order[stop])
    if order >= len(problem.shipments):
        return Visit(JOB, order - len(problem.shipments))
    return Visit(PICKUP if instance.pickup[order] == stop else DELIVERY, order)


def fresh(instance: Instance, routes: Routes) -> Routes:
    """The same stops in routes about which all is found out anew."""
    found = empty_routes(instance)
    take_stops(instance, found, freeze(routes.stop.copy()), freeze(routes.length.copy()))
    return found


def assert_consistent(instance: Instance, routes: Routes) -> None:
    """All that is known of routes follows from their stops."""
    expected = fresh(instance, routes)
    n_absent = int(routes.absent[-1])
    assert sorted(routes.absent[:n_absent].tolist()) == expected.absent[:n_absent].tolist()
    assert expected.absent[-1] == n_absent
    assert routes.total.tolist() == expected.total.tolist()
    assert routes.route.tolist() == expected.route.tolist()
    served = routes.route >= 0
    assert routes.at[served].tolist() == expected.at[served].tolist()
    used = range(len(routes.length))
    assert routes.travel[used].tolist() == expected.travel[used].tolist()
    for v, m in enumerate(routes.length.tolist()):
        assert routes.leg[v, : m + 1].tolist() == expected.leg[v, : m + 1].tolist()
        assert routes.load[v, : m + 1].tolist() == expected.load[v, : m + 1].tolist()
        if instance.rules[TIMED]:
            assert routes.done[v, :m].tolist() == expected.done[v, :m].tolist()
            assert routes.due[v, :m].tolist() == expected.due[v, :m].tolist()
            assert routes.span[v] == expected.span[v]


def assert_allowed(problem: CourierProblem, instance: Instance, routes: Routes) -> None:
    """Every route keeps all rules, and takes as long as it is thought to."""
    for v in np.flatnonzero(routes.length).tolist():
        route = drive(problem, v, visits_of(problem, instance, routes, v))
        assert route is not None
        assert abs(route.travel_cs - int(routes.travel[v])) <= len(route.stops)  # rounded speeds


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
    place_of(instance, routes, search.trial, order, found)
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
    place = tuple(found.tolist())
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
def test_undoing(problem: CourierProblem, iterations: int, wanted: int) -> None:
    """All that was ruined and put in again elsewhere is as it was."""
    if not problem.n_stops:
        return
    instance, search = searched(problem, iterations, 1)
    routes = search.routes
    stop, length = routes.stop.copy(), routes.length.copy()
    n_absent = int(routes.absent[-1])
    absent = routes.absent[:n_absent].tolist()
    there_and_back(instance, search, min(wanted, len(instance.may)))
    assert routes.length.tolist() == length.tolist()
    for v, m in enumerate(length.tolist()):
        assert routes.stop[v, :m].tolist() == stop[v, :m].tolist()
    assert routes.absent[-1] == n_absent and routes.absent[:n_absent].tolist() == absent
    assert not search.ruined.gone.any()
    assert_consistent(instance, routes)
