"""Puts the parts that tasks decoded together, in the order of the tasks."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I32, I64, INVALID, U32, UNDEFINED_COORDINATE, AnyArray, freeze, offsets
from gis.errors import ResourceError
from gis.osm.columns import allocate_together, own
from gis.osm.id_set import Pages, count_ids, find_codes, merge_pages, rank_ids
from gis.osm.interning import number_in_order, renumber
from gis.osm.node_decoder import NodePart
from gis.osm.nodes import Wanted
from gis.osm.relations import RelationPart
from gis.osm.tables import NodeTable, RelationTable, WayTable
from gis.osm.tags import TagMerger, Vocabulary
from gis.osm.tagsets import TagSets
from gis.osm.way_decoder import RoadPart


class References(NamedTuple):
    """The nodes that roads name.

    | field | content |
    |---|---|
    | pages | the set of these nodes |
    | page_index | for each task, where the pages of its codes are in the set |
    | code | for each task, the nodes that its roads name, as codes |
    """

    pages: Pages
    page_index: list[U32]
    code: list[U32]

    def part(self, task: int, ref: U32) -> U32:
        """The part of ``ref``, all references, that are those of a task."""
        begin = sum(len(code) for code in self.code[:task])
        return ref[begin : begin + len(self.code[task])]

    def find(self, task: int, ref: U32) -> U32:
        """Write the references of a task as positions in the set; returns that part of ``ref``."""
        position = self.part(task, ref)
        find_codes(self.pages, self.page_index[task], self.code[task], position)
        return position


class RoadMerger:
    """Collects the roads of the tasks."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._tags = TagMerger(vocabulary)
        self._parts: list[RoadPart] = []
        self._maps: list[list[U32]] = []

    def add(self, part: RoadPart) -> None:
        """Append the roads of the next task."""
        self._maps.append(self._tags.merge(part.tags)[1])
        columns: list[AnyArray] = [part.id, part.n_refs, part.code, part.nodes.page]
        columns += [part.nodes.entry, part.tagset, part.label]
        ids, n_refs, code, page, entry, tagset, label = own(columns)
        nodes = Pages(page, entry)
        self._parts.append(RoadPart(ids, n_refs, code, nodes, tagset, label, part.tags))

    def rank_nodes(self, shared: bool) -> tuple[Wanted, U32, References]:
        """The nodes that the roads name, room for the references to them, and what these are.

        What is still to be written lies in memory that is ``shared`` with processes forked later.
        """
        pages, index = merge_pages([part.nodes for part in self._parts])
        code = [part.code for part in self._parts]
        n_nodes, n_refs = count_ids(pages), sum(len(codes) for codes in code)
        if n_refs > INVALID:
            raise ResourceError(f"the roads have {n_refs} references, at most {INVALID} fit")
        (ids,) = allocate_together((np.int64, n_nodes + 1))
        lon, lat, ref = allocate_together(
            (np.int32, n_nodes), (np.int32, n_nodes), (np.uint32, n_refs), shared=shared
        )
        ids[-1] = np.iinfo(np.int64).max
        rank_ids(pages, ids[:-1])
        return Wanted(ids, lon, lat), ref, References(pages, index, code)

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
            tagset[begin:end] = part.tagset
            renumber(tagset[begin:end], tagset_of)
            label[begin:end] = part.label
            renumber(label[begin:end], label_of)
            first_ref[begin + 1 : end + 1] = part.n_refs
        np.cumsum(first_ref, out=first_ref)
        return WayTable(freeze(ids), freeze(first_ref), freeze(ref), freeze(tagset), freeze(label))

    def tagsets(self) -> tuple[TagSets, TagSets]:
        """What profiles judge, and what people read."""
        return self._tags.tagsets(0), self._tags.tagsets(1)


_NO_RELATIONS: tuple[AnyArray, ...] = (
    np.empty(0, np.int64),
    np.empty(0, np.uint32),
    np.empty(0, np.uint8),
    np.empty(0, np.int64),
    np.empty(0, np.uint32),
    np.empty(0, np.uint32),
)


class RelationMerger:
    """Collects the restrictions of the tasks."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._tags = TagMerger(vocabulary)
        self._parts: list[tuple[AnyArray, ...]] = []

    def add(self, part: RelationPart) -> None:
        """Append the restrictions of the next task."""
        string, (tagset,) = self._tags.merge(part.tags)
        self._parts.append(
            (
                part.id.copy(),
                part.n_members.copy(),
                part.member_type.copy(),
                part.member_id.copy(),
                string[part.role],
                tagset[part.tagset],
            )
        )

    def table(self) -> tuple[RelationTable, TagSets, tuple[str, ...]]:
        """All restrictions, their tag sets and the roles of their members."""
        columns = [_NO_RELATIONS, *self._parts]
        ids, n_members, kind, member, used, tagset = (
            np.concatenate(arrays) for arrays in zip(*(columns), strict=True)
        )
        order, number = number_in_order(used, self._tags.n_strings)
        table = RelationTable(
            freeze(ids),
            freeze(offsets(n_members)),
            freeze(kind),
            freeze(member),
            freeze(number[used]),
            freeze(tagset),
        )
        roles = tuple(self._tags.string(int(index)) for index in order)
        return table, self._tags.tagsets(0), roles


class NodeMerger:
    """Collects the places of wanted nodes and their tags, as long as their ids ascend.

    Nodes that no task finds get no place.
    """

    def __init__(self, vocabulary: Vocabulary, lon: I32, lat: I32) -> None:
        self._tags = TagMerger(vocabulary)
        self._lon = lon
        self._lat = lat
        self._end = 0
        self._tagged = [np.empty(0, np.uint32)]
        self._tagset = [np.empty(0, np.uint32)]
        self.n_nodes = 0

    def add(self, part: NodePart) -> bool:
        """Append the nodes of the next task; False if they do not come after all others."""
        if not part.ordered or (part.end > part.begin and part.begin < self._end):
            return False
        self.n_nodes += part.n_nodes
        if part.end > part.begin:
            self._skip_to(part.begin)
            self._end = part.end
        if len(part.lon):
            self._lon[part.begin : part.end] = part.lon
            self._lat[part.begin : part.end] = part.lat
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
