"""The types of shapes are read from their headers as Shapely reads them."""

import json
import struct

import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from server.batch.writing.geoparquet import UNKNOWN, geo_metadata, geometry_types

WKTS = (
    "POINT (1 2)",
    "LINESTRING (0 0, 1 1)",
    "POLYGON ((0 0, 1 0, 1 1, 0 0))",
    "MULTIPOINT (0 0, 1 1)",
    "MULTILINESTRING ((0 0, 1 1))",
    "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)))",
    "GEOMETRYCOLLECTION (POINT (1 2))",
    "POINT Z (1 2 3)",
    "LINESTRING Z (0 0 0, 1 1 1)",
)


@given(
    st.lists(st.tuples(st.none() | st.sampled_from(WKTS), st.integers(0, 1)), max_size=9),
    st.sampled_from(["iso", "extended"]),
    st.sampled_from([pa.binary(), pa.large_binary()]),
    st.integers(0, 3),
)
def test_types_by_shapely(
    drawn: list[tuple[str | None, int]], flavor: str, kind: pa.DataType, begin: int
) -> None:
    """In either order of bytes and either dialect, in pieces and slices, with nulls."""
    shapes = [shapely.from_wkt(wkt) for wkt, _ in drawn]
    wkb = [
        shapely.to_wkb(shape, byte_order=order, flavor=flavor, output_dimension=3)
        for shape, (_, order) in zip(shapes, drawn, strict=True)
    ]
    column = pa.chunked_array([pa.array(wkb, kind), pa.array([None, *wkb], kind)]).slice(begin)
    expected = {
        shape.geom_type + (" Z" if shape.has_z else "")
        for shape in [*shapes, None, *shapes][begin:]
        if shape is not None
    }
    assert geometry_types(column) == expected


def header(code: int) -> bytes:
    return struct.pack("<BI", 1, code)


@pytest.mark.parametrize(
    "wkb",
    [b"", b"\x01\x01\x00", header(0), header(8), header(2001), header(3002), header(1 << 30 | 1)],
)
def test_what_geoparquet_has_no_name_for(wkb: bytes) -> None:
    """Not a shape, or one with measures: then the list says that the types are not known."""
    types = geometry_types(pa.chunked_array([[wkb, shapely.to_wkb(shapely.Point(1, 2))]]))
    assert types == {UNKNOWN, "Point"}
    facts = json.loads(geo_metadata({"g": types}, "shape"))
    assert facts["columns"]["g"]["geometry_types"] == []
