"""Reading XML, o5m and OPL through pyosmium."""

import bz2
import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import osmium
import pytest
from osm_oracle import (
    GONE,
    SELECTION,
    PlainTables,
    differing_arrays,
    tables_as_python,
)
from pbf_writer import varint, zigzag

from gis.errors import FormatError
from gis.osm import other_formats
from gis.osm.other_formats import read_with_pyosmium
from gis.osm.read import read_osm
from gis.osm.tables import check_tables

SUFFIXES = (".osm", ".osm.gz", ".osm.bz2", ".opl", ".opl.gz", ".opl.bz2")

WORLD = """\
r7 Ttype=restriction:bus,except=taxi,note=x Mw2@from,n1@via,w1@to,r9@
w2 Thighway=primary,name=A,access=no,name=B Nn3,n1,n9,n3
n1 x1 y2 Tbarrier=gate,created_by=me
r8 Ttype=multipolygon Mw1@outer
w1 Tname=A,highway=primary,access=no Nn1,n2
w3 Tbuilding=yes Nn4,n5
n3 x-1.5 y0.0000001 Tnote=here
w-5 Troute=bus Nn3,n4
n2 x0 y0 Thighway=stop
w4 Troute=ferry
n2 x3 y3
"""
"""Unsorted, with a repeated key, a node that is missing (9) and one that comes twice (2)."""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    path = tmp_path / "world.opl"
    path.write_text(WORLD)
    return path


def write_o5m(path: Path, world: Path) -> None:
    """The objects of another file as o5m, without metadata; strings are never shared."""
    content = b"\xff\xe0\x04o5m2"
    last_kind = ""
    for thing in osmium.FileProcessor(str(world)):
        kind = thing.type_str()
        if kind != last_kind:
            content += b"\xff"  # reset: all deltas begin anew
            last_kind = kind
            last_id = lon = lat = last_ref = 0
            last_member = dict.fromkeys("nwr", 0)
        body = varint(zigzag(thing.id - last_id)) + b"\0"
        last_id = thing.id
        members = b""
        if thing.is_node():
            body += varint(zigzag(thing.location.x - lon)) + varint(zigzag(thing.location.y - lat))
            lon, lat = thing.location.x, thing.location.y
        elif thing.is_way():
            for node in thing.nodes:
                members += varint(zigzag(node.ref - last_ref))
                last_ref = node.ref
        else:
            for member in thing.members:
                members += varint(zigzag(member.ref - last_member[member.type]))
                members += f"\0{'nwr'.index(member.type)}{member.role}\0".encode()
                last_member[member.type] = member.ref
        if not thing.is_node():
            body += varint(len(members)) + members
        body += b"".join(f"\0{key}\0{value}\0".encode() for key, value in thing.tags)
        content += {"n": b"\x10", "w": b"\x11", "r": b"\x12"}[kind] + varint(len(body)) + body
    path.write_bytes(content + b"\xfe")


