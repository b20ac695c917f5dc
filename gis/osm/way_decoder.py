"""Decodes the ways of a task, batch by batch, and keeps those that are roads."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U32, freeze
from gis.osm.blocks import OK, Batch
from gis.osm.columns import Scratch, allocate_together
from gis.osm.id_set import Pages, add_ids, make_page_table, pages_of
from gis.osm.interning import number_spans
from gis.osm.tables import TagSelection
from gis.osm.tags import TagReader, TaskTags, Vocabulary
from gis.osm.ways import (
    ANY,
    LISTED,
    DistinctTags,
    RoadFilter,
    RoadRows,
    WayRows,
    keep_roads,
    list_ways,
    read_roads,
    split_lists,
)


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


class Roads:
    """What to look for in ways."""

    def __init__(self, selection: TagSelection) -> None:
        keys = [key for key, _ in selection.road_tags]
        values = [value for _, allowed in selection.road_tags for value in allowed or ()]
        groups = (selection.way_keys, selection.label_keys)
        self.vocabulary = Vocabulary(groups, [*keys, *values])
        self.n_way_keys = len(selection.way_keys)
        self.filter = _road_filter(selection, self.vocabulary.seeds)


class WayDecoder:
    """Decodes the roads of a task.

    Many ways of a block have the same tags, written with the same bytes: only one of them is
    looked at.
    """

    def __init__(self, wanted: Roads, scratch: Scratch) -> None:
        self._wanted = wanted
        self._scratch = scratch
        self._tags = TagReader(wanted.vocabulary, scratch)
        self.n_ways = 0
        self._node = scratch.column("node", np.int64)
        self._id: list[I64] = [np.empty(0, np.int64)]
        self._n_refs: list[U32] = [np.empty(0, np.uint32)]
        self._tagset: list[U32] = [np.empty(0, np.uint32)]
        self._label: list[U32] = [np.empty(0, np.uint32)]

    def add(self, batch: Batch) -> tuple[int, int]:
        """Decode a batch: (OK, -) or (problem, position)."""
        room = self._make_rows(batch)
        status, n = list_ways(batch, room)
        if status != OK:
            return status, n
        self.n_ways += n
        rows = WayRows(
            room.id[:n],
            room.refs_start[:n],
            room.refs_stop[:n],
            room.tags_start[:n],
            room.tags_stop[:n],
            room.end,
        )
        chosen, number = number_spans(
            batch.data, rows.tags_start, rows.tags_stop, rows.end, self._scratch
        )
        first = np.empty(len(chosen) + 1, np.uint32)
        road = np.empty(len(chosen), np.uint8)
        table = self._tags.look_up(batch)
        status, n = read_roads(batch, rows, chosen, table, self._wanted.filter, first, road)
        if status != OK:
            return status, n
        tagset, label = self._intern(batch, table.pair[:n], first)
        return self._keep(batch, rows, DistinctTags(number, road, tagset, label))

    def _make_rows(self, batch: Batch) -> WayRows:
        n = len(batch.data) // 2 + 1  # a way takes at least two bytes
        return WayRows(
            self._scratch.array("way id", np.int64, n),
            self._scratch.array("refs start", np.uint32, n),
            self._scratch.array("refs stop", np.uint32, n),
            self._scratch.array("tags start", np.uint32, n),
            self._scratch.array("tags stop", np.uint32, n),
            np.empty(len(batch.end), np.uint32),
        )

    def _intern(self, batch: Batch, pair: U32, first: U32) -> tuple[U32, U32]:
        """Sets of the task for lists of pairs: tags, labels."""
        self._tags.intern_strings(batch, pair, 1, 2)
        middle = np.empty(len(first) - 1, np.uint32)
        split_lists(pair, first, self._wanted.n_way_keys, middle)
        return (
            self._tags.intern_sets(0, pair, first[:-1], middle),
            self._tags.intern_sets(1, pair, middle, first[1:]),
        )

    def _keep(self, batch: Batch, rows: WayRows, sets: DistinctTags) -> tuple[int, int]:
        """Append the roads among the ways, and the nodes that they name."""
        n_bytes = int(rows.refs_stop.sum(dtype=np.int64) - rows.refs_start.sum(dtype=np.int64))
        roads = RoadRows(
            np.empty(len(rows.id), np.int64),
            np.empty(len(rows.id), np.uint32),
            np.empty(len(rows.id), np.uint32),
            np.empty(len(rows.id), np.uint32),
            self._node.extend(n_bytes),  # a reference takes at least one byte
        )
        status, n_roads, n_nodes = keep_roads(batch.data, rows, sets, roads)
        self._node.drop(n_bytes - n_nodes)
        self._id.append(roads.id[:n_roads])
        self._n_refs.append(roads.n_refs[:n_roads])
        self._tagset.append(roads.tagset[:n_roads])
        self._label.append(roads.label[:n_roads])
        return status, n_roads

    def finish(self) -> RoadPart:
        """All roads that were added."""
        # All nodes at once: their pages then stay in the cache.
        (code,) = allocate_together((np.uint32, len(self._node)))
        nodes = add_ids(make_page_table(len(code) // 32), self._node.array(), code)
        return RoadPart(
            np.concatenate(self._id),
            np.concatenate(self._n_refs),
            code,
            pages_of(nodes),
            np.concatenate(self._tagset),
            np.concatenate(self._label),
            self._tags.content(),
        )


def _road_filter(selection: TagSelection, seeds: list[str]) -> RoadFilter:
    """The selection's road tags in terms of the seeds."""
    rule = np.zeros(len(seeds), np.uint8)
    listed: list[tuple[int, int]] = []
    for i, (key, allowed) in enumerate(selection.road_tags):
        rule[seeds.index(key)] = ANY if allowed is None else LISTED + i
        listed += [(seeds.index(key), seeds.index(value)) for value in allowed or ()]
    keys, values = np.array(listed, np.uint32).reshape(-1, 2).T
    return RoadFilter(freeze(rule), freeze(keys), freeze(values))
