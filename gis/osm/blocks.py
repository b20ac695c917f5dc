"""Inflated PrimitiveBlocks, several in one buffer, and where things are in them.

Many files have small blocks; taken one by one, each would cost more in Python than in kernels.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U8, U32
from gis.errors import FormatError
from gis.jit import plain_kernel
from gis.osm.blobs import BlobIndex, inflated
from gis.osm.wire import (
    BLOCK_GRANULARITY,
    BLOCK_LAT_OFFSET,
    BLOCK_LON_OFFSET,
    BLOCK_PRIMITIVEGROUP,
    BLOCK_STRINGTABLE,
    DENSE_ID,
    GROUP_DENSE,
    GROUP_NODES,
    GROUP_RELATIONS,
    GROUP_WAYS,
    STRINGTABLE_S,
    read_span,
    read_varint,
    skip_field,
)

OK, BROKEN, BAD_STRING, UNEVEN, OVERFLOW, BAD_MEMBER = range(6)
"""What decoding ends with."""

_PROBLEMS = {
    BROKEN: "a field runs past the end of its message",
    BAD_STRING: "a tag or role names a string that the block lacks",
    UNEVEN: "lists that belong together differ in length",
    OVERFLOW: "a delta-coded number exceeds 64 bits",
    BAD_MEMBER: "a member is neither a node nor a way nor a relation",
}

BATCH_BYTES = 1 << 19
"""Blocks are decoded together up to so many bytes, which fit in the cache of a processor."""

_MAX_OFFSET = 1 << 61

FIRST_STRING, END_STRING, FIRST_GROUP, END_GROUP, GRANULARITY, LAT_OFFSET, LON_OFFSET = range(7)
N_NODES, N_DENSE, N_WAYS, N_RELATIONS = range(7, 11)
N_FACTS = 11
"""What is known of a block. ``N_NODES`` counts all nodes, ``N_DENSE`` the lists of dense ones."""


class Batch(NamedTuple):
    """Some blocks of a file. B blocks, X strings, G groups.

    | array | dtype, shape | content |
    |---|---|---|
    | data | uint8 | the blocks, one after the other |
    | end | uint32 (B,) | where each block ends |
    | fact | int64 (B, 11) | what is in each block, see ``FIRST_STRING`` and so on |
    | start, stop | uint32 (X,) | bytes of the strings of all blocks |
    | group | uint32 (G, 2) | first byte and end of the groups of all blocks |
    """

    data: U8
    end: U32
    fact: I64
    start: U32
    stop: U32
    group: U32


@plain_kernel
def _index_strings(
    data: U8, position: int, end: int, n_strings: int, start: U32, stop: U32
) -> tuple[int, int]:
    """Note the strings of a string table: (new number, position reached, past ``end`` if broken)."""
    while position < end:
        key, position = read_varint(data, position, end)
        if key == STRINGTABLE_S:
            start[n_strings], position = read_span(data, position, end)
            stop[n_strings] = position
            n_strings += 1
        else:
            position = skip_field(data, position, end, key)
    return n_strings, position


@plain_kernel
def _count_dense_nodes(data: U8, position: int, end: int) -> int:
    """How many nodes a list has, at most: how many numbers end in its ids."""
    n = 0
    while position < end:
        key, position = read_varint(data, position, end)
        if key == DENSE_ID:
            start, stop = read_span(data, position, end)
            for i in range(start, min(stop, end)):
                n += data[i] < 128
        position = skip_field(data, position, end, key)
    return n


@plain_kernel
def _count_objects(data: U8, position: int, end: int, fact: I64) -> int:
    """Count what is in a group; returns the position reached, past ``end`` if broken."""
    while position < end:
        key, position = read_varint(data, position, end)
        if key == GROUP_NODES:
            fact[N_NODES] += 1
        elif key == GROUP_DENSE:
            start, stop = read_span(data, position, end)
            fact[N_NODES] += _count_dense_nodes(data, start, min(stop, end))
            fact[N_DENSE] += 1
        elif key == GROUP_WAYS:
            fact[N_WAYS] += 1
        elif key == GROUP_RELATIONS:
            fact[N_RELATIONS] += 1
        position = skip_field(data, position, end, key)
    return position


@plain_kernel
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
        elif key in (BLOCK_STRINGTABLE, BLOCK_PRIMITIVEGROUP):
            start, stop = read_span(data, position, end)
            position = stop
            if stop <= end:
                if key == BLOCK_STRINGTABLE:
                    fact[END_STRING], reached = _index_strings(
                        data, start, stop, fact[END_STRING], batch.start, batch.stop
                    )
                else:
                    batch.group[fact[END_GROUP], 0] = start
                    batch.group[fact[END_GROUP], 1] = stop
                    fact[END_GROUP] += 1
                    reached = _count_objects(data, start, stop, fact)
                if reached > stop:
                    return begin
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
    position = n_strings = n_groups = np.int64(0)
    for block in range(len(batch.end)):
        fact = batch.fact[block]
        fact[:] = 0
        fact[GRANULARITY] = 100
        fact[FIRST_STRING] = fact[END_STRING] = n_strings
        fact[FIRST_GROUP] = fact[END_GROUP] = n_groups
        broken = _index_block(batch, position, np.int64(batch.end[block]), fact)
        if broken >= 0:
            return BROKEN, broken
        position = np.int64(batch.end[block])
        n_strings = fact[END_STRING]
        n_groups = fact[END_GROUP]
    return OK, position


class BatchReader:
    """Inflates blobs and indexes them, batch by batch."""

    def __init__(self, index: BlobIndex) -> None:
        self._index = index
        self._blobs: list[int] = []
        self._batch = _make_batch(0, 0)

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

    def blob_of(self, block: int) -> int:
        """The blob that a block of the last batch came from."""
        return self._blobs[block]

    def check(self, status: int, position: int) -> None:
        """Raise the error that decoding the last batch ended with, if it did."""
        if status != OK:
            raise self.error(status, position)

    def error(self, status: int, position: int) -> FormatError:
        """The error at a position in the data of the last batch."""
        end = self._batch.end[: len(self._blobs)]
        block = min(int(np.searchsorted(end, position, "right")), len(end) - 1)
        inside = position - (int(end[block - 1]) if block else 0)
        where = f"{_PROBLEMS[status]} (at byte {inside} of its content)"
        return self._index.error(self._blobs[block], where)

    def _index_batch(self, contents: list[bytes], n_bytes: int) -> Batch:
        room = self._batch
        if len(room.data) < n_bytes or len(room.end) < len(contents):
            room = self._batch = _make_batch(max(n_bytes, BATCH_BYTES), 2 * len(contents))
        batch = room._replace(data=room.data[:n_bytes], end=room.end[: len(contents)])
        begin = 0
        for block, content in enumerate(contents):
            batch.data[begin : begin + len(content)] = np.frombuffer(content, np.uint8)
            begin += len(content)
            batch.end[block] = begin
        self.check(*_index_blocks(batch))
        last = batch.fact[len(contents) - 1]
        return batch._replace(
            fact=batch.fact[: len(contents)],
            start=batch.start[: int(last[END_STRING])],
            stop=batch.stop[: int(last[END_STRING])],
            group=batch.group[: int(last[END_GROUP])],
        )


def _make_batch(n_bytes: int, n_blocks: int) -> Batch:
    """Room for some blocks: a string and a group take at least two bytes each."""
    return Batch(
        np.empty(n_bytes, np.uint8),
        np.empty(n_blocks, np.uint32),
        np.empty((n_blocks, N_FACTS), np.int64),
        np.empty(n_bytes // 2, np.uint32),
        np.empty(n_bytes // 2, np.uint32),
        np.empty((n_bytes // 2, 2), np.uint32),
    )


def total(batch: Batch, fact: int) -> int:
    """A count summed over the blocks of a batch."""
    return int(batch.fact[:, fact].sum())
