"""The file that is read is the one that was found, from the first byte to the last."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from server.batch.errors import InputError
from server.batch.reading import arrow_rows, geojson_lines, parquet_rows
from server.batch.reading.columns import WantedColumns
from server.batch.reading.input_file import InputFile, path_text
from server.batch.reading.parquet_rows import ParquetRows
from server.batch.reading.source import Chunk, Source, open_source, read_points

N = 40
SUFFIXES = ["csv", "jsonl", "parquet", "arrow", "ipc"]

CUT = """
import sys
from pathlib import Path
from server.batch.errors import InputError
from server.batch.reading import arrow_rows
from server.batch.reading.source import open_source
path = Path(sys.argv[1])
arrow_rows.BATCH_ROWS = int(sys.argv[2])
chunks = open_source(path, 1).chunks(1000)
first = next(chunks)
path.open("r+b").truncate(2000)
print(sum(first.table["lon"].to_pylist()), sum(len(s) for s in first.table["id"].to_pylist()))
try:
    print(len(list(chunks)))
except InputError as error:
    print(error)
"""


def write(path: Path, n: int = N) -> Path:
    numbers = np.arange(n)
    table = pa.table({"id": numbers.astype(str).tolist(), "lon": numbers / 2, "lat": numbers / 4})
    if path.suffix == ".csv":
        lines = [f"{i},{i / 2},{i / 4}" for i in range(n)]
        path.write_text("\n".join(["id,lon,lat", *lines, ""]))
    elif path.suffix == ".jsonl":
        places = [{"type": "Point", "coordinates": [i / 2, i / 4]} for i in range(n)]
        path.write_text("".join(json.dumps(place) + "\n" for place in places))
    elif path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=15)
    else:
        new = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
        with path.open("wb") as file, new(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=15)
    return path


def replace(path: Path) -> None:
    """By another file of the same size and time."""
    status = path.stat()
    other = path.with_name(f"other{path.suffix}")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


def replace_by_longer(path: Path) -> None:
    write(path.with_name(f"other{path.suffix}"), 3 * N).replace(path)


def replace_by_shorter(path: Path) -> None:
    write(path.with_name(f"other{path.suffix}"), N // 3).replace(path)


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def rewrite(path: Path) -> None:
    """In place, with as many bytes."""
    status = path.stat()
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))


CHANGES = [replace, replace_by_longer, replace_by_shorter, grow, cut, rewrite]


@pytest.fixture(params=SUFFIXES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write(tmp_path / f"a.{request.param}")


@pytest.fixture(params=[False, True], ids=["at once", "in parts"])
def in_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read at once, as far as that is done before it is asked for, or some rows at a time."""
    monkeypatch.setattr(geojson_lines, "_ROWS_AT_ONCE", 4)
    if request.param:
        monkeypatch.setattr(InputFile.blocks, "__defaults__", (16,))
        for module in (arrow_rows, parquet_rows):
            monkeypatch.setattr(module, "BATCH_ROWS", 4)


def refused(path: Path) -> pytest.RaisesExc[InputError]:
    return pytest.raises(InputError, match=f"^{path}: was changed while it was read$")


@pytest.mark.parametrize("change", CHANGES)
def test_changed_before_it_is_read(change: Callable[[Path], None], path: Path) -> None:
    """From wherever it is gone on with, even if nothing is left to read."""
    source = open_source(path, 1)
    starts = [0, *(chunk.end for chunk in source.chunks(18))]
    assert len(starts) == 4 and starts[-1] == source.size
    change(path)
    for start in starts:
        with refused(path):
            next(source.chunks(18, start))


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("change", CHANGES)
def test_changed_while_it_is_read(change: Callable[[Path], None], path: Path) -> None:
    """What is given is of the file that was found, and the last chunk is not."""
    source = open_source(path, 1)
    for n_rows in (5, 18):
        chunks = list(source.chunks(n_rows))
        for start in (0, chunks[0].end):
            wanted = chunks[start > 0 :]
            given = source.chunks(n_rows, start)
            assert next(given).table == wanted[0].table
            change(path)
            found: list[Chunk] = []
            with refused(path):
                found.extend(given)
            assert len(found) < len(wanted) - 1
            path.unlink()
            source = open_source(write(path), 1)
            chunks = list(source.chunks(n_rows))


