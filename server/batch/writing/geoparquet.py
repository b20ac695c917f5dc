"""What GeoParquet 1.1 wants to be told of the shapes in a Parquet file."""

import json
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from gis.arrays import I64, U8

KEY = b"geo"
"""The key of this metadata in the file's footer."""

_TYPES = (
    "Point",
    "LineString",
    "Polygon",
    "MultiPoint",
    "MultiLineString",
    "MultiPolygon",
    "GeometryCollection",
)
"""By their numbers in WKB, from 1."""

_HEADER_BYTES = 5
"""Of a shape in WKB: the order of bytes, then the type in 32 bits."""

_FLAG_Z, _FLAG_M, _WITHOUT_FLAGS = 1 << 31, 1 << 30, (1 << 28) - 1
"""Extended WKB says by flags in the type what else there is; ISO's adds thousands."""

UNKNOWN = "unknown"
"""A type of shapes that GeoParquet has no name for."""


def geo_metadata(types_of: Mapping[str, Iterable[str]], primary: str) -> bytes:
    """The metadata of a file with shapes in these columns, one of them its primary one.

    Longitudes and latitudes in degrees (OGC:CRS84) is what GeoParquet takes where nothing is said.
    """
    columns = {
        name: {"encoding": "WKB", "geometry_types": _listed(set(types))}
        for name, types in types_of.items()
    }
    facts = {"version": "1.1.0", "primary_column": primary, "columns": columns}
    return json.dumps(facts, separators=(",", ":")).encode()


def geometry_types(column: pa.ChunkedArray) -> set[str]:
    """The types of the shapes in a column of WKB, as GeoParquet names them."""
    codes = [_type_codes(chunk) for chunk in column.chunks]
    return {_name(int(code)) for code in np.unique(np.concatenate([np.empty(0, np.int64), *codes]))}


def _listed(types: set[str]) -> list[str]:
    """In one order; an empty list says that they are not known."""
    return [] if UNKNOWN in types else sorted(types)


def _type_codes(shapes: pa.Array) -> I64:
    """The number of the type in each shape's header; 0 where it is too short for one."""
    shapes = shapes.drop_null().cast(pa.large_binary())
    if not len(shapes):
        return np.empty(0, np.int64)
    _, offsets, buffer = shapes.buffers()
    first = np.frombuffer(offsets, np.int64, len(shapes) + 1, 8 * shapes.offset)
    data: U8 = np.frombuffer(buffer or b"", np.uint8)
    whole = np.diff(first) >= _HEADER_BYTES
    headers = data[first[:-1][whole, None] + np.arange(_HEADER_BYTES)]
    numbers = np.ascontiguousarray(headers[:, 1:])
    little = headers[:, 0] == 1
    codes = np.zeros(len(shapes), np.int64)
    codes[whole] = np.where(little, numbers.view("<u4")[:, 0], numbers.view(">u4")[:, 0])
    return codes


def _name(code: int) -> str:
    """A type as GeoParquet names it, which knows heights but no measures."""
    thousands, number = divmod(code & _WITHOUT_FLAGS, 1000)
    if not 1 <= number <= len(_TYPES) or thousands > 1 or code & _FLAG_M:
        return UNKNOWN
    return _TYPES[number - 1] + (" Z" if thousands or code & _FLAG_Z else "")
