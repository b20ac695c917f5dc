"""PBF files that are damaged or something else: one line that tells the file and the place."""

import gzip
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from osm_oracle import SELECTION
from pbf_writer import (
    COMPRESSIONS,
    Block,
    Group,
    Node,
    Relation,
    Way,
    encode_blob,
    encode_block,
    encode_header,
    field,
    frame,
    packed,
    packed_deltas,
    varint,
    write_pbf,
    zigzag,
)

from gis.errors import EngineError, FormatError
from gis.osm.read import read_osm
from gis.osm.tables import OsmTables, check_tables

FILE = "some.osm.pbf"
HIGHWAY = [("highway", "primary")]


def good_block(first_id: int) -> Block:
    """Nodes 1 to 12 in both encodings; two ways and a restriction, numbered from an id on."""
    dense = [Node(i, i * 10**8, -i * 10**8, [("barrier", "gate")]) for i in range(1, 9)]
    plain = [Node(i, -i * 10**8, i * 10**8, HIGHWAY) for i in range(9, 13)]
    ways = [
        Way(first_id, [1, 2, 3, 99], [*HIGHWAY, ("name", "A"), ("oneway", "yes")]),
        Way(first_id + 1, [3, 9, 10, 11, 12], [("route", "ferry"), ("building", "no")]),
    ]
    restriction = Relation(
        first_id,
        [(1, first_id, "from"), (0, 3, "via"), (1, first_id + 1, "to")],
        [("type", "restriction"), ("restriction", "no_u_turn")],
    )
    groups = [Group(dense=dense), Group(nodes=plain), Group(ways=ways, relations=[restriction])]
    return Block(groups, metadata=True)


HEADER = frame("OSMHeader", encode_blob(encode_header(), "raw"))
FIRST = frame("OSMData", encode_blob(encode_block(good_block(100))))
GOOD = encode_block(good_block(200))
LAST = frame("OSMData", encode_blob(encode_block(good_block(300))))
CULPRIT = len(HEADER) + len(FIRST)
"""Where the third blob of a file, the damaged one, begins."""


def after_good(blob: bytes) -> bytes:
    """A file whose third blob, at CULPRIT, is the given one; another good one follows."""
    return HEADER + FIRST + frame("OSMData", blob) + LAST


def with_blob_header(header: bytes) -> bytes:
    """A file whose third blob has this header and zeros for content."""
    return HEADER + FIRST + len(header).to_bytes(4, "big") + header + bytes(99)


def with_block(message: bytes) -> bytes:
    """A file whose third blob holds this primitive block."""
    return after_good(encode_blob(message))


def with_group(group: bytes, *strings: bytes) -> bytes:
    """A file whose third blob holds a primitive group and the strings "", "highway", "x" ..."""
    table = b"".join(field(1, string) for string in (b"", b"highway", b"x", *strings))
    return with_block(field(1, table) + field(2, group))


def with_header(*features: str) -> bytes:
    return frame("OSMHeader", encode_blob(encode_header(features), "raw")) + FIRST


def way(refs: bytes, keys: bytes = packed([1]), values: bytes = packed([2])) -> bytes:
    """A group with one way out of raw fields."""
    return field(3, field(1, 7) + field(2, keys) + field(3, values) + field(8, refs))


def dense(ids: bytes, lats: bytes, lons: bytes, keys_vals: bytes | None = None) -> bytes:
    """A group with dense nodes out of raw fields."""
    message = field(1, ids) + field(8, lats) + field(9, lons)
    return field(2, message if keys_vals is None else message + field(10, keys_vals))


def relation(roles: bytes, ids: bytes, types: bytes) -> bytes:
    """A group with one restriction out of raw fields; needs "type" and "restriction" as 3, 4."""
    message = field(1, 7) + field(2, packed([3])) + field(3, packed([4]))
    return field(4, message + field(8, roles) + field(9, ids) + field(10, types))


TYPE = (b"type", b"restriction")
TWO = packed_deltas([1, 2])
ONE = packed_deltas([1])
HUGE = zigzag(2**63 - 1)
ENDLESS = b"\xff" * 11 + b"\1"

