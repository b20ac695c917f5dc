"""The check of the tables notices what it promises to notice."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from osm_oracle import SELECTION

from gis.arrays import UNDEFINED_COORDINATE, AnyArray, freeze
from gis.osm.other_formats import read_with_pyosmium
from gis.osm.tables import FileCounts, OsmTables, check_tables

WORLD = """\
n1 x1 y2 Tbarrier=gate
n2 x2 y3 Tbarrier=bollard
w1 Thighway=primary,name=A Nn1,n2
w2 Thighway=secondary,name=B Nn2,n3
r1 Ttype=restriction,restriction=no_u_turn Mw1@from,n2@via,w2@to
r2 Ttype=restriction Mw1@from
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> OsmTables:
    path = tmp_path_factory.mktemp("world") / "world.opl"
    path.write_text(WORLD)
    return read_with_pyosmium(path, SELECTION)


def with_value(array: AnyArray, index: int, value: int) -> AnyArray:
    """A frozen copy that differs in one place."""
    array = array.copy()
    array[index] = value
    return freeze(array)


def changed(table: str, array: str, index: int, value: int) -> Callable[[OsmTables], OsmTables]:
    """A function that puts a value into an array of a table."""

    def change(tables: OsmTables) -> OsmTables:
        part = getattr(tables, table)
        new = with_value(getattr(part, array), index, value)
        return replace(tables, **{table: replace(part, **{array: new})})

    return change


FAULTS: dict[str, Callable[[OsmTables], OsmTables]] = {
    "ids descend": changed("nodes", "id", 0, 5),
    "half a place": changed("nodes", "lon", 0, UNDEFINED_COORDINATE),
    "longitude off Earth": changed("nodes", "lon", 0, 1_800_000_001),
    "latitude off Earth": changed("nodes", "lat", 0, -900_000_001),
    "tagged twice": changed("nodes", "tagged", 1, 0),
    "tagged beyond the end": changed("nodes", "tagged", 1, 3),
    "set 0 listed": changed("nodes", "tagset", 0, 0),
    "no such node set": changed("nodes", "tagset", 0, 3),
    "node that no way names": changed("ways", "ref", 3, 1),
    "offsets begin late": changed("ways", "first_ref", 0, 1),
    "offsets descend": changed("ways", "first_ref", 1, 5),
    "offsets end early": changed("ways", "first_ref", 2, 3),
    "sets out of order": changed("ways", "tagset", 0, 2),
    "unused label": changed("ways", "label", 1, 1),
    "no such label": changed("ways", "label", 1, 3),
    "member of type 3": changed("relations", "member_type", 0, 3),
    "roles out of order": changed("relations", "member_role", 0, 1),
    "no such role": changed("relations", "member_role", 3, 3),
    "no such relation set": changed("relations", "tagset", 1, 3),
    "fewer nodes than kept": lambda t: replace(t, counts=FileCounts(1, 2, 2)),
    "fewer ways than kept": lambda t: replace(t, counts=FileCounts(2, 1, 2)),
    "fewer relations than kept": lambda t: replace(t, counts=FileCounts(2, 2, 1)),
    "odd timestamp": lambda t: replace(t, timestamp="2015-06-06 00:23:02"),
    "writable": lambda t: replace(t, nodes=replace(t.nodes, id=t.nodes.id.copy())),
    "wrong dtype": lambda t: replace(
        t, ways=replace(t.ways, ref=freeze(t.ways.ref.astype(np.int64)))
    ),
    "wrong length": lambda t: replace(t, nodes=replace(t.nodes, lat=freeze(t.nodes.lat[:-1]))),
}


def test_good_tables(tables: OsmTables) -> None:
    """What a reader returns passes."""
    check_tables(tables)


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(tables: OsmTables, fault: str) -> None:
    """Each single fault is noticed."""
    with pytest.raises(AssertionError):
        check_tables(FAULTS[fault](tables))
