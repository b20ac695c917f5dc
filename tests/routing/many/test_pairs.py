"""Costs and paths between pairs of located points against a search that shares no code."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from engines import engine_of
from graphs import SearchWorld, lattice_worlds, search_worlds
from hierarchies import (
    Key,
    Prepared,
    key_steps,
    least_keys,
    packed,
    prepare,
    prepared_worlds,
    sum_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import turns_of
from world import World

from gis.arrays import INF, freeze
from gis.jit import plain_kernel
from gis.snap_index import SnapIndex
from gis.snap_search import SNAP
from routing.cch.hierarchy import Hierarchy
from routing.cch.query import QueryState, new_state
from routing.cch.weights import INF_COST, Weights
from routing.many.lines import Answers, find_pairs, new_costs, no_room
from routing.many.pairs import (
    Found,
    Seeding,
    cost_ahead,
    find_pair,
    part_of,
    seeding,
)
from routing.metric import Metric
from routing.places.positions import Positions
from routing.search.seeds import part_cost

Place = tuple[int, Fraction]
"""Arc and how far along it."""


class Point(NamedTuple):
    """The nearest positions of a point and, if these are on an island, those of the mainland."""

    nearest: list[Place]
    joined: list[Place]


class Asker:
    """Fast and slow answers about points in one world."""

    def __init__(self, prepared: Prepared, seed: int, n_points: int = 6) -> None:
        self.world, self.hierarchy = prepared.world, prepared.hierarchy
        _, graph, metric = self.world
        rng = np.random.default_rng(seed)
        n_arcs = len(metric.weight)
        self.component = rng.integers(0, 3, n_arcs).astype(np.uint32)
        self.seeding = seeding(graph, metric, freeze(self.component))
        self.weights = prepared.customizer.customize(metric, 1)
        self.steps = key_steps(graph, metric)
        self.points = [_random_point(rng, n_arcs) for _ in range(n_points)]
        self.positions = positions_of(self.points)
        self.turns: dict[int, list[tuple[int, int]]] = {}
        for tail, head, cost in turns_of(graph):
            self.turns.setdefault(tail, []).append((head, cost))

    def key(self, a: int, b: int) -> Key | None:
        """The slow answer: the key of the best route by the rules for islands."""
        near_a, near_b = self.points[a].nearest, self.points[b].nearest
        if self.is_on_island(a, b):
            best = self.best(near_a, near_b)
            if best is not None:
                return best
        return self.best(self.points[a].joined or near_a, self.points[b].joined or near_b)

    def is_on_island(self, a: int, b: int) -> bool:
        """Whether a route stays on an island: one of the ends is on one, and both on the same."""
        one, other = (
            {int(self.component[arc]) for arc, _ in self.points[point].nearest} for point in (a, b)
        )
        has_two = self.points[a].joined or self.points[b].joined
        return bool(has_two and one & other)

    def best(self, sources: Sequence[Place], targets: Sequence[Place]) -> Key | None:
        """The least key of a route from one of the places to another."""
        _, graph, metric = self.world
        found: list[Key] = []
        starts = []
        for arc, fraction in sources:
            whole = key_of(metric, arc)
            first = parts_of(whole, fraction)
            rest = whole[0] - first[0], whole[1] - first[1], whole[2] - first[2]
            for head, turn in self.turns.get(arc, []):
                starts.append((head, sum_of(rest, (turn, turn * metric.has_durations, 0))))
            for other, end in targets:
                if other == arc and end >= fraction and whole[0] < INF:
                    last = parts_of(whole, end)
                    found.append((last[0] - first[0], last[1] - first[1], last[2] - first[2]))
        reached = least_keys(self.steps, starts)
        for arc, fraction in targets:
            whole = key_of(metric, arc)
            vertices = np.flatnonzero(graph.vertex_arc == arc).tolist()
            before = [reached[vertex] for vertex in vertices if vertex in reached]
            if whole[0] < INF:
                found += [sum_of(key, parts_of(whole, fraction)) for key in before]
        best = min(found, default=None)
        return best if best is not None and best[0] < INF else None


def key_of(metric: Metric, arc: int) -> Key:
    """What a whole arc costs."""
    third = int(metric.third[arc]) if metric.has_durations else 0
    return int(metric.weight[arc]), int(metric.second[arc]), third


def parts_of(whole: Key, fraction: Fraction) -> Key:
    weight, second, third = (exact_part(number, fraction) for number in whole)
    return weight, second, third


def exact_part(whole: int, fraction: Fraction) -> int:
    """A part of a whole number, rounded half up."""
    return min(int(whole * fraction + Fraction(1, 2)), whole)


def _random_point(rng: np.random.Generator, n_arcs: int) -> Point:
    def places(most: int) -> list[Place]:
        if n_arcs == 0:
            return []
        return [
            (int(rng.integers(0, n_arcs)), Fraction(int(rng.integers(0, 9)), 8))
            for _ in range(int(rng.integers(0 if most == 1 else 1, most + 1)))
        ]

    return Point(places(3), places(3) if rng.random() < 0.4 else [])


def positions_of(points: Sequence[Point]) -> Positions:
    first, middle, stop, places = [], [], [], list[Place]()
    for nearest, joined in points:
        first.append(len(places))
        middle.append(len(places) + len(nearest))
        places += [*nearest, *joined]
        stop.append(len(places))
    ends = (np.array(column, np.int64) for column in (first, middle, stop))
    arc = np.array([arc for arc, _ in places], np.uint32)
    fraction = np.array([float(part) for _, part in places])
    return Positions(*ends, arc, fraction, np.empty(0, SNAP))


@plain_kernel
def find_one_pair(
    hierarchy: Hierarchy,
    weights: Weights,
    seeding: Seeding,
    state: QueryState,
    positions: Positions,
    pair: tuple[int, int],
) -> Found:
    """The way to `find_pair` from Python."""
    return find_pair(hierarchy, weights, seeding, state, positions, pair, True)


@cache
def roads() -> SnapIndex:
    """Roads that no route is on: only lines need them."""
    return engine_of(World("a-b", "ab highway=x"))._vehicles["plain"].weighting.ground.roads


def check_pairs(asker: Asker, state: QueryState) -> int:
    """All pairs at once cost what the slow search says; how many have a route."""
    n = len(asker.points)
    pairs = np.stack(np.meshgrid(np.arange(n), np.arange(n)), axis=-1).reshape(-1, 2)
    costs = new_costs(len(pairs))
    answers = Answers(*costs, np.empty(len(pairs), np.uint32), *no_room())
    arrays = asker.hierarchy, asker.weights, asker.seeding, roads(), state, asker.positions
    assert find_pairs(*arrays, freeze(pairs), answers) == len(pairs)
    keys = [asker.key(a, b) for a, b in pairs.tolist()]
    assert costs.cost.tolist() == [packed(key) for key in keys]
    assert costs.third.tolist() == [key[2] if key else 0 for key in keys]
    return int((costs.cost < INF_COST).sum())


def check_path(asker: Asker, state: QueryState, a: int, b: int) -> None:
    """A path leads from the position named to the other, by turns, for the cost."""
    arrays = asker.hierarchy, asker.weights, asker.seeding, state, asker.positions
    found = find_one_pair(*arrays, (a, b))
    key = asker.key(a, b)
    assert int(found.cost) == packed(key)
    assert int(found.third) == (key[2] if key else 0)
    if found.cost == INF_COST:
        assert (found.source, found.target, found.n_path) == (-1, -1, 0)
        return
    _, graph, metric = asker.world
    positions = asker.positions
    source, target = int(found.source), int(found.target)
    for chosen, point in ((source, a), (target, b)):
        assert positions.first[point] <= chosen < positions.stop[point]
    arcs = [int(positions.arc[place]) for place in (source, target)]
    parts = [Fraction(float(positions.fraction[place])) for place in (source, target)]
    vertices = state.path[: found.n_path].tolist()
    totals = []
    own = metric.has_durations
    columns = [(metric.weight, True), (metric.second, own), (metric.third, False)][: 2 + own]
    for column, with_turns in columns:
        whole = [int(column[arc]) for arc in arcs]
        if not vertices:
            assert arcs[0] == arcs[1] and parts[0] <= parts[1]
            totals.append(exact_part(whole[1], parts[1]) - exact_part(whole[0], parts[0]))
            continue
        total = whole[0] - exact_part(whole[0], parts[0])
        total += exact_part(whole[1], parts[1])
        tail = arcs[0]
        for vertex in vertices:
            turn = dict(asker.turns[tail])[vertex]
            total += turn * with_turns
            tail = vertex
        assert int(graph.vertex_arc[tail]) == arcs[1]
        total += sum(int(column[graph.vertex_arc[vertex]]) for vertex in vertices[:-1])
        totals.append(total)
    assert tuple(totals) == (key or ())[: 2 + own]


seeds = st.integers(0, 2**32 - 1)


@given(prepared_worlds(), seeds)
def test_pairs_in_random_worlds(prepared: Prepared, seed: int) -> None:
    """Restrictions, closed arcs, ties, several positions, islands: as the slow search says."""
    asker = Asker(prepared, seed)
    state = new_state(prepared.hierarchy)
    check_pairs(asker, state)
    for a in range(len(asker.points)):
        for b in range(len(asker.points)):
            check_path(asker, state, a, b)
    assert (state.forward.label == INF_COST).all() and (state.backward.label == INF_COST).all()


@settings(max_examples=15)
@given(search_worlds(1000, lattice_worlds(7)), seeds)
def test_pairs_in_a_town(world: SearchWorld, seed: int) -> None:
    """The same over longer ways."""
    asker = Asker(prepare(world, seed), seed, 8)
    state = new_state(asker.hierarchy)
    assert check_pairs(asker, state) > 0
    for point in range(1, len(asker.points)):
        check_path(asker, state, 0, point)


def test_all_kinds_of_pairs() -> None:
    """The worlds above have pairs on an island, apart from it, and where that leads nowhere."""
    kinds: set[tuple[bool, bool]] = set()

    @settings(database=None)
    @given(prepared_worlds(), seeds)
    def look(prepared: Prepared, seed: int) -> None:
        asker = Asker(prepared, seed)
        for a in range(3):
            for b in range(3):
                near = asker.best(asker.points[a].nearest, asker.points[b].nearest)
                kinds.add((asker.is_on_island(a, b), near is not None))

    look()
    assert len(kinds) == 4


@given(st.integers(0, INF), st.fractions(0, 1, max_denominator=64))
def test_parts(whole: int, fraction: Fraction) -> None:
    """A part is what the other searches take for it."""
    found = take_part(np.uint32(whole), float(fraction))
    assert found == part_cost(whole, float(fraction))
    assert 0 <= found <= whole


@plain_kernel
def take_part(whole: np.uint32, fraction: float) -> int:
    """The way to `part_of` from Python."""
    return part_of(whole, fraction)


@given(
    prepared_worlds(), st.fractions(0, 1, max_denominator=8), st.fractions(0, 1, max_denominator=8)
)
def test_staying_on_an_arc(prepared: Prepared, start: Fraction, end: Fraction) -> None:
    """Ahead costs the difference of the parts; behind, or on a closed arc, there is no way."""
    _, graph, metric = prepared.world
    ahead: Callable[..., Any] = cost_ahead
    parts = seeding(graph, metric, freeze(np.zeros(len(metric.weight), np.uint32)))
    for arc in range(len(metric.weight)):
        whole = key_of(metric, arc)
        wanted: tuple[int, int] = INF_COST, 0
        if end >= start and whole[0] < INF:
            last, first = parts_of(whole, end), parts_of(whole, start)
            key = last[0] - first[0], last[1] - first[1], last[2] - first[2]
            wanted = packed(key), key[2]
        found = ahead(parts, arc, float(start), float(end))
        assert (int(found.cost), int(found.third)) == wanted
