"""The lines of roads on a tile's grid: projected, cut at its sides, written as commands.

Commands are those of the Mapbox Vector Tile specification 2.1, section 4.3.
"""

from typing import NamedTuple

import numpy as np

from gis.arrays import F64, I64, U32, Bool, freeze, offsets
from gis.geodesy import HALF_TURN
from gis.jit import inner_kernel, int64, kernel
from gis.polyline import keep_corners
from gis.snap_index import SnapIndex
from gis.tiles.grid import BUFFER, EXTENT, Tile, View, grid_x, grid_y, view_of

MOVE_TO, LINE_TO = 1, 2
ONE_MOVE = 1 << 3 | MOVE_TO

_WORDS_OF_SEGMENT = 6
"""Room for one that is a part of its own: a move to its start, and a line to its end."""
_WORLDS = 3
"""Ours, and the next ones beyond both ends."""


class Lines(NamedTuple):
    """F features of L lines along M arcs in all.

    | array | dtype, shape | content |
    |---|---|---|
    | first_line | uint32 (F + 1,) | offsets into the lines |
    | first_arc | uint32 (L + 1,) | offsets into ``arc`` |
    | arc | uint32 (M,) | each begins where the one before in its line ends |
    """

    first_line: U32
    first_arc: U32
    arc: U32


class Drawn(NamedTuple):
    """What a tile shows of F features: offsets uint32 (F + 1,) into commands uint32 (C,)."""

    first: U32
    command: U32


class _Pen(NamedTuple):
    """Commands (C,), and the state of the pen: see ``_AT`` and those that follow."""

    command: U32
    state: I64


_AT, _X, _Y, _HEAD, _LAST_X, _LAST_Y = range(6)
"""Next free command; where the last one led; the command of the line that is drawn, 0 if none;
the point where the pen hovers, or that it has drawn to."""
_N_STATE = 6


class _Path(NamedTuple):
    """The points of a line on the grid, which of them to draw, and scratch to find these."""

    x: F64
    y: F64
    kept: Bool
    stack: I64


def draw_lines(index: SnapIndex, lines: Lines, tile: Tile, tolerance: float) -> Drawn:
    """The lines of features as a tile shows them, simplified by a tolerance in units of its grid.

    Edges are those of the index. A feature that is not seen has no commands.
    """
    edge = lines.arc >> np.uint32(1)
    n_points = (index.first_point[edge + np.uint32(1)] - index.first_point[edge]).astype(np.int64)
    total = int(n_points.sum())
    by_line = np.add.reduceat(n_points, lines.first_arc[:-1]) if total else n_points
    longest = int(by_line.max(initial=0))
    path = _Path(
        np.empty(longest),
        np.empty(longest),
        np.empty(longest, np.bool_),
        np.empty((longest, 2), np.int64),
    )
    n_words = _WORDS_OF_SEGMENT * total
    pen = _Pen(np.empty(_WORLDS * n_words, np.uint32), np.zeros(_N_STATE, np.int64))
    size = np.empty(len(lines.first_line) - 1, np.int64)
    _draw(index, lines, view_of(tile), tolerance, path, pen, size)
    first = offsets(size)
    return Drawn(freeze(first), freeze(pen.command[: int(first[-1])]))


@inner_kernel
def _collect(index: SnapIndex, lines: Lines, line: int, view: View, path: _Path) -> int:
    """Fill ``path`` with the points of a line, unbroken at the antimeridian; how many."""
    n = 0
    lon = 0
    around = 0
    for i in range(lines.first_arc[line], lines.first_arc[line + 1]):
        arc = int64(lines.arc[i])
        edge = arc >> 1
        start, stop = int64(index.first_point[edge]), int64(index.first_point[edge + 1])
        for k in range(1 if n > 0 else 0, stop - start):
            point = start + k if arc & 1 == 0 else stop - 1 - k
            before = lon
            lon = int64(index.point_lon[point])
            if n > 0 and lon - before > HALF_TURN:
                around -= 1
            elif n > 0 and before - lon > HALF_TURN:
                around += 1
            path.x[n] = grid_x(view, lon) + around * view.world
            path.y[n] = grid_y(view, int64(index.point_lat[point]))
            n += 1
    return n


@inner_kernel
def _zigzag(number: int) -> int:
    return number << 1 if number >= 0 else ~(number << 1)


