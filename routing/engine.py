"""Questions about a dataset and their answers: the nearest roads, and routes."""

import math
import threading
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Self, TypeAlias

import numpy as np

from gis.arrays import freeze
from gis.dataset import Dataset, open_dataset
from gis.geodesy import UNITS_PER_DEGREE
from gis.manifest import About
from gis.network.names import NamePool
from gis.snap import FORWARD, Snap
from routing.assemble import End, LegAssembler, PathOfArcs
from routing.candidates import CandidateFinder, Candidates, PointQuery
from routing.chain import BrokenChainError, ChainFinder, Search, Stretch
from routing.errors import InvalidCoordinate, InvalidInput, InvalidValue, NoRoute, NoSegment
from routing.reference.dijkstra import SearchState, dijkstra
from routing.reference.landmarks import alt_query
from routing.reference.seeds import part_cost
from routing.route import Leg, Route, Waypoint
from routing.store import PreparedProfile, load_network, load_profile

Point: TypeAlias = tuple[float, float]
"""Longitude and latitude in degrees."""

Bearing: TypeAlias = tuple[int, int]
"""A direction of travel, 0..360 degrees clockwise from north, and how far it may be off, 0..180."""

ALGORITHMS = ("astar", "dijkstra")
SNAPPINGS = ("default", "any")


