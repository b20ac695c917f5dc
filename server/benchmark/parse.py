"""How fast an extract is read, beside pyosmium and the least that reading can cost."""

import multiprocessing
import pickle
import resource
import signal
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

import osmium

from gis.errors import EngineError, ResourceError
from gis.osm.pbf import inflate_all
from gis.osm.read import read_osm
from gis.profiles.registry import get_profile, tag_selection
from gis.stage import StageReport, recording
from server.benchmark.measure import Findings, Progress, Subject
from server.benchmark.peers.peer import Peer
from server.benchmark.results import OURS, figure

GROUP = "parse"
TIME = "reading"
CPU = "CPU time of reading"

READING = "whimbrel"
INFLATING = "inflating alone"
DECODING = "pyosmium, decoding alone"
ROADS = "pyosmium, roads with coordinates"

EXPLANATIONS = {
    READING: "all that a road network needs, as arrays",
    INFLATING: "every blob by the same library, in one process, and nothing else",
    DECODING: "every object decoded in C++ by its own threads, none handed to Python",
    ROADS: "every way with a highway tag handed to Python with the places of its nodes",
}


@dataclass
class Timing:
    """What one contender took: medians over the runs, CPU of all its processes and threads.

    ``speed_up`` is by how much it is faster than the one that stands first.
    """

    name: str
    workers: int
    wall_s: float
    cpu_s: float
    mb_s: float
    speed_up: float
    stages: list[dict[str, float | str]] = field(default_factory=list)
    wall_runs_s: list[float] = field(default_factory=list)
    cpu_runs_s: list[float] = field(default_factory=list)


@dataclass
class ParseBenchmark:
    """The result for one extract.

    ``cpu_ratio`` is how many times the CPU time of mere inflating the first contender needs.
    """

    extract: str
    bytes: int
    repeat: int
    timings: list[Timing]
    cpu_ratio: float

    @property
    def readings(self) -> list[Timing]:
        return [timing for timing in self.timings if timing.name == READING]


def bench_parse(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
    """Measure how fast the extract is read; pyosmium is always there to compare with."""
    numbers = sorted({1, subject.workers})

    def show(done: int, total: int) -> None:
        progress(f"{GROUP}: {TIME}", done, total)

    result = run_parse_benchmark(subject.extract, numbers, subject.repeat, show)
    found = Findings()
    for name, runs in ((TIME, "wall_runs_s"), (CPU, "cpu_runs_s")):
        for timing in result.timings:
            who = timing.name
            if who == READING:
                who = OURS if timing.workers == 1 else f"{OURS}, {timing.workers} processes"
            found.figures.append(figure(GROUP, name, who, "s", getattr(timing, runs)))
    found.notes += [f"{name}: {EXPLANATIONS[name]}" for name in (INFLATING, DECODING, ROADS)]
    return found


def run_parse_benchmark(
    extract: Path,
    workers: Sequence[int],
    repeat: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ParseBenchmark:
    """Let all contenders take turns, ``repeat`` times after one turn that does not count.

    Each is a process of its own throughout: what another one leaves behind, as in the memory
    of the process, would make it slower or faster by a fifth. Raises ``FormatError`` if the
    extract is no PBF file that can be read.
    """
    selection = tag_selection([get_profile("car")])
    contenders: list[tuple[str, int, Callable[[], object]]] = [
        (READING, n, lambda n=n: read_osm(extract, selection, n))  # type: ignore[misc]
        for n in workers
    ]
    contenders += [
        (INFLATING, 1, lambda: inflate_all(extract)),
        (DECODING, 1, lambda: _decode_with_pyosmium(extract)),
        (ROADS, 1, lambda: _find_roads_with_pyosmium(extract)),
    ]
    total = (repeat + 1) * len(contenders)
    runs: list[list[_Run]] = [[] for _ in contenders]
    with ExitStack() as stack:
        rooms = [stack.enter_context(_Room(work)) for _, _, work in contenders]
        for turn in range(repeat + 1):
            for index, room in enumerate(rooms):
                progress(turn * len(rooms) + index, total)
                runs[index].append(room.measure())
    progress(total, total)
    counted = [found[1:] for found in runs]
    first_s = statistics.median(run.wall_s for run in counted[0])
    size = extract.stat().st_size
    timings = [
        _summarise(name, n, found, size, first_s)
        for (name, n, _), found in zip(contenders, counted, strict=True)
    ]
    inflating = next(timing for timing in timings if timing.name == INFLATING)
    ratio = timings[0].cpu_s / inflating.cpu_s
    return ParseBenchmark(str(extract), size, repeat, timings, ratio)


@dataclass
class _Run:
    """One turn of one contender."""

    wall_s: float
    cpu_s: float
    stages: list[StageReport]


class _Room:
    """A forked process in which one contender does its work whenever it is asked to."""

    def __init__(self, work: Callable[[], object]) -> None:
        context = multiprocessing.get_context("fork")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_live, args=(theirs, self._ours, work))
        with theirs, warnings.catch_warnings():
            # Since Python 3.12 forking warns of threads; these take no lock of theirs.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()

    def measure(self) -> _Run:
        """One turn."""
        try:
            self._ours.send(None)
            answer: Any = self._ours.recv()
        except (EOFError, OSError):
            self._process.join()
            raise ResourceError(
                f"a process that was measured ended with status {self._process.exitcode}"
            ) from None
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, _Run)
        return answer


def _live(parent: Connection, copy: Connection, work: Callable[[], object]) -> None:
    """Work whenever the parent asks for it, until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends us
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    copy.close()
    try:
        while True:
            parent.recv()
            parent.send(_turn(work))
    except (EOFError, OSError):
        pass


def _turn(work: Callable[[], object]) -> _Run | Exception:
    cpu_s, start = _cpu_s(), time.perf_counter()
    try:
        with recording() as stages:
            work()
    except Exception as error:
        return error if isinstance(error, EngineError) and _travels(error) else RuntimeError(error)
    return _Run(time.perf_counter() - start, _cpu_s() - cpu_s, stages)


def _travels(error: Exception) -> bool:
    """Whether an error can be sent to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


def _cpu_s() -> float:
    """CPU seconds of this process and of its children that have ended, to the microsecond."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _summarise(name: str, workers: int, runs: Sequence[_Run], size: int, first_s: float) -> Timing:
    stages: list[dict[str, float | str]] = []
    for reports in zip(*(run.stages for run in runs), strict=True):
        wall_s = statistics.median(report.wall_s for report in reports)
        cpu_s = statistics.median(report.cpu_s for report in reports)
        stages.append(
            {
                "name": reports[0].name,
                "wall_s": wall_s,
                "cpu_s": cpu_s,
                "mb_s": size / 1e6 / max(wall_s, 1e-6),
            }
        )
    wall_s = statistics.median(run.wall_s for run in runs)
    cpu_s = statistics.median(run.cpu_s for run in runs)
    speeds = size / 1e6 / wall_s, first_s / wall_s
    walls, cpus = [run.wall_s for run in runs], [run.cpu_s for run in runs]
    return Timing(name, workers, wall_s, cpu_s, *speeds, stages, walls, cpus)


def _decode_with_pyosmium(extract: Path) -> None:
    for _ in osmium.FileProcessor(extract).with_filter(osmium.filter.KeyFilter("no such key")):
        pass


def _find_roads_with_pyosmium(extract: Path) -> None:
    ways = osmium.filter.EntityFilter(osmium.osm.WAY)
    roads = osmium.filter.KeyFilter("highway")
    for _ in osmium.FileProcessor(extract).with_locations().with_filter(ways).with_filter(roads):
        pass
