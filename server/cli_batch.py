"""The commands that answer many questions from files."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from rich.progress import (
    BarColumn,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars

from gis.arrays import F64
from gis.errors import EngineError
from gis.workers import available_cpus
from routing.engine import Engine
from server.batch.answering import check_task
from server.batch.local import answers_here
from server.batch.reading.in_memory import PointsInMemory, names_of
from server.batch.reading.source import open_source, read_points
from server.batch.runner import Answers, Batch, Progress, Summary, run_batch
from server.batch.task import N_POINTS, TASKS, Answer, Task
from server.console import err, out, write_json
from server.kernels import load_kernels

_LINE_S = 10.0
"""Seconds between two lines of progress where there is no terminal."""

_MATRIX_SUFFIXES = (".npy", ".parquet", ".pq", ".csv", ".tsv")
_ANNOTATIONS = {"duration": "duration_s", "distance": "distance_m"}


@dataclass(frozen=True)
class Wishes:
    """What both commands can be told about how, and not what, to answer."""

    columns: str | None
    keep: str | None
    workers: int | None
    chunk_rows: int | None
    resume: bool
    overwrite: bool
    dask: str | None
    dataset_url: str | None
    as_json: bool

    def __post_init__(self) -> None:
        if self.resume and self.overwrite:
            raise EngineError("--resume and --overwrite exclude each other")
        if self.dataset_url is not None and self.dask is None:
            raise EngineError("--dataset-url is for workers of --dask")


def answer_rows(
    dataset: Path,
    source: Path,
    output: Path,
    name: str,
    shape: tuple[bool, str | None, str | None, bool, Path | None, bool, str | None, float],
    wishes: Wishes,
) -> None:
    """Answer every row of a file and say how it went."""
    geometry, minutes, meters, to, destinations, distances, profile, radius = shape
    if name not in TASKS:
        raise EngineError(f"--task: got '{name}', expected one of {', '.join(TASKS)}")
    _check_options(name, geometry, minutes, meters, to, destinations, distances)
    limits, by_distance = _limits(minutes, meters)
    ends = np.empty((0, 2))
    if destinations is not None:
        _, ends = read_points(destinations)
    task = Task(
        name,
        profile=profile,
        radius_m=_radius(radius),
        geometry=geometry,
        distances=distances,
        destinations=ends,
        limits=limits,
        by_distance=by_distance,
        reverse=to,
    )
    rows = open_source(source, N_POINTS[name], _names(wishes.columns), _names(wishes.keep))
    inputs = (source,) if destinations is None else (source, destinations)
    _run(Batch(dataset, rows, inputs, output, task, chunk_rows=wishes.chunk_rows), wishes)


def write_matrix(
    dataset: Path,
    places: tuple[Path, Path | None],
    output: Path,
    annotations: str,
    vehicle: tuple[str | None, float],
    wishes: Wishes,
) -> None:
    """Write the matrix between the points of two files, or of one."""
    if output.suffix.lower() not in _MATRIX_SUFFIXES:
        raise EngineError(f"{output}: expected one of {', '.join(_MATRIX_SUFFIXES)}")
    wanted = [_annotation(part) for part in annotations.split(",")]
    is_parquet = output.suffix.lower() in (".parquet", ".pq")
    if len(wanted) > 1 and not is_parquet:
        raise EngineError(f"{output}: holds one matrix, expected one of {', '.join(_ANNOTATIONS)}")
    columns = _names(wishes.columns)
    sources, starts = read_points(places[0], columns)
    targets, ends = (sources, starts) if places[1] is None else read_points(places[1], columns)
    task = Task(
        "table",
        profile=vehicle[0],
        radius_m=_radius(vehicle[1]),
        distances="distance_m" in wanted,
        destinations=ends,
    )
    is_plain = output.suffix.lower() == ".npy"
    rows = PointsInMemory(sources, starts, places[0], named=not is_plain)
    names = tuple(wanted) if not is_parquet else ("status", *wanted)
    labels = names_of(targets)
    inputs = tuple(path for path in places if path is not None)
    _run(Batch(dataset, rows, inputs, output, task, names, labels, wishes.chunk_rows), wishes)


def _annotation(text: str) -> str:
    if text.strip() not in _ANNOTATIONS:
        known = ", ".join(_ANNOTATIONS)
        raise EngineError(f"--annotations: got '{text.strip()}', expected one of {known}")
    return _ANNOTATIONS[text.strip()]


def _check_options(
    name: str,
    geometry: bool,
    minutes: str | None,
    meters: str | None,
    to: bool,
    destinations: Path | None,
    distances: bool,
) -> None:
    """Refuse what has no meaning for a task, and want what it needs."""
    given = {
        "--geometry": ("route", geometry),
        "--minutes": ("isochrone", minutes is not None),
        "--meters": ("isochrone", meters is not None),
        "--to": ("isochrone", to),
        "--destinations": ("table", destinations is not None),
        "--distances": ("table", distances),
    }
    for option, (task, is_given) in given.items():
        if is_given and name != task:
            raise EngineError(f"{option} is for --task {task}, not {name}")
    if name == "isochrone" and (minutes is None) == (meters is None):
        raise EngineError("--task isochrone needs either --minutes or --meters, such as 5,10")
    if name == "table" and destinations is None:
        raise EngineError("--task table needs --destinations FILE")


def _limits(minutes: str | None, meters: str | None) -> tuple[tuple[float, ...], bool]:
    """The limits of isochrones in seconds or metres, and whether they are metres."""
    option, text, scale = ("--meters", meters, 1.0) if meters else ("--minutes", minutes, 60.0)
    limits = []
    for part in (text or "").split(",") if text is not None else ():
        try:
            limit = float(part) * scale
        except ValueError:
            limit = math.nan
        if not 0 < limit < math.inf:
            raise EngineError(f"{option}: got '{text}', expected numbers above 0 such as 5,10")
        limits.append(limit)
    if len(set(limits)) < len(limits):
        raise EngineError(f"{option}: got '{text}', which has a number twice")
    return tuple(limits), meters is not None


def _radius(radius: float) -> float | None:
    return None if math.isinf(radius) else radius


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def _run(batch: Batch, wishes: Wishes) -> None:
    """Run a batch with a bar, and say how it went."""
    check_task(Engine.open(batch.dataset), batch.task)
    if wishes.dask is None:
        load_kernels()
    shown = _Shown()
    try:
        with shown.bars:
            summary = run_batch(
                batch,
                _answers(batch, wishes),
                resume=wishes.resume,
                overwrite=wishes.overwrite,
                progress=shown.show,
            )
    except (KeyboardInterrupt, SystemExit):
        err.print(f"interrupted after {shown.rows:,} rows: --resume goes on from there")
        raise
    if wishes.as_json:
        write_json(asdict(summary))
    else:
        _say(summary)


def _answers(batch: Batch, wishes: Wishes) -> Answers:
    """Who answers: processes of this machine, or a cluster."""
    if wishes.dask is None:
        workers = wishes.workers or available_cpus()
        return partial(_here, batch.dataset, batch.task, workers)
    from server.cluster.client import answers_on_dask

    return partial(_there, answers_on_dask, batch, wishes)


def _here(dataset: Path, task: Task, workers: int, points: Iterable[F64]) -> Iterator[Answer]:
    return answers_here(dataset, task, points, workers)


def _there(
    ask: Callable[..., Iterator[Answer]], batch: Batch, wishes: Wishes, points: Iterable[F64]
) -> Iterator[Answer]:
    return ask(wishes.dask, batch.dataset, batch.task, points, wishes.dataset_url)


class _Shown:
    """Shows how far a batch is: a bar, or a line now and then where there is no terminal."""

    def __init__(self) -> None:
        self.rows = 0
        columns: Sequence[ProgressColumn] = (
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,} rows/s, left"),
            TimeRemainingColumn(),
        )
        self.bars = Bars(
            *columns, console=err, auto_refresh=False, transient=True, disable=not err.is_terminal
        )
        self._bar = self.bars.add_task("", total=1.0, rows=0, rate=0)
        self._began = self._said = time.monotonic()

    def show(self, progress: Progress) -> None:
        """Move the bar, which is drawn here and by no thread: workers are forked."""
        self.rows = progress.rows
        now = time.monotonic()
        new_rows = progress.rows - progress.resumed_rows
        rate = round(new_rows / max(now - self._began, 1e-9))
        self.bars.update(
            self._bar, completed=progress.done, rows=progress.rows, rate=rate, refresh=True
        )
        if not err.is_terminal and now - self._said >= _LINE_S:
            self._said = now
            err.print(f"{progress.done:.0%}: {progress.rows:,} rows, {rate:,} rows/s")


def _say(summary: Summary) -> None:
    others = {name: n for name, n in summary.statuses.items() if name != "Ok"}
    told = "".join(f", {n:,} {name}" for name, n in others.items())
    new = summary.rows - summary.resumed_rows
    out.print(
        f"{summary.output}: {summary.rows:,} rows, {summary.statuses.get('Ok', 0):,} Ok{told};"
        f" {new:,} in {summary.seconds:.1f} s, {summary.rows_per_s:,.0f} rows/s"
    )
    if summary.dropped_values:
        n = summary.dropped_values
        out.print(f"{n:,} values did not fit the type of their column and are left out")
