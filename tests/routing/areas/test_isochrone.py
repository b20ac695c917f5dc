from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shapely
from graphs import SearchWorld, lattice_worlds, search_worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from world import World

from gis.arrays import INF
from gis.geodesy import metres_per_unit
from gis.network.build import build_network
from gis.osm.read import read_osm
from gis.profiles.registry import apply_profile, get_profile, tag_selection
from gis.snap_index import SnapIndex, build_snap_index
from routing.areas.contour import Polygon
from routing.areas.isochrone import Costs, Roads, isochrone_areas, isochrone_lines
from routing.graph.turn_graph import build_turn_graph
from routing.metric import duration_metric
from routing.search.dijkstra import SearchState, shortest_path_tree, turns_of
from routing.search.seeds import Place, Position, source_seeds, target_seeds, vertices_of


def roads_of(world: SearchWorld) -> Roads:
    return Roads(build_snap_index(world.network), world.network.edge_length_m)


def costs_of(world: SearchWorld, origins: list[Position], backward: bool, limit: int) -> Costs:
    """A search as far as the limit, with the vertices that it came to."""
    _, graph, metric = world
    if backward:
        n_arcs = len(metric.weight)
        places = [Place(v, f) for arc, f in origins for v in vertices_of(graph, n_arcs, arc)]
        seeds = target_seeds(graph, metric, places)
    else:
        seeds = source_seeds(graph, metric, [Place(*origin) for origin in origins])
    cost, _ = shortest_path_tree(SearchState(graph), graph, metric, seeds, backward, limit)
    vertices = np.flatnonzero(cost < limit).astype(np.uint32)
    return Costs(turns_of(graph, metric, backward), origins, cost, vertices)


def samples_of(index: SnapIndex, is_wanted: np.ndarray, spacing_m: float) -> np.ndarray:
    """Longitudes and latitudes (n, 2) of places all along some edges, in degrees."""
    found = []
    for edge in np.flatnonzero(is_wanted).tolist():
        a, b = index.first_point[edge : edge + 2].tolist()
        points = np.stack([index.point_lon[a:b], index.point_lat[a:b]], axis=1) / 1e7
        for start, end in pairwise(points):
            n = int(np.hypot(*((end - start) * 1e5)) / spacing_m) + 2
            found.append(start + np.linspace(0, 1, n)[:, None] * (end - start))
    return np.concatenate(found) if found else np.empty((0, 2))


def multipolygon(polygons: list[Polygon]) -> shapely.MultiPolygon:
    return shapely.MultiPolygon([(rings[0], rings[1:]) for rings in polygons])


def check_areas(
    world: SearchWorld, origins: list[Position], limits: list[int], backward: bool
) -> int:
    """Areas are valid, lie within each other, and hold what is reached and nothing else.

    Up to a tolerance: places nearer than that to the border between what is reached and what is
    not may be on either side. Returns how many places had to be on one.
    """
    roads = roads_of(world)
    costs = costs_of(world, origins, backward, max(limits))
    found = isochrone_areas(roads, costs, limits)
    assert len(found) == len(limits)
    areas = [multipolygon(polygons) for polygons in found]
    for small, large in pairwise(areas):
        assert shapely.difference(small, large).area < 1e-15
    is_open = (world.metric.weight.reshape(-1, 2) < INF).any(axis=1)
    everything = samples_of(roads.shape, is_open, 20)
    box = shapely.total_bounds(areas)
    if not np.isnan(box).any():  # farther away, nothing can be inside
        is_near = (everything > box[:2] - 0.01) & (everything < box[2:] + 0.01)
        everything = everything[is_near.all(axis=1)]
    n_checked = 0
    for area, lines in zip(areas, isochrone_lines(roads, costs, limits), strict=True):
        assert area.is_valid and all(shapely.is_valid(polygon) for polygon in area.geoms)
        if not len(lines.lon):
            continue
        scale = np.array(metres_per_unit(float(lines.lat[0] * 1e7))) * 1e7
        extent_m = ((box[2:] - box[:2]) * scale).max()
        tolerance_m = 2.5 * max(extent_m / 400, 10) + 20
        points = np.stack([lines.lon, lines.lat], axis=1)
        pieces = np.split(points, lines.first_point[1:-1].astype(np.int64))
        reached_shape = shapely.MultiLineString(pieces)
        tree = shapely.STRtree(reached_shape.geoms)
        on_line = np.zeros(len(everything), np.bool_)
        on_line[tree.query(shapely.points(everything), "dwithin", 2e-7)[0]] = True
        # A short piece may lie between two samples, but its own points are reached, too.
        reached = np.concatenate([everything[on_line], points])
        others = everything[~on_line]
        outside_m = far_m(reached, others, scale)
        inside_m = far_m(others, reached, scale)
        assert shapely.contains_xy(area, reached[outside_m > tolerance_m]).all()
        assert not shapely.contains_xy(area, others[inside_m > tolerance_m]).any()
        n_checked += int((outside_m > tolerance_m).sum() + (inside_m > tolerance_m).sum())
    return n_checked


