"""What a tile tells of the roads of a vehicle: how fast they are, and who says so."""

from dataclasses import dataclass

import numpy as np

from gis.arrays import F64, I64, INF, U32, AnyArray, Bool
from gis.network.road_class import RoadClass
from gis.network.road_network import RoadNetwork
from routing.metric import CM_PER_M, CS_PER_S, Metric

PROFILE_SOURCE, LIVE_SOURCE = "profile", "live"
"""Whose a speed is."""

_KMH = 3.6
_METRES_OF_RATE = 10.0
"""OSRM's rate counts metres per tenth of a second of weight."""


def _class_words() -> tuple[str, ...]:
    """What styles go by, for each ``RoadClass``: those of ramps are their roads'."""
    words = [kind.name.lower().removesuffix("_link") for kind in RoadClass]
    others = {RoadClass.ALLEY: "service", RoadClass.DRIVEWAY: "service"}
    for kind, word in others.items():
        words[kind] = word
    words[RoadClass.FOOTWAY] = "path"
    return tuple(words)


CLASS_WORDS = _class_words()


@dataclass(frozen=True)
class Roads:
    """Roads as they are drawn, n of them, each along an arc.

    | array | dtype, shape | content |
    |---|---|---|
    | arc | int64 (n,) | arcs, ascending |
    | both_ways | bool (n,) | the way back is open and alike, and not drawn for itself |
    | oneway | bool (n,) | the way back is closed, whatever is said since |
    | is_live | bool (n,) | somebody has said since that it is faster, slower or closed |
    | is_open | bool (n,) | whether it is not closed now |
    """

    arc: I64
    both_ways: Bool
    oneway: Bool
    is_live: Bool
    is_open: Bool


def find_roads(own: Metric, now: Metric, edge: U32, live_arcs: U32) -> Roads:
    """How the roads of edges (k,) are drawn that are open by the vehicle's own metric.

    A road is drawn once if its two directions are alike by what holds now, else each for itself.
    Changed since are arcs that weigh something else now, and ``live_arcs``.
    """
    forward = 2 * edge.astype(np.int64)
    backward = forward + 1
    has_forward, has_backward = is_open(own, forward), is_open(own, backward)
    live_forward, live_backward = (
        _is_changed(own, now, live_arcs, arc) for arc in (forward, backward)
    )
    alike = has_forward & has_backward & (live_forward == live_backward)
    for column in (now.weight, now.duration_cs):
        alike &= column[forward] == column[backward]
    back_too = has_backward & ~alike
    arc = np.concatenate([forward[has_forward], backward[back_too]])
    order = np.argsort(arc)
    arc = arc[order]
    both_ways = np.concatenate([alike[has_forward], alike[back_too]])[order]
    is_live = np.concatenate([live_forward[has_forward], live_backward[back_too]])[order]
    return Roads(arc, both_ways, ~is_open(own, arc ^ 1), is_live, is_open(now, arc))


def is_open(metric: Metric, arc: I64) -> Bool:
    """Which arcs (n,) a metric leaves open: the metric's own answer is about all arcs."""
    found: Bool = metric.weight[arc] < INF
    return found


def _is_changed(own: Metric, now: Metric, live_arcs: U32, arc: I64) -> Bool:
    """Which arcs (n,) are not as the profile has them."""
    if now is own and not len(live_arcs):
        return np.zeros(len(arc), np.bool_)
    changed: Bool = own.weight[arc] != now.weight[arc]
    if now.has_durations:
        changed |= own.duration_cs[arc] != now.duration_cs[arc]
    if len(live_arcs):
        place = np.minimum(np.searchsorted(live_arcs, arc), len(live_arcs) - 1)
        changed |= live_arcs[place] == arc
    return changed


def speeds_kmh(roads: Roads, now: Metric) -> F64:
    """Speeds of roads (n,), 0 where they are closed now."""
    length_m = now.length_cm[roads.arc] / CM_PER_M
    seconds = np.where(roads.is_open, now.duration_cs[roads.arc], 1) / CS_PER_S
    speed: F64 = np.where(roads.is_open, length_m / seconds * _KMH, 0.0)
    return speed


def tenths_of_seconds(cs: AnyArray, is_open: Bool) -> F64:
    """Hundredths of a second (n,) as seconds with one decimal, 0 where a road is closed."""
    seconds: F64 = np.where(is_open, np.rint(cs / 10.0) / 10.0, 0.0)
    return seconds


def rates(roads: Roads, now: Metric) -> F64:
    """What OSRM calls a rate (n,): metres by weight; 0 where a road is closed."""
    length_m = now.length_cm[roads.arc] / CM_PER_M
    seconds = np.where(roads.is_open, now.weight[roads.arc], 1) / CS_PER_S
    rate = np.rint(length_m / seconds / _METRES_OF_RATE * 10.0) / 10.0
    found: F64 = np.where(roads.is_open, rate, 0.0)
    return found


def class_of(network: RoadNetwork, arc: I64) -> AnyArray:
    """The ``RoadClass`` of arcs (n,)."""
    classes: AnyArray = network.way_class[network.edge_tagset[arc >> 1]]
    return classes
