import heapq
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from graphs import make_graph, make_metric
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INF
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.search.chain import BrokenChainError, ChainFinder, Stretch
from routing.search.dijkstra import SearchState, dijkstra
from routing.search.seeds import Position, part_cost

Points = list[list[Position]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[TurnGraph, Metric]:
    """Small turn graphs with closed arcs, loops and vertices that share an arc.

    Of these some remember only until one stops there.
    """
    n_arcs = 2 * draw(st.integers(1, 4))
    weight = draw(
        st.lists(st.sampled_from([1, 2, 5, 9, 30, INF]), min_size=n_arcs, max_size=n_arcs)
    )
    is_open = [arc for arc in range(n_arcs) if weight[arc] < INF]
    copies = draw(st.lists(st.sampled_from(is_open), max_size=2)) if is_open else []
    vertex_arc = [*range(n_arcs), *sorted(copies)]
    alive = [v for v, arc in enumerate(vertex_arc) if arc in is_open]
    pairs = draw(
        st.lists(
            st.tuples(st.sampled_from(alive), st.sampled_from(alive)), max_size=20, unique=True
        )
        if alive
        else st.just([])
    )
    # As in a real graph, whatever may be done at a copy may be done at the arc itself.
    pairs = sorted({*pairs, *((vertex_arc[v], w) for v, w in pairs)})
    costs = draw(st.lists(st.integers(0, 12), min_size=n_arcs**2, max_size=n_arcs**2))
    turns = [(v, w, costs[vertex_arc[v] * n_arcs + vertex_arc[w]]) for v, w in pairs]
    leaves_as = [draw(st.sampled_from([v, vertex_arc[v]])) for v in range(n_arcs, len(vertex_arc))]
    return make_graph(vertex_arc, turns, leaves_as), make_metric(weight)


@st.composite
def questions(draw: st.DrawFn) -> tuple[TurnGraph, Metric, Points]:
    graph, metric = draw(graphs())
    arcs = np.flatnonzero(metric.weight < INF).tolist() or [0]
    position = st.builds(
        Position, st.sampled_from(arcs), st.sampled_from([0.0, 0.25, 0.3, 0.5, 0.9, 1.0])
    )
    point = st.lists(position, min_size=1, max_size=3, unique_by=lambda p: p.arc)
    return graph, metric, draw(st.lists(point, min_size=2, max_size=4))


def find(graph: TurnGraph, metric: Metric, points: Points, straight: bool) -> list[Stretch]:
    search = partial(dijkstra, SearchState(graph), graph, metric)
    return ChainFinder(search, graph, metric).find(points, straight)


def turns_of(graph: TurnGraph, vertex: int) -> Iterator[tuple[int, int]]:
    for i in range(int(graph.first_turn[vertex]), int(graph.first_turn[vertex + 1])):
        yield int(graph.turn_head[i]), int(graph.turn_cost[i])


def naive_cost(graph: TurnGraph, metric: Metric, points: Points, straight: bool) -> int | None:
    """Dijkstra's search over places on vertices, once for every number of points passed."""
    cuts: dict[int, list[float]] = {}
    for arc in range(len(metric.weight)):
        on_arc = {p.fraction for point in points for p in point if p.arc == arc}
        cuts[arc] = sorted({0.0, 1.0} | on_arc)

    def moves(passed: int, vertex: int, cut: int) -> Iterator[tuple[int, tuple[int, int, int]]]:
        arc = int(graph.vertex_arc[vertex])
        weight = int(metric.weight[arc])
        here = cuts[arc][cut]
        if Position(arc, here) in points[passed]:
            yield 0, (passed + 1, graph.leaving(vertex), cut)
            if not straight and passed < len(points) - 1:
                for other in points[passed]:
                    yield 0, (passed + 1, other.arc, cuts[other.arc].index(other.fraction))
        if cut + 1 < len(cuts[arc]):
            ahead = cuts[arc][cut + 1]
            yield part_cost(weight, ahead) - part_cost(weight, here), (passed, vertex, cut + 1)
        else:
            yield from ((cost, (passed, head, 0)) for head, cost in turns_of(graph, vertex))

    queue = [(0, (1, p.arc, cuts[p.arc].index(p.fraction))) for p in points[0]]
    done = set()
    while queue:
        cost, place = heapq.heappop(queue)
        if place[0] == len(points):
            return cost
        if place not in done:
            done.add(place)
            for more, next_place in moves(*place):
                heapq.heappush(queue, (cost + more, next_place))
    return None


def cost_of_arcs(graph: TurnGraph, metric: Metric, stretch: Stretch) -> int:
    """The least that a stretch can cost, driven along its arcs."""
    arcs = stretch.arcs.tolist()
    start, end = stretch.start, stretch.end
    if len(arcs) == 1:
        weight = int(metric.weight[arcs[0]])
        return part_cost(weight, end.fraction) - part_cost(weight, start.fraction)
    weight = int(metric.weight[arcs[0]])
    best = {
        v: weight - part_cost(weight, start.fraction)
        for v, arc in enumerate(graph.vertex_arc.tolist())
        if arc == arcs[0]
    }
    for arc in arcs[1:]:
        reached: dict[int, int] = {}
        for vertex, cost in best.items():
            for head, turn in turns_of(graph, vertex):
                if graph.vertex_arc[head] == arc:
                    reached[head] = min(reached.get(head, INF), cost + turn)
        best = {v: cost + int(metric.weight[arc]) for v, cost in reached.items()}
    last = int(metric.weight[arcs[-1]])
    return min(best.values()) - last + part_cost(last, end.fraction)


@given(questions(), st.booleans())
def test_cost_is_the_least(question: tuple[TurnGraph, Metric, Points], straight: bool) -> None:
    """A chain costs what a search over all places costs; it breaks only if there is no way."""
    graph, metric, points = question
    expected = naive_cost(graph, metric, points, straight)
    try:
        chain = find(graph, metric, points, straight)
    except BrokenChainError as error:
        assert expected is None and 0 <= error.leg < len(points) - 1
        return
    assert len(chain) == len(points) - 1
    if expected is None:  # it had to turn around
        assert straight and any(a.end.arc == b.start.arc ^ 1 for a, b in pairwise(chain))
    else:
        assert sum(stretch.cost for stretch in chain) == expected


@given(questions(), st.booleans())
def test_chain_is_what_it_says(question: tuple[TurnGraph, Metric, Points], straight: bool) -> None:
    """Stretches join at the points, follow turns of the graph, and cost what their arcs cost."""
    graph, metric, points = question
    try:
        chain = find(graph, metric, points, straight)
    except BrokenChainError:
        return
    for (a, b), stretch in zip(pairwise(points), chain, strict=True):
        assert stretch.end in b
        assert stretch.arcs[0] == stretch.start.arc and stretch.arcs[-1] == stretch.end.arc
        assert not stretch.arcs.flags.writeable
        places = {(p.arc >> 1, p.fraction if p.arc % 2 == 0 else 1 - p.fraction) for p in a}
        arc, fraction = stretch.start
        assert (arc >> 1, fraction if arc % 2 == 0 else 1 - fraction) in places
        assert stretch.cost >= cost_of_arcs(graph, metric, stretch)
    if straight:
        for before, after in pairwise(chain):
            assert after.start == before.end or after.start.arc == before.end.arc ^ 1


@given(questions())
def test_free_legs_are_routes_of_their_own(question: tuple[TurnGraph, Metric, Points]) -> None:
    """Without going straight on, a chain is the sum of its legs, each as if alone."""
    graph, metric, points = question
    try:
        chain = find(graph, metric, points, straight=False)
    except BrokenChainError as error:
        with pytest.raises(BrokenChainError):
            find(graph, metric, points[error.leg : error.leg + 2], straight=False)
        return
    for leg, stretch in enumerate(chain):
        (alone,) = find(graph, metric, points[leg : leg + 2], straight=True)
        assert stretch.cost == alone.cost


def test_greedy_choice_is_not_taken() -> None:
    """The nearest way to a via loses if the way on from there is worse.

    Arcs 0 and 1 are the two directions of the via's road, reached at 5 and at 9; from there the
    target costs 40 and 10.
    """
    weight = make_metric([10, 10, 2, INF, 4, INF])
    graph = make_graph([0, 1, 2, 3, 4, 5], [(2, 0, 0), (2, 1, 4), (0, 4, 35), (1, 4, 5)])
    via = [Position(0, 0.3), Position(1, 0.7)]
    chain = find(graph, weight, [[Position(2, 0.0)], via, [Position(4, 0.0)]], straight=True)
    assert [stretch.arcs.tolist() for stretch in chain] == [[2, 1], [1, 4]]
    assert [stretch.cost for stretch in chain] == [2 + 4 + 7, 3 + 5]
    free = find(graph, weight, [[Position(2, 0.0)], via, [Position(4, 0.0)]], straight=False)
    assert [stretch.arcs.tolist() for stretch in free] == [[2, 0], [1, 4]]


def test_turning_around_where_nothing_else_leads_on() -> None:
    """At a via from which no way leads on in either direction, the chain turns around."""
    metric = make_metric([10, 8, 4, INF, 6, INF])
    graph = make_graph([0, 1, 2, 3, 4, 5], [(2, 0, 1), (1, 4, 2)])
    points = [[Position(2, 0.0)], [Position(0, 0.25)], [Position(4, 0.5)]]
    chain = find(graph, metric, points, straight=True)
    assert [stretch.arcs.tolist() for stretch in chain] == [[2, 0], [1, 4]]
    assert chain[1].start == Position(1, 0.75) and chain[1].cost == 2 + 2 + 3


def test_restrictions_remember_across_a_via() -> None:
    """A via on the middle of a forbidden path does not make the path legal.

    Vertex 6 is arc 2 as entered from arc 0, from where arc 4 is forbidden.
    """
    metric = make_metric([10, INF, 10, INF, 10, INF])
    graph = make_graph([0, 1, 2, 3, 4, 5, 2], [(0, 6, 0), (2, 4, 0)])
    ends = [Position(0, 0.5)], [Position(4, 0.5)]
    for points in ([*ends], [ends[0], [Position(2, 0.5)], ends[1]]):
        with pytest.raises(BrokenChainError):
            find(graph, metric, points, straight=True)
    assert len(find(graph, metric, [[Position(2, 0.5)], ends[1]], straight=True)) == 1
