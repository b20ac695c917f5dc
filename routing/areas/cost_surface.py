"""The nearest place on a road, and what it costs to reach, for every node of a grid."""

import math
from typing import NamedTuple

import numpy as np

from gis.arrays import F32, I32, I64, INF, U8, U32, freeze
from gis.geodesy import lon_difference, metres_per_unit, normal_lon
from gis.jit import inner_kernel, int64, plain_kernel
from gis.rtree import NODE_SIZE, children
from gis.snap_index import SnapIndex, edge_of_point
from routing.areas.reach import Reach, reached_box

N_CELLS = 400
"""Cells along the longer side of what is reached, unless they would be smaller than the least."""

LEAST_CELL_M = 10.0
LEAST_SPREAD_M = 50.0
SPREAD_CELLS = 2.0
"""What lies no farther than this from a reached road is reached, too: at least so many metres,
and cells, so that the area holds the road between the nodes of the grid."""

_STEP = 0.75
"""Cells from one sample of a road to the next."""

# A place takes one word, which measured twice as fast to spread as three arrays. 15 bits with 5
# behind the point hold 1023 cells: more than a grid with its margins ever has.
_UNIT_BITS = 5
_PLACE_BITS = 15
_PLACE_MASK = (1 << _PLACE_BITS) - 1
_NOWHERE = INF << 2 * _PLACE_BITS | _PLACE_MASK << _PLACE_BITS | _PLACE_MASK

_HANDICAP_BITS = 9
_FAR_HANDICAP = 2**10

_BLOCK_BITS = 3


class Frame(NamedTuple):
    """Where a grid lies. Node (column, row) is at ``west + column * step``, ``south + ...``.

    Longitudes are measured from ``middle``, the short way round, so that the antimeridian tears
    nothing; all in 1e-7 degree but for ``cell_m``, the width and height of a cell in metres, true
    at the middle latitude, and ``spread``, how far what is reached spreads from its road, in
    cells. Places in cells are counted from node (0, 0). ``shift`` scales costs to handicaps.
    """

    middle: int
    west: float
    south: float
    lon_step: float
    lat_step: float
    cell_m: float
    spread: float
    columns: int
    rows: int
    shift: int


class Surface(NamedTuple):
    """A grid with the nearest place on a road for each of its nodes. G = columns * rows nodes.

    Row by row from south to north, in each from west to east.

    | array | dtype, shape | content |
    |---|---|---|
    | frame | ``Frame`` | where the grid lies |
    | place | int64 (G,) | x and y in 1/32 cell, 15 bits each, x lowest; from bit 30 the cost |

    Cost is INF beyond the limit of the reach. A node that no road is near may have a place far
    away; those at the border of the grid have none that is reached within the spread. Places are
    known to three quarters of a cell along a road, and one for each node: a little farther off, the
    nearest may be missed by a cell or so.

    "Nearest" is by the square of the distance plus a handicap that grows with the cost, up to a
    square cell for INF (a power diagram; Aurenhammer, SIAM J. Comput. 1987). Else the carriageway
    that leads back, reached much later than the one beside it, would cut an area in pieces that
    its grid cannot show.
    """

    frame: Frame
    place: I64


def check_surface(surface: Surface) -> None:
    """Assert what ``Surface`` promises."""
    frame, place = surface
    assert place.dtype == np.int64 and place.shape == (frame.columns * frame.rows,)
    assert max(frame.columns, frame.rows) < 2 ** (_PLACE_BITS - _UNIT_BITS) - 1
    assert frame.cell_m > 0 and frame.lon_step > 0 and frame.lat_step > 0 and frame.spread >= 2
    x, y, cost = place & _PLACE_MASK, place >> _PLACE_BITS & _PLACE_MASK, place >> 2 * _PLACE_BITS
    assert (cost >= 0).all() and (cost <= INF).all()
    row, column = np.divmod(np.arange(len(place)), frame.columns)
    units = 2**_UNIT_BITS
    distance = np.hypot(x / units - column, y / units - row)
    is_border = (row % (frame.rows - 1) == 0) | (column % (frame.columns - 1) == 0)
    assert (distance > frame.spread)[is_border & (cost < INF)].all()


