"""Stages: what they measure, and who is told of them."""

import contextvars
import threading
import time

import numpy as np
import pytest

from gis import stage as module
from gis.stage import (
    StageReport,
    listening,
    peak_rss_bytes,
    recording,
    report_progress,
    report_worker,
    stage,
)


class Listener:
    """Notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def started(self, report: StageReport) -> None:
        self.heard.append(("started", report.name))

    def progressed(self, report: StageReport, done: int, total: int) -> None:
        self.heard.append(("progressed", report.name, done, total))

    def finished(self, report: StageReport) -> None:
        self.heard.append(("finished", report.name, report.counts))


def test_a_listener_hears_all_in_order() -> None:
    """Begin, progress from both sides, and end with the counts."""
    listener = Listener()
    with listening(listener):
        with stage("a") as report:
            report.progress(1, 2)
            report_progress(2, 2)
            report.count(x=1, y=np.int64(2))
            report.count(x=3)
        with stage("b"):
            pass
    with stage("unheard"):
        report_progress(1, 1)
    assert listener.heard == [
        ("started", "a"),
        ("progressed", "a", 1, 2),
        ("progressed", "a", 2, 2),
        ("finished", "a", {"x": 3, "y": 2}),
        ("started", "b"),
        ("finished", "b", {}),
    ]
    assert all(type(count) is int for count in report.counts.values())


def test_time_and_memory() -> None:
    """A stage measures its own time and the memory that it needed meanwhile."""
    with stage("wait") as wait:
        time.sleep(0.05)
    with stage("work") as work:
        deadline = time.process_time() + 0.05
        while time.process_time() < deadline:
            pass
    with stage("big") as big:
        array = np.ones(8_000_000)
        del array
    with stage("small") as small:
        pass
    assert 0.05 <= wait.wall_s < 5 and wait.cpu_s < 0.04
    assert work.cpu_s >= 0.05 and work.wall_s >= 0.045
    assert big.peak_rss_bytes > 64e6
    if peak_rss_bytes() < big.peak_rss_bytes:  # the peak can be reset here
        assert small.peak_rss_bytes < big.peak_rss_bytes - 30e6


def test_workers_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time and memory of workers count for the stage that is running, the innermost."""
    monkeypatch.setattr(module, "peak_rss_bytes", lambda: 1000)
    report_worker(100.0, 100)
    with stage("outer") as outer:
        report_worker(10.0, 10)
        with stage("inner") as inner:
            report_worker(20.0, 20)
            report_worker(30.0, 30)
        report_worker(40.0, 40)
    assert 50.0 <= inner.cpu_s < 51.0 and inner.peak_rss_bytes == 1050
    assert 50.0 <= outer.cpu_s < 51.0 and outer.peak_rss_bytes == 1050


def test_nested_stages_and_listeners() -> None:
    """The innermost listener hears, and a recorder passes on; afterwards all is as before."""
    outer, inner = Listener(), Listener()
    with listening(outer):
        with recording() as reports, stage("a"):
            with stage("b"):
                pass
            report_progress(1, 3)
        with listening(inner), stage("c"):
            pass
        with stage("d"):
            pass
    assert [report.name for report in reports] == ["b", "a"]
    assert inner.heard == [("started", "c"), ("finished", "c", {})]
    assert outer.heard == [
        ("started", "a"),
        ("started", "b"),
        ("finished", "b", {}),
        ("progressed", "a", 1, 3),
        ("finished", "a", {}),
        ("started", "d"),
        ("finished", "d", {}),
    ]


def test_a_stage_that_fails() -> None:
    """It never ends for who listens, and what follows belongs to the stage around it again."""
    listener = Listener()
    with listening(listener), recording() as reports, stage("outer") as outer:
        with pytest.raises(KeyError), stage("inner") as inner:
            raise KeyError
        report_worker(5.0, 0)
    assert [event[:2] for event in listener.heard] == [
        ("started", "outer"),
        ("started", "inner"),
        ("finished", "outer"),
    ]
    assert reports == [outer] and outer.cpu_s >= 5.0 > inner.cpu_s
    with pytest.raises(KeyError), listening(listener):
        raise KeyError
    with stage("unheard"):
        pass
    assert len(listener.heard) == 3


def test_threads_have_stages_of_their_own() -> None:
    """A thread that is not given the context of another does not disturb its stages."""
    listener = Listener()

    def work() -> None:
        report_progress(1, 1)
        with stage("other"):
            report_worker(5.0, 0)

    with listening(listener), stage("mine") as mine:
        for run in (work, lambda: contextvars.copy_context().run(report_progress, 2, 2)):
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        assert contextvars.copy_context().run(report_progress, 3, 3) is None
    assert listener.heard[1:-1] == [("progressed", "mine", 3, 3)]
    assert mine.cpu_s < 5.0
