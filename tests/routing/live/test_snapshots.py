"""Engines as they were at a moment, whatever is published afterwards."""

import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from engines import engine_of
from world import PLAIN, World

from gis.arrays import INF
from gis.geodesy import UNITS_PER_DEGREE
from gis.profiles.car import PROFILE as CAR
from routing.build import build_dataset
from routing.changes.reweight import MANY
from routing.changes.wishes import Wishes
from routing.engine import Engine
from routing.errors import InvalidInput, NoRoute
from routing.live.publishing import LiveWriter
from routing.many.batch import TravelTable

TOWN = """
    a---b---c
    |   |   |
    d---e---f
    |   |   |
    g---h---i
    """
STREETS = tuple(
    a + b for row in ("abc", "def", "ghi", "adg", "beh", "cfi") for a, b in pairwise(row)
)
LETTERS = "abcdefghi"

NIGHT, NOON = "2026-11-30T23:30", "2026-11-30T12:00"


def town(**tags: str) -> World:
    """The streets of the town, some of them with other tags."""
    return World(TOWN, "\n".join(f"{s} {tags.get(s, 'highway=x')}" for s in STREETS))


PLACES = [town().position(letter) for letter in LETTERS]


def times(engine: Engine) -> list[float]:
    return engine.table(PLACES).duration_s.ravel().tolist()


def way(letters: str) -> int:
    return town().way_id(letters)


