"""Tables of the best routes between located points, every cell as if it were asked alone."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I64, INF, U32, Bool, freeze, offsets, ranges
from gis.jit import inner_kernel, int64, plain_kernel
from routing.cch.table import SeedGroups, Table
from routing.cch.weights import COST_BITS, SECOND_MASK
from routing.many.pairs import Key, Seeding, cost_ahead, first_copy, source_key, target_key
from routing.places.positions import Positions

_BITS, _SECOND = np.uint64(COST_BITS), np.uint64(SECOND_MASK)


class Group(NamedTuple):
    """Some located points, k with one version of their positions.

    | array | dtype, shape | content |
    |---|---|---|
    | start, stop | int64 (n,) | the positions of each point |
    """

    start: I64
    stop: I64


class _Seeds(NamedTuple):
    """Seeds to be filled; empty arrays if they are only counted."""

    vertex: U32
    cost: U32
    second: U32
    third: U32


class _Stays(NamedTuple):
    """Origins, k, that share their arc with destinations; these, m in all, by arc.

    | array | dtype, shape | content |
    |---|---|---|
    | row, place | int64 (k,) | the point, and which of the positions |
    | first, stop | int64 (k,) | the destinations on its arc, offsets into the next two |
    | column, to_place | int64 (m,) | the point, and which of the positions |
    """

    row: I64
    place: I64
    first: I64
    stop: I64
    column: I64
    to_place: I64


def nearest_positions(positions: Positions, rows: I64) -> Group:
    """The positions that are nearest to some points, rows (n,)."""
    return Group(freeze(positions.first[rows]), freeze(positions.middle[rows]))


def joined_positions(positions: Positions, rows: I64) -> Group:
    """The positions of some points that are joined to a big component, or the nearest."""
    first, middle, stop = positions.first[rows], positions.middle[rows], positions.stop[rows]
    is_plain = middle == stop
    return Group(
        freeze(np.where(is_plain, first, middle)), freeze(np.where(is_plain, middle, stop))
    )


def seed_groups(
    seeding: Seeding, positions: Positions, group: Group, as_sources: bool
) -> SeedGroups:
    """The seeds of each point of a group, as origins or as destinations."""
    count = np.zeros(len(group.start), np.int64)
    nothing = np.empty(0, np.uint32)
    _fill_seeds(seeding, positions, group, as_sources, count, _Seeds(*(nothing,) * 4))
    total = int(count.sum())
    seeds = _Seeds(*(np.empty(total, np.uint32) for _ in range(4)))
    _fill_seeds(seeding, positions, group, as_sources, count, seeds)
    return SeedGroups(freeze(offsets(count)), *(freeze(column) for column in seeds))


def mend_stays(
    seeding: Seeding, positions: Positions, sources: Group, targets: Group, table: Table
) -> None:
    """Lower the cells between points of which one lies ahead of the other on one arc.

    Such a route has no turn, so no search finds it.
    """
    row, place = _places(targets)
    order = np.argsort(positions.arc[place], kind="stable")
    row, place = row[order], place[order]
    from_row, from_place = _places(sources)
    arc = positions.arc[from_place]
    low, high = (np.searchsorted(positions.arc[place], arc, side) for side in ("left", "right"))
    shared = np.flatnonzero(low < high)
    if len(shared):
        columns = from_row[shared], from_place[shared], low[shared], high[shared], row, place
        stays = _Stays(*(freeze(column) for column in columns))
        _mend(seeding, positions, stays, table)


def islands(
    seeding: Seeding, positions: Positions, sources: I64, targets: I64
) -> tuple[I64, I64, Bool]:
    """Which cells are asked for on the nearest roads first, as both ends lie on one island.

    Returns places in ``sources`` (n,) and in ``targets`` (m,), ascending, and which of the cells
    between these are meant, bool. That is so where the nearest positions of both share a
    component and one of the points has others that are joined to a big one.
    """
    is_apart = positions.middle < positions.stop
    rows = np.unique(np.concatenate([sources[is_apart[sources]], targets[is_apart[targets]]]))
    if not len(rows):
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 0), np.bool_)
    _, place = _places(nearest_positions(positions, rows))
    label = np.unique(seeding.arc_component[positions.arc[place]])
    on_source, on_target = (
        _on_components(seeding, positions, points, label) for points in (sources, targets)
    )
    some_source, some_target = (np.flatnonzero(on.any(axis=1)) for on in (on_source, on_target))
    shared = np.zeros((len(some_source), len(some_target)), np.bool_)
    for here, there in zip(on_source[some_source].T, on_target[some_target].T, strict=True):
        shared[np.ix_(here, there)] = True
    apart = is_apart[sources[some_source]][:, None] | is_apart[targets[some_target]]
    return some_source, some_target, shared & apart


def _on_components(seeding: Seeding, positions: Positions, points: I64, label: U32) -> Bool:
    """Which of some components (k,) the nearest positions of points lie in, bool (n, k)."""
    row, place = _places(nearest_positions(positions, points))
    component = seeding.arc_component[positions.arc[place]]
    on = np.zeros((len(points), len(label)), np.bool_)
    at = np.minimum(np.searchsorted(label, component), len(label) - 1)
    known = label[at] == component
    on[row[known], at[known]] = True
    return on


def _places(group: Group) -> tuple[I64, I64]:
    """Every position of a group: the point it belongs to, and where it is."""
    size = group.stop - group.start
    return np.repeat(np.arange(len(size)), size), ranges(group.start, size)


@plain_kernel
def _mend(seeding: Seeding, positions: Positions, stays: _Stays, table: Table) -> None:
    """Lower the cells of a table to what it costs to drive ahead on one arc."""
    weight, second, third = table
    with_second, with_third = len(second) > 0, len(third) > 0
    for i in range(len(stays.row)):
        row, place = stays.row[i], stays.place[i]
        for j in range(stays.first[i], stays.stop[i]):
            column, end = stays.column[j], positions.fraction[stays.to_place[j]]
            arc: Any = int64(positions.arc[place])
            key = cost_ahead(seeding, arc, positions.fraction[place], end)
            ahead = int64(key.cost >> _BITS), int64(key.cost & _SECOND), int64(key.third)
            # What was not asked for decides nothing, as if it were alike.
            known_second = int64(second[row, column]) if with_second else ahead[1]
            known_third = int64(third[row, column]) if with_third else ahead[2]
            if ahead < (int64(weight[row, column]), known_second, known_third):
                weight[row, column] = ahead[0]
                if with_second:
                    second[row, column] = ahead[1]
                if with_third:
                    third[row, column] = ahead[2]


@plain_kernel
def _fill_seeds(
    seeding: Seeding,
    positions: Positions,
    group: Group,
    as_sources: bool,
    count: I64,
    seeds: _Seeds,
) -> None:
    """Count the seeds of each point in ``count`` (n,), or fill them."""
    only_count = len(seeds.vertex) == 0
    n = 0
    for row in range(len(group.start)):
        begin = n
        for i in range(group.start[row], group.stop[row]):
            arc: Any = int64(positions.arc[i])
            fraction = positions.fraction[i]
            if as_sources:
                for turn in range(seeding.first_turn[arc], seeding.first_turn[arc + 1]):
                    key = source_key(seeding, arc, fraction, turn)
                    n = _put(seeds, n, seeding.turn_head[turn], key, only_count)
            else:
                key = target_key(seeding, arc, fraction)
                n = _put(seeds, n, arc, key, only_count)
                copy = first_copy(seeding, arc)
                while copy < len(seeding.vertex_arc) and seeding.vertex_arc[copy] == arc:
                    n = _put(seeds, n, copy, key, only_count)
                    copy += 1
        if only_count:
            count[row] = n - begin


@inner_kernel
def _put(seeds: _Seeds, n: int, vertex: Any, key: Key, only_count: bool) -> int:
    """Add a seed unless it costs too much; the new number."""
    weight = int64(key.cost >> _BITS)
    if weight >= INF:
        return n
    if not only_count:
        seeds.vertex[n], seeds.cost[n] = vertex, weight
        seeds.second[n], seeds.third[n] = int64(key.cost & _SECOND), key.third
    return n + 1
