"""Timed steps of a build: seconds, CPU, memory and counts, told to whoever listens."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

_log = logging.getLogger(__name__)


@dataclass
class StageReport:
    """What one stage took, workers included.

    ``peak_rss_bytes`` is the highest resident memory of this process during the stage plus the
    highest of each worker: pages that they share count once for each, so it is an upper bound.
    """

    name: str
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_rss_bytes: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, **counts: int) -> None:
        """Record numbers that belong to the stage."""
        self.counts.update({name: int(value) for name, value in counts.items()})

    def progress(self, done: int, total: int) -> None:
        """Tell the listener how far the stage is."""
        listener = _listener.get()
        if listener is not None:
            listener.progressed(self, done, total)


class StageListener(Protocol):
    """Whoever shows or records stages."""

    def started(self, report: StageReport) -> None:
        """Called as a stage begins."""

    def progressed(self, report: StageReport, done: int, total: int) -> None:
        """Called at times; ``done`` of ``total`` units are finished."""

    def finished(self, report: StageReport) -> None:
        """Called as a stage ends well."""


_listener: ContextVar[StageListener | None] = ContextVar("listener", default=None)
_current: ContextVar[StageReport | None] = ContextVar("current", default=None)


@contextmanager
def listening(listener: StageListener) -> Iterator[None]:
    """Send all stages within to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class _Recorder:
    """Keeps the stages that end and passes on what it hears."""

    def __init__(self, listener: StageListener | None) -> None:
        self.reports: list[StageReport] = []
        self._listener = listener

    def started(self, report: StageReport) -> None:
        if self._listener is not None:
            self._listener.started(report)

    def progressed(self, report: StageReport, done: int, total: int) -> None:
        if self._listener is not None:
            self._listener.progressed(report, done, total)

    def finished(self, report: StageReport) -> None:
        self.reports.append(report)
        if self._listener is not None:
            self._listener.finished(report)


@contextmanager
def recording() -> Iterator[list[StageReport]]:
    """Collect the stages that end within; whoever listens still hears of them."""
    recorder = _Recorder(_listener.get())
    with listening(recorder):
        yield recorder.reports


@contextmanager
def stage(name: str) -> Iterator[StageReport]:
    """Time a step: ``with stage("cut ways") as s: ...; s.count(edges=n)``."""
    report = StageReport(name)
    listener = _listener.get()
    if listener is not None:
        listener.started(report)
    token = _current.set(report)
    _reset_peak_rss()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield report
    finally:
        _current.reset(token)
    report.wall_s = time.perf_counter() - wall
    report.cpu_s += time.process_time() - cpu
    report.peak_rss_bytes += peak_rss_bytes()
    _log.info("%s: %.3f s %s", name, report.wall_s, report.counts)
    if listener is not None:
        listener.finished(report)


def report_progress(done: int, total: int) -> None:
    """Tell how far the stage that is running is, from code that does not hold its report."""
    report = _current.get()
    if report is not None:
        report.progress(done, total)


def report_worker(cpu_s: float, peak_rss: int) -> None:
    """Add a finished worker process to the stage that is running."""
    report = _current.get()
    if report is not None:
        report.cpu_s += cpu_s
        report.peak_rss_bytes += peak_rss


def peak_rss_bytes() -> int:
    """Highest resident memory of this process since the last reset; 0 where unknown."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _reset_peak_rss() -> None:
    """Start the peak afresh (Linux; elsewhere the peak is the whole process's)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass
