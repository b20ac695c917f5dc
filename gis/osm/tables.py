"""Columns of what a road network needs from an OpenStreetMap file."""

import re
from dataclasses import dataclass

import numpy as np

from gis.arrays import I32, I64, U8, U32, UNDEFINED_COORDINATE, AnyArray
from gis.osm.tagsets import TagSets, check_tagsets

NODE, WAY, RELATION = 0, 1, 2
"""Member types of a relation."""


@dataclass(frozen=True)
class TagSelection:
    """Which objects and tags to keep; everything else is skipped while decoding.

    A way is kept if one of ``road_tags`` matches it: a key with the values that count, or
    ``None`` for any value. Of a kept way ``way_keys`` go into its tag set (what profiles judge)
    and ``label_keys`` into its label set (what people read). A relation is kept if its ``type``
    tag equals ``restriction`` or begins with ``restriction:``. Keys match exactly; of a repeated
    key the first counts, also in choosing what to keep.
    """

    road_tags: tuple[tuple[str, tuple[str, ...] | None], ...]
    way_keys: tuple[str, ...]
    label_keys: tuple[str, ...]
    node_keys: tuple[str, ...]
    relation_keys: tuple[str, ...]


@dataclass(frozen=True)
class NodeTable:
    """The nodes that kept ways name, ascending by id. N nodes, T of them with a tag set.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (N,) | OpenStreetMap id, strictly ascending |
    | lon, lat | int32 (N,) | 1e-7 degree; UNDEFINED_COORDINATE: not in the file, or off the globe |
    | tagged | uint32 (T,) | positions of the nodes with tags of interest, strictly ascending |
    | tagset | uint32 (T,) | their sets in ``OsmTables.node_tags``, never 0 |
    """

    id: I64
    lon: I32
    lat: I32
    tagged: U32
    tagset: U32


@dataclass(frozen=True)
class WayTable:
    """The kept ways in file order. W ways, R references.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (W,) | OpenStreetMap id |
    | first_ref | uint32 (W + 1,) | offsets into ``ref`` |
    | ref | uint32 (R,) | positions in the node table, in way order, repeats as in the file |
    | tagset | uint32 (W,) | set in ``OsmTables.way_tags`` |
    | label | uint32 (W,) | set in ``OsmTables.labels``; 0 has no tags |
    """

    id: I64
    first_ref: U32
    ref: U32
    tagset: U32
    label: U32


@dataclass(frozen=True)
class RelationTable:
    """The kept (restriction) relations in file order. M relations, B members.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (M,) | OpenStreetMap id |
    | first_member | uint32 (M + 1,) | offsets into the member arrays |
    | member_type | uint8 (B,) | NODE, WAY or RELATION |
    | member_id | int64 (B,) | OpenStreetMap id, whether the file holds the member or not |
    | member_role | uint32 (B,) | index into ``OsmTables.roles`` |
    | tagset | uint32 (M,) | set in ``OsmTables.relation_tags`` |
    """

    id: I64
    first_member: U32
    member_type: U8
    member_id: I64
    member_role: U32
    tagset: U32


@dataclass(frozen=True)
class FileCounts:
    """How many objects the file holds in all, kept or not."""

    nodes: int
    ways: int
    relations: int


@dataclass(frozen=True)
class OsmTables:
    """What was kept of a file. All arrays are frozen (read-only, contiguous).

    Set 0 of each ``TagSets`` is the empty set; the others stand in the order in which the file
    first uses them, so the tables are the same for any number of workers.
    """

    nodes: NodeTable
    ways: WayTable
    relations: RelationTable
    way_tags: TagSets
    labels: TagSets
    node_tags: TagSets
    relation_tags: TagSets
    roles: tuple[str, ...]
    counts: FileCounts
    timestamp: str
    """Replication timestamp of the file's header as ISO 8601 in UTC, or an empty string."""


def check_tables(tables: OsmTables) -> None:
    """Assert every documented invariant."""
    _check_nodes(tables)
    _check_ways(tables)
    _check_relations(tables)
    for sets in (tables.way_tags, tables.labels, tables.node_tags, tables.relation_tags):
        for array in (sets.first_tag, sets.key, sets.value, sets.first_byte):
            _check_array(array, np.uint32)
        _check_array(sets.text, np.uint8)
        check_tagsets(sets)
    assert tables.timestamp == "" or re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", tables.timestamp
    )


def _check_nodes(tables: OsmTables) -> None:
    nodes = tables.nodes
    _check_array(nodes.id, np.int64)
    for array in (nodes.lon, nodes.lat):
        _check_array(array, np.int32, len(nodes.id))
    assert (nodes.id[1:] > nodes.id[:-1]).all()
    absent = nodes.lon == UNDEFINED_COORDINATE
    assert ((nodes.lat == UNDEFINED_COORDINATE) == absent).all()
    assert (np.abs(nodes.lon[~absent].astype(np.int64)) <= 1_800_000_000).all()
    assert (np.abs(nodes.lat[~absent].astype(np.int64)) <= 900_000_000).all()
    assert tables.counts.nodes >= np.count_nonzero(~absent)

    _check_array(nodes.tagged, np.uint32)
    _check_array(nodes.tagset, np.uint32, len(nodes.tagged))
    assert (nodes.tagged[1:] > nodes.tagged[:-1]).all()
    assert (nodes.tagged < len(nodes.id)).all()
    assert (nodes.tagset > 0).all() and (nodes.tagset < len(tables.node_tags)).all()


def _check_ways(tables: OsmTables) -> None:
    ways = tables.ways
    _check_array(ways.id, np.int64)
    _check_offsets(ways.first_ref, len(ways.id), len(ways.ref))
    _check_array(ways.ref, np.uint32)
    named = np.zeros(len(tables.nodes.id), np.bool_)
    named[ways.ref] = True
    assert named.all()
    for array, sets in ((ways.tagset, tables.way_tags), (ways.label, tables.labels)):
        _check_array(array, np.uint32, len(ways.id))
        _check_order_of_use(array[array > 0] - 1, len(sets) - 1)
    assert tables.counts.ways >= len(ways.id)


def _check_relations(tables: OsmTables) -> None:
    relations = tables.relations
    _check_array(relations.id, np.int64)
    _check_offsets(relations.first_member, len(relations.id), len(relations.member_id))
    _check_array(relations.member_type, np.uint8, len(relations.member_id))
    _check_array(relations.member_id, np.int64)
    _check_array(relations.member_role, np.uint32, len(relations.member_id))
    _check_array(relations.tagset, np.uint32, len(relations.id))
    assert np.isin(relations.member_type, (NODE, WAY, RELATION)).all()
    _check_order_of_use(relations.member_role, len(tables.roles))
    sets = relations.tagset[relations.tagset > 0] - 1
    _check_order_of_use(sets, len(tables.relation_tags) - 1)
    assert tables.counts.relations >= len(relations.id)


def _check_array(array: AnyArray, dtype: type[np.generic], length: int | None = None) -> None:
    """A frozen vector of this type."""
    assert array.dtype == dtype and array.ndim == 1
    assert array.flags.c_contiguous and not array.flags.writeable
    assert length is None or len(array) == length


def _check_offsets(first: AnyArray, n_groups: int, n_items: int) -> None:
    _check_array(first, np.uint32, n_groups + 1)
    assert first[0] == 0 and first[-1] == n_items
    assert (first[1:] >= first[:-1]).all()


def _check_order_of_use(index: AnyArray, n_used: int) -> None:
    """Each of 0 to ``n_used`` - 1 is there, and they come for the first time in this order."""
    values, first = np.unique(index, return_index=True)
    assert np.array_equal(values, np.arange(n_used))
    assert (first[1:] > first[:-1]).all()
