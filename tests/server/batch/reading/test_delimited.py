"""Delimited text, against Python's csv module, and every way in which it can be damaged."""

import csv
import gzip
import io
import math
from itertools import compress, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gis.text_records import Records
from server.batch.errors import InputError
from server.batch.reading import delimited, input_file
from server.batch.reading.columns import WantedColumns
from server.batch.reading.delimited import DelimitedText

HEADER = b"id,lon,lat\n"
NAN = math.nan

in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def opened(folder: Path, text: bytes, **wishes: Any) -> DelimitedText:
    path = folder / "points.csv"
    path.write_bytes(text)
    long = wishes.pop("max_record_bytes", input_file.MAX_RECORD_BYTES)
    return DelimitedText(path, WantedColumns(wishes.pop("n_points", 1), **wishes), long)


def read(source: DelimitedText, n_rows: int = 1000, start: int = 0) -> tuple[list[Any], list[Any]]:
    """Rows of the table, and of the points."""
    rows: list[Any] = []
    points: list[Any] = []
    for chunk in source.chunks(n_rows, start):
        assert chunk.table.schema == source.schema
        chunk.table.validate(full=True)
        assert chunk.table.num_rows == len(chunk.points)
        rows += zip(*(column.to_pylist() for column in chunk.table.columns), strict=True)
        points += chunk.points.tolist()
    return [list(row) for row in rows], points


def damaged(source: DelimitedText, n_rows: int) -> list[bool]:
    """Of every row whether it is damaged."""
    masks = [
        np.zeros(len(chunk.points), np.bool_) if chunk.damaged is None else chunk.damaged
        for chunk in source.chunks(n_rows)
    ]
    return [bool(one) for mask in masks for one in mask]


@pytest.fixture(params=[7, 64, input_file.BLOCK_BYTES])
def block_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Blocks of few bytes bring every boundary everywhere."""
    n_bytes: int = request.param
    monkeypatch.setattr(input_file.InputFile.blocks, "__defaults__", (n_bytes,))
    if n_bytes < 1000:
        monkeypatch.setattr(delimited, "_RECORDS_AT_ONCE", 3)
    return n_bytes


cells = st.one_of(
    st.text(max_size=5).map(lambda s: s.replace("\r", "\n")),  # csv does not quote it
    st.text('",;|\t\n a', max_size=5),
    st.floats(-180, 180).map(str),
)


@in_one_folder
@given(
    rows=st.lists(st.lists(cells, min_size=3, max_size=3), max_size=6),
    delimiter=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    n_rows=st.integers(1, 4),
    final_line_end=st.booleans(),
)
def test_whatever_csv_writes_is_read(
    block_bytes: int,
    tmp_path: Path,
    rows: list[list[str]],
    delimiter: str,
    quoting: Any,
    line_end: str,
    n_rows: int,
    final_line_end: bool,
) -> None:
    """In any dialect, with blocks and chunks of any size, and going on from any chunk's end."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=line_end)
    writer.writerows([["id", "lon", "lat"], *rows])
    text = file.getvalue()
    if not final_line_end and not text.endswith("\n" + line_end):
        text = text.removesuffix(line_end)
    source = opened(tmp_path, text.encode())
    found, points = read(source, n_rows)
    assert found == rows
    ends = [chunk.end for chunk in source.chunks(n_rows)]
    assert ends[-1:] == [source.size] * bool(rows)
    for i, end in enumerate(ends):
        rest, rest_points = read(source, n_rows, end)
        assert rest == rows[(i + 1) * n_rows :]
        np.testing.assert_array_equal(rest_points, points[(i + 1) * n_rows :])


def padded(row: list[str], n: int) -> list[str]:
    return row[:n] + [""] * (n - len(row))


