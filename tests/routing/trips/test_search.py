"""The search for tours over many stops: valid, never worse, the same again, and good."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tours import FIXED, random_cost, reference_tour, way_cost

from gis.arrays import I64, INF, freeze
from routing.errors import InvalidInput
from routing.trips.construct import insert_farthest
from routing.trips.effort import QUICK, Effort, effort_of
from routing.trips.exact import MOST_EXACT, shortest_tour
from routing.trips.improve import improve, tour_cost, ways_between
from routing.trips.merge import merge_tours
from routing.trips.order import order_stops
from routing.trips.search import search_tour


@st.composite
def costs(draw: st.DrawFn, least: int = 2, most: int = 24) -> I64:
    """Costs of any kind: few different values, places that are equal, ways that are not there."""
    n = draw(st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cost = rng.integers(0, draw(st.sampled_from((1, 3, 1000, 10**6))), (n, n))
    same = rng.integers(0, n, n) if draw(st.booleans()) else np.arange(n)
    cost = cost[np.ix_(same, same)]
    cost[rng.random((n, n)) < draw(st.sampled_from((0.0, 0.3, 1.0)))] = INF
    np.fill_diagonal(cost, draw(st.sampled_from((0, 7))))
    return freeze(cost)


@given(cost=costs(), seed=st.integers(0, 10**9), kicks=st.integers(0, 20))
@settings(max_examples=80, deadline=None)
def test_any_costs_give_a_tour(cost: I64, seed: int, kicks: int) -> None:
    """Over all stops, not longer than before, the same for the same seed."""
    ways = ways_between(cost)
    begin = insert_farthest(cost, seed % len(cost))
    assert begin[0] == seed % len(cost) and sorted(begin.tolist()) == list(range(len(cost)))
    found = improve(ways, begin, kicks, seed)
    assert sorted(found.tolist()) == list(range(len(cost)))
    assert tour_cost(cost, found) <= tour_cost(cost, begin)
    assert improve(ways, begin, kicks, seed).tolist() == found.tolist()


@given(cost=costs(), seed=st.integers(0, 10**9))
@settings(max_examples=80, deadline=None)
def test_a_merged_tour_is_not_longer(cost: I64, seed: int) -> None:
    """Of two tours, neither is shorter than what is made of them; what they share stays."""
    rng = np.random.default_rng(seed)
    n = len(cost)
    one = rng.permutation(n)
    cut = sorted(rng.integers(0, n + 1, 3))
    parts = [one[: cut[0]], one[cut[0] : cut[1]], one[cut[1] : cut[2]], one[cut[2] :]]
    other = np.concatenate([parts[i] for i in rng.permutation(4)])
    merged = merge_tours(cost, freeze(one), freeze(other), 5, seed)
    assert sorted(merged.tolist()) == list(range(n))
    assert tour_cost(cost, merged) <= min(tour_cost(cost, one), tour_cost(cost, other))

    def arcs(tour: I64) -> set[tuple[int, int]]:
        return set(zip(tour.tolist(), np.roll(tour, -1).tolist(), strict=True))

    assert arcs(one) & arcs(other) <= arcs(merged)


@pytest.mark.parametrize("seed", range(6))
def test_a_merge_is_the_best_of_what_is_left(seed: int) -> None:
    """Tours over few stops that share nothing are merged to the shortest of all."""
    cost = random_cost(8, seed)
    one, other = freeze(np.arange(8)), freeze(np.arange(8)[::-1])
    best = tour_cost(cost, shortest_tour(cost))
    assert tour_cost(cost, merge_tours(cost, one, other, 0, 1)) == best


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_the_shortest(seed: int) -> None:
    """Of as many stops as can be ordered exactly, in one round."""
    cost = random_cost(MOST_EXACT, seed)
    found = search_tour(cost, Effort(rounds=1, seed=seed))
    assert tour_cost(cost, found) == tour_cost(cost, shortest_tour(cost))


@pytest.mark.compiled
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 30])
def test_whatever_the_number_of_threads(n: int) -> None:
    """The same tour for the same seed and number of rounds."""
    cost = random_cost(n, 5)
    for rounds in (0, 1, 5):
        tours = [
            search_tour(cost, Effort(rounds=rounds, seed=3, threads=threads)).tolist()
            for threads in (1, 2, 5)
        ]
        assert sorted(tours[0]) == list(range(n))
        assert tours[0] == tours[1] == tours[2]


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(3))
def test_better_than_moving_single_stops(seed: int) -> None:
    """The short search finds shorter tours than ten slow ones, and rounds none that are longer."""
    cost = random_cost(40, seed)
    reference = way_cost(cost, reference_tour(cost, seed), True)
    quick = tour_cost(cost, search_tour(cost, QUICK))
    assert quick <= 0.995 * reference
    assert tour_cost(cost, search_tour(cost, Effort(rounds=4))) <= quick


@pytest.mark.compiled
@pytest.mark.parametrize("n", [13, 60, 400])
def test_it_ends_in_time(n: int) -> None:
    """After at least one round, however little time there is, and not long after it is over."""
    cost = random_cost(n, 1)
    search_tour(cost, Effort(seconds=0.0))
    began = time.perf_counter()
    tour = search_tour(cost, Effort(seconds=0.5))
    assert 0 < time.perf_counter() - began < 10
    assert sorted(tour.tolist()) == list(range(n))


@pytest.mark.compiled
@pytest.mark.parametrize(("round_trip", "first", "last"), [*FIXED, (False, False, False)])
@pytest.mark.parametrize("n", [2, 3, 12, 13, 14, 20])
def test_ends_are_kept(round_trip: bool, first: bool, last: bool, n: int) -> None:
    """With rounds as without, also where some ways are not there."""
    cost = random_cost(n, n).astype(np.uint32)
    cost[np.random.default_rng(n).random((n, n)) < 0.1] = INF
    for effort in (QUICK, Effort(rounds=1)):
        order = order_stops(cost, round_trip=round_trip, first=first, last=last, effort=effort)
        assert sorted(order.tolist()) == list(range(n))
        assert order[0] == 0 or not (first or (round_trip and not last))
        assert order[-1] == n - 1 or not (last and (first or not round_trip))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "ends", [(False, True, False), (False, False, True), (False, False, False)]
)
@pytest.mark.parametrize("seed", range(4))
def test_open_ends_beyond_the_exact(ends: tuple[bool, bool, bool], seed: int) -> None:
    """Of 14 stops, the search finds what the recurrence over subsets finds of the same."""
    round_trip, first, last = ends
    n = 14
    cost = random_cost(n, seed)
    order = order_stops(
        cost.astype(np.uint32),
        round_trip=round_trip,
        first=first,
        last=last,
        effort=Effort(rounds=1),
    )
    free = np.zeros((n + 1, n + 1), np.int64)
    free[1:, 1:] = cost
    if first:
        free[0, 2:] = 1 << 40
    if last:
        free[1:n, 0] = 1 << 40
    best = tour_cost(free, shortest_tour(freeze(free)))
    assert way_cost(cost, order.tolist(), False) == best


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_no_such_time(seconds: float) -> None:
    """Told in one line."""
    with pytest.raises(InvalidInput, match=r"seconds is .*, expected 0 or more"):
        effort_of(seconds)
    assert effort_of(None) is QUICK
    assert effort_of(0.5).seconds == 0.5
