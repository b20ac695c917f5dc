"""A dataset that nobody uses any more is let go at once."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from engines import engine_of
from world import World

from routing.engine import Engine

TOWN = """
    a---b---c
    |   |   |
    d---e---f
    """
STREETS = ("abc", "def", "ad", "be", "cf")
QUESTIONS: dict[str, Callable[[Engine, Any], object]] = {
    "nothing": lambda engine, points: None,
    "route": lambda engine, points: [leg.steps for leg in engine.route(points).legs],
    "alternatives": lambda engine, points: engine.alternatives(points),
    "table": lambda engine, points: engine.table(points, distances=True),
    "trip": lambda engine, points: engine.trip(points),
    "nearest": lambda engine, points: engine.nearest(*points[0]),
    "isochrone": lambda engine, points: engine.isochrone(*points[0], durations_s=[60.0]),
    "tile": lambda engine, points: engine.tile(0, 0, 8),
    "streets": lambda engine, points: engine.find_streets("a"),
    "changes": lambda engine, points: engine.prepare_changes(),
    "match": lambda engine, points: engine.match(points, radiuses=[500.0] * len(points)),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_nothing_holds_itself(name: str) -> None:
    """No circle of references keeps the arrays until some collection, which may never come."""
    engine = engine_of(World(TOWN, "\n".join(f"{s} highway=x" for s in STREETS)))
    west, _, east, north = engine.bounds
    points = [(west, north), (east, north)]
    arrays = [weakref.ref(engine), weakref.ref(engine._network.node_lon)]
    vehicle, _ = engine._vehicle(None)
    arrays.append(weakref.ref(vehicle.prepared.hierarchy.up_head))
    del vehicle
    gc.collect()
    gc.disable()
    try:
        QUESTIONS[name](engine, points)
        del engine
        assert [array() is None for array in arrays] == [True] * 3
    finally:
        gc.enable()
