"""Who may use a road: the hierarchy of access tags, and the direction of one-way roads."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TypeAlias

from gis.profiles.rules import Tags, Warn

DirectedKeys: TypeAlias = tuple[tuple[str, str, str], ...]
"""A key with its ``:forward`` and ``:backward`` variants, from the most to the least specific."""


def directed_keys(keys: Iterable[str]) -> DirectedKeys:
    """Each key with the variants for one direction of a way."""
    return tuple((key, f"{key}:forward", f"{key}:backward") for key in keys)


def directed_values(tags: Tags, keys: DirectedKeys) -> tuple[str | None, str | None]:
    """The value that holds forward and backward: the most specific key that says anything.

    A key for one direction overrides the same key without, not a more specific one.
    """
    forward: str | None = None
    backward: str | None = None
    for key, key_forward, key_backward in keys:
        both = tags.get(key)
        if forward is None:
            forward = tags.get(key_forward, both)
        if backward is None:
            backward = tags.get(key_backward, both)
    return forward, backward


class Access(IntEnum):
    """May the vehicle use it? Ordered from the least to the most."""

    CLOSED = 0
    RESTRICTED = 1
    """To reach what lies there, not to pass through."""
    OPEN = 2


@dataclass(frozen=True)
class AccessRules:
    """How a kind of vehicle reads access tags.

    ``keys`` run from the most specific to the most general, as in motorcar, motor_vehicle,
    vehicle, access. A value in none of the sets is taken as open, and counted.
    """

    keys: tuple[str, ...]
    open: frozenset[str]
    restricted: frozenset[str]
    closed: frozenset[str]

    def judge(self, value: str, warn: Warn) -> Access:
        """What a value means; of a list the most generous part counts."""
        if value in self.open:
            return Access.OPEN
        if value in self.closed:
            return Access.CLOSED
        if value in self.restricted:
            return Access.RESTRICTED
        if ";" in value:
            return max(self.judge(part.strip(), warn) for part in value.split(";"))
        warn("access", value)
        return Access.OPEN

    def is_private(self, value: str | None) -> bool:
        """Whether a value restricts to the owner's people alone."""
        parts = {part.strip() for part in value.split(";")} if value else set()
        return "private" in parts and not parts & (self.open | self.restricted - {"private"})

    def judge_directions(
        self, tags: Tags, keys: DirectedKeys, warn: Warn
    ) -> tuple[Access | None, Access | None]:
        """Access to a way forward and backward by ``keys``; None where no tag speaks of it."""
        forward, backward = directed_values(tags, keys)
        return (
            None if forward is None else self.judge(forward, warn),
            None if backward is None else self.judge(backward, warn),
        )

    def judge_node(self, tags: Tags, warn: Warn) -> Access | None:
        """Access across a node; None where no tag speaks of it."""
        for key in self.keys:
            if key in tags:
                return self.judge(tags[key], warn)
        return None


class Oneway(Enum):
    """The directions in which a road is driven."""

    NO = "both ways"
    FORWARD = "in the order of its nodes"
    BACKWARD = "against the order of its nodes"
    ALTERNATING = "changes every few minutes, as at traffic lights around a bottleneck"
    REVERSIBLE = "changes by the time of day"


_ONEWAY = {
    "yes": Oneway.FORWARD,
    "1": Oneway.FORWARD,
    "true": Oneway.FORWARD,
    "-1": Oneway.BACKWARD,
    "reverse": Oneway.BACKWARD,
    "no": Oneway.NO,
    "0": Oneway.NO,
    "false": Oneway.NO,
    "alternating": Oneway.ALTERNATING,
    "reversible": Oneway.REVERSIBLE,
}


def is_impassable(tags: Tags) -> bool:
    """Whether nobody gets through, by the tags for that."""
    return tags.get("impassable") == "yes" or tags.get("status") == "impassable"


def is_roundabout(tags: Tags) -> bool:
    """Whether the way is a ring that is driven in one direction."""
    return tags.get("junction") in ("roundabout", "circular")


def oneway(tags: Tags, keys: Iterable[str], warn: Warn) -> Oneway:
    """How a road is driven, by the first of ``keys`` that is there.

    Roundabouts and motorways are one-way unless tagged otherwise; their links are not. Values
    that are not understood count as absent; they and the values that depend on time are counted.
    """
    for key in keys:
        value = tags.get(key)
        if value is not None:
            found = _ONEWAY.get(value.strip().lower())
            if found not in (Oneway.FORWARD, Oneway.BACKWARD, Oneway.NO):
                warn(key, value)
            if found is not None:
                return found
    implied = tags.get("highway") == "motorway" or is_roundabout(tags)
    return Oneway.FORWARD if implied else Oneway.NO
