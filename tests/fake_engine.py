"""An engine that answers at once, so that what surrounds it can be tested alone."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np

from gis.arrays import F64, freeze
from gis.manifest import About, Extract
from routing.engine import Engine
from routing.errors import NoRoute, NoSegment
from routing.guidance.steps import Intersection, Lane, Maneuver, Step
from routing.matching.results import Match, Matching, Tracepoint
from routing.route import Annotation, Leg, Route, Trip, Waypoint
from server.settings import Settings
from server.state import EngineState

BOUNDS = (24.9, 60.1, 25.0, 60.2)
FAILURES: dict[float, Exception] = {
    50.0: NoSegment(0),
    51.0: NoRoute("Impossible route between points"),
    52.0: RuntimeError("a fault of ours"),
}
"""Longitudes that make it fail."""

N_ALTERNATIVES = 2
"""So many other ways there are."""

SLOW = 60.0
"""A longitude that makes it take a second."""


def make_leg(
    lon: Sequence[float],
    lat: Sequence[float],
    distance_m: Sequence[float] = (),
    duration_s: Sequence[float] = (),
    names: tuple[str, ...] = (),
) -> Leg:
    """A leg over points, 100 m and 10 s from each to the next unless told otherwise."""
    n = len(lon) - 1
    distance = np.array(distance_m or [100.0] * n)
    duration = np.array(duration_s or [10.0] * n)
    return Leg(
        float(distance.sum()),
        float(duration.sum()),
        np.array(lon, float),
        np.array(lat, float),
        Annotation(distance, duration, np.arange(1, n + 2), duration),
        names,
        (make_steps(lon, lat, float(distance.sum()), float(duration.sum())), "High Street"),
    )


def make_steps(
    lon: Sequence[float], lat: Sequence[float], distance_m: float, duration_s: float
) -> tuple[Step, ...]:
    """A departure with all there can be about a step, and an arrival with no more than must be."""
    n = len(lon) - 1
    begin, end = (lon[0], lat[0]), (lon[n], lat[n])
    lanes = (Lane(("left", "straight"), False), Lane(("right",), True))
    places = (
        Intersection(*begin, (90,), (True,), None, 0, (), ("tunnel", "toll")),
        Intersection(*begin, (0, 90, 270), (True, True, False), 2, 1, lanes),
    )
    texts = "High Street", "E 1", "hai", "A 1: Town", "7; 8", "Ring", "ring"
    first = Maneuver("depart", "left", *begin, 0, 90, 2)
    last = Maneuver("arrive", None, *end, 90, 0)
    arrival = (Intersection(*end, (270,), (True,), 0, None),)
    none = ("", "", "", "", "", "", "")
    return (
        Step(distance_m, duration_s, duration_s, 0, n, *texts, "ferry", "left", first, places),
        Step(0.0, 0.0, 0.0, n, n, *none, "driving", "right", last, arrival),
    )


def square(lon: float, lat: float, size: float) -> F64:
    """A closed ring, counterclockwise."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
    return corners * size + (lon, lat)


@dataclass(frozen=True)
class FakeTable:
    """What a table tells."""

    duration_s: F64
    distance_m: F64 | None
    sources: tuple[Waypoint, ...]
    destinations: tuple[Waypoint, ...]


@dataclass(frozen=True)
class FakeIsochrone:
    """What an isochrone tells."""

    shapes: list[list[Any]]
    waypoint: Waypoint


