"""What is made before anybody waits for it."""

from typing import Any

import pytest
from engines import engine_of
from world import World

from gis.profiles.registry import get_profile
from gis.streets import search
from gis.tiles.levels import ALL_ROADS_ZOOM, MAX_ZOOM, MIN_ZOOM, level_of
from routing import details
from routing.tiles import maker
from server.processes.touch import touch

TOWN = World(
    "a-b-c\n| | |\nd-e-f",
    """
    abc highway=residential name=Rua
    ad highway=service
    be highway=service
    cf highway=service
    def highway=service
    """,
)


def test_nothing_is_made_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps, streets and tiles find what they share ready."""
    engine = engine_of(TOWN, get_profile("car"))
    touch(engine)

    def too_late(*args: Any) -> None:
        raise AssertionError("somebody waits for this")

    monkeypatch.setattr(search, "build_street_index", too_late)
    monkeypatch.setattr(details, "Guide", too_late)
    monkeypatch.setattr(maker, "level_of", lambda *args: made.append(args) or level_of(*args))
    made: list[Any] = []
    a, f = TOWN.position("a"), TOWN.position("f")
    assert len(engine.route([a, f]).legs[0].steps) >= 2
    assert engine.find_streets("rua")[0].name == "Rua"
    for zoom in range(MIN_ZOOM, MAX_ZOOM + 1):
        engine.tile(0, 0, zoom)
    assert [args[2] for args in made] == [ALL_ROADS_ZOOM], "which is the network itself"
