"""The drawn worlds that other tests stand on are what they look like."""

import math
from pathlib import Path

import numpy as np
import pytest
from world import PLAIN, World

from gis.osm.read import read_osm
from gis.osm.tables import OsmTables
from gis.osm.tagsets import TagSets, check_tagsets
from gis.profiles.registry import tag_selection

WORLD = World(
    """
        c
        |
    a - b - d    9
    """,
    """
    abd   highway=primary kmh=50 name='Straße & "Söhne"'
    bczd  highway=residential oneway=yes
    9d    waterway=river
    bc    route=ferry
    bc    highway=path
    """,
    nodes="""
    b delay=2
    c barrier=gate
    9 barrier=gate
    z barrier=gate
    """,
    relations="""
    type=route from:abd forward:bc
    restriction=no_left_turn from:abd via:b to:bc/2
    type=restriction:hgv restriction=only_turn :q from:xy x:#4
    """,
)


def described(sets: TagSets) -> list[dict[str, str]]:
    check_tagsets(sets)
    return [sets.tags(index) for index in range(len(sets))]


def test_a_file_of_the_world_reads_as_its_tables(tmp_path: Path) -> None:
    """The XML file of a world, read, gives the tables that the world gives directly."""
    selection = tag_selection([PLAIN])
    from_file = read_osm(WORLD.write_osm(tmp_path / "world.osm"), selection)
    direct = WORLD.tables(selection)
    for name in ("nodes", "ways", "relations"):
        read, drawn = vars(getattr(from_file, name)), vars(getattr(direct, name))
        for column in drawn:
            assert read[column].dtype == drawn[column].dtype
            assert np.array_equal(read[column], drawn[column]), (name, column)
    for name in ("way_tags", "labels", "node_tags", "relation_tags"):
        assert described(getattr(from_file, name)) == described(getattr(direct, name))
    assert (from_file.roles, from_file.counts) == (direct.roles, direct.counts)


def test_tables() -> None:
    """Ids, missing nodes, repeated ways and members are as the notation says."""
    tables: OsmTables = WORLD.tables()
    assert tables.nodes.id.tolist() == [ord(letter) for letter in "abcdz"]
    assert (tables.nodes.lon == 2**31 - 1).tolist() == [False] * 4 + [True]
    assert tables.ways.id.tolist() == [1001, 1002, 1004, 1005]
    assert tables.nodes.tagged.tolist() == [1, 2]
    assert tables.relations.id.tolist() == [2, 3]
    assert tables.relations.member_id.tolist() == [1001, ord("b"), 1005, ord("q"), 1006, 4]
    assert tables.relations.member_type.tolist() == [1, 0, 1, 0, 1, 2]
    assert tables.roles == ("from", "via", "to", "", "x")
    assert tables.labels.tags(1) == {"name": 'Straße & "Söhne"'}


@pytest.mark.parametrize("latitude", [-33.9, 0.0, 60.2])
def test_scale(latitude: float) -> None:
    """A step on the map is as many metres as said, east and south of the origin."""
    world = World("a---b\n\n\nc", "", metres=250, origin=(18.4, latitude))
    assert world.position("a") == (18.4, latitude)
    degree_m = math.radians(1) * 6_371_000
    (lon, lat), (east, _), (_, south) = map(world.position, "abc")
    assert (east - lon) * degree_m * math.cos(math.radians(latitude)) == pytest.approx(1000, 0.01)
    assert (lat - south) * degree_m == pytest.approx(750, 0.01)
