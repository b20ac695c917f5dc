"""The edge-based turn graph that every search runs on."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gis.arrays import FORBIDDEN, U8, U16, U32, Bool, freeze, offsets
from gis.jit import kernel
from gis.network.road_network import RoadNetwork
from gis.profiles.verdicts import Verdicts
from routing.graph.arc_turns import OPEN, join_arcs
from routing.graph.forbidden_paths import Path, VertexTurns, restrict_turns
from routing.graph.restricted_roads import node_passage, remember_entering, restricted_arcs
from routing.graph.turn_costs import turn_costs_cs


@dataclass(frozen=True)
class TurnGraph:
    """Arcs as vertices, allowed turns as their arcs. A arcs, V >= A vertices, T turns.

    Vertex v < A is arc v: where a route stands that begins there. What must be remembered adds
    vertices A..V-1, each a copy of an arc: one that is only entered by a path which has begun a
    forbidden sequence along several ways, or one of a road that may not be passed through, for
    who has entered it for good. A turn v -> w costs ``turn_cost`` and is taken at the head of
    v's arc.

    | array | dtype, shape | content |
    |---|---|---|
    | first_turn | uint32 (V + 1,) | offsets into ``turn_head`` and ``turn_cost`` |
    | turn_head | uint32 (T,) | vertex entered, ascending within a vertex |
    | turn_cost | uint16 (T,) | hundredths of a second, never FORBIDDEN |
    | first_back | uint32 (V + 1,) | the same turns by the vertex they enter |
    | back_tail | uint32 (T,) | vertex left, ascending within a vertex |
    | back_cost | uint16 (T,) | as ``turn_cost`` |
    | vertex_arc | uint32 (V,) | arc of each vertex; itself for v < A, ascending from A on |
    | leaves_as | uint32 (V - A,) | see ``leaving`` |

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
    leaves_as: U32

    @property
    def n_vertices(self) -> int:
        return len(self.vertex_arc)

    @property
    def n_turns(self) -> int:
        return len(self.turn_head)

    def leaving(self, vertex: int) -> int:
        """The vertex of the same arc where one stands who stopped at a vertex, and goes on.

        It is the same one, unless a road was entered for good: now it may be left again.
        """
        n_arcs = len(self.vertex_arc) - len(self.leaves_as)
        return vertex if vertex < n_arcs else int(self.leaves_as[vertex - n_arcs])


class Remembered(NamedTuple):
    """What there are vertices for: beginnings of forbidden paths, arcs entered for good (A,)."""

    states: Collection[Path]
    entered: Bool


def check_turn_graph(graph: TurnGraph, n_arcs: int) -> None:
    """Assert every documented invariant that the graph alone can show."""
    n_vertices, n_turns = graph.n_vertices, graph.n_turns
    arc = graph.vertex_arc
    assert n_vertices >= n_arcs and (arc[:n_arcs] == np.arange(n_arcs)).all()
    assert (np.diff(arc[n_arcs:].astype(np.int64)) >= 0).all() and (arc < n_arcs).all()
    assert graph.leaves_as.dtype == np.uint32 and len(graph.leaves_as) == n_vertices - n_arcs
    assert (arc[graph.leaves_as] == arc[n_arcs:]).all()
    assert all(graph.leaving(vertex) == vertex for vertex in graph.leaves_as.tolist())
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
    restricted: U8 | None = None,
    remembered: Remembered | None = None,
) -> TurnGraph:
    """The turns that a vehicle may take between its open arcs, ``open_arc`` (A,).

    Every arc may be followed by every other that leaves its head. It may be followed by its own
    reverse only at a dead end, where no other open arc leaves that is not more restricted, and at
    nodes that stop some or all. Restrictions take turns away and never add one. ``restricted``
    (A,) is found by ``restricted_arcs`` unless given. ``remembered`` is what there are vertices
    for, if that is more than these roads need.
    """
    restricted = restricted_arcs(network, verdicts, open_arc) if restricted is None else restricted
    turns = join_arcs(network, node_passage(network, verdicts), open_arc, restricted)
    cost = turn_costs_cs(network, verdicts, open_arc, turns.from_arc, turns.to_arc)
    states, entered = remembered or (None, None)
    allowed = restrict_turns(turns, network.restrictions, verdicts.restriction_kind, states)
    kept, leaves_as = remember_entering(allowed, freeze(restricted > OPEN), entered)
    return make_turn_graph(network.n_arcs, kept, leaves_as, freeze(cost[kept.like]))


def make_turn_graph(n_arcs: int, kept: VertexTurns, leaves_as: U32, turn_cost: U16) -> TurnGraph:
    """The graph of some turns (T,) with their costs."""
    vertex_arc = np.concatenate([np.arange(n_arcs, dtype=np.uint32), kept.state_arc])
    first_turn = freeze(offsets(np.bincount(kept.tail, minlength=len(vertex_arc))))
    first_back, back_tail, back_cost = _reverse(first_turn, kept.head, turn_cost)
    return TurnGraph(
        first_turn,
        kept.head,
        turn_cost,
        first_back,
        back_tail,
        back_cost,
        freeze(vertex_arc),
        leaves_as,
    )


def _reverse(first: U32, head: U32, cost: U16) -> tuple[U32, U32, U16]:
    """The same turns by the vertex that they enter."""
    first_back = offsets(np.bincount(head, minlength=len(first) - 1))
    back_tail = np.empty_like(head)
    back_cost = np.empty_like(cost)
    _fill_reverse(first, head, cost, first_back[:-1].copy(), back_tail, back_cost)
    return freeze(first_back), freeze(back_tail), freeze(back_cost)


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
