"""How time and memory grow with the size of the map: an extract on larger and larger grids."""

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from gis.arrays import F64
from gis.errors import ResourceError
from routing.engine import Engine
from server.benchmark.check import check_routes, check_table
from server.benchmark.measure import Findings, Progress, Subject, no_progress
from server.benchmark.mosaic import lay_out
from server.benchmark.pairs import random_pairs, random_points
from server.benchmark.processes import (
    folder_bytes,
    run_process,
    whimbrel_command,
    whimbrel_environment,
)
from server.benchmark.results import Figure, figure

GROUP = "growth"
GRIDS = ((1, 1), (2, 2), (4, 4))
QUICK_GRIDS = ((1, 1), (2, 1), (2, 2))

BUILD = "extract to dataset"
MEMORY = "memory for that"
DISK = "dataset on disk"
ROUTE = "route"

_MAX_BUILDS = 3
_MAX_TABLE = 500
_MAX_PAIRS = 500
_MAX_CHECKED = 20
_DISK_PER_EXTRACT_BYTE = 35
"""Of the mosaic and its dataset, while it is being built; there is one of them at a time."""


@dataclass(frozen=True)
class Grid:
    """One mosaic: how many copies it holds, and how large it is."""

    name: str
    copies: int
    nodes: int
    arcs: int
    extract_bytes: int


@dataclass
class Growth:
    """What was measured on each grid.

    In ``figures`` the contender is the name of the grid. ``exponents`` are those of the power of
    the number of arcs that fits each of them best: 1 is growth in proportion.
    """

    grids: list[Grid] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    exponents: dict[str, float] = field(default_factory=dict)

    def of(self, name: str) -> list[Figure]:
        """The figures of one name, in the order of the grids."""
        by_grid = {found.contender: found for found in self.figures if found.name == name}
        return [by_grid[grid.name] for grid in self.grids]

    @property
    def names(self) -> list[str]:
        """What was measured."""
        return list(dict.fromkeys(found.name for found in self.figures))


def bench_growth(
    subject: Subject,
    grids: Sequence[tuple[int, int]] = GRIDS,
    progress: Progress = no_progress,
) -> tuple[Growth, Findings]:
    """Lay the extract out on each grid, build it, check its answers, and measure."""
    growth, found = Growth(), Findings()
    check_space(subject, grids)
    checks: dict[str, list[str]] = {}
    for columns, rows in grids:
        name = f"{columns}x{rows}"
        folder = subject.folder.resolve() / f"growth-{name}"
        folder.mkdir()
        try:
            for line in _measure(subject, (columns, rows), folder, growth, progress):
                checks.setdefault(line, []).append(name)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    found.checks += [f"{', '.join(names)}: {line}" for line, names in checks.items()]
    arcs = [grid.arcs for grid in growth.grids]
    if len(set(arcs)) > 1:
        growth.exponents = {
            name: fit_exponent(arcs, [item.value for item in growth.of(name)])
            for name in growth.names
        }
        found.notes.append(
            "growth: exponents are fitted by least squares to the logarithms; what is needed for"
            " any map, however small, makes them smaller"
        )
    return growth, found


def fit_exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The power of the size that fits the values best, by least squares of the logarithms."""
    x, y = np.log(np.asarray(sizes, np.float64)), np.log(np.asarray(values, np.float64))
    x, y = x - x.mean(), y - y.mean()
    return float(np.dot(x, y) / np.dot(x, x))


def check_space(subject: Subject, grids: Sequence[tuple[int, int]]) -> None:
    """Raise ``ResourceError`` if the largest grid will hardly find space on the disk."""
    copies = max(columns * rows for columns, rows in grids)
    needed = _DISK_PER_EXTRACT_BYTE * copies * subject.extract.stat().st_size
    free = shutil.disk_usage(subject.folder).free
    if free < needed:
        raise ResourceError(
            f"{subject.folder}: {free / 1e9:.1f} GB are free, {copies} copies of"
            f" {subject.extract.name} need about {needed / 1e9:.1f} GB; set TMPDIR to a folder"
            " with more"
        )


def _measure(
    subject: Subject, grid: tuple[int, int], folder: Path, growth: Growth, progress: Progress
) -> list[str]:
    """Add the figures of one grid; what was checked is returned."""
    name = f"{grid[0]}x{grid[1]}"
    extract, dataset = folder / "mosaic.osm.pbf", folder / "mosaic.whimbrel"
    lay_out(subject.extract, extract, *grid, partial(progress, f"{name}: laying out"))
    counts = _measure_build(subject, name, folder, growth, progress)
    n_bytes = extract.stat().st_size
    copies = grid[0] * grid[1]
    growth.grids.append(Grid(name, copies, counts["nodes"], counts["arcs"], n_bytes))
    engine = Engine.open(dataset)
    pairs = random_pairs(engine, min(subject.n_pairs, _MAX_PAIRS), subject.seed)
    points = random_points(engine, min(subject.n_table, _MAX_TABLE), subject.seed)
    progress(f"{name}: checking the answers", 0, 1)
    checked = pairs[: min(subject.n_checked, _MAX_CHECKED)]
    checks = [
        check_routes(engine, checked, subject.workers),
        check_table(engine, points, engine.table(points), subject.seed),
    ]
    ends = [[(a, b), (c, d)] for a, b, c, d in pairs.tolist()]

    def add(what: str, runs: list[float]) -> None:
        growth.figures.append(figure(GROUP, what, name, "s", runs[1:]))

    turns = range(subject.repeat + 1)  # the first does not count
    asking = partial(progress, f"{name}: routes and tables")
    routes_s, tables_s = [], []
    for turn in turns:
        asking(turn, len(turns))
        routes_s.append(_seconds_of_routes(engine, ends))
        tables_s.append(_seconds_of_table(engine, points))
    asking(len(turns), len(turns))
    add(ROUTE, routes_s)
    add(f"table {len(points)} x {len(points)}, 1 thread", tables_s)
    return checks


def _measure_build(
    subject: Subject, name: str, folder: Path, growth: Growth, progress: Progress
) -> Mapping[str, int]:
    """Time several builds, then the memory of one more; all in processes of their own."""
    dataset = folder / "mosaic.whimbrel"
    command = whimbrel_command("build", folder / "mosaic.osm.pbf", "-o", dataset, "--json")
    builds = min(subject.repeat, _MAX_BUILDS)
    reports = []
    peak = 0
    for number in range(builds + 1):
        progress(f"{name}: building", number, builds + 1)
        shutil.rmtree(dataset, ignore_errors=True)
        run = run_process(command, folder, whimbrel_environment(), sampled=number == builds)
        peak = run.peak_bytes
        reports.append(json.loads(run.output))
    progress(f"{name}: building", builds + 1, builds + 1)
    walls = [float(report["wall_s"]) for report in reports[:builds]]
    growth.figures += [
        figure(GROUP, BUILD, name, "s", walls),
        figure(GROUP, MEMORY, name, "MB", [peak / 1e6]),
        figure(GROUP, DISK, name, "MB", [folder_bytes(dataset) / 1e6]),
    ]
    counts: dict[str, int] = reports[0]["counts"]
    return counts


def _seconds_of_routes(engine: Engine, ends: Sequence[Sequence[tuple[float, float]]]) -> float:
    """Seconds of one route, the mean of all."""
    start = time.perf_counter()
    for pair in ends:
        engine.route(pair)
    return (time.perf_counter() - start) / len(ends)


def _seconds_of_table(engine: Engine, points: F64) -> float:
    start = time.perf_counter()
    _ = engine.table(points, threads=1).duration_s
    return time.perf_counter() - start
