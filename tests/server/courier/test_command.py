"""The command that plans for couriers."""

import json
import os
import signal
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
