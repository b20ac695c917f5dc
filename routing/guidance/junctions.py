"""The crossings that a path passes: which roads leave there, in which direction, open or not."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I32, I64, U32, Bool, freeze
from gis.geodesy import bearing_deg, distance_m, lon_difference, normal_lon
from gis.jit import inner_kernel, int64, plain_kernel
from gis.network.road_network import RoadNetwork
from routing.graph.turn_graph import TurnGraph
from routing.guidance.drafts import Crossing, Road

LOOKAHEAD_M = 15.0
"""A road leads where it is after so many metres: small kinks at its beginning do not count."""

_MAX_AHEAD = 10
"""Nodes where no other road leaves are passed by on the way to the next crossing, so many."""

NO_ROAD = -1
NO_TURN = -1


class Layout(NamedTuple):
    """What the kernel reads: shapes, incidences, and the turns of a vehicle."""

    edge_tail: U32
    edge_head: U32
    first_point: U32
    lon: I32
    lat: I32
    first_out: U32
    out_arc: U32
    first_turn: U32
    turn_head: U32
    vertex_arc: U32
    open_arc: Bool


class Found(NamedTuple):
    """Roads of K nodes, R in all; the roads of a node ascend by bearing.

    ``first`` int64 (K + 1,) are offsets into ``arc`` int64 (R,), ``bearing`` float64 (R,) and
    ``entry`` bool (R,); ``came_in`` and ``out`` int64 (K,) count from ``first``, NO_ROAD if none.
    ``turn`` int64 (K,) is the turn taken, NO_TURN if the turn graph has none.
    """

    first: I64
    arc: I64
    bearing: F64
    entry: Bool
    came_in: I64
    out: I64
    turn: I64


@inner_kernel
def _perceived_bearing(layout: Layout, arc: int) -> float:
    """Direction of the point that lies LOOKAHEAD_M along an arc, or at its end."""
    origin: Any = np.int64(layout.first_point[arc >> 1])
    last: Any = np.int64(layout.first_point[(arc >> 1) + 1]) - 1
    step = 1
    if arc & 1:
        origin, last, step = last, origin, -1
    x, y = layout.lon[origin], layout.lat[origin]
    left_m = LOOKAHEAD_M
    i = origin
    to_x, to_y = float(x), float(y)
    while i != last:
        a_x, a_y = layout.lon[i], layout.lat[i]
        i += step
        b_x, b_y = layout.lon[i], layout.lat[i]
        length_m = distance_m(a_x, a_y, b_x, b_y)
        if length_m >= left_m:
            part = left_m / length_m
            to_x = normal_lon(a_x + part * lon_difference(a_x, b_x))
            to_y = a_y + part * (float(b_y) - float(a_y))
            break
        left_m -= length_m
        to_x, to_y = float(b_x), float(b_y)
    return bearing_deg(x, y, round(to_x), round(to_y))


@inner_kernel
def _find_turn(layout: Layout, from_arc: int, to_arc: int) -> int:
    """The turn from an arc to another, or NO_TURN."""
    for turn in range(layout.first_turn[from_arc], layout.first_turn[from_arc + 1]):
        if layout.vertex_arc[layout.turn_head[turn]] == to_arc:
            return turn
    return NO_TURN


@plain_kernel
def bearing_of(layout: Layout, arc: int) -> float:
    """`_perceived_bearing` for Python."""
    return _perceived_bearing(layout, arc)


@plain_kernel
def find_roads(layout: Layout, arcs: I64, found: Found) -> int:
    """Fill the roads at the node before each arc but the first; their number.

    A road is open in some direction. Arcs that do not meet at a node have no roads between them.
    """
    n = 0
    for k in range(1, len(arcs)):
        before, after = arcs[k - 1], arcs[k]
        ends = layout.edge_tail if before & 1 else layout.edge_head
        node = int64(ends[before >> 1])
        start = n
        found.first[k - 1] = n
        for i in range(layout.first_out[node], layout.first_out[node + 1]):
            arc = int64(layout.out_arc[i])
            if not (layout.open_arc[arc] or layout.open_arc[arc ^ 1]):
                continue
            bearing = _perceived_bearing(layout, arc)
            turn = _find_turn(layout, before, arc)
            entry = turn != NO_TURN or arc == after
            place = n
            while place > start and found.bearing[place - 1] > bearing:
                found.bearing[place] = found.bearing[place - 1]
                found.arc[place], found.entry[place] = found.arc[place - 1], found.entry[place - 1]
                place -= 1
            found.arc[place], found.bearing[place], found.entry[place] = arc, bearing, entry
            n += 1
        found.came_in[k - 1] = found.out[k - 1] = NO_ROAD
        found.turn[k - 1] = _find_turn(layout, before, after)
        for i in range(start, n):
            if found.arc[i] == before ^ 1:
                found.came_in[k - 1] = i - start
            if found.arc[i] == after:
                found.out[k - 1] = i - start
    found.first[len(arcs) - 1] = n
    return n


class Junctions:
    """The crossings along paths of a vehicle."""

    def __init__(self, network: RoadNetwork, graph: TurnGraph, open_arc: Bool) -> None:
        self._network = network
        self._layout = Layout(
            network.edge_tail,
            network.edge_head,
            network.first_point,
            network.point_lon,
            network.point_lat,
            network.first_out,
            network.out_arc,
            graph.first_turn,
            graph.turn_head,
            graph.vertex_arc,
            freeze(open_arc),
        )

    def arcs_at(self, node: int) -> list[int]:
        """The arcs that leave a node, of roads that are open in some direction."""
        first = self._network.first_out
        arcs: list[int] = self._network.out_arc[first[node] : first[node + 1]].tolist()
        is_open = self._layout.open_arc
        return [arc for arc in arcs if is_open[arc] or is_open[arc ^ 1]]

    def head(self, arc: int) -> int:
        """The node where an arc ends."""
        network = self._network
        return int((network.edge_tail if arc & 1 else network.edge_head)[arc >> 1])

    def bearing(self, arc: int) -> float:
        """The direction in which an arc leaves, as drivers perceive it."""
        return float(bearing_of(self._layout, arc))

    def ahead(self, arc: int) -> Crossing | None:
        """The crossing that one comes to at the end of a road, its ``out`` unknown."""
        for _ in range(_MAX_AHEAD):
            (crossing,), turns = self.along(np.array([arc, arc ^ 1], np.int64))
            crossing.out = None
            if crossing.came_in is None:
                return None
            crossing.roads[crossing.came_in].entry = bool(turns[0] != NO_TURN)
            if len(crossing.roads) > 2:
                return crossing
            onward = [road.arc for road in crossing.roads if road.arc != arc ^ 1 and road.entry]
            if not onward:
                return None
            arc = onward[0]
        return None

    def along(self, arcs: I64) -> tuple[list[Crossing], I64]:
        """The nodes between the k arcs of a path as crossings, and the turns taken (k - 1,).

        Where the path turns around in the middle of a road, there is a crossing without a node,
        and NO_TURN.
        """
        found, node = self._find(arcs)
        columns = found.first, found.arc, found.bearing, found.entry, found.came_in, found.out
        first, arc, bearing, entry, came_in, out = (column.tolist() for column in columns)
        crossings = []
        for k, at_node in enumerate(node.tolist()):
            start, stop = first[k], first[k + 1]
            if out[k] == NO_ROAD:
                crossings.append(Crossing(-1, k + 1, [], None, None))
                continue
            roads = [Road(arc[i], bearing[i], entry[i]) for i in range(start, stop)]
            crossings.append(Crossing(at_node, k + 1, roads, came_in[k], out[k]))
        return crossings, found.turn

    def _find(self, arcs: I64) -> tuple[Found, I64]:
        """The roads at the nodes between the arcs, and these nodes."""
        network, n = self._network, len(arcs) - 1
        edge = arcs[:-1] >> 1
        node = np.where(arcs[:-1] & 1, network.edge_tail[edge], network.edge_head[edge])
        node = node.astype(np.int64)
        room = int((network.first_out[node + 1] - network.first_out[node]).sum(dtype=np.int64))
        found = Found(
            np.zeros(n + 1, np.int64),
            np.empty(room, np.int64),
            np.empty(room),
            np.empty(room, np.bool_),
            np.empty(n, np.int64),
            np.empty(n, np.int64),
            np.empty(n, np.int64),
        )
        if n:
            find_roads(self._layout, freeze(arcs), found)
        return found, node
