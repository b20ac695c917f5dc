"""Tags of interest: looked up in a batch's strings, collected per object, interned per batch."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gis.arrays import INVALID, U8, U32, freeze, offsets
from gis.jit import inner_kernel, int64, plain_kernel
from gis.osm.blocks import BAD_STRING, BROKEN, OK, UNEVEN, Batch
from gis.osm.columns import Scratch, own
from gis.osm.interning import (
    Pool,
    content,
    find,
    intern,
    intern_strings,
    make_hint,
    make_pool,
    number_in_order,
    renumber,
)
from gis.osm.tagsets import TagSets
from gis.osm.wire import Span, read_varint


class TagTable(NamedTuple):
    """Tag lists of a batch's objects as they are collected. K seeds, I pairs fit.

    | array | dtype, shape | content |
    |---|---|---|
    | seed | uint32 (X,) | for each string of the batch: index of the seed it is, or INVALID |
    | position | uint32 (2 K,) | for each seed up to two positions in tag sets, INVALID for none |
    | pair | uint32 (2 I,) | position and string of the batch in turn; a list's positions ascend |
    """

    seed: U32
    position: U32
    pair: U32


@inner_kernel
def _put_tag(pair: U32, begin: int, end: int, position: int, value: int) -> int:
    """Insert a tag into the list ``pair[begin:end]`` in order of position; returns the new end."""
    at = end
    while at > begin and pair[at - 2] > position:
        at -= 2
    if at > begin and pair[at - 2] == position:
        return end
    for i in range(end, at, -2):
        pair[i] = pair[i - 2]
        pair[i + 1] = pair[i - 1]
    pair[at] = position
    pair[at + 1] = value
    return end + 2


@inner_kernel
def add_tag(key: int, value: int, strings: Span, table: TagTable, begin: int, end: int) -> int:
    """Add a tag, if it is of interest, to the list ``table.pair[begin:end]``.

    Key and value are strings of a block, whose strings in the batch are ``strings``. Returns the
    new end, -1 where the block has no such string. Of a repeated key the first counts.
    """
    key += strings[0]
    value += strings[0]
    if not (strings[0] <= key < strings[1] and strings[0] <= value < strings[1]):
        return -1
    seed = int64(table.seed[key])
    if seed != INVALID:
        for i in range(2 * seed, 2 * seed + 2):
            if table.position[i] != INVALID:
                end = _put_tag(table.pair, begin, end, int64(table.position[i]), value)
    return end


@plain_kernel
def read_tags(
    data: U8, keys: Span, values: Span, strings: Span, table: TagTable, begin: int
) -> tuple[int, int]:
    """Collect tags of interest from packed lists into ``table.pair`` from ``begin``.

    Returns (OK or the problem, end of the list).
    """
    key_at, value_at = keys[0], values[0]
    end = begin
    while key_at < keys[1] and value_at < values[1] and end >= 0:
        key, key_at = read_varint(data, key_at, keys[1])
        value, value_at = read_varint(data, value_at, values[1])
        end = add_tag(key, value, strings, table, begin, end)
    if end < 0:
        return BAD_STRING, begin
    if key_at > keys[1] or value_at > values[1]:
        return BROKEN, begin
    if key_at < keys[1] or value_at < values[1]:
        return UNEVEN, begin
    return OK, end


class Vocabulary:
    """What to look for in the tags of one kind of objects.

    ``groups`` are one or two lists of keys, for each of which an object gets a tag set; the
    positions of the second group follow those of the first. ``others`` are further strings to
    recognise.
    """

    def __init__(self, groups: Sequence[Sequence[str]], others: Sequence[str] = ()) -> None:
        self.n_groups = len(groups)
        self.keys = [key for group in groups for key in group]
        self.seeds = list(dict.fromkeys([*self.keys, *others]))
        self.seed_pool, _ = intern_strings(make_pool(np.uint8), self.seeds)
        self.hint = make_hint(self.seed_pool)
        number = {seed: i for i, seed in enumerate(self.seeds)}
        position = np.full((len(self.seeds), 2), INVALID, np.uint32)
        begin = 0
        for i, group in enumerate(groups):
            for place, key in enumerate(group, begin):
                position[number[key], i] = place
            begin += len(group)
        self.position = freeze(position.ravel())


class TaskTags(NamedTuple):
    """The strings, and the tag sets of each group of keys, that a task came across."""

    strings: Pool
    sets: list[Pool]


class TagReader:
    """Looks up and interns the tags of a task's objects, batch by batch."""

    def __init__(self, vocabulary: Vocabulary, scratch: Scratch) -> None:
        self._vocabulary = vocabulary
        self._scratch = scratch
        self._strings = make_pool(np.uint8)
        self._sets = [_tagset_pool() for _ in range(vocabulary.n_groups)]

    def look_up(self, batch: Batch) -> TagTable:
        """An empty table for the objects of a batch."""
        known = self._vocabulary
        seed = find(known.seed_pool, known.hint, batch.data, batch.start, batch.stop)
        # A tag takes at least two bytes and up to two pairs.
        pair = self._scratch.array("pair", np.uint32, 2 * len(batch.data))
        return TagTable(seed, known.position, pair)

    def intern_strings(self, batch: Batch, string: U32, begin: int = 0, step: int = 1) -> None:
        """Replace strings of the batch by those of the task, every ``step``-th from ``begin``."""
        order, number = number_in_order(string, len(batch.start), begin, step)
        self._strings, index = intern(
            self._strings, batch.data, batch.start[order], batch.stop[order]
        )
        number[order] = index
        renumber(string, number, begin, step)

    def intern_sets(self, group: int, pair: U32, start: U32, stop: U32) -> U32:
        """Intern lists of (position, string of the task) pairs of a group of keys."""
        self._sets[group], index = intern(self._sets[group], pair, start, stop)
        return index

    def content(self) -> TaskTags:
        """All that was interned."""
        return TaskTags(self._strings, self._sets)


