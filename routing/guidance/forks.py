"""Where a road splits into ways that are alike: forks of two or three."""

from itertools import pairwise

from routing.guidance.arms import Approach, Arm, Instruction
from routing.guidance.basic import basic_turn, basic_type, obvious_way, silent_type
from routing.guidance.directions import (
    FUZZY_DEG,
    GROUP_DEG,
    NARROW_DEG,
    NO_TURN_DEG,
    between,
)
from routing.guidance.drafts import FORK, SLIGHT_LEFT, SLIGHT_RIGHT, STRAIGHT, TURN
from routing.guidance.facts import RoadNature

MUCH_NARROWER = 1.4
_MUCH_HIGHER = 1.75


def find_fork(approach: Approach) -> range | None:
    """The places of two or three arms that form a fork, from right to left, None if none do."""
    arms, via = approach.arms, approach.via
    places = _candidates(arms)
    if places is None:
        return None
    fork = arms[places.start : places.stop]
    beside_left = arms[places.stop % len(arms)]
    if (
        between(fork[-1].angle, beside_left.angle) < GROUP_DEG
        or between(fork[0].angle, arms[places.start - 1].angle) < GROUP_DEG
    ):
        return None
    if any(
        is_obvious_beside(via, one, other) or is_obvious_beside(via, other, one)
        for one, other in pairwise(fork)
    ):
        return None
    natures = [arm.nature for arm in fork]
    alike = (
        all(arm.entry for arm in fork)
        and all(nature.mode == via.mode for nature in natures)
        and all(nature.link == natures[0].link for nature in natures)
        and not any(
            obvious_by_class(via, one, other)
            for one in natures
            for other in natures
            if one is not other
        )
    )
    return places if alike else None


def _candidates(arms: list[Arm]) -> range | None:
    """Arms near to straight on, or near to one that is."""
    if len(arms) < 3:
        return None
    middle = min(range(len(arms)), key=lambda i: arms[i].off)
    if arms[middle].off > NARROW_DEG:
        return None
    right = left = middle
    while right > 0 and not _is_outermost(arms[right], arms[right - 1]):
        right -= 1
    while left + 1 < len(arms) and not _is_outermost(arms[left], arms[left + 1]):
        left += 1
    return range(right, left + 1) if right < left < right + 3 and right > 0 else None


def _is_outermost(arm: Arm, beyond: Arm) -> bool:
    """Whether the next arm beyond one is no part of the same fork."""
    return beyond.off > NARROW_DEG and (
        between(arm.angle, beyond.angle) > NARROW_DEG or arm.off > GROUP_DEG
    )


def obvious_by_class(via: RoadNature, to: RoadNature, other: RoadNature) -> bool:
    """Whether a road is the way on by its class, beside another."""
    if _MUCH_HIGHER * to.priority < other.priority and via.same_class(to):
        return True
    return other.low and not (to.low or via.low)


def is_obvious_beside(via: RoadNature, arm: Arm, other: Arm) -> bool:
    """Whether of two ways one is plainly the way on."""
    if obvious_by_class(via, arm.nature, other.nature):
        return True
    if obvious_by_class(via, other.nature, arm.nature):
        return False
    if arm.off == 0.0 and via.name and not via.renames(arm.nature):
        return True
    return other.off > MUCH_NARROWER * arm.off and abs(other.off - arm.off) > FUZZY_DEG


def can_be_fork(one: RoadNature, other: RoadNature) -> bool:
    """Whether two roads are of nearly the same priority."""
    return abs(one.priority - other.priority) <= 1


def fork_of_two(approach: Approach, right: Arm, left: Arm) -> Instruction:
    """The instruction at a fork whose right or left arm is taken."""
    via, taken = approach.via, approach.taken
    to_left = taken is left
    modifier = SLIGHT_LEFT if to_left else SLIGHT_RIGHT
    other = right if to_left else left
    if other.nature.low and not taken.nature.low:
        return silent_type(via, taken.nature), modifier
    if taken.nature.low and not other.nature.low:
        return TURN, modifier
    return FORK, modifier


def fork_of_three(approach: Approach, right: Arm, middle: Arm, left: Arm) -> Instruction:
    """The instruction at a fork of three arms, some of which may be closed."""
    via, taken = approach.via, approach.taken
    may_enter = [arm for arm in (right, middle, left) if arm.entry]
    if len(may_enter) == 1:
        return basic_turn(via, taken)
    if len(may_enter) == 2:
        return fork_of_two(approach, may_enter[0], may_enter[1])
    if taken is not middle:
        return FORK, SLIGHT_LEFT if taken is left else SLIGHT_RIGHT
    if taken.off < NO_TURN_DEG and not _announces(via, taken.nature):
        return silent_type(via, taken.nature), STRAIGHT
    return FORK, STRAIGHT


def _announces(via: RoadNature, to: RoadNature) -> bool:
    """Whether anything about the road changes."""
    return via is not to and (
        via.texts != to.texts
        or via.kind != to.kind
        or via.mode != to.mode
        or via.ring != to.ring
        or via.restricted != to.restricted
        or via.classes != to.classes
    )


def fork_of_unequal(approach: Approach, right: Arm, left: Arm) -> Instruction | None:
    """The instruction where two ways look like a fork, but one road is more important."""
    via, taken = approach.via, approach.taken
    # The road of the lower number of OSRM's priorities is the more important one.
    plain = right if left.nature.priority > right.nature.priority else left
    if taken is plain:
        return obvious_way(approach, taken)
    return basic_type(via, taken.nature), SLIGHT_LEFT if taken is left else SLIGHT_RIGHT
