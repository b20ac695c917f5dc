"""The command that finds a route."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unicodedata import category

from gis.errors import EngineError
from routing.engine import Engine
from routing.guidance.sentences import sentence
from routing.route import Leg, Route, Waypoint
from server.api.osrm_json import geometry, route_answer, to_bytes
from server.api.osrm_params import RouteParams
from server.console import distance, duration, err, out, write_bytes
from server.coordinates import check_on_map
from server.kernels import load_kernels

_MOST_NAMES = 7
_MOST_STEPS = 40
_FAR_M = 1000.0


def find_route(
    dataset: Path,
    points: Sequence[tuple[float, float]],
    form: str,
    steps: bool,
    **options: Any,
) -> None:
    """Write a route to standard output, in the form "json", "geojson" or "text".

    ``steps`` adds them to JSON, and shows all of them as text; the other options are the engine's.
    """
    if form == "geojson" and steps:
        raise EngineError("--geojson has no steps; --json --steps has")
    engine = Engine.open(dataset)
    check_on_map(points, engine.bounds)
    load_kernels()
    route = engine.route(points, **options)
    for (lon, lat), waypoint in zip(points, route.waypoints, strict=True):
        if waypoint.distance_m > _FAR_M:
            off = distance(waypoint.distance_m)
            err.print(f"note: {lon:.10g},{lat:.10g} is {off} from the road taken for it")
    if form == "json":
        params = RouteParams(list(points), steps=steps)
        write_bytes(to_bytes(route_answer([route], params)))
    elif form == "geojson":
        write_bytes(to_bytes(as_geojson(route)))
    else:
        _show(route, steps)


def as_geojson(route: Route) -> dict[str, Any]:
    """A line for each leg and a point for each waypoint."""
    lines = [
        {
            "type": "Feature",
            "geometry": geometry(leg.lon, leg.lat, "geojson"),
            "properties": {
                "leg": index,
                "distance_m": round(leg.distance_m, 1),
                "duration_s": round(leg.duration_s, 1),
                "names": leg.names,
            },
        }
        for index, leg in enumerate(route.legs)
    ]
    points = [
        {
            "type": "Feature",
            "geometry": {
                "type": "Point",
                "coordinates": (round(waypoint.lon, 6), round(waypoint.lat, 6)),
            },
            "properties": {
                "waypoint": index,
                "name": waypoint.name,
                "distance_m": round(waypoint.distance_m, 1),
            },
        }
        for index, waypoint in enumerate(route.waypoints)
    ]
    return {"type": "FeatureCollection", "features": [*lines, *points]}


def _show(route: Route, all_steps: bool) -> None:
    out.print(f"{distance(route.distance_m)}, {duration(route.duration_s)}\n")
    for number, (waypoint, leg) in enumerate(
        zip(route.waypoints, (*route.legs, None), strict=True), 1
    ):
        lines = [_place(waypoint)]
        if leg is not None:
            lines += [_way(leg), *_directions(leg, number == len(route.legs), all_steps)]
        for line in lines:
            out.print(_on_one_line(line))


def _directions(leg: Leg, is_last: bool, all_steps: bool) -> list[str]:
    """A line for every step: how long it is, and the sentence for it."""
    lines = []
    for step in leg.steps:
        length = distance(step.distance_m) if step.maneuver.type != "arrive" else ""
        lines.append(f"|  {length:>7}  {sentence(step, at_goal=is_last)}")
    left_out = len(lines) - _MOST_STEPS
    if left_out > 1 and not all_steps:
        half = _MOST_STEPS // 2
        lines[half:-half] = [f"|           ... {left_out} more, --steps shows them"]
    return lines


def _place(waypoint: Waypoint) -> str:
    name = waypoint.name or "unnamed road"
    off = f", {distance(waypoint.distance_m)} from the point given" * (waypoint.distance_m >= 1)
    return f"o {waypoint.lon:.6f},{waypoint.lat:.6f}  {name}{off}"


def _way(leg: Leg) -> str:
    names = list(leg.names)
    if len(names) > _MOST_NAMES:
        names[_MOST_NAMES // 2 + 1 : -(_MOST_NAMES // 2)] = ["..."]
    along = f"  along {', '.join(names)}" if names else ""
    return f"|   {distance(leg.distance_m)}, {duration(leg.duration_s)}{along}"


def _on_one_line(text: str) -> str:
    """Text without what would steer a terminal: names are whatever the map says."""
    return "".join(" " if category(c) in ("Cc", "Zl", "Zp") else c for c in text)
