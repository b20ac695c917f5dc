"""Which engines a Python has."""

import sys
from pathlib import Path

import pytest

from gis.errors import EngineError
from server.benchmark.peers.finding import KINDS, find_peers


def interpreter(folder: Path, output: str, status: int = 0) -> Path:
    """A program that answers as the worker does when it is asked what there is."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\necho '{output}'\nexit {status}\n")
    path.chmod(0o755)
    return path


def test_what_is_installed(tmp_path: Path) -> None:
    """A peer for each package, and a note for each that is missing."""
    python = interpreter(tmp_path, '{"osrm": "26.10.0", "routingkit": "0.2.1"}')
    peers, notes = find_peers(python, tmp_path)
    assert [(peer.name, peer.package, peer.version) for peer in peers] == [
        ("OSRM", "osrm-bindings", "26.10.0"),
        ("RoutingKit", "pyroutingkit", "0.2.1"),
    ]
    (note,) = notes
    assert note.startswith("Valhalla is not installed in ")
    assert "pip install pyvalhalla" in note


def test_this_python(tmp_path: Path) -> None:
    """Each is either there or has its note."""
    peers, notes = find_peers(None, tmp_path)
    assert len(peers) + len(notes) == len(KINDS)
    assert all(sys.executable in note for note in notes)


@pytest.mark.parametrize(("output", "status"), [("hello", 0), ("{}", 1), ("[", 0)])
def test_what_is_no_python(output: str, status: int, tmp_path: Path) -> None:
    """It is said before anything is measured."""
    with pytest.raises(EngineError, match=r"--peers-python: .*python is no Python: "):
        find_peers(interpreter(tmp_path, output, status), tmp_path)


def test_what_is_not_there(tmp_path: Path) -> None:
    """A path that leads nowhere."""
    with pytest.raises(EngineError, match=r"nowhere is no Python: .*No such file"):
        find_peers(tmp_path / "nowhere", tmp_path)
