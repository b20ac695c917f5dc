"""Where packages from npm are: where ``make node`` puts them, or in ``WHIMBREL_NODE_MODULES``."""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent
MODULES = Path(os.environ.get("WHIMBREL_NODE_MODULES", _ROOT / ".node" / "node_modules"))


def node_package(name: str) -> Path:
    """The folder of a package; a skip where it is absent."""
    path = MODULES / name
    if not path.is_dir():
        pytest.skip(f"no {path}: make node")
    return path
