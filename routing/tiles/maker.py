"""Tiles of a network, for each of its vehicles."""

from collections.abc import Callable

import numpy as np

from gis.arrays import AnyArray, freeze, ranges
from gis.network.names import NamePool
from gis.network.road_network import RoadNetwork
from gis.snap_index import SnapIndex
from gis.tiles.encoding import LINE, POINT, Column, Layer, draw_points, encode_tile
from gis.tiles.grid import Tile, box_of, is_shown, place_points
from gis.tiles.levels import ALL_ROADS_ZOOM, MAX_ZOOM, MIN_ZOOM, TOLERANCE, Level, level_of
from gis.tiles.lines import Lines, draw_lines
from gis.tiles.selection import edges_within
from routing.errors import InvalidInput
from routing.graph.components import ARC_END, ARC_START, ARC_STARTPOINT
from routing.guidance.guide import Guide
from routing.tiles.chains import join_chains
from routing.tiles.roads import (
    CLASS_WORDS,
    LIVE_SOURCE,
    PROFILE_SOURCE,
    Roads,
    class_of,
    find_roads,
    rates,
    speeds_kmh,
    tenths_of_seconds,
)
from routing.tiles.turns import TURNS_ZOOM, turns_layer
from routing.vehicle import Vehicle
from routing.weighting import Weighting

_NAMES_ZOOM = 10
"""From here on roads have names."""
_SPEED_STEP = 5.0
"""Below ``ALL_ROADS_ZOOM`` speeds are multiples of this, so that roads go on in one another."""
_SPEED_BITS, _LABEL_BITS = 10, 32
_ALL_NODES_ZOOM = 14
"""From here on tiles hold all nodes along the roads, before only those where roads end."""