NOT_PBF = {
    "empty": b"",
    "three bytes": b"abc",
    "HTML page": b"<!DOCTYPE html><html><head><title>404 Not Found</title></head></html>\n" * 9,
    "XML": b"<?xml version='1.0'?><osm version='0.6'></osm>" * 9,
    "zeros": bytes(1000),
    "vector tile": field(3, field(15, 2) + field(1, b"roads") + field(5, 4096)) * 9,
    "gzipped vector tile": gzip.compress(field(3, field(15, 2) + field(1, b"roads"))),
    "history": with_header("OsmSchema-V0.6", "DenseNodes", "HistoricalInformation"),
    "unknown feature": with_header("OsmSchema-V0.6", "Teleportation"),
    "data first": FIRST + HEADER,
    "cut in the first length": HEADER[:3],
    "cut in the first blob header": HEADER[:9],
    "cut in the first blob": HEADER[:-4],
    "broken header block": frame("OSMHeader", encode_blob(b"\x22\x7fabc", "raw")) + FIRST,
}
"""What the beginning of a file tells."""

BAD_BLOBS = {
    "cut in a length": (HEADER + FIRST + LAST)[: CULPRIT + 2],
    "cut in a blob header": (HEADER + FIRST + LAST)[: CULPRIT + 8],
    "cut in a blob": (HEADER + FIRST + LAST)[:-1],
    "header over 64 KiB": with_blob_header(
        field(1, b"OSMData") + field(2, bytes(2**16)) + field(3, 4)
    ),
    "blob over 32 MiB": with_blob_header(field(1, b"OSMData") + field(3, 2**25 + 1)),
    "negative size of a blob": with_blob_header(field(1, b"OSMData") + field(3, -1)),
    "blob header without type": with_blob_header(field(3, 4)),
    "blob header without size": with_blob_header(field(1, b"OSMData")),
    "broken blob header": with_blob_header(b"\x0a\x7fab"),
    "raw size over 32 MiB": after_good(encode_blob(GOOD, raw_size=2**25 + 1)),
    "raw size too small": after_good(encode_blob(GOOD, raw_size=len(GOOD) - 1)),
    "raw size too large": after_good(encode_blob(GOOD, raw_size=len(GOOD) + 1)),
    "raw size zero": after_good(encode_blob(GOOD, raw_size=0)),
    "raw size negative": after_good(encode_blob(GOOD, raw_size=-5)),
    "raw size missing": after_good(encode_blob(GOOD)[len(field(2, len(GOOD))) :]),
    "unknown compression": after_good(field(2, len(GOOD)) + field(8, GOOD)),
    "bzip2": after_good(field(2, len(GOOD)) + field(5, GOOD)),
    "no content": after_good(field(2, len(GOOD))),
    "empty blob": after_good(b""),
    "broken blob": after_good(b"\x1a\x7fabc"),
    **{
        f"{compression} of rubbish": after_good(field(2, 100) + field(number, b"rubbish" * 9))
        for compression, number in (("zlib", 3), ("lzma", 4), ("lz4", 6), ("zstd", 7))
    },
    "lzma that wants 4 GiB": after_good(
        field(2, 100) + field(4, b"\x5d" + b"\xff" * 12 + bytes(50))
    ),
    "not a block": with_block(b"\xff" * 40),
    "field past the end": with_block(field(1, field(1, b"")) + b"\x12\x7fabc"),
    "strings of length -2": with_block(varint(1 << 3 | 2) + varint(-2) + GOOD),
    "strings of length 2^63 - 1": with_block(varint(1 << 3 | 2) + varint(2**63 - 1) + GOOD),
    "group of another wire type": with_block(b"\x13\x14"),
    "granularity of zero": with_block(field(1, field(1, b"")) + field(17, 0)),
    "granularity negative": with_block(field(1, field(1, b"")) + field(17, -100)),
    "string past the end": with_block(field(1, b"\x0a\x05abc") + field(2, b"")),
    "way: key out of range": with_group(way(TWO, packed([3]))),
    "way: value out of range": with_group(way(TWO, values=packed([99]))),
    "way: negative value": with_group(way(TWO, values=packed([-1]))),
    "way: more keys than values": with_group(way(TWO, packed([1, 2]))),
    "way: more values than keys": with_group(way(TWO, values=packed([1, 2]))),
    "way: references overflow": with_group(way(packed([HUGE, 2]))),
    "way: references underflow": with_group(way(packed([zigzag(-(2**63)), 1]))),
    "way: endless reference": with_group(way(ENDLESS)),
    "way: cut reference": with_group(way(ONE + b"\x80")),
    "way: endless key": with_group(way(TWO, ENDLESS)),
    "dense: fewer latitudes": with_group(dense(TWO, ONE, TWO)),
    "dense: fewer longitudes": with_group(dense(TWO, TWO, ONE)),
    "dense: fewer ids": with_group(dense(ONE, TWO, TWO)),
    "dense: no places": with_group(dense(TWO, b"", b"")),
    "dense: ids overflow": with_group(dense(packed([HUGE, 2]), TWO, TWO)),
    "dense: latitudes overflow": with_group(dense(TWO, packed([HUGE, HUGE]), TWO)),
    "dense: longitudes overflow": with_group(dense(TWO, TWO, packed([HUGE, HUGE]))),
    "dense: endless id": with_group(dense(ENDLESS, ONE, ONE)),
    "dense: cut latitude": with_group(dense(TWO, ONE + b"\x80", TWO)),
    "dense: key out of range": with_group(dense(TWO, TWO, TWO, packed([9, 2, 0, 0]))),
    "dense: value out of range": with_group(dense(TWO, TWO, TWO, packed([1, 9, 0, 0]))),
    "dense: negative key": with_group(dense(TWO, TWO, TWO, packed([-1, 2, 0, 0]))),
    "dense: key without value": with_group(dense(TWO, TWO, TWO, packed([1, 2, 0, 1]))),
    "dense: tags of too few nodes": with_group(dense(TWO, TWO, TWO, packed([1, 2, 0]))),
    "dense: tags of too many nodes": with_group(dense(TWO, TWO, TWO, packed([1, 2, 0, 0, 0]))),
    "node: key out of range": with_group(
        field(1, field(1, 2) + field(2, packed([9])) + field(3, packed([1])))
    ),
    "node: more keys than values": with_group(
        field(1, field(1, 2) + field(2, packed([1, 1])) + field(3, packed([1])))
    ),
    "relation: role out of range": with_group(relation(packed([2, 9]), TWO, TWO), *TYPE),
    "relation: negative role": with_group(relation(packed([2, -1]), TWO, TWO), *TYPE),
    "relation: fewer roles": with_group(relation(ONE, TWO, packed([1, 1])), *TYPE),
    "relation: fewer ids": with_group(relation(packed([1, 1]), ONE, packed([1, 1])), *TYPE),
    "relation: fewer types": with_group(relation(packed([1, 1]), TWO, packed([1])), *TYPE),
    "relation: type of 3": with_group(relation(packed([1, 1]), TWO, packed([1, 3])), *TYPE),
    "relation: ids overflow": with_group(
        relation(packed([1, 1]), packed([HUGE, 2]), packed([1, 1])), *TYPE
    ),
    "relation: key out of range": with_group(
        field(4, field(1, 2) + field(2, packed([9])) + field(3, packed([1])))
    ),
}
"""Files whose third blob, at CULPRIT, is the culprit."""


