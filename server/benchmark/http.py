"""How many requests a second the server answers, and how long each takes, beside another one."""

import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from gis.errors import EngineError, ResourceError
from routing.engine import Engine
from server.benchmark.check import WrongAnswer
from server.benchmark.check_lines import check_polyline, line_of
from server.benchmark.load import LoadError, Response, fetch, put_load, request
from server.benchmark.measure import (
    Contender,
    Findings,
    Progress,
    Subject,
    prepared,
    take_turns,
)
from server.benchmark.peers.peer import Peer, PeerFailed
from server.benchmark.processes import last_line, whimbrel_command, whimbrel_environment
from server.benchmark.results import OURS, figure

GROUP = "http"
PROCESSES = 2
CONNECTIONS = 8
"""Of each process that makes the load."""
TABLE_SIDE = 10
_MAX_REQUESTS = 500
_START_S = 120.0
_STOP_S = 15.0
_HALF_A_DIGIT = 0.0501
"""Answers give tenths of a second."""

Body = dict[str, Any]


class Kind(NamedTuple):
    """A kind of request: ``target`` makes one of some points, ``check`` raises if a body is wrong.

    ``points`` is how many points each takes.
    """

    name: str
    points: int
    target: Callable[[str], str]
    check: Callable[[Engine, list[tuple[float, float]], Body], None]


class Served(NamedTuple):
    """A server with the requests to send and the answers that it has given to them before."""

    name: str
    port: int
    requests: list[bytes]
    answers: list[Response]


