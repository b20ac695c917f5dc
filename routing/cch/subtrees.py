"""Ranks divided into independent ranges, for threads, and a small top that depends on them."""

import numpy as np

from gis.arrays import INVALID, U32, AnyArray, freeze
from gis.jit import plain_kernel

N_PARTS = 32
"""No range has more than this part of all vertices; finer ones would enlarge the top."""


def split_subtrees(parent: U32) -> tuple[U32, U32]:
    """Ranks in an order whose last ones are the top, and where each range of it begins.

    ``parent`` (V,) is the elimination tree in post-order. Returns the order uint32 (V,) and
    bounds uint32 (S + 2,): range i holds the places bounds[i] .. bounds[i + 1], for i < S a whole
    subtree or several, for i = S the top. What is above a vertex comes after it, as before.
    """
    n = len(parent)
    largest = -(-n // N_PARTS)
    size = np.empty(n, np.uint32)
    _measure(parent, size)
    above = np.where(parent == INVALID, n, parent)
    is_top = size > largest
    is_root = ~is_top & np.append(is_top, True)[above]
    root = np.flatnonzero(is_root)
    bounds = _pack(size[root], largest)
    order = np.concatenate([np.flatnonzero(~is_top), np.flatnonzero(is_top)])
    return freeze(order.astype(np.uint32)), freeze(np.append(bounds, n).astype(np.uint32))


def _pack(sizes: AnyArray, largest: int) -> list[int]:
    """Bounds of ranges of consecutive subtrees, as many in each as fit."""
    bounds, end = [0], 0
    for size in sizes.tolist():
        if end > bounds[-1] and end + size - bounds[-1] > largest:
            bounds.append(end)
        end += size
    return [*bounds, end] if end > bounds[-1] else bounds


@plain_kernel
def _measure(parent: U32, size: U32) -> None:
    """Fill the number of vertices in each subtree."""
    for x in range(len(size)):
        size[x] = 1
    for x in range(len(size)):
        if parent[x] != INVALID:
            size[parent[x]] += size[x]
