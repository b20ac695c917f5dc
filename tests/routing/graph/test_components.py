"""Components and flags against plain reachability."""

from collections import Counter

import numpy as np
import pytest
from graphs import World, worlds
from hypothesis import given
from oracles import reachable, turns_of

from gis.arrays import INVALID, freeze
from gis.profiles.verdicts import STARTPOINT
from routing.graph import reachability as module
from routing.graph.components import (
    ARC_END,
    ARC_OPEN,
    ARC_START,
    ARC_STARTPOINT,
    build_components,
    check_components,
)
from routing.graph.turn_graph import build_turn_graph
from routing.metric import duration_metric


@pytest.fixture(params=[2, 1000])
def big(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """What counts as a big component."""
    monkeypatch.setattr(module, "BIG_COMPONENT_ARCS", request.param)
    return request.param


@given(worlds())
def test_components_and_flags(big: int, world: World) -> None:
    """Arcs of one component reach each other; flags say what reaches, or is reached from, big."""
    network, verdicts = world
    open_arc = duration_metric(*world).open_arc
    graph = build_turn_graph(network, verdicts, open_arc)
    flag = verdicts.way_flags[network.edge_tagset] & STARTPOINT > 0
    startpoint = freeze(np.repeat(flag, 2))
    components = build_components(graph, open_arc, startpoint)
    check_components(components, network.n_arcs)

    heads: dict[int, list[int]] = {}
    for tail, head, _ in turns_of(graph):
        heads.setdefault(tail, []).append(head)
    arc_of = graph.vertex_arc.tolist()
    reach = [reachable(heads, [v]) for v in range(graph.n_vertices)]
    strong = [frozenset(w for w in reach[v] if v in reach[w]) for v in range(graph.n_vertices)]
    largest: dict[int, frozenset[int]] = {}
    for vertex, arc in enumerate(arc_of):
        if open_arc[arc]:
            both = (largest.get(arc, strong[vertex]), strong[vertex])
            largest[arc] = min(both, key=lambda vertices: (-len(vertices), min(vertices)))
    n_arcs = Counter(largest.values())
    least = min(big, max(n_arcs.values(), default=1))
    in_big = {v for vertices, n in n_arcs.items() if n >= least for v in vertices}
    from_big = reachable(heads, in_big)

    labels = components.arc_component.tolist()
    for a, label in enumerate(labels):
        assert (label == INVALID) == (a not in largest)
        if a not in largest:
            continue
        together = {b for b in largest if labels[b] == label}
        assert together == {b for b in largest if largest[b] == largest[a]}
        assert together <= {arc_of[w] for w in reach[a]}
        flags = ARC_OPEN
        flags |= ARC_START * bool(reach[a] & in_big)
        flags |= ARC_END * any(arc_of[v] == a for v in from_big)
        flags |= ARC_STARTPOINT * bool(startpoint[a])
        assert components.arc_flags[a] == flags
