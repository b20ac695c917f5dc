"""Hierarchies against elimination with sets, in the vertices' own numbers."""

from collections.abc import Callable

import numpy as np
import pytest
from graphs import make_graph
from hierarchies import (
    Prepared,
    hierarchy_arcs,
    naive_elimination,
    naive_parents,
    prepared_worlds,
    turn_arcs,
)
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INVALID, U32, freeze
from routing.cch.contraction import UpDown, eliminate
from routing.cch.hierarchy import (
    Hierarchy,
    build_hierarchy,
    check_hierarchy,
    vertices_beside_arcs,
)


@given(prepared_worlds())
def test_arcs(prepared: Prepared) -> None:
    """However ranks are moved for the threads, the arcs are those of the order asked for."""
    (_, graph, _), order, hierarchy, _ = prepared
    vertex = hierarchy.vertex.tolist()
    found = {(vertex[tail], vertex[head]) for tail, head in hierarchy_arcs(hierarchy)}
    assert found == naive_elimination(turn_arcs(graph), order.tolist())


@given(prepared_worlds())
def test_tree(prepared: Prepared) -> None:
    """The elimination tree is that of the order asked for, and parents come after children."""
    (_, graph, _), order, hierarchy, _ = prepared
    vertex = hierarchy.vertex.tolist()
    found = {
        vertex[x]: vertex[parent]
        for x, parent in enumerate(hierarchy.parent.tolist())
        if parent != INVALID
    }
    assert found == naive_parents(turn_arcs(graph), order.tolist())
    assert (hierarchy.parent > np.arange(len(vertex))).all()


@given(prepared_worlds())
def test_two_builds_are_identical(prepared: Prepared) -> None:
    """Nothing about a hierarchy is left to chance, and eliminating again adds no arc."""
    again = build_hierarchy(prepared.world.graph, prepared.order)
    for one, other in zip(prepared.hierarchy, again, strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)
    arcs = UpDown(*again[3:7])
    for one, other in zip(arcs, eliminate(arcs), strict=True):
        assert np.array_equal(one, other)


@given(prepared_worlds(), st.integers(0, 2**32 - 1))
def test_vertices_beside_arcs(prepared: Prepared, seed: int) -> None:
    """Vertices in the order of their arcs, the copies of an arc right after it."""
    graph = prepared.world.graph
    n_arcs = prepared.world.network.n_arcs
    arc_order = np.random.default_rng(seed).permutation(n_arcs).astype(np.uint32)
    order = vertices_beside_arcs(freeze(arc_order), graph).tolist()
    arcs = graph.vertex_arc.tolist()
    assert order == [v for a in arc_order.tolist() for v in range(len(arcs)) if arcs[v] == a]


@pytest.mark.parametrize("n", [0, 1, 2, 40])
def test_no_turns_at_all(n: int) -> None:
    """Arcs that nothing follows make a hierarchy of roots."""
    graph = make_graph([*range(n)], [])
    hierarchy = build_hierarchy(graph, freeze(np.arange(n, dtype=np.uint32)[::-1]))
    check_hierarchy(hierarchy, graph)
    assert hierarchy_arcs(hierarchy) == set()
    assert hierarchy.parent.tolist() == [INVALID] * n


def small() -> tuple[Hierarchy, Callable[[Hierarchy], None]]:
    """A hierarchy with a shortcut, and its check.

    Vertices are their ranks: 4 and 5 are the top, or in separate subtrees; 0 -> 3 -> 1 is over 0.
    """
    graph = make_graph([0, 1, 2, 3, 4, 5], [(3, 0, 0), (0, 4, 0), (1, 4, 0), (4, 2, 0), (0, 0, 0)])
    hierarchy = build_hierarchy(graph, freeze(np.arange(6, dtype=np.uint32)))
    return hierarchy, lambda changed: check_hierarchy(changed, graph)


def put(array: U32, at: int, value: int) -> U32:
    changed = array.copy()
    changed[at] = value
    return freeze(changed)


