"""The nearest roads of many points, and tables of points that may be bad."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import engine_of
from hypothesis import given
from hypothesis import strategies as st
from towns import LINE, SPOTS, between, spot, town
from world import World

from gis.arrays import INF
from routing.build import build_dataset
from routing.engine import Engine
from routing.errors import InvalidInput, NoSegment
from routing.many.batch import NearestRoads, RouteStatus

BAD = [(np.nan, 60.0), (24.9, np.inf), (180.5, 0.0), (0.0, -90.01)]


def check_nearest(engine: Engine, points: Any, found: NearestRoads, **options: Any) -> int:
    """Each row is the first of what `nearest` finds; how many have a road."""
    assert len(found) == len(found.names) == len(points)
    n_found = 0
    for row, (lon, lat) in enumerate(np.asarray(points).tolist()):
        place = found.lon[row], found.lat[row], found.distance_m[row]
        try:
            waypoint = engine.nearest(lon, lat, **options)[0]
        except NoSegment:
            assert found.status[row] == RouteStatus.NO_SEGMENT and found.names[row] == ""
            assert np.isnan(place).all()
            continue
        assert found.status[row] == RouteStatus.OK
        assert place == (waypoint.lon, waypoint.lat, waypoint.distance_m)
        assert found.names[row] == waypoint.name
        n_found += 1
    return n_found


@given(
    st.integers(0, 7),
    st.lists(SPOTS, max_size=12),
    st.sampled_from([None, 0.0, 5.0, 150.0]),
    st.sampled_from(["default", "any"]),
)
def test_nearest_roads_in_a_town(
    seed: int, places: list[Any], radius_m: float | None, snapping: str
) -> None:
    """Every point has the answer that it would have alone."""
    world, engine = town(seed)
    points = [spot(world, place) for place in places]
    options = {"radius_m": radius_m, "snapping": snapping}
    found = engine.nearest_roads(points, **options)  # type: ignore[arg-type]
    n_found = check_nearest(engine, points, found, **options)
    assert radius_m is not None or n_found == len(points)


def test_names_of_all_roads_that_meet() -> None:
    """At a junction all roads give their names, the nearest first and each once."""
    drawing = "a---b---c\n    |\n    d---e"
    ways = "ab highway=x name=Left\nbc highway=x name=Right\nbd highway=x name=Left\nde highway=x"
    world = World(drawing, ways)
    engine = engine_of(world)
    points = [world.position(letter) for letter in "abcde"]
    found = engine.nearest_roads([*points, BAD[0], between(world, "ab"), (0, 0)], radius_m=1000)
    assert found.names == ["Left", "Left / Right", "Right", "Left", "", "", "Left", ""]
    check_nearest(engine, points, engine.nearest_roads(points))
    statuses = [RouteStatus(status).name for status in found.status.tolist()]
    assert statuses == [*["OK"] * 5, "INVALID", "OK", "NO_SEGMENT"]
    assert np.isnan(found.lon[[5, 7]]).all() and np.isnan(found.distance_m[[5, 7]]).all()
    assert found.names is found.names
    for array in (found.lon, found.lat, found.distance_m, found.status):
        assert not array.flags.writeable
    assert engine.nearest_roads([]).names == []
    with pytest.raises(InvalidInput, match="points have the shape"):
        engine.nearest_roads([1, 2, 3])
    with pytest.raises(InvalidInput, match="radius"):
        engine.nearest_roads(points, radius_m=-1)


@pytest.mark.compiled
def test_nearest_roads_on_a_real_map(sample: Path, tmp_path: Path) -> None:
    """Beside, on and between the streets of a city."""
    build_dataset(sample, tmp_path / "map.whimbrel")
    engine = Engine.open(tmp_path / "map.whimbrel")
    west, south, east, north = engine.bounds
    rng = np.random.default_rng(3)
    points = rng.random((1500, 2)) * (east - west, north - south) + (west, south)
    shape = engine._network.point_lon[::20] / 1e7, engine._network.point_lat[::20] / 1e7
    points = np.concatenate([points, np.stack(shape, axis=1)[:1500]])
    found = engine.nearest_roads(points)
    assert check_nearest(engine, points, found) == len(points)
    assert sum(" / " in name for name in found.names) > 20
    assert check_nearest(engine, points, engine.nearest_roads(points, radius_m=30), radius_m=30) > 0


# Tables with bad points


@given(st.integers(0, 7), st.lists(SPOTS, max_size=6), st.lists(SPOTS, max_size=6), st.randoms())
def test_tables_with_bad_points(
    seed: int, sources: list[Any], destinations: list[Any], random: Any
) -> None:
    """Cells of bad points are NaN, all others as if these were not there."""
    world, engine = town(seed)
    sides = []
    for places in (sources, destinations):
        good = [spot(world, place) for place in places]
        mixed = [(point, True) for point in good] + [(p, False) for p in random.sample(BAD, 2)]
        random.shuffle(mixed)
        sides.append(mixed)
    (from_points, from_good), (to_points, to_good) = (
        (np.array([point for point, _ in side]), np.array([ok for _, ok in side], bool))
        for side in sides
    )
    table = engine.table(from_points, to_points, distances=True, strict=False)
    wanted = engine.table(from_points[from_good], to_points[to_good], distances=True)
    assert table.distance_m is not None and wanted.distance_m is not None
    for found, expected in (
        (table.duration_s, wanted.duration_s),
        (table.distance_m, wanted.distance_m),
    ):
        assert found.shape == (len(from_points), len(to_points))
        assert np.array_equal(found[np.ix_(from_good, to_good)], expected, equal_nan=True)
        assert np.isnan(found[~from_good]).all() and np.isnan(found[:, ~to_good]).all()
    for status, good in ((table.source_status, from_good), (table.destination_status, to_good)):
        assert status.dtype == np.uint8 and not status.flags.writeable
        assert status.tolist() == [
            RouteStatus.OK if ok else RouteStatus.INVALID for ok in good.tolist()
        ]
    for made, expected_made, good in (
        (table.sources, wanted.sources, from_good),
        (table.destinations, wanted.destinations, to_good),
    ):
        assert len(made) == len(good)
        assert [w for w, ok in zip(made, good, strict=True) if ok] == list(expected_made)
        assert all(np.isnan(w.lon) for w, ok in zip(made, good, strict=True) if not ok)


def test_a_radius_for_all_points_of_a_table() -> None:
    """It holds for points without one of their own, and those beyond it have a status."""
    engine = engine_of(LINE)
    on, off = between(LINE, "ab"), between(LINE, "ab")
    off = off[0], off[1] + 1e-3
    with pytest.raises(NoSegment, match="coordinate 1"):
        engine.table([on, off], radius_m=20)
    found = engine.table([on, off, (0, 99)], radius_m=20, strict=False)
    wanted = [RouteStatus.OK, RouteStatus.NO_SEGMENT, RouteStatus.INVALID]
    assert found.source_status.tolist() == found.destination_status.tolist() == wanted
    assert found.duration_cs.tolist() == [[0, INF, INF], [INF] * 3, [INF] * 3]
    own = engine.table([on, off], radiuses=[None, 500], radius_m=20)
    assert own.duration_cs.tolist() == [[0, 0], [0, 0]]
    assert own.source_status.tolist() == [RouteStatus.OK] * 2
    with pytest.raises(InvalidInput, match="radius"):
        engine.table([on], radius_m=-1)
    with pytest.raises(InvalidInput, match="no profile"):
        engine.table([(0, 99)], profile="boat", strict=False)


def test_results_can_be_pickled() -> None:
    """Another process gets tables and nearest roads whole, with what is made when asked for."""
    world = World("a---b---c", "ab highway=x name=One\nbc highway=x name=Two")
    found = engine_of(world)
    points = [world.position(letter) for letter in "abc"]
    table = found.table(points, points[:2], distances=True)
    copy = pickle.loads(pickle.dumps(table))
    assert np.array_equal(copy.duration_s, table.duration_s)
    assert np.array_equal(copy.distance_m, table.distance_m)
    assert (copy.sources, copy.destinations) == (table.sources, table.destinations)
    roads = found.nearest_roads(points)
    again = pickle.loads(pickle.dumps(roads))
    assert again.names == roads.names == ["One", "One / Two", "Two"]
    assert np.array_equal(again.distance_m, roads.distance_m)
