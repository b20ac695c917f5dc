"""JSON bodies, and the checks that follow once a request has been read."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.errors import QueryError
from server.api.osrm_checks import check_isochrone, check_nearest, check_route, check_table
from server.api.osrm_params import (
    TABLES,
    IsochroneParams,
    NearestParams,
    RouteParams,
    TableParams,
    options_of,
)
from server.api.osrm_requests import params_from_json
from server.errors import InvalidQuery, Unsupported
from server.settings import Settings

POINTS = [[-8.61, 41.15], [-8.62, 41.16]]
HINT = "A" * 112

BAD_MEMBERS = [
    ({"coordinates": 1}, "coordinates must be an array of [longitude, latitude] pairs"),
    ({"coordinates": [[1]]}, "each coordinate must be an array of two numbers"),
    ({"coordinates": [[1, 2, 3]]}, "each coordinate must be an array of two numbers"),
    ({"coordinates": [["a", 2]]}, "each coordinate must be an array of two numbers"),
    ({"coordinates": [[True, 2]]}, "each coordinate must be an array of two numbers"),
    ({"coordinates": [[1, 2], None]}, "each coordinate must be an array of two numbers"),
    ({"coordinates": "abc"}, "coordinates string must be of the form polyline(...)"),
    ({"coordinates": "polyline("}, "coordinates string must be of the form polyline(...)"),
    ({"overview": False}, "overview must be a string"),
    ({"overview": None}, "overview must be a string"),
    ({"overview": "foo"}, "invalid overview value"),
    ({"geometries": 1}, "geometries must be a string"),
    ({"geometries": "x"}, "invalid geometries value"),
    ({"snapping": 5}, "snapping must be a string"),
    ({"snapping": "foo"}, "invalid snapping value"),
    ({"steps": "true"}, "steps must be a boolean"),
    ({"steps": 1}, "steps must be a boolean"),
    ({"steps": None}, "steps must be a boolean"),
    ({"generate_hints": "x"}, "generate_hints must be a boolean"),
    ({"skip_waypoints": "x"}, "skip_waypoints must be a boolean"),
    ({"annotations": ["foo"]}, "invalid annotation value"),
    ({"annotations": "nodes"}, "annotations must be a boolean or an array of strings"),
    ({"annotations": 1}, "annotations must be a boolean or an array of strings"),
    ({"alternatives": -1}, "alternatives must be a boolean or a non-negative integer"),
    ({"alternatives": 1.5}, "alternatives must be a boolean or a non-negative integer"),
    ({"alternatives": "x"}, "alternatives must be a boolean or a non-negative integer"),
    ({"continue_straight": "x"}, 'continue_straight must be a boolean or "default"'),
    ({"radiuses": 1}, "radiuses must be an array"),
    ({"radiuses": ["x", None]}, 'each radius must be null, a number or "unlimited"'),
    ({"radiuses": [True, None]}, 'each radius must be null, a number or "unlimited"'),
    ({"bearings": 5}, "bearings must be an array"),
    ({"bearings": [[1], None]}, "each bearing must be null or an array of two integers"),
    ({"bearings": [1, None]}, "each bearing must be null or an array of two integers"),
    ({"bearings": [[1.5, 1], None]}, "each bearing must be null or an array of two integers"),
    ({"hints": [5, None]}, "each hint must be null or a base64 string"),
    ({"approaches": [5, None]}, "each approach must be null or a string"),
    ({"approaches": ["foo", None]}, "invalid approach value"),
    ({"exclude": "toll"}, "exclude must be an array of strings"),
    ({"exclude": [5]}, "each exclude entry must be a string"),
    ({"depart_at": 8}, "depart_at must be a time such as 2026-11-30T08:15"),
    ({"depart_at": "soon"}, "depart_at must be a time such as 2026-11-30T08:15"),
    ({"depart_at": "2026-11-30T08:15 "}, "depart_at must be a time such as 2026-11-30T08:15"),
    ({"waypoints": 1}, "waypoints must be an array of indices"),
    ({"waypoints": ["a"]}, "waypoints entries must be non-negative integers"),
    ({"waypoints": [-1]}, "waypoints entries must be non-negative integers"),
    ({"format": "xml"}, "invalid format value"),
]

GOOD_MEMBERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"coordinates": [(-8.61, 41.15), (-8.62, 41.16)], "overview": "simplified"}),
    ({"coordinates": [[1, 2]]}, {"coordinates": [(1.0, 2.0)]}),
    ({"foo": [1], "format": "json"}, {"alternatives": 0}),
    ({"overview": "false"}, {"overview": "false"}),
    ({"alternatives": True}, {"alternatives": 1}),
    ({"annotations": False}, {"annotations": frozenset()}),
    ({"annotations": ["nodes"]}, {"annotations": frozenset({"nodes"})}),
    ({"continue_straight": "default"}, {"continue_straight": None}),
    ({"radiuses": ["unlimited", None]}, {"radiuses": (None, None)}),
    ({"radiuses": [5, -1]}, {"radiuses": (5.0, None)}),
    ({"bearings": [[10, 20], None]}, {"bearings": ((10, 20), None)}),
    ({"hints": [HINT, None]}, {"hints": (HINT, None)}),
    ({"hints": ["abc", ""]}, {"hints": ("abc", "")}),
    ({"approaches": ["curb", None]}, {"approaches": ("curb", None)}),
    ({"exclude": ["toll"]}, {"exclude": ("toll",)}),
    ({"depart_at": "2026-11-30T08:15"}, {"depart_at": "2026-11-30T08:15"}),
    ({"depart_at": "2026-11-30T08:15:30+01:00"}, {"depart_at": "2026-11-30T08:15:30+01:00"}),
    ({"waypoints": [0, 1]}, {"waypoints": (0, 1)}),
]


def read(members: dict[str, Any]) -> RouteParams:
    return params_from_json(RouteParams, json.dumps({"coordinates": POINTS} | members).encode())


@pytest.mark.parametrize(("members", "message"), BAD_MEMBERS, ids=str)
def test_bad_member(members: dict[str, Any], message: str) -> None:
    """A member of the wrong type or value is named."""
    with pytest.raises(InvalidQuery) as caught:
        read(members)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("members", "expected"), GOOD_MEMBERS, ids=str)
def test_good_member(members: dict[str, Any], expected: dict[str, Any]) -> None:
    """What is right is read as meant, and unknown members are ignored."""
    params = read(members)
    assert {name: getattr(params, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "invalid JSON: "),
        (b"{", "invalid JSON: "),
        (b"\xff", "invalid JSON: "),
        (b"[" * 100_000, "invalid JSON: "),
        (b'{"coordinates":[[1e400,2]]}', "invalid JSON: "),
        (b'{"coordinates":[[1,2]]} x', "invalid JSON: "),
        (b"[]", "request body must be a JSON object"),
        (b"null", "request body must be a JSON object"),
        (b"{}", "missing required member: coordinates"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_body(body: bytes, message: str) -> None:
    """What is no JSON object with coordinates is refused, however deep it nests."""
    with pytest.raises(InvalidQuery) as caught:
        params_from_json(RouteParams, body)
    assert str(caught.value).startswith(message)


def test_flatbuffers_are_not_offered() -> None:
    """The other format of the interface is refused as such."""
    with pytest.raises(Unsupported):
        read({"format": "flatbuffers"})


ROUTE_CHECKS = [
    ({"coordinates": [[1, 91]]}, "InvalidOptions", "Number of coordinates needs to be at least"),
    ({"coordinates": []}, "InvalidOptions", "Number of coordinates needs to be at least two."),
    (
        {"radiuses": [1], "coordinates": [[1, 91], [1, 1]]},
        "InvalidOptions",
        "Number of elements in radiuses size 1 does not match coordinate size 2",
    ),
    ({"bearings": [None] * 3}, "InvalidOptions", "Number of elements in bearings size 3"),
    ({"hints": []}, "InvalidOptions", "Number of elements in hints size 0"),
    ({"approaches": [None]}, "InvalidOptions", "Number of elements in approaches size 1"),
    ({"bearings": [[361, 1], None], "alternatives": 9}, "InvalidOptions", "Bearings must be"),
    ({"bearings": [[1, 181], None]}, "InvalidOptions", "Bearings must be"),
    ({"bearings": [[-1, 1], None]}, "InvalidOptions", "Bearings must be"),
    ({"radiuses": [-2, None]}, "InvalidOptions", "Radiuses must be"),
    ({"waypoints": [0, 2], "alternatives": 9}, "InvalidOptions", "Waypoints must be indices"),
    (
        {"coordinates": [[1, 91]] * 501, "alternatives": 9},
        "TooBig",
        "Number of entries 501 is higher than current maximum (500)",
    ),
    (
        {"coordinates": [[1, 91]] * 2, "alternatives": 4},
        "TooBig",
        "Requested number of alternatives is higher than current maximum (3)",
    ),
    ({"coordinates": [[1, 90.1], [1, 1]]}, "InvalidValue", "Invalid coordinate value."),
    ({"coordinates": [[-180.1, 1], [1, 1]]}, "InvalidValue", "Invalid coordinate value."),
    (
        {"waypoints": [1, 0], "exclude": ["toll"]},
        "InvalidValue",
        "First and last coordinates must be specified as waypoints.",
    ),
]


@pytest.mark.parametrize(("members", "code", "message"), ROUTE_CHECKS, ids=lambda v: str(v)[:50])
def test_route_checks(members: dict[str, Any], code: str, message: str) -> None:
    """Each check has its code, and of several faults the one that comes first counts."""
    params = read(members)
    with pytest.raises(QueryError) as caught:
        check_route(params, Settings())
    assert caught.value.code == code
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"coordinates": [[180, 90], [-180, -90]]},
        {"coordinates": [[1, 1]] * 500},
        {"bearings": [[360, 180], [0, 0]], "radiuses": [0, None], "hints": [None, HINT]},
        {"approaches": ["unrestricted", None], "snapping": "any"},
        {"coordinates": [[1, 1]] * 3, "waypoints": [0, 1, 0, 2]},
        {"waypoints": [], "annotations": True, "alternatives": False},
        {"coordinates": [[1, 1]] * 3, "alternatives": 3},
    ],
    ids=lambda value: str(value)[:50],
)
def test_route_passes(members: dict[str, Any]) -> None:
    """The limits themselves are allowed."""
    check_route(read(members), Settings())


NEAREST_CHECKS = [
    ({"coordinates": [[191, 1]], "number": 0}, "InvalidOptions", "Number of results must be"),
    ({"coordinates": [[191, 1]], "number": 101}, "TooBig", "Number of results 101 is higher"),
    ({"coordinates": [[191, 1]]}, "InvalidOptions", "Coordinates are invalid"),
    ({"coordinates": POINTS}, "InvalidOptions", "Only one input coordinate is supported"),
    ({"coordinates": POINTS, "bearings": [None]}, "InvalidOptions", "Number of elements in bear"),
]


@pytest.mark.parametrize(("members", "code", "message"), NEAREST_CHECKS, ids=lambda v: str(v)[:50])
def test_nearest_checks(members: dict[str, Any], code: str, message: str) -> None:
    """Each check has its code, and of several faults the one that comes first counts."""
    params = params_from_json(NearestParams, json.dumps(members).encode())
    with pytest.raises(QueryError) as caught:
        check_nearest(params, Settings())
    assert caught.value.code == code
    assert str(caught.value).startswith(message)


TABLE_MEMBERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"source_indices": (0, 1), "annotations": frozenset({"duration"}), "scale_factor": 1}),
    ({"sources": []}, {"source_indices": (0, 1)}),
    ({"sources": [1], "destinations": [0, 0]}, {"sources": (1,), "destinations": (0, 0)}),
    ({"annotations": True}, {"annotations": frozenset(TABLES)}),
    ({"annotations": False}, {"annotations": frozenset()}),
    ({"annotations": []}, {"annotations": frozenset()}),
    ({"annotations": ["distance"]}, {"annotations": frozenset({"distance"})}),
    ({"fallback_speed": 5, "scale_factor": 2}, {"fallback_speed": 5.0, "scale_factor": 2.0}),
    ({"fallback_coordinate": "snapped"}, {"fallback_coordinate": "snapped"}),
    ({"steps": True}, {}),
]


@pytest.mark.parametrize(("members", "expected"), TABLE_MEMBERS, ids=str)
def test_table_member(members: dict[str, Any], expected: dict[str, Any]) -> None:
    """What is right is read as meant."""
    body = json.dumps({"coordinates": POINTS} | members).encode()
    params = params_from_json(TableParams, body)
    assert {name: getattr(params, name) for name in expected} == expected


BAD_TABLE_MEMBERS = [
    ({"sources": "all"}, "sources must be an array of indices"),
    ({"sources": None}, "sources must be an array of indices"),
    ({"sources": ["a"]}, "sources entries must be non-negative integers"),
    ({"destinations": [0.5]}, "destinations entries must be non-negative integers"),
    ({"annotations": "duration"}, "annotations must be a boolean or an array of strings"),
    ({"annotations": ["duration", "speed"]}, "invalid annotation value"),
    ({"fallback_speed": "5"}, "fallback_speed must be a number"),
    ({"fallback_speed": None}, "fallback_speed must be a number"),
    ({"fallback_speed": True}, "fallback_speed must be a number"),
    ({"fallback_coordinate": "x"}, "invalid fallback_coordinate value"),
    ({"fallback_coordinate": 1}, "fallback_coordinate must be a string"),
    ({"scale_factor": "2"}, "scale_factor must be a number"),
]


@pytest.mark.parametrize(("members", "message"), BAD_TABLE_MEMBERS, ids=str)
def test_bad_table_member(members: dict[str, Any], message: str) -> None:
    """A member of the wrong type or value is named, in the words of OSRM's own server."""
    with pytest.raises(InvalidQuery) as caught:
        params_from_json(TableParams, json.dumps({"coordinates": POINTS} | members).encode())
    assert str(caught.value) == message


