"""The parse benchmark as a server runs it: one run at a time, whatever process is asked."""

import os
import secrets
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

from gis.dataset import read_manifest
from gis.errors import EngineError
from server.benchmark.parse_files import PROGRESS, Event, RunFiles
from server.benchmark.parse_run import Task
from server.benchmark.processes import whimbrel_environment
from server.locations import sample_extract, why_build

MAX_EXTRACT_BYTES = 256 << 20
"""Of a larger extract a run would take too long."""
_PBF = ".pbf"
_RUNNER = "server.benchmark.parse_run"


class Status(NamedTuple):
    """How the newest run goes, and the results that are kept, newest first."""

    running: bool
    progress: Event | None
    results: list[dict[str, Any]]


class ParseRuns:
    """Starts runs and tells of them, from any of a server's processes.

    ``server`` is the process with which a run is to end.
    """

    def __init__(self, folder: Path, server: int) -> None:
        self._folder, self._server = folder, server
        self.files = RunFiles(folder)

    def start(self, dataset: Path, repeat: int) -> str | None:
        """The name of a new run on the extract of a dataset, or None while another one goes on."""
        lock = self.files.take_lock()
        if lock is None:
            return None
        try:
            run = secrets.token_hex(8)
            extract = extract_of(dataset)
            task = Task(str(self._folder), str(extract), run, repeat, self._server)
            self.files.begin({"event": PROGRESS, "run": run, "percent": 0.0})
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", _RUNNER, *task.words()],
                env=whimbrel_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=[lock],
            )
        finally:
            os.close(lock)  # the run has its own copy
        threading.Thread(target=process.wait, daemon=True).start()
        return run

    def status(self) -> Status:
        """How things are."""
        running = self.files.is_locked()
        event = self.files.last_event() if running else None
        progress = event if event is not None and event["event"] == PROGRESS else None
        return Status(running, progress, self.files.results())


def extract_of(dataset: Path) -> Path:
    """The extract that a dataset came from, if it lies beside it as it was; else the sample.

    So it is, too, if that is no PBF file, or a very large one.
    """
    try:
        extract = dataset.parent / Path(read_manifest(dataset).about.extract.name).name
        is_usable = extract.suffix == _PBF and not why_build(extract, dataset)
        if is_usable and extract.stat().st_size <= MAX_EXTRACT_BYTES:
            return extract
    except (EngineError, OSError):
        pass
    return sample_extract()
