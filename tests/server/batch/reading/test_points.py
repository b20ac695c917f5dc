"""Points of rows from numbers and from shapes."""

import math

import numpy as np
import pyarrow as pa
import pytest
import shapely
from shapely import LineString, MultiPoint, Point, Polygon
from shapely.geometry.base import BaseGeometry

from server.batch.reading.points import may_hold_points, may_hold_shapes, points_of

NAN = math.nan
BINARY = [pa.binary(), pa.large_binary(), pa.binary_view()]
TEXT = [pa.string(), pa.large_string()]

ONE = [
    (Point(-8.6, 41.1), [-8.6, 41.1]),
    (Point(1, 2, 3), [1, 2]),
    (Point(), [NAN, NAN]),
    (LineString([(1, 2), (3, 4)]), [NAN, NAN]),
    (MultiPoint([(1, 2)]), [NAN, NAN]),
    (None, [NAN, NAN]),
]
TWO = [
    (LineString([(1, 2), (3, 4)]), [1, 2, 3, 4]),
    (LineString([(1, 2), (5, 6), (3, 4)]), [1, 2, 3, 4]),
    (MultiPoint([(1, 2), (3, 4)]), [1, 2, 3, 4]),
    (MultiPoint([(1, 2), (5, 6), (3, 4)]), [NAN] * 4),
    (MultiPoint([(1, 2)]), [NAN] * 4),
    (LineString(), [NAN] * 4),
    (Point(1, 2), [NAN] * 4),
    (Polygon([(0, 0), (1, 0), (1, 1)]), [NAN] * 4),
    (None, [NAN] * 4),
]


@pytest.mark.parametrize(("n_points", "cases"), [(1, ONE), (2, TWO)])
@pytest.mark.parametrize("kind", [*BINARY, *TEXT])
def test_shapes(
    n_points: int, cases: list[tuple[BaseGeometry | None, list[float]]], kind: pa.DataType
) -> None:
    """In WKB, its hexadecimal digits and WKT; what is none of them has no points."""
    shapes = [shape for shape, _ in cases]
    expected = [points for _, points in cases] + [[NAN, NAN] * n_points]
    if kind in BINARY:
        values = [[*shapely.to_wkb(shapes), b"\x01nonsense"], [*shapely.to_wkb(shapes), b""]]
    else:
        wkt = shapely.to_wkt(shapes, rounding_precision=-1)
        values = [[*shapely.to_wkb(shapes, hex=True), "0a"], [*wkt, "POINT (x y)"]]
        values += [[f" {text} " if text else None for text in some] for some in values]
    for some in values:
        points = points_of([pa.chunked_array([pa.array(some, kind)])], n_points)
        assert points.dtype == np.float64 and points.flags.c_contiguous
        np.testing.assert_array_equal(points, expected)


def test_numbers() -> None:
    columns = [["1", "x"], ["2", "3"], [4.0, math.inf], [5, 6]]
    points = points_of([pa.chunked_array([column]) for column in columns], 2)
    np.testing.assert_array_equal(points, [[1, 2, 4, 5], [NAN, 3, NAN, 6]])
    assert points.flags.c_contiguous


def test_one_column_for_each_point() -> None:
    """Shapes, or x and y side by side, where there may be null."""
    both = pa.array([{"x": 1.0, "y": 2.0}, None, {"x": None, "y": 3.0}])
    wkt = pa.array(["POINT (4 5)", "POINT (6 7)", "LINESTRING (1 2, 3 4)"])
    points = points_of([pa.chunked_array([both]), pa.chunked_array([wkt])], 2)
    np.testing.assert_array_equal(points, [[1, 2, 4, 5], [NAN, NAN, 6, 7], [NAN, 3, NAN, NAN]])
    assert points_of([pa.chunked_array([both])], 1)[0].tolist() == [1, 2]


def test_types_of_points() -> None:
    """Numbers by the names of x and y."""
    x, y = pa.field("x", pa.float64()), pa.field("y", pa.float64())
    assert may_hold_points(pa.struct([x, y, pa.field("z", pa.string())]))
    for kind in (pa.struct([x]), pa.struct([x, pa.field("y", pa.binary())]), pa.float64()):
        assert not may_hold_points(kind)
    assert may_hold_points(pa.binary()) and may_hold_points(pa.string())


def test_infinite_shapes() -> None:
    wkb = shapely.to_wkb([Point(math.inf, 1)])
    np.testing.assert_array_equal(points_of([pa.chunked_array([wkb])], 1), [[NAN, 1]])


def test_no_rows() -> None:
    for kind in [*BINARY, *TEXT]:
        assert points_of([pa.chunked_array([], kind)], 2).shape == (0, 4)


def test_types_of_shapes() -> None:
    assert all(may_hold_shapes(kind) for kind in [*BINARY, *TEXT])
    assert not may_hold_shapes(pa.float64()) and not may_hold_shapes(pa.list_(pa.float64()))
