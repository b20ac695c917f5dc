"""A server that is told to stop under load: who was let in is answered, and nobody is cut off."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from server.processes.listening import bind, is_readable, let_nobody_begin

TESTS = Path(__file__).resolve().parent.parent
ROUNDS = 4

LINE = b"GET /route/v1/car/1,1;2,2 HTTP/1.1\r\nHost: x\r\n"
SHORT = LINE + b"\r\n"
LONG = LINE + b"TE: trailers\r\n\r\n"
"""What takes the long way."""
SLOW = b"GET /route/v1/car/60,2;3,4 HTTP/1.1\r\nHost: x\r\n\r\n"
"""What takes a second."""
OWN = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
BODY = b'{"coordinates":[[1,1],[2,2]]}'
POST = (
    b"POST /route/v1/car HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
)


class Stopped:
    """A server process with its port."""

    def __init__(self, workers: int, **settings: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(TESTS / "fake_server.py"), str(workers), json.dumps(settings)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def workers(self) -> list[int]:
        pid = self.process.pid
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def end(self) -> None:
        """Wait for its end, which is a good one."""
        _, said = self.process.communicate(timeout=20)
        assert (self.process.returncode, said) == (0, "")


@contextmanager
def server(workers: int, **settings: int) -> Iterator[Stopped]:
    found = Stopped(workers, **settings)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
            found.process.communicate()


class Talk:
    """A connection whose answers are read one by one."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.rest = b""

    def answer(self) -> bool:
        """Read an answer; whether another may be asked for."""
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(self.rest) < length:
            self._more()
        self.rest = self.rest[length:]
        is_last = b"\r\nconnection: close" in head.lower()
        assert not (is_last and b"\r\nkeep-alive:" in head.lower())
        return not is_last

    def ask(self, *parts: bytes) -> bool:
        for part in parts:
            self.socket.sendall(part)
            if len(parts) > 1:
                time.sleep(0.003)
        return self.answer()

    def _more(self) -> None:
        part = self.socket.recv(1 << 16)
        if not part:
            raise EOFError(f"no answer but {len(self.rest)} bytes")
        self.rest += part


def fresh(talk: Talk) -> None:
    """One request, and no more."""
    talk.ask(SHORT)


def steady(*requests: bytes, pause_s: float = 0.0) -> Callable[[Talk], None]:
    """Requests one after the other as long as the server lets one."""

    def go_on(talk: Talk) -> None:
        while all(talk.ask(request) for request in requests):
            time.sleep(random.uniform(0, pause_s))

    return go_on


def in_parts(talk: Talk) -> None:
    """Requests that come in piece by piece."""
    while talk.ask(SHORT[:20], SHORT[20:]) and talk.ask(POST[:40], POST[40:-9], POST[-9:]):
        pass


def pipelined(*requests: bytes) -> Callable[[Talk], None]:
    """Requests all at once; only behind the last of them may the server end the connection."""

    def go_on(talk: Talk) -> None:
        goes_on = True
        while goes_on:
            talk.socket.sendall(b"".join(requests))
            answers = [talk.answer() for _ in requests]
            assert all(answers[:-1])
            goes_on = answers[-1]

    return go_on


CLIENTS: Sequence[tuple[str, Callable[[Talk], None]]] = (
    ("fresh", fresh),
    ("fresh", fresh),
    ("short", steady(SHORT)),
    ("long", steady(LONG)),
    ("mixed", steady(SHORT, OWN, LONG, POST)),
    ("paced", steady(SHORT, LONG, pause_s=0.1)),
    ("parts", in_parts),
    ("pipelined short", pipelined(SHORT, SHORT, SHORT)),
    ("pipelined mixed", pipelined(LONG, POST, SHORT)),
)


