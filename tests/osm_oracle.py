"""What a tag selection keeps of a file, found object by object with pyosmium."""

from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path

import numpy as np
import osmium

from gis.arrays import UNDEFINED_COORDINATE
from gis.osm.tables import OsmTables, TagSelection
from gis.osm.tagsets import TagSets

Tags = tuple[tuple[str, str], ...]

GONE = (UNDEFINED_COORDINATE, UNDEFINED_COORDINATE)
MEMBER_TYPES = {"n": 0, "w": 1, "r": 2}

SELECTION = TagSelection(
    road_tags=(("highway", None), ("route", ("ferry", "shuttle_train"))),
    way_keys=("oneway", "highway", "access", "maxspeed", "route", "junction", "duration"),
    label_keys=("name", "ref", "junction"),
    node_keys=("highway", "barrier", "access"),
    relation_keys=("restriction", "except", "type"),
)
"""A selection for tests: the sets share keys, and their orders are not alphabetical."""


@dataclass
class PlainTables:
    """The content of ``OsmTables`` as lists: ids instead of positions, tags instead of sets."""

    nodes: list[tuple[int, int, int, Tags]] = field(default_factory=list)
    """Id, longitude, latitude, tags."""
    ways: list[tuple[int, list[int], Tags, Tags]] = field(default_factory=list)
    """Id, node ids, tags, labels."""
    relations: list[tuple[int, list[tuple[int, int, str]], Tags]] = field(default_factory=list)
    """Id, members (type, id, role), tags."""
    way_tags: list[Tags] = field(default_factory=list)
    labels: list[Tags] = field(default_factory=list)
    node_tags: list[Tags] = field(default_factory=list)
    relation_tags: list[Tags] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    counts: tuple[int, int, int] = (0, 0, 0)
    timestamp: str = ""


def keep_naively(path: Path, selection: TagSelection) -> PlainTables:
    """What should be kept of a file in any format that pyosmium reads."""
    objects = osmium.FileProcessor(str(path), osmium.osm.WAY | osmium.osm.RELATION)
    plain = PlainTables(timestamp=objects.header.get("timestamp"))
    n_objects = {"n": 0, "w": 0, "r": 0}
    for thing in objects:
        n_objects[thing.type_str()] += 1
        tags = first_tags(thing)
        if thing.is_way() and any(
            key in tags and (values is None or tags[key] in values)
            for key, values in selection.road_tags
        ):
            refs = [node.ref for node in thing.nodes]
            sets = pick(tags, selection.way_keys), pick(tags, selection.label_keys)
            plain.ways.append((thing.id, refs, *sets))
        if thing.is_relation() and tags.get("type", "").split(":")[0] == "restriction":
            members = [(MEMBER_TYPES[m.type], m.ref, m.role) for m in thing.members]
            plain.relations.append((thing.id, members, pick(tags, selection.relation_keys)))

    named = {ref for _, refs, _, _ in plain.ways for ref in refs}
    nodes = dict.fromkeys(named, (*GONE, ()))
    node_tags = []
    for node in osmium.FileProcessor(str(path), osmium.osm.NODE):
        n_objects["n"] += 1
        if node.id in named:
            tags = pick(first_tags(node), selection.node_keys) if node.tags else ()
            node_tags.append(tags)
            place = node.location
            lon, lat = (place.x, place.y) if place.valid() else GONE
            nodes[node.id] = (lon, lat, tags)
    plain.nodes = [(ref, *nodes[ref]) for ref in sorted(named)]
    plain.counts = (n_objects["n"], n_objects["w"], n_objects["r"])

    plain.way_tags = in_order_of_use(tags for _, _, tags, _ in plain.ways)
    plain.labels = in_order_of_use(tags for _, _, _, tags in plain.ways)
    plain.node_tags = in_order_of_use(node_tags)
    plain.relation_tags = in_order_of_use(tags for _, _, tags in plain.relations)
    plain.roles = list(dict.fromkeys(m[2] for _, members, _ in plain.relations for m in members))
    return plain


def tables_as_python(tables: OsmTables) -> PlainTables:
    """The same form of what a reader returned."""
    way_tags, labels = list_sets(tables.way_tags), list_sets(tables.labels)
    node_tags, relation_tags = list_sets(tables.node_tags), list_sets(tables.relation_tags)
    nodes, ways, relations = tables.nodes, tables.ways, tables.relations
    tags_at = dict(zip(nodes.tagged.tolist(), nodes.tagset.tolist(), strict=True))
    places = zip(nodes.id.tolist(), nodes.lon.tolist(), nodes.lat.tolist(), strict=True)
    refs = nodes.id[ways.ref].tolist()
    members = list(
        zip(
            relations.member_type.tolist(),
            relations.member_id.tolist(),
            [tables.roles[role] for role in relations.member_role],
            strict=True,
        )
    )
    return PlainTables(
        [(*place, node_tags[tags_at.get(i, 0)]) for i, place in enumerate(places)],
        [
            (int(ways.id[i]), group(refs, ways.first_ref, i), way_tags[tagset], labels[label])
            for i, (tagset, label) in enumerate(zip(ways.tagset, ways.label, strict=True))
        ],
        [
            (int(relations.id[i]), group(members, relations.first_member, i), relation_tags[tagset])
            for i, tagset in enumerate(relations.tagset)
        ],
        way_tags,
        labels,
        node_tags,
        relation_tags,
        list(tables.roles),
        (tables.counts.nodes, tables.counts.ways, tables.counts.relations),
        tables.timestamp,
    )


def first_tags(thing):
    """The tags of an object as a dictionary; of a repeated key the first counts."""
    tags = {}
    for key, value in thing.tags:
        tags.setdefault(key, value)
    return tags


def pick(tags: dict[str, str], keys: tuple[str, ...]) -> Tags:
    return tuple((key, tags[key]) for key in keys if key in tags)


def in_order_of_use(sets) -> list[Tags]:
    """Distinct sets in order of first use, the empty set before all."""
    return list(dict.fromkeys([(), *sets]))


def list_sets(sets: TagSets) -> list[Tags]:
    return [tuple(sets.tags(index).items()) for index in range(len(sets))]


def group(items: list, first, index: int) -> list:
    """One group of a CSR."""
    return items[int(first[index]) : int(first[index + 1])]


def differing_arrays(some, other, name: str = "tables") -> list[str]:
    """Names of the fields of two dataclasses, one in another, whose content differs."""
    if is_dataclass(some):
        return [
            different
            for part in fields(some)
            for different in differing_arrays(
                getattr(some, part.name), getattr(other, part.name), f"{name}.{part.name}"
            )
        ]
    if isinstance(some, np.ndarray):
        same = some.dtype == other.dtype and np.array_equal(some, other)
    else:
        same = some == other
    return [] if same else [name]
