"""Files that a command writes: whole or not at all where they are files, written through if not."""

import os
import stat
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gis.errors import EngineError


class Named(NamedTuple):
    """A file as it was named, and what for, such as ``--output``."""

    what: str
    path: Path


def check_output(path: Path) -> None:
    """Rather say now than after long work that a file cannot be written."""
    found = _status(path)
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise EngineError(f"{path}: is a folder, expected a file")
    if found is not None and not stat.S_ISREG(found.st_mode):
        if not os.access(path, os.W_OK):
            raise EngineError(f"{path}: cannot be written to")
        return
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise EngineError(f"{folder}: no such folder")
    if not os.access(folder, os.W_OK):
        raise EngineError(f"{folder}: cannot be written to")


def check_distinct(outputs: Sequence[Named], inputs: Sequence[Named]) -> None:
    """Refuse an output that is an input or another output; devices may be named twice."""
    for i, output in enumerate(outputs):
        for other in (*inputs, *outputs[:i]):
            if _is_same(output.path, other.path):
                raise EngineError(
                    f"{output.what} {output.path} is the same file as {other.what} {other.path},"
                    " expected another"
                )


def is_standard_output(path: Path) -> bool:
    """Whether a link of the system, such as ``/dev/stdout``, names what is written to anyway."""
    folder = Path(os.path.realpath(path.parent))
    if folder != Path("/dev") and Path("/proc") not in folder.parents:
        return False
    with suppress(OSError, ValueError):
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    return False


def write_output(path: Path, body: bytes) -> None:
    """Write to a file, its links followed; ``EngineError`` that names it as the caller does."""
    try:
        found = _status(path)
        if found is None or stat.S_ISREG(found.st_mode):
            _replace(Path(os.path.realpath(path)), body, found)
        else:
            with os.fdopen(os.open(path, os.O_WRONLY), "wb", buffering=0) as file:
                rest = memoryview(body)
                while rest:
                    rest = rest[file.write(rest) :]
    except OSError as error:
        raise EngineError(f"{path}: {error.strerror or error}") from error


def _replace(path: Path, body: bytes, found: os.stat_result | None) -> None:
    """Put a file in the place of another, with its rights, once it is whole."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask if found is None else stat.S_IMODE(found.st_mode))
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):  # its folder may be gone
            os.unlink(name)
        raise


def _status(path: Path) -> os.stat_result | None:
    """What a path leads to; None if there is nothing yet."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EngineError(f"{path}: {error.strerror or error}") from error


def _is_same(path: Path, other: Path) -> bool:
    one, two = _status(path), _status(other)
    if one is None or two is None:
        return one is two and os.path.realpath(path) == os.path.realpath(other)
    return os.path.samestat(one, two) and not stat.S_ISCHR(one.st_mode)
