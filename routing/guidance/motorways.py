"""Where roads with ramps are left, joined or divide."""

from routing.guidance.arms import Approach, Arm, Instruction
from routing.guidance.basic import obvious_way
from routing.guidance.directions import (
    FUZZY_DEG,
    NARROW_DEG,
    STRAIGHT_DEG,
    direction_of,
)
from routing.guidance.drafts import (
    CONTINUE,
    LEFT,
    MERGE,
    OFF_RAMP,
    RIGHT,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    SUPPRESSED,
    TURN,
)
from routing.guidance.forks import fork_of_three, fork_of_two

_MAX_TURN_DEG = 60.0
_HALF_EXIT_DEG = 35.0
"""An exit that turns more is a turn, not a slight one."""


def is_motorway_crossing(approach: Approach) -> bool:
    """Whether roads with ramps and their ramps alone meet, none at a wide angle."""
    from_motorway = approach.via.motorway
    onto_motorway = False
    for arm in approach.arms:
        nature = arm.nature
        if arm.entry and arm.off > _MAX_TURN_DEG:
            return False
        if nature.motorway:
            onto_motorway |= arm.entry
        elif not (nature.ramp or (from_motorway and nature.link)):
            return False
    return onto_motorway or from_motorway


def pass_motorway(approach: Approach) -> Instruction | None:
    """The instruction for the road taken; None where there is no crossing."""
    return _from_motorway(approach) if approach.via.motorway else _from_ramp(approach)


def _from_motorway(approach: Approach) -> Instruction | None:
    arms, taken = approach.arms, approach.taken
    goes_on = _way_on(approach)
    if goes_on is None:
        return _end_of_motorway(approach)
    motorways = [arm for arm in arms if arm.entry and arm.nature.motorway]
    n_exits = approach.n_entries()
    if not motorways:
        return SUPPRESSED, direction_of(taken.angle)
    if len(motorways) == 1 or len(motorways) != n_exits:
        if taken is goes_on or len(arms) == 2:
            return obvious_way(approach, taken, approach.is_through_street(1))
        kind = OFF_RAMP if taken.nature.link else TURN
        if taken.angle < goes_on.angle:
            is_turn = taken.angle < STRAIGHT_DEG - _HALF_EXIT_DEG
            return kind, RIGHT if is_turn else SLIGHT_RIGHT
        is_turn = taken.angle > STRAIGHT_DEG + _HALF_EXIT_DEG
        return kind, LEFT if is_turn else SLIGHT_LEFT
    if len(motorways) == 2:
        return fork_of_two(approach, *motorways)
    if len(motorways) == 3:
        return fork_of_three(approach, *motorways)
    return _fallback(taken)


def _way_on(approach: Approach) -> Arm | None:
    """The motorway's own continuation: by its name, or else the straightest."""
    via = approach.via
    motorways = [arm for arm in approach.arms[1:] if arm.nature.motorway]
    for arm in motorways:
        if arm.entry and via.labelled and arm.nature.labelled and not via.renames(arm.nature):
            return arm
    return min(motorways, key=lambda arm: (not arm.entry, arm.off), default=None)


def _end_of_motorway(approach: Approach) -> Instruction | None:
    """Only ramps lead on."""
    arms, taken = approach.arms, approach.taken
    if len(arms) == 2:
        return None
    if len(arms) == 3:
        if arms[1].entry and arms[2].entry:
            return fork_of_two(approach, arms[1], arms[2])
        return None
    if len(arms) == 4 and arms[1].nature.kind == arms[2].nature.kind == arms[3].nature.kind:
        return fork_of_three(approach, arms[1], arms[2], arms[3])
    return _fallback(taken)


def _from_ramp(approach: Approach) -> Instruction | None:
    arms, taken = approach.arms, approach.taken
    if len(arms) == 2:
        return obvious_way(approach, taken)
    if len(arms) == 3:
        if approach.n_entries() == 1:
            return _join(approach)
        return _past_entry(approach)
    if len(arms) == 4:
        if not taken.nature.motorway:
            return OFF_RAMP, direction_of(taken.angle)
        passed = any(arm.nature.motorway and not arm.entry for arm in arms[: approach.out])
        return MERGE, SLIGHT_RIGHT if passed else SLIGHT_LEFT
    return _fallback(taken)


def _join(approach: Approach) -> Instruction | None:
    """A ramp ends on a motorway that passes by."""
    _, right, left = approach.arms
    taken = approach.taken
    if not (
        taken.nature.motorway
        and right.nature.name
        and left.nature.name
        and not left.nature.renames(right.nature)
    ):
        through = approach.is_through_street(approach.out)
        return obvious_way(approach, taken, through)
    if taken.off >= 2.0 * NARROW_DEG:
        return MERGE, direction_of(taken.angle)
    return MERGE, SLIGHT_LEFT if taken is right else SLIGHT_RIGHT


def _past_entry(approach: Approach) -> Instruction | None:
    """A ramp leads onto a motorway and goes on beside it, or to two motorways."""
    _, right, left = approach.arms
    if right.nature.motorway and not left.nature.motorway:
        if approach.taken is right:
            return TURN, SLIGHT_RIGHT
        return CONTINUE, SLIGHT_LEFT
    return fork_of_two(approach, right, left)


def _fallback(taken: Arm) -> Instruction:
    to_left = taken.angle > STRAIGHT_DEG
    if taken.nature.motorway:
        return MERGE, SLIGHT_RIGHT if to_left else SLIGHT_LEFT
    if taken.off < FUZZY_DEG:
        return TURN, STRAIGHT
    return TURN, SLIGHT_LEFT if to_left else SLIGHT_RIGHT
