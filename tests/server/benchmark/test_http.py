"""The benchmark of the server: real servers, checked answers, and none that is left running."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gis.errors import ResourceError
from gis.polyline import decode_polyline, encode_polyline
from server.benchmark import http
from server.benchmark.check import WrongAnswer
from server.benchmark.http import KINDS, bench_http, our_server, peer_server
from server.benchmark.load import Response, fetch, request
from server.benchmark.measure import Subject, no_progress
from server.benchmark.peers.peer import PeerFailed
from server.benchmark.processes import descendants
from server.benchmark.results import OURS

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

ROUTED = """#!{python}
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = json.dumps({answer}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

assert sys.argv[-1].endswith("map.osrm")
port = int(sys.argv[sys.argv.index("--port") + 1])
ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


class FakePeer:
    """A peer with a program that serves."""

    name = "OSRM"
    abilities = frozenset({"binary"})
    failed = ""

    def __init__(self, folder: Path, answer: str) -> None:
        self.data = folder
        self.program = folder / "osrm-routed"
        self.program.write_text(ROUTED.format(python=sys.executable, answer=answer))
        self.program.chmod(0o755)

    def prepare(self, extract: Path, threads: int = 1) -> None:
        """Nothing is to be done."""

    def ask(self, do: str, **request: object) -> dict[str, Any]:
        """Where the program lies."""
        assert (do, request) == ("binary", {"name": "osrm-routed"})
        return {"path": str(self.program)}


@pytest.fixture
def subject(sample: Path, dataset: Path, tmp_path: Path) -> Subject:
    """The sample with few pairs, its dataset already built."""
    found = Subject(sample, tmp_path, repeat=1, workers=2, n_pairs=10, n_checked=5)
    found.__dict__["dataset"] = dataset
    return found


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads of a moment."""
    monkeypatch.setattr(http, "load_seconds", lambda subject: 0.05)


@pytest.fixture
def alone() -> Callable[[], bool]:
    """Whether this process has no more others below it than before."""
    before = set(descendants(os.getpid()))
    return lambda: set(descendants(os.getpid())) <= before


def test_figures(subject: Subject, alone: Callable[[], bool]) -> None:
    """Three of each kind of request; what was checked is said."""
    seen: list[str] = []
    found = bench_http(subject, [], lambda what, *_: seen.append(what))
    assert len(found.figures) == 3 * len(KINDS)
    for figure in found.figures:
        assert (figure.group, figure.contender, figure.runs) == ("http", OURS, 1)
        assert figure.value > 0
    by_name = {figure.name: figure.value for figure in found.figures}
    for kind in KINDS:
        assert by_name[f"{kind.name}, latency"] <= by_name[f"{kind.name}, latency of 99 %"]
        assert by_name[f"{kind.name}, requests a second"] > 1
    assert "10 requests over HTTP (route)" in "\n".join(found.checks)
    assert "2 processes with 8 connections each" in "\n".join(found.notes)
    assert "http: checking nearest" in seen
    assert alone()


@pytest.fixture(scope="module")
def served(dataset: Path) -> Iterator[int]:
    """The port of a server over the sample."""
    with our_server(dataset, 1) as port:
        yield port


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_wrong_answers_are_found(
    kind: http.Kind, subject: Subject, served: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second more, or no answer, and no figure is given."""

    def falsified(port: int, requests: list[bytes]) -> list[Response]:
        answers = fetch(port, requests)
        body = json.loads(answers[-1].body)
        if "routes" in body:
            body["routes"][0]["duration"] += 0.2
        elif "durations" in body:
            body["durations"][1][0] += 0.2
        else:
            body["waypoints"][0]["distance"] += 0.2
        return [*answers[:-1], Response(200, json.dumps(body).encode())]

    servers, found = http._checked(subject, kind, served, {})
    assert len(servers[0].requests) == len(servers[0].answers) > 0
    assert len(found.checks) == 1
    monkeypatch.setattr(http, "fetch", falsified)
    with pytest.raises(WrongAnswer, match=r"/v1/driving/.* the engine says"):
        http._checked(subject, kind, served, {})
    monkeypatch.setattr(http, "fetch", lambda port, all_: [Response(404, b"{}")] * len(all_))
    with pytest.raises(WrongAnswer, match="status 404"):
        http._checked(subject, kind, served, {})


@pytest.mark.parametrize("spoil", ["a point more", "a point moved", "none"])
def test_geometry_is_compared(
    spoil: str, subject: Subject, served: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Duration and distance may be right, and the line wrong."""

    def falsified(port: int, requests: list[bytes]) -> list[Response]:
        answers = fetch(port, requests)
        body = json.loads(answers[-1].body)
        lon, lat = decode_polyline(body["routes"][0].pop("geometry"))
        if spoil == "a point more":
            lon, lat = np.append(lon, lon[-1]), np.append(lat, lat[-1])
        lat[len(lat) // 2] += 2e-5 * (spoil == "a point moved")
        if spoil != "none":
            body["routes"][0]["geometry"] = encode_polyline(lon, lat)
        return [*answers[:-1], Response(200, json.dumps(body).encode())]

    (kind,) = (kind for kind in KINDS if kind.name == "route with its geometry")
    monkeypatch.setattr(http, "fetch", falsified)
    with pytest.raises(WrongAnswer, match=r"/route/v1/driving/.*overview=full: .* geometry"):
        http._checked(subject, kind, served, {})


@pytest.mark.parametrize("spoil", ["type", "distance"])
def test_steps_are_compared(
    spoil: str, subject: Subject, served: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All else may be right, and a step wrong."""

    def falsified(port: int, requests: list[bytes]) -> list[Response]:
        answers = fetch(port, requests)
        body = json.loads(answers[-1].body)
        step = body["routes"][0]["legs"][0]["steps"][0]
        if spoil == "type":
            step["maneuver"]["type"] = "turn"
        else:
            step["distance"] += 0.2
        return [*answers[:-1], Response(200, json.dumps(body).encode())]

    (kind,) = (kind for kind in KINDS if kind.name == "route with geometry and steps")
    monkeypatch.setattr(http, "fetch", falsified)
    with pytest.raises(WrongAnswer, match=r"steps=true: .*, the engine says"):
        http._checked(subject, kind, served, {})


@pytest.fixture
def routes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """One kind of request is enough."""
    monkeypatch.setattr(http, "KINDS", KINDS[:1])


@pytest.mark.usefixtures("routes_alone")
def test_beside_another(subject: Subject, tmp_path: Path, alone: Callable[[], bool]) -> None:
    """The other one gets the same requests; it ends in the end."""
    found = bench_http(subject, [FakePeer(tmp_path, '{"code": "Ok"}')], no_progress)
    for figure in found.figures:
        assert figure.contender in (OURS, "OSRM")
    assert len(found.figures) == 2 * 3
    assert alone()


@pytest.mark.usefixtures("routes_alone")
def test_another_that_cannot_answer(subject: Subject, tmp_path: Path) -> None:
    """It is left out, and a note says why."""
    found = bench_http(subject, [FakePeer(tmp_path, '{"code": "NoRoute"}')], no_progress)
    assert {figure.contender for figure in found.figures} == {OURS}
    assert "OSRM has no answer to 10 requests (route)" in "\n".join(found.notes)


@pytest.mark.usefixtures("routes_alone")
@pytest.mark.parametrize("ending", ["import sys; sys.exit('no such map')", "1 / 0"])
def test_another_that_does_not_start(ending: str, subject: Subject, tmp_path: Path) -> None:
    """Its last words are told."""
    peer = FakePeer(tmp_path, "0")
    peer.program.write_text(f"#!{sys.executable}\n{ending}\n")
    with pytest.raises(ResourceError, match=r"no such map|division by zero"), peer_server(peer, 1):
        pass
    found = bench_http(subject, [peer], no_progress)
    assert {figure.contender for figure in found.figures} == {OURS}
    assert "left out" in found.notes[0]


def test_our_server_ends(dataset: Path, alone: Callable[[], bool]) -> None:
    """However its use ends."""
    with our_server(dataset, 1) as port:
        target = "/nearest/v1/driving/24.94,60.167"
        assert fetch(port, [request(target)])[0].status == 200
    assert alone()
    with pytest.raises(KeyboardInterrupt), our_server(dataset, 1):
        raise KeyboardInterrupt
    assert alone()


def test_a_dataset_that_is_not_there(tmp_path: Path) -> None:
    """The server's reason is given."""
    with (
        pytest.raises(ResourceError, match="no such dataset"),
        our_server(tmp_path / "no.whimbrel", 1),
    ):
        pass


def test_a_peer_under_load(subject: Subject) -> None:
    """If it fails there it is the peer that has failed."""
    server = http.Served("OSRM", 1, [request("/")], [Response(200, b"")])
    with pytest.raises(PeerFailed, match="OSRM: port 1: no connection"):
        http._load(server, 0.1)
