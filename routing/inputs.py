"""What callers of the engine say about points and routes, checked."""

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gis.arrays import F64, I64
from gis.snap_search import ANY_BEARING, ANY_SIDE, CURB_SIDE, OTHER_SIDE
from routing.errors import InvalidCoordinate, InvalidInput, InvalidValue
from routing.many.batch import degrees_of
from routing.places.nearest import PointQuery

Point: TypeAlias = tuple[float, float]
"""Longitude and latitude in degrees."""

Bearing: TypeAlias = tuple[int, int]
"""A direction of travel, 0..360 degrees clockwise from north, and how far it may be off, 0..180."""

Approach: TypeAlias = str
"""From which side a point is arrived at and left: one of `APPROACHES`."""

APPROACHES = {"unrestricted": ANY_SIDE, "curb": CURB_SIDE, "opposite": OTHER_SIDE}

ALGORITHMS = ("hierarchy", "astar", "dijkstra")
MOST_LIMIT = 10_000_000
"""Seconds or metres: from one end of the earth to the other."""

SNAPPINGS = ("default", "any")


class Limits(NamedTuple):
    """What limits the roads that n points may stand for.

    ``radius_m`` float64 (n,), infinite where nothing does; ``bearing`` int64 (n, 2), each with
    its range, ANY_BEARING where any direction will do; ``side`` int64 (n,).
    """

    radius_m: F64
    bearing: I64
    side: I64

    def and_of(self, others: "Limits") -> "Limits":
        """The limits of these points and of others after them."""
        return Limits(*(np.concatenate(both) for both in zip(self, others, strict=True)))


def limits_of(
    n: int,
    radiuses: Sequence[float | None] | None,
    bearings: Sequence[Bearing | None] | None,
    approaches: Sequence[Approach | None] | None = None,
) -> Limits:
    """The limits of n points, checked; ``InvalidInput``."""
    if radiuses is None and bearings is None and approaches is None:
        sides = np.full(n, ANY_SIDE, np.int64)
        return Limits(np.full(n, np.inf), np.tile(np.array(ANY_BEARING), (n, 1)), sides)
    queries = point_queries([(0.0, 0.0)] * n, radiuses, bearings, approaches)
    radius_m = np.array([query.radius_m for query in queries], np.float64)
    bearing = np.array([query.bearing or ANY_BEARING for query in queries], np.int64)
    side = np.array([query.side for query in queries], np.int64)
    return Limits(radius_m, bearing.reshape(n, 2), side)


_TableSide: TypeAlias = tuple[
    npt.ArrayLike | None,
    Sequence[float | None] | None,
    Sequence[Bearing | None] | None,
    Sequence[Approach | None] | None,
]
"""Points with their radiuses, bearings and approaches."""


def table_points(
    sources: _TableSide, destinations: _TableSide, radius_m: float = math.inf
) -> tuple[F64, Limits, int]:
    """The points of a table in degrees, destinations last, their limits, and how many sources.

    ``radius_m`` is for those without a radius of their own. Raises ``InvalidInput``.
    """
    points = degrees_of("sources", sources[0])
    n = len(points)
    limits = limits_of(n, *sources[1:])
    if destinations[0] is not None:
        more = degrees_of("destinations", destinations[0])
        points = np.concatenate([points, more])
        limits = limits.and_of(limits_of(len(more), *destinations[1:]))
    elif any(limit is not None for limit in destinations[1:]):
        raise InvalidInput("there are limits for destinations, but no destinations")
    radiuses_m = np.where(np.isinf(limits.radius_m), radius_m, limits.radius_m)
    return points, limits._replace(radius_m=radiuses_m), n


def radius_of(radius_m: float | None) -> float:
    """The radius that no road may be beyond; ``InvalidInput``."""
    if radius_m is None:
        return math.inf
    if not radius_m >= 0:
        raise InvalidInput(f"the radius is {radius_m}, expected 0 or more metres")
    return radius_m


