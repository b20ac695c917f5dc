"""Decodes the nodes of a task, batch by batch, and keeps those that roads name."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I32, INVALID, U32, UNDEFINED_COORDINATE
from gis.osm.blocks import OK, UNORDERED, Batch
from gis.osm.columns import Scratch
from gis.osm.node_tags import TaggedRows, find_tags
from gis.osm.nodes import BEGIN, NEXT, ORDERED, NodeRows, Wanted, read_nodes
from gis.osm.tags import TagReader, TagTable, TaskTags, Vocabulary


class NodePart(NamedTuple):
    """The wanted nodes of a task: n, those at positions ``begin`` to ``end``. T with tags.

    | field | dtype, shape | content |
    |---|---|---|
    | begin, end | int | position of the first, and after the last |
    | lon, lat | int32 (n,) or (0,) | 1e-7 degree, UNDEFINED_COORDINATE for those not in this task |
    | tagged | uint32 (T,) | positions of those with tags |
    | tagset | uint32 (T,) | their sets |
    | tags | TaskTags | the sets |
    | n_nodes | int | how many nodes there are, wanted or not |
    | ordered | bool | whether the ids ascend; if not, the rest is worthless |

    There are no places where whoever gets this sees what was written to ``Wanted``.
    """

    begin: int
    end: int
    lon: I32
    lat: I32
    tagged: U32
    tagset: U32
    tags: TaskTags
    n_nodes: int
    ordered: bool


class NodeDecoder:
    """Decodes the wanted nodes of a task as long as their ids ascend, which ``ordered`` tells.

    Places are written to where ``wanted`` says.
    """

    def __init__(self, vocabulary: Vocabulary, wanted: Wanted, scratch: Scratch) -> None:
        self._wanted = wanted
        self._scratch = scratch
        self._tags = TagReader(vocabulary, scratch)
        self._cursor = np.array([-1, np.iinfo(np.int64).min, 0, 1])
        self._tagged: list[U32] = [np.empty(0, np.uint32)]
        self._tagset: list[U32] = [np.empty(0, np.uint32)]
        self._n_nodes = 0
        self.ordered = True

    def add(self, batch: Batch) -> tuple[int, int]:
        """Decode a batch: (OK or UNORDERED, -) or (problem, position)."""
        room = self._make_rows(batch)
        status, n, n_dense = read_nodes(batch, self._wanted, self._cursor, room)
        self.ordered = status != UNORDERED
        if status != OK:
            return status, n
        self._n_nodes += n
        rows = NodeRows(room.slot[:n], room.tags, room.dense[:n_dense], room.end)
        table = self._tags.look_up(batch)
        tagged = TaggedRows(
            self._scratch.array("tagged row", np.uint32, n),
            self._scratch.array("tagged first", np.uint32, n + 1),
        )
        tagged.first[0] = 0
        status, n = find_tags(batch, rows, table, tagged)
        if status == OK:
            first = tagged.first[: n + 1]
            self._keep(rows.slot, tagged.row[:n], self._intern(batch, table, first))
        return status, n

    def _make_rows(self, batch: Batch) -> NodeRows:
        n = len(batch.data)  # a node takes at least a byte, a dense list two
        return NodeRows(
            self._scratch.array("slot", np.uint32, n),
            self._scratch.array("node tags", np.uint32, n, 4),
            self._scratch.array("dense", np.uint32, n // 2, 10),
            np.empty(len(batch.end), np.uint32),
        )

    def _intern(self, batch: Batch, table: TagTable, first: U32) -> U32:
        """Sets of the task for lists of pairs."""
        pair = table.pair[: int(first[-1])]
        self._tags.intern_strings(batch, pair, 1, 2)
        return self._tags.intern_sets(0, pair, first[:-1], first[1:])

    def _keep(self, slot: U32, row: U32, tagset: U32) -> None:
        """Note the sets of the tagged nodes of a batch."""
        self._tagged.append(slot[row])
        self._tagset.append(tagset)

    def finish(self) -> NodePart:
        """All nodes that were added."""
        begin, end = max(int(self._cursor[BEGIN]), 0), max(int(self._cursor[NEXT]), 0)
        return NodePart(
            begin,
            end,
            self._wanted.lon[begin:end],
            self._wanted.lat[begin:end],
            np.concatenate(self._tagged),
            np.concatenate(self._tagset),
            self._tags.content(),
            self._n_nodes,
            self.ordered,
        )


class UnorderedNodeDecoder(NodeDecoder):
    """Decodes the wanted nodes of a whole file in any order; of a repeated one the last counts."""

    def __init__(self, vocabulary: Vocabulary, wanted: Wanted, scratch: Scratch) -> None:
        super().__init__(vocabulary, wanted, scratch)
        wanted.lon[:] = UNDEFINED_COORDINATE
        wanted.lat[:] = UNDEFINED_COORDINATE
        self._cursor[NEXT] = self._cursor[ORDERED] = 0
        self._sets = np.zeros(len(wanted.lon), np.uint32)

    def _keep(self, slot: U32, row: U32, tagset: U32) -> None:
        set_of_row = np.zeros(len(slot), np.uint32)
        set_of_row[row] = tagset
        wanted = slot != INVALID
        self._sets[slot[wanted]] = set_of_row[wanted]

    def finish(self) -> NodePart:
        """All nodes that were added."""
        tagged = np.flatnonzero(self._sets)
        return (
            super()
            .finish()
            ._replace(
                begin=0,
                end=len(self._sets),
                lon=self._wanted.lon,
                lat=self._wanted.lat,
                tagged=tagged.astype(np.uint32),
                tagset=self._sets[tagged],
            )
        )
