"""Bodies that take long to read hold up nobody."""

import json
import threading
from typing import Any

import pytest
from asgi import ask
from fake_engine import fake_state

from server.api.osrm_requests import params_from_json
from server.app import create_app

JSON = {"content-type": "application/json"}
POINTS = [[24.91, 60.11], [24.92, 60.12]]
PADDING = {"ignored": "x" * 20_000}


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(fake_state())


@pytest.mark.parametrize(
    ("target", "document", "status"),
    [
        ("/route/v1/car", {"coordinates": POINTS}, 200),
        ("/table/v1/car", {"coordinates": POINTS}, 200),
        ("/route/v1/plane", {"coordinates": POINTS}, 400),
        ("/route/v1/car", {"coordinates": [[1, "x"]]}, 400),
        ("/route/v1/car", {"coordinates": POINTS[:1]}, 400),
        ("/route/v1/car", {"coordinates": POINTS * 300}, 400),
        ("/route/v1/car", {"coordinates": POINTS, "speeds": [{"speed": 1}]}, 400),
    ],
)
def test_long_and_short_say_the_same(
    app: Any, target: str, document: dict[str, Any], status: int
) -> None:
    """The length of a body changes nothing of its answer."""
    short = ask(app, "POST", target, json.dumps(document).encode(), JSON)
    long = ask(app, "POST", target, json.dumps(document | PADDING).encode(), JSON)
    assert (short.status, short.json()) == (long.status, long.json())
    assert short.status == status


def test_who_reads(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long body is read by a thread, a short one at once."""
    readers = []

    def watched(*args: Any) -> Any:
        readers.append(threading.current_thread() is threading.main_thread())
        return params_from_json(*args)

    monkeypatch.setattr("server.api.osrm.params_from_json", watched)
    for document in ({"coordinates": POINTS}, {"coordinates": POINTS} | PADDING):
        assert ask(app, "POST", "/route/v1/car", json.dumps(document).encode(), JSON).status == 200
    assert readers == [True, False]
