"""Matched traces as OSRM's JSON objects."""

from typing import Any

from routing.matching.results import Match, Tracepoint
from server.api.osrm_json import route_object, waypoint_object
from server.api.osrm_params import MatchParams


def match_answer(match: Match, params: MatchParams) -> dict[str, Any]:
    """The answer of the match service; a point that is not matched is null."""
    answer: dict[str, Any] = {
        "code": "Ok",
        "matchings": [
            route_object(route, params) | {"confidence": confidence}
            for route, confidence in match.matchings
        ],
    }
    if not params.skip_waypoints:
        answer["tracepoints"] = [
            None if point is None else _tracepoint(point, params) for point in match.tracepoints
        ]
    return answer


def _tracepoint(point: Tracepoint, params: MatchParams) -> dict[str, Any]:
    found = waypoint_object(point.waypoint, params.generate_hints)
    found["matchings_index"] = point.matching
    found["waypoint_index"] = point.waypoint_index
    found["alternatives_count"] = point.alternatives
    return found