BAD_COORDINATES = [[191, 1], [1, 1]]
TABLE_CHECKS = [
    ({"coordinates": [[1, 1]]}, "InvalidOptions", "Number of coordinates needs to be at least two"),
    ({"coordinates": [[191, 1]]}, "InvalidOptions", "Number of coordinates needs to be at least"),
    ({"radiuses": [1], "scale_factor": 0}, "InvalidOptions", "Number of elements in radiuses size"),
    ({"scale_factor": 0, "fallback_speed": 0}, "InvalidOptions", "scale_factor must be > 0"),
    ({"scale_factor": -1}, "InvalidOptions", "scale_factor must be > 0"),
    ({"fallback_speed": 0, "sources": [2]}, "InvalidOptions", "fallback_speed must be > 0"),
    ({"fallback_speed": -1, "bearings": [[361, 1], None]}, "InvalidOptions", "fallback_speed must"),
    ({"coordinates": BAD_COORDINATES, "fallback_speed": 0}, "InvalidOptions", "fallback_speed"),
    ({"bearings": [[361, 1], None], "sources": [2]}, "InvalidOptions", "Bearings must be"),
    ({"radiuses": [-2, None]}, "InvalidOptions", "Radiuses must be"),
    ({"coordinates": BAD_COORDINATES, "sources": [2]}, "InvalidOptions", "Sources must be indices"),
    ({"destinations": [0, 2]}, "InvalidOptions", "Destinations must be indices below"),
    ({"coordinates": BAD_COORDINATES * 51}, "InvalidOptions", "Coordinates are invalid"),
    ({"coordinates": POINTS * 51, "exclude": ["toll"]}, "TooBig", "Too many table coordinates"),
    ({"sources": [0] * 101, "destinations": [1] * 100}, "TooBig", "Too many table coordinates"),
]


