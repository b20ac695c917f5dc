"""Lines on a tile's grid, against shapely's clipping of exact projections."""

import math
from typing import Any

import mapbox_vector_tile
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapes import random_shapes

from gis.arrays import I32, freeze
from gis.geodesy import HALF_TURN
from gis.rtree import build_rtree
from gis.snap_index import SnapIndex, make_snap_index
from gis.tiles.encoding import LINE, Layer, encode_tile
from gis.tiles.grid import BUFFER, EXTENT, Tile
from gis.tiles.lines import Lines, draw_lines

AROUND = shapely.box(-BUFFER, -BUFFER, EXTENT + BUFFER, EXTENT + BUFFER)
NO_TOLERANCE = 0.0


def index_of(first: Any, lon: I32, lat: I32) -> SnapIndex:
    return make_snap_index(build_rtree(first, lon, lat), first, lon, lat)


def lines_of(*features: list[list[int]]) -> Lines:
    """Features as lists of lines, which are lists of arcs."""
    lines = [line for feature in features for line in feature]
    first_line = np.cumsum([0, *map(len, features)])
    first_arc = np.cumsum([0, *map(len, lines)])
    arcs = [arc for line in lines for arc in line]
    return Lines(*(freeze(np.array(column, np.uint32)) for column in (first_line, first_arc, arcs)))


def exact_line(index: SnapIndex, arcs: list[int], tile: Tile, world: int) -> Any:
    """The points of a line on the grid, not rounded, unwrapped, moved by worlds."""
    points: list[tuple[float, float]] = []
    size = 2.0**tile.zoom
    for arc in arcs:
        start, stop = (int(index.first_point[(arc >> 1) + i]) for i in (0, 1))
        order = range(start, stop) if arc % 2 == 0 else range(stop - 1, start - 1, -1)
        for point in order:
            lon, lat = index.point_lon[point] / 1e7, math.radians(index.point_lat[point] / 1e7)
            x = (lon + 180) / 360 * size
            while points and x - points[-1][0] > size / 2:
                x -= size
            while points and points[-1][0] - x > size / 2:
                x += size
            y = (1 - math.log(math.tan(lat) + 1 / math.cos(lat)) / math.pi) / 2 * size
            points.append((x, y))
    placed = [((x - tile.x + world * size) * EXTENT, (y - tile.y) * EXTENT) for x, y in points]
    return shapely.LineString(placed)


def shown(index: SnapIndex, feature: list[list[int]], tile: Tile) -> Any:
    """What of a feature lies around the tile."""
    exact = [
        exact_line(index, line, tile, world) for line in feature for world in (-2, -1, 0, 1, 2)
    ]
    return shapely.unary_union([shapely.intersection(line, AROUND) for line in exact])


def drawn(index: SnapIndex, lines: Lines, tile: Tile, tolerance: float) -> dict[int, Any]:
    """What a client decodes, by the number of the feature."""
    found = draw_lines(index, lines, tile, tolerance)
    n = len(lines.first_line) - 1
    data = encode_tile([Layer("roads", LINE, found, {}, np.arange(1, n + 1))])
    decoded = mapbox_vector_tile.decode(data, default_options={"y_coord_down": True})
    features = decoded.get("roads", {"features": []})["features"]
    return {f["id"] - 1: shapely.geometry.shape(f["geometry"]) for f in features}


def farthest(line: Any, other: Any) -> float:
    """How far points of one line may be from another one."""
    points = shapely.points(shapely.get_coordinates(shapely.segmentize(line, 5.0)))
    return float(shapely.distance(points, other).max())


def check(index: SnapIndex, features: list[list[list[int]]], tile: Tile, tolerance: float) -> int:
    """Compare each feature with what shapely leaves of it; how many are seen."""
    found = drawn(index, lines_of(*features), tile, tolerance)
    for number, feature in enumerate(features):
        expected = shown(index, feature, tile)
        line = found.get(number)
        if line is None:
            parts = shapely.get_parts(expected)
            assert all(part.length <= math.sqrt(2) + 2 * tolerance for part in parts)
            continue
        seen = [part for part in shapely.get_parts(expected) if part.length > 2]
        assert farthest(line, expected) <= 1.0 + tolerance
        assert all(farthest(part, line) <= 1.0 + tolerance for part in seen)
        assert AROUND.covers(line)
        if tolerance == NO_TOLERANCE:
            n_points = shapely.get_num_coordinates(expected) + len(shapely.get_parts(expected))
            assert line.length == pytest.approx(expected.length, abs=1.5 * n_points)
    return len(found)


