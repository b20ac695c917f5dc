"""The nearest places on roads that a vehicle may use."""

import math

import numpy as np

from gis.arrays import F64, I32, I64, U8, AnyArray
from gis.geodesy import HALF_TURN, QUARTER_TURN, UNITS_PER_DEGREE
from gis.hilbert import hilbert_order
from gis.snap_index import SnapIndex
from gis.snap_search import (
    ANY_BEARING,
    ANY_SIDE,
    BACKWARD,
    CURB_SIDE,
    FORWARD,
    OTHER_SIDE,
    QUERY,
    SNAP,
    TIE_M,
    Records,
    Snap,
    find_nearest_many,
    make_pending,
)

__all__ = [
    "ANY_BEARING",
    "ANY_SIDE",
    "BACKWARD",
    "CURB_SIDE",
    "FORWARD",
    "OTHER_SIDE",
    "SNAP",
    "TIE_M",
    "Snap",
    "nearest",
    "nearest_many",
]

_SORT_FROM = 500


def nearest(
    index: SnapIndex,
    lon: int,
    lat: int,
    arc_flags: U8,
    mask: int,
    max_results: int = 1,
    radius_m: float = math.inf,
    bearing: tuple[int, int] | None = None,
    max_ties: int = 0,
    side: int = ANY_SIDE,
) -> list[Snap]:
    """The nearest place on each of the nearest edges, by distance and then by edge.

    ``lon``, ``lat`` in 1e-7 degree. An edge qualifies if the flags of one of its arcs
    (``arc_flags`` uint8 (A,)) have all bits of ``mask``. ``bearing`` is a direction and a range in
    whole degrees (0..360, 0..180): only arcs whose direction at the place lies within count, both
    ends included. A segment without length has no direction and lies in ``ANY_BEARING`` alone.
    ``side`` is where the point must lie of a road that is open (flag 1) both ways, as one travels:
    ``CURB_SIDE``, where one drives, or ``OTHER_SIDE``; a point on the line lies to its right.
    Beyond ``max_results``, up to ``max_ties`` edges as near as the last (to ``TIE_M``) are added:
    all roads of a junction, say, at little more than the price of one.

    Distances are compared on a flat map that is true at the input's latitude; far away their
    order, and so the choice, is only roughly that of the globe, and so is what the radius cuts.
    Raises ``ValueError`` for a point off the globe, a negative radius or number of results, and
    flags that are not one for each arc.
    """
    if not (abs(lon) <= HALF_TURN and abs(lat) <= QUARTER_TURN):
        raise ValueError(_off_the_globe(lon, lat))
    _check_limits(max_results, max_ties, radius_m)
    query = np.array([(0, lon, lat, *(bearing or ANY_BEARING), side, radius_m)], QUERY)
    found, count = _search(index, query, arc_flags, mask, max_results, max_ties)
    return [Snap(*record) for record in found[0, : count[0]].tolist()]


def nearest_many(
    index: SnapIndex,
    lon: I32,
    lat: I32,
    arc_flags: U8,
    mask: int,
    max_results: int = 1,
    radius_m: float | F64 = math.inf,
    bearing: tuple[int, int] | AnyArray = ANY_BEARING,
    max_ties: int = 0,
    side: int | AnyArray = ANY_SIDE,
) -> tuple[Records, I64]:
    """``nearest`` for n points at once: records ``SNAP`` (n, k) and how many hold.

    ``lon``, ``lat`` int32 (n,); ``radius_m``, ``side`` and ``bearing`` for all points, or (n,),
    (n,) and (n, 2); k is ``max_results + max_ties``.
    The number of records for each point is int64 (n,); the records beyond it are undefined.
    """
    off = (np.abs(lon.astype(np.int64)) > HALF_TURN) | (np.abs(lat.astype(np.int64)) > QUARTER_TURN)
    if off.any():
        i = int(np.argmax(off))
        raise ValueError(f"point {i}: {_off_the_globe(lon[i], lat[i])}")
    _check_limits(max_results, max_ties, float(np.min(radius_m, initial=math.inf)))
    queries = np.empty(len(lon), QUERY)
    queries["row"] = np.arange(len(lon))
    queries["lon"], queries["lat"] = lon, lat
    queries["radius_m"], queries["side"] = radius_m, side
    queries["bearing_deg"], queries["range_deg"] = np.asarray(bearing).T
    if len(lon) >= _SORT_FROM:  # neighbours one after the other find their roads in the cache
        queries = queries[hilbert_order(lon, lat)]
    return _search(index, queries, arc_flags, mask, max_results, max_ties)


def _search(
    index: SnapIndex,
    queries: Records,
    arc_flags: U8,
    mask: int,
    max_results: int,
    max_ties: int,
) -> tuple[Records, I64]:
    n_arcs = 2 * (len(index.first_point) - 1)
    if len(arc_flags) != n_arcs:
        raise ValueError(f"there are flags for {len(arc_flags)} arcs, expected {n_arcs}")
    found = np.empty((len(queries), max_results + max_ties), SNAP)
    count = np.empty(len(queries), np.int64)
    flags = arc_flags.view()
    flags.flags.writeable = False
    pending = make_pending(index)
    find_nearest_many(index, queries, flags, mask, max_results, found, count, pending)
    return found, count


def _check_limits(max_results: int, max_ties: int, radius_m: float) -> None:
    if max_results < 1 or max_ties < 0:
        raise ValueError(
            f"max_results is {max_results} and max_ties {max_ties}, expected 1 and 0 or more"
        )
    if not radius_m >= 0:
        raise ValueError(f"radius is {radius_m} m, expected 0 or more")


def _off_the_globe(lon: int, lat: int) -> str:
    return f"{lon / UNITS_PER_DEGREE}, {lat / UNITS_PER_DEGREE} is not on the globe"
