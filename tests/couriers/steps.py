"""Searches step by step, and what has to be true of them after each."""

from typing import Any

import numpy as np
from couriers.stand_in import Visit, drive

from gis.arrays import I64, freeze
from gis.jit import int64, plain_kernel
from routing.courier.compile import make_instance
from routing.courier.draft import COST, N_ROUTES, Draft
from routing.courier.draft_changes import accept, put_in
from routing.courier.draft_legs import (
    ask_for_legs,
    ask_for_route,
    begin_draft,
    draft_route,
    take_out,
)
from routing.courier.insertion import NO_COST, Trial, insert_best
from routing.courier.instance import TIMED, Instance
from routing.courier.plan import DELIVERY, JOB, PICKUP
from routing.courier.problem import CourierProblem
from routing.courier.routes import Routes, empty_routes, take_stops
from routing.courier.ruin import ruin
from routing.courier.search import Search, new_search, recreate, run_search
from routing.courier.segments import exchange_parts

MILD = freeze(np.array([2000.0, 500.0]))


@plain_kernel
def draft_whole(instance: Instance, routes: Routes, draft: Draft) -> None:
    """All routes, on all of their legs."""
    begin_draft(routes, draft)
    for v in range(len(routes.length)):
        ask_for_route(draft, int64(v))
        draft_route(instance, routes, draft, int64(v), True)


@plain_kernel
def draft_without(instance: Instance, routes: Routes, draft: Draft, gone: I64) -> None:
    """Routes without some orders, on the legs near them."""
    begin_draft(routes, draft)
    for order in gone:
        take_out(instance, draft, order)
    for order in gone:
        ask_for_legs(instance, routes, draft, order)
    for i in range(draft.total[N_ROUTES]):
        draft_route(instance, routes, draft, draft.drafted[i], False)


@plain_kernel
def place_of(
    instance: Instance, routes: Routes, draft: Draft, trial: Trial, order: int, found: I64
) -> None:
    found[0], found[1], found[2] = insert_best(
        instance, routes, draft, trial, int64(order), int64(NO_COST)
    )


@plain_kernel
def put(instance: Instance, draft: Draft, order: int, place: I64) -> None:
    put_in(instance, draft, int64(order), place[0], place[1], place[2])


@plain_kernel
def accept_draft(instance: Instance, routes: Routes, draft: Draft) -> None:
    """Make it the routes."""
    accept(instance, routes, draft)
    routes.total[0] = draft.total[COST]


@plain_kernel
def exchange(instance: Instance, routes: Routes, trial: Trial, temperature: float) -> Any:
    return exchange_parts(instance, routes, trial, temperature)


@plain_kernel
def there_and_back(instance: Instance, search: Search, wanted: int) -> None:
    """Ruin, and recreate for less than nothing."""
    begin_draft(search.routes, search.draft)
    ruin(instance, search.routes, search.draft, search.trial.random, int64(wanted))
    recreate(instance, search, -1e18, False)


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
            assert routes.span[v] == expected.span[v]


def assert_allowed(problem: CourierProblem, instance: Instance, routes: Routes) -> None:
    """Every route keeps all rules, and takes as long as it is thought to."""
    for v in np.flatnonzero(routes.length).tolist():
        route = drive(problem, v, visits_of(problem, instance, routes, v))
        assert route is not None
        assert abs(route.travel_cs - int(routes.travel[v])) <= len(route.stops)  # rounded speeds
