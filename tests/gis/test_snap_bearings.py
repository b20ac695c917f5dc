"""Bearings and their ranges to the degree, all around the compass."""

import math

import pytest
from snap_indices import all_flags, index_of

from gis.snap import BACKWARD, FORWARD, nearest

LENGTH = 100_000


def road(bearing: int, bend: int = 0) -> list[tuple[int, int]]:
    """A road from the equator in a direction, with a second piece that bends off."""
    places = [(0.0, 0.0)]
    for degrees in (bearing, bearing + bend):
        angle = math.radians(degrees)
        x, y = places[-1]
        # A degree of latitude at the equator is 0.67 % shorter than one of longitude.
        places.append((x + LENGTH * math.sin(angle), y + LENGTH * math.cos(angle) * 1.00674))
    return [(round(x), round(y)) for x, y in places]


@pytest.mark.parametrize("bearing", [*range(0, 360, 15), 1, 5, 9, 10, 11, 175, 185, 355, 359])
def test_range_with_both_ends(bearing: int) -> None:
    """Ten degrees off lie within a range of 10, eleven do not: in each direction of the road."""
    index = index_of([road(bearing)])
    x, y = (value // 2 for value in road(bearing)[1])
    for direction, ahead in ((FORWARD, bearing), (BACKWARD, bearing + 180)):
        for off in (-169, -90, -11, -10, -1, 0, 1, 10, 11, 90):
            asked = (ahead + off) % 360
            found = nearest(index, x, y, all_flags(index), 1, bearing=(asked, 10))
            assert [snap.directions for snap in found] == ([direction] if abs(off) <= 10 else [])
    if bearing == 0:
        (snap,) = nearest(index, x, y, all_flags(index), 1, bearing=(360, 0))
        assert snap.directions == FORWARD


@pytest.mark.parametrize("bend", [-60, 30, 90])
def test_on_a_bend_the_piece_decides(bend: int) -> None:
    """What counts is the direction where the place is, not that of the whole road."""
    line = road(40, bend)
    index = index_of([line])
    for piece, ahead in ((0, 40), (1, 40 + bend)):
        (x_a, y_a), (x_b, y_b) = line[piece : piece + 2]
        middle = (x_a + x_b) // 2, (y_a + y_b) // 2
        (snap,) = nearest(index, *middle, all_flags(index), 1, bearing=(ahead % 360, 10))
        assert (snap.point, snap.directions) == (piece, FORWARD)
        (snap,) = nearest(index, *middle, all_flags(index), 1, bearing=((ahead + 190) % 360, 10))
        assert (snap.point, snap.directions) == (piece, BACKWARD)