class Engine:
    """A dataset that is open. Its methods may be called from several threads at once."""

    def __init__(self, dataset: Dataset) -> None:
        self._about = dataset.manifest.about
        self._network, index = load_network(dataset.arrays)
        self._names = NamePool(self._network.labels)
        self._assembler = LegAssembler(self._network, self._names)
        self._vehicles: dict[str, _Vehicle] = {}
        for name in self._about.profiles:
            prepared = load_profile(name, dataset.arrays)
            finder = CandidateFinder(index, prepared.components)
            self._vehicles[name] = _Vehicle(prepared, finder)

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = True) -> Self:
        """Open a dataset that ``whimbrel build`` made.

        ``verify`` checks every checksum. Raises ``DatasetError`` if there is no dataset of this
        version, and ``ChecksumError`` if an array of it is damaged.
        """
        return cls(open_dataset(Path(path), verify=verify))

    @property
    def info(self) -> About:
        """What the dataset holds and from what it was made."""
        return self._about

    @property
    def profiles(self) -> tuple[str, ...]:
        """The vehicles that there are routes for; the first is the default."""
        return self._about.profiles

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east and north of all roads, in degrees."""
        return self._about.bounds

    def nearest(
        self,
        lon: float,
        lat: float,
        *,
        profile: str | None = None,
        number: int = 1,
        radius_m: float | None = None,
        bearing: Bearing | None = None,
        snapping: str = "default",
    ) -> list[Waypoint]:
        """The nearest positions on up to ``number`` roads, each road's nearest.

        Raises ``NoSegment`` if there is no road within the radius, ``InvalidCoordinate`` and
        ``InvalidInput`` for what makes no sense.
        """
        vehicle = self._vehicle(profile)
        (query,) = _queries([(lon, lat)], [radius_m], [bearing])
        if number < 1:
            raise InvalidInput(f"number is {number}, expected 1 or more")
        snaps = vehicle.candidates.nearest(query, _is_anywhere(snapping), number)
        if not snaps:
            raise NoSegment("Could not find a matching segment for coordinate 0")
        return [
            self._waypoint(snap, snaps, forward=bool(snap.directions & FORWARD))
            for snap in snaps[:number]
        ]

    def route(
        self,
        points: Sequence[Point],
        *,
        profile: str | None = None,
        algorithm: str = "astar",
        radiuses: Sequence[float | None] | None = None,
        bearings: Sequence[Bearing | None] | None = None,
        continue_straight: bool | None = None,
        snapping: str = "default",
        waypoints: Sequence[int] | None = None,
    ) -> Route:
        """The fastest route over two points or more.

        ``radiuses`` in metres and ``bearings`` limit which roads each point may stand for.
        ``continue_straight`` (the default) forbids to turn around at a via point unless there is
        no other way on; without it each leg is a route of its own. ``waypoints`` are the indices
        of the points that end legs, first and last among them; by default all do.

        Raises ``NoRoute``, ``NoSegment``, ``InvalidCoordinate`` or ``InvalidInput``.
        """
        vehicle = self._vehicle(profile)
        queries = _queries(points, radiuses, bearings)
        stops = _stops(waypoints, len(points))
        straight = continue_straight is not False
        search = vehicle.search(algorithm)
        versions = vehicle.candidates.choose(queries, _is_anywhere(snapping))
        stretches, candidates = vehicle.chain(search, versions, straight)
        ends = [stretches[0].start, *(stretch.end for stretch in stretches)]
        return Route(
            tuple(
                self._leg(vehicle, stretches[a:b], candidates[a : b + 1])
                for a, b in pairwise(stops)
            ),
            tuple(
                self._waypoint(found.snap_at(end), found.snaps, forward=end.arc % 2 == 0)
                for found, end in zip(candidates, ends, strict=True)
            ),
        )

    def _vehicle(self, profile: str | None) -> "_Vehicle":
        name = self.profiles[0] if profile is None else profile
        if name not in self._vehicles:
            raise InvalidInput(
                f"no profile {name!r} in this dataset; there is: {', '.join(self.profiles)}"
            )
        return self._vehicles[name]

    def _leg(
        self, vehicle: "_Vehicle", stretches: list[Stretch], candidates: Sequence[Candidates]
    ) -> Leg:
        """One leg over points that are passed without a stop."""
        paths: list[PathOfArcs] = []
        for stretch, (begin, goal) in zip(stretches, pairwise(candidates), strict=True):
            path = vehicle.path(stretch, begin.snap_at(stretch.start), goal.snap_at(stretch.end))
            if paths and paths[-1].arcs[-1] == path.arcs[0]:
                path = _join(paths.pop(), path)
            paths.append(path)
        return self._assembler.assemble(paths)

    def _waypoint(self, snap: Snap, tied: Sequence[Snap], forward: bool) -> Waypoint:
        """A snap as a result, named after all roads that meet there."""
        network = self._network
        here = [s.edge for s in tied if (s.lon, s.lat) == (snap.lon, snap.lat)]
        edges = [snap.edge, *(edge for edge in here if edge != snap.edge)]
        names = dict.fromkeys(self._names.name(int(network.edge_label[edge])) for edge in edges)
        before, after = network.point_id[snap.point : snap.point + 2].tolist()
        return Waypoint(
            snap.lon / UNITS_PER_DEGREE,
            snap.lat / UNITS_PER_DEGREE,
            snap.distance_m,
            " / ".join(name for name in names if name),
            (before, after) if forward else (after, before),
        )


class _Vehicle:
    """What is needed for the routes of one profile."""

    def __init__(self, prepared: PreparedProfile, candidates: CandidateFinder) -> None:
        self.candidates = candidates
        self._prepared = prepared
        self._thread = threading.local()

    def search(self, algorithm: str) -> Search:
        """A search with the scratch of the thread that asks."""
        graph, metric = self._prepared.turn_graph, self._prepared.metric
        state = getattr(self._thread, "state", None)
        if state is None:
            state = self._thread.state = SearchState(graph)
        if algorithm == "astar":
            return partial(alt_query, state, graph, metric, self._prepared.landmarks)
        if algorithm == "dijkstra":
            return partial(dijkstra, state, graph, metric)
        raise InvalidInput(f"no algorithm {algorithm!r}; there is: {', '.join(ALGORITHMS)}")

    def chain(
        self, search: Search, versions: Sequence[Sequence[Candidates]], straight: bool
    ) -> tuple[list[Stretch], Sequence[Candidates]]:
        """The best route over the first candidates that are connected, and which they are."""
        finder = ChainFinder(search, self._prepared.turn_graph, self._prepared.metric)
        for candidates in versions:
            try:
                return finder.find([found.positions for found in candidates], straight), candidates
            except BrokenChainError as error:
                leg = error.leg
        component = self._prepared.components.arc_component
        begin, end = (
            {int(component[p.arc]) for p in found.positions} for found in candidates[leg : leg + 2]
        )
        what = "No route found" if begin & end else "Impossible route"
        raise NoRoute(f"{what} between points")

    def path(self, stretch: Stretch, begin: Snap, goal: Snap) -> PathOfArcs:
        """A stretch with what each of its arcs costs."""
        weight = self._prepared.metric.weight[stretch.arcs]
        cost = weight.astype(np.float64)
        start, end = stretch.start.fraction, stretch.end.fraction
        cost[-1] = part_cost(int(weight[-1]), end)
        cost[0] -= part_cost(int(weight[0]), start)
        return PathOfArcs(
            stretch.arcs,
            cost,
            End(start, begin.lon, begin.lat),
            End(end, goal.lon, goal.lat),
            stretch.cost,
        )


def _join(a: PathOfArcs, b: PathOfArcs) -> PathOfArcs:
    """One path over a point on an arc: ``a`` ends on it where ``b`` begins."""
    cost = np.concatenate([a.cost_cs, b.cost_cs[1:]])
    cost[len(a.cost_cs) - 1] += b.cost_cs[0]
    arcs = freeze(np.concatenate([a.arcs, b.arcs[1:]]))
    return PathOfArcs(arcs, cost, a.start, b.end, a.total_cs + b.total_cs)


def _queries(
    points: Sequence[Point],
    radiuses: Sequence[float | None] | None,
    bearings: Sequence[Bearing | None] | None,
) -> list[PointQuery]:
    """The input points with their limits, checked."""
    n = len(points)
    for name, values in (("radiuses", radiuses), ("bearings", bearings)):
        if values is not None and len(values) != n:
            raise InvalidInput(
                f"Number of elements in {name} size {len(values)} "
                f"does not match coordinate size {n}"
            )
    queries = []
    for i, (lon, lat) in enumerate(points):
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
        queries.append(PointQuery(lon, lat, math.inf if radius_m is None else radius_m, bearing))
    return queries


def _stops(waypoints: Sequence[int] | None, n_points: int) -> list[int]:
    """Indices of the points that end legs, ascending."""
    if n_points < 2:
        raise InvalidInput("Number of coordinates needs to be at least two.")
    if waypoints is None:
        return list(range(n_points))
    stops = sorted(set(waypoints))
    if not stops or stops[0] != 0 or stops[-1] != n_points - 1:
        raise InvalidValue("First and last coordinates must be specified as waypoints.")
    return stops


def _is_anywhere(snapping: str) -> bool:
    if snapping not in SNAPPINGS:
        raise InvalidInput(f"no snapping {snapping!r}; there is: {', '.join(SNAPPINGS)}")
    return snapping == "any"
