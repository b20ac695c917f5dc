"""Routes in the making, of which only some legs are looked at, beside whole routes driven."""

from dataclasses import replace
from itertools import combinations_with_replacement, pairwise
from random import Random

import numpy as np
import pytest
from couriers.checker import check_plan
from couriers.stand_in import drive
from couriers.steps import (
    accept_draft,
    assert_allowed,
    assert_consistent,
    draft_whole,
    draft_without,
    place_of,
    put,
    searched,
    visit_of,
)
from couriers.worlds import fleet, single_courier, tight_windows
from hypothesis import given, settings
from hypothesis import strategies as st

from gis.arrays import INF, freeze
from routing.courier.compile import make_instance
from routing.courier.draft import N_ROUTES, Draft
from routing.courier.instance import Instance
from routing.courier.problem import Courier, CourierProblem, Job, Shipment, Stop
from routing.courier.routes import take_stops
from routing.courier.schedule import CourierParams
from routing.courier.search import new_search
from routing.courier.solve import solve_courier

pytestmark = pytest.mark.compiled
Chains = list[list[int]]
Places = list[tuple[int, int, int]]


def worlds(seed: int) -> CourierProblem:
    """Towns in which an order may be put in on few of all legs."""
    if seed % 4 == 0:
        return single_courier(40, seed)
    if seed % 4 == 1:
        return single_courier(60, seed, shared=True, capacity=seed % 3 + 4)
    if seed % 4 == 2:
        return tight_windows(24, seed, "mixed")
    town = fleet(24, 3, seed)
    couriers = tuple(replace(courier, window=None) for courier in town.couriers)
    jobs = tuple(replace(job, stop=replace(job.stop, windows=())) for job in town.jobs)
    return replace(town, couriers=couriers, jobs=jobs)


def stops_of(instance: Instance, order: int) -> list[int]:
    """A job has one."""
    return [y for y in (int(instance.pickup[order]), int(instance.delivery[order])) if y >= 0]


def cost_of(instance: Instance, v: int, chain: list[int]) -> int:
    """Of a route, whatever the rules."""
    depot = len(instance.order) + int(instance.fleet.kind[v])
    ways = instance.out[instance.fleet.speed[instance.fleet.kind[v]]]
    travel = sum(int(ways[x, y]) for x, y in pairwise([depot, *chain, depot]))
    return travel * int(instance.fleet.rate[v]) + int(instance.fleet.fixed[v]) if chain else 0


def is_allowed(problem: CourierProblem, instance: Instance, v: int, chain: list[int]) -> bool:
    """Whether a route can be driven with all rules kept."""
    visits = [visit_of(problem, instance, stop) for stop in chain]
    return not chain or drive(problem, v, visits) is not None


def legs_of(instance: Instance, draft: Draft, chains: Chains) -> dict[int, tuple[int, int]]:
    """Of each leg of a draft, in which route it is, and before which of its stops."""
    found = {}
    for v in draft.drafted[: draft.total[N_ROUTES]].tolist():
        depot = len(instance.order) + int(instance.fleet.kind[v])
        ways = {way: i for i, way in enumerate(pairwise([depot, *chains[v], depot]))}
        leg = int(draft.first[v])
        while leg != len(draft.x) - 1:
            found[leg] = v, ways[int(draft.x[leg]), int(draft.y[leg])]
            leg = int(draft.after[leg])
    return found


def with_order(instance: Instance, chain: list[int], order: int, i: int, j: int) -> list[int]:
    """An order put in before the i-th stop and the j-th."""
    *first, last = stops_of(instance, order)
    return [*chain[:i], *first, *chain[i:j], last, *chain[j:]]


