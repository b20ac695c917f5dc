"""Whole runs: what is measured, what is left behind, and what ends them."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from gis.errors import EngineError
from server.benchmark import run
from server.benchmark.growth import GRIDS, QUICK_GRIDS, Growth
from server.benchmark.measure import Findings, Progress, Subject, no_progress
from server.benchmark.peers.peer import Peer
from server.benchmark.results import OURS, figure
from server.benchmark.run import ALL, BENCHMARKS, Plan, run_benchmarks

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where folders for the time being are made."""
    path = tmp_path / "scratch"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


@pytest.fixture
def subjects(monkeypatch: pytest.MonkeyPatch) -> list[Subject]:
    """Benchmarks that only note what they are given."""
    seen: list[Subject] = []

    def fake(name: str) -> run.Benchmark:
        def bench(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
            seen.append(subject)
            assert subject.folder.is_dir()
            (subject.folder / "scrap").write_text("x")
            return Findings([figure(name, "n", OURS, "s", [1.0])], ["checked"], [f"note {name}"])

        return bench

    monkeypatch.setattr(run, "BENCHMARKS", {name: fake(name) for name in BENCHMARKS})
    return seen


def test_all(sample: Path, folder: Path, subjects: list[Subject]) -> None:
    """Every benchmark has its turn with the same subject; what is said twice stands once."""
    told: list[str] = []
    report, growth = run_benchmarks(
        Plan(ALL, sample), "whimbrel bench all", lambda what, *_: told.append(what)
    )
    assert growth is None
    assert [found.group for found in report.figures] == list(BENCHMARKS)
    assert report.checks == ["checked"]
    assert report.notes == [f"note {name}" for name in BENCHMARKS]
    assert report.command == "whimbrel bench all"
    assert report.extract == "helsinki.osm.pbf"
    assert report.counts["arcs"] > 1000
    assert len(set(map(id, subjects))) == 1
    assert told == [f"{name}: preparing" for name in BENCHMARKS]
    assert list(folder.iterdir()) == []


def test_one_with_growth(
    sample: Path, folder: Path, subjects: list[Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extract grows after it, in the same folder."""
    grids: list[object] = []

    def grow(subject: Subject, wanted: object, progress: Progress) -> tuple[Growth, Findings]:
        grids.append(wanted)
        return Growth(), Findings(notes=["grown"])

    monkeypatch.setattr(run, "bench_growth", grow)
    for quick in (False, True):
        plan = Plan("table", sample, grow=True, quick=quick)
        report, growth = run_benchmarks(plan, "", no_progress)
        assert growth == Growth()
        assert report.notes == ["note table", "grown"]
    assert grids == [GRIDS, QUICK_GRIDS]


def test_plans(sample: Path, tmp_path: Path) -> None:
    """What is not said is as usual; the short form has less of everything."""
    usual, quick = (Plan(ALL, sample, quick=quick).subject(tmp_path) for quick in (False, True))
    assert (usual.repeat, usual.seed, usual.n_pairs) == (5, 1, 1000)
    for name in ("repeat", "n_pairs", "n_many", "n_table", "n_checked"):
        assert 1 < getattr(quick, name) < getattr(usual, name)
    assert usual.workers == quick.workers >= 1
    chosen = Plan("query", sample, repeat=7, seed=9, workers=3, quick=True).subject(tmp_path)
    assert (chosen.repeat, chosen.seed, chosen.workers) == (7, 9, 3)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, EngineError("no")])
def test_nothing_is_left(
    error: BaseException, sample: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends a benchmark, its folder goes and the peers end."""
    closed: list[str] = []

    class Closing(Peer):
        def close(self) -> None:
            closed.append(self.name)

    peers = [Closing(n, n, "1", [], frozenset(), folder) for n in ("one", "two")]

    def failing(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
        assert len(peers) == 2
        (subject.folder / "scrap").write_text("x")
        raise error

    monkeypatch.setattr(run, "find_peers", lambda python, folder: (peers, []))
    monkeypatch.setattr(run, "BENCHMARKS", {"query": failing})
    with pytest.raises(error if isinstance(error, type) else type(error)):
        run_benchmarks(Plan("query", sample, peers=True), "", no_progress)
    assert sorted(closed) == ["one", "two"]
    assert list(folder.iterdir()) == []


def test_no_peers(sample: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If they are asked for and none is there, nothing is measured."""
    monkeypatch.setattr(run, "find_peers", lambda python, folder: ([], ["OSRM is not installed"]))
    with pytest.raises(EngineError, match="OSRM is not installed"):
        run_benchmarks(Plan("query", sample, peers=True), "", no_progress)
    assert list(folder.iterdir()) == []


def test_an_extract_in_another_format(tmp_path: Path) -> None:
    """Only PBF can be read in so many ways; who asks for it by name is told by the reader."""
    for name, parse in (("city.osm.pbf", True), ("CITY.PBF", True), ("city.osm.gz", False)):
        plan = Plan(ALL, tmp_path / name)
        assert ("parse" in plan.groups) == parse
        assert list(plan.left_out) == ([] if parse else ["parse"])
    assert list(Plan("parse", tmp_path / "city.osm").groups) == ["parse"]
