"""Matrices from the command line."""

import csv
import itertools
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from gis.arrays import F64
from routing.engine import Engine
from server.batch import local
from server.batch.task import Answer
from server.cli import FAILED, INTERRUPTED, run

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def engine(dataset: Path) -> Engine:
    return Engine.open(dataset)


def random_points(engine: Engine, n: int, seed: int) -> F64:
    west, south, east, north = engine.bounds
    return np.random.default_rng(seed).uniform([west, south], [east, north], (n, 2)).round(6)


def write_points(path: Path, points: F64, with_ids: bool = True) -> Path:
    with path.open("w") as file:
        file.write("id,lon,lat\n" if with_ids else "lon,lat\n")
        for i, (lon, lat) in enumerate(points.tolist()):
            file.write(f"p{i},{lon},{lat}\n" if with_ids else f"{lon},{lat}\n")
    return path


def table(dataset: Path, sources: Path, output: Path, *options: object) -> int:
    arguments = ["table", dataset, "--sources", sources, "-o", output, *options]
    return run([str(argument) for argument in arguments])


@pytest.mark.parametrize("annotation", ["duration", "distance"])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 40), (90, 5)])
def test_npy(
    n: int, m: int, annotation: str, engine: Engine, dataset: Path, tmp_path: Path
) -> None:
    """The array that the engine gives, in blocks of any size."""
    starts, ends = random_points(engine, n, 1), random_points(engine, m, 2)
    sources = write_points(tmp_path / "a.csv", starts)
    targets = write_points(tmp_path / "b.csv", ends)
    expected = engine.table(starts, ends, distances=True)
    wanted = expected.duration_s if annotation == "duration" else expected.distance_m
    assert wanted is not None
    for rows in (1, 3, 1000):
        output = tmp_path / f"{rows}.npy"
        options = ["--destinations", targets, "--annotations", annotation, "--chunk-rows", rows]
        assert table(dataset, sources, output, *options) == 0
        found = np.load(output)
        assert found.shape == (n, m) and found.dtype == np.float32
        assert np.array_equal(found, wanted.astype(np.float32), equal_nan=True)


def test_without_destinations(engine: Engine, dataset: Path, tmp_path: Path) -> None:
    """They are the sources, and nothing lies between a place and itself."""
    points = random_points(engine, 20, 3)
    output = tmp_path / "m.npy"
    assert table(dataset, write_points(tmp_path / "a.csv", points), output) == 0
    found = np.load(output, mmap_mode="r")
    assert found.shape == (20, 20) and (np.diag(found) == 0).all()


def test_points_that_are_nowhere(engine: Engine, dataset: Path, tmp_path: Path) -> None:
    """Their rows and columns are empty; all others are as if they were not there."""
    points = random_points(engine, 8, 4)
    whole, spoilt = tmp_path / "whole.npy", tmp_path / "spoilt.npy"
    assert table(dataset, write_points(tmp_path / "a.csv", points), whole) == 0
    points[2], points[5] = (10.0, 10.0), (500.0, 0.0)
    assert table(dataset, write_points(tmp_path / "b.csv", points), spoilt) == 0
    expected = np.load(whole)
    expected[[2, 5]] = np.nan
    expected[:, [2, 5]] = np.nan
    assert np.array_equal(np.load(spoilt), expected, equal_nan=True)
    output = tmp_path / "spoilt.parquet"
    assert table(dataset, tmp_path / "b.csv", output) == 0
    status = pq.read_table(output).column("status").to_pylist()
    assert status == ["Ok", "Ok", "NoSegment", "Ok", "Ok", "InvalidCoordinate", "Ok", "Ok"]


def test_parquet_and_csv(engine: Engine, dataset: Path, tmp_path: Path) -> None:
    """Rows are named by the sources, in CSV columns by the destinations."""
    starts, ends = random_points(engine, 12, 5), random_points(engine, 3, 6)
    sources = write_points(tmp_path / "a.csv", starts)
    targets = write_points(tmp_path / "b.csv", ends)
    expected = engine.table(starts, ends, distances=True)
    both = tmp_path / "m.parquet"
    options = ["--destinations", targets]
    assert table(dataset, sources, both, *options, "--annotations", "duration,distance") == 0
    found = pq.read_table(both).to_pydict()
    assert found["source"] == [f"p{i}" for i in range(12)]
    for name, wanted in (("duration_s", expected.duration_s), ("distance_m", expected.distance_m)):
        assert wanted is not None
        rows = np.array(found[name], np.float32)
        assert np.array_equal(rows, wanted.astype(np.float32), equal_nan=True)
    text = tmp_path / "m.csv"
    assert table(dataset, sources, text, *options) == 0
    with text.open(newline="") as file:
        header, *lines = csv.reader(file)
    assert header == ["source", "p0", "p1", "p2"]
    assert [line[0] for line in lines] == [f"p{i}" for i in range(12)]
    cells = np.array([[float(cell or "nan") for cell in line[1:]] for line in lines])
    assert np.allclose(cells, expected.duration_s, rtol=1e-6, atol=0, equal_nan=True)


