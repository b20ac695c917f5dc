"""An engine made ready before it is needed."""

from collections.abc import Callable, Iterator
from functools import partial

from gis.tiles.levels import ALL_ROADS_ZOOM, MIN_ZOOM
from routing.courier.solve import warm_up
from routing.engine import Engine
from routing.errors import QueryError


def touch(engine: Engine) -> None:
    """Ask for some of everything, so that what it needs is loaded before anybody waits for it."""
    for _ in touches(engine):
        pass


def touches(engine: Engine) -> Iterator[None]:
    """The same step by step, for whoever has something else to do in between."""
    west, south, east, north = engine.bounds
    points = [((3 * west + east) / 4, (3 * south + north) / 4), (east, north)]
    warm_up()
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
        len(leg.steps)


def _match(engine: Engine, point: tuple[float, float], profile: str) -> None:
    """Match a trace that goes nowhere, and look where that is."""
    match = engine.match([point, point], profile=profile, radiuses=[500.0, 500.0])
    len(match.matchings[0].route.legs[0].lon)
