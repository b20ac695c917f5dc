"""One run of the parse benchmark for a server, in a process of its own: see `main`."""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from gis.errors import EngineError
from gis.osm.pbf import IN_PROCESS_BYTES
from gis.version import installed_version
from gis.workers import available_cpus
from server.benchmark.parse import (
    DECODING,
    EXPLANATIONS,
    INFLATING,
    READING,
    ROADS,
    ParseBenchmark,
    run_parse_benchmark,
)
from server.benchmark.parse_files import ERROR, PROGRESS, RESULT, Event, RunFiles

LIMIT_S = 600.0
"""A run that takes longer is ended."""
_NICE = 19
"""The lowest priority; on Linux the disk goes by it, too."""
_POLL_S = 0.5
_PATIENCE_S = 5.0
"""So long the watch waits for what is being told, which takes no time unless the disk hangs."""


class Task(NamedTuple):
    """What to run, as it travels on the command line."""

    folder: str
    extract: str
    run: str
    repeat: int
    server: int
    """The process without which nobody wants the run any more."""

    @classmethod
    def of(cls, arguments: Sequence[str]) -> "Task":
        """The task that `words` spell."""
        folder, extract, run, repeat, server = arguments
        return cls(folder, extract, run, int(repeat), int(server))

    def words(self) -> list[str]:
        """The task as arguments of a command."""
        return [str(part) for part in self]


class Voice:
    """Tells what becomes of a run: one event at a time, and none after the last."""

    def __init__(self, files: RunFiles) -> None:
        self._files = files
        self._floor = threading.Lock()

    def tell(self, event: Event) -> None:
        """Add an event; whoever comes after the last one waits until the process ends."""
        with self._floor:
            self._files.tell(event)

    def tell_last(self, event: Event, result: Mapping[str, Any] | None = None) -> None:
        """Add the last event, and keep the result if there is one."""
        self._floor.acquire()  # for good
        self._end(event, result)

    def tell_last_if_none_has(self, event: Event) -> None:
        """Add the last event, unless another one is the last already."""
        if self._floor.acquire(timeout=_PATIENCE_S):
            self._end(event, None)

    def _end(self, event: Event, result: Mapping[str, Any] | None) -> None:
        if result is not None:
            self._files.keep(result)
        self._files.tell(event)


def main(arguments: Sequence[str], limit_s: float = LIMIT_S) -> None:
    """Run a task to its end, and tell of it in the files of its folder.

    The process has inherited the lock, and is the first of a group of its own, which ends with it,
    with the server, or when its time is over.
    """
    task = Task.of(arguments)
    voice = Voice(RunFiles(Path(task.folder)))
    os.nice(_NICE)
    watch = threading.Thread(target=_watch, args=(task, voice, limit_s), daemon=True)
    watch.start()
    try:
        found = _run(task, voice)
    except EngineError as error:
        voice.tell_last(_event(task, ERROR, message=_without_folders(task, str(error))))
    except Exception as error:
        message = f"{type(error).__name__}: {_without_folders(task, str(error))}"
        voice.tell_last(_event(task, ERROR, message=message))
    else:
        voice.tell_last(_event(task, RESULT, result=found), found)


def processes_to_try() -> list[int]:
    """1, 2, 4 ... and as many as there are processors."""
    most = max(available_cpus(), 2)
    numbers = {most}
    number = 1
    while number < most:
        numbers.add(number)
        number *= 2
    return sorted(numbers)


def _run(task: Task, voice: Voice) -> dict[str, Any]:
    numbers = processes_to_try()
    contenders = [(READING, n) for n in numbers]
    contenders += [(name, 1) for name in (INFLATING, DECODING, ROADS)]
    started, start = datetime.now(UTC), time.monotonic()

    def show(done: int, total: int) -> None:
        reader, processes = contenders[done % len(contenders)]
        voice.tell(
            _event(
                task,
                PROGRESS,
                percent=round(100 * done / total, 1),
                reader=reader,
                processes=processes,
            )
        )

    found = run_parse_benchmark(Path(task.extract), numbers, task.repeat, show)
    return {
        "run": task.run,
        "started": started.isoformat(timespec="seconds"),
        "took_s": round(time.monotonic() - start, 3),
        "version": installed_version(),
        "cpus": available_cpus(),
        **_figures(found),
    }


def _figures(found: ParseBenchmark) -> dict[str, Any]:
    """What was measured; ``in_one_process``: more processes make no difference for such a file."""
    return {
        "extract": Path(found.extract).name,
        "bytes": found.bytes,
        "repeat": found.repeat,
        "in_one_process": found.bytes < IN_PROCESS_BYTES,
        "cpu_ratio": found.cpu_ratio,
        "timings": [
            {
                "reader": timing.name,
                "explanation": EXPLANATIONS[timing.name],
                "processes": timing.workers,
                "seconds": timing.wall_s,
                "cpu_seconds": timing.cpu_s,
                "mb_s": timing.mb_s,
                "speed_up": timing.speed_up,
                "runs_s": timing.wall_runs_s,
                "stages": asdict(timing)["stages"],
            }
            for timing in found.timings
        ],
    }


def _event(task: Task, kind: str, **more: object) -> dict[str, Any]:
    return {"event": kind, "run": task.run, **more}


def _without_folders(task: Task, message: str) -> str:
    """A message for everybody: where the server keeps its files is nobody's matter."""
    for folder in (Path(task.extract).parent, Path(task.folder)):
        message = message.replace(f"{folder}{os.sep}", "")
    return message


def _watch(task: Task, voice: Voice, limit_s: float) -> None:
    """End the whole group when the server is no more, or when it takes too long."""
    if _outlives(task.server, limit_s):
        message = f"It took longer than {limit_s:.0f} s."
        voice.tell_last_if_none_has(_event(task, ERROR, message=message))
    os.killpg(0, signal.SIGKILL)


def _outlives(pid: int, limit_s: float) -> bool:
    """Wait for a process to end; whether it is still there when the time is over."""
    deadline = time.monotonic() + limit_s
    try:
        descriptor = os.pidfd_open(pid) if sys.platform == "linux" else None
    except ProcessLookupError:
        return False
    except OSError:
        descriptor = None
    if descriptor is not None:
        return not select.select([descriptor], [], [], limit_s)[0]
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(_POLL_S)
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
