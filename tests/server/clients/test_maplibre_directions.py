"""MapLibre GL Directions, as it is, in a real browser."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from node_packages import node_package

from routing.engine import Engine

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.compiled

POINTS = [[24.935, 60.166], [24.944, 60.1655], [24.947, 60.17], [24.95, 60.172]]

OPTIONS: tuple[dict[str, str], ...] = (
    {},
    {"overview": "full", "steps": "true"},
    {"geometries": "polyline6"},
    {"geometries": "geojson", "overview": "full"},
    {"geometries": "geojson", "annotations": "true"},
)


@pytest.fixture(scope="module")
def packages() -> None:
    """What the page loads."""
    node_package("maplibre-gl")
    node_package("@maplibre/maplibre-gl-directions")


@pytest.fixture
def opened(
    packages: None, browser: "Browser", site: str, server: str
) -> "Iterator[Callable[..., Page]]":
    """Opens the page of a map with directions."""
    context = browser.new_context(viewport={"width": 800, "height": 600})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def open_page(options: dict[str, str] | None = None, **more: str) -> "Page":
        query = urlencode({"server": server, "options": json.dumps(options or {}), **more})
        page.goto(f"{site}/maplibre.html?{query}")
        page.wait_for_function("window.ready")
        return page

    yield open_page
    context.close()
    assert faults == []


def route(page: "Page", points: Sequence[Any], profiles: Sequence[str] = ()) -> Any:
    """Let it find its way; what it draws."""
    page.evaluate(
        "([points, profiles]) => directions.setWaypoints(points, profiles)",
        [list(points), list(profiles)],
    )
    return drawn(page)


def drawn(page: "Page") -> Any:
    """The features on the map: its points by kind, its lines by whether they are chosen."""
    features = page.evaluate('map.getSource("maplibre-gl-directions").serialize().data.features')
    found: dict[str, list[Any]] = {}
    for feature in features:
        properties = feature["properties"]
        kind = properties.get("type") or properties.get("route")
        found.setdefault(kind, []).append(feature)
    return found


def settle(page: "Page") -> None:
    """Wait until all is drawn: what is pressed on is what has been drawn there."""
    page.evaluate("new Promise((done) => { map.once('idle', done); map.triggerRepaint() })")


def test_every_form_of_a_line(opened: "Callable[..., Page]", engine: Engine) -> None:
    """The line of each leg begins and ends where the points meet the road."""
    seconds = engine.route([(lon, lat) for lon, lat in POINTS]).duration_s
    for options in OPTIONS:
        page = opened(options)
        found = route(page, POINTS)
        (answer,) = page.evaluate("answers")
        assert answer["routes"][0]["duration"] == pytest.approx(seconds, abs=0.4)
        snapped = [point["geometry"]["coordinates"] for point in found["SNAPPOINT"]]
        assert snapped == [point["location"] for point in answer["waypoints"]]
        lines = {line["properties"]["legIndex"]: line for line in found["SELECTED"]}
        assert sorted(lines) == [0, 1, 2] and len(found["SELECTED"]) == 3, options
        for index, (start, end) in enumerate(pairwise(snapped)):
            line = lines[index]["geometry"]["coordinates"]
            assert line[0] == pytest.approx(start, abs=1.1e-5), options
            assert line[-1] == pytest.approx(end, abs=1.1e-5), options


def test_alternatives(opened: "Callable[..., Page]") -> None:
    """Those that are not chosen are drawn as such."""
    page = opened({"alternatives": "3", "overview": "full"})
    counts = set()
    for lon in (24.927, 24.93, 24.935):
        found = route(page, [[lon, 60.1725], [24.955, 60.168]])
        n_routes = page.evaluate("answers.at(-1).routes.length")
        assert len(found.get("ALT", ())) == n_routes - 1
        counts.add(n_routes)
    assert max(counts) > 1


def test_a_profile_for_each_leg(opened: "Callable[..., Page]") -> None:
    """By car, then on foot."""
    page = opened({"overview": "full"})
    found = route(page, [POINTS[0], POINTS[2], POINTS[3]], ["driving", "foot"])
    answers = page.evaluate("answers")
    speeds = [
        answer["routes"][0]["distance"] / answer["routes"][0]["duration"] for answer in answers
    ]
    assert min(speeds) < 2 < max(speeds)
    assert len(found["SNAPPOINT"]) == 4


def test_bearings(opened: "Callable[..., Page]") -> None:
    """A bearing for some of the points only is understood."""
    page = opened({}, bearings="")
    route(page, [POINTS[0], POINTS[3]])
    page.evaluate("directions.waypointsBearings = [[90, 60], undefined]")
    page.wait_for_function("answers.length === 2")
    assert [answer["code"] for answer in page.evaluate("answers")] == ["Ok", "Ok"]


def test_clicks_and_drags(opened: "Callable[..., Page]") -> None:
    """Two clicks make a route, a drag of the line makes it go another way."""
    page = opened({"overview": "full", "geometries": "polyline6"})
    page.mouse.click(250, 400)
    settle(page)
    page.mouse.click(560, 200)
    page.wait_for_function("answers.length === 1")
    before = page.evaluate("answers[0].routes[0].distance")
    x, y = page.evaluate(
        "(() => { const line = directions.routelines[0][0].geometry.coordinates;"
        "const { x, y } = map.project(line[Math.floor(line.length / 2)]); return [x, y] })()"
    )
    settle(page)
    page.mouse.move(x - 1, y)
    settle(page)
    page.mouse.move(x, y)
    page.wait_for_function("directions.hoverpoint !== undefined")
    settle(page)
    page.mouse.down()
    page.mouse.move(x + 60, y + 60, steps=4)
    page.mouse.move(x + 90, y + 90, steps=4)
    page.mouse.up()
    page.wait_for_function("answers.length === 2")
    assert page.evaluate("directions.waypoints.length") == 3
    assert page.evaluate("answers[1].routes[0].legs.length") == 2
    assert page.evaluate("answers[1].routes[0].distance") != before


def test_an_error_is_told(opened: "Callable[..., Page]") -> None:
    """What the server refuses is thrown with its words, and a right question is answered after."""
    page = opened({"radiuses": "0;0"})
    assert "SELECTED" not in route(page, [POINTS[0], POINTS[3]])
    said = page.evaluate(
        "(p) => directions.fetch(directions.buildRequest(directions.configuration, p))"
        ".catch((error) => error.message)",
        [POINTS[0], POINTS[3]],
    )
    assert said == "Could not find a matching segment for coordinate 0"
    page.evaluate("delete directions.configuration.requestOptions.radiuses")
    assert len(route(page, [POINTS[0], POINTS[3]])["SELECTED"]) == 1
