"""Changes that close all roads in an area."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gis.arrays import F64, I64, Bool, ranges
from gis.geodesy import HALF_TURN, UNITS_PER_DEGREE
from routing.changes.road_changes import Outcome, close_arcs
from routing.changes.road_index import RoadIndex, point_ranges
from routing.errors import InvalidInput
from routing.metric import Metric

_BOX_NS, _LEVEL_NS = 190.0, 10.0
"""Time to compare a road with a side whose box it meets, and with one of the same latitude."""
_MOST_NS, _MOST_NS_FOR_EDGE = 5e8, 3e3
"""Most time for all areas, rather for odd ones: usual sides are short, or there are few."""
_SAMPLED = 200


def close_areas(roads: RoadIndex, metric: Metric, areas: Sequence[Any]) -> Outcome:
    """Changes that close both arcs of every edge whose shape meets one of the areas.

    An area is a geometry of shapely, or a list of rings of longitudes and latitudes in degrees,
    the outer one first, then its holes; a ring need not repeat its first point. Sides are
    straight on the flat map of longitude and latitude, and areas do not cross the antimeridian:
    divide those that do. ``unknown`` of the outcome are areas without any road.
    Raises ``InvalidInput`` for what is no area.
    """
    finder = _Finder(roads)
    found = [finder.edges_in(geometry_of(number, area)) for number, area in enumerate(areas)]
    edges = np.unique(np.concatenate([np.empty(0, np.int64), *found]))
    arcs = np.column_stack([2 * edges, 2 * edges + 1]).ravel()
    outcome = close_arcs(metric, arcs)
    unknown = np.array([row for row, edges in enumerate(found) if not len(edges)], np.int64)
    return replace(outcome, unknown=unknown)


def geometry_of(number: int, area: Any) -> Any:
    """An area as a geometry of shapely; ``InvalidInput`` names its number."""
    import shapely

    if not isinstance(area, shapely.Geometry):
        try:
            rings = [np.asarray(ring, np.float64) for ring in area]
            if not rings or any(ring.ndim != 2 or ring.shape[1] != 2 for ring in rings):
                raise ValueError("expected rings of longitudes and latitudes")
            if not all(np.isfinite(ring).all() for ring in rings):
                raise ValueError("a coordinate is not a number")
            area = shapely.Polygon(rings[0], rings[1:])
        except (TypeError, ValueError, shapely.errors.GEOSException) as error:
            raise InvalidInput(f"area {number} is no polygon: {error}") from None
    points = shapely.get_coordinates(area)
    if not len(points) or not (np.abs(points) <= (180, 90)).all():
        raise InvalidInput(f"area {number} is empty, or reaches beyond the globe")
    return area


class _Finder:
    """Finds the edges in areas, whose sides it compares with roads only so often in all."""

    def __init__(self, roads: RoadIndex) -> None:
        self._roads = roads
        self._left_ns = _MOST_NS + _MOST_NS_FOR_EDGE * roads.network.n_edges

    def edges_in(self, geometry: Any) -> I64:
        """The edges that meet a geometry, ascending.

        Of a polygon whose sides cross, what an odd number of sides surrounds is the inside; a ring
        that goes around several times is one that goes around once.
        Raises ``InvalidInput`` if that would take too long.
        """
        import shapely

        if geometry.geom_type in ("MultiPolygon", "GeometryCollection"):
            parts = [self.edges_in(part) for part in geometry.geoms if not part.is_empty]
            return np.unique(np.concatenate([np.empty(0, np.int64), *parts]))
        if geometry.geom_type == "Polygon":
            rings = [_once_around(ring) for ring in (geometry.exterior, *geometry.interiors)]
            if any(ring is not None for ring in rings):
                geometry = _with_rings(geometry, rings)
        sides = np.asarray(shapely.bounds(geometry)) * UNITS_PER_DEGREE
        lower, upper = np.floor(sides[:2]).astype(int), np.ceil(sides[2:]).astype(int)
        near = self._roads.edges_near(*lower.tolist(), *upper.tolist())
        self._spend(geometry, near)
        shapely.prepare(geometry)
        network = self._roads.network
        # In a large area most roads begin within it, which is soon seen.
        start = network.first_point[near]
        degrees = (
            point[start] / UNITS_PER_DEGREE for point in (network.point_lon, network.point_lat)
        )
        meets = shapely.intersects_xy(geometry, *degrees)
        if geometry.geom_type == "Polygon":
            # A road that begins outside meets its border, which unlike it need not be valid: to
            # make it so may take as long as the square of its number of points, and longer.
            geometry = shapely.boundary(geometry)
            shapely.prepare(geometry)
        meets[~meets] = _roads_meet(geometry, self._roads, near[~meets])
        edges: I64 = near[meets]
        return edges

    def _spend(self, geometry: Any, near: I64) -> None:
        """Count what it takes to compare roads with all sides whose boxes they meet."""
        import shapely

        points, line = shapely.get_coordinates(
            shapely.get_parts(shapely.boundary(geometry)), return_index=True
        )
        if len(points) < 2 or len(points) * len(near) * _BOX_NS < _MOST_NS / 100:
            return
        a, b = (
            part[line[1:] == line[:-1]] * UNITS_PER_DEGREE for part in (points[:-1], points[1:])
        )
        west, south = np.minimum(a, b).T
        east, north = np.maximum(a, b).T
        some = near[:: max(len(near) // _SAMPLED, 1)]
        boxes = self._roads.boxes(some)
        spent_ns = 0.0
        for edge_west, edge_south, edge_east, edge_north in boxes.tolist():
            beside = (south <= edge_north) & (north >= edge_south)
            within = beside & (west <= edge_east) & (east >= edge_west)
            spent_ns += np.count_nonzero(beside) * _LEVEL_NS + np.count_nonzero(within) * _BOX_NS
        self._left_ns -= spent_ns * len(near) / len(some)
        if self._left_ns < 0:
            raise InvalidInput(
                "the areas have too many long sides: simplify them, or ask for fewer at once"
            )


def _once_around(ring: Any) -> F64 | None:
    """The points of a ring that goes around several times, once; None if it does not."""
    import shapely

    points: F64 = shapely.get_coordinates(ring)
    points = points[:-1][(np.diff(points, axis=0) != 0).any(axis=1)]
    n = len(points)
    for period in range(3, n // 2 + 1):
        if n % period == 0 and np.array_equal(points[period:], points[:-period]):
            return points[:period]
    return None


def _with_rings(polygon: Any, rings: Sequence[F64 | None]) -> Any:
    """A polygon with other points in those of its rings for which there are some."""
    import shapely

    old = (polygon.exterior, *polygon.interiors)
    first, *others = [
        ring if found is None else found for ring, found in zip(old, rings, strict=True)
    ]
    return shapely.Polygon(first, others)


def _roads_meet(geometry: Any, roads: RoadIndex, edge: I64) -> Bool:
    """Which edges (n,) meet a prepared geometry anywhere along their shape."""
    if not len(edge):
        return np.zeros(0, np.bool_)
    network = roads.network
    first, n_points = point_ranges(network, edge)
    point = ranges(first.astype(np.int64), n_points)
    lon = network.point_lon[point].astype(np.float64)
    lat = network.point_lat[point].astype(np.float64)
    line = np.repeat(np.arange(len(edge)), n_points)
    meets = _lines_meet(geometry, lon, lat, line)
    start = np.cumsum(n_points) - n_points
    across = roads.crosses_antimeridian(
        np.minimum.reduceat(lon, start), np.maximum.reduceat(lon, start)
    )
    if across.any():
        # Such a road is drawn twice, whole beyond either border of the map.
        inside = across[line]
        _, number = np.unique(line[inside], return_inverse=True)
        meets[across] = False
        for turn in (0, -2 * HALF_TURN):
            moved = np.where(lon[inside] < 0, lon[inside] + 2 * HALF_TURN, lon[inside]) + turn
            meets[across] |= _lines_meet(geometry, moved, lat[inside], number)
    return meets


def _lines_meet(geometry: Any, lon: F64, lat: F64, line: I64) -> Bool:
    """Which lines meet a geometry; points in units, ``line`` tells whose each is, ascending."""
    import shapely

    points = np.column_stack([lon, lat]) / UNITS_PER_DEGREE
    meets: Bool = shapely.intersects(geometry, shapely.linestrings(points, indices=line))
    return meets
