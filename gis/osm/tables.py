"""Columns of what a road network needs from an OpenStreetMap file."""

from dataclasses import dataclass

from gis.arrays import I32, I64, U8, U32
from gis.osm.tagsets import TagSets

NODE, WAY, RELATION = 0, 1, 2
"""Member types of a relation."""


@dataclass(frozen=True)
class TagSelection:
    """Which objects and tags to keep; everything else is skipped while decoding.

    A way is kept if one of ``road_tags`` matches it: a key with the values that count, or
    ``None`` for any value. Of a kept way ``way_keys`` go into its tag set (what profiles judge)
    and ``label_keys`` into its label set (what people read). A relation is kept if its ``type``
    tag equals ``restriction`` or begins with ``restriction:``. Keys match exactly.
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
    | lon, lat | int32 (N,) | 1e-7 degree; both UNDEFINED_COORDINATE where the file lacks the node |
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
