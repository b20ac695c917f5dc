"""The states of the hidden Markov model: which directed roads each point of a trace may be on."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I64, U32, AnyArray
from gis.geodesy import metres_per_unit
from gis.jit import int64, plain_kernel
from gis.snap_search import BACKWARD, FORWARD, SNAP, Pending, Query, Records, find_nearest
from routing.places.positions import Ground

MAX_ROADS = 32
"""Most roads that a point may be on: where there are more within its radius, the nearest."""


class States(NamedTuple):
    """The states of n points, m in all.

    | array | dtype, shape | content |
    |---|---|---|
    | first | int64 (n + 1,) | offsets of the states of each point, the nearest roads first |
    | arc | uint32 (m,) | the road in one direction |
    | fraction | float64 (m,) | how far along it the place is that is nearest to the point, 0..1 |
    | distance_m | float64 (m,) | from the point to that place |
    | mate | int64 (m,) | the state at the same place in the other direction, -1: none |
    | snap | SNAP (m,) | the place |
    """

    first: I64
    arc: U32
    fraction: F64
    distance_m: F64
    mate: I64
    snap: Records


def find_states(ground: Ground, queries: Records, mask: int, pending: Pending) -> States:
    """The states of points, given as a ``QUERY`` record each with the radius around it."""
    room = 2 * MAX_ROADS * len(queries)
    states = States(
        np.zeros(len(queries) + 1, np.int64),
        np.empty(room, np.uint32),
        np.empty(room, np.float64),
        np.empty(room, np.float64),
        np.empty(room, np.int64),
        np.empty(room, SNAP),
    )
    m = _fill(ground, queries, mask, pending, np.empty(MAX_ROADS, SNAP), states)
    rest: tuple[AnyArray, ...] = states[1:]
    arc, fraction, distance_m, mate, snap = (array[:m] for array in rest)
    return States(states.first, arc, fraction, distance_m, mate, snap)


@plain_kernel
def _fill(
    ground: Ground, queries: Records, mask: int, pending: Pending, found: Records, states: States
) -> int:
    """Fill the states; how many there are."""
    m = 0
    for i in range(len(queries)):
        states.first[i] = m
        q = queries[i]
        scale = metres_per_unit(float(q["lat"]))
        limits = q["bearing_deg"], q["range_deg"], q["side"], q["radius_m"]
        query = Query(q["lon"], q["lat"], scale, *limits, mask, MAX_ROADS)
        count = find_nearest(ground.roads, query, ground.arc_flags, found, pending)
        for k in range(count):
            edge: Any = int64(found[k]["edge"])
            directions = found[k]["directions"]
            both = directions & FORWARD and directions & BACKWARD
            for direction, bit in ((0, FORWARD), (1, BACKWARD)):
                if directions & bit:
                    fraction = found[k]["fraction"]
                    states.arc[m] = 2 * edge + direction
                    states.fraction[m] = fraction if direction == 0 else 1.0 - fraction
                    states.distance_m[m] = found[k]["distance_m"]
                    states.mate[m] = -1
                    if both:
                        states.mate[m] = m + 1 if direction == 0 else m - 1
                    states.snap[m] = found[k]
                    m += 1
    states.first[len(queries)] = m
    return m
