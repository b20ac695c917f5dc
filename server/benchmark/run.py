"""One run: the benchmarks that are wanted, in turn, each answer checked before its time."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from gis.errors import EngineError
from server.benchmark.build import bench_build
from server.benchmark.growth import GRIDS, QUICK_GRIDS, Growth, bench_growth, check_space
from server.benchmark.http import bench_http
from server.benchmark.measure import Benchmark, Findings, Progress, Subject, new_report
from server.benchmark.memory import bench_memory
from server.benchmark.parse import bench_parse
from server.benchmark.peers.finding import find_peers
from server.benchmark.peers.peer import Peer
from server.benchmark.query import bench_query
from server.benchmark.results import Report
from server.benchmark.table import bench_table

BENCHMARKS: Mapping[str, Benchmark] = {
    "parse": bench_parse,
    "build": bench_build,
    "query": bench_query,
    "table": bench_table,
    "http": bench_http,
    "memory": bench_memory,
}
ALL = "all"

_PBF = ".pbf"
_QUICK_REPEAT = 3
_SCRATCH = "whimbrel-bench-"


@dataclass(frozen=True)
class Plan:
    """What is to be measured. What is None is chosen by what is usual."""

    what: str
    extract: Path
    repeat: int | None = None
    seed: int = 1
    workers: int | None = None
    peers: bool = False
    peers_python: Path | None = None
    grow: bool = False
    quick: bool = False

    @property
    def groups(self) -> Sequence[str]:
        """The names of the benchmarks, in their order."""
        if self.what != ALL:
            return [self.what]
        return [name for name in BENCHMARKS if name not in self.left_out]

    @property
    def left_out(self) -> Mapping[str, str]:
        """The names of those that make no sense for the extract, and why."""
        if self.what != ALL or self.extract.suffix.lower() == _PBF:
            return {}
        return {"parse": f"parse: {self.extract.name} is not in PBF: left out"}

    @property
    def grids(self) -> Sequence[tuple[int, int]]:
        """What the extract is laid out on."""
        return () if not self.grow else QUICK_GRIDS if self.quick else GRIDS

    def subject(self, folder: Path) -> Subject:
        """What the benchmarks are given; ``folder`` is theirs."""
        found = Subject(self.extract, folder, seed=self.seed)
        if self.quick:
            found = replace(
                found, repeat=_QUICK_REPEAT, n_pairs=200, n_many=20_000, n_table=200, n_checked=50
            )
        return replace(
            found,
            repeat=self.repeat or found.repeat,
            workers=self.workers or found.workers,
        )


class Result(NamedTuple):
    """What a run has found."""

    report: Report
    growth: Growth | None


def run_benchmarks(plan: Plan, command: str, progress: Progress) -> Result:
    """Measure all that is planned in a folder for the time being; ``command`` is for the report.

    Whatever ends it, no process and no file is left.
    """
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix=_SCRATCH, ignore_cleanup_errors=True)
            )
        )
        subject = plan.subject(folder)
        if plan.grids:
            check_space(subject, plan.grids)
        peers, notes = _peers(plan, folder)
        for peer in peers:
            stack.enter_context(peer)
        found = Findings(notes=[*notes, *plan.left_out.values()])
        for group in plan.groups:
            progress(f"{group}: preparing", 0, 1)
            found.add(BENCHMARKS[group](subject, peers, progress))
        growth = None
        report = new_report(command, subject, peers)
        if plan.grids:
            growth, more = bench_growth(subject, plan.grids, progress)
            found.add(more)
    report.figures, report.checks, report.notes = found.figures, found.checks, found.notes
    return Result(report, growth)


def _peers(plan: Plan, folder: Path) -> tuple[list[Peer], list[str]]:
    if not plan.peers:
        return [], []
    peers, notes = find_peers(plan.peers_python, folder)
    if not peers:
        raise EngineError(f"--peers: none is there: {'; '.join(notes)}")
    return peers, notes
