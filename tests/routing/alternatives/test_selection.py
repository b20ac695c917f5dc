"""Alternative routes: each is what it claims to be, and those that are obvious are found."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path as FilePath

import graphs
import numpy as np
import pytest
from graphs import SearchWorld, lattice_worlds, search_worlds
from hierarchies import (
    Key,
    Prepared,
    Row,
    key_of_row,
    key_steps,
    least_keys,
    prepare,
    prepared_worlds,
    seeds_of,
    sum_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from world import World, spell_arcs

from gis.arrays import INF, INVALID, freeze
from gis.network.build import build_network
from gis.osm.read import read_osm
from gis.profiles.registry import apply_profile, get_profile, tag_selection
from routing.alternatives.selection import AlternativeLimits, find_alternatives
from routing.cch.customize import Customizer
from routing.cch.hierarchy import build_hierarchy, vertices_beside_arcs
from routing.cch.query import QueryState, new_state
from routing.cch.weights import INF_COST
from routing.graph.turn_graph import TurnGraph, build_turn_graph
from routing.metric import DistanceMetric, Metric, duration_metric
from routing.order.nested_dissection import arc_order
from routing.order.plane_graph import plane_graph_of
from routing.search.dijkstra import SearchState, dijkstra, shortest_path_tree
from routing.search.seeds import Path, Place, Seeds, source_seeds, target_seeds

Rows = Sequence[Row | tuple[int, int, int]]
Turns = Mapping[int, list[tuple[int, Key]]]
Steps = list[tuple[object, int]]
"""Steps of a route with their costs: from vertex to vertex, and from and to its places."""


class Judge:
    """What must hold of alternatives between two ends, found out without a hierarchy."""

    def __init__(self, turns: Turns, sources: Rows, targets: Rows) -> None:
        self.turns, self.sources, self.targets = turns, sources, targets
        self.keys_from = cache(self._keys_from)

    def _keys_from(self, vertex: int) -> dict[int, Key]:
        return least_keys(self.turns, [(vertex, (0, 0, 0))])

    def costs_near(self, vertex: int, most: int) -> Callable[[int], int]:
        """Costs from a vertex to others; too much is any number above ``most``."""
        keys = self.keys_from(vertex)
        return lambda other: keys[other][0] if other in keys else most + 1

    def least_costs(self) -> tuple[Callable[[int], int], Callable[[int], int]]:
        """Costs from the sources to vertices that can be reached, and from there to the targets."""
        best = least_keys(self.turns, [(row[0], key_of_row(row)) for row in self.sources])

        def onward(vertex: int) -> int:
            keys = self.keys_from(vertex)
            return min(keys[v][0] + cost for v, cost, *_ in self.targets if v in keys)

        return lambda vertex: best[vertex][0], onward

    def steps(self, vertices: list[int]) -> Steps:
        """Every step of a route with its cost; KeyError if one is no turn."""
        first = min(row[1:] for row in self.sources if row[0] == vertices[0])
        last = min(row[1:] for row in self.targets if row[0] == vertices[-1])
        turns = [((a, b), dict(self.turns[a])[b][0]) for a, b in pairwise(vertices)]
        return [(("from", vertices[0]), first[0]), *turns, ((vertices[-1], "to"), last[0])]

    def is_optimal(self, vertices: list[int], most: int, beyond: bool = False) -> bool:
        """Whether all pieces that cost at most so much are cheapest paths.

        With ``beyond`` those too that do so without their first and last turn.
        """
        turns = [cost for _, cost in self.steps(vertices)[1:-1]]
        for i, vertex in enumerate(vertices):
            cost_to = self.costs_near(vertex, most)
            for j in range(i + 1, len(vertices)):
                inner = turns[i + 1 : j - 1] if beyond else turns[i:j]
                if sum(inner) > most:
                    break
                if cost_to(vertices[j]) != sum(turns[i:j]):
                    return False
        return True

    def is_different(
        self, route: Steps, optimum: Steps, chosen: Sequence[Steps], limits: AlternativeLimits
    ) -> bool:
        """Whether stretch and sharing keep to the limits."""
        best = cost_of(optimum)
        alike = cost_of(set(route) & set(optimum))
        shared = cost_of(set(route) & {step for other in chosen for step in other})
        detour, avoided = cost_of(route) - alike, best - alike
        return shared <= int(limits.sharing * best) and detour <= (1 + limits.stretch) * avoided

    def check(self, paths: list[Path], limits: AlternativeLimits) -> None:
        """Each path is a route of its cost, and all but the first are alternatives."""
        routes = [self.steps(path.vertices.tolist()) for path in paths]
        for index, (path, route) in enumerate(zip(paths, routes, strict=True)):
            assert path.cost == cost_of(route)
            if index == 0:
                continue
            vertices = path.vertices.tolist()
            assert len(set(vertices)) == len(vertices)
            assert set(route) - {step for other in routes[:index] for step in other}
            assert self.is_different(route, routes[0], routes[:index], limits)
            assert paths[0].cost <= path.cost <= (1 + limits.stretch) * paths[0].cost
            assert self.is_optimal(vertices, int(limits.optimality * paths[0].cost))
            assert self.is_via_path(vertices)

    def is_via_path(self, vertices: list[int]) -> bool:
        """Whether one vertex divides the route into two cheapest paths."""
        route = [cost for _, cost in self.steps(vertices)]
        there, onward = self.least_costs()
        return any(
            there(vertex) == sum(route[: i + 1]) and onward(vertex) == sum(route[i + 1 :])
            for i, vertex in enumerate(vertices)
        )


class MapJudge(Judge):
    """The same for maps that plain Python is too slow for."""

    def __init__(self, ground: tuple[TurnGraph, Metric, Turns], ends: tuple[Seeds, Seeds]) -> None:
        super().__init__(ground[2], rows_of(ends[0]), rows_of(ends[1]))
        self.graph, self.metric, self.ends = ground[0], ground[1], ends
        self.state = SearchState(self.graph)

    def costs_near(self, vertex: int, most: int) -> Callable[[int], int]:
        seeds = seeds_of([(vertex, 0, 0)])
        found, _ = shortest_path_tree(self.state, self.graph, self.metric, seeds, limit=most + 1)
        return lambda other: int(found[other])

    def least_costs(self) -> tuple[Callable[[int], int], Callable[[int], int]]:
        there, onward = (
            shortest_path_tree(self.state, self.graph, self.metric, seeds, backward)[0]
            for seeds, backward in zip(self.ends, (False, True), strict=True)
        )
        return lambda vertex: int(there[vertex]), lambda vertex: int(onward[vertex])


def rows_of(seeds: Seeds) -> Rows:
    columns = (column.tolist() for column in seeds[:4])
    return list(zip(*columns, strict=True))


def cost_of(route: Iterable[tuple[object, int]]) -> int:
    return sum(cost for _, cost in route)


def is_clean(state: QueryState) -> bool:
    return all(bool((side.label == INF_COST).all()) for side in (state.forward, state.backward))


def check_case(
    prepared: Prepared, sources: Rows, targets: Rows, limits: AlternativeLimits
) -> list[Path]:
    """Find up to three alternatives, which must be ones."""
    _, graph, metric = prepared.world
    weights = prepared.customizer.customize(metric, 1)
    state = new_state(prepared.hierarchy)
    ends = seeds_of(sources), seeds_of(targets)

    def find(number: int) -> list[Path]:
        paths = find_alternatives(state, prepared.hierarchy, weights, *ends, number, limits)
        assert is_clean(state) and len(paths) <= number + 1
        return paths

    paths = find(3)
    expected = dijkstra(SearchState(graph), graph, metric, *ends)
    assert [path.cost for path in paths[:1]] == [expected.cost] * (expected.cost < INF)
    for number in range(3):
        for path, same in zip(find(number), paths[: number + 1], strict=True):
            assert path.cost == same.cost and np.array_equal(path.vertices, same.vertices)
    for path in paths:
        assert sources[path.source][0] == path.vertices[0]
        assert targets[path.target][0] == path.vertices[-1]
    if paths:
        Judge(key_steps(graph, metric), sources, targets).check(paths, limits)
    return paths


limits_of_any_kind = st.builds(
    AlternativeLimits,
    st.sampled_from([0.0, 0.5, 0.8, 1.0]),
    st.sampled_from([0.0, 0.1, 0.25, 0.6]),
    st.sampled_from([0.0, 0.25, 2.0]),
    st.sampled_from([1, 3, 100]),
)


@settings(max_examples=100)
@given(prepared_worlds(search_worlds(max_weight=30)), limits_of_any_kind, st.data())
def test_small_worlds(prepared: Prepared, limits: AlternativeLimits, data: st.DataObject) -> None:
    """In worlds with loops, one-ways and restrictions, with several seeds and any limits."""
    n = len(prepared.order)
    if not n:
        return
    row = st.tuples(st.integers(0, n - 1), st.integers(0, 9), st.sampled_from([0, 4]))
    rows = st.lists(row, max_size=3)
    check_case(prepared, data.draw(rows), data.draw(rows), limits)


@settings(max_examples=15)
@given(search_worlds(max_weight=40, of=lattice_worlds(8)), st.integers(0, 2**32 - 1))
def test_in_town(world: SearchWorld, seed: int) -> None:
    """In towns, where there are many ways."""
    rng = np.random.default_rng(seed)
    prepared = prepare(world, seed)
    everywhere = np.flatnonzero(np.diff(world.graph.first_turn))
    for _ in range(4):
        rows = [
            [(int(v), int(rng.integers(9)), 0) for v in rng.choice(everywhere, n)]
            for n in rng.integers(1, 3, 2)
        ]
        check_case(prepared, *rows, AlternativeLimits())


@settings(max_examples=15)
@given(lattice_worlds(8), st.integers(0, 2**32 - 1))
def test_good_candidates_are_not_missed(world: graphs.World, seed: int) -> None:
    """If a vertex above either end has a via path that keeps to more than the limits, one is found.

    Lengths make all cheapest paths unique. Twice the window is what the test asks for that proves
    pieces of its size cheapest.
    """
    rng = np.random.default_rng(seed)
    town = distinct(world, rng)
    prepared = prepare(town, seed)
    limits = AlternativeLimits(most_candidates=10**6)
    everywhere = np.flatnonzero(np.diff(town.graph.first_turn))
    for _ in range(4):
        source, target = ([(int(v), 0, 0)] for v in rng.choice(everywhere, 2))
        paths = check_case(prepared, source, target, limits)
        if not paths:
            continue
        judge = Judge(key_steps(town.graph, town.metric), source, target)
        optimum = judge.steps(paths[0].vertices.tolist())
        window = int(limits.optimality * paths[0].cost)
        for via in vertices_above(prepared, [source[0][0], target[0][0]]):
            vertices = via_path(judge, source[0][0], via, target[0][0])
            if len(set(vertices)) < len(vertices) or not vertices:
                continue
            route = judge.steps(vertices)
            may_be = judge.is_different(route, optimum, [optimum], limits)
            if may_be and judge.is_optimal(vertices, 2 * window, beyond=True):
                assert len(paths) > 1
                break


def distinct(world: graphs.World, rng: np.random.Generator) -> SearchWorld:
    """A town with weights that differ a little, lengths that differ much, and free turns."""
    network, verdicts = world
    open_arc = duration_metric(network, verdicts).open_arc
    weight = np.where(open_arc, rng.integers(80, 120, len(open_arc)), INF)
    length_cm = rng.integers(0, 10**6, len(open_arc))
    metric = DistanceMetric(freeze(weight.astype(np.uint32)), freeze(length_cm.astype(np.uint32)))
    return SearchWorld(network, build_turn_graph(network, verdicts, open_arc), metric)


def vertices_above(prepared: Prepared, vertices: Sequence[int]) -> list[int]:
    found = set()
    for vertex in vertices:
        x = int(prepared.hierarchy.rank[vertex])
        while x != INVALID:
            found.add(int(prepared.hierarchy.vertex[x]))
            x = int(prepared.hierarchy.parent[x])
    return sorted(found)


def via_path(judge: Judge, source: int, via: int, target: int) -> list[int]:
    """The cheapest path from vertex to vertex to vertex, or nothing."""
    if via not in judge.keys_from(source) or target not in judge.keys_from(via):
        return []
    return [*cheapest(judge, source, via), *cheapest(judge, via, target)[1:]]


def cheapest(judge: Judge, source: int, target: int) -> list[int]:
    """The one cheapest path, found from its end."""
    keys, path = judge.keys_from(source), [target]
    while path[-1] != source:
        here = path[-1]
        path += [
            v
            for v, out in judge.turns.items()
            if v in keys and any(w == here and sum_of(keys[v], key) == keys[w] for w, key in out)
        ]
    return path[::-1]


RIVER = """
    x-----------y
    |           |
    |           |
