"""What a profile is, and what its functions return."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

Tags: TypeAlias = Mapping[str, str]

RoadTags: TypeAlias = tuple[tuple[str, tuple[str, ...] | None], ...]
"""Which ways are looked at: keys, each with the values that count, or None for any value."""

ROAD_TAGS: RoadTags = (("highway", None), ("route", ("ferry", "shuttle_train")))

Warn: TypeAlias = Callable[[str, str], None]
"""``warn(kind, value)``: a tag that could not be understood, or is left aside, counted by kind."""

MAX_NODE_S, MAX_TURN_S = 300.0, 300.0
"""Highest delay at a node and highest cost of a turn: their sum fits in a turn's 16 bits."""
MAX_DURATION_S = 30 * 86400.0
"""No ferry or train takes longer."""
MAX_PREFERENCE = 1000.0
MAX_CLASSES = 8
"""A road's classes are the bits of a byte."""


class Mode(IntEnum):
    """How one travels along a road. The numbers are kept in datasets."""

    INACCESSIBLE = 0
    DRIVING = 1
    CYCLING = 2
    WALKING = 3
    PUSHING_BIKE = 4
    FERRY = 5
    TRAIN = 6
    STEPS_UP = 7
    STEPS_DOWN = 8
    OTHER = 9

    @property
    def word(self) -> str:
        """As steps of a route name it: ``pushing bike``."""
        return self.name.lower().replace("_", " ")


def is_way_to_travel(mode: object) -> bool:
    """Whether it is a ``Mode`` in which one moves."""
    return isinstance(mode, Mode) and mode != Mode.INACCESSIBLE


@dataclass(frozen=True, slots=True)
class WayRule:
    """The verdict on a way. A speed of 0 closes that direction.

    Forward is the order of the way's nodes. ``duration_s`` (ferries) overrides the speeds: the
    time for the whole way, in every open direction. ``startpoint`` tells whether a route may
    begin or end on it; ``restricted`` marks directions that may be reached but not passed
    through. A mode is None where it is the vehicle's own. ``classes`` are words among
    ``Profile.classes``, by which requests exclude roads; ``restricted`` is added by itself.

    A preference does not change how long the way takes, only how gladly it is chosen: as if it
    took ``duration / preference``.
    """

    forward_kmh: float
    backward_kmh: float
    duration_s: float | None = None
    startpoint: bool = True
    forward_restricted: bool = False
    backward_restricted: bool = False
    roundabout: bool = False
    circular: bool = False
    forward_mode: Mode | None = None
    backward_mode: Mode | None = None
    classes: frozenset[str] = frozenset()
    forward_preference: float = 1.0
    backward_preference: float = 1.0


@dataclass(frozen=True, slots=True)
class NodeRule:
    """The verdict on a node: closed to passage, or a delay by direction of the way it lies on.

    ``restricted``: what lies behind may be reached, but nobody passes through.
    """

    blocked: bool = False
    restricted: bool = False
    forward_s: float = 0.0
    backward_s: float = 0.0


RestrictionKind: TypeAlias = Literal["no", "only"]

RestrictionRule: TypeAlias = tuple[RestrictionKind | None, str]
"""What a restriction relation means to a vehicle; None with the reason where it does not bind."""

RESTRICTED_CLASS = "restricted"


@dataclass(frozen=True)
class Profile:
    """A vehicle: the tags it looks at and the functions that judge them.

    The functions see only the tags whose keys are declared here, and never an empty set: a way
    without tags is closed, a node without tags free. ``way`` and ``node`` return None where the
    tags say nothing that concerns the vehicle (a way is then closed, a node free).
    ``turn(angle_deg, u_turn, junction, left_hand)`` returns the seconds that a turn costs:
    ``angle_deg`` -180..180, 0 straight on, positive to the right; ``junction`` tells whether more
    than two road pieces meet, ``left_hand`` whether one drives on the left. ``restriction`` reads
    a restriction relation's tags: its kind, or None with a reason where it does not bind this
    vehicle.

    ``mode`` is how the vehicle travels where a way says nothing else. ``classes`` are the words
    that ``WayRule.classes`` may use, eight at most; ``excludable`` the combinations of them that a
    request may exclude. ``continue_straight``: by default nobody turns around at a via point.
    ``weight_name`` says what routes minimise: durations by preferences, if there are any.
    ``road_tags`` tell which ways are read from the map: those with one of these tags.
    ``dimensions`` in metres and tons, as in ``(("height", 3.8), ("weight", 12.0))``, decide
    conditions such as ``no @ weight>7.5``.
    """

    name: str
    way_keys: tuple[str, ...]
    node_keys: tuple[str, ...]
    relation_keys: tuple[str, ...]
    way: Callable[[Tags, Warn], WayRule | None]
    node: Callable[[Tags, Warn], NodeRule | None]
    turn: Callable[[int, bool, bool, bool], float]
    restriction: Callable[[Tags, Warn], RestrictionRule]
    max_speed_kmh: float = 180.0
    description: str = ""
    mode: Mode = Mode.DRIVING
    classes: tuple[str, ...] = ()
    excludable: tuple[frozenset[str], ...] = ()
    continue_straight: bool = True
    weight_name: str = "duration"
    road_tags: RoadTags = ROAD_TAGS
    dimensions: tuple[tuple[str, float], ...] = ()
