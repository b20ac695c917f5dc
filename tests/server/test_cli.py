"""The command line: what it prints, how it fails, and that it fails in one line."""

import json
import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from asgi import ask

from routing.engine import Engine
from routing.errors import InvalidValue
from server.app import create_app
from server.cli import FAILED, run
from server.cli_serve import open_engine
from server.state import EngineState

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

A, B, C = "24.94,60.167", "24.95,60.175", "24.945,60.170"
COMMANDS = (["build"], ["info"], ["route"], ["serve"], ["bench"], ["bench", "parse"])
Capture = pytest.CaptureFixture[str]


def fails(arguments: list[object], capsys: Capture) -> str:
    """The one line that a command fails with."""
    capsys.readouterr()
    status = run([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert status == FAILED
    assert said.out == ""
    assert said.err.startswith("whimbrel: ")
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize("path", [[], *COMMANDS], ids=" ".join)
def test_help(path: list[str], capsys: Capture) -> None:
    """Every command explains itself."""
    assert run([*path, "--help"]) == 0
    said = capsys.readouterr()
    assert "Usage: whimbrel" in said.out
    assert said.err == ""


def test_help_comes_at_once(command: Callable[..., list[str]], environment: dict[str, str]) -> None:
    """It takes less than half a second, because nothing heavy is imported."""
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command("--help"), env=environment, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert sorted(seconds)[1] < 0.5
    code = "import sys; from server.cli import run; run(['--help']); print(*sys.modules)"
    said = subprocess.run(
        [*command()[:3], code], env=environment, check=True, capture_output=True, text=True
    )
    assert not {"numba", "numpy", "fastapi", "osmium"} & set(said.stdout.split())


def test_version(capsys: Capture) -> None:
    """The version is one line."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("whimbrel ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["foo"], "No such command 'foo'; see whimbrel --help"),
        (["--foo"], "No such option: --foo; see whimbrel --help"),
        (["build"], "Missing argument 'EXTRACT'; see whimbrel build --help"),
        (["build", "a", "b"], "see whimbrel build --help"),
        (["build", "a", "--workers", "0"], "see whimbrel build --help"),
        (["build", "a", "--workers", "-1"], "see whimbrel build --help"),
        (["serve", "--port", "65536"], "see whimbrel serve --help"),
        (["serve", "--port", "x"], "see whimbrel serve --help"),
        (["bench", "parse", "a", "b"], "see whimbrel bench --help"),
        (["route", "d"], "Missing argument 'LON,LAT'"),
        (["route", "d", A, "1,2,3"], "coordinate '1,2,3': expected LON,LAT"),
        (["route", "d", A, "60,-121"], "did you mean lon,lat: -121,60?"),
        (["route", "d", A, B, "--json", "--geojson"], "--geojson and --json exclude each other"),
        (["route", "no.whimbrel", A, B], "no.whimbrel: no such dataset"),
        (["info", "no.whimbrel"], "no.whimbrel: no such dataset"),
        (["serve", "no.whimbrel", "--port", "0"], "no.whimbrel: no such dataset"),
        (["serve", "no.osm.pbf", "--port", "0"], "no.osm.pbf: no such file"),
        (["serve", "--host", "203.0.113.7"], "cannot listen on 203.0.113.7 port 5000"),
        (["build", "no.osm.pbf"], "no.osm.pbf"),
        (["build", "no.osm.pbf", "--profile", "tank"], "tank"),
        (["build", "no.osm.pbf", "--profile", "car,tank"], "no profile 'tank'"),
        (["build", "no.osm.pbf", "--profile", "car,./no.py"], "no.py cannot be read: No such file"),
        (["build", "no.osm.pbf", "--profile", "car,"], "no profile ''"),
        (["bench", "parse", "no.osm.pbf"], "no.osm.pbf"),
        (["bench", "parse", "no.osm.pbf", "--workers", "2,x"], "--workers"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_calls(
    arguments: list[object],
    message: str,
    capsys: Capture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is wrong with a call is one line, and no file is left."""
    monkeypatch.chdir(tmp_path)
    assert message in fails(arguments, capsys)
    assert os.listdir(tmp_path) == []


def test_no_command(capsys: Capture) -> None:
    """Without a command the help is shown, and the call has failed."""
    assert run([]) == FAILED
    said = capsys.readouterr()
    assert "Usage: whimbrel" in said.out + said.err


def test_a_reader_that_goes_away(
    command: Callable[..., list[str]], environment: dict[str, str], dataset: Path
) -> None:
    """A closed pipe is not worth a word."""
    read, write = os.pipe()
    os.close(read)
    for arguments in (["info", dataset], ["info", dataset, "--json"], ["--help"]):
        done = subprocess.run(
            command(*arguments), env=environment, stdout=write, stderr=subprocess.PIPE, text=True
        )
        assert done.stderr == ""
    os.close(write)


def test_build_as_json(sample: Path, tmp_path: Path, capsys: Capture) -> None:
    """One object on standard output: what each stage took, and what was counted."""
    extract = tmp_path / "city.osm.pbf"
    shutil.copy(sample, extract)
    assert run(["build", str(extract), "--json", "--workers", "1"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["dataset"] == str(tmp_path / "city.whimbrel")
    assert (tmp_path / "city.whimbrel" / "manifest.json").exists()
    assert len(report["stages"]) >= 5
    for stage in report["stages"]:
        assert stage["wall_s"] >= 0
        assert stage["cpu_s"] >= 0
        assert stage["peak_rss_bytes"] > 10_000_000
    assert report["wall_s"] > sum(stage["wall_s"] for stage in report["stages"])
    assert report["cpu_s"] > 0.98 * sum(stage["cpu_s"] for stage in report["stages"])
    counts = report["counts"]
    for name in ("osm_nodes", "osm_ways", "osm_relations", "nodes", "edges", "turns", "tag_sets"):
        assert counts[name] > 0
    assert counts["arcs"] == 2 * counts["edges"]
    assert sum(map(len, report["restrictions_dropped"].values())) == counts["restrictions_dropped"]


def test_build_for_people(sample: Path, tmp_path: Path, capsys: Capture) -> None:
    """A summary that ends with the dataset's place, in a folder of the caller's choice."""
    path = tmp_path / "here.whimbrel"
    assert run(["build", str(sample), "-o", str(path), "--profile", "car, car"]) == 0
    said = capsys.readouterr().out
    assert "in all" in said
    assert "edges" in said
    assert said.endswith(f"{path}\n")


def test_build_does_not_overwrite_what_is_not_a_dataset(
    sample: Path, tmp_path: Path, capsys: Capture
) -> None:
    """A folder with other things in it is left alone."""
    (tmp_path / "letter.txt").write_text("dear")
    assert "not a dataset" in fails(["build", sample, "-o", tmp_path], capsys)
    assert os.listdir(tmp_path) == ["letter.txt"]


def test_info(dataset: Path, capsys: Capture) -> None:
    """What is in a dataset, for people and for programs."""
    assert run(["info", str(dataset), "--verify"]) == 0
    said = capsys.readouterr().out
    assert "helsinki.osm.pbf" in said
    assert "checksums are right" in said
    assert run(["info", str(dataset), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["extract"]["name"] == "helsinki.osm.pbf"
    assert found["profiles"] == ["car"]
    assert found["bytes"] == sum(array["bytes"] for array in found["arrays"].values())


def test_damaged_dataset(dataset: Path, tmp_path: Path, capsys: Capture) -> None:
    """A flipped bit is found and its file named, by whichever command meets it."""
    path = tmp_path / "damaged.whimbrel"
    shutil.copytree(dataset, path)
    victim = next(path.glob("data-*/network.point_lon.npy"))
    data = bytearray(victim.read_bytes())
    data[-1] ^= 1
    victim.write_bytes(data)
    for arguments in (
        ["route", path, A, B],
        ["serve", path, "--port", "0"],
    ):
        assert f"{victim}: damaged" in fails(arguments, capsys)
    assert f"{victim}: damaged" in fails(["info", path, "--verify"], capsys)
    assert run(["info", str(path), "--verify", "--json"]) == FAILED
    assert len(json.loads(capsys.readouterr().out)["damages"]) == 1


@pytest.mark.parametrize("missing", [True, False])
def test_serving_an_extract_with_a_damaged_dataset(
    missing: bool, dataset: Path, sample: Path, tmp_path: Path, capsys: Capture
) -> None:
    """Where the extract is at hand the dataset is built again."""
    extract, path = tmp_path / sample.name, tmp_path / dataset.name
    shutil.copy2(sample, extract)
    shutil.copytree(dataset, path)
    victim = next(path.glob("data-*/network.point_lon.npy"))
    length = victim.stat().st_size
    if missing:
        victim.unlink()
    else:
        os.truncate(victim, length - 1)
    engine, opened = open_engine(extract)
    assert opened == path
    assert engine.profiles == ("car",)
    assert f"{victim}: " in capsys.readouterr().err
    assert victim.stat().st_size == length
    open_engine(extract)
    assert capsys.readouterr().err == ""


def test_dataset_of_another_version(dataset: Path, tmp_path: Path, capsys: Capture) -> None:
    """It is refused by its number."""
    path = tmp_path / "future.whimbrel"
    shutil.copytree(dataset, path)
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(manifest | {"version": 999}))
    for arguments in (["info", path], ["route", path, A, B], ["serve", path, "--port", "0"]):
        assert "version 999" in fails(arguments, capsys)


def test_route_for_people(dataset: Path, capsys: Capture) -> None:
    """Length, time, the streets and the places."""
    assert run(["route", str(dataset), A, C, B]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(" s")
    assert " km, " in lines[0] or " m, " in lines[0]
    assert sum(line.startswith("o ") for line in lines) == 3
    assert sum(line.startswith("|   ") and " s  along " in line for line in lines) == 2
    assert [line.split("  ")[-1][:7] for line in lines if "Set out" in line] == ["Set out"] * 2
    assert sum("The stop on the way" in line for line in lines) == 1
    assert "The destination is" in lines[-2]
    assert all(line[:1] in "|o" for line in lines[2:])


def test_names_steer_no_terminal(tmp_path: Path, capsys: Capture) -> None:
    """A name on the map may be of several lines or worse; a line of the answer stays one."""
    extract = tmp_path / "town.osm"
    extract.write_text(
        '<osm version="0.6"><node id="1" lat="1" lon="1"/><node id="2" lat="1" lon="1.01"/>'
        '<way id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/>'
        '<tag k="name" v="One&#10;&#x9b;2J&#x2028;Two"/></way></osm>'
    )
    assert run(["build", str(extract)]) == 0
    capsys.readouterr()
    assert run(["route", str(tmp_path / "town.whimbrel"), "1,1", "1.01,1"]) == 0
    printed = capsys.readouterr().out
    assert "One" in printed and "Two" in printed
    assert len(printed.splitlines()) == 7 and printed.replace("\n", "").isprintable()


def test_directions_of_a_long_route(dataset: Path, capsys: Capture) -> None:
    """The middle is left out unless all steps are asked for."""
    corners = ("24.92,60.16", "24.965,60.178", "24.92,60.178", "24.965,60.16", "24.93,60.175")
    arguments = ["route", str(dataset), *corners, *corners[:3], "--algorithm", "dijkstra"]
    module = "server.cli_route._MOST_STEPS"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, 6)
        assert run(arguments) == 0
        short = capsys.readouterr().out.splitlines()
        assert run([*arguments, "--steps"]) == 0
    whole = capsys.readouterr().out.splitlines()
    left_out = [line for line in short if line.endswith(" more, --steps shows them")]
    assert left_out
    numbers = [int(line.split()[2]) for line in left_out]
    assert min(numbers) > 1 and len(whole) == len(short) + sum(numbers) - len(numbers)
    kept = [line for line in short if line not in left_out]
    assert all(line in whole for line in kept)


def test_steps_as_json(dataset: Path, capsys: Capture) -> None:
    """As over HTTP; GeoJSON has none."""
    assert run(["route", str(dataset), A, B, "--json", "--steps"]) == 0
    app = create_app(EngineState(Engine.open(dataset), dataset))
    answer = ask(app, "GET", f"/route/v1/car/{A};{B}?steps=true")
    assert capsys.readouterr().out == answer.text + "\n"
    (leg,) = answer.json()["routes"][0]["legs"]
    assert [leg["steps"][i]["maneuver"]["type"] for i in (0, -1)] == ["depart", "arrive"]
    assert leg["summary"]
    assert "--geojson has no steps" in fails(
        ["route", dataset, A, B, "--geojson", "--steps"], capsys
    )


@pytest.mark.parametrize("algorithm", ["hierarchy", "astar", "dijkstra"])
def test_route_as_json_is_the_answer_of_the_service(
    algorithm: str, dataset: Path, capsys: Capture
) -> None:
    """The same bytes as over HTTP."""
    assert run(["route", str(dataset), A, B, "--json", "--algorithm", algorithm]) == 0
    app = create_app(EngineState(Engine.open(dataset), dataset))
    answer = ask(app, "GET", f"/route/v1/car/{A};{B}")
    assert capsys.readouterr().out == answer.text + "\n"


def test_route_as_geojson(dataset: Path, capsys: Capture) -> None:
    """A line for each leg, and a point for each place."""
    assert run(["route", str(dataset), A, C, B, "--geojson"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["type"] == "FeatureCollection"
    kinds = [feature["geometry"]["type"] for feature in found["features"]]
    assert kinds == ["LineString"] * 2 + ["Point"] * 3
    first, second = (f["geometry"]["coordinates"] for f in found["features"][:2])
    assert first[-1] == second[0] == found["features"][3]["geometry"]["coordinates"]
    assert all(f["properties"]["distance_m"] > 0 for f in found["features"][:2])


WEST, SOUTH = "-8.61,41.15", "-70.5,-33.4"


@pytest.mark.parametrize(
    "arguments",
    [
        [WEST, SOUTH, "--geojson"],
        ["--geojson", WEST, SOUTH],
        [WEST, "--geojson", SOUTH],
        ["--algorithm", "dijkstra", WEST, "--geojson", SOUTH],
        ["--geojson", "--", WEST, SOUTH],
        ["-.5,41.15", "--geojson", SOUTH],
        [A, WEST, "--geojson", "--profile", "car"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("dataset_first", [True, False])
def test_negative_coordinates_as_typed(
    arguments: list[str], dataset_first: bool, dataset: Path, capsys: Capture
) -> None:
    """They are coordinates wherever they stand, never options."""
    place = 0
    if not dataset_first:
        place = next(i for i, text in enumerate(arguments) if "," in text)
    status = run(["route", *arguments[:place], str(dataset), *arguments[place:]])
    said = capsys.readouterr()
    assert status == 0
    assert all(line.startswith("note: -") for line in said.err.splitlines())  # they are far away
    assert len(json.loads(said.out)["features"]) == 3


def test_swapped_coordinates(dataset: Path, capsys: Capture) -> None:
    """A latitude before a longitude is suspected when the point is off the map."""
    said = fails(["route", dataset, A, "60.17,24.94"], capsys)
    assert "off the map" in said
    assert "did you mean lon,lat: 24.94,60.17?" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--algorithm", "foo"], "foo"),
        (["--profile", "tank"], "tank"),
    ],
)
def test_wrong_choices(options: list[str], message: str, dataset: Path, capsys: Capture) -> None:
    """A search or a vehicle that there is not is named."""
    assert message in fails(["route", dataset, A, B, *options], capsys)


def test_one_point(dataset: Path, capsys: Capture) -> None:
    """A route needs two."""
    assert "at least two" in fails(["route", dataset, A], capsys)


def test_waypoints_are_checked_alike(dataset: Path) -> None:
    """The engine and the service have the same word for ends that are no waypoints."""
    engine = Engine.open(dataset)
    points = [tuple(map(float, text.split(","))) for text in (A, C, B)]
    with pytest.raises(InvalidValue) as caught:
        engine.route(points, waypoints=[0, 1])  # type: ignore[arg-type]
    app = create_app(EngineState(engine, dataset))
    answer = ask(app, "GET", f"/route/v1/car/{A};{C};{B}?waypoints=0;1").json()
    assert answer == {"code": caught.value.code, "message": str(caught.value)}