def point_queries(
    points: Sequence[Point],
    radiuses: Sequence[float | None] | None,
    bearings: Sequence[Bearing | None] | None,
    approaches: Sequence[Approach | None] | None = None,
) -> list[PointQuery]:
    """The input points with their limits; ``InvalidCoordinate`` or ``InvalidInput``."""
    n = len(points)
    given = ("radiuses", radiuses), ("bearings", bearings), ("approaches", approaches)
    for name, values in given:
        if values is not None and len(values) != n:
            raise InvalidInput(
                f"Number of elements in {name} size {len(values)} "
                f"does not match coordinate size {n}"
            )
    queries = []
    for i, point in enumerate(points):
        try:
            lon, lat = point
            lon, lat = float(lon), float(lat)
        except (TypeError, ValueError):
            raise InvalidCoordinate(f"coordinate {i} is no pair of numbers: {point}") from None
        if not (abs(lon) <= 180 and abs(lat) <= 90):
            raise InvalidCoordinate(f"coordinate {i} is not on the globe: {lon},{lat}")
        radius_m = radiuses[i] if radiuses is not None else None
        bearing = bearings[i] if bearings is not None else None
        if radius_m is not None and not radius_m >= 0:
            raise InvalidInput(f"radius {i} is {radius_m}, expected 0 or more metres")
        if bearing is not None and not (0 <= bearing[0] <= 360 and 0 <= bearing[1] <= 180):
            raise InvalidInput(
                f"bearing {i} is {bearing[0]},{bearing[1]}, expected 0..360 and 0..180 degrees"
            )
        if bearing is not None and bearing[1] >= ANY_BEARING[1]:
            bearing = None  # any direction will do
        side = ANY_SIDE if approaches is None else _side_of(i, approaches[i])
        reach_m = math.inf if radius_m is None else radius_m
        queries.append(PointQuery(lon, lat, reach_m, bearing, side))
    return queries


def _side_of(i: int, approach: Approach | None) -> int:
    side = ANY_SIDE if approach is None else APPROACHES.get(approach)
    if side is None:
        raise InvalidInput(f"approach {i} is {approach!r}; there is: {', '.join(APPROACHES)}")
    return side


def area_limits(
    durations_s: Sequence[float] | None, distances_m: Sequence[float] | None
) -> tuple[tuple[float, ...], bool]:
    """The limits of areas, and whether they are distances; ``InvalidInput``."""
    if (durations_s is None) == (distances_m is None):
        raise InvalidInput("expected either durations or distances as limits")
    given = durations_s if durations_s is not None else distances_m
    limits = () if given is None else tuple(float(limit) for limit in given)
    if not limits:
        raise InvalidInput("there are no limits, expected one or more")
    for limit in limits:
        if not 0 <= limit <= MOST_LIMIT:
            raise InvalidInput(f"limit {limit}, expected 0 to {MOST_LIMIT}")
    return limits, durations_s is None


def check_threads(threads: int | None) -> None:
    """Raise ``InvalidInput`` for no number of threads."""
    if threads is not None and threads < 1:
        raise InvalidInput(f"threads is {threads}, expected 1 or more")


def stops_of(waypoints: Sequence[int] | None, n_points: int) -> list[int]:
    """Indices of the points that end legs, ascending; ``InvalidInput`` or ``InvalidValue``."""
    if n_points < 2:
        raise InvalidInput("Number of coordinates needs to be at least two.")
    if waypoints is None:
        return list(range(n_points))
    stops = sorted(set(waypoints))
    if not stops or stops[0] != 0 or stops[-1] != n_points - 1:
        raise InvalidValue("First and last coordinates must be specified as waypoints.")
    return stops


def is_anywhere(snapping: str) -> bool:
    """Whether routes may begin and end on any open road; ``InvalidInput``."""
    if snapping not in SNAPPINGS:
        raise InvalidInput(f"no snapping {snapping!r}; there is: {', '.join(SNAPPINGS)}")
    return snapping == "any"
