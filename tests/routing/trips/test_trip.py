"""Trips of an engine: in towns with islands, one-way streets and turns that are forbidden."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from towns import SPOTS, spot, town

from routing.errors import InvalidInput, NoSegment, NoTrips


@given(
    seed=st.integers(0, 3),
    places=st.lists(SPOTS, min_size=2, max_size=6),
    ends=st.tuples(st.booleans(), st.booleans(), st.booleans()).filter(any),
)
@settings(max_examples=80, deadline=None)
def test_a_trip_takes_as_long_as_its_legs(
    seed: int, places: list[tuple[str, float, float]], ends: tuple[bool, bool, bool]
) -> None:
    """Its route is the sum of the table's cells, or there is no way between two of the points."""
    world, engine = town(seed)
    points = [spot(world, place) for place in places]
    round_trip, first, last = ends
    cells = engine.table(points).duration_s
    options = {"round_trip": round_trip, "fixed_start": first, "fixed_end": last}
    if np.isnan(cells).any():
        with pytest.raises(NoTrips):
            engine.trip(points, **options)
        return
    trip = engine.trip(points, **options)
    order = list(trip.order)
    assert sorted(order) == list(range(len(points)))
    visits = [*order, order[0]] if round_trip else order
    steps = [cells[a, b] for a, b in pairwise(visits)]
    assert [leg.duration_s for leg in trip.route.legs] == pytest.approx(steps)
    assert trip.route.duration_s == pytest.approx(sum(steps))
    assert len(trip.route.waypoints) == len(visits)


def test_legs_may_turn_around() -> None:
    """A trip goes back the way it came where that is best, though vehicles go straight on."""
    world, engine = town(0)
    points = [spot(world, (street, 0.5, 0.0)) for street in ("st", "tv")]
    trip = engine.trip(points)
    apart = engine.route(points[:2]).duration_s + engine.route(points[::-1]).duration_s
    assert trip.route.duration_s == pytest.approx(apart)


def test_what_is_no_trip() -> None:
    """One point, ends that are open, a place without a road."""
    world, engine = town(0)
    points = [spot(world, (street, 0.5, 0.0)) for street in ("st", "tv")]
    with pytest.raises(InvalidInput, match="1 points"):
        engine.trip(points[:1])
    with pytest.raises(InvalidInput, match="fixed"):
        engine.trip(points, round_trip=False)
    with pytest.raises(NoSegment) as caught:
        engine.trip([points[0], (0.0, 0.0)], radiuses=[None, 5.0])
    assert caught.value.index == 1
