"""Turns at crossings of ordinary roads."""

from routing.guidance.arms import Approach, Arm, Instruction
from routing.guidance.basic import basic_turn, basic_type, obvious_way
from routing.guidance.directions import (
    FUZZY_DEG,
    GROUP_DEG,
    MIRRORED,
    NARROW_DEG,
    NO_TURN_DEG,
    STRAIGHT_DEG,
    between,
    direction_of,
)
from routing.guidance.drafts import (
    END_OF_ROAD,
    LEFT,
    ON_RAMP,
    RIGHT,
    SHARP_RIGHT,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    UTURN,
)
from routing.guidance.facts import RoadNature
from routing.guidance.forks import (
    can_be_fork,
    find_fork,
    fork_of_three,
    fork_of_two,
    fork_of_unequal,
)
from routing.guidance.obvious import find_obvious

_HALF_RIGHT_DEG = 85.0


def turn_at(approach: Approach) -> Instruction | None:
    """The instruction for the road taken; None where there is no crossing."""
    if approach.out == 0:
        return basic_type(approach.via, approach.taken.nature), UTURN
    n = len(approach.arms)
    if n == 2:
        return obvious_way(approach, approach.taken)
    return _three_ways(approach) if n == 3 else _many_ways(approach)


def _three_ways(approach: Approach) -> Instruction | None:
    arms, via, taken = approach.arms, approach.via, approach.taken
    _, right, left = arms
    obvious = find_obvious(approach)
    fork = find_fork(approach)
    if fork and (obvious == 0 or all(arm.nature.link for arm in arms)):
        return fork_of_two(approach, right, left)
    if obvious == 0:
        if is_end_of_road(right, left):
            kind = basic_type(via, taken.nature)
            modifier = RIGHT if taken is right else LEFT
            return (ON_RAMP if kind == ON_RAMP else END_OF_ROAD), modifier
        return basic_turn(via, taken)
    if approach.out == obvious:
        through = approach.is_through_street(obvious)
        return obvious_way(approach, taken, through)
    kind, direction = basic_turn(via, taken)
    if direction == STRAIGHT == direction_of(arms[obvious].angle):
        direction = SLIGHT_RIGHT if taken is right else SLIGHT_LEFT
    return kind, direction


def is_end_of_road(right: Arm, left: Arm) -> bool:
    """Whether a road ends at another that crosses it."""
    return (
        between(right.angle, 90.0) < NARROW_DEG
        and between(left.angle, 270.0) < NARROW_DEG
        and between(right.angle, left.angle) > 2.0 * NARROW_DEG
    )


def _many_ways(approach: Approach) -> Instruction | None:
    arms, out = approach.arms, approach.out
    obvious = find_obvious(approach)
    if obvious:
        if out == obvious:
            through = approach.is_through_street(obvious)
            return obvious_way(approach, approach.taken, through)
        return _beside(approach, obvious, obvious)
    fork = find_fork(approach)
    if fork:
        if out in fork:
            return _fork(approach, arms[fork.start : fork.stop])
        return _beside(approach, fork.start, fork.stop - 1)
    straightmost = min(range(len(arms)), key=lambda i: arms[i].off)
    arm = arms[straightmost]
    if arm.off < FUZZY_DEG and not arm.entry:
        return _beside(approach, straightmost, straightmost)
    if arm.angle > STRAIGHT_DEG:
        return _beside(approach, straightmost, straightmost - 1)
    if arm.angle < STRAIGHT_DEG:
        return _beside(approach, straightmost + 1, straightmost)
    return basic_turn(approach.via, approach.taken)


def _fork(approach: Approach, arms: list[Arm]) -> Instruction | None:
    if len(arms) == 3:
        return fork_of_three(approach, *arms)
    right, left = arms
    if can_be_fork(right.nature, left.nature):
        return fork_of_two(approach, right, left)
    return fork_of_unequal(approach, right, left)


def _beside(approach: Approach, right_of: int, left_of: int) -> Instruction | None:
    """A turn to the right of one arm or to the left of another, by their places."""
    arms, out = approach.arms, approach.out
    if 0 < out < right_of:
        return _to_the_side(approach, arms[1:right_of], out - 1)
    if out > left_of:
        aside = [arm.mirrored() for arm in reversed(arms[left_of + 1 :])]
        found = _to_the_side(approach, aside, len(arms) - 1 - out)
        return (found[0], MIRRORED[found[1]]) if found else None
    return basic_turn(approach.via, approach.taken)


