"""Kernels for the tags of wanted nodes."""

from typing import NamedTuple

from gis.arrays import INVALID, U8, U32
from gis.jit import inner_kernel, int64, plain_kernel
from gis.osm.blocks import BAD_STRING, BROKEN, END_STRING, FIRST_STRING, OK, UNEVEN, Batch
from gis.osm.nodes import END, FIRST, TAGS, NodeRows
from gis.osm.tags import TagTable, add_tag, read_tags
from gis.osm.wire import Span, read_varint, read_word


class TaggedRows(NamedTuple):
    """The wanted nodes of a batch that have tags of interest. T nodes fit.

    | array | dtype, shape | content |
    |---|---|---|
    | row | uint32 (T,) | which row of the batch |
    | first | uint32 (T + 1,) | offsets into the pairs of the tag table |
    """

    row: U32
    first: U32


@inner_kernel
def _dense_tags(
    data: U8, lists: U32, strings: Span, slot: U32, table: TagTable, tagged: TaggedRows, n: int
) -> tuple[int, int]:
    """Append to ``n`` tagged rows those of a dense list: (OK or the problem, how many)."""
    row, stop = int64(lists[FIRST]), int64(lists[END])
    position, end = int64(lists[TAGS]), int64(lists[TAGS + 1])
    if position == end:
        return OK, n
    begin = last = int64(tagged.first[n])
    while position < end and row < stop:
        if (
            last == begin
            and position + 4 <= end
            and row + 4 <= stop
            and not read_word(data, position)
        ):
            position += 4  # four nodes without tags
            row += 4
            continue
        key, position = read_varint(data, position, end)
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


@inner_kernel
def _plain_tags(
    data: U8, tags: U32, strings: Span, table: TagTable, tagged: TaggedRows, row: int, n: int
) -> tuple[int, int]:
    """Append to ``n`` tagged rows a plain node if it has tags: (OK or the problem, how many)."""
    begin = int64(tagged.first[n])
    keys = int64(tags[0]), int64(tags[1])
    values = int64(tags[2]), int64(tags[3])
    status, end = read_tags(data, keys, values, strings, table, begin)
    if end > begin:
        tagged.row[n] = row
        n += 1
        tagged.first[n] = end
    return status, n


@plain_kernel
def find_tags(batch: Batch, rows: NodeRows, table: TagTable, tagged: TaggedRows) -> tuple[int, int]:
    """Collect the wanted nodes with tags of interest: (OK, how many), or (problem, where)."""
    row = n_dense = n = int64(0)
    for block in range(len(batch.end)):
        strings = batch.fact[block, FIRST_STRING], batch.fact[block, END_STRING]
        while row < rows.end[block]:
            status = OK
            if n_dense < len(rows.dense) and rows.dense[n_dense, FIRST] == row:
                lists = rows.dense[n_dense]
                status, n = _dense_tags(batch.data, lists, strings, rows.slot, table, tagged, n)
                row = int64(lists[END])
                where = int64(lists[TAGS])
                n_dense += 1
            else:
                tags = rows.tags[row]
                if rows.slot[row] != INVALID:
                    status, n = _plain_tags(batch.data, tags, strings, table, tagged, row, n)
                where = int64(tags[0])
                row += 1
            if status != OK:
                return status, where
    return OK, n