@inner_kernel
def _lift(pen: _Pen) -> None:
    """End the part that is drawn."""
    pen.state[_HEAD] = 0


@inner_kernel
def _go(pen: _Pen, x: int, y: int) -> None:
    """Write how to get from where the last command led to a point."""
    state, at = pen.state, int64(pen.state[_AT])
    pen.command[at] = _zigzag(x - state[_X])
    pen.command[at + 1] = _zigzag(y - state[_Y])
    state[_AT] = at + 2
    state[_X], state[_Y] = x, y


@inner_kernel
def _draw_to(pen: _Pen, x: int, y: int) -> None:
    """Draw from where the pen is to a point, unless it is there."""
    state = pen.state
    if state[_LAST_X] == x and state[_LAST_Y] == y:
        return
    if state[_HEAD] == 0:
        pen.command[state[_AT]] = ONE_MOVE
        state[_AT] += 1
        _go(pen, int64(state[_LAST_X]), int64(state[_LAST_Y]))
        state[_HEAD] = state[_AT]
        pen.command[state[_HEAD]] = LINE_TO
        state[_AT] += 1
    pen.command[state[_HEAD]] += 1 << 3
    _go(pen, x, y)
    state[_LAST_X], state[_LAST_Y] = x, y


@inner_kernel
def _cut(start: float, step: float, low: float, high: float) -> tuple[float, float]:
    """The first and last part of a step that lie within bounds (Liang and Barsky 1984).

    The first is greater than the last where none does.
    """
    if step == 0.0:
        return (0.0, 1.0) if low <= start <= high else (1.0, 0.0)
    a, b = (low - start) / step, (high - start) / step
    return min(a, b), max(a, b)


@inner_kernel
def _draw_segment(pen: _Pen, x_a: float, y_a: float, x_b: float, y_b: float) -> None:
    """Draw what the tile shows of a segment that goes on from the one before."""
    low, high = float(-BUFFER), float(EXTENT + BUFFER)
    x_first, x_last = _cut(x_a, x_b - x_a, low, high)
    y_first, y_last = _cut(y_a, y_b - y_a, low, high)
    first, last = max(x_first, y_first, 0.0), min(x_last, y_last, 1.0)
    if first > last:
        _lift(pen)
        return
    state = pen.state
    x, y = x_a + first * (x_b - x_a), y_a + first * (y_b - y_a)
    if first > 0.0:
        _lift(pen)
    if state[_HEAD] == 0:
        state[_LAST_X], state[_LAST_Y] = int64(np.rint(x)), int64(np.rint(y))
    x, y = x_a + last * (x_b - x_a), y_a + last * (y_b - y_a)
    _draw_to(pen, int64(np.rint(x)), int64(np.rint(y)))
    if last < 1.0:
        _lift(pen)


@inner_kernel
def _draw_path(path: _Path, n: int, shift: float, pen: _Pen) -> None:
    """Draw the kept points of a line, moved to the right."""
    _lift(pen)
    before = 0
    for i in range(1, n):
        if path.kept[i]:
            _draw_segment(pen, path.x[before] + shift, path.y[before], path.x[i] + shift, path.y[i])
            before = i


@kernel
def _draw(
    index: SnapIndex,
    lines: Lines,
    view: View,
    tolerance: float,
    path: _Path,
    pen: _Pen,
    size: I64,
) -> None:
    """Write the commands of all features, and how many each has (F,)."""
    state = pen.state
    for feature in range(len(size)):
        begin = int64(state[_AT])
        state[_X] = state[_Y] = 0
        for line in range(lines.first_line[feature], lines.first_line[feature + 1]):
            n = _collect(index, lines, line, view, path)
            if tolerance > 0.0:
                path.kept[:n] = False
                keep_corners(path.x[:n], path.y[:n], tolerance * tolerance, path.kept, path.stack)
            else:
                path.kept[:n] = True
            west, east = path.x[0], path.x[0]
            for i in range(1, n):
                west, east = min(west, path.x[i]), max(east, path.x[i])
            for world in range(-1, 2):
                shift = world * view.world
                if west + shift <= EXTENT + BUFFER and east + shift >= -BUFFER:
                    _draw_path(path, n, shift, pen)
        size[feature] = state[_AT] - begin