@pytest.fixture(scope="module")
def city(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    dataset = tmp_path_factory.mktemp("city") / "city.whimbrel"
    build_dataset(sample, dataset)
    return Engine.open(dataset)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """The town, following a folder of its own."""
    found = engine_of(town())
    found.follow(tmp_path / "live")
    return found


@pytest.fixture
def writer(engine: Engine, tmp_path: Path) -> LiveWriter:
    return engine.live_writer(tmp_path / "live")


def test_what_was_published_before(engine: Engine, writer: LiveWriter) -> None:
    """A snapshot answers as the engine did when it was taken, and knows its number."""
    worlds = [town(), town(ab="highway=x kmh=9"), town(de="highway=closed"), town()]
    wishes = [Wishes(), Wishes(way_speeds={way("ab"): 9}), Wishes(way_speeds={way("de"): 0})]
    views = [engine.snapshot()]
    for each in (*wishes[1:], Wishes()):
        writer.publish(engine.wished(each).changes)
        views.append(engine.snapshot())
    assert [view.live_sequence() for view in views] == [0, 1, 2, 3]
    for view, world in zip(views, worlds, strict=True):
        assert times(view) == pytest.approx(times(engine_of(world)), abs=0.05)
        assert view.snapshot() is view
    assert engine.snapshot() is views[-1], "the same while there is nothing new"
    assert engine.live_sequence() == engine.announced() == 3


def test_who_follows_nobody() -> None:
    """Such an engine is its own snapshot."""
    engine = engine_of(town())
    assert engine.snapshot() is engine and engine.live_sequence() == engine.announced() == 0
    with pytest.raises(InvalidInput, match="no profile 'ship'"):
        engine.snapshot("ship")


def test_a_snapshot_follows_nobody(engine: Engine, tmp_path: Path) -> None:
    """It would not be one."""
    with pytest.raises(InvalidInput):
        engine.snapshot().follow(tmp_path / "live")


@pytest.mark.parametrize("n_routes", [1, MANY])
def test_wishes_beside_what_is_in_force(engine: Engine, writer: LiveWriter, n_routes: int) -> None:
    """Weights of one's own come on top of live ones, and leave them alone."""
    writer.publish(engine.wished(Wishes(way_speeds={way("ab"): 9, way("ef"): 20})).changes)
    view = engine.snapshot().with_weights(
        way_speeds={way("de"): 0, way("ef"): 12}, n_routes=n_routes
    )
    both = town(ab="highway=x kmh=9", ef="highway=x kmh=12", de="highway=closed")
    writer.clear()
    assert times(view) == pytest.approx(times(engine_of(both)), abs=0.05)
    assert times(engine) == pytest.approx(times(engine_of(town())), abs=0.05)


def test_wishes_for_another_vehicle(tmp_path: Path) -> None:
    """Weights of one's own for a vehicle are nobody else's, and other vehicles' are live."""
    slow = replace(PLAIN, name="slow")
    engine = engine_of(town(), PLAIN, slow)
    for name in engine.profiles:
        engine.follow(tmp_path / name, profile=name)
    writer = engine.live_writer(tmp_path / "slow", profile="slow")
    view = engine.with_weights(profile="plain", way_speeds={way("ab"): 9})
    base, changed = times(engine), times(view)
    assert base != changed
    for number, kmh in ((1, 9), (2, 0)):
        wished = engine.wished(Wishes(way_speeds={way("de"): kmh}), "slow")
        assert writer.publish(wished.changes) == number
        found = view.table(PLACES, profile="slow").duration_s
        assert np.array_equal(found, engine.table(PLACES, profile="slow").duration_s)
        assert (found.ravel() != base).any()
        assert times(engine.snapshot("slow")) == times(engine) == base
        assert times(view) == changed


def test_directions_of_a_way(engine: Engine) -> None:
    """A way may be closed in one direction."""
    for along, oneway in ((1, "-1"), (-1, "yes")):
        view = engine.with_weights(way_speeds={(way("de"), along): 0}, n_routes=MANY)
        expected = engine_of(town(de=f"highway=x oneway={oneway}"))
        assert times(view) == pytest.approx(times(expected), abs=0.05)
    mixed = engine.with_weights(way_speeds={way("ab"): 9, (way("de"), 1): 0}, n_routes=MANY)
    expected = engine_of(town(ab="highway=x kmh=9", de="highway=x oneway=-1"))
    assert times(mixed) == pytest.approx(times(expected), abs=0.05)
    with pytest.raises(InvalidInput):
        engine.with_weights(way_speeds={(way("de"), 2): 0})
    with pytest.raises(InvalidInput):
        engine.with_weights(way_speeds={(way("de"), 1, 1): 0})  # type: ignore[dict-item]


def test_a_trip_is_by_one_version(
    engine: Engine, writer: LiveWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is published while the order is looked for is for the next one."""
    before = engine.trip(PLACES[:5]).route.duration_s
    slow = engine.wished(Wishes(way_speeds={way(street): 1 for street in STREETS})).changes
    table = Engine.table

    def then_publish(self: Engine, *args: Any, **options: Any) -> TravelTable:
        found = table(self, *args, **options)
        writer.publish(slow)
        return found

    monkeypatch.setattr(Engine, "table", then_publish)
    assert engine.trip(PLACES[:5]).route.duration_s == before
    assert engine.trip(PLACES[:5]).route.duration_s > 2 * before


def test_threads_see_whole_versions(engine: Engine, writer: LiveWriter) -> None:
    """What a snapshot answers is always that of the version it names."""
    closed = engine.wished(Wishes(way_speeds={way("de"): 0, way("ab"): 0})).changes
    expected = [
        times(engine_of(town())),
        times(engine_of(town(de="highway=closed", ab="highway=closed"))),
    ]
    ended, wrong = threading.Event(), []

    def ask() -> None:
        while not ended.is_set():
            view = engine.snapshot()
            if times(view) != expected[view.live_sequence() % 2]:
                wrong.append(view.live_sequence())

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        writer.publish(closed)
        writer.clear()
    ended.set()
    for thread in threads:
        thread.join()
    assert not wrong


# --- roads that are open at times only

BLOCK = """
    a---b---c---d
        |   |
        e---f
    """
DETOUR = "be highway=residential\nef highway=residential\nfc highway=residential"
ENDS = "ab highway=primary\ncd highway=primary"
AT_NIGHT = "motor_vehicle=no motor_vehicle:conditional='yes @ (22:00-06:00)'"


def block(bc: str, more: str = "") -> tuple[World, Engine]:
    world = World(BLOCK, f"{ENDS}\nbc highway=primary {bc}\n{DETOUR}{more}")
    return world, engine_of(world, replace(CAR, turn=lambda *_: 0.0))


def lasts(world: World, engine: Engine, at: str | None) -> float:
    try:
        return engine.route([world.position(x) for x in "ad"], depart_at=at).duration_s
    except NoRoute:
        return -1.0


@pytest.mark.parametrize("by_pieces", [False, True])
@pytest.mark.parametrize("at", [None, NOON, NIGHT])
@pytest.mark.parametrize("kmh", [0.0, 7.0, 100.0])
def test_speeds_hold_at_all_times(
    tmp_path: Path, kmh: float, at: str | None, by_pieces: bool
) -> None:
    """A live speed of a road that is closed now counts at the time when it is open."""
    world, engine = block(AT_NIGHT)
    wishes = Wishes(way_speeds={world.way_id("bc"): kmh})
    if by_pieces:
        wishes = Wishes({(ord("b"), ord("c")): kmh, (ord("c"), ord("b")): kmh})
    engine.follow(tmp_path)
    with engine.live_writer(tmp_path) as writer:
        writer.publish(engine.wished(wishes).changes)
    assert engine.live_sequence() == 1
    own = block(AT_NIGHT)[1].with_weights(way_speeds={world.way_id("bc"): kmh})
    found = lasts(world, engine, at)
    assert found == pytest.approx(lasts(world, own, at), abs=0.05)
    around = lasts(*block("access=no"), at)
    if at != NIGHT or kmh == 0:
        assert found == pytest.approx(around, abs=0.05)
    elif kmh == 100:
        assert found < around - 1


def test_live_speeds_at_a_time_and_own_wishes(tmp_path: Path) -> None:
    """Live speeds, the time and what one request wants are all heeded."""
    world, engine = block(AT_NIGHT)
    engine.follow(tmp_path)
    with engine.live_writer(tmp_path) as writer:
        writer.publish(engine.wished(Wishes(way_speeds={world.way_id("ab"): 5})).changes)
    view = engine.snapshot().with_weights(way_speeds={world.way_id("bc"): 6})
    drawn = block(AT_NIGHT)[1].with_weights(
        way_speeds={world.way_id("ab"): 5, world.way_id("bc"): 6}
    )
    for at in (None, NOON, NIGHT):
        assert lasts(world, view, at) == pytest.approx(lasts(world, drawn, at), abs=0.05)
    assert lasts(world, view, NIGHT) > lasts(world, engine, NIGHT) + 1


def test_pieces_of_a_closed_road() -> None:
    """If a part of it has a speed it is not known how long the rest takes, unless it is closed."""
    world = World("a---b---c---d", f"ab highway=primary\nbcd highway=primary {AT_NIGHT}")
    engine = engine_of(world, replace(CAR, turn=lambda *_: 0.0))
    b, c, d = map(ord, "bcd")
    assert len(engine.wished(Wishes({(b, c): 30})).changes) == 0
    whole = engine.wished(Wishes({(b, c): 30, (c, d): 15})).changes
    assert whole.duration_cs == pytest.approx(100 * (48 + 96), abs=50)
    closed = engine.wished(Wishes({(b, c): 0})).changes
    assert closed.duration_cs == [INF] and closed.arcs == whole.arcs
    assert len(engine.changes(speeds={(b, c): 0})) == 0, "for now nothing changes"


# --- which pieces are live


def test_pieces_with_live_speeds(engine: Engine, writer: LiveWriter) -> None:
    """An annotation tells which pieces are of roads with live speeds."""
    corner = [PLACES[LETTERS.index(letter)] for letter in "agi"]
    (before,) = engine.route(corner[:2]).legs
    assert before.annotation.is_live is None
    speeds = {(ord("a"), ord("d")): 30.0, (ord("h"), ord("i")): 20.0, (ord("d"), ord("a")): 1.0}
    writer.publish(engine.wished(Wishes(speeds)).changes)
    for options in ({}, {"waypoints": [0, 2]}):
        route = engine.snapshot().route(corner, **options)  # type: ignore[arg-type]
        nodes, live = [], []
        for leg in route.legs:
            found = leg.annotation
            assert found.is_live is not None and len(found.is_live) == len(found.distance_m)
            nodes += list(pairwise(found.nodes.tolist()))
            live += found.is_live.tolist()
        assert live == [pair in speeds for pair in nodes]
        assert sum(live) == 2
    view = engine.with_weights(way_speeds={way("gh"): 3})
    assert [leg.annotation.is_live.sum() for leg in view.route(corner).legs] == [1, 1]  # type: ignore[union-attr]


# --- areas on a real map


@pytest.mark.compiled
def test_areas_on_a_real_map(city: Engine) -> None:
    """Random areas close just the roads that meet them, for routes, tables and Dijkstra alike."""
    rng = np.random.default_rng(5)
    network = city._network
    west, south, east, north = city.bounds
    points = np.column_stack([network.point_lon, network.point_lat]) / UNITS_PER_DEGREE
    edge = np.repeat(np.arange(network.n_edges), np.diff(network.first_point.astype(np.int64)))
    roads = shapely.linestrings(points, indices=edge)
    size = np.array([east - west, north - south])
    for _ in range(4):
        areas = [
            shapely.Point(rng.uniform((west, south), (east, north))).buffer(size.min() * 0.08, 3)
            for _ in range(3)
        ]
        view = city.with_weights(avoid=areas, n_routes=MANY)
        meets = shapely.intersects(roads, shapely.union_all(areas))
        base = city._vehicles["car"].weighting.metric.weight
        weight = view._vehicle("car")[1].metric.weight
        assert np.array_equal(weight == INF, np.repeat(meets, 2) | (base == INF))
        places = rng.uniform((west, south), (east, north), (6, 2))
        table = view.table(places).duration_s
        for i, j in ((0, 1), (2, 3), (4, 5)):
            ends = [tuple(places[i]), tuple(places[j])]
            try:
                best = view.route(ends, algorithm="dijkstra")
            except NoRoute:
                assert np.isnan(table[i, j])
                continue
            assert view.route(ends).weight == best.weight
            line = np.column_stack([best.legs[0].lon, best.legs[0].lat])
            inside = shapely.intersection(shapely.LineString(line), shapely.union_all(areas))
            assert shapely.length(inside) < 1e-5
