"""Several worker processes on one socket, as real processes."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gis.errors import ResourceError
from server.processes.listening import bind

TESTS = Path(__file__).resolve().parent.parent
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
FAST = "/route/v1/car/1,2;3,4?overview=false"
SLOW = "/route/v1/car/60,2;3,4?overview=false"


class Server:
    """A server process, asked over the loopback interface."""

    def __init__(self, workers: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(TESTS / "fake_server.py"), str(workers)],
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def get(self, target: str) -> dict:
        """The answer over a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", target)
            return json.loads(connection.getresponse().read())

    def workers(self) -> set[int]:
        """Process ids of the children."""
        pid = self.process.pid
        return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))

    def end(self) -> str:
        """What it said on standard error until it ended."""
        _, said = self.process.communicate(timeout=15)
        return said


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server(2)
    yield found
    if found.process.poll() is None:
        found.process.kill()
    found.process.communicate()


def wait_until(condition: Callable[[], bool], seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_every_worker_answers(server: Server) -> None:
    """Requests reach both processes, and none reaches the supervisor."""
    workers = server.workers()
    assert len(workers) == 2
    seen: set[int] = set()
    wait_until(lambda: seen.add(server.get("/health")["process"]) or seen == workers)


def test_a_killed_worker_is_replaced(server: Server) -> None:
    """The other goes on answering, and soon there are two again."""
    victim, other = server.workers()
    os.kill(victim, signal.SIGKILL)
    for _ in range(20):
        assert server.get(FAST)["code"] == "Ok"
    wait_until(lambda: len(server.workers()) == 2 and victim not in server.workers(), 3)
    assert other in server.workers()
    seen: set[int] = set()
    wait_until(lambda: seen.add(server.get("/health")["process"]) or seen == server.workers())
    server.process.send_signal(signal.SIGTERM)
    assert f"worker {victim} ended with status -9" in server.end()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_stopping_finishes_what_has_begun(server: Server, how: signal.Signals) -> None:
    """A request under way is answered, new ones are refused, and all processes end well."""
    workers = server.workers()
    answers: list[dict] = []
    asking = threading.Thread(target=lambda: answers.append(server.get(SLOW)))
    asking.start()
    time.sleep(0.4)
    server.process.send_signal(how)
    time.sleep(0.3)
    with pytest.raises(OSError):
        server.get(FAST)
    asking.join()
    assert answers[0]["code"] == "Ok"
    assert server.end() == ""
    assert server.process.returncode == 0
    assert not any(alive(pid) for pid in workers)


def test_a_slow_request_does_not_hold_up_others() -> None:
    """One worker answers quick requests while a slow one is searched for."""
    server = Server(1)
    asking = threading.Thread(target=server.get, args=(SLOW,))
    asking.start()
    time.sleep(0.2)
    started = time.monotonic()
    for _ in range(5):
        assert server.get(FAST)["code"] == "Ok"
    assert time.monotonic() - started < 0.5
    asking.join()
    server.process.send_signal(signal.SIGTERM)
    assert server.end() == ""


def test_workers_end_with_their_supervisor(server: Server) -> None:
    """None is left behind if the supervisor is killed."""
    workers = server.workers()
    server.process.kill()
    wait_until(lambda: not any(alive(pid) for pid in workers))


def test_a_second_signal_does_not_wait(server: Server) -> None:
    """Whoever is in a hurry says so twice."""

    def ask_in_vain() -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            server.get(SLOW)

    asking = threading.Thread(target=ask_in_vain)
    asking.start()
    time.sleep(0.3)
    started = time.monotonic()
    server.process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    server.process.send_signal(signal.SIGINT)
    server.end()
    assert time.monotonic() - started < 0.6
    asking.join()


FAILING_FORK = """
import errno, os, signal, sys, time
from server.processes.listening import bind
from server.processes.supervisor import Supervisor

fork, failures = os.fork, iter([False] * 2 + [True] * int(sys.argv[1]))

def unwilling():
    if next(failures, False):
        raise OSError(errno.EAGAIN, "no more processes")
    return fork()

os.fork = unwilling
def work(sock, link):
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    signal.pause()

supervisor = Supervisor(work, bind("127.0.0.1", 0), 2, 1.0)
supervisor.run(lambda: print(*supervisor.pids, flush=True))
"""


@pytest.mark.parametrize("failures", [2, 1000])
def test_a_fork_that_fails(failures: int) -> None:
    """It is tried again, and meanwhile the supervisor listens."""
    process = subprocess.Popen(
        [sys.executable, "-c", FAILING_FORK, str(failures)],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = set(map(int, process.stdout.readline().split()))
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

    def workers() -> set[int]:
        return set(map(int, children.read_text().split()))

    for pid in first:
        os.kill(pid, signal.SIGKILL)
    if failures == 2:
        wait_until(lambda: len(workers() - first) == 2)
    else:
        wait_until(lambda: not workers())
        time.sleep(1.0)
    started = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=10)
    assert process.returncode == 0
    assert time.monotonic() - started < 0.5
    # Pauses of 0.1, 0.2, 0.4 ... seconds: few attempts are made in vain.
    assert 2 <= said.count("cannot start a worker: no more processes") <= 6


def test_port_in_use() -> None:
    """Who comes second is told so in one line."""
    with bind("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(ResourceError, match=f"port {port}: something else is listening"):
            bind("127.0.0.1", port)


@pytest.mark.parametrize(
    "host",
    ["203.0.113.7", "no.such.host.invalid", "a b", "", "::1::", "é" * 70, "a..b", "a\0b", "\udc80"],
)
def test_bad_host(host: str) -> None:
    """An address that is not ours is told so in one line."""
    if not host:
        bind(host, 0).close()
        return
    with pytest.raises(ResourceError, match=f"cannot listen on {host} port 1: "):
        bind(host, 1)


def test_other_ways_to_say_here() -> None:
    """IPv6 works where the machine has it."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with bind("::1", 0) as sock:
        assert sock.family == socket.AF_INET6
