"""The packed tree over the segments of shapes."""

from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapes import random_shapes

from gis.arrays import freeze
from gis.geodesy import HALF_TURN, metres_per_unit
from gis.rtree import (
    NODE_SIZE,
    box_distance_2,
    build_rtree,
    check_rtree,
    children,
    level_of_node,
)


@pytest.mark.parametrize("n_edges", [0, 1, 2, 3, 7, 40, 500])
@pytest.mark.parametrize("lon", [0, HALF_TURN])
def test_build_keeps_every_promise(n_edges: int, lon: int) -> None:
    """Trees of any number of levels pass the check, with and without the antimeridian inside."""
    shapes = random_shapes(n_edges, n_edges, lon)
    tree = build_rtree(*shapes)
    check_rtree(tree, *shapes)
    assert not any(array.flags.writeable for array in tree)
    again = build_rtree(*shapes)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(tree, again, strict=True))


def test_a_segment_across_the_antimeridian() -> None:
    """Its box spans all longitudes, because the segment lies on both sides of the border."""
    first = np.array([0, 2], np.uint32)
    lon, lat = np.array([[HALF_TURN - 5, 5 - HALF_TURN], [7, 3]], np.int32)
    assert build_rtree(first, lon, lat).box.tolist() == [[-HALF_TURN, 3, HALF_TURN, 7]]


@pytest.mark.parametrize("field", ["segment", "box", "level"])
def test_the_check_notices(field: str) -> None:
    """A wrong number in any of the arrays fails the check."""
    shapes = random_shapes(1, 50)
    tree = build_rtree(*shapes)
    broken = getattr(tree, field).copy()
    broken[1] += 1
    with pytest.raises(AssertionError):
        check_rtree(tree._replace(**{field: broken}), *shapes)


def test_neighbours_share_groups() -> None:
    """Boxes of groups are small: the order of the segments follows the map."""
    side = 60
    y, x = (v.ravel() for v in np.divmod(np.arange(side * side), side))
    lon = np.stack((x, x), axis=1).ravel() * 100
    lat = np.stack((y, y), axis=1).ravel() * 100
    first = np.arange(0, len(lon) + 1, 2, dtype=np.uint32)
    rng = np.random.default_rng(2)
    shuffled = rng.permutation(side * side)
    lon, lat = (v.reshape(-1, 2)[shuffled].ravel().astype(np.int32) for v in (lon, lat))
    tree = build_rtree(first, lon, lat)
    groups = tree.box[: tree.level[1]].astype(int)
    half_girth = (groups[:, 2] - groups[:, 0]) + (groups[:, 3] - groups[:, 1])
    assert np.mean(half_girth) < 100 * 2.5 * np.sqrt(NODE_SIZE)


def test_levels_and_children() -> None:
    """Every node knows its level, and the nodes below have it as the one above, in order."""
    tree = build_rtree(*random_shapes(3, 600))
    level = tree.level.tolist()
    assert len(level) > 4
    for i, (first, stop) in enumerate(pairwise(level)):
        assert [level_of_node(tree, node) for node in range(first, stop)] == [i] * (stop - first)
        if i > 0:
            below = [list(range(*children(tree, node, i))) for node in range(first, stop)]
            assert list(chain(*below)) == list(range(level[i - 1], first))
            assert {len(nodes) for nodes in below[:-1]} <= {NODE_SIZE}
            assert 1 <= len(below[-1]) <= NODE_SIZE


lons = st.integers(-HALF_TURN, HALF_TURN)
lats = st.integers(-HALF_TURN // 2, HALF_TURN // 2)


@given(lons, lons, lats, lats, lons, lats)
def test_box_distance_is_the_nearest_point(a: int, b: int, c: int, d: int, x: int, y: int) -> None:
    """The distance to a box is that to the nearest of its points, the short way round."""
    west, east, south, north = min(a, b), max(a, b), min(c, d), max(c, d)
    box = freeze(np.array([[west, south, east, north]], np.int32))
    scale = metres_per_unit(float(y))
    turn = 2 * HALF_TURN
    dx = min(max(west - (x + k), x + k - east, 0) for k in (-turn, 0, turn))
    dy = max(south - y, y - north, 0)
    found = box_distance_2(box, 0, np.int32(x), np.int32(y), scale)
    assert found == pytest.approx((dx * scale[0]) ** 2 + (dy * scale[1]) ** 2)