def test_world(world: Path) -> None:
    """Each convention of the tables on a file small enough to follow by eye."""
    a, b = (("highway", "primary"), ("access", "no")), (("route", "ferry"),)
    restriction = (("except", "taxi"), ("type", "restriction:bus"))
    tables = read_with_pyosmium(world, SELECTION)
    check_tables(tables)
    assert tables_as_python(tables) == PlainTables(
        nodes=[
            (1, 10_000_000, 20_000_000, (("barrier", "gate"),)),
            (2, 30_000_000, 30_000_000, ()),
            (3, -15_000_000, 1, ()),
            (9, *GONE, ()),
        ],
        ways=[
            (2, [3, 1, 9, 3], a, (("name", "A"),)),
            (1, [1, 2], a, (("name", "A"),)),
            (4, [], b, ()),
        ],
        relations=[
            (7, [(1, 2, "from"), (0, 1, "via"), (1, 1, "to"), (2, 9, "")], restriction),
        ],
        way_tags=[(), a, b],
        labels=[(), (("name", "A"),)],
        node_tags=[(), (("barrier", "gate"),), (("highway", "stop"),)],
        relation_tags=[(), restriction],
        roles=["from", "via", "to", ""],
        counts=(4, 5, 2),
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_formats_agree_with_pbf(sample: Path, tmp_path: Path, suffix: str) -> None:
    """The sample gives identical arrays in each format; only PBF carries the timestamp."""
    path = tmp_path / f"sample{suffix}"
    with osmium.SimpleWriter(str(path)) as writer:
        osmium.apply(str(sample), writer)
    expected = read_osm(sample, SELECTION)
    tables = read_with_pyosmium(path, SELECTION)
    check_tables(tables)
    assert differing_arrays(tables, replace(expected, timestamp="")) == []


def test_o5m_agrees_with_pbf(sample: Path, tmp_path: Path) -> None:
    """So it does as o5m, which pyosmium reads but does not write."""
    path = tmp_path / "sample.o5m"
    write_o5m(path, sample)
    expected = read_osm(sample, SELECTION)
    tables = read_with_pyosmium(path, SELECTION)
    assert differing_arrays(tables, replace(expected, timestamp="")) == []


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_compressed_o5m(
    world: Path, tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    """It may be compressed as well."""
    path = tmp_path / "world.o5m"
    write_o5m(path, world)
    packed = tmp_path / f"world.o5m{suffix}"
    packed.write_bytes(pack(path.read_bytes()))
    expected = read_with_pyosmium(world, SELECTION)
    assert differing_arrays(read_with_pyosmium(packed, SELECTION), expected) == []


@pytest.mark.parametrize("at_once", [1, 2, 3, 4, 100])
def test_nodes_at_once(world: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """How many nodes are looked up at once makes no difference."""
    expected = read_with_pyosmium(world, SELECTION)
    monkeypatch.setattr(other_formats, "_NODES_AT_ONCE", at_once)
    assert differing_arrays(read_with_pyosmium(world, SELECTION), expected) == []


@pytest.mark.parametrize("place", ["x180.0000001 y0", "x0 y90.0000001", "x0 y-91", "x-200 y0", ""])
def test_impossible_place(tmp_path: Path, place: str) -> None:
    """A node that is nowhere on Earth counts as missing."""
    path = tmp_path / "world.opl"
    path.write_text(f"n1 {place}\nn2 x-180 y90\nw1 Thighway=path Nn1,n2\n")
    plain = tables_as_python(read_with_pyosmium(path, SELECTION))
    assert plain.nodes == [(1, *GONE, ()), (2, -1_800_000_000, 900_000_000, ())]


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    """Such values survive as bytes, and do not hide the other tags of their object."""
    path = tmp_path / "world.opl"
    path.write_bytes(
        b"n1 x1 y1 Tbarrier=a\xff,highway=b\n"
        b"w1 T\xfe=x,highway=c,name=Caf\xe9 Nn1\n"
        b"r1 Ttype=restriction,except=\xfd Mn1@via\n"
    )
    tables = read_with_pyosmium(path, SELECTION)
    check_tables(tables)
    plain = tables_as_python(tables)
    assert plain.nodes == [(1, 10**7, 10**7, (("highway", "b"), ("barrier", "a\ufffd")))]
    assert plain.ways == [(1, [1], (("highway", "c"),), (("name", "Caf\ufffd"),))]
    assert plain.relations == [
        (1, [(0, 1, "via")], (("except", "\ufffd"), ("type", "restriction")))
    ]
    assert b"Caf\xe9" in tables.labels.text.tobytes()
    assert b"a\xff" in tables.node_tags.text.tobytes()


def test_no_keys_of_nodes(world: Path) -> None:
    """A selection may want no tags at all."""
    nothing = replace(SELECTION, way_keys=(), label_keys=(), node_keys=(), relation_keys=())
    tables = read_with_pyosmium(world, nothing)
    check_tables(tables)
    assert len(tables.ways.id) == 3 and not tables.ways.tagset.any()
    assert len(tables.nodes.tagged) == 0 and len(tables.relations.id) == 1


XML = b"<osm version='0.6'><node id='1' lat='1' lon='1'/></osm>"
MANY_NODES = b"<osm version='0.6'>%s</osm>" % b"".join(
    b"<node id='%d' lat='%d.5' lon='1'/>" % (i, i * 37 % 90) for i in range(2000)
)
BROKEN = {
    "empty.osm": (b"", "empty"),
    "empty.opl": (b"", "empty"),
    "empty.osm.gz": (b"", "empty"),
    "empty.o5m": (b"", "empty"),
    "three-bytes.osm": (b"abc", "line 1"),
    "page.osm": (b"<html><body>Not found</body></html>", "html"),
    "cut.osm": (MANY_NODES[:-100], "line 1, column"),
    "place.osm": (XML.replace(b"lat='1'", b"lat='abc'"), "abc"),
    "id.osm": (XML.replace(b"id='1'", b"id='x'"), "illegal id"),
    "entity.osm": (b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + XML, "entities"),
    "change.osm": (b"<osmChange version='0.6'></osmChange>", "change file"),
    "cut.osm.gz": (gzip.compress(MANY_NODES)[:-30], "gzip"),
    "flipped.osm.gz": (gzip.compress(MANY_NODES)[:-6] + b"\1\2\3\4\5\6", "gzip"),
    "plain.osm.bz2": (XML, "bzip2"),
    "cut.osm.bz2": (bz2.compress(MANY_NODES)[:-30], "bzip2"),
    "role.opl": (b"r77 Ttype=restriction Mn1@\xff\n", "relation 77"),
    "line.opl": (b"n1 x1 y1\nw1 Nx\n", "line"),
    "cut.opl": (b"n1 x1 y1\nw1 Nn1,n", "line"),
    "magic.o5m": (b"\xff\xe0\x04o5x2\xfe", "o5m"),
    "cut.o5m": (b"\xff\xe0\x04o5m2\x10\x20abc", "end of file"),
    "history.osh": (XML, "history"),
    "unknown.shp": (XML, "format"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_file(tmp_path: Path, name: str) -> None:
    """Each gives one line that names the file and what osmium knows of the place."""
    content, expected = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        read_with_pyosmium(path, SELECTION)
    message = str(caught.value)
    assert message.startswith(f"{path}: ") and expected in message
    assert "\n" not in message


def test_no_such_file(tmp_path: Path) -> None:
    """A missing path and a directory are named, too."""
    with pytest.raises(FormatError, match=r"missing\.osm: No such file"):
        read_with_pyosmium(tmp_path / "missing.osm", SELECTION)
    with pytest.raises(FormatError, match="Is a directory"):
        read_with_pyosmium(tmp_path, SELECTION)


def test_dtypes_of_an_empty_world(tmp_path: Path) -> None:
    """A file without roads gives tables without rows."""
    path = tmp_path / "world.opl"
    path.write_text("n1 x1 y1\nw1 Tbuilding=yes Nn1\n")
    tables = read_with_pyosmium(path, SELECTION)
    check_tables(tables)
    assert len(tables.nodes.id) == len(tables.ways.id) == len(tables.relations.id) == 0
    assert tables.ways.first_ref.tolist() == [0] and tables.ways.first_ref.dtype == np.uint32


def test_deleted_objects_are_no_roads(tmp_path: Path) -> None:
    """What is marked as not visible is not there."""
    nodes = "".join(f'<node id="{i}" version="1" lat="0" lon="0.{i}"/>' for i in (1, 2, 3))
    ways = "".join(
        f'<way id="{i}" version="1" visible="{visible}"><nd ref="1"/><nd ref="{i + 1}"/>'
        '<tag k="highway" v="residential"/></way>'
        for i, visible in ((1, "true"), (2, "false"))
    )
    path = tmp_path / "deleted.osm"
    path.write_text(f'<osm version="0.6">{nodes}{ways}</osm>')
    tables = read_osm(path, SELECTION)
    assert tables.ways.id.tolist() == [1]
