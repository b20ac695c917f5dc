"""Answers by processes of this machine that share one mapped dataset."""

from collections.abc import Generator, Iterable
from pathlib import Path

from gis.arrays import F64
from gis.dataset import Dataset, open_dataset
from gis.errors import DatasetError
from gis.workers import run_tasks
from routing.engine import Engine
from server.batch.answering import answer
from server.batch.task import Answer, Task


def answers_here(
    dataset: Dataset, task: Task, points: Iterable[F64], workers: int
) -> Generator[Answer, None, None]:
    """The answers for chunks of points, in order; the chunks are drawn a few ahead.

    Arrays in an answer are to be used before the next is asked for.
    """
    chunks = ((chunk,) for chunk in points)
    yield from run_tasks(_answer, _Answering(dataset, task), chunks, workers)


class _Answering:
    """A task and the engine for it: made before workers are forked, or where it is used."""

    def __init__(self, dataset: Dataset, task: Task) -> None:
        self._path = dataset.path
        self._data = dataset.manifest.data
        self._task = task
        self._engine: Engine | None = Engine(dataset)

    def __getstate__(self) -> dict[str, object]:
        """What goes to a process that was not forked."""
        return self.__dict__ | {"_engine": None}

    def answer(self, points: F64) -> Answer:
        """The answers for a chunk."""
        if self._engine is None:
            self._engine = Engine(_open_same(self._path, self._data))
        return answer(self._engine, self._task, points)


def _answer(answering: _Answering, points: F64) -> Answer:
    return answering.answer(points)


def _open_same(path: Path, data: str) -> Dataset:
    """A dataset that must not have been replaced meanwhile."""
    dataset = open_dataset(path, verify=False)
    if dataset.manifest.data != data:
        raise DatasetError(f"{path}: was replaced while it was used")
    return dataset
