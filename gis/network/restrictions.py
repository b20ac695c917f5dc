"""Turn restrictions: from relations between ways to paths of arcs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from gis.arrays import I64, freeze, offsets
from gis.network.road_network import Restrictions, RoadNetwork
from gis.osm.tables import NODE, WAY, OsmTables, RelationTable
from gis.profiles.conditional import HOUR_KEYS, SUFFIX
from gis.profiles.rules import Tags
from gis.profiles.verdicts import DEMANDS, FORBIDS, Verdicts

Path: TypeAlias = tuple[int, ...]
"""Consecutive arcs: from, via ..., to."""

_MAX_VIA_WAYS = 32  # far more than any real restriction has; bounds the work on a broken one


@dataclass(frozen=True)
class RestrictionReport:
    """How many relations became paths, and the ids of those that did not, by reason."""

    kept: int
    dropped: Mapping[str, tuple[int, ...]]


class _Members(NamedTuple):
    """OpenStreetMap ids of what a relation names, by role, each once."""

    from_ways: tuple[int, ...]
    via_nodes: tuple[int, ...]
    via_ways: tuple[int, ...]
    to_ways: tuple[int, ...]


class _Step(NamedTuple):
    """One arc and its ends."""

    arc: int
    tail: int
    head: int


class _Walk(NamedTuple):
    """Consecutive arcs, perhaps none, between two nodes."""

    start: int
    arcs: Path
    end: int


class _UnusableError(Exception):
    """The relation names no clear path for a vehicle; the message is the reason."""


def resolve_restrictions(
    network: RoadNetwork, tables: OsmTables, verdicts: Sequence[Verdicts]
) -> tuple[Restrictions, RestrictionReport]:
    """Paths of arcs for every relation that binds a vehicle, in the order of the relations.

    Each vehicle that a relation binds reads it on the roads as it may drive them; the paths
    found are joined. A relation that names no clear path for any is left out with the reason.
    """
    relations = tables.relations
    roads = _MemberRoads(network, relations)
    vehicles = [_Vehicle(roads, verdict) for verdict in verdicts]
    found_by = [_Found(vehicle, tables) for vehicle in vehicles]
    paths: list[Path] = []
    sources: list[int] = []
    dropped: dict[str, list[int]] = {}
    for index in range(len(relations.id)):
        found: dict[Path, None] = {}
        reasons: list[str] = []
        for found_for_vehicle in found_by:
            try:
                found.update(dict.fromkeys(found_for_vehicle.paths(index)))
            except _UnusableError as error:
                reasons.append(str(error))
        paths.extend(found)
        sources.extend([index] * len(found))
        if not found:
            dropped.setdefault(reasons[0], []).append(int(relations.id[index]))
    source = np.array(sources, np.int64)
    restrictions = Restrictions(
        freeze(offsets(np.array([len(path) for path in paths], np.int64))),
        freeze(np.array([arc for path in paths for arc in path], np.uint32)),
        freeze(relations.tagset[source]),
        freeze(relations.id[source]),
        tables.relation_tags,
    )
    report = RestrictionReport(len(set(sources)), {why: tuple(ids) for why, ids in dropped.items()})
    return restrictions, report


class _Found:
    """The paths of all relations for one vehicle, or why there are none."""

    def __init__(self, vehicle: "_Vehicle", tables: OsmTables) -> None:
        self._of: list[list[Path] | _UnusableError] = []
        tagsets = tables.relations.tagset.tolist()
        for members, tagset in zip(_read_members(tables), tagsets, strict=True):
            try:
                self._of.append(vehicle.find_paths(members, tagset))
            except _UnusableError as error:
                self._of.append(error)
        always = [not _has_times(tags) for tags in tables.relation_tags.all_tags()]
        forbidden: set[Path] = set()
        for kind in (FORBIDS, DEMANDS):
            for index, tagset in enumerate(tagsets):
                found = self._of[index]
                if (
                    vehicle.kind(tagset) != kind
                    or not always[tagset]
                    or not isinstance(found, list)
                ):
                    continue
                if kind == FORBIDS:
                    forbidden.update(found)
                elif forbidden.issuperset(found):
                    self._of[index] = _UnusableError("demands what another forbids")

    def paths(self, index: int) -> list[Path]:
        """The paths of a relation."""
        found = self._of[index]
        if isinstance(found, _UnusableError):
            raise found
        return found


def _has_times(tags: Tags) -> bool:
    return any(key.endswith(SUFFIX) or key in HOUR_KEYS for key in tags)


def _read_members(tables: OsmTables) -> Iterator[_Members]:
    """The members of each relation; those of other roles or types are passed over."""
    relations = tables.relations
    first = relations.first_member.tolist()
    keys = list(zip(relations.member_role.tolist(), relations.member_type.tolist(), strict=True))
    ids = relations.member_id.tolist()
    for start, stop in pairwise(first):
        by_role: dict[tuple[str, int], dict[int, None]] = {}
        for (role, kind), member in zip(keys[start:stop], ids[start:stop], strict=True):
            by_role.setdefault((tables.roles[role], kind), {})[member] = None
        yield _Members(
            *(
                tuple(by_role.get(key, ()))
                for key in (("from", WAY), ("via", NODE), ("via", WAY), ("to", WAY))
            )
        )


class _MemberRoads:
    """The edges of the ways, and the nodes, that relations name."""

    def __init__(self, network: RoadNetwork, relations: RelationTable) -> None:
        self.network = network
        order = np.argsort(network.edge_way, kind="stable")
        ways = relations.member_id[relations.member_type == WAY]
        nodes = relations.member_id[relations.member_type == NODE]
        self.edges_of_way: dict[int, list[int]] = {
            way: order[start:stop].tolist()
            for way, start, stop in _find_all(network.edge_way[order], ways)
        }
        self.node_of_id: dict[int, int] = {
            node_id: node for node_id, node, _ in _find_all(network.node_id, nodes)
        }


def _find_all(ascending: I64, wanted: I64) -> Iterator[tuple[int, int, int]]:
    """Those of ``wanted`` that are there, each with its first and past its last position."""
    wanted = np.unique(wanted)
    starts = np.searchsorted(ascending, wanted, "left")
    stops = np.searchsorted(ascending, wanted, "right")
    there = starts < stops
    columns = (wanted[there].tolist(), starts[there].tolist(), stops[there].tolist())
    return zip(*columns, strict=True)


class _Vehicle:
    """The roads that relations name, as one vehicle may drive them."""

    def __init__(self, roads: _MemberRoads, verdict: Verdicts) -> None:
        self._roads = roads
        self._verdict = verdict
        self._lines_of_way: dict[int, list[list[_Step]]] = {}

    def kind(self, tagset: int) -> int:
        """Whether a relation forbids, demands or does not bind."""
        return int(self._verdict.restriction_kind[tagset])

    def find_paths(self, members: _Members, tagset: int) -> list[Path]:
        """Every path that the relation speaks of: one for each pair of from and to that meet."""
        kind = self.kind(tagset)
        if not kind:
            raise _UnusableError(self._verdict.restriction_reason[tagset])
        _check_members(members)
        paths: dict[tuple[int, int], Path] = {}
        for walk in self._walks(members):
            before = [(way, a) for way in members.from_ways for a in self._into(way, walk.start)]
            after = [(way, b) for way in members.to_ways for b in self._out_of(way, walk.end)]
            if len(dict(before)) > 1 and len(dict(after)) > 1:
                raise _UnusableError("several froms and tos")
            for from_way, first in before:
                for to_way, last in after:
                    if (from_way, to_way) in paths:
                        raise _UnusableError("ambiguous")
                    paths[from_way, to_way] = (first, *walk.arcs, last)
        if not paths:
            raise _UnusableError(self._why_none(members))
        if kind == DEMANDS and len({to_way for _, to_way in paths}) > 1:
            raise _UnusableError("several tos")
        return list(paths.values())

    def _lines(self, way: int) -> list[list[_Step]]:
        """The arcs of a way in travel order: one list for each direction that is open."""
        if way not in self._lines_of_way:
            edges = self._roads.edges_of_way.get(way)
            self._lines_of_way[way] = self._find_lines(edges) if edges else []
        return self._lines_of_way[way]

    def _find_lines(self, edges: list[int]) -> list[list[_Step]]:
        network = self._roads.network
        ends = [(e, int(network.edge_tail[e]), int(network.edge_head[e])) for e in edges]
        tagset = network.edge_tagset[edges[0]]
        lines: list[list[_Step]] = []
        if self._verdict.forward_kmh[tagset] > 0:
            lines.append([_Step(2 * e, tail, head) for e, tail, head in ends])
        if self._verdict.backward_kmh[tagset] > 0:
            lines.append([_Step(2 * e + 1, head, tail) for e, tail, head in reversed(ends)])
        return lines

    def _walks(self, members: _Members) -> list[_Walk]:
        """Every walk over all via ways, each whole, in any order; or standing at the via node."""
        if members.via_nodes:
            node = self._roads.node_of_id.get(members.via_nodes[0])
            return [] if node is None else [_Walk(node, (), node)]
        whole = [(way, walk) for way in members.via_ways for walk in self._whole(way)]
        starts = dict.fromkeys(walk.start for _, walk in whole)
        walks = (self._walk_from(start, members.via_ways, whole) for start in starts)
        return [walk for walk in walks if walk]

    @staticmethod
    def _walk_from(
        start: int, ways: tuple[int, ...], whole: Sequence[tuple[int, _Walk]]
    ) -> _Walk | None:
        """Join the ways from a node on; None where there is no next one, or a choice."""
        node, arcs, rest = start, list[int](), set(ways)
        while rest:
            steps = [(way, walk) for way, walk in whole if way in rest and walk.start == node]
            if len(steps) != 1:
                return None
            way, walk = steps[0]
            rest.remove(way)
            arcs.extend(walk.arcs)
            node = walk.end
        return _Walk(start, tuple(arcs), node)

    def _whole(self, way: int) -> list[_Walk]:
        """The walks from one end of a way to the other; none if it is in pieces."""
        return [
            _Walk(line[0].tail, tuple(step.arc for step in line), line[-1].head)
            for line in self._lines(way)
            if all(a.head == b.tail for a, b in pairwise(line))
        ]

    def _into(self, way: int, node: int) -> list[int]:
        """The arcs of a way that end at a node."""
        return [step.arc for line in self._lines(way) for step in line if step.head == node]

    def _out_of(self, way: int, node: int) -> list[int]:
        """The arcs of a way that begin at a node."""
        return [step.arc for line in self._lines(way) for step in line if step.tail == node]

    def _why_none(self, members: _Members) -> str:
        """The first thing that keeps a complete relation from naming a path."""
        from_ways, via_nodes, via_ways, to_ways = members
        for role, known in (
            ("from", any(map(self._lines, from_ways))),
            ("to", any(map(self._lines, to_ways))),
            ("via", all(map(self._lines, via_ways))),
        ):
            if not known:
                return f"{role} is not a road here"
        walks = self._walks(members)
        if not walks:
            return "via is not a junction here" if via_nodes else "via is not one connected path"
        for role, ways, arcs_at, nodes in (
            ("from", from_ways, self._into, {walk.start for walk in walks}),
            ("to", to_ways, self._out_of, {walk.end for walk in walks}),
        ):
            if any(arcs_at(way, node) for way in ways for node in nodes):
                continue
            touching = any(
                node in step[1:]
                for way in ways
                for line in self._lines(way)
                for step in line
                for node in nodes
            )
            return f"{role} is one-way the other way" if touching else f"via is not on {role}"
        return "not connected"


def _check_members(members: _Members) -> None:
    """Refuse a relation that lacks a role, or has more than one place to turn at."""
    from_ways, via_nodes, via_ways, to_ways = members
    for role, present in (("from", from_ways), ("via", via_nodes or via_ways), ("to", to_ways)):
        if not present:
            raise _UnusableError(f"no {role}")
    if len(via_nodes) > 1 or (via_nodes and via_ways):
        raise _UnusableError("several vias")
    if len(via_ways) > _MAX_VIA_WAYS:
        raise _UnusableError("too many vias")
