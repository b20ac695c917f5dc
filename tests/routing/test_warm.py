"""Compiling once: afterwards nobody waits for a compiler, and only one process compiles."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parent.parent.parent

RECORD = """
import json, sys
from pathlib import Path
import numba.core.event as event
from routing import warm, warm_world

class Recorder(event.Listener):
    def __init__(self):
        self.compiled = []
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        if name.startswith(("gis.", "routing.", "server.")):
            self.compiled.append((name, str(event.data["args"])))
    def on_end(self, event):
        pass

recorder = Recorder()
event.register("numba:compile", recorder)
"""

WARM = (
    RECORD
    + """
def recorded(index, part):
    def run(folder):
        part(folder)
        Path(sys.argv[1], f"{index}.json").write_text(json.dumps(recorder.compiled))
    return run

warm_world.PARTS = tuple(recorded(index, part) for index, part in enumerate(warm_world.PARTS))
seen = []
print(json.dumps({"compiled": warm.warm_up(seen.append), "seen": seen, "warm": warm.is_warm()}))
"""
)

USE = (
    RECORD
    + """
from gis.wkb import line_wkb
from routing.build import build_dataset
from routing.engine import Engine
from server.api.osrm_json import nearest_answer, route_answer, table_answer, to_bytes
from server.api.osrm_params import ANNOTATIONS, NearestParams, RouteParams, TableParams
from server.api.osrm_requests import params_from_json

sample, folder = Path(sys.argv[1]), Path(sys.argv[2])
for workers in (None, 1, 2):
    build_dataset(sample, folder / "sample.whimbrel", workers=workers)
engine = Engine.open(folder / "sample.whimbrel")
points = [(24.94, 60.167), (24.945, 60.17), (24.95, 60.175)]
for form in ("polyline", "geojson"):
    for overview in ("simplified", "full", "by_legs"):
        for straight in (True, False, None):
            for algorithm in ("hierarchy", "astar", "dijkstra"):
                route = engine.route(points, algorithm=algorithm, continue_straight=straight)
                params = RouteParams(points, steps=True, geometries=form, overview=overview)
                params.annotations = frozenset(ANNOTATIONS)
                to_bytes(route_answer([route], params))
engine.route(points, waypoints=[0, 2], bearings=[(0, 180), None, None], radiuses=[900, None, None])
engine.nearest(*points[0])
engine.nearest(*points[0], number=5, bearing=(90, 90), radius_m=900, snapping="any")
engine.route(points[:2], with_details=True).legs[0].annotation
engine.route(points[:2]).waypoints
engine.alternatives(points, 3)
engine.routes(points, points[::-1], threads=2)
line_wkb(*engine.routes(points, points[::-1], geometry=True).lines)
engine.nearest_roads(points).names
for x, y, zoom in ((291, 148, 9), (2331, 1185, 12), (18653, 9483, 15)):
    engine.tile(x, y, zoom)
for distances in (False, True):
    for n in (1, 3, 40):
        table = engine.table(points * n, distances=distances)
        table_answer(table, TableParams(points * n, fallback_speed=10.0))
        engine.table(points[:1], points * n, distances=distances)
        engine.table(points * n, points[:1], distances=distances)
engine.table([*points, (200, 0)], strict=False).duration_s
for reverse in (False, True):
    for lines in (False, True):
        engine.isochrone(*points[0], durations_s=[30, 600], reverse=reverse, lines=lines)
        engine.isochrone(*points[0], distances_m=[300, 3000], reverse=reverse, lines=lines)
block = [[(24.942, 60.168), (24.944, 60.168), (24.944, 60.170), (24.942, 60.170)]]
for n in (1, 10**9):
    engine.with_weights(avoid=[block], n_routes=n).route(points)
engine.follow(folder / "live")
with engine.live_writer(folder / "live") as live:
    live.publish(engine.changes(avoid=[block]))
    engine.route(points)
    engine.isochrone(*points[0], durations_s=[600])
params_from_json(RouteParams, b'{"coordinates":"polyline(_p~iF~ps|U_ulLnnqC)"}')
print(json.dumps(recorder.compiled))
"""
)

CHEAP = """
import os, sys, time
from routing import warm, warm_world

