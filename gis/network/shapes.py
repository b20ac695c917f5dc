"""Lengths of edges along their shapes, and their parts of the ways they were cut from."""

import numpy as np

from gis.arrays import F32, F64, I32, U32, freeze
from gis.geodesy import polyline_length_m
from gis.jit import int64, kernel


def measure_edges(first_point: U32, lon: I32, lat: I32) -> F64:
    """Metres along each shape, float64 (E,): shapes as in ``RoadNetwork``."""
    length_m = np.empty(len(first_point) - 1, np.float64)
    _measure(first_point, lon, lat, length_m)
    return freeze(length_m)


def share_of_way(way: U32, length_m: F64) -> F32:
    """Each edge's part of the length of all edges of its way, float32 (E,).

    ``way`` (E,) ascends. The edges of a way without any length share it equally. What a file
    lacks of a way is in no share, so what is left of a ferry cut off at the edge of an extract
    takes the time of the whole crossing: too long rather than a shortcut.
    """
    total_m = np.bincount(way, length_m)
    flat = total_m == 0
    part = np.where(flat[way], 1.0, length_m)
    whole = np.where(flat, np.bincount(way), total_m)[way]
    return freeze((part / whole).astype(np.float32))


@kernel
def _measure(first_point: U32, lon: I32, lat: I32, length_m: F64) -> None:
    for edge in range(len(length_m)):
        start, stop = int64(first_point[edge]), int64(first_point[edge + 1])
        length_m[edge] = polyline_length_m(lon, lat, start, stop)
