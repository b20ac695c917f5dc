"""Answers by processes of this machine that share one mapped dataset."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from gis.arrays import F64
from gis.workers import run_tasks
from routing.engine import Engine
from server.batch.answering import answer
from server.batch.task import Answer, Task


class _Answering:
    """A task and the engine for it: opened before workers are forked, or where it is used."""

    def __init__(self, dataset: Path, task: Task) -> None:
        self._dataset = dataset
        self._task = task
        self._engine: Engine | None = Engine.open(dataset)

    def __getstate__(self) -> dict[str, object]:
        return {"_dataset": self._dataset, "_task": self._task, "_engine": None}

    def __call__(self, points: F64) -> Answer:
        if self._engine is None:
            self._engine = Engine.open(self._dataset, verify=False)
        return answer(self._engine, self._task, points)


def answers_here(
    dataset: Path, task: Task, points: Iterable[F64], workers: int
) -> Iterator[Answer]:
    """The answers for chunks of points, in order; the chunks are drawn a few ahead.

    Arrays in an answer are to be used before the next is asked for.
    """
    chunks = ((chunk,) for chunk in points)
    return run_tasks(_answer, _Answering(dataset, task), chunks, workers)


def _answer(answering: _Answering, points: F64) -> Answer:
    return answering(points)
