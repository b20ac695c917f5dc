"""Reads the formats other than PBF (XML, o5m, OPL, plain or compressed) through pyosmium."""

from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import osmium
from osmium.osm import Node, Relation, TagList, Way

from gis.arrays import I32, I64, U32, UNDEFINED_COORDINATE, freeze, offsets
from gis.errors import FormatError
from gis.osm.tables import (
    NODE,
    RELATION,
    WAY,
    FileCounts,
    NodeTable,
    OsmTables,
    RelationTable,
    TagSelection,
    WayTable,
)
from gis.osm.tagsets import TagSets, build_tagsets

Tags = tuple[tuple[str, str], ...]

_MEMBER_TYPES = {"n": NODE, "w": WAY, "r": RELATION}
_NODES_AT_ONCE = 1 << 16
_MAX_LON, _MAX_LAT = 1_800_000_000, 900_000_000


def read_with_pyosmium(path: Path, selection: TagSelection) -> OsmTables:
    """The tables that the PBF reader would give for the same data.

    The file is read twice, first its ways and relations, then the nodes that these ways name,
    so that memory is needed for the road network only. The suffix tells the format.

    Raises
    ------
    FormatError
        The file cannot be read, or is not what its suffix says.
    """
    _check_readable(path)
    roads = _RoadCollector(selection)
    timestamp = _apply(path, osmium.osm.WAY | osmium.osm.RELATION, roads)
    ids, ref = np.unique(np.array(roads.ref, np.int64), return_inverse=True)
    nodes = _NodeCollector(ids, selection.node_keys)
    _apply(path, osmium.osm.NODE, nodes)
    return OsmTables(
        nodes.table(),
        roads.way_table(ref),
        roads.relation_table(),
        roads.way_tags.tagsets(),
        roads.labels.tagsets(),
        nodes.tags.tagsets(),
        roads.relation_tags.tagsets(),
        tuple(roads.roles),
        FileCounts(nodes.n_nodes, roads.n_ways, roads.n_relations),
        timestamp,
    )


class _Interner:
    """Numbers distinct tags in the order in which they come; no tags are number 0."""

    def __init__(self) -> None:
        self._numbers: dict[Tags, int] = {(): 0}

    def number(self, tags: Tags) -> int:
        return self._numbers.setdefault(tags, len(self._numbers))

    def tagsets(self) -> TagSets:
        return build_tagsets(dict(tags) for tags in self._numbers)


class _RoadCollector:
    """Handler of the first pass: the ways and relations of a selection."""

    def __init__(self, selection: TagSelection) -> None:
        self._selection = selection
        road_keys = tuple(key for key, _ in selection.road_tags)
        self._way_keys = road_keys + selection.way_keys + selection.label_keys
        self._way_id = array("q")
        self._n_refs = array("q")
        self._way_set = array("q")
        self._label = array("q")
        self._relation_id = array("q")
        self._n_members = array("q")
        self._member_type = array("B")
        self._member_id = array("q")
        self._member_role = array("q")
        self._relation_set = array("q")
        self.ref = array("q")
        self.n_ways = 0
        self.n_relations = 0
        self.way_tags = _Interner()
        self.labels = _Interner()
        self.relation_tags = _Interner()
        self.roles: dict[str, int] = {}

    def way(self, way: Way) -> None:
        """Keep a way that is a road."""
        if way.deleted:
            return
        self.n_ways += 1
        wanted = self._selection
        tags = _tags(way, self._way_keys)
        if not any(key in tags and _matches(tags[key], ok) for key, ok in wanted.road_tags):
            return
        self._way_id.append(way.id)
        self._n_refs.append(len(way.nodes))
        self.ref.extend(node.ref for node in way.nodes)
        self._way_set.append(self.way_tags.number(_pick(tags, wanted.way_keys)))
        self._label.append(self.labels.number(_pick(tags, wanted.label_keys)))

    def relation(self, relation: Relation) -> None:
        """Keep a relation that restricts turns."""
        if relation.deleted:
            return
        self.n_relations += 1
        tags = _tags(relation, ("type", *self._selection.relation_keys))
        purpose = tags.get("type", "")
        if purpose != "restriction" and not purpose.startswith("restriction:"):
            return
        self._relation_id.append(relation.id)
        self._n_members.append(len(relation.members))
        for kind, member_id, role in _members(relation):
            self._member_type.append(kind)
            self._member_id.append(member_id)
            self._member_role.append(self.roles.setdefault(role, len(self.roles)))
        picked = _pick(tags, self._selection.relation_keys)
        self._relation_set.append(self.relation_tags.number(picked))

    def way_table(self, ref: I64) -> WayTable:
        """The kept ways; ``ref`` (R,) is ``self.ref`` as positions in the node table."""
        return WayTable(
            freeze(np.array(self._way_id, np.int64)),
            freeze(offsets(np.array(self._n_refs, np.int64))),
            freeze(ref.astype(np.uint32)),
            freeze(np.array(self._way_set, np.uint32)),
            freeze(np.array(self._label, np.uint32)),
        )

    def relation_table(self) -> RelationTable:
        """The kept relations."""
        return RelationTable(
            freeze(np.array(self._relation_id, np.int64)),
            freeze(offsets(np.array(self._n_members, np.int64))),
            freeze(np.array(self._member_type, np.uint8)),
            freeze(np.array(self._member_id, np.int64)),
            freeze(np.array(self._member_role, np.uint32)),
            freeze(np.array(self._relation_set, np.uint32)),
        )


