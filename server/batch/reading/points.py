"""The points of rows from their coordinate columns, or from columns of shapes."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from gis.arrays import F64, AnyArray, Bool
from server.batch.reading.numbers import may_hold_numbers, numbers_of

_BINARY = pa.binary(), pa.large_binary(), pa.binary_view()
_TEXT = pa.string(), pa.large_string()
_AXES = "x", "y"
_HEXADECIMAL = r"^[0-9A-Fa-f]+$"


def may_hold_shapes(kind: pa.DataType) -> bool:
    """Whether a column of this type can hold WKB, or text that is WKT or hexadecimal WKB."""
    return is_binary(kind) or kind in _TEXT


def is_binary(kind: pa.DataType) -> bool:
    """Whether a column is of bytes, such as WKB."""
    return kind in _BINARY


def may_hold_points(kind: pa.DataType) -> bool:
    """Whether a column can hold one point in each row: shapes, or x and y side by side."""
    if not pa.types.is_struct(kind):
        return may_hold_shapes(kind)
    at = [kind.get_field_index(axis) for axis in _AXES]
    return all(i >= 0 and may_hold_numbers(kind.field(i).type) for i in at)


def are_points(kind: pa.DataType) -> bool:
    """Whether a column is of x and y side by side, and nothing else."""
    return pa.types.is_struct(kind) and kind.num_fields == len(_AXES) and may_hold_points(kind)


def points_as_wkb(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Points from x and y side by side as WKB; null where these are no numbers."""
    points = _points_of_column(column)
    is_there = np.isfinite(points).all(axis=1)
    wkb = np.full(len(points), None, object)
    wkb[is_there] = shapely.to_wkb(shapely.points(points[is_there]))
    return pa.chunked_array([pa.array(wkb, pa.binary())])


def points_of(columns: Sequence[pa.ChunkedArray], n_points: int) -> F64:
    """Longitude and latitude of each point of the rows, float64 (n, 2 ``n_points``).

    From as many columns of numbers, from one of points for each, or from one of shapes.
    """
    if len(columns) < n_points:
        return points_of_shapes(_shapes_of(columns[0]), n_points)
    if len(columns) == n_points:
        return np.hstack([_points_of_column(column) for column in columns])
    points = np.empty((len(columns[0]), len(columns)))
    for i, column in enumerate(columns):
        points[:, i] = numbers_of(column)
    return points


def points_of_shapes(shapes: AnyArray, n_points: int) -> F64:
    """Points of shapes, object (n,); NaN where a shape is another one than expected.

    One point is a Point. Two points are the first and the last one of a LineString, or the two of
    a MultiPoint.
    """
    kind = shapely.get_type_id(shapes)
    if n_points == 1:
        of_row = [_only(kind == shapely.GeometryType.POINT, shapes)]
    else:
        is_pair = kind == shapely.GeometryType.MULTIPOINT
        is_pair &= shapely.get_num_geometries(shapes) == 2
        pairs, lines = (
            _only(is_pair, shapes),
            _only(kind == shapely.GeometryType.LINESTRING, shapes),
        )
        of_row = []
        for end in (0, -1):
            points_of_pairs = np.asarray(shapely.get_geometry(pairs, end), object)
            points_of_lines = np.asarray(shapely.get_point(lines, end), object)
            of_row.append(np.where(is_pair, points_of_pairs, points_of_lines))
    there = [_only(~shapely.is_empty(points), points) for points in of_row]  # empty ones raise
    points: F64 = np.column_stack([f(p) for p in there for f in (shapely.get_x, shapely.get_y)])
    points[~np.isfinite(points)] = np.nan
    return points


def _points_of_column(column: pa.ChunkedArray) -> F64:
    """The point of each row, float64 (n, 2), from shapes or from x and y side by side."""
    if pa.types.is_struct(column.type):
        return points_of([pc.struct_field(column, axis) for axis in _AXES], 1)
    return points_of_shapes(_shapes_of(column), 1)


def are_no_shapes(column: pa.ChunkedArray) -> bool:
    """Whether a column of text has values, but none that is a shape."""
    text = column.drop_null()
    text = text.filter(pc.greater(pc.binary_length(text), 0))
    return len(text) > 0 and all(shape is None for shape in _shapes_of(text))


def _shapes_of(column: pa.ChunkedArray) -> AnyArray:
    """Shapes, object (n,); None where there is none that can be read."""
    if column.type in _BINARY:
        values: AnyArray = column.to_numpy()
        return np.asarray(shapely.from_wkb(values, on_invalid="ignore"), object)
    column = pc.utf8_trim_whitespace(column)
    values = column.to_numpy()
    is_wkb = pc.match_substring_regex(column, _HEXADECIMAL).fill_null(False).to_numpy()
    wkb = shapely.from_wkb(_only(is_wkb, values), on_invalid="ignore")
    wkt = shapely.from_wkt(_only(~is_wkb, values), on_invalid="ignore")
    return np.where(is_wkb, np.asarray(wkb, object), np.asarray(wkt, object))


def _only(mask: Bool, values: AnyArray) -> AnyArray:
    """The values where the mask is set, None elsewhere."""
    some = np.full(len(values), None, object)
    some[mask] = values[mask]
    return some