@in_one_folder
@given(
    text=st.lists(
        st.sampled_from(['"', '""', ",", ",,", '"x', "a", "1", "\n", "\r\n", ',"', '",', "\u00e9"]),
        max_size=20,
    ).map("".join),
    n_rows=st.integers(1, 4),
)
def test_whatever_is_in_a_file_is_read(
    block_bytes: int, tmp_path: Path, text: str, n_rows: int
) -> None:
    """However ragged, there is a row for each of csv's, and the same from any chunk's end."""
    expected = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    source = opened(tmp_path, HEADER + text.encode())
    found, points = read(source, n_rows)
    n = len(found)
    if not is_open(text):
        assert found == [padded(row, 3) for row in expected]
        # Of empty fields too many only those without quotes are no fault.
        fits = [len(row) >= 3 and not any(row[3:]) for row in expected]
        clear = ['"' not in text or len(row) <= 3 or any(row[3:]) for row in expected]
        mask = damaged(source, n_rows)
        for row, p, fit, bad in compress(zip(found, points, fits, mask, strict=True), clear):
            wanted = [number(row[1]), number(row[2])] if fit else [NAN, NAN]
            np.testing.assert_array_equal(p, wanted)
            assert bad == (not fit)
    else:
        closed = [padded(row, 3) for row in expected[:-1]]
        assert found[: len(closed)] == closed and n > len(closed)
    chunks = list(source.chunks(n_rows))
    assert [chunk.end for chunk in chunks] == sorted({chunk.end for chunk in chunks})
    for i, chunk in enumerate(chunks):
        rest, _ = read(source, n_rows, chunk.end)
        assert rest == found[(i + 1) * n_rows :]


def is_open(text: str) -> bool:
    """Whether a quote is never closed."""
    plain = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    more = [row for row in csv.reader(io.StringIO(text + "\nx", newline="")) if row]
    return len(more) == len(plain)


def number(text: str) -> float:
    return float(text) if text.isdigit() else NAN


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b"7,1,2", [["7", "1", "2"]]),
        (b"007,1,2\r\n", [["007", "1", "2"]]),
        (b"a,1,2\rb,3,4\r", [["a", "1", "2"], ["b", "3", "4"]]),
        (b"\n\na,1,2\r\n\r\n\nb,3,4\n\n", [["a", "1", "2"], ["b", "3", "4"]]),
        (b'"a\nb",1,2\n', [["a\nb", "1", "2"]]),
        (b'"a""b",1,2\n', [['a"b', "1", "2"]]),
        (b'5" pipe,1,2\n', [['5" pipe', "1", "2"]]),
        (b"NULL,1,2\nNA,1,2\n,1,2\n", [["NULL", "1", "2"], ["NA", "1", "2"], ["", "1", "2"]]),
        (b"\xe9,1,2\n", [["\ufffd", "1", "2"]]),
        ("é,1,2\n".encode(), [["é", "1", "2"]]),
        (b"a\0b,1,2\n", [["a\0b", "1", "2"]]),
        (b"\xef\xbb\xbfa,1,2\n", [["\ufeffa", "1", "2"]]),
        (b"", []),
        (b"\n\r\n", []),
    ],
)
def test_rows(block_bytes: int, tmp_path: Path, text: bytes, rows: list[list[str]]) -> None:
    """Fields are carried as they are written."""
    found, points = read(opened(tmp_path, HEADER + text))
    assert found == rows
    assert points == [[float(lon), float(lat)] for _, lon, lat in rows]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (b"a", ["a", "", ""]),
        (b"a,1", ["a", "1", ""]),
        (b"a,1,2,3", ["a", "1", "2"]),
        (b"Smith, John,1,2", ["Smith", " John", "1"]),
        (b'"a,b",1', ["a,b", "1", ""]),
        (b"  ", ["  ", "", ""]),
        (b'a,"1,2', ["a", "1,2", ""]),
        (b'"', ["", "", ""]),
        (b'a,1,"', ["a", "1", ""]),
        (b'a,1,2,"3', ["a", "1", "2"]),
    ],
)
def test_ragged_rows_have_no_points(
    block_bytes: int, tmp_path: Path, text: bytes, row: list[str]
) -> None:
    """But they are rows, among others that are not disturbed; an unclosed quote ends its line."""
    for line_end in (b"\n", b"\r\n"):
        lines = [b"x,5,6", text, b"y,7,8", b""]
        source = opened(tmp_path, HEADER + line_end.join(lines))
        found, points = read(source)
        assert found == [["x", "5", "6"], row, ["y", "7", "8"]]
        np.testing.assert_array_equal(points, [[5, 6], [NAN, NAN], [7, 8]])
        assert damaged(source, 5) == [False, True, False]
    found, points = read(opened(tmp_path, HEADER + text))
    assert found == [row] and np.isnan(points).all()


def test_empty_fields_at_the_end_are_no_fault(tmp_path: Path) -> None:
    source = opened(tmp_path, HEADER + b"a,1,2,\nb,3,4,,,\n")
    found, points = read(source)
    assert found == [["a", "1", "2"], ["b", "3", "4"]] and points == [[1, 2], [3, 4]]
    assert all(chunk.damaged is None for chunk in source.chunks(1))


