"""The crossings that a path passes: which roads leave there, in which direction, open or not."""

from typing import NamedTuple

import numpy as np

from gis.arrays import F64, I64, U8, U32, Bool, freeze
from gis.jit import inner_kernel, int64, plain_kernel
from gis.network.road_class import RoadClass
from gis.network.road_network import RoadNetwork
from gis.osm.tagsets import TagSets
from gis.profiles.verdicts import CIRCULAR, ROUNDABOUT, RoadUse
from routing.graph.turn_graph import TurnGraph
from routing.guidance.bearings import (
    MINOR,
    MOTORWAY,
    RING,
    Shapes,
    Sketch,
    head_of,
    new_sketch,
    perceived_bearing,
)
from routing.guidance.drafts import Crossing, Road
from routing.guidance.facts import CARRIED
from routing.guidance.silent import (
    NOTHING,
    SILENT,
    WEIGH,
    alike,
    judge,
    judge_beside,
    off_straight,
)

_MAX_AHEAD = 10
"""Nodes where no other road leaves are passed by on the way to the next crossing, so many."""

NO_ROAD = -1
NO_TURN = -1


class Turns(NamedTuple):
    """The turns of a vehicle, as in `TurnGraph`."""

    first_turn: U32
    turn_head: U32
    vertex_arc: U32


class Found(NamedTuple):
    """Roads of K nodes, R in all; the roads of a node ascend by bearing.

    ``first`` int64 (K + 1,) are offsets into ``arc`` int64 (R,), ``bearing`` float64 (R,) and
    ``entry`` bool (R,); ``came_in`` and ``out`` int64 (K,) count from ``first``, NO_ROAD if none.
    ``turn`` int64 (K,) is the turn taken, NO_TURN if the turn graph has none. ``plain`` uint8 (K,)
    is WEIGH, SILENT or NOTHING.
    """

    first: I64
    arc: I64
    bearing: F64
    entry: Bool
    came_in: I64
    out: I64
    turn: I64
    plain: U8


@inner_kernel
def _find_turn(turns: Turns, from_arc: int, to_arc: int) -> int:
    """The turn from an arc to another, or NO_TURN."""
    for turn in range(turns.first_turn[from_arc], turns.first_turn[from_arc + 1]):
        if turns.vertex_arc[turns.turn_head[turn]] == to_arc:
            return turn
    return NO_TURN


@plain_kernel
def bearing_of(shapes: Shapes, arc: int, sketch: Sketch) -> float:
    """`perceived_bearing` for Python."""
    return perceived_bearing(shapes, arc, 0, sketch)


@inner_kernel
def _most_lanes(shapes: Shapes, node: int) -> int:
    """The lanes of the widest road at a node, 0 if no number is known."""
    most = 0
    for i in range(shapes.first_out[node], shapes.first_out[node + 1]):
        most = max(most, int64(shapes.lanes[shapes.edge_label[shapes.out_arc[i] >> 1]]))
    return most


@inner_kernel
def _weigh(shapes: Shapes, before: int, after: int, found: Found, k: int, stop: int) -> int:
    """Whether anything has to be weighed at a node whose roads end at ``stop``."""
    start = found.first[k]
    if found.came_in[k] == NO_ROAD or found.out[k] == NO_ROAD:
        return WEIGH
    if stop - start == 2:
        return NOTHING if alike(shapes, before, after) else WEIGH
    came_in, out = start + found.came_in[k], start + found.out[k]
    back = found.bearing[came_in]
    plain = judge(shapes, before, after, back, found.bearing[out])
    off = off_straight(found.bearing[out], back)
    for i in range(start, stop):
        if plain == WEIGH:
            break
        if i != came_in and i != out:
            offs = off, off_straight(found.bearing[i], back)
            judged = judge_beside(shapes, before, found.arc[i], found.entry[i], offs)
            plain = judged if judged != NOTHING else plain
    return plain


@plain_kernel
def find_roads(turns: Turns, shapes: Shapes, arcs: I64, found: Found, sketch: Sketch) -> int:
    """Fill the roads at the node before each arc but the first; their number.

    A road is open in some direction. Arcs that do not meet at a node have no roads between them.
    """
    n = 0
    for k in range(1, len(arcs)):
        before, after = arcs[k - 1], arcs[k]
        node = head_of(shapes, before)
        start = n
        lanes = _most_lanes(shapes, node)
        found.first[k - 1] = n
        for i in range(shapes.first_out[node], shapes.first_out[node + 1]):
            arc = int64(shapes.out_arc[i])
            if not (shapes.open_arc[arc] or shapes.open_arc[arc ^ 1]):
                continue
            bearing = perceived_bearing(shapes, arc, lanes, sketch)
            turn = _find_turn(turns, before, arc)
            entry = turn != NO_TURN or arc == after
            place = n
            while place > start and found.bearing[place - 1] > bearing:
                found.bearing[place] = found.bearing[place - 1]
                found.arc[place], found.entry[place] = found.arc[place - 1], found.entry[place - 1]
                place -= 1
            found.arc[place], found.bearing[place], found.entry[place] = arc, bearing, entry
            n += 1
        found.came_in[k - 1] = found.out[k - 1] = NO_ROAD
        found.turn[k - 1] = _find_turn(turns, before, after)
        for i in range(start, n):
            if found.arc[i] == before ^ 1:
                found.came_in[k - 1] = i - start
            if found.arc[i] == after:
                found.out[k - 1] = i - start
        found.plain[k - 1] = _weigh(shapes, before, after, found, k - 1, n)
    found.first[len(arcs) - 1] = n
    return n


