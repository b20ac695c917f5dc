"""Columns from JSON values."""

import json
import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.batch.marks import JSON, mark_of
from server.batch.reading.properties import property_column, property_fields

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-9, 9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(0, 3), max_size=2),
)


def field_of(*sample: Any) -> pa.Field:
    return property_fields({"a": value} for value in sample)["a"]


@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        ([True, None], pa.bool_()),
        ([1, None, -(2**63), 2**63 - 1], pa.int64()),
        ([1, 2.5], pa.float64()),
        ([2.5], pa.float64()),
        (["a", None], pa.string()),
        ([2**63], JSON),
        ([2**53 + 1, 0.5], JSON),
        ([None], JSON),
        ([True, 1], JSON),
        (["a", 1], JSON),
        ([[1]], JSON),
        ([{}], JSON),
    ],
)
def test_types(sample: list[Any], kind: Any) -> None:
    """The narrowest that holds all values exactly."""
    field = field_of(*sample)
    assert mark_of(field) == (JSON if kind == JSON else "")
    assert field.type == (pa.string() if kind == JSON else kind)


def test_order_of_columns() -> None:
    """As they appear first."""
    rows: list[dict[str, Any]] = [{"b": 1, "a": None}, {}, {"c": 1, "a": 2}]
    fields = property_fields(rows)
    assert list(fields) == ["b", "a", "c"]
    assert [field.name for field in fields.values()] == ["b", "a", "c"]
    assert fields["a"].type == pa.int64()


@given(st.lists(values, min_size=1, max_size=6), st.lists(values, max_size=6))
def test_values(sample: list[Any], later: list[Any]) -> None:
    """Those of the sample are all carried, later ones exactly or not at all."""
    field = field_of(*sample)
    column, n_dropped = property_column(sample, field)
    assert n_dropped == 0 and len(column) == len(sample)
    column, n_dropped = property_column([*sample, *later], field)
    found = column.to_pylist()
    if mark_of(field) == JSON:
        found = [None if text is None else json.loads(text) for text in found]
        assert n_dropped == 0
    n = 0
    for value, carried in zip([*sample, *later], found, strict=True):
        if carried is None:
            n += value is not None
        else:
            assert carried == value
            assert (type(carried) is bool) == (type(value) is bool)
    assert n == n_dropped
    assert column.type == field.type


def test_what_json_lacks() -> None:
    """No document is no number, and a number that is none is one."""
    values = [math.inf, [math.nan], math.nan, None]
    column, n_dropped = property_column(values, field_of(None))
    assert column.to_pylist() == [None, "[null]", None, None] and n_dropped == 2
    column, n_dropped = property_column([0.5, math.nan], field_of(0.5))
    assert math.isnan(column[1].as_py()) and n_dropped == 0


@pytest.mark.parametrize(
    ("sample", "misfits"),
    [
        (1, [1.0, True, "1", 2**63, [1]]),
        (0.5, [True, "1", 2**53 + 1, {}]),
        ("a", [1, True, ["a"]]),
        (True, [1, "true", 0.0]),
    ],
)
def test_misfits(sample: Any, misfits: list[Any]) -> None:
    column, n_dropped = property_column([sample, *misfits, None], field_of(sample))
    assert n_dropped == len(misfits)
    assert column.to_pylist() == [sample] + [None] * (len(misfits) + 1)
