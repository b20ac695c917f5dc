"""A large map made of a small one: copies of an extract as towns on a grid, joined by roads.

Every copy keeps its nodes, ways and relations with their tags, and the size of their shapes. Ids
are new and no two copies share one. Neighbours are joined by a motorway and a primary road between
junctions of main roads that lie in the largest part of the network in which one can drive from
everywhere to everywhere, so that this holds for the whole mosaic, too.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import osmium
from osmium.osm import mutable

from gis.arrays import F64
from gis.errors import ResourceError
from server.benchmark.town import EAST, KM_PER_DEGREE, NORTH, Tags, Town, TownWay, read_town

_MARGIN_KM = 5.0
_MAX_LATITUDE = 80.0
_LINK_NODES = 10
"""Between the ends of a joining road."""
_MOTORWAY = {"highway": "motorway", "oneway": "yes", "lanes": "2", "maxspeed": "120"}
_PRIMARY = {"highway": "primary", "maxspeed": "80"}


class Place(NamedTuple):
    """Which copy it is, and where its middle lies."""

    number: int
    lon: float
    lat: float


def lay_out(
    extract: Path,
    output: Path,
    columns: int,
    rows: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Place]:
    """Write a mosaic of ``columns`` by ``rows`` copies of an extract, and say where they lie.

    The same extract makes the same bytes. Raises ``FormatError`` if there are no roads to join,
    and ``ResourceError`` if the grid does not fit on the globe.
    """
    town = read_town(extract)
    places = _places(town, columns, rows)
    links = _Links(town, places, columns)
    header = osmium.io.Header()
    header.set("generator", "whimbrel")
    n = len(places)
    with osmium.SimpleWriter(str(output), overwrite=True, header=header) as writer:
        for place in places:
            progress(place.number, 2 * n)
            _write_nodes(writer, town, place)
        links.write_nodes(writer)
        for place in places:
            progress(n + place.number, 2 * n)
            _write_ways(writer, town, place.number)
        links.write_ways(writer)
        for place in places:
            _write_relations(writer, town, place.number)
    progress(2 * n, 2 * n)
    return places


def _places(town: Town, columns: int, rows: int) -> list[Place]:
    """The middles of all copies, row by row from the south-west, far enough apart for all."""
    step = (town.size_km + _MARGIN_KM) / KM_PER_DEGREE
    highest = _MAX_LATITUDE - step * (rows - 1) / 2
    latitude = min(max(town.middle[1], -highest), highest)
    places = []
    for row in range(rows):
        lat = latitude + (row - (rows - 1) / 2) * step
        width = step / math.cos(math.radians(lat))
        if highest < 0 or width * columns > 360:
            raise ResourceError(
                f"{columns}x{rows} copies, {step * KM_PER_DEGREE:.0f} km from one to the next, do"
                " not fit on the globe: choose a smaller extract"
            )
        for column in range(columns):
            lon = (column - (columns - 1) / 2) * width
            places.append(Place(row * columns + column, lon, lat))
    return places


def _positions(town: Town, place: Place) -> tuple[F64, F64]:
    """Longitudes and latitudes of a copy's nodes: shapes keep their size on the ground."""
    scale = math.cos(math.radians(town.middle[1])) / math.cos(math.radians(place.lat))
    lon = (town.lon - town.middle[0]) * scale + place.lon
    return lon, town.lat - town.middle[1] + place.lat


def _write_nodes(writer: osmium.SimpleWriter, town: Town, place: Place) -> None:
    ids = (town.node_id + place.number * town.numbers["n"]).tolist()
    lon, lat = _positions(town, place)
    positions = zip(lon.tolist(), lat.tolist(), strict=True)
    for index, (id_, position) in enumerate(zip(ids, positions, strict=True)):
        tags = town.node_tags.get(index)
        writer.add_node(mutable.Node(id=id_, location=position, tags=tags))


def _write_ways(writer: osmium.SimpleWriter, town: Town, copy: int) -> None:
    ways, nodes = copy * town.numbers["w"], copy * town.numbers["n"]
    for way in town.ways:
        refs = [ref + nodes for ref in way.nodes]
        writer.add_way(mutable.Way(id=way.id + ways, nodes=refs, tags=way.tags))


def _write_relations(writer: osmium.SimpleWriter, town: Town, copy: int) -> None:
    more = {kind: copy * number for kind, number in town.numbers.items()}
    for id_, members, tags in town.relations:
        moved = [(kind, ref + more[kind], role) for kind, ref, role in members]
        writer.add_relation(mutable.Relation(id=id_ + more["r"], members=moved, tags=tags))


class _Links:
    """The roads between neighbours: the only nodes and ways that the extract does not hold."""

    def __init__(self, town: Town, places: Sequence[Place], columns: int) -> None:
        self._town = town
        self._positions = [_positions(town, place) for place in places]
        self._nodes: list[tuple[float, float]] = []
        self._ways: list[TownWay] = []
        self._first_node = len(places) * town.numbers["n"] + 1
        self._first_way = len(places) * town.numbers["w"] + 1
        for near in range(len(places)):
            if (near + 1) % columns:
                self._join(near, near + 1, EAST)
            if near + columns < len(places):
                self._join(near, near + columns, NORTH)

    def _join(self, near: int, far: int, axis: int) -> None:
        leave, arrive = self._town.gates[axis, 1], self._town.gates[axis, -1]
        name = f"Link {near + 1}-{far + 1}"
        self._add((near, leave[0]), (far, arrive[0]), _MOTORWAY | {"name": f"{name} out"})
        self._add((far, arrive[0]), (near, leave[0]), _MOTORWAY | {"name": f"{name} home"})
        self._add((near, leave[1]), (far, arrive[1]), _PRIMARY | {"name": name})

    def _add(self, start: tuple[int, int], end: tuple[int, int], tags: Tags) -> None:
        """A straight road from a node of one copy to a node of another."""
        (first, (west, south)), (last, (east, north)) = self._end(*start), self._end(*end)
        begin = self._first_node + len(self._nodes)
        for step in range(1, _LINK_NODES + 1):
            share = step / (_LINK_NODES + 1)
            self._nodes.append((west + share * (east - west), south + share * (north - south)))
        refs = [first, *range(begin, begin + _LINK_NODES), last]
        self._ways.append(TownWay(self._first_way + len(self._ways), refs, tags))

    def _end(self, copy: int, node: int) -> tuple[int, tuple[float, float]]:
        """The id of a copy's node, and where it lies."""
        lon, lat = self._positions[copy]
        id_ = int(self._town.node_id[node]) + copy * self._town.numbers["n"]
        return id_, (float(lon[node]), float(lat[node]))

    def write_nodes(self, writer: osmium.SimpleWriter) -> None:
        """Write what lies along the roads; all nodes come before all ways."""
        for id_, position in enumerate(self._nodes, self._first_node):
            writer.add_node(mutable.Node(id=id_, location=position))

    def write_ways(self, writer: osmium.SimpleWriter) -> None:
        """Write the roads."""
        for way in self._ways:
            writer.add_way(mutable.Way(id=way.id, nodes=way.nodes, tags=way.tags))