r-s-a-----------d-t-u
    |           |
    b-----------c
    |           |
    |           |
    |           |
    e-----------f
"""
LETTERS = ("rs", "sa", "ad", "abc", "cd", "be", "ef", "fc", "ax", "xy", "yd", "dt", "tu")
ROADS = "\n".join(f"{way} highway=primary" for way in LETTERS)


class Drawn:
    """A drawn world whose bridges are eliminated last, so that they are above everything."""

    def __init__(self, drawing: str, ways: str, bridges: Sequence[str]) -> None:
        world = World(drawing, ways)
        network, _ = world.network()
        (verdicts,) = world.verdicts()
        self.metric = duration_metric(network, verdicts)
        self.graph = build_turn_graph(network, verdicts, self.metric.open_arc)
        self.names = spell_arcs(network)
        late = [name in bridges or name[::-1] in bridges for name in self.names]
        order = freeze(np.argsort(late, kind="stable").astype(np.uint32))
        self.hierarchy = build_hierarchy(self.graph, order)
        self.weights = Customizer.of(self.graph, self.hierarchy).customize(self.metric)

    def ends(self, source: str, target: str) -> tuple[Seeds, Seeds]:
        """From the start of an arc to the end of another."""
        start, end = Place(self.names.index(source), 0.0), Place(self.names.index(target), 1.0)
        return (
            source_seeds(self.graph, self.metric, [start]),
            target_seeds(self.graph, self.metric, [end]),
        )

    def paths(
        self, ends: tuple[Seeds, Seeds], number: int, limits: AlternativeLimits
    ) -> list[Path]:
        state = new_state(self.hierarchy)
        return find_alternatives(state, self.hierarchy, self.weights, *ends, number, limits)

    def find(self, source: str, target: str, number: int, limits: AlternativeLimits) -> list[str]:
        """The routes, as the arcs they pass."""
        paths = self.paths(self.ends(source, target), number, limits)
        return ["-".join(self.names[v] for v in path.vertices.tolist()) for path in paths]


def test_bridges() -> None:
    """The next bridges up and down the river are alternatives; the one beyond is too far."""
    town = Drawn(RIVER, ROADS, ["bc", "xy", "ad", "ef"])
    straight, down, up = "sa-ad-dt-tu", "sa-ab-bc-cd-dt-tu", "sa-ax-xy-yd-dt-tu"
    limits = AlternativeLimits(stretch=0.5)
    assert town.find("rs", "tu", 0, limits) == [straight]
    assert town.find("rs", "tu", 1, limits) == [straight, down]
    assert town.find("rs", "tu", 9, limits) == [straight, down, up]


def test_optimality() -> None:
    """However large pieces must be cheapest paths, they are; the larger, the fewer routes.

    The way over ef is tried with every window, so also with those about which it depends.
    """
    town = Drawn(RIVER, ROADS, ["bc", "xy", "ad", "ef"])
    ends = town.ends("rs", "tu")
    judge = Judge(key_steps(town.graph, town.metric), rows_of(ends[0]), rows_of(ends[1]))
    numbers = []
    for part in np.linspace(0, 1, 201).tolist():
        limits = AlternativeLimits(optimality=part, stretch=0.9, sharing=1.0)
        paths = town.paths(ends, 9, limits)
        judge.check(paths, limits)
        numbers.append(len(paths))
    assert numbers[0] == 4 and numbers[-1] == 1 and sorted(numbers, reverse=True) == numbers


def test_many_vertices() -> None:
    """An alternative may have far more vertices than the optimum."""
    town = Drawn(RIVER, ROADS, ["bc", "xy", "ad", "ef"])
    routes = town.find("sa", "dt", 9, AlternativeLimits(stretch=1.5))
    assert routes[0] == "ad-dt" and routes[-1] == "ab-be-ef-fc-cd-dt"


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (AlternativeLimits(stretch=0.2), []),
        (AlternativeLimits(stretch=0.3), ["bc"]),
        (AlternativeLimits(stretch=0.5), ["bc", "xy"]),
        (AlternativeLimits(stretch=0.9), ["bc", "xy", "ef"]),
        (AlternativeLimits(stretch=0.9, sharing=0.51), ["bc", "xy", "ef"]),
        (AlternativeLimits(stretch=0.9, sharing=0.49), ["bc", "xy"]),
        (AlternativeLimits(stretch=0.9, sharing=0.31), ["bc", "xy"]),
        (AlternativeLimits(stretch=0.9, sharing=0.29), []),
        (AlternativeLimits(stretch=0.9, optimality=0.9), []),
        (AlternativeLimits(stretch=0.9, most_candidates=0), []),
    ],
)
def test_limits(limits: AlternativeLimits, expected: list[str]) -> None:
    """Each limit keeps something away."""
    town = Drawn(RIVER, ROADS, ["bc", "xy", "ad", "ef"])
    routes = town.find("rs", "tu", 9, limits)[1:]
    assert [next(x for x in expected if x in route.split("-")) for route in routes] == expected


RING = """
s--a-----b--t
   |     |
   x-----y
    |   |
      v
