"""The best route over several points, exact over all ways to pass each of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import add, sub
from typing import NamedTuple, TypeAlias

import numpy as np

from gis.arrays import INF, U32, freeze
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.search.seeds import (
    Columns,
    Path,
    Place,
    Position,
    Seeds,
    columns_of,
    driven_total,
    part_cost,
    source_seeds,
    target_seeds,
    vertices_of,
)

Search: TypeAlias = Callable[[Seeds, Seeds], Path]
"""Any exact search from seeds to seeds."""

_End: TypeAlias = tuple[int, Position]
"""A vertex of the turn graph where a way may end, and the position on its arc."""


@dataclass(frozen=True)
class Stretch:
    """The way between two points that follow each other.

    ``arcs`` uint32 (n,), n >= 1, begins with the arc of ``start`` and ends with that of ``end``.
    ``leaves`` and ``enters`` are the vertices of the turn graph that these stand for. At a point
    they are not the same if a road was entered that is not passed through.
    """

    cost: int
    arcs: U32
    start: Position
    end: Position
    leaves: int
    enters: int


class BrokenChainError(Exception):
    """No way leads from any position of a point to any of the next; ``leg`` counts from 0."""

    def __init__(self, leg: int) -> None:
        super().__init__(f"leg {leg}")
        self.leg = leg


class _State(NamedTuple):
    """A way to stand at a point, ready to go on: on a vertex, at a position on its arc.

    ``spent`` is what the best way here takes, ``stretch`` its last part and ``before`` the state
    that it starts from; no stretch if only the direction was changed.
    """

    vertex: int
    position: Position
    spent: Columns
    before: "_State | None"
    stretch: Stretch | None


class ChainFinder:
    """Finds routes over points with any exact search."""

    def __init__(self, search: Search, graph: TurnGraph, metric: Metric) -> None:
        self._search = search
        self._graph = graph
        self._metric = metric

    def find(self, points: Sequence[Sequence[Position]], straight: bool) -> list[Stretch]:
        """The cheapest route over one of the positions of each point, two points or more.

        If ``straight``, a route leaves a point in the direction in which it has come: the best
        way is carried for each vertex on which the point can be reached, and only where none of
        them leads on, it may turn around. Otherwise the way on is free to begin at any position.
        Raises ``BrokenChainError`` where there is no way from one point to the next.
        """
        states = [_State(p.arc, p, Columns(0, 0, 0), None, None) for p in points[0]]
        for leg, targets in enumerate(points[1:]):
            ends = [
                (vertex, position)
                for position in targets
                for vertex in vertices_of(self._graph, len(self._metric.weight), position.arc)
            ]
            is_apart = straight and leg < len(points) - 2
            groups = self._by_vertex_left(ends) if is_apart else [ends]
            reached = self._extend_all(states, groups)
            if not reached and straight and leg > 0:
                reached = self._extend_all(self._turned(states), groups)
            if not reached:
                raise BrokenChainError(leg)
            if is_apart:
                states = reached
            else:
                (best,) = reached
                states = [_State(p.arc, p, best.spent, best, None) for p in targets]
        return _stretches(best)

    def _extend_all(
        self, states: Sequence[_State], groups: Iterable[Sequence[_End]]
    ) -> list[_State]:
        """For each group of ends, the cheapest way to one of them; none where there is none."""
        if not states:
            return []
        found = (self._extend(states, ends) for ends in groups)
        return [state for state in found if state is not None]

    def _extend(self, states: Sequence[_State], ends: Sequence[_End]) -> _State | None:
        least = [min(column) for column in zip(*(state.spent for state in states), strict=True)]
        sources = [
            Place(s.vertex, s.position.fraction, Columns(*map(sub, s.spent, least))) for s in states
        ]
        targets = [Place(vertex, position.fraction) for vertex, position in ends]
        path = self._search(
            source_seeds(self._graph, self._metric, sources),
            target_seeds(self._graph, self._metric, targets),
        )
        found = min(self._staying(states, ends), default=None)
        arcs = path.vertices[:0]
        if path.cost < INF:
            onward = self._graph.vertex_arc[path.vertices]
            spent = self._spent(
                states[path.source], onward, ends[path.target], path.cost + least[0]
            )
            if found is None or spent < found[0]:
                found, arcs = (spent, path.source, path.target), onward
        if found is None:
            return None
        spent, source, target = found
        before = states[source]
        vertex, position = ends[target]
        arcs = np.concatenate([np.array([before.position.arc], np.uint32), arcs])
        cost = spent.weight - before.spent.weight
        stretch = Stretch(cost, freeze(arcs), before.position, position, before.vertex, vertex)
        return _State(self._graph.leaving(vertex), position, spent, before, stretch)

    def _spent(self, state: _State, onward: U32, end: _End, weight: int) -> Columns:
        """What it takes to go on from a state over some arcs, if it weighs so much to their end."""
        metric, (_, position) = self._metric, end
        arcs = np.concatenate([np.array([state.position.arc], np.uint32), onward])
        columns = metric.weight, metric.second, *((metric.third,) if metric.has_durations else ())
        parts, second, *third = (
            driven_total(column, arcs, state.position.fraction, position.fraction)
            for column in columns
        )
        if metric.has_durations:  # turns count alike in weight and duration
            second += weight - state.spent.weight - parts
        return Columns(weight, state.spent.second + second, state.spent.third + sum(third))

    def _by_vertex_left(self, ends: Iterable[_End]) -> list[list[_End]]:
        """Ends in groups from which the way on is the same."""
        groups: dict[_End, list[_End]] = {}
        for vertex, position in ends:
            key = self._graph.leaving(vertex), position
            groups.setdefault(key, []).append((vertex, position))
        return list(groups.values())

    def _staying(
        self, states: Sequence[_State], ends: Sequence[_End]
    ) -> Iterator[tuple[Columns, int, int]]:
        """What every pair takes that lies ahead on one vertex, its state and its end."""
        for source, (vertex, start, spent, _, _) in enumerate(states):
            for target, (end_vertex, end) in enumerate(ends):
                if vertex == end_vertex and start.fraction <= end.fraction:
                    ahead = (
                        part_cost(whole, end.fraction) - part_cost(whole, start.fraction)
                        for whole in columns_of(self._metric, end.arc)
                    )
                    yield Columns(*map(add, spent, ahead)), source, target

    def _turned(self, states: Sequence[_State]) -> list[_State]:
        """The same places in the other direction, where that is open."""
        return [
            _State(arc ^ 1, Position(arc ^ 1, 1 - fraction), state.spent, state, None)
            for state in states
            for arc, fraction in [state.position]
            if self._metric.weight[arc ^ 1] < INF
        ]


def _stretches(last: _State) -> list[Stretch]:
    """The parts of the way to a state, from the beginning."""
    found = []
    state: _State | None = last
    while state is not None:
        if state.stretch is not None:
            found.append(state.stretch)
        state = state.before
    return found[::-1]
