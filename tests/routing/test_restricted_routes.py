"""Routes that reach restricted roads and never pass through them, by every way to find one."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from engines import engine_of
from graphs import SearchWorld, World, search_worlds, worlds
from hierarchies import prepare
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import turns_of
from towns import NO_ROUTE, ask, between, check_pair
from walks import following, phased_costs
from world import World as Drawn
from world import spell

from gis.arrays import INF, freeze
from routing.cch.query import new_state, run_query
from routing.cch.table import SeedGroups, Table, TableState, travel_table
from routing.graph.components import build_components
from routing.graph.restricted_roads import restricted_arcs
from routing.search.chain import BrokenChainError, ChainFinder, Search
from routing.search.dijkstra import SearchState, dijkstra
from routing.search.landmarks import alt_query, build_landmarks
from routing.search.seeds import Place, Position, Seeds, source_seeds, target_seeds, vertices_of


@st.composite
def open_worlds(draw: st.DrawFn) -> tuple[World, SearchWorld]:
    """Worlds without turn restrictions, whose rules fit into a few lines."""
    world = draw(worlds(max_nodes=6, n_edges=(1, 9), n_paths=(0, 0)))
    return world, draw(search_worlds(of=st.just(world)))


def naive_costs(world: World, search_world: SearchWorld) -> dict[int, dict[int, int]]:
    """Costs from the start of each open arc to the starts of all, in explicit phases."""
    _, graph, metric = search_world
    weight = metric.weight.tolist()
    turn = {
        (int(graph.vertex_arc[tail]), int(graph.vertex_arc[head])): cost
        for tail, head, cost in turns_of(graph)
    }
    level = restricted_arcs(*world, metric.open_arc).tolist()
    onward = following(world, metric.open_arc.tolist(), level)

    def cost(arc: int, to_arc: int) -> int:
        # No vertex stands for turns between restricted roads that no route can take.
        return weight[arc] + turn[arc, to_arc]

    return {arc: phased_costs(onward, level, cost, arc) for arc in onward}


def searches(search_world: SearchWorld, seed: int) -> list[Search]:
    network, graph, metric = search_world
    prepared = prepare(search_world, seed)
    hierarchy, weights = prepared.hierarchy, prepared.customizer.customize(metric, 1)
    everywhere = freeze(np.ones(network.n_arcs, np.bool_))
    components = build_components(graph, metric.open_arc, everywhere)
    landmarks = build_landmarks(network, metric, components, 3)
    state = SearchState(graph)
    return [
        partial(dijkstra, state, graph, metric),
        partial(alt_query, state, graph, metric, landmarks),
        partial(run_query, new_state(hierarchy), hierarchy, weights),
    ]


def ends_of(search_world: SearchWorld, source: int, target: int) -> tuple[Seeds, Seeds]:
    """Seeds at the starts of two arcs."""
    _, graph, metric = search_world
    targets = [Place(v, 0.0) for v in vertices_of(graph, len(metric.weight), target)]
    return source_seeds(graph, metric, [Place(source, 0.0)]), target_seeds(graph, metric, targets)


@settings(max_examples=100)
@given(open_worlds(), st.integers(0, 2**32 - 1))
def test_costs_between_arcs(both: tuple[World, SearchWorld], seed: int) -> None:
    """Dijkstra, A* and the hierarchy find what a search in phases finds, or that there is none."""
    world, search_world = both
    expected = naive_costs(world, search_world)
    for search in searches(search_world, seed):
        for source, costs in expected.items():
            for target in expected.keys() - {source}:
                path = search(*ends_of(search_world, source, target))
                assert path.cost == costs.get(target, INF)


@settings(max_examples=60)
@given(open_worlds(), st.integers(0, 2**32 - 1), st.data())
def test_chains(both: tuple[World, SearchWorld], seed: int, data: st.DataObject) -> None:
    """At every point of a route one may leave what one entered: each leg is a route of its own."""
    world, search_world = both
    _, graph, metric = search_world
    expected = naive_costs(world, search_world)
    if not expected:
        return
    arcs = data.draw(st.lists(st.sampled_from(sorted(expected)), min_size=2, max_size=5))
    legs = [expected[a].get(b) for a, b in pairwise(arcs)]
    search = data.draw(st.sampled_from(searches(search_world, seed)))
    points = [[Position(arc, 0.0)] for arc in arcs]
    for straight in (True, False):
        try:
            chain = ChainFinder(search, graph, metric).find(points, straight)
        except BrokenChainError as error:
            assert legs[error.leg] is None
            continue
        # Where a way goes on neither straight ahead nor freely it may turn around.
        costs = [None if b.start.arc != a.end.arc else b.cost for a, b in pairwise(chain)]
        assert chain[0].cost == legs[0]
        assert all(cost in (None, leg) for cost, leg in zip(costs, legs[1:], strict=True))
        assert all(
            leg is not None or cost is None for cost, leg in zip(costs, legs[1:], strict=True)
        )


@settings(max_examples=60)
@given(open_worlds(), st.integers(0, 2**32 - 1))
def test_tables(both: tuple[World, SearchWorld], seed: int) -> None:
    """A table over the hierarchy has the same costs."""
    world, search_world = both
    expected = naive_costs(world, search_world)
    arcs = sorted(expected)
    if not arcs:
        return
    table = table_between(search_world, arcs, seed)
    for i, source in enumerate(arcs):
        for j, target in enumerate(arcs):
            if i != j:
                assert table.weight[i, j] == expected[source].get(target, INF)


def table_between(search_world: SearchWorld, arcs: list[int], seed: int) -> Table:
    prepared = prepare(search_world, seed)
    weights = prepared.customizer.customize(search_world.metric, 1)
    seeds = [ends_of(search_world, arc, arc) for arc in arcs]
    groups = []
    for side in range(2):
        parts = [pair[side] for pair in seeds]
        sizes = [len(part.vertex) for part in parts]
        first = freeze(np.cumsum([0, *sizes]).astype(np.uint32))
        columns = (np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS)
        groups.append(SeedGroups(first, *(freeze(column) for column in columns)))
    return travel_table(TableState(prepared.hierarchy), prepared.hierarchy, weights, *groups)


_COLUMNS = ("vertex", "cost", "second", "third")


# Drawn worlds


BLOCK = """
    a---b---c---d
    |   |   |   |
    e   f   g   h
    |   |   |   |
    i---j---k---l
    """
SLOW = """
    abcd highway=x kmh=1
    aei  highway=x kmh=1
    dhl  highway=x kmh=1
    ijkl highway=x kmh=1
    """
SHORT_CUTS = Drawn(
    BLOCK,
    SLOW
    + """
    bfj  highway=x private=yes kmh=100
    cgk  highway=x private=yes kmh=100
    """,
)
"""A block of slow streets with two private roads across."""


def route(world: Drawn, *places: tuple[str, float], **options: object) -> str:
    """The letters that a route passes between places on lines, the same by whatever finds it."""
    engine = engine_of(world)
    points = [between(world, *place) for place in places]
    if len(points) == 2:
        check_pair(engine, *points, **options)
    found = ask(engine, points, **options)
    if isinstance(found, str):
        return found
    return " ".join(spell(leg.annotation.nodes) for leg in found.legs)


def test_nobody_takes_a_private_short_cut() -> None:
    """Not even one that is a hundred times as fast."""
    assert route(SHORT_CUTS, ("bc", 0.1), ("jk", 0.1)) == "cbaeijk"
    free = Drawn(BLOCK, SLOW + "bfj highway=x kmh=100")
    assert route(free, ("bc", 0.1), ("jk", 0.1)) == "cbfjk"


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([("bf", 0.5), ("jk", 0.1)], "bfjk"),
        ([("bf", 0.5), ("ab", 0.9)], "fba"),
        ([("jk", 0.1), ("bf", 0.5)], "kjfb"),
        ([("bf", 0.2), ("fj", 0.8)], "bfj"),
        ([("fj", 0.8), ("bf", 0.2)], "jfb"),
        ([("bf", 0.5), ("cg", 0.5)], "fbcg"),
    ],
    ids=["out", "out the way it came", "in", "inside", "inside and back", "from one to another"],
)
def test_beginning_and_ending_inside(places: list[tuple[str, float]], expected: str) -> None:
    """Who begins or ends on a private road uses it, by whichever end is the best."""
    assert route(SHORT_CUTS, *places) == expected


@pytest.mark.parametrize("straight", [True, False])
def test_points_on_the_way(straight: bool) -> None:
    """Who stops on a private road may go on to the other end of it, stop by stop."""
    places = [("bc", 0.1), ("bf", 0.5), ("jk", 0.1)]
    assert route(SHORT_CUTS, *places, continue_straight=straight) == "cbf bfjk"
    assert route(SHORT_CUTS, *places, continue_straight=straight, waypoints=[0, 2]) == "cbfjk"
    places.insert(2, ("fj", 0.5))
    assert route(SHORT_CUTS, *places, continue_straight=straight) == "cbf bfj fjk"


def test_nobody_turns_around_in_a_private_drive() -> None:
    """A street ends where nothing but a drive goes on; the drive itself is no place to turn."""
    world = Drawn(
        """
        a---b-------c-e
            |
            d
        """,
        "abc highway=x\nbd highway=x private=yes\nce highway=x private=yes",
    )
    places = ("ab", 0.6), ("ab", 0.4)
    assert route(world, *places, bearings=[(90, 45), (270, 45)]) == "abcba"
    assert route(world, ("ab", 0.6), ("bd", 0.5), bearings=[(90, 45), None]) == "abd"
    assert route(world, ("bd", 0.5), ("ab", 0.6), bearings=[(180, 45), None]) == "bdba"


GATED = Drawn(
    BLOCK,
    SLOW
    + """
    bfj  highway=x kmh=100
    """,
    nodes="f private=yes",
)


def test_a_private_gate() -> None:
    """A gate on a street divides it for all who do not stay behind it."""
    assert route(GATED, ("bc", 0.1), ("jk", 0.1)) == "cbaeijk"
    assert route(GATED, ("bf", 0.9), ("fj", 0.1)) == "fbaeijf"


def test_behind_a_private_gate() -> None:
    """Whoever lives behind a gate passes it in both directions; nobody else gains by it."""
    world = Drawn(
        """
        a---b---c---d
            |   |
            e---f
            |   |
            g---h
        """,
        """
        abcd  highway=x kmh=1
        be    highway=x
        cf    highway=x
        ef    highway=x
        eghf  highway=x
        """,
        nodes="e private=yes\nf private=yes",
    )
    assert route(world, ("ab", 0.5), ("gh", 0.4)) == "abegh"
    assert route(world, ("gh", 0.6), ("cd", 0.5)) == "ghfcd"
    assert route(world, ("eg", 0.5), ("hf", 0.5)) == "gefh"
    assert route(world, ("ab", 0.5), ("cd", 0.5)) == "abcd"
    assert route(world, ("ab", 0.5), ("gh", 0.6), ("cd", 0.5)) == "abegh ghfcd"


def test_a_zone_with_two_entrances() -> None:
    """Streets for those who live there: crossed by nobody, reached by the better entrance."""
    world = Drawn(
        BLOCK,
        SLOW
        + """
        bf  highway=x private=yes kmh=100
        fj  highway=x private=yes kmh=100
        fg  highway=x private=yes kmh=100
        """,
    )
    assert route(world, ("bc", 0.1), ("jk", 0.1)) == "cbaeijk"
    assert route(world, ("bc", 0.1), ("fg", 0.5)) == "cbfg"
    assert route(world, ("jk", 0.1), ("fg", 0.5)) == "kjfg"
    assert route(world, ("fg", 0.5), ("jk", 0.1)) == "gfjk"


def test_a_street_private_in_one_direction() -> None:
    """Only the direction that is said to be private is."""
    world = Drawn(BLOCK, SLOW + "bfj highway=x private=forward kmh=100")
    assert route(world, ("bc", 0.1), ("jk", 0.1)) == "cbaeijk"
    assert route(world, ("jk", 0.1), ("bc", 0.1)) == "kjfbc"


def test_streets_behind_a_private_road() -> None:
    """Streets of an estate to which only private roads lead are reached, and not passed either."""
    world = Drawn(
        BLOCK,
        SLOW
        + """
        bf  highway=x private=yes kmh=100
        fg  highway=x kmh=100
        gk  highway=x private=yes kmh=100
        """,
    )
    assert route(world, ("bc", 0.1), ("fg", 0.5)) == "cbfg"
    assert route(world, ("fg", 0.5), ("jk", 0.9)) == "fgkj"
    assert route(world, ("bc", 0.1), ("jk", 0.9)) == "bcdhlkj"


def test_nothing_but_private_roads() -> None:
    """Where everything is private, all is one area, and there are no others to keep out."""
    world = Drawn("a-b-c", "abc highway=x private=yes")
    assert route(world, ("ab", 0.5), ("bc", 0.5)) == "abc"
    assert route(Drawn("a-b c", "ab highway=x private=yes"), ("ab", 0.5), ("ab", 0.7)) == "ab"
    assert ask(engine_of(world), [world.position("a"), world.position("c")]) != NO_ROUTE


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([("ab", 0.5), ("fg", 0.5)], [False, True]),
        ([("fg", 0.5), ("ab", 0.5)], [True, False]),
        ([("bf", 0.5), ("fg", 0.5)], [True, True]),
        ([("ab", 0.5), ("bc", 0.5)], [False, False]),
    ],
)
def test_a_route_says_where_it_is_restricted(
    places: list[tuple[str, float]], expected: list[bool]
) -> None:
    """Its ends are of the class, on roads with such tags and on those behind them."""
    world = Drawn(
        BLOCK,
        SLOW
        + """
        bf  highway=x private=yes kmh=100
        fg  highway=x kmh=100
        """,
    )
    found = ask(engine_of(world), [between(world, *place) for place in places])
    assert not isinstance(found, str)
    steps = found.legs[0].steps
    ends = steps[0].intersections[0], steps[-1].intersections[-1]
    assert ["restricted" in end.classes for end in ends] == expected


def test_what_is_closed_for_one_is_restricted_for_others() -> None:
    """Directions that were first asked for while a road was closed tell later what it is."""
    ways = "bf highway=x private=yes kmh=100\nfg highway=x kmh=100"
    world = Drawn(BLOCK, f"{SLOW}\n{ways}")
    engine = engine_of(world)
    closed = engine.with_weights(way_speeds={world.way_id("fg"): 0.0})
    a, b, c = (between(world, *place) for place in (("ab", 0.5), ("bc", 0.5), ("fg", 0.5)))
    assert closed.route([a, b]).legs[0].steps
    assert "restricted" in engine.route([a, c]).legs[0].steps[-1].intersections[0].classes
