"""Speeds of roads as people hand them over, as rows of JSON."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from routing.changes.road_speeds import BACKWARD, FORWARD
from routing.changes.wishes import Wishes
from server.api.osrm_values import Schema, Value, is_number, only_in_json
from server.errors import InvalidQuery

Row: TypeAlias = dict[str, Any]

DIRECTIONS = {"both": (FORWARD, BACKWARD), "forward": (FORWARD,), "backward": (BACKWARD,)}

_ID = {"type": "integer", "format": "int64", "minimum": 1 - 2**63, "maximum": 2**63 - 1}
_SPEED = {"type": "number", "minimum": 0, "description": "km/h, 0: closed"}
_TAKEN_BACK = {"type": ["number", "null"], "description": "km/h, 0: closed; null takes it back"}


def row_schema(may_take_back: bool = False) -> Schema:
    """What a row of JSON looks like."""
    speed = _SPEED | (_TAKEN_BACK if may_take_back else {})
    nodes = {
        "type": "array",
        "items": _ID,
        "minItems": 2,
        "maxItems": 2,
        "description": "OpenStreetMap nodes that follow each other, in the order of travel",
    }
    direction = {
        "type": "string",
        "enum": list(DIRECTIONS),
        "default": "both",
        "description": "Along its nodes, against, or both",
    }
    way = _ID | {"description": "A whole way"}
    return {
        "oneOf": [
            {
                "type": "object",
                "required": [what, "speed"],
                "properties": members | {"speed": speed},
                "additionalProperties": False,
            }
            for what, members in (
                ("nodes", {"nodes": nodes}),
                ("way", {"way": way, "direction": direction}),
            )
        ]
    }


_WORDS = {FORWARD: "forward", BACKWARD: "backward"}
_NODES, _WAY = 0, 1
_MEMBERS = {_NODES: {"nodes", "speed"}, _WAY: {"way", "direction", "speed"}}
_MAX_ID = 2**63 - 1
_AT_ONCE = 1000
"""After so many rows others may go on: about a millisecond."""


@dataclass(frozen=True)
class SpeedRows:
    """Speeds in km/h, 0: closed, each by what it is of; None where one is to be taken back.

    ``pieces`` are from one OpenStreetMap node to the next, ``ways`` are ways in one direction: 1
    along their nodes, -1 against.
    """

    pieces: dict[tuple[int, int], float | None]
    ways: dict[tuple[int, int], float | None]

    def set_piece(self, a: int, b: int, speed: float | None) -> None:
        """Say how fast one is from one node to the next."""
        self.pieces[a, b] = speed

    def set_way(
        self, way: int, speed: float | None, directions: Iterable[int] = (FORWARD, BACKWARD)
    ) -> None:
        """Say how fast one is on a way."""
        for along in directions:
            self.ways[way, along] = speed

    def updated(self, others: "SpeedRows") -> "SpeedRows":
        """These with others in their place, and without those that are taken back."""
        return SpeedRows(
            {k: v for k, v in {**self.pieces, **others.pieces}.items() if v is not None},
            {k: v for k, v in {**self.ways, **others.ways}.items() if v is not None},
        )

    def wishes(self) -> Wishes:
        """What the engine makes of them."""
        return Wishes(_given(self.pieces), _given(self.ways))

    def rows(self) -> list[Row]:
        """As rows of JSON: pieces, then ways, each in order."""
        return list(self._rows())

    def __len__(self) -> int:
        """How many rows there are."""
        halves = sum(1 for way, along in self.ways if along == BACKWARD and self._is_alike(way))
        return len(self.pieces) + len(self.ways) - halves

    def _is_alike(self, way: int) -> bool:
        """Whether a way has one speed in both directions."""
        both = self.ways.get((way, FORWARD)), self.ways.get((way, BACKWARD))
        return both[0] is not None and both[0] == both[1]

    def _rows(self) -> Iterator[Row]:
        for nodes, speed in sorted(self.pieces.items()):
            yield {"nodes": nodes, "speed": speed}
        for (way, along), speed in sorted(self.ways.items()):
            if not self._is_alike(way):
                yield {"way": way, "direction": _WORDS[along], "speed": speed}
            elif along == FORWARD:
                yield {"way": way, "speed": speed}


def rows_from_json(name: str, rows: Any, may_take_back: bool = False) -> SpeedRows:
    """Rows ``{"nodes": [a, b], "speed": 30}`` and ``{"way": 7, "speed": 0}``.

    A way may have a ``direction``. Of several rows for the same road the last counts; a speed of
    null takes one back where that is possible. Raises ``InvalidQuery`` that names the row.
    """
    if not isinstance(rows, list):
        raise InvalidQuery(f"{name} must be an array of objects")
    found = SpeedRows({}, {})
    for number in slowly(range(len(rows))):
        row, where = rows[number], f"{name}[{number}]"
        if not isinstance(row, dict) or ("nodes" in row) == ("way" in row):
            raise InvalidQuery(f"{where} must be an object with a speed and either nodes or way")
        unknown = row.keys() - _MEMBERS[_WAY if "way" in row else _NODES]
        if unknown:
            raise InvalidQuery(f"{where} has an unknown member '{min(unknown)}'")
        if "speed" not in row:
            raise InvalidQuery(f"{where} has no speed")
        speed = row["speed"]
        if speed is not None or not may_take_back:
            if not is_number(speed) or not 0 <= speed < math.inf:
                raise InvalidQuery(f"{where}.speed must be a number of at least 0, in km/h")
            speed = float(speed)
        if "way" in row:
            direction = row.get("direction", "both")
            if not isinstance(direction, str) or direction not in DIRECTIONS:
                raise InvalidQuery(f"{where}.direction must be one of: {', '.join(DIRECTIONS)}")
            found.set_way(_id(row["way"], f"{where}.way"), speed, DIRECTIONS[direction])
        else:
            nodes = row["nodes"]
            if not isinstance(nodes, list) or len(nodes) != 2:
                raise InvalidQuery(f"{where}.nodes must be two node ids in the order of travel")
            a, b = (_id(node, f"{where}.nodes") for node in nodes)
            found.set_piece(a, b, speed)
    return found


def own_speeds() -> Value:
    """Speeds that a request brings along."""
    return only_in_json(rows_from_json, {"type": "array", "items": row_schema()})


def _id(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _MAX_ID:
        raise InvalidQuery(f"{where} must be OpenStreetMap ids, whole numbers")
    return value


def slowly(numbers: range) -> Iterator[int]:
    """The same, but other threads may go on every now and then."""
    for number in numbers:
        if number % _AT_ONCE == _AT_ONCE - 1:
            time.sleep(0)
        yield number


def _given(speeds: Mapping[tuple[int, int], float | None]) -> dict[Any, float]:
    return {name: speed for name, speed in speeds.items() if speed is not None}
