"""Shapes in WKB as text."""

import pyarrow as pa
import shapely

from gis.arrays import AnyArray
from server.batch.writing.cells import TEXT

_DECIMALS = 7
"""A centimetre; what the map itself holds."""


def wkt(column: pa.Array) -> pa.Array:
    """Shapes as WKT; null where there is none, or none that can be read."""
    return pa.array(shapely.to_wkt(_read(column), rounding_precision=_DECIMALS, trim=True), TEXT)


def geojson(column: pa.Array) -> pa.Array:
    """Shapes as GeoJSON geometries; null where there is none, or none that can be read."""
    shapes = _read(column)
    solid = shapely.has_z(shapes)
    for which, include_z in ((~solid, False), (solid, True)):
        shapes[which] = shapely.transform(
            shapes[which], lambda xyz: xyz.round(_DECIMALS), include_z=include_z
        )
    return pa.array(shapely.to_geojson(shapes), TEXT)


def _read(column: pa.Array) -> AnyArray:
    """Shapes from WKB, with the dimensions that each has."""
    shapes: AnyArray = shapely.from_wkb(column.to_numpy(zero_copy_only=False), on_invalid="ignore")
    return shapes
