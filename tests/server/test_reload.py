"""A dataset that is built anew while a real server answers from it."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rebuilt import TOKEN, Load, Served, install, slower_car, usual_car, wait_until

from gis.manifest import MANIFEST
from routing.build import build_dataset
from routing.engine import Engine

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

ROUTE = "/route/v1/motor/24.91,60.16;24.96,60.19"
TARGETS = [
    f"{ROUTE}?overview=false",
    f"{ROUTE}?steps=true&overview=full",
    "/table/v1/motor/24.91,60.16;24.96,60.19;24.94,60.17",
    "/isochrone/v1/motor/24.94,60.17?contours_minutes=3",
    "/nearest/v1/motor/24.94,60.17",
]


@pytest.fixture(scope="module")
def builds(
    kernels: None, sample: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """Two datasets of the sample: for cars and walkers, and for cars that are slower."""
    folder = tmp_path_factory.mktemp("builds")
    found = folder / "first.whimbrel", folder / "second.whimbrel"
    build_dataset(sample, found[0], [usual_car(), "foot"])
    build_dataset(sample, found[1], [slower_car()])
    return found


@pytest.fixture
def serve(builds: tuple[Path, Path], tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers of the first dataset."""
    servers = []

    def start(**settings: object) -> Served:
        dataset = tmp_path / "city.whimbrel"
        install(builds[0], dataset)
        servers.append(Served(dataset, settings={"watch_s": 0} | settings))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


def data_id(dataset: Path) -> str:
    return json.loads((dataset / MANIFEST).read_text())["data"].removeprefix("data-")


def expected(dataset: Path) -> float:
    engine = Engine.open(dataset)
    return round(engine.route([(24.91, 60.16), (24.96, 60.19)]).duration_s, 1)


def mapped(pid: int) -> set[str]:
    """Data folders that a process has mapped, also those that are removed."""
    return set(re.findall(r"data-([0-9a-f]{16})", Path(f"/proc/{pid}/maps").read_text()))


def test_no_request_fails(serve: Callable[..., Served], builds: tuple[Path, Path]) -> None:
    """Answers go on, each from the dataset that it names; nothing of the old one is kept."""
    server = serve()
    ids = [data_id(build) for build in builds]
    wanted = {ids[n]: expected(builds[n]) for n in (0, 1)}
    assert wanted[ids[0]] != wanted[ids[1]]
    with Load(server.port, TARGETS) as load:
        for n in range(1, 11):
            install(builds[n % 2], server.dataset)
            status, answer = server.reload()
            assert status == 200
            assert (answer["dataset"], answer["previous"]) == (ids[n % 2], ids[(n + 1) % 2])
            assert answer["removed_profiles"] == (["foot"] if n % 2 else [])
            health = [server.get("/health") for _ in range(8)]
            assert {one["data_id"] for one in health} == {ids[n % 2]}
        now = ids[n % 2]
        wait_until(lambda: all(mapped(pid) == {now} for pid in server.processes()))
    assert load.failures == []
    assert load.count > 100
    for (dataset, target), bodies in load.seen.items():
        assert len(bodies) == 1, target
        if target == TARGETS[0]:
            assert json.loads(next(iter(bodies)))["routes"][0]["duration"] == wanted[dataset]
    assert {dataset for dataset, _ in load.seen} == set(ids)
    assert server.reload()[1]["previous"] == now  # the same once more
    assert "Traceback" not in server.end()


def test_found_without_a_call(serve: Callable[..., Served], builds: tuple[Path, Path]) -> None:
    """A server that watches takes what is built; it tells once what is no good, and goes on."""
    server = serve(watch_s=1)
    install(builds[1], server.dataset)
    second = data_id(builds[1])
    wait_until(lambda: server.get("/health")["data_id"] == second)
    (server.dataset / MANIFEST).write_text("{}")
    time.sleep(3)
    assert server.get(ROUTE)["code"] == "Ok"
    install(builds[0], server.dataset)
    first = data_id(builds[0])
    wait_until(lambda: server.get("/health")["data_id"] == first)
    assert server.end().count("dataset refused") == 1


def test_what_is_broken_is_refused(
    serve: Callable[..., Served],
    builds: tuple[Path, Path],
    command: Callable[..., list[str]],
    environment: dict[str, str],
) -> None:
    """Damaged, half or missing: it is said what is wrong, and the old one stays."""
    server = serve()
    before = server.get(TARGETS[1])

    def check(*words: str) -> None:
        status, answer = server.reload()
        assert (status, answer["code"]) == (409, "DatasetRefused")
        assert all(word in answer["message"] for word in words), answer
        assert server.get(TARGETS[1]) == before
        assert server.get("/ready") == {"status": "ready"}

    install(builds[1], server.dataset)
    (data,) = server.dataset.glob("data-*")
    victim = max(data.iterdir(), key=lambda file: file.stat().st_size)
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    replace_file(victim, bytes(content))
    check("checksum", victim.name)
    replace_file(victim, bytes(content[:-1]))
    check("damaged", victim.name)
    victim.unlink()
    check("missing", victim.name)
    shutil.rmtree(data)
    check("missing")
    (server.dataset / MANIFEST).unlink()
    check("an empty folder")
    shutil.rmtree(server.dataset)
    check("no such dataset")

    call = command("reload", "--url", f"http://127.0.0.1:{server.port}", "--token", TOKEN)
    failed = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=60)
    assert failed.returncode == 2
    assert "no such dataset" in failed.stderr and failed.stderr.count("\n") == 1
    install(builds[1], server.dataset)
    done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{data_id(builds[1])} is served" in done.stdout
    assert "not served any more: foot" in done.stdout
    reloads = server.ask("GET", "/metrics")[2].decode()
    assert 'whimbrel_dataset_reloads_total{result="refused"} 7.0' in reloads
    assert 'whimbrel_dataset_reloads_total{result="swapped"} 1.0' in reloads


