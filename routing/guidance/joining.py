"""Two maneuvers made one."""

from routing.guidance.directions import NARROW_DEG, deviation
from routing.guidance.drafts import CONTINUE, UTURN, Draft
from routing.guidance.passage import total_angle, turn_angle

COLLAPSE_M = 30.0
"""Maneuvers so close to each other are one, unless more speaks against it."""


def absorb(drafts: list[Draft], i: int, signs: bool = False) -> None:
    """Let a draft reach to the end of the next; with ``signs`` it takes the texts from there."""
    here, after = drafts[i], drafts.pop(i + 1)
    here.crossings.extend(after.crossings)
    if signs:
        here.texts = after.texts
        here.rotary = after.rotary


def make_u_turn(drafts: list[Draft], i: int) -> None:
    """Make one u-turn of two maneuvers."""
    drafts[i].type, drafts[i].modifier = CONTINUE, UTURN
    absorb(drafts, i, signs=True)


def joint_angle(first: Draft, second: Draft, length_m: float) -> float:
    """The angle of two maneuvers together, or of the first alone where the second undoes it."""
    total = total_angle(first, second)
    if deviation(total) < 0.5 * NARROW_DEG:
        return turn_angle(first)
    one, other = turn_angle(first), turn_angle(second)
    same_side = (one <= 185 and other <= 185) or (one >= 175 and other >= 175)
    return total if length_m < COLLAPSE_M or same_side else one
