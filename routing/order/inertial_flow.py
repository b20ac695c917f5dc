"""Small balanced cuts by inertial flow (Schild and Sommer, SEA 2015, section 3)."""

from typing import NamedTuple

from gis.arrays import U8
from gis.jit import inner_kernel, int64, plain_kernel
from routing.order.layer import Layer
from routing.order.max_flow import SOURCE, TARGET, Flow, max_flow

BALANCE_PERCENT = 30
"""Share of a cell's nodes that is fixed on either side."""

SWEEP_NODES = 24
"""Up to this size a straight line cuts a cell as well as a flow does."""

LARGE_NODES = 1024
"""A cell with more nodes is worth more cuts than along half of the lines."""

NO_CUT = 2**62
"""More than the cost of any cut."""

COST_UNIT = 2**30
"""Costs are edges for each node of the smaller side, in whole numbers of this fraction."""


class Cell(NamedTuple):
    """A range of a layer's nodes, and the range of their half-edges."""

    begin: int
    end: int
    half_begin: int
    half_end: int


@plain_kernel
def find_cut(layer: Layer, flow: Flow, side: U8, cell: Cell, first: int, n_lines: int) -> int:
    """Cut a connected cell of four nodes or more along every other line, beginning with ``first``.

    After half of the lines follow the two beside the best, up to ``n_lines`` in all. ``side``
    becomes 0 or 1. Returns the cost: edges for each node of the smaller side.
    """
    n_nodes = cell.end - cell.begin
    n_directions = len(layer.order)
    best, best_direction, other = int64(NO_CUT), int64(first), int64(first)
    bound = int64(NO_CUT)
    for i in range(n_lines):
        direction = (first + 2 * i) % n_directions
        if 2 * i == n_directions:
            direction = (best_direction + 1) % n_directions
            other = (best_direction + n_directions - 1) % n_directions
        elif 2 * i > n_directions:
            direction = other
        n_starts = _fix_ends(layer, flow, cell, direction)
        start = (cell.half_begin, cell.half_begin + n_starts)
        value, stamp = max_flow(layer, flow, start, cell.begin, bound)
        if value < bound:
            n_source = _balance(layer, flow, cell, direction, stamp)
            cost = value * COST_UNIT // min(n_source, n_nodes - n_source)
            if cost < best:
                best, best_direction = cost, direction
                # A cut of so many edges would be no better even if it halved the cell.
                bound = best * (n_nodes // 2) // COST_UNIT + 1
                for node in range(cell.begin, cell.end):
                    side[node] = 0 if flow.mark[node] >= stamp else 1
    return best


@inner_kernel
def is_large(cell: Cell) -> bool:
    """Whether a cell is worth the two lines beside the best of half of them."""
    return cell.end - cell.begin > LARGE_NODES


@inner_kernel
def _fix_ends(layer: Layer, flow: Flow, cell: Cell, direction: int) -> int:
    """Mark sources and targets; the number of half-edges that leave the sources."""
    order, mark = layer.order, flow.mark
    n_fixed = max(1, (cell.end - cell.begin) * BALANCE_PERCENT // 100)
    for i in range(cell.begin, cell.begin + n_fixed):
        mark[order[direction, i]] = SOURCE
    for i in range(cell.begin + n_fixed, cell.end - n_fixed):
        mark[order[direction, i]] = 0
    for i in range(cell.end - n_fixed, cell.end):
        mark[order[direction, i]] = TARGET
    for half in range(cell.half_begin, cell.half_end):
        flow.full[half] = 0
    n_starts = 0
    # From the right as seen from the sources, since paths keep to the right.
    half_turn = len(order) // 2
    for i in range(cell.begin, cell.end):
        if direction < half_turn:
            node = order[direction + half_turn, i]
        else:
            node = order[direction - half_turn, cell.end - 1 - (i - cell.begin)]
        if mark[node] == SOURCE:
            for half in range(layer.first[node], layer.last[node]):
                if mark[layer.head[half]] != SOURCE:
                    flow.start[cell.half_begin + n_starts] = half
                    n_starts += 1
    return n_starts


@inner_kernel
def _balance(layer: Layer, flow: Flow, cell: Cell, direction: int, stamp: int) -> int:
    """Of the least cuts find a balanced one; the number of nodes on the source side.

    From the cut next to the sources on, nodes and all that flow could reach from them come over
    to the source side while it is the smaller one, unless flow from them could reach a target.
    """
    mark, path, order = flow.mark, flow.path, layer.order
    n_source = 0
    for node in range(cell.begin, cell.end):
        if mark[node] >= stamp:
            n_source += 1
    n_nodes = cell.end - cell.begin
    if 2 * n_source >= n_nodes:
        return n_source
    n_queued = 0
    for i in range(cell.end - 1, cell.begin - 1, -1):
        if mark[order[direction, i]] != TARGET:
            break
        path[cell.begin + n_queued] = order[direction, i]
        n_queued += 1
    done = 0
    while done < n_queued:
        node = path[cell.begin + done]
        done += 1
        for half in range(layer.first[node], layer.last[node]):
            head = layer.head[half]
            if mark[head] != TARGET and flow.full[layer.twin[half]] == 0:
                mark[head] = TARGET
                path[cell.begin + n_queued] = head
                n_queued += 1
    for i in range(cell.begin, cell.end):
        start = order[direction, i]
        if mark[start] >= stamp or mark[start] == TARGET:
            continue
        if 2 * n_source >= n_nodes:
            break
        mark[start] = stamp
        path[cell.begin] = start
        n_stacked = 1
        while n_stacked > 0:
            n_source += 1
            n_stacked -= 1
            node = path[cell.begin + n_stacked]
            for half in range(layer.first[node], layer.last[node]):
                head = layer.head[half]
                if flow.full[half] == 0 and mark[head] < stamp:
                    mark[head] = stamp
                    path[cell.begin + n_stacked] = head
                    n_stacked += 1
    return n_source


@plain_kernel
def sweep_cut(layer: Layer, flow: Flow, side: U8, cell: Cell) -> None:
    """Cut a small cell of two nodes or more by the straight line that is best."""
    order, mark = layer.order, flow.mark
    n_nodes = cell.end - cell.begin
    n_fixed = max(1, n_nodes * BALANCE_PERCENT // 100)
    best, best_direction, best_place = NO_CUT, 0, cell.begin
    for direction in range(0, len(order), 2):
        for node in range(cell.begin, cell.end):
            mark[node] = 0
        cut = 0
        for i in range(cell.begin, cell.end - n_fixed):
            node = order[direction, i]
            mark[node] = 1
            for half in range(layer.first[node], layer.last[node]):
                cut += 1 - 2 * int64(mark[layer.head[half]])
            n_behind = i + 1 - cell.begin
            if n_behind >= n_fixed:
                value = cut * COST_UNIT // min(n_behind, n_nodes - n_behind)
                if value < best:
                    best, best_direction, best_place = value, direction, i
    for i in range(cell.begin, cell.end):
        side[order[best_direction, i]] = 0 if i <= best_place else 1
