"""Which roads a box touches, against a look at every segment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapes import random_shapes

from gis.geodesy import HALF_TURN
from gis.rtree import build_rtree
from gis.snap_index import make_snap_index
from gis.tiles.selection import edges_within


def naive(first: list[int], lon: list[int], lat: list[int], box: tuple[int, ...]) -> list[int]:
    """Edges with a segment whose bounds meet the box, in any of three worlds."""
    west, south, east, north = box
    found = []
    for edge in range(len(first) - 1):
        for i in range(first[edge], first[edge + 1] - 1):
            x_a, x_b = sorted(lon[i : i + 2])
            y_a, y_b = sorted(lat[i : i + 2])
            if x_b - x_a > HALF_TURN:
                x_a, x_b = -HALF_TURN, HALF_TURN
            worlds = [
                (max(west + turn, -HALF_TURN), min(east + turn, HALF_TURN))
                for turn in (-2 * HALF_TURN, 0, 2 * HALF_TURN)
            ]
            if any(w <= e and x_a <= e and x_b >= w for w, e in worlds) and (
                y_a <= north and y_b >= south
            ):
                found.append(edge)
                break
    return found


@given(
    st.integers(0, 10**6),
    st.sampled_from([0, 1, 5, 60]),
    st.sampled_from([0, HALF_TURN]),
    st.tuples(*[st.integers(-1_500_000, 1_500_000)] * 4),
)
def test_same_as_naive(seed: int, n_edges: int, around: int, corners: tuple[int, ...]) -> None:
    """Whatever the box, near the antimeridian too."""
    first, lon, lat = random_shapes(seed, n_edges, around)
    west, east = sorted(corners[:2])
    south, north = sorted(corners[2:])
    box = (around + west, south, around + east, north)
    index = make_snap_index(build_rtree(first, lon, lat), first, lon, lat)
    found = edges_within(index, box)
    assert found.dtype == np.uint32 and not found.flags.writeable
    assert found.tolist() == naive(first.tolist(), lon.tolist(), lat.tolist(), box)


@pytest.mark.parametrize("size", [0, 10])
def test_nothing_far_away(size: int) -> None:
    """A box beside all roads touches none."""
    first, lon, lat = random_shapes(1, size)
    index = make_snap_index(build_rtree(first, lon, lat), first, lon, lat)
    assert len(edges_within(index, (5 * 10**8, 0, 5 * 10**8 + 1, 1))) == 0
