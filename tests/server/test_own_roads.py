"""Requests that bring areas to avoid, and speeds: answered as in a world that is drawn so."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from asgi import Response, ask
from engines import engine_of
from world import World

from routing.changes.wishes import Wishes
from server.app import create_app
from server.settings import Settings
from server.state import EngineState

TOWN = """
    a---b---c
    |   |   |
    d---e---f
    |   |   |
    g---h---i
    """
ROWS = ("abc", "def", "ghi", "adg", "beh", "cfi")
STREETS = tuple(a + b for row in ROWS for a, b in pairwise(row))
LETTERS = "abcdefghi"
JSON = {"content-type": "application/json"}
LIMITS = Settings(max_avoid_polygons=2, max_avoid_points=9, max_speeds=2)


def town(**tags: str) -> World:
    return World(TOWN, "\n".join(f"{s} {tags.get(s, 'highway=x')}" for s in STREETS))


def app_of(world: World, settings: Settings | None = None) -> Any:
    return create_app(EngineState(engine_of(world), Path("town.whimbrel"), settings or Settings()))


@pytest.fixture(autouse=True)
def _memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shared is kept where it does not outlast the test."""
    monkeypatch.setattr("routing.live.files.MEMORY", tmp_path)


@pytest.fixture(scope="module")
def app() -> Any:
    return app_of(town())


def post(app: Any, service: str, letters: str, **options: Any) -> Response:
    body = {"coordinates": [town().position(x) for x in letters], "generate_hints": False}
    return ask(app, "POST", f"/{service}/v1/plain", json.dumps(body | options).encode(), JSON)


def around(letters: str) -> dict[str, Any]:
    """A small square around the middle of a street."""
    (x, y), (to_x, to_y) = (town().position(letter) for letter in letters)
    x, y, r = (x + to_x) / 2, (y + to_y) / 2, 1e-4
    ring = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r), (x - r, y - r)]
    return {"type": "Polygon", "coordinates": [ring]}


BOTH = {
    "type": "MultiPolygon",
    "coordinates": [around("be")["coordinates"], around("ef")["coordinates"]],
}
CASES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"avoid_polygons": around("be")}, {"be": "highway=closed"}),
    (
        {"avoid_polygons": [around("be"), {"type": "Feature", "geometry": around("ef")}]},
        {"be": "highway=closed", "ef": "highway=closed"},
    ),
    ({"avoid_polygons": BOTH}, {"be": "highway=closed", "ef": "highway=closed"}),
    ({"speeds": [{"way": town().way_id("de"), "speed": 9}]}, {"de": "highway=x kmh=9"}),
    (
        {"speeds": [{"nodes": [ord("d"), ord("e")], "speed": 0}]},
        {"de": "highway=x oneway=-1"},
    ),
    (
        {"speeds": [{"way": town().way_id("ef"), "speed": 150}], "avoid_polygons": around("be")},
        {"ef": "highway=x kmh=150", "be": "highway=closed"},
    ),
    ({"avoid_polygons": [], "speeds": []}, {}),
    ({"speeds": [{"way": 7, "speed": 0}]}, {}),
]
ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("route", "ai", {"steps": True, "annotations": True, "overview": "full"}),
    ("route", "gec", {"annotations": ["duration", "nodes"]}),
    ("route", "ci", {"alternatives": 2}),
    ("table", LETTERS, {"annotations": ["duration", "distance"]}),
    ("isochrone", "e", {"contours_minutes": [1, 2], "polygons": False}),
    ("isochrone", "e", {"contours_meters": [700], "direction": "to", "polygons": False}),
    ("nearest", "b", {"number": 4}),
    ("trip", "aicg", {"overview": "full"}),
]


def told(response: Response) -> Any:
    """What an answer says that does not depend on which of several routes it tells."""
    answer = response.json()
    for kind in ("routes", "trips"):
        if kind in answer:
            return answer[kind][0]["duration"]
    if "features" in answer:
        parts = [feature["geometry"]["coordinates"] for feature in answer["features"]]
        return [sorted(sorted(map(tuple, line)) for line in lines) for lines in parts]
    if "waypoints" in answer:
        return {waypoint["distance"] for waypoint in answer["waypoints"]}
    return answer


@pytest.mark.parametrize(
    "wishes",
    [
        {"avoid_polygons": around("be")},
        {"speeds": [{"way": town().way_id("be"), "speed": 0}]},
        {"speeds": [{"nodes": [ord(x) for x in ends], "speed": 0} for ends in ("be", "eb")]},
    ],
)
def test_nobody_stands_on_closed_roads(app: Any, wishes: dict[str, Any]) -> None:
    """Who asks for the nearest roads without one that he is on gets others, he alone."""
    middle = [sum(ends) / 2 for ends in zip(*map(town().position, "be"), strict=True)]
    body = {"coordinates": [middle], "number": 2}
    for options, is_near in (({}, True), (wishes, False), ({}, True)):
        answer = ask(
            app, "POST", "/nearest/v1/plain", json.dumps(body | options).encode(), JSON
        ).json()
        assert (answer["waypoints"][0]["distance"] < 1) is is_near
        assert len(answer["waypoints"]) == 2


