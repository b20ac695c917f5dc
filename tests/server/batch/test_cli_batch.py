"""Batches from the command line: every row has its answer, whatever the formats and workers."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import geopandas
import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
import shapely

from gis.arrays import F64
from routing.engine import Engine
from routing.errors import NoRoute
from server.cli import FAILED, run

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

Capture = pytest.CaptureFixture[str]
BAD = {3: "no number", 7: "off the map", 11: "not on the globe", 12: "empty"}
N = 150


@pytest.fixture(scope="module")
def engine(dataset: Path) -> Engine:
    return Engine.open(dataset)


@pytest.fixture(scope="module")
def pairs(engine: Engine) -> F64:
    """Origins and destinations (N, 4); those of the rows of BAD are spoilt in the files."""
    west, south, east, north = engine.bounds
    random = np.random.default_rng(5)
    return np.round(random.uniform([west, south] * 2, [east, north] * 2, (N, 4)), 6)


def texts(pairs: F64) -> list[list[str]]:
    """The rows as text, bad ones among them."""
    rows = [[f"{value:.6f}" for value in row] for row in pairs.tolist()]
    rows[3][1] = "abc"
    rows[7][0] = "-60.5"
    rows[11][2] = "200"
    rows[12] = [""] * 4
    return rows


def write_input(path: Path, pairs: F64) -> Path:
    """The same rows in each format; numbers that are none are null where there are types."""
    rows = texts(pairs)
    names = ["id", "origin_lon", "origin_lat", "destination_lon", "destination_lat"]
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="") as file:
            writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writerows([names, *([f"r{i}", *row] for i, row in enumerate(rows))])
        return path
    numbers = [[float(text) if text not in ("", "abc") else None for text in row] for row in rows]
    if path.suffix == ".geojsonl":
        with path.open("w") as file:
            for i, (a, b, c, d) in enumerate(numbers):
                line = {"type": "LineString", "coordinates": [[a, b], [c, d]]}
                feature = {"type": "Feature", "properties": {"id": f"r{i}"}, "geometry": line}
                file.write(json.dumps(feature) + "\n")
        return path
    columns = [pa.array([f"r{i}" for i in range(N)]), *map(pa.array, zip(*numbers, strict=True))]
    table = pa.table(dict(zip(names, columns, strict=True)))
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=40)
    else:
        feather.write_feather(table, path)
    return path


def batch(dataset: Path, source: Path, output: Path, *options: object) -> int:
    arguments = ["batch", dataset, source, "-o", output, *options]
    return run([str(argument) for argument in arguments])


def read_rows(path: Path) -> list[dict[str, object]]:
    """An output as dictionaries, empty values None and shapes as shapely has them."""
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            rows = [{k: v or None for k, v in row.items()} for row in csv.DictReader(file)]
        numbers = ("duration_s", "distance_m", "snapped_lon", "snapped_lat")
        for row in rows:
            row |= {k: float(row[k]) for k in numbers if row.get(k)}
            if row.get("geometry"):
                row["geometry"] = shapely.from_wkt(row["geometry"])
        return rows
    if path.suffix == ".parquet":
        rows = pq.read_table(path).to_pylist()
        for row in rows:
            row |= {k: shapely.from_wkb(v) for k, v in row.items() if isinstance(v, bytes)}
        return rows
    rows = []
    for line in path.read_text().splitlines():
        feature = json.loads(line)
        row = dict(feature["properties"])
        if feature["geometry"] is not None:
            row["geometry"] = shapely.geometry.shape(feature["geometry"])
        rows.append(row)
    return rows


def check_route(engine: Engine, row: dict[str, object], points: Sequence[float], i: int) -> None:
    """A row says what the engine says of its points."""
    if i in BAD:
        expected = "NoSegment" if BAD[i] == "off the map" else "InvalidCoordinate"
        assert row["status"] == expected
        assert row["duration_s"] is None and row.get("geometry") is None
        return
    try:
        route = engine.route([tuple(points[:2]), tuple(points[2:])])
    except NoRoute:
        assert row["status"] == "NoRoute" and row["duration_s"] is None
        return
    assert row["status"] == "Ok"
    assert row["duration_s"] == route.duration_s
    assert row["distance_m"] == pytest.approx(route.distance_m, abs=0.006)
    if "geometry" in row:
        line = shapely.get_coordinates(row["geometry"])
        leg = route.legs[0]
        assert np.allclose(line, np.stack([leg.lon, leg.lat], axis=1), rtol=0, atol=1.1e-7)


@pytest.mark.parametrize("target", [".csv", ".parquet", ".geojsonl"])
@pytest.mark.parametrize("origin", [".csv", ".tsv", ".parquet", ".arrow", ".geojsonl"])
def test_routes_in_every_format(
    origin: str, target: str, engine: Engine, dataset: Path, pairs: F64, tmp_path: Path
) -> None:
    """Each row of any input has its row in any output, in order, with the engine's answer."""
    source = write_input(tmp_path / f"pairs{origin}", pairs)
    output = tmp_path / f"routes{target}"
    options = ["--geometry", "--chunk-rows", 37, "--workers", 2]
    assert batch(dataset, source, output, *options) == 0
    rows = read_rows(output)
    assert len(rows) == N and [row["id"] for row in rows] == [f"r{i}" for i in range(N)]
    for i, (row, points) in enumerate(zip(rows, pairs.tolist(), strict=True)):
        check_route(engine, row, points, i)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, output.name])


