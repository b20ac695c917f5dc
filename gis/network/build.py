"""The road network from OpenStreetMap tables: cut ways, measure edges, resolve restrictions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gis.arrays import INVALID, Bool, freeze, group_by
from gis.network.barriers import find_special_nodes, node_tagsets
from gis.network.driving_side import left_hand_edges
from gis.network.junctions import Pieces, find_junctions, find_runs, split_runs
from gis.network.restrictions import RestrictionReport, resolve_restrictions
from gis.network.road_class import road_classes
from gis.network.road_network import RoadNetwork, no_restrictions
from gis.network.shapes import measure_edges, share_of_way
from gis.osm.tables import OsmTables
from gis.profiles.verdicts import Verdicts


@dataclass(frozen=True)
class NetworkReport:
    """What became of the ways and relations. Ids are OpenStreetMap's, in file order.

    ``clipped_ways`` name nodes that the file lacks. Of ``lost_ways`` nothing is left: no two
    different nodes that follow each other. Both are among the ``open_ways``.
    """

    open_ways: int
    clipped_ways: tuple[int, ...]
    lost_ways: tuple[int, ...]
    restrictions: RestrictionReport


def build_network(
    tables: OsmTables, verdicts: Sequence[Verdicts]
) -> tuple[RoadNetwork, NetworkReport]:
    """Cut the ways that are open to some vehicle into edges between junctions.

    ``verdicts`` are those of each profile that the network is to serve, one or more.
    """
    if not verdicts:
        raise ValueError("a road network needs the verdicts of at least one profile")
    way_open: Bool = freeze(
        np.logical_or.reduce([verdict.way_open() for verdict in verdicts])[tables.ways.tagset]
    )
    runs = find_runs(tables, way_open)
    special = find_special_nodes(tables.nodes, verdicts)
    junction = find_junctions(runs, len(tables.nodes.id), special)
    pieces = split_runs(runs, junction)
    network = _assemble(tables, junction, pieces)
    restrictions, restriction_report = resolve_restrictions(network, tables, verdicts)
    lost = way_open.copy()
    lost[pieces.way] = False
    return replace(network, restrictions=restrictions), NetworkReport(
        int(np.count_nonzero(way_open)),
        tuple(tables.ways.id[runs.clipped].tolist()),
        tuple(tables.ways.id[lost].tolist()),
        restriction_report,
    )


def _assemble(tables: OsmTables, junction: Bool, pieces: Pieces) -> RoadNetwork:
    """The network without restrictions."""
    nodes, ways = tables.nodes, tables.ways
    position = np.flatnonzero(junction).astype(np.uint32)
    node = np.full(len(junction), INVALID, np.uint32)
    node[position] = np.arange(len(position), dtype=np.uint32)
    tail = node[pieces.point[pieces.first_point[:-1]]]
    head = node[pieces.point[pieces.first_point[1:] - np.uint32(1)]]
    point_lon, point_lat = freeze(nodes.lon[pieces.point]), freeze(nodes.lat[pieces.point])
    length_m = measure_edges(pieces.first_point, point_lon, point_lat)
    first_out, out_arc = group_by(np.column_stack((tail, head)).ravel(), len(position))
    return RoadNetwork(
        node_id=freeze(nodes.id[position]),
        node_lon=freeze(nodes.lon[position]),
        node_lat=freeze(nodes.lat[position]),
        node_tagset=node_tagsets(nodes, position),
        edge_tail=freeze(tail),
        edge_head=freeze(head),
        edge_way=freeze(ways.id[pieces.way]),
        edge_tagset=freeze(ways.tagset[pieces.way]),
        edge_label=freeze(ways.label[pieces.way]),
        edge_length_m=freeze(length_m.astype(np.float32)),
        edge_share=share_of_way(pieces.way, length_m),
        edge_left_hand=left_hand_edges(
            nodes.lon[position[tail]],
            nodes.lat[position[tail]],
            ways.tagset[pieces.way],
            tables.way_tags,
        ),
        way_class=road_classes(tables.way_tags),
        first_point=pieces.first_point,
        point_lon=point_lon,
        point_lat=point_lat,
        point_id=freeze(nodes.id[pieces.point]),
        first_out=freeze(first_out),
        out_arc=freeze(out_arc),
        way_tags=tables.way_tags,
        node_tags=tables.node_tags,
        labels=tables.labels,
        restrictions=no_restrictions(tables.relation_tags),
    )
