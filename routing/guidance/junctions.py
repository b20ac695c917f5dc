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

ACROSS, TO_LEFT, TO_RIGHT = 1, 2, 4
_ACROSS_DEG = 30.0
"""A road that deviates no more than that from straight on does not cross."""
_LEFT_FROM_DEG, _RIGHT_TO_DEG = 220.0, 140.0
"""Less is slightly so."""


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
    is WEIGH, SILENT or NOTHING. ``into`` and ``out_of`` uint8 (K,) tell how one turns from other
    roads into the one taken, and from the one on which one comes out into others: bits TO_LEFT and
    TO_RIGHT, and ACROSS if some of those are streets for one direction only that cross it.
    """

    first: I64
    arc: I64
    bearing: F64
    entry: Bool
    came_in: I64
    out: I64
    turn: I64
    plain: U8
    into: U8
    out_of: U8


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


@inner_kernel
def _ways(shapes: Shapes, found: Found, ends: tuple[int, int], piece: int, arrive: bool) -> int:
    """How one turns into a road from the others between two places, or out of it into them."""
    ways = 0
    for i in range(ends[0], ends[1]):
        arc = found.arc[i] ^ 1 if arrive else found.arc[i]
        if i == piece or not shapes.open_arc[arc]:
            continue
        turn = found.bearing[piece] - found.bearing[i]
        angle = (-turn if arrive else turn) % 360.0
        if 0.0 < angle < _RIGHT_TO_DEG:
            ways |= TO_RIGHT
        elif angle > _LEFT_FROM_DEG:
            ways |= TO_LEFT
        oneway = not shapes.open_arc[arc ^ 1]
        is_street = shapes.street[shapes.edge_tagset[arc >> 1]]
        if oneway and is_street and abs(angle - 180.0) >= _ACROSS_DEG:
            ways |= ACROSS
    return ways


@plain_kernel
def find_roads(turns: Turns, shapes: Shapes, pairs: I64, found: Found, sketch: Sketch) -> int:
    """Fill the roads at the nodes where the second arcs of pairs (K, 2) begin; their number.

    A road is open in some direction. Arcs that do not meet at a node have no roads between them.
    """
    n = 0
    for k in range(len(pairs)):
        before, after = pairs[k, 0], pairs[k, 1]
        node = head_of(shapes, before)
        start = n
        lanes = _most_lanes(shapes, node)
        found.first[k] = n
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
        found.came_in[k] = found.out[k] = NO_ROAD
        found.turn[k] = _find_turn(turns, before, after)
        found.into[k] = found.out_of[k] = 0
        for i in range(start, n):
            if found.arc[i] == before ^ 1:
                found.came_in[k] = i - start
                found.out_of[k] = _ways(shapes, found, (start, n), i, False)
            if found.arc[i] == after:
                found.out[k] = i - start
                found.into[k] = _ways(shapes, found, (start, n), i, True)
        found.plain[k] = _weigh(shapes, before, after, found, k, n)
    found.first[len(pairs)] = n
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
            streets(network.way_class),
        )
        self.turns = Turns(graph.first_turn, graph.turn_head, graph.vertex_arc)

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

    def begin(self, arc: int) -> tuple[int, int]:
        """The place of the node where an arc begins, in 1e-7 degree."""
        network = self._network
        first, stop = network.first_point[arc >> 1], network.first_point[(arc >> 1) + 1]
        point = int(stop) - 1 if arc & 1 else int(first)
        return int(network.point_lon[point]), int(network.point_lat[point])

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
            crossing, turn = self._at_end(arc)
            crossing.out = None
            if crossing.came_in is None:
                return None
            crossing.roads[crossing.came_in].entry = turn != NO_TURN
            if len(crossing.roads) > 2:
                return crossing
            onward = [road.arc for road in crossing.roads if road.arc != arc ^ 1 and road.entry]
            if not onward:
                return None
            arc = onward[0]
        return None

    def _at_end(self, arc: int) -> tuple[Crossing, int]:
        """The end of a road for who turns back there, and the turn."""
        found, node = self.find(np.array([(arc, arc ^ 1)], np.int64))
        (crossing,) = crossings_of(found, node)
        assert crossing is not None
        return crossing, int(found.turn[0])

    def between(self, pairs: I64) -> list[Crossing | None]:
        """The crossings between arcs that follow each other, in pairs (K, 2).

        None where nothing has to be looked at. Between arcs that do not meet at a node there is a
        crossing without one.
        """
        return crossings_of(*self.find(pairs))

    def find(self, pairs: I64) -> tuple[Found, I64]:
        """The roads at the nodes between arcs in pairs (K, 2), and these nodes."""
        network, n = self._network, len(pairs)
        before = np.ascontiguousarray(pairs[:, 0])
        edge = before >> 1
        node = np.where(before & 1, network.edge_tail[edge], network.edge_head[edge])
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
            np.empty(n, np.uint8),
            np.empty(n, np.uint8),
        )
        if n:
            find_roads(self.turns, self._shapes, freeze(pairs), found, new_sketch())
        return found, node


def crossings_of(found: Found, node: I64) -> list[Crossing | None]:
    """What is found at nodes, as crossings."""
    columns = found.arc, found.bearing, found.entry, found.came_in, found.out
    arc, bearing, entry, came_in, out = (column.tolist() for column in columns)
    first, plain = found.first.tolist(), found.plain.tolist()
    into, out_of = found.into.tolist(), found.out_of.tolist()
    crossings: list[Crossing | None] = []
    for k, at_node in enumerate(node.tolist()):
        if plain[k] == NOTHING:
            crossings.append(None)
            continue
        if out[k] == NO_ROAD:
            crossings.append(Crossing(-1, [], None, None))
            continue
        start, stop = first[k], first[k + 1]
        roads = [Road(arc[i], bearing[i], entry[i]) for i in range(start, stop)]
        crossing = Crossing(at_node, roads, came_in[k], out[k])
        crossing.is_silent = plain[k] == SILENT
        crossing.into, crossing.out_of = into[k], out_of[k]
        crossings.append(crossing)
    return crossings


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


def streets(way_class: U8) -> Bool:
    """Which tag sets (S,) are of streets, and not of links between them."""
    link = (way_class <= RoadClass.TERTIARY_LINK) & (way_class % 2 == 1)
    return freeze((way_class <= RoadClass.LIVING_STREET) & ~link)
