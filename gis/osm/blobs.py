"""The blobs of a PBF file: where they are, what its header says, and their inflated content."""

import lzma
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import deflate
import numpy as np

from gis.arrays import I64, freeze
from gis.errors import FormatError
from gis.osm.wire import (
    BLOB_BZIP2_DATA,
    BLOB_HEADER_DATASIZE,
    BLOB_HEADER_TYPE,
    BLOB_LZ4_DATA,
    BLOB_LZMA_DATA,
    BLOB_RAW,
    BLOB_RAW_SIZE,
    BLOB_ZLIB_DATA,
    BLOB_ZSTD_DATA,
    BYTES,
    FIXED32,
    FIXED64,
    HEADER_REPLICATION_TIMESTAMP,
    HEADER_REQUIRED_FEATURES,
    VARINT,
)

MAX_HEADER_BYTES = 64 << 10
"""A blob header must be smaller."""

MAX_BLOB_BYTES = 32 << 20
"""So must a blob be, compressed and inflated."""

_READ_BYTES = 1 << 20
_KNOWN_FEATURES = {"OsmSchema-V0.6", "DenseNodes"}
_LENGTH_BYTES = 4
_MAX_LZMA_MEMORY = 1 << 28  # a damaged header may ask for a dictionary of 4 GiB
_USUAL_HEADER = b"\x0a\x07OSMData\x18"  # type, and the key of datasize
_COMPRESSIONS = {
    BLOB_RAW: "raw",
    BLOB_ZLIB_DATA: "zlib",
    BLOB_LZMA_DATA: "lzma",
    BLOB_BZIP2_DATA: "bzip2",
    BLOB_LZ4_DATA: "lz4",
    BLOB_ZSTD_DATA: "zstd",
}


@dataclass(frozen=True)
class BlobIndex:
    """The data blobs of a file, in order. D blobs.

    | array | dtype, shape | content |
    |---|---|---|
    | begin | int64 (D,) | where the blob with its header begins: errors name this place |
    | start, stop | int64 (D,) | first byte and end of the Blob message |
    """

    path: Path
    begin: I64
    start: I64
    stop: I64
    timestamp: str
    """When the data were replicated, as ISO 8601 in UTC, or an empty string."""

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def n_bytes(self) -> int:
        """Bytes up to the end of the last blob."""
        return int(self.stop[-1]) if len(self) else 0

    def error(self, blob: int, problem: str) -> FormatError:
        """An error about a blob."""
        return FormatError(f"{self.path}: blob at byte {self.begin[blob]}: {problem}")


class BrokenMessageError(Exception):
    """A message that is not well-formed."""


