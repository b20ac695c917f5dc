"""The verbs on index arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INF, INVALID, freeze, group_by, invert_permutation, offsets
from gis.errors import ResourceError


@given(st.lists(st.integers(0, 9), max_size=50))
def test_group_by_lists_positions_in_order(keys: list[int]) -> None:
    """Each group holds exactly the positions of its key, ascending."""
    first, position = group_by(np.array(keys, np.uint32), 10)
    for key in range(10):
        group = position[int(first[key]) : int(first[key + 1])].tolist()
        assert group == [i for i, k in enumerate(keys) if k == key]


@given(st.lists(st.integers(0, 1000), max_size=50))
def test_offsets_are_running_sums(counts: list[int]) -> None:
    """Offset i is the sum of the counts before i."""
    first = offsets(np.array(counts, np.int64))
    assert first.tolist() == [sum(counts[:i]) for i in range(len(counts) + 1)]


def test_offsets_beyond_32_bits_are_refused() -> None:
    """Two groups of 2**31 entries do not fit: an error, not a wrap-around."""
    with pytest.raises(ResourceError, match="4294967296 entries in one array, expected at most"):
        offsets(np.array([2**31, 2**31], np.int64))


@given(st.permutations(range(12)))
def test_invert_permutation(permutation: list[int]) -> None:
    """The inverse undoes the permutation."""
    inverse = invert_permutation(np.array(permutation, np.uint32))
    assert inverse[np.array(permutation)].tolist() == list(range(12))


def test_freeze_gives_contiguous_read_only() -> None:
    """A slice with a stride becomes contiguous, and nothing can write to it."""
    frozen = freeze(np.arange(10)[::2])
    assert frozen.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        frozen[0] = 1


def test_sentinels_do_not_wrap() -> None:
    """INF + INF fits in uint32, and an index of INVALID is refused by NumPy."""
    assert np.uint32(INF) + np.uint32(INF) == 2**32 - 2
    with pytest.raises(IndexError):
        np.arange(3)[np.uint32(INVALID)]
