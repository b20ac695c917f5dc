"""The files by which all processes of a server share one run of the parse benchmark at a time.

| file | content |
|---|---|
| ``parse-benchmark.lock`` | locked while a run goes on, by its processes themselves |
| ``parse-benchmark.progress`` | what has become of the newest run: an event on each line |
| ``parse-benchmark.results`` | the results of the last runs: one on each line, newest last |

Only who holds the lock writes. It ends with the processes that hold it, however they end.
"""

import fcntl
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import orjson

Event: TypeAlias = dict[str, Any]
"""``event`` is "progress", "result" or "error", ``run`` the run's name; the rest as it says."""

PROGRESS, RESULT, ERROR = "progress", "result", "error"
MAX_RESULTS = 50

_ATTEMPTS = 20
_PAUSE_S = 0.01
_LOOK_BACK_BYTES = 1 << 20


class RunFiles:
    """The files in one folder."""

    def __init__(self, folder: Path) -> None:
        self._lock = folder / "parse-benchmark.lock"
        self._progress = folder / "parse-benchmark.progress"
        self._results = folder / "parse-benchmark.results"

    def take_lock(self) -> int | None:
        """A descriptor that holds the lock until its last copy is closed; None if another does."""
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        for _ in range(_ATTEMPTS):  # whoever only looks holds it for a moment
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_PAUSE_S)
            else:
                return descriptor
        os.close(descriptor)
        return None

    def is_locked(self) -> bool:
        """Whether a run goes on."""
        try:
            descriptor = os.open(self._lock, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def begin(self, event: Event) -> None:
        """Replace what was written of the run before."""
        _replace(self._progress, _line(event))

    def tell(self, event: Event) -> None:
        """Add an event of this run."""
        with self._progress.open("ab", buffering=0) as file:
            file.write(_line(event))

    def keep(self, result: Mapping[str, Any]) -> None:
        """Add a result, and drop the oldest if there are too many."""
        kept = [*self.results()[::-1], dict(result)][-MAX_RESULTS:]
        _replace(self._results, b"".join(map(_line, kept)))

    def results(self) -> list[dict[str, Any]]:
        """The results that are kept, newest first."""
        try:
            return _read(self._results.read_bytes())[::-1]
        except FileNotFoundError:
            return []

    def last_event(self) -> Event | None:
        """The newest event of the newest run."""
        try:
            with self._progress.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - _LOOK_BACK_BYTES, 0))
                events = _read(file.read())
        except FileNotFoundError:
            return None
        return events[-1] if events else None

    def follow(self) -> "Follower":
        """Who reads events as they are written."""
        return Follower(self._progress)


class Follower:
    """Reads the events of one run after the other, each event once."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: tuple[int, int] | None = None
        self._at = 0
        self._begun = b""

    def news(self) -> list[Event]:
        """The events since the last call; at the first all of the newest run."""
        try:
            with self._file.open("rb") as file:
                found = os.fstat(file.fileno())
                if (found.st_dev, found.st_ino) != self._seen:
                    self._seen, self._at, self._begun = (found.st_dev, found.st_ino), 0, b""
                file.seek(self._at)
                read = file.read()
                self._at = file.tell()
        except FileNotFoundError:
            return []
        whole, newline, self._begun = (self._begun + read).rpartition(b"\n")
        return _read(whole + newline)


def _line(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def _read(lines: bytes) -> list[dict[str, Any]]:
    """The objects of whole lines; what a crash has left of a line is none."""
    found = []
    for line in lines.split(b"\n"):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def _replace(file: Path, content: bytes) -> None:
    """Give a file other content at once; it is another file then."""
    part = file.with_name(f"{file.name}.part")
    part.write_bytes(content)
    part.replace(file)