class _NodeCollector:
    """Handler of the second pass: places and tags of the nodes ``wanted`` (N,), ascending.

    Nodes come one by one but are looked up many at once, which is faster and, unlike a set of
    Python integers, takes a few bytes for each.
    """

    def __init__(self, wanted: I64, keys: tuple[str, ...]) -> None:
        self._wanted = wanted
        self._lon: I32 = np.full(len(wanted), UNDEFINED_COORDINATE, np.int32)
        self._lat: I32 = np.full(len(wanted), UNDEFINED_COORDINATE, np.int32)
        self._tagset: U32 = np.zeros(len(wanted), np.uint32)
        self._keys = keys
        self._new_id = array("q")
        self._new_lon = array("i")
        self._new_lat = array("i")
        self._new_tags: list[tuple[int, Tags]] = []
        self.n_nodes = 0
        self.tags = _Interner()

    def node(self, node: Node) -> None:
        """Note a node, wanted or not."""
        if node.deleted:
            return
        self._new_id.append(node.id)
        location = node.location
        self._new_lon.append(location.x)
        self._new_lat.append(location.y)
        if node.tags:
            tags = _pick(_tags(node, self._keys), self._keys)
            if tags:
                self._new_tags.append((len(self._new_id) - 1, tags))
        if len(self._new_id) == _NODES_AT_ONCE:
            self._look_up()

    def table(self) -> NodeTable:
        """The wanted nodes."""
        self._look_up()
        tagged = np.flatnonzero(self._tagset)
        return NodeTable(
            freeze(self._wanted),
            freeze(self._lon),
            freeze(self._lat),
            freeze(tagged.astype(np.uint32)),
            freeze(self._tagset[tagged]),
        )

    def _look_up(self) -> None:
        """Keep those of the new nodes that are wanted; of a repeated node the last counts."""
        ids = np.array(self._new_id, np.int64)
        lon, lat = np.array(self._new_lon, np.int64), np.array(self._new_lat, np.int64)
        impossible = (np.abs(lon) > _MAX_LON) | (np.abs(lat) > _MAX_LAT)
        lon[impossible] = lat[impossible] = UNDEFINED_COORDINATE

        at = np.searchsorted(self._wanted, ids)
        found = at < len(self._wanted)
        found[found] = self._wanted[at[found]] == ids[found]
        tagset = np.zeros(len(ids), np.uint32)
        for index, tags in self._new_tags:
            if found[index]:
                tagset[index] = self.tags.number(tags)
        self._lon[at[found]] = lon[found]
        self._lat[at[found]] = lat[found]
        self._tagset[at[found]] = tagset[found]

        self.n_nodes += len(ids)
        del self._new_id[:], self._new_lon[:], self._new_lat[:], self._new_tags[:]


def _tags(thing: Node | Way | Relation, keys: tuple[str, ...]) -> dict[str, str]:
    """The tags of an object, those with ``keys`` at least; of a repeated key the first counts.

    Bytes that are not UTF-8 become lone surrogates. osmium refuses to list them, so that each
    value must be asked for.
    """
    try:
        return dict(reversed([*thing.tags]))
    except UnicodeDecodeError:
        values = ((key, _value(thing.tags, key)) for key in keys)
        return {key: value for key, value in values if value is not None}


def _value(tags: TagList, key: str) -> str | None:
    try:
        return tags.get(key)
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "surrogateescape")


def _pick(tags: dict[str, str], keys: tuple[str, ...]) -> Tags:
    """The tags of interest, in the order of ``keys``."""
    return tuple((key, tags[key]) for key in keys if key in tags)


def _matches(value: str, allowed: tuple[str, ...] | None) -> bool:
    return allowed is None or value in allowed


def _members(relation: Relation) -> Iterator[tuple[int, int, str]]:
    """Type, id and role of each member; osmium cannot tell a role that is not UTF-8."""
    try:
        for member in relation.members:
            yield _MEMBER_TYPES[member.type], member.ref, member.role
    except UnicodeDecodeError as error:
        raise ValueError(f"relation {relation.id}: a role is not UTF-8") from error


def _apply(path: Path, entities: osmium.osm.osm_entity_bits, handler: object) -> str:
    """Send the objects of these types to the handler; returns the timestamp of the header."""
    try:
        # An absolute path, because osmium takes "-" for standard input. A pool of its own,
        # because osmium's common threads would be missing in processes forked later.
        file = osmium.io.File(str(path.absolute()))
        reader = osmium.io.Reader(file, entities, osmium.io.ThreadPool())
        header = reader.header()
        if file.has_multiple_object_versions or header.has_multiple_object_versions:
            raise FormatError(f"{path}: a history or change file, expected a plain extract")
        osmium.apply(reader, handler)
        reader.close()  # only this tells that compressed data ended too early
    except (RuntimeError, ValueError, osmium.InvalidLocationError) as error:
        raise FormatError(f"{path}: {' '.join(str(error).split())}") from error
    return str(header.get("timestamp"))


def _check_readable(path: Path) -> None:
    """Raise unless the file can be opened and holds something."""
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from error
    if empty:
        raise FormatError(f"{path}: an empty file, expected OpenStreetMap data")
