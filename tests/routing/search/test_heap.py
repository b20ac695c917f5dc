"""The heap against the standard library's."""

import heapq

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INF
from routing.search.heap import VERTEX_BITS, VERTEX_MASK, pop, push

ENTRIES = st.tuples(
    st.integers(0, 3) | st.sampled_from([INF - 1]) | st.integers(0, INF - 1),
    st.integers(0, 3) | st.sampled_from([2**32 - 1]),
)


@given(st.lists(st.none() | ENTRIES, max_size=80))
def test_entries_leave_in_order(moves: list[tuple[int, int] | None]) -> None:
    """Any mixture of pushes and pops gives what heapq gives, up to the limits of the types."""
    heap, size = np.zeros(80, np.int64), 0
    expected: list[tuple[int, int]] = []
    for move in [*moves, *[None] * len(moves)]:
        if move is not None:
            size = push(heap, size, *move)
            heapq.heappush(expected, move)
        elif expected:
            least = int(heap[0])
            size = pop(heap, size)
            assert (least >> VERTEX_BITS, least & VERTEX_MASK) == heapq.heappop(expected)
        assert size == len(expected)
