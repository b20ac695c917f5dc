"""Legs and waypoints from what a search has found."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from gis.arrays import F64, I64, U32, freeze
from gis.geodesy import UNITS_PER_DEGREE
from gis.network.names import NamePool
from gis.network.road_network import RoadNetwork
from gis.profiles.verdicts import RoadUse
from gis.snap import FORWARD, Snap
from routing.assemble import LegAssembler, PathOfArcs, PlacesOfPaths
from routing.cch.weights import Measures
from routing.direct import DirectEnd, DirectRoute
from routing.graph.turn_graph import TurnGraph
from routing.guidance.guide import Guide
from routing.guidance.trail import LegLine
from routing.places.candidates import Candidates
from routing.places.nearest import PointQuery
from routing.places.positions import Positions
from routing.route import Details, Directions, Leg, Route, Waypoint
from routing.search.chain import Stretch
from routing.vehicle import Vehicle
from routing.weighting import Weighting

Given: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
"""Longitude and latitude of the input points at which a leg begins and ends."""


class DetailMaker:
    """Makes legs and waypoints for all vehicles of a network; threads may share it."""

    def __init__(self, network: RoadNetwork) -> None:
        self._network = network
        self._names = NamePool(network.labels)
        self._assembler = LegAssembler(network, self._names)
        self._guides: dict[tuple[Vehicle, bool], tuple[TurnGraph, RoadUse, Guide]] = {}

    def details(
        self,
        vehicle: Vehicle,
        weighting: Weighting,
        stretches: Sequence[Stretch],
        candidates: Sequence[Candidates],
        queries: Sequence[PointQuery],
        stops: Sequence[int],
    ) -> Details:
        """Legs between the points that are stops, and waypoints for all points."""
        ends = [stretches[0].start, *(stretch.end for stretch in stretches)]
        return (
            tuple(
                self.leg(
                    vehicle,
                    weighting,
                    stretches[a:b],
                    candidates[a : b + 1],
                    ((queries[a].lon, queries[a].lat), (queries[b].lon, queries[b].lat)),
                )
                for a, b in pairwise(stops)
            ),
            tuple(
                self.waypoint(found.snap_at(end), found.snaps, forward=end.arc % 2 == 0)
                for found, end in zip(candidates, ends, strict=True)
            ),
        )

    def of_direct(
        self,
        vehicle: Vehicle,
        weighting: Weighting,
        queries: Sequence[PointQuery],
        anywhere: bool,
        with_details: bool,
    ) -> Route | None:
        """A route between two points; its leg and waypoints are made when they are asked for."""
        if with_details:
            route = vehicle.direct.find(weighting, queries, anywhere)
            measures = None if route is None else route.measures
        else:
            route, measures = None, vehicle.direct.measures(weighting, queries, anywhere)
        if measures is None:
            return None
        weight, duration, length = measures
        later = _OfDirect(self, vehicle, weighting, queries, anywhere, measures, route)
        return Route.deferred(
            length / 100,
            duration / 100,
            weight / 100,
            vehicle.weight_name,
            later.legs,
            later.waypoints,
        )

    def waypoint(self, snap: Snap, tied: Sequence[Snap], forward: bool | None = None) -> Waypoint:
        """A snap as a result, named after all roads that meet there.

        Its nodes are in the order of travel, by default in the first direction that is open.
        """
        if forward is None:
            forward = bool(snap.directions & FORWARD)
        network, edge, point = self._network, snap.edge, snap.point
        if len(tied) <= 1:
            name = self._names.name(int(network.edge_label[edge]))
        else:
            place = snap.lon, snap.lat
            met = [int(network.edge_label[s.edge]) for s in tied if (s.lon, s.lat) == place]
            name = self._names.where_met((int(network.edge_label[edge]), *met))
        before, after = int(network.point_id[point]), int(network.point_id[point + 1])
        return Waypoint(
            snap.lon / UNITS_PER_DEGREE,
            snap.lat / UNITS_PER_DEGREE,
            snap.distance_m,
            name,
            (before, after) if forward else (after, before),
        )

    def names_where_met(self, first: I64, edge: I64) -> list[str]:
        """The names of roads that meet, for n places: offsets (n + 1,) into the edges (k,)."""
        labels = self._network.edge_label[edge].tolist()
        return [self._names.where_met(tuple(labels[a:b])) for a, b in pairwise(first.tolist())]

    def standing(self, positions: Positions, points: I64) -> tuple[Waypoint, ...]:
        """Where located points (n,) stand, joined to the rest of the roads if they can be."""
        first, middle, stop = (places[points].tolist() for places in positions[:3])
        nearest = positions.snap
        found = []
        for a, b, c in zip(first, middle, stop, strict=True):
            begin, end = (b, c) if b < c else (a, b)
            snaps = [Snap(*place) for place in nearest[begin:end].tolist()]
            found.append(self.waypoint(snaps[0], snaps))
        return tuple(found)

    def leg(
        self,
        vehicle: Vehicle,
        weighting: Weighting,
        stretches: Sequence[Stretch],
        candidates: Sequence[Candidates],
        given: Given,
    ) -> Leg:
        """One leg over points that are passed without a stop."""
        paths: list[PathOfArcs] = []
        for stretch, (begin, goal) in zip(stretches, pairwise(candidates), strict=True):
            start, end = begin.snap_at(stretch.start), goal.snap_at(stretch.end)
            path = vehicle.path(weighting, stretch, start, end)
            if paths and paths[-1].arcs[-1] == path.arcs[0]:
                path = _join(paths.pop(), path)
            paths.append(path)
        direct = partial(self._direct, vehicle, weighting, paths, given)
        return self._assembler.assemble(paths, direct)

    def lines(self, arcs: U32, first: I64, places: PlacesOfPaths) -> tuple[F64, F64, list[int]]:
        """Longitudes and latitudes of the points of many paths, and where each one's begin."""
        return self._assembler.lines(arcs, first, places)

    def _direct(
        self,
        vehicle: Vehicle,
        weighting: Weighting,
        paths: Sequence[PathOfArcs],
        given: Given,
        *line: *tuple[F64, F64, I64],
    ) -> Directions:
        """The steps along a leg."""
        guide = self.guide(vehicle, weighting)
        return guide.steps(LegLine(paths, *line, *given), weighting.metric)

    def guide(self, vehicle: Vehicle, weighting: Weighting) -> Guide:
        """A guide along some roads, made when it is first needed.

        Beside that for a vehicle's own roads the last one for those of another time is kept.
        """
        own = vehicle.prepared
        made_for = weighting.graph, weighting.roads
        is_own = made_for[0] is own.turn_graph and made_for[1] is own.roads
        graph, roads, guide = self._guides.get((vehicle, is_own), (None, None, None))
        if guide is None or graph is not made_for[0] or roads is not made_for[1]:
            # Roads that only this request closes are on none of its routes.
            flags = own.components.arc_flags if is_own else weighting.ground.arc_flags
            guide = Guide(self._network, weighting.roads, weighting.graph, flags)
            self._guides[vehicle, is_own] = *made_for, guide
        return guide


