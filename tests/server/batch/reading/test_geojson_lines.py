"""GeoJSON lines: every line is a row."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.batch.errors import InputError
from server.batch.marks import JSON, mark_of
from server.batch.reading import geojson_lines, input_file
from server.batch.reading.columns import WantedColumns
from server.batch.reading.geojson_lines import GeoJsonLines

NAN = math.nan


def line(lon: Any, lat: Any, /, **properties: Any) -> str:
    geometry = {"type": "Point", "coordinates": [lon, lat]}
    return json.dumps({"type": "Feature", "properties": properties, "geometry": geometry})


def opened(folder: Path, text: str | bytes, n_points: int = 1, **wishes: Any) -> GeoJsonLines:
    path = folder / "a.geojsonl"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return GeoJsonLines(path, WantedColumns(n_points, **wishes))


def read(source: Any, n_rows: int = 1000, start: int = 0) -> tuple[list[Any], list[Any]]:
    rows, points = [], []
    for chunk in source.chunks(n_rows, start):
        assert chunk.table.schema == source.schema
        assert chunk.table.num_rows == len(chunk.points)
        rows += chunk.table.to_pylist()
        points += chunk.points.tolist()
    return rows, points


def damaged(source: GeoJsonLines, n_rows: int) -> list[bool]:
    """Of every row whether it is damaged."""
    masks = [
        np.zeros(len(chunk.points), np.bool_) if chunk.damaged is None else chunk.damaged
        for chunk in source.chunks(n_rows)
    ]
    return [bool(one) for mask in masks for one in mask]


@pytest.fixture(params=[5, 100, input_file.BLOCK_BYTES])
def block_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    n_bytes: int = request.param
    monkeypatch.setattr(input_file.InputFile.blocks, "__defaults__", (n_bytes,))
    if n_bytes < 1000:
        monkeypatch.setattr(geojson_lines, "_ROWS_AT_ONCE", 2)
    return n_bytes


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    lines=st.lists(
        st.one_of(
            st.just("no JSON"),
            st.sampled_from(["", "  ", "\r"]),
            st.integers(0, 99).map(lambda i: line(i, -i, a=i)),
        ),
        max_size=8,
    ),
    n_rows=st.integers(1, 5),
    line_end=st.sampled_from(["\n", "\r\n"]),
    separator=st.booleans(),
)
def test_every_line_is_a_row(
    block_bytes: int, tmp_path: Path, lines: list[str], n_rows: int, line_end: str, separator: bool
) -> None:
    """But blank ones; the same from any chunk's end, with separators as without."""
    lines = [line(5, 6, a=7), *lines]
    before = "\x1e" if separator else ""
    source = opened(tmp_path, line_end.join(before + text for text in lines))
    rows, points = read(source, n_rows)
    said = [text for text in lines if text.strip()]
    values = [json.loads(text) if text[0] == "{" else None for text in said]
    assert rows == [{"a": v and v["properties"]["a"]} for v in values]
    wanted = [v["geometry"]["coordinates"] if v else [NAN, NAN] for v in values]
    np.testing.assert_array_equal(points, wanted)
    assert damaged(source, n_rows) == [value is None for value in values]
    ends = [chunk.end for chunk in source.chunks(n_rows)]
    assert ends[-1] == source.size
    for i, end in enumerate(ends):
        assert read(source, n_rows, end)[0] == rows[(i + 1) * n_rows :]


def test_what_is_a_feature_is_not_damaged(tmp_path: Path) -> None:
    """Whatever its geometry is; all else is, if it is JSON or not."""
    features = ['{"type":"Feature"}', '{"type":"Point"}', '{"type":"Feature","geometry":7}']
    others = ["{}", "null", "[1]", '{"type":"FeatureCollection"}', "{", '{"type":"Feature"']
    source = opened(tmp_path, "\n".join([*features, *others]))
    assert damaged(source, 4) == [False] * 3 + [True] * 6
    assert [chunk.damaged is None for chunk in source.chunks(3)] == [True, False, False]


def test_columns_and_their_types(tmp_path: Path) -> None:
    lines = [
        line(1, 2, i=1, f=1, s="a", b=True, j=[1, {"x": None}], n=None, name="x"),
        line(1, 2, i=2, f=0.5, m=1),
        line(1, 2, m="1"),
    ]
    source = opened(tmp_path, "\n".join(lines), reserved=["name"])
    assert {field.name: field.type for field in source.schema} == {
        "i": pa.int64(),
        "f": pa.float64(),
        "s": pa.string(),
        "b": pa.bool_(),
        **dict.fromkeys(("j", "n"), pa.string()),
        "input_name": pa.string(),
        "m": pa.string(),
    }
    assert [f.name for f in source.schema if mark_of(f) == JSON] == ["j", "n", "m"]
    rows, _ = read(source)
    assert rows[0]["j"] == '[1,{"x":null}]' and [row["m"] for row in rows] == [None, "1", '"1"']
    assert source.n_dropped == 0


