"""Matching a trace, from what a caller says to what is told of it."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from routing.details import DetailMaker
from routing.errors import InvalidInput, InvalidValue, NoMatch, NoRoadNear
from routing.matching.legs_of_piece import LegsOfPiece
from routing.matching.matcher import Matched
from routing.matching.results import Match, Matching, Tracepoint
from routing.matching.trace import confidence, make_trace, tidy
from routing.places.nearest import PointQuery
from routing.route import Route
from routing.vehicle import Vehicle
from routing.weighting import Weighting

GAPS = ("split", "ignore")


class Wanted(NamedTuple):
    """What is asked of a match, beside its points."""

    times_s: Sequence[int] | None
    gaps: str
    tidy: bool
    waypoints: Sequence[int] | None
    anywhere: bool


def match_trace(
    vehicle: Vehicle,
    weighting: Weighting,
    maker: DetailMaker,
    queries: Sequence[PointQuery],
    wanted: Wanted,
) -> Match:
    """The pieces of a trace as routes; ``radius_m`` of a point is its standard deviation.

    Raises ``InvalidInput``, ``InvalidValue``, ``NoRoadNear`` or ``NoMatch``.
    """
    n = len(queries)
    _check(n, wanted)
    times_s = wanted.times_s
    kept = list(range(n))
    if wanted.tidy:
        kept = tidy([(query.lon, query.lat) for query in queries], times_s)
    chosen = [queries[i] for i in kept]
    trace = make_trace(chosen, None if times_s is None else [times_s[i] for i in kept])
    cut = wanted.gaps == "split"
    pieces = vehicle.matcher.match(weighting, trace, chosen, wanted.anywhere, cut)
    if pieces is None:
        raise NoRoadNear("Could not find a matching segment for any coordinate.")
    if not pieces:
        raise NoMatch("Could not match the trace.")
    stops = [list(range(len(piece.points))) for piece in pieces]
    if wanted.waypoints:
        stops = [_stops(pieces, kept, wanted.waypoints)]
    matchings: list[Matching] = []
    found: list[Tracepoint | None] = [None] * n
    for index, (piece, ends) in enumerate(zip(pieces, stops, strict=True)):
        given = [chosen[i] for i in piece.points]
        legs = LegsOfPiece(maker, vehicle, weighting, piece, given).between(ends)
        waypoints = [
            maker.waypoint(snap, (), forward=arc % 2 == 0)
            for snap, arc in zip(piece.snaps, piece.reached.arc.tolist(), strict=True)
        ]
        route = Route(legs, tuple(waypoints[end] for end in ends), vehicle.weight_name)
        matchings.append(Matching(route, confidence(piece.trace_m, piece.matched_m)))
        order = {end: position for position, end in enumerate(ends)}
        for i, point in enumerate(piece.points):
            found[kept[point]] = Tracepoint(waypoints[i], index, order.get(i), piece.others[i])
    return Match(tuple(matchings), tuple(found))


def _check(n: int, wanted: Wanted) -> None:
    if n < 2:
        raise InvalidInput("Number of coordinates needs to be at least two.")
    if wanted.gaps not in GAPS:
        raise InvalidInput(f"gaps is {wanted.gaps!r}, expected one of: {', '.join(GAPS)}")
    times_s = wanted.times_s
    if times_s is not None:
        if len(times_s) != n:
            raise InvalidInput(
                f"Number of elements in timestamps size {len(times_s)}"
                f" does not match coordinate size {n}"
            )
        if any(later < earlier for earlier, later in pairwise(times_s)):
            raise InvalidValue("Timestamps need to be monotonically increasing.")
    if wanted.waypoints:
        ordered = sorted(set(wanted.waypoints))
        if (ordered[0], ordered[-1]) != (0, n - 1):
            raise InvalidValue("First and last coordinates must be specified as waypoints.")


def _stops(pieces: Sequence[Matched], kept: Sequence[int], waypoints: Sequence[int]) -> list[int]:
    """Which points of the only piece end legs; one that was left out ends where the last was kept.

    Raises ``NoMatch`` if the trace is in pieces, or a waypoint is not matched.
    """
    if len(pieces) > 1:
        raise NoMatch("Could not match the trace with the given waypoints.")
    at = {point: i for i, point in enumerate(pieces[0].points)}
    wanted = sorted({bisect_right(kept, waypoint) - 1 for waypoint in waypoints})
    if not all(point in at for point in wanted):
        raise NoMatch("Requested waypoint parameter could not be matched.")
    return [at[point] for point in wanted]
