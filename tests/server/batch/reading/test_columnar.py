"""Parquet and Arrow files: any types, any sizes of row groups and batches, shapes."""

import datetime
import decimal
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapely import LineString, Point

from server.batch.errors import InputError
from server.batch.marks import WKB, mark_of
from server.batch.reading import arrow_rows, columnar, parquet_rows
from server.batch.reading.source import Source, open_source

NAN = math.nan

Write = Callable[[pa.Table, Path, int], None]


def write_parquet(table: pa.Table, path: Path, n_rows: int) -> None:
    pq.write_table(table, path, row_group_size=n_rows)


def write_file(table: pa.Table, path: Path, n_rows: int, compression: str | None = None) -> None:
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with path.open("wb") as file, pa.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=n_rows)


def write_compressed(table: pa.Table, path: Path, n_rows: int) -> None:
    write_file(table, path, n_rows, "zstd")


def write_stream(table: pa.Table, path: Path, n_rows: int) -> None:
    with path.open("wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=n_rows)


FILES: dict[str, tuple[str, Write]] = {
    "parquet": ("a.parquet", write_parquet),
    "file": ("a.arrow", write_file),
    "compressed": ("a.feather", write_compressed),
    "stream": ("a.ipc", write_stream),
}


@pytest.fixture(params=list(FILES))
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Path]:
    """Write a table to a file of some kind."""
    name, function = FILES[request.param]

    def written(table: pa.Table, n_rows: int = 1000) -> Path:
        path = tmp_path / name
        function(table, path, n_rows)
        return path

    return written


def read(source: Source, n_rows: int = 1000, start: int = 0) -> tuple[pa.Table, list[Any]]:
    chunks = list(source.chunks(n_rows, start))
    for chunk in chunks:
        assert chunk.table.schema == source.schema
        assert chunk.table.num_rows == len(chunk.points)
        chunk.table.validate(full=True)
    points = [row for chunk in chunks for row in chunk.points.tolist()]
    return pa.concat_tables([source.schema.empty_table(), *(c.table for c in chunks)]), points


def test_all_types_are_carried(write: Callable[..., Path]) -> None:
    """As they are; dictionaries as their values."""
    n = 5
    when = datetime.datetime(2020, 1, 1)
    columns = {
        "lon": pa.array([1, 2, None, 4, 5], pa.int16()),
        "lat": pa.array([decimal.Decimal("1.5")] * n, pa.decimal128(9, 2)),
        "when": pa.array([when] * n, pa.timestamp("us", "UTC")),
        "nested": pa.array([{"a": [1, None], "b": {"c": "x"}}] * n),
        "list": pa.array([[1.5], None, [], [2.5], [3]], pa.list_(pa.float32())),
        "text": pa.array(["007", "", None, "é", "x"]),
        "large": pa.array([b"1"] * n, pa.large_binary()),
        "word": pa.array(["b", "a", None, "b", "a"]).dictionary_encode(),
        "flag": pa.array([True, None, False, True, True]),
        "none": pa.nulls(n),
    }
    source = open_source(write(pa.table(columns), 2), 1)
    table, points = read(source, 3)
    expected = pa.table({**columns, "word": columns["word"].dictionary_decode()})
    assert table.schema.types == expected.schema.types
    assert table.to_pylist() == expected.to_pylist()
    np.testing.assert_array_equal(points, [[1, 1.5], [2, 1.5], [NAN, 1.5], [4, 1.5], [5, 1.5]])
    assert source.size == source.n_rows == n


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    n=st.integers(0, 12),
    n_group=st.integers(1, 13),
    n_batch=st.integers(1, 5),
    n_rows=st.integers(1, 13),
)
def test_chunks(
    write: Callable[..., Path], n: int, n_group: int, n_batch: int, n_rows: int
) -> None:
    """From any chunk's end, whatever the sizes."""
    numbers = np.arange(n)
    text = pa.array([str(i) for i in range(n)], pa.string())
    path = write(pa.table({"id": numbers, "x": numbers / 8, "y": text}), n_group)
    with pytest.MonkeyPatch.context() as patch:
        for module in (arrow_rows, parquet_rows):
            patch.setattr(module, "BATCH_ROWS", n_batch)
        source = open_source(path, 1, keep=["id"])
        starts = [0, *(chunk.end for chunk in source.chunks(n_rows))]
        assert starts == sorted({*range(0, n, n_rows), n, 0})
        for start in starts:
            found, points = read(source, n_rows, start)
            assert found["id"].to_pylist() == list(range(start, n))
            assert points == [[i / 8, i] for i in range(start, n)]


