"""Live speeds of ``whimbrel serve`` with several worker processes, which are killed, too."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

TOKEN = "a-token-of-24-characters"
SPEEDS = "/live/v1/car/speeds"
ROUTE = "/route/v1/car/24.94,60.167;24.95,60.175?overview=false&annotations=nodes,datasources"


class Server:
    """A running server."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.port = int(line.split("127.0.0.1:")[1].split("/")[0])

    def ask(
        self, method: str, target: str, body: Any = None
    ) -> tuple[int, dict[str, Any], dict[str, str]]:
        headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request(method, target, body and json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read()), dict(response.getheaders())

    def put(self, speeds: list[dict[str, Any]]) -> int:
        status, answer, _ = self.ask("PUT", SPEEDS, {"speeds": speeds})
        assert status == 200 and answer["unknown"] == 0, answer
        return int(answer["weights"])

    def workers(self) -> set[int]:
        """The process ids of all workers, asked until both have answered."""
        found: set[int] = set()
        deadline = time.monotonic() + 20
        while len(found) < 2 and time.monotonic() < deadline:
            found.add(self.ask("GET", "/health")[1]["process"])
        return found

    def end(self, how: int = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=30)


@pytest.fixture
def serve(
    command: Callable[..., list[str]],
    environment: dict[str, str],
    dataset: Path,
    tmp_path: Path,
) -> Iterator[Callable[[], Server]]:
    """Starts servers of one dataset, and sees to it that they end."""
    path = tmp_path / "city.whimbrel"
    shutil.copytree(dataset, path)
    servers = []

    def start() -> Server:
        arguments = command("serve", path, "--port", "0", "--workers", "2")
        servers.append(Server(arguments, environment | {"WHIMBREL_ADMIN_TOKEN": TOKEN}))
        return servers[-1]

    yield start
    for server in servers:
        server.end()


def route(server: Server) -> tuple[str, float, list[list[int]]]:
    """The weights that a route names, how long it takes, and its pieces."""
    _, answer, headers = server.ask("GET", ROUTE)
    (leg,) = answer["routes"][0]["legs"]
    nodes = leg["annotation"]["nodes"]
    return headers["whimbrel-weights"], leg["duration"], [[a, b] for a, b in pairwise(nodes)]


def test_all_workers_and_restarts(serve: Callable[[], Server]) -> None:
    """What is put in force is in force for every worker at once, and after every end of them."""
    server = serve()
    number, before, pieces = route(server)
    assert number == "0"
    closed = [{"nodes": piece, "speed": 0} for piece in pieces[len(pieces) // 2 :][:5]]
    assert server.put(closed) == 1
    found = {route(server)[:2] for _ in range(50)}
    assert len(found) == 1 and found.pop()[0] == "1"
    after = route(server)[1]
    assert after > before
    assert not any([a, b] in (row["nodes"] for row in closed) for a, b in route(server)[2])

    first = server.workers()
    os.kill(min(first), signal.SIGKILL)
    deadline = time.monotonic() + 10
    while len(server.workers() | first) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert {route(server)[:2] for _ in range(30)} == {("1", after)}
    assert server.put([]) == 2 and {route(server)[:2] for _ in range(30)} == {("2", before)}
    assert server.put(closed) == 3

    server.end(signal.SIGKILL)
    again = serve()
    assert {route(again)[:2] for _ in range(30)} == {("3", after)}
    again.end()
    last = serve()
    assert {route(last)[:2] for _ in range(30)} == {("3", after)}
    assert last.ask("DELETE", SPEEDS)[1]["weights"] == 4
    assert {route(last)[:2] for _ in range(30)} == {("4", before)}
