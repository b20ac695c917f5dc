"""One process that keeps several workers answering on one socket.

The workers are forked once everything is loaded, so that they share the dataset and the compiled
kernels; a worker that dies is forked again from the same state.
"""

import contextlib
import errno
import gc
import logging
import os
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import NoReturn

from gis.errors import ResourceError

_log = logging.getLogger(__name__)

_WATCHED = frozenset({signal.SIGCHLD, signal.SIGTERM, signal.SIGINT})
_STABLE_S = 5.0
"""A worker that lived this long is replaced at once, one that did not after a pause."""
_MIN_PAUSE_S = 0.1
_MAX_PAUSE_S = 2.0
_IDLE_S = 3600.0
"""How long to wait for a signal when there is nothing else to do; any length will do."""
_KILL_AFTER_S = 5.0
"""How long after its time to drain a worker may take to end."""


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; ``ResourceError`` says why there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(2048)
    except (OSError, OverflowError, TypeError, ValueError) as error:  # the last two: odd names
        sock.close()
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            reason = "something else is listening there; choose another with --port"
        else:
            reason = getattr(error, "strerror", None) or str(error)
        raise ResourceError(f"cannot listen on {host} port {port}: {reason}") from None
    return sock


class Supervisor:
    """Runs ``work(sock, parent)`` in several processes until it is told to stop.

    ``parent`` is a descriptor that becomes readable if the supervisor is no more. A worker ends
    well on SIGTERM; SIGINT it never sees, so that Ctrl-C reaches the supervisor alone.
    """

    def __init__(
        self,
        work: Callable[[socket.socket, int], None],
        sock: socket.socket,
        workers: int,
        drain_s: float,
    ) -> None:
        self._work = work
        self._sock = sock
        self._workers = workers
        self._drain_s = drain_s
        self._started: dict[int, float] = {}
        self._alive, self._held = os.pipe()

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(self._started)

    def run(self, ready: Callable[[], None]) -> None:
        """Start the workers, call ``ready``, and replace those that die, until told to stop."""
        gc.collect()
        gc.freeze()
        with _signals_waiting():
            try:
                for _ in range(self._workers):
                    self._start_worker()
                ready()
                self._replace_dead()
            finally:
                self._sock.close()
                self._stop_workers()

    def _start_worker(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # idle threads of NumPy's BLAS
            pid = os.fork()
        if pid == 0:
            self._run_worker()
        self._started[pid] = time.monotonic()

    def _run_worker(self) -> NoReturn:
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED)
            os.close(self._held)
            self._work(self._sock, self._alive)
            status = 0
        except BaseException:
            _log.exception("a worker failed")
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    def _replace_dead(self) -> None:
        """Start others for workers that die, after a pause if need be, until told to stop."""
        pause_s = due = 0.0
        while True:
            lacking = len(self._started) < self._workers
            wait_s = max(due - time.monotonic(), 0.0) if lacking else _IDLE_S
            told = signal.sigtimedwait(_WATCHED, wait_s)
            if told is not None and told.si_signo != signal.SIGCHLD:
                return
            if told is None and self._fill():
                continue
            steady = told is not None and self._bury_dead()
            pause_s = 0.0 if steady else min(max(2 * pause_s, _MIN_PAUSE_S), _MAX_PAUSE_S)
            due = time.monotonic() + pause_s

    def _bury_dead(self) -> bool:
        """Forget the workers that have ended; whether all of them had lived long enough."""
        steady = True
        for pid, status in _reap(self._started):
            _log.warning("worker %d ended with status %d: starting another", pid, status)
            steady &= time.monotonic() - self._started.pop(pid) >= _STABLE_S
        return steady

    def _fill(self) -> bool:
        """Start workers up to their number; whether the system let us."""
        try:
            while len(self._started) < self._workers:
                self._start_worker()
        except OSError as error:
            _log.warning("cannot start a worker: %s: trying again", error.strerror)
            return False
        return True

    def _stop_workers(self) -> None:
        """Let the workers finish what they have begun; a second signal ends them at once."""
        for pid in self._started:
            os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + self._drain_s + _KILL_AFTER_S
        while self._started:
            told = signal.sigtimedwait(_WATCHED, 0.1)
            again = told is not None and told.si_signo != signal.SIGCHLD
            for pid, _ in _reap(self._started):
                del self._started[pid]
            if again or time.monotonic() > deadline:
                for pid in self._started:
                    os.kill(pid, signal.SIGKILL)


def _reap(pids: dict[int, float]) -> list[tuple[int, int]]:
    """Those of the processes that have ended, with their exit status or minus their signal."""
    ended = []
    for pid in list(pids):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            ended.append((pid, os.waitstatus_to_exitcode(status)))
    return ended


@contextlib.contextmanager
def _signals_waiting() -> Iterator[None]:
    """Hold back the signals that ``sigwait`` fetches."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
