"""Tiles on the globe, against the formulas that the world's tile servers share."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import freeze
from gis.geodesy import HALF_TURN
from gis.tiles.grid import BUFFER, EXTENT, Tile, box_of, is_shown, place_points


def column_and_row(lon: float, lat: float, zoom: int) -> tuple[float, float]:
    """The place on the map of 2^zoom tiles (OpenStreetMap wiki, slippy map tilenames)."""
    n = 2.0**zoom
    angle = math.radians(lat)
    y = (1 - math.log(math.tan(angle) + 1 / math.cos(angle)) / math.pi) / 2 * n
    return (lon + 180) / 360 * n, y


@given(st.floats(-179.9, 179.9), st.floats(-85, 85), st.integers(0, 19))
def test_places(lon: float, lat: float, zoom: int) -> None:
    """A point is where the formulas say, in the tile that they say."""
    x, y = column_and_row(lon, lat, zoom)
    tile = Tile(int(x), int(y), zoom)
    units = [freeze(np.array([round(degrees * 1e7)], np.int32)) for degrees in (lon, lat)]
    found = place_points(tile, *units)
    slack = 1 + 2**zoom * EXTENT / 360e7 * 12  # coordinates are rounded, too
    for (place,), exact, corner in zip(found, (x, y), tile[:2], strict=True):
        assert place == pytest.approx((exact - corner) * EXTENT, abs=slack)
    west, south, east, north = box_of(tile)
    assert west <= units[0][0] <= east and south <= units[1][0] <= north
    assert is_shown(*found).all()


@pytest.mark.parametrize("zoom", [0, 5, 14, 19])
def test_boxes_overlap_by_their_buffers(zoom: int) -> None:
    """A tile reaches twice its buffer into what the next one shows."""
    side = 2**zoom
    tile = Tile(side // 3, side // 3, zoom)
    west, south, east, north = box_of(tile)
    width = 2 * HALF_TURN / side
    assert east - west == pytest.approx(width * (1 + 2 * BUFFER / EXTENT), abs=2)
    if zoom > 0:
        beside, below = box_of(Tile(tile.x + 1, tile.y, zoom)), box_of(tile._replace(y=tile.y + 1))
        assert east - beside[0] == pytest.approx(width * 2 * BUFFER / EXTENT, abs=2)
        assert beside[1::2] == (south, north) and below[3] > south


def test_both_ends_of_the_world_meet() -> None:
    """Beside the last column lies the first one."""
    lon = freeze(np.array([HALF_TURN - 1, 1 - HALF_TURN], np.int32))
    lat = freeze(np.zeros(2, np.int32))
    for x, side in ((0, 0), (31, EXTENT)):
        assert place_points(Tile(x, 16, 5), lon, lat)[0].tolist() == [side, side]
