"""Distances, bearings and projections against formulas that share nothing with ours."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gis.arrays import freeze
from gis.geodesy import (
    HALF_TURN,
    QUARTER_TURN,
    UNITS_PER_DEGREE,
    bearing_deg,
    distance_m,
    distances_m,
    lon_difference,
    metres_per_unit,
    polyline_length_m,
    project_on_segment,
    to_units,
)

A, F = 6378137.0, 1 / 298.257223563
B = A * (1 - F)

lons = st.integers(-HALF_TURN, HALF_TURN)
lats = st.integers(-QUARTER_TURN, QUARTER_TURN)


def vincenty(lon_a: int, lat_a: int, lon_b: int, lat_b: int) -> tuple[float, float] | None:
    """Metres and first bearing by Vincenty's inverse formula (1975), good to a millimetre.

    None where the iteration does not converge, near the opposite point of the globe.
    """
    length = math.radians((lon_b - lon_a) / UNITS_PER_DEGREE)
    u_a, u_b = (
        math.atan2((1 - F) * math.sin(phi), math.cos(phi))
        for phi in (math.radians(lat / UNITS_PER_DEGREE) for lat in (lat_a, lat_b))
    )
    lam = length
    for _ in range(200):
        east = math.cos(u_b) * math.sin(lam)
        north = math.cos(u_a) * math.sin(u_b) - math.sin(u_a) * math.cos(u_b) * math.cos(lam)
        sin_s = math.hypot(east, north)
        if sin_s == 0:
            return 0.0, 0.0
        cos_s = math.sin(u_a) * math.sin(u_b) + math.cos(u_a) * math.cos(u_b) * math.cos(lam)
        sigma = math.atan2(sin_s, cos_s)
        sin_alpha = math.cos(u_a) * math.cos(u_b) * math.sin(lam) / sin_s
        cos2_alpha = 1 - sin_alpha**2
        cos_2m = cos_s - 2 * math.sin(u_a) * math.sin(u_b) / cos2_alpha if cos2_alpha else 0.0
        c = F / 16 * cos2_alpha * (4 + F * (4 - 3 * cos2_alpha))
        inner = cos_2m + c * cos_s * (2 * cos_2m**2 - 1)
        before, lam = lam, length + (1 - c) * F * sin_alpha * (sigma + c * sin_s * inner)
        if abs(lam - before) < 1e-13:
            break
    else:
        return None
    u2 = cos2_alpha * (A * A - B * B) / (B * B)
    big_a = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    big_b = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
    last = big_b / 6 * cos_2m * (4 * sin_s**2 - 3) * (4 * cos_2m**2 - 3)
    delta = big_b * sin_s * (cos_2m + big_b / 4 * (cos_s * (2 * cos_2m**2 - 1) - last))
    return B * big_a * (sigma - delta), math.degrees(math.atan2(east, north)) % 360


def angle_between(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


@pytest.mark.parametrize(
    ("points", "metres", "tolerance"),
    [
        ((0, 0, 80, 0), 8_905_559.263, 0.001),  # an arc of the equator is exact
        ((0, 0, 0, 90), 10_001_965.729, 10),  # the quarter meridian
        ((-73.7789, 40.6397, -0.4543, 51.4775), 5_554_815, 20),  # New York to London
        ((0, -90, 0, 90), 20_003_931.459, 20),  # pole to pole
        ((0, 90, 123, 90), 0, 1e-6),  # every meridian ends in the pole
        ((179.9999, 0, -179.9999, 0), 22.264, 0.001),  # across the antimeridian
    ],
)
def test_known_distances(points: tuple[float, ...], metres: float, tolerance: float) -> None:
    """Distances that are known otherwise come out, and the same both ways."""
    a = [int(x) for x in to_units(np.array(points))]
    assert distance_m(*a) == pytest.approx(metres, abs=tolerance)
    assert distance_m(a[2], a[3], a[0], a[1]) == pytest.approx(distance_m(*a), abs=1e-6)


@given(lons, lats, st.integers(-2_500_000, 2_500_000), st.integers(-2_500_000, 2_500_000))
def test_near_distances_are_those_of_the_ellipsoid(lon: int, lat: int, dx: int, dy: int) -> None:
    """Up to a quarter of a degree the error stays below 3e-6, also across the antimeridian."""
    other_lat = max(min(lat + dy, QUARTER_TURN), -QUARTER_TURN)
    other_lon = (lon + dx + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN
    truth = vincenty(lon, lat, other_lon, other_lat)
    assert truth is not None
    assert distance_m(lon, lat, other_lon, other_lat) == pytest.approx(truth[0], rel=3e-6, abs=1e-5)


@given(lons, lats, lons, lats)
def test_far_distances_are_nearly_those_of_the_ellipsoid(a: int, b: int, c: int, d: int) -> None:
    """Anywhere on the globe, up to 150 degrees of arc: below 1e-5; farther: below 0.4 %."""
    truth = vincenty(a, b, c, d)
    assume(truth is not None)
    assert truth is not None
    rel = 1e-5 if truth[0] < math.radians(150) * A else 4e-3
    assert distance_m(a, b, c, d) == pytest.approx(truth[0], rel=rel, abs=1e-5)


@given(lons, lats)
def test_the_opposite_point_is_half_a_globe_away(lon: int, lat: int) -> None:
    """The worst case of every formula gives a distance, and nearly the right one."""
    opposite = lon - HALF_TURN if lon > 0 else lon + HALF_TURN
    assert distance_m(lon, lat, opposite, -lat) == pytest.approx(20_003_931, rel=4e-3)


@given(lons, lats, lons, lats)
def test_bearings_of_distant_points(a: int, b: int, c: int, d: int) -> None:
    """The great circle of the sphere starts within a degree of the geodesic's direction."""
    truth = vincenty(a, b, c, d)
    assume(truth is not None)
    assert truth is not None
    assume(100_000 < truth[0] < math.radians(150) * A and abs(b) < 85 * UNITS_PER_DEGREE)
    assert angle_between(bearing_deg(a, b, c, d), truth[1]) < 1


