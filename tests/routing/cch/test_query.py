"""The elimination-tree query against Dijkstra's search and one that shares no code with either."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from graphs import SearchWorld, lattice_worlds, make_graph, make_metric, search_worlds
from hierarchies import (
    Prepared,
    Row,
    best_between,
    key_steps,
    packed,
    prepare,
    prepared_worlds,
    seeds_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import naive_route_cost

from gis.arrays import INF, freeze
from routing.cch.customize import Customizer
from routing.cch.hierarchy import build_hierarchy
from routing.cch.query import QueryState, new_state, plant, reset, run_query, search, third_over
from routing.cch.weights import INF_COST, Weights
from routing.metric import Metric
from routing.search.dijkstra import SearchState, dijkstra
from routing.search.seeds import (
    Path,
    Place,
    Seeds,
    part_cost,
    source_seeds,
    target_seeds,
    vertices_of,
)

Rows = Sequence[Row]


class Finder:
    """Queries with one state, after each of which it is as before."""

    def __init__(self, prepared: Prepared, metric: Metric | None = None) -> None:
        self.graph, self.hierarchy = prepared.world.graph, prepared.hierarchy
        self.metric = metric or prepared.world.metric
        self.steps = key_steps(self.graph, self.metric)
        self.weights: Weights = prepared.customizer.customize(self.metric, 1)
        self.state = new_state(self.hierarchy)

    def find(self, sources: Seeds, targets: Seeds) -> Path:
        path = run_query(self.state, self.hierarchy, self.weights, sources, targets)
        assert is_clean(self.state)
        assert not path.vertices.flags.writeable
        return path

    def best_key(self, sources: Seeds, targets: Seeds) -> tuple[int, int]:
        """Cost and third of the best path, as the search itself knows them."""
        state, rank = new_state(self.hierarchy), self.hierarchy.rank
        ends = (
            plant(side, rank, seeds.vertex, seeds.key, seeds.third)
            for side, seeds in ((state.forward, sources), (state.backward, targets))
        )
        key, meeting, n_visited = search(self.hierarchy, self.weights, state, *ends)
        third = 0
        if key < INF_COST:
            third = third_over(self.hierarchy, self.weights, state, np.uint32(meeting))
        reset(state, n_visited)
        assert is_clean(state)
        return int(key), int(third)

    def check(self, sources: Sequence[Row], targets: Sequence[Row]) -> None:
        """The key is the least, and the path from seed to seed adds up to it."""
        expected = best_between(self.steps, sources, targets)
        ends = seeds_of(sources), seeds_of(targets)
        path = self.find(*ends)
        assert self.best_key(*ends) == (packed(expected), expected[2] if expected else 0)
        if expected is None:
            assert path.cost == INF and path.vertices.size == 0
            assert path.source == path.target == -1
            return
        assert path.cost == expected[0]
        vertices = path.vertices.tolist()
        first, *paid = sources[path.source]
        last, *to_pay = targets[path.target]
        assert (vertices[0], vertices[-1]) == (first, last)
        turns = [dict(self.steps[a])[b] for a, b in pairwise(vertices)]
        assert tuple(map(sum, zip(paid, to_pay, *turns, strict=True))) == expected


def is_clean(state: QueryState) -> bool:
    return bool(
        (state.forward.label == INF_COST).all() and (state.backward.label == INF_COST).all()
    )


@settings(max_examples=30)
@given(prepared_worlds())
def test_all_pairs(prepared: Prepared) -> None:
    """Between all pairs of vertices, unreachable ones included, in any order of elimination."""
    finder = Finder(prepared)
    for source in range(prepared.world.graph.n_vertices):
        for target in range(prepared.world.graph.n_vertices):
            finder.check([(source, 0, 0, 0)], [(target, 0, 0, 0)])


@st.composite
def seeded_worlds(draw: st.DrawFn, max_weight: int, max_cost: int) -> tuple[Prepared, Rows, Rows]:
    """A world with up to ten seeds on either end, repeated vertices included."""
    prepared = draw(prepared_worlds(search_worlds(max_weight)))
    n = len(prepared.order)
    further = st.sampled_from([0, 1, 5, 10**6])
    third = further if prepared.world.metric.has_durations else st.just(0)
    seed = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max_cost), further, third)
    seeds = st.lists(seed, max_size=10 if n else 0)
    return prepared, draw(seeds), draw(seeds)


@settings(max_examples=150)
@given(seeded_worlds(max_weight=20, max_cost=40) | seeded_worlds(max_weight=2, max_cost=2))
def test_several_seeds(case: tuple[Prepared, Rows, Rows]) -> None:
    """With any seeds at both ends, more than the state has room for, ties included."""
    prepared, sources, targets = case
    finder = Finder(prepared)
    finder.check(sources, targets)
    finder.check(targets, sources)


@settings(max_examples=150)
@given(seeded_worlds(max_weight=INF - 1, max_cost=INF - 1))
def test_the_limits_of_weights(case: tuple[Prepared, Rows, Rows]) -> None:
    """Costs do not wrap: a path that reaches INF is none, all others keep their cost."""
    prepared, sources, targets = case
    Finder(prepared).check(sources, targets)


@settings(max_examples=150)
@given(prepared_worlds(), st.data())
def test_from_place_to_place(prepared: Prepared, data: st.DataObject) -> None:
    """Routes between fractions of arcs cost what moving step by step along them does."""
    network, graph, metric = prepared.world
    if not metric.open_arc.any():
        return
    finder = Finder(prepared)
    arcs = st.sampled_from(np.flatnonzero(metric.open_arc).tolist())
    fractions = st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])
    (a, f), (b, g) = data.draw(st.tuples(arcs, fractions)), data.draw(st.tuples(arcs, fractions))
    weight = metric.weight.tolist()
    gone, to_go = part_cost(weight[a], f), part_cost(weight[b], g)
    sources = source_seeds(graph, metric, [Place(a, f)])
    copies = vertices_of(graph, network.n_arcs, b)
    targets = target_seeds(graph, metric, [Place(v, g) for v in copies])
    cost = finder.find(sources, targets).cost
    if a == b and gone <= to_go:
        cost = min(cost, to_go - gone)
    assert cost == naive_route_cost(graph, weight, (a, gone), (b, to_go))


@settings(max_examples=20)
@given(search_worlds(max_weight=300, of=lattice_worlds()), st.integers(0, 2**32 - 1))
def test_in_town(world: SearchWorld, seed: int) -> None:
    """Where searches meet high up, the costs are those of Dijkstra's search; so after a change."""
    prepared, rng = prepare(world, seed), np.random.default_rng(seed)
    graph, metric = world.graph, world.metric
    weight = np.where(rng.random(len(metric.weight)) < 0.1, INF, metric.weight)
    weight = np.where((weight < INF) & (rng.random(len(weight)) < 0.2), weight * 3, weight)
    changed = replace(metric, weight=freeze(weight.astype(np.uint32)))
    state = SearchState(graph)
    for now in (metric, changed):
        finder = Finder(prepared, now)
        for _ in range(20):
            rows = [
                [
                    (int(v), int(rng.integers(300)), 0, 0)
                    for v in rng.integers(0, graph.n_vertices, n)
                ]
                for n in rng.integers(1, 4, 2)
            ]
            ends = seeds_of(rows[0]), seeds_of(rows[1])
            assert finder.find(*ends).cost == dijkstra(state, graph, now, *ends).cost
        finder.check(*rows)


