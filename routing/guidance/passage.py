"""A leg as the later passes look at it: lengths, texts, modes and angles of drafts."""

from routing.guidance.drafts import Draft
from routing.guidance.facts import RoadFacts
from routing.guidance.labels import RoadTexts
from routing.guidance.road_names import is_same_road
from routing.guidance.trail import Trail

U_TURN_TOLERANCE = 35.0


class Passage:
    """A leg with the roads around it; the drafts belong to it."""

    def __init__(self, trail: Trail, facts: RoadFacts) -> None:
        self.trail, self.facts = trail, facts
        self._metres = trail.metres

    def length_m(self, drafts: list[Draft], i: int) -> float:
        """From the maneuver of a draft to that of the next."""
        start = drafts[i].at
        stop = drafts[i + 1].at if i + 1 < len(drafts) else start
        return self._metres[stop] - self._metres[start]

    def distance_m(self, start: int, stop: int) -> float:
        """From the beginning of one arc of the trail to that of another."""
        return self._metres[stop] - self._metres[start]

    def texts_of(self, arc: int) -> RoadTexts:
        """What is read on an arc of the trail."""
        return self.facts.texts(self.trail.arcs[arc])

    def have_same_name(self, one: Draft, other: Draft) -> bool:
        """Whether two drafts follow roads that have a name or number in common."""
        return is_same_road(one.texts, other.texts)

    def have_same_mode(self, *drafts: Draft) -> bool:
        """Whether all travel in one way."""
        if self.trail.has_one_mode:
            return True
        facts, arcs = self.facts, self.trail.arcs
        modes = {facts.mode(arcs[min(draft.at, len(arcs) - 1)]) for draft in drafts}
        return len(modes) == 1


def angle_between(before: float, after: float) -> float:
    """The angle of a turn from one direction into another, as `Crossing.angle`: 180 is straight."""
    return (before + 180.0 - after) % 360.0


def turn_angle(draft: Draft) -> float:
    """How the maneuver of a draft turns."""
    crossing = draft.crossings[0]
    return (crossing.arrives + 180.0 - crossing.leaves) % 360.0


def total_angle(first: Draft, second: Draft) -> float:
    """How two maneuvers turn together."""
    return (first.crossings[0].arrives + 180.0 - second.crossings[0].leaves) % 360.0


def turns_around(first: Draft, second: Draft) -> bool:
    """Whether two maneuvers together lead back where one comes from."""
    angle = total_angle(first, second)
    return angle <= U_TURN_TOLERANCE or angle >= 360.0 - U_TURN_TOLERANCE


def open_ways(draft: Draft) -> int:
    """Into how many roads the driver could turn at the maneuver of a draft."""
    return draft.crossing.n_entries()


def is_undisturbed(draft: Draft) -> bool:
    """Whether no other road meets that of a draft after its maneuver."""
    return all(len(crossing.roads) == 2 for crossing in draft.crossings[1:])
