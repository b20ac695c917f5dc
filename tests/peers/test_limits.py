"""Sides of roads and bearings mean to us what they mean to OSRM, on random points of Porto."""

import http.client
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from routing.engine import Engine
from routing.errors import QueryError
from server.benchmark.pairs import random_points

N_PAIRS, N_POINTS = 300, 500
SEED = 9
NEARLY_ALL = 0.96
"""Some pairs begin or end on roads that OSRM closes, and some places are as near as others."""


def get(port: int, target: str) -> Any:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", target)
        return json.loads(connection.getresponse().read())


def test_approaches(porto: Path, engine_on: Callable[[Path], Engine], osrm_port: int) -> None:
    """Routes from and to sides of roads take as long."""
    engine = engine_on(porto)
    rng = np.random.default_rng(SEED)
    points = random_points(engine, 2 * N_PAIRS, SEED).tolist()
    alike = 0
    for a, b in zip(points[:N_PAIRS], points[N_PAIRS:], strict=True):
        sides = rng.choice(["curb", "opposite", "unrestricted"], 2).tolist()
        target = f"/route/v1/car/{a[0]},{a[1]};{b[0]},{b[1]}?approaches={';'.join(sides)}"
        theirs = get(osrm_port, f"{target}&overview=false")
        try:
            ours = engine.route([a, b], approaches=sides).duration_s
        except QueryError as error:
            alike += error.code == theirs["code"]
            continue
        wanted = theirs["routes"][0]["duration"] if theirs["code"] == "Ok" else np.inf
        alike += abs(ours - wanted) <= 0.06 * wanted + 5
    assert alike >= NEARLY_ALL * N_PAIRS


def test_bearings(porto: Path, engine_on: Callable[[Path], Engine], osrm_port: int) -> None:
    """The nearest road in a direction is the same."""
    engine = engine_on(porto)
    rng = np.random.default_rng(SEED)
    alike = 0
    for lon, lat in random_points(engine, N_POINTS, SEED).tolist():
        bearing = int(rng.integers(0, 361)), int(rng.choice([10, 20, 45, 90, 179, 180]))
        target = f"/nearest/v1/car/{lon},{lat}?bearings={bearing[0]},{bearing[1]}"
        theirs = get(osrm_port, target)["waypoints"][0]
        (ours,) = engine.nearest(lon, lat, bearing=bearing)
        alike += abs(ours.distance_m - theirs["distance"]) < 0.5
    assert alike >= NEARLY_ALL * N_POINTS