def bench_http(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
    """Start the servers, check what they answer, and put each under load in turn."""
    found = Findings(checks=[subject.checked])
    ready = prepared(subject, peers, "binary", found, progress)
    with ExitStack() as stack:
        progress(f"{GROUP}: starting the servers", 0, 1)
        ours = stack.enter_context(our_server(subject.dataset, subject.workers))
        ports: dict[str, int] = {}
        for peer in ready:
            try:
                ports[peer.name] = stack.enter_context(peer_server(peer, subject.workers))
            except EngineError as error:
                found.notes.append(f"{peer.name}: {error}: left out")
        for kind in KINDS:
            found.add(_bench_kind(subject, kind, ours, ports, progress))
    found.notes.append(
        f"{GROUP}: servers with {subject.workers} workers; the load comes from {PROCESSES}"
        f" processes with {CONNECTIONS} connections each on the same machine, and takes its share"
        " of the processors; latencies are those of one connection alone"
    )
    return found


def _bench_kind(
    subject: Subject, kind: Kind, ours: int, ports: dict[str, int], progress: Progress
) -> Findings:
    progress(f"{GROUP}: checking {kind.name}", 0, 1)
    served, found = _checked(subject, kind, ours, ports)
    seconds = load_seconds(subject)
    slowest: dict[str, list[float]] = {server.name: [] for server in served}

    def throughput(server: Served) -> float:
        return _load(server, seconds, PROCESSES, CONNECTIONS)[0]

    def latency(server: Served) -> float:
        _, median_s, most_s = _load(server, seconds)
        slowest[server.name].append(most_s)
        return median_s

    for name, unit, work in (
        (f"{kind.name}, requests a second", "1/s", throughput),
        (f"{kind.name}, latency", "s", latency),
    ):
        contenders = [Contender(server.name, partial(work, server)) for server in served]
        found.add(take_turns(GROUP, name, unit, contenders, subject.repeat, progress))
    found.figures += [
        figure(GROUP, f"{kind.name}, latency of 99 %", name, "s", runs[1:])
        for name, runs in slowest.items()
        if len(runs) > subject.repeat
    ]
    return found


def load_seconds(subject: Subject) -> float:
    """How long each run lasts: shorter where few pairs are asked for."""
    return 1.0 if subject.n_pairs >= 1000 else 0.3


def _load(
    server: Served, seconds: float, processes: int = 1, connections: int = 1
) -> tuple[float, float, float]:
    """Answers a second, median latency, and that within which 99 % were there."""
    try:
        load = put_load(*server[1:], seconds, processes, connections)
    except LoadError as error:
        if server.name == OURS:
            raise
        raise PeerFailed(f"{server.name}: {error}") from None
    return load.rate, load.share(0.5), load.share(0.99)


def _checked(
    subject: Subject, kind: Kind, ours: int, ports: dict[str, int]
) -> tuple[list[Served], Findings]:
    """The servers, each with the same requests, which all of them answer well."""
    found = Findings()
    flat = subject.pairs.reshape(-1, 2)
    n = min(len(flat) // kind.points, _MAX_REQUESTS)
    points = flat[: n * kind.points].reshape(n, kind.points, 2).tolist()
    targets = [kind.target(";".join(f"{lon:.6f},{lat:.6f}" for lon, lat in row)) for row in points]
    requests = [request(target) for target in targets]
    answers = fetch(ours, requests)
    for target, row, answer in zip(targets, points, answers, strict=True):
        try:
            kind.check(subject.engine, [(lon, lat) for lon, lat in row], _body(answer))
        except WrongAnswer as error:
            raise WrongAnswer(f"{target}: {error}") from None
    found.checks.append(
        f"{len(answers):,} requests over HTTP ({kind.name}): answers agree with the engine, and"
        " stay the same, byte for byte, under load"
    )
    theirs: dict[str, list[Response]] = {}
    for name, port in ports.items():
        try:
            theirs[name] = fetch(port, requests)
        except LoadError as error:
            found.notes.append(f"{name}: {error}: left out")
    good = [
        index
        for index in range(len(requests))
        if all(_is_ok(given[index]) for given in theirs.values())
    ]
    for name, given in theirs.items():
        lost = sum(not _is_ok(answer) for answer in given)
        if lost:
            found.notes.append(f"{name} has no answer to {lost} requests ({kind.name}): left out")
    if not good:
        theirs, good = {}, list(range(len(requests)))
    servers = [(OURS, ours, answers), *((name, ports[name], theirs[name]) for name in theirs)]
    return [
        Served(name, port, [requests[i] for i in good], [given[i] for i in good])
        for name, port, given in servers
    ], found


def _body(answer: Response) -> Body:
    try:
        found = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        found = None
    if answer.status != 200 or not isinstance(found, dict) or found.get("code") != "Ok":
        raise WrongAnswer(f"status {answer.status}: {answer.body[:80]!r}")
    return found


def _is_ok(answer: Response) -> bool:
    try:
        _body(answer)
    except WrongAnswer:
        return False
    return True


def _check_route(engine: Engine, points: list[tuple[float, float]], body: Body) -> None:
    (found,) = body["routes"]
    wanted = engine.route(points)
    _compare("duration", found["duration"], wanted.duration_s)
    _compare("distance", found["distance"], wanted.distance_m)


def _check_line(engine: Engine, points: list[tuple[float, float]], body: Body) -> None:
    _check_route(engine, points, body)
    check_polyline(body["routes"][0].get("geometry"), *line_of(engine.route(points)))


def _check_steps(engine: Engine, points: list[tuple[float, float]], body: Body) -> None:
    _check_line(engine, points, body)
    (wanted,), (found,) = engine.route(points).legs, body["routes"][0]["legs"]
    kinds = [step["maneuver"]["type"] for step in found["steps"]]
    wanted_kinds = [step.maneuver.type for step in wanted.steps]
    if kinds != wanted_kinds:
        raise WrongAnswer(f"maneuvers are {kinds}, the engine says {wanted_kinds}")
    for step, wanted_step in zip(found["steps"], wanted.steps, strict=True):
        _compare("distance of a step", step["distance"], wanted_step.distance_m)


def _check_table(engine: Engine, points: list[tuple[float, float]], body: Body) -> None:
    wanted = engine.table(points).duration_s
    for row, wanted_row in zip(body["durations"], wanted.tolist(), strict=True):
        for cell, wanted_cell in zip(row, wanted_row, strict=True):
            if (cell is None) != (wanted_cell != wanted_cell):
                raise WrongAnswer(f"a cell is {cell}, the engine says {wanted_cell}")
            if cell is not None:
                _compare("a cell", cell, wanted_cell)


def _check_nearest(engine: Engine, points: list[tuple[float, float]], body: Body) -> None:
    (found,) = body["waypoints"]
    (wanted,) = engine.nearest(*points[0])
    _compare("distance", found["distance"], wanted.distance_m)


def _compare(what: str, found: float, wanted: float) -> None:
    if not abs(found - wanted) <= _HALF_A_DIGIT:
        raise WrongAnswer(f"{what} is {found}, the engine says {wanted}")


_ROUTE = "/route/v1/driving/{}?generate_hints=false&overview="
KINDS = (
    Kind("route", 2, lambda at: _ROUTE.format(at) + "false", _check_route),
    Kind("route with its geometry", 2, lambda at: _ROUTE.format(at) + "full", _check_line),
    Kind(
        "route with geometry and steps",
        2,
        lambda at: _ROUTE.format(at) + "full&steps=true",
        _check_steps,
    ),
    Kind(
        f"table {TABLE_SIDE} x {TABLE_SIDE}",
        TABLE_SIDE,
        lambda at: f"/table/v1/driving/{at}?generate_hints=false",
        _check_table,
    ),
    Kind(
        "nearest",
        1,
        lambda at: f"/nearest/v1/driving/{at}?generate_hints=false",
        _check_nearest,
    ),
)


@contextmanager
def our_server(dataset: Path, workers: int) -> Iterator[int]:
    """Serve a dataset by the command line, as anybody would, and say the port."""
    command = whimbrel_command("serve", dataset, "--port", 0, "--workers", workers)
    with _running(command) as (process, log):
        deadline = time.monotonic() + _START_S
        while True:
            said = log.read_text()
            if "127.0.0.1:" in said and said.endswith("\n"):
                yield int(said.split("127.0.0.1:")[1].split("/")[0])
                return
            _wait_a_little(process, log, deadline)


@contextmanager
def peer_server(peer: Peer, workers: int) -> Iterator[int]:
    """Serve what ``osrm-routed`` has prepared, and say the port."""
    binary = peer.ask("binary", name="osrm-routed")["path"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    options = ("--ip", "127.0.0.1", "--port", port, "--threads", workers, "--verbosity", "ERROR")
    command = [binary, *options, peer.data / "map.osrm"]
    with _running(list(map(str, command))) as (process, log):
        deadline = time.monotonic() + _START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1.0).close()
                break
            except OSError:
                _wait_a_little(process, log, deadline)
        yield port


@contextmanager
def _running(command: Sequence[str]) -> Iterator[tuple["subprocess.Popen[bytes]", Path]]:
    """Run a server, and end it whatever happens; what it says is in the file."""
    with tempfile.TemporaryDirectory(prefix="whimbrel-bench-") as folder:
        log = Path(folder) / "log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=whimbrel_environment(),
            )
        try:
            yield process, log
        finally:
            _stop(process)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except BaseException as error:
        process.kill()
        process.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise


def _wait_a_little(process: "subprocess.Popen[bytes]", log: Path, deadline: float) -> None:
    if process.poll() is not None:
        raise ResourceError(f"the server ended: {last_line(log.read_text(errors='replace'))}")
    if time.monotonic() > deadline:
        raise ResourceError(f"the server was not ready after {_START_S:.0f} s")
    time.sleep(0.02)
