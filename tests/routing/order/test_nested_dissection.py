"""Orders of elimination: complete, the same for any number of threads, and shallow."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plane_graphs import components, edges_of, eliminate, grid_graph, plane_graph, plane_graphs

from gis.network.build import build_network
from gis.osm.read import read_osm
from gis.profiles.registry import apply_profile, get_profile, tag_selection
from routing.order import nested_dissection as module
from routing.order.nested_dissection import arc_order, node_order
from routing.order.plane_graph import PlaneGraph, check_plane_graph, plane_graph_of


def turns_of(graph: PlaneGraph) -> list[tuple[int, int]]:
    """Every arc with each that may follow it, going back excepted."""
    ends = [end for a, b in edges_of(graph) for end in ((a, b), (b, a))]
    leaving: dict[int, list[int]] = {}
    for arc, (tail, _) in enumerate(ends):
        leaving.setdefault(tail, []).append(arc)
    return [
        (arc, following)
        for arc, (_, head) in enumerate(ends)
        for following in leaving[head]
        if following != arc ^ 1
    ]


@given(plane_graphs(max_nodes=80), st.integers(1, 3))
def test_permutations(graph: PlaneGraph, threads: int) -> None:
    """Every node and every arc stands once in its order, the same in every run."""
    for order_of, length in ((node_order, graph.n_nodes), (arc_order, 2 * graph.n_edges)):
        order = order_of(graph, threads)
        assert order.dtype == np.uint32
        assert sorted(order.tolist()) == list(range(length))
        assert (order == order_of(graph, threads)).all()


@pytest.mark.parametrize("size", [30, pytest.param(150, marks=pytest.mark.compiled)])
def test_any_number_of_threads(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells may be cut at the same time, in any order, and in tasks of any size."""
    graph = grid_graph(size, size)
    for order_of in (node_order, arc_order):
        monkeypatch.setattr(module, "TASK_NODES", 10**9)
        wanted = order_of(graph, 1).tobytes()
        for task_nodes in (50, 1000):
            monkeypatch.setattr(module, "TASK_NODES", task_nodes)
            for threads in (1, 2, 5):
                assert order_of(graph, threads).tobytes() == wanted


@given(plane_graphs(max_nodes=80))
def test_edges_stay_together(graph: PlaneGraph) -> None:
    """The arcs of a cut: all from one side to the other, then all back, by the same edges."""
    order = arc_order(graph).tolist()
    at = {arc: place for place, arc in enumerate(order)}
    loops = [edge for edge, (a, b) in enumerate(edges_of(graph)) if a == b]
    assert sorted(order[: 2 * len(loops)]) == sorted(
        arc for edge in loops for arc in (2 * edge, 2 * edge + 1)
    )
    place = 0
    while place < len(order):
        length = abs(at[order[place] ^ 1] - place)
        there, back = order[place : place + length], order[place + length : place + 2 * length]
        assert [arc ^ 1 for arc in there] == back
        place += 2 * length


@given(st.integers(2, 60), st.integers(0, 10**6))
def test_cuts_separate(n_nodes: int, seed: int) -> None:
    """Without the arcs of a cut, and of those after it, its sides are not linked."""
    rng = np.random.default_rng(seed)
    tail = np.repeat(np.arange(n_nodes), 2)
    head = (tail + rng.integers(1, min(n_nodes, 6), 2 * n_nodes, endpoint=False)) % n_nodes
    ring = (np.arange(n_nodes) + 1) % n_nodes
    edges = [*zip(tail.tolist(), head.tolist(), strict=True), *enumerate(ring.tolist())]
    graph = plane_graph(edges, rng.integers(0, 99, (n_nodes, 2)).tolist())
    waiting = arc_order(graph).tolist()
    while waiting:
        length = waiting[::-1].index(waiting[-1] ^ 1)
        there = waiting[len(waiting) - 2 * length : len(waiting) - length]
        del waiting[len(waiting) - 2 * length :]
        parts = components(range(n_nodes), [edges[arc // 2] for arc in waiting])
        part = {node: i for i, members in enumerate(parts) for node in members}
        from_side = {part[edges[arc // 2][arc % 2]] for arc in there}
        to_side = {part[edges[arc // 2][1 - arc % 2]] for arc in there}
        assert not from_side & to_side


@given(st.integers(2, 9), st.integers(2, 9))
def test_small_grids(width: int, height: int) -> None:
    """A tree about as deep as the cuts through the middle have edges, each half the one before."""
    graph = grid_graph(width, height)
    shorter = min(width, height)
    _, depth = eliminate(graph.n_nodes, edges_of(graph), node_order(graph).tolist())
    assert max(depth) <= 4 * shorter + 3
    _, depth = eliminate(2 * graph.n_edges, turns_of(graph), arc_order(graph).tolist())
    assert max(depth) <= 8 * shorter + 8


def test_islands_do_not_depend_on_each_other() -> None:
    """Components are cut on their own: the tree is as deep as that of the deepest."""
    edges, places = [], []
    one = grid_graph(6, 6)
    for island in range(5):
        edges += [(36 * island + a, 36 * island + b) for a, b in edges_of(one)]
        places += list(zip(one.node_lon.tolist(), one.node_lat.tolist(), strict=True))
    graph = plane_graph(edges, places)
    _, alone = eliminate(36, edges_of(one), node_order(one).tolist())
    _, depth = eliminate(graph.n_nodes, edges, node_order(graph).tolist())
    assert max(depth) == max(alone)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 200])
def test_nodes_in_one_place(n: int) -> None:
    """Where lines do not tell nodes apart, their numbers do."""
    rng = np.random.default_rng(n)
    edges = rng.integers(0, n, (3 * n, 2)).tolist()
    graph = plane_graph(edges, [(7, 7)] * n)
    assert sorted(node_order(graph).tolist()) == list(range(n))
    assert sorted(arc_order(graph).tolist()) == list(range(6 * n))


def test_nothing() -> None:
    """A node without edges, loops alone, and no node at all."""
    assert node_order(plane_graph([], [(0, 0)])).tolist() == [0]
    assert arc_order(plane_graph([], [(0, 0)])).tolist() == []
    assert node_order(plane_graph([], [])).tolist() == []
    loops = plane_graph([(0, 0), (0, 0)], [(0, 0)])
    assert node_order(loops).tolist() == [0]
    assert arc_order(loops).tolist() == [0, 1, 2, 3]


def junctions(path: Path) -> PlaneGraph:
    car = get_profile("car")
    tables = read_osm(path, tag_selection([car]))
    verdicts = apply_profile(car, tables.way_tags, tables.node_tags, tables.relation_tags)
    network, _ = build_network(tables, [verdicts])
    graph = plane_graph_of(network)
    check_plane_graph(graph)
    return graph


@pytest.mark.compiled
def test_a_town(sample: Path) -> None:
    """In a real town trees are shallow: measured a fifth below these limits."""
    graph = junctions(sample)
    upward, depth = eliminate(graph.n_nodes, edges_of(graph), node_order(graph).tolist())
    assert np.mean(depth) <= 19 and np.mean(upward) <= 2.5
    upward, depth = eliminate(2 * graph.n_edges, turns_of(graph), arc_order(graph).tolist())
    assert np.mean(depth) <= 47 and np.mean(upward) <= 5.7
