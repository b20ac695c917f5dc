"""Ancestors in random forests against sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INVALID, U32, freeze
from gis.jit import plain_kernel
from routing.cch.ancestors import NO_ROOM, add_ancestors


@plain_kernel
def add_one(vertex: U32, at: int, parent: U32, found: U32, n_found: int, place: U32) -> int:
    return add_ancestors(vertex[at], parent, found, n_found, place)


@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.integers(1, 14))
def test_what_is_above(n: int, seed: int, room: int) -> None:
    """Each vertex once and after all that is above it; without room nothing changes."""
    rng = np.random.default_rng(seed)
    parent = np.array([rng.integers(x + 1, n + 2) for x in range(n)], np.uint32)
    parent[parent >= n] = INVALID
    vertex = rng.integers(0, n, 6).astype(np.uint32)
    found, place = np.zeros(room, np.uint32), np.zeros(n, np.uint32)
    n_found, expected = 1, set[int]()
    for at, x in enumerate(vertex.tolist()):
        above = set()
        while x != INVALID:
            above.add(x)
            x = int(parent[x])
        before = found.copy(), place.copy()
        end = add_one(freeze(vertex), at, freeze(parent), found, n_found, place)
        if len(expected | above) >= room:
            assert end == NO_ROOM
            assert (found == before[0]).all() and (place == before[1]).all()
            continue
        expected |= above
        n_found = end
        listed = found[1:n_found].tolist()
        assert sorted(listed) == sorted(expected)
        assert place.tolist() == [listed.index(v) + 1 if v in expected else 0 for v in range(n)]
        assert all(place[v] > place[parent[v]] for v in listed if parent[v] != INVALID)
