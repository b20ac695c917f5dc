"""The protocol buffers wire format: varints, spans and field numbers, never read past an end.

Kernels walk over an inflated block, a uint8 array. A position past the end of what is being
read tells that the data is broken there; nothing outside the array is ever touched.
"""

import numpy as np

from gis.arrays import U8
from gis.jit import inner_kernel, int64, plain_kernel

Span = tuple[int, int]
"""First byte and end of the content of a length-delimited field."""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""Wire types."""

FIELD_BITS = 3
"""By which the number of a field is shifted in its key; below is the wire type."""


def _bytes_field(number: int) -> int:
    """What precedes a length-delimited field (bytes, messages, packed numbers)."""
    return number << FIELD_BITS | BYTES


def _varint_field(number: int) -> int:
    """What precedes a field that is one number."""
    return number << FIELD_BITS | VARINT


# Keys of the fields by their names in fileformat.proto ...
BLOB_HEADER_TYPE = _bytes_field(1)
BLOB_HEADER_DATASIZE = _varint_field(3)
BLOB_RAW = _bytes_field(1)
BLOB_RAW_SIZE = _varint_field(2)
BLOB_ZLIB_DATA = _bytes_field(3)
BLOB_LZMA_DATA = _bytes_field(4)
BLOB_BZIP2_DATA = _bytes_field(5)
BLOB_LZ4_DATA = _bytes_field(6)
BLOB_ZSTD_DATA = _bytes_field(7)

# ... and in osmformat.proto.
HEADER_REQUIRED_FEATURES = _bytes_field(4)
HEADER_REPLICATION_TIMESTAMP = _varint_field(32)
BLOCK_STRINGTABLE = _bytes_field(1)
BLOCK_PRIMITIVEGROUP = _bytes_field(2)
BLOCK_GRANULARITY = _varint_field(17)
BLOCK_LAT_OFFSET = _varint_field(19)
BLOCK_LON_OFFSET = _varint_field(20)
STRINGTABLE_S = _bytes_field(1)
GROUP_NODES = _bytes_field(1)
GROUP_DENSE = _bytes_field(2)
GROUP_WAYS = _bytes_field(3)
GROUP_RELATIONS = _bytes_field(4)
NODE_ID = _varint_field(1)
NODE_KEYS = _bytes_field(2)
NODE_VALS = _bytes_field(3)
NODE_LAT = _varint_field(8)
NODE_LON = _varint_field(9)
DENSE_ID = _bytes_field(1)
DENSE_LAT = _bytes_field(8)
DENSE_LON = _bytes_field(9)
DENSE_KEYS_VALS = _bytes_field(10)
WAY_ID = _varint_field(1)
WAY_KEYS = _bytes_field(2)
WAY_VALS = _bytes_field(3)
WAY_REFS = _bytes_field(8)
RELATION_ID = _varint_field(1)
RELATION_KEYS = _bytes_field(2)
RELATION_VALS = _bytes_field(3)
RELATION_ROLES_SID = _bytes_field(8)
RELATION_MEMIDS = _bytes_field(9)
RELATION_TYPES = _bytes_field(10)

READ_AHEAD = 4
"""So many bytes ``read_short_varint`` looks at."""

_MAX_VARINT_BITS = 70
_BITS_63 = 0x7FFFFFFFFFFFFFFF


@inner_kernel
def read_varint(data: U8, position: int, end: int) -> tuple[int, int]:
    """A number of at most 64 bits (as int64) and the position after it, ``end + 1`` if broken."""
    value = int64(0)
    shift = 0
    while position < end and shift < _MAX_VARINT_BITS:
        byte = int64(data[position])
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
    return int64(0), end + 1


@plain_kernel
def read_word(data: U8, position: int) -> int:
    """The four bytes at a position, the first one lowest."""
    at = np.uint64(position)  # unsigned: without a test for negative indices it is one load
    return int64(
        np.uint32(data[at])
        | np.uint32(data[at + np.uint64(1)]) << np.uint32(8)
        | np.uint32(data[at + np.uint64(2)]) << np.uint32(16)
        | np.uint32(data[at + np.uint64(3)]) << np.uint32(24)
    )


@inner_kernel
def read_short_varint(data: U8, position: int, end: int) -> tuple[int, int]:
    """As ``read_varint``, and fast for 1 to 3 bytes; READ_AHEAD bytes of data must follow.

    It may run past ``end``: the caller compares, once, after a run of numbers.
    """
    word = read_word(data, position)
    if word & 0x80 == 0:
        return word & 0x7F, position + 1
    if word & 0x8000 == 0:
        return (word & 0x7F) | ((word & 0x7F00) >> 1), position + 2
    if word & 0x800000 == 0:
        return (word & 0x7F) | ((word & 0x7F00) >> 1) | ((word & 0x7F0000) >> 2), position + 3
    return read_varint(data, position, end)


@plain_kernel
def zigzag(value: int) -> int:
    """The signed number that a varint of type sint64 stands for."""
    return ((value >> 1) & _BITS_63) ^ -(value & 1)


@inner_kernel
def add_step(value: int, step: int, overflow: int) -> tuple[int, int]:
    """The next of delta-coded numbers, by a varint of type sint64.

    ``overflow`` becomes negative, and remains so, when a sum does not fit in 64 bits.
    """
    step = zigzag(step)
    following = value + step
    return following, overflow | ((value ^ following) & (step ^ following))


@inner_kernel
def read_span(data: U8, position: int, end: int) -> Span:
    """Start and stop of a length-delimited field's content; stop is ``end + 1`` if broken."""
    length, start = read_varint(data, position, end)
    if start > end or length < 0 or length > end - start:
        return start, end + 1
    return start, start + length


@inner_kernel
def skip_field(data: U8, position: int, end: int, key: int) -> int:
    """The position after a field's content, ``end + 1`` if broken or of an unknown wire type."""
    wire_type = key & 7
    if wire_type == VARINT:
        position = read_varint(data, position, end)[1]
    elif wire_type == BYTES:
        position = read_span(data, position, end)[1]
    elif wire_type == FIXED64:
        position += 8
    elif wire_type == FIXED32:
        position += 4
    else:
        position = end + 1
    return min(position, end + 1)
