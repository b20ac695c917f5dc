"""What holds only under conditions: the grammar of ``<key>:conditional``.

A value is a list such as ``no @ (Mo-Fr 07:00-09:00); delivery @ (09:00-11:00 AND weight<3.5)``
(OpenStreetMap wiki, Conditional restrictions). What can be decided once for a vehicle is decided
here; what is left are times, as expressions of opening hours.
"""

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from gis.profiles.dimensions import NO_LIMIT, parse_metres, parse_tonnes
from gis.profiles.rules import Tags, Warn
from gis.profiles.times_of_day import AND, hours_of_day, read_hours

SUFFIX = ":conditional"
HOUR_KEYS = ("day_on", "day_off", "hour_on", "hour_off")
"""How relations named their times before there were conditional tags."""

Dimensions: TypeAlias = tuple[tuple[str, float], ...]
"""What is known of a vehicle, in metres and tons: ``(("height", 3.8), ("weight", 12.0))``."""


class Clause(NamedTuple):
    """A value, and when it holds: an expression of opening hours; empty: always."""

    value: str
    expression: str


class Clauses(NamedTuple):
    """What of a conditional value concerns a vehicle, and whether all of it was understood."""

    clauses: tuple[Clause, ...]
    understood: bool


_PURPOSES = frozenset(("destination", "delivery", "customers", "private", "residents", "permit"))
"""Who has this purpose may do what others may not: as where the tag itself has this value."""
_OPEN = frozenset(("yes", "designated", "permissive"))

_NEVER = _PURPOSES | frozenset(
    (
        *("wet", "dry", "snow", "ice", "fog", "rain", "rainy", "flood", "high_water", "low_water"),
        *("winter", "summer", "darkness", "dark", "daylight", "school", "school_day", "holiday"),
        *("flashing", "children_present", "event", "emergency", "emergencies", "disabled"),
        *("employees", "employee", "staff", "visitors", "guests", "guest", "pupils", "students"),
        *("resident", "loading", "unloading", "load", "doctor", "maintenance", "forestry"),
        *("agricultural", "wedding", "funeral", "charging", "park_and_ride", "with_permit"),
        *("ticket", "fuel", "electric", "diesel", "petrol", "emission", "trailer", "articulated"),
        *("caravan", "hgv", "hgv_articulated", "bus", "psv", "coach", "tourist_bus", "taxi"),
        *("motorcar", "motorcycle", "moped", "mofa", "bicycle", "foot", "horse", "hazmat"),
        *("goods", "hov", "tractor", "carsharing", "car_sharing", "female", "male", "signals"),
        *("motor_vehicle", "vehicle", "motorhome", "residential", "intermittently", "occasional"),
        *("none", "unknown", "license", "members", "member", "minors", "dangerous_goods"),
    )
)
"""Words that are known and that no request speaks of."""

_ALWAYS = frozenset(("24/7", "always"))

_COMPARED = re.compile(r"([a-z_:]+)\s*(<=|>=|==|=|<|>|≤|≥)\s*(.*)")
_COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    "≤": operator.le,
    "=": operator.eq,
    "==": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "≥": operator.ge,
}
_PROPERTIES = {
    "maxweight": "weight",
    "weight_actual": "weight",
    "gross_weight": "weight",
    "weightrating": "weight",
    "maxheight": "height",
    "maxlength": "length",
    "maxwidth": "width",
    "axle_load": "axleload",
    "maxaxleload": "axleload",
}
_WEIGHTS = frozenset(("weight", "axleload"))
_AND = re.compile(r"\s+and\s+|\s*&&\s*", re.IGNORECASE)


