"""What the passes of guidance work on: a leg with its crossings, and the drafts of its steps."""

from routing.guidance.steps import Lane

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


class Crossing:
    """A node where roads meet, as a route passes it.

    ``at`` is the place in the trail: ``arcs[at - 1]`` arrives and ``arcs[at]`` leaves. ``roads``
    ascend by bearing; ``came_in`` and ``out`` are the places among them of the road back and of
    the road taken, None at a departure and at an arrival. The node is -1 where a route departs,
    arrives or turns around in the middle of a road. ``lanes`` are those before the crossing;
    ``is_silent``: it is known that the road plainly goes straight on.
    """

    __slots__ = ("at", "came_in", "is_silent", "lanes", "node", "out", "roads")

    def __init__(
        self, node: int, at: int, roads: list[Road], came_in: int | None, out: int | None
    ) -> None:
        self.node, self.at, self.roads = node, at, roads
        self.came_in, self.out = came_in, out
        self.lanes: tuple[Lane, ...] = ()
        self.is_silent = False

    def angle(self, road: int) -> float:
        """How a driver turns into a road: 0 <= angle < 360, anticlockwise from the way back.

        180 is straight on, less is to the right and more to the left; 0 is a u-turn.
        """
        assert self.came_in is not None
        return (self.roads[self.came_in].bearing - self.roads[road].bearing) % 360.0

    def n_entries(self) -> int:
        """How many roads may be taken."""
        return sum(road.entry for road in self.roads)

    def __repr__(self) -> str:
        ways = f"{self.came_in} -> {self.out}"
        return f"Crossing({self.node}, at {self.at}, {self.roads}, {ways})"


class Draft:
    """A step in the making: from the arc ``at`` of the trail to the next draft's.

    ``type`` and ``modifier`` are those of a maneuver; ``exit`` counts the ways out of a
    roundabout. ``crossings`` are those of the step, the maneuver's first. Texts are those of the
    road on ``texts_at``, an arc of the trail, unless a pass finds a better one; ``rotary_at`` is
    an arc on the rotary that is named, None where there is none. ``ring`` is 0 away from
    roundabouts.
    """

    __slots__ = ("at", "crossings", "exit", "modifier", "ring", "rotary_at", "texts_at", "type")

    def __init__(
        self,
        at: int,
        type: str,
        modifier: str | None,
        crossings: list[Crossing],
        ring: int = 0,
    ) -> None:
        self.at, self.type, self.modifier = at, type, modifier
        self.crossings, self.ring = crossings, ring
        self.exit: int | None = None
        self.texts_at = at
        self.rotary_at: int | None = None

    @property
    def crossing(self) -> Crossing:
        """The maneuver's."""
        return self.crossings[0]

    def __repr__(self) -> str:
        words = f"{self.type}, {self.modifier}" + (f", {self.exit}" if self.exit else "")
        return f"Draft(at {self.at}, {words}, {len(self.crossings)} crossings)"


class Trail:
    """A leg as guidance sees it: k arcs and what is driven of each.

    ``length_m``, ``duration_s`` and ``weight`` (k,) count the driven part of each arc, the last two
    with the turn at its end; ``first_point`` (k + 1,) is the point of the leg's line where each arc
    begins, and the last point of all. ``crossings`` has every crossing with its ``at``, ascending.
    """

    __slots__ = ("arcs", "crossings", "duration_s", "first_point", "length_m", "weight")

    def __init__(
        self,
        arcs: list[int],
        length_m: list[float],
        duration_s: list[float],
        weight: list[float],
        first_point: list[int],
        crossings: list[Crossing],
    ) -> None:
        self.arcs, self.length_m, self.duration_s = arcs, length_m, duration_s
        self.weight = weight
        self.first_point, self.crossings = first_point, crossings
