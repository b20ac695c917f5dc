"""Lanes before the crossings of a leg, and which of them the route may use."""

from collections.abc import Callable, Sequence

from routing.guidance.directions import LEFTS, RIGHTS, deviation, direction_of
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
    Draft,
    Said,
)
from routing.guidance.facts import RoadFacts
from routing.guidance.junctions import Junctions
from routing.guidance.lane_match import Span, Way, match, partition, spans_of
from routing.guidance.lanes import NONE, Arrows
from routing.guidance.passage import Passage
from routing.guidance.signs import RoadSigns
from routing.guidance.steps import Lane
from routing.guidance.trail import LANES_AHEAD_M

STRAIGHT_ON_ANGLE = 60.0
CHANGE_LANE_M = 200.0
"""What a driver needs to change to the next lane."""


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

    def assign(self, passage: Passage, drafts: Sequence[Draft]) -> None:
        """Give maneuvers lanes that are drawn shortly before them, before another crossing."""
        facing = passage.trail.facing_lanes
        if not facing:
            return
        arcs = passage.trail.arcs
        for draft in drafts[1:-1]:
            if draft.at not in facing or draft.crossing.came_in is None:
                continue
            if not self._signs.lanes(arcs[draft.at - 1]):
                draft.use_lanes(self._lanes_before(passage, draft.at, draft.crossing))

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

    def _lanes_before(self, passage: Passage, here: int, crossing: Crossing) -> tuple[Lane, ...]:
        """Lanes that are drawn before another crossing, shortly before this one."""
        trail, at = passage.trail, here - 1
        if self._is_roundabout(crossing):
            return ()
        while at > 0 and passage.distance_m(at, here) <= LANES_AHEAD_M:
            previous = trail.crossings[at - 1]
            if previous is None or previous.came_in is None or previous.out is None:
                break
            if not _goes_straight(previous, previous.out):
                break
            for lanes in self._signs.lanes(trail.arcs[at - 1]):
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


def anticipate(passage: Passage, drafts: list[Draft]) -> None:
    """Before maneuvers in quick succession, leave only those lanes that serve the later ones."""
    quick: list[int] = []
    for i, draft in enumerate(drafts):
        if draft.crossings[0].lanes and _is_quick(passage, drafts, i):
            quick.append(i)
        elif quick:
            _constrain(passage, drafts, quick)
            quick = []
    _constrain(passage, drafts, quick)


def _is_quick(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Whether the next maneuver follows before one can cross all lanes that are not in use."""
    lanes = drafts[i].lanes
    if not any(lane.valid for lane in lanes):
        return False
    to_cross = max(_beside(lanes))
    return passage.length_m(drafts, i) < (1 + to_cross) * CHANGE_LANE_M


def _beside(lanes: Sequence[Lane]) -> tuple[int, int]:
    """How many lanes there are to the left and to the right of those in use."""
    valid = [i for i, lane in enumerate(lanes) if lane.valid]
    return valid[0], len(lanes) - 1 - valid[-1]


def _constrain(passage: Passage, drafts: list[Draft], quick: list[int]) -> None:
    """Walk backwards over maneuvers: whose lanes are more than those of the next get fewer."""
    sides: dict[int, str] = {}
    straight_m = 0.0
    for here, after in zip(quick[-2::-1], quick[:0:-1], strict=True):
        lanes, next_lanes = drafts[here].lanes, drafts[after].lanes
        n, n_next = (sum(lane.valid for lane in x) for x in (lanes, next_lanes))
        silent = drafts[here].type == SUPPRESSED
        straight_m = straight_m + passage.length_m(drafts, here) if silent else 0.0
        if n <= n_next or straight_m > (n - n_next) * CHANGE_LANE_M:
            continue
        side = _side(drafts[after]) or sides.get(after, "")
        if not _side(drafts[here]) and side:
            sides[here] = side
        left, right = _beside(next_lanes)
        leftmost = _beside(lanes)[0]
        # Lanes beside those of the next maneuver begin on this side of them.
        aside = min(left, n_next) if side == "left" else n - n_next - min(right, n_next)
        first = leftmost + min(max(aside, 0), n - n_next)
        drafts[here].use_lanes(
            tuple(
                Lane(lane.indications, first <= i < first + n_next) for i, lane in enumerate(lanes)
            )
        )


def _side(draft: Draft) -> str:
    """To which side a maneuver turns; one that merges keeps to the other."""
    if draft.modifier in LEFTS:
        return "right" if draft.type == MERGE else "left"
    if draft.modifier in RIGHTS:
        return "left" if draft.type == MERGE else "right"
    return ""
