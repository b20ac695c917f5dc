"""Requests that nobody sends by mistake: each is refused in the shape that clients know."""

from typing import Any

import pytest
from asgi import ask
from fake_engine import fake_state

from server.app import create_app
from server.settings import Settings

TOKEN = "0123456789abcdef-test"
ADMIN = {"authorization": f"Bearer {TOKEN}"}
JSON = ADMIN | {"content-type": "application/json"}
CSV = ADMIN | {"content-type": "text/csv"}
POINTS = b'"coordinates":[[24.94,60.167],[24.95,60.175]]'
DEEP = b"[" * 100_000
LIMIT, LIVE_LIMIT = 50_000, 100_000

BODIES = [
    b" ",
    b"null",
    b"\xff\xfe",
    "{}".encode("utf-16"),
    b'{"coordinates":[[NaN,1],[2,3]]}',
    b'{"coordinates":[[Infinity,1],[2,3]]}',
    b'{"coordinates":[[1e400,1],[2,3]]}',
    b'{"coordinates":[[%b,1],[2,3]]}' % (b"9" * 5000),
    DEEP,
    b'{"coordinates":' + DEEP,
    b'{"a":' * 9_000,
    b'{"coordinates":"\\ud800"}',
    b'{"coordinates":"polyline(\\u0000)"}',
    b'{%b,"alternatives":%d}' % (POINTS, 10**30),
    b'{%b,"bearings":[[%d,1],[1,2]]}' % (POINTS, 10**30),
    b'{%b,"speeds":[{"way":%d,"speed":1}]}' % (POINTS, 2**63),
    b'{%b,"format":null}' % POINTS,
]


@pytest.fixture(scope="module")
def app() -> Any:
    settings = Settings(admin_token=TOKEN, max_body_bytes=LIMIT, max_live_body_bytes=LIVE_LIMIT)
    return create_app(fake_state(settings))


@pytest.mark.parametrize("body", BODIES, ids=lambda body: str(body[:24]))
def test_bodies(body: bytes) -> None:
    """What is no JSON, or holds no number that is one, is told so."""
    app = create_app(fake_state())
    response = ask(app, "POST", "/route/v1/car", body, JSON)
    assert response.status == 400
    assert response.json()["code"] == "InvalidQuery"


def test_a_member_twice(app: Any) -> None:
    """The last one counts."""
    body = b'{"coordinates":[[24.94,60.167]],%b}' % POINTS
    assert ask(app, "POST", "/route/v1/car", body, JSON).status == 200


def test_a_long_body_is_read_elsewhere(app: Any) -> None:
    """What is long is read in a thread, and answered all the same."""
    body = b'{%b,"nothing":"%b"}' % (POINTS, b"x" * 40_000)
    short = ask(app, "POST", "/route/v1/car", b"{%b}" % POINTS, JSON)
    assert ask(app, "POST", "/route/v1/car", body, JSON).json() == short.json()
    wrong = ask(app, "POST", "/route/v1/car", body[:-1], JSON)
    assert (wrong.status, wrong.json()["code"]) == (400, "InvalidQuery")


@pytest.mark.parametrize(
    "line",
    ["{}", "null", "x", "\0", "1,2,3\0", "\uff11,2,3", "1,2,nan", "1,2,1e9", "from, 2, speed"],
)
def test_lines(app: Any, line: str) -> None:
    """A first line that is neither a heading nor a speed."""
    response = ask(app, "PUT", "/live/v1/car/speeds", line.encode(), CSV)
    assert response.status == 400
    assert response.json()["message"].startswith("line 1")


@pytest.mark.parametrize(
    "target",
    [
        "/%00",
        "/health%00",
        "/health/",
        "//",
        "/%2e%2e/",
        "/route/v1/car/%ff",
        "/route/v1/%00/1,2;3,4",
        f"/route/v{'9' * 5000}/car/1,2",
        f"/route/v1/car/{'9' * 5000},2;3,4",
        f"/tile/v1/car/tile({'9' * 5000},1,14).mvt",
        f"/search/v1/streets?text=a&number={'9' * 5000}",
        f"/search/v1/streets?text={'a' * 101}",
        "/live/v1/%00/speeds",
        "/live/v1/car/speeds/",
    ],
)
def test_targets(app: Any, target: str) -> None:
    """What is no path, or no value, is told as clients know it."""
    response = ask(app, "GET", target, b"", ADMIN)
    assert response.status == 400
    assert set(response.json()) == {"code", "message"}


OWN = {
    "/health": "GET, HEAD, OPTIONS",
    "/openapi.json": "GET, HEAD, OPTIONS",
    "/search/v1/streets": "GET, HEAD, OPTIONS",
    "/bench/v1/parse": "GET, HEAD, OPTIONS, POST",
    "/bench/v1/parse/events": "GET, OPTIONS",
    "/datasets/v1/reload": "OPTIONS, POST",
    "/live/v1/car/speeds": "DELETE, GET, HEAD, OPTIONS, PATCH, PUT",
}


@pytest.mark.parametrize("path", OWN)
def test_methods_of_our_own(app: Any, path: str) -> None:
    """Others are refused with those that there are, which OPTIONS tells, too."""
    for method in ("TRACE", "FOO"):
        refused = ask(app, method, path)
        assert (refused.status, refused.headers["allow"]) == (405, OWN[path])
        assert refused.json()["code"] == "InvalidMethod"
    told = ask(app, "OPTIONS", path)
    assert (told.status, told.body) == (204, b"")
    assert told.headers["allow"] == told.headers["access-control-allow-methods"] == OWN[path]


@pytest.mark.parametrize(
    ("method", "path", "limit"),
    [
        ("POST", "/route/v1/car", LIMIT),
        ("PUT", "/live/v1/car/speeds", LIVE_LIMIT),
        ("PATCH", "/live/v1/car/speeds", LIVE_LIMIT),
    ],
)
def test_bodies_are_limited(app: Any, method: str, path: str, limit: int) -> None:
    """Whether their length is told or not."""
    for body in (b"x" * (limit + 1), [b"x" * 10_000] * (limit // 10_000 + 1)):
        response = ask(app, method, path, body, JSON)
        assert (response.status, response.json()["code"]) == (413, "TooBig")
        assert str(limit) in response.json()["message"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/health"), ("POST", "/datasets/v1/reload")])
def test_bodies_nobody_wants_are_limited(app: Any, method: str, path: str) -> None:
    """A long one is refused before anything is done."""
    response = ask(app, method, path, b"x" * (LIMIT + 1), JSON)
    assert (response.status, response.json()["code"]) == (413, "TooBig")
