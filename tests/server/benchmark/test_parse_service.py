"""Runs of the parse benchmark as a server starts them, and what remains of killed ones."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from routing.build import build_dataset
from server.benchmark import parse_run
from server.benchmark.parse_files import RunFiles
from server.benchmark.parse_run import Task, Voice, processes_to_try
from server.benchmark.parse_service import ParseRuns, extract_of
from server.benchmark.processes import whimbrel_environment

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

PATIENCE_S = 60.0


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def process_of(run: str) -> int:
    """The process of a run."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if run.encode() in words:
            return int(folder.name)
    raise AssertionError("no such process")


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.fixture(scope="module")
def city(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample beside its dataset; the dataset."""
    folder = tmp_path_factory.mktemp("city")
    shutil.copy(sample, folder / "city.osm.pbf")
    build_dataset(folder / "city.osm.pbf", folder / "city.whimbrel")
    return folder / "city.whimbrel"


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[ParseRuns]:
    found = ParseRuns(tmp_path, os.getpid())
    yield found
    wait_for(lambda: not found.files.is_locked())


def test_a_run(runs: ParseRuns, city: Path) -> None:
    """It tells how far it is, leaves a result, and while it goes on there is no other."""
    run = runs.start(city, 1)
    assert run is not None
    assert runs.start(city, 1) is None
    assert runs.status().running
    wait_for(lambda: not runs.status().running)
    status = runs.status()
    assert status.progress is None
    (result,) = status.results
    assert (result["run"], result["extract"], result["repeat"]) == (run, "city.osm.pbf", 1)
    readings = [timing for timing in result["timings"] if timing["reader"] == "whimbrel"]
    assert [timing["processes"] for timing in readings] == processes_to_try()
    assert readings[0]["speed_up"] == 1
    for timing in result["timings"]:
        assert timing["mb_s"] == pytest.approx(result["bytes"] / 1e6 / timing["seconds"])
    assert result["in_one_process"]
    events = runs.files.follow().news()
    assert {event["run"] for event in events} == {run}
    assert [event["event"] for event in events[-2:]] == ["progress", "result"]
    percents = [event["percent"] for event in events[:-1]]
    assert percents == sorted(percents) and percents[-1] == 100
    assert events[-1]["result"] == result
    again = runs.start(city, 1)
    assert again is not None
    wait_for(lambda: not runs.status().running)
    assert [kept["run"] for kept in runs.status().results] == [again, run]


def test_a_killed_run(runs: ParseRuns, city: Path) -> None:
    """Nobody takes it for running, and another one may begin."""
    run = runs.start(city, 5)
    assert run is not None
    wait_for(lambda: len(runs.files.follow().news()) > 2)
    pid = process_of(run)
    assert os.getpriority(os.PRIO_PROCESS, pid) == 19
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not runs.status().running)
    assert runs.status() == (False, None, [])
    assert runs.start(city, 1) is not None


STARTER = """
import os, sys, time
from pathlib import Path
from server.benchmark.parse_service import ParseRuns
print(ParseRuns(Path(sys.argv[1]), int(sys.argv[3])).start(Path(sys.argv[2]), 5), flush=True)
time.sleep(100)
"""


def start_elsewhere(folder: Path, city: Path, server: int | str) -> tuple[subprocess.Popen, str]:
    """A process that has started a run."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", STARTER, str(folder), str(city), str(server)],
        env=whimbrel_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_a_killed_worker(runs: ParseRuns, city: Path, tmp_path: Path) -> None:
    """A run goes on when the process that started it is killed, as long as the server is there."""
    worker, run = start_elsewhere(tmp_path, city, os.getpid())
    with worker:
        worker.kill()
    assert runs.status().running and runs.start(city, 1) is None
    wait_for(lambda: not runs.status().running)
    assert [result["run"] for result in runs.status().results] == [run]


