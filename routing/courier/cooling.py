"""How hot a search is in the course of its time.

How much heat breaks routes up depends on what ties them: with little room in a vehicle that is less
than half of what it is without a limit. So it is found out in a first tenth of the time, in which a
search cools down fast from where all is in motion to where nothing is (after White, "Concepts of
Scale in Simulated Annealing", ICCD 1984: a temperature's scale is what the costs met there show).
"""

import math

from routing.courier.schedule import Round

_TRIAL = 0.1
"""The part of the time that the first, fast cooling takes."""
_QUENCH = 0.95
"""From this part of the time on all cools down to where nothing moves any more."""
_HIGHEST, _COLD, _LOWEST = 2.0, 0.07, 0.03
"""Where the trial begins, where slow cooling ends, and where all ends: in mean legs."""
_FAR = 1.08
"""Slow cooling begins where routes cost so much more than the best known."""
_USUAL, _LEAST = 1.0, 0.3
"""Where it begins if there is no trial or it shows nothing, and at the least."""
_PER_ORDER = 1000
"""With fewer iterations in all for each order a trial would only show how routes become better."""


class Cooling:
    """The temperature of searches, in mean legs of the first routes."""

    def __init__(self, n_orders: int, n_iterations: float) -> None:
        """``n_iterations``: about so many there will be."""
        self._costs: list[tuple[float, float]] = []  # temperatures, and what routes cost there
        is_short = n_iterations < _PER_ORDER * n_orders
        self._begin: float | None = _USUAL if is_short else None
        self._trial = 0.0 if is_short else _TRIAL

    def temperatures(self, one: Round) -> tuple[float, float]:
        """How hot it is at the beginning of a round and at its end."""
        slow_from = 0.0 if one.again else self._trial
        return self._temperature(one.begin, slow_from), self._temperature(one.end, slow_from)

    def note_cost(self, one: Round, cost: float) -> None:
        """Note what the routes of the searches cost on average at the end of a round."""
        if self._begin is None and one.end < self._trial:
            self._costs.append((self._temperature(one.end, self._trial), cost))

    def _temperature(self, part: float, slow_from: float) -> float:
        """How hot it is after a part of the time; slow cooling begins after another."""
        if part < slow_from:
            return _between(_HIGHEST, _LOWEST, part / slow_from)
        if self._begin is None:
            self._begin = self._find_begin()
        if part < _QUENCH:
            return _between(self._begin, _COLD, (part - slow_from) / (_QUENCH - slow_from))
        return _between(_COLD, _LOWEST, (part - _QUENCH) / (1 - _QUENCH))

    def _find_begin(self) -> float:
        """Where routes cost so much more than the least that was noted, for the last time."""
        best = min((cost for _, cost in self._costs), default=0.0)
        above = [i for i, (_, cost) in enumerate(self._costs) if cost > best * _FAR]
        if best <= 0 or not above or above[-1] == len(self._costs) - 1:
            return _USUAL
        heat, cost = self._costs[above[-1]]
        colder, less = self._costs[above[-1] + 1]
        begin = _between(heat, colder, (cost - best * _FAR) / (cost - less))
        return max(_LEAST, begin)


def _between(first: float, last: float, part: float) -> float:
    """Between two temperatures, by their logarithms."""
    return first * math.pow(last / first, part)