def test_equal_names_and_dots(write: Callable[..., Path]) -> None:
    """Columns are told apart by their places."""
    arrays = [[1.0], [2.0], [{"b": 7, "c": 8}], [3.0], [9]]
    table = pa.table([pa.array(a) for a in arrays], names=["x", "y", "a", "x", "a.b"])
    path = write(table)
    for keep in (["x_2", "a.b"], ["a.b"], ["a", "x"], ["a.b", "a"], None):
        source = open_source(path, 1, ["x_2", "y"], keep)
        found, points = read(source)
        assert points == [[3, 2]]
        whole = {"x": 1.0, "y": 2.0, "a": {"b": 7, "c": 8}, "x_2": 3.0, "a.b": 9}
        assert found.to_pylist() == [{k: whole[k] for k in keep or whole}]


def test_nothing_carried(write: Callable[..., Path]) -> None:
    source = open_source(write(pa.table({"lon": [1.0, 2.0], "lat": [3.0, 4.0]})), 1, keep=[])
    (chunk,) = source.chunks(5)
    assert chunk.table.num_rows == 2 and chunk.table.num_columns == 0


def geo_metadata(**about: Any) -> dict[str, str]:
    column = {"encoding": "WKB", "geometry_types": ["Point"], **about}
    return {"geo": json.dumps({"primary_column": "way", "columns": {"way": column}})}


def shapes(metadata: dict[str, Any], *values: Any) -> pa.Table:
    table = pa.table({"id": range(len(values)), "way": pa.array(shapely.to_wkb(values))})
    return table.replace_schema_metadata(metadata)


def test_shapes_of_geoparquet(write: Callable[..., Path]) -> None:
    """Are found by the file's own word, and marked when they are carried."""
    path = write(shapes(geo_metadata(), Point(1, 2), None))
    source = open_source(path, 1)
    assert source.schema.names == ["id", "way"] and not source.schema.metadata
    assert [mark_of(field) for field in source.schema] == ["", WKB]
    np.testing.assert_array_equal(read(source)[1], [[1, 2], [NAN, NAN]])
    with pytest.raises(InputError, match=r"found no columns of .* among id, way"):
        open_source(path, 2)
    assert np.isnan(read(open_source(path, 2, ["way"]))[1]).all()


def test_lines_of_geoparquet(write: Callable[..., Path]) -> None:
    line = LineString([(1, 2), (3, 4)])
    for kinds in (["LineString"], ["LineString Z", "Point"], []):
        source = open_source(write(shapes(geo_metadata(geometry_types=kinds), line)), 2)
        assert read(source)[1] == [[1, 2, 3, 4]]


@pytest.mark.parametrize(
    ("crs", "name"),
    [
        ({"type": "ProjectedCRS", "name": "ETRS89 / UTM 29N", "id": None}, "ETRS89 / UTM 29N"),
        ({"type": "ProjectedCRS", "id": {"authority": "EPSG", "code": 3857}}, "EPSG:3857"),
        ({"type": "CompoundCRS", "components": [{"type": "ProjectedCRS", "name": "a"}]}, "a"),
        ({"type": "BoundCRS", "source_crs": {"type": "ProjectedCRS", "name": "b"}}, "b"),
        ('PROJCRS["c",...]', 'PROJCRS["c",...]'),
    ],
)
def test_shapes_that_are_not_in_degrees(write: Callable[..., Path], crs: Any, name: str) -> None:
    """Cannot be points, and are carried as mere bytes."""
    table = shapes(geo_metadata(crs=crs), Point(1, 2))
    path = write(table.append_column("other", pa.array([2])))
    for columns in (None, ["way"]):
        with pytest.raises(InputError) as error:
            open_source(path, 1, columns)
        assert str(error.value).endswith(f"is in {name}, expected degrees (EPSG:4326)")
    source = open_source(path, 1, ["id", "other"])
    assert mark_of(source.schema.field("way")) == ""


@pytest.mark.parametrize(
    "crs", [None, {}, {"type": "GeographicCRS"}, {"type": "Geographic3DCRS"}, 'GEOGCRS["WGS 84"]']
)
def test_shapes_in_degrees(write: Callable[..., Path], crs: Any) -> None:
    assert read(open_source(write(shapes(geo_metadata(crs=crs), Point(1, 2))), 1))[1] == [[1, 2]]


@pytest.mark.parametrize(
    "geo", ["", "[]", "{", '{"columns": []}', '{"columns": {"way": 1}}', '{"columns": {"no": {}}}']
)
def test_odd_metadata_is_no_shape(write: Callable[..., Path], geo: str) -> None:
    path = write(shapes({"geo": geo}, Point(1, 2)))
    with pytest.raises(InputError, match="found no columns"):
        open_source(path, 1)
    assert read(open_source(path, 1, ["way"]))[1] == [[1, 2]]


