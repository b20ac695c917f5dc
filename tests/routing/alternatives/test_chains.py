"""Other ways over the same points."""

from functools import cache
from itertools import pairwise, product

import numpy as np
from engines import engine_of
from hypothesis import given
from hypothesis import strategies as st
from world import World, spell_arcs

from gis.arrays import INF
from routing.alternatives.chains import other_chains
from routing.engine import Engine
from routing.inputs import point_queries
from routing.search.chain import Stretch
from routing.search.seeds import part_cost
from routing.vehicle import Vehicle

Point = tuple[float, float]

LADDER = World(
    """
        b---c       f---g
       /     \\     /     \\
    w-a       d---e       h-x
       \\     /     \\     /
        i---j       k---l
    """,
    """
    wa highway=x
    abcd highway=x
    aijd highway=x kmh=35
    de highway=x
    efgh highway=x kmh=34
    eklh highway=x
    hx highway=x
    """,
)


def between(world: World, letters: str, part: float = 0.5) -> Point:
    (x, y), (to_x, to_y) = (world.position(letter) for letter in letters)
    return x + part * (to_x - x), y + part * (to_y - y)


def chains_of(
    engine: Engine, points: list[Point], number: int
) -> tuple[list[Stretch], list[list[Stretch]]]:
    """The best way over some points, and others."""
    vehicle, weighting = engine._vehicles["plain"], engine._vehicles["plain"].weighting
    versions = weighting.candidates.choose(point_queries(points, None, None), False)
    search = vehicle.search("hierarchy", weighting)
    best, candidates = vehicle.chain(search, weighting, versions, True)
    return best, other_chains(vehicle, weighting, best, candidates, number)


def check_stretch(vehicle: Vehicle, stretch: Stretch) -> None:
    """A stretch costs what its arcs and turns cost, from where it starts to where it ends."""
    graph, metric = vehicle.prepared.turn_graph, vehicle.weighting.metric
    arcs = stretch.arcs.tolist()
    assert (arcs[0], arcs[-1]) == (stretch.start.arc, stretch.end.arc)
    assert graph.vertex_arc[[stretch.leaves, stretch.enters]].tolist() == [arcs[0], arcs[-1]]
    best = {stretch.leaves: 0}
    for arc, after in pairwise(arcs):
        reached: dict[int, int] = {}
        for vertex, cost in best.items():
            a, b = graph.first_turn[vertex : vertex + 2].tolist()
            for turn in range(a, b):
                head = int(graph.turn_head[turn])
                if graph.vertex_arc[head] == after:
                    cost_there = cost + int(metric.weight[arc]) + int(graph.turn_cost[turn])
                    reached[head] = min(cost_there, reached.get(head, INF))
        best = reached
    start, end = (
        part_cost(int(metric.weight[position.arc]), position.fraction)
        for position in (stretch.start, stretch.end)
    )
    assert best[stretch.enters] - start + end == stretch.cost


def check_chains(
    engine: Engine, best: list[Stretch], others: list[list[Stretch]], number: int
) -> None:
    """Each differs from the best in one stretch alone, and they come by what they cost."""
    vehicle = engine._vehicles["plain"]
    assert len(others) <= number
    total = sum(stretch.cost for stretch in best)
    costs = [sum(stretch.cost for stretch in chain) for chain in others]
    assert costs == sorted(costs) and all(cost >= total for cost in costs)
    for chain in others:
        assert len(chain) == len(best)
        (leg,) = (i for i, stretch in enumerate(chain) if stretch is not best[i])
        assert best[leg].cost <= chain[leg].cost <= 1.25 * best[leg].cost
        if len(best) > 1:
            assert (chain[leg].start, chain[leg].end) == (best[leg].start, best[leg].end)
            assert (chain[leg].leaves, chain[leg].enters) == (best[leg].leaves, best[leg].enters)
        assert chain[leg].arcs.tolist() != best[leg].arcs.tolist()
        check_stretch(vehicle, chain[leg])
    ways = [tuple(tuple(s.arcs.tolist()) for s in chain) for chain in [best, *others]]
    assert len(set(ways)) == len(ways)


