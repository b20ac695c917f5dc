"""A real browser, without a window, before a real server."""

import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browsing import DESKTOP, Visit
from chromium import chromium

from routing.build import build_dataset
from routing.warm import warm_up

ROOT = Path(__file__).resolve().parent.parent.parent
MAIN = "from server.cli import main; main()"
TOKEN = "a-token-for-the-tests"


@pytest.fixture(scope="session")
def server(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of the sample's data, beside its extract."""
    warm_up(lambda compiled: None)
    folder = tmp_path_factory.mktemp("browser")
    extract = folder / "helsinki.osm.pbf"
    shutil.copy(sample, extract)
    dataset = folder / "helsinki.whimbrel"
    build_dataset(extract, dataset)
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", MAIN, "serve", str(dataset), "--port", "0", "--workers", "1"],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "WHIMBREL_ADMIN_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield f"http://127.0.0.1:{int(line.split('127.0.0.1:')[1].split('/')[0])}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The browser; not for the whole session, since Playwright keeps an event loop running."""
    pytest.importorskip("maplibre")
    with chromium() as found:
        yield found


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures are kept: a folder of one's choice, or one for the test."""
    folder = Path(os.environ.get("WHIMBREL_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def visit(browser: Any, server: str, pictures: Path) -> Iterator[Callable[..., Visit]]:
    """Opens windows; when the test is over, each has asked 127.0.0.1 alone and been quiet."""
    with contextlib.ExitStack() as closing:
        visits = []

        def open_window(size: dict[str, int] = DESKTOP, **options: Any) -> Visit:
            context = browser.new_context(viewport=size, reduced_motion="reduce", **options)
            closing.callback(context.close)
            visits.append(Visit(context, server, pictures))
            return visits[-1]

        yield open_window
        for each in visits:
            each.check()


@pytest.fixture
def ask(server: str) -> Callable[..., int]:
    """The status of a request from beside the page."""

    def send(method: str, path: str, body: str = "") -> int:
        parts = urlsplit(server)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=20)
        headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        with contextlib.closing(connection):
            connection.request(method, path, body or None, headers)
            return connection.getresponse().status

    return send
