"""The grammar of URLs: what is accepted, and where exactly the rest breaks off.

A "§" marks the position that the error must name; the positions are those that OSRM's own server
reported for the same requests.
"""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from routing.errors import QueryError
from server.api.osrm_params import (
    TABLES,
    IsochroneParams,
    NearestParams,
    Params,
    RouteParams,
    TableParams,
)
from server.api.osrm_requests import params_from_url
from server.api.osrm_url import RequestPath, decode_target, split_url
from server.errors import InvalidQuery, InvalidUrl, Unsupported

KINDS: dict[str, type[Params]] = {
    "route": RouteParams,
    "nearest": NearestParams,
    "table": TableParams,
    "isochrone": IsochroneParams,
}
POINTS = "-8.61,41.15;-8.62,41.16"
ROUTE = f"/route/v1/c/{POINTS}"
NEAREST = "/nearest/v1/c/8,41"
TABLE = f"/table/v1/c/{POINTS}"
ISOCHRONE = "/isochrone/v1/c/8,41"
POLYLINE = "polyline(_p~iF~ps|U_ulLnnqC)"
HINT = "A" * 112

BAD_URLS = [
    "/§",
    "/§/route/v1/c/1,2",
    "/§%",
    "/foo§",
    "/route§",
    "/route/v1§",
    "/route/v1§?x",
    "/route/v1/§",
    "/route/v§/c/1,2",
    "/route/v§x/c/1,2",
    "/route/v1§.0/c/1,2",
    "/route/v§99999999999/c/1,2",
    "/route/v§4294967297/c/1,2",
    "/ROUTE/§V1/c/8",
    "/route/v1/c§",
    "/route/v1/c§?x",
    "/route/v1/d§*/1,2",
    "/route/v1/dri§%20ving/1,2",
    "/route/v1/c/§",
    "/route/v1/c/§!",
    "/route/v1/c/%§",
    "/route/v1/c/%§4",
    "/route/v1/c/§+8.61,41.15",
    "/route/v1/c/-8.61,§%2041.15",
    "/route/v1/c/8,41§%0A",
    "/route/v1/c/polyline(§!)",
    "/route/v1/car/caf§%C3%A9",
    f"{ROUTE}§/",
    f"{ROUTE}%§",
    f"{ROUTE}%§zz",
    f"{ROUTE}?overview=false§#x",
    f"{NEAREST}?bearings=§+1,1",
]