@pytest.mark.parametrize(("members", "code", "message"), TABLE_CHECKS, ids=lambda v: str(v)[:50])
def test_table_checks(members: dict[str, Any], code: str, message: str) -> None:
    """Each check has its code, and of several faults the one that comes first counts."""
    params = params_from_json(TableParams, json.dumps({"coordinates": POINTS} | members).encode())
    with pytest.raises(QueryError) as caught:
        check_table(params, Settings(max_table_cells=10_000))
    assert caught.value.code == code
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"coordinates": [[180, 90], [-180, -90]]},
        {"coordinates": POINTS * 50},
        {"coordinates": POINTS * 5000, "sources": [7]},
        {"sources": [0, 1, 0], "destinations": [1]},
        {"fallback_speed": 1e-300, "scale_factor": 1e300},
        {"bearings": [[360, 180], [0, 0]], "radiuses": [0, None], "hints": [None, HINT]},
        {"approaches": ["unrestricted", None], "snapping": "any"},
    ],
    ids=lambda value: str(value)[:50],
)
def test_table_passes(members: dict[str, Any]) -> None:
    """The limits themselves are allowed; what counts is the number of cells."""
    params = params_from_json(TableParams, json.dumps({"coordinates": POINTS} | members).encode())
    check_table(params, Settings(max_table_cells=10_000, max_table_coordinates=20_000))


