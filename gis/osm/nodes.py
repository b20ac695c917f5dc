"""Kernels for nodes, dense or plain: which of them are wanted, and their places."""

from typing import NamedTuple

from gis.arrays import I32, I64, INVALID, U8, U32, UNDEFINED_COORDINATE
from gis.jit import inner_kernel, int64, plain_kernel
from gis.osm.blocks import (
    BROKEN,
    END_GROUP,
    FIRST_GROUP,
    GRANULARITY,
    KINDS,
    LAT_OFFSET,
    LON_OFFSET,
    OK,
    OVERFLOW,
    UNEVEN,
    UNORDERED,
    Batch,
)
from gis.osm.wire import (
    DENSE_ID,
    DENSE_KEYS_VALS,
    DENSE_LAT,
    DENSE_LON,
    FIELD_BITS,
    GROUP_DENSE,
    GROUP_NODES,
    NODE_ID,
    NODE_KEYS,
    NODE_LAT,
    NODE_LON,
    NODE_VALS,
    READ_AHEAD,
    Span,
    add_step,
    read_short_varint,
    read_span,
    read_varint,
    skip_field,
    zigzag,
)

FIRST, END, TAGS, IDS, LATS, LONS = 0, 1, 2, 4, 6, 8
"""Columns of ``NodeRows.dense``: rows of the nodes, and start and stop of each list."""

NEXT, LAST_ID, BEGIN, ORDERED = range(4)
"""Places in a cursor: next wanted node, id of the last node, first wanted node, is order needed."""

_MAX_LON, _MAX_LAT = 1_800_000_000, 900_000_000
_NOWHERE = 1 << 50
_MAX_NANO = 1 << 61


class Wanted(NamedTuple):
    """The wanted nodes, and where their places go. N nodes.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (N + 1,) | OpenStreetMap id, ascending; the largest number at the end |
    | lon, lat | int32 (N,) | 1e-7 degree |
    """

    id: I64
    lon: I32
    lat: I32


class NodeRows(NamedTuple):
    """The nodes of a batch, wanted or not. N nodes, D dense lists, B blocks fit.

    | array | dtype, shape | content |
    |---|---|---|
    | slot | uint32 (N,) | position among the wanted nodes, or INVALID |
    | tags | uint32 (N, 4) | plain nodes: start and stop of keys, start and stop of values |
    | dense | uint32 (D, 10) | dense lists in order, see ``FIRST`` and so on |
    | end | uint32 (B,) | where the nodes of each block end |
    """

    slot: U32
    tags: U32
    dense: U32
    end: U32


@inner_kernel
def _coordinate(value: int, granularity: int, offset: int) -> int:
    """A coordinate in 1e-7 degree, from units of the block, truncated towards zero."""
    limit = _MAX_NANO // granularity
    if not -limit <= value <= limit:  # the absolute value of the lowest number is no number
        return _NOWHERE
    nano = granularity * value + offset
    return nano // 100 if nano >= 0 else -(-nano // 100)


@inner_kernel
def _put(wanted: Wanted, at: int, x: int, y: int) -> None:
    """Write a place."""
    if abs(x) > _MAX_LON or abs(y) > _MAX_LAT:
        x = y = UNDEFINED_COORDINATE
    wanted.lon[at] = x
    wanted.lat[at] = y


