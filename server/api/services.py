"""What each service is: its options, its checks, and how the engine answers it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from routing.errors import NoSegment
from server.api.geojson import contours_of, isochrone_answer
from server.api.osrm_checks import (
    check_isochrone,
    check_match,
    check_nearest,
    check_route,
    check_table,
    check_trip,
)
from server.api.osrm_json import nearest_answer, route_answer, table_answer, to_bytes
from server.api.osrm_match import match_answer
from server.api.osrm_params import (
    IsochroneParams,
    MatchParams,
    NearestParams,
    Params,
    RouteParams,
    TableParams,
    TripParams,
)
from server.api.osrm_requests import params_from_url
from server.api.osrm_trip import trip_answer
from server.api.osrm_url import RequestPath
from server.api.replies import Reply
from server.api.tile import TileParams, answer_tile, check_tile, is_quick_tile, read_tile
from server.settings import Settings
from server.state import Serving

T = TypeVar("T")

_QUICK_DEG = 5.0
"""Sum of the differences in longitude and latitude: some 500 km, half a millisecond."""
_QUICK_TOLD_DEG = 1.0
"""The same with steps or annotations, which take a millisecond for every 20 km."""
_QUICK_RESULTS = 10
"""Rows of a table that take less than a millisecond, and roads near a point."""
_QUICK_STOPS = 10
"""Stops of a trip that take some two milliseconds."""
_QUICK_TRACE = 100
"""Points of a trace that take some two milliseconds."""
_QUICK_RADIUS_M = 10.0
"""With a larger radius of its points there are more roads to look at."""


def _on_roads(serving: Serving, params: Params) -> dict[str, Any]:
    """The vehicle of a request, and on which roads it goes, as the engine calls it."""
    return {
        "profile": serving.profile,
        "snapping": params.snapping,
        "exclude": params.exclude,
        "depart_at": params.depart_at,
    }


def _route(serving: Serving, params: RouteParams) -> bytes:
    options: dict[str, Any] = {
        **_on_roads(serving, params),
        "radiuses": params.radiuses,
        "bearings": params.bearings,
        "approaches": params.approaches,
        "continue_straight": params.continue_straight,
        "waypoints": params.waypoints or None,
    }
    engine, points = serving.engine, params.coordinates
    if params.alternatives:
        routes = engine.alternatives(points, params.alternatives, **options)
    else:
        routes = [engine.route(points, with_details=True, **options)]
    return to_bytes(route_answer(routes, params))


def _nearest(serving: Serving, params: NearestParams) -> bytes:
    (lon, lat) = params.coordinates[0]
    waypoints = serving.engine.nearest(
        lon,
        lat,
        number=params.number,
        radius_m=params.radiuses[0] if params.radiuses else None,
        bearing=params.bearings[0] if params.bearings else None,
        approach=params.approaches[0] if params.approaches else None,
        **_on_roads(serving, params),
    )
    return to_bytes(nearest_answer(waypoints, params))


def _table(serving: Serving, params: TableParams) -> bytes:
    sources, destinations = params.source_indices, params.destination_indices
    points = params.coordinates
    options: dict[str, Any] = {
        "radiuses": _chosen(params.radiuses, sources),
        "bearings": _chosen(params.bearings, sources),
        "approaches": _chosen(params.approaches, sources),
    }
    ends = None
    if sources != destinations:
        ends = [points[index] for index in destinations]
        options["destination_radiuses"] = _chosen(params.radiuses, destinations)
        options["destination_bearings"] = _chosen(params.bearings, destinations)
        options["destination_approaches"] = _chosen(params.approaches, destinations)
    try:
        table = serving.engine.table(
            [points[index] for index in sources],
            ends,
            distances="distance" in params.annotations,
            **_on_roads(serving, params),
            **options,
        )
    except NoSegment as error:
        raise _in_request(error, (*sources, *destinations)) from None
    return to_bytes(table_answer(table, params))


def _chosen(values: Sequence[T] | None, indices: Sequence[int]) -> list[T] | None:
    return None if values is None else [values[index] for index in indices]


def _in_request(error: NoSegment, indices: Sequence[int]) -> NoSegment:
    """An error that counts sources and destinations, with the coordinate that is meant."""
    return NoSegment(indices[error.index])


def _trip(serving: Serving, params: TripParams) -> bytes:
    trip = serving.engine.trip(
        params.coordinates,
        round_trip=params.roundtrip,
        fixed_start=params.source == "first",
        fixed_end=params.destination == "last",
        radiuses=params.radiuses,
        bearings=params.bearings,
        approaches=params.approaches,
        **_on_roads(serving, params),
    )
    return to_bytes(trip_answer(trip, params))


def _match(serving: Serving, params: MatchParams) -> bytes:
    match = serving.engine.match(
        params.coordinates,
        timestamps=params.timestamps,
        radiuses=params.radiuses,
        bearings=params.bearings,
        approaches=params.approaches,
        gaps=params.gaps,
        tidy=params.tidy,
        waypoints=params.waypoints or None,
        **_on_roads(serving, params),
    )
    return to_bytes(match_answer(match, params))


def _isochrone(serving: Serving, params: IsochroneParams) -> bytes:
    (lon, lat) = params.coordinates[0]
    limits = contours_of(params)
    by_time = bool(params.contours_minutes)
    area = serving.engine.isochrone(
        lon,
        lat,
        durations_s=[60 * limit for limit in limits] if by_time else None,
        distances_m=None if by_time else limits,
        reverse=params.direction == "to",
        lines=not params.polygons,
        radius_m=params.radiuses[0] if params.radiuses else None,
        bearing=params.bearings[0] if params.bearings else None,
        approach=params.approaches[0] if params.approaches else None,
        **_on_roads(serving, params),
    )
    return to_bytes(isochrone_answer(area, params))


def _is_usual(params: Params) -> bool:
    """Whether the roads are as they usually are: others may have to be prepared first."""
    return params.depart_at is None and not params.exclude and params.bearings is None


def _is_quick_route(params: RouteParams) -> bool:
    if len(params.coordinates) > 2 or not _is_usual(params) or params.alternatives:
        return False
    is_told = params.steps or bool(params.annotations)
    return _extent_deg(params) < (_QUICK_TOLD_DEG if is_told else _QUICK_DEG)


def _extent_deg(params: Params) -> float:
    """How far the points of a request lie apart, in longitude and in latitude."""
    lon, lat = ([point[axis] for point in params.coordinates] for axis in (0, 1))
    return max(lon) - min(lon) + max(lat) - min(lat)


def _is_quick_nearest(params: NearestParams) -> bool:
    """Whether few roads have to be looked at: a bearing may rule out any number of them."""
    return _is_usual(params) and params.number <= _QUICK_RESULTS


def _is_quick_table(params: TableParams) -> bool:
    longest = max(len(params.source_indices), len(params.destination_indices))
    return longest <= _QUICK_RESULTS and _is_usual(params)


def _is_quick_trip(params: TripParams) -> bool:
    is_told = params.overview != "false" or params.steps or bool(params.annotations)
    few = len(params.coordinates) <= _QUICK_STOPS
    return few and not is_told and _is_usual(params) and _extent_deg(params) < _QUICK_DEG


def _is_quick_match(params: MatchParams) -> bool:
    """Whether a trace is short, and its points are near to few roads."""
    is_told = params.steps or bool(params.annotations)
    few = len(params.coordinates) <= _QUICK_TRACE
    near = all(radius is None or radius <= _QUICK_RADIUS_M for radius in params.radiuses or ())
    return few and near and not is_told and _is_usual(params) and _extent_deg(params) < _QUICK_DEG


def _never(params: Params) -> bool:
    return False


@dataclass(frozen=True)
class Service:
    """How one service reads, checks and answers a request.

    What ``is_quick`` is answered at once, since that takes a millisecond as a rule; whatever may
    hold up others for longer is handed to a thread. ``reader`` reads what has no coordinates.
    """

    params: type[Any]
    check: Callable[[Any, Settings], None]
    answer: Callable[[Serving, Any], bytes | Reply]
    is_quick: Callable[[Any], bool]
    reader: Callable[[RequestPath], Any] | None = None
    reads_bodies: bool = True
    """Whether a request may come as a JSON body."""

    def read(self, path: RequestPath) -> Any:
        """What a URL asks for; raises ``InvalidQuery`` or ``Unsupported``."""
        if self.reader is not None:
            return self.reader(path)
        return params_from_url(self.params, path)


SERVICES = {
    "route": Service(RouteParams, check_route, _route, _is_quick_route),
    "nearest": Service(NearestParams, check_nearest, _nearest, _is_quick_nearest),
    "table": Service(TableParams, check_table, _table, _is_quick_table),
    "trip": Service(TripParams, check_trip, _trip, _is_quick_trip),
    "match": Service(MatchParams, check_match, _match, _is_quick_match),
    "isochrone": Service(IsochroneParams, check_isochrone, _isochrone, _never),
    "tile": Service(
        TileParams, check_tile, answer_tile, is_quick_tile, read_tile, reads_bodies=False
    ),
}