@pytest.mark.parametrize(
    "damage", [b"x" * 500, b'"' + b"x" * 500, b'a,"b\n' + b"1,2,3\n" * 20, b'"x\r\n' * 31]
)
def test_long_rows_are_damage(block_bytes: int, tmp_path: Path, damage: bytes) -> None:
    """An unclosed quote, or a missing line end, costs a row and not the rest of the file."""
    text = b"a,1,2\n" + damage + b"\nz,8,9\n"
    source = opened(tmp_path, HEADER + text, max_record_bytes=100)
    found, points = read(source, 3)
    assert found[0] == ["a", "1", "2"] and found[-1] == ["z", "8", "9"]
    assert np.isnan(points[1]).all() and points[-1] == [8, 9]
    mask = damaged(source, 3)
    assert mask[1] and not mask[0] and not mask[-1]
    if b"\n" not in damage:
        assert found[1:-1] == [["", "", ""]]
    if b"1,2,3" in damage:
        assert found[1:-1] == [["a", "b", ""]] + [["1", "2", "3"]] * 20
    for i, chunk in enumerate(source.chunks(1)):
        assert read(source, 5, chunk.end)[0] == found[i + 1 :]


def test_a_long_last_line(block_bytes: int, tmp_path: Path) -> None:
    source = opened(tmp_path, HEADER + b"x" * 1000, max_record_bytes=100)
    found, _ = read(source)
    assert found == [["", "", ""]]
    assert [chunk.end for chunk in source.chunks(1)] == [source.size]


