"""Landmarks against plain distances on the network, and what searches may rely on."""

from dataclasses import replace

import numpy as np
from graphs import SearchWorld, lattice_worlds, search_worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import naive_dijkstra

from gis.arrays import INF, freeze
from gis.network.road_network import arc_ends
from routing.graph.components import Components, build_components
from routing.search.dijkstra import SearchState, dijkstra
from routing.search.landmarks import alt_query, build_landmarks, check_landmarks
from routing.search.seeds import Seeds


def components_of(world: SearchWorld) -> Components:
    everywhere = freeze(np.ones(world.network.n_arcs, np.bool_))
    return build_components(world.graph, world.metric.open_arc, everywhere)


@given(search_worlds() | search_worlds(max_weight=INF - 1), st.integers(0, 5))
def test_distances(world: SearchWorld, k: int) -> None:
    """As many landmarks as asked for and possible, each measured to and from every node."""
    network, _, metric = world
    components = components_of(world)
    landmarks = build_landmarks(network, metric, components, k)
    check_landmarks(landmarks, network.n_nodes, network.n_arcs)
    tail, head = (ends.tolist() for ends in arc_ends(network))
    main = {tail[arc] for arc in np.flatnonzero(components.arc_component == 0).tolist()}
    assert len(landmarks.node) == min(k, len(main))
    assert set(landmarks.node.tolist()) <= main
    assert landmarks.arc_tail.tolist() == tail
    arcs = list(zip(tail, head, metric.weight.tolist(), strict=True))
    forward = {n: [(b, w) for a, b, w in arcs if a == n] for n in tail}
    backward = {n: [(a, w) for a, b, w in arcs if b == n] for n in tail}
    for i, node in enumerate(landmarks.node.tolist()):
        for steps, column in (
            (forward, landmarks.from_landmark[:, i]),
            (backward, landmarks.to_landmark[:, i]),
        ):
            cost = naive_dijkstra(steps.__getitem__, [(node, 0)])
            assert column.tolist() == [cost.get(n, INF) for n in range(network.n_nodes)]


@settings(max_examples=20)
@given(search_worlds(max_weight=300, of=lattice_worlds()), st.integers(0, 2**32 - 1))
def test_weights_may_rise(world: SearchWorld, seed: int) -> None:
    """Landmarks made for lower weights still give the exact cost, closures included."""
    network, graph, metric = world
    landmarks = build_landmarks(network, metric, components_of(world))
    rng = np.random.default_rng(seed)
    slower = metric.weight.astype(np.int64) * rng.integers(1, 5, network.n_arcs)
    slower[rng.random(network.n_arcs) < 0.02] = INF
    weight = freeze(np.minimum(slower, INF).astype(np.uint32))
    metric = replace(metric, weight=weight)
    state = SearchState(graph)
    for _ in range(20):
        sources, targets = (
            Seeds(*(freeze(np.array([n], np.uint32)) for n in (vertex, 0, 0, 0, 0)))
            for vertex in rng.integers(0, graph.n_vertices, 2)
        )
        expected = dijkstra(state, graph, metric, sources, targets)
        found = alt_query(state, graph, metric, landmarks, sources, targets)
        assert found.cost == expected.cost


@settings(max_examples=3)
@given(search_worlds(max_weight=300, of=lattice_worlds()))
def test_the_same_landmarks_every_time(world: SearchWorld) -> None:
    """Two builds give the same arrays, whatever the threads do."""
    components = components_of(world)
    first, second = (build_landmarks(world.network, world.metric, components) for _ in range(2))
    for name, array in vars(first).items():
        assert (array == getattr(second, name)).all(), name
