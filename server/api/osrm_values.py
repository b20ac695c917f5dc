"""The kinds of values that options take, each read from a URL and from JSON."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from server.api.osrm_url import Scanner
from server.errors import InvalidQuery

Schema: TypeAlias = Mapping[str, Any]

DECIMAL = re.compile(r"-?(?:[0-9]+(?:\.(?!json|flatbuffers)[0-9]*)?|\.[0-9]+)")
"""A point may end it, unless that begins the ``.json`` behind the last coordinate."""

_WHOLE = re.compile(r"[0-9]+")
_MORE_WHOLES = re.compile(r"(?:;[0-9]+)+")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)
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


def only_in_json(check: Callable[[str, Any], Any], schema: Schema) -> Value:
    """What is too much for a URL."""

    def read(scanner: Scanner) -> Any:
        raise InvalidQuery("avoid_polygons and speeds are understood in the body of a POST only")

    return Value(read, check, {}, schema)


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

    schema = {"type": "integer", "minimum": 0, "maximum": _MAX_WHOLE}
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
    return wholes("indices")


def wholes(what: str) -> Value:
    """Whole numbers, at least one, separated by ``;``."""

    def read(scanner: Scanner) -> tuple[int, ...]:
        first = _read_whole(scanner, limit=None)
        more = scanner.match(_MORE_WHOLES)
        return (first, *map(_to_int, more[1:].split(";"))) if more else (first,)

    def check(name: str, value: Any) -> tuple[int, ...]:
        if not isinstance(value, list):
            raise InvalidQuery(f"{name} must be an array of {what}")
        if not all(_is_whole(item) for item in value):
            raise InvalidQuery(f"{name} entries must be non-negative integers")
        return tuple(value)

    url = {"type": "string", "pattern": r"^[0-9]+(;[0-9]+)*$"}
    index = {"type": "integer", "minimum": 0, "maximum": _MAX_WHOLE}
    return Value(read, check, url, {"type": "array", "items": index})


def indices_or_all() -> Value:
    """Positions of coordinates, or none for all of them: ``all`` in a URL, an empty array."""
    some = indices()

    def read(scanner: Scanner) -> tuple[int, ...]:
        return () if scanner.literal("all") else some.read(scanner)

    url = {"type": "string", "pattern": r"^(all|[0-9]+(;[0-9]+)*)$", "default": "all"}
    return Value(read, some.check, url, some.json_schema)


def decimal() -> Value:
    """A number above 0; the service checks that it is."""

    def check(name: str, value: Any) -> float:
        if not is_number(value):
            raise InvalidQuery(f"{name} must be a number")
        return float(value)

    schema = {"type": "number", "exclusiveMinimum": 0}
    return Value(_read_decimal, check, schema, schema)


def decimals() -> Value:
    """Numbers above 0, at least one, separated by commas; the service checks that they are."""

    def read(scanner: Scanner) -> tuple[float, ...]:
        found = [_read_decimal(scanner)]
        while scanner.literal(","):
            text = scanner.match(DECIMAL)
            if text is None:
                scanner.position -= 1
                break
            found.append(float(text))
        return tuple(found)

    def check(name: str, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list):
            raise InvalidQuery(f"{name} must be an array of numbers")
        if not all(map(is_number, value)):
            raise InvalidQuery(f"{name} entries must be numbers")
        return tuple(map(float, value))

    number = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
    url = {"type": "string", "pattern": f"^{number}(,{number})*$"}
    items = {"type": "number", "exclusiveMinimum": 0}
    return Value(read, check, url, {"type": "array", "items": items})


def flag_or_words(*words: str, flag_in_url: bool = True) -> Value:
    """``true`` for all words, ``false`` for none, or a list separated by commas."""
    everything = frozenset(words)
    word = choice(*words)

    def read(scanner: Scanner) -> frozenset[str]:
        if flag_in_url and scanner.literal("true"):
            return everything
        if flag_in_url and scanner.literal("false"):
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
    listed = f"({one_of})(,({one_of}))*"
    pattern = f"^(true|false|{listed})$" if flag_in_url else f"^{listed}$"
    url = {"type": "string", "pattern": pattern}
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


def local_time() -> Value:
    """A time as ISO 8601 spells it, with or without an offset from UTC."""

    def read(scanner: Scanner) -> str:
        return scanner.match(_TIME) or scanner.fail()

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or _TIME.fullmatch(value) is None:
            raise InvalidQuery(f"{name} must be a time such as 2026-11-30T08:15")
        return value

    schema = {"type": "string", "pattern": f"^{_TIME.pattern}$", "examples": ["2026-11-30T08:15"]}
    return Value(read, check, schema, schema)


def is_number(value: Any) -> bool:
    """Whether JSON gave a number (a boolean is none)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


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


def _read_decimal(scanner: Scanner) -> float:
    return float(scanner.match(DECIMAL) or scanner.fail())


def _to_int(digits: str) -> int:
    """The number, or one beyond every limit: Python refuses to read thousands of digits."""
    return int(digits) if len(digits) <= 18 else 10**18


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
