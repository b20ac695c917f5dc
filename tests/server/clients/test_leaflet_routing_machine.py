"""Leaflet Routing Machine, as it is, in a real browser."""

import json
import re
import urllib.request
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from node_packages import node_package

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.compiled

FROM, TO, VIA = "24.935,60.166", "24.95,60.172", "24.944,60.1655"


@pytest.fixture(scope="module")
def packages() -> None:
    """What the page loads."""
    node_package("leaflet")
    node_package("leaflet-routing-machine")


@pytest.fixture
def opened(
    packages: None, browser: "Browser", site: str, server: str
) -> "Iterator[Callable[..., Page]]":
    """Opens the page with the control for some points, and waits for what it hears."""
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def open_page(*points: str, awaited: str = "routesfound", **more: str) -> "Page":
        query = urlencode({"server": server, "points": ";".join(points), **more})
        page.goto(f"{site}/leaflet.html?{query}")
        page.wait_for_function(f"events.{awaited}.length > 0")
        return page

    yield open_page
    context.close()
    assert faults == []


def answer_to(server: str, *points: str) -> Any:
    """What the server says to the same question."""
    url = f"{server}/route/v1/driving/{';'.join(points)}?alternatives=true&steps=true"
    with urllib.request.urlopen(url, timeout=20) as response:
        return json.load(response)


def test_a_route(opened: "Callable[..., Page]", server: str) -> None:
    """Its length, its time and its words are shown, and its line is drawn."""
    page = opened(FROM, TO)
    answer = answer_to(server, FROM, TO)
    found = page.evaluate(
        "events.routesfound[0].routes.map((r) => "
        "[r.name, r.summary.totalDistance, r.summary.totalTime, r.instructions.length])"
    )
    assert found == [
        [
            route["legs"][0]["summary"],
            route["distance"],
            route["duration"],
            len(route["legs"][0]["steps"]),
        ]
        for route in answer["routes"]
    ]
    texts = page.locator(".leaflet-routing-alt:not(.leaflet-routing-alt-minimized) tr").all()
    assert len(texts) == found[0][3]
    assert re.match("Head (north|south|east|west)", texts[0].inner_text().strip())
    assert "You have arrived at your destination" in texts[-1].inner_text()
    assert page.locator("path.leaflet-interactive").count() >= 1
    summary = page.locator(".leaflet-routing-alt h3").first.inner_text()
    assert summary.startswith(f"{found[0][1] / 1000:.1f} km")


def test_alternatives(opened: "Callable[..., Page]", server: str) -> None:
    """Where there are several routes the other can be chosen."""
    ends = (
        (a, b)
        for a in ("24.93,60.1725", "24.927,60.167", "24.935,60.166")
        for b in ("24.955,60.168", "24.952,60.174", "24.95,60.163")
    )
    pair = next(pair for pair in ends if len(answer_to(server, *pair)["routes"]) > 1)
    page = opened(*pair)
    assert page.evaluate("events.routesfound[0].routes.length") == 2
    other = page.locator(".leaflet-routing-alt-minimized")
    name = other.locator("h2").inner_text()
    other.click()
    chosen = page.locator(".leaflet-routing-alt:not(.leaflet-routing-alt-minimized)")
    assert chosen.locator("h2").inner_text() == name


def test_a_point_on_the_way_in_german(opened: "Callable[..., Page]", server: str) -> None:
    """Each leg has its words, and the points are where the answer says."""
    page = opened(FROM, VIA, TO, language="de")
    answer = answer_to(server, FROM, VIA, TO)
    found = page.evaluate(
        "(({ instructions, waypoints, waypointIndices, coordinates }) => ({"
        "texts: instructions.map((i) => i.text), types: instructions.map((i) => i.type),"
        "waypoints: waypoints.map(({ latLng }) => [latLng.lng, latLng.lat]),"
        "indices: waypointIndices, n: coordinates.length }))(events.routesfound[0].routes[0])"
    )
    assert found["waypoints"] == [point["location"] for point in answer["waypoints"]]
    assert found["types"].count("WaypointReached") == 1
    assert found["types"][-1] == "DestinationReached"
    assert all(type(kind) is str for kind in found["types"])
    assert "Sie haben Ihr" in found["texts"][-1]
    assert len(found["indices"]) == 3 and found["indices"][0] == 0


def test_dragging_a_marker(opened: "Callable[..., Page]", server: str) -> None:
    """The line follows the mouse, asked for with the hints of the answer before."""
    page = opened(FROM, TO)
    questions: list[str] = []
    page.on("request", lambda request: questions.append(request.url))
    marker = page.locator(".leaflet-marker-icon").last
    box = marker.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.evaluate("events.routesfound[0].routes[0].summary.totalDistance")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 80, steps=4)
    with page.expect_response(lambda response: "overview=full" in response.url) as dragged:
        page.mouse.move(x - 100, y + 120, steps=4)
    assert dragged.value.status == 200
    page.mouse.up()
    page.wait_for_function("events.routesfound.length > 1 && control.getWaypoints().length === 2")
    page.wait_for_function(
        f"events.routesfound.at(-1).routes[0].summary.totalDistance !== {before}"
    )
    assert page.evaluate("events.routingerror.length") == 0
    hints = [parse_qs(urlsplit(url).query).get("hints", [""])[0] for url in questions]
    assert any(len(hint) > 50 for hint in hints)


def test_walking(opened: "Callable[..., Page]", server: str) -> None:
    """The profile of the control is the one that is asked for."""
    driven, walked = (
        opened(FROM, TO, profile=profile).evaluate(
            "events.routesfound[0].routes[0].summary.totalTime"
        )
        for profile in ("driving", "foot")
    )
    assert walked > driven


def test_an_error_is_heard(opened: "Callable[..., Page]") -> None:
    """What the server refuses is an error of the control's, not of the page's."""
    page = opened(FROM, TO, profile="rocket", awaited="routingerror")
    found = page.evaluate(
        "(({ status, message, target }) => [status, message, JSON.parse(target.responseText).code])"
        "(events.routingerror[0].error)"
    )
    assert found == [-1, "HTTP request failed: undefined", "InvalidValue"]
