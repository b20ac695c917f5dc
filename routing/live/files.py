"""Files in which one process shares weights with others: a number, and the version it names.

| file | content |
|---|---|
| ``control`` | the number of the newest version, 8 bytes in place; whose weights these are |
| ``version-<number>`` | header, weights of the hierarchy, weights of the arcs, what was changed |
| ``spare-<token>`` | a version in the making |
| ``lock`` | held by the process that publishes |

A version is written completely, then given its name, then announced by its number, which is
stored at once. So a process that is killed at any moment leaves all as it was or all as it is to
be. A version is never written again: its name is removed once there is a newer one, and those
who have it mapped keep it.
"""

import errno
import fcntl
import hashlib
import mmap
import os
import secrets
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gis.arrays import U32, AnyArray
from gis.dataset import map_file
from gis.errors import DatasetError, ResourceError
from gis.manifest import bytes_of
from routing.cch.hierarchy import Hierarchy
from routing.cch.weights import Weights
from routing.changes.road_changes import RoadChanges
from routing.metric import Metric

FORMAT = "whimbrel live 2"

MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""

_PAGE = 4096
_CONTROL = np.dtype([("sequence", "<u8"), ("format", "S24"), ("identity", "S64")])
_HEADER = np.dtype(
    [
        ("format", "S24"),
        ("identity", "S64"),
        ("boot", "S36"),
        ("sequence", "<u8"),
        ("has_weights", "<u8"),
        ("n_changes", "<u8"),
        ("changes_crc32", "<u8"),
    ]
)
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENOMEM})
_ATTEMPTS = 10


class Sizes(NamedTuple):
    """Lengths of the arrays of a version: arcs of the hierarchy, up and down, and of the roads.

    ``has_durations`` is that of the `Metric`.
    """

    n_up: int
    n_down: int
    n_arcs: int
    has_durations: bool

    @classmethod
    def of(cls, hierarchy: Hierarchy, metric: Metric) -> "Sizes":
        n_up, n_down = len(hierarchy.up_head), len(hierarchy.down_tail)
        return cls(n_up, n_down, len(metric.weight), metric.has_durations)


class Version(NamedTuple):
    """A version as mapped. Without weights all is as in the dataset.

    | array | dtype, shape | content |
    |---|---|---|
    | weights | ``Weights`` | of the hierarchy |
    | weight | uint32 (A,) | of the arcs |
    | own_duration_cs | uint32 (A,) or (0,) | as in `Metric` |

    The arrays are read-only views, and keep the file mapped.
    """

    sequence: int
    changes: RoadChanges
    weights: Weights | None
    weight: U32 | None
    own_duration_cs: U32 | None


class Spare:
    """A version in the making: its arrays are writable views of its file.

    All its space is taken at once, so that no write can fail later. ``source`` is the number of
    the version whose weights it holds, -1: none.
    """

    def __init__(self, folder: Path, sizes: Sizes | None) -> None:
        self.path = folder / f"spare-{secrets.token_hex(8)}"
        self.weights: Weights | None = None
        self.weight: U32 | None = None
        self.own_duration_cs: U32 | None = None
        self.source = -1
        self._end = _PAGE
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._descriptor = os.open(self.path, flags, 0o644)
        if sizes is None:
            return
        try:
            *_, self._end = _offsets(sizes)
            _reserve(self._descriptor, self._end)
            mapped = mmap.mmap(self._descriptor, self._end, mmap.MAP_SHARED | _POPULATE)
            self.weights, self.weight, self.own_duration_cs = _views(mapped, sizes)
        except BaseException:
            self.discard()
            raise

    def publish(self, folder: Path, identity: str, sequence: int, changes: RoadChanges) -> None:
        """Write the rest and give the file its name; it may then be announced."""
        columns = [np.ascontiguousarray(column) for column in (changes.arcs, changes.duration_cs)]
        header = np.zeros((), _HEADER)
        header["format"], header["identity"], header["boot"] = FORMAT, identity, boot_id()
        header["sequence"], header["n_changes"] = sequence, len(changes)
        header["has_weights"] = self.weights is not None
        header["changes_crc32"] = _crc32(columns)
        end = self._end
        for column in columns:
            end += _write_at(self._descriptor, column, end)
        os.ftruncate(self._descriptor, max(end, _PAGE))
        _write_at(self._descriptor, header.reshape(1), 0)
        os.rename(self.path, version_path(folder, sequence))
        os.close(self._descriptor)
        self._descriptor = -1

    def discard(self) -> None:
        """Remove the file, unless it is published."""
        self.weights = self.weight = None
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            self.path.unlink(missing_ok=True)


