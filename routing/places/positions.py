"""The positions that many points may stand for, found in one kernel call.

The rules are those of `candidates`, which finds the same for the points of one route.
"""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I64, U8, U32, AnyArray
from gis.geodesy import metres_per_unit
from gis.jit import inner_kernel, int64, kernel
from gis.snap_index import SnapIndex
from gis.snap_search import (
    ANY_BEARING,
    ANY_SIDE,
    BACKWARD,
    FORWARD,
    QUERY,
    SNAP,
    Pending,
    Query,
    Records,
    find_nearest,
    make_pending,
)
from routing.graph.components import ARC_OPEN, ARC_STARTPOINT, CONNECTED

MAX_TIES = 11
"""So many more roads than one may meet at a point."""

_MOST_POSITIONS = 4 * (1 + MAX_TIES)
"""Positions of one point: both directions of each road, of the nearest and the connected ones."""


class Ground(NamedTuple):
    """Where points can stand: the roads, and the flags uint8 (A,) of their arcs."""

    roads: SnapIndex
    arc_flags: U8


class Positions(NamedTuple):
    """Positions of n points, k in all, two versions for each.

    | array | dtype, shape | content |
    |---|---|---|
    | first, middle, stop | int64 (n,) | see below |
    | arc | uint32 (k,) | arc of each position |
    | fraction | float64 (k,) | how far along it, 0..1 |
    | snap | SNAP (k,) or (0,) | the place, where it is wanted |

    Positions ``first..middle - 1`` are nearest to the point, none if no road is within the
    radius. If they are in a small component, ``middle..stop - 1`` are the nearest that are
    joined to a big one, otherwise there are none.
    """

    first: I64
    middle: I64
    stop: I64
    arc: U32
    fraction: F64
    snap: Records


class LocateScratch(NamedTuple):
    """Scratch of a thread."""

    found: Records
    pending: Pending


def new_scratch(index: SnapIndex) -> LocateScratch:
    """Scratch for finding positions."""
    return LocateScratch(np.empty(1 + MAX_TIES, SNAP), make_pending(index))


def new_positions(n: int, room: int, with_snaps: bool = False) -> Positions:
    """Room for the positions of so many points, ``room`` in all."""
    first, middle, stop = (np.zeros(n, np.int64) for _ in range(3))
    snap = np.empty(room if with_snaps else 0, SNAP)
    return Positions(
        first, middle, stop, np.empty(room, np.uint32), np.empty(room, np.float64), snap
    )


def locate(
    ground: Ground, queries: Records, anywhere: bool, n: int, with_snaps: bool = False
) -> Positions:
    """The positions of n points, each given as a ``QUERY`` record in the row that it names.

    Points that no record names have none.
    """
    positions = new_positions(n, 3 * n + _MOST_POSITIONS, with_snaps)
    scratch = new_scratch(ground.roads)
    done, end = 0, 0
    while True:
        done, end = locate_from(done, end, ground, queries, anywhere, scratch, positions)
        if done == len(queries):
            break
        room = 2 * len(positions.arc)
        positions = positions._replace(
            arc=_resized(positions.arc, room),
            fraction=_resized(positions.fraction, room),
            snap=_resized(positions.snap, room if with_snaps else 0),
        )
    return positions._replace(
        arc=positions.arc[:end], fraction=positions.fraction[:end], snap=positions.snap[:end]
    )


def _resized(column: AnyArray, room: int) -> AnyArray:
    """A column with more room, without NumPy's copies of what there is in the rest."""
    larger = np.empty(room, column.dtype)
    larger[: min(len(column), room)] = column[:room]
    return larger


def query_records(
    lon: I64,
    lat: I64,
    radius_m: float | F64 = np.inf,
    bearing: Any = ANY_BEARING,
    side: int | I64 = ANY_SIDE,
) -> Records:
    """Records (n,) for points in 1e-7 degree, (n,) each, in their order."""
    queries = np.empty(len(lon), QUERY)
    queries["row"] = np.arange(len(lon))
    queries["lon"], queries["lat"], queries["radius_m"] = lon, lat, radius_m
    queries["bearing_deg"], queries["range_deg"] = np.asarray(bearing).T
    queries["side"] = side
    return queries


@kernel
def locate_from(
    done: int,
    end: int,
    ground: Ground,
    queries: Records,
    anywhere: bool,
    scratch: LocateScratch,
    positions: Positions,
) -> tuple[int, int]:
    """Locate the next points as long as there is room; how many are done, and the new end."""
    startpoint = 0 if anywhere else ARC_STARTPOINT
    for i in range(done, len(queries)):
        if end + _MOST_POSITIONS > len(positions.arc):
            return i, end
        row = queries[i]["row"]
        positions.first[row] = positions.middle[row] = end
        mask, connected = ARC_OPEN | startpoint, False
        for attempt in range(2):  # one call, or it is compiled twice
            if attempt == 1:
                positions.middle[row] = end
                if connected or end == positions.first[row]:
                    break
                mask = CONNECTED | startpoint
            end, connected = _find(ground, queries[i], mask, scratch, positions, end)
        positions.stop[row] = end
    return len(queries), end


@inner_kernel
def _find(
    ground: Ground, q: Any, mask: int, scratch: LocateScratch, positions: Positions, end: int
) -> tuple[int, bool]:
    """Append the positions on the nearest roads with a mask; their end, and if one is connected.

    Where any bearing and side will do, a connected road counts in both directions that are open.
    """
    scale = metres_per_unit(float(q["lat"]))
    limits = q["bearing_deg"], q["range_deg"], q["side"], q["radius_m"]
    query = Query(q["lon"], q["lat"], scale, *limits, mask, 1)
    count = find_nearest(ground.roads, query, ground.arc_flags, scratch.found, scratch.pending)
    is_free = query.range_deg >= ANY_BEARING[1] and query.side == ANY_SIDE
    in_any_direction = mask & CONNECTED == CONNECTED and is_free
    connected = False
    for i in range(count):
        snap = scratch.found[i]
        edge: Any = int64(snap["edge"])
        for direction, bit in ((0, FORWARD), (1, BACKWARD)):
            arc = 2 * edge + direction
            flags = ground.arc_flags[arc]
            if snap["directions"] & bit or (in_any_direction and flags & ARC_OPEN):
                positions.arc[end] = arc
                fraction = snap["fraction"]
                positions.fraction[end] = fraction if direction == 0 else 1 - fraction
                if len(positions.snap) > 0:
                    positions.snap[end] = snap
                end += 1
                connected |= flags & CONNECTED == CONNECTED
    return end, connected
