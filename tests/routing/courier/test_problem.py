"""Problems that make no sense."""

from typing import Any

import numpy as np
import pytest

from routing.courier.problem import Courier, CourierProblem
from routing.errors import InvalidInput


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ([[0]], "durations_cs is a list"),
        (None, "durations_cs is a NoneType"),
        (np.zeros((1, 1), np.int64), r"durations_cs is int64 \(1, 1\)"),
        (np.zeros((1, 2), np.uint32), r"durations_cs is uint32 \(1, 2\)"),
    ],
)
def test_what_is_no_matrix(matrix: Any, told: str) -> None:
    """It is said what it is instead."""
    with pytest.raises(InvalidInput, match=f"^{told}, expected a square array of uint32$"):
        CourierProblem(matrix, (Courier(),))
