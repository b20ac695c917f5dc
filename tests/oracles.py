"""Slow and plain answers to check the fast ones against; nothing here uses the code it checks."""

import heapq
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np

V = TypeVar("V", bound=Hashable)
Path = tuple[int, ...]

INF = 2**31 - 1


class Graph(Protocol):
    """The arrays of a turn graph."""

    first_turn: np.ndarray
    turn_head: np.ndarray
    turn_cost: np.ndarray
    vertex_arc: np.ndarray


def naive_dijkstra(
    steps: Callable[[V], Iterable[tuple[V, int]]], sources: Iterable[tuple[V, int]]
) -> dict[V, int]:
    """Least costs from the sources to everything that costs less than INF."""
    cost: dict[V, int] = {}
    queue = [(label, number, vertex) for number, (vertex, label) in enumerate(sources)]
    heapq.heapify(queue)
    n_pushed = len(queue)
    while queue:
        label, _, vertex = heapq.heappop(queue)
        if vertex in cost or label >= INF:
            continue
        cost[vertex] = label
        for neighbour, length in steps(vertex):
            heapq.heappush(queue, (label + length, n_pushed, neighbour))
            n_pushed += 1
    return cost


def turn_steps(
    graph: Graph, weight: Sequence[int], backward: bool = False
) -> Callable[[int], list[tuple[int, int]]]:
    """Steps from vertex to vertex: leave a vertex's arc behind, then turn; or the same reversed."""
    steps: dict[int, list[tuple[int, int]]] = {}
    for tail, head, cost in turns_of(graph):
        length = int(weight[int(graph.vertex_arc[tail])]) + cost
        if backward:
            steps.setdefault(head, []).append((tail, length))
        else:
            steps.setdefault(tail, []).append((head, length))
    return lambda vertex: steps.get(vertex, [])


def turns_of(graph: Graph) -> list[tuple[int, int, int]]:
    """Every turn as tail, head and cost."""
    return [
        (tail, int(graph.turn_head[turn]), int(graph.turn_cost[turn]))
        for tail in range(len(graph.vertex_arc))
        for turn in range(int(graph.first_turn[tail]), int(graph.first_turn[tail + 1]))
    ]


def naive_route_cost(
    graph: Graph, weight: Sequence[int], source: tuple[int, int], target: tuple[int, int]
) -> int:
    """Cost from a point of an arc to another, given as (arc, cost from its tail); INF: no way.

    Moves along the arcs in the smallest steps there are, so it knows nothing of labels.
    """
    turns: dict[int, list[tuple[int, int]]] = {}
    for tail, head, cost in turns_of(graph):
        turns.setdefault(tail, []).append((head, cost))

    def steps(place: tuple[int, int]) -> list[tuple[tuple[int, int], int]]:
        vertex, gone = place
        if gone < int(weight[int(graph.vertex_arc[vertex])]):
            return [((vertex, gone + 1), 1)]
        return [((head, 0), cost) for head, cost in turns.get(vertex, [])]

    cost = naive_dijkstra(steps, [(source, 0)])
    arc, gone = target
    copies = [v for v in range(len(graph.vertex_arc)) if int(graph.vertex_arc[v]) == arc]
    return min((cost[v, gone] for v in copies if (v, gone) in cost), default=INF)


def path_cost(graph: Graph, weight: Sequence[int], vertices: Sequence[int]) -> int:
    """Cost from the start of the first vertex's arc to the start of the last's.

    KeyError if a step is no turn.
    """
    cost = {(tail, head): cost for tail, head, cost in turns_of(graph)}
    return sum(
        int(weight[int(graph.vertex_arc[tail])]) + cost[tail, head]
        for tail, head in pairwise(vertices)
    )


def reachable(steps: Mapping[V, Iterable[V]], start: Iterable[V]) -> set[V]:
    """Everything that can be reached, the start included."""
    reached = set(start)
    waiting = list(reached)
    while waiting:
        for neighbour in steps.get(waiting.pop(), ()):
            if neighbour not in reached:
                reached.add(neighbour)
                waiting.append(neighbour)
    return reached


def allowed_walks(
    n_steps: int,
    following: Mapping[int, Sequence[int]],
    forbidden: Iterable[Path],
    demanded: Iterable[Path],
) -> set[Path]:
    """All walks of ``n_steps`` arcs or fewer that obey every restriction, read literally.

    ``following`` gives the arcs that may follow an arc when nothing is restricted. A walk must
    not contain a forbidden path, and wherever it contains a demanded path but for the last arc
    and goes on, it must go on as that path does or as another that begins alike. What is both
    demanded and forbidden is forbidden only.
    """

    def possible(path: Path) -> bool:
        return all(b in following.get(a, ()) for a, b in pairwise(path))

    no = [path for path in forbidden if possible(path)]
    only = [path for path in demanded if possible(path) and path not in no]

    def may_follow(walk: Path, arc: int) -> bool:
        longer = (*walk, arc)
        if any(longer[-len(path) :] == path for path in no):
            return False
        begun = [path for path in only if walk[-len(path) + 1 :] == path[:-1]]
        return all(
            any(other[-1] == arc for other in begun if other[:-1] == path[:-1]) for path in begun
        )

    walks: set[Path] = set()
    frontier: list[Path] = [(arc,) for arc in following]
    for _ in range(n_steps):
        walks.update(frontier)
        frontier = [
            (*walk, arc)
            for walk in frontier
            for arc in following[walk[-1]]
            if may_follow(walk, arc)
        ]
    return walks
