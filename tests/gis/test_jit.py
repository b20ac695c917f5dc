"""Where compiled kernels are kept."""

import os
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gis.jit import _find_cache_folder, source_hash


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, and no other place for a cache."""
    (tmp_path / "file").touch()
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setenv("WHIMBREL_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(temp))
    return temp


def test_wanted_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache lies where it is wanted, by version, and finding it makes it young."""
    monkeypatch.setenv("WHIMBREL_CACHE_DIR", str(tmp_path / "a" / "b"))
    folder = _find_cache_folder()
    assert folder == tmp_path / "a" / "b" / f"kernels-{source_hash()}" and folder.is_dir()
    os.utime(folder, (0, 0))
    assert _find_cache_folder() == folder
    assert abs(folder.stat().st_mtime - time.time()) < 60


def test_in_the_temp_folder(temp: Path) -> None:
    """Where the cache cannot be as wanted, a folder that only this user may enter is made."""
    folder = _find_cache_folder()
    assert folder.parent == temp / f"whimbrel-{os.getuid()}"
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert _find_cache_folder() == folder


def _writable(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


def _link(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to("elsewhere")


def _foreign(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, 12345)


@pytest.mark.parametrize("trap", [_writable, _link, _foreign, Path.touch])
def test_traps_in_the_temp_folder(temp: Path, trap: Callable[[Path], None]) -> None:
    """A folder of the expected name that somebody else could fill is left alone."""
    place = temp / f"whimbrel-{os.getuid()}"
    trap(place)
    folder = _find_cache_folder()
    assert folder.parent == temp and folder.name.startswith("whimbrel-kernels-")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert place.is_file() or not list(place.iterdir())
