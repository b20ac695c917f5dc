import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from gis.arrays import INF
from gis.geodesy import UNITS_PER_DEGREE
from routing.areas.contour import Polygon, contours
from routing.areas.cost_surface import Frame, Surface

CROSS = ndimage.generate_binary_structure(2, 1)
SQUARE = ndimage.generate_binary_structure(2, 2)


def make_surface(cost: np.ndarray, x: np.ndarray, y: np.ndarray, spread: float = 2.0) -> Surface:
    """A surface of places in cells (rows, columns): one degree to a cell, from 0, 0."""
    rows, columns = cost.shape
    step = float(UNITS_PER_DEGREE)
    frame = Frame(0, 0.0, 0.0, step, step, 1e5, spread, columns, rows, 5)
    units = [np.rint(part * 32).astype(np.int64).ravel() for part in (x, y)]
    place = (cost.astype(np.int64).ravel() << 30) | (units[1] << 15) | units[0]
    return Surface(frame, place)


@st.composite
def surfaces(draw: st.DrawFn) -> Surface:
    """Places scattered around the nodes of a grid whose border nothing is near to."""
    columns, rows = draw(st.integers(3, 14)), draw(st.integers(3, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = rows, columns
    share = rng.random()
    cost = np.where(rng.random(shape) < share, rng.integers(0, 1000, shape), INF)
    away = rng.choice([0.0, 0.3, 3.0])
    x, y = (np.abs(n + rng.uniform(-away, away, shape)) for n in np.indices(shape)[::-1])
    border = np.ones(shape, np.bool_)
    border[1:-1, 1:-1] = False
    cost[border], x[border], y[border] = INF, 1000, 1000
    return make_surface(cost, x, y)


def inside_of(surface: Surface, limit: float) -> np.ndarray:
    """Which nodes are inside, lone nodes outside among them (rows, columns)."""
    frame = surface.frame
    row, column = np.indices((frame.rows, frame.columns))
    place = surface.place.reshape(row.shape)
    x, y = (place & 32767) / 32, (place >> 15 & 32767) / 32
    near = np.hypot(x - column, y - row) <= frame.spread
    inside = near & (place >> 30 < limit)
    alone = ndimage.convolve(inside.astype(int), SQUARE.astype(int), mode="constant") == 8
    return inside | (alone & ~inside)


def shape_of(polygons: list[Polygon]) -> shapely.MultiPolygon:
    return shapely.MultiPolygon([(polygon[0], polygon[1:]) for polygon in polygons])


@given(surfaces(), st.integers(1, 1000))
def test_polygons_are_the_components_of_the_nodes_inside(surface: Surface, limit: int) -> None:
    """One polygon for each component, a hole for each enclosed one, and each node on its side."""
    polygons = contours(surface, limit)
    area = shape_of(polygons)
    assert area.is_valid
    inside = inside_of(surface, limit)
    row, column = np.indices(inside.shape)
    assert np.array_equal(shapely.contains_xy(area, column, row), inside)
    assert len(polygons) == ndimage.label(inside, CROSS)[1]
    n_holes = sum(len(polygon) - 1 for polygon in polygons)
    assert n_holes == ndimage.label(~inside, SQUARE)[1] - 1
    for polygon in polygons:
        for n, ring in enumerate(polygon):
            assert ring.dtype == np.float64 and np.array_equal(ring[0], ring[-1])
            assert shapely.is_ccw(shapely.LinearRing(ring)) == (n == 0)


@given(surfaces(), st.integers(1, 1000), st.integers(1, 1000))
def test_areas_grow_with_the_limit(surface: Surface, limit: int, other: int) -> None:
    """The area of a limit covers that of a smaller one."""
    small, large = (shape_of(contours(surface, some)) for some in sorted((limit, other)))
    assert shapely.difference(small, large).area < 1e-9


@given(surfaces(), st.integers(1, 1000))
def test_rounded_coordinates_are_still_valid(surface: Surface, limit: int) -> None:
    """Cells are ten metres or more; to 1e-6 degree, that is a hundredth of them."""
    polygons = contours(surface, limit)
    assert shape_of([[np.round(ring, 2) for ring in polygon] for polygon in polygons]).is_valid


def test_the_border_runs_where_the_costs_say() -> None:
    """Between neighbours on one road, the border is where the limit is."""
    row, column = np.indices((9, 12)).astype(float)
    border = (row == 0) | (row == 8) | (column == 0) | (column == 11)
    cost = np.where(border, INF, 100 * column)
    surface = make_surface(cost, np.where(border, 1000, column), np.where(border, 1000, row))
    for limit in (450, 530, 470):
        (ring,) = contours(surface, limit)[0]
        assert ring[:, 0].max() == pytest.approx(limit / 100, abs=1e-6)


def test_the_border_runs_as_far_as_a_place_spreads() -> None:
    """Around a single place the area is a disc."""
    shape = 21, 21
    surface = make_surface(np.full(shape, 5), np.full(shape, 10.25), np.full(shape, 9.5), 6.0)
    ((ring,),) = contours(surface, 6)
    assert np.allclose(np.hypot(*(ring - [10.25, 9.5]).T), 6.0, atol=0.06)
    assert contours(surface, 5) == []


def test_the_border_runs_halfway_to_what_is_not_reached() -> None:
    """At equal distance from both, but for the handicap of what is not reached."""
    row, column = np.indices((11, 11)).astype(float)
    left = column <= 5
    border = (row == 0) | (row == 10) | (column == 0)
    cost = np.where(left & ~border, 10, INF)
    surface = make_surface(cost, np.where(left, 4.0, 7.0) + 1000 * border, row, 3.0)
    ((ring,),) = contours(surface, 20)
    # x from 4 and 7 are equally far at 5.5; a square cell of handicap moves it by 1 / (2 * 3).
    right = ring[(ring[:, 1] > 1) & (ring[:, 1] < 9), 0].max()
    assert right == pytest.approx(5.5 + 1 / 6, abs=0.01)
