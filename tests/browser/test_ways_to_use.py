"""The map page with the keyboard alone, on a phone, in the dark, and its other panels."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from browsing import PHONE, ROUTE

pytestmark = pytest.mark.compiled

Open = Callable[..., Any]


def test_keyboard_alone(visit: Open) -> None:
    """From the address bar to a route with three points, and away with one, without a mouse."""
    window = visit()
    page = window.open("#map=14/60.17/24.945")
    focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.id"
    seen = []
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(focused))
        if seen[-1].startswith("Start"):
            break
    assert seen[-1].startswith("Start"), seen
    page.keyboard.type("60.167 24.94")
    page.keyboard.press("Enter")
    while not page.evaluate(focused).startswith("End"):
        page.keyboard.press("Tab")
    page.keyboard.type("60.175, 24.95")
    page.keyboard.press("Enter")
    window.wait_for_route()
    page.get_by_role("button", name="Add a stop").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(focused).startswith("Stop")
    page.keyboard.type("kaisanie")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    window.until("whimbrel.planner.legs().length === 2")
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Remove the stop"
    page.keyboard.press("Enter")
    window.until("whimbrel.planner.legs().length === 1")
    pin = page.locator(".pin-end")
    pin.focus()
    page.keyboard.press("ArrowRight")
    window.until("whimbrel.store.state.points[1][0] > 24.95")
    page.keyboard.press("Delete")
    window.until("whimbrel.store.state.points[1] === null")
    assert page.evaluate("document.activeElement === whimbrel.map.gl.getCanvas()")
    page.keyboard.press("Enter")  # at the centre of the map
    window.until("whimbrel.store.state.points[1] !== null")
    window.wait_for_route()


def test_tabs_by_keyboard(visit: Open) -> None:
    """Arrow keys go from panel to panel, as they do among tabs."""
    window = visit()
    page = window.open()
    page.get_by_role("tab", name="Route").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Reach").get_attribute("aria-selected") == "true"
    assert page.get_by_role("combobox", name="Centre").is_visible()
    assert not page.get_by_role("combobox", name="Start").is_visible()
    page.keyboard.press("Home")
    assert page.get_by_role("combobox", name="Start").is_visible()


def test_everything_has_a_name(visit: Open) -> None:
    """No button or field is without a name, and none is smaller than a fingertip needs."""
    window = visit()
    page = window.open(ROUTE)
    window.wait_for_route()
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, input, select, a')].filter((e) =>"
        " !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.title))"
        ".map((e) => e.outerHTML)"
    )
    assert nameless == []
    small = page.evaluate(
        "[...document.querySelectorAll('button')].filter((e) => e.offsetParent &&"
        " (e.offsetWidth < 24 || e.offsetHeight < 24)).map((e) => e.outerHTML)"
    )
    assert small == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit: Open, scheme: str) -> None:
    """All text stands out from what it is on as WCAG 2 (1.4.3, AA) wants it."""
    window = visit(color_scheme=scheme)
    page = window.open(ROUTE)
    window.wait_for_route()
    pairs = page.evaluate(CONTRASTS)
    assert len(pairs) > 15
    assert [pair for pair in pairs if pair["ratio"] < 4.5] == []


CONTRASTS = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paint = (...colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const grounds = (e) =>
    e ? [...grounds(e.parentElement), getComputedStyle(e).backgroundColor] : [];
  return [...document.querySelectorAll("#panel *, .pin-sign")]
    .filter((e) => e.checkVisibility())
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
    .map((e) => {
      const ground = grounds(e);
      const [a, b] = [light(paint(...ground, getComputedStyle(e).color)), light(paint(...ground))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      return { text: e.textContent.trim(), ratio: Number(ratio.toFixed(2)) };
    });
})()"""


