"""How long to look for a better order of stops."""

import math
from dataclasses import dataclass

from routing.errors import InvalidInput


@dataclass(frozen=True)
class Effort:
    """So many rounds of search, or rounds for so many seconds; neither: one short search.

    The order is the same for the same seed and number of rounds, whatever the number of threads.
    """

    rounds: int = 0
    seconds: float | None = None
    seed: int = 1
    threads: int = 2


QUICK = Effort()
"""One short search: five milliseconds for 50 stops."""


def effort_of(seconds: float | None) -> Effort:
    """Rounds for so many seconds, or the short search; ``InvalidInput`` for no such time."""
    if seconds is None:
        return QUICK
    if not (math.isfinite(seconds) and seconds >= 0):
        raise InvalidInput(f"seconds is {seconds}, expected 0 or more")
    return Effort(seconds=seconds)