class _Drawing(NamedTuple):
    """Marks made while roads are drawn.

    | array | dtype, shape | content |
    |---|---|---|
    | drawn | uint8 (P / 8 + 1,) | a bit for each segment: it need not be drawn again |
    | block | uint8 (rows / 8, columns / 8) | a reached road passes these 8 x 8 nodes |
    | stack | int64 (H, 2) | nodes of the index to look at, and their levels |
    """

    drawn: U8
    block: U8
    stack: I64


def build_surface(index: SnapIndex, edge_length_m: F32, weight: U32, reach: Reach) -> Surface:
    """The surface around all that is in reach.

    ``weight`` uint32 (A,) tells which roads are open: those that are not reached stand for the
    ground next to them. Closed roads say nothing of it.
    """
    frame = _make_frame(index, reach)
    surface = Surface(frame, np.full(frame.columns * frame.rows, _NOWHERE, np.int64))
    size = 1 << _BLOCK_BITS
    drawing = _Drawing(
        np.zeros(len(index.point_lon) // 8 + 1, np.uint8),
        np.zeros((-(-frame.rows // size), -(-frame.columns // size)), np.uint8),
        np.empty((NODE_SIZE * len(index.tree.level) + 1, 2), np.int64),
    )
    _draw_reached(index, edge_length_m, reach, surface, drawing)
    _draw_others(index, weight, surface, drawing)
    _spread(surface, _widened(drawing.block))
    return surface


def _widened(block: U8) -> U8:
    """The marked blocks and those around them: no spread is wider than a block."""
    wide = np.zeros((block.shape[0] + 2, block.shape[1] + 2), np.uint8)
    for row in range(3):
        for column in range(3):
            wide[row : row + block.shape[0], column : column + block.shape[1]] |= block
    return freeze(wide[1:-1, 1:-1])


def _make_frame(index: SnapIndex, reach: Reach) -> Frame:
    """A grid with room for all that is in reach and what lies next to it."""
    middle = int(index.point_lon[index.first_point[reach.origin_edge]])
    west, south, east, north = reached_box(index, reach)
    x_m, y_m = metres_per_unit((south + north) / 2)
    x_m = max(x_m, y_m * 1e-6)  # at the poles there is no east
    width_m, height_m = (east - west) * x_m, (north - south) * y_m
    cell_m = max(max(width_m, height_m) / N_CELLS, LEAST_CELL_M)
    spread = max(LEAST_SPREAD_M / cell_m, SPREAD_CELLS)
    margin = math.ceil(spread) + 2
    lon_step, lat_step = cell_m / x_m, cell_m / y_m
    # Costs up to the limit are handicapped by up to 2**9 of 2**10 parts of a square cell.
    shift = max(int(reach.limit).bit_length() - _HANDICAP_BITS, 0)
    return Frame(
        middle,
        west - middle - margin * lon_step,
        south - margin * lat_step,
        lon_step,
        lat_step,
        cell_m,
        spread,
        math.ceil(width_m / cell_m) + 2 * margin + 1,
        math.ceil(height_m / cell_m) + 2 * margin + 1,
        shift,
    )


@plain_kernel
def power(place: int, x: int, y: int, shift: int) -> int:
    """Squared distance of a place from a point plus the handicap for its cost, in 1/1024 cell2.

    The point in 1/32 cell; ``shift`` is that of the frame.
    """
    dx = (place & _PLACE_MASK) - x
    dy = (place >> _PLACE_BITS & _PLACE_MASK) - y
    handicap: int = min(place >> (2 * _PLACE_BITS + shift), _FAR_HANDICAP)
    return dx * dx + dy * dy + handicap


@inner_kernel
def place_of(surface: Surface, node: int) -> tuple[float, float, float]:
    """The place of a node in cells, and its cost."""
    place = surface.place[node]
    x, y = place & _PLACE_MASK, place >> _PLACE_BITS & _PLACE_MASK
    return x / 2**_UNIT_BITS, y / 2**_UNIT_BITS, float(place >> 2 * _PLACE_BITS)


@inner_kernel
def handicap_of(surface: Surface, node: int) -> float:
    """The handicap of the place of a node, in square cells."""
    shifted = surface.place[node] >> (2 * _PLACE_BITS + surface.frame.shift)
    handicap: int = min(shifted, _FAR_HANDICAP)
    return handicap / 4.0**_UNIT_BITS


class _Grid(NamedTuple):
    """What drawing needs of a surface: little, since it is handed on for every sample."""

    place: I64
    columns: int
    rows: int
    shift: int


@inner_kernel
def _put(grid: _Grid, x: float, y: float, cost: int) -> bool:
    """Make a place that of the node next to it, if that has none as near."""
    column, row = int(x + 0.5), int(y + 0.5)
    if x < 0.0 or y < 0.0 or column >= grid.columns or row >= grid.rows:
        return False
    node = row * grid.columns + column
    units = 1 << _UNIT_BITS
    place = (cost << _PLACE_BITS | int(y * units)) << _PLACE_BITS | int(x * units)
    x_node, y_node = column << _UNIT_BITS, row << _UNIT_BITS
    known = power(grid.place[node], x_node, y_node, grid.shift)
    if power(place, x_node, y_node, grid.shift) < known:
        grid.place[node] = place
    return True


@plain_kernel
def _draw_reached(
    index: SnapIndex, edge_length_m: F32, reach: Reach, surface: Surface, drawing: _Drawing
) -> None:
    """Draw all edges of a reach from end to end, and mark them."""
    frame = surface.frame
    grid = _Grid(surface.place, frame.columns, frame.rows, frame.shift)
    per_lon, per_lat = 1.0 / frame.lon_step, 1.0 / frame.lat_step
    for stretch in range(len(reach.edge)):
        edge = int64(reach.edge[stretch])
        low, high = np.float64(reach.span[stretch, 0]), np.float64(reach.span[stretch, 1])
        ahead, back = float(reach.cost[stretch, 0]), float(reach.cost[stretch, 1])
        rise_ahead, rise_back = float(reach.weight[stretch, 0]), float(reach.weight[stretch, 1])
        share = frame.cell_m / max(np.float64(edge_length_m[edge]), 1e-3)
        first, stop = int64(index.first_point[edge]), int64(index.first_point[edge + 1])
        x = (lon_difference(frame.middle, int64(index.point_lon[first])) - frame.west) * per_lon
        y = (index.point_lat[first] - frame.south) * per_lat
        walked, due = 0.0, 0.0  # cells from the tail, and those to the next sample
        for point in range(first + 1, stop):
            drawing.drawn[(point - 1) >> 3] |= 1 << (point - 1 & 7)
            to_x = (
                lon_difference(frame.middle, int64(index.point_lon[point])) - frame.west
            ) * per_lon
            to_y = (index.point_lat[point] - frame.south) * per_lat
            length = math.sqrt((to_x - x) ** 2 + (to_y - y) ** 2)
            while due <= length:
                part = due / max(length, 1e-9)
                at = min((walked + due) * share, 1.0)
                due += _STEP
                if at < low or at > high:
                    continue
                cost = min(ahead + rise_ahead * (at - low), back + rise_back * (high - at), INF)
                px, py = x + part * (to_x - x), y + part * (to_y - y)
                if _put(grid, px, py, int(cost)):
                    drawing.block[int(py) >> _BLOCK_BITS, int(px) >> _BLOCK_BITS] = 1
            due -= length
            walked += length
            x, y = to_x, to_y


@plain_kernel
def _draw_others(index: SnapIndex, weight: U32, surface: Surface, drawing: _Drawing) -> None:
    """Draw the open segments near marked blocks that are not drawn yet, at no finite cost."""
    tree, frame, stack = index.tree, surface.frame, drawing.stack
    grid = _Grid(surface.place, frame.columns, frame.rows, frame.shift)
    lon, lat = index.point_lon, index.point_lat
    per_lon, per_lat = 1.0 / frame.lon_step, 1.0 / frame.lat_step
    stack[0, 0], stack[0, 1] = len(tree.box) - 1, len(tree.level) - 2
    size = 1 if len(tree.box) > 0 else 0
    while size > 0:
        size -= 1
        node, level = stack[size, 0], stack[size, 1]
        if not _is_near(tree.box, node, frame, drawing.block):
            continue
        if level > 0:
            child, end = children(tree, node, level)
            for i in range(child, end):
                stack[size, 0], stack[size, 1] = i, level - 1
                size += 1
            continue
        for i in range(node * NODE_SIZE, min(node * NODE_SIZE + NODE_SIZE, len(tree.segment))):
            point = int64(tree.segment[i])
            if drawing.drawn[point >> 3] >> (point & 7) & 1:
                continue
            edge = edge_of_point(index, point)
            if weight[2 * edge] == INF and weight[2 * edge + 1] == INF:
                continue
            x = (lon_difference(frame.middle, int64(lon[point])) - frame.west) * per_lon
            y = (lat[point] - frame.south) * per_lat
            dx = lon_difference(int64(lon[point]), int64(lon[point + 1])) * per_lon
            dy = (float(lat[point + 1]) - lat[point]) * per_lat
            n_steps = int(math.sqrt(dx * dx + dy * dy) / _STEP) + 1
            for step in range(n_steps):
                part = step / n_steps
                _put(grid, x + part * dx, y + part * dy, INF)


@inner_kernel
def _is_near(box: I32, node: int, frame: Frame, block: U8) -> bool:
    """Whether a box comes nearer to a marked block than what is reached spreads."""
    width = float(box[node, 2]) - box[node, 0]
    west = normal_lon(float(box[node, 0]) - frame.middle) - frame.west
    margin = frame.spread + 1.0
    left = int(max(west / frame.lon_step - margin, 0.0)) >> _BLOCK_BITS
    right = int(min((west + width) / frame.lon_step + margin, frame.columns - 1.0)) >> _BLOCK_BITS
    south, north = box[node, 1] - frame.south, box[node, 3] - frame.south
    bottom = int(max(south / frame.lat_step - margin, 0.0)) >> _BLOCK_BITS
    top = int(min(north / frame.lat_step + margin, frame.rows - 1.0)) >> _BLOCK_BITS
    for row in range(bottom, top + 1):
        for column in range(left, right + 1):
            if block[row, column]:
                return True
    return False


@plain_kernel
def _spread(surface: Surface, active: U8) -> None:
    """Give every node the nearest of the places of its neighbours and its own, and so on.

    Two passes over the grid, row by row up and down and in each row there and back, carry places
    as far as they are nearest (4SED; Danielsson, Euclidean distance mapping, 1980). Only within
    ``active`` blocks, (rows, columns).
    """
    frame = surface.frame
    for row in range(1, frame.rows):
        _sweep(surface, active, row, -frame.columns, 1)
    for row in range(frame.rows - 2, -1, -1):
        _sweep(surface, active, row, frame.columns, 1)
        _sweep(surface, active, row, -1, 1)
        _sweep(surface, active, row, 1, -1)


@plain_kernel
def _sweep(surface: Surface, active: U8, row: int, neighbour: int, step: int) -> None:
    """Let the nodes of a row take what is nearer from the node so far on, one after the other."""
    frame = surface.frame
    y = row << _UNIT_BITS
    n_blocks = active.shape[1]
    for i in range(n_blocks):
        block = i if step > 0 else n_blocks - 1 - i
        if not active[row >> _BLOCK_BITS, block]:
            continue
        left = max(block << _BLOCK_BITS, 1)
        right = min((block + 1) << _BLOCK_BITS, frame.columns - 1)
        for k in range(right - left):
            column = left + k if step > 0 else right - 1 - k
            x, node = column << _UNIT_BITS, row * frame.columns + column
            own, other = surface.place[node], surface.place[node + neighbour]
            is_nearer = power(other, x, y, frame.shift) < power(own, x, y, frame.shift)
            surface.place[node] = other if is_nearer else own
