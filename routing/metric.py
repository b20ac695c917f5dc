"""Weights of arcs: what a search minimises."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from gis.arrays import F64, INF, U16, U32, Bool, freeze
from gis.network.road_network import RoadNetwork, by_arc
from gis.profiles.verdicts import Verdicts

CS_PER_M_AT_1_KMH = 360.0
DM_PER_M = 10.0
CM_PER_M = 100.0
CS_PER_S = 100.0


_NO_COLUMN: U32 = freeze(np.empty(0, np.uint32))


@dataclass(frozen=True)
class Metric:
    """Weight, length and duration of every arc; the weight is INF where the vehicle may not go.

    | array | dtype, shape | content |
    |---|---|---|
    | weight | uint32 (A,) | hundredths of a second, 1..INF-1, or INF: closed |
    | length_cm | uint32 (A,) | centimetres; a path has less than 2^32, once around the earth |
    | own_duration_cs | uint32 (A,) or (0,) | hundredths of a second; none: they are the weights |

    A search adds weights and turn costs in 64 bits and takes a path that costs INF or more
    (248 days) for no path, so no sum wraps. Of the paths with the least weight the hierarchy takes
    the one with the least duration, and of these the shortest, so that neither is a matter of
    chance; Dijkstra's search and A* take any. A path takes less than 2^32 hundredths of a second.
    Turns count alike in weight and duration.

    So weight, duration and length decide in this order. Where durations are the weights, they
    decide nothing more: then the ``second`` column is the length and there is no ``third``. Else
    these are durations and lengths. Searches know columns by these names alone.
    """

    weight: U32
    length_cm: U32
    own_duration_cs: U32 = field(default_factory=lambda: _NO_COLUMN)

    @property
    def has_durations(self) -> bool:
        """Whether durations are others than the weights."""
        return len(self.own_duration_cs) > 0

    @property
    def duration_cs(self) -> U32:
        """Hundredths of a second, uint32 (A,); 1..INF-1 where the arc is open."""
        return self.own_duration_cs if self.has_durations else self.weight

    @property
    def second(self) -> U32:
        """What decides between paths of one weight, uint32 (A,)."""
        return self.own_duration_cs if self.has_durations else self.length_cm

    @property
    def third(self) -> U32:
        """What decides between paths that are alike in both, uint32 (A,) or (0,)."""
        return self.length_cm if self.has_durations else _NO_COLUMN

    @property
    def open_arc(self) -> Bool:
        """Which arcs the vehicle may use, bool (A,)."""
        return freeze(self.weight < INF)

    def turn_costs(self, cost: U16) -> U16:
        """What turns count that take so many hundredths of a second."""
        return cost


@lru_cache(maxsize=8)
def _nothing(n: int) -> U16:
    return freeze(np.zeros(n, np.uint16))


class DistanceMetric(Metric):
    """Weights that are lengths, in decimetres; turns cost nothing."""

    def turn_costs(self, cost: U16) -> U16:
        """Nothing."""
        return _nothing(len(cost))


def check_metric(metric: Metric, n_arcs: int) -> None:
    """Assert every documented invariant."""
    assert metric.weight.dtype == np.uint32 and metric.weight.shape == (n_arcs,)
    assert metric.length_cm.dtype == np.uint32 and metric.length_cm.shape == (n_arcs,)
    assert not n_arcs or (metric.weight.min() >= 1 and metric.weight.max() <= INF)
    duration_cs = metric.own_duration_cs
    assert duration_cs.dtype == np.uint32 and duration_cs.shape in ((0,), (n_arcs,))
    if metric.has_durations:
        assert ((duration_cs == INF) == (metric.weight == INF)).all()
        assert duration_cs.min() >= 1 and duration_cs.max() <= INF


def travel_metric(network: RoadNetwork, verdicts: Verdicts) -> Metric:
    """Travel times along the arcs, and as weights these times divided by the preferences."""
    duration_cs, is_open = _travel_times(network, verdicts)
    own, lengths = _weights(duration_cs, is_open), _lengths_cm(network)
    preference = by_arc(network, verdicts.forward_preference, verdicts.backward_preference)
    if (preference[is_open] == 1).all():
        return Metric(own, lengths)
    return Metric(_weights(duration_cs / preference, is_open), lengths, own)


def duration_metric(network: RoadNetwork, verdicts: Verdicts) -> Metric:
    """Travel times along the arcs as weights: whatever one prefers, the fastest way is the best."""
    return Metric(_weights(*_travel_times(network, verdicts)), _lengths_cm(network))


def reduced_to_duration(metric: Metric) -> Metric:
    """The durations of a metric as weights."""
    return Metric(metric.duration_cs, metric.length_cm) if metric.has_durations else metric


def _travel_times(network: RoadNetwork, verdicts: Verdicts) -> tuple[F64, Bool]:
    """Hundredths of a second for each arc, float64 (A,), and whether it is open.

    That is length by speed, or the edge's share of a ferry's duration.
    """
    kmh = by_arc(network, verdicts.forward_kmh, verdicts.backward_kmh)
    is_open = kmh > 0
    length_m = np.repeat(network.edge_length_m.astype(np.float64), 2)
    duration_cs = np.divide(length_m * CS_PER_M_AT_1_KMH, kmh, where=is_open, out=length_m)
    way_s = verdicts.duration_s[network.edge_tagset]
    fixed = np.flatnonzero(way_s > 0)
    fixed_cs = way_s[fixed].astype(np.float64) * network.edge_share[fixed] * 100
    duration_cs[2 * fixed] = duration_cs[2 * fixed + 1] = fixed_cs
    return duration_cs, is_open


def distance_metric(network: RoadNetwork, metric: Metric) -> DistanceMetric:
    """Lengths of the arcs that are open in another metric, in decimetres."""
    length_dm = np.repeat(network.edge_length_m.astype(np.float64) * DM_PER_M, 2)
    return DistanceMetric(_weights(length_dm, metric.open_arc), metric.length_cm)


def _lengths_cm(network: RoadNetwork) -> U32:
    length_cm = np.rint(network.edge_length_m.astype(np.float64) * CM_PER_M)
    return freeze(np.repeat(np.clip(length_cm, 0, INF).astype(np.uint32), 2))


def _weights(cost: F64, is_open: Bool) -> U32:
    """Whole weights 1..INF-1 of the open arcs, INF for the others."""
    weight = np.clip(np.rint(cost), 1, INF - 1).astype(np.uint32)
    weight[~is_open] = INF
    return freeze(weight)
