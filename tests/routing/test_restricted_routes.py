"""Routes that reach restricted roads and never pass through them, by every way to find one."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from engines import engine_of
from graphs import SearchWorld, World, search_worlds, worlds
from hierarchies import prepare
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import turns_of
from towns import NO_ROUTE, ask, between, check_pair
from walks import following, phased_costs
from world import World as Drawn
from world import spell

from gis.arrays import INF, freeze
from routing.cch.query import new_state, run_query
from routing.cch.table import SeedGroups, Table, TableState, travel_table
from routing.graph.components import build_components
from routing.graph.restricted_roads import restricted_arcs
from routing.search.chain import BrokenChainError, ChainFinder, Search
from routing.search.dijkstra import SearchState, dijkstra
from routing.search.landmarks import alt_query, build_landmarks
from routing.search.seeds import Place, Position, Seeds, source_seeds, target_seeds, vertices_of


@st.composite
def open_worlds(draw: st.DrawFn) -> tuple[World, SearchWorld]:
    """Worlds without turn restrictions, whose rules fit into a few lines."""
    world = draw(worlds(max_nodes=6, n_edges=(1, 9), n_paths=(0, 0)))
    return world, draw(search_worlds(of=st.just(world)))


def naive_costs(world: World, search_world: SearchWorld) -> dict[int, dict[int, int]]:
    """Costs from the start of each open arc to the starts of all, in explicit phases."""
    _, graph, metric = search_world
    weight = metric.weight.tolist()
    turn = {
        (int(graph.vertex_arc[tail]), int(graph.vertex_arc[head])): cost
        for tail, head, cost in turns_of(graph)
    }
    level = restricted_arcs(*world, metric.open_arc).tolist()
    onward = following(world, metric.open_arc.tolist(), level)

    def cost(arc: int, to_arc: int) -> int:
        # No vertex stands for turns between restricted roads that no route can take.
        return weight[arc] + turn[arc, to_arc]

    return {arc: phased_costs(onward, level, cost, arc) for arc in onward}


def searches(search_world: SearchWorld, seed: int) -> list[Search]:
    network, graph, metric = search_world
    prepared = prepare(search_world, seed)
    hierarchy, weights = prepared.hierarchy, prepared.customizer.customize(metric, 1)
    everywhere = freeze(np.ones(network.n_arcs, np.bool_))
    components = build_components(graph, metric.open_arc, everywhere)
    landmarks = build_landmarks(network, metric, components, 3)
    state = SearchState(graph)
    return [
        partial(dijkstra, state, graph, metric),
        partial(alt_query, state, graph, metric, landmarks),
        partial(run_query, new_state(hierarchy), hierarchy, weights),
    ]


def ends_of(search_world: SearchWorld, source: int, target: int) -> tuple[Seeds, Seeds]:
    """Seeds at the starts of two arcs."""
    _, graph, metric = search_world
    targets = [Place(v, 0.0) for v in vertices_of(graph, len(metric.weight), target)]
    return source_seeds(graph, metric, [Place(source, 0.0)]), target_seeds(graph, metric, targets)


@settings(max_examples=100)
@given(open_worlds(), st.integers(0, 2**32 - 1))
def test_costs_between_arcs(both: tuple[World, SearchWorld], seed: int) -> None:
    """Dijkstra, A* and the hierarchy find what a search in phases finds, or that there is none."""
    world, search_world = both
    expected = naive_costs(world, search_world)
    for search in searches(search_world, seed):
        for source, costs in expected.items():
            for target in expected.keys() - {source}:
                path = search(*ends_of(search_world, source, target))
                assert path.cost == costs.get(target, INF)


@settings(max_examples=60)
@given(open_worlds(), st.integers(0, 2**32 - 1), st.data())
def test_chains(both: tuple[World, SearchWorld], seed: int, data: st.DataObject) -> None:
    """At every point of a route one may leave what one entered: each leg is a route of its own."""
    world, search_world = both
    _, graph, metric = search_world
    expected = naive_costs(world, search_world)
    if not expected:
        return
    arcs = data.draw(st.lists(st.sampled_from(sorted(expected)), min_size=2, max_size=5))
    legs = [expected[a].get(b) for a, b in pairwise(arcs)]
    search = data.draw(st.sampled_from(searches(search_world, seed)))
    points = [[Position(arc, 0.0)] for arc in arcs]
    for straight in (True, False):
        try:
            chain = ChainFinder(search, graph, metric).find(points, straight)
        except BrokenChainError as error:
            assert legs[error.leg] is None
            continue
        # Where a way goes on neither straight ahead nor freely it may turn around.
        costs = [None if b.start.arc != a.end.arc else b.cost for a, b in pairwise(chain)]
        assert chain[0].cost == legs[0]
        assert all(cost in (None, leg) for cost, leg in zip(costs, legs[1:], strict=True))
        assert all(leg is not None or cost is None for cost, leg in zip(costs, legs[1:], strict=True))


@settings(max_examples=60)
@given(open_worlds(), st.integers(0, 2**32 - 1))
def test_tables(both: tuple[World, SearchWorld], seed: int) -> None:
    """A table over the hierarchy has the same costs."""
    world, search_world = both
    expected = naive_costs(world, search_world)
    arcs = sorted(expected)
    if not arcs:
        return
    table = table_between(search_world, arcs, seed)
    for i, source in enumerate(arcs):
        for j, target in enumerate(arcs):
            if i != j:
                assert table.weight[i, j] == expected[source].get(target, INF)


def table_between(search_world: SearchWorld, arcs: list[int], seed: int) -> Table:
    prepared = prepare(search_world, seed)
    weights = prepared.customizer.customize(search_world.metric, 1)
    seeds = [ends_of(search_world, arc, arc) for arc in arcs]
    groups = []
    for side in range(2):
        parts = [pair[side] for pair in seeds]
        sizes = [len(part.vertex) for part in parts]
        first = freeze(np.cumsum([0, *sizes]).astype(np.uint32))
        columns = (np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS)
        groups.append(SeedGroups(first, *(freeze(column) for column in columns)))
    return travel_table(TableState(prepared.hierarchy), prepared.hierarchy, weights, *groups, False)


_COLUMNS = ("vertex", "cost", "length_cm")


# Drawn worlds


BLOCK = Drawn(
    """
    a---b---c---d
    |   |   |   |
    e   f   g   h
    |   |   |   |
    i---j---k---l
    """,
    """
    abcd highway=x kmh=1
    aei  highway=x kmh=1
    dhl  highway=x kmh=1
    ijkl highway=x kmh=1
    bfj  highway=x private=yes kmh=100
    cgk  highway=x private=yes kmh=100
    """,
)
"""Two private roads across a block of slow streets."""


def route(world: Drawn, *places: str | tuple[str, float], **options: object) -> str:
    """The letters that a route passes between places on edges, by every way that finds it."""
    engine = engine_of(world)
    points = [between(world, *((p, 0.5) if isinstance(p, str) else p)) for p in places]
    if len(points) == 2:
        check_pair(engine, *points, **options)
    found = ask(engine, points, **options)
    if isinstance(found, str):
        return found
    words = []
    for leg in found.legs:
        nodes = spell(leg.annotation.node)
        words.append("".join(a for a, b in pairwise(nodes + " ") if a != b))
    return " ".join(words)


def test_print() -> None:
    for places in [(("bc", 0.1), ("jk", 0.1)), ("bf", ("jk", 0.1)), (("bc", 0.1), "fj"), (("bf",0.4), "bf"), ("bf","gk"), (("bf"),("fj"),("ij"))]:
        print(places, route(BLOCK, *places))
    assert 0
