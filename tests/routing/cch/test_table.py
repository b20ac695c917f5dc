"""Tables against queries, and against searches that share no code with them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from graphs import SearchWorld, lattice_worlds, search_worlds, with_preferences
from hierarchies import (
    Key,
    Prepared,
    Row,
    best_between,
    key_steps,
    prepare,
    prepared_worlds,
    seeds_of,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gis.arrays import INF, INVALID, freeze, offsets
from gis.network.build import build_network
from gis.osm.read import read_osm
from gis.profiles.registry import apply_profile, get_profile, tag_selection
from routing.cch import bundles, table
from routing.cch.ancestors import arcs_both_ways
from routing.cch.bundles import Lanes
from routing.cch.customize import Customizer
from routing.cch.hierarchy import Hierarchy, build_hierarchy, vertices_beside_arcs
from routing.cch.lanes import LANES
from routing.cch.query import new_state, run_query
from routing.cch.table import (
    SeedGroups,
    Table,
    TableState,
    check_seed_groups,
    travel_table,
)
from routing.cch.weights import Weights
from routing.graph.turn_graph import build_turn_graph
from routing.metric import duration_metric
from routing.order.nested_dissection import arc_order
from routing.order.plane_graph import plane_graph_of

Rows = Sequence[Row]
"""The seeds of a place."""


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads, growing scratch and several selections, as large tables have them."""
    monkeypatch.setattr(table, "_LEAST_ROWS_FOR_THREADS", 0)
    monkeypatch.setattr(table, "_MOST_ROWS", 12)
    monkeypatch.setattr(bundles, "_LEAST_ROOM", 2)


def groups_of(places: Sequence[Rows]) -> SeedGroups:
    rows = np.array([row for place in places for row in place], np.uint32).reshape(-1, 4)
    first = offsets(np.array([len(place) for place in places], np.int64))
    return SeedGroups(freeze(first), *(freeze(column) for column in rows.T))


class Tables:
    """Tables with one state, after each of which it is as before."""

    def __init__(self, prepared: Prepared) -> None:
        self.hierarchy = prepared.hierarchy
        self.weights: Weights = prepared.customizer.customize(prepared.world.metric, 1)
        self.state = TableState(self.hierarchy)

    def table(
        self, sources: Sequence[Rows], targets: Sequence[Rows], columns: int, threads: int
    ) -> Table:
        """The first columns, three at most."""
        ends = groups_of(sources), groups_of(targets)
        for groups in ends:
            check_seed_groups(groups, len(self.hierarchy.rank))
        wanted = columns > 1, columns > 2
        result = travel_table(self.state, self.hierarchy, self.weights, *ends, *wanted, threads)
        shape = len(sources), len(targets)
        for column, is_wanted in zip(result, (True, *wanted), strict=True):
            assert column.dtype == np.uint32 and not column.flags.writeable
            assert column.shape == (shape if is_wanted else (0, 0))
        self.check_scratch()
        return result

    def check_scratch(self) -> None:
        assert not self.state.place.any()
        for pool in self.state._scratch.values():
            idle = pool._idle
            assert not any(scratch.place.any() or scratch.given.any() for scratch in idle)

    def check(
        self, sources: Sequence[Rows], targets: Sequence[Rows], expected: list[Key | None]
    ) -> None:
        """Whatever is asked for, the keys are these."""
        keys = [(INF, 0, 0) if key is None else key for key in expected]
        for columns in range(1, 3 + self.weights.has_third):
            for threads in (1, 2):
                result = self.table(sources, targets, columns, threads)
                for place, column in enumerate(result[:columns]):
                    assert column.ravel().tolist() == [key[place] for key in keys]


def naive_keys(
    world: SearchWorld, sources: Sequence[Rows], targets: Sequence[Rows]
) -> list[Key | None]:
    steps = key_steps(world.graph, world.metric)
    return [best_between(steps, source, target) for source in sources for target in targets]


