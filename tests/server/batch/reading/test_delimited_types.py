"""Delimited text whose columns are what they hold."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from server.batch.reading import delimited, input_file
from server.batch.reading.columns import WantedColumns
from server.batch.reading.delimited import DelimitedText

HEADER = "id,lon,lat,zip,price,open,note\n"
TYPES = {
    "id": pa.int64(),
    "lon": pa.float64(),
    "lat": pa.float64(),
    "zip": pa.string(),
    "price": pa.float64(),
    "open": pa.bool_(),
    "note": pa.string(),
}


def opened(folder: Path, text: str, n_points: int = 1, **wishes: Any) -> DelimitedText:
    path = folder / "points.csv"
    path.write_text(text)
    return DelimitedText(path, WantedColumns(n_points, typed=True, **wishes))


def rows_of(source: DelimitedText, n_rows: int = 1000, start: int = 0) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for chunk in source.chunks(n_rows, start):
        assert chunk.table.schema == source.schema
        chunk.table.validate(full=True)
        rows += zip(*(column.to_pylist() for column in chunk.table.columns), strict=True)
    return rows


def test_types_of_columns(tmp_path: Path) -> None:
    """Empty is null where there is a type; coordinates are numbers, and null if they are none."""
    lines = ["7,1.5,2,007,1,true,x", '8,x,"3,25",,2.5,,', ",,4,12,,false,y"]
    source = opened(tmp_path, HEADER + "\n".join(lines))
    assert {field.name: field.type for field in source.schema} == TYPES
    assert source.n_dropped == 0
    assert rows_of(source) == [
        (7, 1.5, 2.0, "007", 1.0, True, "x"),
        (8, None, 3.25, "", 2.5, None, ""),
        (None, None, 4.0, "12", None, False, "y"),
    ]
    assert source.n_dropped == 0  # the x is a coordinate: the row says so by its points


def test_later_values_are_made_to_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted; the same rows are read from any chunk's end and by blocks of any size."""
    monkeypatch.setattr(delimited, "SAMPLE_BYTES", 60)
    monkeypatch.setattr(input_file.InputFile.blocks, "__defaults__", (40,))
    first = ["7,1,2,007,1.5,true,x"] * 5
    later = ["007,1,2,8,x,no,9", "9,1,2,8,1e400,false,9", "1.5,1,2,8,012,1,9"]
    source = opened(tmp_path, HEADER + "\n".join([*first, *later, *first]))
    assert {field.name: field.type for field in source.schema} == TYPES
    rows = rows_of(source, 2)
    a = (7, 1.0, 2.0, "007", 1.5, True, "x")
    assert rows == [
        *[a] * 5,
        (None, 1.0, 2.0, "8", None, None, "9"),
        (9, 1.0, 2.0, "8", None, False, "9"),
        (None, 1.0, 2.0, "8", None, None, "9"),
        *[a] * 5,
    ]
    assert source.n_dropped == 7
    ends = [chunk.end for chunk in source.chunks(3)]
    assert [rows_of(source, 3, end) for end in ends] == [rows[n:] for n in (3, 6, 9, 12, 13)]


def test_a_type_that_shows_late(tmp_path: Path) -> None:
    """All of the sample is looked at, some pieces of it."""
    lines = [f"{i},1,2,3,4,true,x" for i in range(70_000)]
    source = opened(tmp_path, HEADER + "\n".join([*lines, "x7,1,2,3,4.5,no,x"]))
    kinds = {field.name: field.type for field in source.schema}
    assert kinds["id"] == pa.string() and kinds["open"] == pa.string()
    assert kinds["price"] == pa.float64() and kinds["zip"] == pa.int64()


def test_damaged_rows_say_nothing_of_types(tmp_path: Path) -> None:
    """Their values may stand in columns that are not theirs; what does not fit is counted."""
    lines = ["7,1,2,3,4,true,x", "Smith, John,1,2,3,4,true,x", "8,1"]
    source = opened(tmp_path, HEADER + "\n".join(lines))
    assert source.schema.field("id").type == pa.int64()
    assert rows_of(source)[1:] == [
        (None, None, 1.0, 2, 3, None, "true"),
        (8, 1.0, None, None, None, None, ""),
    ]
    assert source.n_dropped == 2
    (chunk,) = source.chunks(9)
    np.testing.assert_array_equal(chunk.points, [[1, 2], [np.nan] * 2, [np.nan] * 2])
    assert chunk.damaged is not None and chunk.damaged.tolist() == [False, True, True]


def test_no_rows_and_no_columns(tmp_path: Path) -> None:
    source = opened(tmp_path, HEADER)
    assert source.schema.field("lon").type == pa.float64()
    assert source.schema.field("id").type == pa.string() and rows_of(source) == []
    (chunk,) = opened(tmp_path, HEADER + "1,2,3,4,5,6,7\n", keep=[]).chunks(5)
    assert chunk.table.num_rows == 1 and chunk.table.num_columns == 0


def test_shapes_stay_text(tmp_path: Path) -> None:
    text = 'id,way\n1,"LINESTRING (1 2, 3 4)"\n2,\n'
    source = opened(tmp_path, text, 2, columns=["way"])
    assert rows_of(source) == [(1, "LINESTRING (1 2, 3 4)"), (2, "")]


@pytest.mark.parametrize("typed", [False, True])
def test_cells_as_they_are_written(tmp_path: Path, typed: bool) -> None:
    """Unless types are wanted."""
    path = tmp_path / "a.csv"
    path.write_text("id,lon,lat\n1,1.50,+2\n")
    source = DelimitedText(path, WantedColumns(1, typed=typed))
    assert rows_of(source) == [(1, 1.5, 2.0) if typed else ("1", "1.50", "+2")]
