"""The network of real maps, and properties of the whole."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest
from world import PLAIN, World

from gis.network.build import NetworkReport, build_network
from gis.network.road_network import RoadNetwork, check_network
from gis.osm.read import read_osm
from gis.osm.tables import OsmTables
from gis.profiles.registry import apply_profile, get_profile, tag_selection
from gis.profiles.rules import Profile


def build(tables: OsmTables, profile: Profile) -> tuple[RoadNetwork, NetworkReport]:
    sets = (tables.way_tags, tables.node_tags, tables.relation_tags)
    return build_network(tables, [apply_profile(profile, *sets)])


def assert_same(a: object, b: object) -> None:
    """Two structures hold identical arrays."""
    for field in dataclasses.fields(a):
        x, y = getattr(a, field.name), getattr(b, field.name)
        if dataclasses.is_dataclass(x):
            assert_same(x, y)
        else:
            assert x.dtype == y.dtype and np.array_equal(x, y), field.name


def check_edges(network: RoadNetwork, tables: OsmTables) -> None:
    """Every edge is a stretch of its way as the file has it, and ways keep their order."""
    way_of_id = {way: n for n, way in enumerate(tables.ways.id.tolist())}
    ways = [way_of_id[way] for way in network.edge_way.tolist()]
    assert ways == sorted(ways)
    first, refs = tables.ways.first_ref.tolist(), tables.nodes.id[tables.ways.ref].tolist()
    starts, points = network.first_point.tolist(), network.point_id.tolist()
    for edge, way in enumerate(ways):
        ids = [ref for ref, _ in itertools.groupby(refs[first[way] : first[way + 1]])]
        shape = points[starts[edge] : starts[edge + 1]]
        assert any(ids[n : n + len(shape)] == shape for n, ref in enumerate(ids) if ref == shape[0])


def check_restrictions(network: RoadNetwork, tables: OsmTables) -> None:
    """Every path begins on a from member, ends on a to member and passes the via members."""
    first = tables.relations.first_member.tolist()
    relation_of_id = {relation: n for n, relation in enumerate(tables.relations.id.tolist())}
    starts, arcs = network.restrictions.first_arc.tolist(), network.restrictions.arc
    for path, relation_id in enumerate(network.restrictions.relation_id.tolist()):
        relation = relation_of_id[relation_id]
        members = slice(first[relation], first[relation + 1])
        by_role: dict[str, set[int]] = {"from": set(), "via": set(), "to": set()}
        for role, member in zip(
            tables.relations.member_role[members], tables.relations.member_id[members], strict=True
        ):
            by_role.setdefault(tables.roles[role], set()).add(int(member))
        path_arcs = arcs[starts[path] : starts[path + 1]]
        ways = network.edge_way[path_arcs >> 1].tolist()
        assert ways[0] in by_role["from"] and ways[-1] in by_role["to"]
        if len(ways) > 2:
            assert set(ways[1:-1]) == by_role["via"]
        else:
            edge = int(path_arcs[0]) >> 1
            node = (network.edge_tail if path_arcs[0] & 1 else network.edge_head)[edge]
            assert by_role["via"] == {int(network.node_id[node])}


def check_report(network: RoadNetwork, report: NetworkReport, tables: OsmTables) -> None:
    """Every way and relation is told of once."""
    n_dropped = sum(len(ids) for ids in report.restrictions.dropped.values())
    assert report.restrictions.kept + n_dropped == len(tables.relations.id)
    assert len(set(network.restrictions.relation_id.tolist())) == report.restrictions.kept
    assert report.open_ways == len(set(network.edge_way.tolist())) + len(report.lost_ways)


def check_all(network: RoadNetwork, report: NetworkReport, tables: OsmTables) -> None:
    check_network(network)
    check_edges(network, tables)
    check_restrictions(network, tables)
    check_report(network, report, tables)


@pytest.mark.compiled
def test_sample(sample: Path) -> None:
    """The network of the bundled sample is sound, and the same each time."""
    car = get_profile("car")
    tables = read_osm(sample, tag_selection([car]))
    network, report = build(tables, car)
    check_all(network, report, tables)
    assert network.n_edges > 1000
    assert_same(network, build(tables, car)[0])


@pytest.mark.compiled
def test_extract(extract: Path) -> None:
    """So are those of larger extracts; hardly a relation is dropped whose roads are there."""
    car = get_profile("car")
    tables = read_osm(extract, tag_selection([car]))
    network, report = build(tables, car)
    check_all(network, report, tables)
    dropped = report.restrictions.dropped
    n_absent = sum(len(ids) for why, ids in dropped.items() if why.endswith("is not a road here"))
    n_rest = len(tables.relations.id) - n_absent
    assert report.restrictions.kept >= 0.9 * n_rest > 0, {why: len(dropped[why]) for why in dropped}


@pytest.mark.parametrize("ways", ["", "ab highway=closed", "az highway=x"])
def test_no_roads(ways: str) -> None:
    """Without a piece of road the network is empty, and still sound."""
    network, report = World(
        "a b", ways, relations="restriction=no_turn from:ab via:b to:bc"
    ).network()
    assert (network.n_nodes, network.n_edges, len(network.point_id)) == (0, 0, 0)
    assert report.restrictions.dropped == {"from is not a road here": (1,)}


def test_no_profiles() -> None:
    """A network for nobody is a mistake of the caller's."""
    with pytest.raises(ValueError, match="at least one profile"):
        build_network(World("a b", "ab highway=x").tables(), [])


def test_a_network_for_two_vehicles_holds_the_roads_of_both() -> None:
    """A way is in the network if any of the vehicles may use it in any direction."""
    tall = dataclasses.replace(
        PLAIN,
        name="tall",
        way=lambda tags, warn: None if tags.get("kmh") == "5" else PLAIN.way(tags, warn),
    )
    world = World("a b c", "ab highway=x\nbc highway=x kmh=5")
    assert world.network(tall)[0].n_edges == 1
    assert world.network(tall, PLAIN)[0].n_edges == 2
