"""The squares that the web's Mercator map is cut into, and the fine grid of each."""

import math
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I32, I64
from gis.geodesy import HALF_TURN, QUARTER_TURN, UNITS_PER_DEGREE
from gis.jit import inner_kernel, plain_kernel

EXTENT = 4096
"""Units of a tile's grid along each side."""
BUFFER = 128
"""So many units beyond its sides a tile shows too, that lines can be drawn with their width."""

MAX_MERCATOR_LAT = 85.0511287798066
"""Where the square map of the whole world ends, in degrees."""


class Tile(NamedTuple):
    """Column ``x`` from the antimeridian eastwards, row ``y`` from the north, of 2^zoom each."""

    x: int
    y: int
    zoom: int


class View(NamedTuple):
    """How coordinates become units of a tile's grid, for kernels."""

    world: float
    """Units around the whole world."""
    left: float
    top: float
    """The tile's corner, in units of the whole world's grid."""


def view_of(tile: Tile) -> View:
    """The view of one tile."""
    return View(float(EXTENT << tile.zoom), float(EXTENT * tile.x), float(EXTENT * tile.y))


def box_of(tile: Tile) -> tuple[int, int, int, int]:
    """West, south, east and north of a tile with its buffer, in 1e-7 degree.

    What goes beyond the antimeridian goes on: such bounds are more than half a turn.
    """
    width, buffer = 1 / 2**tile.zoom, BUFFER / EXTENT
    west, east = (((tile.x + part) * width - 0.5) * 2 * HALF_TURN for part in (-buffer, 1 + buffer))
    north, south = (_latitude((tile.y + part) * width) for part in (-buffer, 1 + buffer))
    return math.floor(west), math.floor(south), math.ceil(east), math.ceil(north)


def _latitude(northing: float) -> float:
    """The latitude of a part 0..1 of the map from the north, in 1e-7 degree."""
    angle = math.atan(math.sinh(math.pi * (1 - 2 * northing)))
    return min(max(math.degrees(angle) * UNITS_PER_DEGREE, -QUARTER_TURN), QUARTER_TURN)


@inner_kernel
def grid_x(view: View, lon: int) -> float:
    """Units from the left side of a tile."""
    return (float(lon) + HALF_TURN) / (2.0 * HALF_TURN) * view.world - view.left


@inner_kernel
def grid_y(view: View, lat: int) -> float:
    """Units from the upper side of a tile."""
    degrees = min(max(float(lat) / UNITS_PER_DEGREE, -MAX_MERCATOR_LAT), MAX_MERCATOR_LAT)
    northing = math.atanh(math.sin(math.radians(degrees)))
    return (0.5 - northing / (2.0 * math.pi)) * view.world - view.top


@plain_kernel
def _place(view: View, lon: I32, lat: I32, x: F64, y: F64) -> None:
    for i in range(len(lon)):
        x[i] = grid_x(view, lon[i])
        y[i] = grid_y(view, lat[i])


def place_points(tile: Tile, lon: I32, lat: I32) -> tuple[I64, I64]:
    """Points (n,), frozen, on a tile's grid: the units from its left and upper side, int64 (n,).

    Those that the tile shows are at most ``BUFFER`` beyond its sides.
    """
    view = view_of(tile)
    x, y = np.empty(len(lon)), np.empty(len(lon))
    _place(view, lon, lat, x, y)
    around: Any = np.rint((x + view.left - EXTENT * (tile.x + 0.5)) / view.world)
    # The other end of the world is beside this one.
    return np.rint(x - around * view.world).astype(np.int64), np.rint(y).astype(np.int64)


def is_shown(x: I64, y: I64) -> Any:
    """Which places of a grid its tile shows, bool (n,)."""
    low, high = -BUFFER, EXTENT + BUFFER
    return (x >= low) & (x < high) & (y >= low) & (y < high)
