"""Results as OSRM's JSON objects, and the bytes of an answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson

from gis.arrays import F64, I64
from gis.geodesy import distances_m, to_units
from gis.line_text import line_text
from gis.polyline import overview_tolerance_deg, simplify_all
from routing.many.batch import TravelTable
from routing.route import Leg, Route, Waypoint
from server.api.osrm_numbers import PRECISION, millionth, tenth
from server.api.osrm_params import LineParams, NearestParams, Params, RouteParams, TableParams
from server.api.osrm_per_point import HINT_LENGTH
from server.api.osrm_steps import steps_text

DATASOURCE_NAMES = ("profile", "live")
"""Where the speeds come from."""

HINT = "A" * HINT_LENGTH
"""Old clients want a hint to send back; it says nothing."""

_CELLS_AT_ONCE = 50_000
"""So many take some 3 ms to write."""

_LONGEST_S = 214_748_364.6
"""What OSRM cuts scaled durations to: its largest."""
_LARGEST_FACTOR = 1e12
"""Such a factor makes everything the longest; one that is infinite would turn 0 into NaN."""


def to_bytes(answer: dict[str, Any]) -> bytes:
    """The JSON text of an answer; NaN and infinities become null."""
    return orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)


def error_answer(code: str, message: str) -> dict[str, Any]:
    """What goes wrong, as clients expect it."""
    return {"code": code, "message": message}


def route_answer(routes: Sequence[Route], params: RouteParams) -> dict[str, Any]:
    """The answer of the route service: one route or more between the same waypoints."""
    answer: dict[str, Any] = {
        "code": "Ok",
        "routes": [route_object(route, params) for route in routes],
    }
    if not params.skip_waypoints:
        answer["waypoints"] = _waypoints(routes[0].waypoints, params)
    return answer


def nearest_answer(waypoints: Sequence[Waypoint], params: NearestParams) -> dict[str, Any]:
    """The answer of the nearest service."""
    if params.skip_waypoints:
        return {"code": "Ok"}
    return {
        "code": "Ok",
        "waypoints": [
            waypoint_object(waypoint, params.generate_hints) | {"nodes": waypoint.nodes}
            for waypoint in waypoints
        ],
    }


def table_answer(table: TravelTable, params: TableParams) -> dict[str, Any]:
    """The answer of the table service; a cell without a route is null, or an estimate."""
    answer: dict[str, Any] = {"code": "Ok"}
    duration_s, distance_m = table.duration_s, table.distance_m
    if params.fallback_speed is not None:
        cells = np.ascontiguousarray(np.argwhere(np.isnan(duration_s)))
        estimate_m = _straight_m(table, params, cells)
        estimate_s = estimate_m / max(params.fallback_speed, 1 / _LARGEST_FACTOR)
        duration_s = _filled(duration_s, cells, estimate_s)
        if distance_m is not None:
            distance_m = _filled(distance_m, cells, estimate_m)
        answer["fallback_speed_cells"] = cells
    if "duration" in params.annotations:
        if params.scale_factor != 1:
            factor = min(params.scale_factor, _LARGEST_FACTOR)
            duration_s = np.minimum(duration_s * factor, _LONGEST_S)
        answer["durations"] = _table_text(duration_s)
    if distance_m is not None:
        answer["distances"] = _table_text(distance_m)
    if not params.skip_waypoints:
        answer["sources"] = answer["destinations"] = _waypoints(table.sources, params)
        if table.destinations is not table.sources:
            answer["destinations"] = _waypoints(table.destinations, params)
    return answer


def _table_text(table: F64) -> orjson.Fragment:
    """A table to a tenth as JSON, NaN as null; written in parts, to let other threads go on."""
    n_rows, n_columns = table.shape
    step = max(_CELLS_AT_ONCE // n_columns, 1)
    parts = [
        orjson.dumps(table[row : row + step].round(1), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]
        for row in range(0, n_rows, step)
    ]
    return orjson.Fragment(b"[%b]" % b",".join(parts))


def _straight_m(table: TravelTable, params: TableParams, cells: I64) -> F64:
    """Lengths (n,) of the straight lines from source to destination for cells (n, 2)."""
    if params.fallback_coordinate == "input":
        given = np.array(params.coordinates)
        ends = given[list(params.source_indices)], given[list(params.destination_indices)]
    else:
        ends = _places(table.sources), _places(table.destinations)
    (lon_a, lat_a), (lon_b, lat_b) = (
        to_units(places[column]).T for places, column in zip(ends, cells.T, strict=True)
    )
    return distances_m(lon_a, lat_a, lon_b, lat_b)


def _places(waypoints: Sequence[Waypoint]) -> F64:
    return np.array([(waypoint.lon, waypoint.lat) for waypoint in waypoints])


def _filled(table: F64, cells: I64, values: F64) -> F64:
    """A table with other values in some cells (n, 2)."""
    found = table.copy()
    found[cells[:, 0], cells[:, 1]] = values
    return found


def _waypoints(waypoints: Sequence[Waypoint], params: Params) -> list[dict[str, Any]]:
    return [waypoint_object(waypoint, params.generate_hints) for waypoint in waypoints]


def waypoint_object(waypoint: Waypoint, with_hint: bool) -> dict[str, Any]:
    """An input point after snapping."""
    found: dict[str, Any] = {
        "name": waypoint.name,
        "location": (millionth(waypoint.lon), millionth(waypoint.lat)),
        "distance": waypoint.distance_m,
    }
    if with_hint:
        found["hint"] = HINT
    return found


def route_object(route: Route, params: LineParams) -> dict[str, Any]:
    """A route; its totals are the sums of its legs as they are written."""
    lines = _lines(route, params.overview)
    legs = [leg_object(leg, params) for leg in route.legs]
    found: dict[str, Any] = {
        "legs": legs,
        "distance": round(sum(leg["distance"] for leg in legs), 1),
        "duration": round(sum(leg["duration"] for leg in legs), 1),
        "weight": round(sum(leg["weight"] for leg in legs), 1),
        "weight_name": route.weight_name,
    }
    if params.overview == "by_legs":
        for leg, (lon, lat) in zip(legs, lines, strict=True):
            leg["geometry"] = geometry(lon, lat, params.geometries)
    elif lines:
        lon, lat = _join(lines)
        found["geometry"] = geometry(lon, lat, params.geometries)
    return found


def leg_object(leg: Leg, params: LineParams) -> dict[str, Any]:
    """From one waypoint to the next."""
    found: dict[str, Any] = {
        "distance": tenth(leg.distance_m),
        "duration": tenth(leg.duration_s),
        "weight": tenth(leg.weight),
        "summary": leg.summary if params.steps else "",
        "steps": steps_text(leg, params.geometries) if params.steps else [],
    }
    if params.annotations:
        found["annotation"] = annotation_object(leg, params.annotations)
    return found


def annotation_object(leg: Leg, wanted: frozenset[str]) -> dict[str, Any]:
    """The chosen details of every piece of a leg."""
    pieces = leg.annotation
    found: dict[str, Any] = {}
    if "distance" in wanted:
        found["distance"] = pieces.distance_m.round(3)
    if "duration" in wanted:
        found["duration"] = pieces.duration_s.round(2)
    if "weight" in wanted:
        found["weight"] = pieces.weight.round(2)
    if "speed" in wanted:
        found["speed"] = speeds_m_s(pieces.distance_m, pieces.duration_s)
    if "nodes" in wanted:
        found["nodes"] = np.ascontiguousarray(pieces.nodes)
    if "datasources" in wanted:
        is_live = np.zeros(len(pieces.distance_m)) if pieces.is_live is None else pieces.is_live
        found["datasources"] = is_live.astype(np.uint8)
        found["metadata"] = {"datasource_names": DATASOURCE_NAMES}
    return found


def speeds_m_s(distance_m: F64, duration_s: F64) -> F64:
    """Speed on each piece to a tenth; one that takes no time has that of the piece before."""
    moving = duration_s > 0
    speed = np.zeros(len(distance_m))
    np.divide(distance_m, duration_s, out=speed, where=moving)
    latest = np.maximum.accumulate(np.where(moving, np.arange(len(speed)), 0))
    rounded: F64 = speed[latest].round(1)
    return rounded


def geometry(lon: F64, lat: F64, form: str) -> orjson.Fragment | dict[str, Any]:
    """A line of two points or more as an encoded polyline or a GeoJSON LineString."""
    if form == "geojson":
        return {"type": "LineString", "coordinates": np.stack((lon, lat), axis=1).round(6)}
    return orjson.Fragment(line_text(lon, lat, PRECISION[form]))


def _lines(route: Route, overview: str) -> list[tuple[F64, F64]]:
    """One line for each leg, as detailed as asked for."""
    if overview == "false":
        return []
    lines = [(leg.lon, leg.lat) for leg in route.legs]
    if overview != "simplified":
        return lines
    tolerance_deg = overview_tolerance_deg(*_join(lines))
    return simplify_all(lines, tolerance_deg)


def _join(lines: Sequence[tuple[F64, F64]]) -> tuple[F64, F64]:
    """One line over all; the point that two share comes once."""
    if len(lines) == 1:
        return lines[0]
    first = [min(index, 1) for index in range(len(lines))]
    lon = np.concatenate([lon[start:] for start, (lon, _) in zip(first, lines, strict=True)])
    lat = np.concatenate([lat[start:] for start, (_, lat) in zip(first, lines, strict=True)])
    return lon, lat
