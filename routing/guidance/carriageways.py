"""Roads whose two directions are drawn apart: where these part or meet, a driver sees one road.

Only the turn is judged by that; the crossing keeps all its roads.
"""

import math
from itertools import pairwise
from typing import NamedTuple

from gis.geodesy import UNITS_PER_DEGREE
from routing.guidance.arms import Pair, Seen, are_one_road
from routing.guidance.bearings import LANE_M
from routing.guidance.directions import NO_TURN_DEG, STRAIGHT_DEG, between, turned
from routing.guidance.drafts import Road
from routing.guidance.facts import RoadFacts
from routing.guidance.junctions import Junctions
from routing.guidance.memo import Memo

MERGEABLE_DEG = 95.0
"""Carriageways part at no wider angle."""
_ISLAND_M, _MEDIAN_M = 10.0, 12.0
_SHORT_ISLAND_M, _LONG_ISLAND_M = 15.0, 30.0
_TRIANGLE_M = 80.0
_LOOK_M, _LEAST_M, _SAMPLE_M = 100.0, 40.0, 5.0
_PARALLEL_DEG = 20.0
_SHORT_PIECE_M = 30.0
_MAX_ARCS = 12
_MAX_CACHED = 1 << 15


class _Way(NamedTuple):
    """A carriageway followed for a while: points in metres, and the first crossing it comes to."""

    points: list[tuple[float, float]]
    length_m: float
    crossing: int
    crossing_m: float


class Carriageways:
    """Finds pairs at nodes; threads may share it."""

    def __init__(self, facts: RoadFacts, junctions: Junctions) -> None:
        self._facts, self._junctions = facts, junctions
        self._seen = Memo[int, Seen | None](_MAX_CACHED)

    def seen(self, node: int, roads: list[Road]) -> Seen | None:
        """How a node with these roads is seen, None if just as it is drawn."""
        return self._seen.get(node, self._look, node, roads)

    def _look(self, node: int, roads: list[Road]) -> Seen | None:
        facts = self._facts
        oneways = [road for road in roads if facts.is_oneway(road.arc)]
        if not oneways:
            return None
        pairs = tuple(self._find(node, roads))
        paired = {arc for pair in pairs for arc in (pair.leaves, pair.arrives)}
        shifts = {}
        for road in oneways:
            if road.arc not in paired and facts.length_m(road.arc) <= _SHORT_PIECE_M:
                degrees = self._shift(road.arc)
                if degrees:
                    shifts[road.arc] = degrees
        return Seen(pairs, shifts) if pairs or shifts else None

    def _shift(self, arc: int) -> float:
        """By how many degrees a short piece turns if its far end is where carriageways meet."""
        node, back = self._junctions.head(arc), arc ^ 1
        roads = self._junctions.roads_at(node)
        for pair in self._find(node, roads):
            if back not in (pair.leaves, pair.arrives):
                continue
            bearings = {road.arc: road.bearing for road in roads}
            entry = bearings[pair.leaves]
            if pair.bearing == entry:
                return 0.0
            wanted = (entry + STRAIGHT_DEG) % 360.0
            behind = min(bearings.values(), key=lambda bearing: between(bearing, wanted))
            ahead = (behind + STRAIGHT_DEG) % 360.0
            off = between(pair.bearing, ahead)
            if off > min(between(bearings[a], ahead) for a in (pair.leaves, pair.arrives)):
                return 0.0
            return turned(bearings[back], pair.bearing)
        return 0.0

    def _find(self, node: int, roads: list[Road]) -> list[Pair]:
        n = len(roads)
        if n < 3:
            return []
        pairs = []
        for i, one in enumerate(roads):
            other = roads[(i + 1) % n]
            if not self._may_pair(one, other):
                continue
            if self._is_like(roads[i - 1], one) or self._is_like(other, roads[(i + 2) % n]):
                continue
            if self._belong_together(node, one.arc, other.arc):
                leaves, arrives = one, other
                if not self._facts.is_open(one.arc):
                    leaves, arrives = other, one
                bearing = _joint_bearing(roads, leaves, arrives)
                pairs.append(Pair(leaves.arc, arrives.arc, bearing))
        return pairs

    def _may_pair(self, one: Road, other: Road) -> bool:
        facts = self._facts
        if facts.is_open(one.arc) == facts.is_open(other.arc):
            return False
        if between(one.bearing, other.bearing) > MERGEABLE_DEG:
            return False
        nature, beside = facts.open_nature(one.arc), facts.open_nature(other.arc)
        return (
            not (nature.roundabout or beside.roundabout)
            and nature.mode == beside.mode
            and nature.same_class(beside)
            and are_one_road(nature, beside)
        )

    def _is_like(self, one: Road, other: Road) -> bool:
        """Whether two roads next to each other could be taken for one another."""
        if between(one.bearing, other.bearing) > MERGEABLE_DEG:
            return False
        facts = self._facts
        return are_one_road(facts.open_nature(one.arc), facts.open_nature(other.arc))

    def _belong_together(self, node: int, one: int, other: int) -> bool:
        """Whether two arcs lead along each other, around an island or to one crossing."""
        way, beside = self._follow(one), self._follow(other)
        if node in (way.crossing, beside.crossing):
            return False
        if way.crossing == beside.crossing >= 0:
            three = [len(self._junctions.arcs_at(at)) == 3 for at in (node, way.crossing)]
            limit_m = _LONG_ISLAND_M if all(three) else _SHORT_ISLAND_M
            if any(three) and max(way.crossing_m, beside.crossing_m) < limit_m:
                return True
        lanes = sum(max(1, self._facts.open_nature(arc).lanes) for arc in (one, other))
        if self._is_triangle(way, beside, lanes):
            return True
        return _are_parallel(way, beside, 0.5 * lanes * LANE_M + _MEDIAN_M)

    def _is_triangle(self, way: _Way, beside: _Way, lanes: int) -> bool:
        """Whether both come to a road that crosses them, at places close to each other."""
        if min(way.crossing, beside.crossing) < 0 or way.crossing_m > _TRIANGLE_M:
            return False
        junctions = self._junctions
        return any(
            junctions.head(arc) == beside.crossing
            and self._facts.length_m(arc) <= lanes * LANE_M + _ISLAND_M
            for arc in junctions.arcs_at(way.crossing)
        )

    def _follow(self, arc: int) -> _Way:
        """Go along a road as long as it has the same name and class, in one direction."""
        facts, junctions = self._facts, self._junctions
        is_open = facts.is_open(arc)
        points: list[tuple[int, int]] = []
        length_m, crossing, crossing_m = 0.0, -1, 0.0
        for _ in range(_MAX_ARCS):
            points += junctions.points(arc)[bool(points) :]
            length_m += facts.length_m(arc)
            node = junctions.head(arc)
            arcs = [other for other in junctions.arcs_at(node) if other != arc ^ 1]
            if len(arcs) != 1 and crossing < 0:
                crossing, crossing_m = node, length_m
            if length_m >= _LOOK_M:
                break
            nature = facts.open_nature(arc)
            onward = [
                other
                for other in arcs
                if facts.is_open(other) == is_open
                and nature.same_class(facts.open_nature(other))
                and are_one_road(nature, facts.open_nature(other))
            ]
            if len(onward) != 1 and len(arcs) != 1:
                break
            if not arcs:
                break
            arc = (onward or arcs)[0]
        return _Way(_in_metres(points), length_m, crossing, crossing_m)


