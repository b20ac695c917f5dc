"""Turning by an angle: the words for it, and the thresholds that OSRM's guidance goes by.

Angles are those of `Crossing.angle`: 0 back, 90 right, 180 straight on, 270 left.
"""

from routing.guidance.drafts import (
    LEFT,
    RIGHT,
    SHARP_LEFT,
    SHARP_RIGHT,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    UTURN,
)

STRAIGHT_DEG = 180.0
NO_TURN_DEG = 3.0
"""So little from straight on is no turn at all."""
FUZZY_DEG = 25.0
"""Straight enough if no other way is."""
NARROW_DEG = 40.0
"""Two ways that differ by less look alike."""
BEND_DEG = 55.0
"""What deviates by more from straight on is more than a bend."""
GROUP_DEG = 60.0
"""Ways that differ by less belong together."""

LEFTS = frozenset((SLIGHT_LEFT, LEFT, SHARP_LEFT))
RIGHTS = frozenset((SLIGHT_RIGHT, RIGHT, SHARP_RIGHT))
MIRRORED = {
    UTURN: UTURN,
    STRAIGHT: STRAIGHT,
    SHARP_RIGHT: SHARP_LEFT,
    RIGHT: LEFT,
    SLIGHT_RIGHT: SLIGHT_LEFT,
    SHARP_LEFT: SHARP_RIGHT,
    LEFT: RIGHT,
    SLIGHT_LEFT: SLIGHT_RIGHT,
}
"""Every modifier as seen in a mirror."""


def direction_of(angle: float) -> str:
    """The modifier for an angle."""
    if angle < 160.0:
        if angle >= 140.0:
            return SLIGHT_RIGHT
        if angle >= 60.0:
            return RIGHT
        return SHARP_RIGHT if angle > 0.0 else UTURN
    if angle <= 200.0:
        return STRAIGHT
    if angle <= 220.0:
        return SLIGHT_LEFT
    if angle <= 300.0:
        return LEFT
    return SHARP_LEFT if angle < 360.0 else UTURN


def between(one: float, other: float) -> float:
    """The smaller of the two angles between directions, 0..180."""
    difference = abs(one - other)
    return 360.0 - difference if difference > 180.0 else difference


def turned(one: float, other: float) -> float:
    """Degrees from one direction to another, clockwise: -180 <= turned < 180."""
    return (other - one + 540.0) % 360.0 - 180.0


def deviation(angle: float) -> float:
    """By how many degrees a turn differs from straight on, 0..180."""
    return between(angle, STRAIGHT_DEG)