def test_columns_of_destinations(engine: Engine, dataset: Path, tmp_path: Path) -> None:
    """Both files may have columns of any names."""
    points = random_points(engine, 4, 8)
    for name, header in (("a.csv", "p,q"), ("b.csv", "r,s")):
        rows = "\n".join(f"{lon},{lat}" for lon, lat in points.tolist())
        (tmp_path / name).write_text(f"{header}\n{rows}\n")
    output = tmp_path / "m.npy"
    options = ["--destinations", tmp_path / "b.csv", "--columns", "p,q"]
    assert table(dataset, tmp_path / "a.csv", output, *options) == FAILED
    assert table(dataset, tmp_path / "a.csv", output, *options, "--destination-columns", "r,s") == 0
    expected = engine.table(points, points).duration_s.astype(np.float32)
    assert np.array_equal(np.load(output), expected, equal_nan=True)


def test_points_without_names(engine: Engine, dataset: Path, tmp_path: Path) -> None:
    """They are numbered from 0."""
    sources = write_points(tmp_path / "a.csv", random_points(engine, 3, 7), with_ids=False)
    output = tmp_path / "m.csv"
    assert table(dataset, sources, output) == 0
    with output.open(newline="") as file:
        assert [line[0] for line in csv.reader(file)] == ["source", "0", "1", "2"]


@pytest.mark.parametrize("suffix", [".npy", ".parquet", ".csv"])
def test_no_points(suffix: str, dataset: Path, tmp_path: Path, capsys: Capture) -> None:
    """From nowhere or to nowhere there is no matrix, in one line."""
    none, some = tmp_path / "none.csv", tmp_path / "some.csv"
    none.write_text("lon,lat\n")
    some.write_text("lon,lat\n24.94,60.167\n")
    for sources, targets in ((none, some), (some, none)):
        capsys.readouterr()
        output = tmp_path / f"m{suffix}"
        assert table(dataset, sources, output, "--destinations", targets) == FAILED
        said = capsys.readouterr().err
        assert f"{none}: has no rows, expected one point or more" in said
    arguments = ["batch", dataset, some, "-o", output, "--task", "table", "--destinations", none]
    assert run([str(argument) for argument in arguments]) == FAILED
    assert sorted(path.name for path in tmp_path.iterdir()) == ["none.csv", "some.csv"]


def test_other_points_cannot_be_gone_on_with(
    engine: Engine,
    dataset: Path,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was begun from one pair of columns does not end from another."""
    points = random_points(engine, 30, 9)
    sources = tmp_path / "a.csv"
    rows = [f"{a},{b},{c},{d}" for a, b, c, d in np.hstack([points, points[::-1]]).tolist()]
    sources.write_text("\n".join(["alon,alat,blon,blat", *rows]) + "\n")
    output = tmp_path / "m.npy"
    first = ["--columns", "alon,alat", "--chunk-rows", 3]
    whole = tmp_path / "whole.npy"
    assert table(dataset, sources, whole, *first) == 0
    with monkeypatch.context() as patched:
        stop_after(patched, 4)
        assert table(dataset, sources, output, *first) == INTERRUPTED
    capsys.readouterr()
    second = ["--columns", "blon,blat", "--chunk-rows", 3, "--resume"]
    assert table(dataset, sources, output, *second) == FAILED
    assert "the interrupted run was another" in capsys.readouterr().err
    assert table(dataset, sources, output, *first, "--resume") == 0
    assert output.read_bytes() == whole.read_bytes()


def stop_after(monkeypatch: pytest.MonkeyPatch, n_chunks: int) -> None:
    """Let batches be interrupted after some chunks."""
    answers = local.answers_here

    def few(*arguments: Any) -> Generator[Answer, None, None]:
        yield from itertools.islice(answers(*arguments), n_chunks)
        raise KeyboardInterrupt

    monkeypatch.setattr("server.cli_batch.answers_here", few)


@pytest.mark.parametrize(
    ("output", "options", "message"),
    [
        ("m.xlsx", [], "m.xlsx: expected one of .npy, .parquet"),
        ("m.npy", ["--annotations", "speed"], "--annotations: got 'speed'"),
        ("m.npy", ["--annotations", "duration,distance"], "holds one matrix"),
        ("m.npy", ["--destinations", "missing.csv"], "missing.csv"),
        ("m.npy", ["--columns", "x,y"], "has no column x"),
        ("m.npy", ["--profile", "tank"], "no profile 'tank'"),
    ],
)
def test_wrong_calls(
    output: str,
    options: list[str],
    message: str,
    engine: Engine,
    dataset: Path,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    """What is wrong with a call is one line, and nothing is written."""
    sources = write_points(tmp_path / "a.csv", random_points(engine, 3, 7))
    capsys.readouterr()
    assert table(dataset, sources, tmp_path / output, *options) == FAILED
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
