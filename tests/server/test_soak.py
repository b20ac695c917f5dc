"""Mixed load for minutes, while speeds and the dataset change all the time.

``WHIMBREL_SOAK_S`` is how long; every answer is compared with what an engine of the dataset and
with the speeds that its headers name gives in another process.
"""

import hashlib
import http.client
import json
import math
import os
import random
import re
import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from asgi import ask
from rebuilt import NAME, Served, install, slower_car, usual_car

from gis.manifest import MANIFEST
from routing.build import build_dataset
from routing.engine import Engine
from server.api.services import SERVICES
from server.app import create_app
from server.settings import Settings
from server.state import EngineState

SOAK_S = float(os.environ.get("WHIMBREL_SOAK_S", "600"))
UPDATE_S = 2.0
RELOAD_S = 20.0
THREADS = 4
N_SETS = 6
"""So many sets of live speeds take turns; the first has none."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,
    pytest.mark.usefixtures("kernels"),
    pytest.mark.timeout(SOAK_S + 900),
]

Pieces = dict[tuple[int, int], float]


@pytest.fixture(scope="module")
def extract(sample: Path, request: pytest.FixtureRequest) -> Path:
    """The Porto extract, or the sample where that is not at hand."""
    try:
        return Path(request.getfixturevalue("porto"))
    except pytest.skip.Exception:
        return sample


@dataclass
class Places:
    """Points of a map, by chance but always the same."""

    bounds: tuple[float, float, float, float]
    chance: random.Random = field(default_factory=lambda: random.Random(5))

    def point(self) -> str:
        west, south, east, north = self.bounds
        lon = west + (east - west) * self.chance.uniform(0.25, 0.75)
        lat = south + (north - south) * self.chance.uniform(0.25, 0.75)
        return f"{lon:.5f},{lat:.5f}"

    def points(self, n: int) -> str:
        return ";".join(self.point() for _ in range(n))

    def trace(self, n: int) -> str:
        """Points some 40 m apart along a straight line, whatever the roads are."""
        lon, lat = map(float, self.point().split(","))
        return ";".join(f"{lon + 5e-4 * k:.5f},{lat + 1e-4 * k:.5f}" for k in range(n))

    def targets(self) -> list[str]:
        """Requests for each service."""
        found = []
        for _ in range(6):
            found += [
                f"/route/v1/{NAME}/{self.points(2)}?overview=false",
                f"/route/v1/{NAME}/{self.points(2)}?overview=full&steps=true",
                f"/table/v1/{NAME}/{self.points(6)}?annotations=duration,distance",
                f"/nearest/v1/{NAME}/{self.point()}?number=3",
            ]
        for _ in range(2):
            found += [
                f"/route/v1/{NAME}/{self.points(3)}?alternatives=2&geometries=geojson",
                f"/table/v1/{NAME}/{self.points(40)}",
                f"/isochrone/v1/{NAME}/{self.point()}?contours_minutes=3,6",
                f"/trip/v1/{NAME}/{self.points(7)}",
                f"/match/v1/{NAME}/{self.trace(12)}?overview=full",
            ]
            x, y = tile_of(*map(float, self.point().split(",")), 14)
            found.append(f"/tile/v1/{NAME}/tile({x},{y},14).mvt")
        return [target for target in found if target.split("/")[1] in SERVICES]


def tile_of(lon: float, lat: float, zoom: int) -> tuple[int, int]:
    """Which tile a point lies in, as every web map has it."""
    across = math.log(math.tan(math.pi / 4 + math.radians(lat) / 2)) / math.pi
    size = 2**zoom
    return int((lon / 360 + 0.5) * size), int((0.5 - across / 2) * size)


class References:
    """What the right answers are, by dataset, set of speeds and request."""

    def __init__(self, builds: tuple[Path, Path], folder: Path) -> None:
        self._engines = {engine.data_id: engine for engine in map(Engine.open, builds)}
        self.ids = tuple(self._engines)
        first = self._engines[self.ids[0]]
        self.targets = Places(first.bounds).targets()
        self.sets: list[Pieces] = [{}]
        self._folder = folder
        self._right: dict[tuple[str, int, int], str] = {}
        chance = random.Random(7)
        self.targets = [t for n, t in enumerate(self.targets) if self._all_right(n, {})]
        while len(self.sets) < N_SETS:
            speeds = self._some_speeds(chance)
            wrong = [n for n in range(len(self.targets)) if not self._all_right(n, speeds)]
            if not wrong:
                self.sets.append(speeds)
            else:  # without the places that a closed road cuts off
                self.targets = [t for n, t in enumerate(self.targets) if n not in wrong]

    def _some_speeds(self, chance: random.Random) -> Pieces:
        """Speeds of pieces of roads that the requests' routes use; a few are closed."""
        engine = self._engines[self.ids[0]]
        found: Pieces = {}
        for target in self.targets:
            if target.startswith("/route/"):
                text = target.split("/")[4].split("?")[0]
                points = [tuple(map(float, point.split(","))) for point in text.split(";")]
                nodes = engine.route(points).legs[0].annotation.nodes  # type: ignore[arg-type]
                at = chance.randrange(len(nodes) // 3, 2 * len(nodes) // 3)
                for k in range(at, min(at + 8, len(nodes) - 1)):
                    found[int(nodes[k]), int(nodes[k + 1])] = chance.choice((3.0, 6.0, 90.0))
                if chance.random() < 0.2:
                    found[int(nodes[at]), int(nodes[at + 1])] = 0.0
        return found

    def _app(self, dataset: str, speeds: Pieces, is_tile: bool) -> Any:
        engine = self._engines[dataset]
        if speeds and is_tile:  # which tells what is live
            followed = copy_of(engine)
            folder = self._folder / hashlib.sha256(f"{dataset}{speeds}".encode()).hexdigest()
            with followed.live_writer(folder, ready=False) as writer:
                followed.follow(folder)
                writer.publish(followed.changes(speeds=speeds))
            engine = followed
        elif speeds:
            engine = engine.with_weights(speeds=speeds, n_routes=10**6)
        return create_app(EngineState(engine, self._folder / "x.whimbrel", Settings()))

    def _all_right(self, number: int, speeds: Pieces) -> bool:
        return all(self._answer(dataset, speeds, number) is not None for dataset in self.ids)

    def _answer(self, dataset: str, speeds: Pieces, number: int) -> str | None:
        key = (dataset, json.dumps(sorted(speeds.items())))
        target = self.targets[number]
        is_tile = target.startswith("/tile/")
        apps = self.__dict__.setdefault("_apps", {})
        if (*key, is_tile) not in apps:
            apps[*key, is_tile] = self._app(dataset, speeds, is_tile)
        response = ask(apps[*key, is_tile], "GET", target)
        return digest(response.body) if response.status == 200 else None

    def right(self, dataset: str, index: int, number: int) -> str | None:
        """The digest of the right answer."""
        key = dataset, index, number
        if key not in self._right:
            self._right[key] = self._answer(dataset, self.sets[index], number) or ""
        return self._right[key]


def copy_of(engine: Engine) -> Engine:
    """The same dataset, opened once more."""
    return Engine.open(PATHS[engine.data_id], verify=False)


PATHS: dict[str, Path] = {}


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


class Asking(threading.Thread):
    """One client among others; notes what it saw, and what failed."""

    def __init__(self, port: int, targets: list[str], seed: int, stop: threading.Event) -> None:
        super().__init__()
        self._port, self._targets, self._stopping = port, targets, stop
        self._chance = random.Random(seed)
        self.failures: list[str] = []
        self.seen: dict[tuple[str, int, int], set[str]] = {}
        self.took_s: list[float] = []

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        while not self._stopping.is_set():
            number = self._chance.randrange(len(self._targets))
            began = time.monotonic()
            try:
                connection.request("GET", self._targets[number])
                response = connection.getresponse()
                body = response.read()
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{self._targets[number]}: {error!r}")
                connection.close()
                continue
            self.took_s.append(time.monotonic() - began)
            if response.status != 200:
                self.failures.append(f"{self._targets[number]}: {response.status} {body[:200]!r}")
                continue
            headers = response.headers
            key = headers["Whimbrel-Dataset"], int(headers["Whimbrel-Weights"]), number
            self.seen.setdefault(key, set()).add(digest(body))
        connection.close()


class Changing(threading.Thread):
    """Whoever changes speeds or the dataset, at regular times."""

    def __init__(self, every_s: float, change: Any, stop: threading.Event) -> None:
        super().__init__()
        self._every_s, self._change, self._stopping = every_s, change, stop
        self.failures: list[str] = []
        self.count = 0

    def run(self) -> None:
        due = time.monotonic() + self._every_s
        while not self._stopping.wait(max(due - time.monotonic(), 0.0)):
            due += self._every_s
            try:
                self._change(self.count)
            except Exception as error:
                self.failures.append(repr(error))
            self.count += 1


@pytest.fixture
def server(extract: Path, tmp_path: Path) -> Iterator[tuple[Served, tuple[Path, Path]]]:
    """A server of one of two builds."""
    builds = tmp_path / "first.whimbrel", tmp_path / "second.whimbrel"
    for built, profile in zip(builds, (usual_car(), slower_car()), strict=True):
        build_dataset(extract, built, [profile])
        data = json.loads((built / MANIFEST).read_text())["data"]
        PATHS[data.removeprefix("data-")] = built
    dataset = tmp_path / "city.whimbrel"
    install(builds[0], dataset)
    served = Served(dataset, settings={"watch_s": 0})
    yield served, builds
    served.kill()


def test_soak(server: tuple[Served, tuple[Path, Path]], tmp_path: Path) -> None:
    """No request fails, no answer is wrong, and memory stays as it is."""
    served, builds = server
    references = References(builds, tmp_path)
    stop = threading.Event()
    set_of: dict[int, int] = {0: 0}
    memory: list[float] = []

    def update(count: int) -> None:
        index = (count + 1) % len(references.sets)
        rows = [
            {"nodes": list(nodes), "speed": speed}
            for nodes, speed in references.sets[index].items()
        ]
        status, _, body = served.ask("PUT", f"/live/v1/{NAME}/speeds", {"speeds": rows})
        assert status == 200, body
        set_of[json.loads(body)["weights"]] = index

    def reload(count: int) -> None:
        install(builds[(count + 1) % 2], served.dataset)
        status, answer = served.reload()
        assert status == 200, answer
        assert answer["dataset"] == references.ids[(count + 1) % 2]

    def look(_: int) -> None:
        text = served.ask("GET", "/metrics")[2].decode()
        found = re.findall(r'whimbrel_memory_bytes\{kind="pss",process="\w+"\} (\S+)', text)
        memory.append(sum(map(float, found)))

    clients = [Asking(served.port, references.targets, n, stop) for n in range(THREADS)]
    changing = [
        Changing(every_s, what, stop) for every_s, what in ((UPDATE_S, update), (RELOAD_S, reload))
    ]
    threads = [*clients, *changing, Changing(1.0, look, stop)]
    for thread in threads:
        thread.start()
    time.sleep(SOAK_S)
    stop.set()
    for thread in threads:
        thread.join()
    check(references, clients, set_of)
    assert [failure for thread in threads for failure in thread.failures] == []
    updates, reloads = (thread.count for thread in changing)
    assert updates >= 0.8 * SOAK_S / UPDATE_S - 1
    assert reloads >= 0.8 * SOAK_S / RELOAD_S - 1
    third = len(memory) // 3
    before, after = (
        statistics.median(part) for part in (memory[third : 2 * third], memory[-third:])
    )
    took_ms = sorted(1e3 * took_s for client in clients for took_s in client.took_s)
    print(
        f"\n{len(took_ms)} requests, {updates} updates, {reloads} reloads; in ms: median "
        f"{took_ms[len(took_ms) // 2]:.1f}, 99 % {took_ms[len(took_ms) * 99 // 100]:.0f}, "
        f"longest {took_ms[-1]:.0f}; memory {before / 1e6:.0f} MB, then {after / 1e6:.0f} MB"
    )
    assert after < 1.1 * before
    assert "Traceback" not in served.end()


def check(references: References, clients: list[Asking], set_of: dict[int, int]) -> None:
    """Each answer is that of the dataset and the speeds that it names."""
    seen: dict[tuple[str, int, int], set[str]] = {}
    for client in clients:
        for key, digests in client.seen.items():
            seen.setdefault(key, set()).update(digests)
    unknown = {weights for _, weights, _ in seen} - set_of.keys()
    assert not unknown, f"nobody put these in force: {unknown}"
    wrong = [
        (dataset, weights, references.targets[number])
        for (dataset, weights, number), digests in seen.items()
        if digests != {references.right(dataset, set_of[weights], number)}
    ]
    assert not wrong, f"{len(wrong)} of {len(seen)}: {wrong[:5]}"
    assert {dataset for dataset, _, _ in seen} == set(references.ids)
