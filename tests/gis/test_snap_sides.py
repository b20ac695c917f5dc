"""Sides of roads on which points lie, against the winding of a walk around each place."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from snap_indices import all_flags, index_of, random_edges

from gis.arrays import freeze
from gis.snap import (
    ANY_SIDE,
    BACKWARD,
    CURB_SIDE,
    FORWARD,
    OTHER_SIDE,
    Snap,
    nearest,
    nearest_many,
)

EAST = [[(0, 0), (9000, 0)]]


def at(edges: Any, lon: int, lat: int, side: int, **options: Any) -> list[Snap]:
    """The nearest places on all edges, which are open in both directions."""
    left_hand = options.pop("left_hand", False)
    index = index_of(edges, left_hand)
    return nearest(index, lon, lat, all_flags(index), 1, len(edges), side=side, **options)


@pytest.mark.parametrize(
    ("lat", "right_hand"),
    [(-500, FORWARD), (500, BACKWARD), (0, FORWARD)],  # right of it, left of it, on it
)
def test_sides_of_a_straight_road(lat: int, right_hand: int) -> None:
    """One drives on the right, or on the left; "opposite" is the other direction."""
    other = FORWARD + BACKWARD - right_hand
    for left_hand, curb, opposite in ((False, right_hand, other), (True, other, right_hand)):
        for side, expected in (
            (ANY_SIDE, FORWARD | BACKWARD),
            (CURB_SIDE, curb),
            (OTHER_SIDE, opposite),
        ):
            (snap,) = at(EAST, 3000, lat, side, left_hand=left_hand)
            assert snap.directions == expected
            assert (snap.lon, snap.lat) == (3000, 0)


def test_a_one_way_road_has_no_sides() -> None:
    """Whichever direction is closed, a point on either side may stand for the road."""
    index = index_of(EAST)
    for flags, direction in (([1, 0], FORWARD), ([0, 1], BACKWARD)):
        arcs = freeze(np.array(flags, np.uint8))
        for lat in (-500, 0, 500):
            for side in (CURB_SIDE, OTHER_SIDE):
                (snap,) = nearest(index, 3000, lat, arcs, 1, side=side)
                assert snap.directions == direction


def test_a_direction_that_is_open_for_others_has_sides() -> None:
    """A direction without a flag that the mask asks for may still be driven."""
    index = index_of(EAST)
    arcs = freeze(np.array([1, 3], np.uint8))
    assert nearest(index, 3000, -500, arcs, 3, side=CURB_SIDE) == []
    (snap,) = nearest(index, 3000, 500, arcs, 3, side=CURB_SIDE)
    assert snap.directions == BACKWARD


def test_side_and_bearing_must_both_hold() -> None:
    """A bearing that only the other direction has leaves no place on the road."""
    assert at(EAST, 3000, -500, CURB_SIDE, bearing=(270, 90 - 1)) == []
    (snap,) = at(EAST, 3000, -500, OTHER_SIDE, bearing=(270, 89))
    assert snap.directions == BACKWARD


HAIRPIN = [[(0, 0), (9000, 0), (100, 3000)]]


@pytest.mark.parametrize("edges", [HAIRPIN, [HAIRPIN[0][::-1]]])
def test_beyond_a_hairpin(edges: Any) -> None:
    """Around a sharp bend all points are on its outer side, ahead of either piece as well."""
    outer = FORWARD if edges is HAIRPIN else BACKWARD
    for lon, lat in ((9500, 0), (9500, 100), (9500, -100), (9500, 20), (9400, -170)):
        (snap,) = at(edges, lon, lat, CURB_SIDE)
        assert (snap.lon, snap.lat) == (9000, 0)
        assert snap.directions == outer
        (snap,) = at(edges, lon, lat, OTHER_SIDE)
        assert snap.directions == FORWARD + BACKWARD - outer


def winding_side(chain: np.ndarray[Any, Any], x: float, y: float) -> int:
    """1 if a point is left of a line, -1 if right: by the angle between its ends drawn far out.

    Closed far behind the point's back, the line winds around what is on its left.
    """
    far = 1e9
    begin = chain[0] - (chain[1] - chain[0]) * far
    end = chain[-1] + (chain[-1] - chain[-2]) * far
    line = np.vstack([begin, chain, end]) - (x, y)
    angles = np.arctan2(line[:, 1], line[:, 0])
    turns = np.mod(np.diff(angles) + math.pi, 2 * math.pi) - math.pi
    return 1 if turns.sum() > 0 else -1


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(-40, 40)), min_size=2, max_size=6),
    st.tuples(st.integers(-20, 200), st.integers(-200, 200)),
    st.booleans(),
)
def test_sides_of_lines_with_bends(
    steps: list[tuple[int, int]], point: tuple[int, int], left_hand: bool
) -> None:
    """A line that never turns back upon itself has two sides, which the winding tells."""
    chain = 100 * np.array([(0, 0), *steps]).cumsum(axis=0)
    x, y = (100 * value + 7 for value in point)
    edge = [tuple(place) for place in chain.tolist()]
    (snap,) = at([edge], x, y, CURB_SIDE, left_hand=left_hand)
    if snap.fraction in (0, 1):
        return  # what is ahead or behind belongs to the first or last piece, drawn out
    expected = winding_side(chain.astype(float), x, y)
    is_right = (expected < 0) != left_hand
    assert snap.directions == (FORWARD if is_right else BACKWARD)


@given(st.integers(0, 10**6), st.integers(1, 30), st.booleans())
def test_what_the_sides_leave(seed: int, n_edges: int, left_hand: bool) -> None:
    """Each direction of a two-way road is on one of the sides, and distances stay as they are."""
    rng = np.random.default_rng(seed)
    edges = [
        list(dict.fromkeys(edge))
        for edge in random_edges(seed, n_edges, (249_000_000, 602_000_000), 1000)
    ]
    edges = [edge for edge in edges if len(edge) > 1]
    if not edges:
        return
    index = index_of(edges, left_hand)
    flags = freeze(rng.choice([0, 1, 1], 2 * len(edges)).astype(np.uint8))
    lon, lat = (int(c + rng.integers(-9000, 9000)) for c in (249_000_000, 602_000_000))
    free, curb, other = (
        nearest(index, lon, lat, flags, 1, len(edges), side=side)
        for side in (ANY_SIDE, CURB_SIDE, OTHER_SIDE)
    )
    for a, b, c in zip(free, curb, other, strict=True):
        assert a._replace(directions=0) == b._replace(directions=0) == c._replace(directions=0)
        if a.directions == FORWARD | BACKWARD:
            assert {b.directions, c.directions} == {FORWARD, BACKWARD}
        else:
            assert a == b == c


def test_a_side_for_each_point() -> None:
    """Many points at once, each with its side."""
    index = index_of(EAST)
    lon, lat = np.array([3000, 3000, 3000], np.int32), np.array([-5, -5, 5], np.int32)
    sides = np.array([ANY_SIDE, OTHER_SIDE, CURB_SIDE])
    found, count = nearest_many(index, lon, lat, all_flags(index), 1, side=sides)
    assert count.tolist() == [1, 1, 1]
    assert found["directions"][:, 0].tolist() == [FORWARD | BACKWARD, BACKWARD, BACKWARD]


def test_roads_without_length() -> None:
    """One stands beside no point; the roads that meet there are found all the same."""
    edges = [[(0, 0), (0, 0)], [(0, 0), (9000, 0)], [(0, 0), (0, 0), (0, 9000)]]
    found = at(edges, -100, -100, CURB_SIDE)
    assert [(snap.edge, snap.distance_m > 0) for snap in found] == [(1, True), (2, True)]
