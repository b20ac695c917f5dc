"""When a search stops, and in what rounds it goes on until then."""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

from routing.errors import InvalidInput

_ROUNDS = 100
_LONGEST_ROUND_S = 0.2
"""So soon a search notices that it shall stop."""
_FIRST_ROUND, _LARGEST_ROUND = 200, 2000
"""The first is small, since nothing is known of its pace, and none more than twice all before."""
_CUTS = (0.4, 0.6)
"""The parts of the time after which half of the searches end."""
_FEWEST, _MOST = 2, 8
_ITERATIONS_PER_ORDER = 2000
"""One search goes before another as long as it has fewer than these: measured on 100 and 200."""
MOST_SEARCHES = 64
MOST_SECONDS = 10**6
MOST_SEED = 2**31 - 1
MOST_WORKERS = 1024
_LIMITS = (
    ("iterations", 0, 10**12),
    ("patience", 1, 10**12),
    ("searches", 1, MOST_SEARCHES),
    ("workers", 1, MOST_WORKERS),
)


@dataclass(frozen=True)
class CourierParams:
    """When to stop, at what comes first, and how to search.

    | field | content |
    |---|---|
    | seconds | so long by the clock |
    | iterations | so many in all searches together |
    | patience | so many in all searches together without a better plan |
    | seed | another one gives other plans |
    | searches | how many there are at first: 2 to 8, the fewer the less time each order has |
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
        if self.seconds is not None and not 0 < self.seconds <= MOST_SECONDS:
            raise InvalidInput(
                f"seconds is {self.seconds}, expected more than 0, at most {MOST_SECONDS}"
            )
        for name, least, most in _LIMITS:
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise InvalidInput(f"{name} is {value}, expected {least} to {most}")
        if not 0 <= self.seed <= MOST_SEED:
            raise InvalidInput(f"seed is {self.seed}, expected 0 to {MOST_SEED}")


def how_many_searches(params: CourierParams, n_orders: int, pace: float, workers: int) -> int:
    """How many searches there are at first, where one makes ``pace`` iterations in a second.

    A power of two; each worker has one if only the time is limited.
    """
    if params.searches is not None:
        return params.searches
    total = expected_iterations(params, pace * workers)
    searches = _FEWEST
    while searches < _MOST and 2 * searches * _ITERATIONS_PER_ORDER * n_orders <= total:
        searches *= 2
    return max(searches, fewest_searches(params, workers))


def expected_iterations(params: CourierParams, pace: float) -> float:
    """About how many there will be at a pace, in all searches together."""
    limits = [float(most) for most in (params.iterations, params.patience) if most is not None]
    if params.seconds is not None:
        limits.append(pace * params.seconds)
    return min(limits)


def fewest_searches(params: CourierParams, workers: int) -> int:
    """How many searches go on to the end."""
    limited = params.iterations is not None or params.patience is not None
    return _FEWEST if limited else max(_FEWEST, min(workers, MOST_SEARCHES))


class Round(NamedTuple):
    """So many iterations of each of so many searches, between two parts of the time.

    ``again`` if all has begun anew before.
    """

    size: int
    searches: int
    begin: float
    end: float
    again: bool


class Schedule:
    """The rounds of searches of which there are fewer and fewer, while all cool down.

    Half of the searches go on after four tenths of the time, and half of these after six: the
    better ones then, since what a search decides on while it is hot is seldom mended later. At
    least ``fewest`` stay. If there is no limit but patience, all begins anew with the best routes,
    each time within that many iterations, until one such time has brought nothing.
    """

    def __init__(
        self, params: CourierParams, searches: int, fewest: int, begun: float, pace: float
    ) -> None:
        """``pace``: about so many iterations a second are made, by all searches together."""
        self._params, self._searches, self._fewest = params, searches, fewest
        self._begun, self._first, self._pace = begun, time.monotonic(), pace
        self._better = 0
        self._cycle = 0

    def note_better(self, iterations: int) -> None:
        """After so many iterations the best plan has become better."""
        self._better = iterations

    def next_round(self, done: int) -> Round | None:
        """What comes after so many iterations in all searches together; None: it is enough."""
        params, now = self._params, time.monotonic()
        begin, size, whole = 0.0, float(_LARGEST_ROUND * self._searches), math.inf
        if params.patience is not None:
            if done - self._cycle >= params.patience:
                if self._better <= self._cycle:
                    return None
                self._cycle = done
            begin = (done - self._cycle) / params.patience
            whole = params.patience
        if params.iterations is not None:
            if done >= params.iterations:
                return None
            begin = max(begin, done / params.iterations)
            whole = min(whole, params.iterations)
        size = min(size, whole / _ROUNDS)
        if params.seconds is not None:
            left_s = self._begun + params.seconds - now
            if left_s <= 0:
                return None
            if now > self._first + _LONGEST_ROUND_S:
                self._pace = done / (now - self._first)
            begin = max(begin, 1 - left_s / params.seconds)
            whole = min(whole, self._pace * params.seconds)
            round_s = min(_LONGEST_ROUND_S, params.seconds / _ROUNDS, left_s)
            size = min(size, self._pace * round_s, max(2 * done, _FIRST_ROUND))
        left = self._searches >> sum(begin >= cut for cut in _CUTS)
        searches = min(self._searches, max(self._fewest, left))
        size = max(1, round(size / searches))
        end = min(1.0, begin + size * searches / whole)
        return Round(size, searches, begin, end, self._cycle > 0)