def replace_file(path: Path, content: bytes) -> None:
    """Write a file anew: what is mapped stays as it is."""
    path.unlink()
    path.write_bytes(content)


def test_command_without_a_server(
    command: Callable[..., list[str]], environment: dict[str, str]
) -> None:
    """What is wrong with a call is one line."""
    for arguments, word in (
        (["--token", TOKEN], "Connection refused"),
        ([], "no token"),
        (["--token", TOKEN, "--url", "ftp://x"], "expected the address of a server"),
    ):
        call = command("reload", "--url", "http://127.0.0.1:1", *arguments)
        done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        assert word in done.stderr and done.stderr.count("\n") == 1


def test_live_speeds_stay(serve: Callable[..., Served], builds: tuple[Path, Path]) -> None:
    """What is in force holds for the next dataset from its first answer on."""
    server = serve()
    engine = Engine.open(builds[0])
    nodes = engine.route([(24.91, 60.16), (24.96, 60.19)]).legs[0].annotation.nodes
    closed = [int(node) for node in nodes[len(nodes) // 2 : len(nodes) // 2 + 2]]
    speeds = {"speeds": [{"nodes": closed, "speed": 0}]}
    status, _, body = server.ask("PUT", "/live/v1/motor/speeds", speeds)
    assert status == 200, body
    number = json.loads(body)["weights"]
    wanted = Engine.open(builds[1]).with_weights(speeds={tuple(closed): 0.0}, n_routes=1000)
    duration = round(wanted.route([(24.91, 60.16), (24.96, 60.19)]).duration_s, 1)
    assert duration != expected(builds[1])
    second = data_id(builds[1])
    with Load(server.port, TARGETS[:1]) as load:
        install(builds[1], server.dataset)
        assert server.reload()[0] == 200
        time.sleep(0.3)
    assert load.failures == []
    (body,) = load.seen[second, TARGETS[0]]
    assert json.loads(body)["routes"][0]["duration"] == duration
    assert server.get("/health")["weights"] == {"motor": number}


def test_kills_at_any_time(serve: Callable[..., Served], builds: tuple[Path, Path]) -> None:
    """Workers killed amid requests, updates and reloads are replaced; then all is as it should."""
    server = serve()
    chance = random.Random(3)
    ids = [data_id(build) for build in builds]
    results: list[tuple[int, int]] = []

    def change() -> None:
        for n in range(1, 13):
            install(builds[n % 2], server.dataset)
            for what in (server.reload, put_speeds):
                try:
                    results.append((n, what()[0]))
                except OSError:  # the worker that was asked has been killed
                    results.append((n, 0))
            time.sleep(0.05)

    def put_speeds() -> tuple[int, object]:
        speeds = {"speeds": [{"way": 4000 + len(results), "speed": 20}]}
        return server.ask("PUT", "/live/v1/motor/speeds", speeds)[:2]

    changing = threading.Thread(target=change)
    changing.start()
    kills = 0
    while changing.is_alive():
        workers = server.workers()
        victim = chance.choice(sorted(workers))
        try:
            os.kill(victim, signal.SIGKILL)  # now and then one that checks a dataset
        except ProcessLookupError:
            continue
        kills += 1
        wait_until(lambda victim=victim: victim not in server.workers(), 3)
        wait_until(lambda: len(server.workers()) >= 2, 3)
        assert server.get(ROUTE)["code"] == "Ok"
        time.sleep(chance.uniform(0, 0.6))
    assert kills >= 5
    assert any(status == 200 for _, status in results)
    assert {status for _, status in results} <= {0, 200, 409}
    install(builds[1], server.dataset)
    assert server.reload()[0] == 200
    assert {server.get("/health")["data_id"] for _ in range(10)} == {ids[1]}
    speeds = {"speeds": [{"way": 1, "speed": 20}]}
    status, _, body = server.ask("PUT", "/live/v1/motor/speeds", speeds)
    assert status == 200, body
    number = json.loads(body)["weights"]
    assert {server.get("/health")["weights"]["motor"] for _ in range(10)} == {number}
    server.end()


def test_others_are_unharmed(serve: Callable[..., Served]) -> None:
    """What other workers have begun is answered when one is killed."""
    server = serve()
    counts = []
    for _ in range(5):
        with Load(server.port, TARGETS, threads=6) as load:
            time.sleep(0.3)
            victim = sorted(server.workers())[0]
            os.kill(victim, signal.SIGKILL)
            wait_until(lambda: victim not in server.workers(), 3)  # noqa: B023
            wait_until(lambda: len(server.workers()) == 2, 3)
            time.sleep(0.3)
        counts.append(len(load.failures))
        assert load.count > 20
    assert all(count < 6 for count in counts)  # no more than what it was answering
    restarts = server.ask("GET", "/metrics")[2].decode()
    assert "whimbrel_worker_restarts_total 5.0" in restarts
