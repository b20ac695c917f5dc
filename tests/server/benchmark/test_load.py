"""The load generator against small servers that do all sorts of things."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from server.benchmark import load
from server.benchmark.load import Load, LoadError, Response, fetch, put_load, request

Reply = Callable[[int, bytes], bytes | None]
"""What to answer, of how many requests there were on this connection and the request's head."""

REQUESTS = [request(f"/{number}") for number in range(5)]


def well(count: int, head: bytes) -> bytes:
    """The path as the body."""
    body = head.split()[1] * 3
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


class Server:
    """Answers in a thread; a reply of None closes the connection."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self.connections = 0
        self.most = 0
        self._open = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open += 1
        self.most = max(self.most, self._open)
        try:
            await self.answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            self._open -= 1
            writer.transport.abort()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        count = 0
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            data = self._reply(count, head)
            count += 1
            if data is None:
                return
            # In two pieces, as networks may deliver it.
            writer.write(data[: len(data) // 2])
            await writer.drain()
            await asyncio.sleep(0)
            writer.write(data[len(data) // 2 :])
            await writer.drain()


@pytest.fixture
def serve() -> Iterator[Callable[[Reply], tuple[Server, int]]]:
    """Starts servers, and says on which port they are."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    started = []

    def start(reply: Reply) -> tuple[Server, int]:
        server = Server(reply)
        coroutine = asyncio.start_server(server.handle, "127.0.0.1", 0)
        listening = asyncio.run_coroutine_threadsafe(coroutine, loop).result(10)
        started.append(listening)
        return server, listening.sockets[0].getsockname()[1]

    yield start

    async def stop() -> None:
        for listening in started:
            listening.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0.01)  # transports close a moment later

    asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def closing(count: int, head: bytes) -> bytes | None:
    """Every third request meets a closed connection."""
    return well(count, head) if count < 3 else None


def test_fetch(serve: Callable[[Reply], tuple[Server, int]]) -> None:
    """One answer to each, in order, over one connection."""
    server, port = serve(well)
    assert fetch(port, REQUESTS) == [
        Response(200, f"/{number}/{number}/{number}".encode()) for number in range(5)
    ]
    assert server.connections == 1


def test_load(serve: Callable[[Reply], tuple[Server, int]]) -> None:
    """Connections stay open; rate and latencies belong together."""
    server, port = serve(well)
    answers = fetch(port, REQUESTS)
    found = put_load(port, REQUESTS, answers, 0.3, processes=2, connections=3)
    assert server.connections == 1 + 6
    assert server.most >= 6
    assert found.rate > 10
    assert len(found.latencies_s) == pytest.approx(0.3 * found.rate, rel=0.5)
    assert found.latencies_s == sorted(found.latencies_s)
    assert 0 < found.share(0.5) <= found.share(0.99) <= found.share(1.0) == found.latencies_s[-1]


def test_shares() -> None:
    """Half of the answers are there within the median."""
    found = Load(1.0, [float(number) for number in range(1, 101)])
    assert found.share(0.0) == 1
    assert found.share(0.5) == 51
    assert found.share(0.99) == 100


def test_a_server_that_closes_connections(serve: Callable[[Reply], tuple[Server, int]]) -> None:
    """Others are opened: nothing is lost."""
    server, port = serve(closing)
    answers = fetch(port, REQUESTS)
    assert [answer.status for answer in answers] == [200] * 5
    found = put_load(port, REQUESTS, answers, 0.3, processes=1, connections=2)
    assert server.connections >= len(found.latencies_s) / 3


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (lambda count, head: None, "closes connections without an answer"),
        (lambda count, head: b"SSH-2.0\r\n\r\n", "no HTTP"),
        (lambda count, head: b"HTTP/1.1 200 OK\r\n\r\n", "no HTTP"),
        (lambda count, head: b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "no HTTP"),
    ],
)
def test_bad_servers(
    reply: Reply, message: str, serve: Callable[[Reply], tuple[Server, int]]
) -> None:
    """What is wrong is one line, here and from the processes that make the load."""
    _, port = serve(reply)
    with pytest.raises(LoadError, match=message):
        fetch(port, REQUESTS)
    with pytest.raises(LoadError, match=message):
        put_load(port, REQUESTS, [Response(200, b"")] * 5, 0.2)


@pytest.mark.parametrize("status", [200, 500])
def test_other_answers_under_load(
    status: int, serve: Callable[[Reply], tuple[Server, int]]
) -> None:
    """An answer that differs from the one that was checked ends it; so does a status."""
    _, port = serve(well)
    answers = fetch(port, REQUESTS)
    _, port = serve(
        lambda count, head: well(count, head).replace(
            *((b"/3", b"/4") if status == 200 else (b"200", b"500"))
        )
    )
    with pytest.raises(LoadError, match="another answer under load") as raised:
        put_load(port, REQUESTS, answers, 5.0)
    assert "/3:" in str(raised.value) if status == 200 else "(500)" in str(raised.value)


def test_a_silent_server(
    serve: Callable[[Reply], tuple[Server, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not waited for without end."""
    monkeypatch.setattr(load, "_SILENT_S", 0.2)
    _, port = serve(lambda count, head: b"")
    with pytest.raises(LoadError, match="no answer for"):
        fetch(port, REQUESTS)


def test_nobody_there() -> None:
    """The port is named."""
    with pytest.raises(LoadError, match="port 1: no connection"):
        fetch(1, REQUESTS)
    with pytest.raises(LoadError, match="port 1: no connection"):
        put_load(1, REQUESTS, [Response(200, b"")] * 5, 0.2, processes=2)


def test_no_process_is_left(serve: Callable[[Reply], tuple[Server, int]]) -> None:
    """Neither after the end nor after an interrupt."""
    _, port = serve(well)
    answers = fetch(port, REQUESTS)
    before = children()
    put_load(port, REQUESTS, answers, 0.1, processes=2)
    assert children() == before
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), 2))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        put_load(port, REQUESTS, answers, 60.0, processes=2)
    timer.join()
    assert time.monotonic() - start < 30
    assert children() == before


def children() -> list[str]:
    """The processes of this thread."""
    with open(f"/proc/self/task/{threading.get_native_id()}/children") as file:
        return file.read().split()