def read(folder: Path, content: bytes) -> OsmTables:
    path = folder / FILE
    path.write_bytes(content)
    return read_osm(path, SELECTION)


def message_of(read_it: Callable[[], object], path: Path) -> str:
    """The message of the FormatError, which is one line that begins with the path."""
    with pytest.raises(FormatError) as caught:
        read_it()
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message and len(message) < len(str(path)) + 200
    return message.removeprefix(f"{path}: ")


def read_or_refuse(folder: Path, content: bytes) -> OsmTables | None:
    """Consistent tables, or None after an error of ours; anything else fails the test."""
    try:
        tables = read(folder, content)
    except EngineError as error:
        assert "\n" not in str(error)
        return None
    check_tables(tables)
    return tables


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pbf")


def test_good_file(tmp_path: Path) -> None:
    """What the bad files are made of is good, so that they are bad for the reason given."""
    tables = read(tmp_path, after_good(encode_blob(GOOD)))
    check_tables(tables)
    assert tables.counts.ways == 6
    for group in (
        way(TWO),
        dense(TWO, TWO, TWO),
        dense(TWO, TWO, TWO, packed([1, 2, 0, 0])),
        relation(packed([1, 1]), TWO, packed([1, 2])),
    ):
        check_tables(read(tmp_path, with_group(group, *TYPE)))


