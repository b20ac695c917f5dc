"""Columns of lists of equal length as matrices, and the names of their columns."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gis.arrays import AnyArray
from server.batch.writing.cells import TEXT

_LABELS = b"labels"


def labels(field: pa.Field) -> list[str]:
    """The names of a matrix's columns: those its metadata holds, else numbers after its own."""
    named = (field.metadata or {}).get(_LABELS)
    if named is not None:
        return [str(label) for label in json.loads(named)]
    return [f"{field.name}_{number}" for number in range(field.type.list_size)]


def matrix(column: pa.Array) -> AnyArray:
    """The numbers of n lists of m each as an array (n, m); NaN where there is none."""
    m = column.type.list_size
    numbers = column.values.slice(column.offset * m, len(column) * m)
    rows: AnyArray = numbers.to_numpy(zero_copy_only=False).reshape(len(column), m)
    if column.null_count:
        rows = rows.copy()
        rows[column.is_null().to_numpy(zero_copy_only=False)] = float("nan")
    return rows


def with_nulls(column: pa.Array) -> pa.Array:
    """The lists with nulls where numbers are NaN."""
    numbers = pa.Array.from_pandas(matrix(column).ravel())
    missing = column.is_null() if column.null_count else None
    return pa.FixedSizeListArray.from_arrays(numbers, type=column.type, mask=missing)


def rows_as_text(column: pa.Array, delimiter: str, null: str) -> pa.Array:
    """The numbers of each row with a delimiter between them, and ``null`` for NaN."""
    rows = matrix(column)
    numbers = pa.Array.from_pandas(rows.ravel()).cast(TEXT).fill_null(null)
    ends = np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1]
    lists = pa.LargeListArray.from_arrays(ends, numbers)
    return pc.binary_join(lists, pa.scalar(delimiter, TEXT))
