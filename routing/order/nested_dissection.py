"""Elimination orders by nested dissection (George 1973) of a graph in the plane.

A connected part of the graph, a cell, is divided by a small cut into parts that lie before it
in the order and are cut in turn. The connected components of what a cut leaves are cells of
their own, and numbered consecutively, so that a cell's data lie together however large the map.
"""

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np

from gis.arrays import INVALID, U8, U32
from gis.jit import inner_kernel, int64, plain_kernel
from routing.order.inertial_flow import SWEEP_NODES, Cell, find_cut, is_large, sweep_cut
from routing.order.layer import Layer, fill_layer, new_layer, u32
from routing.order.max_flow import Flow
from routing.order.plane_graph import N_DIRECTIONS, PlaneGraph
from routing.order.reduction import SEPARATOR, Reduction, reduce_graph

TASK_NODES = 4096
"""A cell of at most this size is dissected to the end in one go."""


class Split(NamedTuple):
    """Scratch and results of a dissection; cells use their own ranges.

    | array | dtype, shape | content |
    |---|---|---|
    | side | uint8 (N,) | 0 and 1 beside a cut, or SEPARATOR |
    | new_node | uint32 (N,) | number of a node in the next layer |
    | part | uint32 (N,) | first number of the node's part in the next layer |
    | free | uint32 (N,) | next free place of a part in an order |
    | new_half | uint32 (H,) | number of a half-edge in the next layer |
    | cell | uint32 (N, 5) | at its first node: a cell's ends, layer, and the cell below |
    | node_order | uint32 (N,) | result; empty if arcs are ordered |
    | arc_order | uint32 (H,) | result; empty if nodes are ordered |
    """

    side: U8
    new_node: U32
    part: U32
    free: U32
    new_half: U32
    cell: U32
    node_order: U32
    arc_order: U32


class Dissection(NamedTuple):
    """All arrays of a dissection; cells move between the two layers."""

    even: Layer
    odd: Layer
    flow: Flow
    split: Split


def arc_order(graph: PlaneGraph, threads: int = 2) -> U32:
    """The arcs in an order of elimination for the graph whose edges are turns, uint32 (2 E,).

    Loops come first, then what needs no cut. Of each cell the arcs within its parts come first,
    then those from the one side of the cut to the other, then those back.
    """
    loop = 2 * np.flatnonzero(graph.edge_tail == graph.edge_head).astype(np.uint32)
    loops = np.column_stack([loop, loop + np.uint32(1)]).ravel()
    cut = u32(2 * graph.n_edges - len(loops))
    early = _dissect(graph, u32(0), cut, threads)
    return np.concatenate([loops, early.arc, cut[: len(cut) - len(early.arc)]])


def node_order(graph: PlaneGraph, threads: int = 2) -> U32:
    """The nodes in an order of elimination, uint32 (N,).

    What needs no cut comes first. Of each cell the nodes within its parts come first, then those
    of the separator.
    """
    cut = u32(graph.n_nodes)
    early = _dissect(graph, cut, u32(0), threads)
    return np.concatenate([early.node, cut[: len(cut) - len(early.node)]])


class Early(NamedTuple):
    """Nodes and arcs that are eliminated before any cell is cut, in order."""

    node: U32
    arc: U32


def _dissect(graph: PlaneGraph, nodes: U32, arcs: U32, threads: int) -> Early:
    """Dissect the whole graph and fill one of two orders; what comes before it is returned."""
    n_nodes, n_halves = graph.n_nodes, 2 * graph.n_edges
    dissection = _new_dissection(n_nodes, n_halves, nodes, arcs)
    layer, split = dissection.even, dissection.split
    fill_layer(layer, graph, split.new_half)
    split.side[:] = 0
    early = Reduction(u32(n_nodes), u32(n_nodes), u32(n_nodes), u32(n_nodes), u32(n_halves))
    n_out, n_arcs = reduce_graph(layer, split.side, early)
    if n_out < n_nodes:
        split.cell[0] = n_nodes, 0, n_halves, 0, INVALID
        if len(arcs):
            split.cell[0, 2] = len(arcs) - n_arcs
        _dissect_cells(dissection, threads)
    return Early(early.node[:n_out], early.arc[:n_arcs])


def _dissect_cells(dissection: Dissection, threads: int) -> None:
    """Dissect the graph in the first layer, which may have any number of parts."""
    cell = dissection.split.cell
    top = _cut_cells(dissection, 0, True, True)
    with ThreadPoolExecutor(threads) as pool:
        running: set[Future[int]] = set()
        while True:
            while top != INVALID:
                end, below = int(cell[top, 0]), int(cell[top, 4])
                cell[top, 4] = INVALID
                one = end - top > TASK_NODES
                running.add(pool.submit(_cut_cells, dissection, top, False, one))
                top = below
            if not running:
                return
            first = next(iter(wait(running, return_when=FIRST_COMPLETED).done))
            running.remove(first)
            top = first.result()


def _new_dissection(n_nodes: int, n_halves: int, nodes: U32, arcs: U32) -> Dissection:
    n, h = n_nodes, n_halves
    even, odd = new_layer(n, h), new_layer(n, h)
    flow = Flow(np.empty(n, np.int32), u32(n), u32(n), u32(n), np.empty(h, np.uint8), u32(h))
    side = np.empty(n, np.uint8)
    split = Split(side, u32(n), u32(n), u32(n), u32(h), u32(n, 5), nodes, arcs)
    return Dissection(even, odd, flow, split)