class Load:
    """Clients that ask until nobody listens any more."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.connections: Counter[str] = Counter()
        self.failures: list[str] = []
        self._threads = [threading.Thread(target=self._ask, args=client) for client in CLIENTS]
        for thread in self._threads:
            thread.start()

    def _ask(self, name: str, use: Callable[[Talk], None]) -> None:
        while True:
            try:
                talk = Talk(self._port)
            except ConnectionRefusedError:
                return
            except OSError as error:
                self.failures.append(f"{name}: connecting: {error!r}")
                return
            with closing(talk.socket):
                try:
                    use(talk)
                except Exception as error:
                    self.failures.append(f"{name}: {error!r}")
            self.connections[name] += 1

    def end(self) -> None:
        for thread in self._threads:
            thread.join(timeout=20)
            assert not thread.is_alive()


@pytest.mark.parametrize("stop_delay_s", [0, 1])
def test_under_load(stop_delay_s: int) -> None:
    """Whenever it is told: no reset, and no request of a connection that was let in unanswered."""
    for _ in range(ROUNDS):
        with server(2, stop_delay_s=stop_delay_s) as stopped:
            load = Load(stopped.port)
            time.sleep(random.uniform(0.05, 0.4))
            stopped.stop()
            load.end()
            stopped.end()
            assert load.failures == []
            assert set(load.connections) == {name for name, _ in CLIENTS}


def test_at_its_very_beginning() -> None:
    """A signal that comes before a worker is ready does not kill it."""
    with server(2) as stopped:
        stopped.stop()
        stopped.end()


@pytest.mark.parametrize("workers", [1, 2])
def test_who_waits_to_be_let_in(workers: int) -> None:
    """Connections that the system has taken are answered, though no worker has seen them yet."""
    with server(workers) as stopped:
        pids = stopped.workers()
        time.sleep(0.3)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        talks = [Talk(stopped.port) for _ in range(50)]
        for talk in talks[:25]:
            talk.socket.sendall(SHORT)
        stopped.stop()
        time.sleep(0.1)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        for talk in talks[25:]:
            talk.socket.sendall(LONG)
        assert not any(talk.answer() for talk in talks)
        for talk in talks:
            assert talk.socket.recv(1) == b""
            talk.socket.close()
        stopped.end()


def test_what_is_idle_at_the_end() -> None:
    """A connection is ended once nothing has come for a while, and sooner if that was before."""
    with server(1) as stopped:
        new, used, begun, slow = (Talk(stopped.port) for _ in range(4))
        assert used.ask(SHORT)
        time.sleep(0.6)
        begun.socket.sendall(SHORT[:30])
        slow.socket.sendall(SLOW)
        assert used.ask(SHORT)
        told = time.monotonic()
        stopped.stop()
        ended = []
        for talk in (new, used):
            assert talk.socket.recv(1) == b""
            ended.append(time.monotonic() - told)
        assert 0.2 < ended[0] < ended[1] - 0.2
        assert 0.9 < ended[1] < 3
        assert not slow.answer(), "and whoever was asked before stopping says that it is the last"
        begun.socket.sendall(SHORT[30:])
        assert not begun.answer()
        for talk in (new, used, begun, slow):
            talk.socket.close()
        stopped.end()


def test_an_answer_to_who_goes_on_sending() -> None:
    """What comes behind the last answer does not cost its reader the answer."""
    with server(1, stop_delay_s=1) as stopped, closing(Talk(stopped.port).socket) as sock:
        sock.sendall(LONG)
        assert sock.recv(1 << 16)
        stopped.stop()
        time.sleep(0.1)
        sock.sendall(LONG)
        for _ in range(10):
            time.sleep(0.02)
            sock.sendall(LONG)  # which no reset answers
        said = b""
        while part := sock.recv(1 << 16):
            said += part
        assert said.count(b"HTTP/1.1 200 OK") == 1
        sock.close()
        stopped.end()


def test_one_worker_alone() -> None:
    """When one ends, the others still let everybody in, and another takes its place."""
    with server(2) as stopped:
        load = Load(stopped.port)
        time.sleep(0.2)
        victim, other = stopped.workers()
        os.kill(victim, signal.SIGTERM)
        deadline = time.monotonic() + 10
        while victim in stopped.workers() or len(stopped.workers()) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert other in stopped.workers()
        for _ in range(20):
            began = time.monotonic()
            with closing(Talk(stopped.port).socket) as sock:
                assert time.monotonic() - began < 0.9, "nobody is passed over, to try again later"
                sock.sendall(SHORT)
                assert sock.recv(1 << 16).startswith(b"HTTP/1.1 200 OK")
        stopped.stop()
        load.end()
        stopped.process.communicate(timeout=20)
        assert load.failures == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such filters")
def test_nobody_begins() -> None:
    """Who has connected can be let in; who begins is passed over, and refused at the end."""
    with bind("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=5) as early:
            early.sendall(b"hello")
            let_nobody_begin(sock)
            with pytest.raises(TimeoutError):
                socket.create_connection(("127.0.0.1", port), timeout=0.2)
            assert is_readable(sock.fileno())
            accepted, _ = sock.accept()
            with accepted:
                assert accepted.recv(10) == b"hello"
                accepted.sendall(b"and more")
                assert early.recv(10) == b"and more"
            assert not is_readable(sock.fileno())
        with socket.socket() as late:
            late.setblocking(False)
            with suppress(BlockingIOError):
                late.connect(("127.0.0.1", port))
            sock.close()
            late.settimeout(5)
            with pytest.raises(ConnectionError):
                late.recv(1)
