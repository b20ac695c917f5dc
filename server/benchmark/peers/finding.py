"""Which other engines a Python has."""

import json
import sys
from pathlib import Path
from typing import NamedTuple

from gis.errors import EngineError
from server.benchmark.peers.peer import Peer
from server.benchmark.processes import ProcessFailed, run_process

WORKER = Path(__file__).with_name("worker.py")

_TIMEOUT_S = 60.0


class Kind(NamedTuple):
    """An engine that the worker knows."""

    key: str
    name: str
    package: str
    abilities: frozenset[str]


_ALL = frozenset({"prepare", "route", "table", "durations"})

KINDS = (
    Kind("osrm", "OSRM", "osrm-bindings", _ALL | {"threads", "binary", "large tables"}),
    Kind("valhalla", "Valhalla", "pyvalhalla", _ALL),
    Kind("routingkit", "RoutingKit", "pyroutingkit", frozenset({"graph"})),
)


def find_peers(python: Path | None, folder: Path) -> tuple[list[Peer], list[str]]:
    """The peers that are installed, and a note about each that is not.

    ``python`` is the interpreter that has them, by default the one that runs this. Raises
    ``EngineError`` if it cannot be run.
    """
    interpreter = str(python or sys.executable)
    try:
        run = run_process([interpreter, str(WORKER), "installed"], folder, None, False, _TIMEOUT_S)
        found = json.loads(run.output)
    except (ProcessFailed, ValueError) as error:
        raise EngineError(f"--peers-python: {interpreter} is no Python: {error}") from None
    peers, notes = [], []
    for key, name, package, abilities in KINDS:
        if key in found:
            command = [interpreter, str(WORKER), key]
            peers.append(Peer(name, package, found[key], command, abilities, folder))
        else:
            notes.append(
                f"{name} is not installed in {interpreter}: pip install {package} there, or name"
                " another Python with --peers-python"
            )
    return peers, notes
