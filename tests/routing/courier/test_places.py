"""Points as places: each once, and times that add up to what a route over all of them takes."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from engines import engine_of
from world import World

from gis.arrays import INF
from routing.courier.places import find_places
from routing.engine import Engine
from routing.errors import InvalidCoordinate, InvalidInput, NoRoadNear

TOWN = World("a-b-c\n| | |\nd-e-f\n\ng-h", "abcfeda highway=x\nbe highway=x\ngh highway=x")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return engine_of(TOWN)


def test_points_of_equal_coordinates(engine: Engine) -> None:
    """They are one place, in the order in which it first comes."""
    b, a, c = (TOWN.position(letter) for letter in "bac")
    places = find_places(engine, [b, a, b, (a[0] + 1e-9, a[1]), c])
    assert places.of_point == (0, 1, 0, 1, 2)
    assert places.degrees.tolist() == [list(b), list(a), list(c)]
    assert places.durations_cs.shape == (3, 3)
    assert not places.durations_cs.diagonal().any()
    assert not places.durations_cs.flags.writeable


def test_a_point_beside_roads_apart(engine: Engine) -> None:
    """It is on them only if all are; else every time is that of the nearest road of the town."""
    g, h, c = (TOWN.position(letter) for letter in "ghc")
    both = find_places(engine, [g, h])
    assert both.durations_cs[0, 1] == engine.table([g, h]).duration_cs[0, 1]
    assert both.degrees.tolist() == [list(g), list(h)]
    places = find_places(engine, [g, h, c])
    d, e = (TOWN.position(letter) for letter in "de")
    assert places.degrees == pytest.approx(np.array([d, e, c]), abs=1e-7)
    route = engine.route([g, h, c], continue_straight=False)
    assert places.durations_cs[[0, 1], [1, 2]].sum() == round(route.duration_s * 100)


def test_points_that_are_nowhere(engine: Engine) -> None:
    """The first is named, as the caller calls it or by its number."""
    a, b = (TOWN.position(letter) for letter in "ab")
    off = a[0], a[1] + 0.5
    with pytest.raises(
        NoRoadNear, match=r"^point 1: there is no road within 100 m of [-\d.]+,[-\d.]+$"
    ):
        find_places(engine, [a, off, b], radius_m=100)
    with pytest.raises(NoRoadNear, match=r"^jobs\[3\]: there is no road"):
        find_places(engine, [a, a, off], names=["start", "start", "jobs[3]"], radius_m=100)
    assert len(find_places(engine, [a, off]).durations_cs) == 2
    for wrong in ((500.0, 0.0), (0.0, 91.0), (float("nan"), 0.0), (float("inf"), 0.0)):
        with pytest.raises(InvalidCoordinate, match=r"point 1: .* is not on the globe"):
            find_places(engine, [a, wrong])
    with pytest.raises(InvalidInput, match="no points"):
        find_places(engine, [])


def check_sums(engine: Engine, seed: int) -> None:
    """The cells of random tours add up to their routes, driven with turning around allowed."""
    random = Random(seed)
    west, south, east, north = engine.bounds
    points = [(random.uniform(west, east), random.uniform(south, north)) for _ in range(40)]
    points += points[:5]
    places = find_places(engine, points, threads=2)
    for _ in range(25):
        order = random.choices(range(len(points)), k=12)
        visited = [places.of_point[i] for i in order]
        cells = [int(places.durations_cs[a, b]) for a, b in pairwise(visited)]
        if max(cells) >= INF:
            continue
        route = engine.route([points[i] for i in order], continue_straight=False)
        assert sum(cells) == round(route.duration_s * 100)


@pytest.mark.compiled
def test_sums_on_the_sample(engine_on: Callable[[Path], Engine], sample: Path) -> None:
    check_sums(engine_on(sample), 1)


@pytest.mark.compiled
def test_sums_on_porto(engine_on: Callable[[Path], Engine], porto: Path) -> None:
    check_sums(engine_on(porto), 2)
