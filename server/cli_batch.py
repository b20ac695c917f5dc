"""The commands that answer many questions from files."""

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.progress import (
    BarColumn,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars

from gis.arrays import F64
from gis.dataset import open_dataset
from gis.errors import EngineError
from gis.workers import available_cpus
from routing.engine import Engine
from server.batch.answer_table import answer_fields
from server.batch.answering import check_task
from server.batch.errors import OutputError
from server.batch.local import answers_here
from server.batch.reading.in_memory import PointsInMemory, names_of
from server.batch.reading.source import open_source, read_points
from server.batch.runner import Answers, Batch, Progress, Summary, run_batch
from server.batch.task import N_POINTS, TASKS, Task
from server.console import err, out, write_json
from server.kernels import load_kernels

_LINE_S = 10.0
"""Seconds between two lines of progress where there is no terminal."""

_S_PER_MINUTE = 60.0
_MATRIX_SUFFIXES = (".npy", ".parquet", ".pq", ".csv", ".tsv")
_VERBATIM_SUFFIXES = (".csv", ".tsv")
"""Of outputs in which the cells of text are as they were; in others columns have types."""

_ANNOTATIONS = {"duration": "duration_s", "distance": "distance_m"}


@dataclass(frozen=True)
class BatchOptions:
    """What both commands can be told about how, and not what, to answer."""

    columns: str | None
    destination_columns: str | None
    keep: str | None
    workers: int | None
    chunk_rows: int | None
    resume: bool
    overwrite: bool
    dask: str | None
    dataset_url: str | None
    as_json: bool

    def __post_init__(self) -> None:
        """Refuse what excludes each other."""
        if self.resume and self.overwrite:
            raise EngineError("--resume and --overwrite exclude each other")
        if self.dataset_url is not None and self.dask is None:
            raise EngineError("--dataset-url is for workers of --dask")
        if self.workers is not None and self.dask is not None:
            raise EngineError("--workers is for this machine; --dask has workers of its own")


@dataclass(frozen=True)
class Question:
    """What the commands can be told to ask, as it was typed."""

    task: str
    radius: float
    profile: str | None = None
    depart_at: str | None = None
    exclude: tuple[str, ...] = ()
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
            depart_at=self.depart_at,
            exclude=self.exclude,
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
    dataset: Path, source: Path, output: Path, question: Question, options: BatchOptions
) -> None:
    """Answer every row of a file and say how it went."""
    task = question.asked()
    inputs = [source]
    if task.name == "table":
        if question.destinations is None:
            raise EngineError("--task table needs --destinations FILE")
        _, ends = _some_points(question.destinations, options.destination_columns)
        task = replace(task, destinations=ends)
        inputs.append(question.destinations)
    n_points = N_POINTS[task.name]
    rows = open_source(
        source,
        n_points,
        _names(options.columns),
        _names(options.keep),
        reserved=[field.name for field in answer_fields(task)],
        typed=output.suffix.lower() not in _VERBATIM_SUFFIXES,
    )
    opened = open_dataset(dataset)
    _run(Batch(opened, rows, inputs, output, task, chunk_rows=options.chunk_rows), options)


def write_matrix(
    dataset: Path,
    places: tuple[Path, Path | None],
    output: Path,
    annotations: str,
    question: Question,
    options: BatchOptions,
) -> None:
    """Write the matrix between the points of two files, or of one."""
    suffix = output.suffix.lower()
    if suffix not in _MATRIX_SUFFIXES:
        raise EngineError(f"{output}: expected one of {', '.join(_MATRIX_SUFFIXES)}")
    wanted = [_annotation(part) for part in annotations.split(",")]
    is_parquet = suffix in (".parquet", ".pq")
    if len(wanted) > 1 and not is_parquet:
        raise EngineError(f"{output}: holds one matrix, expected one of {', '.join(_ANNOTATIONS)}")
    targets, ends = sources, starts = _some_points(places[0], options.columns)
    if places[1] is not None:
        targets, ends = _some_points(places[1], options.destination_columns)
    task = replace(question.asked(), destinations=ends, distances="distance_m" in wanted)
    rows = PointsInMemory(sources, starts, places[0], named=suffix != ".npy")
    names = ["status", *wanted] if is_parquet else wanted
    inputs = [path for path in places if path is not None]
    labels = names_of(targets)
    batch = Batch(
        open_dataset(dataset), rows, inputs, output, task, names, labels, options.chunk_rows
    )
    _run(batch, options)


def _some_points(path: Path, columns: str | None) -> tuple[Any, F64]:
    """The points of a file and all its columns; refuses a file without any."""
    table, points = read_points(path, _names(columns))
    if not len(points):
        raise EngineError(f"{path}: has no rows, expected one point or more")
    return table, points


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


def _run(batch: Batch, options: BatchOptions) -> None:
    """Run a batch with a bar, and say how it went."""
    check_task(Engine(batch.dataset), batch.task)
    if options.dask is None:
        load_kernels()
    shown = _Shown(options.resume)
    kept = "--resume goes on from there"
    try:
        with shown.bars:
            summary = run_batch(
                batch,
                _answers(batch, options),
                resume=options.resume,
                overwrite=options.overwrite,
                progress=shown.show,
            )
    except (KeyboardInterrupt, SystemExit):
        err.print(f"interrupted after {shown.rows:,} rows{f': {kept}' * bool(shown.rows)}")
        raise
    except OutputError:  # which says so itself
        raise
    except EngineError as error:
        if not shown.rows:
            raise
        raise EngineError(f"{error}; {shown.rows:,} rows are kept, {kept}") from error
    if options.as_json:
        write_json(asdict(summary))
    else:
        _say(summary)


def _answers(batch: Batch, options: BatchOptions) -> Answers:
    """Who answers: processes of this machine, or a cluster."""
    if options.dask is None:
        workers = options.workers or available_cpus()
        return lambda points: answers_here(batch.dataset, batch.task, points, workers)
    from server.cluster.client import answers_on_dask

    address, url = options.dask, options.dataset_url
    return lambda points: answers_on_dask(
        address, batch.dataset, batch.task, points, url, say=err.print
    )


class _Shown:
    """Shows how far a batch is: a bar, or a line now and then where there is no terminal."""

    def __init__(self, resumes: bool) -> None:
        self.rows = 0
        self._resumes = resumes
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
        if self._resumes:
            self._resumes = False
            err.print(
                f"going on after {progress.rows:,} rows"
                if progress.rows
                else "there is nothing to go on with: beginning anew"
            )
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
    n_ok = summary.statuses.get("Ok", 0)
    told = "".join(f", {n:,} {name}" for name, n in others.items())
    new = summary.rows - summary.resumed_rows
    these = f"{new:,} of them" if summary.resumed_rows else "all"
    out.print(
        f"{summary.output}: {_number(summary.rows, 'row')}, {n_ok:,} Ok{told};"
        f" {these} in {summary.seconds:.1f} s, {summary.rows_per_s:,.0f} rows/s"
    )
    if summary.rows and not n_ok:
        err.print("no row has an answer: are these points of this map, and longitudes first?")
    if summary.dropped_values:
        what = _number(summary.dropped_values, "value")
        err.print(f"{what} did not fit the type of the column and are left out")


def _number(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"