@given(prepared_worlds())
def test_no_seeds(prepared: Prepared) -> None:
    """Without a source or without a target there is no path."""
    finder = Finder(prepared)
    everywhere = [(v, 0, 0, 0) for v in range(prepared.world.graph.n_vertices)]
    for ends in ((everywhere, []), ([], everywhere), ([], [])):
        finder.check(*ends)


@pytest.mark.parametrize("weight", [1, INF - 1])
def test_a_graph_of_one_arc(weight: int) -> None:
    """The only way is to be there already; what both ends pay counts."""
    graph = make_graph([0], [])
    hierarchy = build_hierarchy(graph, freeze(np.zeros(1, np.uint32)))
    weights = Customizer.of(graph, hierarchy).customize(make_metric([weight], [3]))
    state = new_state(hierarchy)
    for paid, to_pay, expected in ((0, 0, 0), (INF - 2, 1, INF - 1), (INF - 1, 1, INF)):
        ends = seeds_of([(0, paid, 2, 0)]), seeds_of([(0, to_pay, 0, 0)])
        path = run_query(state, hierarchy, weights, *ends)
        assert path.cost == expected and is_clean(state)
        assert path.vertices.tolist() == ([] if expected == INF else [0])
        assert path.n_settled == 1


def test_a_long_road() -> None:
    """The path up and down through all vertices of a graph fits into its room."""
    n = 40
    graph = make_graph([*range(n)], [(v, v + 1, v % 3) for v in range(n - 1)])
    metric = make_metric([1 + v % 5 for v in range(n)], list(range(n)))
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(n).astype(np.uint32)
        hierarchy = build_hierarchy(graph, freeze(order))
        weights = Customizer.of(graph, hierarchy).customize(metric)
        ends = seeds_of([(0, 0, 0, 0)]), seeds_of([(n - 1, 0, 0, 0)])
        path = run_query(new_state(hierarchy), hierarchy, weights, *ends)
        assert path.vertices.tolist() == list(range(n))


@pytest.mark.parametrize("duration", [None, (8, 8), (8, 9), (9, 8)])
@pytest.mark.parametrize("length", [(5, 4), (4, 5)])
def test_of_two_ways_alike(length: tuple[int, int], duration: tuple[int, int] | None) -> None:
    """Over arc 1 or over arc 2, both as dear, the faster, else the shorter one.

    Whichever is eliminated first.
    """
    graph = make_graph([0, 1, 2, 3], [(0, 1, 2), (0, 2, 2), (1, 3, 3), (2, 3, 3)])
    metric = make_metric([1, 7, 7, 1], [0, *length, 0])
    expected = 1 + int(length[1] < length[0])
    if duration is not None:
        own = freeze(np.array([1, *duration, 1], np.uint32))
        metric = replace(metric, own_duration_cs=own)
        if duration[0] != duration[1]:
            expected = 1 + int(duration[1] < duration[0])
    for seed in range(12):
        order = np.random.default_rng(seed).permutation(4).astype(np.uint32)
        hierarchy = build_hierarchy(graph, freeze(order))
        weights = Customizer.of(graph, hierarchy).customize(metric)
        ends = seeds_of([(0, 0, 0, 0)]), seeds_of([(3, 0, 0, 0)])
        path = run_query(new_state(hierarchy), hierarchy, weights, *ends)
        assert path.vertices.tolist() == [0, expected, 3]