def _tagset_pool() -> Pool:
    """A pool of tag sets that begins with the empty set."""
    pool = make_pool(np.uint32)
    none = np.zeros(1, np.uint32)
    return intern(pool, none, none, none)[0]


class TagMerger:
    """Merges what tasks interned, in the order of the tasks."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._keys = vocabulary.keys
        self._strings = make_pool(np.uint8, 1, 1)
        self._sets: list[Pool] = []

    def merge(self, tags: TaskTags) -> tuple[U32, list[U32]]:
        """Numbers here of the strings of a task and of the sets of each of its groups."""
        if not self._sets:
            self._strings = Pool(*own(tags.strings))
            self._sets = [Pool(*own(pool)) for pool in tags.sets]
            same = [
                np.arange(int(pool.size[0]), dtype=np.uint32)
                for pool in (self._strings, *self._sets)
            ]
            return same[0], same[1:]
        first, text = content(tags.strings)
        self._strings, string = intern(self._strings, text, first[:-1], first[1:])
        numbers = []
        for group, pool in enumerate(tags.sets):
            first, pair = content(pool)
            pair = pair.copy()
            renumber(pair, string, 1, 2)
            self._sets[group], number = intern(self._sets[group], pair, first[:-1], first[1:])
            numbers.append(number)
        return string, numbers

    def tagsets(self, group: int) -> TagSets:
        """The sets of a group, with only the strings that they use, numbered by first use."""
        self._strings, key = intern_strings(self._strings, self._keys)
        sets = self._sets[group] if self._sets else _tagset_pool()
        first, pair = content(sets)
        used = pair.copy()
        renumber(used, key, 0, 2)
        order, number = number_in_order(used, self.n_strings)
        start, stop = self._strings.first[order], self._strings.first[order + np.uint32(1)]
        first_byte = offsets(stop - start)
        byte = np.repeat(start - first_byte[:-1], stop - start)
        byte += np.arange(len(byte), dtype=np.uint32)
        renumber(used, number)
        return TagSets(
            freeze(first // 2),
            freeze(used[0::2]),
            freeze(used[1::2]),
            freeze(first_byte),
            freeze(self._strings.item[byte]),
        )

    @property
    def n_strings(self) -> int:
        return int(self._strings.size[0])

    def string(self, index: int) -> str:
        """One string, bytes that are not UTF-8 replaced."""
        first = self._strings.first
        text = self._strings.item[int(first[index]) : int(first[index + 1])]
        return text.tobytes().decode("utf-8", "replace")
