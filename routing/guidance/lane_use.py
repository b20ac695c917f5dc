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
)
from routing.guidance.junctions import Junctions
from routing.guidance.lane_match import Span, Way, match, partition, spans_of
from routing.guidance.lanes import NONE, Arrows
from routing.guidance.passage import Passage
from routing.guidance.steps import Lane

LANES_AHEAD_M = 30.0
"""Lanes may end so far before the crossing that they are drawn for."""
STRAIGHT_ON_ANGLE = 60.0
CHANGE_LANE_M = 200.0
"""What a driver needs to change to the next lane."""


class LaneUse:
    """Gives the crossings of a leg their lanes."""

    def __init__(
        self,
        passage: Passage,
        junctions: Junctions,
        classify: Callable[[Crossing], Draft | None],
    ) -> None:
        self._passage, self._junctions, self._classify = passage, junctions, classify

    def assign(self, drafts: Sequence[Draft]) -> None:
        """Set the lanes of the crossing of each draft, before any are joined."""
        for draft in drafts[1:-1]:
            draft.crossing.lanes = self._lanes(draft.crossing)

    def _lanes(self, crossing: Crossing) -> tuple[Lane, ...]:
        if crossing.came_in is None or crossing.out is None:
            return ()
        arcs = self._passage.trail.arcs
        readings = self._passage.signs.lanes(arcs[crossing.at - 1])
        if not readings:
            return self._lanes_before(crossing)
        if self._is_roundabout(crossing):
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

    def _lanes_before(self, crossing: Crossing) -> tuple[Lane, ...]:
        """Lanes that are drawn before another crossing, shortly before this one."""
        passage = self._passage
        if self._is_roundabout(crossing):
            return ()
        at = crossing.at - 1
        while at > 0 and passage.distance_m(at, crossing.at) <= LANES_AHEAD_M:
            previous = passage.crossing_at(at)
            if previous is None or previous.came_in is None or previous.out is None:
                break
            if not _goes_straight(previous, previous.out):
                break
            for lanes in passage.signs.lanes(passage.trail.arcs[at - 1]):
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
        back = Way(came_in, 0.0, UTURN, roads[came_in].entry and self._passage.facts.is_open(arc))
        return [self._way(crossing, i) for i in order], back

    def _way(self, crossing: Crossing, road: int) -> Way:
        """A road as an instruction would tell of it."""
        angle = crossing.angle(road)
        direction = direction_of(angle)
        if not crossing.roads[road].entry:
            return Way(road, angle, direction, False)
        draft = self._classify(
            Crossing(crossing.node, crossing.at, crossing.roads, crossing.came_in, road)
        )
        if draft is None:
            return Way(road, angle, direction, True, through=True)
        through = draft.type in (SUPPRESSED, NEW_NAME) or (
            draft.type in (FORK, CONTINUE) and draft.modifier in (SLIGHT_LEFT, SLIGHT_RIGHT)
        )
        merges = draft.type == MERGE
        return Way(road, angle, draft.modifier or direction, True, through, merges)

    def _is_roundabout(self, crossing: Crossing) -> bool:
        return any(self._passage.facts.is_roundabout(road.arc) for road in crossing.roads)


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
    for i in range(len(drafts)):
        if _is_quick(passage, drafts, i):
            quick.append(i)
        else:
            _constrain(passage, drafts, quick)
            quick = []
    _constrain(passage, drafts, quick)


def _is_quick(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Whether the next maneuver follows before one can cross all lanes that are not in use."""
    lanes = drafts[i].crossing.lanes
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
        lanes, next_lanes = drafts[here].crossing.lanes, drafts[after].crossing.lanes
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
        drafts[here].crossing.lanes = tuple(
            Lane(lane.indications, first <= i < first + n_next) for i, lane in enumerate(lanes)
        )


def _side(draft: Draft) -> str:
    """To which side a maneuver turns; one that merges keeps to the other."""
    if draft.modifier in LEFTS:
        return "right" if draft.type == MERGE else "left"
    if draft.modifier in RIGHTS:
        return "left" if draft.type == MERGE else "right"
    return ""
