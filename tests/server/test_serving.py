"""``whimbrel serve`` as a real process over a real dataset."""

import contextlib
import http.client
import json
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

ROUTE = "/route/v1/driving/24.94,60.167;24.95,60.175"


class Serving:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], line: str) -> None:
        self.process = process
        self.line = line
        self.port = int(line.split("127.0.0.1:")[1].split("/")[0])

    def get(self, target: str) -> dict:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", target)
            return json.loads(connection.getresponse().read())

    def stop(self) -> str:
        """What it has said on standard error."""
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=20)
        assert self.process.returncode == 0
        return said


@pytest.fixture
def serve(
    command: Callable[..., list[str]], environment: dict[str, str]
) -> Iterator[Callable[..., Serving]]:
    """Starts servers, and sees to it that they end."""
    processes = []

    def start(*arguments: object) -> Serving:
        process = subprocess.Popen(
            command("serve", *arguments, "--port", "0", "--workers", "2"),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return Serving(process, first_line(process.stdout, process))

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


def first_line(stream: IO[str] | None, process: subprocess.Popen[str]) -> str:
    assert stream is not None
    line = stream.readline()
    assert line, process.communicate()[1]
    return line


def test_serving_an_extract(
    serve: Callable[..., Serving],
    command: Callable[..., list[str]],
    environment: dict[str, str],
    sample: Path,
    tmp_path: Path,
) -> None:
    """It is built once, said so, and served; whoever comes second to the port is told."""
    extract = tmp_path / "city.osm.pbf"
    shutil.copy(sample, extract)
    first = serve(extract)
    assert "city.whimbrel is served at http://127.0.0.1:" in first.line
    answer = first.get(ROUTE)
    assert answer["code"] == "Ok"
    assert answer["routes"][0]["distance"] > 500
    assert len(first.get("/nearest/v1/car/24.945,60.17?number=3")["waypoints"]) == 3
    assert first.get("/health")["dataset"] == "city.whimbrel"

    second = subprocess.run(
        command("serve", extract, "--port", first.port),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert f"port {first.port}: something else is listening" in second.stderr

    assert "it has not been built yet" in first.stop()
    again = serve(extract)
    assert again.get(ROUTE) == answer
    assert "building" not in again.stop()


def test_serving_a_dataset(serve: Callable[..., Serving], dataset: Path) -> None:
    """The answers do not depend on the process that gives them."""
    server = serve(dataset)
    answers = [server.get(f"{ROUTE}?overview=full&annotations=true") for _ in range(8)]
    assert all(answer == answers[0] for answer in answers)
    assert server.get("/route/v1/car/24.94,60.167;24.95,60.175?radiuses=0;0")["code"] == "NoSegment"
    assert server.stop() == ""
