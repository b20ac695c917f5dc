"""The solver of courier problems: several searches in parallel."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial

import numpy as np

from gis.arrays import F64, freeze
from gis.workers import available_cpus
from routing.courier.arrange import arrange
from routing.courier.compile import make_instance
from routing.courier.cooling import Cooling
from routing.courier.instance import SPAN, SPAN_WEIGHT, Instance
from routing.courier.plan import CourierPlan, Progress
from routing.courier.problem import Courier, CourierProblem, Job, Shipment, Stop
from routing.courier.routes import take_stops
from routing.courier.schedule import (
    MOST_SEARCHES,
    CourierParams,
    Schedule,
    expected_iterations,
    fewest_searches,
    how_many_searches,
)
from routing.courier.search import Search, new_search, run_search
from routing.courier.unserved import why_unserved

_PROGRESS_S = 0.1
_TRIED = 20
"""So many iterations show how many there is time for."""

OnProgress = Callable[[Progress], bool]


def solve_courier(
    problem: CourierProblem,
    params: CourierParams | None = None,
    on_progress: OnProgress | None = None,
) -> CourierPlan:
    """The best plan that is found in the time.

    ``on_progress`` is called now and then, about ten times a second at most; if it returns true,
    the search stops and the best plan so far is the answer. Raises ``InvalidInput`` for problems
    that are too large.
    """
    warm_up()
    return _Solver(problem, params or CourierParams(), on_progress).solve()


@cache
def warm_up() -> None:
    """Have the kernels compiled, once, so that this takes nothing of the time for a search."""
    here = Stop(0, windows=((0.0, 1.0),))
    problem = CourierProblem(
        np.zeros((1, 1), np.uint32),
        (Courier(capacity=(1,)),),
        (Shipment(here, here),),
        (Job(here),),
    )
    instance = make_instance(problem)
    search = new_search(instance, 1)
    run_search(instance, search, 1, freeze(np.ones(2)))
    reason = partial(why_unserved, problem, instance)
    arrange(problem, instance, search.best_stop, search.best_length, reason)


class _Solver:
    """One run over one problem."""

    def __init__(
        self, problem: CourierProblem, params: CourierParams, on_progress: OnProgress | None
    ) -> None:
        self._begun = self._told = time.monotonic()
        self._problem, self._params, self._on_progress = problem, params, on_progress
        self._instance = make_instance(problem)
        self._workers = params.workers or available_cpus()
        self._searches = [new_search(self._instance, params.seed * MOST_SEARCHES)]
        self._best = self._searches[0]
        self._best_total = _total(self._best)
        self._iterations = 0
        self._reason = cache(partial(why_unserved, problem, self._instance))
        self._arranged: CourierPlan | None = None

    def solve(self) -> CourierPlan:
        """Search, and give the best plan."""
        with ThreadPoolExecutor(self._workers) as pool:
            self._go_on(pool, self._searches, 0, np.ones(2))
            if len(self._instance.may) > 0 and not self._is_told_to_stop():
                self._search(pool)
        return self._plan()

    def _search(self, pool: ThreadPoolExecutor) -> None:
        """Go on round by round until it is enough."""
        scale = _mean_leg(self._instance, self._best)
        pace = self._make_searches(pool, scale)
        fewest = fewest_searches(self._params, self._workers)
        schedule = Schedule(self._params, len(self._searches), fewest, self._begun, pace)
        expected = expected_iterations(self._params, pace)
        cooling = Cooling(len(self._instance.may), expected)
        going = self._searches[:0]
        while (one := schedule.next_round(self._iterations)) is not None:
            if one.searches > len(going):
                going = self._searches
                self._spread(going)
            elif one.searches < len(going):
                going = sorted(going, key=_now)[: one.searches]
            heat = np.array(cooling.temperatures(one)) * scale
            if self._go_on(pool, going, one.size, heat):
                schedule.note_better(self._iterations)
            if not any(search.routes.total[1] for search in going):
                cooling.note_cost(one, float(np.mean([_now(search)[1] for search in going])))
            if self._is_told_to_stop():
                return

    def _make_searches(self, pool: ThreadPoolExecutor, scale: float) -> float:
        """As many as there is time for, as some iterations of the first show: their pace."""
        params, begun = self._params, time.monotonic()
        n_tried = 0 if params.seconds is None else _TRIED
        self._go_on(pool, self._searches, n_tried, np.full(2, scale))
        pace = n_tried / max(time.monotonic() - begun, 1e-6)
        n = how_many_searches(params, len(self._instance.may), pace, self._workers)
        first = params.seed * MOST_SEARCHES
        self._searches += [new_search(self._instance, first + i) for i in range(1, n)]
        self._iterations = 0
        return pace * min(n, self._workers)

    def _go_on(
        self, pool: ThreadPoolExecutor, searches: list[Search], count: int, heat: F64
    ) -> bool:
        """Some iterations of some searches; whether there is a better plan than before."""
        frozen = freeze(heat)
        list(pool.map(lambda one: run_search(self._instance, one, count, frozen), searches))
        self._iterations += count * len(searches)
        before = self._best_total
        self._best = min(self._searches, key=_total)
        self._best_total = _total(self._best)
        if self._best_total >= before:
            return False
        self._arranged = None
        return True

    def _spread(self, searches: list[Search]) -> None:
        """Have searches go on from the best routes."""
        stop, length = freeze(self._best.best_stop.copy()), freeze(self._best.best_length.copy())
        for search in searches:
            take_stops(self._instance, search.routes, stop, length)

    def _is_told_to_stop(self) -> bool:
        """Tell how far it is, if it is time to; whether whoever hears it has enough."""
        now = time.monotonic()
        if self._on_progress is None or now < self._told + _PROGRESS_S:
            return False
        plan = self._plan()
        stop = self._on_progress(Progress(now - self._begun, self._iterations, plan))
        self._told = time.monotonic()
        return stop

    def _plan(self) -> CourierPlan:
        """The best so far; it is arranged once only as long as there is no better one."""
        if self._arranged is None:
            best = self._best
            self._arranged = arrange(
                self._problem, self._instance, best.best_stop, best.best_length, self._reason
            )
        elapsed_s = time.monotonic() - self._begun
        return replace(self._arranged, iterations=self._iterations, elapsed_s=elapsed_s)


def _total(search: Search) -> tuple[int, int]:
    """What is to be small: first what the absent orders are worth, then the cost."""
    return int(search.best_total[1]), int(search.best_total[0])


def _now(search: Search) -> tuple[int, int]:
    """The same of the routes a search is at."""
    return int(search.routes.total[1]), int(search.routes.total[0])


def _mean_leg(instance: Instance, search: Search) -> float:
    """The mean cost of a leg of the best routes, so that heat suits the problem."""
    routes = search.routes
    n_legs = int((routes.length + (routes.length > 0)).sum())
    cost = int((routes.travel * instance.fleet.rate).sum())
    weight = SPAN_WEIGHT if instance.rules[SPAN] else 1
    return max(cost / max(n_legs, 1), 1.0) * weight