def test_what_the_tampered_one_is() -> None:
    """So that the next test is understood, and does not test nothing."""
    hierarchy, check = small()
    check(hierarchy)
    vertex = hierarchy.vertex.tolist()
    arcs = {(vertex[tail], vertex[head]) for tail, head in hierarchy_arcs(hierarchy)}
    assert arcs == {(3, 0), (0, 4), (3, 4), (1, 4), (4, 2)}


TAMPER: dict[str, Callable[[Hierarchy], Hierarchy]] = {
    "writable": lambda h: h._replace(parent=h.parent.copy()),
    "type": lambda h: h._replace(bounds=freeze(h.bounds.astype(np.int64))),
    "strided": lambda h: h._replace(rank=np.repeat(h.rank, 2)[::2]),
    "no permutation": lambda h: h._replace(vertex=put(h.vertex, 0, int(h.vertex[1]))),
    "no inverse": lambda h: h._replace(rank=freeze(h.rank[::-1].copy())),
    "offsets start late": lambda h: h._replace(first_up=put(h.first_up, 0, 1)),
    "offsets end early": lambda h: h._replace(first_up=put(h.first_up, -1, 0)),
    "offsets run back": lambda h: h._replace(first_up=put(h.first_up, 1, 9)),
    "too few offsets": lambda h: h._replace(first_down=freeze(h.first_down[1:].copy())),
    "upper end is lower": lambda h: h._replace(up_head=put(h.up_head, 0, 0)),
    "upper end is nowhere": lambda h: h._replace(up_head=put(h.up_head, 0, 6)),
    "parent is lower": lambda h: h._replace(parent=put(h.parent, 3, 2)),
    "parent is nowhere": lambda h: h._replace(parent=put(h.parent, 0, 77)),
    "too few parents": lambda h: h._replace(parent=freeze(h.parent[1:].copy())),
    "upper end is no ancestor": lambda h: h._replace(parent=freeze(np.full(6, INVALID, np.uint32))),
    "bounds start late": lambda h: h._replace(bounds=put(h.bounds, 0, 1)),
    "bounds end early": lambda h: h._replace(bounds=put(h.bounds, -1, 5)),
    "an empty range": lambda h: h._replace(bounds=put(h.bounds, 1, 0)),
    "no top": lambda h: h._replace(bounds=freeze(np.array([0], np.uint32))),
    "ranges that depend on each other": lambda h: h._replace(
        bounds=freeze(np.array([*range(7), 6], np.uint32))
    ),
    "an arc is missing": lambda h: without_arc(h, "down", h.parent[0]),
}


def without_arc(hierarchy: Hierarchy, kind: str, upper: int) -> Hierarchy:
    """A hierarchy without the last arc up or down to an upper end."""
    first, end = ("first_up", "up_head") if kind == "up" else ("first_down", "down_tail")
    offsets, upper_ends = getattr(hierarchy, first).copy(), getattr(hierarchy, end)
    arc = int(np.flatnonzero(upper_ends == upper)[-1])
    offsets[offsets > arc] -= 1
    changed = {first: freeze(offsets), end: freeze(np.delete(upper_ends, arc))}
    return hierarchy._replace(**changed)


@pytest.mark.parametrize("name", TAMPER)
def test_tampered_hierarchies_are_noticed(name: str) -> None:
    """Whatever of a hierarchy is changed, its check fails."""
    hierarchy, check = small()
    with pytest.raises(AssertionError):
        check(TAMPER[name](hierarchy))


@given(prepared_worlds(), st.data())
def test_no_arc_can_be_missing(prepared: Prepared, data: st.DataObject) -> None:
    """A hierarchy that lacks any one of its arcs is noticed."""
    graph, hierarchy = prepared.world.graph, prepared.hierarchy
    kinds = [k for k, e in (("up", hierarchy.up_head), ("down", hierarchy.down_tail)) if e.size]
    if not kinds:
        return
    kind = data.draw(st.sampled_from(kinds))
    upper_ends = hierarchy.up_head if kind == "up" else hierarchy.down_tail
    upper = data.draw(st.sampled_from(upper_ends.tolist()))
    with pytest.raises(AssertionError):
        check_hierarchy(without_arc(hierarchy, kind, upper), graph)