def test_geoarrow_extension(write: Callable[..., Path]) -> None:
    """Shapes that only the field speaks of."""
    metadata = {"ARROW:extension:name": "geoarrow.wkb", "ARROW:extension:metadata": "{}"}
    field = pa.field("way", pa.binary(), metadata=metadata)
    table = pa.table([pa.array(shapely.to_wkb([Point(1, 2)]))], pa.schema([field]))
    source = open_source(write(table), 1)
    assert read(source)[1] == [[1, 2]] and mark_of(source.schema.field("way")) == WKB


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["when", "lat"], r"column when is timestamp\[us\], expected numbers"),
        (["lat"], "column lat is double, expected shapes in WKB, or points as x and y"),
        (["lat", "LAT"], "column lat is named twice for the longitude and latitude"),
        (["no", "lat"], "has no column no, only when, lat"),
        (None, "found no columns of the longitude and latitude among when, lat"),
    ],
)
def test_columns_that_cannot_be(write: Callable[..., Path], columns: Any, said: str) -> None:
    path = write(pa.table({"when": [datetime.datetime(2020, 1, 1)], "lat": [1.0]}))
    with pytest.raises(InputError, match=f"^{path}: {said}"):
        open_source(path, 1, columns)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"ARROW1\0\0", b"lon,lat\n1,2\n", b"\0" * 99])
def test_other_files(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"^{path}: is no whole (Parquet|Arrow) file: ") as error:
        open_source(path, 1)
    assert "\n" not in str(error.value)


def test_text_that_is_not_utf_8(write: Callable[..., Path]) -> None:
    """Has replacement characters, wherever it goes."""
    for kind, binary in ((pa.string(), pa.binary()), (pa.large_string(), pa.large_binary())):
        data = pa.array([b"a\xe9", None, "\u00e9".encode(), b"\xff"], binary)
        text = pa.Array.from_buffers(kind, 4, data.buffers())
        table = pa.table({"text": text, "lon": [1.0] * 4, "lat": [2.0] * 4})
        (chunk,) = open_source(write(table), 1).chunks(9)
        chunk.table.validate(full=True)
        expected = ["a\ufffd", None, "\u00e9", "\ufffd"]
        assert chunk.table["text"].to_pylist() == expected and chunk.table["text"].type == kind


def test_two_columns_of_points(write: Callable[..., Path]) -> None:
    """One for each point; not found by themselves."""
    starts, ends = [Point(1, 2), None], [Point(3, 4), Point(5, 6)]
    wkb = [pa.array(shapely.to_wkb(points), pa.binary()) for points in (starts, ends)]
    about = {"encoding": "WKB", "geometry_types": ["Point"]}
    geo = json.dumps({"primary_column": "from", "columns": {"from": about, "to": about}})
    table = pa.table({"from": wkb[0], "to": wkb[1]}).replace_schema_metadata({"geo": geo})
    path = write(table)
    points = read(open_source(path, 2, ["from", "to"]))[1]
    np.testing.assert_array_equal(points, [[1, 2, 3, 4], [NAN, NAN, 5, 6]])
    assert read(open_source(path, 2, ["to", "FROM"]))[1][0] == [3, 4, 1, 2]
    with pytest.raises(InputError, match=r"found no columns .* or one column of shapes"):
        open_source(write(table.rename_columns(["p", "q"])), 2)


def test_points_as_x_and_y(tmp_path: Path) -> None:
    """As GeoParquet 1.1 and GeoArrow have them, carried as WKB; other shapes so are refused."""
    geopandas = pytest.importorskip("geopandas")
    points = [Point(1, 2), None]
    frame = geopandas.GeoDataFrame({"id": [7, 8]}, geometry=points, crs="EPSG:4326")
    path = tmp_path / "a.parquet"
    frame.to_parquet(path, geometry_encoding="geoarrow")
    source = open_source(path, 1)
    table, found = read(source)
    np.testing.assert_array_equal(found, [[1, 2], [NAN, NAN]])
    assert table["geometry"].to_pylist() == [shapely.to_wkb(Point(1, 2)), None]
    assert mark_of(source.schema.field("geometry")) == WKB
    frame.to_crs(3857).to_parquet(path, geometry_encoding="geoarrow")
    with pytest.raises(InputError, match="is in EPSG:3857, expected degrees"):
        open_source(path, 1)
    solid = pa.array([{"x": 1.0, "y": 2.0, "z": 3.0}])
    extension = {"ARROW:extension:name": "geoarrow.point"}
    field = pa.field("way", solid.type, metadata=extension)
    pq.write_table(pa.table([solid], pa.schema([field])), path)
    table, found = read(open_source(path, 1))
    assert found == [[1, 2]] and table["way"].to_pylist() == solid.to_pylist()
    lines = [LineString([(1, 2), (3, 4)])]
    geopandas.GeoDataFrame(geometry=lines, crs=4326).to_parquet(path, geometry_encoding="geoarrow")
    with pytest.raises(InputError, match=r"column geometry is list<.*>, expected shapes in WKB"):
        open_source(path, 2)


