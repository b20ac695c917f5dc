"""The isochrone service around a fake engine: what is asked, and the GeoJSON that comes."""

import json
from typing import Any

import pytest
from asgi import ask
from fake_engine import FakeEngine, fake_state
from shapely.geometry import shape

from server.api.osrm_json import HINT
from server.app import create_app
from server.settings import Settings

PATH = "/isochrone/v1/car/24.94,60.17"
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(fake_state())


def answer(app: Any, query: str) -> Any:
    response = ask(app, "GET", f"{PATH}?{query}")
    assert response.status == 200
    return response.json()


def test_feature_collection(app: Any) -> None:
    """A feature for each limit, the largest first, and where the way begins."""
    found = answer(app, "contours_minutes=1,10,2.5")
    assert set(found) == {"code", "type", "features", "waypoints"}
    assert (found["code"], found["type"]) == ("Ok", "FeatureCollection")
    assert [feature["properties"] for feature in found["features"]] == [
        {"contour": contour, "metric": "time", "direction": "from"} for contour in (10, 2.5, 1)
    ]
    assert all(feature["type"] == "Feature" for feature in found["features"])
    assert found["waypoints"] == [
        {
            "name": "High Street",
            "location": [24.94, 60.17],
            "distance": 1.23456789,
            "hint": HINT,
        }
    ]


def test_contours_are_written_as_given(app: Any) -> None:
    """A whole number is no fraction in the text."""
    text = ask(app, "GET", f"{PATH}?contours_meters=100.0,2.50").text
    assert '"contour":100,' in text
    assert '"contour":2.5,' in text


def test_what_is_left_out(app: Any) -> None:
    """The waypoint, or only its hint."""
    assert "waypoints" not in answer(app, "contours_minutes=1&skip_waypoints=true")
    assert "hint" not in answer(app, "contours_minutes=1&generate_hints=false")["waypoints"][0]


def test_repeated_limits(app: Any) -> None:
    """A limit that comes twice has one feature."""
    assert len(answer(app, "contours_minutes=2,1,2.0")["features"]) == 2


def test_polygons(app: Any) -> None:
    """One area is a polygon, more are one multipolygon; holes stay, six digits are written."""
    found = answer(app, "contours_meters=1000,99.7654321")
    several, one = (feature["geometry"] for feature in found["features"])
    assert (several["type"], one["type"]) == ("MultiPolygon", "Polygon")
    assert all(shape(geometry).is_valid for geometry in (several, one))
    assert shape(several).area == pytest.approx(2 * 0.75 * 0.002**2)
    assert [len(polygon.interiors) for polygon in shape(several).geoms] == [1, 1]
    assert len(shape(one).interiors) == 1
    assert all(x == round(x, 6) for ring in one["coordinates"] for point in ring for x in point)


def test_lines(app: Any) -> None:
    """The roads themselves are lines."""
    found = answer(app, "contours_meters=1000,50&polygons=false")
    several, one = (feature["geometry"] for feature in found["features"])
    assert several["type"] == one["type"] == "MultiLineString"
    assert (len(several["coordinates"]), len(one["coordinates"])) == (4, 2)
    assert all(shape(geometry).is_valid for geometry in (several, one))


def test_get_post_and_head_agree(app: Any) -> None:
    """The same question in a body has the same answer, and HEAD tells its length."""
    get = ask(app, "GET", f"{PATH}.json?contours_meters=50,100&direction=to&polygons=false")
    body = {
        "coordinates": [[24.94, 60.17]],
        "contours_meters": [50, 100],
        "direction": "to",
        "polygons": False,
    }
    post = ask(app, "POST", "/isochrone/v1/car", json.dumps(body).encode(), JSON)
    assert (get.status, get.body) == (200, post.body)
    head = ask(app, "HEAD", f"{PATH}.json?contours_meters=50,100&direction=to&polygons=false")
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["content-length"]) == len(get.body)


@pytest.mark.parametrize("name", ["car", "driving"])
def test_what_the_engine_is_asked(name: str) -> None:
    """Options reach the engine as they were meant: seconds for minutes."""
    state = fake_state()
    app = create_app(state)
    engine = state.engine
    assert isinstance(engine, FakeEngine)
    ask(app, "GET", f"/isochrone/v1/{name}/1,2?contours_minutes=1,2.5,0.1")
    asked = {
        "lon": 1.0,
        "lat": 2.0,
        "profile": "car",
        "durations_s": [150.0, 60.0, 6.0],
        "distances_m": None,
        "reverse": False,
        "lines": False,
        "radius_m": None,
        "bearing": None,
        "approach": None,
        "snapping": "default",
        "exclude": (),
        "depart_at": None,
    }
    assert engine.asked == asked
    ask(
        app,
        "GET",
        f"/isochrone/v1/{name}/1,2?contours_meters=5,7&direction=to&polygons=false"
        "&radiuses=30&bearings=10,20&approaches=curb&snapping=any",
    )
    assert engine.asked == asked | {
        "durations_s": None,
        "distances_m": [7.0, 5.0],
        "reverse": True,
        "lines": True,
        "radius_m": 30.0,
        "bearing": (10, 20),
        "approach": "curb",
        "snapping": "any",
    }


def test_limits_are_settings() -> None:
    """How many contours and how far is the server's choice."""
    settings = Settings(max_isochrone_contours=2, max_isochrone_minutes=5, max_isochrone_meters=100)
    app = create_app(fake_state(settings))
    for query in ("contours_minutes=5,1", "contours_meters=100"):
        assert ask(app, "GET", f"{PATH}?{query}").status == 200
    for query in ("contours_minutes=1,2,3", "contours_minutes=5.01", "contours_meters=101"):
        response = ask(app, "GET", f"{PATH}?{query}")
        assert (response.status, response.json()["code"]) == (400, "TooBig")