def test_one_stretch_at_a_time() -> None:
    """Over a via: another way before it, or after it, those that cost least more first."""
    engine = engine_of(LADDER)
    arcs = spell_arcs(engine._network)
    points = [between(LADDER, "wa"), between(LADDER, "de"), between(LADDER, "hx")]
    for number in (0, 1, 2, 9):
        best, others = chains_of(engine, points, number)
        check_chains(engine, best, others, number)
        spelt = [["".join(arcs[a] for a in stretch.arcs) for stretch in chain] for chain in others]
        north, south = "wa" + "abcd" + "de", "wa" + "aijd" + "de"
        far_north, far_south = "de" + "efgh" + "hx", "de" + "eklh" + "hx"
        assert ["".join(arcs[a] for a in s.arcs) for s in best] == [north, far_south]
        wanted = [[south, far_south], [north, far_north]]
        assert spelt == wanted[: min(number, 2)]


def test_the_cheapest_first() -> None:
    """What costs least more comes first, though it is another way for a later stretch."""
    engine = engine_of(LADDER)
    points = [between(LADDER, "hx"), between(LADDER, "de"), between(LADDER, "wa")]
    best, others = chains_of(engine, points, 9)
    check_chains(engine, best, others, 9)
    changed = [[a is b for a, b in zip(chain, best, strict=True)] for chain in others]
    assert changed == [[True, False], [False, True]]


def test_from_one_junction_to_another() -> None:
    """The same way from another of the roads that meet at a point is no other way."""
    engine = engine_of(LADDER)
    network, n_found = engine._network, 0
    for a, b in ("ad", "da", "eh", "ae", "ah", "ha"):
        points = [LADDER.position(a), LADDER.position(b)]
        best, others = chains_of(engine, points, 5)
        check_chains(engine, best, others, 5)
        driven = []
        for (stretch,) in [best, *others]:
            first = int(stretch.start.fraction == 1)
            stop = len(stretch.arcs) - int(stretch.end.fraction == 0)
            driven.append(tuple(network.edge_way[stretch.arcs[first:stop] >> 1].tolist()))
        assert len(set(driven)) == len(driven)
        n_found += len(others)
    assert n_found >= 1


def test_the_whole_way_at_once() -> None:
    """Between two points both halves may be others."""
    engine = engine_of(LADDER)
    points = [between(LADDER, "wa"), between(LADDER, "hx")]
    best, others = chains_of(engine, points, 9)
    check_chains(engine, best, others, 9)
    assert others


def test_nothing_else() -> None:
    """Who stays on a road has no other way, whatever the legs beside it have."""
    engine = engine_of(LADDER)
    on_one = [between(LADDER, "wa", 0.2), between(LADDER, "wa", 0.9)]
    assert chains_of(engine, on_one, 5)[1] == []
    best, others = chains_of(engine, [*on_one, between(LADDER, "de")], 5)
    check_chains(engine, best, others, 5)
    assert len(others) == 1 and others[0][0] is best[0]


ROADS = [f"{a}{b}" for row in ("abc", "def", "ghi", "adg", "beh", "cfi") for a, b in pairwise(row)]


@cache
def town(seed: int) -> tuple[World, Engine]:
    rng = np.random.default_rng(seed)
    tags = ["", "", "", "kmh=30", "oneway=yes"]
    drawing = """
        a---b---c
        |   |   |
        d---e---f
        |   |   |
        g---h---i
        """
    ways = "\n".join(f"{road} highway=x {rng.choice(tags)}" for road in ROADS)
    relations = "restriction=no_turn from:de via:e to:be\nrestriction=no_turn from:ef via:f to:cf"
    world = World(drawing, ways, "e delay=3", relations)
    return world, engine_of(world)


places = st.tuples(st.sampled_from(ROADS), st.floats(0.05, 0.95))


@given(st.integers(0, 5), st.lists(places, min_size=2, max_size=4), st.integers(0, 4))
def test_other_chains(seed: int, chosen: list[tuple[str, float]], number: int) -> None:
    """Whatever the points, one-ways, delays and restrictions."""
    world, engine = town(seed)
    points = [between(world, *place) for place in chosen]
    best, others = chains_of(engine, points, number)
    check_chains(engine, best, others, number)


def test_there_are_other_chains() -> None:
    """The test above sees some."""
    n_found = 0
    for seed in range(6):
        world, engine = town(seed)
        for a, b in product(ROADS, ROADS):
            n_found += len(chains_of(engine, [between(world, a), between(world, b)], 2)[1])
    assert n_found > 50
