"""Each benchmark on the sample, beside a peer whose answers are made up."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benches import quick_subject, stub_peer

from gis.arrays import INF, freeze
from routing.cch.customize import Customizer
from routing.cch.weights import Weights
from routing.engine import Engine
from routing.metric import Metric
from server.benchmark import memory, slow
from server.benchmark.build import DISK, MEMORY, ORDERING, PREPARING, bench_build
from server.benchmark.check import WrongAnswer
from server.benchmark.customizing import customizations
from server.benchmark.measure import Benchmark, Findings, Subject
from server.benchmark.memory import FIRST, FURTHER, bench_memory
from server.benchmark.parse import CPU, TIME, bench_parse
from server.benchmark.peers.peer import Peer
from server.benchmark.processes import ProcessFailed
from server.benchmark.query import GEOMETRY, ROUTE, STEPS, bench_query
from server.benchmark.results import OURS
from server.benchmark.table import bench_table

pytestmark = pytest.mark.compiled


@pytest.fixture
def subject(sample: Path, dataset: Path, tmp_path: Path) -> Subject:
    return quick_subject(sample, dataset, tmp_path)


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    with stub_peer(tmp_path) as peer:
        yield peer


def quiet(what: str, done: int, total: int) -> None:
    assert 0 <= done <= total


def measured(found: Findings) -> list[tuple[str, str, int]]:
    """Name, contender and runs of all figures, each of which makes sense."""
    for figure in found.figures:
        assert 0 < figure.low <= figure.value <= figure.high, figure
    return [(figure.name, figure.contender, figure.runs) for figure in found.figures]


def value(found: Findings, name: str, contender: str) -> float:
    (figure,) = (f for f in found.figures if (f.name, f.contender) == (name, contender))
    return figure.value


def test_query(subject: Subject, peer: Peer) -> None:
    """Checked first; ours and theirs by one name."""
    found = bench_query(subject, [peer], quiet)
    names = [ROUTE, GEOMETRY, STEPS, "routes a second, 1 thread", "routes a second, 2 threads"]
    assert measured(found) == [(name, who, 2) for name in names for who in (OURS, "Stub")]
    assert value(found, ROUTE, "Stub") == 0.5 / 20
    assert value(found, "routes a second, 2 threads", "Stub") == 20 / 0.5
    first, lines, many = found.checks
    assert first == subject.checked
    assert lines.startswith("10 lines of route, routes and the HTTP answer's object")
    assert many == "10 of 50 routes, drawn at random, agree with Dijkstra's search"
    assert found.notes == [
        "routes a second: whimbrel is given 50 pairs in one call, Stub is asked for the first 20"
        " of them one by one, there being no such call; threads share them"
    ]
    single, several = (np.load(subject.folder / f"Stub-{what}.npy") for what in ("pairs", "many"))
    assert np.array_equal(single, subject.pairs)
    assert np.array_equal(several, subject.more_pairs(50)[:20])


def test_a_slow_peer(subject: Subject, peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for fewer pairs; its figures are still those of one route."""
    subject.n_pairs = 100
    monkeypatch.setattr(slow, "SHARE_S", 5.0)
    found = bench_query(subject, [peer], quiet)
    n = int(5.0 / 3 / (0.5 / 20))
    assert found.notes[0].startswith(f"Stub is asked for the first {n} of 100 single routes")
    assert value(found, ROUTE, "Stub") == value(found, GEOMETRY, "Stub") == 0.5 / n
    assert value(found, "routes a second, 1 thread", "Stub") == min(n, 50) / 0.5


