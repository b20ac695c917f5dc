"""A trace of positions: what is known of each, and which of them say little."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I64, Bool, freeze
from gis.geodesy import bearing_deg, distance_m, to_units
from gis.jit import plain_kernel
from routing.places.nearest import PointQuery

SIGMA_M = 5.0
"""How precise a position is unless it says so: the standard deviation."""
RADIUS_OF_SIGMA = 3.0
"""A road farther off than so many standard deviations is not meant, in 99 of 100 cases."""
_LEAST_SIGMA_M = 0.5
"""Nothing is more precise, nor are the roads of the map."""

TIDY_M, TIDY_S = 15.0, 5
"""Positions nearer to the last that counts than this, in space or time, say nothing new."""

_SAME_M = 1.0
_SHARPEST_DEG = 90.0
"""Between the ways back and on, where one may have turned around."""


class Trace(NamedTuple):
    """A trace of n points, in 1e-7 degree.

    | array | dtype, shape | content |
    |---|---|---|
    | lon, lat | int64 (n,) | where they are |
    | sigma_m | float64 (n,) | standard deviation of each |
    | radius_m | float64 (n,) | how far from it a road may be |
    | time_s | int64 (n,) or (0,) | when, not descending |
    | may_turn | bool (n,) | whether the points around it allow that one has turned around there |
    """

    lon: I64
    lat: I64
    sigma_m: F64
    radius_m: F64
    time_s: I64
    may_turn: Bool


def make_trace(queries: Sequence[PointQuery], times_s: Sequence[int] | None) -> Trace:
    """A trace of points whose radius is the standard deviation, infinite where it is not known."""
    degrees = np.array([(query.lon, query.lat) for query in queries])
    lon, lat = to_units(degrees).T.astype(np.int64)
    given_m = np.array([query.radius_m for query in queries])
    given_m = np.where(np.isfinite(given_m), given_m, SIGMA_M)
    may_turn = np.zeros(len(lon), np.bool_)
    lon, lat = freeze(lon), freeze(lat)
    find_turns(lon, lat, may_turn)
    return Trace(
        lon,
        lat,
        freeze(np.maximum(given_m, _LEAST_SIGMA_M)),
        freeze(given_m * RADIUS_OF_SIGMA),
        freeze(np.array(() if times_s is None else times_s, np.int64)),
        freeze(may_turn),
    )


@plain_kernel
def find_turns(lon: I64, lat: I64, may_turn: Bool) -> None:
    """Tell for each point whether the way on may lead back to where one has come from.

    Points that are alike are one, and may all be where it was.
    """
    n = len(lon)
    for i in range(n):
        before: Any = i - 1
        while before >= 0 and distance_m(lon[before], lat[before], lon[i], lat[i]) < _SAME_M:
            before -= 1
        after: Any = i + 1
        while after < n and distance_m(lon[i], lat[i], lon[after], lat[after]) < _SAME_M:
            after += 1
        if before >= 0 and after < n:
            back = bearing_deg(lon[i], lat[i], lon[before], lat[before])
            ahead = bearing_deg(lon[i], lat[i], lon[after], lat[after])
            may_turn[i] = abs((ahead - back + 540.0) % 360.0 - 180.0) <= _SHARPEST_DEG


def tidy(points: Sequence[tuple[float, float]], times_s: Sequence[int] | None) -> list[int]:
    """Which points of a trace say something new: first and last, and those far from others.

    The way along all points, and the time, count from the last that was kept.
    """
    units = to_units(np.array(points)).tolist()
    kept, walked_m, waited_s = [0], 0.0, 0
    for i in range(1, len(points) - 1):
        walked_m += distance_m(*units[i - 1], *units[i])
        waited_s += times_s[i] - times_s[i - 1] if times_s is not None else TIDY_S
        if walked_m >= TIDY_M and waited_s >= TIDY_S:
            kept.append(i)
            walked_m, waited_s = 0.0, 0
    return [*kept, len(points) - 1]


def longest_step_s(times_s: I64) -> int:
    """A step that takes longer is a gap: ten times the step in the middle of all, by size."""
    steps = np.sort(np.diff(times_s))
    return 10 * max(int(steps[len(steps) // 2]), 1) if len(steps) else 10


# Laplace distributions of the logarithm of the matched length by that of the trace, fitted by
# OSRM to traces that people have judged: centre and scale of the right ones and of the others.
_RIGHT, _WRONG = (0.005986, 0.016646), (0.054385, 0.458432)
_SHARE_RIGHT = 0.696774


def confidence(trace_m: float, matched_m: float) -> float:
    """How likely a matching is right by its length, 0..1 (Bayes); 0 if nothing has moved."""
    if trace_m <= 0 or matched_m <= 0:
        return 0.0
    longer = math.log(matched_m / trace_m)
    right, wrong = (
        math.exp(-abs(longer - centre) / scale) / (2 * scale) for centre, scale in (_RIGHT, _WRONG)
    )
    both = _SHARE_RIGHT * right + (1 - _SHARE_RIGHT) * wrong
    return _SHARE_RIGHT * right / both if both > 0 else 0.0
