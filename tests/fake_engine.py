"""An engine that answers at once, so that what surrounds it can be tested alone."""

import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np

from gis.manifest import About, Extract
from routing.engine import Engine
from routing.errors import NoRoute, NoSegment
from routing.route import Annotation, Leg, Route, Waypoint
from server.settings import Settings
from server.state import EngineState

BOUNDS = (24.9, 60.1, 25.0, 60.2)
FAILURES: dict[float, Exception] = {
    50.0: NoSegment("Could not find a matching segment for coordinate 0"),
    51.0: NoRoute("Impossible route between points"),
    52.0: RuntimeError("a fault of ours"),
}
"""Longitudes that make it fail."""

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
        Annotation(distance, duration, np.arange(1, n + 2)),
        names,
    )


class FakeEngine:
    """Goes straight from point to point, and remembers what it was asked."""

    profiles = ("car",)
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
