"""One process that keeps several workers answering on one socket.

The workers are forked once everything is loaded, so that they share the dataset and the compiled
kernels; a worker that dies is forked again from the same state.
"""

import contextlib
import gc
import logging
import os
import selectors
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, NoReturn, Protocol

from server.processes.link import Link

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


class Coordinator(Protocol):
    """What the workers have in common, besides their socket; the supervisor calls it."""

    def joined(self, slot: int, pid: int, channel: socket.socket) -> None:
        """A worker has been started; the other end of the line to it."""

    def left(self, slot: int) -> None:
        """A worker has ended."""

    def readers(self) -> dict[int, Callable[[], None]]:
        """Descriptors to watch, and what to call when they are readable."""

    def tick(self) -> float:
        """Do what is due; seconds until something is again."""

    def close(self) -> None:
        """Let go of all lines, in a worker."""


class _Worker(NamedTuple):
    slot: int
    began: float
    channel: socket.socket


class Supervisor:
    """Runs ``work(sock, link)`` in several processes until it is told to stop.

    A worker ends well on SIGTERM, which comes to it once it no longer blocks it. SIGINT it never
    sees, so that Ctrl-C reaches the supervisor alone. When all are to end, they hear of it by the
    pipe ``link.parent`` before.
    """

    def __init__(
        self,
        work: Callable[[socket.socket, Link], None],
        sock: socket.socket,
        workers: int,
        drain_s: float,
        *,
        coordinator: Coordinator | None = None,
        replaced: Callable[[], None] = lambda: None,
    ) -> None:
        self._work = work
        self._sock = sock
        self._drain_s = drain_s
        self._coordinator = coordinator
        self._replaced = replaced
        self._started: dict[int, _Worker] = {}
        self._free = list(range(workers))
        self._alive, self._held = os.pipe()

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(self._started)

    def run(self, ready: Callable[[], None]) -> None:
        """Start the workers, call ``ready``, and replace those that die, until told to stop."""
        gc.collect()
        gc.freeze()
        with _signals_waiting() as signals:
            try:
                while self._free:
                    self._start_worker()
                ready()
                self._replace_dead(signals)
            finally:
                self._sock.close()
                self._stop_workers(signals)

    def _start_worker(self) -> None:
        ours, theirs = socket.socketpair()
        slot = self._free[0]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # idle threads of NumPy's BLAS
                with _signals_blocked():
                    pid = os.fork()
                    if pid == 0:
                        ours.close()
                        self._run_worker(Link(self._alive, slot, theirs))
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._free.pop(0)
        self._started[pid] = _Worker(slot, time.monotonic(), ours)
        if self._coordinator is not None:
            self._coordinator.joined(slot, pid, ours)

    def _run_worker(self, link: Link) -> NoReturn:
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            for signum in (signal.SIGTERM, signal.SIGCHLD):
                signal.signal(signum, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED - {signal.SIGTERM})
            os.close(self._held)
            for worker in self._started.values():
                worker.channel.close()
            if self._coordinator is not None:
                self._coordinator.close()
            self._work(self._sock, link)
            status = 0
        except BaseException:
            _log.exception("a worker failed")
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    def _replace_dead(self, signals: "_Signals") -> None:
        """Start others for workers that die, after a pause if need be, until told to stop."""
        pause_s = due = 0.0
        while True:
            wait_s = self._coordinator.tick() if self._coordinator is not None else _IDLE_S
            if self._free:
                wait_s = min(wait_s, max(due - time.monotonic(), 0.0))
            told = self._wait(signals, wait_s)
            if told & {signal.SIGTERM, signal.SIGINT}:
                return
            if signal.SIGCHLD in told and (lived := self._bury_dead()):
                steady = min(lived) >= _STABLE_S
                pause_s = 0.0 if steady else min(max(2 * pause_s, _MIN_PAUSE_S), _MAX_PAUSE_S)
                due = time.monotonic() + pause_s
            elif self._free and time.monotonic() >= due and not self._fill():
                pause_s = min(max(2 * pause_s, _MIN_PAUSE_S), _MAX_PAUSE_S)
                due = time.monotonic() + pause_s

    def _wait(self, signals: "_Signals", wait_s: float) -> set[int]:
        """The signals that have come, at the latest after some time; the lines are listened to."""
        readers = self._coordinator.readers() if self._coordinator is not None else {}
        with selectors.DefaultSelector() as selector:
            selector.register(signals.pipe, selectors.EVENT_READ)
            for descriptor, hear in readers.items():
                selector.register(descriptor, selectors.EVENT_READ, hear)
            for key, _ in selector.select(wait_s):
                if key.data is not None:
                    key.data()
        return signals.come()

    def _bury_dead(self) -> list[float]:
        """Forget the workers that have ended; how long they had lived."""
        lived = []
        for pid, status in _reap(self._started):
            _log.warning("worker %d ended with status %d: starting another", pid, status)
            lived.append(time.monotonic() - self._forget(pid).began)
        return lived

    def _forget(self, pid: int) -> _Worker:
        worker = self._started.pop(pid)
        self._free.append(worker.slot)
        if self._coordinator is not None:
            self._coordinator.left(worker.slot)
        worker.channel.close()
        return worker

    def _fill(self) -> bool:
        """Start workers up to their number; whether the system let us."""
        try:
            while self._free:
                self._start_worker()
                self._replaced()
        except OSError as error:
            _log.warning("cannot start a worker: %s: trying again", error.strerror)
            return False
        return True

    def _stop_workers(self, signals: "_Signals") -> None:
        """Let the workers finish what they have begun; a second signal ends them at once."""
        os.write(self._held, b".")
        for pid in self._started:
            os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + self._drain_s + _KILL_AFTER_S
        while self._started:
            told = self._wait(signals, 0.1)
            for pid, _ in _reap(self._started):
                self._forget(pid)
            if told & {signal.SIGTERM, signal.SIGINT} or time.monotonic() > deadline:
                for pid in self._started:
                    os.kill(pid, signal.SIGKILL)


def _reap(pids: Iterable[int]) -> list[tuple[int, int]]:
    """Those of the processes that have ended, with their exit status or minus their signal."""
    ended = []
    for pid in list(pids):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            ended.append((pid, os.waitstatus_to_exitcode(status)))
    return ended


class _Signals:
    """Signals as they come in through a pipe, which can be waited for beside others."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def come(self) -> set[int]:
        """Those that have come since the last time."""
        try:
            return set(os.read(self.pipe, 4096))
        except BlockingIOError:
            return set()


@contextlib.contextmanager
def _signals_waiting() -> Iterator[_Signals]:
    """Let signals do nothing but come in through a pipe."""
    read, write = os.pipe()
    for end in (read, write):
        os.set_blocking(end, False)
    before = {signum: signal.signal(signum, lambda *_: None) for signum in _WATCHED}
    old = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        yield _Signals(read)
    finally:
        signal.set_wakeup_fd(old)
        for signum, handler in before.items():
            signal.signal(signum, handler)
        os.close(read)
        os.close(write)


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    """Let no signal come while a process parts: it would be told in the wrong one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