BAD_ISOCHRONE_MEMBERS = [
    ({"contours_minutes": 5}, "contours_minutes must be an array of numbers"),
    ({"contours_minutes": "5"}, "contours_minutes must be an array of numbers"),
    ({"contours_minutes": [5, "6"]}, "contours_minutes entries must be numbers"),
    ({"contours_meters": [True]}, "contours_meters entries must be numbers"),
    ({"contours_meters": None}, "contours_meters must be an array of numbers"),
    ({"direction": "both"}, "invalid direction value"),
    ({"direction": 1}, "direction must be a string"),
    ({"polygons": "true"}, "polygons must be a boolean"),
]


@pytest.mark.parametrize(("members", "message"), BAD_ISOCHRONE_MEMBERS, ids=str)
def test_bad_isochrone_member(members: dict[str, Any], message: str) -> None:
    """A member of the wrong type or value is named."""
    with pytest.raises(InvalidQuery) as caught:
        params_from_json(IsochroneParams, json.dumps({"coordinates": [[1, 2]]} | members).encode())
    assert str(caught.value) == message


ISOCHRONE_CHECKS = [
    ({"radiuses": [1, 2], "contours_minutes": []}, "InvalidOptions", "Number of elements in rad"),
    ({"bearings": [[361, 1]]}, "InvalidOptions", "Bearings must be"),
    ({}, "InvalidOptions", "One of contours_minutes and contours_meters must be given."),
    ({"contours_minutes": []}, "InvalidOptions", "One of contours_minutes and contours_meters"),
    (
        {"contours_minutes": [1], "contours_meters": [1]},
        "InvalidOptions",
        "contours_minutes and contours_meters exclude each other.",
    ),
    ({"contours_minutes": [5, 0]}, "InvalidOptions", "contours_minutes must be > 0"),
    ({"contours_meters": [-1]}, "InvalidOptions", "contours_meters must be > 0"),
    (
        {"contours_minutes": [130] * 5},
        "TooBig",
        "Number of contours 5 is higher than current maximum (4)",
    ),
    (
        {"contours_minutes": [5, 120.5]},
        "TooBig",
        "Contour of 120.5 minutes is beyond current maximum (120)",
    ),
    (
        {"contours_meters": [200_001], "exclude": ["toll"]},
        "TooBig",
        "Contour of 200001 meters is beyond current maximum (200000)",
    ),
    (
        {"contours_minutes": [5], "coordinates": [[191, 1]]},
        "InvalidOptions",
        "Coordinates are invalid",
    ),
    (
        {"contours_minutes": [5], "coordinates": POINTS},
        "InvalidOptions",
        "Only one input coordinate is supported",
    ),
    ({"contours_minutes": [5], "coordinates": []}, "InvalidOptions", "Only one input coordinate"),
]


