"""The order of stops against all orders, tried one by one."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tours import FIXED, random_cost, way_cost

from gis.arrays import I64
from routing.trips.construct import insert_farthest
from routing.trips.exact import MOST_EXACT, shortest_tour
from routing.trips.improve import improve, tour_cost, ways_between
from routing.trips.order import order_stops


def all_orders(n: int, first: bool, last: bool) -> Iterator[list[int]]:
    """Every order that is allowed."""
    for order in permutations(range(n)):
        if (not first or order[0] == 0) and (not last or order[-1] == n - 1):
            yield list(order)


matrices = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, 30), min_size=n, max_size=n), min_size=n, max_size=n
    ).map(lambda rows: np.array(rows, np.uint32))
)


@pytest.mark.parametrize("fixed", FIXED)
@given(cost=matrices)
@settings(max_examples=60, deadline=None)
def test_few_stops_are_in_the_best_order(fixed: tuple[bool, bool, bool], cost: I64) -> None:
    """None of all orders takes less, whatever is fixed."""
    round_trip, first, last = fixed
    order = order_stops(cost, round_trip=round_trip, first=first, last=last).tolist()
    assert sorted(order) == list(range(len(cost)))
    if first or (round_trip and not last):
        assert order[0] == 0
    if last and (first or not round_trip):
        assert order[-1] == len(cost) - 1
    if round_trip and last and not first:
        assert order[0] == len(cost) - 1, "a round trip ends where it begins"
    # In a round trip without both ends fixed every order goes around.
    orders = all_orders(len(cost), first, last and (first or not round_trip))
    best = min(way_cost(cost, other, round_trip) for other in orders)
    assert way_cost(cost, order, round_trip) == best


@pytest.mark.parametrize("round_trip", [False, True])
def test_twelve_stops_are_in_the_best_order(round_trip: bool) -> None:
    """As many as that are exact however the ends are: none is shorter by subsets of stops."""
    n = 12
    cost = random_cost(n, 5)
    least = {(1 << j, j): 0 for j in range(1 if round_trip else n)}
    for subset in range(1, 1 << n):
        for j in range(n):
            here = least.get((subset, j))
            if here is None:
                continue
            for k in range(n):
                if not subset >> k & 1:
                    further = here + int(cost[j, k])
                    key = subset | 1 << k, k
                    least[key] = min(least.get(key, further), further)
    whole = (1 << n) - 1
    ends = [j for j in range(n) if (whole, j) in least]
    best = min(least[whole, j] + (int(cost[j, 0]) if round_trip else 0) for j in ends)
    order = order_stops(cost, round_trip=round_trip, first=False, last=False).tolist()
    assert way_cost(cost, order, round_trip) == best


@pytest.mark.parametrize("seed", range(5))
def test_many_stops_are_nearly_in_the_best_order(seed: int) -> None:
    """Of as many stops as can be ordered exactly, the search finds that order or one as good."""
    cost = random_cost(MOST_EXACT, seed)
    best = tour_cost(cost, shortest_tour(cost))
    found = tour_cost(cost, improve(ways_between(cost), insert_farthest(cost), 500))
    assert best <= found <= 1.01 * best


@given(n=st.integers(2, 40), seed=st.integers(0, 1000), kicks=st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_improving_never_makes_it_worse(n: int, seed: int, kicks: int) -> None:
    """A tour over all stops, not longer than before, the same for the same seed."""
    cost = random_cost(n, seed)
    given_tour = insert_farthest(cost)
    assert sorted(given_tour.tolist()) == list(range(n)) and given_tour[0] == 0
    found = improve(ways_between(cost), given_tour, kicks, seed)
    assert sorted(found.tolist()) == list(range(n))
    assert tour_cost(cost, found) <= tour_cost(cost, given_tour)
    assert improve(ways_between(cost), given_tour, kicks, seed).tolist() == found.tolist()


@pytest.mark.parametrize("n", [20, 60])
def test_no_small_change_is_left(n: int) -> None:
    """Without kicks, no part that is turned around makes a tour shorter."""
    cost = random_cost(n, n)
    tour = improve(ways_between(cost), insert_farthest(cost), 0).tolist()
    total = way_cost(cost, tour, True)
    for i in range(1, n):
        for j in range(i + 2, n + 1):
            turned = tour[:i] + tour[i:j][::-1] + tour[j:]
            assert way_cost(cost, turned, True) >= total


@pytest.mark.parametrize(("round_trip", "first", "last"), FIXED)
def test_fixed_ends_of_many_stops(round_trip: bool, first: bool, last: bool) -> None:
    """Beyond the exact ones, fixed ends are kept, and the tour is a good one."""
    cost = random_cost(30, 3)
    order = order_stops(cost.astype(np.uint32), round_trip=round_trip, first=first, last=last)
    assert sorted(order.tolist()) == list(range(30))
    if first:
        assert order[0] == 0
    if last and (first or not round_trip):
        assert order[-1] == 29
    rng = np.random.default_rng(1)
    tried = (rng.permutation(30).tolist() for _ in range(200))
    assert way_cost(cost, order.tolist(), round_trip) < min(
        way_cost(cost, other, round_trip) for other in tried
    )


def test_stops_at_one_place() -> None:
    """Nothing takes no time in any order."""
    for n in (2, 5, 20):
        cost = np.zeros((n, n), np.uint32)
        order = order_stops(cost, round_trip=True, first=False, last=False)
        assert sorted(order.tolist()) == list(range(n))
