"""A leg as guidance sees it: its arcs, what is driven of each, and the crossings between them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from gis.arrays import F64, I64, U8, U16, U32, Bool, freeze
from gis.jit import inner_kernel, int64, plain_kernel
from gis.network.road_network import RoadNetwork
from gis.profiles.verdicts import RoadUse
from routing.assemble import PathOfArcs
from routing.graph.turn_graph import TurnGraph
from routing.guidance.drafts import Crossing
from routing.guidance.lanes import labels_with_turns
from routing.metric import Metric

LANES_AHEAD_M = 30.0
"""Lanes may end so far before the crossing that they are drawn for."""

Sums: TypeAlias = tuple[float, float, float]
"""Metres, seconds and weight."""


class LegLine(NamedTuple):
    """Where a leg leads: paths that follow each other, and its line with n + 1 points.

    ``lon``, ``lat`` float64 (n + 1,) in degrees. ``first_point`` int64 (k,) is the point at which
    each of the k arcs of all paths begins, 0 for the first.
    ``begin`` and ``goal`` are the points of the request, longitude and latitude in degrees.
    """

    paths: Sequence[PathOfArcs]
    lon: F64
    lat: F64
    first_point: I64
    begin: tuple[float, float]
    goal: tuple[float, float]


class Trail(NamedTuple):
    """The k arcs of a leg.

    ``driven`` float64 (3, k) are metres, seconds and weight of the driven part of each arc, the
    last two with the turn at its end; ``metres`` (k + 1,) how far each arc begins from the start of
    the leg, and its end. ``first_point`` (k + 1,) is the point of the leg's line where each arc
    begins, and the last point of all. ``crossings`` (k - 1,) has that before each arc but the
    first, None where nothing has to be looked at; ``facing_lanes`` the arcs before which lanes
    are drawn, or shortly before that. ``has_one_mode``: one travels in the same way all along.
    """

    arcs: list[int]
    driven: F64
    metres: list[float]
    first_point: list[int]
    crossings: list[Crossing | None]
    facing_lanes: frozenset[int]
    has_one_mode: bool


class Ground(NamedTuple):
    """What a survey looks at: a network's and a vehicle's arrays.

    ``has_lanes`` uint8 (L,) tells of labels whether they say anything of arrows on lanes.
    """

    first_turn: U32
    turn_head: U32
    vertex_arc: U32
    edge_tagset: U32
    edge_label: U32
    has_lanes: Bool
    forward_mode: U8
    backward_mode: U8


@plain_kernel
def cost_turns(ground: Ground, turn_cost: U16, arcs: U32, cost_cs: F64) -> int:
    """Fill what the turn at the end of each arc of a path costs, 0 at its own end."""
    n = len(arcs)
    for k in range(n):
        cost_cs[k] = 0.0
        if k + 1 == n:
            break
        arc = arcs[k]
        for turn in range(ground.first_turn[arc], ground.first_turn[arc + 1]):
            if ground.vertex_arc[ground.turn_head[turn]] == arcs[k + 1]:
                cost_cs[k] = turn_cost[turn]
                break
    return n


@inner_kernel
def _mode_of(ground: Ground, arc: int) -> int:
    modes = ground.backward_mode if arc & 1 else ground.forward_mode
    return int64(modes[ground.edge_tagset[arc >> 1]])


@plain_kernel
def survey(ground: Ground, arcs: I64, length_m: F64, metres: F64, facing: I64) -> tuple[int, bool]:
    """Fill how far each arc begins, and those that lanes are drawn shortly before.

    Their number, and whether one travels in one way only.
    """
    n, one_mode, latest = 0, True, -1
    mode = _mode_of(ground, arcs[0])
    metres[0] = 0.0
    for at in range(len(arcs)):
        metres[at + 1] = metres[at] + length_m[at]
        one_mode = one_mode and _mode_of(ground, arcs[at]) == mode
        # Lanes of the arc just before count however long what is driven of it is.
        if latest >= 0 and (latest == at or metres[at] - metres[latest] <= LANES_AHEAD_M):
            facing[n] = at
            n += 1
        if ground.has_lanes[ground.edge_label[arcs[at] >> 1]]:
            latest = at + 1
    return n, one_mode


@plain_kernel
def sum_between(at: I64, driven: F64, total: F64) -> int:
    """Fill the sums ``total`` (n, 3) of what is driven from each place to the next (n + 1,)."""
    for k in range(len(at) - 1):
        for column in range(3):
            total[k, column] = 0.0
            for i in range(at[k], at[k + 1]):
                total[k, column] += driven[column, i]
    return len(at) - 1


class Surveyor:
    """Measures legs of one vehicle; threads may share it."""

    def __init__(self, network: RoadNetwork, roads: RoadUse, graph: TurnGraph) -> None:
        self._network, self._graph = network, graph
        self._ground = Ground(
            graph.first_turn,
            graph.turn_head,
            graph.vertex_arc,
            network.edge_tagset,
            network.edge_label,
            labels_with_turns(network.labels),
            roads.forward_mode,
            roads.backward_mode,
        )

    def trail(
        self, leg: LegLine, arcs: I64, crossings: list[Crossing | None], metric: Metric
    ) -> Trail:
        """A leg with its crossings, as long as its roads take by a metric."""
        k = len(arcs)
        driven = np.empty((3, k))
        start = 0
        for path in leg.paths:
            stop = start + len(path.arcs)
            self._measure(path, metric, driven[:, start:stop])
            start = stop
        metres, facing = np.empty(k + 1), np.empty(k, np.int64)
        n, has_one_mode = survey(self._ground, freeze(arcs), driven[0], metres, facing)
        return Trail(
            arcs.tolist(),
            driven,
            metres.tolist(),
            [*leg.first_point.tolist(), len(leg.lon) - 1],
            crossings,
            frozenset(facing[:n].tolist()),
            has_one_mode,
        )

    def _measure(self, path: PathOfArcs, metric: Metric, driven: F64) -> None:
        """Fill metres, seconds and weight of what is driven of each arc."""
        length_m = self._network.edge_length_m[path.arcs >> np.uint32(1)]
        cm = np.rint(length_m.astype(np.float64) * 100)
        left_out = cm[0] * path.start.fraction
        cm[-1] *= path.end.fraction
        cm[0] -= left_out
        cm[0] = max(0.0, cm[0] + path.length_cm - cm.sum())  # what rounding has lost
        turn_cs = np.empty(len(cm))
        costs = metric.turn_costs(self._graph.turn_cost)
        cost_turns(self._ground, costs, path.arcs, turn_cs)
        weight_cs = path.cost_cs if path.weight_cs is None else path.weight_cs
        driven[0], driven[1], driven[2] = cm, path.cost_cs + turn_cs, weight_cs + turn_cs
        driven /= 100.0


def sums_between(trail: Trail, at: list[int]) -> list[Sums]:
    """Metres, seconds and weight from each of some arcs to the next."""
    total = np.empty((len(at) - 1, 3))
    sum_between(freeze(np.array(at, np.int64)), trail.driven, total)
    return list(zip(*total.T.tolist(), strict=True))


def joints(paths: Sequence[PathOfArcs]) -> list[int]:
    """The arcs before which one path ends within a road, and the next begins."""
    found: list[int] = []
    at = 0
    for path, after in pairwise(paths):
        at += len(path.arcs)
        if path.end.fraction < 1 or after.start.fraction > 0:
            found.append(at)
    return found
