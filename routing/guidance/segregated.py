"""Roads with separate carriageways: the pieces between these belong to one junction.

Such an inner piece is short, and one-way roads arrive and leave at its ends across it.
"""

from routing.guidance.collapse_cases import CIRCLES
from routing.guidance.directions import between, deviation, direction_of
from routing.guidance.drafts import (
    CONTINUE,
    END_OF_ROAD,
    FORK,
    NEW_NAME,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    Draft,
)
from routing.guidance.joining import absorb, make_u_turn
from routing.guidance.junctions import ACROSS, TO_LEFT, TO_RIGHT
from routing.guidance.passage import (
    Passage,
    angle_between,
    total_angle,
    turn_angle,
    turns_around,
)

INNER_M = 32.0
_BEND_ANGLE, _CLEARLY_STRAIGHTER = 55.0, 10.0
_PLAIN = frozenset((NEW_NAME, CONTINUE, SUPPRESSED, TURN))
_NEARLY_STRAIGHT = frozenset((STRAIGHT, SLIGHT_LEFT, SLIGHT_RIGHT))


def collapse_segregated(passage: Passage, drafts: list[Draft]) -> None:
    """Join maneuvers at both ends of inner pieces; before roundabouts are counted."""
    across = [i for i, draft in enumerate(drafts) if draft.crossings[0].into & ACROSS]
    inner = [False] * len(drafts)
    for i in across:
        inner[i] = is_inner(passage, drafts, i)
    if not any(inner):
        return
    i = 1
    while i + 1 < len(drafts) - 1:
        here, after = drafts[i], drafts[i + 1]
        if not inner[i] or (not inner[i + 1] and CIRCLES.intersection((here.type, after.type))):
            i += 1
            continue
        if inner[i + 1]:
            if END_OF_ROAD in (here.type, after.type):
                here.type = END_OF_ROAD
            here.use_lanes(after.lanes)
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
    start = drafts[i].crossings[0]
    if not start.into & ACROSS or not 0 < i < len(drafts) - 1:
        return False
    end = drafts[i + 1].crossings[0]
    if not end.out_of & ACROSS or passage.length_m(drafts, i) > INNER_M or start.onto.ring:
        return False
    return not (
        (start.into & TO_LEFT and end.out_of & TO_RIGHT)
        or (start.into & TO_RIGHT and end.out_of & TO_LEFT)
        or (end.out_of & TO_LEFT and end.out_of & TO_RIGHT)
    )


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
    arriving = crossing.arrives
    others = [
        angle_between(arriving, road.bearing)
        for i, road in enumerate(crossing.roads)
        if road.entry and i not in (crossing.came_in, crossing.out)
    ]
    best = min(others, key=deviation, default=0.0)
    if between(taken, best) <= _CLEARLY_STRAIGHTER:
        return True
    return deviation(taken) <= deviation(best)
