"""Roads that cut the corner before a crossing: with it, they are one place to turn.

a --- b --- c ---       bd is the sliproad, c the crossing that it spares,
       `    |           bc the main road, cd the cross road
         `- d
            |
"""

from gis.network.road_class import RoadClass
from routing.guidance.arms import Approach, Arm, are_one_road
from routing.guidance.directions import NARROW_DEG, deviation
from routing.guidance.drafts import CONTINUE, FORK, OFF_RAMP, ON_RAMP, TURN, Crossing
from routing.guidance.facts import RoadFacts, RoadNature
from routing.guidance.junctions import Junctions
from routing.guidance.obvious import find_obvious

FARTHEST_M = 250.0
SMALLEST_M2 = 3.0
_SMALL_M, _SKEW_DEG = 3.0, 140.0
_NEITHER, SLIPS, STAYS = 0, 1, 2
_MAY_SLIP = frozenset((TURN, CONTINUE, FORK, ON_RAMP, OFF_RAMP))
_LINK_FACTOR, _MINOR_FACTOR = 0.3, 0.1
_FACTORS = {
    RoadClass.MOTORWAY: 1.0,
    RoadClass.TRUNK: 0.8,
    RoadClass.PRIMARY: 0.8,
    RoadClass.SECONDARY: 0.6,
    RoadClass.TERTIARY: 0.5,
    RoadClass.RESIDENTIAL: 0.4,
    RoadClass.LIVING_STREET: 0.3,
}
"""How big a junction with a sliproad may be, by the class of its roads."""


class Sliproads:
    """Finds the sliproads of a network; threads may share it."""

    def __init__(self, facts: RoadFacts, junctions: Junctions) -> None:
        self._facts, self._junctions = facts, junctions

    def look(self, arc: int, crossing: Crossing) -> int:
        """What going on from an arc means: SLIPS, STAYS or neither, 0."""
        said = crossing.said
        if said is None or said[0] not in _MAY_SLIP or said[2] or len(crossing.roads) < 3:
            return _NEITHER
        if crossing.came_in is None or crossing.out is None:
            return _NEITHER
        if deviation(crossing.angle(crossing.out)) > 2.0 * NARROW_DEG:
            return _NEITHER
        return self._find(arc, crossing)

    def _find(self, arc: int, crossing: Crossing) -> int:
        approach = Approach(self._facts, crossing, arc)
        finder = _Finder(self._facts, self._junctions, crossing.node)
        out, main = approach.out, finder.main_road(approach)
        if main == 0 or not finder.continues(approach, main):
            return _NEITHER
        if out != main:
            slips = abs(out - main) == 1 and finder.is_sliproad(approach, main, out)
            return SLIPS if slips else _NEITHER
        others = [i for i in (main - 1, main + 1) if 0 < i < len(approach.arms)]
        stays = any(finder.is_sliproad(approach, main, i) for i in others)
        return STAYS if stays else _NEITHER