class Junctions:
    """The crossings along paths of a vehicle."""

    def __init__(
        self, network: RoadNetwork, roads: RoadUse, graph: TurnGraph, open_arc: Bool
    ) -> None:
        self._network = network
        self._shapes = Shapes(
            network.first_point,
            network.point_lon,
            network.point_lat,
            network.edge_tail,
            network.edge_head,
            network.edge_tagset,
            network.edge_label,
            network.first_out,
            network.out_arc,
            freeze(open_arc),
            manners(network.way_class, roads.way_flags),
            specials(network.way_class, roads),
            lane_counts(network.labels),
        )
        self._turns = Turns(graph.first_turn, graph.turn_head, graph.vertex_arc)

    def arcs_at(self, node: int) -> list[int]:
        """The arcs that leave a node, of roads that are open in some direction."""
        first = self._network.first_out
        arcs: list[int] = self._network.out_arc[first[node] : first[node + 1]].tolist()
        is_open = self._shapes.open_arc
        return [arc for arc in arcs if is_open[arc] or is_open[arc ^ 1]]

    def head(self, arc: int) -> int:
        """The node where an arc ends."""
        network = self._network
        return int((network.edge_tail if arc & 1 else network.edge_head)[arc >> 1])

    def points(self, arc: int) -> list[tuple[int, int]]:
        """The shape of an arc, longitudes and latitudes in 1e-7 degree."""
        network = self._network
        first, stop = network.first_point[arc >> 1], network.first_point[(arc >> 1) + 1]
        lon, lat = network.point_lon[first:stop].tolist(), network.point_lat[first:stop].tolist()
        points = list(zip(lon, lat, strict=True))
        return points[::-1] if arc & 1 else points

    def bearing(self, arc: int) -> float:
        """The direction in which an arc leaves, as drivers perceive it."""
        return float(bearing_of(self._shapes, arc, new_sketch()))

    def roads_at(self, node: int) -> list[Road]:
        """The roads of a node, ascending by bearing, all of them closed."""
        roads = [Road(arc, self.bearing(arc), False) for arc in self.arcs_at(node)]
        return sorted(roads, key=lambda road: road.bearing)

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

        Between arcs that do not meet at a node there is a crossing without one, and NO_TURN.
        """
        found, node = self._find(arcs)
        columns = found.first, found.arc, found.bearing, found.entry, found.came_in, found.out
        first, arc, bearing, entry, came_in, out = (column.tolist() for column in columns)
        plain = found.plain.tolist()
        crossings = []
        for k, at_node in enumerate(node.tolist()):
            if plain[k] == NOTHING:
                continue
            start, stop = first[k], first[k + 1]
            if out[k] == NO_ROAD:
                crossings.append(Crossing(-1, k + 1, [], None, None))
                continue
            roads = [Road(arc[i], bearing[i], entry[i]) for i in range(start, stop)]
            crossing = Crossing(at_node, k + 1, roads, came_in[k], out[k])
            crossing.is_silent = plain[k] == SILENT
            crossings.append(crossing)
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
            np.empty(n, np.uint8),
        )
        if n:
            find_roads(self._turns, self._shapes, freeze(arcs), found, new_sketch())
        return found, node


_NORMAL_WIDTH = 2
_WIDTHS = {
    RoadClass.MOTORWAY: MOTORWAY,
    RoadClass.MOTORWAY_LINK: MOTORWAY,
    RoadClass.TRUNK: MOTORWAY,
    RoadClass.TRUNK_LINK: MOTORWAY,
    RoadClass.PRIMARY: 3,
}
"""How far lanes may be drawn from the middle of a road, in halves of their width."""


def manners(way_class: U8, way_flags: U8) -> U8:
    """How to look at roads by their tag sets (S,), see `Shapes`."""
    by_class = np.full(len(RoadClass), _NORMAL_WIDTH, np.uint8)
    for kind, width in _WIDTHS.items():
        by_class[kind] = width
    by_class[RoadClass.SERVICE :] = MINOR
    manner = by_class[way_class]
    manner[(way_flags & (ROUNDABOUT | CIRCULAR)) > 0] = RING
    return freeze(manner)


def lane_counts(labels: TagSets) -> U8:
    """The number of lanes by label, 0 where none is told; a byte each."""
    count = np.zeros(len(labels), np.uint8)
    owner = np.repeat(np.arange(len(labels)), np.diff(labels.first_tag))
    for key in np.unique(labels.key).tolist():
        if labels.string(key) != "lanes":
            continue
        chosen = labels.key == key
        values, which = np.unique(labels.value[chosen], return_inverse=True)
        texts = [labels.string(value) for value in values.tolist()]
        numbers = [int(t) if t.isascii() and t.isdigit() and len(t) < 3 else 0 for t in texts]
        count[owner[chosen]] = np.array(numbers, np.uint8)[which]
    return freeze(count)


def specials(way_class: U8, roads: RoadUse) -> Bool:
    """Which tag sets (S,) are of links or of what carries vehicles."""
    link = (way_class <= RoadClass.TERTIARY_LINK) & (way_class % 2 == 1)
    carried = np.isin(roads.forward_mode, CARRIED) | np.isin(roads.backward_mode, CARRIED)
    return freeze(link | carried)
