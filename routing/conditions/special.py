"""What the roads weigh for a request that names a time, or classes of roads to keep out of."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import Event, Lock
from typing import NamedTuple, TypeAlias

import numpy as np

from gis.arrays import INF, U32, AnyArray, Bool, freeze, offsets
from gis.network.road_network import RoadNetwork, by_arc
from gis.profiles.verdicts import RoadUse
from routing.cch.weights import Weights, frozen
from routing.changes.reweight import mending_pays
from routing.conditions.clock import Clock, Departure
from routing.conditions.roads_at import RoadsAt, arcs_with_other_turns, changed_arcs, roads_at
from routing.errors import InvalidInput, InvalidValue
from routing.graph.components import ARC_RESTRICTED, ARC_STARTPOINT, Components, build_components
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.vehicle import Vehicle
from routing.weighting import Weighting

_KEPT = 4
"""Weightings kept for requests to come; each is as large as the vehicle's own."""

Rewish: TypeAlias = Callable[[Metric], Metric]
"""What the owner of an engine wants the roads to be like, for other roads than the usual."""


class _Key(NamedTuple):
    """What a special weighting was made of."""

    base: int
    rewish: int
    holds: bytes
    excluded: int


class _Made:
    """A weighting that is being made, or is there; what it is made from is kept beside it.

    That is so that their ids, which the key has, stay their own.
    """

    def __init__(self, base: Weighting, rewish: Rewish | None) -> None:
        self.base, self.rewish = base, rewish
        self.ended = Event()
        self.weighting: Weighting | None = None


class SpecialWeightings:
    """The weightings of one vehicle for special requests. Threads may share it.

    Who wants one that another thread is making waits for it; nobody else does.
    """

    def __init__(self, vehicle: Vehicle, network: RoadNetwork, clock: Clock) -> None:
        self._vehicle = vehicle
        self._network = network
        self._clock = clock
        self._kept: OrderedDict[_Key, _Made] = OrderedDict()
        self._lock = Lock()

    def find(
        self,
        base: Weighting,
        depart_at: Departure | None,
        exclude: Sequence[str],
        rewish: Rewish | None,
    ) -> Weighting:
        """What the roads weigh at a time without some classes; with weights of the hierarchy.

        ``base`` are the weights otherwise in use, which ``rewish`` has made from the vehicle's own
        if they are the owner's. If nothing is different, it is ``base`` itself. Raises
        ``InvalidInput``.
        """
        holds = self._holding(depart_at)
        excluded = self._classes(exclude)
        if not holds.any() and not excluded:
            return base
        key = _Key(id(base), id(rewish), holds.tobytes(), excluded)
        while True:
            with self._lock:
                found = self._kept.get(key)
                is_new = found is None
                if found is None:
                    found = self._kept[key] = _Made(base, rewish)
                    if len(self._kept) > _KEPT:
                        self._kept.popitem(last=False)
                self._kept.move_to_end(key)
            if is_new:
                return self._fill(key, found, holds, excluded)
            found.ended.wait()
            if found.weighting is not None:  # else whoever made it has failed
                return found.weighting

    def _fill(self, key: _Key, wanted: _Made, holds: Bool, excluded: int) -> Weighting:
        """Make a weighting for all who wait for it."""
        try:
            wanted.weighting = self._make(wanted.base, holds, excluded, wanted.rewish)
        except BaseException:
            with self._lock:
                if self._kept.get(key) is wanted:
                    del self._kept[key]
            raise
        finally:
            wanted.ended.set()
        return wanted.weighting

    def _holding(self, depart_at: Departure | None) -> Bool:
        """Which of the vehicle's conditions hold."""
        expressions = self._vehicle.prepared.conditions.verdicts.expressions
        if depart_at is None:
            return np.zeros(len(expressions), np.bool_)
        return self._clock.holds(expressions, self._clock.local(depart_at))

    def _classes(self, exclude: Sequence[str]) -> int:
        """The classes as bits; ``InvalidValue`` unless they may be excluded together."""
        roads = self._vehicle.prepared.roads
        words = (exclude,) if isinstance(exclude, str) else exclude
        if not (isinstance(words, Iterable) and all(isinstance(word, str) for word in words)):
            raise InvalidInput(f"exclude is {exclude!r}, expected classes of roads such as 'toll'")
        wanted = sorted(set(words))
        if wanted and ",".join(wanted) not in roads.excludable:
            raise InvalidValue("Exclude flag combination is not supported.")
        return sum(1 << roads.classes.index(word) for word in wanted)

    def _make(
        self, base: Weighting, holds: Bool, excluded: int, rewish: Rewish | None
    ) -> Weighting:
        prepared = self._vehicle.prepared
        normal = RoadsAt(prepared.metric, prepared.turn_graph, prepared.components, prepared.roads)
        at = roads_at(self._network, prepared.conditions, holds, normal) if holds.any() else normal
        metric = base.metric
        if at.metric is not normal.metric:
            metric = rewish(at.metric) if rewish else _merge(base.metric, normal.metric, at.metric)
        components = at.components
        if excluded:
            metric = _close(metric, _arcs_of(self._network, at.roads, excluded))
            components = _without_closed(at, metric.open_arc)
        if metric is base.metric and at.graph is base.graph and at.roads is base.roads:
            return base
        changed = np.union1d(
            changed_arcs(base.metric, metric), arcs_with_other_turns(base.graph, at.graph)
        )
        weights = self._customized(base, metric, at.graph, changed)
        made = self._vehicle.weigh(metric, weights, at.graph, components)
        return replace(made, roads=at.roads, live_arcs=base.live_arcs)

    def _customized(
        self, base: Weighting, metric: Metric, graph: TurnGraph, changed: AnyArray
    ) -> Weights:
        """Weights of the hierarchy, mended where that takes less than to make them anew."""
        vehicle = self._vehicle
        customizer = vehicle.customizer
        if graph is not vehicle.prepared.turn_graph:
            customizer = customizer.with_turns(graph)
        n_costs = vehicle.prepared.hierarchy.n_arcs
        if base.weights is None or not mending_pays(len(metric.weight), n_costs, len(changed)):
            return customizer.customize(metric)
        copies: list[AnyArray] = [array.copy() for array in base.weights]
        weights = Weights(*copies)
        customizer.recustomize(metric, weights, freeze(changed.astype(np.uint32)))
        return frozen(weights)


