"""Elimination of vertices in the order of their ranks: the tree it hangs on, the arcs it needs."""

from typing import NamedTuple

import numpy as np

from gis.arrays import INVALID, U32, AnyArray, freeze, invert_permutation, offsets
from gis.jit import inner_kernel, int64, plain_kernel

_LOW_BITS = 32


class UpDown(NamedTuple):
    """Arcs between ranks by their lower end. V vertices, U upward and D downward arcs.

    | array | dtype, shape | content |
    |---|---|---|
    | first_up | uint32 (V + 1,) | offsets into ``up_head`` |
    | up_head | uint32 (U,) | upper end of an arc x -> y, x < y |
    | first_down | uint32 (V + 1,) | offsets into ``down_tail`` |
    | down_tail | uint32 (D,) | upper end of an arc y -> x, x < y |
    """

    first_up: U32
    up_head: U32
    first_down: U32
    down_tail: U32


class _Lists(NamedTuple):
    """Arcs of one kind as they are found, and by their upper end as linked lists."""

    first: U32
    """(V + 1,) offsets."""
    upper: U32
    """Upper end of each arc; longer than needed."""
    lower: U32
    """Lower end of each arc."""
    older: U32
    """The arc found before that has the same upper end."""
    newest: U32
    """(V,) the arc found last that has this upper end."""
    mark: U32
    """(V,) the last vertex whose list an upper end was put into."""


def elimination_tree(first: U32, neighbour: U32, order: U32) -> U32:
    """Lowest upper neighbour of every vertex once the graph is made chordal, by rank: (V,).

    The graph is symmetric, ``first`` (V + 1,), ``neighbour`` (M,); ``order`` (V,) are its
    vertices by rank. INVALID for a root. Liu, ACM TOMS 12 (1986), section 3, with path
    compression: no arc is added to find it.
    """
    parent = np.full(len(order), INVALID, np.uint32)
    _find_parents(first, neighbour, order, invert_permutation(order), parent, parent.copy())
    return parent


def post_order(parent: U32) -> U32:
    """The ranks (V,) in post-order of their tree, children by rank: a subtree is one range."""
    order = np.empty(len(parent), np.uint32)
    _walk(freeze(parent), np.full(len(parent), INVALID, np.uint32), order, order.copy())
    return order


def eliminate(given: UpDown) -> UpDown:
    """The arcs given and those that the elimination of the vertices, the lowest first, adds.

    Whenever y -> x and x -> z, x lower than both, then y -> z. Unlike in the undirected chordal
    graph an arc is there only in the directions in which it can ever have a weight (Dibbelt,
    Strasser, Wagner, JEA 21, 2016, section 4 keeps both).
    """
    n = len(given.first_up) - 1
    up, down = _new_lists(n, len(given.up_head)), _new_lists(n, len(given.down_tail))
    done = 0
    while True:
        done = _eliminate_from(done, given, up, down)
        if done == n:
            break
        up, down = _with_room(up, done), _with_room(down, done)
    first_up, up_head = _sorted_arcs(up)
    first_down, down_tail = _sorted_arcs(down)
    return UpDown(first_up, up_head, first_down, down_tail)


def _new_lists(n: int, n_given: int) -> _Lists:
    room = 4 * (n_given + n)
    upper, lower, older = (np.empty(room, np.uint32) for _ in range(3))
    newest, mark = (np.full(n, INVALID, np.uint32) for _ in range(2))
    return _Lists(np.zeros(n + 1, np.uint32), upper, lower, older, newest, mark)


def _with_room(lists: _Lists, done: int) -> _Lists:
    """The same lists with twice the room, if they need it."""
    n, room = len(lists.mark), len(lists.upper)
    if room - int(lists.first[done]) >= n:
        return lists
    upper, lower, older = (
        np.concatenate([column, np.empty(room, np.uint32)])
        for column in (lists.upper, lists.lower, lists.older)
    )
    return lists._replace(upper=upper, lower=lower, older=older)


def _sorted_arcs(lists: _Lists) -> tuple[U32, U32]:
    """Offsets and upper ends, ascending within a vertex."""
    n_arcs = int(lists.first[-1])
    key = lists.lower[:n_arcs].astype(np.int64) << _LOW_BITS | lists.upper[:n_arcs]
    key.sort()
    counts = np.diff(lists.first)
    return freeze(offsets(counts)), freeze(key.astype(np.uint32))


