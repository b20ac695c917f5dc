"""``whimbrel bench``: what it takes, what it prints, and that it leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from reports import GROWTH, report_of

from server import cli_bench
from server.benchmark.processes import descendants
from server.benchmark.results import OURS, figure
from server.benchmark.run import BENCHMARKS, Plan, Result
from server.cli import FAILED, INTERRUPTED, run

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Plan, str]]:
    """Nothing is measured: what was planned, and the command of the report."""
    seen: list[tuple[Plan, str]] = []

    def fake(plan: Plan, command: str, progress: Callable[[str, int, int], None]) -> Result:
        seen.append((plan, command))
        progress("query: route", 0, 2)
        progress("query: route", 1, 2)
        report = report_of(
            figure("query", "route", OURS, "s", [0.001, 0.002]),
            figure("query", "route", "OSRM", "s", [0.01]),
        )
        return Result(report, GROWTH if plan.grow else None)

    monkeypatch.setattr(cli_bench, "run_benchmarks", fake)
    return seen


def test_defaults(sample: Path, plans: list[tuple[Plan, str]], capsys: Capture) -> None:
    """Everything, on the sample."""
    assert run(["bench"]) == 0
    ((plan, command),) = plans
    assert (plan.what, plan.extract.name) == ("all", sample.name)
    assert (plan.repeat, plan.workers, plan.peers, plan.grow) == (None, None, False, False)
    assert list(plan.groups) == list(BENCHMARKS)
    assert command == "whimbrel bench all helsinki.osm.pbf"
    said = capsys.readouterr()
    assert "whimbrel 1.2, other 3" in said.out
    assert said.err == "query: route\n"
    for text in ("1.50 ms (1.00 to 2.00)", "10.0 ms", "6.67 x", "5 pairs agree", "valhalla is not"):
        assert text in said.out


@pytest.mark.parametrize("what", [*BENCHMARKS, "all"])
def test_each_benchmark(what: str, plans: list[tuple[Plan, str]], sample: Path) -> None:
    """By its name, with or without an extract."""
    arguments = ["--markdown"] if what == "parse" else []  # alone it has a table of its own
    assert run(["bench", what, *arguments]) == 0
    assert run(["bench", what, str(sample), *arguments]) == 0
    assert [(plan.what, plan.extract.name) for plan, _ in plans] == [(what, sample.name)] * 2


def test_an_extract_alone(plans: list[tuple[Plan, str]], sample: Path) -> None:
    """It is measured in every way."""
    assert run(["bench", str(sample), "--repeat", "3"]) == 0
    ((plan, command),) = plans
    assert (plan.what, plan.extract, plan.repeat) == ("all", sample, 3)
    assert command == "whimbrel bench all helsinki.osm.pbf --repeat 3"


def test_options(plans: list[tuple[Plan, str]], sample: Path) -> None:
    """All of them reach the plan; the command of the report repeats them."""
    options = ["--repeat", "3", "--workers", "1,4", "--seed", "7", "--peers", "--grow", "--quick"]
    python = ["--peers-python", sys.executable]
    assert run(["bench", "http", str(sample), *options, *python]) == 0
    ((plan, command),) = plans
    assert plan == Plan("http", sample, 3, 7, 4, True, Path(sys.executable), True, True)
    assert command == (
        "whimbrel bench http helsinki.osm.pbf --repeat 3 --workers 1,4 --seed 7"
        " --peers --grow --quick"
    )


def test_json(plans: list[tuple[Plan, str]], capsys: Capture) -> None:
    """One object on standard output, and nothing else anywhere."""
    assert run(["bench", "query", "--json", "--grow"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert said.err == ""
    assert found["figures"][0]["contender"] == OURS
    assert found["figures"][0]["value"] == 0.0015
    assert found["growth"]["exponents"] == GROWTH.exponents
    assert found["checks"] == ["5 pairs agree"]
    assert run(["bench", "query", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["growth"] is None


def test_markdown(plans: list[tuple[Plan, str]], capsys: Capture) -> None:
    """What goes into a README."""
    assert run(["bench", "query", "--markdown"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Measured on 2026-01-02 03:04 UTC")
    assert "| query | Whimbrel | OSRM |" in said
    assert "| route | 1.50 ms | 10.0 ms |" in said


def test_growth(plans: list[tuple[Plan, str]], capsys: Capture) -> None:
    """A table of its own."""
    assert run(["bench", "query", "--grow"]) == 0
    assert "exponent" in capsys.readouterr().out


def test_plot(plans: list[tuple[Plan, str]], tmp_path: Path, capsys: Capture) -> None:
    """A picture beside whatever is printed."""
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    assert run(["bench", "query", "--plot", str(path)]) == 0
    assert capsys.readouterr().out.endswith(f"{path}\n")
    assert path.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["speed"], "there is no benchmark 'speed': parse, build, query, table, http, memory or"),
        (["speed", "city.osm.pbf"], "there is no benchmark 'speed'"),
        (["no.osm.pbf"], "no.osm.pbf: no such file"),
        (["all", "no.osm.pbf"], "no.osm.pbf: no such file"),
        (["all", "."], "is a folder, expected an OpenStreetMap extract"),
        (["query", "a", "b"], "see whimbrel bench --help"),
        (["--repeat", "0"], "see whimbrel bench --help"),
        (["--seed", "-1"], "see whimbrel bench --help"),
        (["--workers", "two"], "--workers: got 'two'"),
        (["--json", "--markdown"], "--json and --markdown exclude each other"),
        (["--peers-python", "python"], "--peers-python is of no use without --peers"),
        (["query", "--peers", "--peers-python", "no/python"], "no/python"),
        (["query", "--plot", "plot.gif"], "ends in .svg, .png or .pdf"),
        (["query", "--plot", "no/plot.svg"], "no: no such folder"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_calls(
    arguments: list[str],
    message: str,
    capsys: Capture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is wrong with a call is one line, before anything is measured."""
    monkeypatch.chdir(tmp_path)
    assert run(["bench", *arguments]) == FAILED
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("whimbrel: ")
    assert message in said.err
    assert said.err.count("\n") == 1


def test_without_matplotlib(
    plans: list[tuple[Plan, str]], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How to install it is said before anything is measured."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(["bench", "query", "--plot", "x.svg"]) == FAILED
    assert "pip install 'whimbrel[plot]'" in capsys.readouterr().err
    assert plans == []


@pytest.mark.parametrize(
    ("signum", "status"),
    [
        (signal.SIGINT, INTERRUPTED),
        (signal.SIGTERM, 128 + signal.SIGTERM),
        (signal.SIGHUP, 128 + signal.SIGHUP),
    ],
)
def test_interrupts(
    signum: int,
    status: int,
    command: Callable[..., list[str]],
    environment: dict[str, str],
    sample: Path,
    tmp_path: Path,
) -> None:
    """Stopped amid a load, it leaves no process and no file."""
    process = subprocess.Popen(
        command("bench", "http", sample, "--quick"),
        env=environment | {"TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Under nohup it would be ignored.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    with process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("http: route, requests"):
                break
        time.sleep(0.5)
        below = descendants(process.pid)
        assert len(below) >= 3
        process.send_signal(signum)
        said, more = process.communicate(timeout=60)
    assert process.returncode == status
    assert said == ""
    assert "Traceback" not in more
    assert list(tmp_path.iterdir()) == []
    deadline = time.monotonic() + 10
    while any(map(_lives, below)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_lives, below))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
