"""Lines of GeoJSON: what each says, and where its points are."""

import json
import math
from typing import Any, NamedTuple

import orjson

_GEOMETRIES = {
    *("Point", "LineString", "Polygon", "GeometryCollection"),
    *("MultiPoint", "MultiLineString", "MultiPolygon"),
}


class Feature(NamedTuple):
    """A Feature, or a geometry by itself; the id is among the properties."""

    properties: dict[str, Any]
    geometry: Any


NOTHING = Feature({}, None)
"""What a line says that is no Feature."""


def parse_feature(line: bytes) -> Feature:
    """The Feature of a line; `NOTHING` if it is none."""
    value = parse_json(line)
    if not isinstance(value, dict):
        return NOTHING
    kind = value.get("type")
    if not isinstance(kind, str):
        return NOTHING
    if kind in _GEOMETRIES:
        return Feature({}, value)
    if kind != "Feature":
        return NOTHING
    properties = value.get("properties")
    if not isinstance(properties, dict):
        properties = {}
    if value.get("id") is not None and "id" not in properties:
        properties = {"id": value["id"], **properties}
    return Feature(properties, value.get("geometry"))


def parse_json(line: bytes) -> Any:
    """The value of a line, None if it has none; NaN and bytes that are no UTF-8 are forgiven."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        pass
    try:
        value = json.loads(line.decode("utf-8", "replace"))
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        return None
    return value


def has_points(geometry: Any, n_points: int) -> bool:
    """Whether the type of a geometry is one that has so many points."""
    kinds = ("Point",) if n_points == 1 else ("LineString", "MultiPoint")
    return isinstance(geometry, dict) and geometry.get("type") in kinds


def points_of_geometry(geometry: Any, n_points: int) -> list[float]:
    """Longitudes and latitudes; NaN where there are none.

    One point is a Point. Two points are the first and the last one of a LineString, or the two of
    a MultiPoint.
    """
    positions = _positions(geometry) if has_points(geometry, n_points) else []
    if not positions:
        return [math.nan] * (2 * n_points)
    return [number for position in positions for number in _pair(position)]


def _positions(geometry: dict[str, Any]) -> list[Any]:
    """Those of the points; none if they are not as many as they should be."""
    positions = geometry.get("coordinates")
    if geometry["type"] == "Point":
        return [positions]
    if not isinstance(positions, list) or len(positions) < 2:
        return []
    if geometry["type"] == "MultiPoint" and len(positions) > 2:
        return []
    return [positions[0], positions[-1]]


def _pair(position: Any) -> tuple[float, float]:
    if not isinstance(position, list) or len(position) < 2:
        return math.nan, math.nan
    return _number(position[0]), _number(position[1])


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
