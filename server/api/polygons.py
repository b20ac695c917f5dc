"""Areas in a request, as GeoJSON has them."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from server.api.osrm_values import Value, is_number, only_in_json
from server.errors import InvalidQuery

Ring: TypeAlias = list[tuple[float, float]]
Polygon: TypeAlias = list[Ring]
"""The ring around it, then those around its holes."""

_DEPTH = 20
"""So deep may collections of GeoJSON lie within each other."""


def polygons() -> Value:
    """Polygons in any object of GeoJSON that holds nothing else, or an array of such objects."""

    def check(name: str, value: Any) -> tuple[Polygon, ...]:
        return tuple(_polygons(value, name, _DEPTH))

    kinds = ["Polygon", "MultiPolygon", "GeometryCollection", "Feature", "FeatureCollection"]
    one = {"type": "object", "properties": {"type": {"type": "string", "enum": kinds}}}
    return only_in_json(check, {"oneOf": [one, {"type": "array", "items": one}]})


def _polygons(value: Any, where: str, depth: int) -> Iterator[Polygon]:
    if depth == 0:
        raise InvalidQuery(f"{where} lies too deep in other objects")
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from _polygons(item, f"{where}[{i}]", depth - 1)
        return
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "Feature":
        yield from _polygons(value.get("geometry"), f"{where}.geometry", depth - 1)
    elif kind in ("FeatureCollection", "GeometryCollection"):
        member = "features" if kind == "FeatureCollection" else "geometries"
        items = _list(value.get(member), f"{where}.{member}")
        yield from _polygons(items, f"{where}.{member}", depth - 1)
    elif kind == "Polygon":
        yield _polygon(value.get("coordinates"), f"{where}.coordinates")
    elif kind == "MultiPolygon":
        place = f"{where}.coordinates"
        for i, rings in enumerate(_list(value.get("coordinates"), place)):
            yield _polygon(rings, f"{place}[{i}]")
    else:
        raise InvalidQuery(f"{where} must be a Polygon or MultiPolygon of GeoJSON")


def _polygon(value: Any, where: str) -> Polygon:
    rings = _list(value, where)
    if not rings:
        raise InvalidQuery(f"{where} must have a ring")
    return [_ring(ring, f"{where}[{i}]") for i, ring in enumerate(rings)]


def _ring(value: Any, where: str) -> Ring:
    found = []
    for i, position in enumerate(_list(value, where)):
        if not (
            isinstance(position, list)
            and len(position) >= 2
            and all(map(is_number, position))
            and abs(position[0]) <= 180
            and abs(position[1]) <= 90
        ):
            raise InvalidQuery(f"{where}[{i}] must be a position, [longitude, latitude]")
        found.append((float(position[0]), float(position[1])))
    if len(set(found)) < 3:
        raise InvalidQuery(f"{where} must have three different positions or more")
    return found


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidQuery(f"{where} must be an array")
    return value