@inner_kernel
def _seek(ids: I64, node: int) -> int:
    """The first of ascending ids that is not smaller."""
    low, high = 0, len(ids) - 1
    while low < high:
        middle = (low + high) >> 1
        if ids[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low


@plain_kernel
def _skip_to(wanted: Wanted, node: int, at: int) -> int:
    """From wanted node ``at`` on, the first whose id is not smaller; those before have no place."""
    while wanted.id[at] < node:
        wanted.lon[at] = wanted.lat[at] = UNDEFINED_COORDINATE
        at += 1
    return at


@inner_kernel
def _dense_lists(data: U8, position: int, end: int, lists: U32) -> int:
    """Note the lists of a dense message; returns the position reached, past ``end`` if broken."""
    lists[:] = position
    while position < end:
        key, position = read_varint(data, position, end)
        column = -1
        if key == DENSE_ID:
            column = IDS
        elif key == DENSE_LAT:
            column = LATS
        elif key == DENSE_LON:
            column = LONS
        elif key == DENSE_KEYS_VALS:
            column = TAGS
        if column < 0:
            position = skip_field(data, position, end, key)
        else:
            lists[column], position = read_span(data, position, end)
            lists[column + 1] = position
    return position


@inner_kernel
def _read_dense(
    data: U8, lists: U32, fact: I64, wanted: Wanted, cursor: I64, slot: U32, row: int
) -> tuple[int, int]:
    """Match dense nodes with the wanted ones and write their places: (status, next row)."""
    granularity, lon_offset, lat_offset = fact[GRANULARITY], fact[LON_OFFSET], fact[LAT_OFFSET]
    usual = granularity == 100 and lon_offset == 0 and lat_offset == 0
    ordered = cursor[ORDERED] != 0
    id_at, id_end = int64(lists[IDS]), int64(lists[IDS + 1])
    lat_at, lat_end = int64(lists[LATS]), int64(lists[LATS + 1])
    lon_at, lon_end = int64(lists[LONS]), int64(lists[LONS + 1])
    safe = len(data) - READ_AHEAD
    at, last = cursor[NEXT], cursor[LAST_ID]
    if at < 0:
        at = _seek(wanted.id, zigzag(read_varint(data, id_at, id_end)[0]))
        cursor[BEGIN] = at
    node = x = y = overflow = int64(0)
    while id_at < id_end:
        step, id_at = read_varint(data, id_at, id_end)
        node, overflow = add_step(node, step, overflow)
        if lat_at <= safe and lon_at <= safe:
            lat_step, lat_at = read_short_varint(data, lat_at, lat_end)
            lon_step, lon_at = read_short_varint(data, lon_at, lon_end)
        else:
            lat_step, lat_at = read_varint(data, lat_at, lat_end)
            lon_step, lon_at = read_varint(data, lon_at, lon_end)
        x, overflow = add_step(x, lon_step, overflow)
        y, overflow = add_step(y, lat_step, overflow)
        if ordered and node <= last:
            return UNORDERED, row
        last = node
        if wanted.id[at] < node or not ordered:
            at = _skip_to(wanted, node, at) if ordered else _seek(wanted.id, node)
        slot[row] = INVALID
        if wanted.id[at] == node and at < len(wanted.lon):
            slot[row] = at
            if usual:
                _put(wanted, at, x, y)
            else:
                lon = _coordinate(x, granularity, lon_offset)
                _put(wanted, at, lon, _coordinate(y, granularity, lat_offset))
            at += 1
        row += 1
    cursor[NEXT], cursor[LAST_ID] = at, last
    if id_at != id_end or lat_at != lat_end or lon_at != lon_end:
        return UNEVEN, row
    return OVERFLOW if overflow < 0 else OK, row


@inner_kernel
def _plain_fields(data: U8, position: int, end: int, tags: U32) -> tuple[int, int, int, int]:
    """Id, longitude and latitude, position reached (past ``end`` if broken); the spans of tags."""
    node = int64(0)
    lon = lat = int64(_NOWHERE)
    tags[:] = position
    while position < end:
        key, position = read_varint(data, position, end)
        if key == NODE_ID:
            node, position = read_varint(data, position, end)
        elif key == NODE_LAT:
            lat, position = read_varint(data, position, end)
        elif key == NODE_LON:
            lon, position = read_varint(data, position, end)
        elif key in (NODE_KEYS, NODE_VALS):
            column = 0 if key == NODE_KEYS else 2
            tags[column], position = read_span(data, position, end)
            tags[column + 1] = position
        else:
            position = skip_field(data, position, end, key)
    return zigzag(node), zigzag(lon), zigzag(lat), position


@inner_kernel
def _match_plain(wanted: Wanted, cursor: I64, node: int) -> int:
    """Position of a node among the wanted ones, INVALID if it is not; -1 if it is out of order."""
    at = cursor[NEXT]
    if cursor[ORDERED] and at >= 0:
        if node <= cursor[LAST_ID]:
            return -1
        at = _skip_to(wanted, node, at)
    else:
        at = _seek(wanted.id, node)
        if cursor[NEXT] < 0:
            cursor[BEGIN] = at
    cursor[LAST_ID] = node
    found = wanted.id[at] == node and at < len(wanted.lon)
    cursor[NEXT] = at + 1 if found else at
    return at if found else INVALID


@inner_kernel
def _read_plain(
    data: U8, span: Span, fact: I64, wanted: Wanted, cursor: I64, rows: NodeRows, row: int
) -> int:
    """Match a plain node with the wanted ones and write its place: OK or the problem."""
    node, x, y, reached = _plain_fields(data, span[0], span[1], rows.tags[row])
    if reached > span[1]:
        return BROKEN
    slot = _match_plain(wanted, cursor, node)
    if slot < 0:
        return UNORDERED
    rows.slot[row] = slot
    if slot != INVALID:
        lon = _coordinate(x, fact[GRANULARITY], fact[LON_OFFSET])
        _put(wanted, slot, lon, _coordinate(y, fact[GRANULARITY], fact[LAT_OFFSET]))
    return OK


@plain_kernel
def read_nodes(batch: Batch, wanted: Wanted, cursor: I64, rows: NodeRows) -> tuple[int, int, int]:
    """Match all nodes of a batch with the wanted ones and write their places.

    Returns (OK or UNORDERED, how many, of that dense lists), or (problem, where, -). Where order
    matters, wanted nodes that are passed over get no place.
    """
    data = batch.data
    row = n_dense = int64(0)
    for block in range(len(batch.end)):
        fact = batch.fact[block]
        for group in range(fact[FIRST_GROUP], fact[END_GROUP]):
            position, end = int64(batch.group[group, 0]), int64(batch.group[group, 1])
            while position < end:
                key, position = read_varint(data, position, end)
                fact[KINDS] |= int64(1) << ((key >> FIELD_BITS) & 31)
                if key not in (GROUP_NODES, GROUP_DENSE):
                    position = skip_field(data, position, end, key)
                    continue
                span = read_span(data, position, end)
                position = span[1]
                if position > end:
                    return BROKEN, span[0], n_dense
                if key == GROUP_NODES:
                    status = _read_plain(data, span, fact, wanted, cursor, rows, row)
                    row += 1
                else:
                    lists = rows.dense[n_dense]
                    if _dense_lists(data, span[0], span[1], lists) > span[1]:
                        return BROKEN, span[0], n_dense
                    first = row
                    status, row = _read_dense(data, lists, fact, wanted, cursor, rows.slot, first)
                    lists[FIRST], lists[END] = first, row
                    n_dense += 1
                if status != OK:
                    return status, span[0], n_dense
            if position > end:
                return BROKEN, int64(batch.group[group, 0]), n_dense
        rows.end[block] = row
    return OK, row, n_dense
