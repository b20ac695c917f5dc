"""The PBF reader against pyosmium, object by object."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from osm_oracle import SELECTION, differing_arrays, keep_naively, tables_as_python
from pbf_writer import COMPRESSIONS, Block, Group, Node, Relation, Way, write_pbf

from gis.osm.other_formats import read_with_pyosmium
from gis.osm.pbf import read_pbf
from gis.osm.read import read_osm
from gis.osm.tables import check_tables

DEGREE = 10**9

KEYS = "highway route oneway access barrier name ref junction type restriction except note high"
VALUES = "primary ferry bus yes no restriction restriction:hgv restrictions multipolygon Rúa 道𝄞"

keys = st.sampled_from([*KEYS.split(), "highway:lanes", ""])
values = st.sampled_from([*VALUES.split(), "two words", "", "x" * 200])
tags = st.lists(st.tuples(keys, values), max_size=4)
road_tags = tags.map(lambda some: [*some, ("highway", "primary")])
restriction_tags = tags.map(lambda some: [*some, ("type", "restriction")])
ids = st.integers(-3, 9) | st.sampled_from((2**31, 2**40 + 1, -(2**61), 2**61))
lon = st.integers(-180 * DEGREE, 180 * DEGREE) | st.sampled_from((0, -1, 99, 181 * DEGREE))
lat = st.integers(-90 * DEGREE, 90 * DEGREE) | st.sampled_from((0, -1, 99, -91 * DEGREE))
nodes = st.lists(st.builds(Node, ids, lon, lat, tags), max_size=6)
ways = st.builds(Way, ids, st.lists(ids, max_size=8), tags | road_tags)
members = st.lists(st.tuples(st.integers(0, 2), ids, values), max_size=4)
relations = st.builds(Relation, ids, members, tags | restriction_tags)
groups = st.builds(
    Group,
    nodes,
    nodes,
    st.lists(ways, max_size=4),
    st.lists(relations, max_size=3),
    st.lists(st.integers(1, 9), max_size=1),
)
blocks = st.builds(
    Block,
    st.lists(groups, max_size=3),
    granularity=st.sampled_from((100, 1, 99, 1000, 12345, 10**7)),
    lon_offset=st.integers(-DEGREE, DEGREE),
    lat_offset=st.integers(-DEGREE, DEGREE),
    metadata=st.booleans(),
    delimiters=st.booleans(),
    repeat_strings=st.booleans(),
    unused_strings=st.lists(values | keys, max_size=3),
    compression=st.sampled_from(COMPRESSIONS),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pbf")


def check_against_oracle(path: Path, copy: Path) -> None:
    """Both readers give what the oracle keeps of a copy that pyosmium can read."""
    tables = read_pbf(path, SELECTION, 1)
    check_tables(tables)
    assert tables_as_python(tables) == keep_naively(copy, SELECTION)
    assert differing_arrays(tables, read_with_pyosmium(copy, SELECTION)) == []


def write_and_check(folder: Path, content: list[Block], timestamp: int | None = None) -> None:
    """The same for a file with these blocks; pyosmium knows neither lzma nor zstd."""
    known = [replace(block, compression="zlib") for block in content]
    check_against_oracle(
        write_pbf(folder / "some.osm.pbf", content, timestamp=timestamp),
        write_pbf(folder / "copy.osm.pbf", known, timestamp=timestamp),
    )


def test_sample(sample: Path) -> None:
    """The shipped extract."""
    check_against_oracle(sample, sample)


@pytest.mark.compiled
def test_extract(extract: Path) -> None:
    """Each larger extract."""
    check_against_oracle(extract, extract)


@given(st.lists(blocks, max_size=4), st.none() | st.integers(1, 2**32 - 1))
def test_any_encoding(folder: Path, content: list[Block], timestamp: int | None) -> None:
    """Small files in every encoding: unsorted, repeated, mixed, empty, missing."""
    write_and_check(folder, content, timestamp)


@pytest.mark.parametrize(
    "order", [[[1, 9, 3]], [[1], [9, 3]], [[1, 2, 2000, 3]], [[9, 1], [3]], [[3, 3, 1], [2, 3]]]
)
def test_unsorted_nodes(tmp_path: Path, order: list[list[int]]) -> None:
    """Nodes out of order or repeated, within a block and over blocks."""
    nodes = [[Node(i, i * 1000, at * 1000) for at, i in enumerate(some)] for some in order]
    road = Way(1, range(1, 3000), [("highway", "primary")])
    content = [Block([Group(dense=some)]) for some in nodes]
    write_and_check(tmp_path, [*content, Block([Group(ways=[road])])])


def test_repeated_keys(tmp_path: Path) -> None:
    """Of a key that an object has twice the first counts, also in choosing what to keep."""
    group = Group(
        nodes=[Node(1, 0, 0, [("barrier", "gate"), ("barrier", "bollard")])],
        dense=[Node(2, 0, 0, [("barrier", "stile"), ("access", "no"), ("barrier", "")])],
        ways=[
            Way(1, [1, 2], [("route", "bus"), ("route", "ferry")]),
            Way(2, [1, 2], [("route", "ferry"), ("name", "A"), ("route", "bus"), ("name", "B")]),
            Way(3, [1, 2], [("route", "bus"), ("route", "ferry"), ("highway", "x")]),
        ],
        relations=[
            Relation(1, [], [("type", "route"), ("type", "restriction")]),
            Relation(2, [], [("type", "restriction"), ("except", "bus"), ("except", "hgv")]),
        ],
    )
    write_and_check(tmp_path, [Block([group])])


@pytest.mark.parametrize(("compression", "dense"), [("zlib", True), ("zstd", False)])
def test_large_blocks(tmp_path: Path, compression: str, dense: bool) -> None:
    """Blocks with more objects and strings than writers usually put into one."""
    n = 9000
    some = [
        Node(
            i * 7919 % n * 1000,
            (i * 37 % 360 - 180) * DEGREE + i,
            (i * 11 % 180 - 90) * DEGREE + i,
            [("barrier", f"b{i}")] if i % 3 == 0 else [("note", f"n{i}")] * (i % 2),
        )
        for i in range(n)
    ]
    roads = [
        Way(i, range(i * 1000, i * 1000 + 9000, 1000), [("highway", f"h{i % 700}"), ("name", "x")])
        for i in range(n // 2)
    ]
    bends = [
        Relation(i, [(1, i, "from"), (0, i, "via"), (1, i + 1, "to")], [("type", "restriction")])
        for i in range(n // 4)
    ]
    groups = [Group(dense=some) if dense else Group(nodes=some), Group(ways=roads, relations=bends)]
    first = Block(groups, compression=compression, metadata=True)
    second = Block([Group(ways=[Way(-1, range(50_000), [("highway", "long")])])])
    write_and_check(tmp_path, [first, second])


@pytest.mark.parametrize("header_compression", COMPRESSIONS)
def test_header(tmp_path: Path, header_compression: str) -> None:
    """The header may be compressed, too; its timestamp is given in UTC."""
    path = write_pbf(
        tmp_path / "some.osm.pbf",
        [Block([Group(ways=[Way(1, [2], [("highway", "x")])])])],
        features=("OsmSchema-V0.6",),
        timestamp=1_433_550_182,
        header_compression=header_compression,
    )
    tables = read_osm(path, SELECTION)
    assert tables.timestamp == "2015-06-06T00:23:02Z"
    assert tables.counts.ways == 1


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    """Keys and values that are not UTF-8 survive as bytes and hide nothing."""
    content = Block(
        [
            Group(
                dense=[Node(1, 0, 0, [("barrier", b"a\xff"), (b"\xfe", "x")])],
                ways=[Way(1, [1], [(b"\xfe", b"\xfd"), ("highway", "a"), ("name", b"Caf\xe9")])],
            )
        ]
    )
    tables = read_osm(write_pbf(tmp_path / "some.osm.pbf", [content]), SELECTION)
    check_tables(tables)
    assert b"Caf\xe9" in tables.labels.text.tobytes()
    assert b"a\xff" in tables.node_tags.text.tobytes()
    assert tables.way_tags.tags(1) == {"highway": "a"}
