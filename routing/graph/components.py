"""Where routes may begin and end: strongly connected components of the turn graph."""

from dataclasses import dataclass

import numpy as np

from gis.arrays import INF, INVALID, U8, U32, AnyArray, Bool, freeze
from gis.network.road_network import RoadNetwork, by_arc
from gis.profiles.verdicts import STARTPOINT, Verdicts
from routing.graph.reachability import is_big, number_by_size, reachable, strong_components
from routing.graph.turn_graph import TurnGraph

ARC_OPEN, ARC_START, ARC_END, ARC_STARTPOINT, ARC_RESTRICTED = 1, 2, 4, 8, 16
"""Bits of ``Components.arc_flags``."""

CONNECTED = ARC_OPEN | ARC_START | ARC_END
"""The flags of an arc where one can come from and go to, at every point of a route alike."""

_ALL_FLAGS = CONNECTED | ARC_STARTPOINT | ARC_RESTRICTED


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
    and end there; ARC_RESTRICTED: may be reached, but not passed through. What is restricted
    makes no component big, unless everything is.
    """

    arc_component: U32
    arc_flags: U8


def check_components(components: Components, n_arcs: int) -> None:
    """Assert every documented invariant that the arrays alone can show."""
    label, flags = components.arc_component, components.arc_flags
    assert label.dtype == np.uint32 and flags.dtype == np.uint8
    assert len(label) == len(flags) == n_arcs
    is_open = flags & ARC_OPEN > 0
    assert (is_open == (label != INVALID)).all()
    assert not flags[~is_open].any()
    assert (flags <= _ALL_FLAGS).all()
    size = np.bincount(label[is_open])
    assert (size > 0).all() and (np.diff(size) <= 0).all()


def startpoints(network: RoadNetwork, verdicts: Verdicts) -> Bool:
    """Where the profile lets a route begin and end, bool (A,)."""
    allowed = verdicts.way_flags & STARTPOINT > 0
    found: Bool = by_arc(network, allowed, allowed)
    return found


def build_components(
    graph: TurnGraph, open_arc: Bool, startpoint: Bool, restricted: AnyArray | None = None
) -> Components:
    """Components of the open arcs, and flags.

    ``open_arc``, ``startpoint`` and ``restricted`` are (A,), 0 or False where an arc is not;
    without the last none is restricted.
    """
    n_arcs = len(open_arc)
    vertex_component = strong_components(graph.first_turn, graph.turn_head)
    largest = vertex_component[:n_arcs].copy()
    np.minimum.at(largest, graph.vertex_arc[n_arcs:], vertex_component[n_arcs:])
    arc_component = np.full(n_arcs, INVALID, np.uint32)
    arc_component[open_arc] = number_by_size(largest[open_arc])

    flags = (open_arc * (ARC_OPEN | ARC_STARTPOINT * startpoint)).astype(np.uint8)
    through = open_arc
    if restricted is not None:
        flags[open_arc & (restricted > 0)] |= ARC_RESTRICTED
        if not restricted[open_arc].all():
            through = open_arc & (restricted == 0)
    size = np.bincount(largest[through], minlength=graph.n_vertices)
    in_big = is_big(size)[vertex_component]
    for flag, first, head in (
        (ARC_START, graph.first_back, graph.back_tail),
        (ARC_END, graph.first_turn, graph.turn_head),
    ):
        connected = np.zeros(n_arcs, np.bool_)
        connected[graph.vertex_arc[reachable(first, head, in_big)]] = True
        flags[connected & open_arc] |= flag
    return Components(freeze(arc_component), freeze(flags))


def flags_where_open(arc_flags: U8, weight: U32) -> U8:
    """Flags (A,) without those of the arcs that some weights (A,) close."""
    return freeze(np.where(weight < INF, arc_flags, np.uint8(0)))
