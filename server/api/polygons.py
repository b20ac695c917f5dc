"""Areas in a request, as GeoJSON has them."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from routing.errors import InvalidValue
from server.api.osrm_values import Schema, Value, is_number, only_in_json
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

    some = {"type": "array", "items": _ANY}
    return only_in_json(check, {"oneOf": [*_ANY["oneOf"], some]})


def _object(kind: str, member: str, schema: Schema) -> dict[str, Any]:
    members = {"type": {"type": "string", "enum": [kind]}, member: schema}
    return {"type": "object", "required": ["type", member], "properties": members}


_POSITION = {
    "type": "array",
    "prefixItems": [
        {"type": "number", "minimum": -180, "maximum": 180},
        {"type": "number", "minimum": -90, "maximum": 90},
    ],
    "items": {"type": "number"},
    "minItems": 2,
}
_RINGS = {
    "type": "array",
    "items": {"type": "array", "items": _POSITION, "minItems": 3},
    "minItems": 1,
}
_SHAPES = [
    _object("Polygon", "coordinates", _RINGS),
    _object("MultiPolygon", "coordinates", {"type": "array", "items": _RINGS}),
]
_FEATURE = _object("Feature", "geometry", {"oneOf": _SHAPES})
_ANY: dict[str, list[dict[str, Any]]] = {
    "oneOf": [
        *_SHAPES,
        _object("GeometryCollection", "geometries", {"type": "array", "items": {"oneOf": _SHAPES}}),
        _FEATURE,
        _object("FeatureCollection", "features", {"type": "array", "items": _FEATURE}),
    ]
}
"""What is described; collections within collections are understood too."""


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
        raise InvalidValue(f"{where} must have three different positions or more")
    return found


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidQuery(f"{where} must be an array")
    return value