@pytest.mark.parametrize(("wishes", "tags"), CASES)
def test_as_if_drawn(app: Any, wishes: dict[str, Any], tags: dict[str, str]) -> None:
    """Every service answers as in a world whose roads are so, and the next request does not."""
    drawn = app_of(town(**tags))
    for service, letters, options in ASKED:
        before = post(app, service, letters, **options)
        found = post(app, service, letters, **options, **wishes)
        expected = post(drawn, service, letters, **options)
        assert found.status == expected.status == 200, found.text
        assert told(found) == told(expected), service
        assert post(app, service, letters, **options).body == before.body


def test_beside_live_speeds(tmp_path: Path) -> None:
    """What a request wants comes on top of what is in force, whose number the answer names."""
    settings = Settings(state_dir=str(tmp_path), admin_token="a-token-of-24-characters")
    state = EngineState(engine_of(town()), tmp_path / "town.whimbrel", settings)
    state.live.restore(state.engine)
    served = create_app(state)
    with state.engine.live_writer(state.live._shared(state.engine, "plain"), ready=False) as writer:
        wishes = Wishes(way_speeds={town().way_id("ab"): 9})
        writer.publish(state.engine.wished(wishes).changes)
    found = post(served, "table", LETTERS, avoid_polygons=around("be"))
    drawn = app_of(town(ab="highway=x kmh=9", be="highway=closed"))
    assert found.json() == post(drawn, "table", LETTERS).json()
    assert found.headers["whimbrel-weights"] == "1"
    state.live.close()


def test_no_way_left(app: Any) -> None:
    """Who is shut in gets nowhere; where all roads are closed there is none to stand on."""
    walls = [around(street) for street in ("bc", "be", "de", "dg")]
    found = post(app, "route", "ai", avoid_polygons=walls)
    assert (found.status, found.json()["code"]) == (400, "NoRoute")
    everything = {"type": "Polygon", "coordinates": [[(24, 60), (26, 60), (26, 61), (24, 61)]]}
    found = post(app, "route", "ai", avoid_polygons=everything)
    assert (found.status, found.json()["code"]) == (400, "NoSegment")


TRIANGLE = [(0, 0), (1, 0), (1, 1), (0, 0)]
BOW = {"type": "Polygon", "coordinates": [[(0, 0), (1, 1), (1, 0), (0, 1), (0, 0)]]}
FLAT = {"type": "Polygon", "coordinates": [[(0, 0), (1, 1), (2, 2), (0, 0)]]}
ROW = {"way": 1, "speed": 1}
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"avoid_polygons": 5}, "InvalidQuery", "avoid_polygons must be a Polygon"),
    ({"avoid_polygons": [around("ab"), 5]}, "InvalidQuery", "avoid_polygons[1] must be a"),
    ({"avoid_polygons": [around("ab")] * 3}, "TooBig", "polygons to avoid 3 is higher"),
    (
        {"avoid_polygons": {"type": "Polygon", "coordinates": [TRIANGLE] * 3}},
        "TooBig",
        "points of polygons to avoid 12 is higher than current maximum (9)",
    ),
    ({"speeds": [ROW, {"way": 2}]}, "InvalidQuery", "speeds[1] has no speed"),
    ({"speeds": [{"way": n, "speed": 1} for n in range(3)]}, "TooBig", "speeds 3 is higher"),
]


@pytest.mark.parametrize("service", ["route", "table", "nearest", "isochrone"])
@pytest.mark.parametrize(("wishes", "code", "message"), WRONG)
def test_what_is_wrong(service: str, wishes: dict[str, Any], code: str, message: str) -> None:
    """One line says what and where."""
    letters = {"nearest": "a", "isochrone": "a"}.get(service, "ab")
    options = {"contours_minutes": [1]} if service == "isochrone" else {}
    response = post(app_of(town(), LIMITS), service, letters, **options, **wishes)
    assert (response.status, response.json()["code"]) == (400, code)
    assert message in response.json()["message"] and "\n" not in response.json()["message"]


@pytest.mark.parametrize("odd", [BOW, FLAT])
def test_odd_shapes(app: Any, odd: dict[str, Any]) -> None:
    """Sides that cross, or no area at all: the nearest thing that makes sense."""
    assert post(app, "route", "ai", avoid_polygons=odd).json()["code"] == "Ok"


@pytest.mark.parametrize("option", ["avoid_polygons=[]", "speeds=1", "speeds="])
def test_not_in_a_url(app: Any, option: str) -> None:
    """A URL is no place for them."""
    a, b = ("{:.6f},{:.6f}".format(*town().position(letter)) for letter in "ab")
    for service, points in (("route", f"{a};{b}"), ("nearest", a)):
        response = ask(app, "GET", f"/{service}/v1/plain/{points}?{option}")
        assert (response.status, response.json()["code"]) == (400, "InvalidQuery")
        assert "POST" in response.json()["message"]
