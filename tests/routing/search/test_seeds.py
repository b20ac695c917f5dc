"""Seeds and the parts of arcs that they pay for."""

import numpy as np
from graphs import SearchWorld, make_graph, make_metric, search_worlds
from hypothesis import given
from hypothesis import strategies as st
from oracles import turns_of

from gis.arrays import INF, freeze
from routing.search.seeds import (
    Columns,
    Place,
    Seeds,
    cheapest_place,
    part_cost,
    source_seeds,
    target_seeds,
    vertices_of,
)


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
    graph, metric = world.graph, world.metric
    if not graph.n_vertices:
        return
    vertices = st.integers(0, graph.n_vertices - 1)
    besides = st.builds(Columns, *(st.integers(0, 9) for _ in range(3)))
    place = st.builds(Place, vertices, st.sampled_from([0.0, 0.3, 0.5, 1.0]), besides)
    places = data.draw(st.lists(place, max_size=4))
    turns, own = turns_of(graph), metric.has_durations
    third = metric.length_cm if own else np.zeros(len(metric.weight), np.uint32)
    leave, arrive = [], []
    for index, (vertex, fraction, more) in enumerate(places):
        arc = int(graph.vertex_arc[vertex])
        whole = [int(column[arc]) for column in (metric.weight, metric.second, third)]
        parts = [int(np.floor(x * fraction + 0.5)) for x in whole]
        rest = [x - part for x, part in zip(whole, parts, strict=True)]
        leave += [
            (w, more[0] + rest[0] + c, more[1] + rest[1] + c * own, more[2] + rest[2], index)
            for v, w, c in turns
            if v == vertex
        ]
        if whole[0] < INF:
            arrive.append((vertex, *map(sum, zip(more, parts, strict=True)), index))
    for seeds, expected in (
        (source_seeds(graph, world.metric, places), leave),
        (target_seeds(graph, world.metric, places), arrive),
    ):
        assert list(zip(*(column.tolist() for column in seeds), strict=True)) == expected
        assert all(column.dtype == np.uint32 for column in seeds)
        keys = [cost << 32 | second for _, cost, second, _, _ in expected]
        assert seeds.key.tolist() == keys and seeds.key.dtype == np.uint64


def test_the_cheapest_place() -> None:
    """Of the places of a vertex the cheapest counts, of those that cost the same the nearest."""
    keys = [(5, 7, 1, 0), (5, 6, 9, 0), (5, 6, 8, 2), (4, 0, 0, 3), (5, 6, 8, 1), (5, 6, 8, 1)]
    rows = np.array([(*key, place) for place, key in enumerate(keys)])
    seeds = Seeds(*(freeze(column.astype(np.uint32)) for column in rows.T))
    assert cheapest_place(seeds, 5) == 4
    assert cheapest_place(seeds, 4) == 3


def test_seeds_that_cost_too_much() -> None:
    """A place that has paid INF already, or reaches it with a turn, gives no seed."""
    graph = make_graph([0, 1], [(0, 0, 3), (0, 1, 2)])
    metric = make_metric([10, INF], [4, 0])
    places = [Place(0, 0.5, Columns(INF - 8, 0, 0)), Place(0, 0.0, Columns(INF - 10, 0, 0))]
    assert source_seeds(graph, metric, places).vertex.tolist() == [1]
    assert source_seeds(graph, metric, places).cost.tolist() == [INF - 1]
    assert (
        target_seeds(
            graph, metric, [Place(0, 0.5, Columns(INF - 5, 0, 0)), Place(1, 0.5)]
        ).vertex.size
        == 0
    )
    assert target_seeds(graph, metric, [Place(0, 0.5, Columns(INF - 6, 0, 0))]).cost.tolist() == [
        INF - 1
    ]


@given(search_worlds())
def test_vertices_of_an_arc(world: SearchWorld) -> None:
    """An arc stands for itself and for its copies."""
    n_arcs = world.network.n_arcs
    for arc in range(n_arcs):
        expected = np.flatnonzero(world.graph.vertex_arc == arc).tolist()
        assert vertices_of(world.graph, n_arcs, arc) == expected
