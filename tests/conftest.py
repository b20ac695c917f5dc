"""Settings and fixtures that all tests share."""

import os
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from routing.build import build_dataset
from routing.engine import Engine

settings.register_profile(
    "whimbrel",
    deadline=None,  # the first example of a kernel compiles it
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("whimbrel")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # So it is in the background of a script, and what tests start would ignore interrupts, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
EXTRACTS = Path(os.environ.get("WHIMBREL_EXTRACTS", ROOT.parent / "shared" / "extracts"))
NAMES = ("porto", "heidelberg", "monaco", "columbus", "oslo-east")


@pytest.fixture(scope="session")
def sample() -> Path:
    """The extract that the project ships: central Helsinki."""
    return ROOT / "data" / "helsinki.osm.pbf"


@pytest.fixture(scope="session", params=NAMES)
def extract(request: pytest.FixtureRequest) -> Path:
    """Each larger extract at hand; a skip where there is none."""
    path = EXTRACTS / f"{request.param}.osm.pbf"
    if not path.exists():
        pytest.skip(f"{path} is not here: set WHIMBREL_EXTRACTS")
    return path


@pytest.fixture(scope="session")
def porto() -> Path:
    """The Porto extract, or a skip."""
    path = EXTRACTS / "porto.osm.pbf"
    if not path.exists():
        pytest.skip(f"{path} is not here: set WHIMBREL_EXTRACTS")
    return path


@pytest.fixture(scope="session")
def engine_on(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Engine]:
    """The engine on an extract for cars, built once."""

    @cache
    def build(path: Path) -> Engine:
        dataset = tmp_path_factory.mktemp("built") / f"{path.name.split('.')[0]}.whimbrel"
        build_dataset(path, dataset)
        return Engine.open(dataset, verify=False)

    return build
