"""Routes between pairs of points with the lines that they follow, many in one kernel call."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I32, I64, U32, U64, freeze
from gis.jit import inner_kernel, int64, plain_kernel
from gis.snap_index import SnapIndex
from routing.cch.hierarchy import Hierarchy
from routing.cch.query import QueryState
from routing.cch.weights import INF_COST, Weights
from routing.many.pairs import Found, Seeding, find_pair
from routing.places.positions import Positions

_SPARE = 8
"""One part in so many is added to what is expected."""

_MOST_AT_ONCE = 1 << 28
"""So many points are expected at most, unless there are half of them already."""


class Lines(NamedTuple):
    """A line for each of n rows, k points in all; none where there is no route.

    | array | dtype, shape | content |
    |---|---|---|
    | first | int64 (n + 1,) | the first point of each, offsets into the others |
    | lon, lat | int32 (k,) | in 1e-7 degree; two or more for each route |
    """

    first: I64
    lon: I32
    lat: I32


class Answers(NamedTuple):
    """Room for the answers to m pairs, with no room for points if no lines are wanted.

    | array | dtype, shape | content |
    |---|---|---|
    | cost | uint64 (m,) | of each route |
    | third | uint32 (m,) | the same |
    | n_points | uint32 (m,) | of each line, if there are lines |
    | lon, lat | int32 (k,) or (0,) | one line after the other |
    """

    cost: U64
    third: U32
    n_points: U32
    lon: I32
    lat: I32


class Costs(NamedTuple):
    """What m routes cost, as `Found` has it.

    | array | dtype, shape | content |
    |---|---|---|
    | cost | uint64 (m,) | weight << 32 | second |
    | third | uint32 (m,) | 0 if there is none |
    """

    cost: U64
    third: U32


def new_costs(n: int) -> Costs:
    """Room for what so many routes cost."""
    return Costs(np.empty(n, np.uint64), np.empty(n, np.uint32))


class Traced(NamedTuple):
    """Room for lines one after the other: int32 (k,) each, in 1e-7 degree."""

    lon: I32
    lat: I32

    def larger(self, n_points: int, n_kept: int = 0) -> "Traced":
        """Room for so many points, with the first of those that are there."""
        lon, lat = np.empty(n_points, np.int32), np.empty(n_points, np.int32)
        lon[:n_kept], lat[:n_kept] = self.lon[:n_kept], self.lat[:n_kept]
        return Traced(lon, lat)


def no_room() -> Traced:
    """Where no lines are wanted, or none are yet."""
    return Traced(np.empty(0, np.int32), np.empty(0, np.int32))


def trace_pairs(find: Any, pairs: I64, costs: Costs, n_points: U32, room: Traced) -> Traced:
    """Fill costs and numbers of points (m,) for pairs (m, 2), and the room or a larger one.

    ``find`` is `find_pairs` without its last two arguments.
    """
    done, end = 0, 0
    while done < len(pairs):
        here = Traced(room.lon[end:], room.lat[end:])
        cost, third = costs.cost[done:], costs.third[done:]
        more = find(pairs[done:], Answers(cost, third, n_points[done:], *here))
        end += int(n_points[done : done + more].sum(dtype=np.int64))
        done += more
        if done < len(pairs):
            room = room.larger(2 * len(room.lon), end)
    return room


class LineCollector:
    """Lines of n rows, put together from blocks of rows that follow each other.

    Memory that is touched for the first time costs more than what is done to it: so there is room
    from the start for as many points as the first blocks let expect, and no page is touched twice.
    """

    def __init__(self, n: int) -> None:
        self._first = np.zeros(n + 1, np.int64)
        self._n_rows = 0
        self._points = no_room()

    def append(self, order: I64, n_points: U32, block: Traced) -> None:
        """Add a block of m rows that was traced in another order, int64 (m,)."""
        n, end = self._n_rows, self._n_rows + len(order)
        count = np.empty(len(order), np.int64)
        count[order] = n_points
        self._first[n + 1 : end + 1] = self._first[n] + np.cumsum(count)
        kept, total = int(self._first[n]), int(self._first[end])
        if total > len(self._points.lon):
            expected = total * (len(self._first) - 1) // end
            room = min(expected + expected // _SPARE, max(2 * total, _MOST_AT_ONCE))
            self._points = self._points.larger(room, kept)
        _place(order, n_points, block, self._first[n : end + 1], self._points)
        self._n_rows = end

    def finish(self) -> Lines:
        """The lines of all rows."""
        lon, lat = (column[: self._first[-1]] for column in self._points)
        return Lines(freeze(self._first), freeze(lon), freeze(lat))


@plain_kernel
def _place(order: I64, n_points: U32, block: Traced, first: I64, points: Traced) -> None:
    """Copy the lines of a block to where those of their rows begin."""
    origin = 0
    for i in range(len(order)):
        to = first[order[i]]
        n = int64(n_points[i])
        for k in range(n):
            points.lon[to + k] = block.lon[origin + k]
            points.lat[to + k] = block.lat[origin + k]
        origin += n


@plain_kernel
def find_pairs(
    hierarchy: Hierarchy,
    weights: Weights,
    seeding: Seeding,
    roads: SnapIndex,
    state: QueryState,
    positions: Positions,
    pairs: I64,
    answers: Answers,
) -> int:
    """Answer for pairs of points, int64 (m, 2), as long as there is room; how many are done."""
    with_lines = len(answers.lon) > 0
    end: Any = int64(0)
    for i in range(len(pairs)):
        pair = pairs[i, 0], pairs[i, 1]
        found = find_pair(hierarchy, weights, seeding, state, positions, pair, with_lines)
        answers.cost[i], answers.third[i] = found.cost, found.third
        if with_lines:
            stop = _trace(roads, seeding, positions, found, state.path, answers, end)
            if stop < 0:
                return i
            answers.n_points[i] = stop - end
            end = stop
    return len(pairs)


@inner_kernel
def _trace(
    roads: SnapIndex,
    seeding: Seeding,
    positions: Positions,
    found: Found,
    path: U32,
    answers: Answers,
    end: int,
) -> int:
    """Append the line of a route; the new end, or -1 if there is too little room.

    A point equal to the one before is left out, but a line has two.
    """
    if found.cost == INF_COST:
        return end
    start, goal = positions.snap[found.source], positions.snap[found.target]
    arc: Any = int64(positions.arc[found.source])
    lon, lat = answers.lon, answers.lat
    if end == len(lon):
        return -1
    x, y = start["lon"], start["lat"]
    lon[end], lat[end] = x, y
    n: Any = end + 1
    for k in range(found.n_path + 1):
        if k > 0:
            arc = int64(seeding.vertex_arc[path[k - 1]])
        low: Any = int64(roads.first_point[arc >> 1])
        high: Any = int64(roads.first_point[(arc >> 1) + 1]) - 1
        if n + high - low >= len(lon):
            return -1
        # The points after the first, and the first of those that are not passed any more.
        if arc & 1 == 0:
            step = 1
            point = (int64(start["point"]) if k == 0 else low) + 1
            beyond = (int64(goal["point"]) if k == found.n_path else high) + 1
            count = beyond - point
        else:
            step = -1
            point = int64(start["point"]) if k == 0 else high - 1
            beyond = int64(goal["point"]) if k == found.n_path else low - 1
            count = point - beyond
        for _ in range(count):
            to_x, to_y = roads.point_lon[point], roads.point_lat[point]
            if to_x != x or to_y != y:
                x, y = to_x, to_y
                lon[n], lat[n] = x, y
                n += 1
            point += step
    if goal["lon"] != x or goal["lat"] != y or n == end + 1:
        lon[n], lat[n] = goal["lon"], goal["lat"]
        n += 1
    return n  # type: ignore[no-any-return]