@pytest.mark.parametrize(
    ("members", "code", "message"), ISOCHRONE_CHECKS, ids=lambda v: str(v)[:50]
)
def test_isochrone_checks(members: dict[str, Any], code: str, message: str) -> None:
    """Each check has its code, and of several faults the one that comes first counts."""
    body = json.dumps({"coordinates": [[1, 2]]} | members).encode()
    params = params_from_json(IsochroneParams, body)
    with pytest.raises(QueryError) as caught:
        check_isochrone(params, Settings())
    assert caught.value.code == code
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "members",
    [
        {"contours_minutes": [120, 0.001]},
        {"contours_meters": [200_000] * 4},
        {"contours_meters": [1], "contours_minutes": []},
        {"contours_meters": [1], "radiuses": [None], "bearings": [[0, 180]], "hints": [HINT]},
    ],
    ids=str,
)
def test_isochrone_passes(members: dict[str, Any]) -> None:
    """The limits themselves are allowed."""
    body = json.dumps({"coordinates": [[1, 2]]} | members).encode()
    check_isochrone(params_from_json(IsochroneParams, body), Settings())


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "true", "unlimited", "default", "curb", HINT, "polyline(_)"]),
    lambda children: st.lists(children, max_size=3),
    max_leaves=6,
)


KINDS: list[tuple[Any, Any]] = [
    (RouteParams, check_route),
    (NearestParams, check_nearest),
    (TableParams, check_table),
    (IsochroneParams, check_isochrone),
]


@pytest.mark.parametrize(("kind", "check"), KINDS)
@given(data=st.data())
def test_nothing_else_is_raised(kind: Any, check: Any, data: st.DataObject) -> None:
    """Whatever members hold, they are read or it is the asker's fault."""
    names = st.sampled_from([*options_of(kind), "coordinates"])
    members = data.draw(st.dictionaries(names, JSON_VALUES))
    try:
        params = params_from_json(kind, orjson.dumps({"coordinates": POINTS} | members))
        check(params, Settings())
    except QueryError as error:
        assert str(error)
