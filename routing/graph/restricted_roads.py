"""Roads that may be reached but not passed through.

A route is restricted at most at its ends: it may use restricted arcs until it leaves them, and
once it has entered some it stays in them. So a vertex of a restricted arc stands for being there
on the way out, and a second one for having entered for good.
"""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U8, U32, Bool, freeze, group_by, offsets
from gis.network.road_network import RoadNetwork, arc_ends, by_arc
from gis.profiles.verdicts import BACKWARD_RESTRICTED, FORWARD_RESTRICTED, Verdicts
from routing.graph.arc_turns import BEHIND, BLOCKED, FREE, GUARDED, RESTRICTED, ArcTurns, join_arcs
from routing.graph.forbidden_paths import VertexTurns
from routing.graph.reachability import is_big, reachable, strong_components, weak_components


def node_passage(network: RoadNetwork, verdicts: Verdicts) -> U8:
    """How each node may be passed, uint8 (N,)."""
    guarded = verdicts.node_restricted[network.node_tagset]
    blocked = verdicts.node_blocked[network.node_tagset]
    return freeze(np.where(blocked, BLOCKED, np.where(guarded, GUARDED, FREE)).astype(np.uint8))


def restricted_arcs(network: RoadNetwork, verdicts: Verdicts, open_arc: Bool) -> U8:
    """How far the arcs are restricted: may be reached but not passed through; uint8 (A,).

    RESTRICTED are those that the profile calls so. BEHIND them or behind restricted nodes lie the
    roads from which nobody comes to the rest, or to which nobody gets, in any other way: without
    that no route could end there. It forbids none, as no route over open roads alone comes from
    the rest, passes such roads and goes back to the rest.
    """
    directions = (verdicts.way_flags & f > 0 for f in (FORWARD_RESTRICTED, BACKWARD_RESTRICTED))
    restricted = by_arc(network, *directions) & open_arc
    level = (restricted * RESTRICTED).astype(np.uint8)
    passage = node_passage(network, verdicts)
    if restricted.any() or (passage == GUARDED).any():
        through = open_arc & ~restricted
        turns = turns_through(network, passage, through)
        level[roads_behind(network, passage, turns, through, restricted)] = BEHIND
    return freeze(level)


def turns_through(network: RoadNetwork, passage: U8, through: Bool) -> ArcTurns:
    """The turns between some arcs (A,) that nobody is kept from passing through."""
    guarded = np.where(passage == FREE, FREE, BLOCKED).astype(np.uint8)
    return join_arcs(network, guarded, through, np.zeros(network.n_arcs, np.uint8))


def roads_behind(
    network: RoadNetwork,
    passage: U8,
    turns: ArcTurns,
    through: Bool,
    restricted: Bool,
    largest: int | None = None,
) -> Bool:
    """Which of the arcs of the open network (A,) lie behind restricted ones or nodes.

    ``largest`` is the size of its largest part, unless that is to be found by these turns.
    """
    n_arcs = network.n_arcs
    label = strong_components(turns.first, turns.to_arc)
    size = np.bincount(label[through], minlength=n_arcs)
    in_big = freeze(is_big(size, largest)[label] & through)
    first_back, turn = group_by(turns.to_arc, n_arcs)
    reached = reachable(turns.first, turns.to_arc, in_big)
    leads = reachable(freeze(first_back), freeze(turns.from_arc[turn]), in_big)
    apart = through & ~(reached & leads)
    tail, head = arc_ends(network)
    area = apart | restricted
    piece = weak_components(tail[area], head[area], network.n_nodes)
    is_behind = np.zeros(network.n_nodes, np.bool_)
    is_behind[piece[tail[restricted]]] = True
    is_behind[piece[passage == GUARDED]] = True
    behind: Bool = apart & is_behind[piece[tail]]
    return behind


class EntryTurns(NamedTuple):
    """Turns between vertices, with those that know what has been entered for good. X copies.

    | array | dtype, shape | content |
    |---|---|---|
    | turns | | as ``VertexTurns`` |
    | leaves_as | uint32 (X,) | as in ``TurnGraph`` |
    """

    turns: VertexTurns
    leaves_as: U32


