"""Answers are held against the plain search, and nothing wrong gets by."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from routing.engine import Engine
from server.benchmark.check import (
    WrongAnswer,
    check_routes,
    check_sample,
    check_table,
    compare_durations,
    reference_durations,
)
from server.benchmark.pairs import random_pairs, random_points

OFF = [200.0, 60.0]


class Lying:
    """An engine that is wrong in one kind of answer, by a hundredth of a second."""

    def __init__(self, engine: Engine, kind: str) -> None:
        self._engine, self._kind = engine, kind

    def route(self, points: Any, algorithm: str = "hierarchy") -> Any:
        found = self._engine.route(points, algorithm=algorithm)
        if self._kind == algorithm:
            object.__setattr__(found, "duration_s", found.duration_s + 0.01)
        return found

    def routes(self, *arguments: Any) -> Any:
        found = self._engine.routes(*arguments)
        if self._kind == "routes":
            wrong = found.duration_s.copy()
            wrong[-1] = np.nan
            object.__setattr__(found, "duration_s", wrong)
        return found

    def table(self, *arguments: Any) -> Any:
        found = self._engine.table(*arguments)
        if self._kind == "table":
            wrong = found.duration_cs.copy()
            wrong[-1, 0] += 1
            object.__setattr__(found, "duration_cs", wrong)
        return found


@pytest.fixture(scope="module")
def engine(dataset: Path) -> Engine:
    return Engine.open(dataset)


@pytest.mark.compiled
def test_right_answers(engine: Engine) -> None:
    """Any number of threads."""
    pairs = random_pairs(engine, 100, 3)
    said = "100 pairs: route, routes and table agree with Dijkstra's search"
    assert check_routes(engine, pairs) == check_routes(engine, pairs, 2) == said
    wanted = engine.routes(pairs[:, :2], pairs[:, 2:]).duration_s.tolist()
    assert reference_durations(engine, pairs, 2) == wanted


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("hierarchy", r"route finds \d+\.\d\d s, Dijkstra's search \d+\.\d\d s"),
        ("dijkstra", r"routes finds \d+\.\d\d s, Dijkstra's search \d+\.\d\d s"),
        ("routes", r"routes finds no route, Dijkstra's search \d+\.\d\d s"),
        ("table", r"table finds \d+\.\d\d s, Dijkstra's search \d+\.\d\d s"),
    ],
)
def test_wrong_answers(kind: str, message: str, engine: Engine) -> None:
    """Each kind is noticed; the pair and both answers are named."""
    pairs = random_pairs(engine, 5, 3)
    lying: Any = Lying(engine, kind)
    with pytest.raises(WrongAnswer, match=rf"^from 2\d\.\d{{6}},60\.\d{{6}} to .*: {message}$"):
        check_routes(lying, pairs)


@pytest.mark.compiled
def test_samples_of_many(engine: Engine) -> None:
    """So many rows, by the seed; one that is wrong is found where it is drawn."""
    pairs = random_pairs(engine, 50, 3)
    right = engine.routes(pairs[:, :2], pairs[:, 2:]).duration_s
    said = check_sample(engine, pairs, right, 10, 1, 2)
    assert said == "10 of 50 routes, drawn at random, agree with Dijkstra's search"
    assert check_sample(engine, pairs, right, 100, 1).startswith("50 of 50 routes")
    noticed = 0
    for row in range(50):
        wrong = right.copy()
        wrong[row] += 0.01
        with pytest.raises(WrongAnswer, match=r"^from .*: routes finds .* Dijkstra's search"):
            check_sample(engine, pairs, wrong, 50, 1)
        try:
            check_sample(engine, pairs, wrong, 10, 1)
        except WrongAnswer:
            noticed += 1
    assert noticed == 10


@pytest.mark.compiled
def test_tables(engine: Engine) -> None:
    """Every cell of a small table, some of a large one."""
    points = random_points(engine, 8, 1)
    said = check_table(engine, points, engine.table(points), 1)
    assert said == "64 cells of the 8 x 8 table agree with routes"
    with pytest.raises(WrongAnswer, match=r"table finds \d+\.\d\d s, routes \d+\.\d\d s"):
        check_table(engine, points, Lying(engine, "table").table(points), 1)
    large = random_points(engine, 110, 1)
    said = check_table(engine, large, engine.table(large), 1)
    assert said == "10,000 cells of the 110 x 110 table agree with routes"


def test_how_others_answer() -> None:
    """The median ratio, how many are near it, and what was not found."""
    ours = np.array([100.0, 100.0, 100.0, 100.0, np.nan, 0.0])
    theirs = np.array([110.0, 110.0, 200.0, np.nan, 5.0, 5.0])
    assert compare_durations("OSRM", ours, theirs) == (
        "OSRM's durations are 1.10 times ours in the median, 67% within 15% of that; it found no"
        " route for 1 of 6 pairs"
    )
    assert compare_durations("OSRM", ours, ours).endswith("100% within 15% of that")
    lost = np.full(6, np.nan)
    assert compare_durations("OSRM", ours, lost) == "OSRM found no route for any of 6 pairs"
