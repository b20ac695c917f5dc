"""Members of JSON objects, read one by one: what is wrong is told with the path to it."""

import json
import math
from collections.abc import Mapping
from typing import Any

from routing.courier.problem import LONGEST_S, MOST_AMOUNT, MOST_DIMENSIONS, Window
from server.courier.limits import expected_seconds
from server.errors import InvalidQuery, Unsupported

MOST_ID = 2**63 - 1

Point = tuple[float, float]

_NOTHING: tuple[Any, ...] = (None, 0, "", [], {})
"""What changes nothing, and may be said of what is not supported."""


class Members:
    """The members of an object at ``where``, such as ``vehicles[2]``; nothing may be left over.

    ``known`` are the members that there may be, ``unsupported`` those that VROOM has and we do
    not, each with what is said of it: these may only be empty or zero.
    """

    def __init__(
        self, where: str, value: Any, known: frozenset[str], unsupported: Mapping[str, str]
    ) -> None:
        if not isinstance(value, dict):
            raise InvalidQuery(f"{where or 'the problem'} is {_kind(value)}, expected an object")
        self.where, self._value = where, value
        for name, member in value.items():
            if name in known:
                continue
            if name not in unsupported:
                raise InvalidQuery(
                    f"{self.path(name)} is unknown, expected {', '.join(sorted(known))}"
                )
            if member not in _NOTHING:
                raise Unsupported(f"{self.path(name)}: {unsupported[name]}")

    def path(self, name: str) -> str:
        """How a member is called in errors."""
        return f"{self.where}.{name}" if self.where else name

    def has(self, name: str) -> bool:
        """Whether the member is there; null is not."""
        return self._value.get(name) is not None

    def raw(self, name: str) -> Any:
        """The member as it is, or None."""
        return self._value.get(name)

    def need(self, *names: str) -> None:
        """Refuse the object if one of these is missing."""
        for name in names:
            if not self.has(name):
                expected = f", expected {' and '.join(names)}" if len(names) > 1 else ""
                raise InvalidQuery(f"{self.where or 'the problem'} has no {name}{expected}")

    def number(self, name: str, default: float, least: float, most: float) -> float:
        """A finite number within limits."""
        if not self.has(name):
            return default
        value = self._value[name]
        if not is_number(value) or not least <= value <= most:
            raise self.wrong(name, f"a number from {least:.12g} to {most:.12g}")
        return value  # type: ignore[no-any-return]

    def seconds(self, name: str) -> float:
        """How long something takes; 0 if nothing is said."""
        return self.number(name, 0, 0, LONGEST_S)

    def search_seconds(self, name: str, most: float) -> float | None:
        """How long to search, or None."""
        if not self.has(name):
            return None
        value = self._value[name]
        if not is_number(value) or not 0 < value <= most:
            raise self.wrong(name, expected_seconds(most))
        return value  # type: ignore[no-any-return]

    def whole(self, name: str, default: int | None, least: int, most: int) -> int | None:
        """A whole number within limits."""
        if not self.has(name):
            return default
        if not is_whole(self._value[name], least, most):
            raise self.wrong(name, f"a whole number from {least} to {most}")
        return self._value[name]  # type: ignore[no-any-return]

    def id(self) -> int:
        """The whole number by which the thing is called."""
        self.need("id")
        found = self.whole("id", None, 0, MOST_ID)
        assert found is not None
        return found

    def flag(self, name: str) -> bool:
        """True or false; false if nothing is said."""
        value = self._value.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return bool(value)

    def text(self, name: str) -> str | None:
        """A text, or None."""
        value = self._value.get(name)
        if value is not None and not isinstance(value, str):
            raise self.wrong(name, "a text")
        return value

    def array(self, name: str) -> list[Any]:
        """An array; empty if nothing is said."""
        value = self._value.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(name, "an array")
        return value

    def amount(self, name: str) -> tuple[int, ...]:
        """Whole quantities, one for each dimension."""
        value = self.array(name)
        if len(value) > MOST_DIMENSIONS:
            raise self.wrong(name, f"at most {MOST_DIMENSIONS} quantities")
        if not all(is_whole(part, 0, MOST_AMOUNT) for part in value):
            raise self.wrong(name, f"whole numbers from 0 to {MOST_AMOUNT}")
        return tuple(value)

    def skills(self) -> frozenset[int]:
        """Skills, whole numbers."""
        value = self.array("skills")
        if not all(is_whole(part, 0, MOST_ID) for part in value):
            raise self.wrong("skills", f"whole numbers from 0 to {MOST_ID}")
        return frozenset(value)

    def point(self, name: str) -> Point | None:
        """A longitude and a latitude, or None."""
        return None if not self.has(name) else self._point(name, self._value[name])

    def points(self, name: str) -> list[Point]:
        """Longitudes and latitudes, none if nothing is said."""
        return [self._point(f"{name}[{i}]", value) for i, value in enumerate(self.array(name))]

    def _point(self, name: str, value: Any) -> Point:
        is_pair = isinstance(value, list) and len(value) == 2 and all(map(is_number, value))
        if not is_pair or abs(value[0]) > 180 or abs(value[1]) > 90:
            raise InvalidQuery(
                f"{self.path(name)} is {shown(value)}, expected [longitude, latitude] in degrees"
            )
        return float(value[0]), float(value[1])

    def window(self, name: str) -> Window | None:
        """A begin and an end in seconds, or None."""
        return None if not self.has(name) else self._window(name, self._value[name])

    def windows(self, name: str) -> tuple[Window, ...]:
        """Windows one after the other, none if nothing is said."""
        found: list[Window] = []
        for i, value in enumerate(self.array(name)):
            window = self._window(f"{name}[{i}]", value)
            if found and window[0] < found[-1][1]:
                raise InvalidQuery(
                    f"{self.path(name)}[{i}] begins at {window[0]}, before the one before it ends"
                    f" at {found[-1][1]}"
                )
            found.append(window)
        if self.has(name) and not found:
            raise self.wrong(name, "one window or more, or none of this member")
        return tuple(found)

    def _window(self, name: str, value: Any) -> Window:
        is_pair = isinstance(value, list) and len(value) == 2 and all(map(is_number, value))
        if not is_pair or not all(0 <= side <= LONGEST_S for side in value):
            raise InvalidQuery(
                f"{self.path(name)} is {shown(value)}, expected [begin, end] in seconds from 0 to"
                f" {LONGEST_S}"
            )
        begin, end = value
        if end < begin:
            raise InvalidQuery(f"{self.path(name)} ends at {end}, before it begins at {begin}")
        return begin, end

    def wrong(self, name: str, expected: str) -> InvalidQuery:
        """The error for a member that is not as it should be."""
        return InvalidQuery(f"{self.path(name)} is {shown(self.raw(name))}, expected {expected}")


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: Any, least: int, most: int) -> bool:
    """Whether a value is a whole number within limits, and no boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def shown(value: Any) -> str:
    """A value as errors show it: JSON, cut if it is long."""
    text = _kind(value) if isinstance(value, dict) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {dict: "an object", list: "an array", str: "a text", bool: "true or false"}
    return kinds.get(type(value), "a number")
