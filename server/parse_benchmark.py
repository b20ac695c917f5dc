"""How fast an extract is read, beside pyosmium and the least that reading can cost."""

import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import osmium

from gis.osm.pbf import inflate_all
from gis.osm.read import read_osm
from gis.profiles.registry import get_profile, tag_selection
from gis.stage import StageReport, recording

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


def run_parse_benchmark(
    extract: Path,
    workers: Sequence[int],
    repeat: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ParseBenchmark:
    """Let all contenders take turns, ``repeat`` times after one turn that does not count.

    Raises ``FormatError`` if the extract is no PBF file that can be read.
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
    for turn in range(repeat + 1):
        for index, (_, _, work) in enumerate(contenders):
            progress(turn * len(contenders) + index, total)
            runs[index].append(_measure(work))
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


def _measure(work: Callable[[], object]) -> _Run:
    cpu_s, start = _cpu_s(), time.perf_counter()
    with recording() as stages:
        work()
    return _Run(time.perf_counter() - start, _cpu_s() - cpu_s, stages)


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
    return Timing(name, workers, wall_s, cpu_s, size / 1e6 / wall_s, first_s / wall_s, stages)


def _decode_with_pyosmium(extract: Path) -> None:
    for _ in osmium.FileProcessor(extract).with_filter(osmium.filter.KeyFilter("no such key")):
        pass


def _find_roads_with_pyosmium(extract: Path) -> None:
    ways = osmium.filter.EntityFilter(osmium.osm.WAY)
    roads = osmium.filter.KeyFilter("highway")
    for _ in osmium.FileProcessor(extract).with_locations().with_filter(ways).with_filter(roads):
        pass
