"""Distinct sequences kept once: the strings and the tag sets that decoding comes across.

A pool holds byte strings or sequences of 32-bit numbers. A tag set is such a sequence: key and
value in turn, so that strings and sets share these kernels.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gis.arrays import I64, INVALID, U8, U32, AnyArray, freeze, offsets
from gis.jit import inner_kernel, int64, plain_kernel
from gis.osm.columns import Scratch, read_only
from gis.osm.wire import read_word

_MULTIPLIER = 0x61C88647  # golden ratio, below 2**31: products of 32 bits stay in int64
_FACTORS = (0x0B504F33, 0x00010DCD, 0x00000193)
_LOW_32_BITS = 0xFFFFFFFF
_HASH_BITS = 0x7FFFFFFF
_EMPTY = -1
_HINT_SIZE = 1 << 10
_NO_HINT = freeze(np.empty(0, np.uint8))


class Pool(NamedTuple):
    """Distinct sequences in the order of their first use. C of them fit, and I items.

    | array | dtype, shape | content |
    |---|---|---|
    | first | uint32 (C + 1,) | offsets into ``item`` |
    | item | uint8 or uint32 (I,) | the sequences, one after the other |
    | table | int64 (2^k,) | open addressing, 2^k > 2 C: hash << 32 or index of a sequence, or -1 |
    | size | int64 (1,) | how many sequences there are |
    """

    first: U32
    item: npt.NDArray[Any]
    table: I64
    size: I64


@inner_kernel
def _hint_of(first_item: int, length: int) -> int:
    """Place in a hint of sequences that begin so and are so long."""
    return (int64(first_item) + 37 * length) & (_HINT_SIZE - 1)


@plain_kernel
def _look_up(
    pool: Pool, source: AnyArray, start: U32, stop: U32, hint: U8, index: U32, begin: int
) -> int:
    """Index of each sequence ``source[start[i]:stop[i]]`` from ``begin`` on; returns the next.

    New ones are appended as long as they fit. With a hint, none are, and they get INVALID.
    """
    first, item, table, size = pool.first, pool.item, pool.table, pool.size
    last_slot = len(table) - 1
    for row in range(begin, len(index)):
        at = int64(start[row])
        length = int64(stop[row]) - at
        index[row] = INVALID
        if len(hint) > 0 and (length == 0 or hint[_hint_of(source[at], length)] == 0):
            continue
        hashed = length
        i = at
        end = at + length
        while i + 4 <= end:  # four items a step, for the steps depend on each other
            mixed = int64(source[i]) * _FACTORS[0] + int64(source[i + 1]) * _FACTORS[1]
            mixed += int64(source[i + 2]) * _FACTORS[2] + int64(source[i + 3])
            hashed = ((hashed ^ (mixed & _LOW_32_BITS)) * _MULTIPLIER) & _LOW_32_BITS
            hashed ^= hashed >> 15
            i += 4
        while i < end:
            hashed = ((hashed ^ int64(source[i])) * _MULTIPLIER) & _LOW_32_BITS
            hashed ^= hashed >> 15
            i += 1
        hashed &= _HASH_BITS
        slot = hashed & last_slot
        found = int64(INVALID)
        while table[slot] != _EMPTY and found == INVALID:
            known = table[slot] & _LOW_32_BITS
            other = int64(first[known])
            if table[slot] >> 32 == hashed and int64(first[known + 1]) - other == length:
                i = 0
                while i < length and source[at + i] == item[other + i]:
                    i += 1
                if i == length:
                    found = known
            slot = (slot + 1) & last_slot
        if found == INVALID and len(hint) == 0:
            found = size[0]
            other = int64(first[found])
            if found + 1 == len(first) or other + length > len(item):
                return row
            for i in range(length):
                item[other + i] = source[at + i]
            first[found + 1] = other + length
            table[slot] = hashed << 32 | found
            size[0] = found + 1
        index[row] = found
    return len(index)


@plain_kernel
def _fill_table(smaller: I64, table: I64) -> None:
    """Enter what a smaller table holds into an empty one."""
    for entry in smaller:
        if entry != _EMPTY:
            slot = (entry >> 32) & (len(table) - 1)
            while table[slot] != _EMPTY:
                slot = (slot + 1) & (len(table) - 1)
            table[slot] = entry


@plain_kernel
def _number_in_order(values: U32, begin: int, step: int, number: U32, order: U32) -> int:
    """Number every ``step``-th value from ``begin`` on by first appearance; returns how many.

    ``number`` (all INVALID before) maps values to numbers, ``order`` numbers to values.
    """
    count = 0
    for i in range(begin, len(values), step):
        if number[values[i]] == INVALID:
            number[values[i]] = count
            order[count] = values[i]
            count += 1
    return count


@plain_kernel
def _renumber(values: U32, begin: int, step: int, number: U32) -> None:
    """Replace every ``step``-th value from ``begin`` on by its number."""
    for i in range(begin, len(values), step):
        values[i] = number[values[i]]


@plain_kernel
def _number_spans(
    data: U8, start: U32, stop: U32, end: U32, table: I64, first: U32, number: U32
) -> int:
    """Number distinct spans of bytes; returns how many. See ``number_spans``."""
    last_slot = len(table) - 1
    count = block = 0
    for row in range(len(start)):
        if row == 0 or row == end[block]:
            table[:] = _EMPTY
            while row == end[block]:
                block += 1
        begin, stopped = int64(start[row]), int64(stop[row])
        hashed = stopped - begin
        i = begin
        while i + 4 <= stopped:
            hashed = ((hashed ^ read_word(data, i)) * _MULTIPLIER) & _LOW_32_BITS
            hashed ^= hashed >> 15
            i += 4
        rest = int64(0)
        while i < stopped:
            rest = rest << 8 | int64(data[i])
            i += 1
        hashed = ((hashed ^ rest) * _MULTIPLIER) & _HASH_BITS
        hashed ^= hashed >> 15
        slot = hashed & last_slot
        found = int64(count)
        while table[slot] != _EMPTY:
            known = table[slot] & _LOW_32_BITS
            other = int64(start[first[known]])
            if table[slot] >> 32 == hashed and stop[first[known]] - other == stopped - begin:
                i = begin
                while i < stopped and data[i] == data[other + i - begin]:
                    i += 1
                if i == stopped:
                    found = known
                    break
            slot = (slot + 1) & last_slot
        if found == count:
            table[slot] = hashed << 32 | count
            first[count] = row
            count += 1
        number[row] = found
    return count


def number_spans(data: U8, start: U32, stop: U32, end: U32, scratch: Scratch) -> tuple[U32, U32]:
    """Number the distinct spans ``data[start[i]:stop[i]]``, n of them, block by block.

    ``end`` tells where the spans of each block end; those of different blocks are not compared.
    Returns the first row that has each span, ascending, and the number of each row, (n,).
    """
    n = len(start)
    first, number = np.empty(n, np.uint32), np.empty(n, np.uint32)
    most = int(np.diff(end, prepend=np.uint32(0)).max(initial=0))
    table = scratch.array("spans", np.int64, 1 << (2 * most + 1).bit_length())
    count = _number_spans(data, start, stop, end, table, first, number)
    return first[:count], number


def make_pool(dtype: npt.DTypeLike, n_sequences: int = 1 << 12, n_items: int = 1 << 16) -> Pool:
    """An empty pool of uint8 (strings) or uint32 (tag sets) with room for so much."""
    first = np.empty(n_sequences + 1, np.uint32)
    first[0] = 0
    table = np.full(2 << n_sequences.bit_length(), _EMPTY, np.int64)
    return Pool(first, np.empty(n_items, dtype), table, np.zeros(1, np.int64))


def _grow(pool: Pool, n_items: int) -> Pool:
    """A pool with the same content, twice as large or so that a sequence of n items fits."""
    first, item = content(pool)
    larger = make_pool(pool.item.dtype, 2 * len(first), max(2 * len(item), len(item) + n_items))
    larger.first[: len(first)] = first
    larger.item[: len(item)] = item
    larger.size[0] = pool.size[0]
    _fill_table(pool.table, larger.table)
    return larger


def intern(pool: Pool, source: AnyArray, start: U32, stop: U32) -> tuple[Pool, U32]:
    """Intern the n sequences ``source[start[i]:stop[i]]``.

    Returns the pool, replaced if it had to grow, and the index of each sequence, uint32 (n,).
    """
    index = np.empty(len(start), np.uint32)
    source, start, stop = read_only(source), read_only(start), read_only(stop)
    done = _look_up(pool, source, start, stop, _NO_HINT, index, 0)
    while done < len(index):
        pool = _grow(pool, int(stop[done]) - int(start[done]))
        done = _look_up(pool, source, start, stop, _NO_HINT, index, done)
    return pool, index


def make_hint(pool: Pool) -> U8:
    """What makes ``find`` fast where most sequences are not in the pool, none of it empty."""
    first, item = content(pool)
    hint = np.zeros(_HINT_SIZE, np.uint8)
    for start, stop in pairwise(first.tolist()):
        hint[(int(item[start]) + 37 * (stop - start)) % _HINT_SIZE] = 1
    return freeze(hint)


def find(pool: Pool, hint: U8, source: AnyArray, start: U32, stop: U32) -> U32:
    """Index of each of n sequences, INVALID for those that the pool lacks; uint32 (n,)."""
    index = np.empty(len(start), np.uint32)
    _look_up(pool, read_only(source), read_only(start), read_only(stop), hint, index, 0)
    return index


def intern_strings(pool: Pool, strings: Sequence[str]) -> tuple[Pool, U32]:
    """Intern strings of Python; see ``intern``."""
    texts = [string.encode() for string in strings]
    first = offsets(np.array([len(text) for text in texts], np.int64))
    return intern(pool, np.frombuffer(b"".join(texts), np.uint8), first[:-1], first[1:])


def number_in_order(values: U32, n_values: int, begin: int = 0, step: int = 1) -> tuple[U32, U32]:
    """Number the values, all below ``n_values``, by first appearance; of them every ``step``-th.

    Returns the values in that order and, for every value, its number (INVALID if never used).
    """
    number = np.full(n_values, INVALID, np.uint32)
    order = np.empty(n_values, np.uint32)
    count = _number_in_order(values, begin, step, number, order)
    return order[:count], number


def renumber(values: U32, number: U32, begin: int = 0, step: int = 1) -> None:
    """Replace values by their numbers, in place; every ``step``-th of them."""
    _renumber(values, begin, step, number)


def content(pool: Pool) -> tuple[U32, AnyArray]:
    """The sequences of a pool as offsets (n + 1,) and items."""
    first = pool.first[: int(pool.size[0]) + 1]
    return first, pool.item[: int(first[-1])]
