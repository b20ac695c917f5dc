"""Columns from JSON values: the type of each from a sample, later values made to fit."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson
import pyarrow as pa

from server.batch.marks import JSON, mark_of, marked

_EXACT_FLOAT = 2**53
_MAX_INT = 2**63


def property_fields(rows: Iterable[Mapping[str, Any]]) -> dict[str, pa.Field]:
    """The field of each key, in the order in which they appear.

    Text, booleans, whole numbers or numbers, if all values are so; else JSON as marked text.
    """
    kinds: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.items():
            kind = _kind(value)
            known = kinds.setdefault(name, set())
            if kind:
                known.add(kind)
    return {name: _field(name, kinds[name]) for name in kinds}


def property_column(values: list[Any], field: pa.Field) -> tuple[pa.ChunkedArray, int]:
    """Values as a column, those that do not fit as null; and how many these were."""
    if mark_of(field) == JSON:
        kept = [None if value is None else _document(value) for value in values]
    elif set(map(type, values)) <= _SURE_TO_FIT[field.type]:
        kept = values
    else:
        fits = _FITS[field.type]
        kept = [value if value is not None and fits(value) else None for value in values]
    n_dropped = kept.count(None) - values.count(None)
    return pa.chunked_array([pa.array(kept, field.type)]), n_dropped


def _kind(value: Any) -> str:
    """What a value is, as far as it matters for the type of its column; empty if null."""
    if value is None:
        return ""
    if type(value) is int:
        return "int" if _is_small(value) else "whole" if _is_whole(value) else "other"
    return {bool: "bool", float: "float", str: "str"}.get(type(value), "other")


def _field(name: str, kinds: set[str]) -> pa.Field:
    for most, kind in (
        ({"bool"}, pa.bool_()),
        ({"int", "whole"}, pa.int64()),
        ({"int", "float"}, pa.float64()),
        ({"str"}, pa.string()),
    ):
        if kinds and kinds <= most:
            return pa.field(name, kind)
    return marked(pa.field(name, pa.string()), JSON)


def _is_small(value: Any) -> bool:
    return type(value) is int and -_EXACT_FLOAT <= value <= _EXACT_FLOAT


def _is_whole(value: Any) -> bool:
    return type(value) is int and -_MAX_INT <= value < _MAX_INT


_FITS: dict[pa.DataType, Callable[[Any], bool]] = {
    pa.bool_(): lambda value: type(value) is bool,
    pa.int64(): _is_whole,
    pa.float64(): lambda value: type(value) is float or _is_small(value),
    pa.string(): lambda value: type(value) is str,
}


_SURE_TO_FIT: dict[pa.DataType, set[type]] = {
    pa.bool_(): {bool, type(None)},
    pa.int64(): set(),
    pa.float64(): {float, type(None)},
    pa.string(): {str, type(None)},
}
"""Types of values that need no further look; an integer may be too large."""


def _document(value: Any) -> str | None:
    """A value as JSON, integers of any size; None for NaN and infinity, which JSON lacks."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