class _Finder:
    """Looks at the roads around a node where a sliproad might leave."""

    def __init__(self, facts: RoadFacts, junctions: Junctions, node: int) -> None:
        self._facts, self._junctions, self._node = facts, junctions, node
        self._ahead = junctions.ahead

    def main_road(self, approach: Approach) -> int:
        """The place of the arm that goes on straight to the crossing, 0 if there is none."""
        obvious = find_obvious(approach)
        if obvious or len(approach.arms) != 3:
            return obvious
        right, left = (self._ahead(arm.arc) for arm in approach.arms[1:])
        if right is None or left is None:
            return 0
        if _may_end_sliproad(right) and left.node != self._node:
            return 2
        return 1 if _may_end_sliproad(left) and right.node != self._node else 0

    def continues(self, approach: Approach, main: int) -> bool:
        """Whether the main road is the one that one comes on."""
        via, to = approach.via, approach.arms[main].nature
        return via.same_class(to) and via.mode == to.mode and are_one_road(via, to)

    def is_sliproad(self, approach: Approach, main: int, out: int) -> bool:
        """Whether one arm is a sliproad beside another."""
        road, slip = approach.arms[main], approach.arms[out]
        if not _may_be(slip) or slip.angle == road.angle:
            return False
        length_m = self._facts.length_m(road.arc)
        if length_m > FARTHEST_M * _factor(road.nature):
            return False
        spared, end = self._ahead(road.arc), self._ahead(slip.arc)
        if spared is None or end is None or spared.came_in is None or end.came_in is None:
            return False
        nodes = {self._node, spared.node, end.node}
        if len(nodes) < 3 or not 3 <= len(end.roads) <= 4:
            return False
        cross = spared.roads[(spared.came_in + (1 if out > main else -1)) % len(spared.roads)]
        if not self._facts.is_open(cross.arc) or not self._ends_well(end):
            return False
        skew = deviation(spared.angle(spared.roads.index(cross))) > _SKEW_DEG
        if length_m >= _SMALL_M and (
            not self._bends_inwards(slip.arc, out < main) or (skew and not slip.nature.link)
        ):
            return False
        limit_m = FARTHEST_M * _factor(slip.nature)
        return any(
            self._joins(road, slip, spared, end.roads[i].arc)
            and SMALLEST_M2 <= length_m * self._facts.length_m(end.roads[i].arc) / 2.0 <= limit_m**2
            for i in range(len(end.roads))
            if i != end.came_in
        )

    def _joins(self, road: Arm, slip: Arm, spared: Crossing, arc: int) -> bool:
        """Whether a road at the end of a sliproad is the cross road, which the crossing lies on."""
        if self._next_node(arc) != spared.node:
            return False
        to = self._facts.open_nature(arc)
        names = [self._facts.open_nature(other.arc) for other in spared.roads]
        if all(name.renames(to) for name in names):
            return False
        if slip.nature.link:
            return not to.link
        named = road.nature.name and slip.nature.name and to.name
        return not (named and road.nature.renames(slip.nature) and slip.nature.renames(to))

    def _bends_inwards(self, arc: int, to_right: bool) -> bool:
        """Whether a road keeps to the side of the junction from its beginning to its end."""
        (x, y), *between_ends, (to_x, to_y) = self._junctions.points(arc)
        aside = (
            (to_x - x) * (point_y - y) - (to_y - y) * (point_x - x)
            for point_x, point_y in between_ends
        )
        return all(part >= 0 if to_right else part <= 0 for part in aside)

    def _ends_well(self, end: Crossing) -> bool:
        """Whether it is plain how to go on from the end of a sliproad."""
        assert end.came_in is not None
        arc = end.roads[end.came_in].arc ^ 1
        crossing = Crossing(end.node, end.roads, end.came_in, end.came_in)
        approach = Approach(self._facts, crossing, arc)
        obvious = find_obvious(approach)
        if obvious == 0:
            return False
        onto = approach.arms[obvious]
        return onto.off <= 2.0 * NARROW_DEG and not onto.nature.ring

    def _next_node(self, arc: int) -> int:
        """The node at the end of an arc, which may be driven only in the other direction."""
        crossing = self._ahead(arc)
        return crossing.node if crossing is not None else -1


def _may_be(arm: Arm) -> bool:
    """Whether a road is no less than a street, and does not turn much."""
    nature = arm.nature
    return arm.entry and arm.off <= 2.0 * NARROW_DEG and not nature.ring and not nature.low


def _may_end_sliproad(crossing: Crossing) -> bool:
    """Whether only one way leads on from where a road joins another."""
    if len(crossing.roads) != 3 or crossing.came_in is None:
        return False
    entries = [road.entry for i, road in enumerate(crossing.roads) if i != crossing.came_in]
    return not crossing.roads[crossing.came_in].entry and not all(entries)


def _factor(nature: RoadNature) -> float:
    if nature.link:
        return _LINK_FACTOR
    return _FACTORS.get(nature.kind, _MINOR_FACTOR)
