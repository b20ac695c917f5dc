"""Which arcs of a hierarchy are turns of the roads, for customizations to begin with."""

from typing import NamedTuple

import numpy as np

from gis.arrays import INVALID, U16, U32, freeze
from gis.jit import plain_kernel
from routing.cch.hierarchy import Hierarchy, find_arc
from routing.graph.turn_graph import TurnGraph


class Given(NamedTuple):
    """The turns by the arcs of a hierarchy that they are. U upward, D downward arcs.

    | array | dtype, shape | content |
    |---|---|---|
    | up_arc, down_arc | uint32 (U,), (D,) | arc of the roads that the turn leaves; INVALID: none |
    | up_turn, down_turn | uint16 (U,), (D,) | what the turn costs |
    """

    up_arc: U32
    up_turn: U16
    down_arc: U32
    down_turn: U16


class TurnsOut(NamedTuple):
    """The turns out of the vertices of a turn graph, arrays as there."""

    first_turn: U32
    turn_head: U32
    turn_cost: U16
    vertex_arc: U32


def find_given(graph: TurnGraph, hierarchy: Hierarchy) -> Given:
    """The turns of a graph, all of which the hierarchy has, by its arcs."""
    n_up, n_down = len(hierarchy.up_head), len(hierarchy.down_tail)
    given = Given(
        np.full(n_up, INVALID, np.uint32),
        np.zeros(n_up, np.uint16),
        np.full(n_down, INVALID, np.uint32),
        np.zeros(n_down, np.uint16),
    )
    turns = TurnsOut(graph.first_turn, graph.turn_head, graph.turn_cost, graph.vertex_arc)
    _find_given(hierarchy, turns, given)
    return Given(*(freeze(column) for column in given))


@plain_kernel
def _find_given(hierarchy: Hierarchy, turns: TurnsOut, given: Given) -> None:
    """Fill ``given``, which comes without any turn; a turn from a vertex to itself has no use.

    One that the hierarchy lacks, as in a dataset whose parts do not fit, is left out.
    """
    for y in range(len(hierarchy.rank)):
        vertex = hierarchy.vertex[y]
        arc = turns.vertex_arc[vertex]
        for i in range(turns.first_turn[vertex], turns.first_turn[vertex + 1]):
            z = hierarchy.rank[turns.turn_head[i]]
            if z > y:
                at = find_arc(hierarchy.first_up, hierarchy.up_head, y, z)
                if at < hierarchy.first_up[y + 1] and hierarchy.up_head[at] == z:
                    given.up_arc[at], given.up_turn[at] = arc, turns.turn_cost[i]
            elif z < y:
                at = find_arc(hierarchy.first_down, hierarchy.down_tail, z, y)
                if at < hierarchy.first_down[z + 1] and hierarchy.down_tail[at] == y:
                    given.down_arc[at], given.down_turn[at] = arc, turns.turn_cost[i]
