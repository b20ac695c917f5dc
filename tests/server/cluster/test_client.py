"""Batches on a real scheduler with real workers."""

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import distributed.versions
import numpy as np
import pytest

from gis.arrays import F64
from gis.dataset import open_dataset
from gis.jit import CACHE_FOLDER
from server.batch.task import Answer, Task
from server.cluster import client
from server.cluster.client import answers_on_dask
from server.cluster.errors import ClusterError

pytestmark = pytest.mark.compiled

ROUTE = Task("route")
WITHOUT_WHIMBREL = "import sys; sys.modules['server'] = None"
NAMES_SERVER = "import server.cluster.worker_side as side, server.batch.versions, os, time\n"


@pytest.fixture(autouse=True)
def leaves_nothing() -> Iterator[None]:
    """No thread of Dask's stays, and its loggers are as they were."""
    threads = set(threading.enumerate())
    levels = [logging.getLogger(name).level for name in ("distributed", "distributed.client")]
    yield
    assert {thread for thread in threading.enumerate() if not thread.daemon} <= threads
    assert levels == [
        logging.getLogger(name).level for name in ("distributed", "distributed.client")
    ]


def asked(address: str, function: Callable[..., Any]) -> Any:
    """What a function finds in the scheduler."""
    with distributed.Client(address, set_as_default=False) as other:
        return other.run_on_scheduler(function)


def n_tasks(address: str) -> int:
    return asked(address, lambda dask_scheduler: len(dask_scheduler.tasks))  # type: ignore[no-any-return]


def n_workers(address: str) -> int:
    return asked(address, lambda dask_scheduler: len(dask_scheduler.workers))  # type: ignore[no-any-return]


def test_the_answers_are_those_of_one_process(
    cluster: Any, dataset: Path, chunks: list[F64], assert_answers: Any, capfd: Any
) -> None:
    found = list(answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks))
    assert_answers(found, ROUTE, chunks)
    assert {0, 3} <= {int(status) for answer in found for status in answer.status}
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["route", "nearest", "table", "isochrone"])
def test_every_task(
    cluster: Any, dataset: Path, chunks: list[F64], assert_answers: Any, name: str
) -> None:
    tasks = {
        "route": Task("route", geometry=True),
        "nearest": Task("nearest", radius_m=50.0),
        "table": Task("table", distances=True, destinations=chunks[3][5:9, :2]),
        "isochrone": Task("isochrone", limits=(30.0, 60.0)),
    }
    n_rows, n_columns = (20, 4) if name == "route" else (20, 2)
    few = [chunk[:n_rows, :n_columns] for chunk in chunks[:4]]
    found = list(answers_on_dask(cluster.address, open_dataset(dataset), tasks[name], few))
    assert_answers(found, tasks[name], few)


def test_no_chunks(cluster: Any, dataset: Path) -> None:
    assert list(answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, [])) == []


def test_arrays_can_be_written_and_are_aligned(
    cluster: Any, dataset: Path, chunks: list[F64]
) -> None:
    (answer,) = answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks[:1])
    assert answer.status.flags.aligned
    for column in answer.columns.values():
        assert isinstance(column, np.ndarray)
        assert column.flags.aligned and column.flags.c_contiguous


def test_points_are_drawn_as_they_are_needed_and_futures_let_go(
    cluster: Any, dataset: Path, chunks: list[F64]
) -> None:
    drawn = 0

    def points() -> Iterator[F64]:
        nonlocal drawn
        for number in range(60):
            drawn += 1
            yield chunks[number % 2]

    cluster.wait_until(lambda: n_workers(cluster.address) == 2)
    answers = answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, points())
    for taken in range(1, 21):
        next(answers)
        assert drawn <= taken + 6
    assert n_tasks(cluster.address) <= 6
    answers.close()  # type: ignore[attr-defined]
    assert drawn <= 26
    cluster.wait_until(lambda: n_tasks(cluster.address) == 0, 5)


def test_an_error_while_drawing_points_ends_all(
    cluster: Any, dataset: Path, chunks: list[F64]
) -> None:
    def points() -> Iterator[F64]:
        yield from chunks[:3]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, points()))
    cluster.wait_until(lambda: n_tasks(cluster.address) == 0, 5)


def test_an_interrupt_ends_all(cluster: Any, dataset: Path, chunks: list[F64]) -> None:
    def points() -> Iterator[F64]:
        yield chunks[0]
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        for _ in range(100_000):
            yield chunks[1]

    with pytest.raises(KeyboardInterrupt):
        list(answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, points()))
    cluster.wait_until(lambda: n_tasks(cluster.address) == 0, 5)


