"""What callers say about points and routes, right and wrong."""

import math
from typing import Any

import numpy as np
import pytest

from gis.snap_search import ANY_BEARING
from routing.errors import InvalidCoordinate, InvalidInput, InvalidValue
from routing.inputs import (
    area_limits,
    check_threads,
    is_anywhere,
    limits_of,
    point_queries,
    radius_of,
    stops_of,
)
from routing.places.nearest import PointQuery

POINTS = [(1.0, 2.0), (3.0, 4.0)]


def test_points_with_limits() -> None:
    """Each point has its own limits, or none."""
    assert point_queries(POINTS, None, None) == [PointQuery(1, 2), PointQuery(3, 4)]
    found = point_queries(POINTS, [None, 5.0], [(360, 0), None])
    assert found == [PointQuery(1, 2, math.inf, (360, 0)), PointQuery(3, 4, 5.0, None)]
    assert point_queries([], [], []) == []
    assert point_queries(POINTS, None, [(200, 180), (200, 179)]) == [
        PointQuery(1, 2),
        PointQuery(3, 4, math.inf, (200, 179)),
    ], "a range of 180 degrees is any bearing"


@pytest.mark.parametrize("point", [(181, 0), (0, 91), (math.nan, 0), (0, math.nan), (0, -math.inf)])
def test_points_off_the_globe(point: Any) -> None:
    """They are named by their number."""
    with pytest.raises(InvalidCoordinate, match="coordinate 1 is not on the globe"):
        point_queries([(0, 0), point], None, None)


@pytest.mark.parametrize(
    ("radiuses", "bearings", "message"),
    [
        ([1.0], None, "elements in radiuses size 1 does not match coordinate size 2"),
        (None, [None] * 3, "elements in bearings size 3 does not match coordinate size 2"),
        ([1.0, -1e-9], None, "radius 1 is -1e-09, expected 0 or more metres"),
        ([math.nan, 1.0], None, "radius 0 is nan"),
        (None, [(-1, 0), None], "bearing 0 is -1,0, expected 0..360 and 0..180 degrees"),
        (None, [None, (361, 0)], "bearing 1 is 361,0"),
        (None, [(0, -1), None], "bearing 0 is 0,-1"),
        (None, [(0, 181), None], "bearing 0 is 0,181"),
    ],
)
def test_senseless_limits_of_points(radiuses: Any, bearings: Any, message: str) -> None:
    """The same is said of the points of a route and of those of a table."""
    with pytest.raises(InvalidInput, match=message):
        point_queries(POINTS, radiuses, bearings)
    with pytest.raises(InvalidInput, match=message):
        limits_of(2, radiuses, bearings)


@pytest.mark.parametrize(("radiuses", "bearings"), [([], None), (None, [])])
def test_too_few_limits(radiuses: Any, bearings: Any) -> None:
    """An empty list is a list of the wrong length."""
    with pytest.raises(InvalidInput, match="size 0 does not match coordinate size 2"):
        limits_of(2, radiuses, bearings)


def test_limits_in_arrays() -> None:
    """Limits may be arrays."""
    found = limits_of(2, np.array([1.0, 2.0]), None)  # type: ignore[arg-type]
    assert found.radius_m.tolist() == [1, 2]
    assert area_limits(None, np.array([1.0, 2.0])) == ((1, 2), True)  # type: ignore[arg-type]


def test_limits_as_columns() -> None:
    """Limits of many points as arrays."""
    for n in (0, 1, 3):
        nothing = limits_of(n, None, None)
        assert nothing.radius_m.tolist() == [math.inf] * n
        assert nothing.bearing.tolist() == [list(ANY_BEARING)] * n
        assert nothing.bearing.shape == (n, 2) and nothing.bearing.dtype == np.int64
    found = limits_of(3, [None, 0.0, 7.5], [(90, 10), None, (0, 180)])
    assert found.radius_m.tolist() == [math.inf, 0, 7.5]
    assert found.bearing.tolist() == [[90, 10], list(ANY_BEARING), [0, 180]]
    only_bearings = limits_of(2, None, [(1, 2), (3, 4)])
    assert only_bearings.radius_m.tolist() == [math.inf] * 2
    assert only_bearings.bearing.tolist() == [[1, 2], [3, 4]]


def test_one_radius() -> None:
    """No radius is no limit."""
    assert radius_of(None) == math.inf and radius_of(0) == 0 and radius_of(math.inf) == math.inf
    for bad in (-1, math.nan, -math.inf):
        with pytest.raises(InvalidInput, match="expected 0 or more metres"):
            radius_of(bad)


def test_limits_of_areas() -> None:
    """Either durations or distances, some of them, in any order."""
    assert area_limits([3, 1.5, 0], None) == ((3, 1.5, 0), False)
    assert area_limits(None, (10_000_000,)) == ((10_000_000,), True)
    for durations, distances, message in (
        (None, None, "either"),
        ([1], [1], "either"),
        ([], [], "either"),
        ([], None, "no limits"),
        (None, [], "no limits"),
        ([1, -0.1], None, "limit -0.1, expected 0 to 10000000"),
        (None, [math.nan], "limit nan"),
        ([math.inf], None, "limit inf"),
        ([10_000_000.5], None, "limit 10000000.5"),
    ):
        with pytest.raises(InvalidInput, match=message):
            area_limits(durations, distances)


def test_stops() -> None:
    """All points, or those chosen in any order, but the first and the last."""
    assert stops_of(None, 3) == [0, 1, 2] and stops_of([2, 0, 2], 3) == [0, 2]
    for n in (0, 1):
        with pytest.raises(InvalidInput, match="at least two"):
            stops_of(None, n)
    for bad in ([], [0], [0, 1], [1, 2], [0, 3], [-1, 0, 2]):
        with pytest.raises(InvalidValue, match="First and last"):
            stops_of(bad, 3)


def test_snappings() -> None:
    """There are two."""
    assert [is_anywhere(name) for name in ("default", "any")] == [False, True]
    with pytest.raises(InvalidInput, match="no snapping 'All'; there is: default, any"):
        is_anywhere("All")


def test_limits_of_more_points() -> None:
    """Those of some points, then those of others."""
    both = limits_of(1, [5.0], None).and_of(limits_of(2, None, [(1, 2), None]))
    assert both.radius_m.tolist() == [5, math.inf, math.inf]
    assert both.bearing.tolist() == [list(ANY_BEARING), [1, 2], list(ANY_BEARING)]
    assert both.bearing.dtype == np.int64


def test_threads() -> None:
    """As many as there are processors, or one or more."""
    for number in (None, 1, 100):
        check_threads(number)
    for bad in (0, -1):
        with pytest.raises(InvalidInput, match=f"threads is {bad}, expected 1 or more"):
            check_threads(bad)
