"""Numbers from columns of any type: float64, NaN where there is none. Never raises for a value."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gis.arrays import F64

_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"

_N_TRIED = 8
"""Values that tell whether a column is worth a try: Arrow makes an error for every bad one."""


def may_hold_numbers(kind: pa.DataType) -> bool:
    """Whether `numbers_of` takes columns of this type."""
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return is_number or pa.types.is_decimal(kind) or pa.types.is_null(kind) or is_text(kind)


def numbers_of(column: pa.ChunkedArray) -> F64:
    """The finite numbers of a column, float64 (n,); NaN for null, text that is none, infinity."""
    if is_text(column.type):
        column = _text_to_numbers(column)
    column = column.cast(pa.float64(), safe=False)
    numbers: F64 = column.fill_null(np.nan).to_numpy()
    finite = np.isfinite(numbers)
    return numbers if finite.all() else np.where(finite, numbers, np.nan)


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text."""
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _text_to_numbers(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Null where a value is no number; the more is wrong with the column, the slower.

    The comma is a decimal one: no longitude has thousands.
    """
    if pa.types.is_string_view(text.type):
        text = text.cast(pa.large_string())
    try:
        text.slice(0, _N_TRIED).cast(pa.float64())
        return text.cast(pa.float64())
    except pa.ArrowInvalid:
        text = pc.replace_substring(pc.utf8_trim_whitespace(text), ",", ".")
    try:
        return text.cast(pa.float64())
    except pa.ArrowInvalid:
        is_number = pc.match_substring_regex(text, _NUMBER)
    return pc.if_else(is_number, text, pa.scalar(None, text.type)).cast(pa.float64())