@st.composite
def cases(
    draw: st.DrawFn, max_weight: int, max_cost: int, most: tuple[int, int] = (9, 9)
) -> tuple[Prepared, list[Rows], list[Rows]]:
    """A world with places at random: some have no seeds, some the same vertex many times."""
    prepared = draw(prepared_worlds(search_worlds(max_weight)))
    n_vertices = len(prepared.order)
    sizes = draw(st.tuples(*(st.integers(0, n) for n in most)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def place() -> Rows:
        n = int(rng.choice([0, 1, 1, 2, 3, 6])) if n_vertices else 0
        columns = (
            rng.integers(0, max(n_vertices, 1), n),
            rng.integers(0, max_cost, n, endpoint=True) // rng.choice([1, 1, max_cost + 1]),
            rng.choice([0, 1, 5, 10**6], n),
            rng.choice([0, 1, 5, 10**6], n) * prepared.world.metric.has_durations,
        )
        return list(zip(*(column.tolist() for column in columns), strict=True))

    first, second = ([place() for _ in range(size)] for size in sizes)
    return prepared, first, second


@settings(max_examples=100)
@given(cases(20, 40) | cases(2, 2))
def test_small_tables(case: tuple[Prepared, list[Rows], list[Rows]]) -> None:
    """Every cell is the cost of the best path, ties, empty places and empty tables included."""
    prepared, sources, targets = case
    tables = Tables(prepared)
    tables.check(sources, targets, naive_keys(prepared.world, sources, targets))
    tables.check(targets, sources, naive_keys(prepared.world, targets, sources))


@settings(max_examples=100)
@given(cases(INF - 1, INF - 1))
def test_the_limits_of_weights(case: tuple[Prepared, list[Rows], list[Rows]]) -> None:
    """Costs do not wrap: a path that reaches INF is none, all others keep their cost."""
    prepared, sources, targets = case
    expected = naive_keys(prepared.world, sources, targets)
    Tables(prepared).check(sources, targets, expected)


@settings(max_examples=30)
@given(cases(20, 40, (3 * LANES, 4)) | cases(20, 40, (4, 3 * LANES)))
def test_several_bundles(case: tuple[Prepared, list[Rows], list[Rows]]) -> None:
    """More sources than lanes, or more targets, and the last bundle not full."""
    prepared, sources, targets = case
    expected = naive_keys(prepared.world, sources, targets)
    Tables(prepared).check(sources, targets, expected)


@pytest.mark.compiled
@settings(max_examples=10)
@given(search_worlds(max_weight=300, of=lattice_worlds()), st.integers(0, 2**32 - 1))
def test_in_town(world: SearchWorld, seed: int) -> None:
    """A cell is what a query finds, and does not depend on the other places."""
    prepared, rng = prepare(world, seed), np.random.default_rng(seed)
    tables, state = Tables(prepared), new_state(prepared.hierarchy)
    places = [
        [(int(v), int(rng.integers(300)), 0, 0) for v in rng.integers(0, len(prepared.order), n)]
        for n in rng.integers(0, 4, LANES + 5)
    ]
    columns = 2 + tables.weights.has_third
    result = tables.table(places, places, columns, 2)
    expected = [
        [
            run_query(
                state, prepared.hierarchy, tables.weights, seeds_of(source), seeds_of(target)
            ).cost
            for target in places
        ]
        for source in places
    ]
    assert result.weight.tolist() == expected
    for _ in range(10):
        some, others = (rng.integers(0, len(places), rng.integers(1, 5)) for _ in range(2))
        chosen = [places[i] for i in some], [places[i] for i in others]
        again = tables.table(*chosen, columns, 1)
        for cell, all_cells in zip(again[:columns], result, strict=False):
            assert (cell == all_cells[np.ix_(some, others)]).all()


@settings(max_examples=30)
@given(
    cases(20, 40) | cases(INF - 1, 40),
    st.sampled_from([1, 5, 1000]),
    st.sampled_from([Lanes(np.uint32), Lanes(np.uint64), Lanes(np.uint64, with_third=True)]),
)
def test_selections(case: tuple[Prepared, list[Rows], list[Rows]], most: int, kind: Lanes) -> None:
    """Together they hold each target once, with what is above it and nothing else."""
    prepared, places, _ = case
    tables, hierarchy = Tables(prepared), prepared.hierarchy
    assume(tables.weights.has_third or not kind.with_third)
    _, down = arcs_both_ways(hierarchy, tables.weights)
    targets = table._groups(hierarchy, groups_of(places))
    columns: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "_MOST_ROWS", most)
        for selection in table._selections(tables.state, down, targets, kind):
            bundles.check_selection(selection, hierarchy.parent)
            columns += selection.column.tolist()
            above = {
                int(hierarchy.rank[v]) for i in selection.column.tolist() for v, *_ in places[i]
            }
            for x in range(len(hierarchy.rank)):
                if x in above and hierarchy.parent[x] != INVALID:
                    above.add(int(hierarchy.parent[x]))
            assert above == set(selection.found[1:].tolist())
    assert sorted(columns) == list(range(len(places)))
    tables.check_scratch()


@settings(max_examples=20)
@given(cases(20, 40, (2 * LANES, 2 * LANES)))
def test_limits_do_not_matter(case: tuple[Prepared, list[Rows], list[Rows]]) -> None:
    """However many targets are taken together, the table is the same."""
    prepared, sources, targets = case
    tables = Tables(prepared)
    columns = 2 + tables.weights.has_third
    result = tables.table(sources, targets, columns, 2)
    for most in (1, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table, "_MOST_ROWS", most)
            again = tables.table(sources, targets, columns, 2)
        for one, other in zip(again, result, strict=True):
            assert (one == other).all()


def build_map(path: Path) -> tuple[Hierarchy, Weights]:
    car = get_profile("car")
    tables = read_osm(path, tag_selection([car]))
    verdicts = apply_profile(car, tables.way_tags, tables.node_tags, tables.relation_tags)
    network, _ = build_network(tables, [verdicts])
    metric = with_preferences(duration_metric(network, verdicts))
    graph = build_turn_graph(network, verdicts, metric.open_arc)
    order = vertices_beside_arcs(arc_order(plane_graph_of(network)), graph)
    hierarchy = build_hierarchy(graph, order)
    return hierarchy, Customizer.of(graph, hierarchy).customize(metric)


@pytest.mark.compiled
def test_real_map(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a real map, with the limits as they are, tables of all shapes are what queries find."""
    monkeypatch.undo()
    hierarchy, weights = build_map(sample)
    rng = np.random.default_rng(1)
    places = [
        [(int(v), int(rng.integers(1000)), int(rng.integers(1000)), 0) for v in vertices]
        for vertices in rng.integers(0, len(hierarchy.rank), (600, 3))
    ]
    state = TableState(hierarchy)

    def table_of(n: int, m: int, columns: int, threads: int) -> Table:
        ends = groups_of(places[:n]), groups_of(places[-m:])
        wanted = columns > 1, columns > 2
        return travel_table(state, hierarchy, weights, *ends, *wanted, threads)

    whole = table_of(600, 600, 3, 2)
    assert (whole.weight < INF).any() and (whole.weight == INF).any()
    query = new_state(hierarchy)
    for i, j in rng.integers(0, 600, (2000, 2)).tolist():
        path = run_query(query, hierarchy, weights, seeds_of(places[i]), seeds_of(places[j]))
        assert whole.weight[i, j] == path.cost
    for n, m in ((600, 600), (600, 1), (1, 600), (17, 5), (5, 17), (1, 1)):
        for columns in (1, 2, 3):
            for threads in (1, 2):
                some = table_of(n, m, columns, threads)
                for one, all_of in zip(some[:columns], whole, strict=False):
                    assert (one == all_of[:n, -m:]).all()
