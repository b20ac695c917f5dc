"""Couriers on the map page, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest
from browsing import PHONE

pytestmark = pytest.mark.compiled

Open = Callable[..., Any]

VIEW = "map=14/60.17/24.945"
PARCELS = (
    "errands=24.94,60.167~24.95,60.175;24.953,60.168~24.935,60.172;24.947,60.171"
    "&depots=24.942,60.174;24.955,60.17"
)
STATE = f"#panel=courier&{PARCELS}&couriers=2&seconds=2&{VIEW}"


def wait_for_plan(window: Any) -> None:
    """Wait until the search is over and its plan is drawn."""
    window.until("document.querySelector('#courier .main').textContent === 'Plan'")
    window.until("document.querySelectorAll('.courier li').length > 0")
    window.settle()


def lines(window: Any) -> list[dict[str, Any]]:
    """The routes that the map draws."""
    return window.page.evaluate("whimbrel.map.gl.getSource('plan').serialize().data.features ?? []")


def test_a_plan_by_clicks(visit: Open) -> None:
    """A parcel by two clicks, a visit and a depot by one; the plan is drawn and listed."""
    window = visit()
    page = window.open(f"#panel=courier&{VIEW}")
    assert page.get_by_role("button", name="Plan").is_disabled()
    window.click(24.94, 60.167)
    assert "dropped" in page.locator("#courier .hint").inner_text()
    window.click(24.95, 60.175)
    page.get_by_role("button", name="Visit").click()
    window.click(24.953, 60.168)
    page.get_by_role("button", name="Depot").click()
    window.click(24.942, 60.174)
    assert page.locator(".pin").count() == 4
    assert "errands=24.9" in page.evaluate("location.hash")
    page.get_by_label("Seconds").fill("2")
    page.get_by_label("Seconds").press("Enter")
    page.get_by_role("button", name="Plan").click()
    page.get_by_role("button", name="Stop").wait_for()
    wait_for_plan(window)
    steps = page.locator(".courier li").all_inner_texts()
    assert "Begin" in steps[0] and "End" in steps[-1] and len(steps) == 5
    texts = "".join(steps)
    assert texts.index("Pick up parcel 1") < texts.index("Deliver parcel 1")
    (line,) = lines(window)
    assert len(line["geometry"]["coordinates"]) > 20
    assert "of travel" in page.locator("#courier .doing").inner_text()
    window.picture("courier")


def test_the_address_has_it_all(visit: Open) -> None:
    """Opened again it asks for the same; back undoes the last step."""
    window = visit()
    page = window.open(STATE)
    assert page.locator(".pin").count() == 7
    assert page.get_by_label("Couriers").input_value() == "2"
    page.get_by_label("Parcels each").fill("1")
    page.get_by_label("Parcels each").press("Enter")
    window.until("location.hash.includes('capacity=1')")
    page.get_by_role("button", name="Plan").click()
    wait_for_plan(window)
    page.go_back()
    window.until("!location.hash.includes('capacity=1')")
    assert page.locator(".courier li").count() == 0  # it is the plan of another problem
    assert lines(window) == []


def test_stopping(visit: Open) -> None:
    """The best plan so far stays."""
    window = visit()
    page = window.open(STATE.replace("seconds=2", "seconds=30"))
    page.get_by_role("button", name="Plan").click()
    window.until("document.querySelectorAll('.courier li').length > 0")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Plan").wait_for()
    assert "Stopped." in page.locator("#courier .doing").inner_text()
    assert page.locator(".courier li").count() > 0


def test_what_cannot_be_planned(visit: Open) -> None:
    """It is said which place no road is near."""
    window = visit()
    page = window.open(STATE)
    page.evaluate(
        "whimbrel.store.set({errands: [...whimbrel.store.state.errands, [[25.2, 60.17]]]})"
    )
    window.expected = ("400",)
    page.get_by_role("button", name="Plan").click()
    page.locator("#courier .failure").wait_for()
    assert "no road" in page.locator("#courier .failure").inner_text()


def test_by_keys_in_the_dark_on_a_phone(visit: Open) -> None:
    """Enter puts a stop where the map looks, Delete takes one away; nothing is cut off."""
    window = visit(PHONE, color_scheme="dark")
    page = window.open(f"#panel=courier&{VIEW}")
    canvas = page.locator(".maplibregl-canvas")
    canvas.focus()
    canvas.press("Enter")
    canvas.press("ArrowRight")
    window.settle()
    canvas.press("Enter")
    window.until("whimbrel.store.state.errands.length === 1")
    page.locator(".pin").first.focus()
    page.keyboard.press("Delete")
    window.until("whimbrel.store.state.errands.length === 0")
    page.goto(f"{window.address}/{STATE}")
    page.reload()
    window.settle()
    page.get_by_role("button", name="Plan").click()
    wait_for_plan(window)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        "[...document.querySelectorAll('#courier *')].every((e) => {"
        " const {left, right, width} = e.getBoundingClientRect();"
        " return !width || (left >= 0 && right <= innerWidth + 1); })"
    )
    window.picture("courier-phone")
