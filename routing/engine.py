"""Questions about a dataset and their answers: routes, tables, areas and the nearest roads."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gis.arrays import INF
from gis.streets.search import Street
from gis.tiles.grid import Tile
from routing.alternatives.chains import other_chains
from routing.areas.around import ReachedArea, costs_around, shapes_within
from routing.conditions.clock import Departure
from routing.errors import InvalidInput, NoSegment, NoTrips
from routing.inputs import (
    Approach,
    Bearing,
    Point,
    area_limits,
    check_threads,
    is_anywhere,
    point_queries,
    radius_of,
    stops_of,
    table_points,
)
from routing.many.batch import NearestRoads, Routes, TravelTable, degrees_of
from routing.many.services import Sides, find_nearest_roads, find_routes, find_table
from routing.matching.traces import TraceMatcher
from routing.metric import CS_PER_S, DM_PER_M
from routing.route import Route, Trip, Waypoint
from routing.trips.effort import effort_of
from routing.trips.order import order_stops
from routing.vehicle import Vehicle


class Engine(TraceMatcher):
    """A dataset that is open. Its methods may be called from several threads at once.

    ``depart_at``, a datetime or how ISO 8601 spells it, says which of what holds only at times
    holds, for the whole of the request: in the map's local time, unless with an offset from UTC.
    Without it nothing does. ``exclude`` are classes of roads, such as "toll", that are closed:
    combinations that the profile declares. ``approaches`` say on which side of a two-way road a
    point must lie where it is arrived at and left: "curb", the side on which one drives,
    "opposite", or "unrestricted".
    """

    def nearest(
        self,
        lon: float,
        lat: float,
        *,
        profile: str | None = None,
        number: int = 1,
        radius_m: float | None = None,
        bearing: Bearing | None = None,
        approach: Approach | None = None,
        snapping: str = "default",
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> list[Waypoint]:
        """The nearest positions on up to ``number`` roads, each road's nearest.

        Raises ``NoSegment`` if there is no road within the radius, ``InvalidCoordinate`` and
        ``InvalidInput`` for what makes no sense.
        """
        _, weighting = self._vehicle(profile, depart_at, exclude)
        (query,) = point_queries([(lon, lat)], [radius_m], [bearing], [approach])
        if number < 1:
            raise InvalidInput(f"number is {number}, expected 1 or more")
        number = min(number, self._network.n_edges)
        snaps = weighting.candidates.nearest(query, is_anywhere(snapping), number)
        if not snaps:
            raise NoSegment(0)
        return [self._maker.waypoint(snap, snaps) for snap in snaps[:number]]

    def route(
        self,
        points: Sequence[Point],
        *,
        profile: str | None = None,
        algorithm: str = "hierarchy",
        radiuses: Sequence[float | None] | None = None,
        bearings: Sequence[Bearing | None] | None = None,
        approaches: Sequence[Approach | None] | None = None,
        continue_straight: bool | None = None,
        snapping: str = "default",
        waypoints: Sequence[int] | None = None,
        with_details: bool = False,
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> Route:
        """The fastest route over two points or more.

        Every ``algorithm`` finds the same weight. Of the routes that have it "hierarchy" takes
        the fastest, and of these the shortest; "astar" and "dijkstra" take any. One that the
        weights do not allow, the next does it.

        ``radiuses`` in metres and ``bearings`` limit which roads each point may stand for.
        ``continue_straight`` forbids to turn around at a via point unless there is no other way
        on; without it each leg is a route of its own. The default is the profile's. ``waypoints``
        are the indices of the points that end legs, first and last among them; by default all do.
        Waypoints and the legs' lines, steps and annotations are made when they are asked for;
        ``with_details`` says that they will be, and spares a second search.

        Raises ``NoRoute``, ``NoSegment``, ``InvalidCoordinate`` or ``InvalidInput``.
        """
        vehicle, weighting = self._vehicle(profile, depart_at, exclude)
        queries = point_queries(points, radiuses, bearings, approaches)
        stops = stops_of(waypoints, len(points))
        anywhere = is_anywhere(snapping)
        straight = _straight(vehicle, continue_straight)
        by_hierarchy = algorithm == "hierarchy" and weighting.weights is not None
        if len(points) == 2 and by_hierarchy:
            direct = self._maker.of_direct(vehicle, weighting, queries, anywhere, with_details)
            if direct is not None:
                return direct
        if by_hierarchy and not straight:
            chain = vehicle.direct.chain(weighting, queries, anywhere)
            if chain is not None and chain.is_joined:
                details = self._maker.details(vehicle, weighting, *chain[:2], queries, stops)
                return Route(*details, vehicle.weight_name)
        search = vehicle.search(algorithm, weighting)
        versions = weighting.candidates.choose(queries, anywhere)
        found = vehicle.chain(search, weighting, versions, straight)
        details = self._maker.details(vehicle, weighting, *found, queries, stops)
        return Route(*details, vehicle.weight_name)

    def alternatives(
        self,
        points: Sequence[Point],
        number: int = 1,
        *,
        profile: str | None = None,
        radiuses: Sequence[float | None] | None = None,
        bearings: Sequence[Bearing | None] | None = None,
        approaches: Sequence[Approach | None] | None = None,
        continue_straight: bool | None = None,
        snapping: str = "default",
        waypoints: Sequence[int] | None = None,
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> list[Route]:
        """The fastest route, and after it up to ``number`` others that make sense.

        An alternative is no more than a quarter slower, has a fifth of its own, and no detour
        that a driver would notice as one; there may be none. Over several points it takes another
        way between two of them. The options are those of `route`, and so are the errors.
        """
        vehicle, weighting = self._with_hierarchy(profile, depart_at, exclude)
        if number < 0:
            raise InvalidInput(f"number is {number}, expected 0 or more")
        queries = point_queries(points, radiuses, bearings, approaches)
        stops = stops_of(waypoints, len(points))
        search = vehicle.search("hierarchy", weighting)
        versions = weighting.candidates.choose(queries, is_anywhere(snapping))
        straight = _straight(vehicle, continue_straight)
        best, candidates = vehicle.chain(search, weighting, versions, straight)
        chains = [best]
        if number > 0:
            chains += other_chains(vehicle, weighting, best, candidates, number)
        make = partial(self._maker.details, vehicle, weighting)
        name = vehicle.weight_name
        return [Route(*make(chain, candidates, queries, stops), name) for chain in chains]

    def routes(
        self,
        origins: npt.ArrayLike,
        destinations: npt.ArrayLike,
        *,
        profile: str | None = None,
        radius_m: float | None = None,
        snapping: str = "default",
        threads: int = 1,
        geometry: bool = False,
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> Routes:
        """Duration and distance of the fastest route for each pair of points.

        ``origins`` and ``destinations`` are longitudes and latitudes in degrees, (n, 2) each.
        Every pair has a row in the result, in the same order, and a status that tells why there
        is no route. ``threads`` share the work; so may threads of the caller's. With
        ``geometry`` the result has the line of each route, the points that `route` gives.
        Raises ``InvalidInput`` for arrays of other shapes.
        """
        check_threads(threads)
        vehicle, weighting = self._with_hierarchy(profile, depart_at, exclude)
        options = radius_of(radius_m), is_anywhere(snapping), threads, geometry
        return find_routes(vehicle, weighting, (origins, destinations), *options)

    def nearest_roads(
        self,
        points: npt.ArrayLike,
        *,
        profile: str | None = None,
        radius_m: float | None = None,
        snapping: str = "default",
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> NearestRoads:
        """The nearest position on a road for each of many points, the first of `nearest`.

        ``points`` are longitudes and latitudes in degrees, (n, 2). Every point has a row in the
        result, in the same order, and a status that tells why there is none.
        Raises ``InvalidInput`` for arrays of other shapes.
        """
        _, weighting = self._vehicle(profile, depart_at, exclude)
        options = radius_of(radius_m), is_anywhere(snapping)
        return find_nearest_roads(weighting, self._maker, degrees_of("points", points), *options)

    def table(
        self,
        sources: Sequence[Point] | npt.NDArray[np.float64],
        destinations: Sequence[Point] | npt.NDArray[np.float64] | None = None,
        *,
        profile: str | None = None,
        distances: bool = False,
        radiuses: Sequence[float | None] | None = None,
        destination_radiuses: Sequence[float | None] | None = None,
        bearings: Sequence[Bearing | None] | None = None,
        destination_bearings: Sequence[Bearing | None] | None = None,
        approaches: Sequence[Approach | None] | None = None,
        destination_approaches: Sequence[Approach | None] | None = None,
        radius_m: float | None = None,
        snapping: str = "default",
        threads: int | None = None,
        strict: bool = True,
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> TravelTable:
        """Durations, and distances if wanted, of the fastest routes from each source to each.

        Points are longitudes and latitudes in degrees, (n, 2) and (m, 2); without destinations
        the sources are these, too. Every cell is that of `route` between the two points alone.
        ``radius_m`` is for all points without a radius of their own; ``threads`` is the number of
        processors unless given. Raises ``InvalidInput`` and, counting the destinations after the
        sources, ``NoSegment`` or ``InvalidCoordinate``, unless not ``strict``: then the cells of a
        point that stands nowhere are NaN, and its status tells why.
        """
        check_threads(threads)
        vehicle, weighting = self._with_hierarchy(profile, depart_at, exclude)
        degrees, limits, n = table_points(
            (sources, radiuses, bearings, approaches),
            (
                destinations,
                destination_radiuses,
                destination_bearings,
                destination_approaches,
            ),
            radius_of(radius_m),
        )
        sides = Sides(degrees, limits, n, destinations is None)
        options = is_anywhere(snapping), distances, strict, threads
        return find_table(vehicle, weighting, self._maker, sides, *options)

    def trip(
        self,
        points: Sequence[Point],
        *,
        round_trip: bool = True,
        fixed_start: bool = False,
        fixed_end: bool = False,
        profile: str | None = None,
        radiuses: Sequence[float | None] | None = None,
        bearings: Sequence[Bearing | None] | None = None,
        approaches: Sequence[Approach | None] | None = None,
        snapping: str = "default",
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
        seconds: float | None = None,
    ) -> Trip:
        """The order of two points or more in which a route over all takes least time.

        A round trip goes back to its beginning. ``fixed_start`` and ``fixed_end`` say that it
        begins at the first point and ends at the last; at least one is needed for a trip that does
        not go back. The best order of up to 12 points; of more one that is nearly so, looked for
        in some milliseconds or in so many ``seconds``. A route may turn around at every point.
        Raises ``NoTrips`` if one of the points cannot be reached from another; the other errors
        are those of `route`.
        """
        if not (round_trip or fixed_start or fixed_end):
            raise InvalidInput("a trip that is not round needs a fixed start or end")
        on_roads: dict[str, Any] = {
            "profile": profile,
            "snapping": snapping,
            "depart_at": depart_at,
            "exclude": exclude,
        }
        limits: dict[str, Any] = {
            "radiuses": radiuses,
            "bearings": bearings,
            "approaches": approaches,
        }
        effort = effort_of(seconds)
        queries = point_queries(points, radiuses, bearings, approaches)
        if len(points) < 2:
            raise InvalidInput(f"a trip over {len(points)} points, expected 2 or more")
        engine = self.snapshot(profile)  # the order and the route are by the same weights
        table = engine.table(points, **limits, **on_roads)
        if int(table.duration_cs.max()) >= INF:
            raise NoTrips("No trip visiting all destinations possible.")
        ends = {"round_trip": round_trip, "first": fixed_start, "last": fixed_end}
        order = order_stops(table.duration_cs, effort=effort, **ends).tolist()
        visits = [*order, order[0]] if round_trip else order
        vehicle, weighting = engine._with_hierarchy(profile, depart_at, exclude)
        queries = [queries[i] for i in visits]
        chain = vehicle.direct.chain(weighting, queries, is_anywhere(snapping))
        assert chain is not None
        stops = range(len(visits))
        details = self._maker.details(vehicle, weighting, *chain[:2], queries, stops)
        return Trip(Route(*details, vehicle.weight_name), tuple(order))

    def isochrone(
        self,
        lon: float,
        lat: float,
        *,
        profile: str | None = None,
        durations_s: Sequence[float] | None = None,
        distances_m: Sequence[float] | None = None,
        reverse: bool = False,
        lines: bool = False,
        radius_m: float | None = None,
        bearing: Bearing | None = None,
        approach: Approach | None = None,
        snapping: str = "default",
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> ReachedArea:
        """The areas that can be reached from a point within durations, or within distances.

        With ``reverse``, from where the point can be reached. ``lines`` asks for the pieces of
        roads themselves, cut at the exact place, instead of polygons around them. Within a
        duration is what the fastest way reaches, even if routes would rather take another.
        Raises ``NoSegment``, ``InvalidCoordinate`` or ``InvalidInput``.
        """
        vehicle, weighting = self._vehicle(profile, depart_at, exclude)
        (query,) = point_queries([(lon, lat)], [radius_m], [bearing], [approach])
        anywhere = is_anywhere(snapping)
        limits, by_distance = area_limits(durations_s, distances_m)
        *_, (found,) = weighting.candidates.choose([query], anywhere)
        if by_distance:
            weighting = vehicle.reduced_to_distance(weighting)
        else:
            weighting = vehicle.reduced_to_duration(weighting)
        units = [limit * (DM_PER_M if by_distance else CS_PER_S) for limit in limits]
        costs = costs_around(vehicle, weighting, found.positions, math.ceil(max(units)), reverse)
        shapes = shapes_within(self._network, weighting, costs, units, lines)
        waypoint = self._maker.waypoint(found.snaps[0], found.snaps)
        return ReachedArea(limits, shapes, waypoint, lines)

    def find_streets(self, text: str, number: int = 10) -> list[Street]:
        """Up to ``number`` streets of the map by name, best first, whatever may go there.

        Each word of the text must begin a word of the name; accents and case do not matter.
        Pieces of one name that lie near each other are one street. Raises ``InvalidInput``.
        """
        if number < 1:
            raise InvalidInput(f"number is {number}, expected 1 or more")
        return self._streets.find(text, number)

    def tile(self, x: int, y: int, zoom: int, *, profile: str | None = None) -> bytes:
        """A vector tile of the roads that a vehicle may use, empty where there are none.

        Zooms are 5 to 19, below 12 with the more important roads only. Layers and fields are
        OSRM's, in the Mapbox Vector Tile format. Raises ``InvalidInput`` for no such tile.
        """
        vehicle, weighting = self._vehicle(profile)
        guide = partial(self._maker.guide, vehicle, weighting)
        return self._tiles.make(vehicle, weighting, guide, Tile(x, y, zoom))


def _straight(vehicle: Vehicle, wanted: bool | None) -> bool:
    """Whether to go straight on at via points, if need be by the vehicle's own rule."""
    return bool(vehicle.prepared.roads.straight[0]) if wanted is None else wanted
