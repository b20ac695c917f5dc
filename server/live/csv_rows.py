"""Speeds of roads as lines of CSV, OSRM's traffic files among them."""

import re
import sys
from collections.abc import Sequence
from typing import NamedTuple

from server.api.osrm_values import Schema
from server.errors import InvalidQuery
from server.live.rows import DIRECTIONS, SpeedRows, slowly

_COLUMNS = ("from", "to", "way", "direction", "speed", "rate")

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_WORD = re.compile(r'"?[A-Za-z_][^,"]*"?')
_SHOWN = 40
"""So much of a field is shown that is wrong."""


def csv_schema(may_take_back: bool = False) -> Schema:
    """What lines of CSV look like."""
    number = r"-?[0-9]{1,18}"
    speed = r"([0-9]+\.?[0-9]*|\.[0-9]+)" + ("?" if may_take_back else "")
    piece, way = f"{number},{number},{speed}", f"{number},{speed}"
    kinds = [("", f"({piece}|{way})"), ("from,to,speed\n", piece), ("way,speed\n", way)]
    ways = "|".join(f"{heading}({row}\n)*({row})?" for heading, row in kinds)
    return {"type": "string", "pattern": f"^({ways})$"}


class _Layout(NamedTuple):
    """Which column is what; -1: there is none."""

    columns: int
    a: int = -1
    b: int = -1
    way: int = -1
    direction: int = -1
    speed: int = -1
    rate: int = -1
    text: str = ""
    """What is expected in a line, for whoever gives something else."""


_BY_NUMBER = {
    2: _Layout(2, way=0, speed=1),
    3: _Layout(3, a=0, b=1, speed=2),
    4: _Layout(4, a=0, b=1, speed=2, rate=3),
}
"""Lines that no heading explains, by the number of their fields."""


def rows_from_csv(body: bytes, may_take_back: bool = False) -> SpeedRows:
    """Lines ``from,to,speed`` as in OSRM's traffic files, ``way,speed``, or as a heading says.

    Of several lines for the same road the last counts; one without a speed takes it back where
    that is possible. Raises ``InvalidQuery`` that names the line.
    """
    try:
        lines = body.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidQuery(f"the CSV is not UTF-8: {error.reason}") from None
    found = SpeedRows({}, {})
    heading: _Layout | None = None
    is_first = True
    for number in slowly(range(len(lines))):
        fields = [field.strip() for field in lines[number].split(",")]
        if fields == [""]:
            continue
        where = f"line {number + 1}"
        if is_first:
            is_first = False
            if len(fields) > 1 and all(map(_WORD.fullmatch, fields)):
                heading = _layout(fields, where)
                continue
        layout = heading or _BY_NUMBER.get(len(fields))
        if layout is None or len(fields) != layout.columns:
            expected = heading.text if heading else "from,to,speed or way,speed"
            raise InvalidQuery(f"{where}: expected {expected}")
        _take(found, layout, fields, where, may_take_back)
    return found


def _layout(fields: Sequence[str], where: str) -> _Layout:
    """What a heading says."""
    names = [field.strip('"').strip().lower() for field in fields]
    for name in names:
        if name not in _COLUMNS:
            raise InvalidQuery(
                f"{where}: unknown column '{name[:_SHOWN]}', expected {', '.join(_COLUMNS)}"
            )
        if names.count(name) > 1:
            raise InvalidQuery(f"{where}: more than one column '{name}'")
    at = dict.fromkeys(_COLUMNS, -1) | {name: i for i, name in enumerate(names)}
    has_pieces, has_ways = "from" in names and "to" in names, "way" in names
    if ("from" in names) != ("to" in names) or not (has_pieces or has_ways) or at["speed"] < 0:
        raise InvalidQuery(f"{where}: expected the columns from, to and speed, or way and speed")
    if "direction" in names and not has_ways:
        raise InvalidQuery(f"{where}: a direction is one of a way, and there is no column way")
    a, b, way, direction, speed, rate = (at[name] for name in _COLUMNS)
    return _Layout(len(names), a, b, way, direction, speed, rate, ",".join(names))


def _take(
    found: SpeedRows, layout: _Layout, fields: Sequence[str], where: str, may_take_back: bool
) -> None:
    """Add what one line says."""
    a, b, way, direction, rate = (
        fields[column] if column >= 0 else ""
        for column in (layout.a, layout.b, layout.way, layout.direction, layout.rate)
    )
    if rate:  # what the weight is for each metre
        raise InvalidQuery(f"{where}: rates are not supported, leave the column empty")
    speed = fields[layout.speed]
    if layout.way < 0 or (layout.a >= 0 and not way):
        if direction:
            raise InvalidQuery(f"{where}: a direction is one of a way")
        nodes = _id(a, where), _id(b, where)
        found.set_piece(*nodes, _speed(speed, where, may_take_back))
        return
    if a or b:
        raise InvalidQuery(f"{where}: expected either from and to or way")
    if direction and direction not in DIRECTIONS:
        expected = ", ".join(DIRECTIONS)
        raise InvalidQuery(f"{where}: '{direction[:_SHOWN]}' is none of: {expected}")
    directions = DIRECTIONS[direction or "both"]
    found.set_way(_id(way, where), _speed(speed, where, may_take_back), directions)


def _id(text: str, where: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise InvalidQuery(f"{where}: '{text[:_SHOWN]}' is no OpenStreetMap id")
    return int(text)


def _speed(text: str, where: str, may_take_back: bool) -> float | None:
    if not text and may_take_back:
        return None
    if not _DECIMAL.fullmatch(text):
        raise InvalidQuery(f"{where}: '{text[:_SHOWN]}' is no speed in km/h")
    return min(float(text), sys.float_info.max)