def _to_the_side(approach: Approach, aside: list[Arm], place: int) -> Instruction | None:
    """A turn into one of the roads on the right, from the sharpest to the straightest."""
    via, taken = approach.via, aside[place]
    directions = [direction_of(arm.angle) for arm in aside]
    if len(aside) == 2 and directions[0] == directions[1]:
        return _tell_apart(approach, aside[1], aside[0], place == 1)
    if len(aside) == 3 and (directions[0] == directions[1] or directions[1] == directions[2]):
        return _one_of_three(approach, aside, directions, place)
    return basic_turn(via, taken)


def _one_of_three(
    approach: Approach, aside: list[Arm], directions: list[str], place: int
) -> Instruction | None:
    """A turn into one of three roads on the right, two of which turn alike."""
    sharp, middle, slight = aside
    via, taken = approach.via, aside[place]
    if not (sharp.entry and middle.entry and slight.entry):
        pair = (2, 0)
        if not slight.entry:
            pair = (1, 0)
        elif not sharp.entry:
            pair = (2, 1)
        if place not in pair:
            return basic_turn(via, taken)
        return _tell_apart(approach, aside[pair[0]], aside[pair[1]], place == pair[0])
    near, far = between(sharp.angle, middle.angle), between(middle.angle, slight.angle)
    if near >= NARROW_DEG and far >= NARROW_DEG:
        return basic_type(via, taken.nature), (SHARP_RIGHT, RIGHT, SLIGHT_RIGHT)[place]
    all_alike = directions[0] == directions[1] == directions[2]
    first_two, last_two = directions[0] == directions[1], directions[1] == directions[2]
    if all_alike or (first_two and far < GROUP_DEG) or (last_two and near < GROUP_DEG):
        return basic_turn(via, taken)
    if far >= GROUP_DEG:
        if place == 2:
            return basic_turn(via, taken)
        return _tell_apart(approach, middle, sharp, place == 1)
    if place == 0:
        return basic_turn(via, taken)
    return _tell_apart(approach, slight, middle, place == 2)


def _tell_apart(approach: Approach, left: Arm, right: Arm, to_left: bool) -> Instruction | None:
    """Different words for two roads on the right with the same one; ``left`` turns less."""
    via, taken = approach.via, left if to_left else right
    if not (left.entry and right.entry) or left.angle == right.angle:
        return basic_turn(via, taken)
    kind = basic_type(via, taken.nature)
    if direction_of(left.angle) in (STRAIGHT, SLIGHT_LEFT) or (
        direction_of(right.angle) == SLIGHT_RIGHT
    ):
        return _nearly_straight(approach, left, right, to_left)
    modifiers = _two_modifiers(left.angle, right.angle)
    return kind, modifiers[0] if to_left else modifiers[1]


def _nearly_straight(
    approach: Approach, left: Arm, right: Arm, to_left: bool
) -> Instruction | None:
    """One of two roads that go nearly straight on: the more important one is the way on."""
    via: RoadNature = approach.via
    right_is_plain = left.nature.priority > right.nature.priority
    taken = left if to_left else right
    if to_left != right_is_plain:
        return obvious_way(approach, taken)
    return basic_type(via, taken.nature), SLIGHT_LEFT if to_left else SLIGHT_RIGHT


def _two_modifiers(left: float, right: float) -> tuple[str, str]:
    """Modifiers of two turns to the right by their angles, the lesser turn's first."""
    if between(left, 90.0) < NO_TURN_DEG:
        return RIGHT, SHARP_RIGHT
    if between(right, 90.0) < NO_TURN_DEG:
        return SLIGHT_RIGHT, RIGHT
    if direction_of(right) == SHARP_RIGHT:
        return RIGHT, SHARP_RIGHT
    if between(left, _HALF_RIGHT_DEG) >= between(right, _HALF_RIGHT_DEG):
        return SLIGHT_RIGHT, RIGHT
    return RIGHT, SHARP_RIGHT
