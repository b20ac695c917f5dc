"""The edge-based turn graph that every search runs on."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gis.arrays import FORBIDDEN, U16, U32, Bool, freeze, offsets
from gis.jit import kernel
from gis.network.road_network import RoadNetwork, arc_ends
from gis.profiles.verdicts import Verdicts
from routing.graph.forbidden_paths import ArcTurns, Path, VertexTurns, restrict_turns
from routing.graph.turn_costs import turn_costs_cs


@dataclass(frozen=True)
class TurnGraph:
    """Arcs as vertices, allowed turns as their arcs. A arcs, V >= A vertices, T turns.

    Vertex v < A is arc v. A restriction along several ways needs memory: it adds vertices
    A..V-1, each a copy of an arc that is only entered by a path which has begun a forbidden
    sequence. A turn v -> w costs ``turn_cost`` and is taken at the head of v's arc.

    | array | dtype, shape | content |
    |---|---|---|
    | first_turn | uint32 (V + 1,) | offsets into ``turn_head`` and ``turn_cost`` |
    | turn_head | uint32 (T,) | vertex entered, ascending within a vertex |
    | turn_cost | uint16 (T,) | hundredths of a second, never FORBIDDEN |
    | first_back | uint32 (V + 1,) | the same turns by the vertex they enter |
    | back_tail | uint32 (T,) | vertex left, ascending within a vertex |
    | back_cost | uint16 (T,) | as ``turn_cost`` |
    | vertex_arc | uint32 (V,) | arc of each vertex; itself for v < A, ascending from A on |

    A closed arc has no turns in or out. Cost of a path v0, v1, ..., vk from the start of v0's
    arc to the start of vk's: sum of weight[arc of v_i] + cost(v_i -> v_i+1) for i < k.
    """

    first_turn: U32
    turn_head: U32
    turn_cost: U16
    first_back: U32
    back_tail: U32
    back_cost: U16
    vertex_arc: U32

    @property
    def n_vertices(self) -> int:
        return len(self.vertex_arc)

    @property
    def n_turns(self) -> int:
        return len(self.turn_head)


def check_turn_graph(graph: TurnGraph, n_arcs: int) -> None:
    """Assert every documented invariant that the graph alone can show."""
    n_vertices, n_turns = graph.n_vertices, graph.n_turns
    arc = graph.vertex_arc
    assert n_vertices >= n_arcs and (arc[:n_arcs] == np.arange(n_arcs)).all()
    assert (np.diff(arc[n_arcs:].astype(np.int64)) >= 0).all() and (arc < n_arcs).all()
    turns = []
    for first, end, cost in (
        (graph.first_turn, graph.turn_head, graph.turn_cost),
        (graph.first_back, graph.back_tail, graph.back_cost),
    ):
        assert first.dtype == end.dtype == np.uint32 and cost.dtype == np.uint16
        assert len(first) == n_vertices + 1 and len(end) == len(cost) == n_turns
        assert first[0] == 0 and first[-1] == n_turns
        assert (
            (first[1:] >= first[:-1]).all()
            and (end < n_vertices).all()
            and (cost < FORBIDDEN).all()
        )
        start = np.repeat(np.arange(n_vertices), np.diff(first))
        key = start.astype(np.int64) * n_vertices + end
        assert (np.diff(key) > 0).all()
        turns.append(np.stack([start, end.astype(np.int64), cost.astype(np.int64)]))
    there, back = turns
    back = back[[1, 0, 2]]
    assert (there == back[:, np.lexsort((back[1], back[0]))]).all()


def build_turn_graph(
    network: RoadNetwork,
    verdicts: Verdicts,
    open_arc: Bool,
    remembered: Iterable[Path] | None = None,
) -> TurnGraph:
    """The turns that a vehicle may take between its open arcs, ``open_arc`` (A,).

    Every arc may be followed by every other that leaves its head. It may be followed by its own
    reverse only at a dead end, where no other open arc leaves, and at a blocked node, where
    nothing else goes on. Restrictions take turns away and never add one. ``remembered`` are the
    states if more are wanted than the restrictions need.
    """
    turns = join_arcs(network, verdicts, open_arc)
    cost = turn_costs_cs(network, verdicts, open_arc, turns.from_arc, turns.to_arc)
    kept = restrict_turns(turns, network.restrictions, verdicts.restriction_kind, remembered)
    return make_turn_graph(network.n_arcs, kept, freeze(cost[kept.like]))


def make_turn_graph(n_arcs: int, kept: VertexTurns, turn_cost: U16) -> TurnGraph:
    """The graph of some turns (T,) with their costs."""
    vertex_arc = np.concatenate([np.arange(n_arcs, dtype=np.uint32), kept.state_arc])
    first_turn = freeze(offsets(np.bincount(kept.tail, minlength=len(vertex_arc))))
    first_back, back_tail, back_cost = _reverse(first_turn, kept.head, turn_cost)
    return TurnGraph(
        first_turn, kept.head, turn_cost, first_back, back_tail, back_cost, freeze(vertex_arc)
    )


def join_arcs(network: RoadNetwork, verdicts: Verdicts, open_arc: Bool) -> ArcTurns:
    """The turns before any restriction."""
    n_out = np.diff(network.first_out).astype(np.int64)
    _, head = arc_ends(network)
    first = np.empty(network.n_arcs + 1, np.uint32)
    to_arc = np.empty(int(n_out @ n_out), np.uint32)
    blocked = verdicts.node_blocked[network.node_tagset]
    n_turns = _fill_turns(
        network.first_out,
        network.out_arc,
        freeze(head),
        freeze(open_arc),
        freeze(blocked),
        first,
        to_arc,
    )
    from_arc = np.repeat(np.arange(network.n_arcs, dtype=np.uint32), np.diff(first))
    return ArcTurns(freeze(first), freeze(from_arc), freeze(to_arc[:n_turns].copy()))


def _reverse(first: U32, head: U32, cost: U16) -> tuple[U32, U32, U16]:
    """The same turns by the vertex that they enter."""
    first_back = offsets(np.bincount(head, minlength=len(first) - 1))
    back_tail = np.empty_like(head)
    back_cost = np.empty_like(cost)
    _fill_reverse(first, head, cost, first_back[:-1].copy(), back_tail, back_cost)
    return freeze(first_back), freeze(back_tail), freeze(back_cost)


@kernel
def _fill_turns(
    first_out: U32,
    out_arc: U32,
    head: U32,
    open_arc: Bool,
    blocked: Bool,
    first: U32,
    to_arc: U32,
) -> int:
    """Fill the turns out of every arc by the rule of ``build_turn_graph``; their number."""
    n_turns = 0
    for arc in range(len(head)):
        start = n_turns
        first[arc] = start
        if not open_arc[arc]:
            continue
        node = head[arc]
        if not blocked[node]:
            for i in range(first_out[node], first_out[node + 1]):
                if open_arc[out_arc[i]] and out_arc[i] != arc ^ 1:
                    to_arc[n_turns] = out_arc[i]
                    n_turns += 1
        if n_turns == start and open_arc[arc ^ 1]:
            to_arc[n_turns] = arc ^ 1
            n_turns += 1
    first[len(head)] = n_turns
    return n_turns


@kernel
def _fill_reverse(
    first: U32, head: U32, cost: U16, free: U32, back_tail: U32, back_cost: U16
) -> None:
    """Fill the turns by head; ``free`` (V,) holds the next free position of each vertex."""
    for tail in range(len(free)):
        for turn in range(first[tail], first[tail + 1]):
            place = free[head[turn]]
            back_tail[place] = tail
            back_cost[place] = cost[turn]
            free[head[turn]] = place + 1
