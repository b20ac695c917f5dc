"""Instructions for single roads: which type a turn has, and what the obvious way on needs."""

from routing.guidance.arms import Approach, Arm, Instruction
from routing.guidance.directions import NARROW_DEG, STRAIGHT_DEG, direction_of
from routing.guidance.drafts import (
    CONTINUE,
    MERGE,
    NEW_NAME,
    NOTIFICATION,
    ON_RAMP,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    UTURN,
)
from routing.guidance.facts import RoadNature

_NO_ANGLE_DEG = 0.01
_LONG_ENOUGH_M = 60.0
"""A road goes straight on for so long before a driver calls a narrow turn into it straight."""


def basic_type(via: RoadNature, to: RoadNature) -> str:
    """The type of a turn where nothing else is special about it."""
    if to.ramp and not via.ramp:
        return ON_RAMP
    if via.name and to.name and not via.renames(to):
        return CONTINUE
    return TURN


def basic_turn(via: RoadNature, arm: Arm) -> Instruction:
    """Type and modifier of a turn where nothing else is special about it."""
    return basic_type(via, arm.nature), direction_of(arm.angle)


def silent_type(via: RoadNature, to: RoadNature) -> str:
    """For going on without a word: a change of mode is always told."""
    return SUPPRESSED if via.mode == to.mode else NOTIFICATION


def obvious_way(approach: Approach, arm: Arm, through_street: bool = False) -> Instruction | None:
    """What to say of a way on that is obvious; None if there was no crossing at all.

    ``through_street`` tells whether the road taken comes from the other side of the crossing.
    """
    via, to = approach.via, arm.nature
    kind, direction = basic_type(via, to), direction_of(arm.angle)
    if kind == ON_RAMP:
        return ON_RAMP, direction
    if arm.angle < _NO_ANGLE_DEG:
        return CONTINUE, UTURN
    if kind == TURN and via.renames(to):
        if through_street:
            return _onto_through_street(approach, arm, direction)
        return (NEW_NAME if via.mode == to.mode else NOTIFICATION), direction
    if via.mode != to.mode:
        return NOTIFICATION, direction
    if len(approach.arms) == 2 and via.classes == to.classes:
        return None
    return SUPPRESSED, direction


def _onto_through_street(approach: Approach, arm: Arm, direction: str) -> Instruction:
    """The obvious way leads onto a road that was there before."""
    via, to = approach.via, arm.nature
    if to.motorway:
        return MERGE, SLIGHT_RIGHT if arm.angle > STRAIGHT_DEG else SLIGHT_LEFT
    if via.ramp and to.ramp:
        return silent_type(via, to), direction
    is_long = approach.facts.length_m(arm.arc) > _LONG_ENOUGH_M
    return TURN, STRAIGHT if arm.off < NARROW_DEG and is_long else direction
