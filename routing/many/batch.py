"""Many points and many routes at once, as arrays."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gis.arrays import F64, I64, INF, U8, U32, AnyArray, Bool, freeze
from gis.geodesy import UNITS_PER_DEGREE
from gis.hilbert import hilbert_order
from gis.snap_search import ANY_BEARING, ANY_SIDE
from routing.cch.weights import Measures
from routing.errors import InvalidCoordinate, InvalidInput, NoSegment
from routing.frames import geo_frame, line_strings, points
from routing.many.lines import Lines
from routing.places.positions import Ground, Positions, locate, query_records
from routing.route import Waypoint

Float = TypeVar("Float", np.float32, np.float64)
Made = TypeVar("Made")

_CELLS = 1 << 16
"""Cells of a table that are converted at a time."""


class RouteStatus(IntEnum):
    """Why there is a route, or none."""

    OK = 0
    NO_ROUTE = 1
    """No way leads from one point to the other."""
    NO_SEGMENT = 2
    """No road is within the radius of one of the points."""
    INVALID = 3
    """One of the points is not a place on the globe."""

    @property
    def word(self) -> str:
        """As it stands in tables: the codes of the HTTP interface."""
        return _WORDS[self]


_WORDS = ("Ok", "NoRoute", "NoSegment", "InvalidCoordinate")


@dataclass(frozen=True)
class Routes:
    """Routes between n pairs of points.

    | array | dtype, shape | content |
    |---|---|---|
    | duration_s | float64 (n,) | seconds, whole hundredths; NaN where there is no route |
    | distance_m | float64 (n,) | metres of the best route, whole centimetres; or NaN |
    | status | uint8 (n,) | `RouteStatus` |
    | lines | `Lines` of n rows | the points that each route passes, or None if not asked for |
    """

    duration_s: F64
    distance_m: F64
    status: U8
    lines: Lines | None = None

    def __len__(self) -> int:
        return len(self.status)

    def to_geopandas(self) -> Any:
        """A ``GeoDataFrame`` with the rows in order; geometry is None where there is no route.

        Raises ``InvalidInput`` if the routes were found without geometry.
        """
        if self.lines is None:
            raise InvalidInput("the routes have no lines, expected routes(..., geometry=True)")
        columns = {
            "duration_s": self.duration_s,
            "distance_m": self.distance_m,
            "status": status_names(self.status),
        }
        return geo_frame(columns, line_strings(*self.lines))


@dataclass(frozen=True)
class NearestRoads:
    """The nearest place on a road for each of n points.

    | array | dtype, shape | content |
    |---|---|---|
    | lon, lat | float64 (n,) | the place in degrees; NaN where there is none |
    | distance_m | float64 (n,) | how far it is from the point, or NaN |
    | status | uint8 (n,) | `RouteStatus`: OK, NO_SEGMENT or INVALID |
    """

    lon: F64
    lat: F64
    distance_m: F64
    status: U8
    _make_names: Callable[[], list[str]]

    def __len__(self) -> int:
        return len(self.status)

    @cached_property
    def names(self) -> list[str]:
        """The names of all roads that meet there, made when they are first asked for."""
        return self._make_names()

    def __reduce__(self) -> tuple[type["NearestRoads"], tuple[Any, ...]]:
        measures = self.lon, self.lat, self.distance_m, self.status
        return NearestRoads, (*measures, partial(_same, self.names))

    def to_geopandas(self) -> Any:
        """A ``GeoDataFrame`` with the rows in order; geometry is None where there is no road."""
        columns = {
            "distance_m": self.distance_m,
            "name": self.names,
            "status": status_names(self.status),
        }
        return geo_frame(columns, points(self.lon, self.lat))


def status_names(status: U8) -> AnyArray:
    """The names of statuses (n,), as objects."""
    names: AnyArray = np.array([one.word for one in RouteStatus], object)[status]
    return names


@dataclass(frozen=True)
class TravelTable:
    """Routes from n points to m others.

    | array | dtype, shape | content |
    |---|---|---|
    | duration_cs | uint32 (n, m) | hundredths of a second; INF where there is no route |
    | length_cm | uint32 (n, m) | centimetres of the best route, or None if not asked for |
    | source_status | uint8 (n,) | `RouteStatus` of each source: OK, NO_SEGMENT or INVALID |
    | destination_status | uint8 (m,) | the same for each destination |

    ``sources`` and ``destinations`` are the points after snapping; all is NaN in the waypoint of
    one that stands nowhere.
    """

    duration_cs: U32
    length_cm: U32 | None
    source_status: U8
    destination_status: U8
    _make_waypoints: Callable[[], tuple[tuple[Waypoint, ...], tuple[Waypoint, ...]]]

    @cached_property
    def duration_s(self) -> F64:
        """Seconds, float64 (n, m); NaN where there is no route."""
        return self.seconds(np.float64)

    @cached_property
    def distance_m(self) -> F64 | None:
        """Metres, float64 (n, m); NaN where there is no route."""
        return self.metres(np.float64)

    def seconds(self, dtype: type[Float]) -> npt.NDArray[Float]:
        """Seconds (n, m), made anew, as float32 or float64; NaN where there is no route."""
        return freeze(_hundredths(self.duration_cs, self.duration_cs, dtype))

    def metres(self, dtype: type[Float]) -> npt.NDArray[Float] | None:
        """Metres (n, m), made anew, as float32 or float64; NaN where there is no route."""
        if self.length_cm is None:
            return None
        return freeze(_hundredths(self.length_cm, self.duration_cs, dtype))

    @cached_property
    def _waypoints(self) -> tuple[tuple[Waypoint, ...], tuple[Waypoint, ...]]:
        return self._make_waypoints()

    def __reduce__(self) -> tuple[type["TravelTable"], tuple[Any, ...]]:
        measures = self.duration_cs, self.length_cm, self.source_status, self.destination_status
        return TravelTable, (*measures, partial(_same, self._waypoints))

    @property
    def sources(self) -> tuple[Waypoint, ...]:
        """Where the routes begin."""
        return self._waypoints[0]

    @property
    def destinations(self) -> tuple[Waypoint, ...]:
        """Where the routes end."""
        return self._waypoints[1]


def _same(made: Made) -> Made:
    """What has been made, for a copy that does not know the roads."""
    return made


def _hundredths(number: U32, duration_cs: U32, dtype: type[Float]) -> npt.NDArray[Float]:
    """Hundredths of numbers (n, m), some rows at a time: what is made between fits in a cache."""
    value = np.empty(number.shape, dtype)
    step = max(_CELLS // max(number.shape[1], 1), 1)
    for start in range(0, len(number), step):
        rows = slice(start, start + step)
        np.divide(number[rows], 100, out=value[rows], dtype=np.float64, casting="same_kind")
        value[rows][duration_cs[rows] == INF] = np.nan
    return value


_WORTH_ORDERING = 500
"""Fewer points are located in less time than it takes to order them."""


@dataclass(frozen=True)
class LocatedPoints:
    """Where n points stand, and which of them are on the globe."""

    positions: Positions
    on_globe: Bool

    def check(self) -> None:
        """Raise ``InvalidCoordinate`` or ``NoSegment`` for the first point that stands nowhere."""
        for i in np.flatnonzero(~self.on_globe).tolist():
            raise InvalidCoordinate(f"coordinate {i} is not on the globe")
        for i in np.flatnonzero(self.n_positions == 0).tolist():
            raise NoSegment(i)

    @property
    def n_positions(self) -> I64:
        """How many positions each has, int64 (n,)."""
        return self.positions.stop - self.positions.first

    @cached_property
    def status(self) -> U8:
        """`RouteStatus` of each, uint8 (n,): OK, NO_SEGMENT or INVALID."""
        status = np.where(self.n_positions > 0, RouteStatus.OK, RouteStatus.NO_SEGMENT)
        status[~self.on_globe] = RouteStatus.INVALID
        return freeze(status.astype(np.uint8))


def degrees_of(name: str, points: npt.ArrayLike | None) -> F64:
    """Points as float64 (n, 2), longitudes and latitudes; ``InvalidInput``."""
    try:
        degrees = np.asarray(points, np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} are not numbers, expected longitudes and latitudes") from None
    if degrees.size == 0:
        degrees = degrees.reshape(0, 2)
    if degrees.ndim != 2 or degrees.shape[1] != 2:
        raise InvalidInput(
            f"{name} have the shape {degrees.shape}, expected (n, 2): longitudes and latitudes"
        )
    return degrees


def locate_points(
    ground: Ground,
    degrees: F64,
    radius_m: float | F64 = math.inf,
    bearing: tuple[int, int] | I64 = ANY_BEARING,
    anywhere: bool = False,
    with_snaps: bool = False,
    side: int | I64 = ANY_SIDE,
) -> LocatedPoints:
    """The positions of points in degrees (n, 2); none for those that are not on the globe.

    Radius, side and bearing with range are for all points, or (n,), (n,) and (n, 2).
    """
    on_globe = np.logical_and.reduce(np.abs(degrees) <= (180, 90), axis=1)
    lon, lat = np.rint(np.where(on_globe[:, None], degrees, 0) * UNITS_PER_DEGREE).T
    place = lon.astype(np.int64), lat.astype(np.int64)
    queries = query_records(*place, radius_m, bearing, side)
    if len(degrees) < _WORTH_ORDERING:
        queries = queries[on_globe]
    else:  # Neighbours one after the other find their roads in the cache.
        order = hilbert_order(lon.astype(np.int32), lat.astype(np.int32))
        queries = queries[order[on_globe[order]]]
    positions = locate(ground, queries, anywhere, len(degrees), with_snaps)
    return LocatedPoints(positions, freeze(on_globe))


def routes_of(
    measures: Measures, located: LocatedPoints, pairs: I64, lines: Lines | None = None
) -> Routes:
    """Results from what the routes (n,) take between located points, pairs (n, 2)."""
    status = located.status[pairs].max(axis=1, initial=RouteStatus.OK)
    status[(status == RouteStatus.OK) & (measures.weight >= INF)] = RouteStatus.NO_ROUTE
    has_route = status == RouteStatus.OK
    duration_s = np.where(has_route, measures.duration_cs / 100, np.nan)
    distance_m = np.where(has_route, measures.length_cm / 100, np.nan)
    return Routes(freeze(duration_s), freeze(distance_m), freeze(status), lines)