def far_m(places: np.ndarray, others: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Distance of each place from the nearest of the others."""
    if len(others) == 0 or len(places) == 0:
        return np.full(len(places), np.inf)
    distance: np.ndarray = cKDTree(others * scale).query(places * scale)[0]
    return distance


@pytest.mark.compiled
@settings(max_examples=25)
@given(search_worlds(max_weight=900, of=lattice_worlds()), st.data())
def test_areas_in_a_town_of_straight_streets(world: SearchWorld, data: st.DataObject) -> None:
    """Whatever is reached lies inside, in both directions."""
    arcs = np.flatnonzero(world.metric.weight < INF).tolist()
    if not arcs:
        return
    arc = data.draw(st.sampled_from(arcs))
    limit = data.draw(st.integers(1, 6000))
    origins = [Position(arc, data.draw(st.floats(0, 1)))]
    check_areas(world, origins, [limit // 2, limit], data.draw(st.booleans()))


def drawn(drawing: str, ways: str, metres: float) -> SearchWorld:
    world = World(drawing, ways, metres=metres)
    network, _ = world.network()
    (verdicts,) = world.verdicts()
    metric = duration_metric(network, verdicts)
    graph = build_turn_graph(network, verdicts, metric.open_arc)
    return SearchWorld(network, graph, metric)


RING = """
a - - - - - - b
|             |
|             |
|   x - - y   |
|             |
|             |
d - - - - - - c
"""


@pytest.mark.parametrize("metres", [100.0, 15.0])
def test_what_is_enclosed_and_not_reached_is_a_hole(metres: float) -> None:
    """A ring road around a road that nothing leads to, far away or as near as the ring spreads."""
    world = drawn(RING, "abcda highway=primary\nxy highway=primary", metres)
    origins = [Position(0, 0.0)]
    found = isochrone_areas(roads_of(world), costs_of(world, origins, False, INF), [10**6])
    ((shell, hole),) = found[0]
    area = multipolygon(found[0])
    assert area.is_valid and len(shell) > len(hole)
    index = roads_of(world).shape
    ring, inner = (samples_of(index, world.network.edge_way == way, 20) for way in (1001, 1002))
    assert shapely.contains_xy(area, ring).all() and not shapely.contains_xy(area, inner).any()


@pytest.mark.compiled
def test_areas_of_a_drawn_town() -> None:
    """Many places are far enough from the border that their side is known."""
    world = drawn(RING, "abcda highway=primary\nxy highway=primary", 100.0)
    for backward in (False, True):
        n = check_areas(world, [Position(0, 0.25)], [3000, 9000, 50_000], backward)
        assert n > 100


def test_areas_without_limits_or_roads() -> None:
    """A limit of zero reaches nothing; no limit is an error."""
    world = drawn("a - b", "ab highway=primary", 100.0)
    costs = costs_of(world, [Position(0, 0.5)], False, INF)
    found = isochrone_areas(roads_of(world), costs, [0, 100])
    assert found[0] == [] and len(found[1]) == 1
    with pytest.raises(ValueError, match="there are no limits"):
        isochrone_areas(roads_of(world), costs, [])


@pytest.mark.compiled
@pytest.mark.parametrize("backward", [False, True])
def test_areas_of_a_city(porto: Path, backward: bool) -> None:
    """Ten minutes around the middle of Porto, and less."""
    car = get_profile("car")
    tables = read_osm(porto, tag_selection([car]))
    verdicts = apply_profile(car, tables.way_tags, tables.node_tags, tables.relation_tags)
    network, _ = build_network(tables, [verdicts])
    metric = duration_metric(network, verdicts)
    world = SearchWorld(network, build_turn_graph(network, verdicts, metric.open_arc), metric)
    middle = np.abs(network.point_lon + 86_100_000) + np.abs(network.point_lat - 411_550_000)
    point = int(np.argmin(middle))
    edge = int(np.searchsorted(network.first_point, point, side="right")) - 1
    origins = [Position(arc, 0.5) for arc in (2 * edge, 2 * edge + 1) if metric.weight[arc] < INF]
    assert check_areas(world, origins, [30_000, 60_000], backward) > 50_000
