"""The command that finds a route."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from routing.engine import Engine
from routing.route import Leg, Route, Waypoint
from server.api.osrm_json import geometry, route_answer, to_bytes
from server.api.osrm_params import RouteParams
from server.console import distance, duration, err, out, write_bytes
from server.coordinates import check_on_map
from server.kernels import load_kernels

_MOST_NAMES = 7
_FAR_M = 1000.0


def find_route(
    dataset: Path,
    points: Sequence[tuple[float, float]],
    algorithm: str,
    profile: str | None,
    form: str,
) -> None:
    """Write a route to standard output, in the form "json", "geojson" or "text"."""
    engine = Engine.open(dataset)
    check_on_map(points, engine.bounds)
    load_kernels()
    route = engine.route(points, profile=profile, algorithm=algorithm)
    for (lon, lat), waypoint in zip(points, route.waypoints, strict=True):
        if waypoint.distance_m > _FAR_M:
            off = distance(waypoint.distance_m)
            err.print(f"note: {lon:.10g},{lat:.10g} is {off} from the road taken for it")
    if form == "json":
        write_bytes(to_bytes(route_answer([route], RouteParams(list(points)))))
    elif form == "geojson":
        write_bytes(to_bytes(as_geojson(route)))
    else:
        _show(route)


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


def _show(route: Route) -> None:
    out.print(f"{distance(route.distance_m)}, {duration(route.duration_s)}\n")
    for waypoint, leg in zip(route.waypoints, (*route.legs, None), strict=True):
        out.print(_place(waypoint))
        if leg is not None:
            out.print(_way(leg))


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
