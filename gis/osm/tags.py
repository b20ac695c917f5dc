"""Tags of interest: looked up in a batch's strings, collected per object, interned per batch."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gis.arrays import INVALID, U8, U32, AnyArray, freeze, offsets
from gis.jit import plain_kernel
from gis.osm.blocks import BAD_STRING, BROKEN, OK, UNEVEN, Batch
from gis.osm.columns import read_only
from gis.osm.interning import Pool, content, find, intern, make_pool, number_in_order, string_pool
from gis.osm.tagsets import TagSets
from gis.osm.wire import Span, read_varint


class TagTable(NamedTuple):
    """Tag lists of a batch's objects as they are collected. K seeds, I pairs fit.

    | array | dtype, shape | content |
    |---|---|---|
    | seed | uint32 (X,) | for each string of the batch: index of the seed it is, or INVALID |
    | position | uint32 (2 K,) | for each seed up to two positions in tag sets, INVALID for none |
    | pair | uint32 (2 I,) | position and string of the batch in turn, positions ascending in a list |
    """

    seed: U32
    position: U32
    pair: U32


@plain_kernel
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


@plain_kernel
def add_tag(key: int, value: int, strings: Span, table: TagTable, begin: int, end: int) -> int:
    """Add a tag, if it is of interest, to the list ``table.pair[begin:end]``.

    Key and value are strings of a block, whose strings in the batch are ``strings``. Returns the
    new end, -1 where the block has no such string. Of a repeated key the first counts.
    """
    key += strings[0]
    value += strings[0]
    if not (strings[0] <= key < strings[1] and strings[0] <= value < strings[1]):
        return -1
    seed = np.int64(table.seed[key])
    if seed != INVALID:
        for i in range(2 * seed, 2 * seed + 2):
            if table.position[i] != INVALID:
                end = _put_tag(table.pair, begin, end, np.int64(table.position[i]), value)
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


class TaskTags(NamedTuple):
    """The strings, and the tag sets of each group of keys, that a task came across, as CSR."""

    strings: tuple[U32, AnyArray]
    sets: list[tuple[U32, AnyArray]]


class TagReader:
    """Looks up and interns the tags of a task's objects, batch by batch.

    ``groups`` are one or two lists of keys, for each of which an object gets a tag set; the
    positions of the second group follow those of the first. ``seeds`` are further strings to
    recognise.
    """

    def __init__(self, groups: Sequence[Sequence[str]], seeds: Sequence[str] = ()) -> None:
        keys = list(dict.fromkeys(key for group in groups for key in group))
        self.seeds = [*keys, *(seed for seed in dict.fromkeys(seeds) if seed not in keys)]
        position = np.full((len(self.seeds), 2), INVALID, np.uint32)
        begin = 0
        for i, group in enumerate(groups):
            for k, key in enumerate(group):
                position[self.seeds.index(key), i] = begin + k
            begin += len(group)
        self._position = freeze(position.ravel())
        self._seeds = string_pool(self.seeds)
        self._strings = string_pool(keys)
        self._sets = [tagset_pool() for _ in groups]
        self._pair = np.empty(0, np.uint32)

    def look_up(self, batch: Batch) -> TagTable:
        """An empty table for the objects of a batch."""
        seed = find(self._seeds, batch.data, batch.start, batch.stop)
        if len(self._pair) < 2 * len(batch.data):
            self._pair = np.empty(2 * len(batch.data), np.uint32)
        return TagTable(seed, self._position, self._pair)

    def intern_strings(self, batch: Batch, used: U32) -> U32:
        """Replace indices of the batch's strings by those of the task's, uint32 (n,)."""
        order, number = number_in_order(used, len(batch.start))
        self._strings, index = intern(
            self._strings, batch.data, batch.start[order], batch.stop[order]
        )
        return index[number[used]]

    def intern_sets(self, group: int, pair: U32, start: U32, stop: U32) -> U32:
        """Intern lists of (position, string of the task) pairs of a group of keys."""
        self._sets[group], index = intern(self._sets[group], pair, start, stop)
        return index

    def content(self) -> TaskTags:
        """All that was interned."""
        return TaskTags(content(self._strings), [content(sets) for sets in self._sets])


def tagset_pool() -> Pool:
    """A pool of tag sets that begins with the empty set."""
    none = np.zeros(1, np.uint32)
    return intern(make_pool(np.uint32), none, none, none)[0]


class TagMerger:
    """Merges what tasks interned, in the order of the tasks."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        keys = [key for group in groups for key in group]
        self._strings = string_pool(list(dict.fromkeys(keys)))
        texts = [key.encode() for key in keys]
        first = offsets(np.array([len(text) for text in texts], np.int64))
        source = np.frombuffer(b"".join(texts), np.uint8)
        self._key_of_position = find(self._strings, source, first[:-1], first[1:])
        self._sets = [tagset_pool() for _ in groups]

    def merge(self, tags: TaskTags) -> tuple[U32, list[U32]]:
        """Numbers here of the strings of a task and of the sets of each of its groups."""
        first, text = tags.strings
        self._strings, string = intern(self._strings, text, first[:-1], first[1:])
        maps = []
        for group, (first, pair) in enumerate(tags.sets):
            mapped = pair.copy()
            mapped[1::2] = string[pair[1::2]]
            self._sets[group], number = intern(self._sets[group], mapped, first[:-1], first[1:])
            maps.append(number)
        return string, maps

    def tagsets(self, group: int) -> TagSets:
        """The sets of a group, with only the strings that they use, numbered by first use."""
        first, pair = content(self._sets[group])
        used = pair.copy()
        used[0::2] = self._key_of_position[pair[0::2]]
        order, number = number_in_order(used, int(self._strings.size[0]))
        start = self._strings.first[order].astype(np.int64)
        length = self._strings.first[order.astype(np.int64) + 1] - start
        first_byte = offsets(length)
        byte = np.repeat(start - first_byte[:-1].astype(np.int64), length) + np.arange(length.sum())
        return TagSets(
            freeze(first // 2),
            freeze(number[used[0::2]]),
            freeze(number[used[1::2]]),
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
