"""Where compiled kernels are kept, and how they are called."""

import os
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
import pytest

from gis.arrays import F64, U32, freeze
from gis.jit import _find_cache_folder, inner_kernel, machine_code, plain_kernel, source_hash


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


Row = tuple[U32, F64]
"""Arguments of a kernel in a tuple, as kernels have them."""


@inner_kernel
def _add(row: Row, i: int) -> float:
    return float(row[0][i] * row[1][0])


@plain_kernel
def _sum_up(row: Row, found: U32, options: tuple[bool, int]) -> tuple[float, int]:
    """A sum, and how many were added."""
    total, n = 0.0, 0
    for i in range(options[1], len(row[0])):
        total += _add(row, i)
        found[i] = row[0][i]
        n += 1
    return -total if options[0] else total, n


def row_of(n: int) -> Row:
    return freeze(np.arange(n, dtype=np.uint32)), freeze(np.array([0.5]))


def test_machine_code_is_the_kernel() -> None:
    """Called directly, a kernel gives the same results for arrays of the same types."""
    found = np.zeros(4, np.uint32)
    code = machine_code(_sum_up, row_of(4), found, (True, 1))
    for n in (0, 1, 9):
        for options in ((True, 0), (False, 1)):
            one, other = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
            wanted = _sum_up(row_of(n), one, options)
            assert code(row_of(n), other, options) == wanted
            assert wanted[1] == max(n - options[1], 0) and np.array_equal(one, other)
            assert abs(wanted[0]) == 0.5 * sum(range(options[1], n))
    assert found.tolist() == [0] * 4, "it is compiled, not called"


def test_machine_code_without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is compiled it is the function itself."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)

    def function(a: int) -> int:
        return a

    assert machine_code(function, 1) is function


@pytest.mark.compiled
def test_inner_kernels_are_for_kernels() -> None:
    """They have no way in from Python; kernels call them, and agree with the source."""
    found = np.zeros(3, np.uint32)
    assert _sum_up(row_of(3), found, (False, 0)) == (1.5, 3)
    source: Callable[..., float] = _add.py_func  # type: ignore[attr-defined]
    assert sum(source(row_of(3), i) for i in range(3)) == 1.5