def test_phone(visit: Open) -> None:
    """The panel is a sheet at the bottom that grows; the map above it can be touched."""
    window = visit(PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    page = window.open("#map=13.5/60.168/24.945")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width == PHONE["width"]
    page.touchscreen.tap(120, 120)
    window.until("whimbrel.store.state.points[0] !== null")
    page.touchscreen.tap(300, 300)
    window.until("whimbrel.store.state.points[1] !== null")
    window.wait_for_route()
    window.picture("phone")
    top = page.locator("#panel").bounding_box()["y"]
    handle = page.get_by_role("button", name="Resize the panel")
    handle.tap()
    assert page.locator("#panel").get_attribute("data-sheet") == "full"
    page.wait_for_timeout(400)
    assert page.locator("#panel").bounding_box()["y"] < top - 200
    window.picture("phone-full")
    handle.press("ArrowDown")
    handle.press("ArrowDown")
    assert page.locator("#panel").get_attribute("data-sheet") == "peek"


def test_dark(visit: Open) -> None:
    """The page is as the system is, until somebody wants it otherwise, and stays so."""
    window = visit(color_scheme="dark")
    page = window.open(ROUTE)
    window.wait_for_route()
    ground = "whimbrel.map.gl.getPaintProperty('land', 'background-color')"
    dark = page.evaluate(ground)
    window.picture("dark")
    button = page.locator("#theme")
    assert button.get_attribute("aria-label") == "Colours: as the system"
    button.click()
    assert button.get_attribute("aria-label") == "Colours: light"
    assert page.evaluate(ground) != dark
    page.reload()
    window.settle()
    assert button.get_attribute("aria-label") == "Colours: light"
    assert page.evaluate(ground) != dark
    button.click()
    assert page.evaluate(ground) == dark


def test_reach(visit: Open) -> None:
    """Areas for minutes from or to a place, with a legend."""
    window = visit()
    page = window.open("#map=14/60.17/24.945")
    page.get_by_role("tab", name="Reach").click()
    window.click(24.945, 60.17)
    areas = "whimbrel.map.gl.getSource('reach').serialize().data.features.length"
    window.until(f"{areas} === 6")
    window.picture("reach")
    there = page.evaluate("JSON.stringify(whimbrel.map.gl.getSource('reach').serialize().data)")
    page.get_by_role("button", name="To here").click()
    window.until(
        "JSON.stringify(whimbrel.map.gl.getSource('reach').serialize().data) !=="
        f" {json.dumps(there)}"
    )
    field = page.get_by_role("textbox", name="Minutes")
    field.fill("2, 4")
    field.press("Enter")
    field.blur()
    window.until(f"{areas} === 4")
    assert page.locator(".legend li").all_inner_texts() == ["within 2 min", "within 4 min"]
    field.fill("none")
    field.blur()
    assert "whole numbers" in page.locator("#message").inner_text()
    assert field.input_value() == "2, 4"
    page.go_back()
    page.go_back()
    window.until("whimbrel.store.state.direction === 'from'")


def test_closed_roads(visit: Open, ask: Callable[..., int]) -> None:
    """A road that is closed meanwhile is drawn so, and the route goes round it by itself."""
    window = visit()
    page = window.open(ROUTE)
    window.wait_for_route()
    before = window.route()[0]["geometry"]
    nodes = page.evaluate(
        "fetch('/route/v1/car/24.94,60.167;24.95,60.175?annotations=nodes')"
        ".then((r) => r.json()).then((a) => a.routes[0].legs[0].annotation.nodes)"
    )
    middle = len(nodes) // 2
    body = json.dumps({"speeds": [{"nodes": nodes[middle : middle + 2], "speed": 0}]})
    try:
        assert ask("PUT", "/live/v1/car/speeds", body) == 200
        window.until(
            "whimbrel.map.gl.queryRenderedFeatures({layers: ['closed']}).length > 0",
        )
        window.until(
            "JSON.stringify(whimbrel.map.gl.getSource('routes').serialize().data.features[0]"
            f".geometry) !== JSON.stringify({json.dumps(before)})"
        )
        window.picture("closed")
    finally:
        ask("DELETE", "/live/v1/car/speeds")


def test_benchmark(visit: Open) -> None:
    """A run is started, followed to its end and drawn; it is kept for whoever comes later."""
    window = visit()
    page = window.open("#panel=bench")
    page.get_by_role("button", name="Run the benchmark").click()
    page.get_by_role("progressbar").wait_for()
    page.get_by_role("img", name="Speed-up").wait_for(timeout=120_000)
    told = page.get_by_role("img", name="Speed-up").get_attribute("aria-label")
    assert "1 process 1.00 times" in told
    assert page.get_by_role("img", name="Read in a second").is_visible()
    assert page.get_by_role("button", name="Run it again").is_enabled()
    window.picture("benchmark")
    other = visit()
    assert other.open("#panel=bench").get_by_role("img", name="Speed-up").is_visible()


def test_without_javascript(visit: Open) -> None:
    """There is a page all the same, with where to go."""
    window = visit(java_script_enabled=False)
    window.page.goto(window.address)
    assert window.page.get_by_role("link", name="the interface").get_attribute("href") == "/docs"