def test_a_line_that_ends_with_the_last_byte_allowed(
    block_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its delimiter, the carriage return and no line feed are seen, no record is found."""

    def garbage(n: int) -> Records:
        return np.full((n, 4), 1 << 62)

    monkeypatch.setattr(delimited, "new_records", garbage)
    line = b"x" * 98 + b","
    for line_end in (b"\r", b"\r\n"):
        text = line_end.join([b"a,1,2", line, b"z,8,9", b""])
        source = opened(tmp_path, HEADER + text, max_record_bytes=100)
        found, points = read(source)
        assert found[0] == ["a", "1", "2"] and found[2:] == [["z", "8", "9"]]
        assert not any(found[1][1:]) and np.isnan(points[1]).all()
        for i, chunk in enumerate(source.chunks(1)):
            assert read(source, 5, chunk.end)[0] == found[i + 1 :]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(tmp_path: Path, delimiter: str) -> None:
    """Found in the first line; a comma elsewhere is a decimal one."""
    text = f'"name, or id"{delimiter}lon{delimiter}lat\n'
    text += f'a{delimiter}"-8,6"{delimiter}41.1\n'
    source = opened(tmp_path, text.encode())
    assert source.schema.names == ["name, or id", "lon", "lat"]
    assert read(source) == ([["a", "-8,6", "41.1"]], [[-8.6, 41.1]])


def test_bom_spaces_and_names(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf\r\nLon , lat,id,id,,status\r\n1,2,3,4,5,6\r\n"
    source = opened(tmp_path, text, reserved=["status"])
    assert source.schema.names == ["Lon", "lat", "id", "id_2", "column_5", "input_status"]
    assert read(source) == ([list("123456")], [[1, 2]])


def test_two_points_and_kept_columns(tmp_path: Path) -> None:
    text = b"id,to_lat,to_lon,from_lat,from_lon,note\n1,2,3,4,5,x\n"
    assert read(opened(tmp_path, text, n_points=2, keep=["note", "id"])) == (
        [["x", "1"]],
        [[5, 4, 3, 2]],
    )
    wished = ["id", "from_lon", "to_lat", "to_lon"]
    assert read(opened(tmp_path, text, n_points=2, columns=wished))[1] == [[1, 5, 2, 3]]
    nothing = opened(tmp_path, text, n_points=2, keep=[])
    (chunk,) = nothing.chunks(5)
    assert chunk.table.num_rows == 1 and chunk.table.num_columns == 0


def test_shapes_as_text(tmp_path: Path) -> None:
    text = b'id,way\n1,"LINESTRING (1 2, 3 4)"\n2,\n'
    _, points = read(opened(tmp_path, text, n_points=2, columns=["way"]))
    np.testing.assert_array_equal(points, [[1, 2, 3, 4], [NAN] * 4])


def test_two_columns_of_points(tmp_path: Path) -> None:
    """In WKT or hexadecimal WKB; one column of shapes is found by its name."""
    wkb = shapely.to_wkb(shapely.Point(3, 4), hex=True)
    text = f"id,a,b\n1,POINT (1 2),{wkb}\n2,,x\n".encode()
    _, points = read(opened(tmp_path, text, n_points=2, columns=["a", "b"]))
    np.testing.assert_array_equal(points, [[1, 2, 3, 4], [NAN] * 4])
    text = b"id,WKT\n1,POINT (1 2)\n2,x\n"
    np.testing.assert_array_equal(read(opened(tmp_path, text))[1], [[1, 2], [NAN, NAN]])


@pytest.mark.parametrize(
    ("text", "wishes", "said"),
    [
        (b"a,b\n1.5,2\n", {"n_points": 2, "columns": ["a", "b"]}, "column a begins with 1.5"),
        (b"a,shape\n1,\n1,c\0rcle\n", {}, "column shape begins with c\ufffdrcle, expected shapes"),
    ],
)
def test_columns_without_shapes(
    tmp_path: Path, text: bytes, wishes: dict[str, Any], said: str
) -> None:
    """Are not what was meant, if no value is a shape; of nothing but empty ones nothing is said."""
    with pytest.raises(InputError) as error:
        opened(tmp_path, text, **wishes)
    assert said in str(error.value) and "columns of longitudes and latitudes" in str(error.value)
    assert read(opened(tmp_path, b"shape,b\n,\n"))[0] == [["", ""]]


def test_what_a_source_tells(tmp_path: Path) -> None:
    source = opened(tmp_path, HEADER + b"a,1,2\n", keep=["id"], columns=["lon", "lat"])
    path = tmp_path / "points.csv"
    assert source.n_rows is None and source.size == path.stat().st_size
    assert source.identity == {
        "input": str(path.resolve()),
        "bytes": source.size,
        "mtime_ns": path.stat().st_mtime_ns,
        "format": "delimited text",
        "columns": ["lon", "lat"],
        "keep": ["id"],
        "typed": False,
    }
    assert source.schema == pa.schema([("id", pa.string())])
    assert opened(tmp_path, HEADER + b"a,1,2\n", typed=True).identity["typed"] is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty, expected a first line that names the columns"),
        (b"\xef\xbb\xbf\n\n", "is empty"),
        ("lon,lat\n1,2\n".encode("utf-16"), "is UTF-16, expected UTF-8"),
        (b"1.5,2.5\n3,4\n", "begins with numbers, 1.5 ..., expected the names"),
        (b"a,b\n1,2\n", "found no columns of the longitude and latitude among a, b"),
        (b'"lon,lat\n1,2\n', "its first line has no end"),
        (b"x" * 200_000, "its first line"),
        (b'"a\nb",c\n', "among a b, c"),
        (gzip.compress(HEADER, mtime=0), "is compressed (gzip), expected plain text"),
        (b"PK\x03\x04\n", "is compressed (zip), expected plain text"),
        (b"\x28\xb5\x2f\xfd,\n", "is compressed (zstd), expected plain text"),
        (b"\x7fELF\x02\x01,\0\0\n", "among \ufffdELF\ufffd\ufffd, \ufffd\ufffd;"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, text: bytes, said: str) -> None:
    with pytest.raises(InputError) as error:
        opened(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path / 'points.csv'}: ") and said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.compiled
def test_chunks_of_a_large_file(tmp_path: Path) -> None:
    """Several blocks, many rows: each once, in order."""
    n = 300_000
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("id,lon,lat\n")
        file.writelines(f'{i},{i / n:.6f},"{-i / n:.6f}"\n' for i in range(n))
    source = DelimitedText(path, WantedColumns(1))
    chunks = list(source.chunks(70_000))
    assert [len(chunk.points) for chunk in chunks] == [70_000] * 4 + [20_000]
    ids = np.concatenate([chunk.table["id"].cast(pa.int64()).to_numpy() for chunk in chunks])
    assert (ids == np.arange(n)).all()
    points = np.concatenate([chunk.points for chunk in chunks])
    assert abs(points[:, 0] - ids / n).max() < 1e-6 and (points[:, 0] == -points[:, 1]).all()
    (rest,) = source.chunks(70_000, chunks[3].end)
    assert rest.table == chunks[4].table and rest.end == source.size
    assert all(a.end < b.end for a, b in pairwise(chunks))
