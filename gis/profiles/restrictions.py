"""Which turn restriction relations bind a vehicle, and how."""

from collections.abc import Sequence

from gis.profiles.conditional import HOUR_KEYS, SUFFIX
from gis.profiles.rules import RestrictionKind, RestrictionRule, Tags, Warn

_MANEUVERS = ("left_turn", "right_turn", "straight_on", "u_turn")
_KINDS: dict[str, RestrictionKind] = {
    **{f"no_{maneuver}": "no" for maneuver in (*_MANEUVERS, "turn", "entry", "exit")},
    **{f"only_{maneuver}": "only" for maneuver in _MANEUVERS},
}

_NO_KINDS = frozenset(("none", "give_way", "stop", "yield"))

OTHER_VEHICLES = "not for this vehicle"
EXCEPTED = "excepts this vehicle"
CONDITIONAL = "holds only at times"
NOT_RESTRICTING = "forbids no turn"
NOT_UNDERSTOOD = "not understood"


def restriction_keys(vehicles: Sequence[str]) -> tuple[str, ...]:
    """The keys of a relation that ``judge_restriction`` looks at for these vehicle keys."""
    suffixes = ("", *(f":{vehicle}" for vehicle in vehicles))
    return (
        *("type", "except", *HOUR_KEYS),
        *(f"restriction{suffix}" for suffix in suffixes),
        *(f"restriction{suffix}{SUFFIX}" for suffix in suffixes),
    )


def judge_restriction(tags: Tags, vehicles: Sequence[str], warn: Warn) -> RestrictionRule:
    """What a restriction relation means to a vehicle (OpenStreetMap wiki, Relation:restriction).

    ``vehicles`` are the keys that name it, from the most to the least specific. The kind comes
    from the most specific ``restriction:<vehicle>``, then from ``restriction``. What holds only at
    times is not judged here: the tags are those that hold.
    """
    kind_of_relation = tags.get("type", "restriction").partition(":")[2]
    if kind_of_relation and kind_of_relation not in vehicles:
        return None, OTHER_VEHICLES
    keys = (*(f"restriction:{vehicle}" for vehicle in vehicles), "restriction")
    value = next((tags[key] for key in keys if key in tags), None)
    if value is None:
        conditional = any(f"{key}{SUFFIX}" in tags for key in keys)
        return None, CONDITIONAL if conditional else OTHER_VEHICLES
    exceptions = tags.get("except", "").replace(",", ";").split(";")
    if any(exception.strip() in vehicles for exception in exceptions):
        return None, EXCEPTED
    return _judge_value(value, warn)


def _judge_value(value: str, warn: Warn) -> RestrictionRule:
    """A value of ``restriction``; a list counts where its parts agree."""
    parts = [part.strip() for part in value.split(";")]
    kind = _KINDS.get(parts[0])
    if kind is not None and all(_KINDS.get(part) == kind for part in parts):
        return kind, ""
    if all(part in _NO_KINDS or part.endswith("_on_red") for part in parts):
        return None, NOT_RESTRICTING
    warn("restriction", value)
    return None, NOT_UNDERSTOOD