def remember_entering(
    turns: VertexTurns, restricted: Bool, copied_arcs: Bool | None = None
) -> EntryTurns:
    """Give each vertex of a restricted arc a second one, for routes that will not leave again.

    ``restricted`` is bool (A,). Only vertices that can be entered get one, unless it is said which
    arcs' vertices do, ``copied_arcs`` (A,); those that can be entered are among them.
    """
    vertices = _Vertices(turns, restricted)
    to_restricted, from_restricted = restricted[vertices.head_arc], restricted[vertices.tail_arc]
    enters, stays = to_restricted & ~from_restricted, to_restricted & from_restricted
    entered = _entered(turns, len(vertices.arc), enters, stays)
    vertices.copy(entered if copied_arcs is None else copied_arcs[vertices.arc])
    again = stays & entered[turns.tail]
    return vertices.turns(turns, ~enters, enters, again)


def all_entries(turns: VertexTurns, may: Bool, must: Bool) -> EntryTurns:
    """All turns that `remember_entering` may leave, whichever arcs are restricted.

    Some ``may`` be, among these some ``must``, bool (A,) each; all vertices of the former have a
    second one.
    """
    vertices = _Vertices(turns, may)
    tail, head = vertices.tail_arc, vertices.head_arc
    vertices.copy(may[vertices.arc])
    return vertices.turns(
        turns, ~(must[head] & ~may[tail]), may[head] & ~must[tail], may[head] & may[tail]
    )


class _Vertices:
    """The vertices of a turn graph, of which some are copied."""

    def __init__(self, turns: VertexTurns, of_arcs: Bool) -> None:
        self._n_arcs, self._n_states = len(of_arcs), len(turns.state_arc)
        arcs = np.arange(self._n_arcs, dtype=np.uint32)
        self.arc: U32 = np.concatenate([arcs, turns.state_arc])
        self.tail_arc, self.head_arc = self.arc[turns.tail], self.arc[turns.head]

    def copy(self, is_copied: Bool) -> None:
        """Number the vertices anew with the copies of some (n,), by their arcs."""
        copied = np.flatnonzero(is_copied)
        self._copies = np.concatenate([np.arange(self._n_arcs, len(self.arc)), copied])
        self._order = np.argsort(self.arc[self._copies], kind="stable")
        place = np.empty(len(self._copies), np.int64)
        place[self._order] = np.arange(self._n_arcs, self._n_arcs + len(self._copies))
        self._vertex = np.concatenate([np.arange(self._n_arcs), place[: self._n_states]])
        self._entered_as = np.zeros(len(self.arc), np.int64)
        self._entered_as[copied] = place[self._n_states :]

    def turns(self, turns: VertexTurns, plain: Bool, enters: Bool, again: Bool) -> EntryTurns:
        """Some turns as they are, some that enter a copy, some from copy to copy; (T,) each."""
        vertex, entered_as = self._vertex, self._entered_as
        groups = (
            (plain, vertex, vertex),
            (enters, vertex, entered_as),
            (again, entered_as, entered_as),
        )
        tail = np.concatenate([leave[turns.tail[chosen]] for chosen, leave, _ in groups])
        head = np.concatenate([enter[turns.head[chosen]] for chosen, _, enter in groups])
        like = np.concatenate([turns.like[chosen] for chosen, _, _ in groups])
        by_tail = np.argsort(tail << 32 | head, kind="stable")
        copies = self._copies[self._order]
        sorted_turns = VertexTurns(
            freeze(tail[by_tail].astype(np.uint32)),
            freeze(head[by_tail].astype(np.uint32)),
            freeze(like[by_tail]),
            freeze(self.arc[copies]),
        )
        return EntryTurns(sorted_turns, freeze(vertex[copies].astype(np.uint32)))


def _entered(turns: VertexTurns, n: int, enters: Bool, stays: Bool) -> Bool:
    """The vertices of restricted arcs (n,) where one can be who has come from open ones."""
    start = np.zeros(n, np.bool_)
    start[turns.head[enters]] = True
    inner_tail: I64 = turns.tail[stays].astype(np.int64)
    first = offsets(np.bincount(inner_tail, minlength=n))
    return reachable(freeze(first), freeze(turns.head[stays]), start)
