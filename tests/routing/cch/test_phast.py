"""Sweeps against a search that shares no code with them, and against Dijkstra's on streets."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from graphs import SearchWorld, lattice_worlds, search_worlds
from hierarchies import Prepared, prepare, prepared_worlds, seeds_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import naive_dijkstra, turn_steps

from gis.arrays import INF
from routing.cch.phast import Sweeper, check_sweeper
from routing.search.dijkstra import SearchState, shortest_path_tree

Rows = Sequence[tuple[int, int, int]]


@st.composite
def seeded_worlds(draw: st.DrawFn, max_weight: int, max_cost: int) -> tuple[Prepared, Rows]:
    """A world and up to five seeds, repeated vertices included."""
    prepared = draw(prepared_worlds(search_worlds(max_weight)))
    n = len(prepared.order)
    seed = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max_cost), st.just(0))
    return prepared, draw(st.lists(seed, max_size=5 if n else 0))


def naive_costs(world: SearchWorld, rows: Rows, backward: bool) -> list[int]:
    steps = turn_steps(world.graph, world.metric.weight.tolist(), backward)
    cost = naive_dijkstra(steps, [(vertex, paid) for vertex, paid, *_ in rows])
    return [cost.get(vertex, INF) for vertex in range(world.graph.n_vertices)]


@settings(max_examples=100)
@given(seeded_worlds(20, 40) | seeded_worlds(INF - 1, INF - 1))
def test_all_costs(case: tuple[Prepared, Rows]) -> None:
    """To all vertices and from all vertices, unreachable ones and the limits included."""
    prepared, rows = case
    weights = prepared.customizer.customize(prepared.world.metric, 1)
    sweeper = Sweeper.of(prepared.hierarchy)
    check_sweeper(sweeper)
    for backward in (False, True):
        expected = naive_costs(prepared.world, rows, backward)
        for threads in (1, 2):
            cost = sweeper.sweep(weights, seeds_of(rows), backward, threads)
            assert cost.dtype == np.uint32 and not cost.flags.writeable
            assert cost.tolist() == expected


@pytest.mark.compiled
@settings(max_examples=20)
@given(search_worlds(max_weight=300, of=lattice_worlds()), st.integers(0, 2**32 - 1))
def test_in_town(world: SearchWorld, seed: int) -> None:
    """Several callers may use one sweeper at the same time, each with its own threads."""
    prepared, rng = prepare(world, seed), np.random.default_rng(seed)
    weights = prepared.customizer.customize(world.metric, 1)
    sweeper, state = Sweeper.of(prepared.hierarchy), SearchState(world.graph)
    starts = [
        seeds_of(
            [(int(v), int(rng.integers(300)), 0) for v in rng.integers(0, len(prepared.order), 2)]
        )
        for _ in range(6)
    ]
    for backward in (False, True):
        with ThreadPoolExecutor(3) as pool:
            found = list(
                pool.map(lambda seeds: sweeper.sweep(weights, seeds, backward, 2), starts)  # noqa: B023
            )
        for seeds, cost in zip(starts, found, strict=True):
            expected, _ = shortest_path_tree(state, world.graph, world.metric, seeds, backward)
            assert (cost == expected).all()