def test_an_error_of_the_task_names_the_worker(
    cluster: Any, dataset: Path, chunks: list[F64], capfd: Any
) -> None:
    with pytest.raises(ClusterError, match=r"^worker tcp://127\.0\.0\.1:\d+: .*boat"):
        list(
            answers_on_dask(
                cluster.address, open_dataset(dataset), Task("route", profile="boat"), chunks
            )
        )
    assert capfd.readouterr() == ("", "")


def test_a_worker_that_is_killed(
    new_cluster: Any, dataset: Path, engine: Any, chunks: list[F64], assert_answers: Any
) -> None:
    """What it had, begun or done, is computed again by the other."""
    cluster = new_cluster()
    slowly = NAMES_SERVER + "answer = side.answer\n"
    slowly += "side.answer = lambda *a: (time.sleep(0.1), answer(*a))[1]"
    workers = [cluster.start_worker(before=slowly) for _ in range(2)]
    cluster.wait_until(lambda: n_workers(cluster.address) == 2)
    many = chunks * 2
    found: list[Answer] = []
    for answer in answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, many):
        found.append(answer)
        if len(found) == 4:
            assert cluster.log().count("Remove worker") == 0
            workers[0].kill()
    assert_answers(found, ROUTE, many)
    assert cluster.log().count("Remove worker") == 1


def test_a_scheduler_that_is_killed(
    new_cluster: Any, dataset: Path, chunks: list[F64], capfd: Any
) -> None:
    cluster = new_cluster()
    cluster.start_worker()
    answers = answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks * 100)
    next(answers)
    cluster.kill(cluster.scheduler)
    started = time.monotonic()
    with pytest.raises(ClusterError, match=f"^{cluster.address}: "):
        list(answers)
    assert time.monotonic() - started < 10
    assert capfd.readouterr() == ("", "")


def test_a_scheduler_that_hangs(
    new_cluster: Any, dataset: Path, monkeypatch: pytest.MonkeyPatch, chunks: list[F64], capfd: Any
) -> None:
    for name in ("_LOOK_S", "_NOTE_S", "_ANSWER_S", "_CLOSE_S"):
        monkeypatch.setattr(client, name, 0.2)
    cluster = new_cluster()

    def stop(line: str) -> None:
        cluster.scheduler.send_signal(signal.SIGSTOP)

    with pytest.raises(ClusterError, match=f"^{cluster.address}: the scheduler says nothing: "):
        next(answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks, say=stop))
    assert capfd.readouterr() == ("", "")


def test_no_scheduler(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any, chunks: list[F64]
) -> None:
    monkeypatch.setattr(client, "_CONNECT_S", 0.3)
    for address in (
        "tcp://127.0.0.1:1",
        "carrier-pigeon://x",
        "",
        "127.0.0.1",
        "tls://127.0.0.1:1",
    ):
        with pytest.raises(ClusterError) as failure:
            next(answers_on_dask(address, open_dataset(dataset), ROUTE, chunks))
        assert address in str(failure.value) and "\n" not in str(failure.value)
    assert capfd.readouterr() == ("", "")


def test_something_that_takes_calls_but_says_nothing(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, chunks: list[F64]
) -> None:
    monkeypatch.setattr(client, "_CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ClusterError, match=f"^{address}: no scheduler answers: TimeoutError"):
            next(answers_on_dask(address, open_dataset(dataset), ROUTE, chunks))


def test_workers_that_come_late_and_never(
    new_cluster: Any,
    dataset: Path,
    monkeypatch: pytest.MonkeyPatch,
    chunks: list[F64],
    assert_answers: Any,
) -> None:
    monkeypatch.setattr(client, "_NOTE_S", 0.1)
    monkeypatch.setattr(client, "_LOOK_S", 0.1)
    cluster = new_cluster()
    notes: list[str] = []

    def say(line: str) -> None:
        notes.append(line)
        cluster.start_worker()

    found = answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks, say=say)
    assert_answers(list(found), ROUTE, chunks)
    assert notes == [f"{cluster.address}: has no workers; waiting for one"]
    cluster.kill(cluster.workers[0])
    cluster.wait_until(lambda: n_workers(cluster.address) == 0)
    with pytest.raises(ClusterError, match=f"^{cluster.address}: has had no workers for"):
        next(
            answers_on_dask(
                cluster.address,
                open_dataset(dataset),
                ROUTE,
                chunks,
                say=notes.append,
                patience_s=0.5,
            )
        )
    assert len(notes) == 2


