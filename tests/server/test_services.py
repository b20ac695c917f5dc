"""The services as an ASGI application around a fake engine: methods, headers, codes."""

import asyncio
import gzip
import json
import threading
import time
import zlib
from typing import Any

import pytest
from asgi import Response, ask, ask_in_loop
from fake_engine import FakeEngine, fake_state

from server.api.osrm_params import (
    IsochroneParams,
    NearestParams,
    RouteParams,
    TableParams,
    TripParams,
)
from server.api.services import SERVICES
from server.app import create_app
from server.settings import Settings

ROUTE = "/route/v1/car/24.91,60.11;24.92,60.12"
JSON = {"content-type": "application/json"}
BODY = json.dumps({"coordinates": [[24.91, 60.11], [24.92, 60.12]], "overview": "false"}).encode()


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(fake_state())


def failure(response: Response) -> tuple[int, str, str]:
    found = response.json()
    assert set(found) == {"code", "message"}
    return response.status, found["code"], found["message"]


def test_headers(app: Any) -> None:
    """A good answer and a bad one have the headers that browsers need."""
    for target in (ROUTE, "/foo"):
        headers = ask(app, "GET", target).headers
        assert headers["content-type"] == "application/json; charset=UTF-8"
        assert headers["content-disposition"] == 'inline; filename="response.json"'
        assert headers["access-control-allow-origin"] == "*"
        assert headers["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS"
        assert headers["access-control-allow-headers"] == "X-Requested-With, Content-Type"


def test_get_and_post_agree(app: Any) -> None:
    """The same question in a body has the same answer."""
    get = ask(app, "GET", f"{ROUTE}?overview=false")
    for target in ("/route/v1/car", "/route/v1/car/"):
        assert ask(app, "POST", target, BODY, JSON).json() == get.json()
    assert get.json()["code"] == "Ok"


def test_head(app: Any) -> None:
    """HEAD says how long the answer would be, and sends none."""
    head, get = ask(app, "HEAD", ROUTE), ask(app, "GET", ROUTE)
    assert head.status == 200
    assert head.body == b""
    assert int(head.headers["content-length"]) == len(get.body)
    assert ask(app, "HEAD", "/foo").status == 400


@pytest.mark.parametrize("target", [ROUTE, "/foo", "/trip", "*", ""])
def test_options(app: Any, target: str) -> None:
    """A browser that asks first is told that it may."""
    response = ask(app, "OPTIONS", target)
    assert (response.status, response.body) == (204, b"")
    assert response.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "FOO"])
def test_other_methods(app: Any, method: str) -> None:
    """Other methods are refused, with the list of those that are not."""
    response = ask(app, method, ROUTE)
    assert failure(response)[:2] == (405, "InvalidMethod")
    assert response.headers["allow"] == "GET, HEAD, POST, OPTIONS"


@pytest.mark.parametrize("target", ["*", ""])
def test_a_target_that_is_no_path(app: Any, target: str) -> None:
    """It is refused as a URL that makes no sense from its beginning."""
    assert failure(ask(app, "GET", target))[:2] == (400, "InvalidUrl")
    assert failure(ask(app, "CONNECT", target))[:2] == (405, "InvalidMethod")


@pytest.mark.parametrize("kind", [None, "text/plain", "application/jsonx", "application/geo+json"])
def test_content_type(app: Any, kind: str | None) -> None:
    """A body must say that it is JSON."""
    headers = {"content-type": kind} if kind else {}
    response = ask(app, "POST", "/route/v1/car", BODY, headers)
    assert failure(response)[:2] == (415, "InvalidContentType")


def test_content_type_is_read_kindly(app: Any) -> None:
    """Case and parameters do not matter."""
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    response = ask(app, "POST", "/route/v1/car", BODY, headers)
    assert response.status == 200


