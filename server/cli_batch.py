"""The commands that answer many questions from files."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

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

_S_PER_MINUTE = 60.0
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


@dataclass(frozen=True)
class Question:
    """What the commands can be told to ask, as it was typed."""

    task: str
    profile: str | None
    radius: float
    geometry: bool = False
    minutes: str | None = None
    meters: str | None = None
    direction: str = "from"
    destinations: Path | None = None
    distances: bool = False

    def __post_init__(self) -> None:
        """Refuse what has no meaning for the task, and want what it needs."""
        if self.task not in TASKS:
            raise EngineError(f"--task: got '{self.task}', expected one of {', '.join(TASKS)}")
        given = {
            "--geometry": ("route", self.geometry),
            "--minutes": ("isochrone", self.minutes is not None),
            "--meters": ("isochrone", self.meters is not None),
            "--direction": ("isochrone", self.direction != "from"),
            "--destinations": ("table", self.destinations is not None),
            "--distances": ("table", self.distances),
        }
        for option, (task, is_given) in given.items():
            if is_given and self.task != task:
                raise EngineError(f"{option} is for --task {task}, not {self.task}")
        if self.direction not in ("from", "to"):
            raise EngineError(f"--direction: got '{self.direction}', expected from or to")

    def asked(self) -> Task:
        """The question as it is put."""
        limits, by_distance = self._limits()
        return Task(
            self.task,
            profile=self.profile,
            radius_m=None if math.isinf(self.radius) else self.radius,
            geometry=self.geometry,
            distances=self.distances,
            limits=limits,
            by_distance=by_distance,
            reverse=self.direction == "to",
        )

    def _limits(self) -> tuple[tuple[float, ...], bool]:
        """The limits of isochrones in seconds or metres, and whether they are metres."""
        by_distance = self.meters is not None
        option, text = ("--meters", self.meters) if by_distance else ("--minutes", self.minutes)
        if self.task != "isochrone":
            return (), False
        if text is None or (self.minutes is not None and by_distance):
            raise EngineError("--task isochrone needs either --minutes or --meters, such as 5,10")
        limits = [_positive(part, option, text) for part in text.split(",")]
        if len(set(limits)) < len(limits):
            raise EngineError(f"{option}: got '{text}', which has a number twice")
        return tuple(limit * (1 if by_distance else _S_PER_MINUTE) for limit in limits), by_distance


def answer_rows(
    dataset: Path, source: Path, output: Path, question: Question, wishes: Wishes
) -> None:
    """Answer every row of a file and say how it went."""
    task = question.asked()
    inputs = [source]
    if task.name == "table":
        if question.destinations is None:
            raise EngineError("--task table needs --destinations FILE")
        _, ends = read_points(question.destinations)
        task = replace(task, destinations=ends)
        inputs.append(question.destinations)
    n_points = N_POINTS[task.name]
    rows = open_source(source, n_points, _names(wishes.columns), _names(wishes.keep))
    _run(Batch(dataset, rows, inputs, output, task, chunk_rows=wishes.chunk_rows), wishes)


def write_matrix(
    dataset: Path,
    places: tuple[Path, Path | None],
    output: Path,
    annotations: str,
    question: Question,
    wishes: Wishes,
) -> None:
    """Write the matrix between the points of two files, or of one."""
    suffix = output.suffix.lower()
    if suffix not in _MATRIX_SUFFIXES:
        raise EngineError(f"{output}: expected one of {', '.join(_MATRIX_SUFFIXES)}")
    wanted = [_annotation(part) for part in annotations.split(",")]
    is_parquet = suffix in (".parquet", ".pq")
    if len(wanted) > 1 and not is_parquet:
        raise EngineError(f"{output}: holds one matrix, expected one of {', '.join(_ANNOTATIONS)}")
    columns = _names(wishes.columns)
    sources, starts = read_points(places[0], columns)
    targets, ends = (sources, starts) if places[1] is None else read_points(places[1], columns)
    task = replace(question.asked(), destinations=ends, distances="distance_m" in wanted)
    rows = PointsInMemory(sources, starts, places[0], named=suffix != ".npy")
    names = ["status", *wanted] if is_parquet else wanted
    inputs = [path for path in places if path is not None]
    labels = names_of(targets)
    _run(Batch(dataset, rows, inputs, output, task, names, labels, wishes.chunk_rows), wishes)


def _annotation(text: str) -> str:
    if text.strip() not in _ANNOTATIONS:
        known = ", ".join(_ANNOTATIONS)
        raise EngineError(f"--annotations: got '{text.strip()}', expected one of {known}")
    return _ANNOTATIONS[text.strip()]


def _positive(text: str, option: str, whole: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise EngineError(f"{option}: got '{whole}', expected numbers above 0 such as 5,10")
    return number


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
    return ask(wishes.dask, batch.dataset, batch.task, points, wishes.dataset_url, say=err.print)


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
