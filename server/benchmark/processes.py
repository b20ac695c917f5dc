"""Processes that are measured: their time, and the memory of them and all that they start."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import server
from gis.errors import EngineError

_SAMPLE_S = 0.02
_ENTRY = "from server.cli import main; main()"
_KB = 1024
_READ_BYTES = 1 << 20
_LAUNCHER = Path(__file__).with_name("launcher.py")


class ProcessFailed(EngineError):
    """A process that was to be measured did not end well."""


class Run(NamedTuple):
    """What a process took, and what it wrote.

    ``peak_bytes`` is the most that it and its descendants had in memory at one time, pages that
    they share counted once, or the most that one of them ever had if that is more, since samples
    miss a peak between them. If that was not sampled, it is the most that the largest of them ever
    had, as the kernel counts it.
    """

    wall_s: float
    peak_bytes: int
    output: str


def whimbrel_command(*arguments: object) -> list[str]:
    """The command line as a process of its own, installed or not."""
    return [sys.executable, "-P", "-c", _ENTRY, *map(str, arguments)]


def whimbrel_environment() -> dict[str, str]:
    """The environment in which a process finds these sources."""
    root = str(Path(next(iter(server.__path__))).resolve().parent)
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def run_process(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    sampled: bool = True,
    timeout_s: float = 7200.0,
) -> Run:
    """Run a command in a folder to its end.

    Sampling reads a few files 50 times a second and stops the process meanwhile: leave it out
    where the time matters. Raises ``ProcessFailed`` with the last line that a failing command
    wrote.
    """
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        tempfile.TemporaryFile() as report,
    ):
        number = report.fileno()
        launcher = [sys.executable, "-I", "-S", str(_LAUNCHER), str(number)]
        start = time.perf_counter()
        try:
            process = subprocess.Popen(
                command if sampled else [*launcher, *command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder,
                env=environment,
                start_new_session=True,
                pass_fds=() if sampled else (number,),
            )
        except OSError as error:
            raise ProcessFailed(f"{command[0]}: {error.strerror}") from None
        try:
            peak = _wait(process, sampled, start + timeout_s)
            wall_s = time.perf_counter() - start
        finally:
            _end(process)
        output, errors, told = _text(out), _text(err), _text(report)
        code = process.returncode
        if told:
            wall_s, peak, code = _told(told, command)
        if code != 0:
            said = last_line(errors) or last_line(output)
            raise ProcessFailed(f"{Path(command[0]).name} {_why(code)}: {said}")
    return Run(wall_s, peak, output)


def _told(text: str, command: Sequence[str]) -> tuple[float, int, int]:
    """What the launcher tells: seconds, bytes, and how the command ended."""
    found = json.loads(text)
    if "error" in found:
        raise ProcessFailed(f"{command[0]}: {found['error']}")
    return found["wall_s"], found["peak_kb"] * _KB, found["code"]


def _wait(process: "subprocess.Popen[bytes]", sampled: bool, deadline: float) -> int:
    peak = 0
    while True:
        if sampled:
            alive = descendants(process.pid)
            peak = max(peak, sum(map(pss_of, alive)), *map(_highest_of, alive))
        try:
            process.wait(_SAMPLE_S if sampled else deadline - time.perf_counter())
            return peak
        except subprocess.TimeoutExpired:
            if time.perf_counter() >= deadline:
                raise ProcessFailed(f"process {process.pid} took too long, and was ended") from None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process that is still running, and whatever it has started."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _why(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines()]
    return next((line for line in reversed(lines) if line), "it said nothing")


def pss_of(pid: int) -> int:
    """Bytes of memory of a process, shared pages in proportion; 0 if it is gone."""
    return _bytes_in(f"/proc/{pid}/smaps_rollup", "Pss:")


def resident_of(pid: int) -> int:
    """Bytes of memory of a process, shared pages in full; 0 if it is gone."""
    return _bytes_in(f"/proc/{pid}/smaps_rollup", "Rss:")


def private_of(pid: int) -> int:
    """Bytes of memory that a process shares with no other; 0 if it is gone."""
    path = f"/proc/{pid}/smaps_rollup"
    return sum(_bytes_in(path, key) for key in ("Private_Clean:", "Private_Dirty:"))


def _highest_of(pid: int) -> int:
    """Bytes of resident memory that a process had at the most; 0 if it is gone."""
    return _bytes_in(f"/proc/{pid}/status", "VmHWM:")


def _bytes_in(path: str, key: str) -> int:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * _KB for line in lines if line.startswith(key)), 0)


def descendants(pid: int) -> list[int]:
    """A process and all that it has started, as far as they live."""
    found = [pid]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:
                continue
    return found


def folder_bytes(folder: Path) -> int:
    """Bytes of all files in a folder and below, links left out."""
    files = (path for path in folder.rglob("*") if not path.is_symlink() and path.is_file())
    return sum(path.stat().st_size for path in files)


def read_through(path: Path) -> None:
    """Read a file to its end: whoever reads it next finds it in memory."""
    with path.open("rb", buffering=0) as file:
        while file.read(_READ_BYTES):
            pass
