"""The pieces of roads that can be reached within a limit, cut where exactly it is used up."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gis.arrays import F32, F64, INF, U32, freeze
from gis.geodesy import UNITS_PER_DEGREE, distance_m, lon_difference, polyline_length_m
from gis.jit import inner_kernel, int64, plain_kernel
from gis.snap_index import SnapIndex
from routing.search.dijkstra import Turns
from routing.search.seeds import Position


class Reach(NamedTuple):
    """Stretches of edges with what it costs to reach their places. R stretches, in any order.

    Along an edge costs rise evenly, from the tail for who comes that way, from the head for who
    comes the other way, and the cheaper of both counts. A place where a search begins divides its
    edge: each side is a stretch of its own. All other edges are one stretch.

    The cost at a fraction f of the edge, ``span[0] <= f <= span[1]``, is the lesser of
    ``cost[0] + weight[0] * (f - span[0])`` and ``cost[1] + weight[1] * (span[1] - f)``.

    | array | dtype, shape | content |
    |---|---|---|
    | edge | uint32 (R,) | the edge; the stretches of one stand one after the other |
    | span | float32 (R, 2) | first and last fraction of the edge, 0..1 |
    | cost | uint32 (R, 2) | at the first fraction and at the last; INF unless below the limit |
    | weight | uint32 (R, 2) | of the whole edge, from the first fraction and from the last |
    | limit | float | costs below this have been looked for |
    | origin_edge | int | the edge of one of the places where the search began |
    """

    edge: U32
    span: F32
    cost: U32
    weight: U32
    limit: float
    origin_edge: int


def check_reach(reach: Reach) -> None:
    """Assert what ``Reach`` promises."""
    n = len(reach.edge)
    assert reach.edge.dtype == np.uint32 and reach.edge.shape == (n,)
    for array, dtype in (
        (reach.span, np.float32),
        (reach.cost, np.uint32),
        (reach.weight, np.uint32),
    ):
        assert array.dtype == dtype and array.shape == (n, 2)
        assert not array.flags.writeable and array.flags.c_contiguous
    assert (reach.span[:, 0] < reach.span[:, 1]).all()
    is_known = reach.cost < reach.limit
    assert (reach.cost[~is_known] == INF).all()
    assert (reach.weight >= 1).all() and (reach.weight[is_known] < INF).all()
    is_first, is_last = reach.span[:, 0] == 0, reach.span[:, 1] == 1
    assert (reach.span[1:, 0] == reach.span[:-1, 1])[~is_first[1:]].all()
    assert (reach.edge[1:] == reach.edge[:-1])[~is_first[1:]].all()
    assert (is_first[1:] == is_last[:-1]).all() and is_first[:1].all() and is_last[-1:].all()
    assert len(np.unique(reach.edge)) == np.count_nonzero(is_first)


@dataclass(frozen=True)
class Lines:
    """Pieces of roads, ready for a GeoJSON MultiLineString. K lines, P points.

    | array | dtype, shape | content |
    |---|---|---|
    | first_point | uint32 (K + 1,) | offsets into the points; two or more each |
    | lon, lat | float64 (P,) | degrees |

    Longitudes run on beyond 180 degrees where the antimeridian lies between a line and the place
    where the search began, so that no line is torn.
    """

    first_point: U32
    lon: F64
    lat: F64


class _Points(NamedTuple):
    """Room for lines: points in 1e-7 degree, and the first of each line."""

    lon: F64
    lat: F64
    first: U32


def find_reach(
    turns: Turns,
    cost: U32,
    origins: Sequence[Position],
    limit: float,
    vertices: U32 | None = None,
) -> Reach:
    """What lies nearer than ``limit`` to the origins or, with backward ``turns``, has them so near.

    ``cost`` uint32 (V,) is that of a search with these turns from the seeds of the origins: from
    there to the start of each vertex's arc or, backward, from the start of the arc to there; INF
    where it has not come. ``vertices``, in any order, names all that cost less than the limit and
    maybe others; without it one pass over ``cost`` finds them.

    Backward the start of an arc may lie beyond the limit while its end does not, and on the
    origin's own arc the search knows only how to reach the origin from before it. Both are read
    from the turns instead: from the end of an arc it costs a turn and what the vertex after that
    costs. Who sets out in the middle of a road has no forbidden sequence of turns behind him, so
    backward copies of an arc say nothing of its places. Forward the best of all of them counts.
    """
    if not limit >= 0:
        raise ValueError(f"limit is {limit}, expected 0 or more")
    if not origins:
        raise ValueError("there are no origins, expected one or more")
    near = np.flatnonzero(cost < limit) if vertices is None else vertices
    n_edges = len(turns.weight) // 2
    room = n_edges if turns.backward else min(len(near), n_edges)
    room += 2 * len(origins)
    reach = Reach(
        np.empty(room, np.uint32),
        np.empty((room, 2), np.float32),
        np.empty((room, 2), np.uint32),
        np.empty((room, 2), np.uint32),
        min(float(limit), float(INF)),
        origins[0].arc >> 1,
    )
    row_of = np.zeros(n_edges, np.uint32)  # takes memory only where edges are reached
    n = _fill_reach(turns, cost, freeze(near.astype(np.uint32)), row_of, reach)
    # In the order of the edges their shapes lie one after the other, too.
    edge = reach.edge[:n]
    if (edge[1:] < edge[:-1]).any():
        order = np.argsort(edge)
        for array in reach[:4]:
            array[:n] = np.take(array, order, axis=0)
    return _divide(reach, n, turns, origins)


@plain_kernel
def _fill_reach(turns: Turns, cost: U32, vertices: U32, row_of: U32, reach: Reach) -> int:
    """Fill the stretches of all edges in reach, as if none was divided; their number.

    ``row_of`` (E,) holds the row after that of each edge; 0 for those that have none yet.
    """
    n = 0
    for vertex in vertices:
        if float(cost[vertex]) >= reach.limit:
            continue
        if turns.backward:
            for turn in range(turns.first[vertex], turns.first[vertex + 1]):
                arc = int64(turns.head[turn])
                if arc < len(turns.weight):
                    before = int64(cost[vertex]) + int64(turns.cost[turn])
                    n = _reach_end(turns, arc ^ 1, before, row_of, reach, n)
        else:
            arc = int64(turns.vertex_arc[vertex])
            n = _reach_end(turns, arc, int64(cost[vertex]), row_of, reach, n)
    return n


@inner_kernel
def _reach_end(turns: Turns, arc: int, cost: int, row_of: U32, reach: Reach, n: int) -> int:
    """Lower the cost at one end of an edge; how many rows there are now, ``n`` before.

    It is the end that ``arc`` leaves: along it costs rise, whichever way the search ran.
    """
    edge, side = arc >> 1, arc & 1
    if cost >= reach.limit:
        return n
    if row_of[edge] == 0:
        reach.edge[n] = edge
        reach.span[n, 0], reach.span[n, 1] = 0.0, 1.0
        for end in range(2):
            reach.cost[n, end] = INF
            reach.weight[n, end] = turns.weight[2 * edge + (end ^ int(turns.backward))]
        n += 1
        row_of[edge] = n
    row = int64(row_of[edge]) - 1
    reach.cost[row, side] = min(int64(reach.cost[row, side]), cost)
    return n


def _divide(reach: Reach, n: int, turns: Turns, origins: Iterable[Position]) -> Reach:
    """The first ``n`` stretches, with the origins' edges divided where they lie.

    From there on costs begin at 0.
    """
    places: dict[int, list[tuple[float, int]]] = {}
    for arc, fraction in origins:
        if turns.weight[arc] < INF and reach.limit > 0:
            # Both directions of a road must meet in one place, whatever 1 - (1 - f) is.
            at = float(np.float32(1 - fraction if arc & 1 else fraction))
            places.setdefault(arc >> 1, []).append((at, (arc & 1) ^ int(turns.backward)))
    ends = {}
    for edge in places:
        ends[edge] = [INF, INF]
        for row in np.flatnonzero(reach.edge[:n] == edge).tolist():
            ends[edge] = reach.cost[row].tolist()
            n -= 1
            for array in reach[:4]:
                array[row] = array[n]
    for edge, cuts in places.items():
        weight = turns.weight[2 * edge : 2 * edge + 2].tolist()
        if turns.backward:
            weight.reverse()
        for low, high, ahead, back in _stretches(cuts, ends[edge], weight, reach.limit):
            reach.edge[n], reach.weight[n] = edge, weight
            reach.span[n], reach.cost[n] = (low, high), (ahead, back)
            n += 1
    edges, spans, costs, weights = (freeze(array[:n]) for array in reach[:4])
    return Reach(edges, spans, costs, weights, reach.limit, reach.origin_edge)


def _stretches(
    places: Iterable[tuple[float, int]],
    ends: Sequence[int],
    weight: Sequence[int],
    limit: float,
) -> list[tuple[float, float, int, int]]:
    """An edge cut at places where a search begins: span and costs at both ends of each stretch.

    A place is a fraction and the direction that is free from there, 0 towards the head; ``ends``
    are the costs at tail and head, and ``weight`` is that of the edge in both directions.
    """
    starts: dict[float, set[int]] = {0.0: set(), 1.0: set()}
    for at, direction in places:
        starts.setdefault(at, set()).add(direction)
    cuts = sorted(starts)
    costs = []
    for direction, order in enumerate((cuts, cuts[::-1])):
        passed, last = float(ends[direction]), order[0]
        for cut in order:
            passed += weight[direction] * abs(cut - last)
            last = cut
            if direction in starts[cut]:
                passed = 0.0
            cost = round(passed)
            costs.append(cost if cost < limit else INF)
    ahead, back = costs[: len(cuts)], costs[: len(cuts) - 1 : -1]
    return [(cuts[i], cuts[i + 1], ahead[i], back[i + 1]) for i in range(len(cuts) - 1)]


def reached_lines(index: SnapIndex, reach: Reach, limit: float) -> Lines:
    """The reached pieces of roads for a limit, at most that of ``reach``.

    What is reached from both ends of a road without a gap is one line. Roads without length, and
    places that can only just be reached, are none.
    """
    limit = min(float(limit), float(INF))
    if not limit <= reach.limit:
        raise ValueError(f"limit is {limit}, expected at most {reach.limit}")
    n_rows = len(reach.edge)
    n_points = index.first_point[reach.edge + np.uint32(1)] - index.first_point[reach.edge]
    room = int(n_points.sum()) + 4 * n_rows
    first = np.zeros(2 * n_rows + 1, np.uint32)
    points = _Points(np.empty(room), np.empty(room), first)
    middle = int(index.point_lon[index.first_point[reach.origin_edge]])
    n = _fill_lines(index, reach, limit, middle, points)
    end = int(first[n])
    lon, lat = points.lon[:end] / UNITS_PER_DEGREE, points.lat[:end] / UNITS_PER_DEGREE
    return Lines(freeze(first[: n + 1]), freeze(lon), freeze(lat))


@plain_kernel
def _fill_lines(index: SnapIndex, reach: Reach, limit: float, middle: int, points: _Points) -> int:
    """Fill the pieces of all stretches; their number."""
    n_lines = 0
    last_edge, last_end = -1, 0.0  # where the line before ends
    for row in range(len(reach.edge)):
        edge = int64(reach.edge[row])
        low, high, ahead, back = _reached_parts(reach, row, limit)
        for start, end in ((low, ahead), (back, high)):
            if start >= end:
                continue
            goes_on = edge == last_edge and start == last_end
            begin = int64(points.first[n_lines]) - (1 if goes_on else 0)
            n = _fill_piece(index, edge, (start, end), middle, points, begin)
            if n == begin:
                continue
            if not goes_on:
                n_lines += 1
            points.first[n_lines] = n
            last_edge, last_end = edge, end
    return n_lines


def reached_box(index: SnapIndex, reach: Reach) -> tuple[float, float, float, float]:
    """West, south, east and north of all that is in reach, in 1e-7 degree.

    Longitudes are those of ``reached_lines``. Without anything in reach, an origin's road's tail.
    """
    middle = int(index.point_lon[index.first_point[reach.origin_edge]])
    n_points = index.first_point[reach.edge + np.uint32(1)] - index.first_point[reach.edge]
    room = int(n_points.max(initial=0)) + 4
    points = _Points(np.empty(room), np.empty(room), np.empty(1, np.uint32))
    box = np.array([np.inf, np.inf, -np.inf, -np.inf])
    _fill_box(index, reach, middle, points, box)
    if box[0] > box[2]:
        box[0::2] = middle
        box[1::2] = index.point_lat[index.first_point[reach.origin_edge]]
    west, south, east, north = box.tolist()
    return west, south, east, north


@plain_kernel
def _fill_box(index: SnapIndex, reach: Reach, middle: int, points: _Points, box: F64) -> None:
    """Widen a box, west, south, east and north, so that it holds all pieces in reach."""
    for row in range(len(reach.edge)):
        edge = int64(reach.edge[row])
        low, high, ahead, back = _reached_parts(reach, row, reach.limit)
        for start, end in ((low, ahead), (back, high)):
            if start <= 0.0 and end >= 1.0:  # as it is nearly everywhere
                for point in range(index.first_point[edge], index.first_point[edge + 1]):
                    x = lon_difference(middle, int64(index.point_lon[point])) + middle
                    _widen(box, x, float(index.point_lat[point]))
            elif start < end:
                for i in range(_fill_piece(index, edge, (start, end), middle, points, 0)):
                    _widen(box, points.lon[i], points.lat[i])


@inner_kernel
def _widen(box: F64, x: float, y: float) -> None:
    box[0], box[2] = min(box[0], x), max(box[2], x)
    box[1], box[3] = min(box[1], y), max(box[3], y)


@inner_kernel
def _reached_parts(reach: Reach, row: int, limit: float) -> tuple[float, float, float, float]:
    """Two pieces of a stretch, each from a fraction of the edge to another, that are reached.

    A piece without length, or with less, is none.
    """
    low, high = np.float64(reach.span[row, 0]), np.float64(reach.span[row, 1])
    ahead = low + (limit - float(reach.cost[row, 0])) / float(reach.weight[row, 0])
    back = high - (limit - float(reach.cost[row, 1])) / float(reach.weight[row, 1])
    if ahead >= back or ahead >= high or back <= low:
        return low, high, high, high
    return low, high, ahead, back


@inner_kernel
def _fill_piece(
    index: SnapIndex,
    edge: int,
    piece: tuple[float, float],
    middle: int,
    points: _Points,
    begin: int,
) -> int:
    """Add the points of a piece of an edge after the first ``begin``; how many there are then.

    A piece without length adds none.
    """
    lon, lat = index.point_lon, index.point_lat
    first = int64(index.first_point[edge])
    stop = int64(index.first_point[edge + 1])
    start, end = piece
    is_whole = start <= 0.0 and end >= 1.0
    total_m = 1.0 if is_whole else polyline_length_m(lon, lat, first, stop)
    n, walked_m = begin, 0.0
    for point in range(first, stop - 1):
        x, y = lon_difference(middle, int64(lon[point])) + middle, float(lat[point])
        to_x, to_y = lon_difference(middle, int64(lon[point + 1])) + middle, float(lat[point + 1])
        a, b, segment_m = 0.0, 1.0, 0.0
        if not is_whole:
            segment_m = distance_m(lon[point], lat[point], lon[point + 1], lat[point + 1])
            a, b = start * total_m - walked_m, end * total_m - walked_m
            walked_m += segment_m
            if a >= segment_m or b <= 0.0 or segment_m <= 0.0:
                continue
            a, b = max(a / segment_m, 0.0), min(b / segment_m, 1.0)
        if n == begin:
            points.lon[n] = x + a * (to_x - x)
            points.lat[n] = y + a * (to_y - y)
            n += 1
        if to_x != x or to_y != y:
            points.lon[n] = x + b * (to_x - x)
            points.lat[n] = y + b * (to_y - y)
            n += 1
    return n if n > begin + 1 else begin
