"""What clients of others need.

That is a real server of the sample, the engine that tells what is right, and for those that run in
a browser a page of somebody else's, with packages from npm.
"""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chromium import chromium
from node_packages import MODULES
from serving import serving

from routing.build import build_dataset
from routing.engine import Engine

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def vehicles(kernels: None, sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of the sample for three vehicles."""
    path = tmp_path_factory.mktemp("clients") / "helsinki.whimbrel"
    build_dataset(sample, path, ("car", "bicycle", "foot"))
    return path


@pytest.fixture(scope="session")
def engine(vehicles: Path) -> Engine:
    """The dataset, asked directly."""
    return Engine.open(vehicles, verify=False)


@pytest.fixture(scope="session")
def server(
    vehicles: Path,
    command: Callable[..., list[str]],
    environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """The address of a server with two workers, as in ``http://127.0.0.1:5000``."""
    log = tmp_path_factory.mktemp("log") / "server.log"
    with serving(command, environment, vehicles, log) as url:
        yield url
    assert log.read_text() == ""


class _Site(SimpleHTTPRequestHandler):
    """Pages of this folder; what begins with /modules/ comes from the packages."""

    def translate_path(self, path: str) -> str:
        root, _, rest = path.partition("/modules/")
        self.directory = str(PAGES if root else MODULES)
        return super().translate_path(path if root else "/" + rest)

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of another server, whose pages ask ours."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Site, directory=str(PAGES))) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A browser for the tests of one file: no other may run an event loop meanwhile."""
    with chromium() as opened:
        yield opened
