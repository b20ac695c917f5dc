"""Weights of a request's own: the least work that answers it."""

from dataclasses import dataclass, replace

import numpy as np

from gis.arrays import AnyArray, freeze
from routing.cch.weights import Weights, frozen
from routing.changes.road_changes import RoadChanges, apply_changes, bounds_hold
from routing.errors import InvalidInput
from routing.metric import Metric
from routing.vehicle import Vehicle
from routing.weighting import Weighting

MANY = 1 << 40
"""So many routes that only the hierarchy will do: tables, isochrones."""

_ASTAR_NS = 6.0
"""Time that one A* search takes for each arc of the roads, on maps of a city to a country."""

_CUSTOMIZE_NS = 27.0
_COPY_NS, _COPY_TO_NEW_NS = 1.0, 5.0
"""Time for each arc of a hierarchy to customize it with one thread, and to copy its weights:
into memory that was used before, or that the system has to provide."""

_SPEEDUP = 1.5
"""What a second thread brings to a customization, if it has a core to itself at times."""

_SPREAD = 5.5
"""Changes all over the map of a part x of the arcs take about 5.5 sqrt(x) of a customization.

Measured: 0.57 for 1 in 90, 0.23 for 1 in 800. What they share is the top of the hierarchy, where
most triangles are; so changes that lie close together take less.
"""


@dataclass(frozen=True)
class Reweighted:
    """A weighting, and how its routes are found: by "customization" or by "astar"."""

    weighting: Weighting
    how: str


def reweight(
    vehicle: Vehicle, changes: RoadChanges, n_routes: int = 1, weighting: Weighting | None = None
) -> Reweighted:
    """A weighting for ``n_routes`` routes under changes, made by whatever takes least in all.

    ``weighting`` is what the changes change, by default the vehicle's own. Few routes are found
    by A* with landmarks, which needs no weights of the hierarchy, unless something has become
    cheaper than the landmarks know; MANY always get the hierarchy.
    """
    if n_routes < 1:
        raise InvalidInput(f"n_routes is {n_routes}, expected 1 or more")
    base = vehicle.weighting if weighting is None else weighting
    metric = apply_changes(base.metric, changes)
    changed = changed_arcs(base.metric, metric, changes.arcs)
    if not len(changed) and base.weights is not None:
        return Reweighted(base, "customization")
    n_arcs, n_costs = len(metric.weight), vehicle.prepared.hierarchy.n_arcs
    astar_ns = n_routes * _ASTAR_NS * n_arcs
    customization_ns = _CUSTOMIZE_NS * n_costs
    if base.weights is not None:
        customization_ns = min(customization_ns, _mending_ns(n_arcs, n_costs, len(changed)))
    customization_ns = customization_ns / _SPEEDUP + _COPY_TO_NEW_NS * n_costs
    if astar_ns <= customization_ns and bounds_hold(vehicle.prepared.metric, metric):
        made = replace(vehicle.weigh(metric, None), live_arcs=base.live_arcs)
        return Reweighted(made, "astar")
    customizer = vehicle.customizer
    if base.weights is not None and mending_pays(n_arcs, n_costs, len(changed)):
        copies: list[AnyArray] = [array.copy() for array in base.weights]
        weights = Weights(*copies)
        customizer.recustomize(metric, weights, freeze(changed))
    else:
        weights = customizer.customize(metric)
    made = replace(vehicle.weigh(metric, frozen(weights)), live_arcs=base.live_arcs)
    return Reweighted(made, "customization")


def changed_arcs(old: Metric, new: Metric, arcs: AnyArray) -> AnyArray:
    """Those of some arcs (k,) whose weights or durations differ."""
    differs = old.weight[arcs] != new.weight[arcs]
    differs |= old.duration_cs[arcs] != new.duration_cs[arcs]
    changed: AnyArray = arcs[differs]
    return changed


def mending_pays(n_arcs: int, n_costs: int, n_changed: int) -> bool:
    """Whether weights are sooner mended than customized anew.

    ``n_arcs`` of the roads, ``n_costs`` of the hierarchy. The memory for them is there either way.
    """
    mending_ns = _mending_ns(n_arcs, n_costs, n_changed) + _COPY_NS * n_costs
    return mending_ns < _CUSTOMIZE_NS * n_costs


def _mending_ns(n_arcs: int, n_costs: int, n_changed: int) -> float:
    part = min(_SPREAD * np.sqrt(n_changed / max(n_arcs, 1)), 1.0)
    return float(n_costs * _CUSTOMIZE_NS * part)
