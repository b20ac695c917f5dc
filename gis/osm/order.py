"""Finds where in a PBF file the ways begin, looking into few blobs."""

import os

from gis.osm.blobs import (
    MAX_BLOB_BYTES,
    BlobIndex,
    BrokenMessageError,
    InflateError,
    inflate_beginning,
    read_number,
)
from gis.osm.wire import (
    BLOCK_PRIMITIVEGROUP,
    BLOCK_STRINGTABLE,
    GROUP_DENSE,
    GROUP_NODES,
)

_NUMBERS_BYTES = 64
"""Room for the keys and lengths that precede the first object."""


def find_first_road(index: BlobIndex) -> int:
    """The first blob that may hold ways or relations, if the file is sorted as most are.

    Files are seldom marked as sorted, so this is found by bisection and must be verified while
    decoding: all blobs before should hold nodes only.
    """
    low, high = 0, len(index)
    with index.path.open("rb") as file:
        while low < high:
            middle = (low + high) // 2
            start, stop = int(index.start[middle]), int(index.stop[middle])
            if _begins_with_nodes(os.pread(file.fileno(), stop - start, start)):
                low = middle + 1
            else:
                high = middle
    return max(low - 1, 0)  # the last one that begins with nodes may go on with ways


def _begins_with_nodes(blob: bytes) -> bool:
    """Whether the first object of a blob is a node; also for one that is empty or broken."""
    try:
        key, length, strings = _first_field(inflate_beginning(blob, _NUMBERS_BYTES), 0)
        if key != BLOCK_STRINGTABLE or not 0 <= length <= MAX_BLOB_BYTES:
            return True
        content = inflate_beginning(blob, strings + length + _NUMBERS_BYTES)
        key, length, group = _first_field(content, strings + length)
        if key != BLOCK_PRIMITIVEGROUP or length == 0:
            return True
        return read_number(memoryview(content), group)[0] in (GROUP_NODES, GROUP_DENSE)
    except (BrokenMessageError, InflateError):
        return True


def _first_field(content: bytes, position: int) -> tuple[int, int, int]:
    """Key and length of the field at a position, and where its content begins."""
    key, position = read_number(memoryview(content), position)
    length, position = read_number(memoryview(content), position)
    return key, length, position
