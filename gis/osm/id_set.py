"""Sets of OpenStreetMap ids as paged bitmaps, which also tell the position of an id.

Ids of one region come in dense runs, so a bitmap over the pages that are touched takes a few
bits for an id, is filled and merged without sorting ids, and answers "which position has this
id" by counting bits.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U8, U32, freeze
from gis.errors import ResourceError
from gis.jit import inner_kernel, int64, plain_kernel
from gis.osm.columns import allocate_together, read_only

PAGE_BITS = 8
"""Ids of a page, 256, fill one cache line of entries."""

MAX_PAGES = (1 << (32 - PAGE_BITS)) - 1
"""So many that the code of an id, index of its page and place in it, fits in 32 bits."""

_LEAST_PAGES = 64
_ENTRIES = 1 << (PAGE_BITS - 5)
_IN_PAGE = (1 << PAGE_BITS) - 1
_INDEX_BITS = 32 - PAGE_BITS
_INDEX = (1 << _INDEX_BITS) - 1
_FAR_PAGE = 1 << (63 - _INDEX_BITS)
_FREE = -1
_SLOTS_PER_PAGE = 4  # few collisions: each costs a mispredicted branch
_MULTIPLIER = 0x61C88647  # golden ratio, below 2**31: products of 32 bits stay in int64
_DE_BRUIJN = 0x077CB531
_LOW_32_BITS = 0xFFFFFFFF


class Pages(NamedTuple):
    """A set of ids, page by page. P pages.

    | array | dtype, shape | content |
    |---|---|---|
    | page | int64 (P,) | number of the page: id >> 8 |
    | entry | int64 (8 P,) | 32 ids each: bit i for id i, and above them the rank of the first |

    The *code* of an id is ``index of its page << 8 | id & 255``. A *ranked* set has its pages in
    ascending order, and the ranks: positions of ids in the whole set.
    """

    page: I64
    entry: I64


class PageTable(NamedTuple):
    """A set of ids that grows, without ranks, its pages in the order of first use. C pages fit.

    | field | dtype, shape | content |
    |---|---|---|
    | pages | Pages | room for C pages |
    | table | int64 (2^k,) | open addressing: 40 bits of a page's number, and its index, or -1 |
    | size | int64 (2,) | how many pages there are; whether a number needs more than 40 bits |
    """

    pages: Pages
    table: I64
    size: I64


@inner_kernel
def _find_slot(known: PageTable, number: int) -> int:
    """The slot of the table that holds a page, or the free one where it belongs."""
    page, table, size = known.pages.page, known.table, known.size
    if not -_FAR_PAGE <= number < _FAR_PAGE:
        size[1] = 1
    mixed = ((number ^ (number >> 32)) & _LOW_32_BITS) * _MULTIPLIER
    slot = (mixed ^ (mixed >> 17)) & (len(table) - 1)
    while table[slot] != _FREE and (
        (table[slot] ^ (number << _INDEX_BITS)) >> _INDEX_BITS != 0
        or (size[1] != 0 and page[table[slot] & _INDEX] != number)
    ):
        slot = (slot + 1) & (len(table) - 1)
    return slot


@plain_kernel
def _add_ids(known: PageTable, ids: I64, code: U32, begin: int) -> int:
    """Add ids and note their codes, from ``begin`` on, as long as pages fit; returns where."""
    page, entry, table, size = known.pages.page, known.pages.entry, known.table, known.size
    # Every id is looked up, even in the page of the one before: a mispredicted branch costs more.
    for i in range(begin, len(ids)):
        number = ids[i] >> PAGE_BITS
        slot = _find_slot(known, number)
        if table[slot] == _FREE:
            index = size[0]
            if index == len(page):
                return i
            size[0] = index + 1
            page[index] = number
            table[slot] = number << _INDEX_BITS | index
            entry[index * _ENTRIES : (index + 1) * _ENTRIES] = 0
        at = (table[slot] & _INDEX) << PAGE_BITS | (ids[i] & _IN_PAGE)
        entry[at >> 5] |= int64(1) << (at & 31)
        code[i] = at
    return len(ids)


@plain_kernel
def _fill_table(known: PageTable) -> None:
    """Enter all pages into an empty table."""
    for index in range(known.size[0]):
        number = known.pages.page[index]
        known.table[_find_slot(known, number)] = number << _INDEX_BITS | index


@plain_kernel
def _merge_pages(several: Pages, order: I64, merged: Pages, index: U32) -> int:
    """Merge pages, some of equal number, in ascending ``order``; returns how many are left.

    ``index`` tells where each page went.
    """
    n_merged = -1
    for i in order:
        if n_merged < 0 or merged.page[n_merged] != several.page[i]:
            n_merged += 1
            merged.page[n_merged] = several.page[i]
            merged.entry[n_merged * _ENTRIES : (n_merged + 1) * _ENTRIES] = 0
        index[i] = n_merged
        for k in range(_ENTRIES):
            merged.entry[n_merged * _ENTRIES + k] |= several.entry[i * _ENTRIES + k]
    return n_merged + 1


@plain_kernel
def _rank_ids(pages: Pages, lowest_bit: U8, ids: I64) -> None:
    """Write the ranks into the entries, and the ids themselves."""
    n = 0
    for i in range(len(pages.entry)):
        first = (pages.page[i // _ENTRIES] << PAGE_BITS) + 32 * (i % _ENTRIES)
        bits = pages.entry[i]
        pages.entry[i] = int64(n) << 32 | bits
        while bits:
            lowest = bits & -bits
            ids[n] = first + lowest_bit[(lowest * _DE_BRUIJN >> 27) & 31]
            bits ^= lowest
            n += 1


@inner_kernel
def _rank_in_entry(entry: int, bit: int) -> int:
    """Position in the whole set of the id at ``bit`` of an entry."""
    # In this form compilers recognise the counting of bits, which processors have an instruction
    # for.
    below = np.uint64(entry & ((int64(1) << bit) - 1))
    below -= (below >> np.uint64(1)) & np.uint64(0x5555555555555555)
    below = (below & np.uint64(0x3333333333333333)) + (
        (below >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    below = (below + (below >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    count = (below * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return (entry >> 32) + int64(count)


@plain_kernel
def _find_codes(pages: Pages, index: U32, code: U32, position: U32) -> None:
    """Positions of ids of a ranked set, by codes over pages that became pages ``index``."""
    for i in range(len(code)):
        at = int64(code[i])
        inside = at & _IN_PAGE
        entry = pages.entry[int64(index[at >> PAGE_BITS]) * _ENTRIES + (inside >> 5)]
        position[i] = _rank_in_entry(entry, inside & 31)


def make_page_table(n_pages: int) -> PageTable:
    """An empty set with room for at least so many pages, ``MAX_PAGES`` at most."""
    n_pages = min(max(n_pages, _LEAST_PAGES), MAX_PAGES)
    n_slots = 1 << (_SLOTS_PER_PAGE * n_pages - 1).bit_length()
    entry, page, table = allocate_together(
        (np.int64, n_pages * _ENTRIES), (np.int64, n_pages), (np.int64, n_slots)
    )
    table[:] = _FREE
    return PageTable(Pages(page, entry), table, np.zeros(2, np.int64))


def pages_of(known: PageTable) -> Pages:
    """The pages in use."""
    n_pages = int(known.size[0])
    return Pages(known.pages.page[:n_pages], known.pages.entry[: n_pages * _ENTRIES])


def add_ids(known: PageTable, ids: I64, code: U32) -> PageTable:
    """Add ids (n,) and write their codes (n,); returns the set, replaced if it had to grow."""
    done = _add_ids(known, ids, code, 0)
    while done < len(ids):
        pages = pages_of(known)
        if len(pages.page) >= MAX_PAGES:
            raise ResourceError(f"ids of one part of the file lie on more than {MAX_PAGES} pages")
        known = make_page_table(2 * len(pages.page))
        known.pages.page[: len(pages.page)] = pages.page
        known.pages.entry[: len(pages.entry)] = pages.entry
        known.size[0] = len(pages.page)
        _fill_table(known)
        done = _add_ids(known, ids, code, done)
    return known


def merge_pages(parts: Sequence[Pages]) -> tuple[Pages, list[U32]]:
    """The union of sets, its pages in ascending order, and where each set's pages went."""
    several = (
        parts[0]
        if len(parts) == 1
        else Pages(
            np.concatenate([np.empty(0, np.int64), *(part.page for part in parts)]),
            np.concatenate([np.empty(0, np.int64), *(part.entry for part in parts)]),
        )
    )
    page, entry = allocate_together((np.int64, len(several.page)), (np.int64, len(several.entry)))
    index = np.empty(len(several.page), np.uint32)
    order = _ascending(several.page)
    n_pages = _merge_pages(several, order, Pages(page, entry), index)
    borders = np.cumsum([len(part.page) for part in parts])[:-1]
    return Pages(page[:n_pages], entry[: n_pages * _ENTRIES]), np.split(read_only(index), borders)


