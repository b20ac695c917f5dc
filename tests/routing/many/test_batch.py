"""Many points and many results as arrays."""

from typing import Any

import numpy as np
import pytest
from engines import engine_of
from world import World

from gis.arrays import INF, freeze
from routing.cch.weights import Measures
from routing.errors import InvalidCoordinate, InvalidInput, NoSegment
from routing.many.batch import (
    RouteStatus,
    TravelTable,
    degrees_of,
    locate_points,
    routes_of,
)
from routing.places.positions import Ground
from routing.route import Waypoint

LINE = World("a---b---c", "ab highway=x\nbc highway=x")


@pytest.fixture(scope="module")
def ground() -> Ground:
    return engine_of(LINE)._vehicles["plain"].weighting.ground


@pytest.mark.parametrize(
    "points", [[(1, 2), (3, 4)], np.array([[1, 2], [3, 4]], np.int32), ((1.0, 2.0), [3, "4"])]
)
def test_degrees(points: Any) -> None:
    """Whatever NumPy takes for numbers is a list of points."""
    degrees = degrees_of("points", points)
    assert degrees.dtype == np.float64 and degrees.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("points", [[], (), np.empty((0, 2)), np.empty(0, np.int64)])
def test_no_degrees(points: Any) -> None:
    """Nothing is no points."""
    assert degrees_of("points", points).shape == (0, 2)


@pytest.mark.parametrize(
    "points", [[1, 2], [[1, 2, 3]], 5, [[[1, 2]]], "text", [["a", "b"]], [[1], [2, 3]], [{}], None]
)
def test_no_points(points: Any) -> None:
    """What is no list of pairs is told by its name, in one line."""
    with pytest.raises(InvalidInput, match=r"^things (are not numbers|have the shape)") as caught:
        degrees_of("things", points)
    assert "\n" not in str(caught.value)


def test_located_points(ground: Ground) -> None:
    """Points keep their order however they are sorted inside, and only those on the globe count."""
    rng = np.random.default_rng(1)
    west, lat = LINE.position("a")
    east = LINE.position("c")[0]
    lon = rng.random(400) * (east - west) + west
    degrees = np.column_stack([lon, np.full(400, lat)])
    degrees[7], degrees[100], degrees[399] = (np.nan, 0), (181, 0), (0, -np.inf)
    located = locate_points(ground, degrees)
    off = [7, 100, 399]
    assert np.flatnonzero(~located.on_globe).tolist() == off
    assert (located.n_positions[off] == 0).all()
    assert (np.delete(located.n_positions, off) >= 2).all()
    positions = located.positions
    middle = (west + east) / 2
    for row in set(range(400)) - set(off):
        place = positions.first[row]
        if abs(lon[row] - middle) < 1e-6:
            continue
        edge, fraction = positions.arc[place] >> 1, positions.fraction[place]
        along = fraction if positions.arc[place] % 2 == 0 else 1 - fraction
        assert (edge + along) / 2 * (east - west) + west == pytest.approx(lon[row], abs=2e-7)


def test_limits_of_each_point(ground: Ground) -> None:
    """Radius and bearing belong to their own points."""
    (west, lat), (east, _) = LINE.position("a"), LINE.position("b")
    middle = (west + east) / 2
    degrees = np.array([(middle, lat + 0.001)] * 3 + [(middle, lat)] * 2)
    radius_m = np.array([50, 200, np.inf, 0.1, 1])
    bearing = np.array([(0, 180), (0, 180), (90, 10), (270, 10), (0, 10)])
    located = locate_points(ground, degrees, radius_m, bearing)
    assert located.n_positions.tolist() == [0, 2, 1, 1, 0]
    one, other = (int(located.positions.first[row]) for row in (2, 3))
    assert located.positions.arc[one] ^ 1 == located.positions.arc[other]
    everywhere = locate_points(ground, degrees, 200.0)
    assert everywhere.n_positions.tolist() == [2] * 5


def test_ends_of_the_globe(ground: Ground) -> None:
    """The limits themselves are on the globe."""
    degrees = np.array([(180, 90), (-180, -90), (180, 0), (180.0001, 0), (0, 90.0001)])
    located = locate_points(ground, degrees)
    assert located.on_globe.tolist() == [True, True, True, False, False]
    assert (located.n_positions > 0).tolist() == located.on_globe.tolist()


