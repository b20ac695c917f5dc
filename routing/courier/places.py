"""Points on the map as places of a courier's problem: each once, with the times between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gis.arrays import F64, U32, freeze
from gis.geodesy import UNITS_PER_DEGREE
from routing.conditions.clock import Departure
from routing.engine import Engine
from routing.errors import InvalidCoordinate, InvalidInput, NoRoadNear
from routing.inputs import Point, point_queries, radius_of
from routing.many.batch import RouteStatus, locate_points
from routing.places.positions import Positions
from routing.weighting import Weighting


@dataclass(frozen=True)
class Places:
    """The distinct ones among n points, p in all, in the order in which they first come.

    | array | dtype, shape | content |
    |---|---|---|
    | of_point | tuple of n | which place each point is |
    | degrees | float64 (p, 2) | longitude and latitude of where it is driven to |
    | durations_cs | uint32 (p, p) | centiseconds of the fastest routes, or ``INF`` |
    """

    of_point: tuple[int, ...]
    degrees: F64
    durations_cs: U32


def find_places(
    engine: Engine,
    points: Sequence[Point],
    *,
    names: Sequence[str] | None = None,
    radius_m: float | None = None,
    threads: int | None = None,
    profile: str | None = None,
    depart_at: Departure | None = None,
    exclude: Sequence[str] = (),
) -> Places:
    """Points as places, points of equal coordinates as one, and how long it takes between them.

    Each cell is what the route between the two takes, so that a route over several stops at which
    one may turn around takes the sum of its cells. ``names`` are what errors call the points.
    ``threads`` are those of the table; ``profile``, ``depart_at`` and ``exclude`` say whose roads
    they are, as for every question to the engine. Raises ``NoRoadNear`` for a point that no road
    within the radius is near, ``InvalidCoordinate`` or ``InvalidInput``.
    """
    if not len(points):
        raise InvalidInput("there are no points, expected one or more")
    degrees = np.asarray(points, np.float64).reshape(len(points), 2)
    grid = np.rint(np.nan_to_num(degrees, nan=999.0).clip(-999, 999) * UNITS_PER_DEGREE).astype(
        np.int64
    )
    first: dict[tuple[int, int], int] = {}
    rows: list[int] = []
    of_point = []
    for row, (lon, lat) in enumerate(grid.tolist()):
        place = first.setdefault((lon, lat), len(first))
        if place == len(rows):
            rows.append(row)
        of_point.append(place)
    _, weighting = engine._with_hierarchy(profile, depart_at, exclude)
    located = locate_points(weighting.ground, degrees[rows], radius_of(radius_m), with_snaps=True)
    for place in np.flatnonzero(located.status != RouteStatus.OK).tolist():
        row = rows[place]
        name = names[row] if names is not None else f"point {row}"
        lon, lat = (f"{value:.10g}" for value in degrees[row].tolist())
        if located.status[place] == RouteStatus.INVALID:
            raise InvalidCoordinate(f"{name}: {lon},{lat} is not on the globe")
        near = "" if radius_m is None else f" within {radius_m:g} m"
        raise NoRoadNear(f"{name}: there is no road{near} of {lon},{lat}")
    distinct = freeze(_driven_to(weighting, located.positions, degrees[rows]))
    roads: dict[str, Any] = {"profile": profile, "depart_at": depart_at, "exclude": exclude}
    table = engine.table(distinct, threads=threads, **roads)
    return Places(tuple(of_point), distinct, _still(table.duration_cs))


def _driven_to(weighting: Weighting, positions: Positions, degrees: F64) -> F64:
    """Points (p, 2) as they are, but for those beside roads that are not joined to the others.

    A route over all of them goes to the nearest road that is, unless all stand in one such part,
    and so must the times between any two.
    """
    apart = np.flatnonzero(positions.middle < positions.stop)
    if not len(apart):
        return degrees
    if len(apart) == len(degrees):
        queries = point_queries(degrees.tolist(), None, None)
        if len(weighting.candidates.choose(queries, False)) > 1:
            return degrees
    found = degrees.copy()
    joined = positions.snap[positions.middle[apart]]
    found[apart] = np.stack([joined["lon"], joined["lat"]], axis=1) / UNITS_PER_DEGREE
    return found


def _still(durations_cs: U32) -> U32:
    """The times with none for staying where one is."""
    if not durations_cs.diagonal().any():
        return durations_cs
    found = durations_cs.copy()
    np.fill_diagonal(found, 0)
    return freeze(found)
