"""Weights of arcs: what a search minimises."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gis.arrays import F32, F64, INF, U16, U32, Bool, freeze
from gis.network.road_network import RoadNetwork
from gis.profiles.verdicts import Verdicts

CS_PER_M_AT_1_KMH = 360.0
DM_PER_M = 10.0
CM_PER_M = 100.0
CS_PER_S = 100.0


@dataclass(frozen=True)
class Metric:
    """Weight and length of every arc; the weight is INF where the vehicle may not go.

    | array | dtype, shape | content |
    |---|---|---|
    | weight | uint32 (A,) | hundredths of a second, 1..INF-1, or INF: closed |
    | length_cm | uint32 (A,) | centimetres; a path has less than 2^32, once around the earth |

    A search adds weights and turn costs in 64 bits and takes a path that costs INF or more
    (248 days) for no path, so no sum wraps.
    """

    weight: U32
    length_cm: U32

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


def duration_metric(network: RoadNetwork, verdicts: Verdicts) -> Metric:
    """Travel times along the arcs: length by speed, or the edge's share of a ferry's duration."""
    kmh = _arc_speeds(network, verdicts)
    is_open = kmh > 0
    length_m = np.repeat(network.edge_length_m.astype(np.float64), 2)
    duration_cs = np.divide(length_m * CS_PER_M_AT_1_KMH, kmh, where=is_open, out=length_m)
    way_s = verdicts.duration_s[network.edge_tagset]
    fixed = np.flatnonzero(way_s > 0)
    fixed_cs = way_s[fixed].astype(np.float64) * network.edge_share[fixed] * 100
    duration_cs[2 * fixed] = duration_cs[2 * fixed + 1] = fixed_cs
    return Metric(_weights(duration_cs, is_open), _lengths_cm(network))


def distance_metric(network: RoadNetwork, metric: Metric) -> DistanceMetric:
    """Lengths of the arcs that are open in another metric, in decimetres."""
    length_dm = np.repeat(network.edge_length_m.astype(np.float64) * DM_PER_M, 2)
    return DistanceMetric(_weights(length_dm, metric.open_arc), metric.length_cm)


def _lengths_cm(network: RoadNetwork) -> U32:
    length_cm = np.rint(network.edge_length_m.astype(np.float64) * CM_PER_M)
    return freeze(np.repeat(np.clip(length_cm, 0, INF).astype(np.uint32), 2))


def _arc_speeds(network: RoadNetwork, verdicts: Verdicts) -> F32:
    """Speed along every arc in km/h, float32 (A,); 0 where it is closed."""
    kmh = np.empty(network.n_arcs, np.float32)
    kmh[0::2] = verdicts.forward_kmh[network.edge_tagset]
    kmh[1::2] = verdicts.backward_kmh[network.edge_tagset]
    return kmh


def _weights(cost: F64, is_open: Bool) -> U32:
    """Whole weights 1..INF-1 of the open arcs, INF for the others."""
    weight = np.clip(np.rint(cost), 1, INF - 1).astype(np.uint32)
    weight[~is_open] = INF
    return freeze(weight)
