"""The roads of a vehicle at a time: which are open, how fast they are, and the turns."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gis.arrays import AnyArray, Bool, freeze
from gis.network.road_network import RoadNetwork
from gis.profiles.verdicts import RoadUse, Verdicts
from routing.conditions.prepared import Conditions
from routing.graph.components import Components, build_components, startpoints
from routing.graph.restricted_roads import restricted_arcs
from routing.graph.turn_graph import TurnGraph, build_turn_graph
from routing.metric import Metric, reduced_to_duration, travel_metric


@dataclass(frozen=True)
class RoadsAt:
    """What a vehicle's roads are while some conditions hold."""

    metric: Metric
    graph: TurnGraph
    components: Components
    roads: RoadUse


def roads_at(network: RoadNetwork, conditions: Conditions, holds: Bool, normal: RoadsAt) -> RoadsAt:
    """The roads while some conditions hold; ``normal`` are those of no special time.

    What does not differ from those is the same object. The roads are as in a dataset with tags that
    say only what holds then, but for two things: of a tag set the first five times count, and a
    road that is closed then still divides those it meets. Their pieces decide which parts are big
    and which arcs are on one, so a point on a small part may stand for another place.
    """
    verdicts = conditions.verdicts.at(holds)
    usual = conditions.verdicts.at(np.zeros_like(holds))
    roads = _use_at(normal.roads, verdicts)
    metric = _with_columns_of(normal.metric, travel_metric(network, verdicts))
    if not len(changed_arcs(normal.metric, metric)):
        metric = normal.metric
    same_turns = (
        np.array_equal(verdicts.restriction_kind, usual.restriction_kind)
        and np.array_equal(verdicts.way_flags, usual.way_flags)
        and np.array_equal(metric.open_arc, normal.metric.open_arc)
    )
    if same_turns:
        return RoadsAt(metric, normal.graph, normal.components, roads)
    remembered = conditions.memory.remembered(network.n_arcs)
    restricted = restricted_arcs(network, verdicts, metric.open_arc)
    graph = build_turn_graph(network, verdicts, metric.open_arc, restricted, remembered)
    allowed = startpoints(network, verdicts)
    components = build_components(graph, metric.open_arc, allowed, restricted)
    return RoadsAt(metric, graph, components, roads)


def _use_at(usual: RoadUse, verdicts: Verdicts) -> RoadUse:
    """How one uses the roads by some verdicts; of those that these close what is known anyway."""
    is_open = {
        "way_flags": verdicts.way_open(),
        **dict.fromkeys(("forward_mode", "forward_classes"), verdicts.forward_kmh > 0),
        **dict.fromkeys(("backward_mode", "backward_classes"), verdicts.backward_kmh > 0),
    }
    columns: dict[str, Any] = {
        name: freeze(np.where(counts, getattr(verdicts, name), getattr(usual, name)))
        for name, counts in is_open.items()
    }
    if all(np.array_equal(column, getattr(usual, name)) for name, column in columns.items()):
        return usual
    return replace(usual, **columns)


def _with_columns_of(normal: Metric, metric: Metric) -> Metric:
    """The metric with durations apart from weights as in another one: they are both or neither."""
    if normal.has_durations and not metric.has_durations:
        return replace(metric, own_duration_cs=metric.weight)
    return metric if normal.has_durations else reduced_to_duration(metric)


def changed_arcs(old: Metric, new: Metric) -> AnyArray:
    """The arcs, ascending, that weigh something else in another metric or take another time."""
    if old is new:
        return np.empty(0, np.int64)
    return np.flatnonzero((old.weight != new.weight) | (old.duration_cs != new.duration_cs))


def arcs_with_other_turns(old: TurnGraph, new: TurnGraph) -> AnyArray:
    """The arcs, ascending, that a turn leaves or enters which only one of two graphs has.

    So does a turn that costs something else. The graphs have the same vertices.
    """
    if old is new:
        return np.empty(0, np.uint32)
    keys = [_turn_keys(graph) for graph in (old, new)]
    costs = old.turn_cost, new.turn_cost
    vertices = []
    for mine, other in ((0, 1), (1, 0)):
        place = np.searchsorted(keys[other], keys[mine])
        place[place == len(keys[other])] = 0
        known = keys[other][place] == keys[mine] if len(keys[other]) else np.zeros(len(place), bool)
        differs = ~known
        differs[known] = costs[other][place[known]] != costs[mine][known]
        key = keys[mine][differs]
        vertices += [key >> 32, key & 0xFFFFFFFF]
    return np.unique(old.vertex_arc[np.concatenate(vertices)])


def _turn_keys(graph: TurnGraph) -> AnyArray:
    """Tail and head of each turn as one ascending number, int64 (T,)."""
    n: AnyArray = np.diff(graph.first_turn.astype(np.int64))
    tail: AnyArray = np.repeat(np.arange(graph.n_vertices, dtype=np.int64), n)
    key: AnyArray = tail << 32 | graph.turn_head
    return key
