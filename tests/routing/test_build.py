import os
import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from world import World

from gis.dataset import open_dataset, verify_dataset
from gis.errors import DatasetError, EngineError, FormatError, ProfileError
from gis.stage import StageReport, listening
from routing.build import BuildReport, build_dataset
from routing.engine import Engine
from routing.store import load_network, load_profile

ROOT = Path(__file__).resolve().parents[2]

STAGES = ["profile", "network", "index", "turns", "components", "landmarks"]
STAGES += ["order", "hierarchy", "customize", "write"]

TOWN = World(
    """
    a - b - c
        |   |
        d - e   f
    """,
    """
    abc highway=residential name='High Street'
    bde highway=residential
    ce  highway=residential oneway=yes
    ef  highway=footway
    """,
    relations="""
    restriction=no_left_turn from:bde via:b to:abc
    restriction=no_left_turn from:ce via:e to:ef
    """,
)


def files_of(path: Path) -> dict[str, bytes]:
    return {str(f.relative_to(path)): f.read_bytes() for f in path.rglob("*") if f.is_file()}


@pytest.fixture(scope="module")
def built(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BuildReport]:
    """The sample's dataset and the report of its build."""
    dataset = tmp_path_factory.mktemp("built") / "helsinki.whimbrel"
    return dataset, build_dataset(sample, dataset)


def test_from_file_to_route(tmp_path: Path) -> None:
    """An extract becomes a dataset that answers, and the report says what is in it."""
    extract = TOWN.write_osm(tmp_path / "town.osm")
    report = build_dataset(extract, tmp_path / "town.whimbrel")
    assert [stage.name for stage in report.stages] == ["read", *STAGES]
    assert report.counts == {
        "osm_nodes": 6,
        "osm_ways": 4,
        "osm_relations": 2,
        "tag_sets": report.counts["tag_sets"],
        "ways_open": 3,
        "ways_clipped": 0,
        "ways_lost": 0,
        "nodes": 4,
        "edges": 4,
        "arcs": 8,
        "turns": report.counts["turns"],
        "hierarchy_arcs": report.counts["hierarchy_arcs"],
        "restrictions": 0,
        "restrictions_dropped": 2,
    }
    assert sum(map(len, report.restrictions_dropped.values())) == 2
    assert list(report.warnings) == ["car"]
    engine = Engine.open(tmp_path / "town.whimbrel")
    assert engine.profiles == ("car",)
    assert engine.info.extract.name == "town.osm"
    assert engine.info.extract.bytes == extract.stat().st_size
    assert engine.info.counts == report.counts
    assert engine.bounds == (*TOWN.position("a")[:1], TOWN.position("d")[1], *TOWN.position("c"))
    route = engine.route([TOWN.position("a"), TOWN.position("e")])
    assert "High Street" in route.legs[0].names
    assert sorted(os.listdir(tmp_path)) == ["town.osm", "town.whimbrel"]


def test_sample(built: tuple[Path, BuildReport]) -> None:
    """The sample gives a dataset that is whole, and stages that were measured."""
    dataset, report = built
    assert verify_dataset(dataset) == ()
    assert [stage.name for stage in report.stages][-len(STAGES) :] == STAGES
    for stage in report.stages:
        assert stage.wall_s > 0 and stage.peak_rss_bytes > 1e6
    assert report.counts["edges"] > 1000 and report.counts["turns"] > report.counts["edges"]


@pytest.mark.parametrize("workers", [1, 2])
def test_builds_are_alike_to_the_byte(
    sample: Path, built: tuple[Path, BuildReport], tmp_path: Path, workers: int
) -> None:
    """Another build of the same extract, by any number of workers, gives the same files."""
    build_dataset(sample, tmp_path / "again", workers=workers)
    assert files_of(tmp_path / "again") == files_of(built[0])


def test_several_vehicles(tmp_path: Path) -> None:
    """One dataset serves all; it holds once what they share, and is the same when built again."""
    extract = TOWN.write_osm(tmp_path / "town.osm")
    vehicles = ("car", "bicycle", "foot")
    report = build_dataset(extract, tmp_path / "town.whimbrel", vehicles)
    build_dataset(extract, tmp_path / "again.whimbrel", vehicles)
    assert files_of(tmp_path / "again.whimbrel") == files_of(tmp_path / "town.whimbrel")
    assert list(report.warnings) == list(vehicles)
    arrays = open_dataset(tmp_path / "town.whimbrel").arrays
    profiles = [load_profile(name, arrays) for name in vehicles]
    for profile in profiles:
        assert profile.metric.length_cm is profiles[0].metric.length_cm
        assert profile.landmarks.arc_tail is profiles[0].landmarks.arc_tail
    engine = Engine.open(tmp_path / "town.whimbrel")
    assert engine.profiles == vehicles
    to_the_end = [TOWN.position("e"), TOWN.position("f")]
    metres = {p: engine.route(to_the_end, profile=p).distance_m for p in vehicles}
    assert metres["car"] == 0 and metres["foot"] > 0