TASKS = {
    "route": [],
    "lines": ["--geometry"],
    "nearest": ["--task", "nearest", "--columns", "origin_lon,origin_lat"],
    "isochrone": [
        *("--task", "isochrone", "--columns", "origin_lon,origin_lat", "--minutes", "1,2"),
    ],
    "table": ["--task", "table", "--columns", "origin_lon,origin_lat", "--distances"],
}


@pytest.mark.parametrize("target", [".csv", ".parquet", ".geojsonl"])
@pytest.mark.parametrize("task", TASKS)
def test_bytes_are_those_of_one_process(
    task: str, target: str, dataset: Path, pairs: F64, tmp_path: Path
) -> None:
    """With any number of workers the output is the same, to the byte."""
    source = write_input(tmp_path / "pairs.csv", pairs)
    ends = tmp_path / "ends.csv"
    ends.write_text("lon,lat\n24.94,60.167\n24.95,60.172\n0,0\n")
    options = [*TASKS[task], "--chunk-rows", 23]
    if task == "table":
        options += ["--destinations", ends]
    contents = set()
    for workers in (1, 2, 3):
        output = tmp_path / f"{workers}{target}"
        assert batch(dataset, source, output, *options, "--workers", workers) == 0
        contents.add(output.read_bytes())
    assert len(contents) == 1 and len(contents.pop()) > N


def test_nearest(engine: Engine, dataset: Path, pairs: F64, tmp_path: Path) -> None:
    """The nearest roads, with their names."""
    source = write_input(tmp_path / "pairs.csv", pairs)
    output = tmp_path / "roads.parquet"
    assert batch(dataset, source, output, *TASKS["nearest"]) == 0
    for i, (row, (lon, lat, *_)) in enumerate(zip(read_rows(output), pairs.tolist(), strict=True)):
        if i in (3, 7, 12):
            assert row["status"] == ("NoSegment" if i == 7 else "InvalidCoordinate")
            assert row["snapped_lon"] is None
            continue
        (expected,) = engine.nearest(lon, lat)[:1]
        assert (row["snapped_lon"], row["snapped_lat"]) == (expected.lon, expected.lat)
        assert row["distance_m"] == pytest.approx(expected.distance_m, abs=1e-6)
        assert (row["name"] or "") == expected.name


def test_isochrones(engine: Engine, dataset: Path, pairs: F64, tmp_path: Path) -> None:
    """The areas that the engine finds, one column for each limit."""
    source = write_input(tmp_path / "pairs.csv", pairs[:13])
    output = tmp_path / "areas.parquet"
    assert batch(dataset, source, output, *TASKS["isochrone"]) == 0
    rows = read_rows(output)
    lon, lat = pairs[0, :2].tolist()
    area = engine.isochrone(lon, lat, durations_s=[60, 120])
    for name, polygons in (("geometry_1min", area.shapes[0]), ("geometry", area.shapes[1])):
        expected = shapely.MultiPolygon([(rings[0], rings[1:]) for rings in polygons])
        assert shapely.equals_exact(rows[0][name], expected, 1e-9)
    assert rows[0]["status"] == "Ok" and rows[3]["status"] == "InvalidCoordinate"
    assert rows[3]["geometry"] is None


