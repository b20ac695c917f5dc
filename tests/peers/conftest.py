"""OSRM beside us, in a Python that has osrm-bindings.

``WHIMBREL_PEERS_PYTHON`` names it; ``WHIMBREL_PEERS_DATA`` is a folder that keeps what OSRM
prepares, so that this is done once.
"""

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from server.benchmark.peers.finding import find_peers

SCRIPT = Path(__file__).with_name("ask_osrm.py")

Ask: TypeAlias = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="session")
def ask_osrm_on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], Ask]]:
    """Gives for an extract what asks OSRM for routes on it."""
    python = os.environ.get("WHIMBREL_PEERS_PYTHON")
    if not python:
        pytest.skip("WHIMBREL_PEERS_PYTHON does not name a Python with osrm-bindings")
    folder = Path(os.environ.get("WHIMBREL_PEERS_DATA") or tmp_path_factory.mktemp("peers"))
    with ExitStack() as stack:

        @cache
        def ask_on(extract: Path) -> Ask:
            data = _prepare(Path(python), extract, folder / extract.name.partition(".")[0])
            return _asking(stack.enter_context(_answering(python, data)))

        yield ask_on


@pytest.fixture(scope="session")
def ask_osrm(porto: Path, ask_osrm_on: Callable[[Path], Ask]) -> Ask:
    """Asks OSRM for routes on Porto."""
    return ask_osrm_on(porto)


@pytest.fixture(scope="session")
def osrm_routed_on(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[Path, int], "subprocess.Popen[bytes]"]]:
    """Starts osrm-routed on an extract, at a port."""
    python = os.environ.get("WHIMBREL_PEERS_PYTHON")
    if not python:
        pytest.skip("WHIMBREL_PEERS_PYTHON does not name a Python with osrm-bindings")
    folder = Path(os.environ.get("WHIMBREL_PEERS_DATA") or tmp_path_factory.mktemp("peers"))
    find = "import osrm, pathlib; print(pathlib.Path(osrm.__file__).parent)"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    package = subprocess.run(
        [python, "-c", find], env=environment, capture_output=True, text=True, check=True
    )
    program = Path(package.stdout.strip()) / "bin" / "osrm-routed"
    running: list[subprocess.Popen[bytes]] = []

    def start(extract: Path, port: int) -> "subprocess.Popen[bytes]":
        data = _prepare(Path(python), extract, folder / extract.name.partition(".")[0])
        command = [str(program), "-a", "ch", "-i", "127.0.0.1", "-p", str(port), str(data)]
        running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment))
        return running[-1]

    yield start
    for process in running:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def osrm_port(porto: Path, osrm_routed_on: Callable[[Path, int], "subprocess.Popen[bytes]"]) -> int:
    """The port of an osrm-routed on Porto."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port: int = free.getsockname()[1]
    process = osrm_routed_on(porto, port)
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return port
        except OSError:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)


def _prepare(python: Path, extract: Path, folder: Path) -> Path:
    """What OSRM makes of an extract."""
    folder.mkdir(parents=True, exist_ok=True)
    peers, notes = find_peers(python, folder)
    osrm = next((peer for peer in peers if peer.name == "OSRM"), None)
    if osrm is None:
        pytest.skip("; ".join(notes))
    data: Path = osrm.data / "map.osrm"
    if not data.with_name("map.osrm.hsgr").exists():
        with osrm:
            osrm.prepare(extract)
    return data


def _answering(python: str, data: Path) -> "subprocess.Popen[str]":
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [python, str(SCRIPT), str(data)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )


def _asking(process: "subprocess.Popen[str]") -> Ask:
    def ask(question: dict[str, Any]) -> Any:
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    return ask