def test_files_with_dictionaries_and_without_rows(tmp_path: Path) -> None:
    """Read from any chunk's end; dictionaries may grow from batch to batch."""
    path = tmp_path / "a.arrow"
    schema = pa.schema([("k", pa.dictionary(pa.int32(), pa.string())), ("x", pa.float64())])
    schema = schema.append(pa.field("y", pa.float64()))
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    with pa.ipc.new_file(path, schema, options=options) as writer:
        for words in (["a", "b"], ["a", "b", "c"], ["a", "b", "c"]):
            keys = pa.array(words).dictionary_encode()
            n = np.arange(float(len(words)))
            writer.write_table(pa.table([keys, pa.array(n), pa.array(n)], schema))
    source = open_source(path, 1)
    assert read(source)[0]["k"].to_pylist() == list("ababcabc")
    ends = [chunk.end for chunk in source.chunks(3)]
    (rest,) = source.chunks(9, ends[1])
    assert rest.table["k"].to_pylist() == ["b", "c"]
    with pa.ipc.new_file(path, schema):
        pass
    assert list(open_source(path, 1).chunks(9)) == []


def test_a_file_whose_batches_are_not_in_a_row(tmp_path: Path) -> None:
    """Is refused at once, and not taken for a shorter one."""
    path = tmp_path / "a.arrow"
    write_file(pa.table({"lon": [1.0, 2.0], "lat": [3.0, 4.0]}), path, 1)
    _, _, last, _ = (match.start() for match in re.finditer(b"\xff{4}", path.read_bytes()))
    data = bytearray(path.read_bytes())
    data[last + 4 : last + 8] = bytes(4)  # the stream ends there
    path.write_bytes(data)
    with pytest.raises(InputError, match="has 1 batches one behind the other, expected 2"):
        open_source(path, 1)


def test_cut_and_damaged_files(write: Callable[..., Path]) -> None:
    """At once, or in one line when the damage is met."""
    rng = np.random.default_rng(1)
    path = write(pa.table({"lon": rng.random(9000), "lat": rng.random(9000)}), 3000)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"is no whole|cannot be read from row"):
        list(open_source(path, 1).chunks(1000))


def test_damaged_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before is given."""
    monkeypatch.setattr(parquet_rows, "BATCH_ROWS", 1000)
    table = pa.table({"lon": np.arange(9000.0), "lat": np.arange(9000.0)})
    path = tmp_path / "a.parquet"
    for options in ({}, {"write_page_checksum": True, "compression": "none"}):
        pq.write_table(table, path, row_group_size=3000, use_dictionary=False, **options)
        column = pq.ParquetFile(path).metadata.row_group(1).column(0)
        at = column.data_page_offset + (1000 if options else 0)
        data = path.read_bytes()
        path.write_bytes(data[:at] + b"\xff" * 40 + data[at + 40 :])
        chunks = open_source(path, 1).chunks(1000)
        assert next(chunks).end == 1000
        with pytest.raises(InputError, match=rf"^{path}: cannot be read from row [23]000 on: "):
            list(chunks)


def test_identity(write: Callable[..., Path]) -> None:
    path = write(pa.table({"lon": [1.0], "lat": [2.0]}))
    identity = open_source(path, 1, None, ["lon"]).identity
    assert identity["input"] == str(path.resolve()) and identity["keep"] == ["lon"]
    assert identity["format"] == ("parquet" if path.suffix == ".parquet" else "arrow")


def test_geopandas_files(tmp_path: Path) -> None:
    """As written by the library that most people write them with."""
    geopandas = pytest.importorskip("geopandas")
    frame = geopandas.GeoDataFrame(
        {"id": [7, 8]}, geometry=[Point(-8.6, 41.1), None], crs="EPSG:4326"
    )
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_feather(tmp_path / "a.feather")
    for name in ("a.parquet", "a.feather"):
        source = open_source(tmp_path / name, 1)
        table, points = read(source)
        np.testing.assert_array_equal(points, [[-8.6, 41.1], [NAN, NAN]])
        assert table["id"].to_pylist() == [7, 8]
        assert table["geometry"].to_pylist()[0] == shapely.to_wkb(Point(-8.6, 41.1))
    frame.to_crs(3857).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="EPSG:3857"):
        open_source(tmp_path / "a.parquet", 1)


def test_plain_types() -> None:
    """Nothing remains of what only stands for values."""
    for kind in (pa.uuid(), pa.json_()):
        assert columnar.plain_type(kind) == kind.storage_type
    array = pa.array(["a", None]).dictionary_encode()
    assert columnar.plain(array).to_pylist() == ["a", None]
    assert columnar.plain_type(array.type) == pa.string()
