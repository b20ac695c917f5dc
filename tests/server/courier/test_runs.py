"""What becomes of those who solve: with the reader, with the server, or killed."""

import http.client
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from serving import serving

pytestmark = pytest.mark.compiled

HELSINKI = [[24.941, 60.172], [24.935, 60.168], [24.948, 60.165], [24.926, 60.163]]
PATH = "/courier/v1/driving"
JSON = {"content-type": "application/json"}
MARK = b"SERVER_OF_TEST=%d" % os.getpid()


def problem(seconds: float) -> bytes:
    a, b, c, d = HELSINKI
    parcels = [(c, d), (d, b), (b, c)]
    return json.dumps(
        {
            "vehicles": [{"id": 1, "start": a, "end": b}],
            "shipments": [
                {"pickup": {"id": i, "location": p}, "delivery": {"id": i, "location": q}}
                for i, (p, q) in enumerate(parcels)
            ],
            "options": {"seconds": seconds},
        }
    ).encode()


def marked(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server whose processes are known by it."""
    name, value = MARK.decode().split("=")
    return {**environment, name: value}


@pytest.fixture(scope="module")
def server(
    command: Callable[..., list[str]],
    environment: Mapping[str, str],
    dataset: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    log = tmp_path_factory.mktemp("courier") / "log.txt"
    with serving(command, marked(environment), dataset, log) as url:
        yield url
    assert "Traceback" not in log.read_text()


def connect(url: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)


def begin(url: str, seconds: float) -> tuple[http.client.HTTPConnection, Any]:
    """A stream of events that has begun, once there is a place for it."""
    headers = JSON | {"accept": "text/event-stream"}
    for _ in range(20):
        connection = connect(url)
        connection.request("POST", PATH, problem(seconds), headers)
        response = connection.getresponse()
        if response.status != 429:
            break
        response.close()
        connection.close()
        time.sleep(0.1)
    assert response.status == 200
    assert response.readline() == b"event: progress\n"
    return connection, response


def free(url: str) -> bool:
    """Whether two more problems may be solved, as many as there may be at once."""
    streams = []
    try:
        for _ in range(2):
            connection = connect(url)
            headers = JSON | {"accept": "text/event-stream"}
            connection.request("POST", PATH, problem(5), headers)
            response = connection.getresponse()
            streams.append((connection, response))
            if response.status != 200:
                return False
            response.readline()
        return True
    finally:
        for connection, response in streams:
            response.close()
            connection.close()


def solvers() -> set[int]:
    """Processes of this module's servers that lead a session and have the lowest priority.

    The servers' environment tells their processes from all others, orphans too.
    """
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            is_ours = MARK in (folder / "environ").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        pid = int(folder.name) if folder.name.isdigit() else 0
        is_dead = fields[0] in "ZX"
        session, nice = int(fields[3]), int(fields[16])
        if is_ours and pid and pid == session and nice == 19 and not is_dead:
            found.add(pid)
    return found


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def test_the_first_plan_comes_soon(server: str) -> None:
    """Nothing is loaded or compiled for it."""
    begin(server, 0.3)[0].close()
    began = time.monotonic()
    connection, _ = begin(server, 5)
    took = time.monotonic() - began
    connection.close()
    assert took < 2, took


def test_whoever_leaves_ends_the_search(server: str) -> None:
    """Within a second, so that the next finds a place."""
    before = solvers()
    for _ in range(3):
        connection, response = begin(server, 30)
        (mine,) = solvers() - before
        response.close()
        connection.close()
        assert wait_until(lambda pid=mine: pid not in solvers(), 1.0)  # type: ignore[misc]
    assert wait_until(lambda: free(server), 5)


def test_whoever_waits_for_one_answer_may_leave_too(server: str) -> None:
    """As with events."""
    before = solvers()
    connection = connect(server)
    connection.request("POST", PATH, problem(30), JSON)
    assert wait_until(lambda: len(solvers() - before) == 1, 5)
    connection.close()
    assert wait_until(lambda: not solvers() - before, 1.0)


def test_a_solver_that_is_killed(server: str) -> None:
    """Its request is told so, and the next is answered."""
    before = solvers()
    connection, response = begin(server, 30)
    (mine,) = solvers() - before
    os.kill(mine, signal.SIGKILL)
    rest = response.read().decode()
    assert rest.split("event: ")[-1].startswith("error\n")
    told = json.loads(rest.split("data: ")[-1])
    assert told["code"] == "SolverFailed" and "memory" in told["message"]
    connection.close()
    with closing(connect(server)) as plain:
        plain.request("POST", PATH, problem(30), JSON)
        assert wait_until(lambda: bool(solvers() - before), 5)
        (mine,) = solvers() - before
        os.kill(mine, signal.SIGKILL)
        response = plain.getresponse()
        assert response.status == 503 and response.getheader("retry-after")
        assert json.loads(response.read()) == told
    with closing(connect(server)) as again:
        again.request("POST", PATH, problem(0.2), JSON)
        assert again.getresponse().status == 200


def test_a_solver_that_hangs(server: str) -> None:
    """It ends with its reader all the same."""
    before = solvers()
    connection, response = begin(server, 30)
    (mine,) = solvers() - before
    os.kill(mine, signal.SIGSTOP)
    response.close()
    connection.close()
    time.sleep(0.5)
    with suppress(ProcessLookupError):  # it may have been let go already
        os.kill(mine, signal.SIGCONT)
    assert wait_until(lambda: mine not in solvers(), 1.0)


def test_one_too_many(server: str) -> None:
    """The limit is one for all workers."""
    streams = [begin(server, 20) for _ in range(2)]
    for _ in range(6):
        connection = connect(server)
        connection.request("POST", PATH, problem(1), JSON)
        response = connection.getresponse()
        assert response.status == 429
        assert json.loads(response.read())["code"] == "Busy"
        connection.close()
    for connection, response in streams:
        response.close()
        connection.close()


def test_a_server_that_is_stopped_or_killed(
    command: Callable[..., list[str]],
    environment: Mapping[str, str],
    dataset: Path,
    tmp_path: Path,
) -> None:
    """Stopped, it tells the best plan so far; no solver stays, even of a worker that is killed."""
    before = solvers()
    log = tmp_path / "log.txt"
    with serving(command, marked(environment), dataset, log, n_workers=1) as url:
        connection, response = begin(url, 30)
        with closing(connect(url)) as health:
            health.request("GET", "/health")
            worker = json.loads(health.getresponse().read())["process"]
        os.kill(worker, signal.SIGKILL)
        assert wait_until(lambda: not solvers() - before, 1.0)
        response.close()
        connection.close()
        assert wait_until(lambda: free(url), 10)
        connection, response = begin(url, 30)
        began = time.monotonic()
    assert time.monotonic() - began < 10
    assert b"event: plan\n" in response.read()
    connection.close()
    assert wait_until(lambda: not solvers() - before, 1.0)