BAD_QUERIES = [
    "/route/v1/c/§abc",
    "/route/v1/c/§?x",
    "/route/v1/c/-8.61§",
    "/route/v1/c/-8.61,§",
    "/route/v1/c/-8.61,41.15§;",
    "/route/v1/c/-8.61,41.15;-8.62§",
    "/route/v1/c/-8.61,41.15§,5;-8.62,41.15",
    "/route/v1/c/4.115§e1,41.15",
    "/route/v1/c/§nan,41.15",
    "/route/v1/c/§-,41",
    "/route/v1/c/§--5,41",
    "/route/v1/c/§.,41",
    "/route/v1/c/8.1§.2,41",
    "/route/v1/c/8.5§;9",
    "/route/v1/c/§;8,9",
    "/route/v1/c/polyline(§)",
    "/route/v1/c/polyline(§",
    "/route/v1/c/polyline(abc§",
    "/route/v1/c/polyline(§=)",
    f"/route/v1/c/{POLYLINE}§x",
    "/route/v1/c/§polyline7(abc)",
    "/route/v1/c/§polyline6",
    f"{ROUTE}§;",
    f"{ROUTE}§;;8,9",
    f"{ROUTE}§&x",
    f"{ROUTE}§x",
    f"{ROUTE}§.xml",
    f"{ROUTE}.json§.json",
    f"{ROUTE}?§=",
    f"{ROUTE}?§&",
    f"{ROUTE}?§foo=1",
    f"{ROUTE}?§format=json",
    f"{ROUTE}?§steps",
    f"{ROUTE}?§stepsx=true",
    f"{ROUTE}?steps=§",
    f"{ROUTE}?steps=§1",
    f"{ROUTE}?steps=§TRUE",
    f"{ROUTE}?steps=true§false",
    f"{ROUTE}?overview=§FALSE",
    f"{ROUTE}?overview=§by_leg",
    f"{ROUTE}?overview=false§x",
    f"{ROUTE}?overview=false§&",
    f"{ROUTE}?overview=false§&foo=1",
    f"{ROUTE}?overview=false§;steps=true",
    f"{ROUTE}?overview=false§.json",
    f"{ROUTE}?overview=false&steps=§1",
    f"{ROUTE}?overview=false%26steps=§1",
    f"{ROUTE}?geometries=§wkt",
    f"{ROUTE}?geometries=polyline6§x",
    f"{ROUTE}?annotations=§",
    f"{ROUTE}?annotations=§foo",
    f"{ROUTE}?annotations=true§x",
    f"{ROUTE}?annotations=nodes§x",
    f"{ROUTE}?annotations=nodes§,true",
    f"{ROUTE}?annotations=duration§,",
    f"{ROUTE}?annotations=duration§,foo",
    f"{ROUTE}?alternatives=§x",
    f"{ROUTE}?alternatives=§-1",
    f"{ROUTE}?alternatives=1§.5",
    f"{ROUTE}?alternatives=true§x",
    f"{ROUTE}?alternatives=§4294967296",
    f"{ROUTE}?alternatives=2&alternatives=§x",
    f"{ROUTE}?radiuses=§x;1",
    f"{ROUTE}?radiuses=1§e3;100",
    f"{ROUTE}?radiuses=1§,2",
    f"{ROUTE}?radiuses=1;1;1§&foo",
    f"{ROUTE}?bearings=10§;",
    f"{ROUTE}?bearings=10,§;",
    f"{ROUTE}?bearings=10§.5,10;",
    f"{ROUTE}?bearings=1,2§,3;",
    f"{ROUTE}?hints=§abc;",
    f"{ROUTE}?hints={HINT}§A;",
    f"{ROUTE}?approaches=§foo;",
    f"{ROUTE}?approaches=curb§x;",
    f"{ROUTE}?exclude=§",
    f"{ROUTE}?exclude=a§_b",
    f"{ROUTE}?exclude=toll§,",
    f"{ROUTE}?depart_at=§",
    f"{ROUTE}?depart_at=§08:15",
    f"{ROUTE}?depart_at=§tomorrow",
    f"{ROUTE}?exclude=toll§,,x",
    f"{ROUTE}?snapping=§foo",
    f"{ROUTE}?snapping=any§x",
    f"{ROUTE}?waypoints=§",
    f"{ROUTE}?waypoints=§x",
    f"{ROUTE}?waypoints=§-1",
    f"{ROUTE}?waypoints=0§;",
    f"{ROUTE}?waypoints=0§;x",
    f"{ROUTE}?continue_straight=§foo",
    f"{ROUTE}?continue_straight=true§x",
    f"{NEAREST}?§steps=true",
    f"{NEAREST}?§waypoints=0",
    f"{NEAREST}?number=§",
    f"{NEAREST}?number=§-1",
    f"{NEAREST}?number=1§x",
    f"{NEAREST}?number=1§.5",
    f"{NEAREST}?number=§4294967296",
    f"{NEAREST}?bearings=§x",
    f"{NEAREST}?bearings=1,§x",
    f"{NEAREST}?bearings=§-,2",
    f"{NEAREST}?bearings=§99999999999,2",
    f"{NEAREST}?radiuses=§-",
    f"{NEAREST}?radiuses=1;§x",
    f"{NEAREST}?radiuses=§unlim",
    f"{NEAREST}?radiuses=unlimited§x",
    f"{TABLE}?sources=§",
    f"{TABLE}?sources=0§;",
    f"{TABLE}?sources=0§;x",
    f"{TABLE}?sources=0§;all",
    f"{TABLE}?sources=all§;0",
    f"{TABLE}?sources=all§x",
    f"{TABLE}?sources=§-1",
    f"{TABLE}?sources=§x",
    f"{TABLE}?sources=§al",
    f"{TABLE}?destinations=§",
    f"{TABLE}?destinations=1§.5",
    f"{TABLE}?annotations=§true",
    f"{TABLE}?annotations=§false",
    f"{TABLE}?annotations=§",
    f"{TABLE}?annotations=duration§,",
    f"{TABLE}?annotations=§speed",
    f"{TABLE}?annotations=duration§,foo",
    f"{TABLE}?annotations=duration§x",
    f"{TABLE}?annotations=§nodes",
    f"{TABLE}?fallback_speed=§x",
    f"{TABLE}?fallback_speed=§",
    f"{TABLE}?fallback_speed=1§e3",
    f"{TABLE}?fallback_speed=5§x",
    f"{TABLE}?fallback_speed=5§,6",
    f"{TABLE}?fallback_coordinate=§foo",
    f"{TABLE}?fallback_coordinate=input§x",
    f"{TABLE}?scale_factor=§x",
    f"{TABLE}?scale_factor=§",
    f"{TABLE}?§steps=true",
    f"{TABLE}?§waypoints=0",
    f"{TABLE}?§alternatives=1",
    f"{TABLE}?snapping=§foo",
    f"{ISOCHRONE}?§foo=1",
    f"{ISOCHRONE}?§number=1",
    f"{ISOCHRONE}?contours_minutes=§",
    f"{ISOCHRONE}?contours_minutes=§x",
    f"{ISOCHRONE}?contours_minutes=5§,",
    f"{ISOCHRONE}?contours_minutes=5§,x",
    f"{ISOCHRONE}?contours_minutes=5§;6",
    f"{ISOCHRONE}?contours_minutes=5§e1",
    f"{ISOCHRONE}?contours_meters=100§,,200",
    f"{ISOCHRONE}?contours_meters=§-",
    f"{ISOCHRONE}?direction=§",
    f"{ISOCHRONE}?direction=§both",
    f"{ISOCHRONE}?direction=to§x",
    f"{ISOCHRONE}?polygons=§1",
    f"{ISOCHRONE}?polygons=true§x",
    f"{ISOCHRONE}?contours_minutes=5§&",
]

