"""Encoded polylines and simplified lines against plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import AnyArray, freeze
from gis.polyline import (
    decode_polyline,
    encode_polyline,
    overview_tolerance_deg,
    simplify,
    simplify_all,
)

units = st.tuples(
    st.integers(-1_800_000_000, 1_800_000_000), st.integers(-900_000_000, 900_000_000)
)
precisions = st.sampled_from([5, 6])


def columns(points: list[tuple[int, int]]) -> tuple[AnyArray, AnyArray]:
    table = np.array(points, np.int32).reshape(-1, 2)
    return freeze(table[:, 0]), freeze(table[:, 1])


def naive_encode(points: list[tuple[int, int]], precision: int) -> str:
    """The steps of the published description, one by one."""
    unit = 10 ** (7 - precision)
    text, before = "", (0, 0)
    for lon, lat in points:
        rounded = [(abs(v) * 2 + unit) // (2 * unit) * (1 if v >= 0 else -1) for v in (lat, lon)]
        for value, old in zip(rounded, before, strict=True):
            number = (value - old) * 2
            if number < 0:
                number = -number - 1
            chunks = [number % 32]
            while number := number // 32:
                chunks.append(number % 32)
            chunks[:-1] = [chunk + 32 for chunk in chunks[:-1]]
            text += "".join(chr(chunk + 63) for chunk in chunks)
        before = (rounded[0], rounded[1])
    return text


def test_published_example() -> None:
    """The example of the format's description, both ways."""
    lon, lat = np.array([-120.2, -120.95, -126.453]), np.array([38.5, 40.7, 43.252])
    text = "_p~iF~ps|U_ulLnnqC_mqNvxq`@"
    assert encode_polyline(lon, lat) == text
    np.testing.assert_array_equal(decode_polyline(text), (lon, lat))


@given(st.lists(units, max_size=8), precisions)
def test_encode_as_described(points: list[tuple[int, int]], precision: int) -> None:
    """Units and degrees both give the text that the description leads to."""
    lon, lat = columns(points)
    text = naive_encode(points, precision)
    assert encode_polyline(lon, lat, precision) == text
    assert encode_polyline(lon / 1e7, lat / 1e7, precision) == text


@given(st.lists(units, max_size=8), precisions)
def test_decode_restores(points: list[tuple[int, int]], precision: int) -> None:
    """What was encoded comes back to half a unit of the precision, and so does its text."""
    lon, lat = columns(points)
    text = encode_polyline(lon, lat, precision)
    found_lon, found_lat = decode_polyline(text, precision)
    assert len(found_lon) == len(found_lat) == len(points)
    half = 0.5000001 * 10**-precision
    np.testing.assert_allclose(found_lon, lon / 1e7, rtol=0, atol=half)
    np.testing.assert_allclose(found_lat, lat / 1e7, rtol=0, atol=half)
    assert encode_polyline(found_lon, found_lat, precision) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("_p~iF~ps|", "letter 9, is cut off"),
        ("_p~iF", "no longitude"),
        ("_p~iF ~ps|U", "' ' at letter 5"),
        ("\x7f", "at letter 0"),
        ("_p~iFé", "outside ASCII"),
        ("~~~~~~~~?~~~~~~~~?", "letter 0 is too large"),
    ],
)
def test_malformed_text(text: str, complaint: str) -> None:
    """Text that is no polyline is refused, and the complaint says where."""
    with pytest.raises(ValueError, match=complaint):
        decode_polyline(text)


@given(st.text(st.characters(min_codepoint=50, max_codepoint=140), max_size=30))
def test_any_text_is_decoded_or_refused(text: str) -> None:
    """No text leads to anything but points or a ``ValueError``."""
    try:
        lon, lat = decode_polyline(text)
    except ValueError:
        return
    assert np.isfinite(lon).all() and len(lon) == len(lat)


def test_refused_input() -> None:
    """Other precisions, and points off the globe, are errors rather than nonsense."""
    here = np.array([8.0])
    with pytest.raises(ValueError, match="precision of a polyline is 7"):
        encode_polyline(here, here, 7)
    with pytest.raises(ValueError, match="precision of a polyline is 4"):
        decode_polyline("", 4)
    for wrong in (181.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="within 180"):
            encode_polyline(np.array([wrong]), here)
    with pytest.raises(ValueError, match="within 90"):
        encode_polyline(here, np.array([-91.0]))


def mercator(lat: float) -> float:
    lat = min(max(lat, -85.05113), 85.05113)
    return math.degrees(math.log(math.tan(math.pi / 4 + math.radians(lat) / 2)))


