"""The turn graph with every vertex and turn that there is at some time.

The order and the shape of the hierarchy are made for it once, so that at any time some of its
turns may be lacking, but none comes up that it does not have.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gis.arrays import I64, U8, AnyArray, Bool, freeze, offsets
from gis.network.road_network import Restrictions, RoadNetwork, arc_ends
from gis.profiles.timed import Switches, TimedVerdicts, verdicts_ever
from gis.profiles.verdicts import BINDS_NOT, DEMANDS, Verdicts
from routing.conditions.prepared import Memory
from routing.graph.forbidden_paths import ArcTurns, Path, restrict_turns, states_needed
from routing.graph.turn_graph import TurnGraph, build_turn_graph, join_arcs, make_turn_graph


@dataclass(frozen=True)
class Graphs:
    """The turn graph of no special time, and the widest one with the same vertices."""

    normal: TurnGraph
    widest: TurnGraph
    memory: Memory


def build_graphs(network: RoadNetwork, normal: Verdicts, timed: TimedVerdicts) -> Graphs:
    """The turn graphs of a vehicle; if nothing changes with the time they are the same."""
    open_now = arcs_open(network, normal.forward_kmh > 0, normal.backward_kmh > 0)
    if not timed.expressions:
        graph = build_turn_graph(network, normal, open_now)
        return Graphs(graph, graph, Memory.of(()))
    ever = verdicts_ever(timed, normal)
    turns, steady = _widest_turns(network, normal, timed, ever)
    kind = _steady_kinds(network.restrictions, turns, steady, normal, timed)
    by_itself = _by_itself(network.restrictions)
    states = states_needed(turns, by_itself, kind)
    states |= _unsteady_states(network.restrictions, turns, kind, ever)
    kept = restrict_turns(turns, by_itself, kind, states)
    costs = freeze(np.zeros(len(kept.tail), np.uint16))
    return Graphs(
        build_turn_graph(network, normal, open_now, states),
        make_turn_graph(network.n_arcs, kept, costs),
        Memory.of(states),
    )


def arcs_open(network: RoadNetwork, forward: Bool, backward: Bool) -> Bool:
    """Which arcs are open, bool (A,), by the directions of ways, bool (S,)."""
    is_open = np.empty(network.n_arcs, np.bool_)
    is_open[0::2] = forward[network.edge_tagset]
    is_open[1::2] = backward[network.edge_tagset]
    return freeze(is_open)


def _always(switches: Switches, normal: Bool, rows: Bool) -> Bool:
    """What holds for the tag sets (S,) and in all rows for other times."""
    always = normal.copy()
    for index, tagset in enumerate(switches.tagset.tolist()):
        always[tagset] &= rows[list(switches.rows_of(index))].all()
    return always


def _widest_turns(
    network: RoadNetwork, normal: Verdicts, timed: TimedVerdicts, ever: Verdicts
) -> tuple[ArcTurns, Bool]:
    """All turns between arcs that there are at some time, and those there always are, (T,).

    One may turn around where nothing else goes on at some time.
    """
    tables = timed.tables
    open_ever = arcs_open(network, ever.forward_kmh > 0, ever.backward_kmh > 0)
    always = arcs_open(
        network,
        _always(timed.ways, normal.forward_kmh > 0, tables.forward_kmh > 0),
        _always(timed.ways, normal.backward_kmh > 0, tables.backward_kmh > 0),
    )
    tail, head = arc_ends(network)
    turns = join_arcs(network, ever, open_ever)
    arc = np.arange(network.n_arcs)
    n_others = np.bincount(tail[always], minlength=network.n_nodes)[head] - always[arc ^ 1]
    stops = (n_others == 0) | normal.node_blocked[network.node_tagset][head]
    back = np.flatnonzero(open_ever & open_ever[arc ^ 1] & stops)
    key = turns.from_arc.astype(np.int64) << 32 | turns.to_arc
    keys = np.union1d(key, back << 32 | back ^ 1)
    from_arc, to_arc = keys >> 32, keys & 0xFFFFFFFF
    steady = always[from_arc] & always[to_arc] & (from_arc ^ 1 != to_arc)
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
    is_steady = _steady_steps(restrictions.arc, turns, steady)
    paths = _paths(restrictions)
    for index, first in enumerate(restrictions.first_arc[:-1].tolist()):
        if not is_steady[first : first + len(paths[index]) - 1].all():
            kind[index] = BINDS_NOT
    loose = {paths[index][:-1] for index in np.flatnonzero(kind == BINDS_NOT).tolist()}
    for index in np.flatnonzero(kind == DEMANDS).tolist():
        if paths[index][:-1] in loose:
            kind[index] = BINDS_NOT
    return freeze(kind.astype(np.uint8))


def _steady_steps(arc: AnyArray, turns: ArcTurns, steady: Bool) -> Bool:
    """Which steps from an arc of a list (L,) to the next are always there, bool (L - 1,)."""
    key = (turns.from_arc.astype(np.int64) << 32 | turns.to_arc)[steady]
    step = arc[:-1].astype(np.int64) << 32 | arc[1:]
    return freeze(np.isin(step, key))


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


def _by_itself(restrictions: Restrictions) -> Restrictions:
    """The restrictions with a tag set of its own for each."""
    own: I64 = np.arange(len(restrictions.tagset))
    return Restrictions(
        restrictions.first_arc,
        restrictions.arc,
        freeze(own.astype(np.uint32)),
        restrictions.relation_id,
        restrictions.tags,
    )
