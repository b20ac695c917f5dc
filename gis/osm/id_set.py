"""Sets of OpenStreetMap ids as paged bitmaps, which also tell the position of an id.

Ids of one region come in dense runs, so a bitmap over the pages that are touched takes a few
bits for an id, is filled and merged without sorting ids, and answers "which position has this
id" by counting bits.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, INVALID, U8, U32, freeze
from gis.errors import ResourceError
from gis.jit import plain_kernel
from gis.osm.columns import allocate_together, read_only

PAGE_BITS = 8
"""Ids of a page, 256, fill one cache line of entries."""

MAX_PAGES = 1 << (32 - PAGE_BITS)
"""So many that the code of an id, index of its page and place in it, fits in 32 bits."""

_LEAST_PAGES = 64
_ENTRIES = 1 << (PAGE_BITS - 5)
_IN_PAGE = (1 << PAGE_BITS) - 1
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
    | table | uint32 (2^k,) | open addressing: index of a page or INVALID; at least 2 C slots |
    | size | int64 (1,) | how many pages there are |
    """

    pages: Pages
    table: U32
    size: I64


@plain_kernel
def _slot_of(page: int, n_slots: int) -> int:
    """Where in a table the search for a page begins."""
    mixed = ((page ^ (page >> 32)) & _LOW_32_BITS) * _MULTIPLIER
    return (mixed ^ (mixed >> 17)) & (n_slots - 1)


@plain_kernel
def _add_ids(known: PageTable, ids: I64, code: U32, begin: int) -> int:
    """Add ids and note their codes, from ``begin`` on, as long as pages fit; returns where."""
    page, entry, table, size = known.pages.page, known.pages.entry, known.table, known.size
    # Every id is looked up, even in the page of the one before: a mispredicted branch costs more.
    for i in range(begin, len(ids)):
        number = ids[i] >> PAGE_BITS
        slot = _slot_of(number, len(table))
        while table[slot] != INVALID and page[table[slot]] != number:
            slot = (slot + 1) & (len(table) - 1)
        index = np.int64(table[slot])
        if index == INVALID:
            index = size[0]
            if index == len(page):
                return i
            size[0] = index + 1
            page[index] = number
            table[slot] = index
            entry[index * _ENTRIES : (index + 1) * _ENTRIES] = 0
        at = index << PAGE_BITS | (ids[i] & _IN_PAGE)
        entry[at >> 5] |= np.int64(1) << (at & 31)
        code[i] = at
    return len(ids)


@plain_kernel
def _fill_table(page: I64, table: U32) -> None:
    """Enter distinct pages into an empty table."""
    for index in range(len(page)):
        slot = _slot_of(page[index], len(table))
        while table[slot] != INVALID:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = index


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
        pages.entry[i] = np.int64(n) << 32 | bits
        while bits:
            lowest = bits & -bits
            ids[n] = first + lowest_bit[(lowest * _DE_BRUIJN >> 27) & 31]
            bits ^= lowest
            n += 1


@plain_kernel
def _rank_in_entry(entry: int, bit: int) -> int:
    """Position in the whole set of the id at ``bit`` of an entry."""
    below = entry & ((np.int64(1) << bit) - 1)
    below -= (below >> 1) & 0x55555555
    below = (below & 0x33333333) + ((below >> 2) & 0x33333333)
    below = (below + (below >> 4)) & 0x0F0F0F0F
    return (entry >> 32) + (((below * 0x01010101) >> 24) & 0xFF)


@plain_kernel
def _find_page(page: I64, number: int, near: int) -> int:
    """Index of the last page up to ``number``, at least 0; quick if it is ``near`` or the next."""
    last = len(page) - 1
    if page[near] <= number:
        if near == last or page[near + 1] > number:
            return near
        if near + 1 == last or page[near + 2] > number:
            return near + 1
    low, high = 0, last
    while low < high:
        middle = (low + high + 1) >> 1
        if page[middle] <= number:
            low = middle
        else:
            high = middle - 1
    return low


@plain_kernel
def _find_ids(pages: Pages, ids: I64, position: U32) -> int:
    """Position of each id in a ranked set, INVALID for those it lacks; returns the last found."""
    last = np.int64(INVALID)
    index = 0
    for i in range(len(ids)):
        number = ids[i] >> PAGE_BITS
        if number != pages.page[index]:
            index = _find_page(pages.page, number, index)
        found = np.int64(INVALID)
        entry = pages.entry[index * _ENTRIES + ((ids[i] & _IN_PAGE) >> 5)]
        if number == pages.page[index] and (entry >> (ids[i] & 31)) & 1:
            found = last = _rank_in_entry(entry, ids[i] & 31)
        position[i] = found
    return last


@plain_kernel
def _find_codes(pages: Pages, index: U32, code: U32, position: U32) -> None:
    """Positions of ids of a ranked set, by codes over pages that became pages ``index``."""
    for i in range(len(code)):
        at = np.int64(code[i])
        inside = at & _IN_PAGE
        entry = pages.entry[np.int64(index[at >> PAGE_BITS]) * _ENTRIES + (inside >> 5)]
        position[i] = _rank_in_entry(entry, inside & 31)


def make_page_table(n_pages: int) -> PageTable:
    """An empty set with room for at least so many pages."""
    n_pages = max(n_pages, _LEAST_PAGES)
    n_slots = 1 << (2 * n_pages - 1).bit_length()
    entry, page, table = allocate_together(
        (np.int64, n_pages * _ENTRIES), (np.int64, n_pages), (np.uint32, n_slots)
    )
    table[:] = INVALID
    return PageTable(Pages(page, entry), table, np.zeros(1, np.int64))


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
        _fill_table(pages.page, known.table)
        done = _add_ids(known, ids, code, done)
    return known


def merge_pages(parts: Sequence[Pages]) -> tuple[Pages, list[U32]]:
    """The union of sets, its pages in ascending order, and where each set's pages went."""
    several = parts[0] if len(parts) == 1 else Pages(
        np.concatenate([np.empty(0, np.int64), *(part.page for part in parts)]),
        np.concatenate([np.empty(0, np.int64), *(part.entry for part in parts)]),
    )
    page, entry = allocate_together((np.int64, len(several.page)), (np.int64, len(several.entry)))
    index = np.empty(len(several.page), np.uint32)
    order = np.argsort(several.page)
    n_pages = _merge_pages(several, order, Pages(page, entry), index)
    borders = np.cumsum([len(part.page) for part in parts])[:-1]
    return Pages(page[:n_pages], entry[: n_pages * _ENTRIES]), np.split(read_only(index), borders)


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


def find_ids(pages: Pages, ids: I64, position: U32) -> int:
    """Write the position of each id (n,) in a ranked set, INVALID for those it lacks.

    Returns the position of the last that was found, INVALID if none was.
    """
    if not len(pages.page):
        position[:] = INVALID
        return INVALID
    return _find_ids(pages, ids, position)


def find_codes(pages: Pages, index: U32, code: U32, position: U32) -> None:
    """Write the positions in a ranked set of ids given by codes.

    ``index`` tells where the pages of the codes are in the set, which must have these ids.
    """
    _find_codes(pages, index, code, position)