GOOD = [
    (f"{ROUTE}", {"coordinates": [(-8.61, 41.15), (-8.62, 41.16)]}),
    (f"{ROUTE}.json", {}),
    (f"{ROUTE}.json?steps=true", {"steps": True}),
    (f"{NEAREST}.json", {"coordinates": [(8.0, 41.0)]}),
    (f"{NEAREST}..json?number=2", {"coordinates": [(8.0, 41.0)], "number": 2}),
    (f"/route/v01/dri.v-i~n:g/{POINTS}", {}),
    ("/route/v1/c/-8.61%2C41.15%3B-8.62,41.16%3Fsteps%3Dtrue", {"steps": True}),
    ("/route/v1/c/.5,-.5;5.,-5.", {"coordinates": [(0.5, -0.5), (5.0, -5.0)]}),
    ("/route/v1/c/0000000000000000000000000008.5,1", {"coordinates": [(8.5, 1.0)]}),
    (f"{ROUTE}?overview=by_legs", {"overview": "by_legs"}),
    (f"{ROUTE}?overview=full&overview=false", {"overview": "false"}),
    (f"{ROUTE}?alternatives=true", {"alternatives": 1}),
    (f"{ROUTE}?alternatives=false", {"alternatives": 0}),
    (f"{ROUTE}?alternatives=3", {"alternatives": 3}),
    (f"{ROUTE}?annotations=false", {"annotations": frozenset()}),
    (f"{ROUTE}?annotations=nodes,speed", {"annotations": frozenset({"nodes", "speed"})}),
    (f"{ROUTE}?geometries=polyline6", {"geometries": "polyline6"}),
    (f"{ROUTE}?continue_straight=default", {"continue_straight": None}),
    (f"{ROUTE}?continue_straight=false", {"continue_straight": False}),
    (f"{ROUTE}?waypoints=0;1;1", {"waypoints": (0, 1, 1)}),
    (f"{ROUTE}?radiuses=;10", {"radiuses": (None, 10.0)}),
    (f"{ROUTE}?radiuses=unlimited;-1", {"radiuses": (None, None)}),
    (f"{ROUTE}?radiuses=.5;5.", {"radiuses": (0.5, 5.0)}),
    (f"{ROUTE}?radiuses=", {"radiuses": (None,)}),
    (f"{ROUTE}?bearings=10,20;", {"bearings": ((10, 20), None)}),
    (f"{ROUTE}?hints={HINT};{HINT * 2}", {"hints": (HINT, HINT * 2)}),
    (f"{ROUTE}?hints=;", {"hints": (None, None)}),
    (f"{ROUTE}?approaches=curb;", {"approaches": ("curb", None)}),
    (f"{ROUTE}?exclude=toll,motorway", {"exclude": ("toll", "motorway")}),
    (f"{ROUTE}?depart_at=2026-11-30T08:15", {"depart_at": "2026-11-30T08:15"}),
    (f"{ROUTE}?depart_at=2026-11-30T08:15:00Z", {"depart_at": "2026-11-30T08:15:00Z"}),
    (f"{ROUTE}?depart_at=2026-11-30T08:15+01:00", {"depart_at": "2026-11-30T08:15+01:00"}),
    (f"{ROUTE}?depart_at=2026-11-30T08:15%2B0100", {"depart_at": "2026-11-30T08:15+0100"}),
    (f"{ROUTE}?depart_at=2026-11-30T08:15-05:00", {"depart_at": "2026-11-30T08:15-05:00"}),
    (f"{ROUTE}?snapping=any&skip_waypoints=true", {"snapping": "any", "skip_waypoints": True}),
    (f"{ROUTE}?generate_hints=false", {"generate_hints": False}),
    (f"{NEAREST}?number=4294967295", {"number": 4294967295}),
    (f"{TABLE}", {"sources": (), "destinations": (), "annotations": frozenset({"duration"})}),
    (f"{TABLE}", {"source_indices": (0, 1), "destination_indices": (0, 1)}),
    (f"{TABLE}.json?sources=all", {"source_indices": (0, 1)}),
    (f"{TABLE}?sources=1;0;1", {"source_indices": (1, 0, 1), "destination_indices": (0, 1)}),
    (f"{TABLE}?destinations=0&destinations=1", {"destination_indices": (1,)}),
    (f"{TABLE}?annotations=distance", {"annotations": frozenset({"distance"})}),
    (f"{TABLE}?annotations=distance,duration", {"annotations": frozenset(TABLES)}),
    (f"{TABLE}?annotations=duration,duration", {"annotations": frozenset({"duration"})}),
    (f"{TABLE}", {"fallback_speed": None, "fallback_coordinate": "input", "scale_factor": 1}),
    (f"{TABLE}?fallback_speed=5.&scale_factor=.5", {"fallback_speed": 5.0, "scale_factor": 0.5}),
    (f"{TABLE}?fallback_speed=-1&scale_factor=0", {"fallback_speed": -1.0, "scale_factor": 0}),
    (f"{TABLE}?fallback_coordinate=snapped", {"fallback_coordinate": "snapped"}),
    (f"{ISOCHRONE}", {"contours_minutes": None, "direction": "from", "polygons": True}),
    (f"{ISOCHRONE}.json?contours_minutes=5,.5,10.", {"contours_minutes": (5.0, 0.5, 10.0)}),
    (f"{ISOCHRONE}?contours_meters=1000", {"contours_meters": (1000.0,)}),
    (f"{ISOCHRONE}?direction=to&polygons=false", {"direction": "to", "polygons": False}),
    (f"{ISOCHRONE}?radiuses=5&bearings=1,2", {"radiuses": (5.0,), "bearings": ((1, 2),)}),
]


