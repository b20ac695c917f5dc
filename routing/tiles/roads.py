"""What a tile tells of the roads of a vehicle: how fast they are, and who says so."""

from dataclasses import dataclass

import numpy as np

from gis.arrays import F64, I64, U32, AnyArray, Bool
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
    own_open, now_open = own.open_arc, now.open_arc
    has_forward, has_backward = own_open[forward], own_open[backward]
    alike = has_forward & has_backward
    for column in (now.weight, now.duration_cs):
        alike &= column[forward] == column[backward]
    changed = _changed(own, now, live_arcs)
    if changed is not None:
        alike &= changed[forward] == changed[backward]
    arc = np.concatenate([forward[has_forward], backward[has_backward & ~alike]])
    both_ways = np.concatenate(
        [alike[has_forward], np.zeros(np.count_nonzero(has_backward & ~alike), np.bool_)]
    )
    order = np.argsort(arc)
    arc, both_ways = arc[order], both_ways[order]
    is_live = np.zeros(len(arc), np.bool_) if changed is None else changed[arc]
    return Roads(arc, both_ways, ~own_open[arc ^ 1], is_live, now_open[arc])


def _changed(own: Metric, now: Metric, live_arcs: U32) -> Bool | None:
    """Which arcs (A,) are not as the profile has them; None: all are."""
    if now is own and not len(live_arcs):
        return None
    changed: Bool = own.weight != now.weight
    if now.has_durations:
        changed |= own.duration_cs != now.duration_cs
    changed[live_arcs] = True
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
