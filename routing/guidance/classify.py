"""What a crossing demands of the driver; nothing where no roads meet."""

from routing.guidance.arms import Approach, Instruction
from routing.guidance.carriageways import Carriageways
from routing.guidance.directions import direction_of
from routing.guidance.drafts import (
    CONTINUE,
    NEW_NAME,
    NOTIFICATION,
    OFF_RAMP,
    ON_RAMP,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    UTURN,
    Crossing,
    Said,
)
from routing.guidance.facts import CARRIED, RoadFacts
from routing.guidance.junctions import Junctions
from routing.guidance.memo import Memo
from routing.guidance.motorways import is_motorway_crossing, pass_motorway
from routing.guidance.rings import Rings
from routing.guidance.roundabouts import say_at_ring, touches_ring
from routing.guidance.turns import turn_at

_MAX_KNOWN = 1 << 16
"""So many turns are kept."""


class Classifier:
    """Tells of crossings what they demand; threads may share it.

    What there is to say of a turn is the same for all routes, and kept.
    """

    def __init__(self, facts: RoadFacts, junctions: Junctions) -> None:
        self._facts = facts
        self._rings = Rings(facts, junctions)
        self._carriageways = Carriageways(facts, junctions)
        self._known = Memo[tuple[int, int], Said | None](_MAX_KNOWN)

    def say(self, crossing: Crossing) -> Said | None:
        """What a crossing demands, SUPPRESSED where nothing need be said.

        None where there is no crossing at all.
        """
        came_in, out = crossing.came_in, crossing.out
        if came_in is None or out is None:
            return CONTINUE, UTURN, 0
        if crossing.is_silent:
            return SUPPRESSED, STRAIGHT, 0
        turn = crossing.roads[came_in].arc ^ 1, crossing.roads[out].arc
        return self._known.get(turn, self.classify, crossing, *turn)

    def classify(self, crossing: Crossing, before: int, after: int) -> Said | None:
        """What there is to say of going from one arc to another; None if there is no crossing."""
        facts = self._facts
        if len(crossing.roads) == 2 and facts.nature(before) is facts.nature(after):
            return None
        seen = self._carriageways.seen(crossing.node, crossing.roads)
        approach = Approach(facts, crossing, before, seen)
        via = approach.via
        if via.mode in CARRIED and all(arm.nature.mode == via.mode for arm in approach.arms):
            return None
        if touches_ring(approach):
            kind = self._rings.kind(crossing.node)
            if kind is not None:
                return say_at_ring(approach, kind)
        if _passes_minor_roads(approach):
            found = _past_minor_roads(approach)
        elif is_motorway_crossing(approach):
            found = pass_motorway(approach)
        else:
            found = turn_at(approach)
        if found and found[0] == ON_RAMP and via.motorway:
            found = OFF_RAMP, found[1]
        return (*found, 0) if found else None


def _passes_minor_roads(approach: Approach) -> bool:
    """Whether one road goes on and all others are driveways and the like."""
    arms = approach.arms
    n_minor = sum(arm.nature.low for arm in arms)
    return len(arms) > 2 and not arms[0].nature.low and n_minor == len(arms) - 2


def _past_minor_roads(approach: Approach) -> Instruction | None:
    """A road goes on past driveways, or one turns into one of these."""
    via, taken, out = approach.via, approach.taken, approach.out
    direction = direction_of(taken.angle)
    if out == 0:
        return CONTINUE, UTURN
    main = next(i for i, arm in enumerate(approach.arms) if i and not arm.nature.low)
    if out != main:
        if direction == STRAIGHT == direction_of(approach.arms[main].angle):
            direction = SLIGHT_RIGHT if out < main else SLIGHT_LEFT
        return TURN, direction
    if via.mode != taken.nature.mode:
        return NOTIFICATION, direction
    if not via.renames(taken.nature):
        return None
    return NEW_NAME, direction
