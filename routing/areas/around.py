"""What can be reached from a point within limits, or from where the point can be reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gis.arrays import F64, INF, U32, freeze
from gis.network.road_network import RoadNetwork
from routing.areas.contour import Polygon
from routing.areas.isochrone import Costs, Roads, isochrone_areas, isochrone_lines
from routing.areas.reach import Lines
from routing.frames import geo_frame, multi_shape
from routing.route import Waypoint
from routing.search.bounded import bounded_search
from routing.search.dijkstra import turns_of
from routing.search.seeds import Place, Position, source_seeds, target_seeds, vertices_of
from routing.vehicle import Vehicle
from routing.weighting import Weighting

SWEEP_FROM = 1 / 96
"""Beyond this part of all vertices a sweep over all is tried instead of a search.

Both take as long at about a thirty-second; so a search in vain costs a third of a sweep.
"""

Shape: TypeAlias = Polygon | F64
"""A polygon, the shell first, or a line: longitudes and latitudes (n, 2)."""


@dataclass(frozen=True)
class ReachedArea:
    """What lies within each of some limits, in their order.

    ``shapes`` has for each limit polygons, each a list of closed rings float64 (n, 2) of longitude
    and latitude in degrees with the shell first, or lines float64 (n, 2). Near the antimeridian
    longitudes may exceed 180 degrees: a shape is never torn.
    ``waypoint`` is the point after snapping.
    """

    limits: tuple[float, ...]
    shapes: tuple[list[Shape], ...]
    waypoint: Waypoint
    lines: bool = False
    """Whether the shapes are lines."""

    def to_geopandas(self) -> Any:
        """A ``GeoDataFrame`` with a row for each limit: all its polygons, or lines, as one."""
        geometry = [multi_shape(shapes, self.lines) for shapes in self.shapes]
        return geo_frame({"limit": self.limits}, geometry)


def costs_around(
    vehicle: Vehicle,
    weighting: Weighting,
    origins: Sequence[Position],
    limit: int,
    reverse: bool,
) -> Costs:
    """Costs from origins, or to them, as far as they are below a limit, or further.

    A search that touches only what is near, until a sweep over the hierarchy is less work.
    """
    graph, metric = weighting.graph, weighting.metric
    if reverse:
        n_arcs = len(metric.weight)
        ends = [
            Place(vertex, fraction)
            for arc, fraction in origins
            for vertex in vertices_of(graph, n_arcs, arc)
        ]
        seeds = target_seeds(graph, metric, ends)
    else:
        seeds = source_seeds(graph, metric, [Place(arc, fraction) for arc, fraction in origins])
    turns = turns_of(graph, metric, reverse)
    reached = None
    for most in (int(graph.n_vertices * SWEEP_FROM), graph.n_vertices):
        state = vehicle.scratch.bounded.take()
        reached = bounded_search(state, turns, seeds, limit, most)
        vehicle.scratch.bounded.give_back(state)
        if reached is not None:
            break
        weights = vehicle.weights_of(weighting)
        if weights is not None:
            return Costs(turns, origins, vehicle.sweeper.sweep(weights, seeds, reverse))
    assert reached is not None
    cost = np.full(graph.n_vertices, INF, np.uint32)
    cost[reached.vertex] = reached.cost
    return Costs(turns, origins, freeze(cost), reached.vertex)


def shapes_within(
    network: RoadNetwork, weighting: Weighting, costs: Costs, limits: Sequence[float], lines: bool
) -> tuple[list[Shape], ...]:
    """The area within each limit, or the pieces of road."""
    roads = Roads(weighting.ground.roads, network.edge_length_m)
    if lines:
        return tuple(_split(found) for found in isochrone_lines(roads, costs, limits))
    return tuple(list(polygons) for polygons in isochrone_areas(roads, costs, limits))


def _split(lines: Lines) -> list[Shape]:
    points = np.stack([lines.lon, lines.lat], axis=1)
    inner: U32 = lines.first_point[1:-1]
    return list(np.split(points, inner)) if len(points) else []
