"""Routes on the map page, in a real browser."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from browsing import ROUTE

pytestmark = pytest.mark.compiled

Open = Callable[..., Any]

A, B, C = (24.94, 60.167), (24.95, 60.175), (24.953, 60.168)


def n_points(page: Any) -> int:
    return len(page.evaluate("whimbrel.store.state.points.filter(Boolean)"))


def test_loading(visit: Open) -> None:
    """The map is drawn, says whose data it is, and asks nobody but the server."""
    window = visit()
    page = window.open()
    assert page.title() == "Whimbrel"
    assert page.get_by_text("contributors").is_visible()
    assert page.get_by_role("link", name="OpenStreetMap").is_visible()
    shown = page.evaluate("whimbrel.map.gl.queryRenderedFeatures({layers: ['road-street']}).length")
    assert shown > 20
    assert any(".mvt" in url for url in window.requests)
    window.picture("start")


def test_names_of_streets(visit: Open) -> None:
    """Streets have their names on the map, without a letter fetched from anywhere."""
    window = visit()
    page = window.open("#map=15.5/60.168/24.942")
    window.until("whimbrel.map.gl.queryRenderedFeatures({layers: ['names']}).length > 5")
    window.picture("names")
    assert page.evaluate("whimbrel.map.gl.getStyle().glyphs").startswith("letters:")


def test_route_by_clicks(visit: Open) -> None:
    """The first click is the start, the second the end; a third one asks what it is to be."""
    window = visit()
    page = window.open("#map=14/60.17/24.945")
    window.click(*A)
    window.click(*B)
    window.wait_for_route()
    window.picture("route")
    assert page.locator(".step").count() > 3
    assert page.locator(".step .what").first.inner_text().startswith("Head ")
    assert page.locator(".step .what").last.inner_text().startswith("Arrive at ")
    assert "Route found" in page.locator("#message").inner_text()
    window.click(*C)
    page.get_by_role("menuitem", name="Stop here on the way").click()
    page.locator(".stop").nth(2).wait_for()
    window.wait_for_route()
    assert n_points(page) == 3
    window.picture("stop")


def test_route_by_search(visit: Open) -> None:
    """A street by the beginning of its name, and a point by its coordinates."""
    window = visit()
    page = window.open()
    start = page.get_by_role("combobox", name="Start")
    start.fill("manner")
    page.get_by_role("option").first.wait_for()
    window.picture("search")
    start.press("Enter")
    assert start.input_value().lower().startswith("manner")
    end = page.get_by_role("combobox", name="End")
    end.fill("60.175, 24.95")
    page.get_by_role("option").first.click()
    window.wait_for_route()
    assert page.evaluate("whimbrel.store.state.points[1]") == list(B)


def test_no_such_street(visit: Open) -> None:
    """It is said, and nothing else happens."""
    window = visit()
    page = window.open()
    start = page.get_by_role("combobox", name="Start")
    start.fill("xyzzy")
    page.get_by_text("No street of that name here").wait_for()
    start.press("Escape")
    assert start.input_value() == ""
    assert n_points(page) == 0


def test_dragging_a_pin(visit: Open) -> None:
    """The route follows the pin, and the address where it is let go."""
    window = visit()
    page = window.open(ROUTE)
    window.wait_for_route()
    before = page.evaluate("location.hash")
    page.mouse.move(*window.at(*B))
    page.mouse.down()
    x, y = window.at(*C)
    page.mouse.move(x - 20, y - 20, steps=4)
    page.mouse.move(x, y, steps=4)
    assert page.evaluate("location.hash") == before
    page.mouse.up()
    window.until("!location.hash.includes('24.95,60.175')")
    lon, lat = page.evaluate("whimbrel.store.state.points[1]")
    assert abs(lon - C[0]) < 5e-4
    assert abs(lat - C[1]) < 5e-4


def test_dragging_the_line(visit: Open) -> None:
    """A stop comes where the line is dragged to; its pin can be removed by a key."""
    window = visit()
    page = window.open(ROUTE)
    window.wait_for_route()
    line = page.evaluate("whimbrel.planner.legs()[0]")
    start = window.at(*line[len(line) // 2])
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 40, start[1] + 15, steps=4)
    page.mouse.move(start[0] + 80, start[1] + 30, steps=4)
    page.mouse.up()
    window.until("whimbrel.store.state.points.length === 3")
    window.until("whimbrel.planner.legs().length === 2")
    page.locator(".stop").nth(2).wait_for()
    window.picture("dragged")
    page.locator(".pin-via").press("Delete")
    window.until("whimbrel.store.state.points.length === 2")
    assert page.locator(".pin-via").count() == 0


def test_alternatives(visit: Open) -> None:
    """Another way is chosen by its card, by the keyboard, or on the map."""
    window = visit()
    page = window.open(ROUTE)
    window.wait_for_route()
    cards = page.get_by_role("radio")
    if cards.count() < 2:
        pytest.fail("these points have no alternatives any more")
    cards.nth(1).click()
    assert cards.nth(1).get_attribute("aria-checked") == "true"
    assert page.evaluate("location.hash").count("route=1") == 1
    window.picture("alternative")
    cards.nth(1).press("ArrowUp")
    assert cards.nth(0).get_attribute("aria-checked") == "true"
    other = window.route()[1]["geometry"]["coordinates"]
    own = {tuple(point) for point in window.route()[0]["geometry"]["coordinates"]}
    apart = [point for point in other if tuple(point) not in own]
    window.click(*apart[len(apart) // 2])
    window.until("whimbrel.store.state.chosen === 1")


def test_steps_on_the_map(visit: Open) -> None:
    """A step is drawn while the mouse or the keyboard is on it."""
    window = visit()
    page = window.open(ROUTE)
    window.wait_for_route()
    marked = "whimbrel.map.gl.getSource('step').serialize().data.features.length"
    assert page.evaluate(marked) == 0
    page.locator(".step button").nth(1).hover()
    assert page.evaluate(marked) == 2
    window.picture("step")
    page.mouse.move(900, 20)
    assert page.evaluate(marked) == 0
    page.locator(".step button").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(marked) == 2
    assert page.evaluate("document.activeElement === document.querySelectorAll('.step button')[1]")


def test_no_road(visit: Open) -> None:
    """Who is off the map is told which point it is."""
    window = visit()
    window.expected = ("400",)
    page = window.open("#points=24.94,60.167;24.95,69.9")
    page.locator(".failure").wait_for()
    message = page.locator("#message").inner_text()
    assert "no road near the end" in message
    window.picture("failure")


def test_too_many_points(visit: Open) -> None:
    """It is said how many there may be."""
    window = visit()
    window.expected = ("400", "414")
    points = ";".join(f"24.94,{60.16 + i / 1e5:.5f}" for i in range(501))
    page = window.open(f"#points={points}")
    page.locator(".failure").wait_for()
    assert "more than this server answers" in page.locator("#message").inner_text()


def test_server_gone(visit: Open) -> None:
    """It is said, and once it is there again another try goes well."""
    window = visit()
    window.expected = ("Failed to load resource", "Failed to fetch", "AJAXError")
    page = window.open("#map=14/60.17/24.945")
    page.route("**/route/**", lambda route: route.abort())
    window.click(*A)
    window.click(*B)
    page.get_by_text("The server does not answer").first.wait_for()
    page.unroute("**/route/**")
    page.get_by_role("button", name="Try again").click()
    window.wait_for_route()
    assert re.fullmatch(r".+ to .+ · Whimbrel", page.title())
    page.route("**/tile/**", lambda route: route.abort())
    page.evaluate("whimbrel.map.reload()")
    page.locator("#message.wrong").get_by_text("The server does not answer").wait_for()
    page.unroute("**/tile/**")
    page.get_by_role("button", name="Try again").click()
    window.until("whimbrel.map.gl.queryRenderedFeatures({layers: ['road-street']}).length > 20")


def test_address(visit: Open) -> None:
    """The address bar is the state: it can be passed on, and back and forward go through it."""
    window = visit()
    page = window.open("#map=14/60.17/24.945")
    window.click(*A)
    window.until("location.hash.includes('points=')")
    window.click(*B)
    window.wait_for_route()
    address = page.evaluate("location.hash")
    page.go_back()
    window.until("whimbrel.store.state.points[1] === null")
    assert page.locator(".card").count() == 0
    page.go_forward()
    window.wait_for_route()
    other = visit()
    other.open(address)
    other.wait_for_route()
    assert other.route() == window.route()
    view = "whimbrel.map.view().split('/').map(Number)"
    assert other.page.evaluate(view) == pytest.approx(page.evaluate(view), abs=1e-3)


def test_nonsense_in_the_address(visit: Open) -> None:
    """It is left out."""
    window = visit()
    page = window.open("#panel=x&points=1,2,3;a&minutes=-1,x&route=99&map=1/2&centre=999,1")
    assert page.evaluate("whimbrel.store.state.points") == [None, None]
    assert page.get_by_role("tab", name="Route").get_attribute("aria-selected") == "true"
