"""What hangs on by one or two edges, which needs no cut: it is eliminated first.

No better order exists for nodes with one neighbour, nor for nodes with two as long as the graph
is no tree: the first two of the rules that keep treewidth (Bodlaender, Koster and van den
Eijkhof 2005, section 3). They are a third to a half of the nodes of a road network.
"""

from typing import NamedTuple

from gis.arrays import U8, U32
from gis.jit import inner_kernel, int64, plain_kernel
from routing.order.layer import Layer

SEPARATOR = 2
"""Side of the nodes that are taken out of the graph, beside 0 and 1 for the sides of a cut."""


class Reduction(NamedTuple):
    """Scratch and results of a reduction. N nodes, H half-edges.

    | array | dtype, shape | content |
    |---|---|---|
    | degree | uint32 (N,) | half-edges of a node that lead to nodes in the graph |
    | queue | uint32 (N,) | nodes of two neighbours or fewer, in a ring |
    | turn | uint32 (N,) | round in which a neighbour was taken out last |
    | node | uint32 (N,) | the nodes taken out, in order |
    | arc | uint32 (H,) | arcs of the edges taken out, in order |
    """

    degree: U32
    queue: U32
    turn: U32
    node: U32
    arc: U32


@plain_kernel
def reduce_graph(layer: Layer, side: U8, reduction: Reduction) -> tuple[int, int]:
    """Take out nodes of two neighbours or fewer until none is left; numbers of nodes and arcs.

    They get the side SEPARATOR, and half-edges that lead to them are no longer in the graph.
    Never are two neighbours taken out in one round, so that a long road of such nodes becomes a
    shallow tree.
    """
    degree, queue, turn = reduction.degree, reduction.queue, reduction.turn
    n_nodes = len(side)
    n_queued = 0
    for node in range(n_nodes):
        turn[node] = 0
        degree[node] = layer.last[node] - layer.first[node]
        if degree[node] <= 2:
            queue[n_queued] = node
            n_queued += 1
    n_out, n_arcs = 0, int64(0)
    done = 0
    this_round = 0
    round_end = 0
    while done < n_queued:
        if done == round_end:
            this_round += 1
            round_end = n_queued
        node = int64(queue[done % n_nodes])
        done += 1
        if turn[node] == this_round:
            queue[n_queued % n_nodes] = node
            n_queued += 1
            continue
        side[node] = SEPARATOR
        reduction.node[n_out] = node
        n_out += 1
        n_before = n_arcs
        n_arcs = _take_out(layer, side, reduction, node, n_arcs)
        road_remains = degree[node] == 2 and n_arcs == n_before + 2
        for half in range(layer.first[node], layer.last[node]):
            head = layer.head[half]
            if side[head] != SEPARATOR:
                turn[head] = this_round
                if not road_remains:
                    degree[head] -= 1
                    if degree[head] == 2:
                        queue[n_queued % n_nodes] = head
                        n_queued += 1
    return n_out, n_arcs


@inner_kernel
def _take_out(layer: Layer, side: U8, reduction: Reduction, node: int, n_arcs: int) -> int:
    """Order the arcs of a node's last one or two edges; the number of arcs ordered.

    Of a road that leads past the node one edge stays behind, for the whole road.
    """
    head, twin, arc, out = layer.head, layer.twin, layer.arc, reduction.arc
    n_found = 0
    first, second = int64(0), int64(0)
    for half in range(layer.first[node], layer.last[node]):
        if side[head[half]] != SEPARATOR:
            second = first
            first = int64(half)
            n_found += 1
    if n_found == 2 and head[first] != head[second]:
        there, back = twin[first], twin[second]
        out[n_arcs] = arc[first]
        out[n_arcs + 1] = arc[there]
        head[there], head[back] = head[second], head[first]
        twin[there], twin[back] = back, there
        arc[there] = arc[second]
        return n_arcs + 2
    if n_found == 2:
        out[n_arcs] = arc[twin[second]]
        out[n_arcs + 1] = arc[second]
        n_arcs += 2
    if n_found > 0:
        out[n_arcs] = arc[twin[first]]
        out[n_arcs + 1] = arc[first]
        n_arcs += 2
    return n_arcs
