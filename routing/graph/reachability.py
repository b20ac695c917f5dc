"""What reaches what in a directed graph, and which of its parts are worth going to."""

import numpy as np

from gis.arrays import I64, U32, AnyArray, Bool, invert_permutation
from gis.jit import kernel

BIG_COMPONENT_ARCS = 1000
"""From this size on a component is worth going to, besides the largest one."""


def is_big(size: AnyArray, largest: int | None = None) -> Bool:
    """Which sizes, in arcs, make a component worth going to; the largest always does.

    That is the largest of these, unless another one is said to be.
    """
    largest = int(size.max(initial=1)) if largest is None else largest
    big: Bool = size >= min(BIG_COMPONENT_ARCS, largest)
    return big


def strong_components(first: U32, head: U32) -> I64:
    """Label of every vertex's component (V,), the component with most vertices first."""
    # SciPy takes longer to import than most programs that read components have to spare.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(first) - 1
    graph = csr_array((np.ones(len(head), np.int8), head, first), shape=(n, n))
    _, label = connected_components(graph, connection="strong")
    return number_by_size(label)


def weak_components(tail: AnyArray, head: AnyArray, n: int) -> AnyArray:
    """Label of every vertex's component (n,) where the direction of edges does not matter."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(tail), np.int8), (tail, head)), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    found: AnyArray = label
    return found


def number_by_size(label: AnyArray) -> I64:
    """Labels (n,) numbered anew by falling size, equal sizes in order of appearance."""
    size = np.bincount(label)
    appearance = np.zeros(len(size), np.int64)
    appearance[label[::-1]] = np.arange(len(label))[::-1]
    order = np.lexsort((appearance, -size))
    return invert_permutation(order)[label].astype(np.int64)


def reachable(first: U32, head: U32, start: Bool) -> Bool:
    """Which vertices can be reached from those marked, which are among them; bool (V,)."""
    reached = start.copy()
    queue = np.empty(len(start), np.uint32)
    n_queued = int(np.count_nonzero(start))
    queue[:n_queued] = np.flatnonzero(start)
    _reach(first, head, n_queued, queue, reached)
    return reached


@kernel
def _reach(first: U32, head: U32, n_queued: int, queue: U32, reached: Bool) -> None:
    """Mark all vertices that can be reached from the first ``n_queued`` of ``queue``."""
    done = 0
    while done < n_queued:
        vertex = queue[done]
        done += 1
        for turn in range(first[vertex], first[vertex + 1]):
            if not reached[head[turn]]:
                reached[head[turn]] = True
                queue[n_queued] = head[turn]
                n_queued += 1
