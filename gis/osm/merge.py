"""Puts the parts that tasks decoded together, in the order of the tasks."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I32, I64, U32, UNDEFINED_COORDINATE, AnyArray, freeze, offsets
from gis.osm.columns import Column, read_only
from gis.osm.id_set import Pages, find_codes, merge_pages
from gis.osm.interning import number_in_order
from gis.osm.nodes import NodePart
from gis.osm.relations import RelationDecoder, RelationPart
from gis.osm.tables import NodeTable, RelationTable, TagSelection, WayTable
from gis.osm.tags import TagMerger
from gis.osm.tagsets import TagSets
from gis.osm.ways import RoadPart


class References(NamedTuple):
    """The nodes that roads name. Q parts (of the tasks), R references.

    | field | dtype, shape | content |
    |---|---|---|
    | pages | Pages | the set of these nodes |
    | index | uint32 | where in it the pages of the parts are, one part after the other |
    | code | uint32 (R,) | the references, over the pages of their part |
    | first_page, first_code | (Q + 1,) | where the parts begin in ``index`` and ``code`` |
    """

    pages: Pages
    index: U32
    code: U32
    first_page: list[int]
    first_code: list[int]

    def find(self, part: int) -> U32:
        """The references of a part as positions in the set, which must be ranked."""
        index = self.index[self.first_page[part] : self.first_page[part + 1]]
        code = self.code[self.first_code[part] : self.first_code[part + 1]]
        position = np.empty(len(code), np.uint32)
        find_codes(self.pages, index, code, position)
        return position


class RoadMerger:
    """Collects the roads of the tasks."""

    def __init__(self, selection: TagSelection) -> None:
        self._tags = TagMerger((selection.way_keys, selection.label_keys))
        self._id = Column(np.int64)
        self._n_refs = Column(np.uint32)
        self._tagset = Column(np.uint32)
        self._label = Column(np.uint32)
        self._code = Column(np.uint32)
        self._page = Column(np.int64)
        self._entry = Column(np.int64)
        self._first_page = [0]
        self._first_code = [0]

    def add(self, part: RoadPart) -> None:
        """Append the roads of the next task."""
        tagset, label = self._tags.merge(part.tags)[1]
        self._id.append(part.id)
        self._n_refs.append(part.n_refs)
        self._tagset.append(tagset[part.tagset])
        self._label.append(label[part.label])
        self._code.append(part.code)
        self._page.append(part.nodes.page)
        self._entry.append(part.nodes.entry)
        self._first_page.append(len(self._page))
        self._first_code.append(len(self._code))

    def references(self) -> References:
        """The nodes that the roads name, as a set without ranks."""
        pages, index = merge_pages(Pages(self._page.array(), self._entry.array()))
        code = read_only(self._code.array())
        return References(pages, index, code, self._first_page, self._first_code)

    def table(self, ref: U32) -> WayTable:
        """All roads, with the positions of the nodes that they name."""
        return WayTable(
            freeze(self._id.array()),
            freeze(offsets(self._n_refs.array())),
            freeze(ref),
            freeze(self._tagset.array()),
            freeze(self._label.array()),
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
