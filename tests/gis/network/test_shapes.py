"""Lengths, shapes and shares of edges."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import World, spell_arcs, spell_edges

GRID = """
    a b c
    d e f
"""
PLACES = {"a": (0, 0), "b": (2, 0), "c": (4, 0), "d": (0, 1), "e": (2, 1), "f": (4, 1)}


@given(
    st.lists(st.text("abcdef", min_size=2, max_size=8), min_size=1, max_size=5),
    st.sampled_from([0.5, 20.0, 1000.0]),
)
def test_lengths_and_shares(ways: list[str], metres: float) -> None:
    """Each edge is as long as its steps on the map, and has that part of its way's length."""
    network, _ = World(GRID, "\n".join(f"{w} highway=x" for w in ways), metres=metres).network()
    length = np.array(
        [
            sum(metres * math.dist(PLACES[x], PLACES[y]) for x, y in itertools.pairwise(edge))
            for edge in spell_edges(network)
        ]
    )
    # Coordinates are rounded to about a centimetre, and the map is flat.
    n_steps = np.diff(network.first_point)
    assert (np.abs(network.edge_length_m - length) <= 1e-3 * length + 0.02 * n_steps).all()
    for way in np.unique(network.edge_way):
        mine = network.edge_way == way
        measured = network.edge_length_m[mine]
        assert network.edge_share[mine] == pytest.approx(measured / measured.sum(), rel=1e-5)


def test_a_way_without_length() -> None:
    """Nodes at the same place give edges of length 0, which share their way equally."""
    network, _ = World(GRID, "abc highway=x\nbe highway=x", metres=0).network()
    assert spell_edges(network) == ["ab", "bc", "be"]
    assert network.edge_length_m.tolist() == [0, 0, 0]
    assert network.edge_share.tolist() == [0.5, 0.5, 1]


def test_arcs_run_both_ways() -> None:
    """Arc 2 e follows the edge, arc 2 e + 1 goes back; both leave their tail."""
    network, _ = World(GRID, "abc highway=x\nbe highway=x").network()
    arcs = spell_arcs(network)
    assert arcs == ["ab", "ba", "bc", "cb", "be", "eb"]
    first = network.first_out.tolist()
    leaving = [
        [arcs[arc] for arc in network.out_arc[start:stop]]
        for start, stop in itertools.pairwise(first)
    ]
    assert leaving == [["ab"], ["ba", "bc", "be"], ["cb"], ["eb"]]


def test_a_loop_leaves_its_node_twice() -> None:
    """Both arcs of an edge that begins and ends at one node leave that node."""
    network, _ = World(GRID, "abeda highway=x").network()
    assert network.n_nodes == 1
    assert network.out_arc.tolist() == [0, 1]
