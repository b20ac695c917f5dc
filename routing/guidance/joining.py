"""Two maneuvers made one."""

from gis.jit import inner_kernel, int64
from routing.guidance.codes import CONTINUE, UTURN
from routing.guidance.directions import NARROW_DEG
from routing.guidance.passage import (
    FIRST,
    KIND,
    LANES,
    ROTARY,
    TEXTS,
    WAY,
    Passage,
    off_straight,
    remove,
    total_angle,
    turn_angle,
)

COLLAPSE_M = 30.0
"""Maneuvers so close to each other are one, unless more speaks against it."""


@inner_kernel
def absorb(passage: Passage, i: int, signs: bool) -> None:
    """Let a draft reach to the end of the next; with ``signs`` it takes the texts from there."""
    draft = passage.draft
    if signs:
        draft[i, TEXTS], draft[i, ROTARY] = draft[i + 1, TEXTS], draft[i + 1, ROTARY]
    remove(passage, i + 1)


@inner_kernel
def make_u_turn(passage: Passage, i: int) -> None:
    """Make one u-turn of two maneuvers."""
    passage.draft[i, KIND], passage.draft[i, WAY] = CONTINUE, UTURN
    absorb(passage, i, True)


@inner_kernel
def joint_angle(passage: Passage, first: int, second: int, length_m: float) -> float:
    """The angle of two maneuvers together, or of the first alone where the second undoes it."""
    total = total_angle(passage, first, second)
    one, other = turn_angle(passage, first), turn_angle(passage, second)
    if off_straight(total) < 0.5 * NARROW_DEG:
        return one
    same_side = (one <= 185.0 and other <= 185.0) or (one >= 175.0 and other >= 175.0)
    return total if length_m < COLLAPSE_M or same_side else one


@inner_kernel
def lanes_of(passage: Passage, i: int) -> int:
    """The lanes before the maneuver of a draft, 0 if there are none."""
    return int64(passage.passed[passage.draft[i, FIRST], LANES])


@inner_kernel
def use_lanes(passage: Passage, i: int, lanes: int) -> None:
    """Give the maneuver of a draft other lanes."""
    passage.passed[passage.draft[i, FIRST], LANES] = lanes
