"""Puts the parts that tasks decoded together, in the order of the tasks."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I32, I64, U32, UNDEFINED_COORDINATE, AnyArray, freeze, offsets
from gis.osm.columns import allocate_together, own, read_only
from gis.osm.id_set import Pages, find_codes, merge_pages
from gis.osm.interning import number_in_order
from gis.osm.nodes import NodePart
from gis.osm.relations import RelationDecoder, RelationPart
from gis.osm.tables import NodeTable, RelationTable, TagSelection, WayTable
from gis.osm.tags import TagMerger
from gis.osm.tagsets import TagSets
from gis.osm.ways import RoadPart


class References(NamedTuple):
    """The nodes that roads name.

    | field | content |
    |---|---|
    | pages | the set of these nodes |
    | index | for each task, where the pages of its codes are in the set |
    | code | for each task, the nodes that its roads name, as codes |
    """

    pages: Pages
    index: list[U32]
    code: list[U32]

    @property
    def size(self) -> int:
        """How many references there are."""
        return sum(len(code) for code in self.code)

    def find(self, task: int) -> U32:
        """The references of a task as positions in the set, which must be ranked."""
        position = np.empty(len(self.code[task]), np.uint32)
        find_codes(self.pages, self.index[task], self.code[task], position)
        return position


class RoadMerger:
    """Collects the roads of the tasks."""

    def __init__(self, selection: TagSelection) -> None:
        self._tags = TagMerger((selection.way_keys, selection.label_keys))
        self._parts: list[RoadPart] = []
        self._maps: list[list[U32]] = []

    def add(self, part: RoadPart) -> None:
        """Append the roads of the next task."""
        self._maps.append(self._tags.merge(part.tags)[1])
        columns = [part.id, part.n_refs, part.code, *part.nodes, part.tagset, part.label]
        ids, n_refs, code, page, entry, tagset, label = own(columns)
        nodes = Pages(page, entry)
        self._parts.append(RoadPart(ids, n_refs, code, nodes, tagset, label, part.tags))

    def references(self) -> References:
        """The nodes that the roads name, as a set without ranks."""
        pages, index = merge_pages([part.nodes for part in self._parts])
        return References(pages, index, [read_only(part.code) for part in self._parts])

    def table(self, ref: U32) -> WayTable:
        """All roads, with the positions of the nodes that they name."""
        n = sum(len(part.id) for part in self._parts)
        ids, first_ref, tagset, label = allocate_together(
            (np.int64, n), (np.uint32, n + 1), (np.uint32, n), (np.uint32, n)
        )
        end = 0
        first_ref[0] = 0
        for part, (tagset_of, label_of) in zip(self._parts, self._maps, strict=True):
            begin, end = end, end + len(part.id)
            ids[begin:end] = part.id
            np.take(tagset_of, part.tagset, out=tagset[begin:end])
            np.take(label_of, part.label, out=label[begin:end])
            first_ref[begin+1:end+1] = part.n_refs
        np.cumsum(first_ref, out=first_ref)
        return WayTable(
            freeze(ids), freeze(first_ref), freeze(ref), freeze(tagset), freeze(label)
        )

    def tagsets(self) -> tuple[TagSets, TagSets]:
        """What profiles judge, and what people read."""
        return self._tags.tagsets(0), self._tags.tagsets(1)


class RelationMerger:
    """Collects the restrictions of the tasks."""

    def __init__(self, selection: TagSelection) -> None:
        self._tags = TagMerger((selection.relation_keys,))
        self._parts = [RelationDecoder(selection).finish()]

    def add(self, part: RelationPart) -> None:
        """Append the restrictions of the next task."""
        string, (tagset,) = self._tags.merge(part.tags)
        self._parts.append(
            RelationPart(
                part.id.copy(),
                part.n_members.copy(),
                part.member_type.copy(),
                part.member_id.copy(),
                string[part.role],
                tagset[part.tagset],
                part.tags,
            )
        )

    def table(self) -> tuple[RelationTable, TagSets, tuple[str, ...]]:
        """All restrictions, their tag sets and the roles of their members."""
        parts = self._parts
        used = np.concatenate([part.role for part in parts])
        order, number = number_in_order(used, self._tags.n_strings)
        table = RelationTable(
            freeze(np.concatenate([part.id for part in parts])),
            freeze(offsets(np.concatenate([part.n_members for part in parts]))),
            freeze(np.concatenate([part.member_type for part in parts])),
            freeze(np.concatenate([part.member_id for part in parts])),
            freeze(number[used]),
            freeze(np.concatenate([part.tagset for part in parts])),
        )
        roles = tuple(self._tags.string(int(index)) for index in order)
        return table, self._tags.tagsets(0), roles


class NodeMerger:
    """Collects the places of wanted nodes and their tags, as long as their ids ascend.

    Nodes that no task finds get no place.
    """

    def __init__(self, selection: TagSelection, lon: I32, lat: I32) -> None:
        self._tags = TagMerger((selection.node_keys,))
        self._lon = lon
        self._lat = lat
        self._end = 0
        self._tagged = [np.empty(0, np.uint32)]
        self._tagset = [np.empty(0, np.uint32)]
        self.n_nodes = 0

    def add(self, part: NodePart) -> bool:
        """Append the nodes of the next task; False if they do not come after all others."""
        if not part.ordered or 0 <= part.begin < self._end:
            return False
        self.n_nodes += part.n_nodes
        if part.begin >= 0:
            self._skip_to(part.begin)
            self._end = part.begin + len(part.lon)
            self._lon[part.begin : self._end] = part.lon
            self._lat[part.begin : self._end] = part.lat
        _, (tagset,) = self._tags.merge(part.tags)
        self._tagged.append(part.tagged.copy())
        self._tagset.append(tagset[part.tagset])
        return True

    def _skip_to(self, end: int) -> None:
        self._lon[self._end : end] = UNDEFINED_COORDINATE
        self._lat[self._end : end] = UNDEFINED_COORDINATE
        self._end = end

    def table(self, ids: I64) -> tuple[NodeTable, TagSets]:
        """All wanted nodes, their tag sets."""
        self._skip_to(len(ids))
        return NodeTable(
            freeze(ids),
            freeze(self._lon),
            freeze(self._lat),
            freeze(np.concatenate(self._tagged)),
            freeze(np.concatenate(self._tagset)),
        ), self._tags.tagsets(0)
