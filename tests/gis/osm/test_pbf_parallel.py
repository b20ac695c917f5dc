"""The PBF reader with several processes against the same reader with one."""

import multiprocessing
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from osm_oracle import SELECTION, differing_arrays, keep_naively, tables_as_python
from pbf_writer import (
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
    write_pbf,
)

import gis.workers
from gis.errors import FormatError
from gis.osm import pbf
from gis.osm.tables import OsmTables, check_tables
from gis.stage import recording

pytestmark = pytest.mark.compiled  # processes share nothing that plain Python would show

WORKERS = (1, 2, 3)
SETTINGS = ((1, 1), (1, 20_000), (1, 200_000), (2, 1), (2, 200_000), (3, 20_000))
"""Workers, and bytes of a task; the usual size makes one task of each file here."""

Read = Callable[[Path, int, int], OsmTables]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[Read]:
    """Reads a file of any size with so many workers and so many bytes a task."""
    monkeypatch.setattr(pbf, "IN_PROCESS_BYTES", 0)

    def read_it(path: Path, workers: int, task_bytes: int) -> OsmTables:
        monkeypatch.setattr(pbf, "TASK_BYTES", task_bytes)
        return pbf.read_pbf(path, SELECTION, workers)

    yield read_it
    assert multiprocessing.active_children() == []


def test_processes_are_used(monkeypatch: pytest.MonkeyPatch, read: Read, sample: Path) -> None:
    """All workers have tasks, so that the other tests are about processes at all."""
    used: list[float] = []
    monkeypatch.setattr(gis.workers, "report_worker", lambda cpu_s, _peak: used.append(cpu_s))
    read(sample, 1, 20_000)
    assert used == []
    for workers in (2, 3):
        used.clear()
        read(sample, workers, 20_000)
        assert len(used) >= workers


def check_all_alike(read: Read, path: Path, usual: OsmTables) -> None:
    """Neither the number of processes nor the size of the tasks changes anything."""
    check_tables(usual)
    for workers, task_bytes in SETTINGS:
        different = differing_arrays(usual, read(path, workers, task_bytes))
        assert different == [], f"{workers} workers, {task_bytes} bytes a task"


def test_sample(read: Read, sample: Path) -> None:
    """The shipped extract gives the same tables to the byte."""
    check_all_alike(read, sample, read_in_process(sample))


def test_extract(read: Read, extract: Path) -> None:
    """So does each larger extract."""
    check_all_alike(read, extract, read_in_process(extract))


