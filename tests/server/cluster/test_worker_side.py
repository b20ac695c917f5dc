"""What a worker does with a chunk, without a cluster."""

import logging
import pickle
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gis.arrays import F64
from gis.dataset import Dataset, read_manifest
from gis.errors import DatasetError
from routing.engine import Engine
from server.batch.task import Answer, Task
from server.batch.versions import VERSION
from server.cluster import worker_side
from server.cluster.worker_side import Where, answer_job, encode_job, find_dataset


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("WHIMBREL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "datasets"


@pytest.fixture
def where(dataset: Path) -> Where:
    return Where(read_manifest(dataset).data, str(dataset), None)


@pytest.mark.compiled
def test_an_answer(where: Where, chunks: list[F64], assert_answers: object) -> None:
    task = Task("route")
    found = [answer_job("here", encode_job(where, task, points)) for points in chunks]
    assert_answers(found, task, chunks)  # type: ignore[operator]


def test_an_error_is_one_line_that_names_the_worker(where: Where) -> None:
    job = encode_job(where, Task("route", profile="boat"), np.zeros((1, 4)))
    found = answer_job("tcp://far:1", job)
    assert isinstance(found, str)
    assert found.startswith("worker tcp://far:1: ") and "boat" in found


def test_what_is_no_error_of_ours_is_raised_with_the_worker(
    where: Where, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> Answer:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(worker_side, "answer", fail)
    with pytest.raises(ZeroDivisionError) as failure:
        answer_job("tcp://far:1", encode_job(where, Task("route"), np.zeros((1, 4))))
    assert pickle.loads(pickle.dumps(failure.value)).__notes__ == ["worker tcp://far:1"]


def test_another_version_is_refused_before_anything_of_it_is_read(where: Where) -> None:
    job = pickle.dumps(("0.0.9 (sources abc, Numba 1)", tuple(where), b"not a pickle", None))
    found = answer_job("tcp://far:1", job)
    assert found == (
        f"worker tcp://far:1: runs Whimbrel {VERSION}, but the client 0.0.9 (sources abc, Numba 1)"
    )


def test_threads_open_a_dataset_once(where: Where, monkeypatch: pytest.MonkeyPatch) -> None:
    engines = worker_side._Engines()
    opened = []

    def find(where: Where) -> Dataset:
        opened.append(where.data)
        time.sleep(0.05)
        if len(opened) == 1:
            raise DatasetError("not yet")
        return find_dataset(where)

    monkeypatch.setattr(worker_side, "find_dataset", find)
    with pytest.raises(DatasetError, match="not yet"):
        engines.get(where)
    together = threading.Barrier(4)

    def get(_: int) -> Engine:
        together.wait()
        return engines.get(where)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(get, range(4)))) == 1
    assert len(opened) == 2


def test_a_few_engines_are_kept(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_side, "find_dataset", lambda where: where.data)
    monkeypatch.setattr(worker_side, "Engine", lambda found: f"engine of {found}")
    engines = worker_side._Engines()
    for number in (0, 1, 2, 3, 0, 4):
        assert engines.get(Where(str(number), "", None)) == f"engine of {number}"
    assert list(engines._open) == ["1", "2", "3", "4"]


def test_it_is_fetched_where_it_lacks(
    where: Where, dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, cache: Path
) -> None:
    lacking = where._replace(path=str(tmp_path / "nowhere"))
    with pytest.raises(DatasetError, match="no such dataset; and there is no URL"):
        find_dataset(lacking)
    with caplog.at_level(logging.WARNING):
        found = find_dataset(lacking._replace(url=f"file://{dataset}"))
    assert found.path == cache / where.data
    assert "no such dataset; fetching it" in caplog.text
    assert find_dataset(lacking).path == found.path  # it needs no URL any more


def test_another_dataset_at_the_path_is_not_taken(where: Where, dataset: Path) -> None:
    other = where._replace(data="data-0123456789abcdef")
    with pytest.raises(DatasetError, match=f"{dataset}: is the dataset {where.data}, but"):
        find_dataset(other)


def test_a_damaged_dataset_at_the_path_is_not_taken(
    where: Where, dataset: Path, tmp_path: Path, cache: Path
) -> None:
    copy = Path(shutil.copytree(dataset, tmp_path / "copy"))
    file = next(copy.glob("data-*/*.npy"))
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    damaged = where._replace(path=str(copy))
    with pytest.raises(DatasetError, match="damaged"):
        find_dataset(damaged)
    assert find_dataset(damaged._replace(url=str(dataset))).path == cache / where.data
