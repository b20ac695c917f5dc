"""From the arcs of a path to the geometry, pieces and names of a leg."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I32, I64, U32, Bool
from gis.geodesy import UNITS_PER_DEGREE, distance_m, polyline_length_m
from gis.jit import Settled, inner_kernel, plain_kernel
from gis.network.names import NamePool
from gis.network.road_network import RoadNetwork
from routing.route import Annotation, Directions, Leg


class End(NamedTuple):
    """Where a path begins or ends: the fraction along its arc, and the place in 1e-7 degree."""

    fraction: float
    lon: int
    lat: int


class PathOfArcs(NamedTuple):
    """A way through the network: consecutive arcs (k,), k >= 1, entered and left within.

    ``cost_cs`` float64 (k,) is how long the part of each arc that is driven takes, without turns;
    ``total_cs`` how long the path takes with its turns, ``length_cm`` how long it is.
    ``weight_cs`` float64 (k,) and ``total_weight`` are what the search made of these times, None
    if it took them as they are. ``live_arcs`` uint32 (n,), ascending: all with live speeds.
    """

    arcs: U32
    cost_cs: F64
    start: End
    end: End
    total_cs: int
    length_cm: int
    weight_cs: F64 | None = None
    total_weight: int | None = None
    live_arcs: U32 | None = None

    @property
    def has_weights(self) -> bool:
        """Whether the search made something else of the times."""
        return self.weight_cs is not None and self.weight_cs is not self.cost_cs

    @property
    def weight(self) -> int:
        """The weight of the path with its turns, in hundredths of a second."""
        return self.total_cs if self.total_weight is None else self.total_weight

    def by_weight(self) -> "PathOfArcs":
        """The same path with weights instead of times."""
        cost = self.cost_cs if self.weight_cs is None else self.weight_cs
        return self._replace(cost_cs=cost, total_cs=self.weight)


class _Shape(NamedTuple):
    """The points of a network, as in `RoadNetwork`."""

    first_point: U32
    lon: I32
    lat: I32
    node: I64


class _Trace(NamedTuple):
    """Points of a leg and, from each to the next, its pieces; room for as many as may be.

    ``first`` has the point at which each arc begins: 0 for the first.
    """

    lon: F64
    lat: F64
    node: I64
    first: I64
    distance_m: F64
    duration_s: F64


@inner_kernel
def _pieces_of(shape: _Shape, arc: int) -> tuple[int, int, int]:
    """The point where an arc begins, the step to the next point, and how many there are."""
    first: Any = np.int64(shape.first_point[arc >> 1])
    last: Any = np.int64(shape.first_point[(arc >> 1) + 1]) - 1
    if arc & 1:
        return last, -1, last - first
    return first, 1, last - first


@inner_kernel
def _find_piece(shape: _Shape, arc: int, fraction: float) -> int:
    """Which piece of an arc, counted along it, holds the place at a fraction of its length."""
    origin, step, n_pieces = _pieces_of(shape, arc)
    lowest = min(origin, origin + step * n_pieces)
    wanted = fraction * polyline_length_m(shape.lon, shape.lat, lowest, lowest + n_pieces + 1)
    walked = 0.0
    for piece in range(n_pieces - 1):
        a = origin + step * piece
        b = a + step
        walked += distance_m(shape.lon[a], shape.lat[a], shape.lon[b], shape.lat[b])
        if walked >= wanted:
            return piece
    return n_pieces - 1


@plain_kernel
def trace_path(
    shape: _Shape, arcs: U32, cost_cs: F64, start: End, end: End, trace: _Trace, measured: bool
) -> int:
    """Fill ``trace`` with the points of a path and return their number, two or more.

    Unless ``measured``, that is longitudes and latitudes only, in less time.

    A point equal to the one before is left out. What an arc costs is spread over its pieces by
    their length, so the durations add up to ``cost_cs``. The first and last node are those at
    the far ends of the pieces on which the path begins and ends.
    """
    n = 0
    x, y = start.lon, start.lat
    carried_cs = 0.0
    for k in range(len(arcs)):
        origin, step, n_pieces = _pieces_of(shape, arcs[k])
        is_last = k == len(arcs) - 1
        piece = 0
        final = n_pieces - 1
        if is_last:
            final = _find_piece(shape, arcs[k], end.fraction)
        if k == 0:
            piece = _find_piece(shape, arcs[k], start.fraction)
            trace.lon[0], trace.lat[0] = x / UNITS_PER_DEGREE, y / UNITS_PER_DEGREE
            trace.node[0] = shape.node[origin + step * piece]
            n = 1
        trace.first[k] = n - 1
        n_before = n
        driven_m = 0.0
        while piece <= final:
            point = origin + step * (piece + 1)
            arrives = is_last and piece == final
            to_x = end.lon if arrives else shape.lon[point]
            to_y = end.lat if arrives else shape.lat[point]
            piece += 1
            if to_x != x or to_y != y or (arrives and n == 1):
                trace.lon[n], trace.lat[n] = to_x / UNITS_PER_DEGREE, to_y / UNITS_PER_DEGREE
                trace.node[n] = shape.node[point]
                if measured:
                    trace.distance_m[n - 1] = distance_m(x, y, to_x, to_y)
                    trace.duration_s[n - 1] = 0.0
                    driven_m += trace.distance_m[n - 1]
                x, y = to_x, to_y
                n += 1
            elif not arrives:
                trace.node[n - 1] = shape.node[point]
        if not measured:
            continue
        carried_cs += cost_cs[k]
        if driven_m > 0.0:
            for i in range(n_before - 1, n - 1):
                trace.duration_s[i] = carried_cs * trace.distance_m[i] / driven_m / 100.0
            carried_cs = 0.0
    if measured:
        trace.duration_s[n - 2] += carried_cs / 100.0
    return n


@plain_kernel
def count_points(first_point: U32, arcs: U32) -> int:
    """The points of all arcs; a path has at most its two ends more."""
    n: Any = np.int64(0)
    for k in range(len(arcs)):
        n += np.int64(first_point[(arcs[k] >> 1) + 1]) - np.int64(first_point[arcs[k] >> 1])
    return int(n)


_trace_path = Settled(trace_path)
_count_points = Settled(count_points)


class PlacesOfPaths(NamedTuple):
    """Where n paths begin and end: fractions along their arcs, and 1e-7 degree; (n, 2) each."""

    fraction: F64
    lon: I64
    lat: I64


@plain_kernel
def trace_paths(
    shape: _Shape, arcs: U32, first: I64, places: PlacesOfPaths, trace: _Trace, offset: I64
) -> None:
    """Fill ``trace`` with the points of many paths, ``offset`` (n + 1,) tells of which.

    ``arcs`` are those of the first path from ``first[0]`` on, and so forth.
    """
    n: Any = np.int64(0)
    for i in range(len(first) - 1):
        rest = _Trace(
            trace.lon[n:],
            trace.lat[n:],
            trace.node[n:],
            trace.first,
            trace.distance_m,
            trace.duration_s,
        )
        start = End(places.fraction[i, 0], places.lon[i, 0], places.lat[i, 0])
        end = End(places.fraction[i, 1], places.lon[i, 1], places.lat[i, 1])
        path = arcs[first[i] : first[i + 1]]
        n += trace_path(shape, path, trace.duration_s, start, end, rest, False)
        offset[i + 1] = n


class LegAssembler:
    """Turns paths into legs; may be used from several threads."""

    def __init__(self, network: RoadNetwork, names: NamePool) -> None:
        self._network = network
        self._names = names
        self._shape = _Shape(
            network.first_point, network.point_lon, network.point_lat, network.point_id
        )

    def assemble(
        self, paths: list[PathOfArcs], direct: Callable[[F64, F64, I64], Directions] | None = None
    ) -> Leg:
        """One leg over paths of which each begins where the one before ends; its line comes later.

        ``direct`` makes its directions from the longitudes and latitudes of its points, and the
        point where each arc of all paths begins.
        """
        length, duration, weight = (
            sum(column) / 100
            for column in zip(*((p.length_cm, p.total_cs, p.weight) for p in paths), strict=True)
        )

        def make() -> Leg:
            trace = self._trace_all(paths, measured=False)
            line = trace.lon, trace.lat
            return Leg(
                length,
                duration,
                *line,
                partial(self._annotate, paths),
                partial(self._names_along, paths),
                ((), "") if direct is None else partial(direct, *line, trace.first),
                weight,
            )

        return Leg.deferred(length, duration, weight, make)

    def lines(self, arcs: U32, first: I64, places: PlacesOfPaths) -> tuple[F64, F64, list[int]]:
        """Longitudes and latitudes of the points of many paths, and where each one's begin."""
        room = _count_points(self._shape.first_point, arcs) + 2 * len(first)
        lon, lat, node = np.empty(room), np.empty(room), np.empty(room, np.int64)
        trace = _Trace(lon, lat, node, np.empty(len(arcs), np.int64), np.empty(0), np.empty(0))
        offset = np.zeros(len(first), np.int64)
        trace_paths(self._shape, arcs, first, places, trace, offset)
        return lon, lat, offset.tolist()

    def _annotate(self, paths: list[PathOfArcs]) -> Annotation:
        trace = self._trace_all(paths, measured=True)
        weight = trace.duration_s
        if any(path.has_weights for path in paths):
            weight = self._trace_all([path.by_weight() for path in paths], measured=True).duration_s
        is_live = _live_pieces(paths, trace.first, len(trace.lon) - 1)
        return Annotation(trace.distance_m, trace.duration_s, trace.node, weight, is_live)

    def _trace_all(self, paths: list[PathOfArcs], measured: bool) -> _Trace:
        traces = [self._trace(path, measured) for path in paths]
        if len(traces) == 1:
            return traces[0]
        # The first point of each further path repeats the last of the one before.
        lon, lat, node = (
            np.concatenate([getattr(trace, name)[min(i, 1) :] for i, trace in enumerate(traces)])
            for name in ("lon", "lat", "node")
        )
        origins = np.cumsum([0, *(len(trace.lon) - 1 for trace in traces)])
        first = np.concatenate([trace.first + n for trace, n in zip(traces, origins, strict=False)])
        pieces = (
            np.concatenate([getattr(trace, name) for trace in traces])
            for name in ("distance_m", "duration_s")
        )
        return _Trace(lon, lat, node, first, *pieces)

    def _trace(self, path: PathOfArcs, measured: bool) -> _Trace:
        room = _count_points(self._shape.first_point, path.arcs) + 2
        lon, lat, node = np.empty(room), np.empty(room), np.empty(room, np.int64)
        first_point = np.empty(len(path.arcs), np.int64)
        pieces = np.empty((2, room * measured))
        trace = _Trace(lon, lat, node, first_point, pieces[0], pieces[1])
        n = _trace_path(self._shape, path.arcs, path.cost_cs, path.start, path.end, trace, measured)
        if not measured:
            return _Trace(lon[:n], lat[:n], node[:n], first_point, *pieces)
        return _Trace(lon[:n], lat[:n], node[:n], first_point, *pieces[:, : n - 1])

    def _names_along(self, paths: list[PathOfArcs]) -> tuple[str, ...]:
        arcs = np.concatenate([path.arcs for path in paths])
        labels = self._network.edge_label[arcs >> np.uint32(1)]
        changes = np.flatnonzero(labels[1:] != labels[:-1]) + 1
        names: list[str] = []
        for label in (labels[0], *labels[changes]):
            name = self._names.name(int(label))
            if name and (not names or names[-1] != name):
                names.append(name)
        return tuple(names)


def _live_pieces(paths: list[PathOfArcs], first: I64, n_pieces: int) -> Bool | None:
    """Which pieces are of arcs with live speeds, bool (n,); None: none.

    ``first`` is where each arc of the paths begins.
    """
    live = paths[0].live_arcs
    if live is None or not len(live):
        return None
    arcs = np.concatenate([path.arcs for path in paths])
    place = np.minimum(np.searchsorted(live, arcs), len(live) - 1)
    is_live: Bool = np.repeat(live[place] == arcs, np.diff(first, append=n_pieces))
    return is_live
