"""Changes from speeds: of pieces between nodes, as traffic services name them, and of ways."""

import numpy as np
import numpy.typing as npt

from gis.arrays import F64, I64, INF, U32, Bool, ranges
from gis.geodesy import distances_m
from routing.changes.road_changes import Outcome, change_arcs
from routing.changes.road_index import NamedPieces, RoadIndex, point_ranges
from routing.errors import InvalidInput
from routing.metric import CS_PER_M_AT_1_KMH, Metric

BOTH, FORWARD, BACKWARD = 0, 1, -1
"""Directions of a way that a speed is for."""

_LEAST_KMH = 1e-9
"""As good as any that is slower: the longest duration."""


def speeds_between(
    roads: RoadIndex,
    metric: Metric,
    from_node: npt.ArrayLike,
    to_node: npt.ArrayLike,
    speed_kmh: npt.ArrayLike,
    otherwise: U32 | None = None,
    with_closed: bool = False,
) -> Outcome:
    """Changes that give the roads from nodes (n,) to nodes (n,) speeds (n,), 0 to close them.

    A pair of OpenStreetMap ids names every piece of road on which the second node follows the
    first, and every whole edge from the first to the second; what names a piece counts more than
    what names its edge, and of several rows the last. A piece has the same share in the duration
    and the length of its arc as in the length of the edge's shape (an equal share where that has
    none). Pieces that are named take the time that their length takes at their speed, others
    keep their share of the duration; the sum is rounded half up, to 1 at least. A piece that is
    closed closes its arc. ``otherwise`` (A,) are the durations that they keep, INF where an arc is
    closed unless all of it is named; by default those of the metric. ``with_closed`` also has
    changes of arcs that the metric closes, if all of one is named or a piece of it closed.

    Raises ``InvalidInput`` for what
    is no id or speed, or arrays of different lengths.
    """
    tail, head = _ids("from_node", from_node), _ids("to_node", to_node)
    kmh = _speeds(speed_kmh)
    if not len(tail) == len(head) == len(kmh):
        raise InvalidInput(
            f"there are {len(tail)} from_node, {len(head)} to_node and {len(kmh)} speeds"
        )
    edge_row, edge_arc = roads.arcs_between(tail, head)
    pieces = roads.pieces_between(tail, head)
    is_known = np.zeros(len(kmh), np.bool_)
    is_known[edge_row] = is_known[pieces.row] = True
    arcs = np.unique(np.concatenate([edge_arc, pieces.arc]))
    by_arc = np.full(len(arcs), np.nan)
    by_arc[np.searchsorted(arcs, edge_arc)] = kmh[edge_row]
    duration_cs = (metric.duration_cs if otherwise is None else otherwise)[arcs]
    kept = np.where(duration_cs < INF, duration_cs, np.inf)
    kept[metric.weight[arcs] >= INF] = np.nan
    cost = _costs(roads, kept, arcs, by_arc, pieces, kmh)
    return change_arcs(metric, arcs, cost, np.flatnonzero(~is_known), with_closed)


