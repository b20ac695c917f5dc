"""The README keeps its word: its examples run, and its commands and options exist."""

import re
import shutil
from pathlib import Path

import matplotlib
import pytest

from routing.build import build_dataset
from server.cli import run

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def test_examples_in_python(
    sample: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One after the other, as somebody would who types them in; the picture is the one shown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(matplotlib.rcParams, "backend", "agg")
    shutil.copy(sample, "helsinki.osm.pbf")
    examples = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(examples) >= 4
    names: dict[str, object] = {}
    try:
        for example in examples:
            exec(compile(example, "README.md", "exec"), names)
    finally:
        if "engine" in names:
            with names["engine"].live_writer() as live:  # type: ignore[attr-defined]
                live.clear()
    shown = re.findall(r"!\[.*?\]\((.*?)\)", README)
    assert shown == ["data/page.png", "data/helsinki.png"]
    assert all((ROOT / picture).exists() for picture in shown)
    assert (tmp_path / "helsinki.png").stat().st_size > 10_000


def test_the_couriers(
    sample: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command says of the problem what the README shows."""
    monkeypatch.chdir(tmp_path)
    (problem,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    Path("problem.json").write_text(problem)
    ((call, said),) = re.findall(r"\$ whimbrel (courier .*)\n(plan.json: .*)\n", README)
    build_dataset(sample, Path("helsinki.whimbrel"))
    assert run(call.split()) == 0
    assert capsys.readouterr().out == f"{said}\n"
    assert Path("plan.geojson").stat().st_size > 1000


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`whimbrel ([a-z]+)", README))))
def test_options(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every option that a line about a command names is one that it has."""
    monkeypatch.setenv("COLUMNS", "300")
    assert run([command, "--help"]) == 0
    told = capsys.readouterr().out
    for line in README.splitlines():
        for call in re.findall(rf"`whimbrel {command}\b([^`]*)`", line):
            for option in re.findall(r"--[a-z][a-z-]*", call):
                assert option in told, option
