"""The hierarchy that any weights fit to: ranks, the elimination tree, arcs up and down."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import INVALID, U32, AnyArray, freeze, group_by, invert_permutation
from gis.jit import inner_kernel, int64
from routing.cch.contraction import (
    by_lower_end,
    eliminate,
    elimination_tree,
    post_order,
)
from routing.cch.subtrees import split_subtrees
from routing.graph.turn_graph import TurnGraph


class Hierarchy(NamedTuple):
    """A turn graph with the arcs that elimination by rank adds. V vertices, U + D arcs.

    Here a vertex is its rank. Between x < y there may be an upward arc x -> y and a downward arc
    y -> x; both are kept with x, and only where a path over lower vertices can lead that way.

    | array | dtype, shape | content |
    |---|---|---|
    | rank | uint32 (V,) | rank of each vertex of the turn graph |
    | vertex | uint32 (V,) | the inverse |
    | parent | uint32 (V,) | lowest upper neighbour in the chordal graph; INVALID: a root |
    | first_up | uint32 (V + 1,) | offsets into ``up_head`` |
    | up_head | uint32 (U,) | upper end of the arcs x -> y, ascending within x |
    | first_down | uint32 (V + 1,) | offsets into ``down_tail`` |
    | down_tail | uint32 (D,) | upper end of the arcs y -> x, ascending within x |
    | bounds | uint32 (S + 2,) | ranges of ranks that do not depend on each other, then the top |

    The upper ends of a vertex are among its ancestors in the tree of ``parent``.
    """

    rank: U32
    vertex: U32
    parent: U32
    first_up: U32
    up_head: U32
    first_down: U32
    down_tail: U32
    bounds: U32

    @property
    def n_arcs(self) -> int:
        return len(self.up_head) + len(self.down_tail)


def build_hierarchy(graph: TurnGraph, order: U32) -> Hierarchy:
    """The hierarchy of a turn graph whose vertices are eliminated in an order (V,) like this one.

    The ranks are those of the order but for what makes no difference to the arcs: subtrees of
    the elimination tree are moved together, and the top of it to the end.
    """
    n = graph.n_vertices
    tail = np.repeat(np.arange(n, dtype=np.uint32), np.diff(graph.first_turn))
    ends = np.concatenate([tail, graph.turn_head]), np.concatenate([graph.turn_head, tail])
    first, place = group_by(ends[0], n)
    order = freeze(order.astype(np.uint32))
    parent = elimination_tree(freeze(first), freeze(ends[1][place]), order)
    moved = post_order(parent)
    parent = _moved_tree(parent, moved)
    to_parts, bounds = split_subtrees(freeze(parent))
    parent = _moved_tree(parent, to_parts)
    vertex = order[moved][to_parts]
    rank = invert_permutation(vertex)
    arcs = eliminate(by_lower_end(rank[tail], rank[graph.turn_head], n))
    return Hierarchy(freeze(rank), freeze(vertex), freeze(parent), *arcs, bounds)


def vertices_beside_arcs(arc_order: U32, graph: TurnGraph) -> U32:
    """An order of all vertices (V,) from one of the arcs (A,): copies follow their arc."""
    place = invert_permutation(arc_order)
    return freeze(np.argsort(place[graph.vertex_arc], kind="stable").astype(np.uint32))


def _moved_tree(parent: U32, order: U32) -> U32:
    """The tree over the places in an order of its vertices."""
    place = np.append(invert_permutation(order), np.uint32(INVALID))
    above = parent[order]
    moved: U32 = place[np.where(above == INVALID, len(order), above)]
    return moved


def check_hierarchy(hierarchy: Hierarchy, graph: TurnGraph) -> None:
    """Assert every documented invariant."""
    n = graph.n_vertices
    for array in hierarchy:
        assert array.dtype == np.uint32 and array.flags.c_contiguous and not array.flags.writeable
    assert (np.sort(hierarchy.vertex) == np.arange(n)).all()
    assert (hierarchy.rank[hierarchy.vertex] == np.arange(n)).all()
    up = _check_arcs(hierarchy.first_up, hierarchy.up_head, n)
    down = _check_arcs(hierarchy.first_down, hierarchy.down_tail, n)
    _check_tree(hierarchy.parent, np.concatenate([up, down], axis=1))
    _check_bounds(hierarchy, n)
    tail = hierarchy.rank[np.repeat(np.arange(n), np.diff(graph.first_turn))]
    given = by_lower_end(tail, hierarchy.rank[graph.turn_head], n)
    needed = eliminate(given)
    for array, expected in zip(hierarchy[3:7], needed, strict=True):
        assert (array == expected).all()
    _check_closed(up, down)
    for first, upper, arcs in (
        (given.first_up, given.up_head, up),
        (given.first_down, given.down_tail, down),
    ):
        lower = np.repeat(np.arange(n), np.diff(first))
        assert np.isin(lower * n + upper, arcs[0] * n + arcs[1]).all()


def _check_arcs(first: U32, upper: U32, n: int) -> AnyArray:
    """Lower and upper ends (2, M) of the arcs, which ascend."""
    assert first.shape == (n + 1,) and first[0] == 0 and first[-1] == len(upper)
    assert (first[1:] >= first[:-1]).all() and (upper < n).all()
    lower = np.repeat(np.arange(n, dtype=np.int64), np.diff(first))
    assert (lower < upper).all() and (np.diff(lower * n + upper) > 0).all()
    return np.stack([lower, upper.astype(np.int64)])


def _check_tree(parent: U32, arcs: AnyArray) -> None:
    """Every upper end is an ancestor, found by following the parents of all arcs at once."""
    n = len(parent)
    above = np.where(parent == INVALID, n, parent.astype(np.int64))
    assert parent.shape == (n,) and (above > np.arange(n)).all() and (above <= n).all()
    lower, upper = arcs
    while len(lower):
        lower = above[lower]
        assert (lower <= upper).all()
        lower, upper = lower[lower < upper], upper[lower < upper]


def _check_bounds(hierarchy: Hierarchy, n: int) -> None:
    """Ranges cover all ranks; what is above a range's vertex lies in it or in the top."""
    bounds = hierarchy.bounds.astype(np.int64)
    assert len(bounds) >= 2 and bounds[0] == 0 and bounds[-1] == n
    assert (np.diff(bounds[:-1]) > 0).all() and bounds[-2] <= n
    part = np.searchsorted(bounds[:-1], np.arange(n), "right")
    above = np.where(hierarchy.parent == INVALID, n, hierarchy.parent.astype(np.int64))
    part_above = np.append(part, 0)[above]
    in_top = above >= bounds[-2]
    assert (in_top | (part_above == part)).all()


def _check_closed(up: AnyArray, down: AnyArray) -> None:
    """Wherever y -> x -> z, x the lowest, there is y -> z; for a sample of lowest vertices."""
    n = int(max(up.max(initial=0), down.max(initial=0))) + 1
    keys = set((up[0] * n + up[1]).tolist()) | set((down[1] * n + down[0]).tolist())
    for x in np.unique(up[0])[:: max(1, n // 1000)].tolist():
        heads, tails = up[1][up[0] == x].tolist(), down[1][down[0] == x].tolist()
        assert all(y == z or y * n + z in keys for y in tails for z in heads)


@inner_kernel
def find_arc(first: U32, upper: U32, low: Any, high: Any) -> int:
    """Position of the arc between two vertices, which exists."""
    a, b = int64(first[low]), int64(first[low + 1])
    while b - a > 1:
        middle = (a + b) >> 1
        if upper[middle] <= high:
            a = middle
        else:
            b = middle
    return a
