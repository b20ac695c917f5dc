"""Lanes before the crossings of a leg, and which of them the route may use."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from routing.guidance.directions import deviation, direction_of
from routing.guidance.drafts import (
    CONTINUE,
    FORK,
    MERGE,
    NEW_NAME,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    SUPPRESSED,
    UTURN,
    Crossing,
    Said,
)
from routing.guidance.facts import RoadFacts
from routing.guidance.junctions import Junctions
from routing.guidance.lane_match import Span, Way, match, partition, spans_of
from routing.guidance.lanes import NONE, Arrows
from routing.guidance.signs import RoadSigns
from routing.guidance.steps import Lane
from routing.guidance.trail import LANES_AHEAD_M

STRAIGHT_ON_ANGLE = 60.0


class Road(NamedTuple):
    """The way that a leg leads: its arcs, how far each begins, and the crossing before each."""

    arcs: Sequence[int]
    metres: Sequence[float]
    crossing: Callable[[int], Crossing | None]


class LaneUse:
    """Tells which lanes there are before crossings; threads may share it.

    ``say`` tells of a crossing's road ``out``.
    """

    def __init__(
        self,
        facts: RoadFacts,
        junctions: Junctions,
        say: Callable[[Crossing], Said | None],
    ) -> None:
        self._facts, self._junctions, self._say = facts, junctions, say
        self._signs = RoadSigns(facts)

    def of_crossing(self, arc: int, crossing: Crossing) -> tuple[Lane, ...]:
        """The lanes of the road on which one comes to a crossing."""
        readings = self._signs.lanes(arc)
        if not readings or self._is_roundabout(crossing):
            return ()
        ways, back = self._ways(crossing)
        for lanes in readings:
            spans = spans_of(lanes)
            if len(spans) == 1 and spans[0].arrow == NONE:
                continue
            found = match(spans, ways, back) or self._first_part(crossing, spans, ways, back)
            if crossing.out in found:
                return _marked(lanes, found[crossing.out])
        return ()

    def drawn_before(self, road: Road, facing: Sequence[int]) -> dict[int, tuple[Lane, ...]]:
        """Lanes that are drawn shortly before some arcs of a road, before another crossing."""
        found = {}
        for at in facing:
            if self._signs.lanes(road.arcs[at - 1]):
                continue
            crossing = road.crossing(at)
            if crossing is not None and crossing.said is not None and crossing.came_in is not None:
                lanes = self._lanes_before(road, at, crossing)
                if lanes:
                    found[at] = lanes
        return found

    def _first_part(
        self, crossing: Crossing, spans: list[Span], ways: list[Way], back: Way
    ) -> dict[int, Span]:
        """Lanes that are drawn for this crossing and the next."""
        open_ways = [way for way in ways if way.entry]
        if len(ways) < 2 or not open_ways or len(spans) < len(open_ways):
            return {}
        straightest = min(open_ways, key=lambda way: deviation(way.angle))
        ahead = self._junctions.ahead(crossing.roads[straightest.road].arc)
        if ahead is None or ahead.came_in is None:
            return {}
        first, _ = partition(spans, ways, self._ways(ahead)[0])
        return match(first, ways, back)

    def _lanes_before(self, road: Road, here: int, crossing: Crossing) -> tuple[Lane, ...]:
        """Lanes that are drawn before another crossing, shortly before this one."""
        at = here - 1
        if self._is_roundabout(crossing):
            return ()
        while at > 0 and road.metres[here] - road.metres[at] <= LANES_AHEAD_M:
            previous = road.crossing(at)
            if previous is None or previous.came_in is None or previous.out is None:
                break
            if not _goes_straight(previous, previous.out):
                break
            for lanes in self._signs.lanes(road.arcs[at - 1]):
                found = self._second_part(spans_of(lanes), previous, crossing)
                if crossing.out in found:
                    return _marked(lanes, found[crossing.out])
            if len(previous.roads) > 2:
                break
            at -= 1
        return ()

    def _second_part(
        self, spans: list[Span], previous: Crossing, crossing: Crossing
    ) -> dict[int, Span]:
        """Of lanes before one crossing, what is meant for the next."""
        ways, back = self._ways(crossing)
        if len(previous.roads) > 2:
            there, _ = self._ways(previous)
            if len(spans) < sum(way.entry for way in there):
                return {}
            spans = partition(spans, there, ways)[1]
        return match(spans, ways, back) if spans else {}

    def _ways(self, crossing: Crossing) -> tuple[list[Way], Way]:
        """The roads of a crossing from left to right, and the one on which one comes."""
        roads, came_in = crossing.roads, crossing.came_in
        assert came_in is not None
        order = [(came_in + i) % len(roads) for i in range(1, len(roads))]
        arc = roads[came_in].arc
        back = Way(came_in, 0.0, UTURN, roads[came_in].entry and self._facts.is_open(arc))
        return [self._way(crossing, i) for i in order], back

    def _way(self, crossing: Crossing, road: int) -> Way:
        """A road as an instruction would tell of it."""
        angle = crossing.angle(road)
        direction = direction_of(angle)
        if not crossing.roads[road].entry:
            return Way(road, angle, direction, False)
        said = self._say(Crossing(crossing.node, crossing.roads, crossing.came_in, road))
        if said is None:
            return Way(road, angle, direction, True, through=True)
        kind, modifier, _ = said
        through = kind in (SUPPRESSED, NEW_NAME) or (
            kind in (FORK, CONTINUE) and modifier in (SLIGHT_LEFT, SLIGHT_RIGHT)
        )
        return Way(road, angle, modifier or direction, True, through, kind == MERGE)

    def _is_roundabout(self, crossing: Crossing) -> bool:
        return any(self._facts.is_roundabout(road.arc) for road in crossing.roads)


def _goes_straight(crossing: Crossing, out: int) -> bool:
    """Whether a road leads straight on, and none that is open more so."""
    off = deviation(crossing.angle(out))
    roads = crossing.roads
    offs = [deviation(crossing.angle(i)) for i, road in enumerate(roads) if road.entry]
    return off <= STRAIGHT_ON_ANGLE and off <= min(offs, default=180.0)


def _marked(lanes: tuple[Arrows, ...], span: Span) -> tuple[Lane, ...]:
    return tuple(Lane(arrows, span.first <= i <= span.last) for i, arrows in enumerate(lanes))
