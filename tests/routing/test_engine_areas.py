"""The engine asked for what can be reached."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import shapely
from engines import engine_of
from hypothesis import given, settings
from hypothesis import strategies as st
from towns import LINE, STREETS, Point, ask, between, check_lines, town
from world import PLAIN, World

from routing.areas import around as areas
from routing.engine import Engine
from routing.errors import InvalidInput, NoSegment
from routing.route import Route


def sampled(world: World, ways: Sequence[str]) -> list[Point]:
    """Places all along some streets, but not on junctions."""
    return [between(world, way, part) for way in ways for part in np.linspace(0.03, 0.97, 9)]


def own_places(world: World, engine: Engine) -> list[Point]:
    """The samples that stand where they are, on streets joined to the rest."""
    found = []
    for place in sampled(world, STREETS):
        route = ask(engine, [place, world.position("f")])
        if isinstance(route, Route) and route.waypoints[0].distance_m < 0.05:
            found.append(place)
    return found


@cache
def kept_places(seed: int) -> list[Point]:
    return own_places(*town(seed))


@settings(max_examples=25)
@given(
    st.integers(0, 4),
    st.integers(0, 10**6),
    st.sampled_from([0.5, 15.0, 47.0, 90.0, 200.0, 10_000.0]),
    st.booleans(),
    st.booleans(),
)
def test_areas_are_what_routes_reach(
    seed: int, number: int, limit: float, reverse: bool, by_sweep: bool
) -> None:
    """A place lies on a line if and only if the route there, or back, is within the limit."""
    _, engine = town(seed)
    places = kept_places(seed)
    origin = places[number % len(places)]
    kept = areas.SWEEP_FROM
    areas.SWEEP_FROM = 0.0 if by_sweep else 2.0
    try:
        n_within = check_lines(engine, origin, places[:: 2 + number % 3], limit, reverse)
    finally:
        areas.SWEEP_FROM = kept
    if limit == 10_000:
        assert n_within > 0


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("limits", [{"durations_s": [30, 90.5]}, {"distances_m": [250, 900.5]}])
@pytest.mark.parametrize("lines", [False, True])
def test_both_searches_find_the_same_area(
    reverse: bool, limits: Any, lines: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that ends at the limit and a sweep over everything: the same shapes."""
    for seed in range(4):
        world, engine = town(seed)
        found = []
        for part in (2.0, 0.0):
            monkeypatch.setattr(areas, "SWEEP_FROM", part)
            origin = between(world, "fg", 0.3)
            area = engine.isochrone(*origin, reverse=reverse, lines=lines, **limits)
            rings = [
                sorted(np.asarray(ring).tolist() for ring in (shape if lines is False else [shape]))
                for shapes in area.shapes
                for shape in shapes
            ]
            found.append(sorted(rings))
        assert found[0] == found[1] and found[0]


@pytest.mark.compiled
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "limits", [{"durations_s": [60, 20, 40]}, {"distances_m": [600, 200, 400]}]
)
def test_areas_are_valid_and_nested(reverse: bool, limits: Any) -> None:
    """Polygons are valid, hold their lines' middle, and larger limits hold the smaller ones."""
    for seed in range(3):
        world, engine = town(seed)
        origin = between(world, "fg", 0.4)
        area = engine.isochrone(*origin, reverse=reverse, **limits)
        assert list(area.limits) == next(iter(limits.values()))
        large, small, middle = (
            shapely.union_all([shapely.Polygon(p[0], p[1:]) for p in polygons])
            for polygons in area.shapes
        )
        for polygons in area.shapes:
            for shell, *holes in polygons:
                assert shapely.is_valid(shapely.Polygon(shell, holes))
        assert small.area < middle.area < large.area
        assert shapely.difference(small, middle).area < 1e-12
        assert shapely.difference(middle, large).area < 1e-12
        assert shapely.distance(small, shapely.Point(area.waypoint.lon, area.waypoint.lat)) < 1e-4


def test_areas_by_distance() -> None:
    """A distance counts metres, however slow the road and however dear the turns."""
    slow = World("a---b---c", "abc highway=x kmh=3.6")
    engine = engine_of(slow, replace(PLAIN, turn=lambda _a, _u, _j, _l: 100.0))
    area = engine.isochrone(*slow.position("b"), distances_m=[100, 300, 5000], lines=True)
    lengths = [
        sum(shapely.length(shapely.linestrings(line * (55_660, 111_400))) for line in lines)
        for lines in area.shapes
    ]
    assert lengths == pytest.approx([200, 600, 800], rel=0.01)


def test_isolated_origins() -> None:
    """From a dead end of its own only that is reached; an island counts as the mainland."""
    world, engine = town(0)
    on_island = between(world, "tv")
    area = engine.isochrone(*on_island, durations_s=[10], lines=True)
    assert area.waypoint.lon < world.position("s")[0] - 1e-4, "stands for the mainland"
    exactly = engine.isochrone(*on_island, durations_s=[10_000], lines=True, radius_m=5)
    (lines,) = exactly.shapes
    assert lines and min(line[:, 0].min() for line in lines) >= world.position("s")[0] - 1e-6
    with pytest.raises(NoSegment, match=r"for coordinate 0$"):
        engine.isochrone(on_island[0] + 1, on_island[1], durations_s=[10], radius_m=10)
    (none,) = engine.isochrone(*between(world, "fg"), durations_s=[0], lines=True).shapes
    assert all(np.ptp(line, axis=0).max() < 1e-6 for line in none)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either durations or distances"),
        ({"durations_s": [1], "distances_m": [1]}, "either durations or distances"),
        ({"durations_s": []}, "there are no limits"),
        ({"distances_m": []}, "there are no limits"),
        ({"durations_s": [1, -1]}, "limit -1.0, expected 0 to 10000000"),
        ({"durations_s": [float("nan")]}, "limit nan"),
        ({"distances_m": [float("inf")]}, "limit inf"),
        ({"distances_m": [1e7 + 1]}, "limit 10000001.0"),
    ],
)
def test_senseless_limits(options: Any, message: str) -> None:
    """What is no limit is told in one line."""
    engine = engine_of(LINE)
    with pytest.raises(InvalidInput, match=message):
        engine.isochrone(*LINE.position("a"), **options)


def test_limits_as_arrays() -> None:
    """Limits may be any sequence of numbers."""
    engine = engine_of(LINE)
    place = LINE.position("b")
    for name in ("durations_s", "distances_m"):
        wanted = engine.isochrone(*place, lines=True, **{name: [10.0, 20.0]})
        found = engine.isochrone(*place, lines=True, **{name: np.array([10.0, 20.0])})
        assert [len(lines) for lines in found.shapes] == [len(lines) for lines in wanted.shapes]
