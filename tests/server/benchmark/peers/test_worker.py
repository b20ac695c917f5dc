"""The program that asks other engines, with engines that are made up."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from server.benchmark.peers import worker
from server.benchmark.peers.finding import WORKER

PAIRS = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 0.0, 1.0, 2.0]]


@pytest.fixture
def request_(tmp_path: Path) -> dict[str, Any]:
    np.save(tmp_path / "pairs.npy", np.array(PAIRS))
    np.save(tmp_path / "points.npy", np.array(PAIRS)[:, :2])
    return {"pairs": str(tmp_path / "pairs.npy"), "points": str(tmp_path / "points.npy")}


class FakeOsrm:
    """Finds no route that begins at 5, 6."""

    def __init__(self, path: str) -> None:
        self.asked: list[Any] = []

    def Route(self, parameters: Any) -> dict[str, Any]:
        self.asked.append((parameters, threading.get_ident()))
        if parameters.coordinates[0] == (5.0, 6.0):
            raise RuntimeError("NoRoute")
        return {"routes": [{"duration": parameters.coordinates[0][0]}]}

    def Table(self, parameters: Any) -> dict[str, Any]:
        self.asked.append((parameters, threading.get_ident()))
        return {}


@pytest.fixture
def osrm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> worker.Osrm:
    module: Any = ModuleType("osrm")
    module.__file__ = str(tmp_path / "osrm" / "__init__.py")
    (tmp_path / "osrm" / "bin").mkdir(parents=True)
    (tmp_path / "osrm" / "bin" / "osrm-routed").touch()
    (tmp_path / "osrm" / "car.lua").touch()
    module.OSRM = FakeOsrm
    module.RouteParameters = module.TableParameters = SimpleNamespace
    monkeypatch.setitem(sys.modules, "osrm", module)
    return worker.Osrm()


def test_osrm(osrm: worker.Osrm, request_: dict[str, Any]) -> None:
    """Every pair is asked for once, whatever comes of it; threads share them."""
    osrm.open({"folder": "/data"})
    for threads in (1, 2):
        osrm.engine.asked.clear()
        assert osrm.route({**request_, "threads": threads})["seconds"] > 0
        asked = osrm.engine.asked
        assert sorted(a.coordinates for a, _ in asked) == [((a, b), (c, d)) for a, b, c, d in PAIRS]
        assert {a.overview for a, _ in asked} == {"false"}
    osrm.engine.asked.clear()
    osrm.route({**request_, "geometry": True})
    assert {a.overview for a, _ in osrm.engine.asked} == {"full"}
    assert osrm.durations(request_) == {"durations": [1.0, None, 9.0]}
    osrm.engine.asked.clear()
    assert osrm.table(request_)["seconds"] > 0
    assert osrm.engine.asked[0][0].coordinates == [(1.0, 2.0), (5.0, 6.0), (9.0, 0.0)]


def test_programs_of_osrm(osrm: worker.Osrm) -> None:
    """Where they lie, and how the data are made."""
    assert osrm.binary({"name": "osrm-routed"})["path"].endswith("osrm/bin/osrm-routed")
    with pytest.raises(FileNotFoundError):
        osrm.binary({"name": "osrm-nothing"})
    extract, contract = osrm.commands({"folder": "/data", "threads": 3})["commands"]
    assert extract[1:3] == contract[1:3] == ["-t", "3"]
    assert extract[-1] == "/data/map.osm.pbf"
    assert contract[-1] == "/data/map.osrm"


def test_threads_share_the_work() -> None:
    """Each item is worked on once."""
    done: list[int] = []
    seconds = worker.timed_in_threads(done.extend, range(10), 3)
    assert sorted(done) == list(range(10))
    assert seconds > 0


def ask(name: str, *lines: str) -> list[dict[str, Any]]:
    run = subprocess.run(
        [sys.executable, str(WORKER), name],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_what_is_installed() -> None:
    """One object, of names that there is a class for."""
    (found,) = ask("installed")
    assert set(found) <= set(worker.ENGINES) == set(worker.PACKAGES)


def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request is answered, with an error."""
    if "osrm" in ask("installed")[0]:
        pytest.skip("osrm-bindings is installed")
    answers = ask("osrm", '{"do": "open", "folder": "/"}', '{"do": "route"}')
    assert [list(answer) for answer in answers] == [["error"], ["error"]]
    assert "No module named 'osrm'" in answers[0]["error"]


def test_it_needs_nothing_of_ours() -> None:
    """Another Python that has only the engine and NumPy can run it."""
    text = WORKER.read_text()
    for layer in ("gis", "routing", "server"):
        assert f"import {layer}" not in text
        assert f"from {layer}" not in text