_POPULATE: int = getattr(mmap, "MAP_POPULATE", 0)


def _reserve(descriptor: int, size: int) -> None:
    """Take all the space of a file, so that no write to its memory can fail, where that is known.

    Elsewhere than on Linux a full disk is noticed late, by a signal.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.ftruncate(descriptor, size)


def identity_of(data: str, profile: str) -> str:
    """Whose weights these are: 64 hex digits.

    ``data`` is the name of the dataset's data folder (``Manifest.data``), a hash of its content.
    """
    return hashlib.sha256(f"{FORMAT}/{data}/{profile}".encode()).hexdigest()


def default_folder(identity: str, owner: str = "") -> Path:
    """Where the weights of a dataset are shared by the processes of this user, in memory.

    Those of an ``owner`` are shared by its processes alone. Raises ``DatasetError`` if somebody
    else could write there.
    """
    base = MEMORY if os.access(MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    parent = base / f"whimbrel-live-{os.getuid()}"
    with one_line(parent):
        parent.mkdir(mode=0o700, exist_ok=True)
        found = parent.lstat()
    if not parent.is_dir() or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise DatasetError(f"{parent}: not a folder of this user alone")
    if not owner:
        return parent / identity[:16]
    return parent / f"{hashlib.sha256(owner.encode()).hexdigest()[:16]}-{identity[:16]}"


def boot_id() -> str:
    """Which run of the machine this is: what was not yet on the disk when it ended may be lost."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:36]
    except OSError:
        return ""


def version_path(folder: Path, sequence: int) -> Path:
    """The file of a version."""
    return folder / f"version-{sequence}"


