"""What a line of GeoJSON says."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.batch.reading.features import (
    NOTHING,
    Feature,
    has_points,
    parse_feature,
    parse_json,
    points_of_geometry,
)

NAN = math.nan
POINT = {"type": "Point", "coordinates": [1, 2]}


@pytest.mark.parametrize(
    ("value", "feature"),
    [
        ({"type": "Feature", "properties": {"a": 1}, "geometry": POINT}, Feature({"a": 1}, POINT)),
        ({"type": "Feature", "properties": None, "geometry": None}, Feature({}, None)),
        ({"type": "Feature"}, Feature({}, None)),
        ({"type": "Feature", "properties": [1], "id": 5}, Feature({"id": 5}, None)),
        ({"type": "Feature", "properties": {"id": 7}, "id": 5}, Feature({"id": 7}, None)),
        ({"type": "Feature", "properties": {}, "id": None}, Feature({}, None)),
        (POINT, Feature({}, POINT)),
        ({"type": "Polygon"}, Feature({}, {"type": "Polygon"})),
        ({"type": "FeatureCollection", "features": []}, NOTHING),
        ({"type": "other"}, NOTHING),
        ({"type": []}, NOTHING),
        ({"a": 1}, NOTHING),
        ([POINT], NOTHING),
        (None, NOTHING),
        ("Point", NOTHING),
    ],
)
def test_features(value: Any, feature: Feature) -> None:
    parsed = parse_feature(json.dumps(value).encode())
    assert parsed == feature
    assert (parsed is NOTHING) == (feature is NOTHING)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b'{"a":NaN}', {"a": NAN}),
        (b"[1e999]", [math.inf]),
        (b'["\xe9"]', ["\ufffd"]),
        (b"[123456789012345678901234567890]", [123456789012345678901234567890]),
        (b'["\\ud800"]', None),
        (b"", None),
        (b"{", None),
        (b"\xff\xfe", None),
        (b"[" * 100_000, None),
        (b"9" * 5000, None),
    ],
)
def test_odd_json(line: bytes, value: Any) -> None:
    """What others write into JSON, and what is none."""
    found = parse_json(line)
    if isinstance(value, list) and isinstance(value[0], int):
        assert float(found[0]) == float(value[0])
    else:
        assert repr(found) == repr(value)


@given(st.binary(max_size=20))
def test_any_line(line: bytes) -> None:
    """Never raises."""
    assert isinstance(parse_feature(line), Feature)


@pytest.mark.parametrize(
    ("kind", "coordinates", "points"),
    [
        ("Point", [1, 2.5], [1, 2.5]),
        ("Point", [1, 2, 3], [1, 2]),
        ("Point", [1], [NAN, NAN]),
        ("Point", [], [NAN, NAN]),
        ("Point", None, [NAN, NAN]),
        ("Point", ["1", 2], [NAN, 2]),
        ("Point", [True, 2], [NAN, 2]),
        ("Point", [10**400, 2], [NAN, 2]),
        ("Point", {"x": 1}, [NAN, NAN]),
        ("Polygon", [[[1, 2]]], [NAN, NAN]),
        ("LineString", [[1, 2], [3, 4]], [1, 2, 3, 4]),
        ("LineString", [[1, 2], "x", [3, 4, 9]], [1, 2, 3, 4]),
        ("LineString", [[1, 2], None], [1, 2, NAN, NAN]),
        ("LineString", [[1, 2]], [NAN] * 4),
        ("LineString", 5, [NAN] * 4),
        ("MultiPoint", [[1, 2], [3, 4]], [1, 2, 3, 4]),
        ("MultiPoint", [[1, 2], [5, 6], [3, 4]], [NAN] * 4),
    ],
)
def test_points(kind: str, coordinates: Any, points: list[float]) -> None:
    geometry = {"type": kind, "coordinates": coordinates}
    n_points = len(points) // 2
    np.testing.assert_array_equal(points_of_geometry(geometry, n_points), points)
    assert has_points(geometry, n_points) == (kind != "Polygon")
    assert not has_points(geometry, 3 - n_points)
    assert all(map(math.isnan, points_of_geometry(geometry, 3 - n_points)))


@pytest.mark.parametrize("geometry", [None, [], "Point", {}, {"type": None}])
def test_no_geometry(geometry: Any) -> None:
    assert all(map(math.isnan, points_of_geometry(geometry, 1)))
