"""Parquet made of chunks is read by others, and its bytes depend on the values alone."""

import io
import json
import math
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from server.batch.errors import OutputError
from server.batch.marks import JSON, MATRIX, WKB, marked
from server.batch.writing.formats import format_of
from server.batch.writing.parquet_groups import ParquetGroups

STATUSES = ("Ok", "NoRoute", "NoSegment")
SHAPES = [
    shapely.LineString([(24.9, 60.1), (25, 60.2), (25.1, 60.3)]),
    shapely.MultiPolygon([shapely.box(0, 0, 1, 1), shapely.box(2, 2, 3, 3)]),
    None,
    shapely.LineString([(24.9, 60.1), (25, 60.2)]),
]


def some_table(n_rows: int, seed: int = 0) -> pa.Table:
    """Rows of all that results hold: texts, numbers, shapes, lists; each with nulls."""
    rng = np.random.default_rng(seed)
    durations = rng.uniform(0, 9999, n_rows).round(1)
    durations[rng.random(n_rows) < 0.2] = math.nan
    statuses = pa.array(rng.integers(0, 3, n_rows), pa.int32())
    rows = [None if rng.random() < 0.2 else rng.uniform(0, 9, 3).round(1) for _ in range(n_rows)]
    shapes = [SHAPES[number] for number in rng.integers(0, 4, n_rows)]
    columns = [
        pa.array([f"row {i} é" if i % 5 else None for i in range(n_rows)], pa.string()),
        pa.array(rng.integers(0, 99, n_rows)),
        pa.DictionaryArray.from_arrays(statuses, pa.array(STATUSES)),
        pa.array(durations),
        pa.array(shapely.to_wkb(np.array(shapes, object)), pa.binary()),
        pa.array(rows, pa.list_(pa.float32(), 3)),
        pa.array([[f"{i}"] * (i % 3) for i in range(n_rows)], pa.list_(pa.string())),
        pa.array([None if i % 2 else '{"a":1}' for i in range(n_rows)], pa.string()),
    ]
    names = ("id", "number", "status", "duration_s", "geometry", "row", "words", "steps")
    marks = {"geometry": WKB, "row": MATRIX, "steps": JSON}
    fields = [
        marked(pa.field(name, column.type), marks.get(name, ""))
        for name, column in zip(names, columns, strict=True)
    ]
    return pa.table(columns, pa.schema(fields, {"pandas": "not of this table"}))


def types(table: pa.Table) -> list[pa.DataType]:
    """Those that a table is read with: without dictionaries."""
    kinds = [field.type for field in table.schema]
    return [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in kinds]


def assert_read(found: pa.Table, table: pa.Table) -> None:
    """All names, types and values are as they were; NaN, too, which does not equal itself."""
    assert found.column_names == table.column_names
    assert types(found) == types(table)
    assert repr(found.to_pydict()) == repr(table.to_pydict())


def chunks(table: pa.Table, n_rows: int) -> Iterator[pa.Table]:
    for at in range(0, len(table), n_rows):
        yield table.slice(at, n_rows)


def written(schema: pa.Schema, parts: Sequence[pa.Table] | Iterator[pa.Table]) -> bytes:
    """A whole file; each chunk by another process, as far as the format can tell."""
    data, notes = format_of(Path("x.parquet"), schema).begin(), [b""]
    for part in parts:
        chunk, note = format_of(Path("x.parquet"), schema).encode(part, len(data))
        data += chunk
        notes.append(note)
    return data + b"".join(format_of(Path("x.parquet"), schema).end(notes))


