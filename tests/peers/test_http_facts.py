"""The table of what OSRM answers to odd requests holds: osrm-routed is asked, and so are we."""

import http.client
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from asgi import ask
from osrm_facts import Fact, read_facts

from routing.engine import Engine
from server.app import create_app
from server.settings import Settings
from server.state import EngineState

FACTS = read_facts()


@pytest.fixture(scope="module")
def app(porto: Path, engine_on: Callable[[Path], Engine]) -> Iterator[Any]:
    """Our server on the same map."""
    yield create_app(EngineState(engine_on(porto), porto, Settings()))


def ask_osrm(port: int, fact: Fact) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with closing(connection):
        body = fact.body or (b"" if fact.method == "POST" else None)
        connection.request(fact.method, fact.target, body, fact.headers)
        response = connection.getresponse()
        return response.status, response.read()


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_fact(osrm_port: int, app: Any, fact: Fact) -> None:
    """OSRM answers as the table has it, and we as it is said there."""
    assert fact.told(*ask_osrm(osrm_port, fact)) == fact.osrm
    ours = ask(app, fact.method, fact.target, fact.body, fact.headers)
    assert fact.told(ours.status, ours.body) == fact.ours