def work(folder):
    with open(sys.argv[1], "a") as log:
        print("worked", file=log)
    time.sleep(0.5)
    {end}

warm_world.PARTS = (work,)
print(warm.is_warm(), warm.warm_up(lambda compiled: None), warm.is_warm())
"""


def start(code: str, cache: Path, *arguments: object) -> subprocess.Popen[str]:
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, *map(str, arguments)],
        env=os.environ
        | {"WHIMBREL_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=280)
    assert process.returncode == 0, err
    return out


@pytest.fixture(scope="module")
def warmed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A cache that has been warmed from nothing, and what that said of itself."""
    folder = tmp_path_factory.mktemp("warm")
    return folder, json.loads(finish(start(WARM, folder / "cache", folder)))


def test_warming_compiles(warmed: tuple[Path, dict[str, Any]]) -> None:
    """Kernels are compiled, progress is told, and it is known afterwards."""
    folder, said = warmed
    parts = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    ours = sum(map(len, parts))
    assert ours >= 30
    assert said["compiled"] >= ours
    assert said["seen"] == sorted(said["seen"])
    assert said["warm"]


def test_parts_do_not_meet(warmed: tuple[Path, dict[str, Any]]) -> None:
    """Side by side no kernel is compiled for different types, which the cache could mix up."""
    folder, _ = warmed
    first, second = (dict(json.loads((folder / f"{i}.json").read_text())) for i in (0, 1))
    assert {name for name in first.keys() & second.keys() if first[name] != second[name]} == set()


def test_afterwards_nothing_is_compiled(
    warmed: tuple[Path, dict[str, Any]], sample: Path, tmp_path: Path
) -> None:
    """Whatever is done with real data finds its kernels ready."""
    folder, _ = warmed
    assert json.loads(finish(start(USE, folder / "cache", sample, tmp_path))) == []


def test_one_process_compiles(tmp_path: Path) -> None:
    """Of several that begin at once one works, and the others wait for it."""
    log = tmp_path / "log"
    processes = [start(CHEAP.format(end=""), tmp_path / "cache", log) for _ in range(3)]
    said = sorted(finish(process) for process in processes)
    assert log.read_text() == "worked\n"
    assert all(line.endswith("0 True\n") for line in said)


@pytest.mark.parametrize("end", ["raise ValueError", "os.kill(os.getpid(), 9)"])
def test_a_failure_is_made_good(end: str, tmp_path: Path) -> None:
    """What did not come to its end is done again by the next that comes."""
    cache, log = tmp_path / "cache", tmp_path / "log"
    assert finish(start(CHEAP.format(end=end), cache, log)) == "False 0 False\n"
    assert finish(start(CHEAP.format(end=""), cache, log)) == "False 0 True\n"
    assert finish(start(CHEAP.format(end=""), cache, log)) == "True 0 True\n"
    assert log.read_text() == "worked\n" * 2


def test_forgotten_kernels_are_removed(tmp_path: Path) -> None:
    """Warming removes the kernels of versions not used for a month, and nothing else."""
    cache = tmp_path / "cache"
    old = {"kernels-0123456789ab", "kernels-ba9876543210"}
    others = {"kernels-0123456789ac", "kernels-0123456789AB", "kernels-0123456789abc", "notes"}
    for name in old | others:
        (cache / name / "gis").mkdir(parents=True)
        (cache / name / "gis" / "kernel.nbi").write_text("x")
        os.utime(cache / name, (0, time.time() - 31 * 86400))
    os.utime(cache / "kernels-0123456789ac", (0, time.time() - 29 * 86400))
    (cache / "kernels-0123456789ad").write_text("x")
    (cache / "kernels-0123456789ae").symlink_to(cache / "notes")
    others |= {"kernels-0123456789ad", "kernels-0123456789ae"}
    os.utime(cache / "kernels-0123456789ad", (0, 0))
    assert finish(start(CHEAP.format(end=""), cache, tmp_path / "log")) == "False 0 True\n"
    left = set(os.listdir(cache))
    assert others <= left and not old & left and len(left) == len(others) + 1
    assert (cache / "notes" / "gis" / "kernel.nbi").exists()
