"""Connections are let in by the worker that has the fewest, over a real network."""

import json
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
from serving import fake_serving

from server.metrics import Metrics

WORKERS, CONNECTIONS, ROUNDS = 2, 8, 6


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with fake_serving(WORKERS) as port:
        yield port


def process_of(sock: socket.socket) -> int:
    """Which worker has a connection."""
    connection = HTTPConnection("127.0.0.1")
    connection.sock = sock
    connection.request("GET", "/health")
    return int(json.loads(connection.getresponse().read())["process"])


def connect_at_once(port: int, stack: ExitStack) -> list[socket.socket]:
    address = "127.0.0.1", port
    return [
        stack.enter_context(closing(socket.create_connection(address, timeout=10)))
        for _ in range(CONNECTIONS)
    ]


def test_those_who_come_together_are_shared_out(port: int) -> None:
    """Where all are taken by whoever wakes up first, hardly any round is like this.

    Not each one is: a worker that the system does not let run cannot take any.
    """
    even = 0
    for _ in range(ROUNDS):
        with ExitStack() as stack:
            owners = Counter(map(process_of, connect_at_once(port, stack)))
        even += sorted(owners.values()) == [CONNECTIONS // WORKERS] * WORKERS
        time.sleep(0.3)  # until all have seen that these have gone
    assert even >= ROUNDS - 2


def test_nobody_waits_for_a_worker_that_hangs(port: int) -> None:
    """It has the fewest connections, and never takes one."""
    with ExitStack() as stack:
        owners = set(map(process_of, connect_at_once(port, stack)))
    assert len(owners) == WORKERS
    time.sleep(0.3)
    hanging = min(owners)
    os.kill(hanging, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with ExitStack() as stack:
            asked = Counter(map(process_of, connect_at_once(port, stack)))
        assert asked == {max(owners): CONNECTIONS}
        assert time.monotonic() - began < 2
    finally:
        os.kill(hanging, signal.SIGCONT)


def test_who_has_most() -> None:
    """Connections that are made and those that are being made count, of workers that run."""
    metrics = Metrics(3)
    metrics.take_slot(0)
    assert metrics.excess_connections() == 0
    metrics.connections(5)
    metrics.connecting(2)
    assert metrics.excess_connections() == 0, "the others have not begun"
    metrics.take_slot(2)
    metrics.connections(4)
    assert metrics.excess_connections() == 0
    metrics.connections(9)
    assert metrics.excess_connections() == 2
    metrics.take_slot(1)
    assert metrics.excess_connections() == 0
    metrics.connections(1)
    assert metrics.excess_connections() == 0
