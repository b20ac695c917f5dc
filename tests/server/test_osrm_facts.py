"""What OSRM answers to odd requests, and that ours is the same but where it is said to differ.

``osrm_facts.jsonl`` has a request in each line, with status, code and message of osrm-routed, and
ours where they differ. `tests/peers` asks OSRM itself.
"""

from typing import Any

import pytest
from asgi import ask
from fake_engine import fake_state
from osrm_facts import Fact, read_facts

from server.app import create_app

FACTS = [fact for fact in read_facts() if not fact.needs_map]


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(fake_state())


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_answer(app: Any, fact: Fact) -> None:
    """Status, code and message are those that the table has."""
    response = ask(app, fact.method, fact.target, fact.body, fact.headers)
    assert fact.told(response.status, response.body) == fact.ours


def test_the_table_says_enough() -> None:
    """There are facts about all services and most codes, and few differences."""
    text = " ".join(fact.name for fact in FACTS)
    for service in ("route", "nearest", "table", "trip", "tile"):
        assert f"/{service}/v1/" in text
    codes = {fact.osrm[1] for fact in FACTS}
    assert codes >= {
        "InvalidUrl",
        "InvalidService",
        "InvalidVersion",
        "InvalidQuery",
        "InvalidOptions",
        "InvalidValue",
        "InvalidMethod",
        "InvalidContentType",
        "TooBig",
        "NotImplemented",
    }
    assert sum(fact.ours != fact.osrm for fact in FACTS) < len(FACTS) / 5
