"""Holding the lines of routes against what is known of them before their speed is believed."""

from collections.abc import Sequence

import numpy as np
import orjson

from gis.arrays import F64, AnyArray
from gis.geodesy import distances_m, to_units
from gis.polyline import decode_polyline
from routing.engine import Engine
from routing.route import Route
from server.api.osrm_json import route_answer, to_bytes
from server.api.osrm_params import RouteParams
from server.benchmark.check import WrongAnswer

PRECISION = 5
"""Digits of the degrees in a polyline, unless others are asked for."""

_HALF_A_DIGIT = 0.5001 * 10**-PRECISION
_ROUNDING_M = 0.01
"""Of each piece of a line: roads are measured in whole centimetres."""


def check_lines(engine: Engine, pairs: F64) -> str:
    """Compare the line of each route with its distance, its ends, and Dijkstra's search.

    So are those of ``routes`` and of the HTTP answer's object. Another line than Dijkstra's must
    be as long and take as long. Raises ``WrongAnswer`` that names the first pair.
    """
    found = engine.routes(pairs[:, :2], pairs[:, 2:], geometry=True)
    assert found.lines is not None
    first, *places = found.lines
    tied = 0
    for row, pair in enumerate(pairs.tolist()):
        try:
            ends = [(pair[0], pair[1]), (pair[2], pair[3])]
            route = engine.route(ends, with_details=True)
            lon, lat = line_of(route)
            _check_measures(route, lon, lat)
            tied += _differs_from(engine.route(ends, algorithm="dijkstra"), route)
            many = [place[first[row] : first[row + 1]] for place in places]
            if not _equal(many, (to_units(lon), to_units(lat))):
                raise WrongAnswer("the line of routes is another than that of route")
            params = RouteParams(ends, overview="full")
            answer = orjson.loads(to_bytes(route_answer([route], params)))
            check_polyline(answer["routes"][0]["geometry"], lon, lat)
        except WrongAnswer as error:
            text = "{:.6f},{:.6f} to {:.6f},{:.6f}".format(*pair)
            raise WrongAnswer(f"from {text}: {error}") from None
    others = f", {tied} by another line that is as long and as fast" if tied else ""
    return (
        f"{len(pairs):,} lines of route, routes and the HTTP answer's object: as long as their"
        f" distances, from point to point, and Dijkstra's{others}"
    )


def line_of(route: Route) -> tuple[F64, F64]:
    """Longitudes and latitudes of a route between two points."""
    (leg,) = route.legs
    return leg.lon, leg.lat


def check_polyline(text: object, lon: F64, lat: F64) -> None:
    """Raise ``WrongAnswer`` unless the text is this line, in as many digits as it has."""
    if not isinstance(text, str):
        raise WrongAnswer(f"the geometry is {text!r}, expected a polyline")
    try:
        found = decode_polyline(text, PRECISION)
    except ValueError as error:
        raise WrongAnswer(f"the geometry is no polyline: {error}") from None
    for name, given, wanted in zip(("longitude", "latitude"), found, (lon, lat), strict=True):
        if len(given) != len(wanted):
            raise WrongAnswer(
                f"the geometry has {len(given)} points, the engine says {len(wanted)}"
            )
        off = np.abs(given - wanted)
        if not off.max() <= _HALF_A_DIGIT:
            at = int(off.argmax())
            raise WrongAnswer(
                f"{name} {at} of the geometry is {given[at]:.5f}, the engine says {wanted[at]:.7f}"
            )


def _check_measures(route: Route, lon: F64, lat: F64) -> None:
    """The line is as long as the distance, and its ends are where the points stand."""
    x, y = to_units(lon), to_units(lat)
    length_m = float(distances_m(x[:-1], y[:-1], x[1:], y[1:]).sum())
    if not abs(length_m - route.distance_m) <= _ROUNDING_M * len(lon):
        raise WrongAnswer(
            f"the line is {length_m:.2f} m long, the distance {route.distance_m:.2f} m"
        )
    for at, waypoint in ((0, route.waypoints[0]), (-1, route.waypoints[-1])):
        if (lon[at], lat[at]) != (waypoint.lon, waypoint.lat):
            raise WrongAnswer(
                f"the line has an end at {lon[at]:.7f},{lat[at]:.7f}, the waypoint is"
                f" {waypoint.lon:.7f},{waypoint.lat:.7f}"
            )


def _differs_from(reference: Route, route: Route) -> bool:
    """Whether the reference takes another way; it must be tied then."""
    if _equal(line_of(reference), line_of(route)):
        return False
    theirs, ours = ((found.duration_s, found.distance_m) for found in (reference, route))
    if theirs != ours:
        raise WrongAnswer(
            f"the line takes {ours[0]:.2f} s for {ours[1]:.2f} m, that of Dijkstra's search"
            f" {theirs[0]:.2f} s for {theirs[1]:.2f} m"
        )
    return True


def _equal(one: Sequence[AnyArray], other: Sequence[AnyArray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
