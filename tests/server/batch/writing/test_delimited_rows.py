"""CSV is read by Python's own reader and says what the table says."""

import csv
import datetime
import io
import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from server.batch.marks import JSON, MATRIX, WKB, marked
from server.batch.writing.formats import format_of

TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"])) | st.text(',"\n\r\t; a')
FLOATS = st.none() | st.floats()


def written(table: pa.Table, name: str = "out.csv", chunk: int = 1000) -> str:
    form = format_of(Path(name), table.schema)
    chunks = [table.slice(at, chunk) for at in range(0, len(table), chunk)]
    assert list(form.end([b""])) == []
    encoded = [form.encode(part, 0) for part in chunks]
    assert {note for _, note in encoded} <= {b""}
    return (form.begin() + b"".join(data for data, _ in encoded)).decode()


def read(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


@given(
    st.lists(st.tuples(TEXTS, FLOATS, TEXTS), max_size=20),
    st.sampled_from([(".csv", ","), (".tsv", "\t")]),
    st.integers(1, 7),
    st.booleans(),
)
def test_cells_are_read_as_they_were(
    rows: list[tuple[str | None, float | None, str | None]],
    kind: tuple[str, str],
    chunk: int,
    encoded: bool,
) -> None:
    """Any text, dictionary-encoded or not, and any number; whatever the chunks are."""
    texts, numbers, others = (
        (pa.array(column) for column in zip(*rows, strict=True))
        if rows
        else (pa.array([]) for _ in range(3))
    )
    texts, others = texts.cast(pa.string()), others.cast(pa.string())
    if encoded:
        texts = texts.dictionary_encode()
    table = pa.table({'a "name"\n': texts, "number": numbers.cast(pa.float64()), "z": others})
    text = written(table, f"x{kind[0]}", chunk)
    assert text == written(table, f"x{kind[0]}")
    header, *cells = read(text, kind[1])
    assert header == ['a "name"\n', "number", "z"]
    assert len(cells) == len(rows)
    for (first, number, last), (got, digits, got_last) in zip(rows, cells, strict=True):
        assert (got, got_last) == (first or "", last or "")
        if number is None or math.isnan(number):
            assert digits == ""
        else:
            assert float(digits) == number


def test_only_what_must_be_quoted_is_quoted() -> None:
    texts = pa.array(["007", "a,b", 'say "x"', "two\nlines", "cr\r", "", None, "1;2", "tab\t"])
    assert written(pa.table({"id": texts, "n": range(9)})) == (
        'id,n\n007,0\n"a,b",1\n"say ""x""",2\n"two\nlines",3\n"cr\r",4\n,5\n,6\n1;2,7\ntab\t,8\n'
    )


def test_a_row_of_one_empty_cell_is_no_empty_line() -> None:
    """An empty line would be taken for no row."""
    table = pa.table({"id": pa.array(["a", "", None])})
    assert written(table) == 'id\na\n""\n""\n'
    assert len(pd.read_csv(io.StringIO(written(table)))) == 3


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (pa.int64(), -(2**63), "-9223372036854775808"),
        (pa.float16(), 1.5, "1.5"),
        (pa.bool_(), True, "true"),
        (pa.float32(), 0.1, "0.1"),
        (pa.float64(), 60.1234567, "60.1234567"),
        (pa.float64(), 12.0, "12"),
        (pa.float64(), math.inf, "inf"),
        (pa.decimal128(9, 2), Decimal("1.50"), "1.50"),
        (pa.date32(), datetime.date(2024, 2, 29), "2024-02-29"),
        (pa.timestamp("s"), datetime.datetime(2024, 2, 29, 1, 2, 3), "2024-02-29 01:02:03"),
        (pa.binary(), b"\xff\x00", "ff00"),
        (pa.binary(2), b"\xff\x00", "ff00"),
        (pa.large_binary(), b"\xff\x00", "ff00"),
        (pa.null(), None, ""),
        (pa.string_view(), "x", "x"),
        (pa.list_(pa.int8()), [1, None], '"[1,null]"'),
        (pa.struct({"a": pa.binary()}), {"a": b"\x01"}, '"{""a"":""01""}"'),
        (pa.dictionary(pa.int8(), pa.float64()), 1.5, "1.5"),
        (pa.month_day_nano_interval(), (1, 2, 3), None),
        (pa.uuid(), b"0123456789abcdef", "30313233343536373839616263646566"),
    ],
    ids=str,
)
def test_types(kind: pa.DataType, value: Any, text: str | None) -> None:
    """Every type of Arrow has a text, and null is empty."""
    storage = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    column = pa.array([value, None], storage).cast(kind)
    lines = written(pa.table({"n": [1, 2], "x": column})).splitlines()
    assert lines[2] == "2,"
    assert text is None or lines[1] == f"1,{text}"


