"""The process that solves one problem: what it does once it has been forked.

It ends by itself, whatever its kernels are at: the system sends it a signal when the other end of
its lifeline is closed, by intent or because the server's process is no more, and another when its
time is over.
"""

import fcntl
import logging
import os
import pickle
import select
import signal
import time
from dataclasses import dataclass
from typing import NoReturn

from gis.errors import EngineError
from routing.courier.plan import CourierPlan, Progress
from routing.courier.problem import CourierProblem
from routing.courier.schedule import CourierParams
from routing.courier.solve import solve_courier
from server.courier.messages import Done, Failed, Going, Message, write_message

_log = logging.getLogger(__name__)

GRACE_S = 30
"""How long after its time a process may go on before it is killed."""
_NICE = 19
_TICK_S = 0.9
"""Seconds between two words about how far it is, if there is no better plan to tell of."""
_SMALL_STOPS = 400
_SMALL_S, _LARGE_S = 0.25, 1.0
"""Seconds between two plans of small problems, and of large ones."""


@dataclass(frozen=True)
class Work:
    """What is to be solved, and for how long."""

    problem: CourierProblem
    params: CourierParams


@dataclass(frozen=True)
class Lines:
    """Descriptors: the work in a file, where to tell of it, what ends it, and what hurries it."""

    work: int
    told: int
    life: int
    stop: int


def solve(lines: Lines) -> NoReturn:
    """Solve a problem and end the process."""
    status = 1
    try:
        _tie(lines.life)
        with open(lines.work, "rb") as file:
            work: Work = pickle.load(file)
        signal.alarm(int(work.params.seconds or 0) + GRACE_S)
        write_message(lines.told, _solved(work, Teller(lines, work.problem.n_stops)))
        status = 0
    except BrokenPipeError:
        pass
    except BaseException:
        _log.exception("solving a courier's problem")
    finally:
        os._exit(status)


def _tie(life: int) -> None:
    """Let the process end with whoever holds the other end, and hinder nobody."""
    os.setsid()
    os.nice(_NICE)
    for signum in (signal.SIGIO, signal.SIGALRM, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(signum, signal.SIG_DFL)
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([life], [], [], 0)[0]:  # it was closed before
        os._exit(1)


def _solved(work: Work, teller: "Teller") -> Message:
    try:
        return Done(solve_courier(work.problem, work.params, teller))
    except EngineError as error:
        return Failed(str(error), is_input=True)
    except MemoryError:
        return Failed("there is not enough memory for this problem", is_input=False)


class Teller:
    """Tells how far a search is, not too often; called, it says whether the search is to stop."""

    def __init__(self, lines: Lines, n_stops: int) -> None:
        self._lines = lines
        self._pause_s = _SMALL_S if n_stops <= _SMALL_STOPS else _LARGE_S
        self._told_at = self._shown_at = -1.0
        self._shown: CourierPlan | None = None

    def __call__(self, progress: Progress) -> bool:
        """Tell what is to be told."""
        now, plan = time.monotonic(), progress.plan
        is_new = self._shown is None or _differ(plan, self._shown)
        is_due = self._shown is None or now - self._shown_at >= self._pause_s
        if is_new and is_due:
            self._shown, self._shown_at = plan, now
        elif now - self._told_at < _TICK_S:
            return self._is_stopped()
        shown = plan if is_new and is_due else None
        self._told_at = now
        write_message(
            self._lines.told,
            Going(progress.elapsed_s, progress.iterations, plan.cost, len(plan.unserved), shown),
        )
        return self._is_stopped()

    def _is_stopped(self) -> bool:
        return bool(select.select([self._lines.stop], [], [], 0)[0])


def _differ(plan: CourierPlan, other: CourierPlan) -> bool:
    """Whether one of two plans is better: by what it leaves undone, not only by how much."""
    left, others = ({(one.kind, one.index) for one in p.unserved} for p in (plan, other))
    return left != others or (plan.cost, plan.travel_cs) != (other.cost, other.travel_cs)