def _merge(base: Metric, normal: Metric, at: Metric) -> Metric:
    """A metric at a time, but what a base has different from normal stays so, if it is open."""
    is_own = (base.weight != normal.weight) | (base.duration_cs != normal.duration_cs)
    kept = is_own & (at.weight < INF)
    return _combine(at, kept, base.weight, base.own_duration_cs)


def _close(metric: Metric, closed: Bool) -> Metric:
    never = np.full(len(metric.weight), INF, np.uint32)
    return _combine(metric, closed, never, never)


def _combine(metric: Metric, chosen: Bool, weight: U32, own_duration_cs: U32) -> Metric:
    """A metric with other columns for some arcs, bool (A,)."""
    other = freeze(np.where(chosen, weight, metric.weight))
    if not metric.has_durations:
        return replace(metric, weight=other)
    duration_cs = freeze(np.where(chosen, own_duration_cs, metric.own_duration_cs))
    return replace(metric, weight=other, own_duration_cs=duration_cs)


def _arcs_of(network: RoadNetwork, roads: RoadUse, wanted: int) -> Bool:
    """Which arcs are of one of some classes, bool (A,)."""
    directions = (bits & wanted > 0 for bits in (roads.forward_classes, roads.backward_classes))
    return by_arc(network, *directions)


def _without_closed(roads: RoadsAt, open_arc: Bool) -> Components:
    """The components of roads of which only some arcs, bool (A,), are open."""
    graph = roads.graph
    is_open = open_arc[graph.vertex_arc]
    columns = []
    for first, end in (
        (graph.first_turn, graph.turn_head),
        (graph.first_back, graph.back_tail),
    ):
        n_turns: AnyArray = np.diff(first.astype(np.int64))
        kept = np.repeat(is_open, n_turns) & is_open[end]
        start = np.repeat(np.arange(len(n_turns)), n_turns)[kept]
        counts = np.bincount(start, minlength=len(n_turns))
        columns.append((freeze(offsets(counts)), freeze(end[kept])))
    (first_turn, turn_head), (first_back, back_tail) = columns
    left = replace(
        graph,
        first_turn=first_turn,
        turn_head=turn_head,
        first_back=first_back,
        back_tail=back_tail,
    )
    flags = roads.components.arc_flags
    startpoint = freeze(flags & ARC_STARTPOINT > 0)
    return build_components(left, open_arc, startpoint, freeze(flags & ARC_RESTRICTED))
