"""Questions about traces and their answers."""

from collections.abc import Sequence

from routing.conditions.clock import Departure
from routing.fleet import Fleet
from routing.inputs import Approach, Bearing, Point, is_anywhere, point_queries
from routing.matching.results import Match
from routing.matching.service import Wanted, match_trace


class TraceMatcher(Fleet):
    """A dataset that is open, for traces."""

    def match(
        self,
        points: Sequence[Point],
        *,
        profile: str | None = None,
        timestamps: Sequence[int] | None = None,
        radiuses: Sequence[float | None] | None = None,
        bearings: Sequence[Bearing | None] | None = None,
        approaches: Sequence[Approach | None] | None = None,
        gaps: str = "split",
        tidy: bool = False,
        waypoints: Sequence[int] | None = None,
        snapping: str = "default",
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> Match:
        """The roads that a trace of two points or more was most likely driven on.

        ``timestamps`` are seconds, not descending. ``radiuses`` are the standard deviations of
        the points in metres, 5 by default; a road may be three times as far. With ``gaps`` "split"
        a step that takes more than ten times the usual begins a new matching. ``tidy`` leaves out
        points that say nothing new. ``waypoints`` are the indices of the points that end legs, by
        default all: then the trace has to be matched in one piece.

        Raises ``NoMatch``, ``NoRoadNear``, ``InvalidCoordinate`` or ``InvalidInput``.
        """
        vehicle, weighting = self._with_hierarchy(profile, depart_at, exclude)
        queries = point_queries(points, radiuses, bearings, approaches)
        wanted = Wanted(timestamps, gaps, tidy, waypoints, is_anywhere(snapping))
        return match_trace(vehicle, weighting, self._maker, queries, wanted)
