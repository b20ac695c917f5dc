"""The parse benchmark over HTTP: what is answered while a run goes on, and what is streamed."""

import asyncio
import contextlib
import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from asgi import ask, ask_in_loop
from fake_engine import fake_state

from server.api.parse_benchmark import ParseService
from server.app import create_app
from server.benchmark.parse_files import RunFiles
from server.settings import Settings
from server.state import EngineState

BENCH = "/bench/v1/parse"


@pytest.fixture
def state(tmp_path: Path) -> EngineState:
    return fake_state(Settings(state_dir=str(tmp_path)))


@pytest.fixture
def files(tmp_path: Path) -> RunFiles:
    return RunFiles(tmp_path)


@contextlib.contextmanager
def a_run(files: RunFiles, run: str = "abc") -> Iterator[None]:
    """As if a run went on."""
    lock = files.take_lock()
    assert lock is not None
    files.begin({"event": "progress", "run": run, "percent": 0.0})
    yield
    os.close(lock)


def test_nothing_yet(state: EngineState) -> None:
    """There are no results, and nothing goes on."""
    response = ask(create_app(state), "GET", BENCH)
    assert response.status == 200
    assert response.json() == {"code": "Ok", "running": False, "progress": None, "results": []}
    assert response.headers["access-control-allow-origin"] == "*"
    assert ask(create_app(state), "HEAD", BENCH).status == 200


def test_while_one_goes_on(state: EngineState, files: RunFiles) -> None:
    """Its progress is told, and there is no other."""
    app = create_app(state)
    files.keep({"run": "old"})
    with a_run(files):
        busy = ask(app, "POST", BENCH)
        assert (busy.status, busy.json()["code"]) == (409, "Busy")
        found = ask(app, "GET", BENCH).json()
        assert found["running"] and found["progress"]["percent"] == 0
        files.tell({"event": "progress", "run": "abc", "percent": 50.0, "reader": "x"})
        assert ask(app, "GET", BENCH).json()["progress"]["percent"] == 50
    found = ask(app, "GET", BENCH).json()
    assert (found["running"], found["progress"]) == (False, None)
    assert found["results"] == [{"run": "old"}]


@pytest.mark.parametrize("query", ["repeat=0", "repeat=6", "repeat=x", "repeat="])
def test_wrong_numbers(state: EngineState, query: str) -> None:
    """A run is short."""
    response = ask(create_app(state), "POST", f"{BENCH}?{query}")
    assert (response.status, response.json()["code"]) == (400, "InvalidQuery")


def test_options_that_there_are_not(state: EngineState) -> None:
    """They are named rather than passed over."""
    response = ask(create_app(state), "POST", f"{BENCH}?repeats=5")
    assert response.status == 400
    assert response.json()["message"] == "unknown option 'repeats', expected repeat"


def test_a_burst_of_streams(state: EngineState) -> None:
    """No more are open than may be, however many come at once, and there is room again after."""
    app = create_app(state)

    async def burst(number: int) -> list[int]:
        asked = [
            ask_in_loop(app, "GET", f"{BENCH}/events", gone_after_s=0.5) for _ in range(number)
        ]
        return [response.status for response in await asyncio.gather(*asked)]

    async def two_bursts() -> None:
        statuses = await burst(100)
        assert (statuses.count(200), statuses.count(503)) == (64, 36)
        assert await burst(64) == [200] * 64

    asyncio.run(two_bursts())


def test_nowhere_to_keep_results(tmp_path: Path) -> None:
    """That is said in one line."""
    (tmp_path / "file").write_text("")
    app = create_app(fake_state(Settings(state_dir=str(tmp_path / "file" / "x"))))
    for method, target in (("GET", BENCH), ("POST", BENCH), ("GET", f"{BENCH}/events")):
        response = ask(app, method, target)
        assert (response.status, response.json()["code"]) == (400, "NotImplemented")
        assert "WHIMBREL_STATE_DIR" in response.json()["message"]
        assert str(tmp_path) not in response.json()["message"]


def test_a_folder_that_cannot_be_written_to(state: EngineState, tmp_path: Path) -> None:
    """That is said in one line, too."""
    (tmp_path / "parse-benchmark.lock").mkdir()
    response = ask(create_app(state), "POST", BENCH)
    assert (response.status, response.json()["code"]) == (400, "NotImplemented")
    assert "parse-benchmark.lock" in response.json()["message"]
    assert str(tmp_path) not in response.json()["message"]


