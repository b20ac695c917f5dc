"""HTTP requests as fast as a server answers them, over connections that stay open.

Requests are made beforehand and answers are not parsed, so that the load takes as little as may be
of the processors that the server is to use. Every answer is compared, by its checksum, with the one
that was checked before. Run as a program, this is one of the processes that make the load.
"""

import json
import select
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO, Any, NamedTuple
from zlib import crc32

from gis.errors import EngineError
from server.benchmark.processes import whimbrel_environment

_RECEIVE_BYTES = 1 << 18
_SILENT_S = 30.0
_ERROR = "error: "
_END_OF_HEAD = b"\r\n\r\n"


class LoadError(EngineError):
    """A server that does not answer, or not as before."""


class Response(NamedTuple):
    """What a server says to one request."""

    status: int
    body: bytes


class Load(NamedTuple):
    """What came of a load: answers a second, and the seconds that each answer took, rising."""

    rate: float
    latencies_s: list[float]

    def share(self, share: float) -> float:
        """The seconds within which this share of all answers came."""
        return self.latencies_s[min(int(share * len(self.latencies_s)), len(self.latencies_s) - 1)]


def request(target: str) -> bytes:
    """A GET request for a path and query."""
    return f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


class _Connection:
    """A connection on which one request at a time is under way."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._received = bytearray()
        self._sent = b""
        self._fresh = True
        self._connect()

    def _connect(self) -> None:
        try:
            self.sock = socket.create_connection(("127.0.0.1", self._port), _SILENT_S)
        except OSError as error:
            raise LoadError(f"port {self._port}: no connection: {error.strerror}") from None
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._fresh = True

    def fileno(self) -> int:
        """The file to wait for."""
        return self.sock.fileno()

    def send(self, data: bytes) -> None:
        """Send a request, over a new connection if the server has closed this one."""
        self._sent = data
        self._received.clear()
        try:
            self.sock.sendall(data)
        except OSError:
            self._again()

    def _again(self) -> None:
        """Send once more: servers may close a connection between two requests, not before one."""
        self.sock.close()
        if self._fresh:
            raise LoadError(f"port {self._port}: the server closes connections without an answer")
        self._connect()
        try:
            self.sock.sendall(self._sent)
        except OSError as error:
            raise LoadError(f"port {self._port}: {error.strerror}") from None

    def receive(self) -> Response | None:
        """Take what has come: the answer if it is whole; none also after sending anew."""
        try:
            data = self.sock.recv(_RECEIVE_BYTES)
        except TimeoutError:
            raise LoadError(f"port {self._port}: no answer for {_SILENT_S:.0f} s") from None
        except ConnectionError:
            data = b""
        if not data:
            if self._received:
                raise LoadError(f"port {self._port}: the server closes amid an answer")
            self._again()
            return None
        self._received += data
        answer = _parse(self._received)
        self._fresh &= answer is None
        return answer

    def ask(self, data: bytes) -> Response:
        """Send a request and wait for its answer."""
        self.send(data)
        while True:
            answer = self.receive()
            if answer is not None:
                return answer


def _parse(received: bytearray) -> Response | None:
    """The answer that was received, if it is whole."""
    end = received.find(_END_OF_HEAD)
    if end < 0:
        return None
    head = bytes(received[:end]).lower()
    body = end + len(_END_OF_HEAD)
    try:
        _, status, *_ = head.split(b" ", 2)
        length = int(head.split(b"\r\ncontent-length:", 1)[1].split(b"\r\n", 1)[0])
        found = Response(int(status), bytes(received[body : body + length]))
    except (IndexError, ValueError):
        raise LoadError("the server answers what is no HTTP with a length") from None
    return found if len(found.body) == length else None


def fetch(port: int, requests: Sequence[bytes]) -> list[Response]:
    """The answers to some requests, one after another."""
    connection = _Connection(port)
    try:
        return [connection.ask(data) for data in requests]
    finally:
        connection.sock.close()


def put_load(
    port: int,
    requests: Sequence[bytes],
    answers: Sequence[Response],
    seconds: float,
    processes: int = 1,
    connections: int = 1,
) -> Load:
    """Ask for so many seconds in so many processes over so many connections each.

    ``answers`` are what is expected. Raises ``LoadError`` if other ones come.
    """
    job = {
        "port": port,
        "requests": [data.decode() for data in requests],
        "sums": [crc32(answer.body) for answer in answers],
        "seconds": seconds,
        "connections": connections,
    }
    started: list[subprocess.Popen[str]] = []
    try:
        for number in range(processes):
            first = number * len(requests) // processes
            process = _start(job | {"first": first})
            started.append(process)
        for process in started:
            _line(process)  # it is connected
        for process in started:
            _pipe(process.stdin).write("go\n")
            _pipe(process.stdin).flush()
        found = [json.loads(_line(process)) for process in started]
    finally:
        for process in started:
            process.kill()
            process.communicate()
    rate = sum(len(part["latencies"]) / part["seconds"] for part in found)
    return Load(rate, sorted(latency for part in found for latency in part["latencies"]))


def _start(job: dict[str, Any]) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "server.benchmark.load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=whimbrel_environment(),
        text=True,
    )
    try:
        _pipe(process.stdin).write(json.dumps(job) + "\n")
        _pipe(process.stdin).flush()
    except BaseException:
        process.kill()
        process.wait()
        raise
    return process


def _line(process: "subprocess.Popen[str]") -> str:
    """The next line of a process; an error that it tells is raised."""
    line = _pipe(process.stdout).readline()
    if not line or line.startswith(_ERROR):
        said = line.removeprefix(_ERROR).strip()
        raise LoadError(said or "a process that makes the load has ended")
    return line


def _pipe(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise ValueError("the process has no such pipe")
    return stream


def _shoot(job: dict[str, Any], connections: Sequence[_Connection]) -> dict[str, Any]:
    """Keep one request under way on every connection until the time is over."""
    requests = [data.encode() for data in job["requests"]]
    sums, following = job["sums"], job["first"]
    asked: dict[_Connection, tuple[int, float]] = {}
    latencies: list[float] = []

    def send(connection: _Connection) -> None:
        nonlocal following
        following = (following + 1) % len(requests)
        asked[connection] = (following, time.perf_counter())
        connection.send(requests[following])

    start = now = time.perf_counter()
    for connection in connections:
        send(connection)
    while now - start < job["seconds"]:
        ready, _, _ = select.select(connections, (), (), _SILENT_S)
        if not ready:
            raise LoadError(f"port {job['port']}: no answer for {_SILENT_S:.0f} s")
        for connection in ready:
            answer = connection.receive()
            now = time.perf_counter()
            if answer is None:
                continue
            index, sent = asked[connection]
            if answer.status != 200 or crc32(answer.body) != sums[index]:
                target = job["requests"][index].split()[1]
                raise LoadError(f"{target}: another answer under load ({answer.status})")
            latencies.append(now - sent)
            send(connection)
    return {"latencies": latencies, "seconds": now - start}


def _main() -> None:
    """Read a job, connect, wait for the word, and tell what came of it."""
    try:
        job = json.loads(sys.stdin.readline())
        connections = [_Connection(job["port"]) for _ in range(job["connections"])]
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        if sys.stdin.readline():
            sys.stdout.write(json.dumps(_shoot(job, connections)) + "\n")
    except LoadError as error:
        sys.stdout.write(f"{_ERROR}{error}\n")
    except KeyboardInterrupt:
        pass  # whoever has started us is told, too


if __name__ == "__main__":
    _main()