@pytest.mark.parametrize("column", ["duration_s", "distance_m"])
def test_threads_that_disagree(
    column: str, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many routes are timed on both, and none if they differ."""
    real = Engine.routes

    def wrong(engine: Engine, *points: object, **options: object) -> object:
        found = real(engine, *points, **options)  # type: ignore[arg-type]
        if options.get("threads") == 2:
            changed = getattr(found, column).copy()
            changed[0] += 0.01
            object.__setattr__(found, column, changed)
        return found

    monkeypatch.setattr(Engine, "routes", wrong)
    with pytest.raises(WrongAnswer, match=f"routes on 2 threads finds another {column}"):
        bench_query(subject, [], quiet)


def test_customized_weights_are_checked(subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they are timed."""
    found = customizations(subject, [], quiet)
    assert found.checks == [
        "50 paths by the weights of a customization cost what Dijkstra's search finds"
    ]
    real = Customizer.customize

    def wrong(customizer: Customizer, metric: Metric, *more: object) -> Weights:
        weight = np.where(metric.weight == INF, metric.weight, metric.weight + np.uint32(1))
        return real(customizer, replace(metric, weight=freeze(weight)))

    monkeypatch.setattr(Customizer, "customize", wrong)
    with pytest.raises(WrongAnswer, match=r"by customized weights the path from vertex \d+ to"):
        customizations(subject, [], quiet)


def test_what_peers_answer(subject: Subject, tmp_path: Path) -> None:
    """It is compared where they tell it, and an answer that is none puts a peer out."""
    np.save(tmp_path / "pairs.npy", subject.pairs)
    abilities = frozenset({"route", "durations"})
    with stub_peer(tmp_path, abilities=abilities) as peer:
        found = bench_query(subject, [peer], quiet)
    assert {who for _, who, _ in measured(found)} == {OURS}
    (note,) = found.notes
    assert note == "Stub told 0 durations of 20 pairs: left out"


def test_table(subject: Subject, peer: Peer, tmp_path: Path) -> None:
    """Peers that are fast get the whole table, all a small one."""
    found = bench_table(subject, [peer], quiet)
    assert measured(found) == [
        ("6 x 6 durations, 1 thread", OURS, 2),
        ("6 x 6 durations, 1 thread", "Stub", 2),
        ("6 x 6 durations, 2 threads", OURS, 2),
    ]
    assert found.checks == [subject.checked, "36 cells of the 6 x 6 table agree with routes"]
    subject.n_table = 60
    with stub_peer(tmp_path, "Slow", frozenset({"table"})) as slow:
        names = measured(bench_table(subject, [peer, slow], quiet))
    assert ("60 x 60 durations, 1 thread", "Stub", 2) in names
    assert ("60 x 60 durations, 1 thread", "Slow", 2) not in names
    assert ("50 x 50 durations, 1 thread", "Slow", 2) in names


def test_build(subject: Subject, tmp_path: Path) -> None:
    """Time, memory and disk of ours and of theirs, and the step that both have."""
    with stub_peer(tmp_path, abilities=frozenset({"prepare"})) as peer:
        found = bench_build(subject, [peer], quiet)
    assert measured(found) == [
        (PREPARING, OURS, 2),
        (MEMORY, OURS, 1),
        (DISK, OURS, 1),
        (f"{PREPARING}, Python running", OURS, 2),
        (ORDERING, OURS, 2),
        (PREPARING, "Stub", 1),
        (MEMORY, "Stub", 1),
        (DISK, "Stub", 1),
        ("customization, 1 thread", OURS, 2),
        ("customization, 2 threads", OURS, 2),
    ]
    said = "\n".join(found.notes)
    assert f"Stub's {PREPARING}: one run, with the extract in the page cache" in said
    assert said.count("others' is the most that their largest process had") == 1
    assert value(found, PREPARING, OURS) > value(found, f"{PREPARING}, Python running", OURS)
    assert 50 < value(found, MEMORY, OURS) < 1000
    assert value(found, DISK, OURS) > 0.1
    assert not (tmp_path / "measured.whimbrel").exists()


def test_memory(subject: Subject, peer: Peer) -> None:
    """A further process costs a part of the first."""
    found = bench_memory(subject, [peer], quiet)
    assert measured(found) == [(FIRST, OURS, 2), (FIRST, "Stub", 2), (FURTHER, OURS, 2)]
    assert 40 < value(found, FIRST, OURS) < 1000
    assert value(found, FURTHER, OURS) < value(found, FIRST, OURS) / 2
    assert value(found, FIRST, "Stub") < value(found, FIRST, OURS)


def test_whose_memory_counts(subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the first, and of the further one what is its own: others do not matter."""
    monkeypatch.setattr(memory, "resident_of", lambda pid: 7_000_000)
    monkeypatch.setattr(memory, "private_of", lambda pid: 2_000_000)
    found = bench_memory(subject, [], quiet)
    assert (value(found, FIRST, OURS), value(found, FURTHER, OURS)) == (7.0, 2.0)
    assert "all that is resident, ours and others' alike" in found.notes[0]


def test_memory_of_a_process_that_dies(subject: Subject, tmp_path: Path) -> None:
    """What it said last is told."""
    _ = subject.checked
    subject.dataset = tmp_path / "nowhere.whimbrel"  # type: ignore[misc]
    with pytest.raises(ProcessFailed, match=r"should answer routes failed: .*nowhere\.whimbrel"):
        bench_memory(subject, [], quiet)


def test_parse(subject: Subject) -> None:
    """Ours by one process and by all, and pyosmium, in time and in CPU time."""
    found = bench_parse(subject, [], quiet)
    names = measured(found)
    assert [name for name in names if name[0] == TIME] == [
        (TIME, OURS, 2),
        (TIME, f"{OURS}, 2 processes", 2),
        (TIME, "inflating alone", 2),
        (TIME, "pyosmium, decoding alone", 2),
        (TIME, "pyosmium, roads with coordinates", 2),
    ]
    assert len(names) == 10
    assert {name for name, _, _ in names} == {TIME, CPU}


@pytest.mark.parametrize("benchmark", [bench_query, bench_table, bench_memory, bench_build])
def test_nothing_is_measured_of_wrong_answers(
    benchmark: Benchmark, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mismatch ends the benchmark before a figure is there."""
    real = Engine.route

    def wrong(engine: Engine, points: object, **options: object) -> object:
        found = real(engine, points, **options)  # type: ignore[arg-type]
        if options.get("algorithm") == "dijkstra":
            object.__setattr__(found, "duration_s", found.duration_s + 1)
        return found

    monkeypatch.setattr(Engine, "route", wrong)
    with pytest.raises(WrongAnswer, match=r"^from .* to .*: routes finds"):
        benchmark(subject, [], quiet)
