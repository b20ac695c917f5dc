"""Decodes ways: those that are roads, with their tags of interest and the nodes they name."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, INVALID, U8, U32, freeze
from gis.jit import plain_kernel
from gis.osm.blocks import (
    BROKEN,
    END_GROUP,
    END_STRING,
    FIRST_GROUP,
    FIRST_STRING,
    N_WAYS,
    OK,
    OVERFLOW,
    Batch,
    total,
)
from gis.osm.columns import Column, allocate_together
from gis.osm.id_set import Pages, add_ids, make_page_table, pages_of
from gis.osm.tables import TagSelection
from gis.osm.tags import TagReader, TagTable, TaskTags, read_tags
from gis.osm.wire import (
    GROUP_WAYS,
    WAY_ID,
    WAY_KEYS,
    WAY_REFS,
    WAY_VALS,
    Span,
    add_step,
    read_span,
    read_varint,
    skip_field,
)

_ANY, _LISTED = 1, 2


class RoadFilter(NamedTuple):
    """Which ways are roads. S seeds of the tag reader, V values that count.

    | array | dtype, shape | content |
    |---|---|---|
    | rule | uint8 (S,) | a key: 0 says nothing, 1 any value makes a road, 2 a listed value does |
    | key, value | uint32 (V,) | the listed tags, as seeds |
    """

    rule: U8
    key: U32
    value: U32


class WayRows(NamedTuple):
    """The roads of a batch. W ways fit.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (W,) | OpenStreetMap id |
    | start, stop | uint32 (W,) | bytes of the references |
    | first | uint32 (2 W + 1,) | offsets into the pairs of the tag table: tags and labels in turn |
    """

    id: I64
    start: U32
    stop: U32
    first: U32


class RoadPart(NamedTuple):
    """The roads of a task. W ways, R references.

    | field | dtype, shape | content |
    |---|---|---|
    | id | int64 (W,) | OpenStreetMap id |
    | n_refs | uint32 (W,) | how many nodes it names |
    | code | uint32 (R,) | these nodes, over the pages |
    | nodes | Pages | the set of these nodes |
    | tagset, label | uint32 (W,) | sets of the task |
    | tags | TaskTags | the sets |
    """

    id: I64
    n_refs: U32
    code: U32
    nodes: Pages
    tagset: U32
    label: U32
    tags: TaskTags


@plain_kernel
def _way_fields(data: U8, position: int, end: int) -> tuple[int, Span, Span, Span, int]:
    """Id, spans of keys, values and references, position reached (past ``end`` if broken)."""
    way = np.int64(0)
    keys = values = refs = (position, position)
    while position < end:
        key, position = read_varint(data, position, end)
        if key == WAY_ID:
            way, position = read_varint(data, position, end)
        elif key == WAY_KEYS:
            keys = read_span(data, position, end)
            position = keys[1]
        elif key == WAY_VALS:
            values = read_span(data, position, end)
            position = values[1]
        elif key == WAY_REFS:
            refs = read_span(data, position, end)
            position = refs[1]
        else:
            position = skip_field(data, position, end, key)
    return way, keys, values, refs, position


@plain_kernel
def _is_road(
    data: U8, keys: Span, values: Span, strings: Span, seed: U32, roads: RoadFilter
) -> bool:
    """Whether a tag matches the filter; broken lists pass, for ``read_tags`` to find out.

    Of a repeated key the first counts.
    """
    refused = np.int64(0)
    key_at, value_at = keys[0], values[0]
    n_strings = strings[1] - strings[0]
    while key_at < keys[1] and value_at < values[1]:
        key, key_at = read_varint(data, key_at, keys[1])
        value, value_at = read_varint(data, value_at, values[1])
        if not (0 <= key < n_strings and 0 <= value < n_strings):
            return True
        index = np.int64(seed[strings[0] + key])
        if index != INVALID and roads.rule[index] == _ANY:
            return True
        if index != INVALID and roads.rule[index] == _LISTED and not refused >> index & 1:
            refused |= 1 << index
            for i in range(len(roads.key)):
                if roads.key[i] == index and roads.value[i] == seed[strings[0] + value]:
                    return True
    return key_at != keys[1] or value_at != values[1]


@plain_kernel
def _decode_way(
    data: U8,
    span: Span,
    strings: Span,
    table: TagTable,
    roads: RoadFilter,
    n_way_keys: int,
    rows: WayRows,
    row: int,
) -> tuple[int, int]:
    """Write a way to a row if it is a road: (OK or the problem, next row)."""
    way, keys, values, refs, reached = _way_fields(data, span[0], span[1])
    if reached > span[1]:
        return BROKEN, row
    if not _is_road(data, keys, values, strings, table.seed, roads):
        return OK, row
    middle = np.int64(rows.first[2 * row])
    status, last = read_tags(data, keys, values, strings, table, middle)
    while middle < last and table.pair[middle] < n_way_keys:
        middle += 2
    rows.id[row] = way
    rows.start[row] = refs[0]
    rows.stop[row] = refs[1]
    rows.first[2 * row + 1] = middle
    rows.first[2 * row + 2] = last
    return status, row + 1


@plain_kernel
def _decode_ways(
    batch: Batch, table: TagTable, roads: RoadFilter, n_way_keys: int, rows: WayRows
) -> tuple[int, int]:
    """Write the roads of a batch to the rows: (OK, how many), or (problem, where)."""
    data = batch.data
    row = 0
    for block in range(len(batch.end)):
        strings = batch.fact[block, FIRST_STRING], batch.fact[block, END_STRING]
        for group in range(batch.fact[block, FIRST_GROUP], batch.fact[block, END_GROUP]):
            position, end = np.int64(batch.group[group, 0]), np.int64(batch.group[group, 1])
            while position < end:
                key, position = read_varint(data, position, end)
                if key != GROUP_WAYS:
                    position = skip_field(data, position, end, key)
                    continue
                span = read_span(data, position, end)
                position = span[1]
                status, row = _decode_way(data, span, strings, table, roads, n_way_keys, rows, row)
                if status != OK:
                    return status, span[0]
    return OK, row


@plain_kernel
def _decode_refs(data: U8, rows: WayRows, node: I64, n_refs: U32) -> tuple[int, int]:
    """Node ids of all rows, one after the other: (OK, how many), or (problem, where)."""
    n = 0
    for row in range(len(n_refs)):
        position, end = np.int64(rows.start[row]), np.int64(rows.stop[row])
        before = n
        last = overflow = np.int64(0)
        while position < end:
            step, position = read_varint(data, position, end)
            last, overflow = add_step(last, step, overflow)
            node[n] = last
            n += 1
        if position > end or overflow < 0:
            return BROKEN if position > end else OVERFLOW, np.int64(rows.start[row])
        n_refs[row] = n - before
    return OK, n


class WayDecoder:
    """Decodes the roads of a task, batch by batch."""

    def __init__(self, selection: TagSelection) -> None:
        values = [value for _, allowed in selection.road_tags for value in allowed or ()]
        self._n_way_keys = len(selection.way_keys)
        self._tags = TagReader(
            (selection.way_keys, selection.label_keys),
            [*(key for key, _ in selection.road_tags), *values],
        )
        self._filter = _road_filter(selection, self._tags.seeds)
        self._node = Column(np.int64)
        self._id: list[I64] = []
        self._n_refs: list[U32] = []
        self._tagset: list[U32] = []
        self._label: list[U32] = []

    def add(self, batch: Batch) -> tuple[int, int]:
        """Decode a batch: (OK, -) or (problem, position)."""
        n_ways = total(batch, N_WAYS)
        table = self._tags.look_up(batch)
        rows = WayRows(
            np.empty(n_ways, np.int64),
            np.empty(n_ways, np.uint32),
            np.empty(n_ways, np.uint32),
            np.zeros(2 * n_ways + 1, np.uint32),
        )
        status, n = _decode_ways(batch, table, self._filter, self._n_way_keys, rows)
        if status == OK:
            self._add_tags(batch, table, rows.first[: 2 * n + 1])
            self._id.append(rows.id[:n])
            status, n = self._add_refs(batch, rows, n)
        return status, n

    def _add_tags(self, batch: Batch, table: TagTable, first: U32) -> None:
        pair = table.pair[: int(first[-1])]
        pair[1::2] = self._tags.intern_strings(batch, pair[1::2].copy())
        start, middle, stop = first[0:-1:2].copy(), first[1::2].copy(), first[2::2].copy()
        self._tagset.append(self._tags.intern_sets(0, pair, start, middle))
        self._label.append(self._tags.intern_sets(1, pair, middle, stop))

    def _add_refs(self, batch: Batch, rows: WayRows, n_rows: int) -> tuple[int, int]:
        start, stop = rows.start[:n_rows], rows.stop[:n_rows]
        n_bytes = int(stop.sum(dtype=np.int64) - start.sum(dtype=np.int64))
        n_refs = np.empty(n_rows, np.uint32)
        status, n = _decode_refs(batch.data, rows, self._node.extend(n_bytes), n_refs)
        self._node.drop(n_bytes - n)
        self._n_refs.append(n_refs)
        return status, n

    def finish(self) -> RoadPart:
        """All roads that were added."""
        # All at once: the pages then stay in the cache.
        (code,) = allocate_together((np.uint32, len(self._node)))
        nodes = add_ids(make_page_table(len(code) // 16), self._node.array(), code)
        return RoadPart(
            np.concatenate([np.empty(0, np.int64), *self._id]),
            np.concatenate([np.empty(0, np.uint32), *self._n_refs]),
            code,
            pages_of(nodes),
            np.concatenate([np.empty(0, np.uint32), *self._tagset]),
            np.concatenate([np.empty(0, np.uint32), *self._label]),
            self._tags.content(),
        )


def _road_filter(selection: TagSelection, seeds: list[str]) -> RoadFilter:
    """The selection's road tags in terms of the seeds."""
    rule = np.zeros(len(seeds), np.uint8)
    listed: list[tuple[int, int]] = []
    for key, allowed in selection.road_tags:
        rule[seeds.index(key)] = _ANY if allowed is None else _LISTED
        listed += [(seeds.index(key), seeds.index(value)) for value in allowed or ()]
    keys, values = np.array(listed, np.uint32).reshape(-1, 2).T
    return RoadFilter(freeze(rule), freeze(keys), freeze(values))
