"""Times of couriers for tests, in hundredths of a second."""

from collections.abc import Sequence

from gis.arrays import INF
from routing.courier.problem import Courier, CourierProblem, Window

LONGEST_WAY_CS = 2**25
"""What takes longer counts as no way."""


def cs(seconds: float) -> int:
    """Seconds as hundredths."""
    return round(seconds * 100)


def leg_cs(problem: CourierProblem, courier: Courier, a: int, b: int) -> int | None:
    """How long a courier takes from place to place; None if no way leads there."""
    duration = int(problem.durations_cs[a, b])
    found = round(duration / courier.speed)
    return None if duration >= INF or found >= LONGEST_WAY_CS else found


def near(found: int, expected: int, speed: float) -> bool:
    """Whether a leg is as expected: at a speed of its own it may have been rounded otherwise."""
    return found == expected if speed == 1 else abs(found - expected) <= 1


def is_open(windows: Sequence[Window], at_cs: int) -> bool:
    """Whether something may begin."""
    return not windows or any(cs(begin) <= at_cs <= cs(end) for begin, end in windows)


def first_opening(windows: Sequence[Window], from_cs: int) -> float:
    """When something may begin at the earliest; infinity if it is too late."""
    if not windows:
        return from_cs
    times = [max(cs(begin), from_cs) for begin, end in windows if cs(end) >= from_cs]
    return min(times, default=float("inf"))
