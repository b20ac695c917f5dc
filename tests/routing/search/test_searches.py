"""Dijkstra's search and A* with landmarks against oracles that share no code with them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from graphs import SearchWorld, lattice_worlds, search_worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import naive_dijkstra, naive_route_cost, path_cost, turn_steps

from gis.arrays import INF, INVALID, freeze
from routing.graph.components import build_components
from routing.search.dijkstra import SearchState, dijkstra, shortest_path_tree
from routing.search.landmarks import alt_query, build_landmarks
from routing.search.seeds import (
    Path,
    Place,
    Position,
    Seeds,
    part_cost,
    source_seeds,
    target_seeds,
    vertices_of,
)

Search = Callable[[Seeds, Seeds], Path]


def searches(world: SearchWorld, n_landmarks: int = 3) -> list[Search]:
    """Dijkstra and A*, with one scratch that they share, as the queries of a thread do."""
    network, graph, metric = world
    everywhere = freeze(np.ones(network.n_arcs, np.bool_))
    components = build_components(graph, metric.open_arc, everywhere)
    landmarks = build_landmarks(network, metric, components, n_landmarks)
    state = SearchState(graph)
    return [
        partial(dijkstra, state, graph, metric),
        partial(alt_query, state, graph, metric, landmarks),
    ]


def seeds_of(pairs: Sequence[tuple[int, int]]) -> Seeds:
    """Seeds with a place each."""
    vertex, cost = zip(*pairs, strict=True) if pairs else ((), ())
    columns = (vertex, cost, *([0] * len(pairs),) * 2, range(len(pairs)))
    return Seeds(*(freeze(np.array(column, np.uint32)) for column in columns))


def check_path(
    world: SearchWorld,
    path: Path,
    sources: Sequence[tuple[int, int]],
    targets: Sequence[tuple[int, int]],
    expected: int,
) -> None:
    """The cost is the expected one, and the path from seed to seed adds up to it."""
    assert path.cost == expected
    if expected == INF:
        assert len(path.vertices) == 0 and path.source == path.target == -1
        return
    vertices = path.vertices.tolist()
    first, paid = sources[path.source]
    last, to_pay = targets[path.target]
    assert (vertices[0], vertices[-1]) == (first, last)
    weight = world.metric.weight.tolist()
    assert paid + path_cost(world.graph, weight, vertices) + to_pay == expected


def naive_cost(
    world: SearchWorld, sources: Sequence[tuple[int, int]], targets: Sequence[tuple[int, int]]
) -> int:
    cost = naive_dijkstra(turn_steps(world.graph, world.metric.weight.tolist()), sources)
    best = min((cost[v] + rest for v, rest in targets if v in cost), default=INF)
    return min(best, INF)


def check_searches(
    world: SearchWorld, sources: Sequence[tuple[int, int]], targets: Sequence[tuple[int, int]]
) -> None:
    expected = naive_cost(world, sources, targets)
    for search in searches(world):
        for _ in range(2):
            path = search(seeds_of(sources), seeds_of(targets))
            check_path(world, path, sources, targets, expected)


@settings(max_examples=20)
@given(search_worlds())
def test_all_pairs(world: SearchWorld) -> None:
    """Between all pairs of vertices, unreachable ones included, both searches are exact."""
    steps = turn_steps(world.graph, world.metric.weight.tolist())
    both = searches(world)
    for source in range(world.graph.n_vertices):
        cost = naive_dijkstra(steps, [(source, 0)])
        for search, target in product(both, range(world.graph.n_vertices)):
            ends = [(source, 0)], [(target, 0)]
            check_path(world, search(*map(seeds_of, ends)), *ends, cost.get(target, INF))


@st.composite
def seeded_worlds(
    draw: st.DrawFn, max_weight: int, max_cost: int
) -> tuple[SearchWorld, list[tuple[int, int]], list[tuple[int, int]]]:
    """A world with up to five seeds on either end, repeated vertices included."""
    world = draw(search_worlds(max_weight))
    n = world.graph.n_vertices
    seed = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max_cost))
    seeds = st.lists(seed, max_size=5 if n else 0)
    return world, draw(seeds), draw(seeds)


@settings(max_examples=150)
@given(seeded_worlds(max_weight=20, max_cost=40))
def test_several_seeds(
    case: tuple[SearchWorld, list[tuple[int, int]], list[tuple[int, int]]],
) -> None:
    """With any seeds at both ends, each with its cost, both searches are exact."""
    check_searches(*case)


@settings(max_examples=100)
@given(seeded_worlds(max_weight=INF - 1, max_cost=INF - 1))
def test_the_limits_of_weights(
    case: tuple[SearchWorld, list[tuple[int, int]], list[tuple[int, int]]],
) -> None:
    """Costs do not wrap: a path that reaches INF is none, all others keep their cost."""
    check_searches(*case)


@settings(max_examples=150)
@given(search_worlds(), st.data())
def test_from_place_to_place(world: SearchWorld, data: st.DataObject) -> None:
    """Routes between fractions of arcs cost what moving step by step along them does.

    Always tried on one arc, both ways round, and on an arc and its reverse.
    """
    network, graph, metric = world
    if not metric.open_arc.any():
        return
    weight = metric.weight.tolist()
    arcs = st.sampled_from(np.flatnonzero(metric.open_arc).tolist())
    a, b = data.draw(arcs), data.draw(arcs)
    fractions = st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])
    f, g = data.draw(fractions), data.draw(fractions)
    both = searches(world)
    for start, end in (
        (Position(a, f), Position(b, g)),
        (Position(a, f), Position(a, g)),
        (Position(a, g), Position(a, f)),
        (Position(a, f), Position(a ^ 1, 1 - g)),
    ):
        if weight[end.arc] == INF:
            continue
        gone, to_go = (part_cost(weight[arc], fraction) for arc, fraction in (start, end))
        if start.arc == end.arc and start.fraction > end.fraction and gone == to_go:
            continue  # only rounding makes them one place
        expected = naive_route_cost(graph, weight, (start.arc, gone), (end.arc, to_go))
        sources = source_seeds(graph, metric, [Place(*start)])
        copies = vertices_of(graph, network.n_arcs, end.arc)
        targets = target_seeds(graph, metric, [Place(v, end.fraction) for v in copies])
        for search in both:
            cost = search(sources, targets).cost
            if start.arc == end.arc and start.fraction <= end.fraction:
                cost = min(cost, to_go - gone)
            assert cost == expected


@given(search_worlds(), st.booleans(), st.integers(0, 100) | st.just(INF))
def test_trees(world: SearchWorld, backward: bool, limit: int) -> None:
    """A tree holds the cost of every vertex below the limit, and parents that explain it."""
    _, graph, metric = world
    steps = turn_steps(graph, metric.weight.tolist(), backward)
    state = SearchState(graph)
    for root in range(0, graph.n_vertices, 3):
        sources = [(root, 0), (root // 2, 7)]
        costs, parents = shortest_path_tree(
            state, graph, metric, seeds_of(sources), backward, limit
        )
        expected = {v: c for v, c in naive_dijkstra(steps, sources).items() if c < limit}
        assert costs.tolist() == [expected.get(v, INF) for v in range(graph.n_vertices)]
        for vertex, (cost, parent) in enumerate(zip(costs.tolist(), parents.tolist(), strict=True)):
            if parent == INVALID:
                assert cost == INF or (vertex, cost) in sources
            else:
                assert (vertex, cost - costs[parent]) in steps(parent)


@settings(max_examples=25)
@given(search_worlds(max_weight=300, of=lattice_worlds()), st.integers(0, 2**32 - 1))
def test_in_town(world: SearchWorld, seed: int) -> None:
    """Where both sides meet far from their ends, A* finds what Dijkstra's search finds."""
    _, graph, _ = world
    dijkstra_search, alt_search = searches(world)
    rng = np.random.default_rng(seed)
    for _ in range(40):
        ends = [
            [(int(rng.integers(graph.n_vertices)), int(rng.integers(300))) for _ in range(n)]
            for n in rng.integers(1, 4, 2)
        ]
        expected = dijkstra_search(*map(seeds_of, ends)).cost
        check_path(world, alt_search(*map(seeds_of, ends)), *ends, expected)


@settings(max_examples=1)
@given(search_worlds(of=lattice_worlds(4)))
def test_a_state_serves_one_size_and_any_number_of_queries(world: SearchWorld) -> None:
    """Scratch of another size is refused; stamps start afresh when the numbers run out."""
    _, graph, metric = world
    other = replace(graph, vertex_arc=graph.vertex_arc[:-1])
    seeds = seeds_of([(0, 0)])
    state = SearchState(graph)
    with pytest.raises(ValueError, match="cannot serve"):
        dijkstra(state, other, metric, seeds, seeds)
    expected, _ = shortest_path_tree(state, graph, metric, seeds)
    state.query = INVALID - 1
    for query in (INVALID, 1, 2):
        costs, _ = shortest_path_tree(state, graph, metric, seeds)
        assert state.query == query
        assert (costs == expected).all()
    many = seeds_of([(0, 0)] * (graph.n_turns + 1000))
    assert dijkstra(state, graph, metric, many, seeds).cost == 0
