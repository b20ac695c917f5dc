"""Distances, bearings and projections between coordinates on the WGS84 ellipsoid.

Coordinates are int32 in units of 1e-7 degree. Neighbouring points are measured on a flat map
that touches the ellipsoid at their middle latitude, distant ones along the globe; longitudes
are always taken the short way round, so the antimeridian is no border.
"""

import math

import numpy as np

from gis.arrays import F64, I32, AnyArray, freeze
from gis.jit import inner_kernel, int64, plain_kernel

UNITS_PER_DEGREE = 10_000_000
HALF_TURN = 180 * UNITS_PER_DEGREE
QUARTER_TURN = 90 * UNITS_PER_DEGREE

EQUATOR_RADIUS_M = 6_378_137.0
FLATTENING = 1 / 298.257223563
_ECCENTRICITY_2 = FLATTENING * (2 - FLATTENING)
_RADIANS = math.pi / HALF_TURN
_NEAR = UNITS_PER_DEGREE // 4  # up to a quarter of a degree the flat map errs by less than 3e-6


def to_units(degrees: float | AnyArray) -> I32:
    """Degrees (within +-180) to the nearest int32 units of 1e-7 degree."""
    return np.rint(np.asarray(degrees, np.float64) * UNITS_PER_DEGREE).astype(np.int32)


@inner_kernel
def normal_lon(lon: float) -> float:
    """A longitude at most one turn beyond the antimeridian, brought back within +-180 degrees."""
    if lon > HALF_TURN:
        return lon - 2 * HALF_TURN
    if lon < -HALF_TURN:
        return lon + 2 * HALF_TURN
    return lon


@plain_kernel
def lon_difference(lon_a: int, lon_b: int) -> float:
    """Units from ``lon_a`` to ``lon_b`` the short way round, as a float."""
    return normal_lon(float(lon_b) - float(lon_a))


@plain_kernel
def metres_per_unit(lat: float) -> tuple[float, float]:
    """Metres of one unit of longitude and one of latitude at a latitude, on the ellipsoid.

    The radii of curvature along the parallel and the meridian (Rapp, Geometric Geodesy, 3.5).
    """
    cosine = math.cos(lat * _RADIANS)
    bulge = 1.0 / (1.0 - _ECCENTRICITY_2 * (1.0 - cosine * cosine))
    normal = EQUATOR_RADIUS_M * math.sqrt(bulge) * _RADIANS
    return normal * cosine, normal * bulge * (1.0 - _ECCENTRICITY_2)


@inner_kernel
def _far_distance_m(dlon: float, lat_a: float, lat_b: float) -> float:
    """Geodesic length to first order in the flattening (Lambert 1942). Angles in radians."""
    reduced_a = math.atan((1.0 - FLATTENING) * math.tan(lat_a))
    reduced_b = math.atan((1.0 - FLATTENING) * math.tan(lat_b))
    sin2_mean = math.sin((reduced_a + reduced_b) / 2) ** 2
    sin2_half = math.sin((reduced_b - reduced_a) / 2) ** 2
    sin2_lon = math.sin(dlon / 2) ** 2
    # Squared sine and cosine of half the central angle; neither comes from the other, so that
    # equal and opposite points do not lose their digits.
    near = sin2_half * (1.0 - sin2_lon) + (1.0 - sin2_mean) * sin2_lon
    far = (1.0 - sin2_half) * (1.0 - sin2_lon) + sin2_mean * sin2_lon
    angle = 2.0 * math.atan2(math.sqrt(near), math.sqrt(far))
    correction = 0.0
    if far > 0.0:
        correction += (angle - math.sin(angle)) * sin2_mean * (1.0 - sin2_half) / far
    if near > 0.0:
        correction += (angle + math.sin(angle)) * (1.0 - sin2_mean) * sin2_half / near
    return EQUATOR_RADIUS_M * (angle - FLATTENING / 2 * correction)


@plain_kernel
def distance_m(lon_a: int, lat_a: int, lon_b: int, lat_b: int) -> float:
    """Metres between two points along the ellipsoid.

    Against the geodesic the relative error is below 3e-6 up to a quarter of a degree, below
    1e-5 up to 150 degrees of arc and below 0.4 % towards the opposite point of the globe.
    """
    dlon = lon_difference(int64(lon_a), int64(lon_b))
    dlat = float(lat_b) - float(lat_a)
    if abs(dlon) <= _NEAR and abs(dlat) <= _NEAR:
        x_m, y_m = metres_per_unit(float(lat_a) + dlat / 2)
        return math.sqrt((dlon * x_m) ** 2 + (dlat * y_m) ** 2)
    return _far_distance_m(dlon * _RADIANS, lat_a * _RADIANS, lat_b * _RADIANS)


@plain_kernel
def bearing_deg(lon_a: int, lat_a: int, lon_b: int, lat_b: int) -> float:
    """Direction from a to b in degrees clockwise from north, 0 <= bearing < 360.

    Between distant points the direction in which the great circle starts. 0 for equal points.
    """
    dlon = lon_difference(int64(lon_a), int64(lon_b))
    dlat = float(lat_b) - float(lat_a)
    if abs(dlon) <= _NEAR and abs(dlat) <= _NEAR:
        x_m, y_m = metres_per_unit(float(lat_a) + dlat / 2)
        east, north = dlon * x_m, dlat * y_m
    else:
        sin_a, cos_a = math.sin(lat_a * _RADIANS), math.cos(lat_a * _RADIANS)
        sin_b, cos_b = math.sin(lat_b * _RADIANS), math.cos(lat_b * _RADIANS)
        east = math.sin(dlon * _RADIANS) * cos_b
        north = cos_a * sin_b - sin_a * cos_b * math.cos(dlon * _RADIANS)
    bearing = math.degrees(math.atan2(east, north))
    if bearing < 0.0:
        bearing += 360.0
    return bearing if bearing < 360.0 else 0.0


@plain_kernel
def project_on_segment(x_a: float, y_a: float, x_b: float, y_b: float) -> float:
    """Fraction 0..1 from a to b of the point of a segment that is nearest to the origin.

    Plane coordinates in metres, such as differences to a point times ``metres_per_unit``.
    0 for a segment without length.
    """
    x, y = x_b - x_a, y_b - y_a
    length_2 = x * x + y * y
    if length_2 == 0.0:
        return 0.0
    return min(max(-(x_a * x + y_a * y) / length_2, 0.0), 1.0)


@plain_kernel
def polyline_length_m(lon: I32, lat: I32, start: int, stop: int) -> float:
    """Metres along the points ``start`` to ``stop - 1`` of ``lon`` and ``lat``."""
    length = 0.0
    for i in range(start + 1, stop):
        length += distance_m(lon[i - 1], lat[i - 1], lon[i], lat[i])
    return length


def distances_m(lon_a: I32, lat_a: I32, lon_b: I32, lat_b: I32) -> F64:
    """``distance_m`` of arrays that are broadcast against each other, as float64."""
    ends = np.broadcast_arrays(lon_a, lat_a, lon_b, lat_b)
    result = np.empty(ends[0].shape, np.float64)
    flat = [freeze(end.astype(np.int32).ravel()) for end in ends]
    _fill_distances(flat[0], flat[1], flat[2], flat[3], result.ravel())
    return result


@plain_kernel
def _fill_distances(lon_a: I32, lat_a: I32, lon_b: I32, lat_b: I32, result: F64) -> None:
    for i in range(len(result)):
        result[i] = distance_m(lon_a[i], lat_a[i], lon_b[i], lat_b[i])
