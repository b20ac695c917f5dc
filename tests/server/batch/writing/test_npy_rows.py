"""Matrices are read by NumPy."""

import io
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from server.batch.errors import OutputError
from server.batch.marks import MATRIX, marked
from server.batch.writing.formats import format_of


def matrix_table(n_rows: int, number: pa.DataType, names: tuple[str, ...] = ("m",)) -> pa.Table:
    fields = [marked(pa.field(name, pa.list_(number, 3)), MATRIX) for name in names]
    rows = [[i, i + 0.5, math.nan] if i % 4 else None for i in range(n_rows)]
    columns = [pa.array(["Ok"] * n_rows, pa.string()), *(pa.array(rows, f.type) for f in fields)]
    return pa.table(columns, pa.schema([pa.field("status", pa.string()), *fields]))


@pytest.mark.parametrize("number", [pa.float32(), pa.float64()])
@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_rows_come_back(number: pa.DataType, chunk: int) -> None:
    """Whatever the chunks; a row that is null is NaN; the file is NumPy's own, byte for byte."""
    table = matrix_table(10, number)
    form = format_of(Path("x.npy"), table.schema, 10)
    encoded = [form.encode(table.slice(at, chunk), 0) for at in range(0, 10, chunk)]
    data = form.begin() + b"".join(rows for rows, _ in encoded)
    data += b"".join(form.end([b"", *(note for _, note in encoded)]))
    expected = np.array(
        [[i, i + 0.5, math.nan] if i % 4 else [math.nan] * 3 for i in range(10)],
        number.to_pandas_dtype(),
    )
    found = np.load(io.BytesIO(data))
    np.testing.assert_array_equal(found, expected)
    own = io.BytesIO()
    np.save(own, expected)
    assert found.dtype == expected.dtype
    assert data == own.getvalue()


def test_what_lies_under_nulls_is_not_written() -> None:
    """Arrow keeps some numbers where a row is null."""
    field = matrix_table(0, pa.float32()).schema.field("m")
    numbers = pa.array(np.ones(6, np.float32))
    rows = pa.FixedSizeListArray.from_arrays(numbers, 3, mask=pa.array([False, True]))
    form = format_of(Path("x.npy"), pa.schema([field]), 2)
    data, _ = form.encode(pa.table([rows], pa.schema([field])), 0)
    np.testing.assert_array_equal(np.frombuffer(data, "<f4"), [1, 1, 1] + [math.nan] * 3)


def test_no_rows() -> None:
    form = format_of(Path("x.npy"), matrix_table(0, pa.float32()).schema, 0)
    assert np.load(io.BytesIO(form.begin() + b"".join(form.end([])))).shape == (0, 3)


def test_it_holds_one_matrix_of_known_length() -> None:
    one = matrix_table(5, pa.float32())
    with pytest.raises(OutputError, match=r"x\.npy: .*number of rows"):
        format_of(Path("x.npy"), one.schema)
    with pytest.raises(OutputError, match="one matrix, got none"):
        format_of(Path("x.npy"), pa.schema([("status", pa.string())]), 5)
    two = matrix_table(5, pa.float32(), ("duration_s", "distance_m"))
    with pytest.raises(OutputError, match="one matrix, got duration_s and distance_m"):
        format_of(Path("x.npy"), two.schema, 5)
    form = format_of(Path("x.npy"), one.schema, 6)
    with pytest.raises(OutputError, match="got 5 rows, expected 6"):
        form.end([b"", form.encode(one, 0)[1]])
