"""What is shown at which zoom."""

import numpy as np
import pytest
from world import World

from gis.network.road_class import RoadClass
from gis.network.road_network import RoadNetwork
from gis.rtree import check_rtree
from gis.snap_index import SnapIndex, build_snap_index
from gis.tiles.levels import ALL_ROADS_ZOOM, MAX_ZOOM, MIN_ZOOM, check_level, level_of, shown_from

ROADS = World(
    """
    a-b-c-d-e
    |   f   |
    g-------h
    """,
    """
    abcde highway=motorway
    ag highway=motorway_link
    gh highway=residential
    cfh highway=tertiary
    eh highway=primary
    """,
)


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    return ROADS.network()[0]


@pytest.fixture(scope="module")
def index(network: RoadNetwork) -> SnapIndex:
    return build_snap_index(network)


@pytest.mark.parametrize("zoom", range(MIN_ZOOM, MAX_ZOOM + 1))
def test_every_zoom(network: RoadNetwork, index: SnapIndex, zoom: int) -> None:
    """A level has the roads of its zoom, with their ends, in a whole tree."""
    level = level_of(network, index, zoom)
    check_level(level, network, zoom)
    shape = level.index
    check_rtree(shape.tree, shape.first_point, shape.point_lon, shape.point_lat)


def test_small_roads_appear_as_one_comes_nearer(network: RoadNetwork, index: SnapIndex) -> None:
    """Each zoom shows what the one before does, and from 12 on all."""
    levels = [level_of(network, index, zoom) for zoom in range(MIN_ZOOM, 13)]
    numbers = [len(level.index.first_point) - 1 for level in levels]
    assert numbers == sorted(numbers)
    assert numbers[0] == 2 and numbers[-1] == network.n_edges
    assert all(MIN_ZOOM <= shown_from(kind) <= ALL_ROADS_ZOOM for kind in RoadClass)
    order = [shown_from(kind) for kind in RoadClass if not kind.is_link][:6]
    assert order == sorted(order)


def test_shapes_lose_what_is_not_seen(network: RoadNetwork, index: SnapIndex) -> None:
    """The points along a straight road are left out below zoom 12."""
    far, near = level_of(network, index, 5), level_of(network, index, 12)
    assert (np.diff(far.index.first_point) == 2).all()
    assert near.index is index
