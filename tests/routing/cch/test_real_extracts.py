"""The hierarchy on real maps, held against Dijkstra's search."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hierarchies import turns_are_arcs

from gis.arrays import INF, INVALID, freeze
from gis.dataset import open_dataset
from routing.build import build_dataset
from routing.cch.hierarchy import check_hierarchy
from routing.cch.query import new_state, run_query
from routing.cch.table import SeedGroups, TableState, travel_table
from routing.cch.weights import check_weights
from routing.search.dijkstra import SearchState, shortest_path_tree
from routing.search.seeds import Place, Seeds, source_seeds, target_seeds, vertices_of
from routing.store import PreparedProfile, load_profile

N_SOURCES, N_TARGETS = 50, 200


def grouped(seeds: list[Seeds]) -> SeedGroups:
    first = np.cumsum([0, *(len(one.vertex) for one in seeds)]).astype(np.uint32)
    columns = [np.concatenate(column) for column in zip(*seeds, strict=True)][:4]
    return SeedGroups(freeze(first), *(freeze(column) for column in columns))


def weight_along(prepared: PreparedProfile, vertices: list[int]) -> int:
    """What a path costs from the start of its first arc to the start of its last."""
    graph, weight = prepared.turn_graph, prepared.metric.weight
    total = 0
    for tail, head in pairwise(vertices):
        out = slice(int(graph.first_turn[tail]), int(graph.first_turn[tail + 1]))
        (turn,) = np.flatnonzero(graph.turn_head[out] == head)
        total += int(weight[graph.vertex_arc[tail]]) + int(graph.turn_cost[out][turn])
    return total


@pytest.mark.compiled
def test_ten_thousand_pairs(extract: Path, tmp_path: Path) -> None:
    """Costs of 10,000 pairs of places are Dijkstra's, in tables and alone; paths add up to them.

    A tenth of the places lies on roads that are not connected to the rest, so some have no route.
    """
    dataset = tmp_path / "town.whimbrel"
    build_dataset(extract, dataset)
    prepared = load_profile("car", open_dataset(dataset).arrays)
    graph, metric, hierarchy = prepared.turn_graph, prepared.metric, prepared.hierarchy
    if prepared.conditions.verdicts.expressions:  # it is that of the turns of all times
        assert turns_are_arcs(graph, hierarchy)
    else:
        check_hierarchy(hierarchy, graph)
    check_weights(prepared.weights, hierarchy)
    rng = np.random.default_rng(7)
    component = prepared.components.arc_component
    apart = np.flatnonzero((component != 0) & (component != INVALID))
    anywhere = np.flatnonzero(metric.open_arc)

    def places(n: int) -> list[Place]:
        arcs = np.concatenate([rng.choice(anywhere, n - n // 10), rng.choice(apart, n // 10)])
        return [Place(int(arc), float(rng.random())) for arc in arcs]

    sources = [source_seeds(graph, metric, [place]) for place in places(N_SOURCES)]
    targets = [
        target_seeds(graph, metric, [Place(v, at) for v in vertices_of(graph, len(component), arc)])
        for arc, at, _ in places(N_TARGETS)
    ]
    groups = grouped(sources), grouped(targets)
    table = travel_table(TableState(hierarchy), hierarchy, prepared.weights, *groups)
    scratch, state = SearchState(graph), new_state(hierarchy)
    n_unreachable = 0
    for row, source in enumerate(sources):
        cost, _ = shortest_path_tree(scratch, graph, metric, source)
        for column, target in enumerate(targets):
            beyond = cost[target.vertex].astype(np.int64) + target.cost
            expected = min(int(beyond.min()), INF)
            assert table.weight[row, column] == expected
            n_unreachable += expected == INF
            if column % 20 == row % 20:
                path = run_query(state, hierarchy, prepared.weights, source, target)
                assert path.cost == expected
                if expected < INF:
                    vertices = path.vertices.tolist()
                    ends = source.cost[source.vertex == vertices[0]].min()
                    ends += target.cost[target.vertex == vertices[-1]].min()
                    assert weight_along(prepared, vertices) + int(ends) == expected
    assert 0 < n_unreachable < N_SOURCES * N_TARGETS / 2
