"""Decodes nodes, dense or plain: the places and tags of those that roads name."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I32, I64, INVALID, U8, U32, UNDEFINED_COORDINATE
from gis.jit import plain_kernel
from gis.osm.blocks import (
    BAD_STRING,
    BROKEN,
    END_GROUP,
    END_STRING,
    FIRST_GROUP,
    FIRST_STRING,
    GRANULARITY,
    LAT_OFFSET,
    LON_OFFSET,
    N_DENSE,
    N_NODES,
    OK,
    OVERFLOW,
    UNEVEN,
    Batch,
    total,
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
    """The nodes of a batch, wanted or not. B blocks; N nodes in D dense lists or plain fit.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (N,) | OpenStreetMap id |
    | lon, lat | int64 (N,) | in units of the block |
    | tags | uint32 (N, 4) | plain nodes: start and stop of keys, start and stop of values |
    | dense | uint32 (D, 4) | dense lists: first node, end of nodes, start and stop of tags |
    | end | uint32 (B,) | where the nodes of each block end |
    """

    id: I64
    lon: I64
    lat: I64
    tags: U32
    dense: U32
    end: U32


class TaggedRows(NamedTuple):
    """The wanted nodes of a batch that have tags of interest. T nodes fit.

    | array | dtype, shape | content |
    |---|---|---|
    | row | uint32 (T,) | which row of the batch |
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
    rows.tags[row] = 0
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
            at = 0 if key == NODE_KEYS else 2
            rows.tags[row, at] = start
            rows.tags[row, at + 1] = position
        else:
            position = skip_field(data, position, end, key)
    return position


@plain_kernel
def _decode_group(
    data: U8, group: U32, rows: NodeRows, row: int, n_dense: int
) -> tuple[int, int, int]:
    """Append the nodes of a group: (OK, next row, number of dense lists), or (problem, where, -)."""
    position, end = np.int64(group[0]), np.int64(group[1])
    while position < end:
        key, position = read_varint(data, position, end)
        if key not in (GROUP_NODES, GROUP_DENSE):
            position = skip_field(data, position, end, key)
            continue
        start, position = read_span(data, position, end)
        if key == GROUP_NODES:
            if _decode_plain(data, start, position, rows, row) > position:
                return BROKEN, start, n_dense
            row += 1
        else:
            ids, lats, lons, tags, reached = _dense_fields(data, start, position)
            if reached > position:
                return BROKEN, start, n_dense
            first = row
            status, row = _decode_dense(data, ids, lats, lons, rows, first)
            if status != OK:
                return status, start, n_dense
            rows.dense[n_dense, 0] = first
            rows.dense[n_dense, 1] = row
            rows.dense[n_dense, 2] = tags[0]
            rows.dense[n_dense, 3] = tags[1]
            n_dense += 1
    return OK, row, n_dense


@plain_kernel
def _decode_nodes(batch: Batch, rows: NodeRows) -> tuple[int, int]:
    """Write all nodes of a batch to the rows: (OK, how many), or (problem, where)."""
    row = np.int64(0)
    n_dense = np.int64(0)
    for block in range(len(batch.end)):
        for group in range(batch.fact[block, FIRST_GROUP], batch.fact[block, END_GROUP]):
            status, row, n_dense = _decode_group(
                batch.data, batch.group[group], rows, row, n_dense
            )
            if status != OK:
                return status, row
        rows.end[block] = row
    return OK, row


@plain_kernel
def _dense_tags(
    data: U8, dense: U32, strings: Span, slot: U32, table: TagTable, tagged: TaggedRows, n: int
) -> tuple[int, int]:
    """Append to ``n`` tagged rows those of a dense list: (OK or the problem, how many)."""
    row, stop = np.int64(dense[0]), np.int64(dense[1])
    position, end = np.int64(dense[2]), np.int64(dense[3])
    if position == end:
        return OK, n
    begin = last = np.int64(tagged.first[n])
    while position < end and row < stop:
        key = np.int64(data[position])
        position += 1
        if key >= 128:
            key, position = read_varint(data, position - 1, end)
        if key != 0:
            value, position = read_varint(data, position, end)
            if slot[row] != INVALID:
                last = add_tag(key, value, strings, table, begin, last)
                if last < 0:
                    return BAD_STRING, n
            continue
        if last > begin:
            tagged.row[n] = row
            n += 1
            tagged.first[n] = last
            begin = last
        row += 1
    if position > end:
        return BROKEN, n
    return OK if position == end and row == stop else UNEVEN, n


@plain_kernel
def _plain_tags(
    data: U8, tags: U32, strings: Span, table: TagTable, tagged: TaggedRows, row: int, n: int
) -> tuple[int, int]:
    """Append to ``n`` tagged rows a plain node if it has tags: (OK or the problem, how many)."""
    begin = np.int64(tagged.first[n])
    keys = np.int64(tags[0]), np.int64(tags[1])
    values = np.int64(tags[2]), np.int64(tags[3])
    status, end = read_tags(data, keys, values, strings, table, begin)
    if end > begin:
        tagged.row[n] = row
        n += 1
        tagged.first[n] = end
    return status, n


