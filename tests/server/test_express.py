"""The short way answers as the long way does, and takes nothing that is special."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from fake_engine import fake_state

from server.api.osrm import OsrmServices
from server.transport.express import _REQUEST, _SPECIAL

TESTS = Path(__file__).resolve().parent.parent
ROUTE = b"/route/v1/car/1,1;2,2"
LONG = b"TE: trailers\r\n"
"""A header that asks for nothing, and is not plain."""


def start() -> tuple[subprocess.Popen[str], int]:
    """A server, which closes idle connections after 2 seconds, and its port."""
    process = subprocess.Popen(
        [sys.executable, str(TESTS / "fake_server.py"), "1"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a running server."""
    process, found = start()
    yield found
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)


class Talk:
    """A connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._rest = b""

    def ask(self, target: bytes, headers: bytes = b"", method: bytes = b"GET") -> "Answer":
        self.socket.sendall(
            method + b" " + target + b" HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n"
        )
        return self.answer(method != b"HEAD")

    def answer(self, with_body: bool = True) -> "Answer":
        """The next answer on the wire."""
        while b"\r\n\r\n" not in self._rest:
            self._more()
        head, self._rest = self._rest.split(b"\r\n\r\n", 1)
        status, *lines = head.split(b"\r\n")
        headers = dict(line.lower().split(b": ", 1) for line in lines)
        length = int(headers[b"content-length"]) if with_body else 0
        while len(self._rest) < length:
            self._more()
        body, self._rest = self._rest[:length], self._rest[length:]
        headers.pop(b"date")
        return status, headers, body

    def _more(self) -> None:
        part = self.socket.recv(1 << 16)
        assert part, "the server has closed the connection"
        self._rest += part


@pytest.fixture
def connect(port: int) -> Iterator[Callable[[], Talk]]:
    """Opens connections to the server."""
    with ExitStack() as opened:

        def one() -> Talk:
            talk = Talk(port)
            opened.callback(talk.socket.close)
            return talk

        yield one


Answer = tuple[bytes, dict[bytes, bytes], bytes]


@pytest.mark.parametrize(
    "target",
    [
        ROUTE,
        ROUTE + b"?overview=full&geometries=geojson",
        ROUTE + b".json",
        b"/route/v1/car/polyline(_ibE_ibE_ibE_ibE)",
        b"/route/v1/car/%31,1;2,2",
        ROUTE + b"?alternatives=true",
        ROUTE + b"?",
        ROUTE + b"?nonsense=1",
        b"/route/v1/plane/1,1;2,2",
        b"/route/v2/car/1,1;2,2",
        b"/route/v1/car/1,1",
        b"/route/v1/car/1,1;2,95",
        b"/nearest/v1/car/1,1?number=3",
        b"/table/v1/car/1,1;2,2;1,2",
        b"/isochrone/v1/car/1,1?contours_minutes=5",
        b"/route/v1/car/" + b";".join([b"1,1"] * 500),
        b"/route/v1/car/" + b";".join([b"1,1"] * 9000),
        b"/health",
        b"/nowhere",
    ],
)
@pytest.mark.parametrize(
    "headers", [b"", b"Accept-Encoding: gzip, deflate\r\n", b"Connection: Keep-Alive\r\n"]
)
def test_both_ways_say_the_same(connect: Callable[[], Talk], target: bytes, headers: bytes) -> None:
    """Status, headers and body, whatever is asked."""
    short, long = connect().ask(target, headers), connect().ask(target, headers + LONG)
    if target == b"/health":  # which tells the time
        short, long = (answer[:2] for answer in (short, long))  # type: ignore[assignment]
    assert short == long


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 0\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Expect: 100-continue\r\n",
        b"Connection: Upgrade\r\nUpgrade: h2c\r\n",
    ],
)
def test_what_is_special_is_understood(connect: Callable[[], Talk], headers: bytes) -> None:
    """A body that is announced is read: what follows it is the next request."""
    talk = connect()
    body = b"0\r\n\r\n" if b"chunked" in headers else b""
    talk.socket.sendall(b"GET " + ROUTE + b" HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n" + body)
    assert talk.answer()[0] == b"HTTP/1.1 200 OK"
    assert talk.ask(ROUTE)[0] == b"HTTP/1.1 200 OK"


def test_requests_in_any_packets(connect: Callable[[], Talk]) -> None:
    """Several in one packet and one in many, in their order."""
    talk = connect()
    one, two = (b"GET /route/v1/car/%d,1;2,2 HTTP/1.1\r\nHost: x\r\n\r\n" % lon for lon in (1, 3))
    alone = [talk.ask(b"/route/v1/car/%d,1;2,2" % lon) for lon in (1, 3)]
    talk.socket.sendall(one + two + one)
    assert [talk.answer() for _ in range(3)] == [*alone, alone[0]]
    for piece in (one[:5], one[5:40], one[40:-2], one[-2:] + two[:9], two[9:]):
        talk.socket.sendall(piece)
        time.sleep(0.02)
    assert [talk.answer() for _ in range(2)] == alone
    assert talk.ask(ROUTE, method=b"HEAD")[2] == b""
    assert talk.ask(ROUTE) == alone[0]


def test_a_connection_that_is_to_be_closed(connect: Callable[[], Talk]) -> None:
    """It is closed after the answer."""
    talk = connect()
    assert talk.ask(ROUTE, b"Connection: close\r\n")[1][b"connection"] == b"close"
    assert talk.socket.recv(1) == b""


def test_idle_connections_are_closed(connect: Callable[[], Talk]) -> None:
    """After the time set, counted from the last request of either way."""
    talk = connect()
    begin = time.monotonic()
    for headers in (b"", LONG, b"", b""):
        talk.ask(ROUTE, headers)
        time.sleep(0.8)
    assert time.monotonic() - begin > 3, "used all the while, and not closed"
    talk.ask(ROUTE)
    asked = time.monotonic()
    assert talk.socket.recv(1) == b""
    assert 1.5 < time.monotonic() - asked < 5


@pytest.mark.parametrize(
    "headers", [b"no colon\r\n", b" folded: x\r\n", b"a\x00b: x\r\n", b"x: \x01\r\n"]
)
def test_what_is_no_header(connect: Callable[[], Talk], headers: bytes) -> None:
    """It is refused as ever, not overlooked."""
    talk = connect()
    talk.socket.sendall(b"GET " + ROUTE + b" HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n")
    talk.socket.settimeout(2)
    assert not talk.socket.recv(1 << 12).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "headers",
    [
        b"Host: localhost:5000\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n",
        b"Host: a\r\nConnection: keep-alive\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
        b'sec-ch-ua: "Chromium";v="150"\r\nReferer: http://a/\r\nAccept-Language: de,en;q=0.9\r\n',
        b"host: a\r\naccept-encoding: identity\r\nx-empty:\r\n",
    ],
)
def test_ordinary_clients_go_the_short_way(headers: bytes) -> None:
    """What browsers and libraries send is plain."""
    request = _REQUEST.fullmatch(b"GET " + ROUTE + b"?steps=true HTTP/1.1\r\n" + headers + b"\r\n")
    assert request is not None and not _SPECIAL.search(request[2])


@pytest.mark.parametrize(
    ("path", "status", "times"),
    [("1,1;2,2", 200, 1), ("51,1;51,2", 400, 1), ("52,1;52,2", None, 1), ("1,95;2,2", 400, 0)],
)
def test_an_answer_is_worked_out_once(path: str, status: int | None, times: int) -> None:
    """Also one that says that there is no route; only faults of our own take the long way."""
    state = fake_state()
    engine, asked = state.engine, []
    find = engine.route
    engine.route = lambda *a, **b: (asked.append(a), find(*a, **b))[1]  # type: ignore[method-assign]
    found = OsrmServices(state).answer_at_once(b"/route/v1/car/" + path.encode(), 0, b"")
    assert (found and found[0]) == status
    assert len(asked) == times


def test_new_live_speeds_hold_up_nobody() -> None:
    """They are made ready in a thread, and whoever asks meanwhile is answered by them after."""
    state = fake_state()
    engine = cast("Any", state.engine)
    at_hand = threading.Event()

    def snapshot(profile: str) -> Any:
        if not at_hand.is_set():
            time.sleep(0.5)
            at_hand.set()
        return engine

    engine.is_current, engine.snapshot = lambda profile: at_hand.is_set(), snapshot
    assert OsrmServices(state).answer_at_once(ROUTE, 0, b"") is None

    async def longest_wait() -> float:
        asking = asyncio.gather(*(state.serving_soon("car") for _ in range(5)))
        longest, last = 0.0, time.monotonic()
        while not asking.done():
            await asyncio.sleep(0.01)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        assert {serving.profile for serving in asking.result()} == {"car"}
        return longest

    assert asyncio.run(longest_wait()) < 0.4
    assert OsrmServices(state).answer_at_once(ROUTE, 0, b"") is not None


@pytest.mark.parametrize("headers", [b"", LONG])
def test_connections_end_with_the_server(headers: bytes) -> None:
    """Who has its answer is told at once, by the end of the connection, and holds up nothing."""
    process, port = start()
    talk = Talk(port)
    for _ in range(3):
        assert talk.ask(ROUTE, headers)[0] == b"HTTP/1.1 200 OK"
    told = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert talk.socket.recv(1) == b""
    assert time.monotonic() - told < 1.5, "before it is idle for too long"
    talk.socket.close()
    process.communicate(timeout=10)
    assert process.returncode == 0
