"""What runs in a worker of the cluster: nothing here starts a process."""

import logging
import pickle
import threading
from pathlib import Path
from typing import NamedTuple

from gis.arrays import F64
from gis.dataset import Dataset, open_dataset, read_manifest
from gis.errors import DatasetError, EngineError
from routing.engine import Engine
from server.batch.answering import answer
from server.batch.task import Answer, Task
from server.batch.versions import VERSION
from server.cluster.errors import ClusterError
from server.cluster.fetch import fetch_dataset, fetched_dataset

_log = logging.getLogger(__name__)

_MOST_ENGINES = 4
"""Datasets that a worker keeps open; the one that was opened first is let go."""


class Where(NamedTuple):
    """The dataset of a batch: its identity, where it may lie, and where it can be had from."""

    data: str
    path: str
    url: str | None


def encode_job(where: Where, task: Task, points: F64) -> bytes:
    """A chunk as it travels. Of Whimbrel's own classes nothing is read before the versions fit."""
    return pickle.dumps((VERSION, tuple(where), pickle.dumps(task), points), protocol=5)


def answer_job(address: str, job: bytes) -> Answer | str:
    """The answer for a chunk, or one line that tells why this worker cannot give it."""
    try:
        version, where, task, points = pickle.loads(job)
        if version != VERSION:
            raise ClusterError(f"runs Whimbrel {VERSION}, but the client {version}")
        return answer(_engines.get(Where(*where)), pickle.loads(task), points)
    except EngineError as error:
        return f"worker {address}: {error}"
    except Exception as error:
        error.add_note(f"worker {address}")
        raise


class _Engines:
    """The engines of this process, each opened by one thread while the others wait for it."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}
        self._open: dict[str, Engine] = {}

    def get(self, where: Where) -> Engine:
        """The engine for a dataset; what failed is tried again by the next that asks."""
        with self._guard:
            lock = self._opening.setdefault(where.data, threading.Lock())
        with lock:
            engine = self._open.get(where.data)
            if engine is None:
                engine = Engine(find_dataset(where))
                with self._guard:
                    self._open[where.data] = engine
                    for oldest in list(self._open)[:-_MOST_ENGINES]:
                        del self._open[oldest]
        return engine


_engines = _Engines()


def find_dataset(where: Where) -> Dataset:
    """Open the dataset where it lies, else as it was fetched before, else fetch it.

    Every checksum is verified. Raises ``DatasetError`` saying what is wrong with the one that
    lies there.
    """
    try:
        return _at_path(where)
    except DatasetError as error:
        fetched = fetched_dataset(where.data)
        if fetched is not None:
            return fetched
        if where.url is None:
            raise DatasetError(f"{error}; and there is no URL to fetch it from") from None
        _log.warning("%s; fetching it", error)
    return fetch_dataset(where.url, where.data)


def _at_path(where: Where) -> Dataset:
    path = Path(where.path)
    found = read_manifest(path).data
    if found == where.data:
        dataset = open_dataset(path)
        found = dataset.manifest.data
    if found != where.data:
        raise DatasetError(f"{path}: is the dataset {found}, but the client's is {where.data}")
    return dataset
