"""A four-ary heap of packed entries: the priority queue of every search.

An entry is ``key << 32 | vertex`` in one int64, with 0 <= key < INF, so a comparison looks at one
word and ties fall to the lower vertex. There is no decrease: a search pushes a vertex again and
skips entries that are no longer its best, which measured a fifth faster than an indexed heap.
"""

from typing import TypeAlias

import numpy as np

from gis.arrays import I64
from gis.jit import kernel

VERTEX_BITS = 32
VERTEX_MASK = 2**VERTEX_BITS - 1

Int: TypeAlias = int | np.int64
"""A number inside a kernel: an int64, whether it was written or read from an array."""


@kernel
def push(heap: I64, size: int, key: Int, vertex: Int) -> int:
    """Add an entry to the first ``size`` of ``heap`` and return the new size."""
    entry = (np.int64(key) << VERTEX_BITS) | np.int64(vertex)
    hole = size
    while hole > 0:
        parent = (hole - 1) >> 2
        if heap[parent] <= entry:
            break
        heap[hole] = heap[parent]
        hole = parent
    heap[hole] = entry
    return size + 1


@kernel
def pop(heap: I64, size: int) -> int:
    """Remove the least entry, ``heap[0]``, and return the new size; ``size`` is at least 1."""
    size -= 1
    entry = heap[size]
    hole = 0
    child = 1
    while child < size:
        if child + 3 < size:
            low = child + (1 if heap[child + 1] < heap[child] else 0)
            high = child + (3 if heap[child + 3] < heap[child + 2] else 2)
            child = high if heap[high] < heap[low] else low
        else:
            for sibling in range(child + 1, size):
                if heap[sibling] < heap[child]:
                    child = sibling
        if heap[child] >= entry:
            break
        heap[hole] = heap[child]
        hole = child
        child = 4 * hole + 1
    heap[hole] = entry
    return size
