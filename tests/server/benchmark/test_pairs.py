"""Random points near roads, and pairs of them."""

from pathlib import Path

import numpy as np
import pytest

from gis.errors import EngineError
from routing.engine import Engine
from routing.errors import NoSegment
from server.benchmark import pairs as module
from server.benchmark.pairs import NEAR_M, random_pairs, random_points

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def engine(dataset: Path) -> Engine:
    return Engine.open(dataset)


def test_points(engine: Engine) -> None:
    """Within the bounds, near a road, with few decimals, and not all in one place."""
    points = random_points(engine, 300, 1)
    west, south, east, north = engine.bounds
    assert points.shape == (300, 2)
    assert (points.min(0) >= [west, south]).all()
    assert (points.max(0) <= [east, north]).all()
    assert (points == points.round(6)).all()
    for lon, lat in points[:50].tolist():
        assert engine.nearest(lon, lat)[0].distance_m <= NEAR_M
    assert len(np.unique(points, axis=0)) == 300
    assert (np.ptp(points, axis=0) > np.array([east - west, north - south]) / 2).all()


def test_points_far_from_roads_are_left_out(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few remain."""
    monkeypatch.setattr(module, "NEAR_M", 3.0)
    for lon, lat in random_points(engine, 100, 1).tolist():
        assert engine.nearest(lon, lat)[0].distance_m <= 3.0


def test_pairs(engine: Engine) -> None:
    """Each has a route, and each seed gives the same pairs for ever."""
    pairs = random_pairs(engine, 100, 1)
    assert pairs.shape == (100, 4)
    for a, b, c, d in pairs[:30].tolist():
        assert engine.route([(a, b), (c, d)]).duration_s >= 0
    assert np.array_equal(pairs, random_pairs(engine, 100, 1))
    assert not np.array_equal(pairs, random_pairs(engine, 100, 2))
    assert len(random_pairs(engine, 1, 1)) == 1


def test_a_map_without_roads_near_anything(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with an error, not never."""
    monkeypatch.setattr(module, "NEAR_M", 0.0)
    monkeypatch.setattr(module, "_MAX_DRAWS", 3)
    with pytest.raises(EngineError, match="hold 0 of 3000 random points within 0 m of a road"):
        random_points(engine, 10, 1)


def test_a_map_without_routes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for pairs that no route joins."""
    monkeypatch.setattr(module, "_MAX_DRAWS", 3)

    def nowhere(engine: Engine, n: int, seed: int) -> np.ndarray:
        return np.tile([0.0, 95.0], (n, 1))

    monkeypatch.setattr(module, "random_points", nowhere)
    with pytest.raises(EngineError, match="only 0 of 30 random pairs of points have a route"):
        random_pairs(engine, 10, 1)
    with pytest.raises(NoSegment):
        engine.nearest(0, 0, radius_m=1)
