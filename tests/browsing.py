"""The map page in a window of a browser."""

import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
ROUTE = "#profile=car&points=24.94,60.167;24.95,60.175"
"""A route through the sample, as the address bar says it."""

_WAIT_MS = 30_000


class Visit:
    """One page in a window of its own, with all that it asks for and complains about."""

    def __init__(self, context: Any, address: str, pictures: Path) -> None:
        self.address = address
        self.pictures = pictures
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()
        """Parts of complaints that the test provokes."""
        self.page = context.new_page()
        self.page.set_default_timeout(_WAIT_MS)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, message: Any) -> None:
        # The swift shader is slow at reading pixels back, and says so.
        if message.type in ("error", "warning") and "GPU stall" not in message.text:
            self.complaints.append(message.text)

    def open(self, state: str = "") -> Any:
        """The page in a state, drawn."""
        self.page.goto(f"{self.address}/{state}")
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until the map is drawn."""
        self.until(
            "Boolean(globalThis.whimbrel?.map.gl.loaded() && whimbrel.map.gl.areTilesLoaded())"
        )

    def until(self, expression: str) -> None:
        """Wait for something to be true: the page's own policy forbids Playwright's way."""
        end = time.monotonic() + _WAIT_MS / 1000
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            self.page.wait_for_timeout(50)

    def at(self, lon: float, lat: float) -> tuple[float, float]:
        """Where on the screen a place is."""
        return tuple(
            self.page.evaluate(
                "([lon, lat]) => { const p = whimbrel.map.gl.project([lon, lat]);"
                " return [p.x, p.y]; }",
                [lon, lat],
            )
        )

    def click(self, lon: float, lat: float) -> None:
        """A click of the mouse on a place of the map."""
        self.page.mouse.click(*self.at(lon, lat))

    def route(self) -> list[dict[str, Any]]:
        """The routes that the map draws."""
        return self.page.evaluate(
            "whimbrel.map.gl.getSource('routes').serialize().data.features ?? []"
        )

    def picture(self, name: str) -> None:
        """Keep a picture of how it looks now."""
        self.settle()
        self.page.screenshot(path=self.pictures / f"{name}.png")

    def check(self) -> None:
        """Nothing went to another host, and nothing was complained about."""
        hosts = {
            urlsplit(url).hostname
            for url in self.requests
            if not url.startswith(("data:", "blob:"))
        }
        assert hosts == {"127.0.0.1"}
        unexpected = [
            text for text in self.complaints if not any(part in text for part in self.expected)
        ]
        assert unexpected == []

    def wait_for_route(self) -> None:
        """Wait until a route is drawn and listed."""
        self.until("whimbrel.planner.legs().length > 0 && document.querySelector('.card') !== null")
        self.settle()
