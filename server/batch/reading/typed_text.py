"""Columns of text as the integers, numbers or booleans that they hold.

What fits a type is a matter of each value alone, so that columns are the same however they are cut.
"""

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

_TRUE, _FALSE = pa.array(["true", "True", "TRUE"]), pa.array(["false", "False", "FALSE"])

_INTEGER = r"^(?:0|-?[1-9][0-9]{0,17})$"
_LONG_INTEGER = r"^-?[1-9][0-9]{18}$"
_MOST, _LEAST = str(2**63 - 1), str(-(2**63))

_MANTISSA = r"(?:0|[1-9][0-9]*)"
_EXPONENT = r"(?:[eE][+-]?[0-9]+)"
_NUMBER = (
    rf"^-?(?:0|[1-9][0-9]{{0,14}}|{_MANTISSA}(?:\.[0-9]*)?{_EXPONENT}"
    rf"|{_MANTISSA}\.[0-9]*|\.[0-9]+{_EXPONENT}?)$"
)
"""Integers of more digits are none: a float64 would change them."""

_EXACT = 1e15
"""Integers that are not below may have more digits."""

_KINDS = pa.bool_(), pa.int64(), pa.float64()
_N_TRIED = 64
"""Values that show soonest that a column is of another type."""


def types_of_text(samples: Iterable[Sequence[pa.ChunkedArray]], n: int) -> list[pa.DataType]:
    """The first type that all values of each of ``n`` columns fit; text if none does.

    Null says nothing, so columns of nulls are text.
    """
    possible = [list(_KINDS) for _ in range(n)]
    has_values = [False] * n
    for columns in samples:
        for i, text in enumerate(columns):
            has_values[i] |= text.null_count < len(text)
            possible[i] = [kind for kind in possible[i] if _all_fit(text, kind)]
    kinds = zip(possible, has_values, strict=True)
    return [fitting[0] if fitting and some else pa.string() for fitting, some in kinds]


def typed_column(text: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Text as a column of a type; what does not fit it is null."""
    if kind == pa.bool_():
        is_true = pc.is_in(text, _TRUE)
        fits = pc.or_(is_true, pc.is_in(text, _FALSE))
        return pc.if_else(fits, is_true, pa.scalar(None, kind))
    if kind == pa.string():
        return text
    try:
        column = text.cast(kind)
    except pa.ArrowInvalid:
        column = None
    if kind == pa.int64():
        return _integers(text, column)
    return _numbers(text, column)


def _all_fit(text: pa.ChunkedArray, kind: pa.DataType) -> bool:
    some = text.slice(0, _N_TRIED)
    return all(typed_column(part, kind).null_count == part.null_count for part in (some, text))


def _integers(text: pa.ChunkedArray, column: pa.ChunkedArray | None) -> pa.ChunkedArray:
    """The integers; those that Arrow has made of all values are right if they are so written."""
    if column is not None and _is_all(pc.equal(column.cast(pa.string()), text)):
        return column
    is_long = pc.match_substring_regex(text, _LONG_INTEGER)
    is_long = pc.and_(is_long, pc.less_equal(pc.utf8_ltrim(text, "-"), _MOST))
    fits = pc.or_(pc.match_substring_regex(text, _INTEGER), is_long)
    fits = pc.or_(fits, pc.equal(text, _LEAST))
    return _only(fits, text).cast(pa.int64())


def _numbers(text: pa.ChunkedArray, column: pa.ChunkedArray | None) -> pa.ChunkedArray:
    """The finite numbers; of what Arrow takes for such only some must be looked at more closely."""
    if column is not None:
        odd = pc.filter(text, _may_be_none(text, column))
        if _is_all(pc.match_substring_regex(odd, _NUMBER)) and _is_all(pc.is_finite(column)):
            return column
    column = _only(pc.match_substring_regex(text, _NUMBER), text).cast(pa.float64())
    return pc.if_else(pc.is_finite(column), column, pa.scalar(None, pa.float64()))


def _may_be_none(text: pa.ChunkedArray, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Where what Arrow has read may be no plain number: all others begin with another digit."""
    odd = pc.invert(pc.less(pc.abs(column), _EXACT))  # NaN too
    for begin in ("0", "-0"):
        is_fraction = pc.starts_with(text, f"{begin}.")
        odd = pc.or_(odd, pc.and_not(pc.starts_with(text, begin), is_fraction))
    return pc.or_(odd, pc.starts_with(text, "+"))


def _is_all(mask: pa.ChunkedArray) -> bool:
    """Whether what is not null is true, even of nothing."""
    return pc.all(mask, min_count=0).as_py() is not False


def _only(mask: pa.ChunkedArray, text: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(mask, text, pa.scalar(None, text.type))
