"""What a dataset promises: its arrays with their checksums, and what it was made from."""

import hashlib
import json
import math
import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import deflate
import numpy as np

from gis.arrays import AnyArray
from gis.errors import DatasetError

MANIFEST = "manifest.json"

PART = ".part-"
"""Beginning of the name of a folder that a build is writing."""

FORMAT = "whimbrel dataset"
VERSION = 3
"""Raised whenever an array changes its name, type or meaning; another version is rebuilt."""

MAX_BYTES = 1 << 20
"""A manifest has some ten thousand bytes; a longer one is not ours."""

_ENTRY = re.compile(r"manifest\.json|data-[0-9a-f]{16}|\.part-[0-9a-f]{16}", re.ASCII)
_DTYPES = frozenset(["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"])
_NAME = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*", re.ASCII)
_KEYS = ("whimbrel", "extract", "profiles", "bounds", "counts", "arrays")


@dataclass(frozen=True)
class ArraySpec:
    """One array: its file is ``<name>.npy`` in the data folder."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    crc32: int

    @property
    def file(self) -> str:
        return f"{self.name}.npy"

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


@dataclass(frozen=True)
class Extract:
    """The file a dataset was made from; the timestamp is its header's, empty if it has none."""

    name: str
    bytes: int
    timestamp: str


@dataclass(frozen=True)
class About:
    """What a dataset holds, apart from its arrays.

    ``bounds`` are west, south, east and north in degrees.
    """

    whimbrel: str
    extract: Extract
    profiles: tuple[str, ...]
    bounds: tuple[float, float, float, float]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Manifest:
    """The whole of ``manifest.json``; ``arrays`` ascend by name."""

    about: About
    arrays: tuple[ArraySpec, ...]

    @property
    def nbytes(self) -> int:
        return sum(spec.nbytes for spec in self.arrays)

    @property
    def data(self) -> str:
        """Name of the data folder: a hash of all that the manifest says.

        The same content has the same name, so that two builds are alike to the byte; and a
        manifest that was damaged or edited does not fit the name that it gives.
        """
        text = json.dumps(_body(self), separators=(",", ":")).encode()
        return f"data-{hashlib.sha256(text).hexdigest()[:16]}"


def bytes_of(array: AnyArray) -> memoryview:
    """The bytes of an array, which must be C-contiguous."""
    return array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")


def checksum(array: AnyArray) -> int:
    """CRC-32 of the bytes of an array, which must be C-contiguous."""
    return int(deflate.crc32(bytes_of(array)))


def describe_array(name: str, array: AnyArray) -> ArraySpec:
    """The specification of a C-contiguous array; a wrong name or type is a ``ValueError``."""
    if not _NAME.fullmatch(name) or array.dtype.str not in _DTYPES:
        raise ValueError(f"an array {name!r} of {array.dtype} cannot be in a dataset")
    return ArraySpec(name, array.dtype.str, array.shape, checksum(array))


def npy_header(spec: ArraySpec) -> bytes:
    """What stands before the array in its file: the header of NumPy's format 1.0, aligned to 64.

    It is written here rather than by NumPy, whose padding has changed between releases.
    """
    text = f"{{'descr': {spec.dtype!r}, 'fortran_order': False, 'shape': {spec.shape!r}, }}"
    padding = -(10 + len(text) + 1) % 64
    return (
        b"\x93NUMPY\x01\x00"
        + (len(text) + padding + 1).to_bytes(2, "little")
        + (text.encode() + b" " * padding + b"\n")
    )


def is_ours(name: str) -> bool:
    """Whether a folder of a dataset may have an entry of that name, finished or not."""
    return _ENTRY.fullmatch(name) is not None


def encode_manifest(manifest: Manifest) -> bytes:
    """The text of ``manifest.json``."""
    head = {"format": FORMAT, "version": VERSION, "data": manifest.data}
    return json.dumps(head | _body(manifest), indent=1).encode() + b"\n"


def decode_manifest(text: bytes, where: str) -> Manifest:
    """Read ``manifest.json`` strictly; ``where`` names the file in errors.

    Raises ``DatasetError`` for anything that `encode_manifest` does not write.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{where}: not JSON: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DatasetError(f"{where}: not the manifest of a Whimbrel dataset")
    if found.get("version") != VERSION:
        raise DatasetError(
            f"{where}: dataset of version {found.get('version')!r}, expected {VERSION}; "
            "build it again with this version of Whimbrel"
        )
    try:
        manifest = _read_body(found)
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetError(f"{where}: damaged: {error}") from None
    if found.get("data") != manifest.data:
        raise DatasetError(f"{where}: damaged: its content does not fit its own hash")
    return manifest


def _body(manifest: Manifest) -> dict[str, Any]:
    about = manifest.about
    return {
        "whimbrel": about.whimbrel,
        "extract": {
            "name": about.extract.name,
            "bytes": about.extract.bytes,
            "timestamp": about.extract.timestamp,
        },
        "profiles": list(about.profiles),
        "bounds": list(about.bounds),
        "counts": dict(about.counts),
        "arrays": {
            spec.name: {"dtype": spec.dtype, "shape": list(spec.shape), "crc32": spec.crc32}
            for spec in manifest.arrays
        },
    }


def _read_body(found: dict[str, Any]) -> Manifest:
    _expect_keys(found, ("format", "version", "data", *_KEYS))
    extract = found["extract"]
    _expect_keys(extract, ("name", "bytes", "timestamp"))
    bounds = [_expect(value, float) for value in _expect(found["bounds"], list)]
    west, south, east, north = bounds
    counts = _expect(found["counts"], dict)
    about = About(
        _expect(found["whimbrel"], str),
        Extract(
            _expect(extract["name"], str),
            _expect(extract["bytes"], int),
            _expect(extract["timestamp"], str),
        ),
        tuple(_expect(name, str) for name in _expect(found["profiles"], list)),
        (west, south, east, north),
        {name: _expect(count, int) for name, count in counts.items()},
    )
    arrays = _expect(found["arrays"], dict)
    return Manifest(about, tuple(_read_spec(name, spec) for name, spec in arrays.items()))


def _read_spec(name: str, spec: Any) -> ArraySpec:
    _expect_keys(spec, ("dtype", "shape", "crc32"))
    shape = tuple(_expect(size, int) for size in _expect(spec["shape"], list))
    dtype = _expect(spec["dtype"], str)
    if not _NAME.fullmatch(name) or dtype not in _DTYPES or min(shape, default=0) < 0:
        raise ValueError(f"array {name!r} of {dtype!r} {shape}")
    return ArraySpec(name, dtype, shape, _expect(spec["crc32"], int))


def _expect_keys(found: Any, keys: tuple[str, ...]) -> None:
    if sorted(_expect(found, dict)) != sorted(keys):
        raise ValueError(f"has the keys {reprlib.repr(sorted(found))}, expected {sorted(keys)}")


def _expect(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{reprlib.repr(value)} is not of type {kind.__name__}")
    return value
