"""What a profile is, and what its functions return."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Tags: TypeAlias = Mapping[str, str]

Warn: TypeAlias = Callable[[str, str], None]
"""``warn(kind, value)``: a tag that could not be understood, or is left aside, counted by kind."""

MAX_NODE_S, MAX_TURN_S = 300.0, 300.0
"""Highest delay at a node and highest cost of a turn: their sum fits in a turn's 16 bits."""
MAX_DURATION_S = 30 * 86400.0
"""No ferry or train takes longer."""
MAX_PREFERENCE = 1000.0


@dataclass(frozen=True, slots=True)
class WayRule:
    """The verdict on a way. A speed of 0 closes that direction.

    Forward is the order of the way's nodes. ``duration_s`` (ferries) overrides the speeds: the
    time for the whole way, in every open direction. ``startpoint`` tells whether a route may
    begin or end on it; ``restricted`` marks roads that may be reached but not passed through.

    A preference does not change how long the way takes, only how gladly it would be chosen: as if
    it took ``duration / preference``. It is kept for a weight apart from the duration; the search
    does not use it yet.
    """

    forward_kmh: float
    backward_kmh: float
    duration_s: float | None = None
    startpoint: bool = True
    restricted: bool = False
    roundabout: bool = False
    ferry: bool = False
    forward_preference: float = 1.0
    backward_preference: float = 1.0


@dataclass(frozen=True, slots=True)
class NodeRule:
    """The verdict on a node: closed to passage, or a delay by direction of the way it lies on."""

    blocked: bool = False
    forward_s: float = 0.0
    backward_s: float = 0.0


RestrictionKind: TypeAlias = Literal["no", "only"]

RestrictionRule: TypeAlias = tuple[RestrictionKind | None, str]
"""What a restriction relation means to a vehicle; None with the reason where it does not bind."""


@dataclass(frozen=True)
class Profile:
    """A vehicle: the tags it looks at and the functions that judge them.

    The functions see only the tags whose keys are declared here, and never an empty set: a way
    without tags is closed, a node without tags free. ``way`` and ``node`` return None where the
    tags say nothing that concerns the vehicle (a way is then closed, a node free).
    ``turn(angle_deg, u_turn, junction)`` returns the seconds that a turn costs: ``angle_deg``
    -180..180, 0 straight on, positive to the right; ``junction`` tells whether more than two road
    pieces meet. ``restriction`` reads a restriction relation's tags: its kind, or None with a
    reason where it does not bind this vehicle.
    """

    name: str
    way_keys: tuple[str, ...]
    node_keys: tuple[str, ...]
    relation_keys: tuple[str, ...]
    way: Callable[[Tags, Warn], WayRule | None]
    node: Callable[[Tags, Warn], NodeRule | None]
    turn: Callable[[int, bool, bool], float]
    restriction: Callable[[Tags, Warn], RestrictionRule]
    max_speed_kmh: float = 180.0
    description: str = field(default="")
