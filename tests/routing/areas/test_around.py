"""What is near a place, by a search that ends at a limit or by a sweep over everything."""

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import engine_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import naive_dijkstra, turn_steps
from world import World

from gis.arrays import INF
from routing.areas import around as areas
from routing.areas.around import costs_around, shapes_within
from routing.areas.isochrone import Costs
from routing.build import build_dataset
from routing.engine import Engine
from routing.search.seeds import Place, Position, source_seeds, target_seeds, vertices_of
from routing.vehicle import Vehicle
from routing.weighting import Weighting

ROADS = [f"{a}{b}" for row in ("abc", "def", "ghi", "adg", "beh", "cfi") for a, b in pairwise(row)]


@cache
def engine(seed: int) -> Engine:
    """Streets with one-ways, a slow one, an island and two restrictions."""
    rng = np.random.default_rng(seed)
    tags = ["", "", "", "oneway=yes", "kmh=9"]
    ways = [f"{road} highway=x {rng.choice(tags)}" for road in ROADS]
    drawing = """
        a---b---c
        |   |   |
        d---e---f   x
        |   |   |   |
        g---h---i   y
        """
    relations = "no_turn from:de via:e to:be\nno_turn from:de via:ef to:cf\n"
    relations += "no_turn from:gh via:eh to:ef\nno_turn from:ab via:be to:de"
    relations = relations.replace("no_turn", "restriction=no_turn")
    return engine_of(World(drawing, "\n".join([*ways, "xy highway=x"]), "", relations))


def parts_of(seed: int) -> tuple[Vehicle, Weighting]:
    vehicle = engine(seed)._vehicles["plain"]
    return vehicle, vehicle.weighting


def naive_costs(
    vehicle: Vehicle, weighting: Weighting, origins: list[Position], reverse: bool
) -> dict[int, int]:
    graph, metric = vehicle.prepared.turn_graph, weighting.metric
    if reverse:
        n_arcs = len(metric.weight)
        ends = [Place(v, f) for arc, f in origins for v in vertices_of(graph, n_arcs, arc)]
        seeds = target_seeds(graph, metric, ends)
    else:
        seeds = source_seeds(graph, metric, [Place(arc, f) for arc, f in origins])
    steps = turn_steps(graph, metric.weight.tolist(), reverse)
    return naive_dijkstra(steps, zip(seeds.vertex.tolist(), seeds.cost.tolist(), strict=True))


arcs = st.lists(st.tuples(st.integers(0, 2 * len(ROADS) + 1), st.floats(0, 1)), max_size=3)


def open_origins(weighting: Weighting, chosen: Any) -> list[Position]:
    return [Position(*place) for place in chosen if weighting.metric.weight[place[0]] < INF]


@given(
    st.integers(0, 5),
    arcs,
    st.sampled_from([0, 1, 1500, 6000, 10**6]),
    st.booleans(),
    st.booleans(),
)
def test_costs_around_places(
    seed: int, chosen: Any, limit: int, reverse: bool, by_sweep: bool
) -> None:
    """All that costs less than the limit is known exactly, by either search."""
    vehicle, weighting = parts_of(seed)
    origins = open_origins(weighting, chosen)
    kept = areas.SWEEP_FROM
    areas.SWEEP_FROM = 0.0 if by_sweep else 2.0
    try:
        found = costs_around(vehicle, weighting, origins, limit, reverse)
    finally:
        areas.SWEEP_FROM = kept
    wanted = {
        v: c for v, c in naive_costs(vehicle, weighting, origins, reverse).items() if c < limit
    }
    near = np.flatnonzero(found.cost < limit).tolist()
    assert {vertex: int(found.cost[vertex]) for vertex in near} == wanted
    assert found.origins == origins and not found.cost.flags.writeable
    if found.vertices is not None:
        assert sorted(found.vertices.tolist()) == sorted(wanted)
    if wanted and by_sweep:
        assert found.vertices is None, "a sweep was made"
    if not by_sweep:
        assert found.vertices is not None


