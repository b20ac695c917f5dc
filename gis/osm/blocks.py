"""Inflated PrimitiveBlocks, several in one buffer, and where things are in them.

Many files have small blocks; taken one by one, each would cost more in Python than in kernels.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U8, U32
from gis.errors import FormatError
from gis.jit import inner_kernel, int64, plain_kernel
from gis.osm.blobs import BlobIndex, inflated
from gis.osm.columns import Scratch
from gis.osm.wire import (
    BLOCK_GRANULARITY,
    BLOCK_LAT_OFFSET,
    BLOCK_LON_OFFSET,
    BLOCK_PRIMITIVEGROUP,
    BLOCK_STRINGTABLE,
    STRINGTABLE_S,
    read_span,
    read_varint,
    skip_field,
)

OK, UNORDERED, BROKEN, BAD_STRING, UNEVEN, OVERFLOW, BAD_MEMBER = range(7)
"""What decoding ends with. All but the first two are errors."""

_PROBLEMS = {
    BROKEN: "a field runs past the end of its message",
    BAD_STRING: "a tag or role names a string that the block lacks",
    UNEVEN: "lists that belong together differ in length",
    OVERFLOW: "a delta-coded number exceeds 64 bits",
    BAD_MEMBER: "a member is neither a node nor a way nor a relation",
}

BATCH_BYTES = 1 << 20
"""Blocks are decoded together up to so many bytes."""

FIRST_STRING, END_STRING, FIRST_GROUP, END_GROUP, GRANULARITY, LAT_OFFSET, LON_OFFSET = range(7)
KINDS = 7
N_FACTS = 8
"""What is known of a block; the kinds once its objects were decoded, a bit for each field."""

NODES, DENSE, WAYS, RELATIONS = 1 << 1, 1 << 2, 1 << 3, 1 << 4
"""Kinds of objects: bits by the number of their field in a group."""

_MAX_OFFSET = 1 << 61


class Batch(NamedTuple):
    """Some blocks of a file. B blocks, X strings, G groups.

    | array | dtype, shape | content |
    |---|---|---|
    | data | uint8 | the blocks, one after the other |
    | end | uint32 (B,) | where each block ends |
    | fact | int64 (B, 8) | what is in each block, see ``FIRST_STRING`` and so on |
    | start, stop | uint32 (X,) | bytes of the strings of all blocks |
    | group | uint32 (G, 2) | first byte and end of the groups of all blocks |
    """

    data: U8
    end: U32
    fact: I64
    start: U32
    stop: U32
    group: U32


@inner_kernel
def _index_strings(
    data: U8, position: int, end: int, n_strings: int, start: U32, stop: U32
) -> tuple[int, int]:
    """Note the strings of a table: (their new number, position reached, past ``end`` if broken)."""
    while position < end:
        key, position = read_varint(data, position, end)
        if key == STRINGTABLE_S:
            start[n_strings], position = read_span(data, position, end)
            stop[n_strings] = position
            n_strings += 1
        else:
            position = skip_field(data, position, end, key)
    return n_strings, position


@inner_kernel
def _index_block(batch: Batch, position: int, end: int, fact: I64) -> int:
    """Fill in the facts, strings and groups of a block; returns -1, or where it is broken."""
    data = batch.data
    while position < end:
        begin = position
        key, position = read_varint(data, position, end)
        if key == BLOCK_GRANULARITY:
            fact[GRANULARITY], position = read_varint(data, position, end)
        elif key == BLOCK_LAT_OFFSET:
            fact[LAT_OFFSET], position = read_varint(data, position, end)
        elif key == BLOCK_LON_OFFSET:
            fact[LON_OFFSET], position = read_varint(data, position, end)
        elif key == BLOCK_STRINGTABLE:
            start, position = read_span(data, position, end)
            if position <= end:
                fact[END_STRING], reached = _index_strings(
                    data, start, position, fact[END_STRING], batch.start, batch.stop
                )
                if reached > position:
                    return begin
        elif key == BLOCK_PRIMITIVEGROUP:
            start, position = read_span(data, position, end)
            batch.group[fact[END_GROUP], 0] = start
            batch.group[fact[END_GROUP], 1] = position
            fact[END_GROUP] += 1
        else:
            position = skip_field(data, position, end, key)
        if position > end or fact[GRANULARITY] <= 0:
            return begin
        if max(abs(fact[LAT_OFFSET]), abs(fact[LON_OFFSET])) > _MAX_OFFSET:
            return begin
    return -1


@plain_kernel
def _index_blocks(batch: Batch) -> tuple[int, int]:
    """Fill in all but ``data`` and ``end``: (OK, -), or (BROKEN, where)."""
    position = n_strings = n_groups = int64(0)
    for block in range(len(batch.end)):
        fact = batch.fact[block]
        fact[:] = 0
        fact[GRANULARITY] = 100
        fact[FIRST_STRING] = fact[END_STRING] = n_strings
        fact[FIRST_GROUP] = fact[END_GROUP] = n_groups
        broken = _index_block(batch, position, int64(batch.end[block]), fact)
        if broken >= 0:
            return BROKEN, broken
        position = int64(batch.end[block])
        n_strings = fact[END_STRING]
        n_groups = fact[END_GROUP]
    return OK, position


class BatchReader:
    """Inflates blobs and indexes them, batch by batch."""

    def __init__(self, index: BlobIndex, scratch: Scratch) -> None:
        self._index = index
        self._scratch = scratch
        self._blobs: list[int] = []
        self._end = np.empty(0, np.uint32)

    def read(self, blobs: I64) -> Iterator[Batch]:
        """Yield the blobs in batches, each valid until the next is asked for."""
        contents: list[bytes] = []
        n_bytes = 0
        for blob, content in inflated(self._index, blobs):
            if contents and n_bytes + len(content) > BATCH_BYTES:
                yield self._index_batch(contents, n_bytes)
                contents, n_bytes, self._blobs = [], 0, []
            if content:
                contents.append(content)
                n_bytes += len(content)
                self._blobs.append(blob)
        if contents:
            yield self._index_batch(contents, n_bytes)

    def blobs_with(self, batch: Batch, kinds: int) -> list[int]:
        """The blobs of the last batch that hold objects of these kinds."""
        blocks = np.flatnonzero(batch.fact[:, KINDS] & kinds)
        return [self._blobs[block] for block in blocks.tolist()]

    def check(self, status: int, position: int) -> None:
        """Raise the error that decoding the last batch ended with, if it did."""
        if status in _PROBLEMS:
            raise self._error(status, position)

    def _error(self, status: int, position: int) -> FormatError:
        block = min(int(np.searchsorted(self._end, position, "right")), len(self._end) - 1)
        inside = position - (int(self._end[block - 1]) if block else 0)
        where = f"{_PROBLEMS[status]} (at byte {inside} of its content)"
        return self._index.error(self._blobs[block], where)

    def _index_batch(self, contents: list[bytes], n_bytes: int) -> Batch:
        room = max(n_bytes, BATCH_BYTES)
        most = room // 2  # a string or a group takes at least two bytes
        batch = Batch(
            self._scratch.array("data", np.uint8, room)[:n_bytes],
            np.cumsum([len(content) for content in contents]).astype(np.uint32),
            np.empty((len(contents), N_FACTS), np.int64),
            self._scratch.array("string start", np.uint32, most),
            self._scratch.array("string stop", np.uint32, most),
            self._scratch.array("group", np.uint32, most, 2),
        )
        self._end = batch.end
        for content, end in zip(contents, batch.end.tolist(), strict=True):
            batch.data[end - len(content) : end] = np.frombuffer(content, np.uint8)
        self.check(*_index_blocks(batch))
        n_strings, n_groups = batch.fact[-1, [END_STRING, END_GROUP]].tolist()
        return batch._replace(
            start=batch.start[:n_strings],
            stop=batch.stop[:n_strings],
            group=batch.group[:n_groups],
        )
