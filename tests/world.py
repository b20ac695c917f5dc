"""Tiny worlds for tests: a map drawn with letters, and roads named by the letters they pass.

    World(
        '''
            c
            |
        a - b - d
        ''',
        '''
        abd  highway=primary name='High Street'
        bc   highway=residential oneway=yes
        ''',
        nodes="b highway=traffic_signals",
        relations="restriction=no_left_turn from:abd via:b to:bc",
    )

Letters and digits of the map are nodes, everything else is decoration: one column is one step
east, one line one step south. Ways, nodes and relations are one line each, tags as ``key=value``.
A way may pass letters that are not on the map: those are nodes that the file lacks. Members of a
relation are ``role:letters``, one letter for a node and several for a way; ``ab/2`` is the
second way drawn as ``ab``, and ``#7`` relation 7. A way that is not there is one the file lacks.
"""

import math
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from gis.arrays import UNDEFINED_COORDINATE, AnyArray, freeze, offsets
from gis.network.build import NetworkReport, build_network
from gis.network.road_network import RoadNetwork, check_network
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
from gis.profiles.registry import apply_profile, tag_selection
from gis.profiles.rules import NodeRule, Profile, RestrictionRule, Tags, Warn, WayRule
from gis.profiles.timed import judge_times, verdicts_ever
from gis.profiles.verdicts import Verdicts

FIRST_WAY, FIRST_RELATION = 1001, 1
TYPE_NAMES = {NODE: "node", WAY: "way", RELATION: "relation"}


@dataclass(frozen=True)
class Way:
    """A way: the letters it passes."""

    id: int
    letters: str
    tags: dict[str, str]


@dataclass(frozen=True)
class Relation:
    """A relation: members as (role, type, id)."""

    id: int
    members: tuple[tuple[str, int, int], ...]
    tags: dict[str, str]