def read(target: str) -> Params:
    path = split_url(decode_target(target.encode()), with_query=True)
    return params_from_url(KINDS[path.service], path)


def marked(target: str) -> tuple[str, int]:
    """The target without its mark, and where the mark stands once it is decoded."""
    before, after = target.split("§")
    return before + after, len(decode_target(before.encode()))


@pytest.mark.parametrize("target", BAD_URLS)
def test_bad_url(target: str) -> None:
    """A path that breaks off says where, with three characters on either side."""
    target, position = marked(target)
    text = decode_target(target.encode())
    with pytest.raises(InvalidUrl) as caught:
        split_url(text, with_query=True)
    context = text[max(position - 3, 0) : position + 3]
    assert str(caught.value) == (f'URL string malformed close to position {position}: "{context}"')


@pytest.mark.parametrize("target", BAD_QUERIES)
def test_bad_query(target: str) -> None:
    """Coordinates and options that break off say where."""
    target, position = marked(target)
    with pytest.raises(InvalidQuery) as caught:
        read(target)
    assert str(caught.value) == f"Query string malformed close to position {position}"


@pytest.mark.parametrize(("target", "expected"), GOOD, ids=str)
def test_good(target: str, expected: dict[str, object]) -> None:
    """What is right is read as meant."""
    params = read(target)
    assert {name: getattr(params, name) for name in expected} == expected


