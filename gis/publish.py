"""Writing a dataset so that it appears whole or not at all.

Everything is written into a folder of its own, flushed to the disk, and then given its name. A
dataset that stands there already is replaced by the rename of one file, its manifest, which
names the data folder; whoever reads the old data keeps them mapped.
"""

import errno
import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from gis.arrays import AnyArray
from gis.errors import DatasetError, ResourceError
from gis.manifest import (
    FORMAT,
    MANIFEST,
    MAX_BYTES,
    PART,
    About,
    ArraySpec,
    Manifest,
    bytes_of,
    describe_array,
    encode_manifest,
    is_ours,
    npy_header,
)

_WRITERS = 4
"""Threads that wait for the disk: it flushes several files at once about as fast as one."""

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class DatasetWriter:
    """A dataset in the making.

    ``with DatasetWriter(path) as writer: writer.add(arrays); writer.publish(about)``. Nothing is
    seen at ``path`` before `publish` ends, and a build that fails leaves no trace. What killed
    builds of the same dataset have left behind is removed at the beginning; a lock held on the
    folder of a build that runs keeps others from doing so.

    Raises ``DatasetError`` if ``path`` holds something else than a dataset or cannot be written,
    ``ResourceError`` if there is no space.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self._specs: list[ArraySpec] = []
        self._writes: list[Future[None]] = []
        with _one_line(self.path):
            _refuse_foreign(self.path)
            self._part, self._lock = _begin_part(self.path)
        self._pool = ThreadPoolExecutor(_WRITERS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        shutil.rmtree(self._part, ignore_errors=True)
        os.close(self._lock)

    def add(self, arrays: Mapping[str, AnyArray]) -> None:
        """Begin to write arrays; they must be C-contiguous and not change before `publish`."""
        for name, array in arrays.items():
            spec = describe_array(name, array)
            file = self._part / "data" / spec.file
            self._specs.append(spec)
            self._writes.append(
                self._pool.submit(_write_file, file, npy_header(spec), bytes_of(array))
            )

    def publish(self, about: About) -> Manifest:
        """Wait until all is on the disk, then let the dataset appear under its name."""
        specs = sorted(self._specs, key=lambda spec: spec.name)
        manifest = Manifest(about, tuple(specs))
        with _one_line(self.path):
            for write in self._writes:
                write.result()
            data = self._part / manifest.data
            (self._part / "data").rename(data)
            flush_folder(data)
            _write_file(self._part / MANIFEST, encode_manifest(manifest))
            flush_folder(self._part)
            if not self._appear():
                self._replace(manifest)
        return manifest

    def _appear(self) -> bool:
        """Give the folder its name; False where a dataset stands already."""
        if self._part.parent == self.path:
            return False
        try:
            self._part.rename(self.path)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            return False
        fcntl.flock(self._lock, fcntl.LOCK_UN)  # it has become the dataset's own
        flush_folder(self.path.parent)
        return True

    def _replace(self, manifest: Manifest) -> None:
        """Swap the dataset that stands at the path for this one."""
        _refuse_foreign(self.path)
        with _locked(self.path):
            _move_folder(self._part / manifest.data, self.path / manifest.data)
            flush_folder(self.path)
            (self._part / MANIFEST).replace(self.path / MANIFEST)
            flush_folder(self.path)
            for entry in self.path.glob("data-*"):
                if is_ours(entry.name) and entry.name != manifest.data:
                    shutil.rmtree(entry, ignore_errors=True)


def _refuse_foreign(path: Path) -> None:
    """Raise ``DatasetError`` unless a dataset may be written to the path."""
    if not path.exists():
        if not path.parent.is_dir():
            raise DatasetError(f"{path.parent}: no such folder to write {path.name} into")
        return
    if not path.is_dir():
        raise DatasetError(f"{path}: a file stands where the folder of the dataset would be")
    names = os.listdir(path)
    has_data = any(is_ours(name) and name.startswith("data-") for name in names)
    if all(is_ours(name) for name in names) and (has_data or MANIFEST not in names):
        return
    try:
        with (path / MANIFEST).open("rb") as stream:
            found = json.loads(stream.read(MAX_BYTES))
        if found["format"] == FORMAT:
            return
    except (FileNotFoundError, ValueError, TypeError, KeyError, RecursionError):
        pass
    raise DatasetError(f"{path}: not a dataset: not overwritten")


def _begin_part(path: Path) -> tuple[Path, int]:
    """A new locked folder to write into, and the descriptor that holds its lock.

    It stands beside a dataset that is new, so that one rename publishes it, but within one that
    exists: that may be the root of a file system of its own.
    """
    if path.is_dir():
        parent, prefix = path, PART
    else:
        parent, prefix = path.parent, f".{path.name}{PART}"
    _sweep(parent, prefix)
    while True:
        part = parent / f"{prefix}{secrets.token_hex(8)}"
        part.mkdir()
        try:
            lock = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # another build has swept it before it was locked
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if part.exists():
            (part / "data").mkdir()
            return part, lock
        os.close(lock)


def _sweep(parent: Path, prefix: str) -> None:
    """Remove what killed builds left; the lock of one that runs cannot be had."""
    for name in os.listdir(parent):
        if name.startswith(prefix) and is_ours(PART + name.removeprefix(prefix)):
            try:
                with _locked(parent / name, fcntl.LOCK_NB):
                    shutil.rmtree(parent / name, ignore_errors=True)
            except OSError:  # locked, or already gone
                continue


@contextmanager
def _locked(folder: Path, how: int = 0) -> Iterator[None]:
    """Hold the exclusive lock of a folder; it ends with the process if not before."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | how)
        yield
    finally:
        os.close(descriptor)


def _move_folder(source: Path, target: Path) -> None:
    """Rename a data folder; where one of its name stands, replace that file by file.

    The name is a hash of the content, so at each moment every file is as it should be.
    """
    try:
        source.rename(target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        wanted = os.listdir(source)
        for name in wanted:
            (source / name).replace(target / name)
        for name in set(os.listdir(target)).difference(wanted):
            (target / name).unlink()
        flush_folder(target)


def _write_file(file: Path, *parts: bytes | memoryview) -> None:
    """Write a new file and wait until it is on the disk."""
    with file.open("xb") as stream:
        for part in parts:
            stream.write(part)
        stream.flush()
        os.fsync(stream.fileno())


def flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _one_line(path: Path) -> Iterator[None]:
    """Turn failures of the file system into one line."""
    try:
        yield
    except OSError as error:
        what = f"{path}: cannot write the dataset: {error.strerror or error}"
        raise (ResourceError if error.errno in _NO_SPACE else DatasetError)(what) from None
