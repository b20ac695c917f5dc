"""A leg as the later passes look at it: lengths, texts, modes and angles of drafts."""

from itertools import accumulate

from routing.guidance.directions import between
from routing.guidance.drafts import Crossing, Draft, Trail
from routing.guidance.facts import RoadFacts
from routing.guidance.labels import RoadTexts
from routing.guidance.road_names import is_same_road
from routing.guidance.signs import RoadSigns

U_TURN_TOLERANCE = 35.0


class Passage:
    """A leg with the roads around it; the drafts belong to it."""

    def __init__(self, trail: Trail, facts: RoadFacts, signs: RoadSigns) -> None:
        self.trail, self.facts, self.signs = trail, facts, signs
        self._metres = list(accumulate(trail.length_m, initial=0.0))
        self._crossing_at = {crossing.at: crossing for crossing in trail.crossings}
        self._modes = [facts.mode(arc) for arc in trail.arcs]
        self._modes.append(self._modes[-1])
        self._is_uniform = len(set(self._modes)) == 1

    def length_m(self, drafts: list[Draft], i: int) -> float:
        """From the maneuver of a draft to that of the next."""
        stop = drafts[i + 1].at if i + 1 < len(drafts) else drafts[i].at
        return self.distance_m(drafts[i].at, stop)

    def distance_m(self, start: int, stop: int) -> float:
        """From the beginning of one arc of the trail to that of another."""
        return self._metres[stop] - self._metres[start]

    def texts(self, draft: Draft) -> RoadTexts:
        """What is read on the road of a draft."""
        return self.facts.texts(self.trail.arcs[draft.texts_at])

    def crossing_at(self, at: int) -> Crossing | None:
        """The crossing before an arc of the trail, if roads meet there."""
        return self._crossing_at.get(at)

    def have_same_name(self, one: Draft, other: Draft) -> bool:
        """Whether two drafts follow roads that have a name or number in common."""
        return is_same_road(self.texts(one), self.texts(other))

    def have_same_mode(self, *drafts: Draft) -> bool:
        """Whether all travel in one way."""
        if self._is_uniform:
            return True
        modes = self._modes
        mode = modes[drafts[0].at]
        return all(modes[draft.at] == mode for draft in drafts)


def bearing_in(crossing: Crossing) -> float:
    """In which direction the driver arrives; for a departure, leaves."""
    if crossing.came_in is None:
        return bearing_out(crossing)
    return (crossing.roads[crossing.came_in].bearing + 180.0) % 360.0


def bearing_out(crossing: Crossing) -> float:
    """In which direction the driver leaves; for an arrival, arrives."""
    if crossing.out is None:
        return bearing_in(crossing) if crossing.came_in is not None else 0.0
    return crossing.roads[crossing.out].bearing


def angle_between(before: float, after: float) -> float:
    """The angle of a turn from one direction into another, as `Crossing.angle`: 180 is straight."""
    return (before + 180.0 - after) % 360.0


def turn_angle(draft: Draft) -> float:
    """How the maneuver of a draft turns."""
    return angle_between(bearing_in(draft.crossing), bearing_out(draft.crossing))


def total_angle(first: Draft, second: Draft) -> float:
    """How two maneuvers turn together."""
    return angle_between(bearing_in(first.crossing), bearing_out(second.crossing))


def turns_around(first: Draft, second: Draft) -> bool:
    """Whether two maneuvers together lead back where one comes from."""
    return between(total_angle(first, second), 0.0) <= U_TURN_TOLERANCE


def open_ways(draft: Draft) -> int:
    """Into how many roads the driver could turn at the maneuver of a draft."""
    return draft.crossing.n_entries()


def is_undisturbed(draft: Draft) -> bool:
    """Whether no other road meets that of a draft after its maneuver."""
    return all(len(crossing.roads) == 2 for crossing in draft.crossings[1:])
