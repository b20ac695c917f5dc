"""Environment variables that are named like ours."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from server.environment import KNOWN, unknown_variables

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("gis", "routing", "server", "tests", ".ci")


def test_all_names_are_known() -> None:
    """What the project reads, its tests and the README included, is not warned of."""
    files = [ROOT / name for name in ("README.md", "Makefile", "CONTRIBUTING.md", "pyproject.toml")]
    for folder in FOLDERS:
        files += [path for path in (ROOT / folder).rglob("*") if path.suffix in ("", ".py", ".js")]
    names = set()
    for file in files:
        if file.is_file() and file != Path(__file__):
            names |= set(re.findall(r"WHIMBREL_[A-Z_]*[A-Z]", file.read_text(errors="replace")))
    assert len(names) > 20
    assert names <= KNOWN


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("WHIMBREL_MAX_ROUTE_COORDINATE", "; did you mean WHIMBREL_MAX_ROUTE_COORDINATES?"),
        ("WHIMBREL_WATCH", "; did you mean WHIMBREL_WATCH_S?"),
        ("WHIMBREL_ADMINTOKEN", "; did you mean WHIMBREL_ADMIN_TOKEN?"),
        ("WHIMBREL_", ""),
        ("WHIMBREL_XYZXYZ", ""),
    ],
)
def test_a_name_that_means_nothing(name: str, hint: str) -> None:
    """It is told in one line, with the name that may be meant, and without its value."""
    environment = {name: "secret", "PATH": "x", "WHIMBREL_DEBUG": "1"}
    assert unknown_variables(environment) == [f"{name} is set but means nothing to Whimbrel{hint}"]


def test_when_serving(tmp_path: Path) -> None:
    """It is said before anything else."""
    found = subprocess.run(
        [sys.executable, "-c", "from server.cli import main; main()", "serve", "/nowhere"],
        env={"WHIMBREL_KEEP_ALIVE": "3", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stderr.startswith("WHIMBREL_KEEP_ALIVE is set but means nothing to Whimbrel; did")
    assert found.returncode != 0
