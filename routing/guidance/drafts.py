"""What the passes of guidance work on: crossings, and the drafts of a leg's steps."""

from copy import copy
from dataclasses import replace
from typing import TypeAlias

from routing.guidance.facts import RoadNature
from routing.guidance.labels import NO_TEXTS, RoadTexts
from routing.guidance.steps import Intersection, Lane

TURN, CONTINUE, NEW_NAME, END_OF_ROAD = "turn", "continue", "new name", "end of road"
FORK, MERGE, ON_RAMP, OFF_RAMP = "fork", "merge", "on ramp", "off ramp"
ROUNDABOUT, ROTARY, ROUNDABOUT_TURN = "roundabout", "rotary", "roundabout turn"
EXIT_ROUNDABOUT, EXIT_ROTARY = "exit roundabout", "exit rotary"
DEPART, ARRIVE, NOTIFICATION = "depart", "arrive", "notification"
SUPPRESSED = "suppressed"
"""Nothing is said at such a crossing; it becomes part of the step before in the end."""
SLIPROAD = "sliproad"
"""A road that cuts the corner before a crossing; with the turn at its end it becomes one turn."""

UTURN, STRAIGHT = "uturn", "straight"
SHARP_RIGHT, RIGHT, SLIGHT_RIGHT = "sharp right", "right", "slight right"
SLIGHT_LEFT, LEFT, SHARP_LEFT = "slight left", "left", "sharp left"

ENTERS, ENTERS_AT_EXIT, TOUCHES, STAYS, LEAVES = 1, 2, 3, 4, 5
"""What becomes of a route at a roundabout's crossing, values of ``Draft.ring``.

``ENTERS_AT_EXIT``: there is an exit before the roundabout itself; ``TOUCHES``: it is left where
it is entered; ``STAYS``: an exit is passed by.
"""


class Road:
    """A road that leaves a crossing: ``bearing`` in degrees, 0 <= bearing < 360, away from it.

    The bearing is the one that a driver perceives, over the first metres of the road. ``arc``
    leaves; ``entry`` tells whether the vehicle may turn into it from where it comes.
    """

    __slots__ = ("arc", "bearing", "entry")

    def __init__(self, arc: int, bearing: float, entry: bool) -> None:
        self.arc, self.bearing, self.entry = arc, bearing, entry

    def __repr__(self) -> str:
        return f"Road({self.arc}, {self.bearing:.0f}, {self.entry})"


Said: TypeAlias = tuple[str, str, int]
"""Type, modifier and ``ring`` of a draft."""


class Crossing:
    """A node where roads meet, for whoever comes by one of them and goes on by another.

    ``roads`` ascend by bearing; ``came_in`` and ``out`` are the places among them of the road back
    and of the road taken, None at a departure and at an arrival. The node is -1 where a route
    departs, arrives or turns around in the middle of a road, at arc ``at`` of its trail.

    All other crossings are shared by the routes that pass them: nobody changes one. ``said`` is
    what it demands of the driver by itself, None if that is nothing at all; ``is_silent``: it is
    known that the road plainly goes straight on. ``onto`` is the road taken, ``side`` that on which
    one drives there; ``lanes`` are those before it. ``into`` and ``out_of`` tell how roads cross
    the piece that begins and the one that ends there, as `Found` has it; ``slips`` what `Sliproads`
    says. ``arrives`` and ``leaves`` are the directions of travel, ``headings`` the same in whole
    degrees; ``place`` is what a step tells of it.
    """

    __slots__ = (
        "_variants",
        "arrives",
        "at",
        "came_in",
        "headings",
        "into",
        "is_silent",
        "lanes",
        "leaves",
        "node",
        "onto",
        "out",
        "out_of",
        "place",
        "roads",
        "said",
        "side",
        "slips",
    )

    headings: tuple[int, int]
    onto: RoadNature
    place: Intersection

    def __init__(
        self, node: int, roads: list[Road], came_in: int | None, out: int | None, at: int = -1
    ) -> None:
        self.node, self.roads, self.at = node, roads, at
        self.came_in, self.out = came_in, out
        self.lanes: tuple[Lane, ...] = ()
        self.said: Said | None = None
        self.side = "right"
        self.is_silent = False
        self.into = self.out_of = self.slips = 0
        self.leaves = roads[out].bearing if out is not None else 0.0
        self.arrives = self.leaves
        if came_in is not None:
            self.arrives = (roads[came_in].bearing + 180.0) % 360.0
            if out is None:
                self.leaves = self.arrives
        self._variants: dict[tuple[Lane, ...], Crossing] | None = None

    def angle(self, road: int) -> float:
        """How a driver turns into a road: 0 <= angle < 360, anticlockwise from the way back.

        180 is straight on, less is to the right and more to the left; 0 is a u-turn.
        """
        assert self.came_in is not None
        return (self.roads[self.came_in].bearing - self.roads[road].bearing) % 360.0

    def n_entries(self) -> int:
        """How many roads may be taken."""
        return sum([road.entry for road in self.roads])

    def with_lanes(self, lanes: tuple[Lane, ...]) -> "Crossing":
        """The same crossing with other lanes."""
        if lanes == self.lanes:
            return self
        variants = self._variants
        if variants is None:
            variants = self._variants = {}
        found = variants.get(lanes)
        if found is None:
            found = copy(self)
            found.lanes, found._variants = lanes, variants
            if self.node >= 0:
                found.place = replace(self.place, lanes=lanes)
            variants[lanes] = found
        return found

    def __repr__(self) -> str:
        return f"Crossing({self.node}, {self.roads}, {self.came_in} -> {self.out})"


class Draft:
    """A step in the making: from the arc ``at`` of the trail to the next draft's.

    ``type`` and ``modifier`` are those of a maneuver; ``exit`` counts the ways out of a
    roundabout. ``crossings`` are those of the step, the maneuver's first. ``texts`` are those of
    the road on which it begins, unless a pass finds better ones; ``rotary`` those of the rotary
    that is named, None where there is none. ``ring`` is 0 away from roundabouts.
    """

    __slots__ = ("at", "crossings", "exit", "modifier", "ring", "rotary", "texts", "type")

    def __init__(
        self,
        at: int,
        type: str,
        modifier: str | None,
        crossings: list[Crossing],
        ring: int = 0,
        texts: RoadTexts = NO_TEXTS,
    ) -> None:
        self.at, self.type, self.modifier = at, type, modifier
        self.crossings, self.ring, self.texts = crossings, ring, texts
        self.exit: int | None = None
        self.rotary: RoadTexts | None = None

    @property
    def crossing(self) -> Crossing:
        """The maneuver's."""
        return self.crossings[0]

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes before the maneuver."""
        return self.crossings[0].lanes

    def use_lanes(self, lanes: tuple[Lane, ...]) -> None:
        """Give the maneuver other lanes."""
        self.crossings[0] = self.crossings[0].with_lanes(lanes)

    def __repr__(self) -> str:
        words = f"{self.type}, {self.modifier}" + (f", {self.exit}" if self.exit else "")
        return f"Draft(at {self.at}, {words}, {len(self.crossings)} crossings)"