class World:
    """A drawn world; ``metres`` is one step on the map, ``origin`` its north-west corner."""

    def __init__(
        self,
        drawing: str,
        ways: str,
        nodes: str = "",
        relations: str = "",
        metres: float = 100.0,
        origin: tuple[float, float] = (24.9, 60.2),
    ) -> None:
        self.places = dict(_read_drawing(drawing, metres, origin))
        self.ways: list[Way] = []
        for words in _lines(ways):
            self.ways.append(Way(FIRST_WAY + len(self.ways), words[0], _tags(words[1:])))
        self.node_tags = {words[0]: _tags(words[1:]) for words in _lines(nodes)}
        self._lacking: dict[str, int] = {}
        self.relations = [
            self._read_relation(FIRST_RELATION + n, words)
            for n, words in enumerate(_lines(relations))
        ]

    def _read_relation(self, relation_id: int, words: Sequence[str]) -> Relation:
        members = []
        for word in words:
            if "=" not in word:
                role, _, member = word.rpartition(":")
                members.append((role, *self._member(member)))
        tags = {"type": "restriction"} | _tags(word for word in words if "=" in word)
        return Relation(relation_id, tuple(members), tags)

    def _member(self, text: str) -> tuple[int, int]:
        if text.startswith("#"):
            return RELATION, int(text[1:])
        return (NODE, ord(text)) if len(text) == 1 else (WAY, self.way_id(text))

    def way_id(self, text: str) -> int:
        """Id of a way by its letters; of one that the file lacks if there is none."""
        letters, _, number = text.partition("/")
        same = [way.id for way in self.ways if way.letters == letters]
        if len(same) >= int(number or 1):
            return same[int(number or 1) - 1]
        return self._lacking.setdefault(text, FIRST_WAY + len(self.ways) + len(self._lacking))

    def position(self, letter: str) -> tuple[float, float]:
        """Longitude and latitude of a node in degrees."""
        lon, lat = self.places[letter]
        return lon / 1e7, lat / 1e7

    def tables(self, selection: TagSelection | None = None) -> OsmTables:
        """What a reader keeps of this world; of what PLAIN looks at by default."""
        chosen = selection or tag_selection([PLAIN])
        ways = [way for way in self.ways if _is_road(way.tags, chosen)]
        letters = sorted({letter for way in ways for letter in way.letters})
        relations = [r for r in self.relations if r.tags["type"].split(":")[0] == "restriction"]
        roles = dict.fromkeys(role for relation in relations for role, *_ in relation.members)
        way_tags, labels, node_tags, relation_tags = (_Sets() for _ in range(4))
        return OsmTables(
            self._node_table(letters, node_tags, chosen.node_keys),
            WayTable(
                _column((way.id for way in ways), np.int64),
                freeze(offsets(np.array([len(way.letters) for way in ways], np.int64))),
                _column((letters.index(x) for way in ways for x in way.letters), np.uint32),
                _column((way_tags.add(way.tags, chosen.way_keys) for way in ways), np.uint32),
                _column((labels.add(way.tags, chosen.label_keys) for way in ways), np.uint32),
            ),
            _relation_table(relations, tuple(roles), relation_tags, chosen.relation_keys),
            way_tags.finish(),
            labels.finish(),
            node_tags.finish(),
            relation_tags.finish(),
            tuple(roles),
            FileCounts(len(self.places), len(self.ways), len(self.relations)),
            "",
        )

    def _node_table(self, letters: list[str], sets: "_Sets", keys: Sequence[str]) -> NodeTable:
        lacking = (UNDEFINED_COORDINATE, UNDEFINED_COORDINATE)
        places = [self.places.get(letter, lacking) for letter in letters]
        tags = [self.node_tags.get(x, {}) if x in self.places else {} for x in letters]
        tagsets = [sets.add(some, keys) for some in tags]
        return NodeTable(
            _column(map(ord, letters), np.int64),
            _column((lon for lon, _ in places), np.int32),
            _column((lat for _, lat in places), np.int32),
            _column((n for n, tagset in enumerate(tagsets) if tagset), np.uint32),
            _column((tagset for tagset in tagsets if tagset), np.uint32),
        )

    def verdicts(self, *profiles: Profile) -> list[Verdicts]:
        """What these vehicles, PLAIN if none is named, make of the world."""
        vehicles = profiles or (PLAIN,)
        tables = self.tables(tag_selection(vehicles))
        sets = (tables.way_tags, tables.node_tags, tables.relation_tags)
        return [apply_profile(vehicle, *sets) for vehicle in vehicles]

    def network(self, *profiles: Profile) -> tuple[RoadNetwork, NetworkReport]:
        """The network for these vehicles, PLAIN if none is named; checked.

        It has all roads that are open at some time.
        """
        vehicles = profiles or (PLAIN,)
        tables = self.tables(tag_selection(vehicles))
        sets = (tables.way_tags, tables.node_tags, tables.relation_tags)
        verdicts = self.verdicts(*vehicles)
        ever = [
            verdicts_ever(*judge_times(vehicle, *sets, verdict))
            for vehicle, verdict in zip(vehicles, verdicts, strict=True)
        ]
        network, report = build_network(tables, ever)
        check_network(network)
        return network, report

    def write_osm(self, path: Path) -> Path:
        """Write the world as an OpenStreetMap XML file, for what starts from a file."""
        lines = ["<?xml version='1.0' encoding='UTF-8'?>", '<osm version="0.6">']
        for letter in sorted(self.places):
            lon, lat = self.position(letter)
            head = f'node id="{ord(letter)}" version="1" lon="{lon:.7f}" lat="{lat:.7f}"'
            lines += _element(head, [], self.node_tags.get(letter, {}))
        for way in self.ways:
            refs = [f'<nd ref="{ord(letter)}"/>' for letter in way.letters]
            lines += _element(f'way id="{way.id}" version="1"', refs, way.tags)
        for relation in self.relations:
            members = [
                f'<member type="{TYPE_NAMES[kind]}" ref="{member}" role={quoteattr(role)}/>'
                for role, kind, member in relation.members
            ]
            lines += _element(f'relation id="{relation.id}" version="1"', members, relation.tags)
        path.write_text("\n".join([*lines, "</osm>", ""]), encoding="utf-8")
        return path


class _Sets:
    """Distinct tags in the order of their first use, no tags first."""

    def __init__(self) -> None:
        self._index: dict[tuple[tuple[str, str], ...], int] = {(): 0}

    def add(self, tags: dict[str, str], keys: Sequence[str]) -> int:
        chosen = tuple((key, tags[key]) for key in keys if key in tags)
        return self._index.setdefault(chosen, len(self._index))

    def finish(self) -> TagSets:
        return build_tagsets(map(dict, self._index))


def _lines(text: str) -> Iterator[list[str]]:
    return (shlex.split(line) for line in text.splitlines() if line.strip())


