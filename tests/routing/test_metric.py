"""Weights against plain arithmetic, and at their limits."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from graphs import SmallEdge, World, build_small_network, worlds
from hypothesis import given

from gis.arrays import INF, freeze
from gis.profiles.verdicts import Verdicts
from routing.metric import (
    DistanceMetric,
    Metric,
    check_metric,
    distance_metric,
    duration_metric,
)


@given(worlds())
def test_weights_are_times_and_lengths(world: World) -> None:
    """Every arc costs its length by its speed, or a ferry's duration; closed ones INF."""
    network, verdicts = world
    duration = duration_metric(*world)
    distance = distance_metric(network, duration)
    check_metric(duration, network.n_arcs)
    check_metric(distance, network.n_arcs)
    assert (duration.open_arc == distance.open_arc).all()
    for edge, tagset in enumerate(network.edge_tagset.tolist()):
        length_m = float(network.edge_length_m[edge])
        for arc, kmh in (
            (2 * edge, float(verdicts.forward_kmh[tagset])),
            (2 * edge + 1, float(verdicts.backward_kmh[tagset])),
        ):
            assert duration.length_cm[arc] == distance.length_cm[arc] == round(100 * length_m)
            seconds = length_m / (kmh / 3.6) if kmh else 0
            if verdicts.duration_s[tagset]:
                seconds = float(verdicts.duration_s[tagset]) * float(network.edge_share[edge])
            if not kmh:
                assert duration.weight[arc] == distance.weight[arc] == INF
                continue
            assert duration.weight[arc] >= 1
            assert abs(int(duration.weight[arc]) - max(100 * seconds, 1)) <= 0.5 + 1e-6
            assert int(distance.weight[arc]) == max(round(10 * length_m), 1)


def one_edge(length_m: float, kmh: float, share: float = 1, duration_s: float = 0) -> Metric:
    """The durations of a single edge."""
    network = build_small_network(
        [SmallEdge(0, 1, 0, length_m, None)], [(0, 0), (1, 0)], [0, 0], [], []
    )
    network = replace(network, edge_share=freeze(np.array([share], np.float32)))
    forward, backward, duration = (
        freeze(np.array([value], np.float32)) for value in (kmh, 0, duration_s)
    )
    columns: dict[str, Any] = {field.name: () for field in fields(Verdicts)}  # not looked at
    columns |= {"forward_kmh": forward, "backward_kmh": backward, "duration_s": duration}
    return duration_metric(network, Verdicts(**columns))


def test_what_turns_cost() -> None:
    """Turns take their time, but add nothing to a distance."""
    duration = one_edge(1000, 36)
    distance = DistanceMetric(duration.weight, duration.length_cm)
    cost = freeze(np.array([0, 7, 65534], np.uint16))
    assert duration.turn_costs(cost).tolist() == cost.tolist()
    assert distance.turn_costs(cost).tolist() == [0, 0, 0]
    assert distance.turn_costs(cost).dtype == cost.dtype


def test_limits() -> None:
    """A weight is never 0 and never INF on an open arc; a ferry's edge takes its share."""
    assert one_edge(0, 50).weight.tolist() == [1, INF]
    assert one_edge(1000, 36).weight.tolist() == [10_000, INF]
    assert one_edge(4e7, 1e-6).weight.tolist() == [INF - 1, INF]
    assert one_edge(0, 50).length_cm.tolist() == [0, 0]
    assert one_edge(12.344, 50).length_cm.tolist() == [1234, 1234]
    assert one_edge(4e7, 50).length_cm.tolist() == [INF, INF]
    assert one_edge(1000, 36, share=0.25, duration_s=600).weight.tolist() == [15_000, INF]