def test_carried_shapes_are_not_the_answers(
    engine: Engine, dataset: Path, pairs: F64, tmp_path: Path
) -> None:
    """Of an input with a geometry the output's own is that of the route."""
    lines = shapely.linestrings(pairs[:5].reshape(5, 2, 2))
    source = tmp_path / "lines.parquet"
    geopandas.GeoDataFrame(geometry=lines, crs="EPSG:4326").to_parquet(source)
    for output in (tmp_path / "routes.parquet", tmp_path / "routes.geojsonl"):
        assert batch(dataset, source, output, "--geometry") == 0
        for i, row in enumerate(read_rows(output)):
            check_route(engine, row, pairs[i].tolist(), N)
            if output.suffix == ".parquet":
                assert row["input_geometry"] == lines[i]
    assert geopandas.read_parquet(tmp_path / "routes.parquet").geometry.name == "geometry"


def test_summary(dataset: Path, pairs: F64, tmp_path: Path, capsys: Capture) -> None:
    """The summary counts every row."""
    source = write_input(tmp_path / "pairs.csv", pairs)
    assert batch(dataset, source, tmp_path / "routes.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == N == sum(found["statuses"].values())
    assert found["statuses"]["InvalidCoordinate"] == 3 and found["resumed_rows"] == 0
    assert batch(dataset, source, tmp_path / "routes.csv") == 0
    assert f"{N} rows" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [".csv", ".geojsonl"])
def test_damaged_rows(
    suffix: str, dataset: Path, pairs: F64, tmp_path: Path, capsys: Capture
) -> None:
    """They are told from rows whose points are wrong, also where they seem to have points."""
    source = write_input(tmp_path / f"pairs{suffix}", pairs)
    lines = source.read_text().splitlines()
    damaged = {20, 60, 61}
    for i in damaged:
        at = i + (suffix == ".csv")
        lines[at] = f"x,{lines[at]}" if suffix == ".csv" else lines[at][:-1]
    source.write_text("\n".join(lines))
    output = tmp_path / "routes.parquet"
    options = ["--chunk-rows", 30, "--workers", 2, "--json"]
    assert batch(dataset, source, output, *options) == 0
    status = [row["status"] for row in read_rows(output)]
    assert {i for i, word in enumerate(status) if word == "InvalidRow"} == damaged
    found = json.loads(capsys.readouterr().out)["statuses"]
    assert found["InvalidRow"] == 3 and found["InvalidCoordinate"] == 3


def test_types_and_names(dataset: Path, tmp_path: Path) -> None:
    """Columns of text have types, but in text; names change only where answers have them."""
    source = tmp_path / "pairs.csv"
    header = "id,zip,name,status,o_lon,o_lat,d_lon,d_lat\n"
    source.write_text(f"{header}7,007,a,1.50,24.94,60.167,24.95,60.1720\n")
    output = tmp_path / "routes.parquet"
    assert batch(dataset, source, output) == 0
    schema = pq.read_schema(output)
    kinds = [pa.int64(), pa.string(), pa.string(), *[pa.float64()] * 5]
    assert schema.types == [*kinds, pa.string(), pa.float64(), pa.float64()]
    names = ["id", "zip", "name", "input_status", "o_lon", "o_lat", "d_lon", "d_lat"]
    assert schema.names == [*names, "status", "duration_s", "distance_m"]
    assert batch(dataset, source, tmp_path / "routes.csv") == 0
    row = (tmp_path / "routes.csv").read_text().splitlines()[1]
    assert row.startswith("7,007,a,1.50,24.94,60.167,24.95,60.1720,Ok,")
    assert batch(dataset, source, tmp_path / "routes.geojsonl") == 0
    properties = json.loads((tmp_path / "routes.geojsonl").read_text())["properties"]
    assert (properties["id"], properties["zip"], properties["d_lat"]) == (7, "007", 60.172)
    options = ["--task", "nearest", "--columns", "o_lon,o_lat", "--keep", "name"]
    assert batch(dataset, source, output, *options, "--overwrite") == 0
    assert "input_name" in pq.read_schema(output).names