def _tags(words: Iterable[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words)


def _is_road(tags: dict[str, str], selection: TagSelection) -> bool:
    return any(
        key in tags and (values is None or tags[key] in values)
        for key, values in selection.road_tags
    )


def _relation_table(
    relations: Sequence[Relation], roles: tuple[str, ...], sets: _Sets, keys: Sequence[str]
) -> RelationTable:
    members = [member for relation in relations for member in relation.members]
    return RelationTable(
        _column((relation.id for relation in relations), np.int64),
        freeze(offsets(np.array([len(r.members) for r in relations], np.int64))),
        _column((kind for _, kind, _ in members), np.uint8),
        _column((member for _, _, member in members), np.int64),
        _column((roles.index(role) for role, *_ in members), np.uint32),
        _column((sets.add(r.tags, keys) for r in relations), np.uint32),
    )


def _column(values: Iterable[int], dtype: type) -> AnyArray:
    return freeze(np.array(list(values), dtype))


def _element(head: str, inner: list[str], tags: dict[str, str]) -> list[str]:
    tag_lines = [f"<tag k={quoteattr(k)} v={quoteattr(v)}/>" for k, v in tags.items()]
    return [
        f"  <{head}>",
        *(f"    {line}" for line in inner + tag_lines),
        f"  </{head.split()[0]}>",
    ]


def _read_drawing(
    drawing: str, metres: float, origin: tuple[float, float]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Letters with longitude and latitude in 1e-7 degree."""
    found = [
        (letter, column, row)
        for row, line in enumerate(drawing.splitlines())
        for column, letter in enumerate(line)
        if letter.isalnum()
    ]
    assert len({letter for letter, _, _ in found}) == len(found), "a letter is drawn twice"
    west = min((column for _, column, _ in found), default=0)
    north = min((row for _, _, row in found), default=0)
    # Length of a degree on the WGS84 ellipsoid, as a series in the latitude.
    latitude = math.radians(origin[1])
    per_lat = 111132.954 - 559.822 * math.cos(2 * latitude) + 1.175 * math.cos(4 * latitude)
    per_lon = 111412.84 * math.cos(latitude) - 93.5 * math.cos(3 * latitude)
    for letter, column, row in found:
        lon = origin[0] + (column - west) * metres / per_lon
        lat = origin[1] - (row - north) * metres / per_lat
        yield letter, (round(lon * 1e7), round(lat * 1e7))


def spell(node_ids: Iterable[int]) -> str:
    """The letters of nodes by their ids."""
    return "".join(chr(node) for node in node_ids)


def spell_arcs(network: RoadNetwork) -> list[str]:
    """Each arc as the letters it passes: ``abc`` and back ``cba``."""
    first = network.first_point.tolist()
    edges = [spell(network.point_id[a:b]) for a, b in pairwise(first)]
    return [arc for edge in edges for arc in (edge, edge[::-1])]


def spell_edges(network: RoadNetwork) -> list[str]:
    """Each edge as the letters it passes."""
    return spell_arcs(network)[::2]


def spell_restrictions(network: RoadNetwork) -> list[str]:
    """Each restriction as the arcs of its path: ``ab-bc``."""
    arcs = spell_arcs(network)
    first = network.restrictions.first_arc.tolist()
    return [
        "-".join(arcs[arc] for arc in network.restrictions.arc[a:b]) for a, b in pairwise(first)
    ]


def _plain_way(tags: Tags, _: Warn) -> WayRule | None:
    if tags.get("highway") == "closed":
        return None
    kmh, oneway = float(tags.get("kmh", "36")), tags.get("oneway")
    restricted = "private" in tags
    return WayRule(
        0 if oneway == "-1" else kmh,
        0 if oneway == "yes" else kmh,
        forward_restricted=restricted and tags["private"] != "-1",
        backward_restricted=restricted and tags["private"] != "forward",
        classes=frozenset({"toll"} & tags.keys()),
    )


def _plain_node(tags: Tags, _: Warn) -> NodeRule | None:
    delay_s = float(tags.get("delay", "0"))
    return NodeRule("barrier" in tags, "private" in tags, delay_s, delay_s)


def _plain_restriction(tags: Tags, _: Warn) -> RestrictionRule:
    if "except" in tags:
        return None, "does not bind this vehicle"
    return ("only" if tags.get("restriction", "").startswith("only") else "no"), ""


PLAIN = Profile(
    name="plain",
    way_keys=("highway", "oneway", "kmh", "private", "toll"),
    node_keys=("barrier", "delay", "private"),
    relation_keys=("restriction", "except"),
    way=_plain_way,
    node=_plain_node,
    turn=lambda _angle, _u_turn, _junction, _left_hand: 0.0,
    restriction=_plain_restriction,
    classes=("restricted", "toll"),
    excludable=(frozenset({"toll"}),),
)
"""A vehicle for tests: every road is open at 10 m/s, turns are free, barriers block.

``highway=closed`` and ``oneway`` close ways, ``kmh`` sets another speed, ``delay`` on a node
costs seconds, ``except`` on a relation lifts it. ``private`` on a way or node lets nobody pass
through; on a way ``forward`` or ``-1`` says in which direction. ``toll`` is a class.
"""
