"""The turns that a tile shows, as the layer that OSRM calls ``turns``."""

import numpy as np

from gis.arrays import I64, freeze, ranges
from gis.network.road_network import RoadNetwork
from gis.tiles.encoding import POINT, Column, Layer, draw_points
from gis.tiles.grid import Tile, is_shown, place_points
from routing.guidance.guide import Guide
from routing.metric import CS_PER_S
from routing.tiles.roads import Roads, is_open
from routing.weighting import Weighting

TURNS_ZOOM = 15
"""From here on tiles hold turns."""


def turns_layer(
    network: RoadNetwork, roads: Roads, weighting: Weighting, guide: Guide, tile: Tile
) -> Layer:
    """The turns at nodes of a tile from its roads to any other, but for those straight back.

    That one may be taken is not to say that any road leads to it.
    """
    before = _open_arcs(roads, weighting)
    node = np.where(before & 1, network.edge_tail[before >> 1], network.edge_head[before >> 1])
    lon, lat = freeze(network.node_lon[node]), freeze(network.node_lat[node])
    x, y = place_points(tile, lon, lat)
    shown = np.flatnonzero(is_shown(x, y))
    graph = weighting.graph
    first = graph.first_turn[before[shown]].astype(np.int64)
    count = graph.first_turn[before[shown] + 1].astype(np.int64) - first
    turn, row = ranges(first, count), np.repeat(shown, count)
    after = graph.vertex_arc[graph.turn_head[turn]].astype(np.int64)
    kept = is_open(weighting.metric, after) & (after != before[row] ^ 1)
    turn, row, after = turn[kept], row[kept], after[kept]
    found = guide.single_turns(np.column_stack([before[row], after]))
    costs = weighting.metric.turn_costs(graph.turn_cost)[turn]
    seconds = Column.of("float_value", np.rint(costs / (CS_PER_S / 10)) / 10)
    types, modifiers, bearings, angles = zip(*found, strict=True) if found else ((), (), (), ())
    columns = {
        "bearing_in": Column.of("sint_value", np.array(bearings, np.int64)),
        "turn_angle": Column.of("sint_value", np.array(angles, np.int64)),
        "cost": seconds,
        "weight": seconds,
        "type": Column.of("string_value", np.array(types, np.str_)),
        "modifier": Column.of("string_value", np.array(modifiers, np.str_)),
    }
    return Layer("turns", POINT, draw_points(x[row], y[row]), columns, np.arange(1, len(turn) + 1))


def _open_arcs(roads: Roads, weighting: Weighting) -> I64:
    """Both directions of roads, as far as they are open."""
    arcs = np.unique(np.concatenate([roads.arc, roads.arc ^ 1]))
    return arcs[is_open(weighting.metric, arcs)]
