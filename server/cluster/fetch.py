"""A dataset fetched from a URL into the cache folder, once for all processes of a machine."""

import errno
import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import platformdirs

from gis.dataset import Dataset, open_dataset
from gis.errors import DatasetError, ResourceError
from gis.manifest import MANIFEST, MAX_BYTES, Manifest, decode_manifest, npy_header
from server.cluster.remote import Unreachable, joined, pieces, shown

_ATTEMPTS = 3
_PAUSE_S = 1.0
_FORGOTTEN_S = 30 * 86400.0
"""Datasets are removed after so long without use."""

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_DATA = re.compile(r"data-[0-9a-f]{16}", re.ASCII)


def fetched_dataset(data: str) -> Dataset | None:
    """The dataset of this identity as it was fetched before, verified; None if there is none."""
    folder = _cache_folder() / data
    try:
        dataset = open_dataset(folder)
        os.utime(folder)
    except (DatasetError, OSError):
        return None
    return dataset if dataset.manifest.data == data else None


def fetch_dataset(url: str, data: str) -> Dataset:
    """Open the dataset of this identity, fetched from a URL of fsspec's unless it was before.

    It is downloaded beside its place, verified, and renamed; who comes meanwhile waits. Raises
    ``DatasetError`` if there is another at the URL, or none, or a damaged one.
    """
    cache = _cache_folder()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _locked(cache / f"{data}.lock"):
            return fetched_dataset(data) or _fetch_into(cache, url, data)
    except OSError as error:
        kind = ResourceError if error.errno in _NO_SPACE else DatasetError
        what = f"{cache}: cannot keep a dataset there: {error.strerror or error}"
        raise kind(what) from None


def _cache_folder() -> Path:
    wanted = os.environ.get("WHIMBREL_CACHE_DIR")
    return (Path(wanted) if wanted else platformdirs.user_cache_path("whimbrel")) / "datasets"


def _fetch_into(cache: Path, url: str, data: str) -> Dataset:
    """Download, verify and rename. The lock of the dataset is held."""
    _remove_forgotten(cache)
    prefix = f".{data}.part-"
    for leftover in cache.glob(f"{prefix}*"):  # of a process that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    part = cache / f"{prefix}{secrets.token_hex(8)}"
    part.mkdir()
    target = cache / data
    try:
        _download(url, data, part)
        dataset = open_dataset(part)
        shutil.rmtree(target, ignore_errors=True)  # it is damaged, or it would have been taken
        part.rename(target)
    except DatasetError as error:
        raise DatasetError(f"fetched from {shown(url)}: {error}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Dataset(target, dataset.manifest, dataset.arrays)


def _download(url: str, data: str, part: Path) -> None:
    """Write manifest and arrays as they come."""
    text, manifest = _manifest_at(joined(url, MANIFEST))
    if manifest.data != data:
        raise DatasetError(f"is the dataset {manifest.data}, but the client's is {data}")
    (part / MANIFEST).write_bytes(text)
    (part / data).mkdir()
    for spec in manifest.arrays:
        n_bytes = len(npy_header(spec)) + spec.nbytes
        _copy(joined(url, data, spec.file), part / data / spec.file, n_bytes)


def _manifest_at(url: str) -> tuple[bytes, Manifest]:
    text = b""
    with closing(pieces(url)) as found:
        for piece in found:
            text += piece
            if len(text) > MAX_BYTES:
                raise DatasetError(f"{shown(url)}: longer than {MAX_BYTES} bytes: not a manifest")
    return text, decode_manifest(text, shown(url))


def _copy(url: str, file: Path, n_bytes: int) -> None:
    """Copy what is at a URL to a file and flush it; what may pass is tried again."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with file.open("wb") as target, closing(pieces(url)) as found:
                for piece in found:
                    target.write(piece)
                    if target.tell() > n_bytes:
                        raise DatasetError(f"{shown(url)}: damaged: longer than {n_bytes} bytes")
                if target.tell() < n_bytes:  # a lost connection looks like an end
                    got = target.tell()
                    raise Unreachable(f"{shown(url)}: ends after {got} of {n_bytes} bytes")
                target.flush()
                os.fsync(target.fileno())
            return
        except Unreachable:
            if attempt == _ATTEMPTS:
                raise
            time.sleep(_PAUSE_S * attempt)


def _remove_forgotten(cache: Path) -> None:
    """Remove datasets that no process has opened for long; those that still map it keep it."""
    for folder in cache.iterdir():
        try:
            age_s = time.time() - folder.lstat().st_mtime
            if _DATA.fullmatch(folder.name) and age_s > _FORGOTTEN_S and not folder.is_symlink():
                shutil.rmtree(folder)
        except OSError:  # another process removes it, too, or it is not ours
            continue


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Hold the exclusive lock of a file; it ends with the process if not before."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
