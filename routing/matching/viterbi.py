"""The likeliest way along a trace (Viterbi 1967; the model: Newson and Krumm, GIS 2009).

How likely a state is falls with the square of the point's distance from it, and how likely a step
is with the difference between the way along the roads and the straight line between the points.
Noise makes these lines longer: squared, by the variance of both ends in both directions. Without
taking that away points that are closer than the noise would be matched to ways that go to and fro.
"""

import math
from typing import Any, NamedTuple

from gis.arrays import F64, I64
from gis.geodesy import distance_m
from gis.jit import inner_kernel, int64, plain_kernel
from routing.many.pairs import PairScratch
from routing.matching.states import States
from routing.matching.steps import Beliefs, Model, Way, way_to
from routing.matching.trace import Trace

BETA_M = 10.0
"""A way so much longer or shorter than the straight line is e times less likely."""
MOST_DETOUR_M = 2000.0
"""A step whose way differs by more from the straight line is none, if no times say better."""
MOST_SPEED_M_S = 50.0
TURN_COST = 8.0
"""Turning around on the road is exp(8) times less likely than going on."""
MOST_BROKEN = 10
"""After so many points that fit nowhere the trace begins anew."""


class Decoded(NamedTuple):
    """The matchings of a trace, p points in all. n points of the trace.

    | array | dtype, shape | content |
    |---|---|---|
    | first | int64 (n + 1,) | offsets of each matching into the following |
    | point | int64 (n,) | points of the trace that are matched, ascending |
    | state | int64 (n,) | the state that each is in |
    | left | int64 (n,) | the state as which it is left, undefined for the last of a matching |
    | others | int64 (n,) | how many other states the best ways to all last states lead over |
    | matched_m, trace_m | float64 (n,) | length of each matching, and between its points |
    | chain | int64 (n,) | scratch |
    """

    first: I64
    point: I64
    state: I64
    left: I64
    others: I64
    matched_m: F64
    trace_m: F64
    chain: I64


@plain_kernel
def decode(
    model: Model, pairs: PairScratch, longest_step_s: int, beliefs: Beliefs, found: Decoded
) -> int:
    """Find the matchings of a trace; how many there are.

    A step that takes more than ``longest_step_s`` is a gap, -1: time does not matter.
    A point that no way leads to is left out, as one without any road near is. If the next fits
    neither, the one before both may be what is wrong: it is taken back, one for each failure, as
    long as any is left. Then, or at a gap, a new matching begins with the first that failed.
    """
    trace, states, chain = model.trace, model.states, found.chain
    n, n_matchings = len(trace.lon), 0
    start = _begin(trace, states, beliefs, 0)
    found.first[0] = 0
    while start < n:
        chain[0] = start
        size, last, broken, t = 1, start, n, start + 1
        while t < n:
            if _is_gap(trace, longest_step_s, chain[size - 1], t):
                broken = min(broken, t)
                break
            if states.first[t] < states.first[t + 1]:
                reached = _advance(model, pairs, beliefs, chain[size - 1], t)
                if not reached and broken < n:
                    size -= 1
                    if size == 0:
                        break
                    reached = _advance(model, pairs, beliefs, chain[size - 1], t)
                if reached:
                    chain[size] = last = t
                    size += 1
                    broken = n
                else:
                    broken = min(broken, t)
            t += 1
        n_matchings += _conclude(trace, states, beliefs, found, n_matchings, last)
        start = _begin(trace, states, beliefs, broken)
    return n_matchings


@inner_kernel
def _begin(trace: Trace, states: States, beliefs: Beliefs, point: int) -> int:
    """The first point from some on that has states, which are made first ones; n: there is none."""
    n: Any = len(trace.lon)
    while point < n and states.first[point] == states.first[point + 1]:
        point += 1
    if point < n:
        for s in range(states.first[point], states.first[point + 1]):
            beliefs.value[s] = _fit(states, trace, point, s, 0.0)
            beliefs.parent[s] = beliefs.left[s] = -1
            beliefs.place[s] = states.fraction[s]
            beliefs.length_m[s] = 0.0
    return point


@inner_kernel
def _fit(states: States, trace: Trace, point: int, state: int, off_m: float) -> float:
    """Logarithm of how well a state fits its point, but for what all states share."""
    off_2 = states.distance_m[state] ** 2 + off_m * off_m
    return -0.5 * off_2 / (trace.sigma_m[point] * trace.sigma_m[point])  # type: ignore[no-any-return]


@inner_kernel
def _is_gap(trace: Trace, longest_step_s: int, before: int, point: int) -> bool:
    """Whether a point is too far from the one before for the same matching."""
    if longest_step_s >= 0:
        step_s = trace.time_s[point] - trace.time_s[before]
        return bool(step_s > longest_step_s or point - before > MOST_BROKEN)
    return point - before > MOST_BROKEN


