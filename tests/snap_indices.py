"""Indices over the shapes of roads, without a network."""

import numpy as np

from gis.arrays import U8, freeze
from gis.geodesy import HALF_TURN, QUARTER_TURN
from gis.rtree import build_rtree
from gis.snap_index import SnapIndex, make_snap_index


def index_of(edges: list[list[tuple[int, int]]], left_hand: bool = False) -> SnapIndex:
    """An index over edges given by their points."""
    first = np.cumsum([0, *map(len, edges)]).astype(np.uint32)
    points = np.array([point for edge in edges for point in edge], np.int64).reshape(-1, 2)
    lon = freeze(((points[:, 0] + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN).astype(np.int32))
    lat = freeze(points[:, 1].astype(np.int32))
    sides = freeze(np.full(len(edges), left_hand))
    return make_snap_index(build_rtree(freeze(first), lon, lat), freeze(first), lon, lat, sides)


def all_flags(index: SnapIndex, value: int = 1) -> U8:
    return freeze(np.full(2 * (len(index.first_point) - 1), value, np.uint8))


def random_edges(
    seed: int, n: int, centre: tuple[int, int], step: int
) -> list[list[tuple[int, int]]]:
    """Chains on a coarse grid, so that they meet, repeat points, close loops and lie on top."""
    rng = np.random.default_rng(seed)
    edges = []
    for _ in range(n):
        size = rng.integers(2, 7)
        walk = rng.integers(-2, 3, (size, 2)).cumsum(axis=0) + rng.integers(-6, 7, 2)
        lat = np.clip(centre[1] + step * walk[:, 1], -QUARTER_TURN, QUARTER_TURN)
        edges.append(list(zip((centre[0] + step * walk[:, 0]).tolist(), lat.tolist(), strict=True)))
    return edges