def open_control(folder: Path, identity: str, writable: bool = False) -> mmap.mmap:
    """Map the control file, whose first 8 bytes are the number; created if there is none.

    Raises ``DatasetError`` if the weights are those of another dataset.
    """
    file = folder / "control"
    folder.mkdir(parents=True, exist_ok=True)
    for _ in range(_ATTEMPTS):
        if not file.exists():
            _create_control(file, identity)
        try:
            descriptor = os.open(file, (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC)
            break
        except FileNotFoundError:
            continue
    else:
        raise DatasetError(f"{file}: cannot be created")
    try:
        if os.fstat(descriptor).st_size != _PAGE:
            raise DatasetError(f"{file}: not a control file of live weights")
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        mapped = mmap.mmap(descriptor, _PAGE, prot=protection)
    finally:
        os.close(descriptor)
    found = np.frombuffer(mapped[: _CONTROL.itemsize], _CONTROL)[0]
    if found["format"] != FORMAT.encode():
        raise DatasetError(f"{file}: not a control file of live weights of this version")
    if found["identity"] != identity.encode():
        raise DatasetError(
            f"{folder}: holds live weights of another dataset or profile; "
            "remove it or name another folder"
        )
    return mapped


def _create_control(file: Path, identity: str) -> None:
    """Write the control file elsewhere, then give it its name unless another one has it."""
    control = np.zeros((), _CONTROL)
    control["format"], control["identity"] = FORMAT, identity
    part = file.with_name(f"spare-{secrets.token_hex(8)}")
    part.write_bytes(control.tobytes().ljust(_PAGE, b"\0"))
    try:
        os.link(part, file)
    except (FileExistsError, FileNotFoundError):  # another process made it, or swept ours
        pass
    finally:
        part.unlink(missing_ok=True)


def lock_folder(folder: Path) -> int:
    """Become the one who publishes, until the descriptor is closed or the process ends.

    Raises ``DatasetError`` if another one is.
    """
    descriptor = try_lock(folder)
    if descriptor < 0:
        raise DatasetError(
            f"{folder}: another process publishes live weights there, expected only one"
        )
    return descriptor


def try_lock(folder: Path) -> int:
    """The same, but -1 if another one is."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return -1
    _held.add(descriptor)
    return descriptor


def unlock(descriptor: int) -> None:
    """Let others publish; nothing to do in a process forked from the one that locked."""
    if descriptor in _held:
        _held.remove(descriptor)
        os.close(descriptor)


def holds(descriptor: int) -> bool:
    """Whether it is this process that publishes, and not the one it was forked from."""
    return descriptor in _held


def _forget_locks() -> None:
    """Leave the locks to the process that this one was forked from.

    A lock lasts until nobody has its file open, and a forked process has all files open.
    """
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


_held: set[int] = set()
"""Descriptors of the folders that this process publishes to."""

os.register_at_fork(after_in_child=_forget_locks)


def sweep(folder: Path, sequence: int) -> None:
    """Remove what killed processes left: all but the version of that number."""
    for name in os.listdir(folder):
        is_version = name.startswith("version-") and name != f"version-{sequence}"
        if is_version or name.startswith("spare-"):
            (folder / name).unlink(missing_ok=True)


def map_version(folder: Path, sequence: int, identity: str, sizes: Sizes) -> Version:
    """Map a version. What an earlier run of the machine wrote counts for its changes alone.

    Raises ``FileNotFoundError`` if it is gone, ``DatasetError`` if it is damaged or of another
    dataset.
    """
    file = version_path(folder, sequence)
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        n_bytes = os.fstat(descriptor).st_size
        if n_bytes < _PAGE:
            raise DatasetError(f"{file}: damaged: {n_bytes} bytes, expected {_PAGE} or more")
        mapped = map_file(descriptor)
    finally:
        os.close(descriptor)
    header = np.frombuffer(mapped[: _HEADER.itemsize], _HEADER)[0]
    if (header["format"], header["identity"]) != (FORMAT.encode(), identity.encode()):
        raise DatasetError(f"{file}: live weights of another dataset, profile or version")
    has_weights = bool(header["has_weights"])
    end = _offsets(sizes)[-1] if has_weights else _PAGE
    k = int(header["n_changes"])
    if header["sequence"] != sequence or n_bytes != end + 8 * k:
        raise DatasetError(f"{file}: damaged: {n_bytes} bytes, expected {end + 8 * k}")
    arcs, new = (np.ndarray((k,), np.uint32, mapped, end + 4 * k * i) for i in range(2))
    if _crc32([arcs, new]) != header["changes_crc32"]:
        raise DatasetError(f"{file}: damaged: the checksum of its changes is wrong")
    changes = RoadChanges(arcs, new)
    if not has_weights or header["boot"] != boot_id().encode():
        return Version(sequence, changes, None, None, None)
    return Version(sequence, changes, *_views(mapped, sizes))


def _offsets(sizes: Sizes) -> list[int]:
    """Where the arrays begin, each on a cache line of its own, and where the last ends."""
    n_up, n_down, n_arcs, own = sizes
    both_ways = 8 * n_up, 8 * n_down, 8 * n_up, 8 * n_down, 4 * n_up * own, 4 * n_down * own
    places = [_PAGE]
    for n_bytes in (*both_ways, 4 * n_arcs, 4 * n_arcs * own):
        places.append((places[-1] + n_bytes + 63) // 64 * 64)
    return places


def _views(mapped: mmap.mmap, sizes: Sizes) -> tuple[Weights, U32, U32]:
    """The arrays of a version in its mapped file; writable if that is."""
    n_up, n_down, n_arcs, own = sizes
    at = _offsets(sizes)
    weights = Weights(
        np.ndarray((n_up,), np.uint64, mapped, at[0]),
        np.ndarray((n_down,), np.uint64, mapped, at[1]),
        np.ndarray((n_up, 2), np.uint32, mapped, at[2]),
        np.ndarray((n_down, 2), np.uint32, mapped, at[3]),
        np.ndarray((n_up * own,), np.uint32, mapped, at[4]),
        np.ndarray((n_down * own,), np.uint32, mapped, at[5]),
    )
    weight = np.ndarray((n_arcs,), np.uint32, mapped, at[6])
    return weights, weight, np.ndarray((n_arcs * own,), np.uint32, mapped, at[7])


def _crc32(columns: list[AnyArray]) -> int:
    found = 0
    for column in columns:
        found = zlib.crc32(bytes_of(column), found)
    return found


def _write_at(descriptor: int, array: AnyArray, at: int) -> int:
    """Write an array at a place in a file; its length in bytes."""
    rest = bytes_of(array)
    while len(rest):
        done = os.pwrite(descriptor, rest, at)
        rest, at = rest[done:], at + done
    return array.nbytes


@contextmanager
def one_line(folder: Path) -> Iterator[None]:
    """Turn failures of the system into one line."""
    try:
        yield
    except MemoryError:
        raise ResourceError(f"{folder}: no memory for live weights") from None
    except OSError as error:
        what = f"{folder}: cannot share live weights: {error.strerror or error}"
        raise (ResourceError if error.errno in _NO_ROOM else DatasetError)(what) from None
