"""Where a server keeps what survives it."""

from pathlib import Path

import pytest

from gis.errors import ResourceError
from server.settings import Settings
from server.state_folder import state_folder


def test_beside(tmp_path: Path) -> None:
    """It lies beside the dataset and is there."""
    folder = state_folder(tmp_path / "a.whimbrel", Settings())
    assert folder == tmp_path / "a.whimbrel.state"
    assert folder.is_dir()


def test_chosen(tmp_path: Path) -> None:
    """It may be chosen."""
    wanted = tmp_path / "x" / "y"
    assert state_folder(tmp_path / "a.whimbrel", Settings(state_dir=str(wanted))) == wanted


def test_impossible(tmp_path: Path) -> None:
    """A place where it cannot be is an error that tells the way out."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ResourceError, match="WHIMBREL_STATE_DIR"):
        state_folder(tmp_path / "a", Settings(state_dir=str(tmp_path / "file" / "x")))