@given(lons, st.integers(-80 * UNITS_PER_DEGREE, 80 * UNITS_PER_DEGREE), st.floats(0, 360))
def test_bearings_of_neighbours(lon: int, lat: int, direction: float) -> None:
    """Between points some 100 m apart the bearing is the geodesic's to a fiftieth of a degree."""
    dy = round(9000 * math.cos(math.radians(direction)))
    dx = round(9000 * math.sin(math.radians(direction)) / math.cos(lat / 1e7 * math.pi / 180))
    other = (lon + dx + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN
    truth = vincenty(lon, lat, other, lat + dy)
    assert truth is not None
    found = bearing_deg(lon, lat, other, lat + dy)
    assert 0 <= found < 360
    assert angle_between(found, truth[1]) < 0.02


def test_bearing_of_nowhere() -> None:
    """Equal points have the bearing 0, and west of north stays below 360."""
    assert bearing_deg(5, 5, 5, 5) == 0
    assert 359.9 < bearing_deg(0, 0, -1, 2_000_000) < 360
    assert bearing_deg(0, 0, 0, -10) == 180


@given(lats)
def test_scale_is_that_of_the_distances(lat: int) -> None:
    """A unit of longitude and of latitude measure what the scale says."""
    lat = max(min(lat, QUARTER_TURN - 1000), -QUARTER_TURN + 1000)
    x_m, y_m = metres_per_unit(float(lat))
    assert distance_m(0, lat, 1000, lat) == pytest.approx(1000 * x_m, rel=1e-6, abs=1e-6)
    assert distance_m(0, lat - 500, 0, lat + 500) == pytest.approx(1000 * y_m, rel=1e-6)


@given(*[st.floats(-1e4, 1e4)] * 4)
def test_projection_is_the_nearest_of_many(xa: float, ya: float, xb: float, yb: float) -> None:
    """No point of the segment is nearer than the projection."""
    part = project_on_segment(xa, ya, xb, yb)
    assert 0 <= part <= 1
    parts = np.append(np.linspace(0, 1, 1001), part)
    away = np.hypot(xa + parts * (xb - xa), ya + parts * (yb - ya))
    assert away[-1] <= away.min() + 1e-6


def test_projection_on_a_point() -> None:
    """A segment without length has one nearest point."""
    assert project_on_segment(3.0, 4.0, 3.0, 4.0) == 0


@given(lons, lons)
def test_longitudes_go_the_short_way(a: int, b: int) -> None:
    """The difference leads from one longitude to the other and is at most half a turn."""
    difference = lon_difference(a, b)
    assert abs(difference) <= HALF_TURN
    assert (a + difference - b) % (2 * HALF_TURN) == 0


def test_arrays_and_lines() -> None:
    """Lists and lines measure what their pieces measure; a grid comes from broadcasting."""
    rng = np.random.default_rng(5)
    lon = freeze(rng.integers(-HALF_TURN, HALF_TURN, 20).astype(np.int32))
    lat = freeze(rng.integers(-QUARTER_TURN, QUARTER_TURN, 20).astype(np.int32))
    pieces = [distance_m(*map(int, (lon[i], lat[i], lon[i + 1], lat[i + 1]))) for i in range(19)]
    np.testing.assert_allclose(distances_m(lon[:-1], lat[:-1], lon[1:], lat[1:]), pieces)
    assert polyline_length_m(lon, lat, 0, 20) == pytest.approx(sum(pieces))
    assert polyline_length_m(lon, lat, 3, 6) == pytest.approx(pieces[3] + pieces[4])
    assert polyline_length_m(lon, lat, 3, 4) == 0
    grid = distances_m(lon[:, None], lat[:, None], lon[:5], lat[:5])
    assert grid.shape == (20, 5)
    assert grid[3, 4] == pytest.approx(pieces[3])
    assert distances_m(lon[:0], lat[:0], lon[:0], lat[:0]).shape == (0,)


def test_units() -> None:
    """Degrees become the nearest unit, both ways from zero."""
    assert to_units(np.array([0.00000014, -0.00000016, 180.0])).tolist() == [1, -2, HALF_TURN]
