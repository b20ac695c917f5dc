"""Where routes may begin and end: strongly connected components of the turn graph."""

from dataclasses import dataclass

import numpy as np

from gis.arrays import I64, INF, INVALID, U8, U32, AnyArray, Bool, freeze, invert_permutation
from gis.jit import kernel
from routing.graph.turn_graph import TurnGraph

ARC_OPEN, ARC_START, ARC_END, ARC_STARTPOINT = 1, 2, 4, 8
"""Bits of ``Components.arc_flags``."""

CONNECTED = ARC_OPEN | ARC_START | ARC_END
"""The flags of an arc where one can come from and go to, at every point of a route alike."""

BIG_COMPONENT_ARCS = 1000
"""From this size on a component is worth going to, besides the largest one."""


@dataclass(frozen=True)
class Components:
    """Which arcs reach each other, and where a route may begin and end. A arcs.

    | array | dtype, shape | content |
    |---|---|---|
    | arc_component | uint32 (A,) | label, 0 the largest, sizes descending; INVALID: closed |
    | arc_flags | uint8 (A,) | see below; none for a closed arc |

    Arcs of one component reach each other. An arc that is entered by several vertices (a
    restriction's memory) has the largest component of theirs. Flags: ARC_OPEN; ARC_START: leads
    to a big component; ARC_END: reached from one; ARC_STARTPOINT: the profile lets routes begin
    and end there.
    """

    arc_component: U32
    arc_flags: U8

    def in_big_component(self) -> Bool:
        """Which arcs lie in a component that is worth going to, bool (A,)."""
        size = np.bincount(self.arc_component[self.arc_component != INVALID])
        return self.arc_component < np.count_nonzero(_is_big(size))


def check_components(components: Components, n_arcs: int) -> None:
    """Assert every documented invariant that the arrays alone can show."""
    label, flags = components.arc_component, components.arc_flags
    assert label.dtype == np.uint32 and flags.dtype == np.uint8
    assert len(label) == len(flags) == n_arcs
    is_open = flags & ARC_OPEN > 0
    assert (is_open == (label != INVALID)).all()
    assert not flags[~is_open].any()
    assert (flags <= ARC_OPEN | ARC_START | ARC_END | ARC_STARTPOINT).all()
    size = np.bincount(label[is_open])
    assert (size > 0).all() and (np.diff(size) <= 0).all()


def build_components(graph: TurnGraph, open_arc: Bool, startpoint: Bool) -> Components:
    """Components of the open arcs, and flags; ``open_arc`` and ``startpoint`` are bool (A,)."""
    n_arcs = len(open_arc)
    vertex_component = _strong_components(graph)
    largest = vertex_component[:n_arcs].copy()
    np.minimum.at(largest, graph.vertex_arc[n_arcs:], vertex_component[n_arcs:])
    arc_component = np.full(n_arcs, INVALID, np.uint32)
    arc_component[open_arc] = _number_by_size(largest[open_arc])

    size = np.bincount(largest[open_arc], minlength=graph.n_vertices)
    in_big = _is_big(size)[vertex_component]
    flags = (open_arc * (ARC_OPEN | ARC_STARTPOINT * startpoint)).astype(np.uint8)
    for flag, first, head in (
        (ARC_START, graph.first_back, graph.back_tail),
        (ARC_END, graph.first_turn, graph.turn_head),
    ):
        connected = np.zeros(n_arcs, np.bool_)
        connected[graph.vertex_arc[_reachable(first, head, in_big)]] = True
        flags[connected & open_arc] |= flag
    return Components(freeze(arc_component), freeze(flags))


def flags_where_open(arc_flags: U8, weight: U32) -> U8:
    """Flags (A,) without those of the arcs that some weights (A,) close."""
    return freeze(np.where(weight < INF, arc_flags, np.uint8(0)))


def _is_big(size: AnyArray) -> Bool:
    """Which sizes, in arcs, make a component worth going to; the largest always does."""
    is_big: Bool = size >= min(BIG_COMPONENT_ARCS, size.max(initial=1))
    return is_big


def _strong_components(graph: TurnGraph) -> I64:
    """Label of every vertex's component (V,), the component with most vertices first."""
    # SciPy takes longer to import than most programs that read components have to spare.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    turns = csr_array(
        (np.ones(graph.n_turns, np.int8), graph.turn_head, graph.first_turn),
        shape=(graph.n_vertices, graph.n_vertices),
    )
    _, label = connected_components(turns, connection="strong")
    return _number_by_size(label)


def _number_by_size(label: AnyArray) -> I64:
    """Labels (n,) numbered anew by falling size, equal sizes in order of appearance."""
    size = np.bincount(label)
    appearance = np.zeros(len(size), np.int64)
    appearance[label[::-1]] = np.arange(len(label))[::-1]
    order = np.lexsort((appearance, -size))
    return invert_permutation(order)[label].astype(np.int64)


def _reachable(first: U32, head: U32, start: Bool) -> Bool:
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