def test_shapes_are_wkt_to_the_centimetre() -> None:
    shapes = [shapely.LineString([(24.123456789, 60.5), (24.2, -0.0000001)]), None]
    column = pa.array([*shapely.to_wkb(shapes), b"nonsense"], pa.binary())
    field = marked(pa.field("geometry", pa.binary()), WKB)
    table = pa.table([column, pa.array([1, 2, 3])], pa.schema([field, pa.field("n", pa.int64())]))
    rows = read(written(table))[1:]
    line = shapely.from_wkt(rows[0][0])
    assert line.coords[:] == [(24.1234568, 60.5), (24.2, -0.0000001)]
    assert "24.1234568 60.5," in rows[0][0]
    assert rows[1:] == [["", "2"], ["", "3"]]


def test_json_is_as_it_is() -> None:
    field = marked(pa.field("steps", pa.string()), JSON)
    table = pa.table([pa.array(['{"a": [1,2]}', None])], pa.schema([field]))
    assert [json.loads(cell or "0") for [cell] in read(written(table))[1:]] == [{"a": [1, 2]}, 0]


@pytest.mark.parametrize("labels", [None, ["home", "a,b", "home"]])
@pytest.mark.parametrize("number", [pa.float32(), pa.float64()])
def test_a_matrix_is_a_column_for_each(labels: list[str] | None, number: pa.DataType) -> None:
    """NaN, null and rows that are null are empty; slices begin where they should."""
    kind = pa.list_(number, 3)
    field = marked(pa.field("duration_s", kind), MATRIX)
    if labels:
        field = field.with_metadata({**field.metadata, b"labels": json.dumps(labels).encode()})
    rows = [[9.0, 9.0, 9.0], [1.1, math.nan, 3.0], None, [None, 5.0, 6.0], [8.0, 8.0, 8.0]]
    ids = pa.array(range(5))
    table = pa.table([ids, pa.array(rows, kind)], pa.schema([pa.field("id", ids.type), field]))
    header, *cells = read(written(table.slice(1, 3)))
    assert header == ["id", *(labels or ["duration_s_0", "duration_s_1", "duration_s_2"])]
    assert cells == [["1", "1.1", "", "3"], ["2", "", "", ""], ["3", "", "5", "6"]]


def test_a_matrix_without_columns() -> None:
    field = marked(pa.field("m", pa.list_(pa.float32(), 0)), MATRIX)
    table = pa.table(
        [pa.array([1]), pa.array([[]], field.type)], pa.schema([("id", pa.int64()), field])
    )
    assert read(written(table))[1][0] == "1"


def test_chunked_and_sliced_columns_are_written_by_their_values() -> None:
    """However Arrow keeps the values, dictionaries that differ from piece to piece included."""
    words = ["a", None, 'q"q', "b", "a", "c"]
    pieces = [pa.array(words[:2]).dictionary_encode(), pa.array(words[2:]).dictionary_encode()]
    table = pa.table({"w": pa.chunked_array(pieces), "n": range(6)})
    plain = pa.table({"w": words, "n": range(6)})
    for begin in range(6):
        assert written(table.slice(begin)) == written(plain.slice(begin))
