"""Crossings as guidance knows them, and the words for what they demand."""

from copy import copy
from dataclasses import replace
from typing import TypeAlias

from routing.guidance.facts import RoadNature
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
"""What becomes of a route at a roundabout's crossing, the last of ``Said``.

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
"""Type, modifier, and what becomes of the route at a roundabout, 0 away from these."""


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
