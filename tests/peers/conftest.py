"""OSRM beside us, in a Python that has osrm-bindings.

``WHIMBREL_PEERS_PYTHON`` names it; ``WHIMBREL_PEERS_DATA`` is a folder that keeps what OSRM
prepares, so that this is done once.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from server.benchmark.peers.finding import find_peers

SCRIPT = Path(__file__).with_name("ask_osrm.py")


@pytest.fixture(scope="session")
def ask_osrm(
    porto: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[dict[str, Any]], Any]]:
    """Asks OSRM for routes on Porto."""
    python = os.environ.get("WHIMBREL_PEERS_PYTHON")
    if not python:
        pytest.skip("WHIMBREL_PEERS_PYTHON does not name a Python with osrm-bindings")
    folder = Path(os.environ.get("WHIMBREL_PEERS_DATA") or tmp_path_factory.mktemp("peers"))
    peers, notes = find_peers(Path(python), folder)
    osrm = next((peer for peer in peers if peer.name == "OSRM"), None)
    if osrm is None:
        pytest.skip("; ".join(notes))
    data = osrm.data / "map.osrm"
    if not data.with_name("map.osrm.hsgr").exists():
        with osrm:
            osrm.prepare(porto)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [python, str(SCRIPT), str(data)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdin and process.stdout
        yield lambda question: _ask(process, question)
        process.stdin.close()


def _ask(process: "subprocess.Popen[str]", question: dict[str, Any]) -> Any:
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())
