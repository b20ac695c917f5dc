"""The steps of a leg from its drafts, whatever passes have made of these."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from gis.geodesy import UNITS_PER_DEGREE, bearing_deg, distance_m, to_units
from routing.guidance.drafts import ARRIVE, DEPART, LEFT, RIGHT, STRAIGHT, Crossing, Draft
from routing.guidance.facts import RoadFacts
from routing.guidance.labels import NO_TEXTS
from routing.guidance.steps import Intersection, Maneuver, Step
from routing.guidance.trail import LegLine, Sums, Trail, sums_between

SIDE_FROM_M, SIDE_TO_M = 5.0, 300.0
"""A point so far from the road is said to lie on a side of it."""


class Teller:
    """Tells of one leg."""

    def __init__(self, leg: LegLine, trail: Trail, facts: RoadFacts) -> None:
        self._leg, self._trail, self._facts = leg, trail, facts

    def steps(self, drafts: Sequence[Draft]) -> tuple[Step, ...]:
        """Steps of drafts; the first and the last reach to the ends, whatever was trimmed."""
        k = len(self._trail.arcs)
        at = [0, *[draft.at for draft in drafts[1:-1]], k, k]
        points = [self._trail.first_point[i] for i in at]
        return tuple(
            [
                self._step(draft, ends, sums)
                for draft, ends, sums in zip(
                    drafts, pairwise(points), sums_between(self._trail, at), strict=True
                )
            ]
        )

    def _step(self, draft: Draft, ends: tuple[int, int], sums: Sums) -> Step:
        crossing, kind, modifier = draft.crossings[0], draft.type, draft.modifier
        if crossing.node >= 0:
            lon, lat = crossing.place.lon, crossing.place.lat
            before, after = crossing.headings
        else:
            lon, lat = self._place(ends[0])
            before, after = self._headings(draft)
            if kind in (DEPART, ARRIVE):
                modifier = self._side(draft)
        rotary = draft.rotary or NO_TEXTS
        places = [
            passed.place if passed.node >= 0 else self._within(passed, before, after)
            for passed in draft.crossings
        ]
        maneuver = Maneuver(kind, modifier, lon, lat, before, after, draft.exit)
        words = *draft.texts, rotary.name, rotary.pronunciation, crossing.onto.mode_word
        return Step._make((*sums, *ends, *words, crossing.side, maneuver, tuple(places)))

    def _within(self, crossing: Crossing, before: int, after: int) -> Intersection:
        """What is told of a place within a road, by the bearings of a maneuver."""
        trail, at = self._trail, crossing.at
        n = len(trail.arcs)
        place = self._place(trail.first_point[at])
        classes = self._facts.classes(trail.arcs[min(at, n - 1)])
        if at == 0:
            return Intersection(*place, (after,), (True,), None, 0, (), classes)
        if at == n:
            return Intersection(*place, ((before + 180) % 360,), (True,), 0, None, (), classes)
        return Intersection(*place, (after,), (True,), 0, 0, (), classes)

    def _headings(self, draft: Draft) -> tuple[int, int]:
        """In which directions one comes to a maneuver and goes on, 0 where one does not."""
        point = self._point(draft)
        before = self._bearing(point - 1) if draft.type != DEPART else 0.0
        after = self._bearing(point) if draft.type != ARRIVE else 0.0
        return round(before) % 360, round(after) % 360

    def _side(self, draft: Draft) -> str | None:
        """On which side of the road the point of the request lies, None if it is on the road."""
        point = self._point(draft)
        if draft.type == DEPART:
            return _side(self._leg.begin, self._units(0), self._bearing(point), departs=True)
        last = len(self._leg.lon) - 1
        return _side(self._leg.goal, self._units(last), self._bearing(point - 1), departs=False)

    def _point(self, draft: Draft) -> int:
        """The point of a maneuver: one that a leg goes on from or has come to.

        A leg that is tiny as a whole may be trimmed to an end or a beginning without a length.
        """
        point = self._trail.first_point[draft.at]
        if draft.type == DEPART:
            return min(point, len(self._leg.lon) - 2)
        return max(point, 1) if draft.type == ARRIVE else point

    def _place(self, point: int) -> tuple[float, float]:
        return float(self._leg.lon[point]), float(self._leg.lat[point])

    def _units(self, point: int) -> tuple[int, int]:
        lon, lat = self._place(point)
        return round(lon * UNITS_PER_DEGREE), round(lat * UNITS_PER_DEGREE)

    def _bearing(self, point: int) -> float:
        """From a point to the next."""
        return bearing_deg(*self._units(point), *self._units(point + 1))


def _side(
    wanted: tuple[float, float], snapped: tuple[int, int], along: float, departs: bool
) -> str | None:
    """On which side of the road a point of the request lies, None if it is on the road.

    ``along`` is the direction in which the road leads from or to there.
    """
    x, y = (int(part) for part in to_units(np.array(wanted)))
    if not SIDE_FROM_M <= distance_m(*snapped, x, y) <= SIDE_TO_M:
        return None
    aside = bearing_deg(x, y, *snapped) if departs else bearing_deg(*snapped, x, y)
    turn = aside - along if departs else along - aside
    angle = (180.0 + turn) % 360.0
    if angle < 135.0:
        return RIGHT
    return STRAIGHT if angle <= 225.0 else LEFT
