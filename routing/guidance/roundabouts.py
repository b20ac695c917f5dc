"""Ways into roundabouts, around and out of them."""

from routing.guidance.arms import Approach, Arm
from routing.guidance.basic import obvious_way
from routing.guidance.directions import FUZZY_DEG, direction_of
from routing.guidance.drafts import (
    ENTERS,
    ENTERS_AT_EXIT,
    EXIT_ROTARY,
    EXIT_ROUNDABOUT,
    LEAVES,
    ROTARY,
    ROUNDABOUT,
    ROUNDABOUT_TURN,
    STAYS,
    SUPPRESSED,
    TOUCHES,
    Said,
)

_LEAVING = {
    ROUNDABOUT: EXIT_ROUNDABOUT,
    ROTARY: EXIT_ROTARY,
    ROUNDABOUT_TURN: EXIT_ROUNDABOUT,
}


def say_at_ring(approach: Approach, kind: str) -> Said | None:
    """What to do at a crossing of a circle of a kind; None where there is no crossing."""
    taken = approach.taken
    direction = direction_of(taken.angle)
    if approach.via.ring:
        if not taken.nature.ring:
            return _LEAVING[kind], direction, LEAVES
        return _around(approach, direction)
    if taken.nature.ring:
        ring = ENTERS_AT_EXIT if _has_exit_before(approach) else ENTERS
        return kind, direction, ring
    if taken.off < FUZZY_DEG and _crosses(approach):
        through = approach.is_through_street(approach.out)
        found = obvious_way(approach, taken, through)
        return (*found, 0) if found else None
    public = ROUNDABOUT_TURN if kind == ROUNDABOUT_TURN else _LEAVING[kind]
    return public, direction, TOUCHES


def touches_ring(approach: Approach) -> bool:
    """Whether one drives on a circle, or could drive onto one."""
    return approach.via.ring or any(arm.entry and arm.nature.ring for arm in approach.arms)


def _in_order(approach: Approach) -> list[Arm]:
    """The arms in the order in which one passes them: from the right where one drives there."""
    left = approach.facts.drives_left(approach.via_arc)
    return approach.arms[::-1] if left else approach.arms


def _has_exit_before(approach: Approach) -> bool:
    """Whether a road out of the circle lies between the one that one comes by and the circle."""
    for arm in _in_order(approach):
        if not arm.entry:
            continue
        if arm.nature.ring:
            return False
        if arm is not approach.arms[0]:
            return True
    return False


def _crosses(approach: Approach) -> bool:
    """Whether the road taken lies beyond the circle."""
    n_ring = 0
    for arm in _in_order(approach):
        if arm is approach.taken:
            break
        n_ring += arm.nature.ring
    return n_ring % 2 == 1


def _around(approach: Approach, direction: str) -> Said | None:
    """Going on around the circle: an exit is passed, unless it is one that nobody counts."""
    facts, taken = approach.facts, approach.taken
    ways_out = [arm for arm in approach.arms if not arm.nature.ring and facts.is_open(arm.arc)]
    if not ways_out:
        return None if len(approach.arms) == 2 else (SUPPRESSED, direction, 0)
    if taken.nature.low or not all(arm.nature.low for arm in ways_out):
        return SUPPRESSED, direction, STAYS
    return SUPPRESSED, direction, 0