def read_number(message: memoryview, position: int) -> tuple[int, int]:
    """A varint, as a number of 64 bits with sign, and the position after it."""
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(message):
            break
        byte = message[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            value &= (1 << 64) - 1
            return value - (1 << 64) if value >> 63 else value, position
    raise BrokenMessageError


def _read_fields(message: memoryview) -> Iterator[tuple[int, int, memoryview]]:
    """The fields of a small message: key, number if it is one, content if it is not."""
    position = 0
    while position < len(message):
        key, position = read_number(message, position)
        if key & 7 == VARINT:
            number, position = read_number(message, position)
            yield key, number, message[:0]
            continue
        if key & 7 == BYTES:
            length, position = read_number(message, position)
        else:
            length = {FIXED64: 8, FIXED32: 4}.get(key & 7, -1)
        if not 0 <= length <= len(message) - position:
            raise BrokenMessageError
        yield key, 0, message[position : position + length]
        position += length


def scan_blobs(path: Path) -> BlobIndex:
    """Find all blobs by their headers alone, and read the header block.

    Raises
    ------
    FormatError
        The file cannot be read, is not PBF, ends inside a blob, breaks a limit of the format or
        requires a feature that is not known.
    """
    try:
        with path.open("rb") as file:
            return _scan(path, file.fileno())
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from error


def _scan(path: Path, file: int) -> BlobIndex:
    size = os.fstat(file).st_size
    if size == 0:
        raise FormatError(f"{path}: an empty file, expected OpenStreetMap data in PBF")
    kind, start, stop = _read_blob_header(path, file, size, 0)
    if kind != "OSMHeader":
        raise FormatError(f"{path}: not OSM PBF: the blob at byte 0 is {kind!r}, not 'OSMHeader'")
    timestamp = _read_header_block(path, os.pread(file, stop - start, start))
    blobs: list[tuple[int, int, int]] = []
    while stop < size:
        begin = stop
        kind, start, stop = _read_blob_header(path, file, size, begin)
        if kind == "OSMData":
            blobs.append((begin, start, stop))
    begins, starts, stops = np.array(blobs, np.int64).reshape(-1, 3).T
    return BlobIndex(path, freeze(begins), freeze(starts), freeze(stops), timestamp)


def _read_blob_header(path: Path, file: int, size: int, begin: int) -> tuple[str, int, int]:
    """Type, first byte and end of the blob at ``begin``."""
    where = f"{path}: blob at byte {begin}" if begin else f"{path}: not OSM PBF: blob at byte 0"
    head = os.pread(file, 64, begin)
    length = int.from_bytes(head[:_LENGTH_BYTES], "big")
    start = begin + _LENGTH_BYTES + length
    if len(head) >= _LENGTH_BYTES and length >= MAX_HEADER_BYTES:
        raise FormatError(f"{where}: a header of {length} bytes, less than 65536 are allowed")
    if len(head) < _LENGTH_BYTES or start > size:
        raise FormatError(f"{where}: the file ends inside its header")
    if start > begin + len(head):
        head = os.pread(file, _LENGTH_BYTES + length, begin)
    message = memoryview(head)[_LENGTH_BYTES : _LENGTH_BYTES + length]
    kind, data_size = "", -1
    try:
        if head.startswith(_USUAL_HEADER, _LENGTH_BYTES):  # a short cut
            kind = "OSMData"
            data_size, end = read_number(message, len(_USUAL_HEADER))
            message = message[end:]
        for key, number, content in _read_fields(message):
            if key == BLOB_HEADER_TYPE:
                kind = bytes(content).decode("utf-8", "replace")
            elif key == BLOB_HEADER_DATASIZE:
                data_size = number
    except BrokenMessageError:
        raise FormatError(f"{where}: its header is broken") from None
    if not kind or data_size < 0:
        raise FormatError(f"{where}: its header tells no type or size")
    if data_size > MAX_BLOB_BYTES:
        raise FormatError(f"{where}: {data_size} bytes, at most {MAX_BLOB_BYTES} are allowed")
    if start + data_size > size:
        raise FormatError(
            f"{where}: the file ends inside it, at byte {size} of {start + data_size}"
        )
    return kind, start, start + data_size


def _read_header_block(path: Path, blob: bytes) -> str:
    """The timestamp, once the required features are known to be understood."""
    timestamp = ""
    try:
        for key, number, content in _read_fields(memoryview(inflate(blob))):
            if key == HEADER_REQUIRED_FEATURES:
                feature = bytes(content).decode("utf-8", "replace")
                if feature == "HistoricalInformation":
                    raise FormatError(
                        f"{path}: a history file (required feature {feature}), expected one version"
                        " of each object"
                    )
                if feature not in _KNOWN_FEATURES:
                    raise FormatError(f"{path}: requires the unknown feature {feature!r}")
            elif key == HEADER_REPLICATION_TIMESTAMP:
                timestamp = _iso_time(number)
    except (BrokenMessageError, InflateError) as error:
        problem = str(error) or "its header block is broken"
        raise FormatError(f"{path}: not OSM PBF: blob at byte 0: {problem}") from None
    return timestamp


def _iso_time(seconds: int) -> str:
    """Seconds since 1970 as ISO 8601; an empty string for what no calendar knows."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return ""


class InflateError(Exception):
    """The content of a blob is not what it claims to be."""


def inflate(blob: bytes | memoryview) -> bytes:
    """The content of a Blob message, of exactly the size that it tells.

    Raises
    ------
    InflateError
        With a sentence on what is wrong; the caller knows where.
    """
    packing, raw_size, data = _read_blob(memoryview(blob))
    if packing == BLOB_RAW:
        return bytes(data)
    try:
        content = _DECOMPRESS[packing](data, raw_size)
    except _CorruptError as error:
        raise InflateError(f"its {_COMPRESSIONS[packing]} data are corrupt") from error
    if len(content) != raw_size:
        raise InflateError(f"inflates to {len(content)} bytes, expected {raw_size}")
    return content


def inflated(index: BlobIndex, blobs: I64) -> Iterator[tuple[int, bytes]]:
    """Some blobs of a file, by ascending number, and their content.

    Raises FormatError that names the file and the blob.
    """
    buffer = np.empty(0, np.uint8).data
    with index.path.open("rb") as file:
        for chunk in _consecutive(index, blobs):
            starts, stops = index.start[chunk].tolist(), index.stop[chunk].tolist()
            begin, n_bytes = starts[0], stops[-1] - starts[0]
            if len(buffer) < n_bytes:
                buffer = np.empty(n_bytes, np.uint8).data
            if os.preadv(file.fileno(), [buffer[:n_bytes]], begin) < n_bytes:
                raise index.error(int(chunk[0]), "the file has become shorter")
            for blob, start, stop in zip(chunk.tolist(), starts, stops, strict=True):
                try:
                    yield blob, inflate(buffer[start - begin : stop - begin])
                except InflateError as error:
                    raise index.error(blob, str(error)) from error


def _consecutive(index: BlobIndex, blobs: I64) -> Iterator[I64]:
    """Cut blobs into runs that follow each other in the file and are not too long together."""
    first = 0
    for i in range(1, len(blobs) + 1):
        if (
            i == len(blobs)
            or blobs[i] != blobs[i - 1] + 1
            or index.stop[blobs[i]] - index.start[blobs[first]] > _READ_BYTES
        ):
            yield blobs[first:i]
            first = i


def inflate_beginning(blob: bytes | memoryview, n_bytes: int) -> bytes:
    """At least the first bytes of the content of a Blob message, as many as there are.

    Corrupt data may pass unnoticed. Raises InflateError as ``inflate``.
    """
    packing, _, data = _read_blob(memoryview(blob))
    if packing != BLOB_ZLIB_DATA:
        return inflate(blob)
    try:
        return zlib.decompressobj().decompress(data, n_bytes)
    except zlib.error as error:
        raise InflateError("its zlib data are corrupt") from error


def _read_blob(blob: memoryview) -> tuple[int, int, memoryview]:
    """How the content of a Blob message is compressed, its size and the compressed data."""
    try:
        packing, raw_size, data = _read_usual_blob(blob) or _read_any_blob(blob)
    except BrokenMessageError:
        raise InflateError("its message is broken") from None
    if packing < 0:
        raise InflateError("it has no content")
    if packing not in _COMPRESSIONS:
        raise InflateError(f"unknown compression (field {packing >> 3})")
    if packing == BLOB_BZIP2_DATA:
        raise InflateError("compression bzip2 is not supported, the format has abandoned it")
    if packing == BLOB_RAW:
        raw_size = len(data)
    elif raw_size <= 0:
        raise InflateError("it does not tell the size of its content")
    if raw_size > MAX_BLOB_BYTES:
        raise InflateError(f"content of {raw_size} bytes, at most {MAX_BLOB_BYTES} are allowed")
    return packing, raw_size, data


def _read_usual_blob(blob: memoryview) -> tuple[int, int, memoryview] | None:
    """A Blob message that is a size and zlib data, as most are; None for others. A short cut."""
    if len(blob) < 2 or blob[0] != BLOB_RAW_SIZE:
        return None
    raw_size, position = read_number(blob, 1)
    if position >= len(blob) or blob[position] != BLOB_ZLIB_DATA:
        return None
    length, position = read_number(blob, position + 1)
    if length != len(blob) - position:
        return None
    return BLOB_ZLIB_DATA, raw_size, blob[position:]


def _read_any_blob(blob: memoryview) -> tuple[int, int, memoryview]:
    packing, raw_size, data = -1, -1, blob[:0]
    for key, number, content in _read_fields(blob):
        if key == BLOB_RAW_SIZE:
            raw_size = number
        elif key & 7 == BYTES:
            packing, data = key, content
    return packing, raw_size, data


class _CorruptError(Exception):
    """Compressed data that cannot be inflated."""


def _inflate_zlib(data: memoryview, size: int) -> bytes:
    try:
        content: Any = deflate.zlib_decompress(data, size)  # its buffer, not copied into bytes
        return content  # type: ignore[no-any-return]
    except deflate.DeflateError as error:
        raise _CorruptError from error


def _inflate_lzma(data: memoryview, size: int) -> bytes:
    try:
        return lzma.LZMADecompressor(memlimit=_MAX_LZMA_MEMORY).decompress(data, size + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise _CorruptError from error


def _inflate_lz4(data: memoryview, size: int) -> bytes:
    import lz4.block

    try:
        return bytes(lz4.block.decompress(data, uncompressed_size=size))
    except lz4.block.LZ4BlockError as error:
        raise _CorruptError from error


def _inflate_zstd(data: memoryview, size: int) -> bytes:
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            return reader.read(size + 1)
    except zstandard.ZstdError as error:
        raise _CorruptError from error


_DECOMPRESS = {
    BLOB_ZLIB_DATA: _inflate_zlib,
    BLOB_LZMA_DATA: _inflate_lzma,
    BLOB_LZ4_DATA: _inflate_lz4,
    BLOB_ZSTD_DATA: _inflate_zstd,
}
"""Each inflates data to the size told, or to another if that is what they hold."""