def read_in_process(path: Path) -> OsmTables:
    """The tables as one process reads them, all blobs in one task."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pbf, "IN_PROCESS_BYTES", 1 << 40)
        patch.setattr(pbf, "TASK_BYTES", 1 << 40)
        return pbf.read_pbf(path, SELECTION)


def test_counts_of_stages(read: Read, sample: Path) -> None:
    """The stages and what they counted are the same, too."""
    counts = []
    for workers in WORKERS:
        with recording() as stages:
            read(sample, workers, 20_000)
        counts.append([(stage.name, stage.counts) for stage in stages])
    assert counts[0] == counts[1] == counts[2]
    assert {"scan", "ways", "nodes"} <= {name for name, _ in counts[0]}


def road(number: int, refs: list[int]) -> Way:
    """A road whose tags come back every few roads, and whose name does so later."""
    tags = [("highway", f"h{number % 5}"), ("oneway", "yes"), ("name", f"name {number % 17}")]
    return Way(number, refs, tags[: 2 + number % 2])


def place(number: int) -> Node:
    """A node with a tag of interest now and then."""
    tags = [("barrier", f"b{number % 7}")] if number % 3 == 0 else []
    return Node(number, number * 1_000_000, -number * 1_000_000, tags)


def bend(number: int) -> Relation:
    """A restriction with roles that come back."""
    members = [(1, number, "from"), (0, number, f"role {number % 4}"), (1, number + 1, "to")]
    return Relation(number, members, [("type", "restriction"), ("restriction", f"r{number % 3}")])


N = 12
NODES = [Block([Group(dense=[place(10 * i + j) for j in range(10)])]) for i in range(N)]
NODES_APART = [Block([Group(nodes=[place(10 * i + j) for j in range(10)])]) for i in range(N)]
WAYS = [
    Block([Group(ways=[road(5 * i + j, [i, 7 * i, 10 * j + 3, 900 + i]) for j in range(5)])])
    for i in range(N)
]
BENDS = [Block([Group(relations=[bend(4 * i + j) for j in range(4)])]) for i in range(N)]
MIXED = [
    Block([*bends.groups, *nodes.groups, *ways.groups])
    for nodes, ways, bends in zip(NODES, WAYS, BENDS, strict=True)
]
EMPTY = [Block([]), Block([Group()]), Block([Group(changesets=[1, 2])])]

FILES = {
    "sorted": [*NODES, *WAYS, *BENDS],
    "nodes that are not dense": [*NODES_APART, *WAYS, *BENDS],
    "ways before nodes": [*WAYS, *NODES, *BENDS],
    "relations first": [*BENDS, *WAYS, *NODES],
    "a way among the nodes": [*NODES[:5], WAYS[0], *NODES[5:], *WAYS[1:], *BENDS],
    "nodes at the end again": [*NODES[:6], *WAYS, *BENDS, *NODES[6:]],
    "nodes backwards": [*reversed(NODES), *WAYS, *BENDS],
    "nodes twice": [*NODES, *NODES[3:5], *WAYS, *BENDS],
    "mixed in each block": MIXED,
    "mixed and backwards": MIXED[::-1],
    "empty blobs first": [*EMPTY, *NODES, *WAYS, *BENDS],
    "empty blobs between": [*NODES, *EMPTY, *WAYS, *EMPTY, *BENDS],
    "empty blobs last": [*NODES, *WAYS, *EMPTY],
    "nothing but empty blobs": [*EMPTY, *EMPTY],
    "nothing but nodes": NODES,
    "nothing but ways": WAYS,
    "nothing but relations": BENDS,
    "no nodes": [*WAYS, *BENDS],
    "no ways": [*NODES, *BENDS],
    "one object a blob": [
        *(Block([Group(dense=[place(i)])]) for i in range(20)),
        *(Block([Group(ways=[road(i, [i, i + 1])])]) for i in range(20)),
    ],
}


@pytest.mark.parametrize("name", FILES)
def test_any_order(read: Read, tmp_path: Path, name: str) -> None:
    """Files in every order give the tables of the oracle for any number of processes."""
    path = write_pbf(tmp_path / "some.osm.pbf", FILES[name], timestamp=1_433_550_182)
    usual = read_in_process(path)
    assert tables_as_python(usual) == keep_naively(path, SELECTION)
    for workers, task_bytes in ((1, 1), (2, 500), (3, 1)):
        assert differing_arrays(usual, read(path, workers, task_bytes)) == []


def test_nothing_but_a_header(read: Read, tmp_path: Path) -> None:
    """A file without any blob of data needs no worker at all."""
    path = write_pbf(tmp_path / "some.osm.pbf", [])
    assert differing_arrays(read_in_process(path), read(path, 1, 1)) == []


def random_block(chance: random.Random) -> Block:
    """Some groups of any kind; nodes ascend within a group, most of the time."""
    groups = []
    for _ in range(chance.randrange(4)):
        numbers = [chance.randrange(300) for _ in range(chance.randrange(9))]
        nodes = [
            place(number) for number in (sorted(numbers) if chance.random() < 0.7 else numbers)
        ]
        ways = [road(number, chance.choices(range(320), k=4)) for number in numbers]
        kinds = {"dense": nodes, "nodes": nodes, "ways": ways, "relations": map(bend, numbers)}
        chosen = chance.sample(sorted(kinds), k=chance.choice((1, 1, 1, 2, 4)))
        groups.append(replace(Group(), **{kind: list(kinds[kind]) for kind in chosen}))
    return Block(groups, compression=chance.choice(("raw", "zlib")))


@pytest.mark.parametrize("seed", range(10))
def test_random_files(read: Read, tmp_path: Path, seed: int) -> None:
    """So do files of blocks with anything in them."""
    chance = random.Random(seed)
    blocks = [random_block(chance) for _ in range(chance.randrange(4, 30))]
    path = write_pbf(tmp_path / "some.osm.pbf", blocks)
    usual = read_in_process(path)
    assert tables_as_python(usual) == keep_naively(path, SELECTION)
    for workers in (1, 3):
        assert differing_arrays(usual, read(path, workers, chance.choice((1, 300, 1000)))) == []


def blob_of(block: Block) -> bytes:
    return frame("OSMData", encode_blob(encode_block(block)))


def message_block(group: bytes) -> bytes:
    """A blob with the strings "", "highway", "x" and this primitive group."""
    strings = b"".join(field(1, string) for string in (b"", b"highway", b"x"))
    return frame("OSMData", encode_blob(field(1, strings) + field(2, group)))


RUBBISH = frame("OSMData", field(2, 100) + field(3, b"rubbish" * 9))
BAD_WAY = message_block(
    field(3, field(1, 7) + field(2, packed([1])) + field(3, packed([99])) + field(8, b"\2\2"))
)
BAD_NODES = message_block(
    field(2, field(1, packed_deltas([1, 2])) + field(8, b"\0") + field(9, b""))
)
HEADER = frame("OSMHeader", encode_blob(encode_header(), "raw"))

SOME_NODES, SOME_WAYS = [blob_of(block) for block in NODES], [blob_of(block) for block in WAYS]

DAMAGED = {
    "rubbish among nodes": [*SOME_NODES[:6], RUBBISH, *SOME_NODES[6:], *SOME_WAYS],
    "rubbish among ways": [*SOME_NODES, *SOME_WAYS[:6], RUBBISH, *SOME_WAYS[6:]],
    "a bad way": [*SOME_NODES, *SOME_WAYS[:6], BAD_WAY, *SOME_WAYS[6:]],
    "bad nodes": [*SOME_NODES[:6], BAD_NODES, *SOME_NODES[6:], *SOME_WAYS],
    "a bad way and rubbish": [*SOME_NODES, BAD_WAY, *SOME_WAYS, RUBBISH],
    "rubbish and a bad way": [*SOME_NODES, RUBBISH, *SOME_WAYS, BAD_WAY],
    "bad nodes and a bad way": [*SOME_NODES, BAD_NODES, *SOME_WAYS, BAD_WAY],
    "nothing but rubbish": [RUBBISH] * 9,
}
"""Files as blobs; where several are bad, any may be named, but always the same one."""


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_blob(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    """The same blob is found guilty, in the same words, by any number of processes."""
    blobs = DAMAGED[name]
    bad = [at for at, blob in enumerate(blobs) if blob in (RUBBISH, BAD_WAY, BAD_NODES)]
    places = [len(HEADER) + sum(map(len, blobs[:at])) for at in bad]
    path = tmp_path / "some.osm.pbf"
    path.write_bytes(HEADER + b"".join(blobs))
    monkeypatch.setattr(pbf, "IN_PROCESS_BYTES", 0)
    for task_bytes in (1, 1000):
        monkeypatch.setattr(pbf, "TASK_BYTES", task_bytes)
        messages = set()
        for workers in WORKERS:
            with pytest.raises(FormatError) as caught:
                pbf.read_pbf(path, SELECTION, workers)
            assert not getattr(caught.value, "__notes__", [])
            messages.add(str(caught.value))
            assert multiprocessing.active_children() == []
        (message,) = messages
        assert any(message.startswith(f"{path}: blob at byte {at}: ") for at in places)
