"""The lanes of the arcs of a network, for one vehicle."""

from gis.profiles.rules import Mode
from routing.guidance.facts import RoadFacts
from routing.guidance.lanes import Arrows, RoadLanes, has_turns


class RoadSigns:
    """Lanes by arc; threads may share it."""

    def __init__(self, facts: RoadFacts) -> None:
        self._facts = facts
        self._lanes = RoadLanes(facts.names)
        self._plain: set[int] = set()

    def lanes(self, arc: int) -> tuple[tuple[Arrows, ...], ...]:
        """The lanes at the end of an arc, see `read_lanes`; who walks keeps to none."""
        facts = self._facts
        label = facts.label(arc)
        if label in self._plain:
            return ()
        mode = facts.mode(arc)
        if mode not in (Mode.DRIVING, Mode.CYCLING):
            return ()
        if not has_turns(facts.names.tags(label)):
            self._plain.add(label)
            return ()
        oneway = not facts.is_open(arc ^ 1)
        left_hand, cycles = facts.drives_left(arc), mode == Mode.CYCLING
        return self._lanes.readings(label, bool(arc & 1), oneway, left_hand, cycles)