def test_restrictions_with_memory() -> None:
    """The streets above have arcs that several vertices stand for."""
    for seed in range(6):
        vehicle, weighting = parts_of(seed)
        assert vehicle.prepared.turn_graph.n_vertices > len(weighting.metric.weight) or seed


def test_sweeps_begin_where_they_are_quicker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search gives up once it has settled the part of all vertices from which a sweep pays."""
    vehicle, weighting = parts_of(0)
    origins = [Position(0, 0.5)]
    n = vehicle.prepared.turn_graph.n_vertices
    monkeypatch.setattr(areas, "SWEEP_FROM", 0.5)
    kinds = {}
    for limit in range(0, 40_000, 500):
        found = costs_around(vehicle, weighting, origins, limit, False)
        kinds[int((found.cost < limit).sum()) > n // 2] = found.vertices is None
    assert kinds == {False: False, True: True}


def test_without_a_hierarchy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that no hierarchy has are searched to the end, however far that is."""
    vehicle, weighting = parts_of(1)
    monkeypatch.setattr(areas, "SWEEP_FROM", 0.0)
    plain = vehicle.weigh(weighting.metric, None)
    origins = [Position(2, 0.5)]
    for reverse in (False, True):
        swept = costs_around(vehicle, weighting, origins, 10**6, reverse)
        found = costs_around(vehicle, plain, origins, 10**6, reverse)
        assert swept.vertices is None and found.vertices is not None
        assert np.array_equal(swept.cost, found.cost)


def shapes(costs: Costs, limits: list[float], lines: bool) -> Any:
    return shapes_within(engine(0)._network, parts_of(0)[1], costs, limits, lines)


def test_shapes() -> None:
    """One list for each limit, in their order: lines, or polygons as rings with the shell first."""
    vehicle, weighting = parts_of(0)
    costs = costs_around(vehicle, weighting, [Position(0, 0.5)], 10_000, False)
    far, near, nothing = shapes(costs, [10_000, 800, 0], lines=True)
    for line in [*far, *near]:
        assert line.dtype == np.float64 and line.ndim == 2 and line.shape[1] == 2
        assert len(line) >= 2
    assert len(far) > len(near) >= 1
    length = [
        sum(np.hypot(*np.diff(line, axis=0).T).sum() for line in some) for some in (far, near)
    ]
    assert length[0] > 2 * length[1] > 0
    assert sum(np.hypot(*np.diff(line, axis=0).T).sum() for line in nothing) < 1e-6
    polygons = shapes(costs, [10_000, 800], lines=False)
    assert len(polygons) == 2 and all(polygons)
    for shell in (polygon[0] for some in polygons for polygon in some):
        assert shell.shape[1] == 2 and (shell[0] == shell[-1]).all()


def test_points_at_one_place(tmp_path: Path) -> None:
    """A road whose shape has two nodes at one place is cut before, there, and behind."""
    osm = tmp_path / "repeated.osm"
    lon = {1: 10.0, 2: 10.005, 3: 10.005, 4: 10.01, 5: 10.02}
    nodes = "".join(f'<node id="{i}" lat="50" lon="{x}"/>' for i, x in lon.items())
    ways = "".join(
        f'<way id="{i}">{"".join(f"<nd ref={chr(34)}{n}{chr(34)}/>" for n in nodes_of)}'
        '<tag k="highway" v="residential"/></way>'
        for i, nodes_of in enumerate([(1, 5), (5, 2, 3, 4)], 1)
    )
    osm.write_text(f'<osm version="0.6">{nodes}{ways}</osm>')
    build_dataset(osm, tmp_path / "repeated.whimbrel", workers=1)
    engine = Engine.open(tmp_path / "repeated.whimbrel")
    for limit in range(5, 800, 15):
        (lines,) = engine.isochrone(10.012, 50, durations_s=[limit], lines=True).shapes
        (areas,) = engine.isochrone(10.012, 50, durations_s=[limit]).shapes
        assert lines and areas
        assert all((np.abs(np.diff(line, axis=0)) > 0).any() for line in lines)
