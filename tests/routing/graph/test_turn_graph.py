"""The turn graph against a simulator that walks arcs and reads every rule literally."""

import numpy as np
from graphs import World, worlds
from hypothesis import given, settings
from oracles import Path, allowed_walks, turns_of
from walks import following, keeps_out

from gis.profiles.verdicts import DEMANDS, FORBIDS
from routing.graph.restricted_roads import restricted_arcs
from routing.graph.turn_graph import TurnGraph, build_turn_graph, check_turn_graph
from routing.metric import duration_metric

MAX_WALKS = 1000


def restriction_paths(world: World, kind: int) -> list[Path]:
    restrictions = world.network.restrictions
    first = restrictions.first_arc.tolist()
    return [
        tuple(restrictions.arc[first[i] : first[i + 1]].tolist())
        for i in range(len(restrictions.tagset))
        if world.verdicts.restriction_kind[restrictions.tagset[i]] == kind
    ]


def graph_walks(graph: TurnGraph, start: list[int], n_steps: int) -> list[Path]:
    """The arcs of every walk of up to ``n_steps`` vertices, one entry for each walk."""
    heads: dict[int, list[int]] = {}
    for tail, head, _ in turns_of(graph):
        heads.setdefault(tail, []).append(head)
    walks = []
    frontier = [(arc,) for arc in start]
    for _ in range(n_steps):
        walks += frontier
        frontier = [(*walk, head) for walk in frontier for head in heads.get(walk[-1], [])]
    return [tuple(graph.vertex_arc[list(walk)].tolist()) for walk in walks]


def countable_steps(following: dict[int, list[int]]) -> int:
    """So many steps that, unrestricted, there are not too many walks."""
    n_steps, n_walks = 1, dict.fromkeys(following, 1)
    while n_steps < 7 and sum(n_walks.values()) < MAX_WALKS:
        n_walks = {arc: sum(n_walks[b] for b in onward) for arc, onward in following.items()}
        n_steps += 1
    return n_steps


@settings(max_examples=200)
@given(worlds(max_nodes=5, n_edges=(3, 7), n_paths=(1, 8)))
def test_the_walks_are_those_that_the_restrictions_allow(world: World) -> None:
    """Arc sequences in the graph are exactly those that obey every rule and restriction."""
    open_arc = duration_metric(*world).open_arc
    graph = build_turn_graph(*world, open_arc)
    check_turn_graph(graph, world.network.n_arcs)
    level = restricted_arcs(*world, open_arc).tolist()
    onward = following(world, open_arc.tolist(), level)
    n_steps = countable_steps(onward)
    no, only = restriction_paths(world, FORBIDS), restriction_paths(world, DEMANDS)
    walks = graph_walks(graph, np.flatnonzero(open_arc).tolist(), n_steps)
    assert len(walks) == len(set(walks))
    allowed = allowed_walks(n_steps, onward, no, only)
    assert set(walks) == {walk for walk in allowed if keeps_out(walk, level)}
