"""Points in memory: their chunks, and what makes them the same points."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from server.batch.reading.in_memory import PointsInMemory, names_of
from server.batch.reading.source import read_points

TEXT = "id,lon,lat,left,up\na,1,2,5,6\nb,3,no,7,8\nc,-1,-2,9,10\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text(TEXT)
    return path


def identity(path: Path, columns: list[str] | None = None, named: bool = True) -> dict[str, Any]:
    table, points = read_points(path, columns)
    return PointsInMemory(table, points, path, named=named).identity


@pytest.mark.parametrize("named", [True, False])
def test_chunks(path: Path, named: bool) -> None:
    """From any place on."""
    table, points = read_points(path)
    source = PointsInMemory(table, points, path, named)
    assert source.size == source.n_rows == 3
    for start in range(4):
        chunks = list(source.chunks(2, start))
        assert [chunk.end for chunk in chunks] == [*range(start + 2, 3, 2), *[3] * (start < 3)]
        for chunk in chunks:
            assert chunk.table.schema == source.schema
        found = np.concatenate([np.empty((0, 2)), *(chunk.points for chunk in chunks)])
        np.testing.assert_array_equal(found, points[start:])
        if named:
            names = [name for chunk in chunks for name in chunk.table["source"].to_pylist()]
            assert names == ["a", "b", "c"][start:]
    assert source.schema.names == ["source"] * named


def test_names(path: Path) -> None:
    """The column id, or numbers."""
    assert names_of(read_points(path)[0]) == ("a", "b", "c")
    assert names_of(pa.table({"lon": [1.0, 2.0]})) == ("0", "1")


def test_identity_is_of_what_was_read(path: Path) -> None:
    """Other columns, points or names are other ones; the same at another time are not."""
    first = identity(path)
    assert first["input"] == str(path.resolve())
    assert identity(path, ["lon", "lat"]) == first
    others = [identity(path, ["left", "up"]), identity(path, ["lat", "lon"])]
    path.write_text(TEXT.replace("-2", "-2.5"))
    others.append(identity(path))
    path.write_text(TEXT.replace("b,", "d,"))
    others.append(identity(path))
    assert all(other != first for other in others)
    assert others[-1]["points"] == first["points"] and others[0]["names"] == first["names"]
    assert identity(path, named=False) == identity(path, named=False)
    path.write_text(TEXT)
    os.utime(path, ns=(0, 0))
    assert identity(path) == first
    path.write_text(TEXT.replace("b,", "d,"))
    unnamed = identity(path, named=False)
    path.write_text(TEXT)
    assert identity(path, named=False) == unnamed


def test_a_file_that_changes_after_it_was_read(path: Path) -> None:
    """It does not matter, not even if it is gone."""
    first = identity(path)
    table, points = read_points(path)
    path.write_text(TEXT.replace("1", "2"))
    assert PointsInMemory(table, points, path, named=True).identity == first
    path.unlink()
    assert PointsInMemory(table, points, path, named=True).identity == first


def test_names_of_other_types_are_others(path: Path) -> None:
    """Numbers and text are written in other ways."""
    points = np.zeros((2, 2))
    numbers, text = pa.table({"id": [1, 2]}), pa.table({"id": ["1", "2"]})
    short = pa.table({"id": pa.array([1, 2], pa.int8())})
    digests = {
        PointsInMemory(table, points, path, named=True).identity["names"]
        for table in (numbers, text, short)
    }
    assert len(digests) == 3
