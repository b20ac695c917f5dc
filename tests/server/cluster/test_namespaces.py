"""The client and the scheduler in one network namespace, the workers in another."""

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gis.arrays import F64
from server.batch.task import Task

HERE, THERE = "10.203.77.1", "10.203.77.2"
LACKING = 'mount -t tmpfs none "$0" && exec "$@"'

CLIENT = """
import pickle, sys
from pathlib import Path
from gis.dataset import open_dataset
from server.batch.task import Task
from server.cluster.client import answers_on_dask

address, dataset, url, points, answers = sys.argv[1:]
chunks = pickle.loads(Path(points).read_bytes())
found = list(answers_on_dask(address, open_dataset(Path(dataset)), Task("route"), chunks, url))
Path(answers).write_bytes(pickle.dumps(found))
"""


@pytest.fixture
def namespaces() -> Iterator[tuple[list[str], list[str]]]:
    """How commands begin that run in two namespaces that a pair of virtual devices joins."""
    names = [f"whimbrel-{os.getpid()}-{i}" for i in range(2)]
    ends = [f"wb{os.getpid() % 1_000_000}{i}" for i in "ab"]
    commands = [f"netns add {name}" for name in names]
    commands.append(f"link add {ends[0]} type veth peer name {ends[1]}")
    for name, end, address in zip(names, ends, (HERE, THERE), strict=True):
        commands.append(f"link set {end} netns {name}")
        commands.append(f"-n {name} address add {address}/24 dev {end}")
        commands += [f"-n {name} link set {device} up" for device in (end, "lo")]
    try:
        if shutil.which("ip") is None:
            pytest.skip("there is no `ip` here")
        for command in commands:
            done = subprocess.run(["ip", *command.split()], capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"network namespaces are not permitted: {done.stderr.strip()}")
        yield tuple(["ip", "netns", "exec", name] for name in names)  # type: ignore[misc]
    finally:
        if shutil.which("ip") is not None:
            for name in names:
                subprocess.run(["ip", "netns", "del", name], capture_output=True)


@pytest.mark.slow
@pytest.mark.compiled
def test_workers_beyond_a_network_that_lack_the_dataset(
    namespaces: tuple[list[str], list[str]],
    new_cluster: Any,
    dataset: Path,
    environment: dict[str, str],
    tmp_path: Path,
    chunks: list[F64],
    assert_answers: Callable[..., None],
) -> None:
    """They fetch it over the network, and the loss of one does not show."""
    here, there = namespaces
    cluster = new_cluster(host=HERE, prefix=here)
    (tmp_path / "site").mkdir()
    serve = [sys.executable, "-m", "http.server", "--bind", HERE, "--directory"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    site = subprocess.Popen([*here, *serve, str(dataset.parent), "8123"], **quiet)  # type: ignore[call-overload]
    slowly = (
        "import os, sys, time; import server.cluster.worker_side as side; answer = side.answer\n"
        f"os.environ['WHIMBREL_CACHE_DIR'] = {str(tmp_path / 'cache')!r}\n"
        "side.answer = lambda *a: (time.sleep(0.1), answer(*a))[1]"
    )
    lacking = [*there, "unshare", "--mount", "sh", "-c", LACKING, str(dataset)]
    workers = [cluster.start_worker(host=THERE, prefix=lacking, before=slowly) for _ in range(2)]
    cluster.wait_until(lambda: cluster.log().count("Registered to") == 2)
    many = chunks * 4
    points, answers = tmp_path / "points", tmp_path / "answers"
    points.write_bytes(pickle.dumps(many))
    url = f"http://{HERE}:8123/{dataset.name}"
    arguments = [cluster.address, str(dataset), url, str(points), str(answers)]
    run = subprocess.Popen([*here, sys.executable, "-P", "-c", CLIENT, *arguments], env=environment)
    try:
        data = next(dataset.glob("data-*")).name
        cluster.wait_until((tmp_path / "cache" / "datasets" / data).exists)
        cluster.kill(workers[0])
        assert run.wait(60) == 0
    finally:
        run.kill()
        run.wait()
        site.kill()
        site.wait()
    assert_answers(pickle.loads(answers.read_bytes()), Task("route"), many)
    assert "Remove worker" in cluster.log()
