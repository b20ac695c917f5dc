"""Files opened by their suffix, and what cannot be opened."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from server.batch.errors import InputError
from server.batch.reading.source import open_source, read_points

N_LARGE = 5_000_000

MEASURE = """
import sys
from pathlib import Path
from server.batch.reading.source import open_source
def kilobytes():
    status = Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0])
source = open_source(Path(sys.argv[1]), 1)
n, before, peak = 0, kilobytes(), 0
for chunk in source.chunks(65536):
    n += len(chunk.points)
    peak = max(peak, kilobytes())
print(n, (peak - before) // 1024)
"""
"""Memory of the process's own: mapped pages are taken away when others need them."""


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "CSV"])
def test_suffixes_of_text(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_text("lon\tlat\n1\t2\n")
    assert next(open_source(path, 1).chunks(9)).points.tolist() == [[1, 2]]


@pytest.mark.parametrize("suffix", ["geojsonl", "geojsonlines", "geojsons", "ndjson", "jsonl"])
def test_suffixes_of_geojson(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_text('{"type": "Point", "coordinates": [1, 2]}')
    assert next(open_source(path, 1).chunks(9)).points.tolist() == [[1, 2]]


@pytest.mark.parametrize("suffix", ["parquet", "geoparquet", "pq"])
def test_suffixes_of_parquet(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    pq.write_table(pa.table({"x": [1], "y": [2]}), path)
    assert next(open_source(path, 1).chunks(9)).points.tolist() == [[1, 2]]


@pytest.mark.parametrize("suffix", ["arrow", "arrows", "feather", "ipc"])
def test_suffixes_of_arrow(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    table = pa.table({"x": [1], "y": [2]})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    assert next(open_source(path, 1).chunks(9)).points.tolist() == [[1, 2]]


@pytest.mark.parametrize("name", ["a.geojson", "a", "a.csv.gz"])
def test_other_suffixes(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"ends in \.csv, \.tsv, .*, got ") as error:
        open_source(tmp_path / name, 1)
    assert str(tmp_path / name) in str(error.value)
    assert str(error.value).endswith("got no suffix") == (name == "a")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".jsonl"])
def test_what_is_no_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    with pytest.raises(InputError, match=f"^{path}: No such file or directory, expected a file"):
        open_source(path, 1)
    path.mkdir()
    with pytest.raises(InputError, match=f"^{path} is a folder, expected a file of points"):
        open_source(path, 1)
    pipe = tmp_path / f"pipe{suffix}"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="is no regular file"):
        open_source(pipe, 1)


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("lon,lat\n1,2\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(InputError, match="may not be read"):
        open_source(path, 1)


def test_small_files_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,lon,lat,name\na,1,2,x\nb,3,no,y\n")
    table, points = read_points(path)
    assert table.to_pylist() == [
        {"id": "a", "lon": "1", "lat": "2", "name": "x"},
        {"id": "b", "lon": "3", "lat": "no", "name": "y"},
    ]
    np.testing.assert_array_equal(points, [[1, 2], [3, np.nan]])
    assert read_points(path, ["lat", "lon"])[1][0].tolist() == [2, 1]
    path.write_text("lon,lat\n")
    table, points = read_points(path)
    assert table.num_rows == 0 and table.schema.names == ["lon", "lat"] and points.shape == (0, 2)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "arrows"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, kind: str) -> None:
    """Not even if all rows are one group: of hundreds of megabytes some tens are in memory."""
    path = tmp_path / f"large.{kind}"
    rng = np.random.default_rng(1)
    columns = {name: rng.uniform(-90, 90, N_LARGE) for name in ("lon", "lat", "z1", "z2", "z3")}
    if kind == "csv":
        import pyarrow.csv

        pyarrow.csv.write_csv(pa.table(columns), path)
    elif kind == "parquet":
        pq.write_table(pa.table(columns), path, row_group_size=N_LARGE)
    else:
        write = pa.ipc.new_stream if kind == "arrows" else pa.ipc.new_file
        with write(path, pa.schema(dict.fromkeys(columns, pa.float64()))) as writer:
            writer.write_table(pa.table(columns), max_chunksize=N_LARGE)
    assert path.stat().st_size > 190e6
    command = [sys.executable, "-c", MEASURE, str(path)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    n, megabytes = map(int, output.split())
    assert n == N_LARGE and megabytes < 120
