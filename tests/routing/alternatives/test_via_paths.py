"""Trees of cheapest paths above either end against searches without a hierarchy."""

from itertools import pairwise

import numpy as np
from graphs import search_worlds
from hierarchies import (
    Key,
    Prepared,
    key_of_row,
    key_steps,
    least_keys,
    packed,
    prepared_worlds,
    seeds_of,
    sum_of,
    sum_of_all,
    unpack_one_arc,
)
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INVALID
from routing.alternatives.via_paths import Bounds, Tree, Trees, find_candidates, grow_trees
from routing.cch.query import new_state, run_query
from routing.cch.weights import COST_BITS, INF_COST

Rows = list[tuple[int, int, int]]

ANYTHING = Bounds(10**8, 10**9, 10**9, 10**9, 10.0)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Prepared, Rows, Rows]:
    """A world with one to three seeds on either end."""
    prepared = draw(prepared_worlds(search_worlds(max_weight=40)))
    n = len(prepared.order)
    seed = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, 30), st.sampled_from([0, 7]))
    seeds = st.lists(seed, min_size=min(n, 1), max_size=3 if n else 0)
    return prepared, draw(seeds), draw(seeds)


def ancestors(prepared: Prepared, rows: Rows) -> set[int]:
    """The ranks above some vertices, their own included."""
    found = set()
    for vertex, _, _ in rows:
        x = int(prepared.hierarchy.rank[vertex])
        while x != INVALID:
            found.add(x)
            x = int(prepared.hierarchy.parent[x])
    return found


def vertices_to_seed(prepared: Prepared, trees: Trees, backward: bool, place: int) -> list[int]:
    """The path of a tree in the direction of travel, each arc unpacked by itself."""
    tree: Tree = trees.backward if backward else trees.forward
    hierarchy, n = prepared.hierarchy, len(prepared.order)
    weights = prepared.customizer.customize(prepared.world.metric, 1)
    pieces = []
    vertex = int(hierarchy.vertex[trees.visited[place]])
    while tree.link[place, 0] != INVALID:
        before, arc = tree.link[place].tolist()
        path, stack = np.empty(n + 1, np.uint32), np.empty(n + 1, np.uint32)
        pieces.append(path[: unpack_one_arc(weights, arc, stack, path, 0)].tolist())
        place = before
    first = int(hierarchy.vertex[trees.visited[place]])
    if backward:
        return [vertex, *(v for piece in pieces for v in piece)]
    return [first, *(v for piece in reversed(pieces) for v in piece)]


@given(cases(), st.sampled_from([10, 60, 10**9]))
def test_trees(case: tuple[Prepared, Rows, Rows], most: int) -> None:
    """All vertices above either end are known with the least key if it costs no more than asked."""
    prepared, sources, targets = case
    graph, metric = prepared.world.graph, prepared.world.metric
    weights = prepared.customizer.customize(metric, 1)
    state = new_state(prepared.hierarchy)
    bounds = ANYTHING._replace(most=most)
    ends = seeds_of(sources), seeds_of(targets)
    trees = grow_trees(state, prepared.hierarchy, weights, *ends, bounds)
    assert (state.forward.label == INF_COST).all() and (state.backward.label == INF_COST).all()
    assert set(trees.visited.tolist()) == ancestors(prepared, [*sources, *targets])
    assert (np.diff(trees.visited.astype(np.int64)) > 0).all()
    steps = key_steps(graph, metric)
    back: dict[int, list[tuple[int, Key]]] = {}
    for tail, out in steps.items():
        for head, key in out:
            back.setdefault(head, []).append((tail, key))
    for tree, rows, step in (
        (trees.forward, sources, steps),
        (trees.backward, targets, back),
    ):
        best = least_keys(step, [(row[0], key_of_row(row)) for row in rows])
        for i, x in enumerate(trees.visited.tolist()):
            expected = packed(best.get(int(prepared.hierarchy.vertex[x])))
            if expected >> COST_BITS <= most:
                assert tree.key[i] == expected
                if expected < INF_COST:
                    path = vertices_to_seed(prepared, trees, step is back, i)
                    turns = [dict(steps[a])[b] for a, b in pairwise(path)]
                    ends_at = path[-1] if step is back else path[0]
                    seed = min(key_of_row(row) for row in rows if row[0] == ends_at)
                    assert packed(sum_of(seed, sum_of_all(turns))) == expected
            else:
                assert tree.key[i] >> np.uint64(COST_BITS) > most


def common_steps(vertices: list[int], optimum: list[int]) -> int:
    """How many steps two paths from the same end have in common before they part."""
    for n, (a, b) in enumerate(zip(vertices, optimum, strict=False)):
        if a != b:
            return n
    return min(len(vertices), len(optimum))


@given(cases())
def test_candidates(case: tuple[Prepared, Rows, Rows]) -> None:
    """Without limits all that is not the optimum has a candidate, compared right with it."""
    prepared, sources, targets = case
    hierarchy = prepared.hierarchy
    weights = prepared.customizer.customize(prepared.world.metric, 1)
    state, ends = new_state(hierarchy), (seeds_of(sources), seeds_of(targets))
    optimum = run_query(state, hierarchy, weights, *ends)
    if not optimum.vertices.size:
        return
    best = optimum.vertices.tolist()
    trees = grow_trees(state, hierarchy, weights, *ends, ANYTHING)
    found = find_candidates(hierarchy, weights, state, trees, optimum.vertices, ANYTHING)
    keys = zip(trees.forward.key.tolist(), trees.backward.key.tolist(), strict=True)
    totals = [a + b for a, b in keys]
    reached = {total for total in totals if total >> COST_BITS <= ANYTHING.most}
    is_found = {totals[place] for place in found.place.tolist()}
    assert is_found <= reached and is_found >= reached - {min(reached)}
    turns = {
        v: dict(out) for v, out in key_steps(prepared.world.graph, prepared.world.metric).items()
    }
    for place, end, objective in zip(*(column.tolist() for column in found), strict=True):
        there = vertices_to_seed(prepared, trees, False, place)
        onward = vertices_to_seed(prepared, trees, True, place)
        n_first, n_last = common_steps(there, best), common_steps(onward[::-1], best[::-1])
        shared = sum(turns[a][b][0] for a, b in pairwise(there[:n_first]))
        shared += sum(turns[a][b][0] for a, b in pairwise(onward[len(onward) - n_last :]))
        shared += min((c for v, c, _ in sources if n_first and v == there[0]), default=0)
        shared += min((c for v, c, _ in targets if n_last and v == onward[-1]), default=0)
        cost = totals[place] >> COST_BITS
        start = int(trees.forward.key[place]) >> COST_BITS
        assert shared < cost and start <= end <= cost
        assert objective == 2 * cost + shared - (end - start)
