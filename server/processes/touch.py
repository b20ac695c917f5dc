"""An engine made ready before it is needed."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from gis.tiles.levels import ALL_ROADS_ZOOM, MIN_ZOOM
from routing.engine import Engine
from routing.errors import QueryError
from server.api.osrm_steps import steps_text

FAR_S = 0.5
"""So long what is kept of crossings is worth to be waited for, where processes share it."""


def touch(engine: Engine, far_s: float = 0.0) -> None:
    """Ask for some of everything, so that what it needs is loaded before anybody waits for it.

    For ``far_s`` seconds routes are followed all over the map, too: what is kept of their
    crossings is found out as it is first needed, and that takes longer than all the rest of them.
    """
    for _ in touches(engine):
        pass
    for profile in engine.profiles:
        _follow_routes(engine, profile, far_s / len(engine.profiles))


def touches(engine: Engine) -> Iterator[None]:
    """The same step by step, for whoever has something else to do in between."""
    west, south, east, north = engine.bounds
    points = [((3 * west + east) / 4, (3 * south + north) / 4), (east, north)]
    engine.find_streets("a")
    yield
    for zoom in range(MIN_ZOOM, ALL_ROADS_ZOOM):
        engine.tile(0, 0, zoom)  # in the Arctic sea: what all tiles of a zoom share is made
        yield
    for profile in engine.profiles:
        questions: tuple[Callable[[], object], ...] = (
            partial(engine.nearest, *points[0], profile=profile),
            partial(_route, engine, points, profile),
            partial(engine.alternatives, points, profile=profile),
            partial(engine.table, points, profile=profile, distances=True),
            partial(engine.trip, points, profile=profile),
            partial(_match, engine, points[0], profile),
            partial(engine.isochrone, *points[0], profile=profile, durations_s=[60.0]),
        )
        for ask in questions:
            try:
                ask()
            except QueryError:
                pass
            yield


def _route(engine: Engine, points: list[tuple[float, float]], profile: str) -> None:
    """Find a route, and how to follow it."""
    for leg in engine.route(points, profile=profile, with_details=True).legs:
        steps_text(leg, "polyline")
        len(leg.steps)


def _follow_routes(engine: Engine, profile: str, seconds: float) -> None:
    """Find out what to say at crossings, most of all at those that most routes pass."""
    rng, end = np.random.default_rng(0), time.monotonic() + seconds
    west, south, east, north = engine.bounds
    while time.monotonic() < end:
        points = rng.uniform((west, south), (east, north), (2, 2)).tolist()
        try:
            route = engine.route(points, profile=profile, with_details=True)
        except QueryError:
            continue
        assert route.legs[0].directions


def _match(engine: Engine, point: tuple[float, float], profile: str) -> None:
    """Match a trace that goes nowhere, and look where that is."""
    match = engine.match([point, point], profile=profile, radiuses=[500.0, 500.0])
    len(match.matchings[0].route.legs[0].lon)
