"""Lines as well-known binary, against shapely."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from gis.geodesy import HALF_TURN, QUARTER_TURN
from gis.wkb import line_wkb

PLACES = st.tuples(
    st.integers(-HALF_TURN, HALF_TURN), st.integers(-QUARTER_TURN, QUARTER_TURN)
) | st.sampled_from([(0, 0), (HALF_TURN, QUARTER_TURN), (-HALF_TURN, -QUARTER_TURN), (-1, 1)])
LINES = st.lists(st.one_of(st.just([]), st.lists(PLACES, min_size=2, max_size=9)), max_size=12)


def ragged(lines: list[list[tuple[int, int]]]) -> tuple[Any, Any, Any]:
    first = np.cumsum([0, *map(len, lines)])
    points = np.array([place for line in lines for place in line], np.int32).reshape(-1, 2)
    return first, points[:, 0].copy(), points[:, 1].copy()


@given(LINES)
def test_as_shapely_writes_it(lines: list[list[tuple[int, int]]]) -> None:
    """Byte for byte, wherever a line begins; nothing where there are no points."""
    first, data = line_wkb(*ragged(lines))
    assert first.dtype == np.int64 and data.dtype == np.uint8
    assert len(first) == len(lines) + 1 and first[0] == 0 and first[-1] == len(data)
    assert not first.flags.writeable and not data.flags.writeable
    for row, line in enumerate(lines):
        found = data[first[row] : first[row + 1]].tobytes()
        degrees = [(lon / 1e7, lat / 1e7) for lon, lat in line]
        wanted = shapely.to_wkb(shapely.LineString(degrees), byte_order=1) if line else b""
        assert found == wanted


@pytest.mark.compiled
def test_many_lines() -> None:
    """A million points, read back."""
    rng = np.random.default_rng(0)
    count = rng.integers(2, 200, 10_000)
    first = np.concatenate([[0], np.cumsum(count)])
    lon, lat = (rng.integers(-far, far, first[-1]).astype(np.int32) for far in (18e8, 9e8))
    at, data = line_wkb(first, lon, lat)
    rows = [data[a:b].tobytes() for a, b in pairwise(at)]
    coordinates, row = shapely.get_coordinates(shapely.from_wkb(rows), return_index=True)
    assert np.array_equal(coordinates, np.stack([lon, lat], axis=1) / 1e7)
    assert np.array_equal(np.bincount(row), count)
