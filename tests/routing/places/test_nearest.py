"""The nearest places asked for again and again, against one question at a time."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from snap_indices import index_of, random_edges

from gis.arrays import freeze
from gis.snap import ANY_SIDE, CURB_SIDE, OTHER_SIDE, nearest
from routing.places.nearest import NearestFinder, PointQuery
from routing.places.positions import MAX_TIES, Ground

CENTRE = (249_000_000, 602_000_000)


def ground_of(seed: int) -> Ground:
    rng = np.random.default_rng(seed)
    flags = freeze(rng.integers(0, 4, 60).astype(np.uint8))
    return Ground(index_of(random_edges(seed, 30, CENTRE, 1000)), flags)


QUERIES = st.builds(
    PointQuery,
    st.integers(-20_000, 20_000).map(lambda units: (CENTRE[0] + units) / 1e7),
    st.integers(-20_000, 20_000).map(lambda units: (CENTRE[1] + units) / 1e7),
    st.sampled_from([float("inf"), 0.0, 10.0, 100.0]),
    st.sampled_from([None, None, (0, 20), (90, 90), (270, 45)]),
    st.sampled_from([ANY_SIDE, CURB_SIDE, OTHER_SIDE]),
)


@given(st.integers(0, 5), st.lists(st.tuples(QUERIES, st.integers(1, 12)), max_size=6))
def test_one_after_the_other(seed: int, questions: list[tuple[PointQuery, int]]) -> None:
    """Nothing is left of one question when the next is answered."""
    ground = ground_of(seed)
    finder = NearestFinder(ground)
    for query, number in questions:
        for mask in (1, 3):
            place = round(query.lon * 1e7), round(query.lat * 1e7)
            limits = query.radius_m, query.bearing, MAX_TIES, query.side
            expected = nearest(ground.roads, *place, ground.arc_flags, mask, number, *limits)
            assert finder.find(query, mask, number) == expected


@pytest.mark.compiled
def test_in_threads() -> None:
    """Each thread has memory of its own."""
    finder = NearestFinder(ground_of(1))
    rng = np.random.default_rng(2)
    places = [(CENTRE + rng.integers(-20_000, 20_000, 2)) / 1e7 for _ in range(300)]
    queries = [PointQuery(float(lon), float(lat)) for lon, lat in places]
    alone = [finder.find(query, 1, 1) for query in queries]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda query: finder.find(query, 1, 1), queries)) == alone