SEEDS = st.integers(0, 10**6)


@given(SEEDS, st.sampled_from([0, HALF_TURN]), st.integers(8, 15), st.integers(-1, 1))
def test_roads_for_themselves(seed: int, around: int, zoom: int, beside: int) -> None:
    """Cut where shapely cuts them, on both sides of the antimeridian."""
    first, lon, lat = random_shapes(seed, 12, around)
    index = index_of(first, lon, lat)
    side = 2**zoom
    tile = Tile((side // 2 + beside) % side, side // 2, zoom)
    if around:
        tile = tile._replace(x=beside % side)
    check(index, [[[2 * edge + (edge % 2)]] for edge in range(12)], tile, NO_TOLERANCE)


@given(SEEDS, st.floats(0.5, 30), st.booleans())
def test_simplified(seed: int, tolerance: float, at_border: bool) -> None:
    """A simplified line stays as near as it promises, and both its ends stay."""
    first, lon, lat = random_shapes(seed, 4, HALF_TURN if at_border else 0, spread=500_000)
    index = index_of(first, lon, lat)
    tile = Tile(0 if at_border else 256, 255, 9)
    assert check(index, [[[2 * edge]] for edge in range(4)], tile, tolerance) > 0


def chain(seed: int, n_edges: int) -> SnapIndex:
    """Edges that go on in one another."""
    first, lon, lat = (array.copy() for array in random_shapes(seed, n_edges))
    for edge in range(1, n_edges):
        lon[first[edge]], lat[first[edge]] = lon[first[edge] - 1], lat[first[edge] - 1]
    return index_of(*(freeze(array) for array in (first, lon, lat)))


@given(SEEDS, st.integers(7, 12))
def test_long_lines_of_several_arcs(seed: int, zoom: int) -> None:
    """Arcs are drawn one after the other, forwards or backwards, as one line of a feature."""
    index = chain(seed, 6)
    features = [[[0, 2, 4], [6, 8]], [[11, 9, 7]], [[10]]]
    tile = Tile(2**zoom // 2, 2**zoom // 2, zoom)
    check(index, features, tile, NO_TOLERANCE)


def test_a_line_that_leaves_and_comes_back_has_parts() -> None:
    """What lies outside is not drawn as a line along the side."""
    lon = freeze(np.array([0, 10_000_000, 10_000_000, 0], np.int32))
    lat = freeze(np.array([-100_000, -100_000, -300_000, -300_000], np.int32))
    index = index_of(freeze(np.array([0, 4], np.uint32)), lon, lat)
    found = drawn(index, lines_of([[0]]), Tile(512, 512, 10), NO_TOLERANCE)
    assert len(found[0].geoms) == 2
    assert all(part.coords[i][0] in (0, EXTENT + BUFFER) for part in found[0].geoms for i in (0, 1))


def test_points_that_fall_together_are_drawn_once() -> None:
    """And a road that is no longer than a unit of the grid is not drawn at all."""
    lon = freeze(np.array([10, 11, 12, 2_000_000, 2_000_001, 50, 51], np.int32))
    index = index_of(
        freeze(np.array([0, 5, 7], np.uint32)), lon, freeze(np.full(7, -1_000_000, np.int32))
    )
    found = drawn(index, lines_of([[0]], [[2]]), Tile(512, 512, 10), NO_TOLERANCE)
    assert list(found) == [0]
    assert len(found[0].coords) == 2


def test_nothing_to_draw() -> None:
    """No features are no trouble, and give a tile without bytes."""
    index = chain(1, 2)
    assert drawn(index, lines_of(), Tile(0, 0, 5), NO_TOLERANCE) == {}
    assert (
        encode_tile([Layer("roads", LINE, draw_lines(index, lines_of(), Tile(0, 0, 5), 0))]) == b""
    )
