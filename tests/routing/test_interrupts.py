"""Interrupts: whenever one comes, later answers are what they would have been."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import routing.cch.query
import routing.cch.table
import routing.many.pairs
import routing.search.bounded
from routing.build import build_dataset
from routing.engine import Engine
from routing.pool import Pool

A, B, C = (24.935, 60.166), (24.95, 60.172), (24.94, 60.17)


@pytest.fixture(scope="module")
def city(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    dataset = tmp_path_factory.mktemp("interrupted") / "city.whimbrel"
    build_dataset(sample, dataset)
    return Engine.open(dataset)


def test_pool_drops_what_was_not_given_back() -> None:
    """Scratch is used again, unless the work did not come to its end."""
    made: Iterator[int] = iter(range(10))
    pool = Pool(lambda: next(made))
    assert pool.use(lambda scratch: scratch) == 0 == pool.use(lambda scratch: scratch)

    def fail(scratch: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.use(fail)
    first, second = pool.take(), pool.take()
    assert (first, second) == (1, 2)
    pool.give_back(second)
    assert pool.take() == 2


def areas(engine: Engine) -> Any:
    return [line.tolist() for line in engine.isochrone(*A, durations_s=[20], lines=True).shapes[0]]


def over_three(engine: Engine) -> Any:
    route = engine.route([A, C, B])
    return route.duration_s, route.distance_m, route.legs[0].lon.tolist()


def table(engine: Engine) -> Any:
    return engine.table([A, B, C], distances=True).duration_s.tolist()


def alternatives(engine: Engine) -> Any:
    return [(route.duration_s, route.distance_m) for route in engine.alternatives([A, B], 2)]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("module", "kernel", "question"),
    [
        (routing.search.bounded, "_search", areas),
        (routing.cch.query, "search", over_three),
        (routing.cch.query, "trace", over_three),
        (routing.cch.query, "search", alternatives),
        (routing.cch.table, "collect", table),
        (routing.cch.table, "fill_selection", table),
        (routing.cch.table, "sweep_bundles", table),
    ],
)
def test_interrupt_after_a_kernel(
    city: Engine,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    kernel: str,
    question: Callable[[Engine], Any],
) -> None:
    """Python handles a signal as a kernel returns, when scratch holds what the kernel left."""
    expected = question(city)
    run = getattr(module, kernel)
    hit: list[str] = []

    def interrupted(*arguments: Any) -> Any:
        run(*arguments)
        hit.append(kernel)
        raise KeyboardInterrupt

    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(module, kernel, interrupted)
            with pytest.raises(KeyboardInterrupt):
                question(city)
        assert question(city) == expected
    assert hit and np.isfinite(city.table([A, B]).duration_s).all()
