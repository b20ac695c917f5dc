"""A crossing as a driver who arrives sees it: the roads from the right to the left."""

from collections.abc import Callable
from typing import TypeAlias

from routing.guidance.directions import FUZZY_DEG, STRAIGHT_DEG, between
from routing.guidance.drafts import Crossing
from routing.guidance.facts import RoadFacts, RoadNature

Instruction: TypeAlias = tuple[str, str]
"""Type and modifier of a maneuver."""


class Arm:
    """One road of a crossing: ``angle`` as of `Crossing.angle`, ``off`` its distance from straight.

    ``nature`` is that of the direction away from the crossing; of the other one where the
    vehicle may only come from there.
    """

    __slots__ = ("angle", "arc", "bearing", "entry", "nature", "off")

    def __init__(
        self, arc: int, angle: float, bearing: float, entry: bool, nature: RoadNature
    ) -> None:
        self.arc, self.angle, self.bearing = arc, angle, bearing
        self.entry, self.nature = entry, nature
        self.off = abs(angle - STRAIGHT_DEG)

    def mirrored(self) -> "Arm":
        """The same road in a mirror."""
        return Arm(self.arc, 360.0 - self.angle, self.bearing, self.entry, self.nature)

    def __repr__(self) -> str:
        return f"Arm({self.angle:.0f}, {'open' if self.entry else 'closed'}, {self.nature})"


class Approach:
    """A crossing from one of its roads.

    ``via`` is the nature of the road one arrives on, ``arms`` the roads by ascending angle: the
    way back first, then from sharp right to sharp left. ``out`` is the place of the road taken.
    """

    __slots__ = ("arms", "facts", "out", "via", "via_arc")

    def __init__(self, facts: RoadFacts, crossing: Crossing, via_arc: int) -> None:
        came_in, out = crossing.came_in, crossing.out
        assert came_in is not None and out is not None
        roads = crossing.roads
        n = len(roads)
        back = roads[came_in].bearing
        nature = facts.nature
        self.facts, self.via_arc, self.via = facts, via_arc, nature(via_arc)
        self.arms = []
        for i in range(n):
            road = roads[(came_in - i) % n]
            arc = road.arc
            there = nature(arc)
            if not there.mode:
                there = nature(arc ^ 1)
            self.arms.append(
                Arm(arc, (back - road.bearing) % 360.0, road.bearing, road.entry, there)
            )
        self.out = (came_in - out) % n

    @property
    def taken(self) -> Arm:
        """The road that the route takes."""
        return self.arms[self.out]

    def straightmost(self, wanted: Callable[[Arm], bool] | None = None) -> int | None:
        """The place of the road nearest to straight on, of those wanted; None if there is none."""
        best, best_off = None, 1000.0
        for i, arm in enumerate(self.arms):
            if arm.off < best_off and (wanted is None or wanted(arm)):
                best, best_off = i, arm.off
        return best

    def opposite(self, arm: Arm) -> Arm:
        """The road that goes on most nearly straight on the other side of the crossing."""
        wanted = (arm.bearing + 180.0) % 360.0
        return min(self.arms, key=lambda other: between(other.bearing, wanted))

    def n_entries(self) -> int:
        """How many roads may be taken."""
        return sum(arm.entry for arm in self.arms)

    def is_through_street(self, index: int) -> bool:
        """Whether a road goes straight on across the crossing, under its own name."""
        arm = self.arms[index]
        if not arm.nature.labelled:
            return False
        return any(
            between(other.angle, arm.angle) > STRAIGHT_DEG - FUZZY_DEG
            and are_one_road(arm.nature, other.nature)
            and arm.nature.same_class(other.nature)
            for i, other in enumerate(self.arms)
            if i and i != index
        )


def are_one_road(one: RoadNature, other: RoadNature) -> bool:
    """Whether two roads have names, and nobody would hear of a change between them."""
    return one.labelled and other.labelled and not (one.renames(other) or other.renames(one))
