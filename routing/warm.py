"""Compiling every kernel once, when a version runs for the first time.

The parts of the work are done side by side, each in a process of its own.
"""

import fcntl
import logging
import os
import re
import select
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import llvmlite.binding
import numba
from numba.core import event

from gis.jit import CACHE_FOLDER

_log = logging.getLogger(__name__)

_MARKER = CACHE_FOLDER / (
    f"warm-{sys.implementation.cache_tag}-{llvmlite.binding.get_host_cpu_name()}"
)
_LOCK = CACHE_FOLDER / "warm.lock"
_POLL_S = 0.2
_KERNELS = re.compile(r"kernels-[0-9a-f]{12}", re.ASCII)
_FORGOTTEN_S = 30 * 86400.0
"""Kernels of other versions are removed after so long without use."""


def is_warm() -> bool:
    """Whether all kernels of this version have been compiled for this machine."""
    jit_is_off = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
    return bool(jit_is_off) or _MARKER.exists()


def warm_up(progress: Callable[[int], None]) -> int:
    """Compile what is not compiled yet and return the number of kernels that were.

    ``progress`` is called a few times a second with the number so far. One process does the work,
    others that begin meanwhile wait for it. What fails or is killed is done again the next time.
    Kernels of versions that nobody has used for a month are removed.
    """
    with _only_one(progress):
        if is_warm():
            return 0
        _remove_forgotten()
        with tempfile.TemporaryDirectory(prefix="whimbrel-") as name:
            # Imported here, since a command whose kernels are compiled needs none of it.
            from routing.warm_world import PARTS

            compiled, whole = _run_side_by_side(PARTS, Path(name), progress)
        if whole:
            _MARKER.touch()
    return compiled


def _remove_forgotten() -> None:
    """Remove the folders of kernels beside our own that nobody has touched for long."""
    if not _KERNELS.fullmatch(CACHE_FOLDER.name):  # a temporary one, among the files of others
        return
    for name in os.listdir(CACHE_FOLDER.parent):
        folder = CACHE_FOLDER.parent / name
        if folder == CACHE_FOLDER or not _KERNELS.fullmatch(name) or folder.is_symlink():
            continue
        try:
            if time.time() - folder.stat().st_mtime > _FORGOTTEN_S:
                shutil.rmtree(folder)
        except OSError:  # another process removes it, too, or it is not ours
            continue


class _Counter(event.Listener):
    """Writes a byte for each kernel that has been compiled."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def on_start(self, event: Any) -> None:
        """A compilation begins."""

    def on_end(self, event: Any) -> None:
        """A compilation has ended."""
        os.write(self._descriptor, b".")


def _run_side_by_side(
    parts: tuple[Callable[[Path], None], ...], folder: Path, progress: Callable[[int], None]
) -> tuple[int, bool]:
    """The number of kernels compiled, and whether every part came to its end."""
    reader, writer = os.pipe()
    pids = []
    for index, part in enumerate(parts):
        own = folder / str(index)
        own.mkdir()
        pids.append(_start(part, own, writer))
    os.close(writer)
    compiled = 0
    try:
        while True:
            progress(compiled)
            if select.select([reader], [], [], _POLL_S)[0]:
                dots = os.read(reader, 1 << 16)
                if not dots:
                    break
                compiled += len(dots)
        statuses = [os.waitpid(pid, 0)[1] for pid in pids]
    except BaseException:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise
    finally:
        os.close(reader)
    return compiled, not any(statuses)


def _start(part: Callable[[Path], None], folder: Path, writer: int) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # idle threads of NumPy's BLAS
        pid = os.fork()
    if pid == 0:
        _run(part, folder, writer)
    return pid


def _run(part: Callable[[Path], None], folder: Path, writer: int) -> NoReturn:
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        event.register("numba:compile", _Counter(writer))  # type: ignore[no-untyped-call]
        part(folder)
        status = 0
    except KeyboardInterrupt:
        pass
    except BaseException:
        _log.exception("compiling kernels")
    finally:
        os._exit(status)


@contextmanager
def _only_one(progress: Callable[[int], None]) -> Iterator[None]:
    """Hold the lock that one process may have; it ends with the process if not before."""
    descriptor = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                progress(0)
                time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)