"""


def test_no_loops() -> None:
    """Over v, which is on a ring that may be driven in one direction, one would pass xy twice."""
    ways = [*["sa", "ab", "bt"], *(f"{way} oneway=yes" for way in ["ax", "xy", "yb", "yv", "vx"])]
    town = Drawn(RING, "\n".join(f"{way} highway=primary" for way in ways), ["ab", "xy", "yv"])
    limits = AlternativeLimits(sharing=1.0, optimality=0.0, stretch=99.0)
    assert town.find("sa", "bt", 3, limits) == ["ab-bt", "ax-xy-yb-bt"]


def test_no_way() -> None:
    """Without a way there is no route and no alternative."""
    town = Drawn(RIVER, "rs highway=primary\nad highway=primary\ntu highway=primary", ["ad"])
    assert town.find("rs", "tu", 2, AlternativeLimits()) == []


@pytest.mark.compiled
def test_porto(porto: FilePath) -> None:
    """On a real map there often is an alternative, and each is one."""
    car = get_profile("car")
    tables = read_osm(porto, tag_selection([car]))
    verdicts = apply_profile(car, tables.way_tags, tables.node_tags, tables.relation_tags)
    network, _ = build_network(tables, [verdicts])
    metric = duration_metric(network, verdicts)
    graph = build_turn_graph(network, verdicts, metric.open_arc)
    order = vertices_beside_arcs(freeze(arc_order(plane_graph_of(network))), graph)
    hierarchy = build_hierarchy(graph, order)
    weights = Customizer.of(graph, hierarchy).customize(metric)
    state, turns = new_state(hierarchy), key_steps(graph, metric)
    rng = np.random.default_rng(1)
    limits, n_pairs, n_found = AlternativeLimits(), 0, np.zeros(3)
    while n_pairs < 100:
        a, b = rng.choice(np.flatnonzero(metric.open_arc), 2).tolist()
        ends = (
            source_seeds(graph, metric, [Place(a, 0.5)]),
            target_seeds(graph, metric, [Place(b, 0.5)]),
        )
        paths = find_alternatives(state, hierarchy, weights, *ends, 3, limits)
        if not paths:
            continue
        n_pairs += 1
        n_found += np.arange(1, 4) < len(paths)
        if n_pairs <= 15:
            MapJudge((graph, metric, turns), ends).check(paths, limits)
    assert is_clean(state)
    assert (n_found / n_pairs > [0.6, 0.3, 0.1]).all()
