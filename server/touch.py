"""An engine made ready before it is needed."""

from collections.abc import Callable
from functools import partial

from routing.engine import Engine
from routing.errors import QueryError


def touch(engine: Engine) -> None:
    """Ask for some of everything, so that what it needs is loaded before anybody waits for it."""
    west, south, east, north = engine.bounds
    points = [((3 * west + east) / 4, (3 * south + north) / 4), (east, north)]
    for profile in engine.profiles:
        questions: tuple[Callable[[], object], ...] = (
            partial(engine.nearest, *points[0], profile=profile),
            partial(engine.route, points, profile=profile, with_details=True),
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


def _match(engine: Engine, point: tuple[float, float], profile: str) -> None:
    """Match a trace that goes nowhere, and look where that is."""
    match = engine.match([point, point], profile=profile, radiuses=[500.0, 500.0])
    len(match.matchings[0].route.legs[0].lon)