def test_later_values_are_made_to_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted; what there is no column for too, unless columns were named."""
    monkeypatch.setattr(geojson_lines, "SAMPLE_BYTES", 10)
    lines = [line(1, 2, a=1), line(1, 2, a="x", b=5, c=None), line(1, 2, a=2.5), line(1, 2, a=3)]
    source = opened(tmp_path, "\n".join(lines))
    assert source.schema.names == ["a"]
    assert [row["a"] for row in read(source)[0]] == [1, None, None, 3]
    assert source.n_dropped == 3
    source = opened(tmp_path, "\n".join(lines), keep=[])
    assert len(read(source)[1]) == 4 and source.n_dropped == 0


def test_ids(tmp_path: Path) -> None:
    """Of the Feature, unless a property is called so."""
    lines = [
        '{"type":"Feature","id":"a","properties":{"b":1},"geometry":null}',
        '{"type":"Feature","id":"c","properties":{"id":"d"},'
        '"geometry":{"type":"Point","coordinates":[1,2]}}',
        '{"type":"Point","coordinates":[3,4]}',
    ]
    rows, points = read(opened(tmp_path, "\n".join(lines)))
    assert rows == [{"id": "a", "b": 1}, {"id": "d", "b": None}, {"id": None, "b": None}]
    np.testing.assert_array_equal(points, [[NAN, NAN], [1, 2], [3, 4]])


def test_points_of_properties(tmp_path: Path) -> None:
    """Numbers or text; if named, also where there are geometries."""
    lines = [
        line(0, 0, lon=1.5, lat="2,5"),
        line(0, 0, lon=True, lat=10**30),
        line(0, 0, lon=None, lat=[1]),
        line(0, 0, lat="x"),
        line(0, 0, lon=2**60, lat=NAN),
    ]
    text = "\n".join(lines)
    expected = [[1.5, 2.5], [NAN, 1e30], [NAN, NAN], [NAN, NAN], [2.0**60, NAN]]
    np.testing.assert_array_equal(read(opened(tmp_path, text, columns=["lon", "LAT"]))[1], expected)
    assert read(opened(tmp_path, text))[1] == [[0, 0]] * 5
    assert read(opened(tmp_path, text, columns=["geometry"]))[1] == [[0, 0]] * 5
    text = text.replace('"Point"', '"Polygon"')
    np.testing.assert_array_equal(read(opened(tmp_path, text))[1], expected)


def test_two_points(tmp_path: Path) -> None:
    lines = [
        '{"type":"LineString","coordinates":[[1,2],[9,9],[3,4]]}',
        '{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}',
        '{"type":"Point","coordinates":[1,2]}',
    ]
    points = read(opened(tmp_path, "\n".join(lines), 2))[1]
    np.testing.assert_array_equal(points, [[1, 2, 3, 4], [1, 2, 3, 4], [NAN] * 4])
    text = line(9, 9, from_lon=1, from_lat=2, to_lon=3, to_lat=4)
    assert read(opened(tmp_path, text, 2))[1] == [[1, 2, 3, 4]]


def test_records_of_several_lines(block_bytes: int, tmp_path: Path) -> None:
    """Only record separators end them (RFC 8142)."""
    values = [json.loads(line(i, i, a=i)) for i in range(5)]
    text = "".join(f"\x1e{json.dumps(value, indent=2)}\n" for value in values)
    source = opened(tmp_path, b"\xef\xbb\xbf" + text.encode())
    assert read(source)[1] == [[i, i] for i in range(5)]
    ends = [chunk.end for chunk in source.chunks(2)]
    assert [read(source, 2, end)[1] for end in ends] == [
        [[i, i] for i in range(n, 5)] for n in (2, 4, 5)
    ]


def test_long_lines(block_bytes: int, tmp_path: Path) -> None:
    """Cost a row."""
    lines = [line(1, 2), "x" * 1000, line(3, 4), "[" * 1000]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    source = GeoJsonLines(path, WantedColumns(1), max_record_bytes=300)
    points = read(source)[1]
    np.testing.assert_array_equal(points, [[1, 2], [NAN, NAN], [3, 4], [NAN, NAN]])
    assert damaged(source, 3) == [False, True, False, True]
    ends = [chunk.end for chunk in source.chunks(1)]
    assert ends == [*np.cumsum([len(text) + 1 for text in lines])[:3], source.size]


def test_no_lines(tmp_path: Path) -> None:
    source = opened(tmp_path, "\n \n")
    assert list(source.chunks(5)) == [] and len(source.schema) == 0


@pytest.mark.parametrize(
    ("text", "wishes", "said"),
    [
        ("x\ny\n", {}, "none of its first 2 lines is a Feature, expected GeoJSON with one on each"),
        ('{"type":"FeatureCollection","features":[]}', {}, "none of its first 1 lines"),
        ('{\n"type":"FeatureCollection"}', {}, "ogr2ogr -f GeoJSONSeq"),
        (line(1, 2, a=1), {"columns": ["way"]}, "the column of its shapes is geometry, got way"),
        (line(1, 2, a=1), {"columns": ["a", "b"]}, "has no column b, only a"),
        (line(1, 2, a=1, b=2), {"columns": ["a", "b"], "n_points": 2}, "expected 4 (longitude"),
        (
            gzip.compress(line(1, 2).encode(), mtime=0),
            {},
            "is compressed (gzip), expected plain text",
        ),
        (line(1, 2, a=1), {"keep": ["b"]}, "has no column b, only a"),
        (line(1, 2, a=1), {"n_points": 2}, "longitude and latitude of origin and destination"),
    ],
)
def test_files_that_cannot_be_read(
    tmp_path: Path, text: str | bytes, wishes: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as error:
        opened(tmp_path, text, **wishes)
    assert str(error.value).startswith(f"{tmp_path / 'a.geojsonl'}: ") and said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_a_source_tells(tmp_path: Path) -> None:
    source = opened(tmp_path, line(1, 2, a=1), keep=["a"])
    assert source.n_rows is None and source.size == (tmp_path / "a.geojsonl").stat().st_size
    assert source.identity["format"] == "GeoJSON lines" and source.identity["keep"] == ["a"]
