"""Seeds and the parts of arcs that they pay for."""

import numpy as np
from graphs import SearchWorld, search_worlds
from hypothesis import given
from hypothesis import strategies as st
from oracles import turns_of

from gis.arrays import INF
from routing.reference.seeds import Place, part_cost, source_seeds, target_seeds, vertices_of


@given(st.integers(1, INF - 1), st.floats(0, 1), st.floats(0, 1))
def test_parts(weight: int, f: float, g: float) -> None:
    """Parts grow with the fraction from nothing to the whole, and round to the nearest."""
    assert part_cost(weight, 0) == 0 and part_cost(weight, 1) == weight
    assert abs(part_cost(weight, f) - weight * f) <= 0.5 + 1e-6
    low, high = sorted((f, g))
    assert 0 <= part_cost(weight, low) <= part_cost(weight, high) <= weight


@given(search_worlds(), st.data())
def test_seeds(world: SearchWorld, data: st.DataObject) -> None:
    """Sources are the turns out of a place, with the rest of its arc paid; targets its vertex."""
    graph, weight = world.graph, world.metric.weight
    if not graph.n_vertices:
        return
    vertices = st.integers(0, graph.n_vertices - 1)
    place = st.builds(Place, vertices, st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.integers(0, 9))
    places = data.draw(st.lists(place, max_size=4))
    turns = turns_of(graph)
    leave, arrive = [], []
    for index, (vertex, fraction, cost) in enumerate(places):
        length = int(weight[graph.vertex_arc[vertex]])
        part = int(np.floor(length * fraction + 0.5))
        leave += [(w, cost + length - part + c, index) for v, w, c in turns if v == vertex]
        arrive += [(vertex, cost + part, index)] if length < INF else []
    for seeds, expected in (
        (source_seeds(graph, world.metric, places), leave),
        (target_seeds(graph, world.metric, places), arrive),
    ):
        assert list(zip(*(column.tolist() for column in seeds), strict=True)) == expected
        assert all(column.dtype == np.uint32 for column in seeds)


@given(search_worlds())
def test_vertices_of_an_arc(world: SearchWorld) -> None:
    """An arc stands for itself and for its copies."""
    n_arcs = world.network.n_arcs
    for arc in range(n_arcs):
        expected = np.flatnonzero(world.graph.vertex_arc == arc).tolist()
        assert vertices_of(world.graph, n_arcs, arc) == expected
