"""Numbers from columns of any type."""

import decimal
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from server.batch.reading.numbers import may_hold_numbers, numbers_of

texts = st.one_of(
    st.floats().map(repr),
    st.floats(-180, 180).map(lambda x: f"{x:.6f}".replace(".", ",")),
    st.text("0123456789+-.,eE _xnaif\t", max_size=8),
    st.text(max_size=5),
    st.none(),
)


def number(text: str | None) -> float:
    """One value by Python's own rules, without what only Python takes for a number."""
    if text is None or "_" in text or not text.isascii():
        return math.nan
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


@given(st.lists(texts, max_size=8), st.sampled_from([pa.string(), pa.large_string()]))
@example(["8.6", "1e400"], pa.string())
@example(["", "+8.6"], pa.string())
@example(["1e9999999999999999999999", "x"], pa.string())
def test_text(values: list[str | None], kind: pa.DataType) -> None:
    """Each value is what it is by itself, whatever its neighbours are."""
    # Strip knows more separators than Arrow's whitespace.
    values = [v if v is None else v.translate(dict.fromkeys(range(0x1C, 0x20))) for v in values]
    found = numbers_of(pa.chunked_array([pa.array(values, kind)]))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, np.array([number(v) for v in values], np.float64))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8.6", 8.6),
        (" 8.6\t", 8.6),
        ("\u00a08.6", 8.6),
        ("8,6", 8.6),
        ("-8,61e1", -86.1),
        ("+8.6", 8.6),
        (".5", 0.5),
        ("5.", 5.0),
        ("007", 7.0),
        ("1e-400", 0.0),
    ],
)
def test_what_is_a_number(text: str, expected: float) -> None:
    assert numbers_of(pa.chunked_array([[text, "no"]]))[0] == expected
    if text.strip() == text and "," not in text:
        assert numbers_of(pa.chunked_array([[text]]))[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "x",
        "1e400",
        "-inf",
        "Infinity",
        "nan",
        "1_0",
        "0x1F",
        "1,2,3",
        "1.2,3",
        "8.6°",
        "٨",
    ],
)
def test_what_is_none(text: str) -> None:
    assert np.isnan(numbers_of(pa.chunked_array([[text]]))).all()
    assert np.isnan(numbers_of(pa.chunked_array([["1", text, None]]))).tolist() == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    "kind",
    [
        *(pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()),
        *(pa.decimal128(9, 3), pa.decimal256(40, 3), pa.string(), pa.large_string()),
        pa.string_view(),
    ],
)
def test_types(kind: pa.DataType) -> None:
    """Null is NaN in all of them."""
    assert may_hold_numbers(kind)
    values: list[object] = [1, None, 3]
    if pa.types.is_decimal(kind):
        values = [decimal.Decimal(1), None, decimal.Decimal(3)]
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        values = ["1", None, "3"]
    elif kind == pa.float16():
        values = [np.float16(1), None, np.float16(3)]
    found = numbers_of(pa.chunked_array([pa.array(values[:1], kind), pa.array(values[1:], kind)]))
    np.testing.assert_array_equal(found, [1, math.nan, 3])


def test_nulls_and_infinities_of_numbers() -> None:
    assert np.isnan(numbers_of(pa.chunked_array([pa.nulls(2)]))).all()
    assert np.isnan(numbers_of(pa.chunked_array([[math.inf, -math.inf, math.nan]]))).all()
    assert len(numbers_of(pa.chunked_array([], pa.string()))) == 0


@pytest.mark.parametrize(
    "kind", [pa.bool_(), pa.timestamp("s"), pa.binary(), pa.list_(pa.float64()), pa.date32()]
)
def test_types_that_hold_none(kind: pa.DataType) -> None:
    assert not may_hold_numbers(kind)