def test_no_rows(dataset: Path, tmp_path: Path) -> None:
    """A file with a header and nothing else has an answer like it."""
    source = tmp_path / "none.csv"
    source.write_text("id,o_lon,o_lat,d_lon,d_lat\n")
    for suffix in (".csv", ".parquet", ".geojsonl"):
        output = tmp_path / f"none_too{suffix}"
        assert batch(dataset, source, output, "--geometry") == 0
        assert read_rows(output) == []


def test_points_of_another_map(dataset: Path, pairs: F64, tmp_path: Path, capsys: Capture) -> None:
    """Where no row has an answer, that is said."""
    source = write_input(tmp_path / "pairs.csv", pairs[:, [1, 0, 3, 2]])
    assert batch(dataset, source, tmp_path / "routes.csv") == 0
    said = capsys.readouterr()
    assert "no row has an answer" in said.err and "Traceback" not in said.err
    assert f"{N} rows, 0 Ok, 147 NoSegment, 3 InvalidCoordinate; all in" in said.out


WRONG = [
    (["--task", "fly"], "--task: got 'fly', expected one of route, table, nearest, isochrone"),
    (["--task", "nearest", "--geometry"], "--geometry is for --task route, not nearest"),
    (["--minutes", "5"], "--minutes is for --task isochrone, not route"),
    (["--task", "isochrone"], "needs either --minutes or --meters"),
    (["--task", "isochrone", "--minutes", "5,x"], "--minutes: got '5,x'"),
    (["--task", "isochrone", "--minutes", "0"], "--minutes: got '0'"),
    (["--task", "isochrone", "--minutes", "5,5"], "has a number twice"),
    (["--task", "table"], "--task table needs --destinations"),
    (["--resume", "--overwrite"], "exclude each other"),
    (["--profile", "tank"], "no profile 'tank' in this dataset; there is: car"),
    (
        [*TASKS["isochrone"], "--profile", "tank"],
        "no profile 'tank' in this dataset; there is: car",
    ),
    (["--columns", "a,b,c,d"], "has no column a"),
    (["--columns", "origin_lon,origin_lat"], "column origin_lon begins with 24.9"),
    (["--columns", "id,id,id"], "got 3 names of columns, expected 4"),
    (["--keep", "nothing"], "nothing"),
    (["--radius", "-1"], "--radius"),
    (["--dataset-url", "file:///x"], "--dataset-url is for workers of --dask"),
    (["--workers", "2", "--dask", "tcp://127.0.0.1:1"], "--workers is for this machine"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=lambda value: str(value)[:30])
def test_wrong_calls(
    options: list[str],
    message: str,
    dataset: Path,
    pairs: F64,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    """What is wrong with a call is one line, and nothing is written."""
    source = write_input(tmp_path / "pairs.csv", pairs)
    capsys.readouterr()
    assert batch(dataset, source, tmp_path / "routes.csv", *options) == FAILED
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv"]


@pytest.mark.parametrize(
    ("source", "output", "message"),
    [
        ("missing.csv", "routes.csv", "missing.csv"),
        ("pairs.xlsx", "routes.csv", "pairs.xlsx"),
        ("pairs.csv", "routes.xlsx", "routes.xlsx"),
        ("pairs.csv", "no/such/folder/routes.csv", "no/such/folder"),
        ("pairs.csv", "pairs.csv", "pairs.csv"),
    ],
)
def test_wrong_files(
    source: str, output: str, message: str, dataset: Path, tmp_path: Path, capsys: Capture
) -> None:
    """Files that cannot be read or written are named in one line."""
    for name in ("pairs.csv", "pairs.xlsx"):
        (tmp_path / name).write_text("o_lon,o_lat,d_lon,d_lat\n24.94,60.167,24.95,60.172\n")
    before = (tmp_path / "pairs.csv").read_bytes()
    capsys.readouterr()
    assert batch(dataset, tmp_path / source, tmp_path / output) == FAILED
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert (tmp_path / "pairs.csv").read_bytes() == before
