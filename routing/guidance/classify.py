"""What a crossing demands of the driver: type and modifier of its instruction, or none."""

from typing import TypeAlias

from routing.guidance.drafts import (
    CONTINUE,
    LEFT,
    NEW_NAME,
    NOTIFICATION,
    RIGHT,
    SHARP_LEFT,
    SHARP_RIGHT,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    TURN,
    UTURN,
    Crossing,
)
from routing.guidance.facts import RoadFacts

Instruction: TypeAlias = tuple[str, str]
"""Type and modifier."""

_UP_TO: tuple[tuple[float, str], ...] = (
    (60.0, SHARP_RIGHT),
    (140.0, RIGHT),
    (160.0, SLIGHT_RIGHT),
    (200.1, STRAIGHT),
    (220.1, SLIGHT_LEFT),
    (300.1, LEFT),
    (360.0, SHARP_LEFT),
)


def direction_of(angle: float) -> str:
    """The modifier for an angle as `Crossing.angle` gives it."""
    if angle == 0.0:
        return UTURN
    for limit, modifier in _UP_TO:
        if angle < limit:
            return modifier
    return UTURN


def classify(facts: RoadFacts, crossing: Crossing, before: int, after: int) -> Instruction | None:
    """The instruction for going from one arc to another, None where the road simply goes on."""
    if crossing.came_in is None or crossing.out is None:
        return CONTINUE, UTURN
    direction = direction_of(crossing.angle(crossing.out))
    same_name = facts.name(before) == facts.name(after)
    others = sum(road.entry for road in crossing.roads) - 1
    if facts.mode(before) != facts.mode(after):
        return NOTIFICATION, direction
    if others <= 0 or direction == STRAIGHT:
        return None if same_name else (NEW_NAME, direction)
    return (CONTINUE if same_name else TURN), direction
