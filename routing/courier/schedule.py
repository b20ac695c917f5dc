"""When a search stops, how hot it is until then, and in what rounds it goes on."""

import math
import time
from dataclasses import dataclass

from routing.errors import InvalidInput

HOTTEST, COLDEST = 1.0, 0.03
"""The temperature at the beginning and at the end, in mean legs of the first routes."""
_ROUNDS = 100
_LONGEST_ROUND_S = 0.2
"""So soon a search notices that it shall stop."""
_LARGEST_ROUND = 2000
_FIRST_ROUND = 20
_LONGEST = 10**12


@dataclass(frozen=True)
class CourierParams:
    """When to stop, at what comes first, and how to search.

    | field | content |
    |---|---|
    | seconds | so long by the clock |
    | iterations | so many in each search |
    | patience | after so many in each search without a better plan |
    | seed | another one gives other plans |
    | searches | how many there are: one a worker, or 4 where only iterations count |
    | workers | threads: as many as there are processors |

    Without ``seconds`` the same seed gives the same plan, whatever the number of workers.
    """

    seconds: float | None = 10.0
    iterations: int | None = None
    patience: int | None = None
    seed: int = 1
    searches: int | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.iterations is None and self.patience is None:
            raise InvalidInput("there is no limit, expected seconds, iterations or patience")
        if self.seconds is not None and not 0 < self.seconds <= 10**6:
            raise InvalidInput(f"seconds is {self.seconds}, expected more than 0, at most 1000000")
        for name, least in (("iterations", 0), ("patience", 1), ("searches", 1), ("workers", 1)):
            value = getattr(self, name)
            if value is not None and not least <= value <= _LONGEST:
                raise InvalidInput(f"{name} is {value}, expected {least} to {_LONGEST}")
        if not 0 <= self.seed < 2**31:
            raise InvalidInput(f"seed is {self.seed}, expected 0 to {2**31 - 1}")


def temperature(fraction: float) -> float:
    """How hot a search is after a part of its time, in mean legs."""
    return HOTTEST * math.pow(COLDEST / HOTTEST, fraction)


class Schedule:
    """The rounds of a search that cools down once within its limits.

    If there is no limit but its patience, it cools down again and again, each time within that
    many iterations, until one such time has brought nothing.
    """

    def __init__(self, params: CourierParams, begun: float) -> None:
        self._params, self._begun = params, begun
        self._first = time.monotonic()
        self._better = 0
        self._cycle = 0

    def note_better(self, iterations: int) -> None:
        """After so many iterations the best plan has become better."""
        self._better = iterations

    def next_round(self, done: int) -> tuple[int, float, float] | None:
        """How many iterations come next, and between what parts of the time; None: enough.

        ``done`` iterations are behind.
        """
        params, now = self._params, time.monotonic()
        rounds, parts = [_LARGEST_ROUND], []
        if params.patience is not None:
            if done - self._cycle >= params.patience:
                if self._better <= self._cycle:
                    return None
                self._cycle = done
            left = self._cycle + params.patience - done
            rounds += [left, params.patience // _ROUNDS + 1]
            parts.append(1 - left / params.patience)
        if params.iterations is not None:
            left = params.iterations - done
            if left <= 0:
                return None
            rounds += [left, params.iterations // _ROUNDS + 1]
            parts.append(1 - left / params.iterations)
        if params.seconds is not None:
            left_s = self._begun + params.seconds - now
            if left_s <= 0:
                return None
            if done > 0:
                pace = done / max(now - self._first, 1e-6)
                round_s = min(_LONGEST_ROUND_S, params.seconds / _ROUNDS, left_s)
                rounds.append(int(pace * round_s) + 1)
            else:
                rounds.append(_FIRST_ROUND)
            parts.append(1 - left_s / params.seconds)
        count, begin = min(rounds), max(parts)
        end = begin + (begin / done * count if done > 0 else 0)
        return count, begin, min(end, 1.0)
