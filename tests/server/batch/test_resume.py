"""Batches that are killed and gone on with: nothing is lost, and no byte differs."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gis.arrays import F64
from routing.engine import Engine
from server.cli import FAILED, INTERRUPTED, run

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

KILLS = 10
N = 20_000


@pytest.fixture(scope="module")
def pairs(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs that take a few seconds, with some rows that are none."""
    west, south, east, north = Engine.open(dataset).bounds
    points: F64 = np.random.default_rng(8).uniform([west, south] * 2, [east, north] * 2, (N, 4))
    path = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    with path.open("w") as file:
        file.write("id,from_lon,from_lat,to_lon,to_lat\n")
        for i, row in enumerate(points.tolist()):
            cells = ["x"] * 4 if i % 997 == 5 else [f"{value:.6f}" for value in row]
            file.write(f"{i},{','.join(cells)}\n")
    return path


def wait_for_chunks(output: Path, n: int, process: subprocess.Popen[Any]) -> None:
    """Wait until the journal of a run tells of so many chunks."""
    journal = output.with_name(f"{output.name}.journal")
    while not (journal.exists() and journal.read_bytes().count(b"\n") > n + 1):
        assert process.poll() is None
        time.sleep(0.005)


@pytest.mark.parametrize(
    "suffix",
    [".parquet", *(pytest.param(s, marks=pytest.mark.slow) for s in (".csv", ".geojsonl"))],
)
def test_killed_and_gone_on_with(
    suffix: str,
    pairs: Path,
    dataset: Path,
    command: Callable[..., list[str]],
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    """Killed at ten random moments, it ends with the bytes of a run that nobody touched."""
    whole, output = tmp_path / f"whole{suffix}", tmp_path / f"killed{suffix}"
    options = ["--geometry", "--chunk-rows", "250", "--workers", "2"]
    assert run(["batch", str(dataset), str(pairs), "-o", str(whole), *options]) == 0
    partial = output.with_name(f"{output.name}.partial")
    line = command("batch", dataset, pairs, "-o", output, *options, "--resume")
    pause = random.Random(suffix)
    kills = 0
    for _ in range(KILLS):
        before = partial.stat().st_size if partial.exists() else 0
        process = subprocess.Popen(line, env=environment, stderr=subprocess.PIPE)
        while process.poll() is None and not (
            partial.exists() and partial.stat().st_size > before + 1000
        ):
            time.sleep(0.002)
        time.sleep(pause.uniform(0, 0.08))
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        assert process.stderr is not None
        process.stderr.close()
    assert kills >= KILLS // 2
    subprocess.run(line, env=environment, check=True, capture_output=True)
    assert output.read_bytes() == whole.read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([whole.name, output.name])


def test_interrupted(
    pairs: Path,
    dataset: Path,
    command: Callable[..., list[str]],
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    """Ctrl-C says how to go on; without a word for it nothing is thrown away."""
    output = tmp_path / "routes.csv"
    line = command("batch", dataset, pairs, "-o", output, "--geometry", "--chunk-rows", "250")
    process = subprocess.Popen(line, env=environment, stderr=subprocess.PIPE, text=True)
    partial = tmp_path / "routes.csv.partial"
    wait_for_chunks(output, 3, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == INTERRUPTED
    assert said.startswith("interrupted after ") and "--resume" in said
    assert said.count("\n") == 1
    size = partial.stat().st_size
    refused = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "add --resume" in refused.stderr
    assert partial.stat().st_size == size
    resumed = subprocess.run(
        [*line, "--resume"], env=environment, check=True, capture_output=True, text=True
    )
    assert "going on after " in resumed.stderr and f"{N:,} rows" in resumed.stdout
    content = output.read_bytes()
    subprocess.run(line, env=environment, check=True, capture_output=True)
    assert output.read_bytes() == content


def test_a_worker_that_is_killed(
    pairs: Path,
    dataset: Path,
    command: Callable[..., list[str]],
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    """It ends the run, which says that nothing is lost."""
    output = tmp_path / "routes.csv"
    line = command("batch", dataset, pairs, "-o", output, "--geometry", "--chunk-rows", "250")
    process = subprocess.Popen(
        [*line, "--workers", "2"], env=environment, stderr=subprocess.PIPE, text=True
    )
    wait_for_chunks(output, 3, process)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    _, said = process.communicate(timeout=20)
    assert process.returncode == FAILED and said.count("\n") == 1
    assert "killed by signal 9 (SIGKILL)" in said and "rows are kept, --resume goes on" in said


def test_another_batch_cannot_be_gone_on_with(
    pairs: Path,
    dataset: Path,
    command: Callable[..., list[str]],
    environment: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was begun with other options stays, and the difference is named."""
    output = tmp_path / "routes.csv"
    line = command("batch", dataset, pairs, "-o", output, "--geometry", "--chunk-rows", "250")
    process = subprocess.Popen(line, env=environment, stderr=subprocess.DEVNULL)
    partial = tmp_path / "routes.csv.partial"
    wait_for_chunks(output, 3, process)
    process.kill()
    process.wait()
    capsys.readouterr()
    arguments = ["batch", str(dataset), str(pairs), "-o", str(output), "--resume"]
    assert run([*arguments, "--chunk-rows", "250"]) == 2
    said = capsys.readouterr().err
    assert "geometry" in said and said.count("\n") == 1
    assert partial.exists()
    assert run([*arguments[:-1], "--overwrite"]) == 0
    assert output.exists() and not partial.exists()
