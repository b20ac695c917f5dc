import heapq
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from graphs import make_graph, make_metric
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INF, freeze
from routing.cch.customize import Customizer
from routing.cch.hierarchy import build_hierarchy
from routing.cch.query import new_state, run_query
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.search.chain import BrokenChainError, ChainFinder, Stretch
from routing.search.dijkstra import SearchState, dijkstra
from routing.search.seeds import Position, part_cost

Points = list[list[Position]]
Chain = list[Stretch]


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


def find(graph: TurnGraph, metric: Metric, points: Points, straight: bool) -> Chain:
    search = partial(dijkstra, SearchState(graph), graph, metric)
    return ChainFinder(search, graph, metric).find(points, straight)


def find_all_columns(graph: TurnGraph, metric: Metric, points: Points, straight: bool) -> Chain:
    """A chain by the hierarchy, which decides by all columns."""
    hierarchy = build_hierarchy(graph, freeze(np.arange(graph.n_vertices, dtype=np.uint32)))
    weights = Customizer.of(graph, hierarchy).customize(metric)
    search = partial(run_query, new_state(hierarchy), hierarchy, weights)
    return ChainFinder(search, graph, metric).find(points, straight)


def turns_of(graph: TurnGraph, vertex: int) -> Iterator[tuple[int, int]]:
    for i in range(int(graph.first_turn[vertex]), int(graph.first_turn[vertex + 1])):
        yield int(graph.turn_head[i]), int(graph.turn_cost[i])


def naive_cost(
    graph: TurnGraph, metric: Metric, points: Points, straight: bool
) -> tuple[int, ...] | None:
    """Dijkstra's search over places on vertices, once for every number of points passed.

    What the columns of the metric hold of the best chain: they decide in their order.
    """
    columns = columns_of(metric)
    nothing = (0,) * len(columns)
    turn_counts = 1, int(metric.has_durations), *nothing[2:]
    cuts: dict[int, list[float]] = {}
    for arc in range(len(metric.weight)):
        on_arc = {p.fraction for point in points for p in point if p.arc == arc}
        cuts[arc] = sorted({0.0, 1.0} | on_arc)

    def moves(
        passed: int, vertex: int, cut: int
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, int, int]]]:
        arc = int(graph.vertex_arc[vertex])
        here = cuts[arc][cut]
        if Position(arc, here) in points[passed]:
            yield nothing, (passed + 1, graph.leaving(vertex), cut)
            if not straight and passed < len(points) - 1:
                for other in points[passed]:
                    yield nothing, (passed + 1, other.arc, cuts[other.arc].index(other.fraction))
        if cut + 1 < len(cuts[arc]):
            ahead = cuts[arc][cut + 1]
            driven = (part_cost(c[arc], ahead) - part_cost(c[arc], here) for c in columns)
            yield tuple(driven), (passed, vertex, cut + 1)
        else:
            for head, cost in turns_of(graph, vertex):
                yield tuple(cost * counts for counts in turn_counts), (passed, head, 0)

    queue = [(nothing, (1, p.arc, cuts[p.arc].index(p.fraction))) for p in points[0]]
    done = set()
    while queue:
        cost, place = heapq.heappop(queue)
        if place[0] == len(points):
            return cost
        if place not in done:
            done.add(place)
            for more, next_place in moves(*place):
                total = tuple(map(sum, zip(cost, more, strict=True)))
                heapq.heappush(queue, (total, next_place))
    return None


def columns_of(metric: Metric) -> list[list[int]]:
    """The weights, the second and, if there is one, the third column."""
    third = [metric.third.tolist()] if metric.has_durations else []
    return [metric.weight.tolist(), metric.second.tolist(), *third]


def columns_along(metric: Metric, chain: Chain) -> tuple[int, ...]:
    """What the columns hold of a chain; what it costs beyond its arcs are its turns."""
    total = [0] * len(columns_of(metric))
    for stretch in chain:
        arcs = stretch.arcs.tolist()
        for k, column in enumerate(columns_of(metric)):
            total[k] += sum(column[arc] for arc in arcs[:-1])
            total[k] += part_cost(column[arcs[-1]], stretch.end.fraction)
            total[k] -= part_cost(column[arcs[0]], stretch.start.fraction)
    turns = sum(stretch.cost for stretch in chain) - total[0]
    return total[0] + turns, total[1] + turns * metric.has_durations, *total[2:]


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
        assert sum(stretch.cost for stretch in chain) == expected[0]


@given(questions(), st.booleans(), st.integers(0, 2**32 - 1))
def test_columns_are_the_least(
    question: tuple[TurnGraph, Metric, Points], straight: bool, seed: int
) -> None:
    """Of chains alike in weight it is the one with the least of the others, over all its points."""
    graph, metric, points = question
    rng = np.random.default_rng(seed)
    n = len(metric.weight)
    weight = np.minimum(metric.weight, rng.choice([1, 2, INF], n, p=[0.5, 0.4, 0.1]))
    weight = np.where(metric.weight < INF, weight, INF)
    columns = [weight, rng.choice([0, 1, 7], n)]
    if rng.random() < 0.7:
        columns.append(np.where(weight < INF, rng.choice([1, 2, 3], n), INF))
    metric = Metric(*(freeze(column.astype(np.uint32)) for column in columns))
    expected = naive_cost(graph, metric, points, straight)
    if expected is None:
        return
    chain = find_all_columns(graph, metric, points, straight)
    assert columns_along(metric, chain) == expected


def test_of_ways_alike_the_faster_counts() -> None:
    """Two roads of one weight lead to a point: the faster, longer one is taken.

    So it is if one of them is a single arc and the other is turned into, and where that shows only
    from where the route began: arcs 0 and 1 are the two directions
    of the via's road, and the way to 1 takes less time.
    """
    metric = make_metric([7, INF, 7, INF], [4, 0, 5, 0])
    metric = replace(metric, own_duration_cs=freeze(np.array([9, INF, 8, INF], np.uint32)))
    ends = [[Position(arc, fraction) for arc in (0, 2)] for fraction in (0.0, 1.0)]
    (stretch,) = find_all_columns(make_graph([0, 1, 2, 3], []), metric, ends, straight=True)
    assert stretch.arcs.tolist() == [2]

    metric = make_metric([7, INF, 7, INF, 1, INF])
    metric = replace(metric, own_duration_cs=freeze(np.array([9, INF, 8, INF, 1, INF], np.uint32)))
    ends = [[Position(0, 0.0), Position(4, 1.0)], [Position(0, 1.0), Position(2, 1.0)]]
    graph = make_graph(list(range(6)), [(4, 2, 0)])
    (stretch,) = find_all_columns(graph, metric, ends, straight=True)
    assert stretch.arcs.tolist() == [4, 2]

    metric = make_metric([10, 10, 2, INF, 4, INF, 3, INF, 3, INF])
    for faster in (0, 1):
        own = [10, 10, 2, INF, 4, INF, 3 - (faster == 0), INF, 3 - (faster == 1), INF]
        liked = replace(metric, own_duration_cs=freeze(np.array(own, np.uint32)))
        turns = [(2, 6, 0), (2, 8, 0), (6, 0, 0), (8, 1, 0), (0, 4, 0), (1, 4, 0)]
        graph = make_graph(list(range(10)), turns)
        via = [Position(0, 0.5), Position(1, 0.5)]
        points = [[Position(2, 0.0)], via, [Position(4, 0.0)]]
        chain = find_all_columns(graph, liked, points, straight=True)
        assert chain[0].end.arc == faster


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
