"""GeoJSON lines are read by Python's own parser and say what the table says."""

import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import geopandas as gpd
import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from server.batch.marks import JSON, MATRIX, WKB, marked
from server.batch.writing.formats import format_of

TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"])) | st.text('\\"\n\r\t\x00a')
FLOATS = st.none() | st.floats()


def written(table: pa.Table, suffix: str = ".geojsonl", chunk: int = 1000) -> bytes:
    form = format_of(Path("out" + suffix), table.schema)
    encoded = [form.encode(table.slice(at, chunk), 0) for at in range(0, len(table), chunk)]
    assert {note for _, note in encoded} <= {b""}
    return form.begin() + b"".join(data for data, _ in encoded) + b"".join(form.end([b""]))


def features(table: pa.Table) -> list[dict[str, Any]]:
    lines = written(table).decode().split("\n")
    assert lines.pop() == ""
    found = [json.loads(line) for line in lines]
    assert all(set(each) == {"type", "geometry", "properties"} for each in found)
    assert all(each["type"] == "Feature" for each in found)
    return found


def properties(column: pa.Array, field: pa.Field) -> list[Any]:
    table = pa.table([column], pa.schema([field]))
    return [feature["properties"][field.name] for feature in features(table)]


@given(st.lists(st.tuples(TEXTS, FLOATS), max_size=20), st.integers(1, 7), st.booleans())
def test_properties_are_read_as_they_were(
    rows: list[tuple[str | None, float | None]], chunk: int, encoded: bool
) -> None:
    """Any text, dictionary-encoded or not, and any number; whatever the chunks are."""
    texts = pa.array([text for text, _ in rows], pa.string())
    numbers = pa.array([number for _, number in rows], pa.float64())
    table = pa.table({'a"': texts.dictionary_encode() if encoded else texts, "n": numbers})
    assert written(table, chunk=chunk) == written(table)
    found = features(table)
    assert len(found) == len(rows)
    for (text, number), feature in zip(rows, found, strict=True):
        finite = number if number is not None and math.isfinite(number) else None
        assert feature == {
            "type": "Feature",
            "geometry": None,
            "properties": {'a"': text, "n": finite},
        }


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (pa.int64(), -(2**63), -(2**63)),
        (pa.float16(), 1.5, 1.5),
        (pa.bool_(), False, False),
        (pa.float32(), 0.1, 0.1),
        (pa.decimal128(9, 2), Decimal("1.50"), 1.5),
        (pa.date32(), 0, "1970-01-01"),
        (pa.binary(), b"\xff", "ff"),
        (pa.null(), None, None),
        (pa.list_(pa.string()), ["a\n", None], ["a\n", None]),
        (pa.struct({"a": pa.float64()}), {"a": math.nan}, {"a": None}),
        (pa.dictionary(pa.int8(), pa.bool_()), True, True),
    ],
    ids=str,
)
def test_types(kind: pa.DataType, value: Any, expected: Any) -> None:
    assert properties(pa.array([value, None], kind), pa.field("x", kind)) == [expected, None]


def test_the_first_shape_is_the_geometry() -> None:
    """Others are properties; coordinates are rounded, and as many as the shape has."""
    lines = shapely.to_wkb(
        [
            shapely.LineString([(24.123456789, 60.5), (24.2, 60)]),
            None,
            shapely.from_wkt("POINT Z (1 2 3.123456789)"),
            shapely.from_wkt("MULTIPOLYGON EMPTY"),
        ]
    )
    points = shapely.to_wkb(shapely.points([[1, 2], [3, 4], [5, 6], [7, 8]]))
    schema = pa.schema(
        [
            pa.field("n", pa.int64()),
            marked(pa.field("geometry", pa.binary()), WKB),
            marked(pa.field("via", pa.large_binary()), WKB),
        ]
    )
    columns = [
        pa.array(range(5)),
        pa.array([*lines, b"nonsense"]),
        pa.array([*points, None], pa.large_binary()),
    ]
    found = features(pa.table(columns, schema))
    assert [feature["geometry"] for feature in found] == [
        {"type": "LineString", "coordinates": [[24.1234568, 60.5], [24.2, 60]]},
        None,
        {"type": "Point", "coordinates": [1, 2, 3.1234568]},
        {"type": "MultiPolygon", "coordinates": []},
        None,
    ]
    assert found[0]["properties"] == {"n": 0, "via": {"type": "Point", "coordinates": [1, 2]}}
    assert found[4]["properties"] == {"n": 4, "via": None}


def test_json_stays_on_its_line() -> None:
    """Line breaks that a document has between its tokens end no Feature."""
    field = marked(pa.field("steps", pa.string()), JSON)
    column = pa.array(['{\n "a":\r\n "x\\ny"\n}', None, "[]"])
    assert properties(column, field) == [{"a": "x\ny"}, None, []]


def test_matrices_are_arrays() -> None:
    field = marked(pa.field("duration_s", pa.list_(pa.float32(), 2)), MATRIX)
    column = pa.array([[1.1, math.nan], None, [3, None]], field.type)
    assert properties(column, field) == [[1.1, None], [None, None], [3, None]]


def test_record_separators_where_the_suffix_stands_for_them() -> None:
    table = pa.table({"a": [1, 2]})
    plain = written(table)
    assert written(table, ".geojsons") == b"".join(
        b"\x1e" + line for line in plain.splitlines(keepends=True)
    )
    assert written(table, ".ndjson") == written(table, ".JSONL") == plain


def test_geopandas_reads_it(tmp_path: Path) -> None:
    shapes = shapely.to_wkb([shapely.LineString([(24, 60), (25, 61)]), None])
    field = marked(pa.field("geometry", pa.binary()), WKB)
    table = pa.table(
        [pa.array(["Ok", "NoRoute"]), pa.array(shapes)], pa.schema([("status", pa.string()), field])
    )
    path = tmp_path / "out.geojsonl"
    path.write_bytes(written(table))
    frame = gpd.read_file(path)
    assert list(frame.status) == ["Ok", "NoRoute"]
    assert frame.geometry[0].equals(shapely.LineString([(24, 60), (25, 61)]))
    assert frame.geometry[1] is None


def test_a_matrix_without_columns() -> None:
    column = pa.array([[], []], pa.list_(pa.float32(), 0))
    assert properties(column, marked(pa.field("m", column.type), MATRIX)) == [[], []]