def by_lower_end(tail: AnyArray, head: AnyArray, n: int) -> UpDown:
    """Arcs between ranks, (T,) each, by their lower end; loops are left out."""
    is_up = tail < head
    is_down = tail > head
    first_up, up_head = _grouped(tail[is_up], head[is_up], n)
    first_down, down_tail = _grouped(head[is_down], tail[is_down], n)
    return UpDown(first_up, up_head, first_down, down_tail)


def _grouped(lower: AnyArray, upper: AnyArray, n: int) -> tuple[U32, U32]:
    key = np.sort(lower.astype(np.int64) << _LOW_BITS | upper)
    first = offsets(np.bincount(lower, minlength=n))
    return freeze(first), freeze(key.astype(np.uint32))


@plain_kernel
def _find_parents(
    first: U32, neighbour: U32, order: U32, rank: U32, parent: U32, highest: U32
) -> None:
    """Fill ``parent``; ``highest`` comes filled with INVALID and shortens the way to a root."""
    for x in range(len(order)):
        vertex = order[x]
        for i in range(first[vertex], first[vertex + 1]):
            y = int64(rank[neighbour[i]])
            while y < x:
                above = int64(highest[y])
                highest[y] = x
                if above == INVALID:
                    parent[y] = x
                    break
                y = above


@plain_kernel
def _walk(parent: U32, child: U32, order: U32, sibling: U32) -> None:
    """Fill ``order``; ``child`` comes filled with INVALID, ``sibling`` is scratch."""
    n = len(parent)
    n_done = n
    root = int64(INVALID)
    for x in range(n):
        above = int64(parent[x])
        if above == INVALID:
            sibling[x] = root
            root = x
        else:
            sibling[x] = child[above]
            child[above] = x
    # From the last root and child to the first and from above, so the places fill from the end.
    x = root
    while x != INVALID:
        n_done -= 1
        order[n_done] = x
        if child[x] != INVALID:
            x = int64(child[x])
            continue
        while x != INVALID and sibling[x] == INVALID:
            x = int64(parent[x])
        if x != INVALID:
            x = int64(sibling[x])


@inner_kernel
def _gather(x: int, first: U32, given: U32, lists: _Lists, through: _Lists) -> int:
    """Collect the upper ends of one vertex's arcs of one kind; returns their end.

    Given ones, and those over a lower vertex: each arc of the other kind, ``through``, that has
    this vertex as its upper end is continued by the arcs of this kind from its lower end.
    """
    end = int64(lists.first[x])
    for i in range(first[x], first[x + 1]):
        z = given[i]
        if lists.mark[z] != x:
            lists.mark[z] = x
            lists.upper[end] = z
            lists.lower[end] = x
            end += 1
    arc = int64(through.newest[x])
    while arc != INVALID:
        lower = through.lower[arc]
        for i in range(lists.first[lower], lists.first[lower + 1]):
            z = lists.upper[i]
            if z > x and lists.mark[z] != x:
                lists.mark[z] = x
                lists.upper[end] = z
                lists.lower[end] = x
                end += 1
        arc = int64(through.older[arc])
    lists.first[x + 1] = end
    return end


@inner_kernel
def _hang_up(x: int, lists: _Lists) -> None:
    """Enter the arcs of a finished vertex in the lists of their upper ends."""
    for arc in range(lists.first[x], lists.first[x + 1]):
        upper = lists.upper[arc]
        lists.older[arc] = lists.newest[upper]
        lists.newest[upper] = arc


@plain_kernel
def _eliminate_from(done: int, given: UpDown, up: _Lists, down: _Lists) -> int:
    """Eliminate the next vertices as long as there is room; returns how many are done."""
    n = len(up.mark)
    for x in range(done, n):
        if len(up.upper) - int64(up.first[x]) < n - x:
            return x
        if len(down.upper) - int64(down.first[x]) < n - x:
            return x
        _gather(x, given.first_up, given.up_head, up, down)
        _gather(x, given.first_down, given.down_tail, down, up)
        _hang_up(x, up)
        _hang_up(x, down)
    return n
