"""A server as a process of its own, for tests that ask it over the network."""

import subprocess
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
