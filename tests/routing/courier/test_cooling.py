"""How hot searches are, and where the slow cooling begins."""

import math

import pytest

from routing.courier.cooling import Cooling
from routing.courier.schedule import CourierParams, Round, Schedule

USUAL, COLD, LOWEST = 1.0, 0.07, 0.03


def at(part: float, *, again: bool = False) -> Round:
    """A round that ends after a part of the time."""
    return Round(1, 1, part, part, again)


def tried(cost_at: dict[float, float], best: float) -> Cooling:
    """A trial in which routes cost so much at some parts of it."""
    cooling = Cooling(10, 10_000)
    for part, cost in [*cost_at.items(), (0.99, best)]:
        cooling.note_cost(at(part / 10), cost)
    return cooling


def test_a_trial_first() -> None:
    """Fast, from the highest temperature to the lowest."""
    cooling = Cooling(10, 10_000)
    for part in (0.0, 0.02, 0.05, 0.0999):
        expected = 2.0 * (LOWEST / 2.0) ** (part * 10)
        assert cooling.temperatures(at(part)) == pytest.approx((expected, expected))


def test_no_time_for_a_trial() -> None:
    """It begins as usual at once."""
    cooling = Cooling(10, 9999)
    cooling.note_cost(at(0.01), 130)
    cooling.note_cost(at(0.05), 100)
    assert cooling.temperatures(at(0.0)) == (USUAL, USUAL)
    assert cooling.temperatures(at(0.95))[0] == pytest.approx(COLD)


def test_nothing_is_learnt() -> None:
    """Then it begins as usual."""
    assert Cooling(10, 10_000).temperatures(at(0.1))[0] == USUAL
    assert tried({0.1: 105, 0.5: 103}, 100).temperatures(at(0.1))[0] == USUAL
    assert tried({0.1: 0, 0.5: 0}, 0).temperatures(at(0.1))[0] == USUAL
    # The best was met in between, as where another courier is used in the end.
    assert tried({0.1: 120, 0.5: 100}, 130).temperatures(at(0.1))[0] == USUAL


def test_where_slow_cooling_begins() -> None:
    """Where routes cost 8 % more than the best, between what was noted hotter and colder."""
    cooling = tried({0.1: 130, 0.2: 110, 0.4: 106, 0.8: 101}, 100)
    begin = cooling.temperatures(at(0.1))[0]
    hotter, colder = (2.0 * (LOWEST / 2.0) ** part for part in (0.2, 0.4))
    assert begin == pytest.approx(math.sqrt(hotter * colder))
    assert cooling.temperatures(at(0.95))[0] == pytest.approx(COLD)
    assert cooling.temperatures(at(0.525))[0] == pytest.approx(math.sqrt(begin * COLD))
    assert cooling.temperatures(at(1.0))[0] == pytest.approx(LOWEST)
    # If all begins anew there is no trial.
    assert cooling.temperatures(at(0.0, again=True))[0] == begin


def test_not_too_cold() -> None:
    """Whatever the trial shows."""
    cooling = tried({0.9: 200}, 100)
    assert cooling.temperatures(at(0.1))[0] == 0.3


def test_what_comes_later_is_not_noted() -> None:
    """Costs in the slow part say nothing about where it should have begun."""
    cooling = tried({0.2: 130, 0.6: 106}, 100)
    begin = cooling.temperatures(at(0.1))[0]
    cooling.note_cost(at(0.5), 50)
    assert cooling.temperatures(at(0.1))[0] == begin


def test_rounds_follow_each_other() -> None:
    """Each begins where the one before has ended, up to the end."""
    schedule = Schedule(CourierParams(seconds=None, iterations=10_000), 4, 2, 0.0, 1000.0)
    done, last = 0, 0.0
    while (one := schedule.next_round(done)) is not None:
        assert one.begin == done / 10_000
        assert done == 0 or one.begin == pytest.approx(last)
        assert not one.again
        done += one.size * one.searches
        last = one.end if done > one.size * one.searches else done / 10_000
    assert done >= 10_000


def test_all_begins_anew_until_it_brings_nothing() -> None:
    """With patience as the only limit."""
    schedule = Schedule(CourierParams(seconds=None, patience=1000), 2, 2, 0.0, 1000.0)
    done, agains = 0, set()
    while (one := schedule.next_round(done)) is not None:
        agains.add(one.again)
        done += one.size * one.searches
        if done < 1500:
            schedule.note_better(done)
    assert agains == {False, True}
    assert 2000 <= done < 3100
