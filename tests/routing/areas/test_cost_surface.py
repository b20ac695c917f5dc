import numpy as np
import pytest
from graphs import SearchWorld, lattice_worlds, search_worlds
from hypothesis import given, settings
from hypothesis import strategies as st

from gis.arrays import INF
from gis.snap_index import SnapIndex, build_snap_index
from routing.areas.cost_surface import Surface, build_surface, check_surface
from routing.areas.reach import find_reach
from routing.search.dijkstra import SearchState, shortest_path_tree, turns_of
from routing.search.seeds import Place, Position, source_seeds


def samples_of(index: SnapIndex, cost: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Places all along the open edges: x and y in 1e-7 degree, and the cost from both ends."""
    found = []
    for edge in range(len(weight) // 2):
        a, b = index.first_point[edge : edge + 2].tolist()
        if weight[2 * edge] == INF and weight[2 * edge + 1] == INF:
            continue
        x, y = index.point_lon[a:b].astype(float), index.point_lat[a:b].astype(float)
        walked = np.concatenate([[0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
        for part in np.linspace(0, 1, 41):
            ways = [
                int(cost[arc]) + gone * int(weight[arc])
                for arc, gone in ((2 * edge, part), (2 * edge + 1, 1 - part))
                if cost[arc] < INF
            ]
            at = part * walked[-1]
            place = np.interp(at, walked, x), np.interp(at, walked, y)
            found.append((*place, min([*ways, INF])))
    return np.array(found).reshape(-1, 3)


def place_arrays(surface: Surface) -> tuple[np.ndarray, ...]:
    place = surface.place
    return (place & 32767) / 32, (place >> 15 & 32767) / 32, place >> 30


@pytest.mark.compiled
@settings(max_examples=10)
@given(search_worlds(max_weight=900, of=lattice_worlds(side=6)), st.data())
def test_each_node_knows_the_nearest_place(world: SearchWorld, data: st.DataObject) -> None:
    """As near as the nearest of many samples, to a cell and half: each node keeps only one place.

    All roads lie near the equator, where the sides of a degree are equal within a percent.
    """
    network, graph, metric = world
    arcs = np.flatnonzero(metric.weight < INF).tolist()
    if not arcs:
        return
    origin = Position(data.draw(st.sampled_from(arcs)), 0.0)
    limit = data.draw(st.integers(100, 5000))
    index = build_snap_index(network)
    seeds = source_seeds(graph, metric, [Place(*origin)])
    cost, _ = shortest_path_tree(SearchState(graph), graph, metric, seeds)
    reach = find_reach(turns_of(graph, metric), cost, [origin], limit)
    surface = build_surface(index, network.edge_length_m, metric.weight, reach)
    check_surface(surface)
    frame = surface.frame
    n_arcs = len(metric.weight)
    best = cost[:n_arcs].copy()
    np.minimum.at(best, graph.vertex_arc, cost)
    best[best >= limit] = INF
    samples = samples_of(index, best, metric.weight)
    x = (samples[:, 0] - frame.middle - frame.west) / frame.lon_step
    y = (samples[:, 1] - frame.south) / frame.lat_step
    handicap = np.minimum(samples[:, 2].astype(np.int64) >> frame.shift, 1024) / 1024
    row, column = np.divmod(np.arange(len(surface.place)), frame.columns)
    to_samples = (x - column[:, None]) ** 2 + (y - row[:, None]) ** 2
    nearest_reached = np.sqrt(to_samples[:, samples[:, 2] < limit].min(axis=1, initial=np.inf))
    found_x, found_y, found_cost = place_arrays(surface)
    found_2 = (found_x - column) ** 2 + (found_y - row) ** 2
    power = found_2 + np.minimum(found_cost >> frame.shift, 1024) / 1024
    matters = nearest_reached < frame.spread
    # The origin's own road ahead costs nothing of what the samples know, so it only lowers costs.
    expected = (to_samples + handicap).min(axis=1)
    slack = 2 * np.sqrt(expected) * 1.5 + 1.5**2 + 0.5
    assert (power[matters] <= (expected + slack)[matters]).all()
    # And it is a place on a road.
    gap = np.hypot(found_x[:, None] - x, found_y[:, None] - y).min(axis=1)
    assert (gap[matters] < 0.6).all()
    assert matters.any() or not (best < limit).any()


def test_the_handicap_keeps_the_road_that_is_reached_first() -> None:
    """One cell away, a road that is not reached does not cut off the ground of one that is."""
    # Covered where it matters by the areas of a city: here only the figures are pinned.
    from routing.areas.cost_surface import power

    reached, other = 100 << 30 | (32 * 7) << 15 | 32 * 5, INF << 30 | (32 * 7) << 15 | 32 * 6
    at_other = (32 * 6, 32 * 7)
    assert power(other, *at_other, 0) == 1024
    assert power(reached, *at_other, 0) == 1024 + 100
    assert power(reached, *at_other, 7) == 1024
