"""Random shapes of roads."""

import numpy as np

from gis.arrays import I32, U32, freeze
from gis.geodesy import HALF_TURN

Shapes = tuple[U32, I32, I32]


def random_shapes(seed: int, n_edges: int, lon: int = 0, spread: int = 1_000_000) -> Shapes:
    """Edges of two to nine points around a longitude, beyond the antimeridian wrapped."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 10, n_edges)
    x = lon + rng.integers(-spread, spread, sizes.sum())
    x = (x + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN
    first = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint32)
    y = rng.integers(-spread // 2, spread // 2, sizes.sum())
    return freeze(first), freeze(x.astype(np.int32)), freeze(y.astype(np.int32))
