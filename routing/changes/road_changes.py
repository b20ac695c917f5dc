"""Changes of how long road pieces take: traffic, closures, and what a request wants otherwise."""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gis.arrays import F64, I64, INF, U32, AnyArray, freeze
from routing.errors import InvalidInput
from routing.metric import Metric

M = TypeVar("M", bound=Metric)

NO_ROWS: I64 = freeze(np.empty(0, np.int64))


@dataclass(frozen=True)
class RoadChanges:
    """Arcs that take another time than in a base metric. k arcs.

    | array | dtype, shape | content |
    |---|---|---|
    | arcs | uint32 (k,) | ascending, each once |
    | duration_cs | uint32 (k,) | the new one, hundredths of a second, 1..INF-1, or INF: closed |

    Weights change in proportion: a road is liked as much as before. A vehicle can use only what
    its base metric has open: no change opens an arc. ``identity`` is that of the dataset and
    profile that the arcs are of, where somebody has told.
    """

    arcs: U32
    duration_cs: U32
    identity: str = ""

    def __len__(self) -> int:
        return len(self.arcs)


@dataclass(frozen=True)
class Outcome:
    """Changes, and what of the wishes they were made from could not be met.

    ``unknown`` int64 (n,), ascending, are the rows of roads or places that name no road of this
    network, and ``n_closed`` arcs that were named are closed in the base metric and stay so.
    """

    changes: RoadChanges
    unknown: I64
    n_closed: int

    @property
    def n_unknown(self) -> int:
        """How many of the roads or places that were named hold no road of this network."""
        return len(self.unknown)


def check_changes(changes: RoadChanges, n_arcs: int) -> None:
    """Assert every documented invariant."""
    arcs, duration_cs = changes.arcs, changes.duration_cs
    for array in (arcs, duration_cs):
        assert array.dtype == np.uint32 and array.shape == arcs.shape and array.ndim == 1
        assert array.flags.c_contiguous and not array.flags.writeable
    assert (arcs[:-1] < arcs[1:]).all() and (arcs < n_arcs).all()
    assert not len(arcs) or (duration_cs.min() >= 1 and duration_cs.max() <= INF)


def make_changes(arcs: npt.ArrayLike, duration_cs: npt.ArrayLike) -> RoadChanges:
    """Changes from arcs (k,) in any order with durations (k,), or one for all.

    Of several durations for an arc the last counts. Raises ``InvalidInput`` for what cannot be.
    """
    of_arc = np.asarray(arcs)
    if of_arc.size == 0:
        of_arc = of_arc.astype(np.uint32)
    new = np.broadcast_to(np.asarray(duration_cs), of_arc.shape)
    for name, array, least, most in (("arc", of_arc, 0, 2**32 - 2), ("duration", new, 1, INF)):
        if array.ndim != 1 or (array.size and array.dtype.kind not in "ui"):
            raise InvalidInput(f"the {name}s are not a list of whole numbers")
        if array.size and (array.min() < least or array.max() > most):
            raise InvalidInput(f"a changed {name} is out of range, expected {least} to {most}")
    arc, last = np.unique(of_arc[::-1], return_index=True)
    new_of_arc = new[::-1][last]
    return RoadChanges(freeze(arc.astype(np.uint32)), freeze(new_of_arc.astype(np.uint32)))


def no_changes() -> RoadChanges:
    """Everything as in the base metric."""
    return make_changes([], [])


def combine_changes(*changes: RoadChanges) -> RoadChanges:
    """All of several changes; what the last of them says of an arc counts."""
    if not changes:
        return no_changes()
    arcs, duration_cs = (
        np.concatenate(columns)
        for columns in ([one.arcs for one in changes], [one.duration_cs for one in changes])
    )
    return make_changes(arcs, duration_cs)


def apply_changes(metric: M, changes: RoadChanges) -> M:
    """The metric with other durations and weights; arcs that are closed stay closed.

    Where durations are not the weights, the weight keeps its ratio to the duration, rounded half
    up, to 1 at least. Raises ``InvalidInput`` for an arc that there is not.
    """
    if len(changes) and int(changes.arcs[-1]) >= len(metric.weight):
        raise InvalidInput(f"arc {changes.arcs[-1]} of a network of {len(metric.weight)} arcs")
    arcs, weight = changes.arcs, metric.weight.copy()
    before = weight[arcs]
    after = np.where(before < INF, changes.duration_cs, np.uint32(INF))
    if not metric.has_durations:
        weight[arcs] = after
        return replace(metric, weight=freeze(weight))
    duration_cs = metric.own_duration_cs.copy()
    in_proportion = np.floor(after * (before / duration_cs[arcs]) + 0.5)
    weight[arcs] = np.where(after < INF, np.clip(in_proportion, 1, INF - 1), INF)
    same = after == duration_cs[arcs]
    weight[arcs[same]] = before[same]
    duration_cs[arcs] = after
    return replace(metric, weight=freeze(weight), own_duration_cs=freeze(duration_cs))


def change_arcs(
    metric: Metric, arcs: AnyArray, cost: F64, unknown: I64 = NO_ROWS, with_closed: bool = False
) -> Outcome:
    """Changes of arcs, ascending (k,), that are to take so long (k,), infinity to close them.

    Durations are rounded half up, to 1 at least. Arcs that the metric closes are left out; or
    kept ``with_closed``, unless their cost is NaN, for metrics that open them.
    """
    is_open = metric.weight[arcs] < INF
    chosen = is_open | ~np.isnan(cost) if with_closed else is_open
    rounded = np.clip(np.floor(cost[chosen] + 0.5), 1, INF - 1)
    duration_cs = np.where(np.isfinite(cost[chosen]), rounded, INF).astype(np.uint32)
    changes = RoadChanges(freeze(arcs[chosen].astype(np.uint32)), freeze(duration_cs))
    return Outcome(changes, unknown, int(np.count_nonzero(~is_open)))


def scale_arcs(metric: Metric, arcs: npt.ArrayLike, factor: npt.ArrayLike) -> Outcome:
    """Changes that multiply the durations of arcs (k,) by factors above 0, (k,) or one for all.

    Of several factors for an arc the last counts. Raises ``InvalidInput`` for what cannot be.
    """
    of_arc = np.asarray(arcs)
    if of_arc.size == 0:
        of_arc = of_arc.astype(np.uint32)
    if of_arc.ndim != 1 or of_arc.dtype.kind not in "ui":
        raise InvalidInput("the arcs are not a list of whole numbers")
    if of_arc.size and not 0 <= of_arc.min() <= of_arc.max() < len(metric.weight):
        raise InvalidInput(f"an arc is out of range, expected 0 to {len(metric.weight) - 1}")
    factors = np.broadcast_to(np.asarray(factor, np.float64), of_arc.shape)
    if not (np.isfinite(factors).all() and (factors > 0).all()):
        raise InvalidInput("a factor is not a number above 0")
    arc, last = np.unique(of_arc[::-1], return_index=True)
    return change_arcs(metric, arc, metric.duration_cs[arc] * factors[::-1][last])


def close_arcs(metric: Metric, arcs: AnyArray) -> Outcome:
    """Changes that close arcs, ascending (k,)."""
    return change_arcs(metric, arcs, np.full(len(arcs), np.inf))


def bounds_hold(base: Metric, metric: Metric) -> bool:
    """Whether bounds from below that were made for a base metric hold for another one, too.

    They do where nothing has become cheaper; otherwise A* with landmarks may miss the best route.
    """
    return bool((metric.weight >= base.weight).all())
