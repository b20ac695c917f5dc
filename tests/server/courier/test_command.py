"""The command that plans for couriers."""

import json
import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.compiled

HELSINKI = [(24.941, 60.172), (24.935, 60.168), (24.948, 60.165), (24.926, 60.163)]


def problem(**more: Any) -> dict[str, Any]:
    """A courier who fetches a parcel on his round, and a job that is too heavy."""
    a, b, c, d = map(list, HELSINKI)
    return {
        "vehicles": [{"id": 1, "starts": [a, b], "ends": [a, b], "capacity": [3]}],
        "shipments": [
            {
                "pickup": {"id": 1, "location": c},
                "delivery": {"id": 2, "location": d, "service": 60},
                "amount": [2],
            }
        ],
        "jobs": [{"id": 9, "location": b, "pickup": [4]}],
    } | more


@pytest.fixture
def run(
    command: Callable[..., list[str]],
    environment: Mapping[str, str],
    dataset: Path,
    tmp_path: Path,
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Writes a problem and runs the command in the folder that has it."""

    def start(document: Any, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
        text = document if isinstance(document, str) else json.dumps(document)
        (tmp_path / "problem.json").write_text(text)
        return subprocess.run(
            command("courier", dataset, "problem.json", *arguments),
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            **more,
        )

    return start


def test_a_plan_and_its_lines(run: Callable[..., Any], tmp_path: Path) -> None:
    """Both files are whole, and nothing else is left in the folder."""
    done = run(problem(), "-o", "plan.json", "--geojson", "plan.geojson", "--seconds", "0.5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("plan.json: 1 route, ")
    assert done.stdout.endswith(", 1 left undone\n")
    assert sorted(os.listdir(tmp_path)) == ["plan.geojson", "plan.json", "problem.json"]
    plan = json.loads((tmp_path / "plan.json").read_text())
    (route,) = plan["routes"]
    kinds = [step["type"] for step in route["steps"]]
    assert kinds == ["start", "pickup", "delivery", "end"]
    assert [one["reason"] for one in plan["unassigned"]] == ["too large for every courier"]
    assert "geometry" not in route
    features = json.loads((tmp_path / "plan.geojson").read_text())["features"]
    kinds = [feature["geometry"]["type"] for feature in features]
    assert kinds == ["LineString", *["Point"] * 5]
    assert features[0]["properties"]["vehicle"] == 1
    assert len(features[0]["geometry"]["coordinates"]) > 10
    assert features[-1]["properties"] == {
        "type": "job",
        "id": 9,
        "reason": "too large for every courier",
    }


def test_standard_streams(run: Callable[..., Any], tmp_path: Path) -> None:
    """Without a file the plan comes out; with one and --json, what there is to tell."""
    done = run(problem(options={"g": True, "seconds": 0.3}))
    assert json.loads(done.stdout)["routes"][0]["geometry"]
    told = run(problem(), "-o", "plan.json", "--json", "--seconds", "0.3")
    summary = json.loads(told.stdout)
    assert (summary["plan"], summary["stopped"], summary["unassigned"]) == ("plan.json", False, 1)


def test_the_same_plan_for_so_many_iterations(run: Callable[..., Any], tmp_path: Path) -> None:
    """Whatever the number of threads."""
    plans = []
    for workers in ("1", "2"):
        done = run(problem(), "--iterations", "200", "--seed", "5", "-j", workers)
        plans.append(json.loads(done.stdout)["routes"])
    assert plans[0] == plans[1]


@pytest.mark.parametrize(
    ("document", "arguments", "message"),
    [
        ("{", (), "problem.json: invalid JSON"),
        ({"vehicles": []}, (), "problem.json: vehicles has no element"),
        (problem(jobs=[{"id": 1}]), (), "problem.json: jobs[0].location is missing"),
        (problem(jobs=[{"id": 1, "location": [0, 0]}]), (), "jobs[0]: there is no road within"),
        (problem(), ("-o", "nowhere/plan.json"), "nowhere: no such folder"),
        (problem(), ("-o", "."), ".: is a folder, expected a file"),
        (problem(), ("--json",), "--json tells of the search, so it needs --output"),
        *(
            (problem(), ("--seconds", value), f"{value}, expected more than 0, at most 1000000")
            for value in ("-1", "0", "inf", "nan")
        ),
        (problem(), ("--seconds", "-1"), "see whimbrel courier --help"),
        (problem(seconds=0), (), "problem.json: seconds is 0, expected more than 0, at most"),
        (problem(), ("--profile", "boat"), "boat"),
    ],
)
def test_errors(
    run: Callable[..., Any], document: Any, arguments: tuple[str, ...], message: str
) -> None:
    """One line, status 2, and no file."""
    done = run(document, *arguments)
    assert done.returncode == 2
    assert message in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not done.stdout


def test_links_and_pipes(run: Callable[..., Any], tmp_path: Path) -> None:
    """A link stays one, its target is replaced; into what is no file it is written."""
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "old.json"
    target.write_text("old")
    target.chmod(0o640)
    (tmp_path / "plan.json").symlink_to("there/old.json")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "lines").symlink_to("pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as cat:
        done = run(problem(), "-o", "plan.json", "--geojson", "lines", "--seconds", "0.3")
        assert done.returncode == 0, done.stderr
        assert cat.stdout is not None
        assert json.loads(cat.stdout.read())["type"] == "FeatureCollection"
    assert (tmp_path / "plan.json").is_symlink() and (tmp_path / "lines").is_symlink()
    assert stat.S_ISFIFO((tmp_path / "pipe").lstat().st_mode)
    assert json.loads(target.read_text())["code"] == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path / "there") == ["old.json"]
    (tmp_path / "new.json").symlink_to("there/new.json")  # which is not there yet
    assert run(problem(), "-o", "new.json", "--seconds", "0.3").returncode == 0
    assert json.loads((tmp_path / "there" / "new.json").read_text())["code"] == 0


def test_the_same_file(run: Callable[..., Any], tmp_path: Path) -> None:
    """Whatever its names are: the problem is not written over, nor one output over the other."""
    (tmp_path / "link.json").symlink_to("problem.json")
    (tmp_path / "new.json").symlink_to("plan.json")
    for arguments, told in (
        (("-o", "problem.json"), "--output problem.json is the same file as the problem"),
        (("--geojson", "link.json"), "--geojson link.json is the same file as the problem"),
        (("-o", "plan.json", "--geojson", "new.json"), "as --output plan.json, expected another"),
    ):
        done = run(problem(), *arguments)
        assert done.returncode == 2 and told in done.stderr and done.stderr.count("\n") == 1
        assert json.loads((tmp_path / "problem.json").read_text()) == problem()
    assert not (tmp_path / "plan.json").exists()


def test_a_plan_that_cannot_be_written(
    command: Callable[..., list[str]],
    environment: Mapping[str, str],
    dataset: Path,
    tmp_path: Path,
) -> None:
    """It comes out on standard output, and the file is named as it was asked for."""
    (tmp_path / "problem.json").write_text(json.dumps(problem()))
    (tmp_path / "there").mkdir()
    process = subprocess.Popen(
        command("courier", dataset, "problem.json", "-o", "there/plan.json", "--seconds", "600"),
        env=environment,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert " iterations: 1 route, " in process.stderr.readline()  # it searches
    (tmp_path / "there").rmdir()
    process.send_signal(signal.SIGTERM)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 2
    assert stderr.splitlines()[-1] == (
        "whimbrel: there/plan.json: No such file or directory; the plan is on standard output"
        " instead"
    )
    assert json.loads(stdout)["routes"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [(), ("-o", "plan.json"), ("-o", "plan.json", "--json")])
def test_standard_output_that_is_full(
    command: Callable[..., list[str]],
    environment: Mapping[str, str],
    dataset: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
) -> None:
    """It is named, once."""
    (tmp_path / "problem.json").write_text(json.dumps(problem()))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("courier", dataset, "problem.json", "--seconds", "0.3", *arguments),
            env=environment,
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == "whimbrel: standard output: No space left on device\n"


def test_no_such_problem(run: Callable[..., Any], tmp_path: Path) -> None:
    """The file is named."""
    done = run(problem(), "extra")
    assert done.returncode == 2 and "Traceback" not in done.stderr


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(
    command: Callable[..., list[str]],
    environment: Mapping[str, str],
    dataset: Path,
    tmp_path: Path,
    signum: int,
) -> None:
    """The best so far is written, and it is said that it is."""
    (tmp_path / "problem.json").write_text(json.dumps(problem()))
    process = subprocess.Popen(
        command("courier", dataset, "problem.json", "-o", "plan.json", "--seconds", "600"),
        env=environment,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert " iterations: 1 route, " in process.stderr.readline()  # it searches
    sent = time.monotonic()
    process.send_signal(signum)
    stdout, stderr = process.communicate(timeout=30)
    assert time.monotonic() - sent < 5
    assert process.returncode == 0
    assert stderr.endswith("interrupted: the plan is the best so far\n")
    assert stdout.startswith("plan.json: 1 route")
    assert json.loads((tmp_path / "plan.json").read_text())["routes"]
