"""Processes that are measured."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from server.benchmark import processes
from server.benchmark.processes import (
    ProcessFailed,
    descendants,
    folder_bytes,
    last_line,
    private_of,
    pss_of,
    read_through,
    resident_of,
    run_process,
)

BIG = "import time; x = b'1' * 60_000_000; time.sleep(0.3)"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_time_and_output(tmp_path: Path) -> None:
    """What it wrote, where it ran, how long that took."""
    run = run_process(python("import os, time; time.sleep(0.2); print(os.getcwd())"), tmp_path)
    assert run.output == f"{tmp_path}\n"
    assert 0.2 < run.wall_s < 5
    assert run.peak_bytes > 1e6


def test_memory_of_all(tmp_path: Path) -> None:
    """What the process has started counts, too."""
    one = run_process(python(BIG), tmp_path).peak_bytes
    both = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {BIG!r}]); {BIG}"
    two = run_process(python(f"{both}; p.wait()"), tmp_path).peak_bytes
    assert 60e6 < one < 100e6
    assert 120e6 < two < 200e6


def test_without_samples(tmp_path: Path) -> None:
    """The same is told; nothing looks at it meanwhile; our own memory is not taken for its."""
    ballast = bytearray(b"1") * 150_000_000
    code = f"{BIG}; import os; print(os.getcwd(), os.environ['A'])"
    environment = os.environ | {"A": "x"}
    run = run_process(python(code), tmp_path, environment, sampled=False)
    assert run.output == f"{tmp_path} x\n"
    assert 0.3 < run.wall_s < 5
    assert 60e6 < run.peak_bytes < 100e6
    assert run_process(["/bin/true"], tmp_path, sampled=False).peak_bytes < 30e6
    both = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BIG!r}])"
    assert 60e6 < run_process(python(both), tmp_path, sampled=False).peak_bytes < 100e6
    del ballast


@pytest.mark.parametrize("sampled", [True, False])
def test_the_clock(sampled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without samples nobody reads anything of a process."""
    asked: list[int] = []
    monkeypatch.setattr(processes, "pss_of", lambda pid: asked.append(pid) or 1)
    run_process(python("import time; time.sleep(0.2)"), tmp_path, sampled=sampled)
    assert bool(asked) == sampled


@pytest.mark.parametrize("sampled", [True, False])
def test_failures(sampled: bool, tmp_path: Path) -> None:
    """The last line that it wrote, or what became of it."""
    with pytest.raises(ProcessFailed, match=r"ended with status 3: worse$"):
        code = "import sys; print('bad\\nworse\\n', file=sys.stderr); sys.exit(3)"
        run_process(python(code), tmp_path, sampled=sampled)
    with pytest.raises(ProcessFailed, match=r"was killed by signal 9: it said nothing$"):
        run_process(python("import os; os.kill(os.getpid(), 9)"), tmp_path, sampled=sampled)
    with pytest.raises(ProcessFailed, match=r"nowhere: No such file or directory"):
        run_process([str(tmp_path / "nowhere")], tmp_path, sampled=sampled)


@pytest.mark.parametrize("sampled", [True, False])
def test_one_that_does_not_end(sampled: bool, tmp_path: Path) -> None:
    """It is ended with all that it has started."""
    code = (
        "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c',"
        " 'import time; time.sleep(60)']); open('pid', 'w').write(str(p.pid)); time.sleep(60)"
    )
    with pytest.raises(ProcessFailed, match="too long"):
        run_process(python(code), tmp_path, sampled=sampled, timeout_s=1.5)
    child = Path(f"/proc/{(tmp_path / 'pid').read_text()}/stat")
    deadline = time.monotonic() + 5
    while child.exists() and child.read_text().split()[2] != "Z" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not child.exists() or child.read_text().split()[2] == "Z"


def test_descendants() -> None:
    """The process itself, and those below it."""
    process = subprocess.Popen(python("input()"), stdin=subprocess.PIPE)
    with process:
        found = descendants(os.getpid())
        assert found[0] == os.getpid()
        assert process.pid in found
        assert pss_of(process.pid) > 0
        process.kill()
    assert process.pid not in descendants(os.getpid())
    assert pss_of(process.pid) == 0


def test_private_memory() -> None:
    """What a fork has written is its own; what it has only inherited is not."""
    ballast = bytearray(b"1") * 50_000_000
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        own = bytearray(b"2") * 20_000_000
        os.write(writing, own[:1])
        time.sleep(60)
        os._exit(0)
    try:
        os.read(reading, 1)
        assert 20e6 < private_of(pid) < 45e6
        assert private_of(os.getpid()) > 0
        assert resident_of(pid) > 70e6 > private_of(pid)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(reading)
        os.close(writing)
    assert private_of(pid) == 0
    assert len(ballast) == 50_000_000


def test_bytes_of_a_folder(tmp_path: Path) -> None:
    """Files below it, links left out."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"123")
    (tmp_path / "c").write_bytes(b"1234")
    (tmp_path / "d").symlink_to(tmp_path / "c")
    assert folder_bytes(tmp_path) == 7


def test_reading_through(tmp_path: Path) -> None:
    """To the end, whatever the size; what is not there is an error."""
    path = tmp_path / "a"
    path.write_bytes(b"1" * 3_000_001)
    read_bytes = _read_bytes()
    read_through(path)
    assert _read_bytes() - read_bytes >= 3_000_001
    with pytest.raises(FileNotFoundError):
        read_through(tmp_path / "b")


def _read_bytes() -> int:
    """What this process has read so far."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("rchar:")))


def test_last_lines() -> None:
    assert last_line("a\n b \n\n") == "b"
    assert last_line(" \n") == "it said nothing"
