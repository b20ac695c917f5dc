"""The kinds of values that options take for each coordinate, one by one."""

import math
import re
from collections.abc import Callable
from typing import Any

from server.api.osrm_url import Scanner
from server.api.osrm_values import DECIMAL, Schema, Value, is_number
from server.errors import InvalidQuery

HINT_LENGTH = 112
"""Characters of one segment's hint; the content means nothing."""

_SIGNED = re.compile(r"-?[0-9]{1,5}(?![0-9])")
_HINT = re.compile(rf"(?:[A-Za-z0-9_=-]{{{HINT_LENGTH}}})+")


def radius_per_point() -> Value:
    """Metres or ``unlimited``, which is None, as -1 and an empty element are."""

    def read_radius(scanner: Scanner) -> float | None:
        if scanner.literal("unlimited"):
            return None
        text = scanner.match(DECIMAL)
        return None if text is None else _radius(float(text))

    def check_radius(value: Any) -> float | None:
        if value is None or value == "unlimited":
            return None
        if not is_number(value):
            raise InvalidQuery('each radius must be null, a number or "unlimited"')
        return _radius(float(value))

    metres = {"type": "number", "minimum": 0}
    unlimited = {"enum": ["unlimited", -1]}
    items = {"oneOf": [metres, unlimited, {"type": "null"}]}
    pattern = r"([0-9]+\.?[0-9]*|\.[0-9]+|-1|unlimited)?"
    return _per_point(read_radius, check_radius, pattern, items)


def bearing_per_point() -> Value:
    """A direction of travel and how far it may be off, in degrees: ``value,range``."""

    def read_bearing(scanner: Scanner) -> tuple[int, int] | None:
        bearing = scanner.match(_SIGNED)
        if bearing is None:
            return None
        if not scanner.literal(","):
            scanner.fail()
        return int(bearing), int(scanner.match(_SIGNED) or scanner.fail())

    def check_bearing(value: Any) -> tuple[int, int] | None:
        if value is None:
            return None
        if not (
            isinstance(value, list)
            and len(value) == 2
            and all(isinstance(item, int) and not isinstance(item, bool) for item in value)
        ):
            raise InvalidQuery("each bearing must be null or an array of two integers")
        return value[0], value[1]

    parts = [{"type": "integer", "minimum": 0, "maximum": most} for most in (360, 180)]
    pair = {"type": "array", "prefixItems": parts, "minItems": 2, "maxItems": 2}
    items = {"oneOf": [pair, {"type": "null"}]}
    pattern = "((360|3[0-5][0-9]|[12]?[0-9]?[0-9]),(180|1[0-7][0-9]|[0-9]?[0-9]))?"
    return _per_point(read_bearing, check_bearing, pattern, items)


def hint_per_point() -> Value:
    """Text that old clients send back: of a fixed size in a URL, of any in JSON."""

    def check_hint(value: Any) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            raise InvalidQuery("each hint must be null or a base64 string")
        return value

    items = {"type": ["string", "null"]}
    pattern = f"([A-Za-z0-9_=-]{{{HINT_LENGTH}}})?"
    return _per_point(lambda scanner: scanner.match(_HINT), check_hint, pattern, items)


def choice_per_point(singular: str, *words: str) -> Value:
    """One of a few words for each coordinate."""
    longest_first = sorted(words, key=len, reverse=True)

    def read_word(scanner: Scanner) -> str | None:
        return next((word for word in longest_first if scanner.literal(word)), None)

    def check_word(value: Any) -> str | None:
        if value is not None and not isinstance(value, str):
            raise InvalidQuery(f"each {singular} must be null or a string")
        if value is not None and value not in words:
            raise InvalidQuery(f"invalid {singular} value")
        return value

    items = {"oneOf": [{"type": "string", "enum": list(words)}, {"type": "null"}]}
    return _per_point(read_word, check_word, f"({'|'.join(words)})?", items)


def _per_point(
    read_one: Callable[[Scanner], Any], check_one: Callable[[Any], Any], pattern: str, items: Schema
) -> Value:
    """One element for each coordinate, separated by ``;``; an empty one is the default."""

    def read(scanner: Scanner) -> tuple[Any, ...]:
        found = [read_one(scanner)]
        while scanner.literal(";"):
            found.append(read_one(scanner))
        return tuple(found)

    def check(name: str, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise InvalidQuery(f"{name} must be an array")
        return tuple(check_one(item) for item in value)

    url = {"type": "string", "pattern": f"^{pattern}(;{pattern})*$"}
    return Value(read, check, url, {"type": "array", "items": items})


def _radius(metres: float) -> float | None:
    return None if metres == -1 or math.isinf(metres) else metres
