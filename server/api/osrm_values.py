"""The kinds of values that options take, each read from a URL and from JSON."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from server.api.osrm_url import Scanner
from server.errors import InvalidQuery

Schema: TypeAlias = Mapping[str, Any]

DECIMAL = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
HINT_LENGTH = 112
"""Characters of one segment's hint; the content means nothing."""

_WHOLE = re.compile(r"[0-9]+")
_SIGNED = re.compile(r"-?[0-9]{1,5}(?![0-9])")
_HINT = re.compile(rf"(?:[A-Za-z0-9_=-]{{{HINT_LENGTH}}})+")
_CLASS = re.compile(r"[A-Za-z0-9]+")
_MAX_WHOLE = 2**32 - 1


@dataclass(frozen=True)
class Value:
    """How a value is read from a URL, checked in JSON, and described in OpenAPI.

    ``read`` steps over the value or fails at a position. ``check(name, value)`` returns what
    ``read`` would have, or raises ``InvalidQuery`` that names the option.
    """

    read: Callable[[Scanner], Any]
    check: Callable[[str, Any], Any]
    url_schema: Schema
    json_schema: Schema


def flag() -> Value:
    """``true`` or ``false``."""

    def read(scanner: Scanner) -> bool:
        if scanner.literal("true"):
            return True
        return not scanner.literal("false") and scanner.fail()

    def check(name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise InvalidQuery(f"{name} must be a boolean")
        return value

    schema = {"type": "boolean"}
    return Value(read, check, schema, schema)


def choice(*words: str) -> Value:
    """One of a few words."""
    longest_first = sorted(words, key=len, reverse=True)

    def read(scanner: Scanner) -> str:
        return next((word for word in longest_first if scanner.literal(word)), "") or scanner.fail()

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise InvalidQuery(f"{name} must be a string")
        if value not in words:
            raise InvalidQuery(f"invalid {name} value")
        return value

    schema = {"type": "string", "enum": list(words)}
    return Value(read, check, schema, schema)


def whole() -> Value:
    """A whole number of at least 0."""

    def check(name: str, value: Any) -> int:
        if not _is_whole(value):
            raise InvalidQuery(f"{name} must be a non-negative integer")
        return int(value)

    schema = {"type": "integer", "minimum": 0}
    return Value(_read_whole, check, schema, schema)


def flag_or_whole() -> Value:
    """A number; ``true`` is 1 and ``false`` is 0."""

    def read(scanner: Scanner) -> int:
        if scanner.literal("true"):
            return 1
        return 0 if scanner.literal("false") else _read_whole(scanner)

    def check(name: str, value: Any) -> int:
        if not (isinstance(value, bool) or _is_whole(value)):
            raise InvalidQuery(f"{name} must be a boolean or a non-negative integer")
        return int(value)

    schema = {"oneOf": [{"type": "boolean"}, {"type": "integer", "minimum": 0}]}
    return Value(read, check, schema, schema)


def flag_or_default() -> Value:
    """``true``, ``false`` or ``default``, which is None."""

    def read(scanner: Scanner) -> bool | None:
        if scanner.literal("default"):
            return None
        if scanner.literal("true"):
            return True
        return not scanner.literal("false") and scanner.fail()

    def check(name: str, value: Any) -> bool | None:
        if value == "default":
            return None
        if not isinstance(value, bool):
            raise InvalidQuery(f'{name} must be a boolean or "default"')
        return value

    url = {"type": "string", "enum": ["default", "true", "false"]}
    return Value(
        read, check, url, {"oneOf": [{"type": "boolean"}, {"type": "string", "enum": ["default"]}]}
    )


def indices() -> Value:
    """Positions of coordinates, at least one, separated by ``;``."""

    def read(scanner: Scanner) -> tuple[int, ...]:
        found = [_read_whole(scanner, limit=None)]
        while scanner.literal(";"):
            digits = scanner.match(_WHOLE)
            if digits is None:
                scanner.position -= 1
                break
            found.append(_to_int(digits))
        return tuple(found)

    def check(name: str, value: Any) -> tuple[int, ...]:
        if not isinstance(value, list):
            raise InvalidQuery(f"{name} must be an array of indices")
        if not all(_is_whole(item) for item in value):
            raise InvalidQuery(f"{name} entries must be non-negative integers")
        return tuple(value)

    url = {"type": "string", "pattern": r"^[0-9]+(;[0-9]+)*$"}
    return Value(read, check, url, {"type": "array", "items": {"type": "integer", "minimum": 0}})


def flag_or_words(*words: str) -> Value:
    """``true`` for all words, ``false`` for none, or a list separated by commas."""
    everything = frozenset(words)
    word = choice(*words)

    def read(scanner: Scanner) -> frozenset[str]:
        if scanner.literal("true"):
            return everything
        if scanner.literal("false"):
            return frozenset()
        found = {word.read(scanner)}
        while scanner.literal(","):
            try:
                found.add(word.read(scanner))
            except InvalidQuery:
                scanner.position -= 1
                break
        return frozenset(found)

    def check(name: str, value: Any) -> frozenset[str]:
        if isinstance(value, bool):
            return everything if value else frozenset()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise InvalidQuery(f"{name} must be a boolean or an array of strings")
        if not everything.issuperset(value):
            raise InvalidQuery(f"invalid {name.removesuffix('s')} value")
        return frozenset(value)

    one_of = "|".join(words)
    url = {"type": "string", "pattern": f"^(true|false|({one_of})(,({one_of}))*)$"}
    array = {"type": "array", "items": {"type": "string", "enum": list(words)}}
    return Value(read, check, url, {"oneOf": [{"type": "boolean"}, array]})


def classes() -> Value:
    """Names of road classes separated by commas."""

    def read(scanner: Scanner) -> tuple[str, ...]:
        found = [scanner.match(_CLASS) or scanner.fail()]
        while scanner.literal(","):
            name = scanner.match(_CLASS)
            if name is None:
                scanner.position -= 1
                break
            found.append(name)
        return tuple(found)

    def check(name: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise InvalidQuery(f"{name} must be an array of strings")
        if not all(isinstance(item, str) for item in value):
            raise InvalidQuery(f"each {name} entry must be a string")
        return tuple(value)

    url = {"type": "string", "pattern": "^[A-Za-z0-9]+(,[A-Za-z0-9]+)*$"}
    return Value(read, check, url, {"type": "array", "items": {"type": "string"}})


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
    unlimited = {"type": "string", "enum": ["unlimited"]}
    items = {"oneOf": [metres, unlimited, {"type": "null"}]}
    return _per_point(read_radius, check_radius, r"([0-9]*\.?[0-9]*|unlimited)", items)


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

    pair = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    items = {"oneOf": [pair, {"type": "null"}]}
    return _per_point(read_bearing, check_bearing, "([0-9]+,[0-9]+)?", items)


def hint_per_point() -> Value:
    """Text of a fixed size, accepted for the sake of old clients."""

    def check_hint(value: Any) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str) or _HINT.fullmatch(value) is None:
            raise InvalidQuery(
                f"each hint must be null or a base64 string of {HINT_LENGTH} characters"
            )
        return value

    items = {"type": ["string", "null"], "minLength": HINT_LENGTH, "maxLength": HINT_LENGTH}
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


def is_number(value: Any) -> bool:
    """Whether JSON gave a number (a boolean is none)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


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


def _read_whole(scanner: Scanner, limit: int | None = _MAX_WHOLE) -> int:
    start = scanner.position
    digits = scanner.match(_WHOLE)
    if digits is None:
        scanner.fail()
    number = _to_int(digits)
    if limit is not None and number > limit:
        scanner.position = start
        scanner.fail()
    return number


def _to_int(digits: str) -> int:
    """The number, or one beyond every limit: Python refuses to read thousands of digits."""
    return int(digits) if len(digits) <= 18 else 10**18


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _radius(metres: float) -> float | None:
    return None if metres == -1 or math.isinf(metres) else metres
