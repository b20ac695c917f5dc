"""Vector code against plain loops over whole numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INF, U32, AnyArray, freeze
from gis.jit import plain_kernel
from routing.cch.lanes import LANES, Columns, new_rows, offer, plain_offer, plain_pull, pull

LIMITS = {np.uint32: INF, np.uint64: INF << 32}


@plain_kernel
def offer_row(rows: AnyArray, to: int, source: int, weight: AnyArray) -> None:
    offer((rows,), to, source, (weight[0],))


@plain_kernel
def pull_row(
    rows: AnyArray, to: int, tail: U32, weight: AnyArray, stop: int, given: AnyArray, at: int
) -> None:
    pull((rows,), to, tail, (weight,), (1, stop), (given,), at)


@plain_kernel
def offer_third_row(both: Columns, to: int, source: int, weight: AnyArray, third: U32) -> None:
    offer(both, to, source, (weight[0], third[0]))


@plain_kernel
def pull_third_row(
    both: Columns, to: int, tail: U32, arc: Columns, stop: int, given: Columns, at: int
) -> None:
    pull(both, to, tail, arc, (1, stop), given, at)


def random_rows(rng: np.random.Generator, n: int, lane: type, aligned: bool) -> AnyArray:
    """Rows of small numbers and of those at the limit, wherever in memory."""
    rows = new_rows(n, lane)
    if not aligned:
        rows = np.empty(n * LANES + 1, lane)[1:].reshape(n, LANES)
    rows[:] = random_numbers(rng, rows.shape, lane)
    return rows


def random_numbers(rng: np.random.Generator, shape: tuple[int, ...], lane: type) -> AnyArray:
    limit = LIMITS[lane]
    number = rng.integers(0, limit, shape, np.uint64, endpoint=True)
    number[rng.random(shape) < 0.4] %= 5
    number[rng.random(shape) < 0.2] = limit
    return number.astype(lane)


SEEDS = st.integers(0, 2**32 - 1)
LANE_TYPES = st.sampled_from([np.uint32, np.uint64])


@given(SEEDS, LANE_TYPES, st.booleans())
def test_offer(seed: int, lane: type, aligned: bool) -> None:
    """A row is lowered where another plus a weight is less, sums above 2^31 or 2^63 included."""
    rng = np.random.default_rng(seed)
    rows, weight = random_rows(rng, 5, lane, aligned), random_numbers(rng, (1,), lane)
    to, source = rng.integers(0, 5, 2).tolist()
    expected = rows.tolist()
    expected[to] = [
        min(a, b + int(weight[0])) for a, b in zip(expected[to], expected[source], strict=True)
    ]
    other = rows.copy()
    offer_row(rows, to, source, freeze(weight))
    plain_offer((other,), to, source, (weight[0],))
    assert rows.tolist() == other.tolist() == expected


@given(SEEDS, LANE_TYPES, st.booleans(), st.integers(0, 6))
def test_pull(seed: int, lane: type, aligned: bool, n_arcs: int) -> None:
    """A row becomes the least of a given one and of all that arcs bring, if there are any."""
    rng = np.random.default_rng(seed)
    rows, other = random_rows(rng, 4, lane, aligned), random_rows(rng, 3, lane, aligned)
    tail = freeze(rng.integers(0, 4, n_arcs + 2).astype(np.uint32))
    weight = freeze(random_numbers(rng, (n_arcs + 2,), lane))
    to, at = int(rng.integers(4)), int(rng.integers(3))
    expected = rows.tolist()
    through = [[cost + int(weight[i]) for cost in expected[tail[i]]] for i in range(1, n_arcs + 1)]
    expected[to] = [min(lane) for lane in zip(other[at].tolist(), *through, strict=True)]
    again = rows.copy()
    pull_row(rows, to, tail, weight, n_arcs + 1, other, at)
    plain_pull((again,), to, tail, (weight,), (1, n_arcs + 1), (other,), at)
    assert rows.tolist() == again.tolist() == expected


def random_thirds(rng: np.random.Generator, shape: tuple[int, ...]) -> U32:
    """Few numbers, so that many are alike; they are never near their limit."""
    return rng.choice([0, 1, 2, 2**31], shape).astype(np.uint32)


@given(SEEDS, LANE_TYPES)
def test_offer_third(seed: int, lane: type) -> None:
    """Where the sums are alike, a row of thirds is lowered; where one is less, it is replaced."""
    rng = np.random.default_rng(seed)
    rows, weight = random_rows(rng, 5, lane, True), random_numbers(rng, (1,), lane)
    thirds, third = random_thirds(rng, rows.shape), random_thirds(rng, (1,)) // np.uint32(2)
    to, source = rng.integers(0, 5, 2).tolist()
    if to != source and rng.random() < 0.7:
        rows[to] = rows[source] + weight[0]
    expected = [
        min(known, (cost + int(weight[0]), one + int(third[0])))
        for known, cost, one in zip(
            zip(rows[to].tolist(), thirds[to].tolist(), strict=True),
            rows[source].tolist(),
            thirds[source].tolist(),
            strict=True,
        )
    ]
    others = rows.copy(), thirds.copy()
    offer_third_row((rows, thirds), to, source, freeze(weight), freeze(third))
    plain_offer(others, to, source, (weight[0], third[0]))
    for both in ((rows, thirds), others):
        assert list(zip(both[0][to].tolist(), both[1][to].tolist(), strict=True)) == expected


@given(SEEDS, LANE_TYPES, st.integers(0, 6))
def test_pull_third(seed: int, lane: type, n_arcs: int) -> None:
    """A row becomes the least pair of cost and third; others stay as they are."""
    rng = np.random.default_rng(seed)
    rows, other = random_rows(rng, 4, lane, True), random_rows(rng, 3, lane, True)
    rows[:], other[:] = rows % lane(4), other % lane(7)  # so that many are alike
    thirds, other_thirds = random_thirds(rng, rows.shape), random_thirds(rng, other.shape)
    tail = freeze(rng.integers(0, 4, n_arcs + 2).astype(np.uint32))
    weight = freeze(rng.integers(0, 4, n_arcs + 2).astype(lane))
    third = freeze(random_thirds(rng, (n_arcs + 2,)) // np.uint32(2))
    to, at = int(rng.integers(4)), int(rng.integers(3))
    ways = [zip(other[at].tolist(), other_thirds[at].tolist(), strict=True)]
    for i in range(1, n_arcs + 1):
        costs = [cost + int(weight[i]) for cost in rows[tail[i]].tolist()]
        ways.append(zip(costs, [t + int(third[i]) for t in thirds[tail[i]].tolist()], strict=True))
    expected = [min(way) for way in zip(*ways, strict=True)]
    again = rows.copy(), thirds.copy()
    given_both = other, other_thirds
    pull_third_row((rows, thirds), to, tail, (weight, third), n_arcs + 1, given_both, at)
    plain_pull(again, to, tail, (weight, third), (1, n_arcs + 1), given_both, at)
    for both in ((rows, thirds), again):
        assert list(zip(both[0][to].tolist(), both[1][to].tolist(), strict=True)) == expected
    assert (rows == again[0]).all() and (thirds == again[1]).all()


@pytest.mark.parametrize("lane", [np.uint32, np.uint64])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_rows_begin_with_a_cache_line(lane: type, n: int) -> None:
    """No row is in more cache lines than it must be."""
    rows = new_rows(n, lane)
    assert rows.shape == (n, LANES) and rows.dtype == lane
    assert rows.ctypes.data % 64 == 0 and rows.flags.c_contiguous and rows.flags.writeable
