"""The options of each service, and requests read from a URL or a JSON body."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import orjson

from gis.polyline import decode_polyline
from routing.errors import InvalidCoordinate, InvalidInput, InvalidValue, TooBig
from server.api.osrm_url import RequestPath, Scanner
from server.api.osrm_values import (
    DECIMAL,
    Value,
    bearing_per_point,
    choice,
    choice_per_point,
    classes,
    flag,
    flag_or_default,
    flag_or_whole,
    flag_or_words,
    hint_per_point,
    indices,
    is_number,
    radius_per_point,
    whole,
)
from server.errors import InvalidQuery, Unsupported
from server.settings import Settings

ANNOTATIONS = ("duration", "nodes", "distance", "weight", "datasources", "speed")

_COORDINATE = re.compile(rf"({DECIMAL.pattern}),({DECIMAL.pattern})")
_POLYLINE = re.compile(r"[?-~]+")
_ENCODED = re.compile(r"(polyline6?)\(([?-~]*)\)")
_PRECISION = {"polyline": 5, "polyline6": 6}


def _option(value: Value, default: Any, description: str) -> Any:
    """A field of a request that the caller may set."""
    return field(default=default, metadata={"value": value, "description": description})


@dataclass(slots=True)
class Params:
    """What every service understands. Coordinates are (longitude, latitude) in degrees."""

    coordinates: list[tuple[float, float]]
    bearings: tuple[tuple[int, int] | None, ...] | None = _option(
        bearing_per_point(),
        None,
        "Direction of travel at each point: degrees clockwise from north, and how far off.",
    )
    radiuses: tuple[float | None, ...] | None = _option(
        radius_per_point(), None, "How far from each point a road may be, in metres."
    )
    generate_hints: bool = _option(flag(), True, "Add a `hint` to every waypoint.")
    hints: tuple[str | None, ...] | None = _option(
        hint_per_point(), None, "Hints of an earlier answer: accepted and ignored."
    )
    approaches: tuple[str | None, ...] | None = _option(
        choice_per_point("approach", "unrestricted", "curb", "opposite"),
        None,
        "Side of the road to arrive on and leave from.",
    )
    exclude: tuple[str, ...] = _option(classes(), (), "Road classes to avoid.")
    snapping: str = _option(
        choice("default", "any"), "default", "`any` also takes roads where no route may begin."
    )
    skip_waypoints: bool = _option(flag(), False, "Leave the waypoints out of the answer.")


@dataclass(slots=True)
class RouteParams(Params):
    """A request for a route over two points or more."""

    alternatives: int = _option(flag_or_whole(), 0, "How many alternative routes to look for.")
    steps: bool = _option(flag(), False, "Add instructions for every turn.")
    annotations: frozenset[str] = _option(
        flag_or_words(*ANNOTATIONS), frozenset(), "Details of every piece of the route."
    )
    geometries: str = _option(
        choice("polyline", "polyline6", "geojson"), "polyline", "How geometry is written."
    )
    overview: str = _option(
        choice("simplified", "full", "false", "by_legs"),
        "simplified",
        "Geometry of the route: as much as a map needs, all, none, or one for each leg.",
    )
    continue_straight: bool | None = _option(
        flag_or_default(), None, "Whether to go straight on at points between the ends."
    )
    waypoints: tuple[int, ...] | None = _option(
        indices(), None, "Which coordinates begin and end legs; the others are passed through."
    )


@dataclass(slots=True)
class NearestParams(Params):
    """A request for the roads nearest to one point."""

    number: int = _option(whole(), 1, "How many roads to find.")


P = TypeVar("P", bound=Params)


def options_of(params: type[Params]) -> Mapping[str, tuple[Value, str]]:
    """Every option of a service: how it is read, and what it is for."""
    return {
        option.name: (option.metadata["value"], option.metadata["description"])
        for option in fields(params)
        if option.metadata
    }


_SERVICES: tuple[type[Params], ...] = (RouteParams, NearestParams)
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
    if scanner.literal("?"):
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
        document = orjson.loads(body)
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


def check_route(params: RouteParams, settings: Settings) -> None:
    """Raise for what is well formed but cannot be asked, in the order that clients know."""
    number = len(params.coordinates)
    _check_lists(params)
    if number < 2:
        raise InvalidInput("Number of coordinates needs to be at least two.")
    _check_ranges(params)
    if any(index >= number for index in params.waypoints or ()):
        raise InvalidInput(f"Waypoints must be indices below the number of coordinates {number}")
    _check_size("entries", number, settings.max_route_coordinates)
    if params.alternatives > settings.max_alternatives:
        raise TooBig(
            "Requested number of alternatives is higher than current maximum"
            f" ({settings.max_alternatives})"
        )
    if not _on_globe(params.coordinates):
        raise InvalidCoordinate("Invalid coordinate value.")
    if params.waypoints and (params.waypoints[0], params.waypoints[-1]) != (0, number - 1):
        raise InvalidValue("First and last coordinates must be specified as waypoints.")
    _check_available(params)
    if params.steps:
        raise Unsupported("steps=true is not available in this version.")
    if params.alternatives:
        raise Unsupported("Alternatives are not available in this version.")


def check_nearest(params: NearestParams, settings: Settings) -> None:
    """Raise for what is well formed but cannot be asked, in the order that clients know."""
    _check_lists(params)
    _check_ranges(params)
    if params.number == 0:
        raise InvalidInput("Number of results must be at least one.")
    _check_size("results", params.number, settings.max_nearest_results)
    _check_available(params)
    if not _on_globe(params.coordinates):
        raise InvalidInput("Coordinates are invalid")
    if len(params.coordinates) != 1:
        raise InvalidInput("Only one input coordinate is supported")


def _read_coordinates(scanner: Scanner) -> list[tuple[float, float]]:
    for name, precision in _PRECISION.items():
        if scanner.literal(f"{name}("):
            encoded = scanner.match(_POLYLINE) or scanner.fail()
            if not scanner.literal(")"):
                scanner.fail()
            return _decode(encoded, precision)
    found = []
    position = scanner.position
    while True:
        match = _COORDINATE.match(scanner.text, position)
        if match is None:
            break
        found.append((float(match[1]), float(match[2])))
        scanner.position = position = match.end()
        if not scanner.text.startswith(";", position):
            return found
        position += 1
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


def _check_lists(params: Params) -> None:
    number = len(params.coordinates)
    for name in ("hints", "radiuses", "bearings", "approaches"):
        values = getattr(params, name)
        if values is not None and len(values) != number:
            raise InvalidInput(
                f"Number of elements in {name} size {len(values)}"
                f" does not match coordinate size {number}"
            )


def _check_ranges(params: Params) -> None:
    for bearing in params.bearings or ():
        if bearing is not None and not (0 <= bearing[0] <= 360 and 0 <= bearing[1] <= 180):
            raise InvalidInput("Bearings must be within 0 and 360, their ranges within 0 and 180.")
    for radius in params.radiuses or ():
        if radius is not None and radius < 0:
            raise InvalidInput("Radiuses must be at least 0 or unlimited.")


def _check_size(what: str, number: int, limit: int) -> None:
    if number > limit:
        raise TooBig(f"Number of {what} {number} is higher than current maximum ({limit})")


def _check_available(params: Params) -> None:
    if params.exclude:
        raise InvalidValue("Exclude flag combination is not supported.")
    if any(approach not in (None, "unrestricted") for approach in params.approaches or ()):
        raise Unsupported("Approaches other than unrestricted are not available in this version.")


def _on_globe(coordinates: list[tuple[float, float]]) -> bool:
    return all(-180 <= lon <= 180 and -90 <= lat <= 90 for lon, lat in coordinates)