def cheapest(
    problem: CourierProblem, instance: Instance, chains: Chains, order: int, places: Places
) -> int | None:
    """What an order costs at the best of some places."""
    costs = []
    for v, i, j in places:
        chain = with_order(instance, chains[v], order, i, j)
        costs.append((cost_of(instance, v, chain) - cost_of(instance, v, chains[v]), v, chain))
    for more, v, chain in sorted(costs):
        if is_allowed(problem, instance, v, chain):
            return more
    return None


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), iterations=st.integers(0, 60), n_gone=st.integers(1, 12))
def test_few_legs(seed: int, iterations: int, n_gone: int) -> None:
    """Orders taken out go to the best of the legs that are in the draft, one after the other.

    What it is said to cost is what all routes cost, then, and they can be driven.
    """
    problem, random = worlds(seed), Random(seed)
    instance, search = searched(problem, iterations, seed)
    routes, draft = search.routes, search.draft
    served = [o for o in range(len(instance.may)) if routes.route[instance.delivery[o]] >= 0]
    gone = random.sample(served, min(n_gone, len(served)))
    chains = [routes.stop[v, :m].tolist() for v, m in enumerate(routes.length.tolist())]
    stops_gone = {y for order in gone for y in stops_of(instance, order)}
    chains = [[y for y in chain if y not in stops_gone] for chain in chains]
    draft_without(instance, routes, draft, freeze(np.array(gone, np.int64)))
    if not all(is_allowed(problem, instance, v, chain) for v, chain in enumerate(chains)):
        return  # without a stop another has its setup
    search.trial.random[1] = 10**9  # overlook nothing
    for order in gone:
        found = np.zeros(3, np.int64)
        place_of(instance, routes, draft, search.trial, order, found)
        legs = legs_of(instance, draft, chains)
        is_job = instance.pickup[order] < 0
        places = [
            (a[0], a[1], b[1])
            for a, b in combinations_with_replacement(sorted(legs.values()), 2)
            if a[0] == b[0] and (a == b or not is_job)
        ]
        best = cheapest(problem, instance, chains, order, places)
        if best is None:
            assert found[0] == -1
            return
        v, i, j = int(found[0]), legs[int(found[1])][1], legs[int(found[2])][1]
        chosen = cheapest(problem, instance, chains, order, [(v, j if is_job else i, j)])
        assert chosen == best
        put(instance, draft, order, freeze(found))
        chains[v] = with_order(instance, chains[v], order, j if is_job else i, j)
    accept_draft(instance, routes, draft)
    assert [routes.stop[v, :m].tolist() for v, m in enumerate(routes.length.tolist())] == chains
    assert_consistent(instance, routes)
    assert_allowed(problem, instance, routes)


def test_a_leg_that_does_not_exist() -> None:
    """A pick-up that mends it has no place for a delivery that nothing is known of.

    So it is where a stop is taken out from between two with no way from one to the other.
    """
    durations = np.full((4, 4), 1000, np.uint32)
    np.fill_diagonal(durations, 0)
    a, p, d, end = range(4)
    for x, y in ((a, end), (p, d), (p, a)):
        durations[x, y] = INF
    shipment, job = Shipment(Stop(p), Stop(d)), Job(Stop(a))
    problem = CourierProblem(freeze(durations), (Courier((), (end,)),), (shipment,), (job,))
    instance = make_instance(problem)
    search = new_search(instance, 1)
    stop, length = np.zeros((1, 3), np.uint32), np.ones(1, np.int64)
    stop[0, 0] = instance.delivery[1]
    take_stops(instance, search.routes, freeze(stop), freeze(length))
    draft_whole(instance, search.routes, search.draft)
    search.trial.random[1] = 10**9
    found = np.zeros(3, np.int64)
    place_of(instance, search.routes, search.draft, search.trial, 0, found)
    legs = range(int(search.draft.first[0]), int(search.draft.last[0]) + 1)
    assert found[0] == -1 or set(found[1:].tolist()) <= set(legs)


@pytest.mark.parametrize("seed", range(30))
def test_ways_that_do_not_exist(seed: int) -> None:
    """Searches go on where every sixth way is missing, with room for little."""
    random = np.random.default_rng(seed)
    durations = random.integers(100, 9000, (12, 12)).astype(np.uint32)
    durations[random.random((12, 12)) < 1 / 6] = INF
    np.fill_diagonal(durations, 0)
    shipments = tuple(
        Shipment(Stop(int(x)), Stop(int(y)), (1,)) for x, y in random.integers(0, 12, (12, 2))
    )
    couriers = (Courier((0,), (1,), (2,)), Courier((), (), (3,), fixed_cost=50))
    problem = CourierProblem(freeze(durations), couriers, shipments)
    params = CourierParams(seconds=None, iterations=3000, seed=seed)
    check_plan(problem, solve_courier(problem, params))
