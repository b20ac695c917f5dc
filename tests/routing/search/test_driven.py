"""What driven parts of arcs take, beside the rule for one arc."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import freeze
from routing.metric import Metric
from routing.search.driven import driven
from routing.search.seeds import part_cost

_COLUMN = st.lists(st.integers(1, 2**31 - 2), min_size=5, max_size=5)
_ENDS = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))


@given(_COLUMN, _COLUMN, _COLUMN, st.lists(st.integers(0, 4), min_size=1, max_size=6), _ENDS, _ENDS)
@pytest.mark.parametrize("has_durations", [False, True])
def test_all_parts_add_up(
    has_durations: bool,
    weight: list[int],
    duration: list[int],
    length: list[int],
    path: list[int],
    start: float,
    end: float,
) -> None:
    """Whole arcs, less what lies before the start and beyond the end."""
    weights, durations, lengths = (
        freeze(np.array(column, np.uint32)) for column in (weight, duration, length)
    )
    metric = Metric(weights, lengths, durations) if has_durations else Metric(weights, lengths)
    found = driven(metric, freeze(np.array(path, np.uint32)), start, end)

    def parts(column: list[int]) -> list[int]:
        taken = [column[arc] for arc in path]
        taken[-1] = part_cost(column[path[-1]], end)
        taken[0] -= part_cost(column[path[0]], start)
        return taken

    times = parts(duration if has_durations else weight)
    assert found.weight_cs.tolist() == parts(weight)
    assert found.duration_cs.tolist() == times
    assert found.slower_cs == sum(times) - sum(parts(weight))
    assert found.length_cm == sum(parts(length))
    assert (found.duration_cs is found.weight_cs) <= (not has_durations)