@dataclass
class _OfDirect:
    """What of a route between two points is made later; if need be it is found again."""

    maker: DetailMaker
    vehicle: Vehicle
    weighting: Weighting
    queries: Sequence[PointQuery]
    anywhere: bool
    measures: Measures
    route: DirectRoute | None

    def _found(self) -> DirectRoute:
        route = self.route
        if route is None:
            route = self.vehicle.direct.find(self.weighting, self.queries, self.anywhere)
            assert route is not None
            self.route = route
        return route

    def legs(self) -> tuple[Leg, ...]:
        """The leg, of which the measures are known."""
        weight, duration, length = self.measures
        return (Leg.deferred(length / 100, duration / 100, weight / 100, self._leg),)

    def _leg(self) -> Leg:
        route, vehicle = self._found(), self.vehicle
        candidates = [route.start.candidates(), route.end.candidates()]
        stretches = [route.stretch(vehicle.prepared.turn_graph)]
        begin, goal = ((query.lon, query.lat) for query in self.queries)
        return self.maker.leg(vehicle, self.weighting, stretches, candidates, (begin, goal))

    def waypoints(self) -> tuple[Waypoint, ...]:
        """Where it begins and ends."""
        route = self._found()
        return self._waypoint(route.start), self._waypoint(route.end)

    def _waypoint(self, end: DirectEnd) -> Waypoint:
        position, snaps = end.position, end.snaps()
        edge = position.arc >> 1
        snap = next(snap for snap in snaps if snap.edge == edge)
        return self.maker.waypoint(snap, snaps, forward=position.arc % 2 == 0)


def _join(a: PathOfArcs, b: PathOfArcs) -> PathOfArcs:
    """One path over a point on an arc: ``a`` ends on it where ``b`` begins."""
    cost = _joined(a.cost_cs, b.cost_cs)
    weight = cost
    if a.has_weights:
        weight = _joined(a.by_weight().cost_cs, b.by_weight().cost_cs)
    arcs = freeze(np.concatenate([a.arcs, b.arcs[1:]]))
    total_cs, length_cm = a.total_cs + b.total_cs, a.length_cm + b.length_cm
    totals = total_cs, length_cm, weight, a.weight + b.weight
    return PathOfArcs(arcs, cost, a.start, b.end, *totals, a.live_arcs)


def _joined(a: F64, b: F64) -> F64:
    """What each arc takes where the last of the first path is the first of the second."""
    both: F64 = np.concatenate([a, b[1:]])
    both[len(a) - 1] += b[0]
    return both
