"""A server as a process of its own, for tests that ask it over the network."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(
    command: Callable[..., list[str]],
    environment: Mapping[str, str],
    dataset: Path,
    log: Path,
    n_workers: int = 2,
) -> Iterator[str]:
    """The address of a server of the dataset; what it says on standard error goes to the log."""
    with log.open("w") as errors:
        process = subprocess.Popen(
            command("serve", dataset, "--port", "0", "--workers", n_workers),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert " is served at " in line, log.read_text()
            yield line.split(" is served at ")[1].split("/ ")[0]
        finally:
            process.terminate()
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()


@contextmanager
def fake_serving(workers: int, **settings: object) -> Iterator[int]:
    """The port of a server with a fake engine, of so many workers."""
    tests = Path(__file__).resolve().parent
    process = subprocess.Popen(
        [sys.executable, str(tests / "fake_server.py"), str(workers), json.dumps(settings)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)])},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=10)  # not for the pipe's end: who compiles for solvers may have it
        assert process.stdout is not None
        process.stdout.close()
