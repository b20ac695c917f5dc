"""Answers as columns of a table: what stands in an output beside the columns of the input."""

import numpy as np
import pyarrow as pa

from gis.arrays import AnyArray
from server.batch.answering import isochrone_columns
from server.batch.errors import OutputError
from server.batch.marks import MATRIX, WKB, marked
from server.batch.task import STATUSES, Answer, Ragged, Task

_STATUSES = pa.array(STATUSES)

_MOST_BYTES = 2**31 - 1
"""What Arrow's offsets of 32 bits reach."""


def answer_fields(task: Task) -> list[pa.Field]:
    """The status and the columns of answers, as `answer` has them."""
    number, binary = pa.float64(), pa.binary()
    fields = [pa.field("status", pa.string(), nullable=False)]
    if task.name == "route":
        fields += [pa.field("duration_s", number), pa.field("distance_m", number)]
        if task.geometry:
            fields.append(marked(pa.field("geometry", binary), WKB))
    elif task.name == "table":
        row = pa.list_(pa.float32(), len(task.destinations))
        fields.append(marked(pa.field("duration_s", row), MATRIX))
        if task.distances:
            fields.append(marked(pa.field("distance_m", row), MATRIX))
    elif task.name == "nearest":
        names = "snapped_lon", "snapped_lat", "distance_m"
        fields += [*(pa.field(name, number) for name in names), pa.field("name", pa.string())]
    else:
        fields += [marked(pa.field(name, binary), WKB) for name in isochrone_columns(task)]
    return fields


def answer_columns(answer: Answer, fields: list[pa.Field]) -> list[pa.Array]:
    """The columns of an answer, of the types of its fields."""
    status = _STATUSES.take(pa.array(answer.status))
    has_answer = answer.status == 0
    values = zip(answer.columns.values(), fields[1:], strict=True)
    return [status, *(_column(value, field.type, has_answer) for value, field in values)]


def _column(value: AnyArray | Ragged, kind: pa.DataType, has_answer: AnyArray) -> pa.Array:
    """Numbers that are NaN, and bytes of rows without an answer, are null; not so in a matrix.

    There the numbers are taken as they are, without a copy.
    """
    if isinstance(value, Ragged):
        n_bytes = int(value.first[-1])
        if n_bytes > _MOST_BYTES:
            raise OutputError(
                f"what {len(has_answer)} rows hold takes {n_bytes} bytes,"
                f" expected at most {_MOST_BYTES}: choose a smaller --chunk-rows"
            )
        missing = None
        if not has_answer.all():
            missing = pa.py_buffer(np.packbits(has_answer, bitorder="little"))
        first = value.first.astype(np.int32)
        buffers = [missing, pa.py_buffer(first), pa.py_buffer(value.data)]
        return pa.Array.from_buffers(kind, len(has_answer), buffers)
    if value.ndim == 2:
        items = pa.array(value.reshape(-1), kind.value_type)
        return pa.FixedSizeListArray.from_arrays(items, type=kind)
    return pa.array(value, kind, from_pandas=True)
