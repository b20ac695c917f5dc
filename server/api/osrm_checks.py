"""What a request must not ask for, in the order in which clients know the errors."""

import math

from routing.errors import InvalidCoordinate, InvalidInput, InvalidValue, TooBig
from server.api.osrm_params import (
    IsochroneParams,
    MatchParams,
    NearestParams,
    Params,
    RouteParams,
    TableParams,
    TripParams,
)
from server.errors import Unsupported
from server.settings import Settings


def check_route(params: RouteParams, settings: Settings) -> None:
    """Raise for what is well formed but cannot be asked, in the order that clients know."""
    number = len(params.coordinates)
    _check_lists(params)
    _check_number(params)
    _check_ranges(params)
    _check_indices("Waypoints", params.waypoints, params)
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


def check_nearest(params: NearestParams, settings: Settings) -> None:
    """Raise for what is well formed but cannot be asked, in the order that clients know."""
    _check_lists(params)
    _check_ranges(params)
    if params.number == 0:
        raise InvalidInput("Number of results must be at least one.")
    _check_size("results", params.number, settings.max_nearest_results)
    _check_single(params)


def check_table(params: TableParams, settings: Settings) -> None:
    """Raise for what is well formed but cannot be asked, in the order that clients know."""
    _check_lists(params)
    _check_number(params)
    if not params.scale_factor > 0:
        raise InvalidInput("scale_factor must be > 0")
    if params.fallback_speed is not None and not params.fallback_speed > 0:
        raise InvalidInput("fallback_speed must be > 0")
    _check_ranges(params)
    _check_indices("Sources", params.sources, params)
    _check_indices("Destinations", params.destinations, params)
    if not _on_globe(params.coordinates):
        raise InvalidInput("Coordinates are invalid")
    n_rows, n_columns = len(params.source_indices), len(params.destination_indices)
    is_long = n_rows + n_columns > settings.max_table_coordinates
    if is_long or n_rows * n_columns > settings.max_table_cells:
        raise TooBig("Too many table coordinates")


def check_trip(params: TripParams, settings: Settings) -> None:
    """Raise for what is well formed but cannot be asked, in the order that clients know."""
    number = len(params.coordinates)
    _check_lists(params)
    _check_number(params)
    _check_ranges(params)
    _check_indices("Waypoints", params.waypoints, params)
    if not params.roundtrip and (params.source, params.destination) == ("any", "any"):
        raise Unsupported("This request is not supported")
    if number > settings.max_trip_coordinates:
        raise TooBig("Too many trip coordinates")
    if not _on_globe(params.coordinates):
        raise InvalidCoordinate("Invalid coordinate value.")


def check_match(params: MatchParams, settings: Settings) -> None:
    """Raise for what is well formed but cannot be asked, in the order that clients know."""
    number = len(params.coordinates)
    _check_lists(params, "timestamps")
    _check_number(params)
    _check_ranges(params)
    _check_indices("Waypoints", params.waypoints, params)
    if number > settings.max_match_coordinates:
        raise TooBig("Too many trace coordinates")
    if not _on_globe(params.coordinates):
        raise InvalidCoordinate("Invalid coordinate value.")
    most_m = settings.max_match_radius or math.inf
    if any(radius is not None and radius > most_m for radius in params.radiuses or ()):
        raise TooBig("Radius search size is too large for map matching.")


def check_isochrone(params: IsochroneParams, settings: Settings) -> None:
    """Raise for what is well formed but cannot be asked, in the order of `check_nearest`."""
    _check_lists(params)
    _check_ranges(params)
    minutes, meters = params.contours_minutes, params.contours_meters
    if minutes and meters:
        raise InvalidInput("contours_minutes and contours_meters exclude each other.")
    if minutes:
        _check_contours("minutes", minutes, settings.max_isochrone_minutes, settings)
    elif meters:
        _check_contours("meters", meters, settings.max_isochrone_meters, settings)
    else:
        raise InvalidInput("One of contours_minutes and contours_meters must be given.")
    _check_single(params)


def _check_lists(params: Params, *more: str) -> None:
    number = len(params.coordinates)
    for name in ("hints", "radiuses", "bearings", "approaches", *more):
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


def _on_globe(coordinates: list[tuple[float, float]]) -> bool:
    return all(-180 <= lon <= 180 and -90 <= lat <= 90 for lon, lat in coordinates)


def _check_number(params: Params) -> None:
    if len(params.coordinates) < 2:
        raise InvalidInput("Number of coordinates needs to be at least two.")


def _check_single(params: Params) -> None:
    if not _on_globe(params.coordinates):
        raise InvalidInput("Coordinates are invalid")
    if len(params.coordinates) != 1:
        raise InvalidInput("Only one input coordinate is supported")


def _check_indices(what: str, indices: tuple[int, ...] | None, params: Params) -> None:
    number = len(params.coordinates)
    if any(index >= number for index in indices or ()):
        raise InvalidInput(f"{what} must be indices below the number of coordinates {number}")


def _check_contours(unit: str, limits: tuple[float, ...], most: int, settings: Settings) -> None:
    if not all(limit > 0 for limit in limits):
        raise InvalidInput(f"contours_{unit} must be > 0")
    _check_size("contours", len(limits), settings.max_isochrone_contours)
    if max(limits) > most:
        raise TooBig(f"Contour of {max(limits):.10g} {unit} is beyond current maximum ({most})")
