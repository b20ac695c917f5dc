"""The turns of drawn worlds: u-turns, barriers and restrictions, one rule at a time."""

import pytest
from world import World, spell_arcs

from routing.graph.turn_graph import TurnGraph, build_turn_graph, check_turn_graph
from routing.metric import duration_metric

CROSS = """
      d
      |
    a-b-c
      |
      e
"""
CROSS_WAYS = """
    ab highway=primary
    bc highway=primary
    bd highway=primary
    be highway=primary
"""
ALL_FROM_AB = {"ab-bc", "ab-bd", "ab-be"}


def build(world: World, dropped: int = 0) -> tuple[TurnGraph, list[str]]:
    """The graph, and each vertex as the letters of its arc; so many restrictions have no effect."""
    network, report = world.network()
    assert sum(map(len, report.restrictions.dropped.values())) == dropped
    (verdicts,) = world.verdicts()
    graph = build_turn_graph(network, verdicts, duration_metric(network, verdicts).open_arc)
    check_turn_graph(graph, network.n_arcs)
    arcs = spell_arcs(network)
    return graph, [arcs[arc] for arc in graph.vertex_arc.tolist()]


def turns(world: World, arc: str, dropped: int = 0) -> set[str]:
    """The turns out of an arc, as ``ab-bc``."""
    return {"-".join(walk) for walk in walks(world, arc, 2, dropped)}


def walks(world: World, first: str, length: int, dropped: int = 0) -> set[tuple[str, ...]]:
    """All walks of so many arcs that begin with an arc."""
    graph, names = build(world, dropped)
    found = [[names.index(first)]]
    for _ in range(length - 1):
        found = [
            [*walk, int(head)]
            for walk in found
            for head in graph.turn_head[
                int(graph.first_turn[walk[-1]]) : int(graph.first_turn[walk[-1] + 1])
            ]
        ]
    return {tuple(names[vertex] for vertex in walk) for walk in found}


def test_no_u_turn_where_a_road_goes_on() -> None:
    """At a junction every other road may be taken; at the end of a road only the way back."""
    world = World(CROSS, CROSS_WAYS)
    assert turns(world, "ab") == ALL_FROM_AB
    assert turns(world, "bc") == {"bc-cb"}


def test_a_road_that_cannot_be_left_but_backwards_is_a_dead_end() -> None:
    """One-way roads that only lead here do not count as a way to go on."""
    world = World("a-b-c", "ab highway=primary\ncb highway=primary oneway=yes")
    assert turns(world, "ab") == {"ab-ba"}
    assert turns(world, "cb") == {"cb-ba"}


def test_a_one_way_dead_end_traps() -> None:
    """There is no way back on a one-way road."""
    assert turns(World("a-b", "ab highway=primary oneway=yes"), "ab") == set()


def test_a_blocked_node_sends_back() -> None:
    """At a barrier nothing but the way back is left, whatever else meets there."""
    world = World(CROSS, CROSS_WAYS, nodes="b barrier=block")
    assert turns(world, "ab") == {"ab-ba"}
    assert turns(world, "db") == {"db-bd"}


def test_a_loop_may_be_driven_round() -> None:
    """A loop leads back to itself in the same direction, or out, but does not turn around."""
    world = World(
        """
        a-b-c
          |/
          d
        """,
        "ab highway=primary\nbcdb highway=primary",
    )
    assert turns(world, "bcdb") == {"bcdb-ba", "bcdb-bcdb"}
    assert turns(world, "ab") == {"ab-bcdb", "ab-bdcb"}


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        ("restriction=no_left_turn from:ab via:b to:bd", {"ab-bc", "ab-be"}),
        ("restriction=only_straight_on from:ab via:b to:bc", {"ab-bc"}),
        (
            "restriction=only_straight_on from:ab via:b to:bc\n"
            "restriction=only_left_turn from:ab via:b to:bd",
            {"ab-bc", "ab-bd"},
        ),
        ("restriction=no_left_turn from:bc via:b to:be", ALL_FROM_AB),
        ("restriction=only_left_turn from:ab via:b to:bd except=all", ALL_FROM_AB),
        ("restriction=only_u_turn from:ab via:b to:ab", ALL_FROM_AB),
    ],
    ids=["no", "only", "two onlys", "from elsewhere", "except", "only u-turn"],
)
def test_restrictions_at_a_node(relations: str, expected: set[str]) -> None:
    """No takes one turn, only takes all others; nothing gives a turn that was not there."""
    world = World(CROSS, CROSS_WAYS, relations=relations)
    if "except" in relations:
        network, _ = world.network()
        assert not len(network.restrictions.arc)
        return
    assert turns(world, "ab") == expected


def test_what_is_demanded_and_forbidden() -> None:
    """A demand for what is forbidden has no effect: all but that may be done."""
    relations = """
    restriction=only_straight_on from:ab via:b to:bc
    restriction=no_straight_on from:ab via:b to:bc
    """
    world = World(CROSS, CROSS_WAYS, relations=relations)
    assert turns(world, "ab", dropped=1) == ALL_FROM_AB - {"ab-bc"}


LADDER = """
    a-b-c
      |
    d-e-f
      |
    g-h-i
"""
LADDER_WAYS = """
    ab highway=primary
    bc highway=primary
    be highway=primary
    de highway=primary
    ef highway=primary
    eh highway=primary
    gh highway=primary
    hi highway=primary
"""


def test_no_via_a_way() -> None:
    """A path over a via way is forbidden as a whole: from elsewhere, and elsewhere, it is free."""
    world = World(LADDER, LADDER_WAYS, relations="restriction=no_u_turn from:ab via:be to:de")
    assert walks(world, "ab", 3) == {
        ("ab", "bc", "cb"),
        ("ab", "be", "ef"),
        ("ab", "be", "eh"),
    }
    assert ("cb", "be", "ed") in walks(world, "cb", 3)
    assert ("be", "ed") in walks(world, "be", 2)


def test_only_via_a_way() -> None:
    """Whoever came from the first way by the via way must go on as told; others need not."""
    world = World(
        LADDER, LADDER_WAYS, relations="restriction=only_straight_on from:ab via:be to:eh"
    )
    assert {walk for walk in walks(world, "ab", 3) if walk[1] == "be"} == {("ab", "be", "eh")}
    assert walks(world, "be", 2) == {("be", "ed"), ("be", "ef"), ("be", "eh")}
    assert ("ab", "bc", "cb") in walks(world, "ab", 3)


def test_paths_that_overlap() -> None:
    """The end of one forbidden path is the beginning of another, and one lies within another."""
    world = World(
        LADDER,
        LADDER_WAYS,
        relations="""
        restriction=no_u_turn from:ab via:be via:eh to:gh
        restriction=no_u_turn from:be via:eh to:hi
        """,
    )
    assert {walk for walk in walks(world, "ab", 4) if walk[2] == "eh"} == set()
    assert {walk for walk in walks(world, "cb", 4) if walk[2] == "eh"} == {("cb", "be", "eh", "hg")}
    assert {walk for walk in walks(world, "de", 3) if walk[1] == "eh"} == {
        ("de", "eh", "hg"),
        ("de", "eh", "hi"),
    }
