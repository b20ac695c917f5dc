"""A crossing as a driver who arrives sees it: the roads from the right to the left."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from routing.guidance.directions import FUZZY_DEG, STRAIGHT_DEG, between
from routing.guidance.drafts import Crossing
from routing.guidance.facts import RoadFacts, RoadNature

Instruction: TypeAlias = tuple[str, str]
"""Type and modifier of a maneuver."""


class Pair(NamedTuple):
    """Two carriageways of one road at a node: the arc that leaves, the one against the arriving.

    ``bearing`` is the direction of both as one road.
    """

    leaves: int
    arrives: int
    bearing: float


class Seen(NamedTuple):
    """How the roads of a node are seen: ``pairs`` as one road, ``shifts`` turned by degrees.

    A short piece to where the carriageways of a road meet is turned as the road there is.
    """

    pairs: tuple[Pair, ...]
    shifts: dict[int, float]


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

    def turn_to(self, angle: float) -> None:
        """Give it another angle."""
        self.angle, self.off = angle, abs(angle - STRAIGHT_DEG)

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

    def __init__(
        self, facts: RoadFacts, crossing: Crossing, via_arc: int, seen: Seen | None = None
    ) -> None:
        came_in, out = crossing.came_in, crossing.out
        assert came_in is not None and out is not None
        n = len(crossing.roads)
        self.facts, self.via_arc, self.via = facts, via_arc, facts.nature(via_arc)
        self.arms = []
        for i in range(n):
            place = (came_in - i) % n
            road, nature = crossing.roads[place], facts.open_nature(crossing.roads[place].arc)
            angle = crossing.angle(place)
            self.arms.append(Arm(road.arc, angle, road.bearing, road.entry, nature))
        self.out = (came_in - out) % n
        if seen is not None:
            self._see(seen)

    def _see(self, seen: Seen) -> None:
        """Take the carriageways of each pair for one road, and turn what is seen otherwise."""
        taken, way_back = self.taken, self.arms[0]
        arms = {arm.arc: arm for arm in self.arms}
        for arc, degrees in seen.shifts.items():
            if arc in arms:
                arms[arc].bearing = (arms[arc].bearing + degrees) % 360.0
        for pair in seen.pairs:
            leaves, arrives = arms.get(pair.leaves), arms.get(pair.arrives)
            if leaves is None or arrives is None or arrives is taken:
                continue
            leaves.bearing = arrives.bearing = pair.bearing
            if leaves is not way_back and (arrives is not way_back or leaves.entry):
                del arms[pair.arrives]
                if arrives is way_back:
                    way_back = leaves
            else:
                del arms[pair.leaves if arrives is way_back else pair.arrives]
        for arm in arms.values():
            arm.turn_to((way_back.bearing - arm.bearing) % 360.0)
        way_back.turn_to(0.0)
        others = (arm for arm in arms.values() if arm is not way_back)
        self.arms = [way_back, *sorted(others, key=lambda arm: arm.angle)]
        self.out = self.arms.index(taken)

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
