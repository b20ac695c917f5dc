"""Bundles of sources that climb and sweep together: the kernels behind tables."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import INVALID, U32, U64, AnyArray
from gis.jit import inner_kernel, int64, plain_kernel
from routing.cch.ancestors import NO_ROOM, Arcs, add_ancestors
from routing.cch.lanes import LANES, new_rows, offer, pull
from routing.cch.weights import COST_BITS, INF_COST, SECOND_MASK

_NOTHING = np.uint64(INF_COST)
_SECOND = np.uint64(SECOND_MASK)

_LEAST_ROOM = 1 << 12

_BLOCK = 128
"""Columns whose rows stay in the nearest cache while they are turned over."""


class Lanes(NamedTuple):
    """What searches side by side work on: weights alone, uint32, or costs, uint64, and thirds."""

    lane: type
    with_third: bool = False

    def new_rows(self, n: int) -> tuple[AnyArray, U32]:
        """Room for n rows, and for as many of thirds or none."""
        return new_rows(n, self.lane), new_rows(n * self.with_third, np.uint32)


class Groups(NamedTuple):
    """Seeds of n places by rank; group i holds those at first[i] .. first[i + 1] - 1.

    | array | dtype, shape | content |
    |---|---|---|
    | first | uint32 (n + 1,) | offsets into the next two |
    | rank | uint32 (S,) | vertex of the hierarchy |
    | cost | uint64 (S,) | weight << 32 | second |
    | third | uint32 (S,) | as in `SeedGroups` |
    | order | uint32 (n,) | the groups in the order they are worked on |
    """

    first: U32
    rank: U32
    cost: U64
    third: U32
    order: U32


class Selection(NamedTuple):
    """What is above some targets, from the top down, and then the targets. R + 1 + c rows.

    | array | dtype, shape | content |
    |---|---|---|
    | found | uint32 (R + 1,) | vertex of each row, after all that are above it; row 0 is none |
    | place | uint32 (V,) | row of each vertex, 0: not selected |
    | first | uint32 (R + c + 2,) | offsets into the next two |
    | tail | uint32 (M,) | row that an arc comes from |
    | weight | uint32 or uint64 (M,) | its weight, or weight << 32 | second |
    | third | uint32 (M,) or (0,) | its third, if wanted |
    | column | uint32 (c,) | target of each of the last rows; its arcs are its seeds |
    """

    found: U32
    place: U32
    first: U32
    tail: U32
    weight: AnyArray
    third: U32
    column: U32


def check_selection(selection: Selection, parent: U32) -> None:
    """Assert every documented invariant; ``parent`` (V,) is the tree."""
    found, place, first, tail, weight, third, column = selection
    n = len(found)
    assert third.dtype == np.uint32 and third.shape in (tail.shape, (0,))
    assert len(np.unique(found[1:])) == n - 1
    assert (place[found[1:]] == np.arange(1, n)).all() and np.count_nonzero(place) == n - 1
    above = parent[found[1:]]
    assert (place[above[above != INVALID]] > 0).all()
    assert len(first) == n + len(column) + 1 and first[0] == first[1] == 0
    assert first[-1] == len(tail) == len(weight) and (first[1:] >= first[:-1]).all()
    assert weight.dtype in (np.uint32, np.uint64) and (np.diff(column.astype(np.int64)) > 0).all()
    row = np.repeat(np.arange(len(first) - 1), np.diff(first))
    assert ((tail > 0) & (tail < n) & (tail < row)).all()
    assert (weight < _NOTHING >> shift_of(weight)).all()


class Scratch(NamedTuple):
    """Scratch of one thread; between bundles ``place`` and ``given`` are 0.

    | array | dtype, shape | content |
    |---|---|---|
    | place | uint32 (V,) | where a vertex is in ``found`` and ``climbed`` |
    | found | uint32 (F,) | what is above a bundle's sources, from the top down, from 1 on |
    | climbed | lanes (F, LANES) | costs from the sources upward; row 0: nothing is reached |
    | given | uint32 (R,) | row of ``climbed`` that a row of the sweep begins with |
    | rows | lanes (R, LANES) | costs from the sources |
    | climbed_thirds | uint32 (F, LANES) or (0, LANES) | the thirds of the same paths, if wanted |
    | row_thirds | uint32 (R, LANES) or (0, LANES) | the same |
    """

    place: U32
    found: U32
    climbed: AnyArray
    given: U32
    rows: AnyArray
    climbed_thirds: U32
    row_thirds: U32


class Output(NamedTuple):
    """Where the results belong, flat; a cell is at row * row_step + column * column_step."""

    weight: U32
    second: U32
    third: U32
    row_step: int
    column_step: int


def new_scratch(n_vertices: int, kind: Lanes) -> Scratch:
    """Scratch of a thread, with room for a little."""
    climbed, climbed_thirds = kind.new_rows(_LEAST_ROOM)
    rows, row_thirds = kind.new_rows(0)
    place, found = np.zeros(n_vertices, np.uint32), np.empty(_LEAST_ROOM, np.uint32)
    given = np.zeros(0, np.uint32)
    return Scratch(place, found, climbed, given, rows, climbed_thirds, row_thirds)


def with_room(scratch: Scratch, kind: Lanes) -> Scratch:
    """The same scratch with room for bundles that have more above them."""
    room = 2 * len(scratch.found)
    climbed, thirds = kind.new_rows(room)
    found = np.empty(room, np.uint32)
    return scratch._replace(found=found, climbed=climbed, climbed_thirds=thirds)


@plain_kernel
def collect(
    groups: Groups, start: int, arcs: Arcs, found: U32, place: U32, most: int
) -> tuple[int, int, int]:
    """Find what is above the groups from ``start`` on in their order, until it is enough.

    Returns where the next groups begin, the end of ``found``, and how many arcs and seeds there
    are to copy.
    """
    n_found, n_arcs, at = 1, 0, start
    while at < len(groups.order) and (at == start or n_found < most):
        group = groups.order[at]
        for i in range(groups.first[group], groups.first[group + 1]):
            n_found = add_ancestors(groups.rank[i], arcs.parent, found, n_found, place)
            n_arcs += 1
        at += 1
    for i in range(1, n_found):
        x = found[i]
        n_arcs += int64(arcs.first[x + 1]) - int64(arcs.first[x])
    return at, n_found, n_arcs


@plain_kernel
def fill_selection(groups: Groups, arcs: Arcs, selection: Selection) -> int:
    """Copy the arcs between what was found, but for those without a path; how many there are."""
    found, place, first, tail, weight, third, column = selection
    shift = shift_of(weight)
    n = len(found)
    has_third = len(third) > 0
    end = 0
    first[0] = 0
    for row in range(1, n):
        first[row] = end
        x = found[row]
        for i in range(arcs.first[x], arcs.first[x + 1]):
            if arcs.cost[i] < _NOTHING:
                tail[end] = place[arcs.upper[i]]
                weight[end] = arcs.cost[i] >> shift
                if has_third:
                    third[end] = arcs.third[i]
                end += 1
    for at in range(len(column)):
        first[n + at] = end
        for i in range(groups.first[column[at]], groups.first[column[at] + 1]):
            tail[end] = place[groups.rank[i]]
            weight[end] = groups.cost[i] >> shift
            if has_third:
                third[end] = groups.third[i]
            end += 1
    first[n + len(column)] = end
    return end


@plain_kernel
def shift_of(lanes: AnyArray) -> Any:
    """How far a cost is shifted to become a lane: it is all of 64 bits, or the weight alone."""
    return np.uint64(64 - 8 * lanes.itemsize)


@plain_kernel
def sweep_bundles(
    arcs: Arcs,
    sources: Groups,
    selection: Selection,
    scratch: Scratch,
    output: Output,
    start: int,
    stop: int,
) -> int:
    """Costs from the groups start..stop - 1 of their order to all targets of a selection.

    Returns where it has stopped because what is above the next bundle has no room.
    """
    while start < stop:
        end = min(start + LANES, stop)
        n_found = _climb(arcs, sources, scratch, start, end)
        if n_found == NO_ROOM:
            break
        _descend(selection, scratch, n_found)
        _deliver(sources, selection, scratch, output, start, end)
        for i in range(1, n_found):
            scratch.place[scratch.found[i]] = 0
        start = end
    return start


@plain_kernel
def _climb(arcs: Arcs, sources: Groups, scratch: Scratch, start: int, end: int) -> int:
    """Costs from a bundle to all that is above it; where ``found`` ends, or NO_ROOM."""
    place, found, climbed = scratch.place, scratch.found, scratch.climbed
    thirds = scratch.climbed_thirds
    has_third = len(thirds) > 0
    shift = shift_of(climbed)
    n_found = 1
    for at in range(start, end):
        group = sources.order[at]
        for i in range(sources.first[group], sources.first[group + 1]):
            n_with = add_ancestors(sources.rank[i], arcs.parent, found, n_found, place)
            if n_with == NO_ROOM:
                for row in range(1, n_found):
                    place[found[row]] = 0
                return NO_ROOM
            n_found = n_with
    for row in range(n_found):
        for k in range(climbed.shape[1]):
            climbed[row, k] = _NOTHING >> shift
            if has_third:
                thirds[row, k] = 0
    for at in range(start, end):
        group = sources.order[at]
        for i in range(sources.first[group], sources.first[group + 1]):
            row, cost, k = place[sources.rank[i]], sources.cost[i] >> shift, at - start
            if has_third and (
                cost < climbed[row, k]
                or (cost == climbed[row, k] and sources.third[i] < thirds[row, k])
            ):
                thirds[row, k] = sources.third[i]
            climbed[row, k] = min(cost, climbed[row, k])
    for row in range(n_found - 1, 0, -1):
        x = found[row]
        for i in range(arcs.first[x], arcs.first[x + 1]):
            to, cost = place[arcs.upper[i]], arcs.cost[i] >> shift
            if has_third:
                offer((climbed, thirds), to, row, (cost, arcs.third[i]))
            else:
                offer((climbed,), to, row, (cost,))
    return n_found


@plain_kernel
def _descend(selection: Selection, scratch: Scratch, n_found: int) -> None:
    """Costs from a bundle to all rows of a selection, beginning with what it has climbed."""
    given = scratch.given
    for i in range(1, n_found):
        given[selection.place[scratch.found[i]]] = i  # what is not selected: row 0, never read
    first, tail, weight, third = selection.first, selection.tail, selection.weight, selection.third
    rows, thirds = scratch.rows, scratch.row_thirds
    climbed, climbed_thirds = scratch.climbed, scratch.climbed_thirds
    has_third = len(climbed_thirds) > 0
    for row in range(len(first) - 1):
        arcs, at = (first[row], first[row + 1]), given[row]
        if has_third:
            pull((rows, thirds), row, tail, (weight, third), arcs, (climbed, climbed_thirds), at)
        else:
            pull((rows,), row, tail, (weight,), arcs, (climbed,), at)
    for i in range(1, n_found):
        given[selection.place[scratch.found[i]]] = 0


@inner_kernel
def _deliver(
    sources: Groups,
    selection: Selection,
    scratch: Scratch,
    output: Output,
    start: int,
    end: int,
) -> None:
    """Write the last rows, those of the targets, into the columns of the table."""
    rows, column = scratch.rows, selection.column
    shift = np.uint64(COST_BITS) - shift_of(rows)
    row_step, column_step = int64(output.row_step), int64(output.column_step)
    first_row = len(selection.first) - 1 - len(column)
    for block in range(0, len(column), _BLOCK):
        block_end = min(block + _BLOCK, len(column))
        for k in range(end - start):
            row = int64(sources.order[start + k]) * row_step
            for i in range(block, block_end):
                cell = row + int64(column[i]) * column_step
                cost = rows[first_row + i, k]
                output.weight[cell] = cost >> shift
                if len(output.second) > 0:
                    output.second[cell] = cost & _SECOND
                if len(output.third) > 0:
                    output.third[cell] = scratch.row_thirds[first_row + i, k]