class FakeEngine:
    """Goes straight from point to point, and remembers what it was asked."""

    profiles = ("car",)
    data_id = "0123456789abcdef"
    bounds = BOUNDS
    info = About(
        "1.0",
        Extract("city.osm.pbf", 1234, "2024-01-02T03:04:05Z"),
        ("car",),
        BOUNDS,
        {"nodes": 10, "edges": 20},
    )

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def snapshot(self, profile: str) -> "FakeEngine":
        """Itself: nothing is ever published."""
        return self

    def is_current(self, profile: str) -> bool:
        """Nothing is ever published."""
        return True

    def is_following(self, profile: str) -> bool:
        """Others are followed in vain."""
        return True

    def announced(self, profile: str) -> int:
        """Nothing was ever published."""
        return 0

    def live_sequence(self, profile: str) -> int:
        """Nothing was ever published."""
        return 0

    def route(self, points: Sequence[tuple[float, float]], **options: Any) -> Route:
        """Straight lines."""
        self.asked = {"points": points} | options
        if points[0][0] in FAILURES:
            raise FAILURES[points[0][0]]
        if points[0][0] == SLOW:
            time.sleep(1)
        legs = [
            make_leg([a[0], b[0]], [a[1], b[1]], names=("High Street",))
            for a, b in pairwise(points)
        ]
        return Route(tuple(legs), tuple(self._waypoint(*point) for point in points))

    def alternatives(
        self, points: Sequence[tuple[float, float]], number: int, **options: Any
    ) -> list[Route]:
        """The straight lines, and once more or less of them with a bend."""
        best = self.route(points, **options)
        self.asked |= {"number": number}
        others = [
            Route(
                tuple(
                    make_leg(
                        [leg.lon[0], leg.lon[0] + 0.001 * (i + 1), leg.lon[-1]],
                        [leg.lat[0], leg.lat[0], leg.lat[-1]],
                    )
                    for leg in best.legs
                ),
                best.waypoints,
            )
            for i in range(min(number, N_ALTERNATIVES))
        ]
        return [best, *others]

    def table(
        self,
        sources: Sequence[tuple[float, float]],
        destinations: Sequence[tuple[float, float]] | None = None,
        **options: Any,
    ) -> "FakeTable":
        """A tenth of a second and a metre for a millionth of a degree; none over the equator."""
        self.asked = {"sources": sources, "destinations": destinations} | options
        ends = sources if destinations is None else destinations
        for i, (lon, _) in enumerate((*sources, *ends)):
            if lon == 50.0:
                raise NoSegment(i)
            if lon in FAILURES:
                raise FAILURES[lon]
            if lon == SLOW:
                time.sleep(1)
        a, b = np.array(sources)[:, None], np.array(ends)[None]
        size = np.abs(a - b).sum(axis=2) * 1e6
        is_none = (a[..., 1] < 0) != (b[..., 1] < 0)
        duration_s, distance_m = (np.where(is_none, np.nan, size * f) for f in (0.1, 1.0))
        return FakeTable(
            freeze(duration_s),
            freeze(distance_m) if options["distances"] else None,
            tuple(self._waypoint(*point) for point in sources),
            tuple(self._waypoint(*point) for point in ends),
        )

    def trip(self, points: Sequence[tuple[float, float]], **options: Any) -> Trip:
        """From west to east, whatever is fixed."""
        order = sorted(range(len(points)), key=lambda i: points[i])
        visits = [*order, order[0]] if options["round_trip"] else order
        route = self.route([points[i] for i in visits])
        self.asked = {"points": points} | options
        return Trip(route, tuple(order))

    def match(self, points: Sequence[tuple[float, float]], **options: Any) -> Match:
        """All points in one piece, of which it is sure."""
        self.asked = {"points": points} | options
        route = self.route(points)
        found = [Tracepoint(w, 0, i, 0) for i, w in enumerate(route.waypoints)]
        return Match((Matching(route, 1.0),), tuple(found))

    def isochrone(self, lon: float, lat: float, **options: Any) -> FakeIsochrone:
        """Two squares of the limit's size with holes, or their sides; one below 100."""
        self.asked = {"lon": lon, "lat": lat} | options
        if lon in FAILURES:
            raise FAILURES[lon]
        shapes: list[list[Any]] = []
        for limit in options["durations_s"] or options["distances_m"]:
            size = limit * 1e-6
            squares = [
                [square(x, lat, size), square(x, lat, size / 2)[::-1]]
                for x in (lon - 2 * size, lon + 2 * size)[: 1 + (limit >= 100)]
            ]
            lines = [ring for polygon in squares for ring in polygon]
            shapes.append(lines if options["lines"] else squares)
        return FakeIsochrone(shapes, self._waypoint(lon, lat))

    def nearest(self, lon: float, lat: float, **options: Any) -> list[Waypoint]:
        """The point itself, as often as asked for."""
        self.asked = {"lon": lon, "lat": lat} | options
        if lon in FAILURES:
            raise FAILURES[lon]
        return [self._waypoint(lon, lat)] * options["number"]

    def _waypoint(self, lon: float, lat: float) -> Waypoint:
        return Waypoint(lon, lat, 1.23456789, "High Street", (7, 8))


def fake_state(settings: Settings | None = None) -> EngineState:
    """A server's state around a fake engine."""
    engine = cast("Engine", FakeEngine())
    return EngineState(engine, Path("city.whimbrel"), settings or Settings())