def _joint_bearing(roads: list[Road], leaves: Road, arrives: Road) -> float:
    """Half way between two carriageways, but straight on from another road if one of them is."""
    wanted = (leaves.bearing + STRAIGHT_DEG) % 360.0
    if any(between(road.bearing, wanted) < NO_TURN_DEG for road in roads if road is not leaves):
        return leaves.bearing
    return (leaves.bearing + 0.5 * turned(leaves.bearing, arrives.bearing)) % 360.0


def _in_metres(points: list[tuple[int, int]]) -> list[tuple[float, float]]:
    """Points in 1e-7 degree as metres east and north of the globe's origin, on a flat map there."""
    per_unit = 111_320.0 / UNITS_PER_DEGREE
    cosine = math.cos(math.radians(points[0][1] / UNITS_PER_DEGREE))
    return [(x * per_unit * cosine, y * per_unit) for x, y in points]


def _sampled(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points every few metres along a line, no further than is looked."""
    found, left_m, total_m = [points[0]], _SAMPLE_M, 0.0
    for (x, y), (to_x, to_y) in pairwise(points):
        length_m = math.hypot(to_x - x, to_y - y)
        at_m = left_m
        while at_m <= length_m and total_m + at_m <= _LOOK_M:
            part = at_m / length_m
            found.append((x + part * (to_x - x), y + part * (to_y - y)))
            at_m += _SAMPLE_M
        left_m = at_m - length_m
        total_m += length_m
    return found


def _are_parallel(way: _Way, beside: _Way, width_m: float) -> bool:
    """Whether two lines, their first third aside, lead in one direction, close to each other."""
    if min(way.length_m, beside.length_m) <= _LEAST_M:
        return False
    one, other = _sampled(way.points), _sampled(beside.points)
    if math.dist(way.points[-1], beside.points[-1]) > 0.0:
        one, other = one[len(one) // 3 :], other[len(other) // 3 :]
    if len(one) < 2 or len(other) < 2:
        return False
    directions = [
        math.degrees(math.atan2(line[-1][0] - line[0][0], line[-1][1] - line[0][1])) % 360.0
        for line in (one, other)
    ]
    if between(*directions) > _PARALLEL_DEG:
        return False
    middle, middle_beside = one[len(one) // 2], other[len(other) // 2]
    apart_m = min(
        min(math.dist(middle, point) for point in other),
        min(math.dist(middle_beside, point) for point in one),
    )
    return apart_m <= width_m
