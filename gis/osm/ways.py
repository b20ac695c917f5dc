"""Kernels for ways: where their tags and references are, which of them are roads, their nodes."""

from typing import NamedTuple

from gis.arrays import I64, INVALID, U8, U32
from gis.jit import inner_kernel, int64, plain_kernel
from gis.osm.blocks import (
    BAD_STRING,
    BROKEN,
    END_GROUP,
    END_STRING,
    FIRST_GROUP,
    FIRST_STRING,
    KINDS,
    OK,
    OVERFLOW,
    UNEVEN,
    Batch,
)
from gis.osm.tags import TagTable, add_tag
from gis.osm.wire import (
    BYTES,
    FIELD_BITS,
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

ANY, LISTED = 1, 2
"""Rules of a ``RoadFilter``; further ones may follow."""


class WayRows(NamedTuple):
    """The ways of a batch. W ways, B blocks fit.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (W,) | OpenStreetMap id |
    | refs_start, refs_stop | uint32 (W,) | bytes of the references |
    | tags_start, tags_stop | uint32 (W,) | bytes of the message that hold the keys and values |
    | end | uint32 (B,) | where the ways of each block end |
    """

    id: I64
    refs_start: U32
    refs_stop: U32
    tags_start: U32
    tags_stop: U32
    end: U32


class RoadFilter(NamedTuple):
    """Which ways are roads. S seeds of the vocabulary, V values that count.

    | array | dtype, shape | content |
    |---|---|---|
    | rule | uint8 (S,) | a key: 0 says nothing, ANY value makes a road, or listed ones; see below |
    | key, value | uint32 (V,) | the listed tags, as seeds |

    Keys with listed values have rules from LISTED on, each its own, below 64.
    """

    rule: U8
    key: U32
    value: U32


class DistinctTags(NamedTuple):
    """The tags of a batch's ways. W ways, D distinct tags.

    | array | dtype, shape | content |
    |---|---|---|
    | number | uint32 (W,) | which tags each way has |
    | road | uint8 (D,) | whether they make it a road |
    | tagset, label | uint32 (D,) | the sets |
    """

    number: U32
    road: U8
    tagset: U32
    label: U32


class RoadRows(NamedTuple):
    """The roads of a batch. W ways and R references fit.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (W,) | OpenStreetMap id |
    | n_refs | uint32 (W,) | how many nodes it names |
    | tagset, label | uint32 (W,) | the sets |
    | node | int64 (R,) | the nodes of all roads, in a row |
    """

    id: I64
    n_refs: U32
    tagset: U32
    label: U32
    node: I64


@inner_kernel
def _list_way(data: U8, position: int, end: int, rows: WayRows, row: int) -> int:
    """Write a way to a row; returns the position reached, past ``end`` if broken."""
    refs = (position, position)
    tags_start, tags_stop = end, position
    while position < end:
        begin = position
        key, position = read_varint(data, position, end)
        if key == WAY_ID:
            rows.id[row], position = read_varint(data, position, end)
        elif key & 7 == BYTES:
            span = read_span(data, position, end)
            position = span[1]
            if key == WAY_REFS:
                refs = span
            elif key in (WAY_KEYS, WAY_VALS):
                tags_start = min(tags_start, begin)
                tags_stop = position
        else:
            position = skip_field(data, position, end, key)
    rows.refs_start[row] = refs[0]
    rows.refs_stop[row] = refs[1]
    rows.tags_start[row] = min(tags_start, tags_stop)
    rows.tags_stop[row] = tags_stop
    return position


@plain_kernel
def list_ways(batch: Batch, rows: WayRows) -> tuple[int, int]:
    """Write all ways of a batch to the rows: (OK, how many), or (problem, where)."""
    data = batch.data
    row = int64(0)
    for block in range(len(batch.end)):
        fact = batch.fact[block]
        for group in range(fact[FIRST_GROUP], fact[END_GROUP]):
            position, end = int64(batch.group[group, 0]), int64(batch.group[group, 1])
            while position < end:
                key, position = read_varint(data, position, end)
                fact[KINDS] |= int64(1) << ((key >> FIELD_BITS) & 31)
                if key != GROUP_WAYS:
                    position = skip_field(data, position, end, key)
                    continue
                start, position = read_span(data, position, end)
                rows.id[row] = 0
                if position > end or _list_way(data, start, position, rows, row) > position:
                    return BROKEN, start
                row += 1
            if position > end:
                return BROKEN, int64(batch.group[group, 0])
        rows.end[block] = row
    return OK, row


@inner_kernel
def _judge(key: int, value: int, seed: U32, roads: RoadFilter, refused: int) -> tuple[bool, int]:
    """Whether a tag, two strings of the batch, makes a road; and the rules that refused so far.

    Of a repeated key the first counts.
    """
    index = int64(seed[key])
    if index == INVALID or roads.rule[index] == 0:
        return False, refused
    rule = int64(roads.rule[index])
    if rule == ANY:
        return True, refused
    if not (refused >> rule) & 1:
        for i in range(len(roads.key)):
            if roads.key[i] == index and roads.value[i] == seed[value]:
                return True, refused
    return False, refused | int64(1) << rule


@inner_kernel
def _read_road(
    data: U8, tags: Span, strings: Span, table: TagTable, roads: RoadFilter, begin: int
) -> tuple[int, int, bool]:
    """Collect the tags of interest of a way: (OK or the problem, end of the list, is it a road)."""
    keys = values = (tags[0], tags[0])
    position = tags[0]
    while position < tags[1]:
        key, position = read_varint(data, position, tags[1])
        if key in (WAY_KEYS, WAY_VALS):
            span = read_span(data, position, tags[1])
            position = span[1]
            if key == WAY_KEYS:
                keys = span
            else:
                values = span
        else:
            position = skip_field(data, position, tags[1], key)
    key_at, value_at = keys[0], values[0]
    end = begin
    road = False
    refused = int64(0)
    while key_at < keys[1] and value_at < values[1]:
        key, key_at = read_varint(data, key_at, keys[1])
        value, value_at = read_varint(data, value_at, values[1])
        end = add_tag(key, value, strings, table, begin, end)
        if end < 0:
            return BAD_STRING, begin, road
        if not road:
            key += strings[0]
            road, refused = _judge(key, strings[0] + value, table.seed, roads, refused)
    if key_at > keys[1] or value_at > values[1]:
        return BROKEN, begin, road
    if key_at < keys[1] or value_at < values[1]:
        return UNEVEN, begin, road
    return OK, end, road


@plain_kernel
def read_roads(
    batch: Batch,
    rows: WayRows,
    chosen: U32,
    table: TagTable,
    roads: RoadFilter,
    first: U32,
    road: U8,
) -> tuple[int, int]:
    """Collect the tags of interest of the chosen rows (n,): (OK, -), or (problem, where).

    List i of the pairs begins at ``first[i]``, uint32 (n + 1,); ``road[i]`` tells whether row i is
    a road, without which its list is empty.
    """
    block = 0
    end = int64(0)
    first[0] = 0
    for i in range(len(chosen)):
        row = int64(chosen[i])
        while row >= rows.end[block]:
            block += 1
        strings = batch.fact[block, FIRST_STRING], batch.fact[block, END_STRING]
        tags = int64(rows.tags_start[row]), int64(rows.tags_stop[row])
        status, last, is_road = _read_road(batch.data, tags, strings, table, roads, end)
        if status != OK:
            return status, tags[0]
        if is_road:
            end = last
        road[i] = is_road
        first[i + 1] = end
    return OK, end


@plain_kernel
def split_lists(pair: U32, first: U32, position: int, middle: U32) -> None:
    """Where in each list of pairs those from ``position`` on begin."""
    for i in range(len(middle)):
        at = first[i]
        while at < first[i + 1] and pair[at] < position:
            at += 2
        middle[i] = at


@plain_kernel
def keep_roads(
    data: U8, rows: WayRows, distinct: DistinctTags, roads: RoadRows
) -> tuple[int, int, int]:
    """Write the roads among the ways: (OK, how many, of how many nodes), or (problem, where, -)."""
    n = n_nodes = 0
    for row in range(len(distinct.number)):
        tags = distinct.number[row]
        if distinct.road[tags] == 0:
            continue
        position, end = int64(rows.refs_start[row]), int64(rows.refs_stop[row])
        before = n_nodes
        last = overflow = int64(0)
        while position < end:
            step, position = read_varint(data, position, end)
            last, overflow = add_step(last, step, overflow)
            roads.node[n_nodes] = last
            n_nodes += 1
        if position > end or overflow < 0:
            where = int64(rows.refs_start[row])
            return BROKEN if position > end else OVERFLOW, where, n_nodes
        roads.id[n] = rows.id[row]
        roads.n_refs[n] = n_nodes - before
        roads.tagset[n] = distinct.tagset[tags]
        roads.label[n] = distinct.label[tags]
        n += 1
    return OK, n, n_nodes