@pytest.mark.parametrize("name", NOT_PBF)
def test_not_a_pbf_file(tmp_path: Path, name: str) -> None:
    """Something else under the name of a PBF file is recognized at its beginning."""
    message = message_of(lambda: read(tmp_path, NOT_PBF[name]), tmp_path / FILE)
    for feature in ("HistoricalInformation", "Teleportation"):
        assert (feature in message) == (feature.encode() in NOT_PBF[name])


@pytest.mark.parametrize("name", BAD_BLOBS)
def test_bad_blob(tmp_path: Path, name: str) -> None:
    """A damaged blob is named by its byte offset."""
    message = message_of(lambda: read(tmp_path, BAD_BLOBS[name]), tmp_path / FILE)
    assert re.search(rf"\b{CULPRIT}\b", message), message


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_flipped_bits(tmp_path: Path, compression: str) -> None:
    """A flipped bit does no harm, and is found where the compression has a checksum."""
    blob = bytearray(encode_blob(GOOD, compression))
    for position in [*range(12), *range(12, len(blob), 13)]:
        blob[position] ^= 1 << position % 8
        tables = read_or_refuse(tmp_path, after_good(bytes(blob)))
        assert tables is None or compression != "zlib"
        blob[position] ^= 1 << position % 8


def test_cut_anywhere(tmp_path: Path) -> None:
    """A file cut anywhere but between two blobs is refused."""
    for length in [*range(len(HEADER)), *range(len(HEADER) + 1, CULPRIT, 11)]:
        message_of(lambda end=length: read(tmp_path, (HEADER + FIRST)[:end]), tmp_path / FILE)


def test_paths(tmp_path: Path) -> None:
    """A missing path and a directory give one line, too."""
    missing = tmp_path / "missing.osm.pbf"
    message_of(lambda: read_osm(missing, SELECTION), missing)
    directory = tmp_path / "directory.osm.pbf"
    directory.mkdir()
    message_of(lambda: read_osm(directory, SELECTION), directory)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_unreadable_file(tmp_path: Path) -> None:
    """A file that may not be read gives one line."""
    path = write_pbf(tmp_path / "secret.osm.pbf", [good_block(1)])
    path.chmod(0)
    message_of(lambda: read_osm(path, SELECTION), path)


edits = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(("flip", "set", "cut", "insert", "repeat")),
        st.integers(0, 255) | st.sampled_from((0, 1, 2, 127, 128, 255)),
    ),
    min_size=1,
    max_size=4,
)


def damage(content: bytes, changes: list[tuple[float, str, int]]) -> bytes:
    """The content after each change at its relative place."""
    for where, how, byte in changes:
        at = int(where * len(content))
        before, after = content[:at], content[at:]
        match how:
            case "flip":
                content = before + bytes(value ^ 1 << byte % 8 for value in after[:1]) + after[1:]
            case "set":
                content = before + bytes([byte]) + after[1:]
            case "cut":
                content = before + after[byte:]
            case "insert":
                content = before + bytes([byte]) + after
            case "repeat":
                content = before + after[:byte] + after
    return content


@settings(max_examples=200)
@given(edits)
def test_damaged_block(folder: Path, changes: list[tuple[float, str, int]]) -> None:
    """Damage that reaches the decoder gives an error of ours or consistent tables."""
    read_or_refuse(folder, with_block(damage(GOOD, changes)))


@settings(max_examples=100)
@given(edits)
def test_damaged_file(folder: Path, changes: list[tuple[float, str, int]]) -> None:
    """So does damage to the frame of the blobs."""
    read_or_refuse(folder, damage(after_good(encode_blob(GOOD, "raw")), changes))


def test_overlapping_extracts_joined(tmp_path: Path, sample: Path) -> None:
    """A way that occurs twice would double roads and void restrictions: it is refused."""
    twice = tmp_path / "twice.osm.pbf"
    twice.write_bytes(sample.read_bytes() * 2)
    with pytest.raises(FormatError, match=r"twice\.osm\.pbf: way \d+ occurs more than once"):
        read_osm(twice, SELECTION)


def test_a_pipe(tmp_path: Path) -> None:
    """A named pipe, which would block for ever, is refused."""
    pipe = tmp_path / "pipe.osm.pbf"
    os.mkfifo(pipe)
    with pytest.raises(FormatError, match=r"pipe\.osm\.pbf: not a regular file"):
        read_osm(pipe, SELECTION)