@pytest.mark.parametrize(
    ("target", "status", "code", "message"),
    [
        ("/route/v1/car/50,1;2,2", 400, "NoSegment", "Could not find a matching segment for"),
        ("/route/v1/car/51,1;2,2", 400, "NoRoute", "Impossible route between points"),
        ("/route/v1/car/52,1;2,2", 500, "InternalError", "Internal Server Error"),
        ("/nearest/v1/car/50,1", 400, "NoSegment", "Could not find a matching segment for"),
        ("/foo", 400, "InvalidUrl", 'URL string malformed close to position 4: "foo"'),
        ("/foo/v1/car/1,1;2,2", 400, "InvalidService", "Service foo not found!"),
        ("/route/v2/car/1,1;2,2", 400, "InvalidVersion", "Service route not found!"),
        ("/route/v1/car/1,1;2,2?foo=1", 400, "InvalidQuery", "Query string malformed close to"),
        ("/route/v1/car/1,1", 400, "InvalidOptions", "Number of coordinates needs to be at"),
        ("/route/v1/car/181,1;2,2", 400, "InvalidValue", "Invalid coordinate value."),
        ("/route/v1/tank/1,1;2,2", 400, "InvalidValue", "Profile 'tank' is not in this dataset"),
        ("/route/v1/foot/1,1;2,2", 400, "InvalidValue", "Profile 'foot' is not in this dataset"),
        ("/route/v1/car/" + ";".join(["1,1"] * 501), 400, "TooBig", "Number of entries 501 is"),
        ("/route/v1/car/1,1;2,2?alternatives=4", 400, "TooBig", "Requested number of alt"),
        ("/route/v1/car/50,1;2,2?alternatives=1", 400, "NoSegment", "Could not find a matching"),
        ("/route/v1/car/51,1;2,2?alternatives=1", 400, "NoRoute", "Impossible route between"),
        ("/table/v1/car/52,1;2,2", 500, "InternalError", "Internal Server Error"),
        ("/table/v1/car/1,1", 400, "InvalidOptions", "Number of coordinates needs to be at"),
        ("/table/v1/car/1,1;2,2?sources=2", 400, "InvalidOptions", "Sources must be indices"),
        ("/table/v1/tank/1,1;2,2", 400, "InvalidValue", "Profile 'tank' is not in this dataset"),
        ("/table/v1/car/1,1;2,2?annotations=true", 400, "InvalidQuery", "Query string malformed"),
        ("/table/v2/car/1,1;2,2", 400, "InvalidVersion", "Service table not found!"),
        ("/isochrone/v1/car/1,1", 400, "InvalidOptions", "One of contours_minutes and"),
        ("/isochrone/v1/car/50,1?contours_meters=1", 400, "NoSegment", "Could not find a matching"),
        ("/isochrone/v1/car/1,1;2,2?contours_meters=1", 400, "InvalidOptions", "Only one input"),
        ("/isochrone/v1/car/1,1?contours_minutes=121", 400, "TooBig", "Contour of 121 minutes is"),
        ("/isochrone/v1/car/1,1?contours_minutes=x", 400, "InvalidQuery", "Query string malformed"),
        ("/route/v1/car/" + "1,1;" * 9000, 414, "InvalidUrl", "URL of 36014 bytes is longer"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_failures(app: Any, target: str, status: int, code: str, message: str) -> None:
    """Each failure has its status, code and message."""
    found = failure(ask(app, "GET", target))
    assert found[:2] == (status, code)
    assert found[2].startswith(message)


def test_large_headers(app: Any) -> None:
    """Headers beyond the limit are refused as such."""
    response = ask(app, "GET", ROUTE, headers={"x-large": "a" * 20_000})
    assert failure(response)[0] == 431
    assert response.headers["connection"] == "close"


def test_large_body() -> None:
    """A body beyond the limit is refused, whether it says its length or not."""
    app = create_app(fake_state(Settings(max_body_bytes=100)))
    pieces = [BODY, b" " * 100]
    for content in (b" " * 101, pieces):
        response = ask(app, "POST", "/route/v1/car", content, JSON)
        assert failure(response)[:2] == (413, "TooBig")
    assert ask(app, "POST", "/route/v1/car", BODY, JSON).status == 200


def test_compression(app: Any) -> None:
    """A long answer is compressed for those who accept it."""
    long_route = "/route/v1/car/" + ";".join(["24.91,60.11"] * 50)
    packed = ask(app, "GET", long_route, headers={"accept-encoding": "deflate, gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    plain = ask(app, "GET", long_route)
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2
    deflated = ask(app, "GET", long_route, headers={"accept-encoding": "deflate, gzip;q=0"})
    assert deflated.headers["content-encoding"] == "deflate"
    assert zlib.decompress(deflated.body) == plain.body
    assert "vary" not in ask(app, "GET", ROUTE + "?overview=false").headers


def test_keep_alive(app: Any) -> None:
    """A connection that stays open says for how long."""
    assert ask(app, "GET", ROUTE).headers["keep-alive"] == "timeout=5"
    assert ask(app, "GET", "/foo").headers["keep-alive"] == "timeout=5"
    closing = ask(app, "GET", ROUTE, headers={"connection": "close"})
    assert "keep-alive" not in closing.headers


def test_any_profile() -> None:
    """Told to, the server takes any profile for its first."""
    state = fake_state(Settings(any_profile=True))
    app = create_app(state)
    for name in ("tank", "car", "driving"):
        assert ask(app, "GET", ROUTE.replace("car", name)).status == 200
        asked: Any = state.engine
        assert asked.asked["profile"] == "car"


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", True),
        ("gzip ; q=1", True),
        ("gzip;q=0.001", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, identity", False),
        ("x-gzipped", False),
        ("br", False),
        ("", False),
    ],
)
def test_who_accepts_compression(app: Any, accepted: str, packed: bool) -> None:
    """A coding is accepted by its name, and refused by a weight of zero."""
    long_route = "/route/v1/car/" + ";".join(["24.91,60.11"] * 50)
    headers = ask(app, "GET", long_route, headers={"accept-encoding": accepted}).headers
    assert ("content-encoding" in headers) == packed


@pytest.mark.parametrize(
    ("service", "params", "quick"),
    [
        ("route", RouteParams([(24.9, 60.1), (27.89, 62.1)]), True),
        ("route", RouteParams([(24.9, 60.1), (27.95, 62.17)]), False),
        ("route", RouteParams([(24.9, 60.1), (25.5, 60.4)], steps=True), True),
        ("route", RouteParams([(24.9, 60.1), (25.5, 60.6)], steps=True), False),
        ("route", RouteParams([(24.9, 60.1), (25.5, 60.6)], annotations=frozenset("x")), False),
        ("route", RouteParams([(24.9, 60.1)] * 3), False),
        ("route", RouteParams([(24.9, 60.1)] * 2, bearings=((0, 1), None)), False),
        ("route", RouteParams([(24.9, 60.1)] * 2, alternatives=1), False),
        ("route", RouteParams([(24.9, 60.1)] * 2, exclude=("toll",)), False),
        ("route", RouteParams([(24.9, 60.1)] * 2, depart_at="2026-11-30T08:15"), False),
        ("table", TableParams([(24.9, 60.1)] * 2, exclude=("toll",)), False),
        ("nearest", NearestParams([(24.9, 60.1)], depart_at="2026-11-30T08:15"), False),
        ("table", TableParams([(24.9, 60.1)] * 10), True),
        ("table", TableParams([(24.9, 60.1)] * 11), False),
        ("table", TableParams([(24.9, 60.1)] * 2, sources=(0,) * 11), False),
        ("table", TableParams([(24.9, 60.1)] * 2, destinations=(0,) * 11), False),
        ("table", TableParams([(24.9, 60.1)] * 2, bearings=((0, 1), None)), False),
        ("trip", TripParams([(24.9, 60.1)] * 10, overview="false"), True),
        ("trip", TripParams([(24.9, 60.1)] * 11, overview="false"), False),
        ("trip", TripParams([(24.9, 60.1)] * 10), False),
        ("trip", TripParams([(24.9, 60.1)] * 2, overview="false", steps=True), False),
        ("trip", TripParams([(4.9, 60.1), (9.8, 60.3)], overview="false"), False),
        ("isochrone", IsochroneParams([(24.9, 60.1)], contours_meters=(1.0,)), False),
        ("nearest", NearestParams([(24.9, 60.1)], number=10), True),
        ("nearest", NearestParams([(24.9, 60.1)], number=11), False),
        ("nearest", NearestParams([(24.9, 60.1)], bearings=((0, 1),)), False),
    ],
)
def test_what_is_quick(service: str, params: Any, quick: bool) -> None:
    """Only what is short for certain is answered without a thread."""
    assert SERVICES[service].is_quick(params) == quick


def test_too_many_requests_at_once() -> None:
    """Who would have to wait too long is told so at once, and the short ones still pass."""
    app = create_app(fake_state(Settings(max_waiting_requests=1)))
    slow = "/route/v1/car/60,1;2,2;3,3"
    statuses: list[int] = []
    asking = [
        threading.Thread(target=lambda: statuses.append(ask(app, "GET", slow).status))
        for _ in range(3)
    ]
    for thread in asking:
        thread.start()
    time.sleep(0.3)
    response = ask(app, "GET", slow)
    assert failure(response)[:2] == (503, "Busy")
    assert response.headers["retry-after"] == "1"
    assert ask(app, "GET", ROUTE).status == 200
    for thread in asking:
        thread.join()
    assert statuses == [200] * 3
    assert ask(app, "GET", "/route/v1/car/1,1;2,2;3,3").status == 200


@pytest.mark.parametrize("name", ["car", "driving"])
def test_what_the_engine_is_asked(name: str) -> None:
    """Options reach the engine as they were meant, under the profile's own name."""
    state = fake_state()
    app = create_app(state)
    engine = state.engine
    assert isinstance(engine, FakeEngine)
    ask(
        app,
        "GET",
        f"/route/v1/{name}/1,2;3,4?radiuses=5;unlimited&bearings=10,20;"
        "&approaches=;curb&continue_straight=false&snapping=any&waypoints=0;1"
        "&exclude=toll,ferry&depart_at=2026-11-30T08:15+01:00",
    )
    assert engine.asked == {
        "points": [(1.0, 2.0), (3.0, 4.0)],
        "profile": "car",
        "exclude": ("toll", "ferry"),
        "depart_at": "2026-11-30T08:15+01:00",
        "radiuses": (5.0, None),
        "bearings": ((10, 20), None),
        "approaches": (None, "curb"),
        "continue_straight": False,
        "snapping": "any",
        "waypoints": (0, 1),
        "with_details": True,
    }
    ask(app, "GET", f"/nearest/v1/{name}/1,2?number=3&radiuses=7&bearings=1,2&approaches=opposite")
    assert engine.asked == {
        "lon": 1.0,
        "lat": 2.0,
        "profile": "car",
        "number": 3,
        "radius_m": 7.0,
        "bearing": (1, 2),
        "approach": "opposite",
        "exclude": (),
        "depart_at": None,
        "snapping": "default",
    }
    ask(app, "GET", f"/route/v1/{name}/1,2;3,4;5,6?alternatives=2&snapping=any")
    assert engine.asked == {
        "points": [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)],
        "number": 2,
        "profile": "car",
        "radiuses": None,
        "bearings": None,
        "approaches": None,
        "continue_straight": None,
        "exclude": (),
        "depart_at": None,
        "snapping": "any",
        "waypoints": None,
    }


@pytest.mark.parametrize(
    ("alternatives", "number"), [("false", 1), ("0", 1), ("true", 2), ("1", 2), ("3", 3)]
)
def test_alternatives(app: Any, alternatives: str, number: int) -> None:
    """The best route comes first, then as many others as there are and as were asked for."""
    for points in ("24.91,60.11;24.92,60.12", "24.91,60.11;24.92,60.12;24.93,60.11"):
        target = f"/route/v1/car/{points}?overview=full&geometries=geojson"
        best = ask(app, "GET", target).json()
        found = ask(app, "GET", f"{target}&alternatives={alternatives}").json()
        assert found["waypoints"] == best["waypoints"]
        assert found["routes"][0] == best["routes"][0]
        assert len(found["routes"]) == number
        lines = [json.dumps(route["geometry"]) for route in found["routes"]]
        assert len(set(lines)) == number
        distances = [route["distance"] for route in found["routes"]]
        assert distances == sorted(distances)


def test_health(app: Any) -> None:
    """The health check names the dataset and the profile."""
    found = ask(app, "GET", "/health").json()
    assert found["status"] == "ok"
    assert found["dataset"] == "city.whimbrel"
    assert found["extract"] == "city.osm.pbf"
    assert found["profiles"] == ["car"]
    assert 0 <= found["uptime_s"] < 600


@pytest.mark.parametrize("target", ["/", "/docs", "/health", "/openapi.json"])
def test_head_of_a_page(app: Any, target: str) -> None:
    """Whoever only looks whether the server is there may ask without a body."""
    assert ask(app, "HEAD", target).status == 200


def test_docs_fetch_nothing(app: Any) -> None:
    """The description needs no script, and loads nothing."""
    text = ask(app, "GET", "/docs").text
    for word in ("<script", "src=", "stylesheet"):
        assert word not in text


def test_nobody_waits() -> None:
    """Work that waits for its turn is dropped once its client has gone; what has begun is not."""
    state = fake_state()
    app, begun = create_app(state), []
    slow = "/route/v1/car/60,2;3,4?alternatives=true&overview=false"
    ask_engine = state.engine.alternatives

    def alternatives(*arguments: Any, **options: Any) -> Any:
        begun.append(time.monotonic())
        return ask_engine(*arguments, **options)

    state.engine.alternatives = alternatives  # type: ignore[method-assign]

    async def crowd() -> list[Response]:
        asking = [ask_in_loop(app, "GET", slow, gone_after_s=0.2) for _ in range(8)]
        return await asyncio.gather(*asking)

    started = time.monotonic()
    statuses = [response.status for response in asyncio.run(crowd())]
    assert len(begun) == 2 and statuses.count(200) == 2 and statuses.count(503) == 6
    assert time.monotonic() - started < 3
