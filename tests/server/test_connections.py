"""Connections that are too slow or too many, over a real network."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
from serving import fake_serving

FAST = b"GET /route/v1/car/1,2;3,4 HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /route/v1/car HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
SETTINGS = {"head_s": 1, "body_s": 2, "max_connections": 20, "keep_alive_s": 4}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server with one worker that is quickly tired of waiting."""
    with fake_serving(1, **SETTINGS) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def ended_after(sock: socket.socket, began: float, drip: bytes = b"") -> tuple[float, bytes]:
    """When the server ends the connection, and what it says; bytes drip in until then."""
    said = b""
    sock.settimeout(0.1)
    while time.monotonic() - began < 9:
        try:
            part = sock.recv(1 << 16)
        except TimeoutError:
            try:
                sock.sendall(drip)
            except OSError:
                break
            continue
        except ConnectionResetError:
            break
        if not part:
            break
        said += part
    return time.monotonic() - began, said


@pytest.mark.parametrize(
    ("start", "drip", "expected_s", "answer"),
    [
        (b"", b"", 1, b""),  # nothing at all
        (b"\r\n", b"\r\n", 1, b""),  # what may come before a request, and no request
        (b"GET /route", b"x", 1, b"408"),
        (FAST[:-2], b"X-Y: z\r\n", 1, b"408"),
        (POST + b"Content-Length: 1000\r\n\r\n", b" ", 2, b"408"),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 2, b"408"),
        (FAST + b"GET /route", b"x", 1, b"408"),  # after one that was answered
        (FAST + b"\r\n", b"\r\n", 1, b"408"),
    ],
)
def test_dripping(port: int, start: bytes, drip: bytes, expected_s: float, answer: bytes) -> None:
    """Whoever sends a request byte by byte is told so after its time, and cut off."""
    with connect(port) as sock:
        began = time.monotonic()
        sock.sendall(start)
        took_s, said = ended_after(sock, began, drip)
    answers = [part.split()[0] for part in said.split(b"HTTP/1.1 ")[1:]]
    assert answers == [b"200"] * start.count(FAST) + [answer] * bool(answer)
    assert expected_s <= took_s < expected_s + 3.0
    assert not answer or b'"TooSlow"' in said


def test_the_patient_are_served(port: int) -> None:
    """A request that comes in pieces but in time is answered, and so is one after a pause."""
    with connect(port) as sock:
        for piece in (FAST[:10], FAST[10:30], FAST[30:]):
            sock.sendall(piece)
            time.sleep(0.2)
        assert sock.recv(1 << 16).startswith(b"HTTP/1.1 200")
        time.sleep(2.5)  # longer than a head may take, but nothing has begun
        sock.sendall(FAST)
        assert sock.recv(1 << 16).startswith(b"HTTP/1.1 200")
        time.sleep(2.5)
        for piece in (FAST[:10], FAST[10:]):
            sock.sendall(piece)
            time.sleep(0.2)
        assert sock.recv(1 << 16).startswith(b"HTTP/1.1 200")


def test_too_many_connections(port: int) -> None:
    """Those beyond the limit are told so; when others have gone there is room again."""
    with ExitStack() as stack:
        socks = [stack.enter_context(closing(connect(port))) for _ in range(30)]
        time.sleep(0.3)
        answers = []
        for sock in socks:
            try:
                sock.sendall(FAST)
                answers.append(sock.recv(1 << 16)[9:12])
            except OSError:
                answers.append(b"cut")
        assert answers.count(b"200") == 20
        assert answers.count(b"503") == 10
    time.sleep(0.3)
    with connect(port) as sock:
        sock.sendall(FAST)
        assert sock.recv(1 << 16).startswith(b"HTTP/1.1 200")


def test_they_are_counted(port: int) -> None:
    """Whoever watches the server sees how many were sent away."""
    with connect(port) as sock:
        ended_after(sock, time.monotonic())
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    with closing(connection):
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    slow = text.split('whimbrel_connections_ended_total{reason="too_slow"} ')[1].split("\n")[0]
    assert float(slow) >= 1
    assert "\nwhimbrel_connections 1.0\n" in text
