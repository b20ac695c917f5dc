"""Graphs, components, landmarks and searches on real maps."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from oracles import naive_dijkstra, turn_steps

from gis.arrays import INF, freeze
from gis.network.build import build_network
from gis.network.road_network import RoadNetwork
from gis.osm.read import read_osm
from gis.profiles.registry import apply_profile, get_profile, tag_selection
from routing.graph.components import (
    ARC_END,
    ARC_START,
    Components,
    build_components,
    check_components,
)
from routing.graph.turn_graph import TurnGraph, build_turn_graph, check_turn_graph
from routing.metric import Metric, check_metric, duration_metric
from routing.search.dijkstra import SearchState, dijkstra, shortest_path_tree
from routing.search.landmarks import alt_query, build_landmarks, check_landmarks
from routing.search.seeds import Place, Seeds, source_seeds, target_seeds, vertices_of


class Town(NamedTuple):
    """A map prepared for a car."""

    network: RoadNetwork
    graph: TurnGraph
    metric: Metric
    components: Components


def prepare(path: Path) -> Town:
    """Read a map and build what searches need, with all checks."""
    car = get_profile("car")
    tables = read_osm(path, tag_selection([car]))
    verdicts = apply_profile(car, tables.way_tags, tables.node_tags, tables.relation_tags)
    network, _ = build_network(tables, [verdicts])
    metric = duration_metric(network, verdicts)
    check_metric(metric, network.n_arcs)
    graph = build_turn_graph(network, verdicts, metric.open_arc)
    check_turn_graph(graph, network.n_arcs)
    everywhere = freeze(np.ones(network.n_arcs, np.bool_))
    components = build_components(graph, metric.open_arc, everywhere)
    check_components(components, network.n_arcs)
    return Town(network, graph, metric, components)


def seeds_at(town: Town, edge: int, fraction: float) -> tuple[Seeds, Seeds]:
    """Seeds to leave a place in both directions, and to come to it."""
    ends = [(2 * edge, fraction), (2 * edge + 1, 1 - fraction)]
    n_arcs = town.network.n_arcs
    copies = [(v, part) for arc, part in ends for v in vertices_of(town.graph, n_arcs, arc)]
    return (
        source_seeds(town.graph, town.metric, [Place(*end) for end in ends]),
        target_seeds(town.graph, town.metric, [Place(*end) for end in copies]),
    )


def check_town(town: Town, n_pairs: int) -> None:
    """A* finds the costs of Dijkstra's search between random places, unreachable ones included."""
    network, graph, metric, components = town
    landmarks = build_landmarks(network, metric, components)
    check_landmarks(landmarks, network.n_nodes, network.n_arcs)
    state = SearchState(graph)
    rng = np.random.default_rng(1)
    edges = np.flatnonzero(metric.open_arc[0::2] | metric.open_arc[1::2])
    n_settled = np.zeros(2, np.int64)
    for _ in range(n_pairs):
        sources, _ = seeds_at(town, int(rng.choice(edges)), rng.random())
        _, targets = seeds_at(town, int(rng.choice(edges)), rng.random())
        expected = dijkstra(state, graph, metric, sources, targets)
        found = alt_query(state, graph, metric, landmarks, sources, targets)
        assert found.cost == expected.cost
        n_settled += expected.n_settled, found.n_settled
    assert n_settled[1] < 0.5 * n_settled[0]


def test_the_sample(sample: Path) -> None:
    """Searches agree with each other and with plain Python; flags say what can be reached."""
    town = prepare(sample)
    check_town(town, n_pairs=200)
    _, graph, metric, components = town
    steps = turn_steps(graph, metric.weight.tolist())
    state = SearchState(graph)
    main = np.flatnonzero(components.arc_component == 0).tolist()
    for edge in {arc >> 1 for arc in (main[0], main[len(main) // 2])}:
        seeds, _ = seeds_at(town, edge, 0.5)
        starts = zip(seeds.vertex.tolist(), seeds.cost.tolist(), strict=True)
        expected = naive_dijkstra(steps, starts)
        costs, _ = shortest_path_tree(state, graph, metric, seeds)
        assert costs.tolist() == [expected.get(v, INF) for v in range(graph.n_vertices)]
        reached = set(graph.vertex_arc[costs < INF].tolist())
        assert reached == set(np.flatnonzero(components.arc_flags & ARC_END).tolist())
        backward, _ = shortest_path_tree(state, graph, metric, seeds, backward=True)
        leads_here = np.unique(graph.vertex_arc[backward < INF])
        assert (components.arc_flags[leads_here] & ARC_START > 0).all()


@pytest.mark.compiled
def test_the_extracts(extract: Path) -> None:
    """Searches agree on every larger map at hand."""
    check_town(prepare(extract), n_pairs=60)
