"""The best route over several points, exact over all ways to pass each of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from gis.arrays import INF, U32, freeze
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.search.seeds import (
    Path,
    Place,
    Position,
    Seeds,
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

    ``cost`` is that of the cheapest way here, ``stretch`` its last part and ``before`` the state
    that it starts from; no stretch if only the direction was changed.
    """

    vertex: int
    position: Position
    cost: int
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
        cost is carried for each vertex on which the point can be reached, and only where none of
        them leads on, it may turn around. Otherwise the way on is free to begin at any position.
        Raises ``BrokenChainError`` where there is no way from one point to the next.
        """
        states = [_State(p.arc, p, 0, None, None) for p in points[0]]
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
                states = [_State(p.arc, p, best.cost, best, None) for p in targets]
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
        least = min(state.cost for state in states)
        sources = [Place(s.vertex, s.position.fraction, s.cost - least) for s in states]
        targets = [Place(vertex, position.fraction) for vertex, position in ends]
        path = self._search(
            source_seeds(self._graph, self._metric, sources),
            target_seeds(self._graph, self._metric, targets),
        )
        cost, source, target = least + path.cost, path.source, path.target
        arcs = self._graph.vertex_arc[path.vertices]
        stay = min(self._staying(states, ends), default=None)
        if stay is not None and stay[0] <= cost:
            cost, _, source, target = stay
            arcs = arcs[:0]
        elif path.cost == INF:
            return None
        before = states[source]
        vertex, position = ends[target]
        arcs = np.concatenate([np.array([before.position.arc], np.uint32), arcs])
        stretch = Stretch(
            cost - before.cost, freeze(arcs), before.position, position, before.vertex, vertex
        )
        return _State(self._graph.leaving(vertex), position, cost, before, stretch)

    def _by_vertex_left(self, ends: Iterable[_End]) -> list[list[_End]]:
        """Ends in groups from which the way on is the same."""
        groups: dict[_End, list[_End]] = {}
        for vertex, position in ends:
            key = self._graph.leaving(vertex), position
            groups.setdefault(key, []).append((vertex, position))
        return list(groups.values())

    def _staying(
        self, states: Sequence[_State], ends: Sequence[_End]
    ) -> Iterator[tuple[int, int, int, int]]:
        """Cost, length, state and end of every pair that lies ahead on one vertex."""
        for source, (vertex, start, cost, _, _) in enumerate(states):
            for target, (end_vertex, end) in enumerate(ends):
                if vertex == end_vertex and start.fraction <= end.fraction:
                    ahead, length_cm = (
                        part_cost(int(column[end.arc]), end.fraction)
                        - part_cost(int(column[end.arc]), start.fraction)
                        for column in (self._metric.weight, self._metric.length_cm)
                    )
                    yield cost + ahead, length_cm, source, target

    def _turned(self, states: Sequence[_State]) -> list[_State]:
        """The same places in the other direction, where that is open."""
        return [
            _State(arc ^ 1, Position(arc ^ 1, 1 - fraction), state.cost, state, None)
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
