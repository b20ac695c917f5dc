"""Roads with separate carriageways: the pieces between these belong to one junction.

Such an inner piece is short, and one-way roads arrive and leave at its ends across it.
"""

from gis.network.road_class import RoadClass
from routing.guidance.collapse_cases import CIRCLES
from routing.guidance.directions import between, deviation, direction_of
from routing.guidance.drafts import (
    CONTINUE,
    END_OF_ROAD,
    FORK,
    LEFT,
    NEW_NAME,
    RIGHT,
    SHARP_LEFT,
    SHARP_RIGHT,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    Crossing,
    Draft,
    Road,
)
from routing.guidance.joining import absorb, make_u_turn
from routing.guidance.passage import (
    Passage,
    angle_between,
    bearing_in,
    total_angle,
    turn_angle,
    turns_around,
)

INNER_M = 32.0
ACROSS_ANGLE = 30.0
"""A road that deviates no more than that from straight on does not cross."""
_BEND_ANGLE, _CLEARLY_STRAIGHTER = 55.0, 10.0
_PLAIN = frozenset((NEW_NAME, CONTINUE, SUPPRESSED, TURN))
_NEARLY_STRAIGHT = frozenset((STRAIGHT, SLIGHT_LEFT, SLIGHT_RIGHT))
_LEFT, _RIGHT = frozenset((LEFT, SHARP_LEFT)), frozenset((RIGHT, SHARP_RIGHT))


def collapse_segregated(passage: Passage, drafts: list[Draft]) -> None:
    """Join maneuvers at both ends of inner pieces; before roundabouts are counted."""
    inner = [False, *(is_inner(passage, drafts, i) for i in range(1, len(drafts) - 1)), False]
    i = 1
    while i + 1 < len(drafts) - 1:
        here, after = drafts[i], drafts[i + 1]
        if not inner[i] or (not inner[i + 1] and CIRCLES.intersection((here.type, after.type))):
            i += 1
            continue
        if inner[i + 1]:
            if END_OF_ROAD in (here.type, after.type):
                here.type = END_OF_ROAD
            here.crossing.lanes = after.crossing.lanes
            absorb(drafts, i, signs=True)
        elif turns_around(here, after):
            make_u_turn(drafts, i)
            inner[i] = False
        else:
            _turn(passage, drafts[i - 1], here, after)
            absorb(drafts, i, signs=True)
            inner[i] = False
        del inner[i + 1]


def is_inner(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Whether a draft leads over an inner piece of a junction."""
    here, after = drafts[i], drafts[i + 1]
    trail, facts = passage.trail, passage.facts
    arc = trail.arcs[here.at]
    start, end = here.crossing, after.crossing
    if passage.length_m(drafts, i) > INNER_M or start.out is None:
        return False
    if facts.nature(arc).ring:
        return False
    if end.came_in is None:
        return False
    ahead = start.roads[start.out]
    back = end.roads[end.came_in]
    arriving = _ways(passage, start, ahead, arrive=True)
    leaving = _ways(passage, end, back, arrive=False)
    if not any(crosses for _, crosses in arriving) or not any(crosses for _, crosses in leaving):
        return False
    before = {direction for direction, _ in arriving}
    then = {direction for direction, _ in leaving}
    return not (
        (before & _LEFT and then & _RIGHT)
        or (before & _RIGHT and then & _LEFT)
        or (then & _LEFT and then & _RIGHT)
    )


def _ways(
    passage: Passage, crossing: Crossing, piece: Road, arrive: bool
) -> list[tuple[str, bool]]:
    """How one turns into a piece from the other roads, or out of it into them.

    With each direction: whether that road is for one direction only, and crosses the piece.
    """
    facts = passage.facts
    found = []
    for road in crossing.roads:
        if road is piece:
            continue
        arc = road.arc ^ 1 if arrive else road.arc
        if not facts.is_open(arc):
            continue
        angle = (road.bearing - piece.bearing if arrive else piece.bearing - road.bearing) % 360.0
        is_street = facts.kind(arc) <= RoadClass.LIVING_STREET and not facts.is_link(arc)
        oneway = not facts.is_open(arc ^ 1)
        crosses = oneway and is_street and deviation(angle) >= ACROSS_ANGLE
        found.append((direction_of(angle), crosses))
    return found


def _turn(passage: Passage, before: Draft, here: Draft, after: Draft) -> None:
    """Give the first of two maneuvers, over an inner piece, the sense of both."""
    angle = total_angle(here, after)
    direction = direction_of(angle)
    same = passage.have_same_name(before, after)
    if END_OF_ROAD in (here.type, after.type):
        here.type = END_OF_ROAD
    elif here.type == FORK:
        return
    elif direction == STRAIGHT and after.type in _PLAIN and after.modifier in _NEARLY_STRAIGHT:
        here.type = SUPPRESSED if same else NEW_NAME
    elif (
        deviation(angle) <= _BEND_ANGLE
        and len(here.crossings) == 1
        and _is_straightest(here)
        and _is_straightest(after)
    ):
        here.type, direction = (SUPPRESSED if same else NEW_NAME), STRAIGHT
    elif direction != STRAIGHT and after.type in _PLAIN:
        here.type = TURN
    else:
        here.type = after.type
    here.modifier = direction


def _is_straightest(draft: Draft) -> bool:
    """Whether no other way at a maneuver is clearly straighter than the one taken."""
    taken = turn_angle(draft)
    if deviation(taken) > _BEND_ANGLE:
        return False
    crossing = draft.crossing
    arriving = bearing_in(crossing)
    others = [
        angle_between(arriving, road.bearing)
        for i, road in enumerate(crossing.roads)
        if road.entry and i not in (crossing.came_in, crossing.out)
    ]
    best = min(others, key=deviation, default=0.0)
    if between(taken, best) <= _CLEARLY_STRAIGHTER:
        return True
    return deviation(taken) <= deviation(best)
