"""Trips as OSRM's JSON objects."""

from typing import Any

from routing.route import Trip
from server.api.osrm_json import route_object, waypoint_object
from server.api.osrm_params import TripParams


def trip_answer(trip: Trip, params: TripParams) -> dict[str, Any]:
    """The answer of the trip service; its waypoints are in the order of the request."""
    answer: dict[str, Any] = {"code": "Ok", "trips": [route_object(trip.route, params)]}
    if not params.skip_waypoints:
        waypoints: list[dict[str, Any]] = [{}] * len(trip.order)
        for place, index in enumerate(trip.order):
            waypoint = waypoint_object(trip.route.waypoints[place], params.generate_hints)
            waypoints[index] = waypoint | {"trips_index": 0, "waypoint_index": place}
        answer["waypoints"] = waypoints
    return answer