def speeds_of_ways(
    roads: RoadIndex,
    metric: Metric,
    way: npt.ArrayLike,
    speed_kmh: npt.ArrayLike,
    direction: npt.ArrayLike = BOTH,
    with_closed: bool = False,
) -> Outcome:
    """Changes that give ways (n,) speeds (n,), 0 to close them.

    ``with_closed`` also has changes of arcs that the metric closes.

    ``direction`` (n,), or one for all, is BOTH, FORWARD (that of the way's nodes) or BACKWARD.
    Of several rows for an arc the last counts.
    Raises ``InvalidInput`` for what is no id, speed or direction, or arrays of different lengths.
    """
    ids, kmh = _ids("way", way), _speeds(speed_kmh)
    if len(ids) != len(kmh):
        raise InvalidInput(f"there are {len(ids)} ways and {len(kmh)} speeds")
    along = np.asarray(direction)
    if along.shape not in ((), kmh.shape) or not np.isin(along, (BOTH, FORWARD, BACKWARD)).all():
        raise InvalidInput("a direction is none of 0 (both), 1 (forward) and -1 (backward)")
    along = np.broadcast_to(along, kmh.shape)
    row, edge = roads.edges_of_ways(ids)
    unknown = np.setdiff1d(np.arange(len(ids)), row)
    rows = np.concatenate([row[along[row] != BACKWARD], row[along[row] != FORWARD]])
    arc = np.concatenate([2 * edge[along[row] != BACKWARD], 2 * edge[along[row] != FORWARD] + 1])
    arcs = np.unique(arc)
    by_arc = np.empty(len(arcs))
    by_arc[np.searchsorted(arcs, arc)] = kmh[rows]
    cost = _times(roads.network.edge_length_m[arcs >> 1], by_arc)
    return change_arcs(metric, arcs, cost, unknown, with_closed)


def _costs(
    roads: RoadIndex, otherwise: F64, arcs: I64, by_arc: F64, pieces: NamedPieces, kmh: F64
) -> F64:
    """How long arcs (k,) take, some of whose pieces have speeds; ``by_arc`` (k,): theirs or NaN.

    ``otherwise`` (k,) is what they take without them: infinity if they are closed, NaN if that is
    unknown; then it is NaN what they take, unless all of one is named or a piece of it closed.
    """
    if not len(arcs):
        return np.empty(0)
    network, edge = roads.network, arcs >> 1
    first, n_points = point_ranges(network, edge)
    n_pieces = n_points - 1
    offset = np.cumsum(n_pieces) - n_pieces
    speed = np.repeat(by_arc, n_pieces)
    place = np.searchsorted(arcs, pieces.arc)
    speed[offset[place] + pieces.point - first[place]] = kmh[pieces.row]
    point = ranges(first.astype(np.int64), n_pieces)
    lon, lat = network.point_lon, network.point_lat
    shape_m = distances_m(lon[point], lat[point], lon[point + 1], lat[point + 1])
    whole_m = np.repeat(np.add.reduceat(shape_m, offset), n_pieces)
    has_length = whole_m > 0
    share = np.where(
        has_length, shape_m / np.where(has_length, whole_m, 1), 1 / np.repeat(n_pieces, n_pieces)
    )
    length_m = np.repeat(network.edge_length_m[edge].astype(np.float64), n_pieces)
    before = np.repeat(otherwise, n_pieces)
    kept = before * np.where(np.isfinite(before), share, 1)
    is_named: Bool = ~np.isnan(speed)
    cost: F64 = np.add.reduceat(np.where(is_named, _times(length_m * share, speed), kept), offset)
    cost[np.logical_or.reduceat(speed == 0, offset)] = np.inf
    return cost


def _times(length_m: npt.ArrayLike, kmh: F64) -> F64:
    """Hundredths of a second that lengths take at speeds; infinity where the speed is 0."""
    at_1_kmh = np.asarray(length_m, np.float64) * CS_PER_M_AT_1_KMH
    return np.where(kmh == 0, np.inf, at_1_kmh / np.maximum(kmh, _LEAST_KMH))


def _ids(name: str, values: npt.ArrayLike) -> I64:
    found = np.asarray(values)
    if found.size == 0:
        found = found.astype(np.int64)
    if found.ndim != 1 or found.dtype.kind not in "ui":
        raise InvalidInput(f"{name} is not a list of whole numbers")
    return found.astype(np.int64)


def _speeds(values: npt.ArrayLike) -> F64:
    try:
        kmh = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        kmh = np.full(1, np.nan)
    if kmh.ndim != 1 or not (np.isfinite(kmh).all() and (kmh >= 0).all()):
        raise InvalidInput("the speeds are not a list of numbers, 0 or more km/h")
    return kmh
