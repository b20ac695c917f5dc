"""An extract in memory, ready to be copied: under ids of its own, with gates on every side."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import osmium
from osmium.osm import Node, Relation, Way
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gis.arrays import F64, I64, Bool
from gis.errors import FormatError
from gis.profiles.car import CLASS_KMH

KM_PER_DEGREE = 111.195
EAST, NORTH = 0, 1

_MAX_ID_GAP = 100
_MIN_GATES = 8
_NOBODY_MAY = {"no", "private"}
_ACCESS_KEYS = ("access", "vehicle", "motor_vehicle", "motorcar")
_MAIN_ROADS = {"trunk", "primary", "secondary", "tertiary"}

Tags = dict[str, str]


class TownWay(NamedTuple):
    """A way by its id, those of its nodes, and its tags."""

    id: int
    nodes: list[int]
    tags: Tags


class TownRelation(NamedTuple):
    """A relation by its id, its members (kind, id and role), and its tags."""

    id: int
    members: list[tuple[str, int, str]]
    tags: Tags


@dataclass
class Town:
    """The objects of an extract: ids begin at 1, in the old order, gaps no longer than a limit.

    ========== ====================================================================
    node_id    ids, rising
    lon, lat   degrees
    node_tags  by index, for the few nodes that have any
    numbers    for each kind ("n", "w", "r") the highest id that is used or named
    gates      two indices of nodes for each axis and sign: roads to elsewhere begin there
    middle     of the road network, degrees
    size_km    the longer side of the road network
    ========== ====================================================================
    """

    node_id: I64
    lon: F64
    lat: F64
    node_tags: dict[int, Tags]
    ways: list[TownWay]
    relations: list[TownRelation]
    numbers: dict[str, int]
    gates: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    middle: tuple[float, float] = (0.0, 0.0)
    size_km: float = 0.0


class _NewIds:
    """New ids for all objects of one kind."""

    def __init__(self, ids: Iterable[int]) -> None:
        self._known: I64 = np.unique(np.fromiter(ids, np.int64))
        gaps = np.diff(self._known, prepend=self._known[:1] - 1)
        self._new: I64 = np.cumsum(np.minimum(gaps, _MAX_ID_GAP))
        self.highest = int(self._new[-1]) if len(self._new) else 0

    def of(self, ids: Sequence[int]) -> list[int]:
        at = np.searchsorted(self._known, np.asarray(ids, np.int64))
        return [int(id_) for id_ in self._new[at]]


def read_town(extract: Path) -> Town:
    """Read an extract. Raises ``FormatError`` for what cannot be read, or has too few roads."""
    nodes: dict[int, tuple[float, float, Tags | None]] = {}
    ways: list[TownWay] = []
    relations: list[TownRelation] = []
    try:
        for found in osmium.FileProcessor(str(extract)):
            if isinstance(found, Node):
                tags = dict(found.tags) if len(found.tags) else None
                nodes[found.id] = (found.lon, found.lat, tags)
            elif isinstance(found, Way):
                ways.append(TownWay(found.id, [n.ref for n in found.nodes], dict(found.tags)))
            elif isinstance(found, Relation):
                members = [(member.type, member.ref, member.role) for member in found.members]
                relations.append(TownRelation(found.id, members, dict(found.tags)))
    except RuntimeError as error:  # osmium's word for files that it cannot read
        raise FormatError(f"{extract}: {error}") from None
    town = _renumbered(nodes, ways, relations)
    _find_gates(extract, town)
    return town


def _renumbered(
    nodes: dict[int, tuple[float, float, Tags | None]],
    ways: Sequence[TownWay],
    relations: Sequence[TownRelation],
) -> Town:
    """All objects under new ids; what is named but is not there has one, too."""
    members = [member for relation in relations for member in relation.members]
    own: dict[str, list[int]] = {
        "n": [*nodes, *(ref for way in ways for ref in way.nodes)],
        "w": [way.id for way in ways],
        "r": [relation.id for relation in relations],
    }
    new = {
        kind: _NewIds([*ids, *(ref for of, ref, _ in members if of == kind)])
        for kind, ids in own.items()
    }
    ids = sorted(nodes)
    placed = np.array([nodes[id_][:2] for id_ in ids]).reshape(-1, 2)
    return Town(
        node_id=np.array(new["n"].of(ids), np.int64),
        lon=placed[:, 0].copy(),
        lat=placed[:, 1].copy(),
        node_tags={i: tags for i, id_ in enumerate(ids) if (tags := nodes[id_][2])},
        ways=[
            TownWay(id_, new["n"].of(way.nodes), way.tags)
            for id_, way in zip(new["w"].of(own["w"]), ways, strict=True)
        ],
        relations=[
            TownRelation(
                id_, [(kind, new[kind].of([ref])[0], role) for kind, ref, role in to], tags
            )
            for id_, (_, to, tags) in zip(new["r"].of(own["r"]), relations, strict=True)
        ],
        numbers={kind: found.highest for kind, found in new.items()},
    )


def _find_gates(extract: Path, town: Town) -> None:
    """Choose the junctions at which joining roads begin, and find how large the town is.

    No gates are at barriers, nor where a turn restriction could close the way to them.
    """
    inside, junction, main = _road_nodes(town)
    usable = inside.copy()
    usable[[index for index, tags in town.node_tags.items() if "barrier" in tags]] = False
    members = [member for relation in town.relations for member in relation.members]
    via = [ref for kind, ref, role in members if (kind, role) == ("n", "via")]
    usable &= ~np.isin(town.node_id, via)
    choices = (np.flatnonzero(usable & wanted) for wanted in (main & junction, junction, inside))
    choice = next((nodes for nodes in choices if len(nodes) >= _MIN_GATES), None)
    if choice is None:
        raise FormatError(f"{extract}: too few roads for cars to join copies of it")
    west, east = float(town.lon[inside].min()), float(town.lon[inside].max())
    south, north = float(town.lat[inside].min()), float(town.lat[inside].max())
    town.middle = ((west + east) / 2, (south + north) / 2)
    scale = math.cos(math.radians(town.middle[1]))
    town.size_km = KM_PER_DEGREE * max((east - west) * scale, north - south)
    offset = np.stack((town.lon - town.middle[0], town.lat - town.middle[1]))[:, choice]
    offset[0] *= scale
    for axis in (EAST, NORTH):
        for sign in (1, -1):
            # Far out in this direction, and rather in its middle than in a corner.
            score = sign * offset[axis] - np.abs(offset[1 - axis]) / 2
            first, second = choice[np.argsort(-score, kind="stable")[:2]].tolist()
            town.gates[axis, sign] = (first, second)


def _road_nodes(town: Town) -> tuple[Bool, Bool, Bool]:
    """Which nodes are in the largest strongly connected part, are junctions, on main roads."""
    n = len(town.node_id)
    tails: list[int] = []
    heads: list[int] = []
    main: Bool = np.zeros(n, np.bool_)
    for way in town.ways:
        if way.tags.get("highway") not in CLASS_KMH or way.tags.get("area") == "yes":
            continue
        if any(way.tags.get(key) in _NOBODY_MAY for key in _ACCESS_KEYS):
            continue
        at = np.searchsorted(town.node_id, way.nodes)
        nodes = at[town.node_id[np.minimum(at, n - 1)] == way.nodes].tolist() if n else []
        for reverse in _directions(way.tags):
            path = nodes[::-1] if reverse else nodes
            tails += path[:-1]
            heads += path[1:]
        if way.tags["highway"] in _MAIN_ROADS:
            main[nodes] = True
    if not tails:
        return main, main, main
    graph = coo_array((np.ones(len(tails), np.int32), (tails, heads)), (n, n)).tocsr()
    part = connected_components(graph, connection="strong")[1]
    inside: Bool = part == np.bincount(part).argmax()
    neighbours = np.diff((graph + graph.T).tocsr().indptr)
    return inside, neighbours >= 3, main


def _directions(tags: Tags) -> tuple[bool, ...]:
    """In which directions a way may be driven: forward is False."""
    implied = tags["highway"] == "motorway" or tags.get("junction") == "roundabout"
    oneway = tags.get("oneway", "yes" if implied else "no")
    if oneway == "-1":
        return (True,)
    return (False,) if oneway in ("yes", "true", "1") else (False, True)