def _ascending(page: I64) -> I64:
    """The order of the pages by number."""
    if (
        not len(page)
        or int(page.max()) - int(page.min()) >= 1 << (63 - _INDEX_BITS)
        or len(page) > _INDEX
    ):
        return freeze(np.argsort(page))
    # Sorting numbers together with their places is several times as fast.
    packed = (page - page.min()) << _INDEX_BITS | np.arange(len(page))
    packed.sort()
    return freeze(packed & _INDEX)


def count_ids(pages: Pages) -> int:
    """Number of ids in a set without ranks."""
    return int(np.bitwise_count(pages.entry).sum(dtype=np.int64))


def _lowest_bits() -> U8:
    """Number of the lowest bit, by the top five bits of its product with the de Bruijn word."""
    table = np.zeros(32, np.uint8)
    for bit in range(32):
        table[(_DE_BRUIJN << bit >> 27) & 31] = bit
    return freeze(table)


_LOWEST_BIT = _lowest_bits()


def rank_ids(pages: Pages, ids: I64) -> None:
    """Write the ranks into the entries of an ascending set, and its ids into ``ids`` (n,)."""
    if len(ids) >= 2**31:
        raise ResourceError(f"the roads have {len(ids)} nodes, but at most {2**31 - 1} fit")
    _rank_ids(pages, _LOWEST_BIT, ids)


def find_codes(pages: Pages, index: U32, code: U32, position: U32) -> None:
    """Write the positions in a ranked set of ids given by codes.

    ``index`` tells where the pages of the codes are in the set, which must have these ids.
    """
    _find_codes(pages, index, code, position)
