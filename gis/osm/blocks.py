"""The frame of an inflated PrimitiveBlock: strings, groups, units and what is in it."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U8, U32
from gis.jit import plain_kernel
from gis.osm.columns import allocate_together
from gis.osm.wire import (
    BLOCK_GRANULARITY,
    BLOCK_LAT_OFFSET,
    BLOCK_LON_OFFSET,
    BLOCK_PRIMITIVEGROUP,
    BLOCK_STRINGTABLE,
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
"""What decoding a group ends with."""

PROBLEMS = {
    BROKEN: "a field runs past the end of its message",
    BAD_STRING: "a tag or role names a string that the block lacks",
    UNEVEN: "lists that belong together differ in length",
    OVERFLOW: "a delta-coded number exceeds 64 bits",
    BAD_MEMBER: "a member is neither a node nor a way nor a relation",
}

N_STRINGS, N_GROUPS, GRANULARITY, LAT_OFFSET, LON_OFFSET = range(5)
N_NODES, N_DENSE, N_WAYS, N_RELATIONS = range(5, 9)


_MAX_OFFSET = 1 << 61


class Frame(NamedTuple):
    """Where things are in a block. At most X strings and G groups.

    | array | dtype, shape | content |
    |---|---|---|
    | start, stop | uint32 (X,) | bytes of each string |
    | group | uint32 (2 G,) | first byte and end of each group |
    | number | int64 (9,) | counts and units, see ``N_STRINGS`` and so on |
    """

    start: U32
    stop: U32
    group: U32
    number: I64


@plain_kernel
def _index_strings(data: U8, position: int, end: int, frame: Frame) -> int:
    """Note the strings of a string table; returns the position reached, past ``end`` if broken."""
    start, stop = frame.start, frame.stop
    n = frame.number[N_STRINGS]
    while position < end:
        key, position = read_varint(data, position, end)
        if key == STRINGTABLE_S:
            start[n], position = read_span(data, position, end)
            stop[n] = position
            n += 1
        else:
            position = skip_field(data, position, end, key)
    frame.number[N_STRINGS] = n
    return position


@plain_kernel
def _count_objects(data: U8, position: int, end: int, number: I64) -> int:
    """Count what is in a group; returns the position reached, past ``end`` if broken."""
    while position < end:
        key, position = read_varint(data, position, end)
        if key == GROUP_NODES:
            number[N_NODES] += 1
        elif key == GROUP_DENSE:
            number[N_DENSE] += 1
        elif key == GROUP_WAYS:
            number[N_WAYS] += 1
        elif key == GROUP_RELATIONS:
            number[N_RELATIONS] += 1
        position = skip_field(data, position, end, key)
    return position


@plain_kernel
def index_block(data: U8, frame: Frame) -> int:
    """Fill the frame of a block; returns -1, or the position of a field that is broken.

    The frame must have room for ``len(data) // 2 + 1`` strings and groups.
    """
    end = len(data)
    number = frame.number
    number[:] = 0
    number[GRANULARITY] = 100
    position = 0
    while position < end:
        begin = position
        key, position = read_varint(data, position, end)
        if key == BLOCK_GRANULARITY:
            number[GRANULARITY], position = read_varint(data, position, end)
        elif key == BLOCK_LAT_OFFSET:
            number[LAT_OFFSET], position = read_varint(data, position, end)
        elif key == BLOCK_LON_OFFSET:
            number[LON_OFFSET], position = read_varint(data, position, end)
        elif key in (BLOCK_STRINGTABLE, BLOCK_PRIMITIVEGROUP):
            start, stop = read_span(data, position, end)
            position = stop
            if stop <= end:
                if key == BLOCK_STRINGTABLE:
                    reached = _index_strings(data, start, stop, frame)
                else:
                    frame.group[2 * number[N_GROUPS]] = start
                    frame.group[2 * number[N_GROUPS] + 1] = stop
                    number[N_GROUPS] += 1
                    reached = _count_objects(data, start, stop, number)
                if reached > stop:
                    position = end + 1
        else:
            position = skip_field(data, position, end, key)
        if (
            position > end
            or number[GRANULARITY] <= 0
            or abs(number[LAT_OFFSET]) > _MAX_OFFSET
            or abs(number[LON_OFFSET]) > _MAX_OFFSET
        ):
            return begin
    return -1


def make_frame(n_bytes: int) -> Frame:
    """A frame for blocks of at most so many bytes."""
    size = n_bytes // 2 + 1
    start, stop, group, number = allocate_together(
        (np.uint32, size), (np.uint32, size), (np.uint32, 2 * size), (np.int64, 9)
    )
    return Frame(start, stop, group, number)