def test_without_the_server(runs: ParseRuns, city: Path, tmp_path: Path) -> None:
    """It ends with the server, with all that it has started."""
    with subprocess.Popen(["sleep", "100"]) as server:
        worker, run = start_elsewhere(tmp_path, city, server.pid)
        with worker:
            wait_for(lambda: len(runs.files.follow().news()) > 1)
            pid = process_of(run)
            group = [
                int(folder.name)
                for folder in Path("/proc").glob("[0-9]*")
                if is_there(int(folder.name)) and os.getpgid(int(folder.name)) == pid
            ]
            assert len(group) > 4
            server.kill()
            wait_for(lambda: not any(map(is_there, group)))
            assert not runs.status().running
            assert runs.status().results == []
            worker.kill()


def test_a_server_that_is_gone_already(tmp_path: Path, city: Path) -> None:
    """Then there is nothing to run for."""
    with subprocess.Popen(["true"]) as gone:
        pass
    runs = ParseRuns(tmp_path, gone.pid)
    assert runs.start(city, 5) is not None
    wait_for(lambda: not runs.status().running)
    assert runs.status().results == []


def test_it_takes_too_long(tmp_path: Path, city: Path) -> None:
    """It is ended, and says why."""
    files = RunFiles(tmp_path)
    task = Task(str(tmp_path), str(extract_of(city)), "slow", 5, os.getpid())
    code = "import sys; from server.benchmark.parse_run import main; main(sys.argv[1:], 0.01)"
    found = subprocess.run(
        [sys.executable, "-P", "-c", code, *task.words()],
        env=whimbrel_environment(),
        start_new_session=True,
        check=False,
    )
    assert found.returncode == -signal.SIGKILL
    last = files.last_event()
    assert last is not None
    assert (last["event"], last["run"]) == ("error", "slow")
    assert "longer than" in last["message"]
    assert files.results() == []


@pytest.mark.parametrize("first", ["error", "result"])
def test_nobody_speaks_after_the_last_word(tmp_path: Path, first: str) -> None:
    """Neither the run after the watch has ended it, nor the watch after the run has ended."""
    files = RunFiles(tmp_path)
    voice = Voice(files)
    voice.tell({"event": "progress", "percent": 1})
    if first == "error":
        voice.tell_last_if_none_has({"event": "error"})
        late: list[Callable[[], None]] = [
            lambda: voice.tell({"event": "progress", "percent": 2}),
            lambda: voice.tell_last({"event": "result"}, {"run": "late"}),
        ]
    else:
        voice.tell_last({"event": "result"}, {"run": "whole"})
        late = [lambda: voice.tell_last_if_none_has({"event": "error"})]
    for speak in late:
        threading.Thread(target=speak, daemon=True).start()
    time.sleep(0.2)
    assert [event["event"] for event in files.follow().news()] == ["progress", first]
    assert files.results() == ([{"run": "whole"}] if first == "result" else [])


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """The error is told as an event."""
    extract = tmp_path / "bad.osm.pbf"
    extract.write_text("<!doctype html>")
    task = Task(str(tmp_path), str(extract), "bad", 1, os.getpid())
    subprocess.run(
        [sys.executable, "-P", "-m", parse_run.__name__, *task.words()],
        env=whimbrel_environment(),
        start_new_session=True,
        check=True,
    )
    last = RunFiles(tmp_path).last_event()
    assert last is not None
    assert last["event"] == "error" and "bad.osm.pbf" in last["message"]
    assert str(tmp_path) not in last["message"], "which anybody may read"


def test_which_extract(city: Path, sample: Path, tmp_path: Path) -> None:
    """That of the dataset while it is there as it was, else the sample."""
    assert extract_of(city) == city.with_name("city.osm.pbf")
    moved = tmp_path / "city.whimbrel"
    shutil.copytree(city, moved)
    assert extract_of(moved) == sample
    extract = tmp_path / "city.osm.pbf"
    shutil.copy(sample, extract)
    os.utime(extract, (0, 0))
    assert extract_of(moved) == extract
    with extract.open("ab") as file:
        file.write(b"more")
    os.utime(extract, (0, 0))
    assert extract_of(moved) == sample
    assert extract_of(tmp_path / "nothing.whimbrel") == sample
