"""The turn graph with every vertex and turn that there is at some time.

The order and the shape of the hierarchy are made for it once, so that at any time some of its
turns may be lacking, but none comes up that it does not have.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gis.arrays import U8, Bool, freeze, offsets
from gis.network.road_network import Restrictions, RoadNetwork, arc_ends, by_arc
from gis.profiles.timed import TimedVerdicts, verdicts_ever
from gis.profiles.verdicts import BINDS_NOT, DEMANDS, Verdicts
from routing.conditions.prepared import Memory
from routing.conditions.steadiness import ArcsOverTime, arcs_over_time
from routing.graph.arc_turns import BEHIND, FREE, OPEN, RESTRICTED, ArcTurns, join_arcs
from routing.graph.forbidden_paths import Path, restrict_turns, states_needed
from routing.graph.restricted_roads import all_entries, node_passage
from routing.graph.turn_graph import Remembered, TurnGraph, build_turn_graph, make_turn_graph


@dataclass(frozen=True)
class Graphs:
    """The turn graph of no special time, and the widest one with the same vertices."""

    normal: TurnGraph
    widest: TurnGraph
    memory: Memory


def build_graphs(
    network: RoadNetwork, normal: Verdicts, timed: TimedVerdicts, restricted: U8
) -> Graphs:
    """The turn graphs of a vehicle; if nothing changes with the time they are the same.

    ``restricted`` (A,) is how far the arcs are restricted at no special time.
    """
    open_now = by_arc(network, normal.forward_kmh > 0, normal.backward_kmh > 0)
    if not timed.expressions:
        graph = build_turn_graph(network, normal, open_now, restricted)
        nothing = Remembered((), freeze(np.zeros(network.n_arcs, np.bool_)))
        return Graphs(graph, graph, Memory.of(nothing))
    arcs = arcs_over_time(network, normal, timed, restricted)
    turns, steady = _widest_turns(network, normal, arcs)
    kind = _steady_kinds(network.restrictions, turns, steady, normal, timed)
    by_itself = replace(network.restrictions, tagset=freeze(np.arange(len(kind), dtype=np.uint32)))
    states = states_needed(turns, by_itself, kind)
    ever = verdicts_ever(timed, normal)
    states |= _unsteady_states(network.restrictions, turns, kind, ever)
    allowed = restrict_turns(turns, by_itself, kind, states)
    kept, leaves_as = all_entries(allowed, arcs.may_restrict, arcs.always_restricted)
    costs = freeze(np.zeros(len(kept.tail), np.uint16))
    remembered = Remembered(states, arcs.may_restrict)
    return Graphs(
        build_turn_graph(network, normal, open_now, restricted, remembered),
        make_turn_graph(network.n_arcs, kept, leaves_as, costs),
        Memory.of(remembered),
    )


def _widest_turns(
    network: RoadNetwork, verdicts: Verdicts, arcs: ArcsOverTime
) -> tuple[ArcTurns, Bool]:
    """All turns between arcs that there are at some time, and those there always are, (T,).

    One may turn around where at some time nothing else goes on that is not more restricted.
    """
    tail, head = arc_ends(network)
    passage = node_passage(network, verdicts)
    most = np.where(arcs.may_restrict, BEHIND, OPEN)
    most = np.where(arcs.sometimes_restricted, RESTRICTED, most).astype(np.uint8)
    least = np.where(arcs.always_restricted, RESTRICTED, OPEN)
    turns = join_arcs(network, passage, arcs.ever_open, freeze(most))
    arc = np.arange(network.n_arcs)
    goes_on = np.zeros(network.n_arcs, np.int64)
    for level in (OPEN, RESTRICTED):
        counts = arcs.always_open & (most <= level)
        n_out = np.bincount(tail[counts], minlength=network.n_nodes)
        at_level = least == level
        goes_on[at_level] = (n_out[head] - counts[arc ^ 1])[at_level]
    may_turn = (goes_on == 0) | (passage[head] != FREE)
    back = np.flatnonzero(arcs.ever_open & arcs.ever_open[arc ^ 1] & may_turn)
    keys = np.union1d(turns.keys(), back << 32 | back ^ 1)
    from_arc, to_arc = keys >> 32, keys & 0xFFFFFFFF
    steady = arcs.always_open[from_arc] & arcs.always_open[to_arc] & (from_arc ^ 1 != to_arc)
    steady &= passage[head[from_arc]] == FREE
    first = offsets(np.bincount(from_arc, minlength=network.n_arcs))
    columns = (freeze(column.astype(np.uint32)) for column in (from_arc, to_arc))
    return ArcTurns(freeze(first), *columns), freeze(steady)


def _steady_kinds(
    restrictions: Restrictions,
    turns: ArcTurns,
    steady: Bool,
    normal: Verdicts,
    timed: TimedVerdicts,
) -> U8:
    """The kinds of the restrictions (R,) that do the same at all times; BINDS_NOT for the others.

    A demand does not if another one that begins alike comes and goes: then more may follow.
    """
    changes = np.zeros(len(normal.restriction_kind), np.bool_)
    changes[timed.restrictions.tagset] = True
    kind = np.where(changes, BINDS_NOT, normal.restriction_kind)[restrictions.tagset]
    is_steady = turns.has_steps(restrictions.arc, steady)
    paths = _paths(restrictions)
    for index, first in enumerate(restrictions.first_arc[:-1].tolist()):
        if not is_steady[first : first + len(paths[index]) - 1].all():
            kind[index] = BINDS_NOT
    loose = {paths[index][:-1] for index in np.flatnonzero(kind == BINDS_NOT).tolist()}
    for index in np.flatnonzero(kind == DEMANDS).tolist():
        if paths[index][:-1] in loose:
            kind[index] = BINDS_NOT
    return freeze(kind.astype(np.uint8))


def _paths(restrictions: Restrictions) -> list[Path]:
    arcs, first = restrictions.arc.tolist(), restrictions.first_arc.tolist()
    return [tuple(arcs[a:b]) for a, b in pairwise(first)]


def _unsteady_states(
    restrictions: Restrictions, turns: ArcTurns, kind: U8, ever: Verdicts
) -> set[Path]:
    """The states of the restrictions that bind at times."""
    binds = ever.restriction_kind[restrictions.tagset] != BINDS_NOT
    paths = _paths(restrictions)
    states: set[Path] = set()
    for index in np.flatnonzero(binds & (kind == BINDS_NOT)).tolist():
        path = paths[index]
        if all(turns.has(*step) for step in pairwise(path)):
            states.update(path[:end] for end in range(2, len(path)))
    return states