def naive_simplify(points: list[tuple[float, float]], tolerance: float) -> list[int]:
    """Positions kept, by recursion on Mercator points."""

    def away(i: int, a: int, b: int) -> float:
        (xa, ya), (xb, yb), (x, y) = points[a], points[b], points[i]
        length = (xb - xa) ** 2 + (yb - ya) ** 2
        part = ((x - xa) * (xb - xa) + (y - ya) * (yb - ya)) / length if length else 0.0
        part = min(max(part, 0.0), 1.0)
        return math.hypot(x - xa - part * (xb - xa), y - ya - part * (yb - ya))

    def between(a: int, b: int) -> list[int]:
        corner = max(range(a + 1, b), key=lambda i: away(i, a, b), default=a)
        if corner == a or away(corner, a, b) <= tolerance:
            return []
        return [*between(a, corner), corner, *between(corner, b)]

    return [0, *between(0, len(points) - 1), len(points) - 1]


@given(st.integers(0, 1000), st.integers(2, 60), st.sampled_from([1e-5, 3e-4, 1e-3, 1.0]))
def test_simplify_as_by_recursion(seed: int, n: int, tolerance: float) -> None:
    """The points kept are those that a plain recursion keeps."""
    rng = np.random.default_rng(seed)
    lon, lat = 24.9 + rng.normal(0, 3e-4, n).cumsum(), 60.2 + rng.normal(0, 3e-4, n).cumsum()
    points = [(x, mercator(y)) for x, y in zip(lon, lat, strict=True)]
    kept = naive_simplify(points, tolerance)
    np.testing.assert_array_equal(simplify(lon, lat, tolerance), (lon[kept], lat[kept]))


def test_simplify_small_and_straight() -> None:
    """Short lines stay, straight ones keep their ends, corners and turning points stay."""
    none = np.zeros(0)
    assert len(simplify(none, none, 1.0)[0]) == 0
    lon, lat = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    np.testing.assert_array_equal(simplify(lon, lat, 9.0), (lon, lat))
    line = np.linspace(5, 6, 50)
    np.testing.assert_array_equal(simplify(line, np.zeros(50), 1e-9)[0], [5, 6])
    back = np.array([0.0, 1.0, 3.0, 1.0, 0.0])
    np.testing.assert_array_equal(simplify(back, np.zeros(5), 0.5)[0], [0, 3, 0])


def test_simplify_across_the_antimeridian() -> None:
    """A straight line across 180 degrees is straight, and its points come back unchanged."""
    lon = np.array([179.9, 179.95, -179.99, -179.9])
    np.testing.assert_array_equal(simplify(lon, np.zeros(4), 1e-6)[0], [179.9, -179.9])


def test_simplify_leaves_its_input_writable() -> None:
    """Arrays of the caller are not frozen."""
    lon = np.array([1.0, 2.0, 3.0])
    simplify(lon, lon, 1.0)
    lon[0] = 2.0


def naive_zoom(lon: AnyArray, lat: AnyArray) -> int:
    """The largest zoom whose view of 2048 x 1280 pixels holds the points."""
    width = lon.max() - lon.min()
    height = mercator(lat.max()) - mercator(lat.min())
    fits = [
        zoom
        for zoom in range(1, 19)
        if width * 256 * 2**zoom / 360 <= 2048 and height * 256 * 2**zoom / 360 <= 1280
    ]
    return max(fits, default=1)


@given(st.floats(1e-7, 200), st.floats(1e-7, 80), st.floats(0, 60))
def test_overview_tolerance(width: float, height: float, south: float) -> None:
    """Five pixels at the zoom found by trying all."""
    lon, lat = np.array([-100.0, -100 + width / 2]), np.array([south, min(south + height, 84)])
    pixel = 360 / 256 / 2 ** naive_zoom(lon, lat)
    assert overview_tolerance_deg(lon, lat) == pytest.approx(5 * pixel)


def test_overview_of_a_point_and_across_the_antimeridian() -> None:
    """A line without extent is seen at the largest zoom; one across 180 degrees is short."""
    here = np.array([8.0, 8.0])
    assert overview_tolerance_deg(here, here) == 5 * 360 / 256 / 2**18
    east, across = np.array([8.0, 8.2]), np.array([179.9, -179.9])
    assert overview_tolerance_deg(across, here) == overview_tolerance_deg(east, here)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_many_lines_are_simplified_one_by_one(sizes: list[int], seed: int) -> None:
    """What is left of each is what is left of it alone, across the antimeridian too."""
    rng = np.random.default_rng(seed)
    n = sum(sizes) + 1
    lon = (179.9 + np.cumsum(rng.normal(0, 0.05, n)) + 180) % 360 - 180
    lat = np.cumsum(rng.normal(0, 0.05, n))
    ends = np.cumsum([0, *sizes]).tolist()
    lines = [(lon[a : b + 1], lat[a : b + 1]) for a, b in itertools.pairwise(ends)]
    for line, found in zip(lines, simplify_all(lines, 0.05), strict=True):
        for axis, expected in zip(found, simplify(*line, 0.05), strict=True):
            assert axis.tolist() == expected.tolist()
