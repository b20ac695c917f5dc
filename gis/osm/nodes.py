"""Decodes nodes, dense or plain: the places and tags of those that roads name."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I32, I64, INVALID, U8, U32, UNDEFINED_COORDINATE
from gis.jit import plain_kernel
from gis.osm.blocks import (
    BAD_STRING,
    BROKEN,
    GRANULARITY,
    LAT_OFFSET,
    LON_OFFSET,
    N_DENSE,
    N_GROUPS,
    N_NODES,
    OK,
    OVERFLOW,
    UNEVEN,
    Frame,
)
from gis.osm.columns import Column, allocate_together
from gis.osm.id_set import Pages, find_ids
from gis.osm.tables import TagSelection
from gis.osm.tags import TagReader, TagTable, TaskTags, add_tag, read_tags
from gis.osm.wire import (
    DENSE_ID,
    DENSE_KEYS_VALS,
    DENSE_LAT,
    DENSE_LON,
    GROUP_DENSE,
    GROUP_NODES,
    NODE_ID,
    NODE_KEYS,
    NODE_LAT,
    NODE_LON,
    NODE_VALS,
    Span,
    add_step,
    read_short_varint,
    read_span,
    read_varint,
    skip_field,
    zigzag,
)

_MAX_LON, _MAX_LAT = 1_800_000_000, 900_000_000
_NOWHERE = 1 << 50
_MAX_NANO = 1 << 61
_READ_AHEAD = 4


class NodeRows(NamedTuple):
    """The nodes of a block, wanted or not. N nodes in D dense lists or plain fit.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (N,) | OpenStreetMap id |
    | lon, lat | int64 (N,) | in units of the block |
    | tags | uint32 (4 N,) | plain nodes: start and stop of keys, start and stop of values |
    | dense | uint32 (4 D,) | dense lists: first node, end of nodes, start and stop of tags |
    """

    id: I64
    lon: I64
    lat: I64
    tags: U32
    dense: U32


class TaggedRows(NamedTuple):
    """The wanted nodes of a block that have tags of interest. T nodes fit.

    | array | dtype, shape | content |
    |---|---|---|
    | row | uint32 (T,) | which row of the block |
    | first | uint32 (T + 1,) | offsets into the pairs of the tag table |
    """

    row: U32
    first: U32


class NodePart(NamedTuple):
    """The wanted nodes of a task: those at positions ``begin`` to ``begin + n``. T with tags.

    | field | dtype, shape | content |
    |---|---|---|
    | begin | int | position of the first, -1 if there is none |
    | lon, lat | int32 (n,) | 1e-7 degree, UNDEFINED_COORDINATE for those not in this task |
    | tagged | uint32 (T,) | positions of those with tags |
    | tagset | uint32 (T,) | their sets |
    | tags | TaskTags | the sets |
    | n_nodes | int | how many nodes there are, wanted or not |
    | ordered | bool | whether the ids ascend; if not, the rest is worthless |
    """

    begin: int
    lon: I32
    lat: I32
    tagged: U32
    tagset: U32
    tags: TaskTags
    n_nodes: int
    ordered: bool


@plain_kernel
def _dense_fields(data: U8, position: int, end: int) -> tuple[Span, Span, Span, Span, int]:
    """Spans of ids, latitudes, longitudes and tags, position reached (past ``end`` if broken)."""
    ids = lats = lons = tags = (position, position)
    while position < end:
        key, position = read_varint(data, position, end)
        if key == DENSE_ID:
            ids = read_span(data, position, end)
            position = ids[1]
        elif key == DENSE_LAT:
            lats = read_span(data, position, end)
            position = lats[1]
        elif key == DENSE_LON:
            lons = read_span(data, position, end)
            position = lons[1]
        elif key == DENSE_KEYS_VALS:
            tags = read_span(data, position, end)
            position = tags[1]
        else:
            position = skip_field(data, position, end, key)
    return ids, lats, lons, tags, position


@plain_kernel
def _decode_dense(
    data: U8, ids: Span, lats: Span, lons: Span, rows: NodeRows, row: int
) -> tuple[int, int]:
    """Append dense nodes to the rows: (OK or the problem, next row)."""
    id_at, lat_at, lon_at = ids[0], lats[0], lons[0]
    safe = len(data) - _READ_AHEAD
    node = lat = lon = overflow = np.int64(0)
    while id_at < ids[1] and lat_at < lats[1] and lon_at < lons[1]:
        if id_at <= safe and lat_at <= safe and lon_at <= safe:
            id_step, id_at = read_short_varint(data, id_at, ids[1])
            lat_step, lat_at = read_short_varint(data, lat_at, lats[1])
            lon_step, lon_at = read_short_varint(data, lon_at, lons[1])
        else:
            id_step, id_at = read_varint(data, id_at, ids[1])
            lat_step, lat_at = read_varint(data, lat_at, lats[1])
            lon_step, lon_at = read_varint(data, lon_at, lons[1])
        node, overflow = add_step(node, id_step, overflow)
        lat, overflow = add_step(lat, lat_step, overflow)
        lon, overflow = add_step(lon, lon_step, overflow)
        rows.id[row] = node
        rows.lat[row] = lat
        rows.lon[row] = lon
        row += 1
    if id_at > ids[1] or lat_at > lats[1] or lon_at > lons[1]:
        return BROKEN, row
    if overflow < 0:
        return OVERFLOW, row
    if id_at < ids[1] or lat_at < lats[1] or lon_at < lons[1]:
        return UNEVEN, row
    return OK, row


@plain_kernel
def _decode_plain(data: U8, position: int, end: int, rows: NodeRows, row: int) -> int:
    """Write a plain node to a row; returns the position reached, past ``end`` if broken."""
    rows.lon[row] = rows.lat[row] = _NOWHERE
    rows.tags[4 * row : 4 * row + 4] = 0
    while position < end:
        key, position = read_varint(data, position, end)
        if key == NODE_ID:
            value, position = read_varint(data, position, end)
            rows.id[row] = zigzag(value)
        elif key == NODE_LAT:
            value, position = read_varint(data, position, end)
            rows.lat[row] = zigzag(value)
        elif key == NODE_LON:
            value, position = read_varint(data, position, end)
            rows.lon[row] = zigzag(value)
        elif key in (NODE_KEYS, NODE_VALS):
            start, position = read_span(data, position, end)
            at = 4 * row if key == NODE_KEYS else 4 * row + 2
            rows.tags[at] = start
            rows.tags[at + 1] = position
        else:
            position = skip_field(data, position, end, key)
    return position


@plain_kernel
def _decode_nodes(data: U8, frame: Frame, rows: NodeRows) -> tuple[int, int]:
    """Write all nodes of a block to the rows: (OK, how many), or (problem, where)."""
    row = np.int64(0)
    n_dense = 0
    for group in range(frame.number[N_GROUPS]):
        position, end = np.int64(frame.group[2 * group]), np.int64(frame.group[2 * group + 1])
        while position < end:
            key, position = read_varint(data, position, end)
            if key not in (GROUP_NODES, GROUP_DENSE):
                position = skip_field(data, position, end, key)
                continue
            start, position = read_span(data, position, end)
            status = OK
            if key == GROUP_NODES:
                if _decode_plain(data, start, position, rows, row) > position:
                    status = BROKEN
                row += 1
            else:
                first = row
                ids, lats, lons, tags, reached = _dense_fields(data, start, position)
                if reached > position:
                    return BROKEN, start
                status, row = _decode_dense(data, ids, lats, lons, rows, first)
                rows.dense[4 * n_dense] = first
                rows.dense[4 * n_dense + 1] = row
                rows.dense[4 * n_dense + 2] = tags[0]
                rows.dense[4 * n_dense + 3] = tags[1]
                n_dense += 1
            if status != OK:
                return status, start
    return OK, row


@plain_kernel
def _dense_tags(
    data: U8, dense: U32, slot: U32, table: TagTable, tagged: TaggedRows, n_tagged: int
) -> tuple[int, int]:
    """Append the wanted nodes of a dense list that have tags of interest: (status, how many)."""
    row, stop = np.int64(dense[0]), np.int64(dense[1])
    position, end = np.int64(dense[2]), np.int64(dense[3])
    if position == end:
        return OK, n_tagged
    begin = last = np.int64(tagged.first[n_tagged])
    while position < end and row < stop:
        key = np.int64(data[position])
        position += 1
        if key >= 128:
            key, position = read_varint(data, position - 1, end)
        if key != 0:
            value, position = read_varint(data, position, end)
            if slot[row] != INVALID:
                last = add_tag(key, value, table, begin, last)
                if last < 0:
                    return BAD_STRING, n_tagged
            continue
        if last > begin:
            tagged.row[n_tagged] = row
            n_tagged += 1
            tagged.first[n_tagged] = last
            begin = last
        row += 1
    if position > end:
        return BROKEN, n_tagged
    return OK if position == end and row == stop else UNEVEN, n_tagged


@plain_kernel
def _read_tags(
    data: U8, rows: NodeRows, slot: U32, table: TagTable, tagged: TaggedRows
) -> tuple[int, int]:
    """Collect the wanted nodes with tags of interest: (OK, how many), or (problem, row)."""
    row = 0
    n_dense = 0
    n_tagged = 0
    while row < len(slot):
        if 4 * n_dense < len(rows.dense) and rows.dense[4 * n_dense] == row:
            dense = rows.dense[4 * n_dense : 4 * n_dense + 4]
            status, n_tagged = _dense_tags(data, dense, slot, table, tagged, n_tagged)
            row = np.int64(dense[1])
            n_dense += 1
        else:
            status = OK
            at = rows.tags[4 * row : 4 * row + 4]
            if slot[row] != INVALID and at[0] != at[1]:
                begin = np.int64(tagged.first[n_tagged])
                keys = np.int64(at[0]), np.int64(at[1])
                values = np.int64(at[2]), np.int64(at[3])
                status, end = read_tags(data, keys, values, table, begin)
                if end > begin:
                    tagged.row[n_tagged] = row
                    n_tagged += 1
                    tagged.first[n_tagged] = end
            row += 1
        if status != OK:
            return status, row
    return OK, n_tagged


@plain_kernel
def _coordinate(value: int, granularity: int, offset: int) -> int:
    """A coordinate in 1e-7 degree, from units of the block, truncated towards zero."""
    if granularity == 100 and offset == 0:
        return value
    if abs(value) > _MAX_NANO // granularity:
        return _NOWHERE
    nano = granularity * value + offset
    return nano // 100 if nano >= 0 else -(-nano // 100)


@plain_kernel
def _place(
    rows: NodeRows, slot: U32, number: I64, lon: I32, lat: I32, begin: int, ordered: bool
) -> bool:
    """Write the coordinates of wanted nodes, those at position ``begin`` to the first place.

    If ordered, gaps are filled, and the answer is whether the positions ascend.
    """
    last = np.int64(-1)
    for row in range(len(slot)):
        if slot[row] != INVALID:
            at = np.int64(slot[row]) - begin
            if ordered:
                if at <= last:
                    return False
                while last + 1 < at:
                    last += 1
                    lon[last] = lat[last] = UNDEFINED_COORDINATE
                last = at
            x = _coordinate(rows.lon[row], number[GRANULARITY], number[LON_OFFSET])
            y = _coordinate(rows.lat[row], number[GRANULARITY], number[LAT_OFFSET])
            if not (-_MAX_LON <= x <= _MAX_LON and -_MAX_LAT <= y <= _MAX_LAT):
                x = y = UNDEFINED_COORDINATE
            lon[at] = x
            lat[at] = y
    return True


def _make_rows(n_nodes: int, n_dense: int) -> NodeRows:
    return NodeRows(
        *allocate_together(
            (np.int64, n_nodes),
            (np.int64, n_nodes),
            (np.int64, n_nodes),
            (np.uint32, 4 * n_nodes),
            (np.uint32, 4 * n_dense),
        )
    )


class NodeDecoder:
    """Decodes the wanted nodes of a task, block by block, as long as their ids ascend."""

    def __init__(self, selection: TagSelection, wanted: Pages) -> None:
        self._wanted = wanted
        self._tags = TagReader((selection.node_keys,))
        self._lon = Column(np.int32)
        self._lat = Column(np.int32)
        self._begin = -1
        self._tagged: list[U32] = [np.empty(0, np.uint32)]
        self._tagset: list[U32] = [np.empty(0, np.uint32)]
        self._n_nodes = 0
        self._ordered = True
        self._rows = _make_rows(0, 0)

    def add(self, block: U8, frame: Frame) -> tuple[int, int]:
        """Decode an indexed block: (OK, -) or (problem, position)."""
        n_dense = int(frame.number[N_DENSE])
        # A dense node takes at least three bytes.
        n_nodes = int(frame.number[N_NODES]) + (len(block) // 3 if n_dense else 0)
        if len(self._rows.id) < n_nodes or len(self._rows.dense) < 4 * n_dense:
            self._rows = _make_rows(n_nodes, n_dense)
        rows = self._rows._replace(dense=self._rows.dense[: 4 * n_dense])
        status, n = _decode_nodes(block, frame, rows)
        if status != OK:
            return status, n
        self._n_nodes += n
        slot = np.empty(n, np.uint32)
        last = find_ids(self._wanted, rows.id[:n], slot)
        if last == INVALID or not self._put(rows, slot, frame.number, last):
            return OK, 0
        return self._add_tags(block, frame, rows, slot)

    def _put(self, rows: NodeRows, slot: U32, number: I64, last: int) -> bool:
        """Write the places of the nodes of a block; False if that is no use."""
        if self._begin < 0:
            self._begin = int(slot[np.argmax(slot != INVALID)])
        begin = self._begin + len(self._lon)
        n = last + 1 - begin
        self._ordered = (
            self._ordered
            and n > 0
            and _place(rows, slot, number, self._lon.extend(n), self._lat.extend(n), begin, True)
        )
        return self._ordered

    def _add_tags(self, block: U8, frame: Frame, rows: NodeRows, slot: U32) -> tuple[int, int]:
        table = self._tags.look_up(block, frame)
        tagged = TaggedRows(np.empty(len(slot), np.uint32), np.zeros(len(slot) + 1, np.uint32))
        status, n = _read_tags(block, rows, slot, table, tagged)
        if status == OK and n > 0:
            first = tagged.first[: n + 1]
            pair = table.pair[: int(first[-1])]
            pair[1::2] = self._tags.intern_strings(block, frame, pair[1::2].copy())
            tagset = self._tags.intern_sets(0, pair, first[:-1], first[1:])
            self._keep(slot, tagged.row[:n], tagset)
        return status, n

    def _keep(self, slot: U32, row: U32, tagset: U32) -> None:
        """Note the sets of a block's tagged nodes."""
        self._tagged.append(slot[row])
        self._tagset.append(tagset)

    def finish(self) -> NodePart:
        """All nodes that were added."""
        return NodePart(
            self._begin,
            self._lon.array(),
            self._lat.array(),
            np.concatenate(self._tagged),
            np.concatenate(self._tagset),
            self._tags.content(),
            self._n_nodes,
            self._ordered,
        )