@lru_cache(8192)
def read_conditional(text: str, dimensions: Dimensions = ()) -> Clauses:
    """The clauses of a value that concern a vehicle, the last that holds overriding the others.

    Properties of the vehicle are compared if known; a condition that names another, or the
    weather, does not hold. ``yes @ destination`` is read as the value ``destination``.
    """
    known = dict(dimensions)
    found: list[Clause] = []
    understood = True
    for value, condition in _split(text):
        if not value or not condition:
            understood = False
            continue
        clause = _settle(value, condition, known)
        if clause is None:
            understood = False
        elif clause.value:
            found.append(clause)
    return Clauses(tuple(found), understood)


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Values and conditions. Only semicolons outside of parentheses divide clauses.

    A part without a value of its own belongs to the hours before it.
    """
    clauses: list[tuple[str, str]] = []
    for part in _outside_parentheses(text):
        value, at, condition = part.partition("@")
        if at or not clauses:
            clauses.append((value.strip(), _unwrap(condition)))
        elif part.strip():
            clauses[-1] = (clauses[-1][0], f"{clauses[-1][1]}; {_unwrap(part)}")
    yield from clauses


def _outside_parentheses(text: str) -> Iterator[str]:
    """The parts between semicolons that stand in no parentheses."""
    depth, start = 0, 0
    for at, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(depth - 1, 0)
        elif character == ";" and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def _unwrap(text: str) -> str:
    """Without the parentheses around all of it, one of which may be lacking."""
    text = text.strip()
    if text.startswith("(") or text.count("(") < text.count(")"):
        text = text.removeprefix("(").removesuffix(")")
    return text.strip()


def _settle(value: str, condition: str, known: Mapping[str, float]) -> Clause | None:
    """The clause with only times left, no value if it never holds; None if not understood."""
    hours: list[str] = []
    holds = True
    for part in map(_unwrap, _AND.split(condition)):
        word = part.lower().replace(" ", "_")
        if word in _PURPOSES and value in _OPEN:
            value = word
        elif word in _NEVER or word.startswith('"'):  # a comment is for people
            holds = False
        elif word in _ALWAYS:
            pass
        elif compared := _COMPARED.fullmatch(part.lower()):
            answer = _compare(compared, known)
            if answer is None:
                return None
            holds = holds and answer
        else:
            expression = read_hours(part)
            if expression is None:
                return None
            hours.append(expression)
    return Clause(value if holds else "", AND.join(hours))


def _compare(compared: re.Match[str], known: Mapping[str, float]) -> bool | None:
    """Whether a comparison holds for the vehicle; None if it makes no sense."""
    name, sign, right = compared.groups()
    name = _PROPERTIES.get(name, name)
    own = known.get(name)
    if own is None:
        return False
    limit = parse_tonnes(right) if name in _WEIGHTS else parse_metres(right)
    if limit is None or limit == NO_LIMIT:
        return None
    return bool(_COMPARISONS[sign](own, limit))


class Variants(NamedTuple):
    """A tag set under conditions.

    ``normal`` is what holds at no special time, ``expressions`` those that change it, each once.
    """

    normal: Tags
    expressions: tuple[str, ...]
    clauses: Mapping[str, Sequence[Clause]]

    def at(self, active: Sequence[str]) -> Tags:
        """The tags while some expressions hold."""
        tags = dict(self.normal)
        for key, clauses in self.clauses.items():
            value = next((c.value for c in reversed(clauses) if _holds(c, active)), None)
            if value is not None:
                tags[key] = value
        return tags


def _holds(clause: Clause, active: Sequence[str]) -> bool:
    return not clause.expression or clause.expression in active


def variants_of(tags: Tags, dimensions: Dimensions, warn: Warn) -> Variants:
    """What a tag set becomes for a vehicle at times; warns of what is not understood."""
    special = [key for key in tags if key.endswith(SUFFIX) or key in HOUR_KEYS]
    if not special:
        return Variants(tags, (), {})
    by_key: dict[str, tuple[Clause, ...]] = {}
    for key in special:
        if key in HOUR_KEYS:
            continue
        read = read_conditional(tags[key], dimensions)
        if not read.understood:
            warn(key, tags[key])
        if read.clauses:
            by_key[key.removesuffix(SUFFIX)] = read.clauses
    if any(key in HOUR_KEYS for key in special):
        tags = _without_old_hours(tags, by_key, warn)
    if not by_key:
        return Variants(tags, (), {})
    expressions = {c.expression: None for clauses in by_key.values() for c in clauses}
    expressions.pop("", None)
    normal = Variants(tags, (), by_key).at(())
    return Variants(normal, tuple(expressions), by_key)


def _without_old_hours(tags: Tags, by_key: dict[str, tuple[Clause, ...]], warn: Warn) -> Tags:
    """The tags without what holds from ``hour_on`` to ``hour_off``; that goes to the clauses."""
    plain = dict(tags)
    hours = hours_of_day(*(plain.pop(key, "") for key in HOUR_KEYS))
    for key in [key for key in plain if _is_restriction(key)]:
        value = plain.pop(key)
        plain.setdefault(key + SUFFIX, value)
        if hours is None:
            warn("hour_on", value)
        else:
            by_key[key] = (*by_key.get(key, ()), Clause(value, hours))
    return plain


def _is_restriction(key: str) -> bool:
    return key.split(":")[0] == "restriction" and not key.endswith(SUFFIX)
