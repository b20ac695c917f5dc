"""What cannot be written is told in one line, with the column's name, as early as can be."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import shapely

from server.batch.errors import OutputError
from server.batch.marks import WKB, marked
from server.batch.writing.checked import Checked
from server.batch.writing.delimited_rows import DelimitedRows
from server.batch.writing.formats import format_of

DOUBLED = pa.struct([pa.field("a", pa.int8()), pa.field("a", pa.int8())])
FUTURE = pa.array([2**62], pa.timestamp("s"))
CURVE = b"\x01\x08" + bytes(7)
"""The beginning of a circular string, which no library here can read."""


def refusal(name: str, column: pa.Array, mark: str = "") -> str:
    """Why a column, and not those beside it, cannot be written: the schema, or else a chunk."""
    fields = [pa.field("id", pa.int64()), marked(pa.field("odd\none", column.type), mark)]
    schema = pa.schema([*fields, pa.field("end", pa.string())])
    columns = [pa.array(range(len(column))), column, pa.array(["x"] * len(column))]
    with pytest.raises(OutputError) as raised:
        format_of(Path(name), schema).encode(pa.table(columns, schema), 4)
    return str(raised.value)


@pytest.mark.parametrize(
    "kind",
    [
        pa.month_day_nano_interval(),
        pa.sparse_union([pa.field("a", pa.int8())]),
        pa.dense_union([pa.field("a", pa.int8())]),
        pa.run_end_encoded(pa.int32(), pa.string()),
        pa.list_(pa.month_day_nano_interval()),
        pa.decimal128(5, -2),
        pa.struct([]),
    ],
    ids=str,
)
def test_types_that_parquet_lacks(kind: pa.DataType) -> None:
    """The schema is enough: nothing has been written yet."""
    schema = pa.schema([("id", pa.int64()), ("odd", kind)])
    with pytest.raises(OutputError) as raised:
        format_of(Path("x.parquet"), schema)
    message = str(raised.value)
    assert message.startswith(f"x.parquet: cannot write column odd of type {kind}: ")
    assert message.endswith("; name the columns to carry without it with --keep")
    assert "\n" not in message


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.geojsonl", "x.geojsons"])
@pytest.mark.parametrize(
    "kind",
    [
        DOUBLED,
        pa.list_(DOUBLED),
        pa.struct({"b": pa.list_view(DOUBLED)}),
        pa.map_(pa.string(), DOUBLED),
        pa.dictionary(pa.int8(), DOUBLED),
    ],
    ids=str,
)
def test_doubled_names(name: str, kind: pa.DataType) -> None:
    """Wherever they are; JSON would have one of them alone. They are no matter in Parquet."""
    schema = pa.schema([("id", pa.int64()), ("odd", kind)])
    with pytest.raises(OutputError, match=f"^{name}: cannot write column odd of type .* one name"):
        format_of(Path(name), schema)
    format_of(Path("x.parquet"), schema)
    format_of(Path(name), pa.schema([("a", pa.int8()), ("b", pa.struct({"a": pa.int8()}))]))


@pytest.mark.parametrize(
    ("name", "column", "mark"),
    [
        ("x.parquet", FUTURE, ""),
        ("x.csv", pa.array([1], pa.timestamp("s", "Nowhere/Else")), ""),
        ("x.csv", pa.array([[2**62]], pa.list_(pa.timestamp("us"))), ""),
        ("x.geojsonl", pa.array([[2**62]], pa.list_(pa.duration("s"))), ""),
        ("x.geojsonl", pa.ListArray.from_arrays([0, 1], pa.array([b"\xff"]).view("string")), ""),
        ("x.geojsonl", pa.array([CURVE]), WKB),
        ("x.csv", pa.array([CURVE]), WKB),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_values(name: str, column: pa.Array, mark: str) -> None:
    """These cannot be known before they come."""
    message = refusal(name, column, mark)
    assert message.startswith(f"{name}: cannot write column odd one of type {column.type}: ")
    assert message.endswith("; name the columns to carry without it with --keep")
    assert "\n" not in message


def test_long_types_are_cut() -> None:
    kind = pa.struct([(f"member {i}", pa.month_day_nano_interval()) for i in range(100)])
    with pytest.raises(OutputError) as raised:
        format_of(Path("x.parquet"), pa.schema([("odd", kind)]))
    assert len(str(raised.value)) < 400


class Broken(DelimitedRows):
    """Fails for whole chunks alone."""

    error: Exception = ValueError("too\nmuch")

    def encode(self, table: pa.Table, at: int) -> tuple[bytes, bytes]:
        if table.num_columns > 1:
            raise self.error
        return super().encode(table, at)


def checked(monkeypatch: pytest.MonkeyPatch, error: Exception) -> tuple[Checked, pa.Table]:
    table = pa.table({"a": [1], "b": [Decimal("1.5")]})
    monkeypatch.setattr(Broken, "error", error)
    return Checked(Path("x.csv"), table.schema, lambda schema: Broken(schema, ",")), table


def test_what_no_column_is_to_blame_for(monkeypatch: pytest.MonkeyPatch) -> None:
    form, table = checked(monkeypatch, ValueError("too\nmuch"))
    with pytest.raises(OutputError, match=r"^x\.csv: cannot write these rows: too much$"):
        form.encode(table, 0)


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("full"), TypeError("bug")])
def test_other_failures_stay_what_they_are(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """No columns are to be left out for want of memory, or for a mistake of the program."""
    form, table = checked(monkeypatch, error)
    with pytest.raises(type(error)):
        form.encode(table, 0)


def test_shapes_that_can_be_read_are_written() -> None:
    """The refusal of the curve is not one of its column."""
    field: Any = marked(pa.field("odd", pa.binary()), WKB)
    table = pa.table([pa.array([shapely.to_wkb(shapely.Point(1, 2))])], pa.schema([field]))
    assert b"POINT (1 2)" in format_of(Path("x.csv"), table.schema).encode(table, 0)[0]