@pytest.mark.parametrize("n_chunks", [1, 2, 50])
def test_all_that_read_parquet_read_it(n_chunks: int, tmp_path: Path) -> None:
    """Arrow, pandas and GeoPandas, whatever the number of chunks."""
    table = some_table(50 * n_chunks)
    path = tmp_path / "out.parquet"
    path.write_bytes(written(table.schema, chunks(table, 50)))
    file = pq.ParquetFile(path)
    assert file.metadata.num_row_groups == n_chunks
    assert_read(file.read(), table)
    assert pq.read_table(path, filters=[("number", "<", 50)]).num_rows == sum(
        number < 50 for number in table["number"].to_pylist()
    )
    assert_read(file.read_row_group(n_chunks - 1), table.slice(50 * (n_chunks - 1)))
    expected = table.replace_schema_metadata().to_pandas().astype({"status": "str"})
    pd.testing.assert_frame_equal(pd.read_parquet(path), expected)
    frame = gpd.read_parquet(path)
    assert frame.crs == "OGC:CRS84"
    assert set(frame.geometry.dropna().geom_type) == {"LineString", "MultiPolygon"}
    assert [None if shape is None else shape.wkb for shape in frame.geometry] == table[
        "geometry"
    ].to_pylist()


@pytest.mark.parametrize("empty_chunks", [0, 2])
def test_a_run_without_rows(empty_chunks: int, tmp_path: Path) -> None:
    """Its file is whole: a schema, and GeoParquet if there would have been shapes."""
    table = some_table(0)
    path = tmp_path / "out.parquet"
    path.write_bytes(written(table.schema, [table] * empty_chunks))
    assert_read(pq.read_table(path), table)
    assert len(gpd.read_parquet(path)) == 0
    assert geo(path.read_bytes())["columns"]["geometry"]["geometry_types"] == []


