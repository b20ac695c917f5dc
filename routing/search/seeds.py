"""From places on roads to the vertices where searches begin and end.

A route from fraction f of arc a to fraction g of arc b either stays on the arc (a = b, f <= g)
and costs the difference of the parts, or it leaves it: then its search begins at the successors
of a, having paid the rest of a and the turn, and ends at the start of b, with a part of b still
to pay. So no cost is negative, and a route that comes back to its own arc is found like any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gis.arrays import INF, U32, U64, freeze
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric


class Position(NamedTuple):
    """A place along an arc; fraction 0 is its tail, 1 its head."""

    arc: int
    fraction: float


class Columns(NamedTuple):
    """What an arc or a way takes, as in `Metric`; the third is 0 if there is none."""

    weight: int
    second: int
    third: int


class Place(NamedTuple):
    """One end of a route: a fraction of the arc of a vertex, and what is paid besides."""

    vertex: int
    fraction: float
    besides: Columns = Columns(0, 0, 0)


class Seeds(NamedTuple):
    """Vertices at one end of a search. S seeds, in any order, a vertex as often as it likes.

    | array | dtype, shape | content |
    |---|---|---|
    | vertex | uint32 (S,) | vertex of the turn graph |
    | cost | uint32 (S,) | below INF: paid before the start of its arc, or to pay from there on |
    | second, third | uint32 (S,) | what the `Metric` has beside the weight; 0: nothing |
    | place | uint32 (S,) | which of the places it stands for |
    """

    vertex: U32
    cost: U32
    second: U32
    third: U32
    place: U32

    @property
    def key(self) -> U64:
        """Cost and second (S,) as one number that orders by cost first: uint64 (S,)."""
        key: U64 = self.cost.astype(np.uint64) << np.uint64(32) | self.second
        return freeze(key)


@dataclass(frozen=True)
class Path:
    """What a search found: the cost, seeds included, and the vertices from seed to seed.

    ``source`` and ``target`` are the places that the first and the last vertex stand for.
    Without a path the cost is INF, there are no vertices, and the places are -1.
    """

    cost: int
    vertices: U32
    source: int
    target: int
    n_settled: int


def part_cost(weight: int, fraction: float) -> int:
    """Cost of an arc from its tail to a fraction of it, rounded half up; 0..weight.

    From there on it costs what is left of the weight, so that both parts always add up.
    """
    return min(int(weight * fraction + 0.5), weight)


def vertices_of(graph: TurnGraph, n_arcs: int, arc: int) -> list[int]:
    """The vertices that stand for an arc: itself, and the copies that restrictions need."""
    copies = graph.vertex_arc[n_arcs:]
    low, high = np.searchsorted(copies, [arc, arc + 1]).tolist()
    return [arc, *range(n_arcs + low, n_arcs + high)]


def driven_total(column: U32, arcs: U32, start: float, end: float) -> int:
    """The sum of what a column of a metric holds for the parts of arcs that are driven."""
    first, last = int(column[arcs[0]]), int(column[arcs[-1]])
    left_out = part_cost(first, start) + last - part_cost(last, end)
    return int(column[arcs].sum(dtype=np.int64)) - left_out


def columns_of(metric: Metric, arc: int) -> Columns:
    """What a whole arc takes."""
    third = int(metric.third[arc]) if metric.has_durations else 0
    return Columns(int(metric.weight[arc]), int(metric.second[arc]), third)


def source_seeds(graph: TurnGraph, metric: Metric, places: Sequence[Place]) -> Seeds:
    """Seeds for routes that leave the arcs of their places by any turn."""
    seeds = []
    for index, (vertex, fraction, besides) in enumerate(places):
        whole = columns_of(metric, int(graph.vertex_arc[vertex]))
        weight, second, third = (
            extra + all_of - part_cost(all_of, fraction)
            for extra, all_of in zip(besides, whole, strict=True)
        )
        out = slice(int(graph.first_turn[vertex]), int(graph.first_turn[vertex + 1]))
        turns = metric.turn_costs(graph.turn_cost[out]).tolist()
        heads = graph.turn_head[out].tolist()
        for head, turn in zip(heads, turns, strict=True):
            later = second + turn if metric.has_durations else second
            seeds.append((head, weight + turn, later, third, index))
    return _pack(seeds)


def target_seeds(graph: TurnGraph, metric: Metric, places: Sequence[Place]) -> Seeds:
    """Seeds for routes that come to their places from the start of the arcs, if they are open."""
    seeds = []
    for index, (vertex, fraction, besides) in enumerate(places):
        whole = columns_of(metric, int(graph.vertex_arc[vertex]))
        if whole.weight < INF:
            weight, second, third = (
                extra + part_cost(all_of, fraction)
                for extra, all_of in zip(besides, whole, strict=True)
            )
            seeds.append((vertex, weight, second, third, index))
    return _pack(seeds)


def _pack(seeds: list[tuple[int, int, int, int, int]]) -> Seeds:
    """Arrays of the seeds that do not cost too much already."""
    rows = np.array([seed for seed in seeds if seed[1] < INF], np.uint32).reshape(-1, 5)
    return Seeds(*(freeze(column) for column in rows.T.copy()))


def cheapest_place(seeds: Seeds, vertex: int) -> int:
    """The place behind the cheapest seed at a vertex."""
    at = np.flatnonzero(seeds.vertex == vertex)
    return int(seeds.place[at[np.lexsort((seeds.third[at], seeds.key[at]))[0]]])


def no_path(n_settled: int) -> Path:
    """What a search that found nothing returns."""
    return Path(INF, freeze(np.empty(0, np.uint32)), -1, -1, n_settled)
