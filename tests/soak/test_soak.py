"""A file large enough for several processes, and builds of it that are killed."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from osm_oracle import SELECTION, differing_arrays
from pbf_writer import Block, Group, Node, Relation, Way, write_pbf

from gis.dataset import open_dataset, verify_dataset
from gis.osm import pbf
from gis.osm.read import read_osm
from gis.osm.tables import check_tables
from gis.stage import recording
from routing.build import build_dataset

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
SIDE = 640
"""Nodes along each side of the grid."""
SPACING = 900_000
"""Between streets of the grid, in 1e-9 degree: about 100 m."""
PIECE = 8
"""Nodes of a way."""
OBJECTS = 8000
"""In a block, as most writers do it."""
KILLS = 10

BUILD = """
import sys
from pathlib import Path
from gis.errors import EngineError
from routing.build import build_dataset

print("begun", flush=True)
try:
    build_dataset(Path(sys.argv[1]), Path(sys.argv[2]), workers=2)
except EngineError as error:
    sys.exit(f"error: {error}")
"""


def grid_nodes(chance: random.Random) -> list[Node]:
    """Crossings of a grid of streets, none quite in its place, with rising ids that have gaps."""
    nodes = []
    number = 10**9
    for row in range(SIDE):
        for column in range(SIDE):
            number += chance.randrange(1, 5000)
            lon = 10**9 * 5 + column * SPACING + chance.randrange(SPACING // 2)
            lat = 10**9 * 45 + row * SPACING + chance.randrange(SPACING // 2)
            tags = [("highway", "traffic_signals")] if chance.random() < 0.02 else []
            nodes.append(Node(number, lon, lat, tags))
    return nodes


def grid_ways(chance: random.Random, nodes: list[Node]) -> list[Way]:
    """Streets along rows and columns in pieces of a few nodes."""
    kinds = ["residential", "tertiary", "primary", "footway"]
    ways = []
    for line in range(2 * SIDE):
        row, column = divmod(line, SIDE)
        refs = nodes[column * SIDE : (column + 1) * SIDE] if row == 0 else nodes[column::SIDE]
        for begin in range(0, SIDE - 1, PIECE):
            tags = [("highway", chance.choice(kinds)), ("name", f"street {chance.randrange(9999)}")]
            if chance.random() < 0.1:
                tags.append(("oneway", "yes"))
            piece = [node.id for node in refs[begin : begin + PIECE + 1]]
            ways.append(Way(10**6 + 7 * len(ways), piece, tags))
    return ways


def grid_bends(chance: random.Random, ways: list[Way]) -> list[Relation]:
    """Turns that are forbidden between pieces that follow one another."""
    return [
        Relation(
            index + 1,
            [
                (1, ways[index].id, "from"),
                (0, ways[index].refs[-1], "via"),
                (1, ways[index + 1].id, "to"),
            ],
            [
                ("type", "restriction"),
                ("restriction", chance.choice(("no_u_turn", "no_left_turn"))),
            ],
        )
        for index in range(0, len(ways) - 1, 37)
    ]


def cut(objects: list, size: int = OBJECTS) -> list[list]:
    return [objects[begin : begin + size] for begin in range(0, len(objects), size)]


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An extract of a made-up city that is worth several processes."""
    chance = random.Random(1)
    nodes = grid_nodes(chance)
    ways = grid_ways(chance, nodes)
    blocks = [Block([Group(dense=some)], metadata=True) for some in cut(nodes)]
    blocks += [Block([Group(ways=some)], metadata=True) for some in cut(ways)]
    blocks += [Block([Group(relations=some)]) for some in cut(grid_bends(chance, ways))]
    path = write_pbf(tmp_path_factory.mktemp("grid") / "grid.osm.pbf", blocks)
    assert path.stat().st_size > pbf.IN_PROCESS_BYTES
    return path


def test_real_workers(grid: Path) -> None:
    """One, two and three processes read the same tables from a large file."""
    alone = read_osm(grid, SELECTION, 1)
    check_tables(alone)
    assert alone.counts.nodes == len(alone.nodes.id) == SIDE * SIDE
    for workers in (2, 3, 2):
        with recording() as stages:
            together = read_osm(grid, SELECTION, workers)
        assert differing_arrays(alone, together) == []
        assert all(stage.cpu_s > 0 for stage in stages)


def processes_with(word: str) -> set[int]:
    """Processes that have a word in their command line; forked ones have that of their parent."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and word.encode() in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
        except OSError:  # it has just ended
            continue
    return found


def start_build(extract: Path, dataset: Path) -> subprocess.Popen[str]:
    """Begin to build in a process of its own; returns once all is imported."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUILD, str(extract), str(dataset)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    return process


def wait_for_workers(build: subprocess.Popen[str], dataset: Path) -> None:
    """Return once a build has started other processes, or has ended."""
    while build.poll() is None and len(processes_with(str(dataset))) < 2:
        time.sleep(0.01)


def check_whole(dataset: Path, allowed: set[int]) -> None:
    """The dataset is one of those with so many nodes, and intact."""
    assert verify_dataset(dataset) == ()
    assert open_dataset(dataset).manifest.about.counts["osm_nodes"] in allowed


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")
def test_killed_builds(grid: Path, sample: Path, tmp_path: Path) -> None:
    """A build or a worker killed at any moment leaves the older dataset and no process."""
    dataset = tmp_path / "a.whimbrel"
    old = build_dataset(sample, dataset).counts["osm_nodes"]
    start_build(grid, tmp_path / "first.whimbrel").communicate()  # compiles what the others need
    begin = time.monotonic()
    start_build(grid, tmp_path / "first.whimbrel").communicate()
    whole_s = time.monotonic() - begin
    chance = random.Random(2)
    killed_workers = 0
    for round_ in range(KILLS):
        victim_is_worker = round_ % 2 == 1
        build = start_build(grid, dataset)
        if victim_is_worker:
            wait_for_workers(build, dataset)
            time.sleep(chance.uniform(0, whole_s / 20) * (round_ > 1))
        else:
            time.sleep(chance.uniform(0, whole_s))
        workers = sorted(processes_with(str(dataset)) - {build.pid})
        victim = chance.choice(workers) if victim_is_worker and workers else build.pid
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:  # a worker that was done just now
            pass
        _, complaints = build.communicate(timeout=120)
        if victim != build.pid and build.returncode != 0:
            killed_workers += 1
            assert build.returncode == 1 and len(complaints.splitlines()) == 1, complaints
            assert complaints.startswith("error: a worker process was killed by signal 9")
            assert [path for path in dataset.iterdir() if "part" in path.name] == []
        elif victim == build.pid:
            assert complaints == ""
        deadline = time.monotonic() + 30
        while left := processes_with(str(dataset)):
            assert time.monotonic() < deadline, f"orphans: {left}"
            time.sleep(0.05)
        check_whole(dataset, {old, SIDE * SIDE})
        if open_dataset(dataset).manifest.about.counts["osm_nodes"] != old:
            build_dataset(sample, dataset)
    assert killed_workers > 0
    check_whole(dataset, {old})

    build = start_build(grid, dataset)
    assert build.communicate()[1] == "" and build.returncode == 0
    check_whole(dataset, {SIDE * SIDE})
    assert len(list(dataset.iterdir())) == 2  # the manifest and its data
    first = tmp_path / "first.whimbrel"
    assert (dataset / "manifest.json").read_bytes() == (first / "manifest.json").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.whimbrel", "first.whimbrel"]
