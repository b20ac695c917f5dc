"""The Hilbert curve against its recursive definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gis.hilbert import hilbert_code, hilbert_order

SIDE = 65536
cells = st.integers(0, SIDE - 1)


def code_of(column: int, row: int, side: int = SIDE) -> int:
    """Position along the curve by its definition: four smaller curves, the outer two turned."""
    if side == 1:
        return 0
    half = side // 2
    right, up = column >= half, row >= half
    x, y = column % half, row % half
    if not up and not right:
        return code_of(y, x, half)
    if up:
        return (1 + right) * half * half + code_of(x, y, half)
    return 3 * half * half + code_of(half - 1 - y, half - 1 - x, half)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=20))
def test_codes_follow_the_definition(points: list[tuple[int, int]]) -> None:
    """Each cell has the code that the recursion gives it."""
    columns, rows = np.array(points, np.uint16).T
    assert hilbert_code(columns, rows).tolist() == [code_of(x, y) for x, y in points]


def test_the_curve_visits_neighbours() -> None:
    """A quarter of a million consecutive cells are all different, each beside the one before."""
    y, x = np.divmod(np.arange(512 * 512, dtype=np.uint32), np.uint32(512))
    code = hilbert_code(x.astype(np.uint16), y.astype(np.uint16))
    assert np.array_equal(np.sort(code), np.arange(512 * 512))
    along = np.argsort(code)
    steps = np.abs(np.diff(x[along].astype(int))) + np.abs(np.diff(y[along].astype(int)))
    assert (steps == 1).all()


@given(st.lists(st.tuples(st.integers(-900, 900), st.integers(-400, 400)), max_size=40))
def test_order_is_along_the_curve(points: list[tuple[int, int]]) -> None:
    """The order sorts by code over the extent, equal cells by position."""
    x, y = np.array(points, np.int32).reshape(-1, 2).T
    order = hilbert_order(x * 1_000_000, y * 1_000_000)
    if not points:
        assert len(order) == 0
        return
    x, y = (int(1e6) * (v - v.min()).astype(int) for v in (x, y))
    extent = max(x.max(), y.max()) + 1
    codes = [
        code_of(int(a * SIDE // extent), int(b * SIDE // extent)) for a, b in zip(x, y, strict=True)
    ]
    assert order.tolist() == sorted(range(len(points)), key=lambda i: codes[i])


def test_the_whole_globe_does_not_overflow() -> None:
    """The extremes of int32 coordinates fall into the corners of the grid."""
    x = np.array([-1_800_000_000, 1_800_000_000, -1_800_000_000], np.int32)
    y = np.array([-900_000_000, -900_000_000, 900_000_000], np.int32)
    assert hilbert_order(x, y).tolist() == [0, 2, 1]