def test_nothing_is_given_after_a_change(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If more had to be read for it."""
    monkeypatch.setattr(InputFile.blocks, "__defaults__", (16,))
    monkeypatch.setattr(geojson_lines, "_ROWS_AT_ONCE", 4)
    for module in (arrow_rows, parquet_rows):
        monkeypatch.setattr(module, "BATCH_ROWS", 4)
    chunks = open_source(path, 1).chunks(5)
    next(chunks)
    rewrite(path)
    with refused(path):
        next(chunks)


@pytest.mark.usefixtures("in_parts")
def test_removed_while_it_is_read(path: Path) -> None:
    chunks = open_source(path, 1).chunks(5)
    next(chunks)
    path.unlink()
    with pytest.raises(InputError, match=f"^{path}: cannot be read any more: No such file"):
        list(chunks)


@pytest.mark.parametrize("change", [replace_by_longer, cut])
def test_changed_while_it_is_opened(
    change: Callable[[Path], None], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns are not those of another file than the one that was found."""
    find = InputFile.find

    def late(path: Path) -> InputFile:
        found = find(path)
        change(path)
        return found

    monkeypatch.setattr(InputFile, "find", late)
    with refused(path):
        open_source(path, 1)
    with refused(path):
        read_points(path)


def test_both_the_path_and_what_is_open(tmp_path: Path) -> None:
    path, other = write(tmp_path / "a.csv"), write(tmp_path / "b.csv")
    found = InputFile.find(path)
    with path.open("rb") as file, other.open("rb") as another:
        found.check(file)
        with refused(path):
            found.check(another)
        other.replace(path)
        with refused(path):
            found.check(file)


def test_blocks(tmp_path: Path) -> None:
    """None is given that was read after a change, or of less than there was."""
    path = write(tmp_path / "a.csv")
    found = InputFile.find(path)
    with path.open("rb") as file:
        blocks = found.blocks(file, 0, 8)
        assert next(blocks) == path.read_bytes()[:8]
        grow(path)
        with refused(path):
            next(blocks)
    with pytest.raises(InputError, match=f"ends after 5 bytes, expected {found.size}$"):
        list(found.blocks(io.BytesIO(b"12345"), 5))


def test_what_a_change_has_caused(tmp_path: Path) -> None:
    """It is no damage; what has other causes keeps its name."""
    path = write(tmp_path / "a.csv")
    found = InputFile.find(path)
    with pytest.raises(ZeroDivisionError), found.opened():
        raise ZeroDivisionError
    with refused(path), found.opened():
        grow(path)
        raise ZeroDivisionError
    reached = []
    with refused(path), found.opened() as file:
        reached.append(file)
    assert not reached


class FewerRows(ParquetRows):
    """Pages that hold less than the file says."""

    def batches(self, file: BinaryIO, start: int) -> Iterator[pa.RecordBatch]:
        return islice(super().batches(file, start), 2)


def test_rows_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "BATCH_ROWS", 15)
    path = write(tmp_path / "a.parquet")
    source: Source = FewerRows(path, WantedColumns(1))
    with pytest.raises(InputError, match=f"^{path}: ends after 30 rows, expected {N}$"):
        list(source.chunks(7))
    assert [chunk.end for chunk in source.chunks(7, 15)] == [22, 29, 36, N]


@pytest.mark.parametrize("suffix", ["arrow", "ipc"])
@pytest.mark.parametrize("n_group", [1000, 90_000])
def test_a_mapped_file_that_is_cut_off(tmp_path: Path, suffix: str, n_group: int) -> None:
    """The process lives, and what it has read is whole."""
    path = tmp_path / f"a.{suffix}"
    n = 90_000
    ids = [str(i) for i in range(n)]
    table = pa.table({"id": ids, "lon": np.arange(float(n)), "lat": np.zeros(n)})
    new = pa.ipc.new_file if suffix == "arrow" else pa.ipc.new_stream
    with path.open("wb") as file, new(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=n_group)
    command = [sys.executable, "-c", CUT, str(path), "1500"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"{sum(range(1000)):.1f} {sum(map(len, ids[:1000]))}",
        f"{path}: was changed while it was read",
    ]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_that_are_no_text(tmp_path: Path, suffix: str) -> None:
    """An identity can be written as JSON, and tells such names apart."""
    texts = set()
    for byte in (b"\xe9", b"\xe8"):
        path = tmp_path / os.fsdecode(b"caf" + byte + f".{suffix}".encode())
        try:
            write(tmp_path / f"a.{suffix}").replace(path)
        except (OSError, UnicodeError):
            pytest.skip("there are no such names here")
        source = open_source(path, 1)
        assert sum(len(chunk.points) for chunk in source.chunks(7)) == N
        text = source.identity["input"]
        assert json.loads(json.dumps(source.identity).encode())["input"] == text
        text.encode()
        texts.add(text.removeprefix(str(tmp_path.resolve())))
    assert texts == {f"/caf\\x{byte}.{suffix}" for byte in ("e9", "e8")}
    assert path_text(tmp_path / "é") == str(tmp_path.resolve() / "é")