def test_the_first_point_that_stands_nowhere(ground: Ground) -> None:
    """Points off the globe are told before points without roads, each by number."""
    near, far = LINE.position("a"), (LINE.position("a")[0] + 1, 60.0)
    for points, error, number in (
        ([near, far, far], NoSegment, 1),
        ([near, far, (0, 91), (200, 0)], InvalidCoordinate, 2),
        ([(np.nan, 0)], InvalidCoordinate, 0),
    ):
        with pytest.raises(error, match=rf"coordinate {number}\b"):
            locate_points(ground, np.array(points), 100.0).check()
    locate_points(ground, np.array([near, near]), 100.0).check()
    locate_points(ground, np.empty((0, 2))).check()


def test_results(ground: Ground) -> None:
    """Costs as seconds and metres; NaN where the status is not OK, the worst of both points."""
    near, far, off = LINE.position("a"), (LINE.position("a")[0] + 1, 60.0), (200.0, 0.0)
    located = locate_points(ground, np.array([near, far, off]), 100.0)
    pairs = np.array([(0, 0), (0, 0), (0, 0), (0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)])
    weight = np.array([1000, 5, *[INF] * 7], np.uint64)
    duration_cs = np.array([1234, 5, *[0] * 7], np.uint64)
    length_cm = np.array([5678, *[0] * 8], np.uint32)
    found = routes_of(Measures(weight, duration_cs, length_cm), located, pairs)
    assert len(found) == 9
    assert found.duration_s[:2].tolist() == [12.34, 0.05] and np.isnan(found.duration_s[2:]).all()
    assert found.distance_m[:2].tolist() == [56.78, 0] and np.isnan(found.distance_m[2:]).all()
    wanted = ["OK"] * 2 + ["NO_ROUTE"] + ["NO_SEGMENT"] * 2 + ["INVALID"] * 4
    assert [RouteStatus(status).name for status in found.status.tolist()] == wanted
    assert found.status.dtype == np.uint8
    assert not any(a.flags.writeable for a in (found.duration_s, found.distance_m, found.status))


def test_travel_table() -> None:
    """Seconds and metres of a table; its waypoints are made once, when they are asked for."""
    made = []
    waypoint = Waypoint(1.0, 2.0, 3.0, "", (4, 5))

    def make() -> tuple[tuple[Waypoint, ...], tuple[Waypoint, ...]]:
        made.append(1)
        return (waypoint,), (waypoint, waypoint)

    duration_cs = freeze(np.array([[150, INF]], np.uint32))
    length_cm = freeze(np.array([[250, 0]], np.uint32))
    statuses = freeze(np.zeros(1, np.uint8)), freeze(np.zeros(2, np.uint8))
    table = TravelTable(duration_cs, length_cm, *statuses, make)
    assert table.duration_s[0, 0] == 1.5 and np.isnan(table.duration_s[0, 1])
    assert table.distance_m is not None and table.distance_m[0, 0] == 2.5
    assert np.isnan(table.distance_m[0, 1]) and table.duration_s is table.duration_s
    assert not made
    assert len(table.sources) == 1 and len(table.destinations) == 2 and made == [1]
    without = TravelTable(duration_cs, None, *statuses, make)
    assert without.distance_m is None and without.metres(np.float32) is None


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (5, 7), (1, 200_000), (300, 500)])
def test_hundredths(shape: tuple[int, int]) -> None:
    """Cells as numbers of both kinds, each the nearest to the exact one."""
    rng = np.random.default_rng(1)
    number = rng.integers(0, INF, shape).astype(np.uint32)
    number[rng.random(shape) < 0.2] = INF
    statuses = (freeze(np.zeros(n, np.uint8)) for n in shape)
    table = TravelTable(freeze(number), freeze(number[::-1]), *statuses, lambda: ((), ()))
    for dtype in (np.float32, np.float64):
        for found, hundredths in (
            (table.seconds(dtype), number),
            (table.metres(dtype), number[::-1]),
        ):
            assert found is not None and found.dtype == dtype and not found.flags.writeable
            wanted = [
                np.nan if cs == INF else dtype(n / 100)
                for cs, n in zip(number.ravel().tolist(), hundredths.ravel().tolist(), strict=True)
            ]
            assert np.array_equal(found.ravel(), np.array(wanted, dtype), equal_nan=True)
    assert np.array_equal(table.duration_s, table.seconds(np.float64), equal_nan=True)
