"""Another engine, asked line by line in a process of its own; what it does wrong is told."""

import json
import os
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from gis.arrays import F64
from gis.errors import EngineError
from server.benchmark.processes import (
    ProcessFailed,
    folder_bytes,
    last_line,
    read_through,
    resident_of,
    run_process,
)

_CHUNK_BYTES = 1 << 16
_MAX_ANSWER_BYTES = 1 << 28
_TIMEOUT_S = 900.0


class PeerFailed(EngineError):
    """A peer died, was silent, spoke rubbish or reported an error. Names the peer."""


class Preparation(NamedTuple):
    """What it took to prepare an extract, once and without samples of its memory.

    ``peak_bytes`` is what the largest process had; the disk holds only what answering needs.
    """

    wall_s: float
    peak_bytes: int
    disk_bytes: int


class Peer:
    """An engine that is installed in some Python. It is started when it is first asked.

    ``data`` is the folder that it prepares extracts in. One that has failed is ``failed``, and
    fails whenever it is asked again.
    """

    def __init__(
        self,
        name: str,
        package: str,
        version: str,
        command: Sequence[str],
        abilities: frozenset[str],
        folder: Path,
    ) -> None:
        self.name, self.package, self.version = name, package, version
        self.abilities = abilities
        self.failed = ""
        self.data = folder.resolve() / name.lower()
        self._command = list(command)
        self._log = self.data / "worker.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""
        self._prepared: Preparation | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def memory_bytes(self) -> int:
        """Resident memory of its process, shared pages in full."""
        return 0 if self._process is None else resident_of(self._process.pid)

    def prepare(self, extract: Path, threads: int = 1) -> Preparation:
        """Make the extract ready and open it, the first time; raises ``PeerFailed``."""
        if self._prepared is None:
            self.data.mkdir(parents=True, exist_ok=True)
            link = self.data / "map.osm.pbf"
            link.unlink(missing_ok=True)
            link.symlink_to(extract.resolve())
            plan = self.ask("commands", folder=str(self.data), threads=threads)
            read_through(extract)
            try:
                runs = [
                    run_process(command, self.data, sampled=False) for command in plan["commands"]
                ]
            except (ProcessFailed, KeyError, TypeError) as error:
                raise self._fail(f"cannot prepare {extract.name}: {error}") from None
            for name in plan["rest"]:
                (self.data / name).unlink(missing_ok=True)
            self._prepared = Preparation(
                sum(run.wall_s for run in runs),
                max(run.peak_bytes for run in runs),
                folder_bytes(self.data),
            )
            self.ask("open", folder=str(self.data))
        return self._prepared

    def reopen(self) -> None:
        """Begin anew with a fresh process that has only what was prepared."""
        self.close()
        self.ask("open", folder=str(self.data))

    def ask(self, do: str, timeout_s: float = _TIMEOUT_S, **request: object) -> dict[str, Any]:
        """One request and its answer; raises ``PeerFailed``."""
        if self.failed:
            raise PeerFailed(self.failed)
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps({"do": do, **request}).encode() + b"\n")
            process.stdin.flush()
            line = self._line(process, time.monotonic() + timeout_s)
        except BrokenPipeError:
            line = b""
        if not line:
            self._end(process)
            raise self._fail(f"ended while asked for '{do}': {self._said()}")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self._fail(f"answered '{do}' with {line[:60]!r}, expected a JSON object")
        if "error" in answer:
            raise self._fail(f"cannot '{do}': {answer['error']}")
        return answer

    def number(self, do: str, **request: Any) -> float:
        """The seconds that a request took by the peer's own clock; raises ``PeerFailed``."""
        seconds = self.ask(do, **request).get("seconds")
        if not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
            raise self._fail(f"answered '{do}' with {seconds!r} seconds")
        return float(seconds)

    def durations(self, pairs: str, n: int) -> F64:
        """Seconds of the routes of n pairs, NaN where it finds none; raises ``PeerFailed``."""
        told = self.ask("durations", pairs=pairs).get("durations")
        try:
            found = np.array(told, np.float64)
        except (TypeError, ValueError):
            raise self._fail("told durations that are no numbers") from None
        if found.shape != (n,):
            raise self._fail(f"told {found.size} durations of {n} pairs")
        return found

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            self._end(self._process)

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            self.data.mkdir(parents=True, exist_ok=True)
            self._unread = b""
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
                    start_new_session=True,
                )
        return self._process

    def _line(self, process: "subprocess.Popen[bytes]", deadline: float) -> bytes:
        """The next line, or nothing if the process has ended."""
        assert process.stdout is not None
        file = process.stdout.fileno()
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([file], [], [], left)[0]:
                raise self._fail("was silent for too long")
            chunk = os.read(file, _CHUNK_BYTES)
            if not chunk:
                return b""
            self._unread += chunk
            if len(self._unread) > _MAX_ANSWER_BYTES:
                raise self._fail(f"wrote {len(self._unread):,} bytes without a line's end")
        line, self._unread = self._unread.split(b"\n", 1)
        return line

    def _said(self) -> str:
        return last_line(self._log.read_text(errors="replace"))

    def _fail(self, what: str) -> PeerFailed:
        """The error to raise; the peer is out of the race."""
        self.failed = f"{self.name} {what}"
        self.close()
        return PeerFailed(self.failed)

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass  # what was not written yet
        self._process = None