class TileMaker:
    """Makes tiles; threads may share it. What a zoom shows is found when it is first asked for."""

    def __init__(self, network: RoadNetwork, index: SnapIndex) -> None:
        self._network, self._index = network, index
        self._names = NamePool(network.labels)
        self._levels: dict[int, Level] = {}

    def make(
        self,
        vehicle: Vehicle,
        weighting: Weighting,
        guide: Callable[[], Guide],
        tile: Tile,
    ) -> bytes:
        """A tile of what a vehicle may use, empty if that is nothing."""
        _check_tile(tile)
        level = self._level(tile.zoom)
        found = edges_within(level.index, box_of(tile))
        if not len(found):
            return b""
        own, edge = vehicle.prepared.metric, level.edges(found)
        roads = find_roads(own, weighting.metric, edge, weighting.live_arcs)
        if not len(roads.arc):
            return b""
        if tile.zoom < ALL_ROADS_ZOOM:
            return encode_tile([self._overview(level, roads, weighting, tile)])
        layers = [self._speeds(vehicle, roads, weighting, tile), self._nodes(roads, tile)]
        if tile.zoom >= TURNS_ZOOM:
            layers.insert(1, turns_layer(self._network, roads, weighting, guide(), tile))
        return encode_tile(layers)

    def _level(self, zoom: int) -> Level:
        shared = min(zoom, ALL_ROADS_ZOOM)
        level = self._levels.get(shared)
        if level is None:
            level = self._levels[shared] = level_of(self._network, self._index, shared)
        return level

    def _speeds(self, vehicle: Vehicle, roads: Roads, weighting: Weighting, tile: Tile) -> Layer:
        """Every road for itself, with all that OSRM tells of it."""
        now, arc = weighting.metric, roads.arc
        flags = vehicle.prepared.components.arc_flags[arc]
        connected = ARC_START | ARC_END
        columns = {
            "speed": Column.of("uint_value", np.rint(speeds_kmh(roads, now)).astype(np.int64)),
            "is_small": Column.of("bool_value", flags & connected != connected),
            "datasource": _sources(roads.is_live),
            "weight": Column.of("double_value", tenths_of_seconds(now.weight[arc], roads.is_open)),
            "duration": Column.of(
                "double_value", tenths_of_seconds(now.duration_cs[arc], roads.is_open)
            ),
            "name": self._name_column(self._network.edge_label[arc >> 1]),
            "rate": Column.of("double_value", rates(roads, now)),
            "is_startpoint": Column.of("bool_value", flags & ARC_STARTPOINT > 0),
            "class": _classes(class_of(self._network, arc)),
            "oneway": Column.of("bool_value", roads.oneway),
        }
        n = len(arc)
        each = freeze(np.arange(n + 1, dtype=np.uint32))
        lines = Lines(each, each, freeze(arc.astype(np.uint32)))
        return Layer("speeds", LINE, draw_lines(self._index, lines, tile, 0.0), columns, arc + 1)

    def _overview(self, level: Level, roads: Roads, weighting: Weighting, tile: Tile) -> Layer:
        """Roads that are alike as one, each with what a map of a large area needs."""
        network = self._network
        edge = roads.arc >> 1
        named = tile.zoom >= _NAMES_ZOOM
        label = network.edge_label[edge].astype(np.int64) if named else np.zeros_like(edge)
        step = speeds_kmh(roads, weighting.metric) / _SPEED_STEP
        speed = np.where(roads.is_open, np.maximum(np.rint(step), 1.0), 0.0).astype(np.int64)
        attributes = (
            (class_of(network, roads.arc).astype(np.int64), 5),
            (np.minimum(speed, 2**_SPEED_BITS - 1), _SPEED_BITS),
            (roads.is_live.astype(np.int64), 1),
            (roads.oneway.astype(np.int64), 1),
            (roads.both_ways.astype(np.int64), 1),
            (label, _LABEL_BITS),
        )
        code = np.zeros(len(edge), np.int64)
        for values, bits in attributes:
            code = code << bits | values
        backward = roads.arc & 1 == 1
        tail, head = network.edge_tail[edge], network.edge_head[edge]
        ends = np.where(backward, head, tail), np.where(backward, tail, head)
        arc = (2 * level.numbers(edge) + backward).astype(np.uint32)
        chains = join_chains(arc, code, *ends, roads.both_ways)
        first_line = np.flatnonzero(np.diff(chains.key, prepend=-1))
        lines = Lines(
            freeze(np.append(first_line, len(chains.key)).astype(np.uint32)),
            freeze(chains.first_arc.astype(np.uint32)),
            freeze(chains.arc),
        )
        key = chains.key[first_line]
        fields = []
        for _, bits in reversed(attributes):
            fields.append(key & (2**bits - 1))
            key = key >> bits
        labels, _, oneway, is_live, speed, kind = fields
        columns = {
            "speed": Column.of("uint_value", speed * int(_SPEED_STEP)),
            "datasource": _sources(is_live > 0),
            "class": _classes(kind),
            "oneway": Column.of("bool_value", oneway > 0),
        }
        if named:
            columns["name"] = self._name_column(labels)
        return Layer("speeds", LINE, draw_lines(level.index, lines, tile, TOLERANCE), columns)

    def _name_column(self, label: AnyArray) -> Column:
        labels, index = np.unique(label, return_inverse=True)
        return Column(
            "string_value", [self._names.name(number) for number in labels.tolist()], index
        )

    def _nodes(self, roads: Roads, tile: Tile) -> Layer:
        """The nodes of OpenStreetMap along the roads."""
        network = self._network
        edge = np.unique(roads.arc >> 1)
        first = network.first_point[edge].astype(np.int64)
        stop = network.first_point[edge + 1].astype(np.int64)
        if tile.zoom >= _ALL_NODES_ZOOM:
            point = ranges(first, stop - first)
        else:
            point = np.concatenate([first, stop - 1])
        lon, lat = freeze(network.point_lon[point]), freeze(network.point_lat[point])
        x, y = place_points(tile, lon, lat)
        shown = np.flatnonzero(is_shown(x, y))
        ids, one = np.unique(network.point_id[point[shown]], return_index=True)
        return Layer("osmnodes", POINT, draw_points(x[shown[one]], y[shown[one]]), {}, ids)


def _sources(is_live: AnyArray) -> Column:
    return Column("string_value", (PROFILE_SOURCE, LIVE_SOURCE), is_live.astype(np.int64))


def _classes(kind: AnyArray) -> Column:
    return Column("string_value", CLASS_WORDS, kind)


def _check_tile(tile: Tile) -> None:
    if not MIN_ZOOM <= tile.zoom <= MAX_ZOOM:
        raise InvalidInput(f"zoom is {tile.zoom}, expected {MIN_ZOOM} to {MAX_ZOOM}")
    side = 1 << tile.zoom
    if not (0 <= tile.x < side and 0 <= tile.y < side):
        raise InvalidInput(
            f"tile is {tile.x},{tile.y}, expected 0 to {side - 1} at zoom {tile.zoom}"
        )
