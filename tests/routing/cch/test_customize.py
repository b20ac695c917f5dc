"""Customized weights against searches that may use lower vertices only."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from graphs import SearchWorld, lattice_worlds, make_graph, make_metric, search_worlds
from hierarchies import (
    Key,
    Prepared,
    hierarchy_arcs,
    key_steps,
    least_keys,
    packed,
    prepare,
    prepared_worlds,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import turns_of

from gis.arrays import INF, INVALID, AnyArray, freeze
from routing.cch.customize import Customizer
from routing.cch.hierarchy import Hierarchy, build_hierarchy
from routing.cch.weights import INF_COST, Weights, check_weights, frozen, new_weights
from routing.metric import DistanceMetric, Metric

NOTHING = 0, 0, 0


def identical(one: Weights, other: Weights) -> bool:
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def writable(weights: Weights) -> Weights:
    return Weights(*(array.copy() for array in weights))


def check_against_searches(prepared: Prepared, metric: Metric) -> Weights:
    """An arc costs what the best path over vertices lower than both its ends does."""
    (_, graph, _), _, hierarchy, customizer = prepared
    weights = customizer.customize(metric, 1)
    check_weights(weights, hierarchy)
    assert weights.has_third == (metric.has_durations and hierarchy.n_arcs > 0)
    steps = key_steps(graph, metric)
    rank, vertex = hierarchy.rank.tolist(), hierarchy.vertex.tolist()
    for x in range(len(rank)):
        up = slice(*hierarchy.first_up[x : x + 2].tolist())
        down = slice(*hierarchy.first_down[x : x + 2].tolist())

        def is_lower(v: int, x: int = x) -> bool:
            return rank[v] < x

        best = least_keys(steps, [(vertex[x], NOTHING)], is_lower)
        expected = [best.get(vertex[y]) for y in hierarchy.up_head[up].tolist()]
        check_costs(weights.up[up], weights.up_third[up], expected)
        tails = hierarchy.down_tail[down].tolist()
        bests = [least_keys(steps, [(vertex[y], NOTHING)], is_lower) for y in tails]
        expected = [best.get(vertex[x]) for best in bests]
        check_costs(weights.down[down], weights.down_third[down], expected)
    return weights


def check_costs(cost: AnyArray, third: AnyArray, expected: list[Key | None]) -> None:
    """These are the keys, or no way at all."""
    assert cost.tolist() == [packed(key) for key in expected]
    if len(third):
        assert third.tolist() == [0 if key is None else key[2] for key in expected]


@given(prepared_worlds(search_worlds() | search_worlds(max_weight=INF - 1)))
def test_weights(prepared: Prepared) -> None:
    """Weights and lengths are the least, near the limit too, where a sum that reaches INF is none.

    The vertices of a path are lower than its ends, so the search passes none but those.
    """
    check_against_searches(prepared, prepared.world.metric)


@given(prepared_worlds(search_worlds(max_weight=1)))
def test_ties(prepared: Prepared) -> None:
    """Where most paths weigh the same the shortest counts, and turns that cost nothing do too."""
    metric = prepared.world.metric
    check_against_searches(prepared, DistanceMetric(metric.weight, metric.length_cm))


@given(prepared_worlds(search_worlds(max_weight=2)), st.integers(2, 5))
def test_threads(prepared: Prepared, threads: int) -> None:
    """The weights and children are the same for any number of threads, and read-only."""
    metric, customizer = prepared.world.metric, prepared.customizer
    one, many = (customizer.customize(metric, n) for n in (1, threads))
    assert identical(one, many)
    assert not any(array.flags.writeable for array in many)


@settings(max_examples=10)
@given(search_worlds(max_weight=9, of=lattice_worlds()), st.integers(0, 2**32 - 1))
def test_threads_in_town(world: SearchWorld, seed: int) -> None:
    """With many ranges and a top of some size, threads make no difference either."""
    prepared = prepare(world, seed)
    one, two = (prepared.customizer.customize(world.metric, n) for n in (1, 2))
    assert identical(one, two)
    check_weights(two, prepared.hierarchy)
    weights = new_weights(prepared.hierarchy, world.metric.has_durations)
    for array in weights:
        array.fill(7)
    everything = freeze(np.arange(world.network.n_arcs, dtype=np.uint32))
    n_done = prepared.customizer.recustomize(world.metric, weights, everything)
    assert n_done == world.graph.n_vertices
    assert identical(weights, one), "mending everything does not look at what was there"


def change(rng: np.random.Generator, metric: Metric, of: AnyArray) -> tuple[Metric, AnyArray]:
    """Some arcs dearer, cheaper, closed, or open with any weight; some stay as they are."""
    weight = metric.weight.astype(np.int64)
    arcs = np.flatnonzero(rng.random(len(weight)) < rng.choice([0.05, 0.3, 1.0]))
    for arc in arcs.tolist():
        old = int(weight[arc])
        choices = [old, INF, int(of[arc])]
        if old < INF:
            choices += [min(old + int(rng.integers(1, 9)), INF), max(old // 2, 1), old * 1000]
        weight[arc] = min(int(rng.choice(choices)), INF)
    changed = rng.permuted(np.concatenate([arcs, arcs[: rng.integers(0, 2)]]))
    columns = [weight]
    if metric.has_durations:
        duration_cs = metric.own_duration_cs.copy()
        for arc in arcs[rng.random(len(arcs)) < 0.5].tolist():
            duration_cs[arc] = rng.integers(1, 4)
        columns.append(duration_cs)
    names = ("weight", "own_duration_cs")[: len(columns)]
    new = {n: freeze(column.astype(np.uint32)) for n, column in zip(names, columns, strict=True)}
    return replace(metric, **new), changed.astype(np.uint32)


@given(prepared_worlds(), st.integers(0, 2**32 - 1))
def test_changes(prepared: Prepared, seed: int) -> None:
    """Weights mended again and again, arcs named twice, are those of a full customization."""
    rng = np.random.default_rng(seed)
    customizer, metric = prepared.customizer, prepared.world.metric
    weights = writable(customizer.customize(metric, 1))
    for _ in range(5):
        metric, changed = change(rng, metric, prepared.world.metric.weight)
        n_done = customizer.recustomize(metric, weights, freeze(changed))
        assert n_done <= len(prepared.order)
        assert identical(weights, customizer.customize(metric, 1))
        assert weights.up.flags.writeable


@settings(max_examples=10)
@given(search_worlds(max_weight=30, of=lattice_worlds()), st.integers(0, 2**32 - 1))
def test_changes_in_town(world: SearchWorld, seed: int) -> None:
    """In a hierarchy of some height the change of one arc reaches few vertices, but all it must."""
    prepared, rng = prepare(world, seed), np.random.default_rng(seed)
    customizer, metric = prepared.customizer, world.metric
    weights = writable(customizer.customize(metric, 1))
    for arc in rng.permutation(np.flatnonzero(metric.open_arc))[:8].tolist():
        weight = metric.weight.copy()
        weight[arc] = rng.choice([1, 500, INF])
        metric = replace(metric, weight=freeze(weight))
        customizer.recustomize(metric, weights, freeze(np.array([arc], np.uint32)))
        assert identical(weights, customizer.customize(metric, 2))


@given(prepared_worlds())
def test_no_change(prepared: Prepared) -> None:
    """Nothing is done for nothing; what is named but as before costs its own vertices alone."""
    metric, customizer = prepared.world.metric, prepared.customizer
    before = customizer.customize(metric, 1)
    weights = writable(before)
    graph = prepared.world.graph
    nothing = freeze(np.empty(0, np.uint32))
    assert customizer.recustomize(metric, weights, nothing) == 0
    for arc in range(prepared.world.network.n_arcs):
        vertices = set(np.flatnonzero(graph.vertex_arc == arc).tolist())
        heads = {
            int(head)
            for v in vertices
            for head in graph.turn_head[graph.first_turn[v] : graph.first_turn[v + 1]]
        }
        n_done = customizer.recustomize(metric, weights, freeze(np.array([arc], np.uint32)))
        assert n_done == len(vertices | heads)
        assert identical(weights, before)


@given(search_worlds(), st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_turns_that_the_hierarchy_lacks(world: SearchWorld, seed: int, share: int) -> None:
    """A turn between vertices that it does not join is as if there were none."""
    vertex_arc = world.graph.vertex_arc.tolist()
    turns = turns_of(world.graph)
    few = make_graph(vertex_arc, [turn for n, turn in enumerate(turns) if n % 3 < share])
    _, _, hierarchy, customizer = prepare(world._replace(graph=few), seed)
    known, rank = hierarchy_arcs(hierarchy), hierarchy.rank
    kept = [turn for turn in turns if (rank[turn[0]], rank[turn[1]]) in known]
    assert share < 3 or len(kept) == sum(tail != head for tail, head, _ in turns)
    found = customizer.with_turns(world.graph).customize(world.metric, 1)
    expected = customizer.with_turns(make_graph(vertex_arc, kept)).customize(world.metric, 1)
    assert identical(found, expected)


def test_a_sum_that_reaches_the_limit() -> None:
    """An arc with its turn, or two over a lower vertex, that cost INF together or just below."""
    graph = make_graph([0, 1, 2], [(1, 0, 5), (0, 2, 6)])
    hierarchy = build_hierarchy(graph, freeze(np.arange(3, dtype=np.uint32)))
    customizer = Customizer.of(graph, hierarchy)
    x, y, z = hierarchy.rank[[0, 1, 2]].tolist()

    def cost_between(tail: int, head: int, weights: Weights) -> int:
        if tail < head:
            arcs = slice(*hierarchy.first_up[tail : tail + 2].tolist())
            return int(weights.up[arcs][hierarchy.up_head[arcs] == head][0])
        arcs = slice(*hierarchy.first_down[head : head + 2].tolist())
        return int(weights.down[arcs][hierarchy.down_tail[arcs] == tail][0])

    for second, pair, expected in (
        (INF - 7, (x, z), (INF - 1) << 32 | 3),
        (INF - 6, (x, z), INF_COST),
        (INF - 20, (y, z), (INF - 1) << 32 | 7),
        (INF - 19, (y, z), INF_COST),
    ):
        weights = customizer.customize(make_metric([second, 8, 1], [3, 4, 5]), 1)
        check_weights(weights, hierarchy)
        assert cost_between(*pair, weights) == expected


@pytest.mark.parametrize("n", [0, 1, 2])
def test_no_turns_at_all(n: int) -> None:
    """Without arcs there is nothing to weigh."""
    graph = make_graph([*range(n)], [])
    hierarchy = build_hierarchy(graph, freeze(np.arange(n, dtype=np.uint32)))
    metric = make_metric([4] * n)
    customizer = Customizer.of(graph, hierarchy)
    weights = customizer.customize(metric)
    check_weights(weights, hierarchy)
    assert all(array.size == 0 for array in weights)
    everything = freeze(np.arange(n, dtype=np.uint32))
    assert customizer.recustomize(metric, writable(weights), everything) == n


def small() -> tuple[Hierarchy, Weights]:
    """3 -> 0 -> 4 with a shortcut up, and 4 -> 1 -> 3 with one down; a turn each on the sides."""
    turns = [(3, 0, 1), (0, 4, 2), (4, 1, 3), (1, 3, 4), (2, 3, 0), (4, 2, 0)]
    graph = make_graph([0, 1, 2, 3, 4], turns)
    hierarchy = build_hierarchy(graph, freeze(np.arange(5, dtype=np.uint32)))
    weights = Customizer.of(graph, hierarchy).customize(make_metric([5, 6, 7, 8, 9]), 1)
    check_weights(weights, hierarchy)
    assert (weights.up_children[:, 0] != INVALID).sum() == 1
    assert (weights.down_children[:, 0] != INVALID).sum() == 1
    return hierarchy, weights


def shortcut(children: AnyArray) -> int:
    return int(np.flatnonzero(children[:, 0] != INVALID)[0])


def with_child(weights: Weights, kind: str, column: int, shift: int) -> Weights:
    """The children of a shortcut, one of them moved."""
    children = getattr(weights, kind).copy()
    children[shortcut(children), column] += shift
    return weights._replace(**{kind: children})


def with_cost(weights: Weights, kind: str, shift: int) -> Weights:
    cost = getattr(weights, kind).copy()
    cost[shortcut(getattr(weights, f"{kind}_children"))] += np.uint64(shift)
    return weights._replace(**{kind: cost})


def with_turn(weights: Weights, kind: str) -> Weights:
    """A turn that leads to another vertex than its arc."""
    children = getattr(weights, kind).copy()
    turn = np.flatnonzero(children[:, 0] == INVALID)[0]
    children[turn, 1] += 1
    return weights._replace(**{kind: children})


def with_thirds(weights: Weights) -> Weights:
    return weights._replace(
        up_third=np.ones(len(weights.up), np.uint32),
        down_third=np.ones(len(weights.down), np.uint32),
    )


TAMPER: dict[str, Callable[[Weights], Weights]] = {
    "type": lambda w: w._replace(up=w.up.astype(np.int64)),
    "too few costs": lambda w: w._replace(down=w.down[1:]),
    "type of children": lambda w: w._replace(up_children=w.up_children.astype(np.int64)),
    "too few children": lambda w: w._replace(down_children=w.down_children[1:]),
    "more than can be": lambda w: w._replace(up=np.full_like(w.up, INF_COST + 1)),
    "up turn elsewhere": lambda w: with_turn(w, "up_children"),
    "down turn elsewhere": lambda w: with_turn(w, "down_children"),
    "up over another arc down": lambda w: with_child(w, "up_children", 0, 1),
    "up over another arc up": lambda w: with_child(w, "up_children", 1, 1),
    "up over no arc": lambda w: with_child(w, "up_children", 1, 99),
    "down over another arc down": lambda w: with_child(w, "down_children", 0, 1),
    "down over another arc up": lambda w: with_child(w, "down_children", 1, 1),
    "down over no arc": lambda w: with_child(w, "down_children", 0, 99),
    "up too long": lambda w: with_cost(w, "up", 1),
    "thirds that do not add up": with_thirds,
    "thirds one way": lambda w: w._replace(up_third=np.zeros(len(w.up), np.uint32)),
    "type of thirds": lambda w: w._replace(up_third=np.zeros(0, np.int64)),
    "down too dear": lambda w: with_cost(w, "down", 1 << 32),
}


@pytest.mark.parametrize("name", TAMPER)
def test_tampered_weights_are_noticed(name: str) -> None:
    """Whatever of the weights is changed, their check fails."""
    hierarchy, weights = small()
    with pytest.raises(AssertionError):
        check_weights(TAMPER[name](weights), hierarchy)


def test_frozen() -> None:
    """Frozen weights are the same, and cannot be written."""
    _, weights = small()
    changed = writable(weights)
    assert identical(frozen(changed), weights)
    assert not any(array.flags.writeable for array in frozen(changed))