@plain_kernel
def _cut_cells(dissection: Dissection, begin: int, in_parts: bool, once: bool) -> int:
    """Cut a cell, and unless ``once`` the cells that it leaves, to the end.

    A cell that is in parts already is not cut. Returns the first cell that waits, or INVALID.
    """
    flow, split = dissection.flow, dissection.split
    cells, side = split.cell, split.side
    top = begin
    while top != INVALID:
        cell = Cell(int64(top), int64(cells[top, 0]), int64(cells[top, 1]), int64(cells[top, 2]))
        odd, below = int64(cells[top, 3]), int64(cells[top, 4])
        here = dissection.odd if odd == 1 else dissection.even
        there = dissection.even if odd == 1 else dissection.odd
        if not in_parts:
            if cell.end - cell.begin <= SWEEP_NODES:
                sweep_cut(here, flow, side, cell)
            else:
                n_lines = N_DIRECTIONS // 2 + (2 if is_large(cell) else 0)
                find_cut(here, flow, side, cell, 0, n_lines)
            if len(split.node_order) > 0:
                _choose_separator(here, side, cell)
        top = _number_parts(here, there, split, cell, odd, below)
        _move_halves(here, there, split, cell)
        _move_orders(here, there, split, cell)
        if once:
            break
    return top


@inner_kernel
def _choose_separator(layer: Layer, side: U8, cell: Cell) -> None:
    """Remove the nodes at the cut from the side that has fewer of them."""
    n_beside_0, n_beside_1 = 0, 0
    for node in range(cell.begin, cell.end):
        for half in range(layer.first[node], layer.last[node]):
            if side[layer.head[half]] != side[node]:
                n_beside_0 += 1 if side[node] == 0 else 0
                n_beside_1 += 1 if side[node] == 1 else 0
                break
    chosen = 0 if n_beside_0 <= n_beside_1 else 1
    for node in range(cell.begin, cell.end):
        if side[node] == chosen:
            for half in range(layer.first[node], layer.last[node]):
                if side[layer.head[half]] == 1 - chosen:
                    side[node] = SEPARATOR
                    break


@inner_kernel
def _number_parts(here: Layer, there: Layer, split: Split, cell: Cell, odd: int, below: int) -> int:
    """Number the nodes by connected part, and put the parts on the stack of cells."""
    side, new_node, part, visited = split.side, split.new_node, split.part, split.free
    for node in range(cell.begin, cell.end):
        new_node[node] = INVALID
    n_visited = cell.begin
    for wanted in range(3):
        for start in range(cell.begin, cell.end):
            if side[start] != wanted or new_node[start] != INVALID:
                continue
            begin = n_visited
            new_node[start] = n_visited
            visited[n_visited] = start
            n_visited += 1
            done = begin
            while done < n_visited:
                node = visited[done]
                part[node] = begin
                there.node[done] = here.node[node]
                if len(split.node_order) > 0:
                    split.node_order[done] = here.node[node]
                done += 1
                if wanted == SEPARATOR:
                    continue
                for half in range(here.first[node], here.last[node]):
                    head = here.head[half]
                    if side[head] == wanted and new_node[head] == INVALID:
                        new_node[head] = n_visited
                        visited[n_visited] = head
                        n_visited += 1
            split.cell[begin, 0] = n_visited
            split.cell[begin, 3] = 1 - odd
            if n_visited - begin > 1:
                split.cell[begin, 4] = below
                below = begin
    return below


@inner_kernel
def _move_halves(here: Layer, there: Layer, split: Split, cell: Cell) -> None:
    """Copy the half-edges within the parts; the arcs of the others get their places."""
    side, new_node, part, new_half = split.side, split.new_node, split.part, split.new_half
    n_cut = 0
    n_moved = cell.half_begin
    for i in range(cell.begin, cell.end):
        node = split.free[i]
        if part[node] == i:
            split.cell[i, 1] = n_moved
        there.first[i] = n_moved
        for half in range(here.first[node], here.last[node]):
            head = here.head[half]
            if part[head] == part[node]:
                there.arc[n_moved] = here.arc[half]
                there.head[n_moved] = new_node[head]
                new_half[half] = n_moved
                if new_node[head] < i:
                    twin = new_half[here.twin[half]]
                    there.twin[n_moved] = twin
                    there.twin[twin] = n_moved
                n_moved += 1
            elif len(split.arc_order) > 0 and side[node] == 0 and side[head] == 1:
                n_cut += 1
                arc = here.arc[half]
                split.arc_order[cell.half_end - n_cut] = arc ^ 1
        there.last[i] = n_moved
        split.cell[part[node], 2] = n_moved
    back = cell.half_end - n_cut
    for i in range(n_cut):
        split.arc_order[back - n_cut + i] = split.arc_order[back + i] ^ 1


@inner_kernel
def _move_orders(here: Layer, there: Layer, split: Split, cell: Cell) -> None:
    """Divide the orders along all lines among the parts."""
    part, free = split.part, split.free
    for direction in range(0, len(here.order), 1 if is_large(cell) else 2):
        for i in range(cell.begin, cell.end):
            free[i] = i
        for i in range(cell.begin, cell.end):
            node = here.order[direction, i]
            place = free[part[node]]
            free[part[node]] = place + 1
            there.order[direction, place] = split.new_node[node]
