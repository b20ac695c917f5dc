"""Distinct sequences kept once: the strings and the tag sets that decoding comes across.

A pool holds byte strings or sequences of 32-bit numbers. A tag set is such a sequence: key and
value in turn, so that strings and sets share these kernels.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gis.arrays import I64, INVALID, U32, AnyArray, offsets
from gis.jit import plain_kernel
from gis.osm.columns import read_only

_MULTIPLIER = 0x61C88647  # golden ratio, below 2**31: products of 32 bits stay in int64
_FACTORS = (0x0B504F33, 0x00010DCD, 0x00000193)
_LOW_32_BITS = 0xFFFFFFFF
_HASH_BITS = 0x7FFFFFFF
_EMPTY = -1


class Pool(NamedTuple):
    """Distinct sequences in the order of their first use. C of them fit, and I items.

    | array | dtype, shape | content |
    |---|---|---|
    | first | uint32 (C + 1,) | offsets into ``item`` |
    | item | uint8 or uint32 (I,) | the sequences, one after the other |
    | table | int64 (2^k,) | open addressing: hash << 32 or index of a sequence, or -1; > 2 C slots |
    | size | int64 (1,) | how many sequences there are |
    """

    first: U32
    item: npt.NDArray[Any]
    table: I64
    size: I64


@plain_kernel
def _look_up(
    pool: Pool, source: AnyArray, start: U32, stop: U32, longest: int, insert: bool, index: U32
) -> None:
    """Index of each sequence ``source[start[i]:stop[i]]``.

    One that is new is appended if ``insert``, else INVALID, as are all over a length.
    """
    first, item, table, size = pool.first, pool.item, pool.table, pool.size
    last_slot = len(table) - 1
    for row in range(len(index)):
        begin = np.int64(start[row])
        length = np.int64(stop[row]) - begin
        if length > longest:
            index[row] = INVALID
            continue
        hashed = length
        i = begin
        while i + 4 <= begin + length:  # four items a step, for the steps depend on each other
            mixed = np.int64(source[i]) * _FACTORS[0] + np.int64(source[i + 1]) * _FACTORS[1]
            mixed += np.int64(source[i + 2]) * _FACTORS[2] + np.int64(source[i + 3])
            hashed = ((hashed ^ (mixed & _LOW_32_BITS)) * _MULTIPLIER) & _LOW_32_BITS
            hashed ^= hashed >> 15
            i += 4
        while i < begin + length:
            hashed = ((hashed ^ np.int64(source[i])) * _MULTIPLIER) & _LOW_32_BITS
            hashed ^= hashed >> 15
            i += 1
        hashed &= _HASH_BITS
        slot = hashed & last_slot
        found = np.int64(INVALID)
        while table[slot] != _EMPTY:
            known = table[slot] & _LOW_32_BITS
            at = np.int64(first[known])
            if table[slot] >> 32 == hashed and np.int64(first[known + 1]) - at == length:
                i = 0
                while i < length and source[begin + i] == item[at + i]:
                    i += 1
                if i == length:
                    found = known
                    break
            slot = (slot + 1) & last_slot
        if insert and found == INVALID:
            found = size[0]
            at = np.int64(first[found])
            for i in range(length):
                item[at + i] = source[begin + i]
            first[found + 1] = at + length
            table[slot] = hashed << 32 | found
            size[0] = found + 1
        index[row] = found


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
def _number_in_order(used: U32, number: U32, order: U32) -> int:
    """Number the values of ``used`` in the order of their first appearance; returns how many.

    ``number`` (all INVALID before) maps old to new, ``order`` new to old.
    """
    count = 0
    for i in range(len(used)):
        if number[used[i]] == INVALID:
            number[used[i]] = count
            order[count] = used[i]
            count += 1
    return count


def make_pool(dtype: npt.DTypeLike, n_sequences: int = 1 << 10, n_items: int = 1 << 14) -> Pool:
    """An empty pool of uint8 (strings) or uint32 (tag sets) with room for so much."""
    first = np.empty(n_sequences + 1, np.uint32)
    first[0] = 0
    table = np.full(2 << n_sequences.bit_length(), _EMPTY, np.int64)
    return Pool(first, np.empty(n_items, dtype), table, np.zeros(1, np.int64))


def _with_room(pool: Pool, n_sequences: int, n_items: int) -> Pool:
    """The pool itself, or a larger one with the same content, where so much more fits."""
    size = int(pool.size[0])
    used = int(pool.first[size])
    if size + n_sequences < len(pool.first) and used + n_items <= len(pool.item):
        return pool
    larger = make_pool(
        pool.item.dtype,
        max(size + n_sequences, 2 * len(pool.first)),
        max(used + n_items, 2 * len(pool.item)),
    )
    larger.first[: size + 1] = pool.first[: size + 1]
    larger.item[:used] = pool.item[:used]
    larger.size[0] = size
    _fill_table(pool.table, larger.table)
    return larger


def intern(pool: Pool, source: AnyArray, start: U32, stop: U32) -> tuple[Pool, U32]:
    """Intern the n sequences ``source[start[i]:stop[i]]``.

    Returns the pool, replaced if it had to grow, and the index of each sequence, uint32 (n,).
    """
    n_items = int(stop.sum(dtype=np.int64) - start.sum(dtype=np.int64))
    pool = _with_room(pool, len(start), n_items)
    index = np.empty(len(start), np.uint32)
    _look_up(pool, read_only(source), read_only(start), read_only(stop), INVALID, True, index)
    return pool, index


def find(pool: Pool, source: AnyArray, start: U32, stop: U32) -> U32:
    """Index of each of n sequences, INVALID for those that the pool lacks; uint32 (n,)."""
    index = np.empty(len(start), np.uint32)
    longest = int(np.diff(content(pool)[0]).max(initial=0))
    _look_up(pool, read_only(source), read_only(start), read_only(stop), longest, False, index)
    return index


def string_pool(strings: Sequence[str]) -> Pool:
    """A pool of distinct strings."""
    texts = [string.encode() for string in strings]
    first = offsets(np.array([len(text) for text in texts], np.int64))
    source = np.frombuffer(b"".join(texts), np.uint8)
    return intern(make_pool(np.uint8), source, first[:-1], first[1:])[0]


def number_in_order(used: U32, n_values: int) -> tuple[U32, U32]:
    """Number the values of ``used``, all below ``n_values``, in the order of first appearance.

    Returns the values in that order and, for every value, its number (INVALID if never used).
    """
    number = np.full(n_values, INVALID, np.uint32)
    order = np.empty(n_values, np.uint32)
    count = _number_in_order(read_only(used), number, order)
    return order[:count], number


def content(pool: Pool) -> tuple[U32, AnyArray]:
    """The sequences of a pool as offsets (n + 1,) and items."""
    first = pool.first[: int(pool.size[0]) + 1]
    return first, pool.item[: int(first[-1])]
