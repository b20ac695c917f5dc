"""Results as data frames with geometry, for those who have GeoPandas."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gis.arrays import F64, I32, I64, AnyArray
from gis.geodesy import UNITS_PER_DEGREE
from routing.errors import NotInstalled

_CRS = "EPSG:4326"


def geo_frame(columns: Mapping[str, Any], geometry: Any) -> Any:
    """A ``GeoDataFrame`` in longitudes and latitudes; ``NotInstalled`` without GeoPandas."""
    try:
        import geopandas
    except ImportError:
        raise NotInstalled("geopandas is not installed: pip install 'whimbrel[geo]'") from None
    return geopandas.GeoDataFrame(dict(columns), geometry=geometry, crs=_CRS)


def line_strings(first: I64, lon: I32, lat: I32) -> AnyArray:
    """Lines in 1e-7 degree, as in `Lines`, as shapely's; None where there are no points."""
    import shapely

    if not len(lon):  # shapely makes no empty lines of nothing
        return np.full(len(first) - 1, None, object)
    degrees = np.stack([lon, lat], axis=1) / UNITS_PER_DEGREE
    made: AnyArray = shapely.from_ragged_array(shapely.GeometryType.LINESTRING, degrees, (first,))
    made[first[1:] == first[:-1]] = None
    return made


def line_string(lon: F64, lat: F64) -> Any:
    """One line in degrees as shapely's."""
    import shapely

    return shapely.linestrings(lon, lat)


def points(lon: F64, lat: F64) -> AnyArray:
    """Points in degrees (n,) as shapely's; None where they are NaN."""
    import shapely

    made: AnyArray = shapely.points(lon, lat)
    made[np.isnan(lon)] = None
    return made


def multi_shape(shapes: Sequence[Any], lines: bool) -> Any:
    """Lines, or polygons with the shell first, as one geometry of shapely's."""
    import shapely

    if lines:
        return shapely.MultiLineString(list(shapes))
    return shapely.MultiPolygon([(rings[0], rings[1:]) for rings in shapes])