class UnorderedNodeDecoder(NodeDecoder):
    """Decodes the wanted nodes of a whole file in any order; of a repeated one the last counts."""

    def __init__(self, selection: TagSelection, wanted: Pages, n_wanted: int) -> None:
        super().__init__(selection, wanted)
        self._all_lon = np.full(n_wanted, UNDEFINED_COORDINATE, np.int32)
        self._all_lat = np.full(n_wanted, UNDEFINED_COORDINATE, np.int32)
        self._all_sets = np.zeros(n_wanted, np.uint32)

    def _put(self, rows: NodeRows, slot: U32, number: I64, last: int) -> bool:
        _place(rows, slot, number, self._all_lon, self._all_lat, 0, False)
        self._all_sets[slot[slot != INVALID]] = 0
        return True

    def _keep(self, slot: U32, row: U32, tagset: U32) -> None:
        set_of_row = np.zeros(len(slot), np.uint32)
        set_of_row[row] = tagset
        wanted = slot != INVALID
        self._all_sets[slot[wanted]] = set_of_row[wanted]

    def finish(self) -> NodePart:
        """All nodes that were added."""
        tagged = np.flatnonzero(self._all_sets)
        return super().finish()._replace(
            begin=0,
            lon=self._all_lon,
            lat=self._all_lat,
            tagged=tagged.astype(np.uint32),
            tagset=self._all_sets[tagged],
        )