@inner_kernel
def _most_detour_m(trace: Trace, before: int, point: int) -> float:
    """How much a way may differ from the straight line between two points."""
    if len(trace.time_s) == 0:
        return MOST_DETOUR_M
    step_s = max(int64(trace.time_s[point] - trace.time_s[before]), 1)
    return float(MOST_SPEED_M_S * step_s + trace.radius_m[before] + trace.radius_m[point])


@inner_kernel
def _advance(model: Model, pairs: PairScratch, beliefs: Beliefs, before: int, point: int) -> bool:
    """Find the best way to every state of a point from those of one before; if there is any."""
    trace, states = model.trace, model.states
    first: Any = states.first[point]
    stop: Any = states.first[point + 1]
    for t in range(first, stop):
        beliefs.value[t] = -math.inf
    lon, lat = trace.lon, trace.lat
    straight_m = distance_m(lon[before], lat[before], lon[point], lat[point])
    noise_2 = 2.0 * (trace.sigma_m[before] ** 2 + trace.sigma_m[point] ** 2)
    straight_m = math.sqrt(max(straight_m * straight_m - noise_2, 0.0))
    most_m = _most_detour_m(trace, before, point)
    radius_m = trace.radius_m[point]
    reached = False
    for s in range(states.first[before], states.first[before + 1]):
        value, parent, start = beliefs.value[s], s, beliefs.place[s]
        mate = states.mate[s]
        if mate >= 0 and trace.may_turn[before] and beliefs.value[mate] - TURN_COST > value:
            value, parent, start = beliefs.value[mate] - TURN_COST, mate, 1 - beliefs.place[mate]
        if value == -math.inf:
            continue
        for t in range(first, stop):
            most = value + _fit(states, trace, point, t, 0.0)
            if most <= beliefs.value[t]:
                continue
            way = way_to(model, pairs, s, start, t, radius_m)
            detour_m = abs(way.length_m - straight_m)
            if way.length_m < 0 or detour_m >= most_m:
                continue
            likely = value + _fit(states, trace, point, t, way.off_m) - detour_m / BETA_M
            if likely > beliefs.value[t]:
                reached = True
                _believe(beliefs, t, likely, parent, s, way)
    return reached


@inner_kernel
def _believe(beliefs: Beliefs, state: int, value: float, parent: int, left: int, way: Way) -> None:
    """Take a way to a state as the best."""
    beliefs.value[state] = value
    beliefs.parent[state], beliefs.left[state] = parent, left
    beliefs.place[state], beliefs.length_m[state] = way.place, way.length_m


@inner_kernel
def _conclude(
    trace: Trace, states: States, beliefs: Beliefs, found: Decoded, index: int, last: int
) -> int:
    """Write the best way that ends at a point as the next matching; 0 if it is one point only."""
    best: Any = states.first[last]
    for s in range(states.first[last], states.first[last + 1]):
        if beliefs.value[s] > beliefs.value[best]:
            best = s
    size, s = 1, best
    while beliefs.parent[s] >= 0:
        s = beliefs.parent[s]
        size += 1
    if size < 2:
        return 0
    begin = found.first[index]
    at = begin + size
    found.first[index + 1] = at
    matched_m, s, left = 0.0, best, int64(-1)
    while s >= 0:
        at -= 1
        found.state[at], found.left[at] = s, left
        matched_m += beliefs.length_m[s]
        left, s = beliefs.left[s], beliefs.parent[s]
    _find_points(states, found, begin, begin + size)
    _count_others(states, beliefs, found, begin, begin + size)
    trace_m = 0.0
    for i in range(begin + 1, begin + size):
        a, b = found.point[i - 1], found.point[i]
        trace_m += distance_m(trace.lon[a], trace.lat[a], trace.lon[b], trace.lat[b])
    found.matched_m[index], found.trace_m[index] = matched_m, trace_m
    return 1


@inner_kernel
def _find_points(states: States, found: Decoded, begin: int, end: int) -> None:
    """Tell which point each state of a matching is one of."""
    point: Any = found.point[begin - 1] if begin > 0 else int64(0)
    for i in range(begin, end):
        while states.first[point + 1] <= found.state[i]:
            point += 1
        found.point[i] = point


@inner_kernel
def _count_others(states: States, beliefs: Beliefs, found: Decoded, begin: int, end: int) -> None:
    """Count at each point the states that the best ways to all of the last states lead over."""
    last = found.point[end - 1]
    for i in range(begin, end):
        for s in range(states.first[found.point[i]], states.first[found.point[i] + 1]):
            beliefs.mark[s] = 0
    for s in range(states.first[last], states.first[last + 1]):
        if beliefs.value[s] > -math.inf:
            on: Any = s
            while on >= 0 and beliefs.mark[on] == 0:
                beliefs.mark[on] = 1
                on = beliefs.parent[on]
    for i in range(begin, end):
        found.others[i] = -1
        for s in range(states.first[found.point[i]], states.first[found.point[i] + 1]):
            found.others[i] += beliefs.mark[s]
