"""Bounded searches against one that shares no code with them."""

from collections.abc import Sequence

import pytest
from graphs import SearchWorld, search_worlds
from hierarchies import seeds_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import naive_dijkstra, turn_steps

from gis.arrays import INF
from routing.metric import DistanceMetric
from routing.search.bounded import bounded_search, new_bounded_state
from routing.search.dijkstra import turns_of

Rows = Sequence[tuple[int, int, int]]


@st.composite
def seeded_worlds(draw: st.DrawFn, max_weight: int, max_cost: int) -> tuple[SearchWorld, Rows]:
    """A world and up to five seeds, repeated vertices included."""
    world = draw(search_worlds(max_weight))
    n = world.graph.n_vertices
    seed = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max_cost), st.just(0))
    return world, draw(st.lists(seed, max_size=5 if n else 0))


def naive_costs(world: SearchWorld, rows: Rows, backward: bool, limit: int) -> dict[int, int]:
    steps = turn_steps(world.graph, world.metric.weight.tolist(), backward)
    cost = naive_dijkstra(steps, [(vertex, paid) for vertex, paid, _ in rows])
    return {vertex: paid for vertex, paid in cost.items() if paid < limit}


@settings(max_examples=100)
@given(
    seeded_worlds(20, 40) | seeded_worlds(INF - 1, INF - 1),
    st.lists(st.sampled_from([0, 1, 10, 40, 300, 4000, INF - 1, INF]), min_size=1, max_size=3),
)
def test_what_is_reached(case: tuple[SearchWorld, Rows], limits: list[int]) -> None:
    """All that costs less than the limit, the cheapest first, and nothing else."""
    world, rows = case
    state = new_bounded_state(world.graph, n_seeds=2)
    for limit in limits:
        for backward in (False, True):
            steps = turns_of(world.graph, world.metric, backward)
            expected = naive_costs(world, rows, backward, limit)
            reached = bounded_search(state, steps, seeds_of(rows), limit)
            assert reached is not None
            cost = reached.cost.tolist()
            assert dict(zip(reached.vertex.tolist(), cost, strict=True)) == expected
            assert len(cost) == len(expected) and cost == sorted(cost)
            assert (state.label == INF).all()


@settings(max_examples=50)
@given(seeded_worlds(20, 40))
def test_no_more_than_wanted(case: tuple[SearchWorld, Rows]) -> None:
    """A search that would settle too many vertices gives up, and leaves no trace."""
    world, rows = case
    state, steps = new_bounded_state(world.graph), turns_of(world.graph, world.metric)
    expected = naive_costs(world, rows, False, INF)
    for most in range(len(expected) + 2):
        reached = bounded_search(state, steps, seeds_of(rows), INF, most)
        assert (state.label == INF).all()
        if most < len(expected):
            assert reached is None
        else:
            assert reached is not None and len(reached.vertex) == len(expected)


@pytest.mark.parametrize("backward", [False, True])
@settings(max_examples=20)
@given(search_worlds())
def test_turns_that_count_nothing(backward: bool, world: SearchWorld) -> None:
    """Turns count what the metric makes of them."""
    graph = world.graph
    metric = DistanceMetric(world.metric.weight, world.metric.length_cm)
    assert not turns_of(graph, metric, backward).cost.any()
