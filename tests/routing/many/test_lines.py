"""Lines of many routes: room that is too small, blocks in any order, threads, a real map."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from towns import SPOTS, ask, check_routes, spot, town

from gis.arrays import I64, freeze
from routing.build import build_dataset
from routing.engine import Engine
from routing.errors import InvalidInput
from routing.many import services
from routing.many.batch import RouteStatus
from routing.many.lines import (
    Answers,
    LineCollector,
    Traced,
    new_costs,
    no_room,
    trace_pairs,
)


def fake_find(lengths: I64) -> Callable[[Any, Answers], int]:
    """As `find_pairs`: the line of a pair has the points (pair, 0), (pair, 1)..."""

    def find(pairs: Any, answers: Answers) -> int:
        end = 0
        for i, (pair, _) in enumerate(pairs.tolist()):
            n = int(lengths[pair])
            if end + n > len(answers.lon):
                answers.lon[end:] = -1
                return i
            answers.lon[end : end + n], answers.lat[end : end + n] = pair, range(n)
            answers.cost[i], answers.third[i], answers.n_points[i] = pair, pair, n
            end += n
        return len(pairs)

    return find


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 7), st.randoms())
def test_blocks(lengths: list[int], n_per_block: int, random: Any) -> None:
    """Lines are those of their rows, whatever the blocks, their orders, and the room."""
    n = len(lengths)
    collector, room = LineCollector(n), no_room().larger(2)
    for start in range(0, n, n_per_block):
        order = np.arange(min(n_per_block, n - start))
        random.shuffle(order)
        pairs = np.stack([start + order, start + order], axis=1)
        costs, n_points = new_costs(len(order)), np.zeros(len(order), np.uint32)
        find = fake_find(np.array(lengths))
        room = trace_pairs(find, pairs, costs, n_points, room)
        assert costs.cost.tolist() == costs.third.tolist() == pairs[:, 0].tolist()
        block = Traced(room.lon, room.lat)
        collector.append(freeze(order), freeze(n_points), block)
    lines = collector.finish()
    assert lines.first.tolist() == np.cumsum([0, *lengths]).tolist()
    assert lines.lon.tolist() == [row for row in range(n) for _ in range(lengths[row])]
    assert lines.lat.tolist() == [k for row in range(n) for k in range(lengths[row])]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few pairs for each call, and hardly any room."""
    monkeypatch.setattr(services, "_LEAST_PAIRS", 1)
    monkeypatch.setattr(services, "_MOST_PAIRS", 5)
    monkeypatch.setattr(services, "_ROOM", 3)


@pytest.mark.parametrize("threads", [1, 3])
@given(st.integers(0, 7), st.lists(st.tuples(SPOTS, SPOTS), max_size=23))
def test_rows_keep_their_order(
    small_blocks: None, threads: int, seed: int, places: list[Any]
) -> None:
    """In blocks, by threads, with room for less than one line: every row has its own line."""
    world, engine = town(seed)
    pairs = [(spot(world, a), spot(world, b)) for a, b in places]
    starts, ends = np.reshape(pairs, (-1, 2, 2)).swapaxes(0, 1)
    routes = engine.routes(starts, ends, threads=threads, geometry=True)
    found = [ask(engine, pair) for pair in pairs]
    check_routes(routes, found)
    assert [None if isinstance(r, str) else r.duration_s for r in found] == [
        None if np.isnan(duration) else duration for duration in routes.duration_s.tolist()
    ]


def test_rows_without_routes(small_blocks: None) -> None:
    """A line is empty where a point is bad or no way leads."""
    world, engine = town(0)
    a, b = world.position("f"), world.position("k")
    island, far = world.position("s"), (a[0] - 1, a[1])
    ends = [b, far, (200.0, 0.0), a, (np.nan, 0.0), b]
    routes = engine.routes([a, a, a, a, a, island], ends, radius_m=50, geometry=True)
    statuses = [RouteStatus(status).name for status in routes.status.tolist()]
    assert statuses == ["OK", "NO_SEGMENT", "INVALID", "OK", "INVALID", "NO_ROUTE"]
    assert routes.lines is not None
    n_points = np.diff(routes.lines.first)
    assert n_points.tolist()[1:] == [0, 0, 2, 0, 0] and n_points[0] > 2
    nothing = engine.routes([], [], geometry=True)
    assert nothing.lines is not None and nothing.lines.first.tolist() == [0]
    with pytest.raises(InvalidInput, match="geometry=True"):
        engine.routes([a], [b]).to_geopandas()


@pytest.mark.compiled
@pytest.mark.parametrize("snapping", ["default", "any"])
def test_lines_on_a_real_map(sample: Path, tmp_path: Path, snapping: str) -> None:
    """The central streets of a city, a thousand pairs."""
    check_map(sample, tmp_path, 1000, snapping)


@pytest.mark.compiled
def test_lines_in_porto(porto: Path, tmp_path: Path) -> None:
    """A whole city with its surroundings, islands and all."""
    check_map(porto, tmp_path, 2000, "default")


def check_map(extract: Path, folder: Path, n: int, snapping: str) -> None:
    build_dataset(extract, folder / "map.whimbrel")
    engine = Engine.open(folder / "map.whimbrel")
    west, south, east, north = engine.bounds
    rng = np.random.default_rng(7)
    starts, ends = rng.random((2, n, 2)) * (east - west, north - south) + (west, south)
    routes = engine.routes(starts, ends, threads=2, geometry=True, snapping=snapping)
    points = zip(starts.tolist(), ends.tolist(), strict=True)
    check_routes(routes, [ask(engine, pair, snapping=snapping) for pair in points])
