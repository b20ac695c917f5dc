"""What all benchmarks share: turns, findings, reports."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from benches import quick_subject, stub_peer

from server.benchmark import measure
from server.benchmark.check import WrongAnswer
from server.benchmark.measure import (
    Contender,
    Findings,
    Subject,
    able,
    machine,
    new_report,
    prepared,
    take_turns,
    versions,
)
from server.benchmark.peers.peer import PeerFailed
from server.benchmark.results import OURS, figure


def counting(log: list[str], name: str, values: list[float]) -> Contender:
    """A contender that writes down when it ran."""

    def run() -> float:
        log.append(name)
        return values[log.count(name) - 1]

    return Contender(name, run)


def test_turns() -> None:
    """In turn; the first does not count."""
    log: list[str] = []
    seen: list[tuple[str, int, int]] = []
    contenders = [
        counting(log, "a", [99, 3, 1, 2]),
        counting(log, "b", [99, 5, 5, 8]),
    ]
    found = take_turns("query", "route", "s", contenders, 3, lambda *args: seen.append(args))
    assert log == ["a", "b"] * 4
    assert found.figures == [
        figure("query", "route", "a", "s", [3, 1, 2]),
        figure("query", "route", "b", "s", [5, 5, 8]),
    ]
    assert (found.figures[0].value, found.figures[0].low, found.figures[0].high) == (2, 1, 3)
    assert seen == [("query: route", done, 8) for done in range(9)]


def test_turns_without_warming_up() -> None:
    """Then all of them count."""
    log: list[str] = []
    found = take_turns("g", "n", "MB", [counting(log, "a", [4, 6])], 2, warm_up=False)
    assert found.figures == [figure("g", "n", "a", "MB", [4, 6])]


def test_a_peer_that_fails_in_between() -> None:
    """It is left out with a note; the others go on."""
    log: list[str] = []

    def fail() -> float:
        log.append("bad")
        if log.count("bad") == 2:
            raise PeerFailed("OSRM was silent for too long")
        return 1.0

    contenders = [Contender("bad", fail), counting(log, "a", [0, 1, 2, 3])]
    found = take_turns("g", "n", "s", contenders, 3)
    assert [it.contender for it in found.figures] == ["a"]
    assert found.figures[0].runs == 3
    assert found.notes == ["OSRM was silent for too long: left out"]
    assert log.count("bad") == 2


def test_a_slow_peer_has_fewer_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """One run that counts it always has; ours has all of them, however long they take."""
    now = [0.0]
    monkeypatch.setattr(measure, "time", SimpleNamespace(perf_counter=lambda: now[0]))

    def taking(seconds: float) -> Callable[[], float]:
        def run() -> float:
            now[0] += seconds
            return seconds

        return run

    contenders = [
        Contender(OURS, taking(200.0)),
        Contender("slow", taking(100.0)),
        Contender("slower", taking(25.0)),
        Contender("quick", taking(10.0)),
    ]
    found = take_turns("query", "route", "s", contenders, 5)
    assert [(it.contender, it.runs) for it in found.figures] == [
        *((OURS, 5), ("slow", 1), ("slower", 2), ("quick", 5)),
    ]
    assert found.notes == [
        "slow has 1 of 5 runs of query: route: it took 200 s",
        "slower has 2 of 5 runs of query: route: it took 75 s",
    ]


def test_a_wrong_answer_ends_it_all() -> None:
    """Only peers are left out."""

    def wrong() -> float:
        raise WrongAnswer("no")

    with pytest.raises(WrongAnswer):
        take_turns("g", "n", "s", [Contender(OURS, wrong)], 3)


def test_findings_add_up() -> None:
    """Nothing is said twice."""
    one = Findings([figure("a", "b", "c", "s", [1])], ["right"], ["left out"])
    two = Findings([figure("a", "b", "d", "s", [1])], ["right", "fine"], ["left out"])
    one.add(two)
    assert [it.contender for it in one.figures] == ["c", "d"]
    assert (one.checks, one.notes) == (["right", "fine"], ["left out"])


def test_peers_that_are_ready(tmp_path: Path, sample: Path) -> None:
    """Those that can, have not failed, and have prepared the extract."""
    subject = Subject(sample, tmp_path)
    found = Findings()
    with (
        stub_peer(tmp_path, "A", frozenset({"route"})) as a,
        stub_peer(tmp_path, "B", frozenset({"table"})) as b,
        stub_peer(tmp_path, "C", frozenset({"route"})) as c,
    ):
        (tmp_path / "c").write_text("no folder")
        c.data = tmp_path / "c" / "below"
        assert able([a, b, c], "route") == [a, c]
        with pytest.raises(PeerFailed):
            a.ask("die")
        assert able([a, b, c], "route") == [c]
        assert prepared(subject, [a, b], "table", found, lambda *_: None) == [b]
    assert found.notes == []


@pytest.mark.compiled
def test_subject_and_report(sample: Path, dataset: Path, tmp_path: Path) -> None:
    """Pairs and checks are made once; a report says of what, where and by whom."""
    subject = quick_subject(sample, dataset, tmp_path)
    assert subject.pairs.shape == (20, 4)
    assert subject.pairs is subject.pairs
    assert np.array_equal(subject.more_pairs(20), subject.pairs)
    assert subject.checked == "10 pairs: route, routes and table agree with Dijkstra's search"
    peer = stub_peer(tmp_path)
    report = new_report("whimbrel bench query", subject, [peer])
    assert report.extract == "helsinki.osm.pbf"
    assert report.counts["extract_bytes"] == sample.stat().st_size
    assert report.counts["arcs"] == 2 * report.counts["edges"] > 0
    assert report.versions["stub"] == "1.0"
    assert report.figures == []
    subject.load = 7.25
    assert new_report("", subject, []).machine.endswith(", load 7.2 at the beginning")


@pytest.mark.compiled
def test_the_dataset_is_built_once(
    kernels: None, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a process of its own, into the folder of the subject."""
    subject = Subject(sample, tmp_path)
    assert subject.dataset == tmp_path / "helsinki.whimbrel"
    before = (subject.dataset / "manifest.json").stat().st_mtime_ns
    assert subject.engine.info.extract.name == "helsinki.osm.pbf"
    assert (subject.dataset / "manifest.json").stat().st_mtime_ns == before


def test_where_it_is_measured() -> None:
    """Processor, memory, system; versions of what makes it fast."""
    assert " processors, " in machine()
    assert "GB" in machine()
    assert {OURS, "Python", "numpy", "numba"} == set(versions())


def test_machines_that_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it is not known."""

    def deny(*_: object, **__: object) -> str:
        raise OSError

    read: Callable[..., str] = deny
    monkeypatch.setattr(Path, "read_text", read)
    assert "processors" in machine()
    assert "GB" not in machine()
