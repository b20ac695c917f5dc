"""A headless Chromium for tests of pages, driven through Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_FLAGS = (
    "--no-sandbox",  # it runs as root in containers
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
)


@contextmanager
def chromium() -> "Iterator[Browser]":
    """A browser; skips where Playwright or Chromium is absent.

    The browser is the one that ``WHIMBREL_CHROMIUM`` names, else the first on the path.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    names = (os.environ.get("WHIMBREL_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, (name and shutil.which(name) for name in names)), None)
    if path is None:
        pytest.skip("no Chromium: set WHIMBREL_CHROMIUM")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()
