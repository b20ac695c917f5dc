"""Requests read from a URL or a JSON body."""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import orjson

from gis.polyline import decode_polyline
from server.api.osrm_params import (
    IsochroneParams,
    MatchParams,
    NearestParams,
    Params,
    RouteParams,
    TableParams,
    TripParams,
    options_of,
)
from server.api.osrm_url import RequestPath, Scanner
from server.api.osrm_values import DECIMAL, is_number
from server.errors import InvalidQuery, Unsupported

P = TypeVar("P", bound=Params)

_COORDINATE = re.compile(rf"({DECIMAL.pattern}),({DECIMAL.pattern})")
_MORE_COORDINATES = re.compile(rf"(?:;{DECIMAL.pattern},{DECIMAL.pattern})+")
_POLYLINE = re.compile(r"[?-~]+")
_ENCODED = re.compile(r"(polyline6?)\(([?-~]*)\)")
_PRECISION = {"polyline": 5, "polyline6": 6}

_SERVICES: tuple[type[Params], ...] = (
    RouteParams,
    NearestParams,
    TableParams,
    TripParams,
    MatchParams,
    IsochroneParams,
    MatchParams,
)
_READERS = {
    params: {f"{name}=": (name, value.read) for name, (value, _) in options_of(params).items()}
    for params in _SERVICES
}
_CHECKS = {
    params: {name: value.check for name, (value, _) in options_of(params).items()}
    for params in _SERVICES
}
_OPTION = re.compile("[a-z_]+=")


def params_from_url(kind: type[P], path: RequestPath) -> P:
    """A request from ``coordinates[.json][?option=value&...]``, read strictly.

    Raises ``InvalidQuery`` with the position of whatever is not understood.
    """
    scanner = Scanner(path.text, path.query_start)
    params = kind(_read_coordinates(scanner))
    if not scanner.literal(".json") and scanner.literal(".flatbuffers"):
        raise Unsupported("This server answers in JSON only.")
    if scanner.literal("?") and not scanner.at_end:  # browsers send a "?" before no options too
        readers = _READERS[kind]
        _read_option(scanner, params, readers) or scanner.fail()
        while scanner.literal("&"):
            if not _read_option(scanner, params, readers):
                scanner.position -= 1
                break
    if not scanner.at_end:
        scanner.fail()
    return params


def params_from_json(kind: type[P], body: bytes) -> P:
    """A request from a JSON object; members that are not options are ignored.

    Raises ``InvalidQuery`` that names the member.
    """
    try:
        document = orjson.loads(body.removeprefix(BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise InvalidQuery(f"invalid JSON: {error}") from None
    if not isinstance(document, dict):
        raise InvalidQuery("request body must be a JSON object")
    if "coordinates" not in document:
        raise InvalidQuery("missing required member: coordinates")
    params = kind(_check_coordinates(document["coordinates"]))
    checks = _CHECKS[kind]
    for name, value in document.items():
        check = checks.get(name)
        if check is not None:
            setattr(params, name, check(name, value))
    answer_format = document.get("format", "json")
    if answer_format == "flatbuffers":
        raise Unsupported("This server answers in JSON only.")
    if answer_format != "json":
        raise InvalidQuery("invalid format value")
    return params


def _read_coordinates(scanner: Scanner) -> list[tuple[float, float]]:
    for name, precision in _PRECISION.items():
        if scanner.literal(f"{name}("):
            encoded = scanner.match(_POLYLINE) or scanner.fail()
            if not scanner.literal(")"):
                scanner.fail()
            return _decode(encoded, precision)
    position = scanner.position
    first = _COORDINATE.match(scanner.text, position)
    if first is not None:
        scanner.position = first.end()
        found = [(float(first[1]), float(first[2]))]
        more = scanner.match(_MORE_COORDINATES)
        if more:
            numbers = map(float, more[1:].replace(";", ",").split(","))
            found.extend(zip(numbers, numbers, strict=True))
        if not scanner.text.startswith(";", scanner.position):
            return found
        position = scanner.position + 1
    scanner.position = _coordinate_error(scanner.text, position, scanner.position)
    raise scanner.error()


def _coordinate_error(text: str, start: int, last_good: int) -> int:
    """Where a coordinate breaks off; what does not even begin as one leaves the last good end."""
    longitude = DECIMAL.match(text, start)
    if longitude is None:
        return last_good
    return longitude.end() + text.startswith(",", longitude.end())


def _decode(encoded: str, precision: int) -> list[tuple[float, float]]:
    try:
        lon, lat = decode_polyline(encoded, precision)
    except ValueError as error:
        raise InvalidQuery(f"coordinates are no encoded polyline: {error}") from None
    return list(zip(lon.tolist(), lat.tolist(), strict=True))


def _read_option(
    scanner: Scanner,
    params: Params,
    readers: Mapping[str, tuple[str, Callable[[Scanner], Any]]],
) -> bool:
    """Read ``name=value`` if a known name stands here."""
    found = _OPTION.match(scanner.text, scanner.position)
    if found is None or found.group() not in readers:
        return False
    name, read = readers[found.group()]
    scanner.position = found.end()
    setattr(params, name, read(scanner))
    return True


def _check_coordinates(value: Any) -> list[tuple[float, float]]:
    if isinstance(value, str):
        match = _ENCODED.fullmatch(value)
        if match is None:
            raise InvalidQuery(
                "coordinates string must be of the form polyline(...) or polyline6(...)"
            )
        return _decode(match[2], _PRECISION[match[1]])
    if not isinstance(value, list):
        raise InvalidQuery("coordinates must be an array of [longitude, latitude] pairs")
    for pair in value:
        if not (isinstance(pair, list) and len(pair) == 2 and all(map(is_number, pair))):
            raise InvalidQuery(
                "each coordinate must be an array of two numbers [longitude, latitude]"
            )
    return [(float(lon), float(lat)) for lon, lat in value]