def test_workers_that_are_wrong(
    new_cluster: Any, dataset: Path, chunks: list[F64], capfd: Any
) -> None:
    """Whatever happens there, here it is one line."""
    wrong = "import numpy\nside.answer = lambda e, task, p: eval(task.name)"
    cluster = new_cluster(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    cluster.start_worker(before=NAMES_SERVER + wrong)
    for code, error in (
        ("1 / 0", r"worker tcp://\S+: ZeroDivisionError: division by zero"),
        ("(numpy.zeros(7, 'u1'), {})", r"tcp://\S+: an answer has 7 rows, expected 300"),
        ("os._exit(1)", r"worker tcp://\S+: died over a chunk of the input, as did 0 .* before"),
    ):
        with pytest.raises(ClusterError, match=f"^{error}$"):
            list(answers_on_dask(cluster.address, open_dataset(dataset), Task(code), chunks))
    assert capfd.readouterr() == ("", "")


def test_a_worker_without_whimbrel(new_cluster: Any, dataset: Path, chunks: list[F64]) -> None:
    cluster = new_cluster()
    cluster.start_worker(before=WITHOUT_WHIMBREL)
    error = r"worker tcp://\S+: has no such Whimbrel as the client: ModuleNotFoundError: "
    with pytest.raises(ClusterError, match=f"^{error}"):
        list(answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks))


def test_versions_of_dask_that_differ_are_told_in_one_line(
    cluster: Any,
    dataset: Path,
    chunks: list[F64],
    assert_answers: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(distributed.versions, "_version_cached", lambda name: "1.2.3")
    notes: list[str] = []
    found = answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks, say=notes.append)
    assert_answers(list(found), ROUTE, chunks)
    (note,) = notes
    assert note.startswith(f"{cluster.address}: versions differ: ") and "\n" not in note
    wanted = f"distributed (client 1.2.3, scheduler {distributed.__version__}, workers "
    assert wanted in note


def test_two_threads_of_one_worker_that_lacks_the_dataset(
    new_cluster: Any,
    dataset: Path,
    tmp_path: Path,
    chunks: list[F64],
    serve: Any,
    forks: Callable[[Path], str],
    assert_answers: Any,
) -> None:
    """It is fetched once, opened once, and no process is forked."""
    site = serve(dataset.parent)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / CACHE_FOLDER.name).symlink_to(CACHE_FOLDER)
    cluster = new_cluster(WHIMBREL_CACHE_DIR=str(tmp_path / "cache"))
    lacks = "side._at_path = lambda w: side.read_manifest(side.Path('/no/such/dataset'))\n"
    cluster.start_worker(before=NAMES_SERVER + lacks + forks(tmp_path / "forked"), threads=2)
    url = f"{site.url}/{dataset.name}"
    found = answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks, url)
    assert_answers(list(found), ROUTE, chunks)
    assert len(site.requests) == len(set(site.requests)) > 10
    assert not (tmp_path / "forked").exists()


def test_dask_is_not_installed(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, chunks: list[F64]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'whimbrel\[dask\]'"):
        next(answers_on_dask("tcp://127.0.0.1:1", open_dataset(dataset), ROUTE, chunks))


@pytest.mark.slow
def test_a_cold_worker_of_two_threads_compiles_without_forking(
    new_cluster: Any,
    dataset: Path,
    tmp_path: Path,
    chunks: list[F64],
    forks: Callable[[Path], str],
    assert_answers: Any,
) -> None:
    cluster = new_cluster(WHIMBREL_CACHE_DIR=str(tmp_path / "cold"))
    cluster.start_worker(before=forks(tmp_path / "forked"), threads=2)
    assert_answers(
        list(answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, chunks)), ROUTE, chunks
    )
    assert not (tmp_path / "forked").exists()
    assert "Remove worker" not in cluster.log()


@pytest.mark.slow
def test_a_worker_with_a_nanny_is_killed_and_comes_again(
    new_cluster: Any, dataset: Path, chunks: list[F64], assert_answers: Any
) -> None:
    """Killed again and again; each chunk is answered once."""
    cluster = new_cluster(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="100")
    for _ in range(2):
        cluster.start_worker(nanny=True)
    cluster.wait_until(lambda: n_workers(cluster.address) == 2)
    many = chunks * 30
    found: list[Answer] = []
    killed = 0
    for answer in answers_on_dask(cluster.address, open_dataset(dataset), ROUTE, many):
        found.append(answer)
        if len(found) % 60 == 30:
            with distributed.Client(cluster.address, set_as_default=False) as other:
                pids = list(other.run(lambda: __import__("os").getpid()).values())
            os.kill(pids[0], signal.SIGKILL)
            killed += 1
    assert killed == 5
    assert_answers(found, ROUTE, many)
