"""Answers as columns of a table."""

import numpy as np
import pytest

from server.batch.answer_table import answer_columns, answer_fields
from server.batch.errors import OutputError
from server.batch.task import Answer, Ragged, Task


def test_a_matrix_is_not_copied() -> None:
    """What stands in the table is the memory of the answer itself."""
    task = Task("table", destinations=np.zeros((3, 2)), distances=True)
    seconds, metres = np.random.default_rng(1).random((2, 4, 3)).astype(np.float32)
    answer = Answer(np.zeros(4, np.uint8), {"duration_s": seconds, "distance_m": metres})
    _, *columns = answer_columns(answer, answer_fields(task))
    for column, array in zip(columns, (seconds, metres), strict=True):
        assert np.shares_memory(column.values.to_numpy(), array)
        assert column.to_pylist() == array.tolist()


def test_what_is_missing_is_null() -> None:
    """Numbers that are NaN, and shapes of rows without an answer."""
    shapes = Ragged(np.array([0, 2, 2, 3]), np.frombuffer(b"abc", np.uint8))
    numbers = np.array([1.5, np.nan, 2.5])
    status = np.array([0, 1, 0], np.uint8)
    answer = Answer(status, {"duration_s": numbers, "distance_m": numbers, "geometry": shapes})
    columns = answer_columns(answer, answer_fields(Task("route", geometry=True)))
    assert [column.to_pylist() for column in columns] == [
        ["Ok", "NoRoute", "Ok"],
        [1.5, None, 2.5],
        [1.5, None, 2.5],
        [b"ab", None, b"c"],
    ]


@pytest.mark.parametrize("n_bytes", [2**31, 2**32 + 5])
def test_more_than_offsets_reach(n_bytes: int) -> None:
    """Shapes of a chunk that are too large together are refused, in one line."""
    shapes = Ragged(np.array([0, n_bytes]), np.zeros(1, np.uint8))
    numbers = np.zeros(1)
    columns = {"duration_s": numbers, "distance_m": numbers, "geometry": shapes}
    with pytest.raises(OutputError, match=f"takes {n_bytes} bytes.*smaller --chunk-rows"):
        answer_columns(
            Answer(np.zeros(1, np.uint8), columns), answer_fields(Task("route", geometry=True))
        )
