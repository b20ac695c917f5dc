"""Ranges of ranks that threads may work on side by side."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INVALID, U32, freeze
from routing.cch.contraction import post_order
from routing.cch.subtrees import N_PARTS, split_subtrees


def make_tree(n: int, reach: int, p_root: float, seed: int) -> U32:
    """A forest in post-order, bushy or deep: a parent is at most ``reach`` ranks higher."""
    rng = np.random.default_rng(seed)
    parent = np.arange(n) + rng.integers(1, reach, n, endpoint=True)
    parent[(parent >= n) | (rng.random(n) < p_root)] = INVALID
    order = post_order(freeze(parent.astype(np.uint32))).tolist()
    above = [int(parent[x]) for x in order]
    moved = [INVALID if y == INVALID else order.index(y) for y in above]
    return freeze(np.array(moved, np.uint32))


trees = st.builds(
    make_tree,
    st.integers(0, 300),
    st.sampled_from([1, 2, 5, 300]),
    st.sampled_from([0, 0, 0.02, 0.5]),
    st.integers(0, 2**32 - 1),
)


@given(trees)
def test_ranges(parent: U32) -> None:
    """Ranges are small and depend on nothing but themselves and the top; the top is no larger."""
    n = len(parent)
    order, bounds = split_subtrees(parent)
    assert order.dtype == bounds.dtype == np.uint32
    assert sorted(order.tolist()) == list(range(n))
    assert bounds[0] == 0 and bounds[-1] == n and len(bounds) >= 2
    largest = -(-n // N_PARTS)
    size = [1] * n
    for x, above in enumerate(parent.tolist()):
        if above != INVALID:
            size[above] += size[x]
    part = {}
    for index, (first, stop) in enumerate(pairwise(bounds.tolist())):
        is_top = index == len(bounds) - 2
        assert is_top or 0 < stop - first <= largest
        for x in order[first:stop].tolist():
            part[x] = index
            assert (size[x] > largest) == is_top
    top = len(bounds) - 2
    for x, above in enumerate(parent.tolist()):
        assert above == INVALID or part[above] in (part[x], top)
        if above != INVALID:
            assert order.tolist().index(x) < order.tolist().index(above)


@given(trees)
def test_ranges_are_as_few_as_fit(parent: U32) -> None:
    """Two ranges after each other do not fit into one."""
    _, bounds = split_subtrees(parent)
    sizes = np.diff(bounds[:-1].astype(np.int64))
    assert (sizes[:-1] + sizes[1:] > -(-len(parent) // N_PARTS)).all()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_vertices(n: int) -> None:
    """Without vertices there is an empty top and nothing else; loners are ranges of their own."""
    order, bounds = split_subtrees(freeze(np.full(n, INVALID, np.uint32)))
    assert order.tolist() == list(range(n))
    assert bounds.tolist() == [*range(n + 1), n]