@pytest.mark.parametrize("target", [ROUTE, NEAREST, TABLE])
def test_a_query_of_nothing(target: str) -> None:
    """A "?" with nothing behind it, as clients without options send, asks for nothing more."""
    assert read(f"{target}?") == read(target)


def test_polylines() -> None:
    """Encoded coordinates are latitude first, with five digits or six."""
    for encoded in (POLYLINE, "polyline6(_izlhA~rlgdF_{geC~ywl@)"):
        points = read(f"/route/v1/c/{encoded}").coordinates
        assert [(round(lon, 9), round(lat, 9)) for lon, lat in points] == [
            (-120.2, 38.5),
            (-120.95, 40.7),
        ]


@pytest.mark.parametrize("encoded", ["_", "_p", "~~~~~~~~~~~~~~~~~~~~~~~~~~"])
def test_broken_polyline(encoded: str) -> None:
    """An encoding that ends inside a number is an error of the query."""
    with pytest.raises(InvalidQuery, match="polyline"):
        read(f"/route/v1/c/polyline({encoded})")


def test_flatbuffers_are_not_offered() -> None:
    """The other format of the interface is refused as such."""
    with pytest.raises(Unsupported):
        read(f"{ROUTE}.flatbuffers?overview=false")
    with pytest.raises(Unsupported):
        read(f"{NEAREST}.flatbuffers")


@pytest.mark.parametrize(
    ("target", "position"),
    [("/route", 6), ("/route/v1/", 10), ("/route/v1/c?x", 11), ("/route/v1/c/1,2", 12)],
)
def test_url_of_a_body(target: str, position: int) -> None:
    """Nothing follows the profile where the coordinates come in the body."""
    with pytest.raises(InvalidUrl, match=f"position {position}:"):
        split_url(target, with_query=False)


@pytest.mark.parametrize("target", ["/route/v1/c", "/route/v1/c/"])
def test_good_url_of_a_body(target: str) -> None:
    """A slash behind the profile is allowed."""
    path = split_url(target, with_query=False)
    assert (path.service, path.version, path.profile) == ("route", 1, "c")


WORDS = (
    "route nearest /v1/ car polyline( 8.61,41.1 steps= true radiuses= bearings= hints= annotations="
    " unlimited %zz %41 .json waypoints= exclude= alternatives= sources= all scale_factor="
    " contours_minutes="
)
PIECES = st.sampled_from([*"/?&;=,.%-+(0189aAz~|éß\x00\n", *WORDS.split(), HINT, "9" * 5000])


STARTS = ["", *(f"{path}?" for path in (ROUTE, NEAREST, TABLE, ISOCHRONE))]


@given(st.sampled_from(STARTS), st.lists(PIECES, max_size=12))
@example(f"{ROUTE}?", ["waypoints=", "9" * 5000])
def test_nothing_else_is_raised(start: str, pieces: list[str]) -> None:
    """Whatever comes, it is read or it is the asker's fault."""
    target = start + "".join(pieces)
    try:
        path = split_url(decode_target(target.encode()), with_query=True)
        params_from_url(KINDS.get(path.service, RouteParams), path)
    except QueryError as error:
        assert str(error)


@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    """Any text at all splits or is an error of the URL."""
    try:
        path = split_url(text, with_query=True)
        assert isinstance(path, RequestPath)
    except InvalidUrl:
        pass
