"""The run of a batch: chunk by chunk from its source through answers into its output."""

import hashlib
import json
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import orjson
import pyarrow as pa

from gis.arrays import F64
from gis.dataset import Dataset
from server.batch.answer_table import answer_columns, answer_fields
from server.batch.marks import MATRIX, mark_of
from server.batch.reading.source import Chunk, Source
from server.batch.task import INVALID_ROW, STATUSES, Answer, Task
from server.batch.versions import LIBRARIES, VERSION
from server.batch.writing.formats import format_of
from server.batch.writing.partial import PartialOutput

Answers: TypeAlias = Callable[[Iterable[F64]], Generator[Answer, None, None]]
"""What answers for chunks of points, in their order, until it is closed."""

_CELLS = 8_000_000
"""Cells of a matrix that are answered at a time: 32 MB."""

_CHUNK_ROWS = {"route": 1 << 15, "nearest": 1 << 15, "isochrone": 1 << 5}

_LEAST_LINES, _MOST_LINES, _POINTS = 1 << 8, 1 << 12, 1 << 20
"""Lines of a chunk, and about how many points they may have."""


@dataclass(frozen=True)
class Batch:
    """What is to be done. ``answer_names`` leaves out columns of the answers; None has them all.

    ``labels`` are the names of the destinations of a table, if they have any.
    """

    dataset: Dataset
    source: Source
    inputs: Sequence[Path]
    output: Path
    task: Task
    answer_names: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    chunk_rows: int | None = None

    @property
    def rows_at_a_time(self) -> int:
        """How many rows are one chunk: never a matter of the number of workers."""
        if self.chunk_rows is not None:
            return self.chunk_rows
        task = self.task
        if task.name == "table":
            return min(max(_CELLS // max(len(task.destinations), 1), 16), 4096)
        if task.geometry:
            # A route through a square map has about twice as many points as the root of its edges.
            n_points = 2 * math.isqrt(self.dataset.manifest.about.counts["edges"]) + 1
            return min(max(_POINTS // n_points, _LEAST_LINES), _MOST_LINES)
        return _CHUNK_ROWS[task.name]


@dataclass
class Summary:
    """What has become of a batch; ``resumed_rows`` were there before this run."""

    output: str
    rows: int = 0
    resumed_rows: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    rows_per_s: float = 0.0
    dropped_values: int = 0


@dataclass(frozen=True)
class Progress:
    """How far a batch is: the part of its source that is done, and rows."""

    done: float
    rows: int
    resumed_rows: int


def run_batch(
    batch: Batch,
    answers: Answers,
    *,
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[Progress], None] = lambda progress: None,
) -> Summary:
    """Answer every row of the source and write them to the output, which appears at the end.

    ``resume`` goes on with what an interrupted run of the same batch has left, ``overwrite``
    throws it away; without either it is an ``OutputError``. The bytes are the same in any case.
    """
    fields, schema = _layout(batch)
    form = format_of(batch.output, schema, batch.source.n_rows)
    job = _identity(batch, schema)
    began = time.monotonic()
    with PartialOutput.open(batch.output, job, resume, overwrite, batch.inputs) as output:
        if output.is_finished:  # by a run that was killed at its very end
            return _summary(batch, output, output.n_rows, time.monotonic() - began)
        if output.is_new:
            output.append(form.begin(), b"", 0, 0, {})
        resumed = output.n_rows
        progress(_so_far(batch.source, output, resumed))
        with closing(_answered(batch, answers, output.end)) as answered:
            for chunk, found in answered:
                table = _table(batch, chunk, found, fields, schema)
                data, note = form.encode(table, output.size)
                output.append(data, note, len(table), chunk.end, _counts(found))
                progress(_so_far(batch.source, output, resumed))
        output.finish(form.end(output.notes))
        return _summary(batch, output, resumed, time.monotonic() - began)


def _layout(batch: Batch) -> tuple[list[pa.Field], pa.Schema]:
    """All fields of the answers, and the schema of the output."""
    fields = answer_fields(batch.task)
    if batch.labels is not None:
        fields = [_labelled(one, batch.labels) for one in fields]
    chosen = [one for one in fields if _is_wanted(batch, one.name)]
    return fields, pa.schema([*batch.source.schema, *chosen])


def _labelled(column: pa.Field, labels: Sequence[str]) -> pa.Field:
    """A column of a matrix with the names of its own columns; others as they are."""
    if mark_of(column) != MATRIX:
        return column
    return column.with_metadata(column.metadata | {b"labels": json.dumps(labels).encode()})


def _is_wanted(batch: Batch, name: str) -> bool:
    return batch.answer_names is None or name in batch.answer_names


def _answered(
    batch: Batch, answers: Answers, start: int
) -> Generator[tuple[Chunk, Answer], None, None]:
    """The chunks from a place of the source on, each with its answer."""
    under_way: deque[Chunk] = deque()

    def points() -> Iterator[F64]:
        for chunk in batch.source.chunks(batch.rows_at_a_time, start):
            under_way.append(chunk)
            yield chunk.points

    with closing(answers(points())) as found_in_order:
        for found in found_in_order:
            chunk = under_way.popleft()
            yield chunk, _with_damage(found, chunk)


def _with_damage(found: Answer, chunk: Chunk) -> Answer:
    """The answer that tells damaged rows from those whose points are wrong."""
    if chunk.damaged is None:
        return found
    return found._replace(status=np.where(chunk.damaged, np.uint8(INVALID_ROW), found.status))


def _table(
    batch: Batch, chunk: Chunk, found: Answer, fields: list[pa.Field], schema: pa.Schema
) -> pa.Table:
    columns = zip(fields, answer_columns(found, fields), strict=True)
    chosen = [column for one, column in columns if _is_wanted(batch, one.name)]
    return pa.Table.from_arrays([*chunk.table.columns, *chosen], schema=schema)


def _counts(found: Answer) -> Mapping[str, int]:
    numbers = Counter(found.status.tolist())
    return {STATUSES[status]: number for status, number in sorted(numbers.items())}


def _so_far(source: Source, output: PartialOutput, resumed: int) -> Progress:
    done = output.end / source.size if source.size else 1.0
    return Progress(done, output.n_rows, resumed)


def _summary(batch: Batch, output: PartialOutput, resumed: int, seconds: float) -> Summary:
    return Summary(
        str(batch.output),
        output.n_rows,
        resumed,
        dict(output.counts),
        seconds,
        (output.n_rows - resumed) / max(seconds, 1e-9),
        batch.source.n_dropped,
    )


def _identity(batch: Batch, schema: pa.Schema) -> dict[str, Any]:
    """All that the bytes of the output depend on."""
    task = batch.task
    return {
        "whimbrel": VERSION,
        "libraries": f"{LIBRARIES}, Arrow {pa.__version__}, orjson {orjson.__version__}",
        "dataset": batch.dataset.manifest.data,
        **{f"input {name}": value for name, value in batch.source.identity.items()},
        "task": task.name,
        "profile": task.profile,
        "roads": [task.depart_at, list(task.exclude)],
        "radius": task.radius_m,
        "snapping": task.snapping,
        "geometry": task.geometry,
        "destinations": hashlib.sha256(task.destinations.tobytes()).hexdigest()[:16],
        "labels": batch.labels and list(batch.labels),
        "limits": [list(task.limits), task.by_distance, task.reverse],
        "output": batch.output.suffix.lower(),
        "columns": [f"{column.name}: {column.type}" for column in schema],
        "chunk rows": batch.rows_at_a_time,
    }