@plain_kernel
def _find_tags(
    batch: Batch, rows: NodeRows, slot: U32, table: TagTable, tagged: TaggedRows
) -> tuple[int, int]:
    """Collect the wanted nodes with tags of interest: (OK, how many), or (problem, where)."""
    row = n_dense = n = np.int64(0)
    for block in range(len(batch.end)):
        strings = batch.fact[block, FIRST_STRING], batch.fact[block, END_STRING]
        while row < rows.end[block]:
            status = OK
            if n_dense < len(rows.dense) and rows.dense[n_dense, 0] == row:
                dense = rows.dense[n_dense]
                status, n = _dense_tags(batch.data, dense, strings, slot, table, tagged, n)
                row = np.int64(dense[1])
                where = np.int64(dense[2])
                n_dense += 1
            else:
                tags = rows.tags[row]
                if slot[row] != INVALID:
                    status, n = _plain_tags(batch.data, tags, strings, table, tagged, row, n)
                where = np.int64(tags[0])
                row += 1
            if status != OK:
                return status, where
    return OK, n


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
    batch: Batch, rows: NodeRows, slot: U32, lon: I32, lat: I32, begin: int, ordered: bool
) -> bool:
    """Write the coordinates of wanted nodes, those at position ``begin`` to the first place.

    If ordered, gaps are filled, and the answer is whether the positions ascend.
    """
    last = np.int64(-1)
    row = 0
    for block in range(len(batch.end)):
        fact = batch.fact[block]
        granularity, lon_offset, lat_offset = fact[GRANULARITY], fact[LON_OFFSET], fact[LAT_OFFSET]
        while row < rows.end[block]:
            if slot[row] != INVALID:
                at = np.int64(slot[row]) - begin
                if ordered:
                    if at <= last or at >= len(lon):
                        return False
                    while last + 1 < at:
                        last += 1
                        lon[last] = lat[last] = UNDEFINED_COORDINATE
                    last = at
                x = _coordinate(rows.lon[row], granularity, lon_offset)
                y = _coordinate(rows.lat[row], granularity, lat_offset)
                if not (-_MAX_LON <= x <= _MAX_LON and -_MAX_LAT <= y <= _MAX_LAT):
                    x = y = UNDEFINED_COORDINATE
                lon[at] = x
                lat[at] = y
            row += 1
    return True


def _make_rows(n_nodes: int) -> NodeRows:
    ids, lon, lat = allocate_together((np.int64, n_nodes), (np.int64, n_nodes), (np.int64, n_nodes))
    none = np.empty((0, 4), np.uint32)
    return NodeRows(ids, lon, lat, none, none, np.empty(0, np.uint32))


class NodeDecoder:
    """Decodes the wanted nodes of a task, batch by batch, as long as their ids ascend."""

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
        self._rows = _make_rows(0)

    def add(self, batch: Batch) -> tuple[int, int]:
        """Decode a batch: (OK, -) or (problem, position)."""
        rows = self._make_room(batch)
        status, n = _decode_nodes(batch, rows)
        if status != OK:
            return status, n
        self._n_nodes += n
        slot = np.empty(n, np.uint32)
        last = find_ids(self._wanted, rows.id[:n], slot)
        if last == INVALID or not self._put(batch, rows, slot, last):
            return OK, 0
        return self._add_tags(batch, rows, slot)

    def _make_room(self, batch: Batch) -> NodeRows:
        """Rows for a batch; one more for each dense list that runs into what follows."""
        n_dense, n_blocks = total(batch, N_DENSE), len(batch.end)
        n_nodes = total(batch, N_NODES) + n_dense
        if len(self._rows.id) < n_nodes:
            self._rows = _make_rows(max(n_nodes, 2 * len(self._rows.id)))
        return self._rows._replace(
            tags=np.empty((n_nodes, 4), np.uint32),
            dense=np.empty((n_dense, 4), np.uint32),
            end=np.empty(n_blocks, np.uint32),
        )

    def _put(self, batch: Batch, rows: NodeRows, slot: U32, last: int) -> bool:
        """Write the places of the nodes of a batch; False if that is no use."""
        if self._begin < 0:
            self._begin = int(slot[np.argmax(slot != INVALID)])
        begin = self._begin + len(self._lon)
        n = last + 1 - begin
        self._ordered = (
            self._ordered
            and n > 0
            and _place(batch, rows, slot, self._lon.extend(n), self._lat.extend(n), begin, True)
        )
        return self._ordered

    def _add_tags(self, batch: Batch, rows: NodeRows, slot: U32) -> tuple[int, int]:
        table = self._tags.look_up(batch)
        tagged = TaggedRows(np.empty(len(slot), np.uint32), np.zeros(len(slot) + 1, np.uint32))
        status, n = _find_tags(batch, rows, slot, table, tagged)
        if status == OK and n > 0:
            first = tagged.first[: n + 1]
            pair = table.pair[: int(first[-1])]
            pair[1::2] = self._tags.intern_strings(batch, pair[1::2].copy())
            tagset = self._tags.intern_sets(0, pair, first[:-1], first[1:])
            self._keep(slot, tagged.row[:n], tagset)
        return status, n

    def _keep(self, slot: U32, row: U32, tagset: U32) -> None:
        """Note the sets of a batch's tagged nodes."""
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

    def _put(self, batch: Batch, rows: NodeRows, slot: U32, last: int) -> bool:
        _place(batch, rows, slot, self._all_lon, self._all_lat, 0, False)
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