def test_stages_are_told(tmp_path: Path) -> None:
    """Who listens hears of every stage as it begins and ends."""
    heard: list[str] = []

    class Listener:
        """Notes what it hears."""

        def started(self, report: StageReport) -> None:
            heard.append(report.name)

        def progressed(self, report: StageReport, done: int, total: int) -> None:
            assert 0 <= done <= total

        def finished(self, report: StageReport) -> None:
            heard.append(report.name)

    with listening(Listener()):
        build_dataset(TOWN.write_osm(tmp_path / "town.osm"), tmp_path / "town.whimbrel")
    assert heard == [name for name in ("read", *STAGES) for _ in range(2)]


@pytest.mark.parametrize("ways", ["ab highway=footway", "ab power=line", ""])
def test_extract_without_roads(tmp_path: Path, ways: str) -> None:
    """A map without roads is one line that names the file; nothing is written."""
    extract = World("a b", ways).write_osm(tmp_path / "map.osm")
    with pytest.raises(FormatError, match="no road that a car may use") as caught:
        build_dataset(extract, tmp_path / "map.whimbrel")
    assert str(extract) in str(caught.value) and "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["map.osm"]


def test_failing_builds_leave_the_old_dataset(tmp_path: Path) -> None:
    """Whatever is wrong, nothing is left behind and an older dataset stays as it was."""
    dataset = tmp_path / "town.whimbrel"
    extract = TOWN.write_osm(tmp_path / "town.osm")
    build_dataset(extract, dataset)
    (tmp_path / "cut.osm").write_bytes(extract.read_bytes()[:300])
    before = files_of(tmp_path)
    for bad in (tmp_path / "missing.osm.pbf", tmp_path / "cut.osm", tmp_path):
        with pytest.raises(EngineError) as caught:
            build_dataset(bad, dataset)
        assert "\n" not in str(caught.value) and str(bad) in str(caught.value)
    with pytest.raises(ProfileError, match="no profile 'boat'"):
        build_dataset(extract, dataset, ["car", "boat"])
    with pytest.raises(DatasetError, match="a file stands where"):
        build_dataset(extract, extract)
    assert files_of(tmp_path) == before


KILLS = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:4]
from test_build import kill_builds
kill_builds(Path(sys.argv[4]), Path(sys.argv[5]), 12)
"""


def kill_builds(extract: Path, dataset: Path, rounds: int) -> None:
    """Fork builds and kill each at a random moment; the dataset is whole after each."""
    rng = random.Random(7)
    for _ in range(2):  # the first one also compiles
        begun = time.monotonic()
        build_dataset(extract, dataset, workers=1)
        took_s = time.monotonic() - begun
    whole = files_of(dataset)
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            build_dataset(extract, dataset, workers=1)
            os._exit(0)
        time.sleep(rng.random() * took_s)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert verify_dataset(dataset) == ()
        parts = [name for name in os.listdir(dataset) if name.startswith(".part-")]
        assert len(parts) <= 1, "what the build before left is removed"
        assert {n: b for n, b in files_of(dataset).items() if not n.startswith(".")} == whole
        assert len(open_dataset(dataset).arrays) == len(whole) - 1


@pytest.mark.compiled
def test_kill_in_the_middle_of_a_build(sample: Path, tmp_path: Path) -> None:
    """A build that is killed at any moment leaves the older dataset whole and usable."""
    paths = [ROOT, ROOT / "tests", ROOT / "tests" / "routing", sample, tmp_path / "city"]
    subprocess.run([sys.executable, "-c", KILLS, *map(str, paths)], check=True)
    build_dataset(sample, tmp_path / "city")
    assert os.listdir(tmp_path) == ["city"] and len(os.listdir(tmp_path / "city")) == 2


def test_routes_on_the_sample(built: tuple[Path, BuildReport]) -> None:
    """Routes follow open roads, cost the same by any search, and their parts add up."""
    dataset = open_dataset(built[0])
    engine = Engine(dataset)
    network, _ = load_network(dataset.arrays)
    weight = load_profile("car", dataset.arrays).metric.weight
    steps = set()
    for arc in np.flatnonzero(weight < 2**31 - 1).tolist():
        first, stop = network.first_point[arc >> 1 : (arc >> 1) + 2].tolist()
        steps |= set(pairwise(network.point_id[first:stop].tolist()[:: -1 if arc & 1 else 1]))
    rng = np.random.default_rng(11)
    west, south, east, north = engine.bounds
    points = rng.random((120, 2)) * (east - west, north - south) + (west, south)
    for a, b in zip(points[::2].tolist(), points[1::2].tolist(), strict=True):
        route = engine.route([a, b])
        (leg,) = route.legs
        assert route.duration_s == engine.route([a, b], algorithm="dijkstra").duration_s
        assert set(pairwise(leg.annotation.nodes.tolist())) <= steps
        assert leg.annotation.distance_m.sum() == pytest.approx(leg.distance_m, abs=0.1)
        assert leg.annotation.duration_s.sum() <= leg.duration_s + 1e-6
        assert leg.distance_m / 50 < leg.duration_s < leg.distance_m, "between 1 and 50 m/s"
