"""What a profile is, and what its functions return."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Tags: TypeAlias = Mapping[str, str]

Warn: TypeAlias = Callable[[str, str], None]
"""``warn(kind, value)``: a tag that could not be understood, counted by kind."""


@dataclass(frozen=True, slots=True)
class WayRule:
    """The verdict on a way. A speed of 0 closes that direction.

    Forward is the order of the way's nodes. ``duration_s`` (ferries) overrides the speeds: the
    time for the whole way, in every open direction. ``startpoint`` tells whether a route may
    begin or end on it; ``restricted`` marks destination-only roads.
    """

    forward_kmh: float
    backward_kmh: float
    duration_s: float | None = None
    startpoint: bool = True
    restricted: bool = False
    roundabout: bool = False
    ferry: bool = False


@dataclass(frozen=True, slots=True)
class NodeRule:
    """The verdict on a node: closed to passage, or a delay by direction of the way it lies on."""

    blocked: bool = False
    forward_s: float = 0.0
    backward_s: float = 0.0


RestrictionKind: TypeAlias = Literal["no", "only"]


@dataclass(frozen=True)
class Profile:
    """A vehicle: the tags it looks at and the functions that judge them.

    ``way`` and ``node`` return None where the tags say nothing that concerns the vehicle (a way
    is then closed, a node free). ``turn(angle_deg, u_turn, junction)`` returns the seconds that a
    turn costs: ``angle_deg`` -180..180, 0 straight on, positive to the right; ``junction`` tells
    whether more than two road pieces meet. ``restriction`` reads a restriction relation's tags:
    its kind, or None with a reason where it does not bind this vehicle.
    """

    name: str
    way_keys: tuple[str, ...]
    node_keys: tuple[str, ...]
    relation_keys: tuple[str, ...]
    way: Callable[[Tags, Warn], WayRule | None]
    node: Callable[[Tags, Warn], NodeRule | None]
    turn: Callable[[int, bool, bool], float]
    restriction: Callable[[Tags, Warn], tuple[RestrictionKind | None, str]]
    max_speed_kmh: float = 180.0
    description: str = field(default="")
