"""What tests of the command line and of the real server share."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from routing.build import build_dataset
from routing.warm import warm_up

ROOT = Path(__file__).resolve().parent.parent.parent
MAIN = "from server.cli import main; main()"


@pytest.fixture(scope="session")
def kernels() -> None:
    """All kernels compiled, so that no command has to say that it compiles."""
    warm_up(lambda compiled: None)


@pytest.fixture(scope="session")
def dataset(kernels: None, sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of the sample; not to be changed."""
    path = tmp_path_factory.mktemp("sample") / "helsinki.whimbrel"
    build_dataset(sample, path)
    return path


@pytest.fixture(scope="session")
def command() -> Callable[..., list[str]]:
    """The command line as a process of its own, installed or not."""
    return lambda *arguments: [sys.executable, "-P", "-c", MAIN, *map(str, arguments)]


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """The environment for such a process."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
