"""Random points beside the roads of a map, and pairs of them that a route joins, by a seed."""

import numpy as np

from gis.arrays import F64
from gis.errors import EngineError
from routing.engine import Engine
from routing.many.batch import RouteStatus

NEAR_M = 300.0
"""How far from a road a point may be: whole seas within the bounds would say nothing of routes."""

_MAX_DRAWS = 200
_LEAST_DRAW = 1000


def random_points(engine: Engine, n: int, seed: int) -> F64:
    """Longitudes and latitudes (n, 2) of points spread evenly over the map, near roads.

    Raises ``EngineError`` if there are hardly any.
    """
    rng = np.random.default_rng([seed, n])
    west, south, east, north = engine.bounds
    found = np.empty((0, 2))
    for _ in range(_MAX_DRAWS):
        if len(found) >= n:
            return found[:n]
        points = rng.uniform((west, south), (east, north), (max(2 * n, _LEAST_DRAW), 2))
        # Six decimals are what programs send: ours and the others' see the same numbers.
        points = points.round(6)
        near = engine.routes(points, points, radius_m=NEAR_M).status == RouteStatus.OK
        found = np.concatenate([found, points[near]])
    raise EngineError(
        f"the bounds {engine.bounds} hold {len(found)} of {_MAX_DRAWS * max(2 * n, _LEAST_DRAW)}"
        f" random points within {NEAR_M:.0f} m of a road, expected {n} or more"
    )


def random_pairs(engine: Engine, n: int, seed: int) -> F64:
    """Pairs of points (n, 4) with a route from the first to the second.

    Raises ``EngineError`` if there are hardly any.
    """
    found = np.empty((0, 4))
    for draw in range(_MAX_DRAWS):
        if len(found) >= n:
            return found[:n]
        pairs = random_points(engine, 2 * n, seed + 1000 * draw).reshape(n, 4)
        status = engine.routes(pairs[:, :2], pairs[:, 2:]).status
        found = np.concatenate([found, pairs[status == RouteStatus.OK]])
    raise EngineError(f"only {len(found)} of {_MAX_DRAWS * n} random pairs of points have a route")
