"""Lines are held against distance, ends and the plain search, and nothing wrong gets by."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gis.polyline import encode_polyline
from routing.engine import Engine
from routing.many.lines import Lines
from server.benchmark import check_lines as module
from server.benchmark.check import WrongAnswer
from server.benchmark.check_lines import check_lines, check_polyline, line_of
from server.benchmark.pairs import random_pairs

Spoil = Callable[[Any], None]


class Lying:
    """An engine whose answers of one kind are spoilt."""

    def __init__(self, engine: Engine, kind: str, spoil: Spoil) -> None:
        self._engine, self._kind, self._spoil = engine, kind, spoil

    def route(self, points: Any, algorithm: str = "hierarchy", **options: Any) -> Any:
        found = self._engine.route(points, algorithm=algorithm, **options)
        if self._kind == algorithm:
            self._spoil(found)
        return found

    def routes(self, *arguments: Any, **options: Any) -> Any:
        found = self._engine.routes(*arguments, **options)
        if self._kind == "routes":
            self._spoil(found)
        return found


@pytest.fixture(scope="module")
def engine(dataset: Path) -> Engine:
    return Engine.open(dataset)


@pytest.mark.compiled
def test_right_lines(engine: Engine) -> None:
    """All of a few."""
    said = check_lines(engine, random_pairs(engine, 100, 3))
    assert said.startswith("100 lines of route, routes and the HTTP answer's object: as long as")


def away(found: Any) -> None:
    """A point in the middle is 20 m off."""
    leg = found.legs[0]
    leg.lat = leg.lat.copy()
    leg.lat[len(leg.lat) // 2] += 2e-4


def longer(found: Any) -> None:
    """A distance that is not that of the line."""
    found.distance_m += 30.0


def cut(found: Any) -> None:
    """The line ends one point too early."""
    leg = found.legs[0]
    found.distance_m -= float(leg.annotation.distance_m[-1])
    leg.lon, leg.lat = leg.lon[:-1], leg.lat[:-1]


def slower(found: Any) -> None:
    """Dijkstra's way, and a quicker one."""
    away(found)
    found.duration_s -= 0.01


def off(found: Any) -> None:
    """One unit in one line of many."""
    first, lon, lat = found.lines
    lon = lon.copy()
    lon[-1] += 1
    object.__setattr__(found, "lines", Lines(first, lon, lat))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("kind", "spoil", "message"),
    [
        ("hierarchy", away, r"the line is \d+\.\d\d m long, the distance \d+\.\d\d m"),
        ("hierarchy", longer, r"the line is \d+\.\d\d m long, the distance \d+\.\d\d m"),
        ("hierarchy", cut, "the line has an end at"),
        ("dijkstra", slower, r"the line takes .* that of Dijkstra's search"),
        ("routes", off, "the line of routes is another than that of route"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_wrong_lines(kind: str, spoil: Spoil, message: str, engine: Engine) -> None:
    """Each kind is noticed, and the pair is named."""
    lying: Any = Lying(engine, kind, spoil)
    with pytest.raises(WrongAnswer, match=rf"^from 2\d\.\d{{6}},60\.\d{{6}} to .*: {message}"):
        check_lines(lying, random_pairs(engine, 5, 3))


@pytest.mark.compiled
def test_the_object_of_an_answer(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its geometry is the line."""
    text = encode_polyline(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    answer = {"routes": [{"geometry": text}]}
    monkeypatch.setattr(module, "route_answer", lambda routes, params: answer)
    with pytest.raises(WrongAnswer, match=r"^from .*: the geometry has 2 points, the engine says"):
        check_lines(engine, random_pairs(engine, 5, 3))


@pytest.mark.compiled
def test_ties_are_counted(engine: Engine) -> None:
    """Another way that is as long and as fast is no error."""
    lying: Any = Lying(engine, "dijkstra", away)
    said = check_lines(lying, random_pairs(engine, 5, 3))
    assert said.endswith("Dijkstra's, 5 by another line that is as long and as fast")


@pytest.mark.compiled
def test_polylines(engine: Engine) -> None:
    """Half a digit is allowed; a point more, a digit off, or no text is not."""
    ((a, b, c, d),) = random_pairs(engine, 1, 3).tolist()
    lon, lat = line_of(engine.route([(a, b), (c, d)]))
    check_polyline(encode_polyline(lon, lat), lon, lat)
    other = lat.copy()
    other[-1] += 2e-5
    wrong: list[Any] = [
        encode_polyline(lon[:-1], lat[:-1]),
        encode_polyline(lon, other),
        encode_polyline(lon, lat)[:-1] + "\x7f",
        None,
    ]
    for text in wrong:
        with pytest.raises(WrongAnswer, match=r"geometry"):
            check_polyline(text, lon, lat)
