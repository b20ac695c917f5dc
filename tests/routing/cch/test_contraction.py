"""Elimination against sets of pairs."""

import numpy as np
from hierarchies import Arcs, naive_elimination, naive_parents
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INVALID, AnyArray, freeze, group_by
from routing.cch.contraction import (
    UpDown,
    by_lower_end,
    eliminate,
    elimination_tree,
    post_order,
)


class Case:
    """A random directed graph, sparse or dense, and an order of its vertices."""

    def __init__(self, n: int, density: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        tail, head = np.nonzero(rng.random((n, n)) < density)
        self.n, self.tail, self.head = n, tail.astype(np.uint32), head.astype(np.uint32)
        self.order = freeze(rng.permutation(n).astype(np.uint32))
        self.arcs = pairs(tail, head)

    def parents(self) -> list[int]:
        """The elimination tree found."""
        ends = np.concatenate([[self.tail, self.head], [self.head, self.tail]], axis=1)
        first, place = group_by(ends[0], self.n)
        neighbour = freeze(ends[1][place])
        found: list[int] = elimination_tree(freeze(first), neighbour, self.order).tolist()
        return found


cases = st.builds(
    Case, st.integers(0, 14), st.sampled_from([0.02, 0.1, 0.3]), st.integers(0, 2**32 - 1)
)


def pairs(tail: AnyArray, head: AnyArray) -> Arcs:
    return set(zip(tail.tolist(), head.tolist(), strict=True))


def arcs_of(found: UpDown, n: int) -> Arcs:
    """The arcs as pairs; what is known of every group is asserted."""
    ends = []
    for first, upper in ((found.first_up, found.up_head), (found.first_down, found.down_tail)):
        assert first.dtype == upper.dtype == np.uint32
        assert first.shape == (n + 1,) and first[0] == 0 and first[-1] == len(upper)
        lower = np.repeat(np.arange(n), np.diff(first))
        assert (lower < upper).all()
        assert (np.diff(lower * max(n, 1) + upper) > 0).all()
        ends.append((lower, upper))
    (up_tail, up_head), (down_head, down_tail) = ends
    return pairs(up_tail, up_head) | pairs(down_tail, down_head)


@given(cases)
def test_arcs_by_lower_end(case: Case) -> None:
    """No arc is lost but the loops."""
    found = arcs_of(by_lower_end(case.tail, case.head, case.n), case.n)
    assert found == {(tail, head) for tail, head in case.arcs if tail != head}


@given(cases)
def test_elimination(case: Case) -> None:
    """The arcs are those that eliminating one vertex after the other leaves behind."""
    found = eliminate(by_lower_end(case.tail, case.head, case.n))
    assert arcs_of(found, case.n) == naive_elimination(case.arcs, range(case.n))


def test_elimination_that_needs_more_room() -> None:
    """A star whose centre goes first becomes complete: many more arcs than were given."""
    n = 300
    out, back = np.zeros(n - 1, np.uint32), np.arange(1, n, dtype=np.uint32)
    both = by_lower_end(np.append(out, back), np.append(back, out), n)
    assert len(arcs_of(eliminate(both), n)) == n * (n - 1)
    assert len(arcs_of(eliminate(by_lower_end(out, back, n)), n)) == n - 1


@given(cases)
def test_elimination_tree(case: Case) -> None:
    """The parent is the lowest upper neighbour in the chordal graph."""
    order = case.order.tolist()
    expected = naive_parents(case.arcs, order)
    rank = {vertex: place for place, vertex in enumerate(order)}
    for x, parent in enumerate(case.parents()):
        above = expected.get(order[x])
        assert parent == (INVALID if above is None else rank[above])


@given(cases)
def test_post_order(case: Case) -> None:
    """Subtrees one after the other, each before its root, children and roots as they were."""
    parent = case.parents()

    def subtree(root: int) -> list[int]:
        children = [x for x in range(case.n) if parent[x] == root]
        return [x for child in children for x in subtree(child)] + [root]

    roots = [x for x in range(case.n) if parent[x] == INVALID]
    expected = [x for root in roots for x in subtree(root)]
    assert post_order(np.array(parent, np.uint32)).tolist() == expected


def test_post_order_of_a_deep_tree() -> None:
    """A path of many vertices is walked without recursion."""
    parent = np.append(np.arange(1, 100_000, dtype=np.uint32), np.uint32(INVALID))
    assert (post_order(parent) == np.arange(100_000)).all()