def streamed(state: EngineState, meanwhile: Callable[[], Any]) -> list[dict[str, Any]]:
    """The events that a client sees to whom something happens."""

    async def listen() -> bytes:
        service = ParseService(state, os.getpid())
        response: Any = await service.events()
        assert response.media_type == "text/event-stream"
        parts = []
        happening: asyncio.Task[None] | None = None
        async for part in response.body_iterator:
            parts.append(part)
            if happening is None:
                happening = asyncio.create_task(asyncio.to_thread(meanwhile))
                happening.add_done_callback(lambda _: setattr(state, "stopping", True))
        assert happening is not None
        await happening
        return b"".join(parts)

    text = asyncio.run(listen()).decode()
    assert text.startswith("retry: ")
    found = []
    for block in text.split("\n\n")[1:]:
        if block:
            kind, data = block.split("\n")
            event = json.loads(data.removeprefix("data: "))
            assert kind == f"event: {event['event']}"
            found.append(event)
    return found


def test_events_of_a_run(state: EngineState, files: RunFiles) -> None:
    """Whoever listens is told of it from its beginning to its end."""

    def meanwhile() -> None:
        with a_run(files):
            time.sleep(0.5)
            files.tell({"event": "result", "run": "abc", "result": {}})
        time.sleep(0.5)

    assert [event["event"] for event in streamed(state, meanwhile)] == ["progress", "result"]


def test_events_of_a_killed_run(state: EngineState, files: RunFiles) -> None:
    """Its end is told, though it could not say anything, and once."""

    def meanwhile() -> None:
        with a_run(files):
            time.sleep(0.5)
        time.sleep(0.8)
        with a_run(files, "next"):
            time.sleep(0.5)
            files.tell({"event": "error", "run": "next", "message": "no"})
        time.sleep(0.5)

    events = [(event["event"], event["run"]) for event in streamed(state, meanwhile)]
    assert events == [
        ("progress", "abc"),
        ("error", "abc"),
        ("progress", "next"),
        ("error", "next"),
    ]


def test_old_runs_are_not_told(state: EngineState, files: RunFiles) -> None:
    """Only what goes on or begins is."""
    with a_run(files):
        files.tell({"event": "result", "run": "abc", "result": {}})
    assert streamed(state, lambda: time.sleep(0.5)) == []


def test_late_listeners(state: EngineState, files: RunFiles) -> None:
    """They are told how far the run is that goes on."""
    with a_run(files):
        files.tell({"event": "progress", "run": "abc", "percent": 40.0})
        events = streamed(state, lambda: time.sleep(0.5))
    assert [event["percent"] for event in events] == [0, 40]


def test_described(state: EngineState) -> None:
    """The document has the statuses that there are."""
    paths = ask(create_app(state), "GET", "/openapi.json").json()["paths"]
    assert set(paths[BENCH]) == {"get", "post"}
    started, told = paths[BENCH]["post"], paths[f"{BENCH}/events"]["get"]
    assert set(started["responses"]) >= {"202", "400", "409", "500"}
    assert set(told["responses"]) >= {"200", "400", "500", "503"}
    assert "409" not in told["responses"] and "200" not in started["responses"]


class Server:
    """A real one."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])

    def ask(self, method: str, target: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            connection.request(method, target)
            response = connection.getresponse()
            return response.status, json.loads(response.read())


@pytest.fixture
def server(
    dataset: Path, command: Callable[..., list[str]], environment: dict[str, str], tmp_path: Path
) -> Iterator[Server]:
    process = subprocess.Popen(
        command("serve", dataset, "--port", "0", "--workers", "2"),
        env=environment | {"WHIMBREL_STATE_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield Server(process)
    process.kill()
    process.communicate()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def process_of(run: str) -> int | None:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if run.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                return int(folder.name)
    return None


@pytest.mark.compiled
def test_the_worker_that_started_a_run_is_killed(server: Server) -> None:
    """The run goes on, and any other worker tells of it and keeps others from starting one."""
    status, started = server.ask("POST", f"{BENCH}?repeat=5")
    assert (status, started["code"]) == (202, "Ok")
    pid = process_of(started["run"])
    assert pid is not None
    os.kill(parent_of(pid), signal.SIGKILL)
    status, found = server.ask("POST", BENCH)
    assert (status, found["code"]) == (409, "Busy")
    deadline = time.monotonic() + 60
    while (answer := server.ask("GET", BENCH)[1])["running"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert [result["run"] for result in answer["results"]] == [started["run"]]


@pytest.mark.compiled
def test_a_server_that_stops(server: Server) -> None:
    """Neither a run nor a listener holds it up, and the run ends with it."""
    _, started = server.ask("POST", f"{BENCH}?repeat=5")
    listener = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    with contextlib.closing(listener):
        listener.request("GET", f"{BENCH}/events")
        response = listener.getresponse()
        assert response.readline().startswith(b"retry")
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(15) == 0
        assert time.monotonic() - begun < 10
    deadline = time.monotonic() + 5
    while process_of(started["run"]) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