def geo(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(pq.read_metadata(io.BytesIO(data)).metadata[b"geo"])
    return found


def test_geometry_types_are_those_of_all_chunks() -> None:
    """Each chunk tells its own; columns are told apart, the first is the primary one."""
    kind = pa.binary()
    schema = pa.schema([marked(pa.field(name, kind), WKB) for name in ("b", "a")])
    lines, areas = shapely.to_wkb(SHAPES[0]), shapely.to_wkb(SHAPES[1])
    parts = [
        pa.table([pa.array([one], kind), pa.array([None], kind)], schema) for one in (lines, areas)
    ]
    assert geo(written(schema, parts)) == {
        "version": "1.1.0",
        "primary_column": "b",
        "columns": {
            "b": {"encoding": "WKB", "geometry_types": ["LineString", "MultiPolygon"]},
            "a": {"encoding": "WKB", "geometry_types": []},
        },
    }


def test_without_shapes_it_is_plain_parquet() -> None:
    table = pa.table({"a": [1, 2]})
    assert set(pq.read_metadata(io.BytesIO(written(table.schema, [table]))).metadata) == {
        b"ARROW:schema"
    }


@given(st.integers(1, 40), st.integers(1, 15), st.integers(0, 99), st.data())
@settings(max_examples=30)
def test_bytes_depend_on_values_alone(
    n_rows: int, chunk_rows: int, seed: int, data: st.DataObject
) -> None:
    """Not on how Arrow keeps them: pieces, slices, dictionaries in another order or none."""
    table = some_table(n_rows, seed)
    expected = written(table.schema, chunks(table, chunk_rows))
    assert_read(pq.read_table(io.BytesIO(expected)), table)
    cut = data.draw(st.integers(0, n_rows))
    others = pa.concat_tables([some_table(3, 7), table.slice(0, cut), table.slice(cut)])
    statuses = others["status"].cast(pa.string())
    if data.draw(st.booleans()):
        statuses = pa.chunked_array([statuses.combine_chunks().dictionary_encode()])
    others = others.set_column(2, "status", statuses).slice(3)
    assert written(table.schema, chunks(others, chunk_rows)) == expected


@pytest.mark.parametrize("at", [4, 5_000_000_000, 3 * 2**40])
def test_places_beyond_4_gib(at: int) -> None:
    """The footer tells of places in the whole file, and the bytes are those at its beginning."""
    table = some_table(100)
    form = ParquetGroups(table.schema)
    data, note = form.encode(table, at)
    assert data == form.encode(table, 4)[0]
    group = pq.read_metadata(io.BytesIO(form.begin() + b"".join(form.end([note])))).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    end = at
    for column in columns:
        begin = column.dictionary_page_offset or column.data_page_offset
        assert (begin, column.data_page_offset >= begin) == (end, True)
        end = begin + column.total_compressed_size
    assert end == at + len(data)


def test_a_file_beyond_4_gib_is_read(tmp_path: Path) -> None:
    """Two chunks with a hole between them that takes no place on the disk."""
    table = some_table(100)
    form = ParquetGroups(table.schema)
    path = tmp_path / "large.parquet"
    (first, note), far = form.encode(table, 4), 5_000_000_000
    second, far_note = form.encode(some_table(100, 1), far)
    with path.open("wb") as file:
        file.write(form.begin() + first)
        file.seek(far)
        file.write(second + b"".join(form.end([note, far_note])))
    assert_read(pq.read_table(path), pa.concat_tables([table, some_table(100, 1)]))


def test_notes_stay_small() -> None:
    """The journal holds one for each chunk; no shape may be among the statistics."""
    kind = pa.binary()
    schema = pa.schema([marked(pa.field("geometry", kind), WKB)])
    shape = shapely.to_wkb(shapely.LineString(np.random.default_rng(0).random((200, 2))))
    _, note = ParquetGroups(schema).encode(pa.table([pa.array([shape] * 9, kind)], schema), 4)
    assert len(note) < 400


def test_types_that_arrow_alone_knows_come_back() -> None:
    """Those of carried columns, as they were."""
    table = pa.table(
        {
            "large": pa.array(["a", None], pa.large_string()),
            "when": pa.array([1, None], pa.timestamp("us", "Europe/Helsinki")),
            "nothing": pa.nulls(2),
            "nested": pa.array([{"a": [1]}, None]),
            "view": pa.array(["a", None], pa.string_view()),
            "uuid": pa.array([b"0123456789abcdef", None], pa.binary(16)).cast(pa.uuid()),
            "half": pa.array([np.float16(1.5), None], pa.float16()),
            "coded": pa.array([1.5, None]).dictionary_encode(),
            "coded lists": pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array([[1]])),
        }
    )
    table = table.append_column(
        pa.field("no nulls", pa.int8(), nullable=False), pa.array([1, 2], pa.int8())
    )
    read = pq.read_table(io.BytesIO(written(table.schema, chunks(table, 1))))
    assert_read(read, table)
    assert read.schema.field("no nulls").nullable is False
    assert read.schema.field("when").type == pa.timestamp("us", "Europe/Helsinki")
    assert read.schema.field("large").type == pa.large_string()


@pytest.mark.parametrize("mark", ["", MATRIX])
def test_lists_of_no_elements_are_refused(mark: str) -> None:
    """Arrow writes them, and cannot read what it has written; or it divides by zero."""
    schema = pa.schema([marked(pa.field("m", pa.list_(pa.float32(), 0)), mark)])
    with pytest.raises(OutputError, match=r"column m of type .* lists of no elements"):
        format_of(Path("x.parquet"), schema)


class Repeated:
    """A note, many times, made anew each time."""

    def __init__(self, note: bytes, times: int) -> None:
        self._note, self._times = note, times

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self._times):
            yield self._note + b""


def test_the_end_takes_no_more_memory_with_more_chunks() -> None:
    """A footer of 16 MB is made piece by piece."""
    table = pa.table({f"column {i}": [1.0, 2.0] for i in range(50)})
    form = ParquetGroups(table.schema)
    _, note = form.encode(table, 4)
    tracemalloc.start()
    try:
        n_bytes = sum(map(len, form.end(Repeated(note, 4000))))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes > 16 << 20
    assert peak < 1 << 20
