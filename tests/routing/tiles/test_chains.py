"""Roads joined to long lines, against what joining means."""

from collections import defaultdict
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from routing.tiles.chains import Chains, join_chains

ROADS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), max_size=14
).map(lambda rows: [(a, b, key, key % 2 == 0) for a, b, key in rows])
"""Tail, head, key, and whether it may be turned: the same for all of a key."""


def join(roads: list[tuple[int, int, int, bool]]) -> Chains:
    tail, head, key, free = (np.array([road[i] for road in roads]) for i in range(4))
    return join_chains(
        2 * np.arange(len(roads), dtype=np.uint32),
        key.astype(np.int64),
        tail.astype(np.uint32),
        head.astype(np.uint32),
        free.astype(np.bool_),
    )


def ends(roads: list[tuple[int, int, int, bool]], arc: int) -> tuple[int, int]:
    tail, head, _, _ = roads[arc >> 1]
    return (head, tail) if arc % 2 else (tail, head)


@given(ROADS)
def test_lines_are_what_they_should_be(roads: list[tuple[int, int, int, bool]]) -> None:
    """All roads once, one after the other, of one key, in their direction, and no line too short.

    Where exactly two ends of a key meet, and one may go on there, no line ends at both.
    """
    chains = join(roads)
    assert sorted(arc >> 1 for arc in chains.arc.tolist()) == list(range(len(roads)))
    assert (np.diff(chains.key) >= 0).all()
    n_ends: dict[tuple[int, int], int] = defaultdict(int)
    for tail, head, key, _ in roads:
        n_ends[tail, key] += 1
        n_ends[head, key] += 1
    line_ends: dict[tuple[int, int], list[str]] = defaultdict(list)
    for key, start, stop in zip(chains.key, chains.first_arc, chains.first_arc[1:], strict=False):
        line = chains.arc[start:stop].tolist()
        assert line
        for arc in line:
            assert roads[arc >> 1][2] == key
            assert arc % 2 == 0 or roads[arc >> 1][3]
        for arc, after in pairwise(line):
            meeting = ends(roads, arc)[1]
            assert meeting == ends(roads, after)[0] and n_ends[meeting, key] == 2
        first, last = ends(roads, line[0])[0], ends(roads, line[-1])[1]
        if first != last:  # else it is a ring, or begins where others do
            line_ends[first, key].append("start")
            line_ends[last, key].append("stop")
    for (node, key), kinds in line_ends.items():
        if n_ends[node, key] == 2 and len(kinds) == 2:
            assert key % 2 == 1 and kinds[0] == kinds[1]


def test_a_road_with_a_side_road_of_another_kind() -> None:
    """It goes on past it."""
    chains = join([(0, 1, 2, True), (2, 1, 2, True), (1, 3, 4, True)])
    assert chains.first_arc.tolist() == [0, 2, 3]
    assert chains.arc.tolist() in ([0, 3, 4], [2, 1, 4])
