"""Types of text, against what each value says by itself."""

import math
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.batch.reading.typed_text import typed_column, types_of_text

KINDS = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64()}

EXAMPLES = """
0 -0 007 -007 00 0.5 -0.5 00.5 0e1 0x1F +5 +0.5 1. .5 -.5 . - 5e 1e5 1E-5 1e400 -1e400 1e-400
inf nan NaN -nan true True false TRUE tRUE 1_0 1,5 \u0661 999999999999999 1000000000000000
9007199254740993 9007199254740993.5 123456789012345678e-10 9223372036854775807 9223372036854775808
-9223372036854775808 -9223372036854775809 12345678901234567890
"""

written = st.one_of(
    st.sampled_from(EXAMPLES.split()),
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.text("0123456789.-+eE ", min_size=1, max_size=8),
)


def value_of(text: str | None, kind: str) -> bool | int | float | None:
    """What a value is by the rules; None if it is none."""
    if text is None:
        return None
    if kind == "bool":
        return {"true": True, "false": False}.get(text.lower()) if text != "tRUE" else None
    if kind == "int":
        whole_number = int(text) if re.fullmatch("-?[0-9]+", text) else 2**63
        fits = str(whole_number) == text and -(2**63) <= whole_number < 2**63
        return whole_number if fits else None
    whole, _, fraction = re.split("[eE]", text)[0].removeprefix("-").partition(".")
    if re.search(r"[^0-9.eE+-]", text) or text[0] == "+" or (len(whole) > 1 and whole[0] == "0"):
        return None
    if re.fullmatch("-?[0-9]{16,}", text) or not whole + fraction:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def column(values: list[str | None]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, pa.string())])


@pytest.mark.parametrize("kind", KINDS)
@given(values=st.lists(st.none() | written, max_size=6))
def test_values_of_a_type(kind: str, values: list[str | None]) -> None:
    """Each is what it is by itself, whatever stands beside it, or null."""
    found = typed_column(column(values), KINDS[kind])
    expected = [value_of(value, kind) for value in values]
    assert found.to_pylist() == expected and found.type == KINDS[kind]
    alone = [typed_column(column([value]), KINDS[kind])[0].as_py() for value in values]
    assert alone == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", EXAMPLES.split())
def test_odd_values(text: str, kind: str) -> None:
    """Each by itself, and beside one that is of no type."""
    expected = value_of(text, kind)
    assert typed_column(column([text]), KINDS[kind]).to_pylist() == [expected]
    assert typed_column(column([text, "x"]), KINDS[kind]).to_pylist() == [expected, None]


@given(
    st.lists(
        st.lists(
            st.none()
            | written
            | st.integers(-5, 5).map(str)
            | st.sampled_from(["true", "false", "1.5"]),
            max_size=3,
        ),
        max_size=3,
    )
)
def test_the_type_of_a_column(pieces: list[list[str | None]]) -> None:
    """The first that all values fit, over all pieces; text if there is none, or no value."""
    values = [value for piece in pieces for value in piece if value is not None]
    fitting = [k for k in KINDS if all(value_of(value, k) is not None for value in values)]
    expected = KINDS[fitting[0]] if values and fitting else pa.string()
    constant = column(["x"])
    found = types_of_text(([constant, column(piece)] for piece in pieces), 2)
    assert found[1] == expected and (found[0] == pa.string())


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", None, "-20"], pa.int64()),
        (["1", "2.5"], pa.float64()),
        (["007", "12"], pa.string()),
        (["+1", "12"], pa.string()),
        (["9223372036854775807"], pa.int64()),
        (["9223372036854775808"], pa.string()),
        (["0.1", "9007199254740993"], pa.string()),
        (["true", "False"], pa.bool_()),
        (["true", "1"], pa.string()),
        (["NaN", "1.5"], pa.string()),
        (["1"] * 100 + ["x"], pa.string()),
        ([None], pa.string()),
        ([], pa.string()),
    ],
)
def test_types(values: list[str | None], kind: pa.DataType) -> None:
    """Numbers that would not be the same again are text."""
    assert types_of_text([[column(values)]], 1) == [kind]
