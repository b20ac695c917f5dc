"""A dataset opened: a folder of .npy files, checked against its manifest and mapped read-only.

``manifest.json`` names the data folder beside it; `gis.publish` writes both.
"""

import mmap
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gis.arrays import AnyArray
from gis.errors import ChecksumError, DatasetError
from gis.manifest import (
    MANIFEST,
    MAX_BYTES,
    ArraySpec,
    Manifest,
    checksum,
    decode_manifest,
    is_ours,
    npy_header,
)

_ATTEMPTS = 10
"""How often a reader looks again for files that are gone: the dataset may just be replaced."""


@dataclass(frozen=True)
class Dataset:
    """A dataset as opened. It stays whole in memory if the folder is replaced meanwhile.

    ``arrays`` are read-only, contiguous views of the mapped files, by name.
    """

    path: Path
    manifest: Manifest
    arrays: Mapping[str, AnyArray]


def open_dataset(path: Path, verify: bool = True) -> Dataset:
    """Map every array of a dataset.

    Type, shape and length of each file are always checked against the manifest; ``verify`` also
    reads them all to check their checksums. Raises ``DatasetError`` where there is no dataset
    of this version, and ``ChecksumError`` naming the file of an array that is damaged.
    """
    missing = ""
    for _ in range(_ATTEMPTS):
        manifest = read_manifest(path)
        folder = path / manifest.data
        try:
            arrays = {spec.name: _map_array(folder, spec, verify) for spec in manifest.arrays}
            return Dataset(path, manifest, arrays)
        except FileNotFoundError as error:
            missing = error.filename
    raise ChecksumError(_missing(missing))


def verify_dataset(path: Path) -> tuple[str, ...]:
    """All that is wrong with the arrays of a dataset, one line each; empty if it is whole.

    Raises ``DatasetError`` if its manifest cannot be used.
    """
    manifest = read_manifest(path)
    folder = path / manifest.data
    damages = []
    for spec in manifest.arrays:
        try:
            _map_array(folder, spec, verify=True)
        except FileNotFoundError as error:
            damages.append(_missing(error.filename))
        except DatasetError as error:
            damages.append(str(error))
    return tuple(damages)


def read_manifest(path: Path) -> Manifest:
    """What a dataset says of itself; ``DatasetError`` says why it cannot be used."""
    file = path / MANIFEST
    try:
        with file.open("rb") as stream:
            text = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise DatasetError(_why_no_manifest(path)) from None
    except NotADirectoryError:
        raise DatasetError(f"{path}: a file, expected the folder of a dataset") from None
    except OSError as error:
        raise DatasetError(f"{file}: cannot read: {error.strerror}") from None
    if len(text) > MAX_BYTES:
        raise DatasetError(f"{file}: longer than {MAX_BYTES} bytes: not a manifest")
    return decode_manifest(text, str(file))


def _missing(file: str) -> str:
    return f"{file}: this array of the dataset is missing"


def _why_no_manifest(path: Path) -> str:
    try:
        names = os.listdir(path)
    except FileNotFoundError:
        return f"{path}: no such dataset"
    except OSError as error:
        return f"{path}: cannot read: {error.strerror}"
    if not names:
        return f"{path}: an empty folder, expected a dataset"
    unfinished = all(is_ours(name) for name in names)
    what = "an unfinished build" if unfinished else "not a dataset"
    return f"{path}: {what}: it has no {MANIFEST}"


def _map_array(folder: Path, spec: ArraySpec, verify: bool) -> AnyArray:
    """One array of a dataset as a read-only view of its mapped file."""
    file = folder / spec.file
    header = npy_header(spec)
    wanted = len(header) + spec.nbytes
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            length = os.fstat(descriptor).st_size
            if length != wanted:
                raise ChecksumError(f"{file}: damaged: {length} bytes, expected {wanted}")
            mapped = map_file(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DatasetError(f"{file}: cannot read: {error.strerror}") from None
    if mapped[: len(header)] != header:
        raise ChecksumError(f"{file}: damaged: its header is not that of {spec.dtype} {spec.shape}")
    array = np.ndarray(spec.shape, spec.dtype, mapped, len(header))
    if verify and (found := checksum(array)) != spec.crc32:
        raise ChecksumError(
            f"{file}: damaged: array {spec.name} has the checksum {found:08x}, "
            f"expected {spec.crc32:08x}"
        )
    return array


def map_file(descriptor: int) -> mmap.mmap:
    """A whole file, read-only. Before Python 3.13 it keeps a descriptor of its own open."""
    if sys.version_info >= (3, 13):
        return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ, trackfd=False)
    return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
