"""Engines with weights of their own, and engines that follow live weights."""

from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
import shapely
from engines import engine_of
from towns import between
from world import PLAIN, World, spell

from routing.changes.reweight import MANY
from routing.changes.road_changes import make_changes
from routing.engine import Engine
from routing.errors import InvalidInput, NoSegment
from routing.many.batch import RouteStatus

SQUARE = World(
    """
    a---b---c
    |   |   |
    d---e---f
    |   |   |
    g---h---i
    """,
    "\n".join(
        f"{a}{b} highway=x"
        for row in ("abc", "def", "ghi", "adg", "beh", "cfi")
        for a, b in pairwise(row)
    ),
)
CORNERS = [SQUARE.position(letter) for letter in "aceghi"]
HOWS = {"astar": 1, "customization": MANY}


def square_with(changes: dict[str, str]) -> Engine:
    """The square as it would be drawn with some other ways."""
    lines = [f"{way.letters} {changes.get(way.letters, 'highway=x')}" for way in SQUARE.ways]
    drawing = "a---b---c\n|   |   |\nd---e---f\n|   |   |\ng---h---i"
    return engine_of(World(drawing, "\n".join(lines)))


def durations(engine: Engine, algorithm: str) -> list[float]:
    return [engine.route([a, b], algorithm=algorithm).duration_s for a in CORNERS for b in CORNERS]


def check_view(view: Engine, expected: Engine, how: str) -> None:
    """A view answers everything as an engine over the drawn changes does."""
    assert view.method() == how
    wanted = durations(expected, "dijkstra")
    for algorithm in ("hierarchy", "dijkstra", "astar"):
        assert durations(view, algorithm) == pytest.approx(wanted, abs=0.05), algorithm
    table = view.table(CORNERS, distances=True)
    assert table.duration_s.ravel() == pytest.approx(np.array(wanted), abs=0.05)
    starts, ends = (np.array(side) for side in zip(*product(CORNERS, CORNERS), strict=True))
    assert view.routes(starts, ends).duration_s == pytest.approx(np.array(wanted), abs=0.05)
    for a, b in product(CORNERS, CORNERS):
        found = view.alternatives([a, b], 2)
        best = expected.alternatives([a, b], 0)[0]
        assert found[0].duration_s == pytest.approx(best.duration_s, abs=0.05)


@pytest.mark.parametrize("how", HOWS)
def test_weights_by_way(how: str) -> None:
    """A way of another speed, or closed, is as if it were drawn so."""
    engine = engine_of(SQUARE)
    before = durations(engine, "hierarchy")
    view = engine.with_weights(
        way_speeds={SQUARE.way_id("de"): 9, SQUARE.way_id("bc"): 0}, n_routes=HOWS[how]
    )
    check_view(view, square_with({"de": "highway=x kmh=9", "bc": "highway=closed"}), how)
    assert engine.method() == "hierarchy" and durations(engine, "hierarchy") == before


@pytest.mark.parametrize("how", HOWS)
def test_weights_by_nodes(how: str) -> None:
    """Two nodes name a piece in one direction; closing that makes a one-way street."""
    engine = engine_of(SQUARE)
    speeds = {(ord("d"), ord("e")): 0.0, (ord("f"), ord("e")): 18.0, (ord("e"), ord("f")): 18.0}
    view = engine.with_weights(speeds=speeds, n_routes=HOWS[how])
    changed = {"de": "highway=x oneway=-1", "ef": "highway=x kmh=18"}
    check_view(view, square_with(changed), how)


@pytest.mark.parametrize("how", HOWS)
def test_areas_to_avoid(how: str) -> None:
    """No road that meets an area is used, and no point stands for one."""
    engine = engine_of(SQUARE)
    x, y = between(SQUARE, "be")
    ring = [(x - 1e-4, y - 1e-4), (x + 1e-4, y - 1e-4), (x + 1e-4, y + 1e-4), (x - 1e-4, y + 1e-4)]
    for area in ([ring], shapely.Polygon(ring)):
        view = engine.with_weights(avoid=[area], n_routes=HOWS[how])
        check_view(view, square_with({"be": "highway=closed"}), how)
        (snapped,) = view.nearest(x, y)
        assert spell(snapped.nodes) not in ("be", "eb") and snapped.distance_m > 50
        assert spell(engine.nearest(x, y)[0].nodes) == "be"
        for waypoint in (
            view.route([(x, y), CORNERS[0]]).waypoints[0],
            view.table([(x, y)], CORNERS).sources[0],
            view.isochrone(x, y, durations_s=[10]).waypoint,
        ):
            assert waypoint.distance_m > 50
        with pytest.raises(NoSegment):
            view.route([(x, y), CORNERS[0]], radiuses=[20, None])
        with pytest.raises(NoSegment):
            view.table([(x, y)], radiuses=[20])
        status = view.routes([(x, y)], [CORNERS[0]], radius_m=20).status
        assert status.tolist() == [RouteStatus.NO_SEGMENT]
        assert view.method() == "customization", "which the table needed"


@pytest.mark.parametrize("how", HOWS)
def test_areas_under_other_weights(how: str) -> None:
    """Isochrones by time know the weights; by distance the closed roads, and no speeds."""
    view = engine_of(SQUARE).with_weights(
        way_speeds={SQUARE.way_id("be"): 0, SQUARE.way_id("ab"): 9}, n_routes=HOWS[how]
    )
    drawn = square_with({"be": "highway=closed", "ab": "highway=x kmh=9"})
    origin = SQUARE.position("b")
    for limits in ({"durations_s": [70.0]}, {"distances_m": [700.0]}):
        lengths = []
        for engine in (view, drawn):
            for reverse in (False, True):
                (lines,) = engine.isochrone(*origin, lines=True, reverse=reverse, **limits).shapes
                roads = [shapely.linestrings(line * (55_660, 111_400)) for line in lines]
                lengths.append(shapely.length(shapely.union_all(roads)))
        assert lengths == pytest.approx([lengths[0]] * 4, abs=1)
        assert lengths[0] > 500


def test_faster_roads_need_the_hierarchy() -> None:
    """What is faster than the landmarks know is never left to A*."""
    engine = engine_of(SQUARE)
    view = engine.with_weights(way_speeds={SQUARE.way_id("ef"): 150.0})
    assert view.method() == "customization"
    check_view(view, square_with({"ef": "highway=x kmh=150"}), "customization")


def test_views_of_views() -> None:
    """What is wished of a view comes on top of it."""
    engine = engine_of(SQUARE)
    for one, two in product(HOWS.values(), HOWS.values()):
        first = engine.with_weights(way_speeds={SQUARE.way_id("de"): 9}, n_routes=one)
        before = durations(first, "dijkstra")
        second = first.with_weights(way_speeds={SQUARE.way_id("bc"): 0}, n_routes=two)
        drawn = square_with({"de": "highway=x kmh=9", "bc": "highway=closed"})
        assert durations(second, "hierarchy") == pytest.approx(durations(drawn, "dijkstra"))
        assert durations(first, "dijkstra") == before
    assert engine.with_weights().method() == "customization", "nothing to do"


def test_senseless_wishes() -> None:
    """What makes no sense is InvalidInput, and the engine is as before."""
    engine = engine_of(SQUARE)
    for options in (
        {"way_speeds": {1001: -1.0}},
        {"way_speeds": {1001: float("nan")}},
        {"speeds": {(97, 98): float("inf")}},
        {"avoid": [[[(0, 0), (1, 1)]]]},
        {"avoid": [[[(0, 0), (200, 1), (5, 5)]]]},
        {"avoid": ["all"]},
        {"profile": "boat"},
    ):
        with pytest.raises(InvalidInput):
            engine.with_weights(**options)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no profile 'boat'"):
        engine.method("boat")
    assert engine.method() == "hierarchy"


# Live weights


def test_following_live_weights(tmp_path: Path) -> None:
    """What is published counts for the next request, and never for a route already found."""
    engine = engine_of(SQUARE)
    alone = engine_of(SQUARE)
    vehicle = engine._vehicles["plain"]
    metric = vehicle.weighting.metric
    a, b = SQUARE.position("d"), between(SQUARE, "ef", 0.7)
    every_arc = np.arange(len(metric.weight))
    with engine.live_writer(tmp_path) as writer:
        engine.follow(tmp_path)
        assert engine.route([a, b]).duration_s == alone.route([a, b]).duration_s
        waiting = engine.route([a, b])
        table = engine.table([a], [b])
        writer.publish(make_changes(every_arc, metric.weight * 3))
        slow = engine.route([a, b])
        assert slow.duration_s == pytest.approx(3 * alone.route([a, b]).duration_s, abs=0.05)
        assert engine.table([a], [b]).duration_s[0, 0] == slow.duration_s
        assert engine.routes([a], [b]).duration_s[0] == slow.duration_s
        assert engine.alternatives([a, b])[0].duration_s == slow.duration_s
        assert engine.method() == "hierarchy"
        writer.publish(engine.changes(speeds={(ord("d"), ord("e")): 0, (ord("e"), ord("d")): 0}))
        closed = engine.route([a, b])
        assert closed.duration_s == pytest.approx(8 * 10 + 0.7 * 40, abs=0.1), "the other way"
        place = between(SQUARE, "de")
        assert engine.nearest(*place)[0].distance_m > 50, "nobody stands on a closed road"
        for route, factor in ((waiting, 1), (slow, 3)):
            assert route.legs[0].duration_s == route.duration_s
            parts = route.legs[0].annotation.duration_s.sum()
            assert parts == pytest.approx(route.duration_s, abs=0.01)
            assert spell(route.legs[0].annotation.nodes) == "def", factor
        assert table.sources[0].distance_m < 1
        view = engine.with_weights(way_speeds={SQUARE.way_id("ad"): 9})
        with pytest.raises(InvalidInput, match="weights of its own"):
            view.follow(tmp_path)
        writer.clear()
        assert engine.route([a, b]).duration_s == alone.route([a, b]).duration_s
        assert view.route([a, b]).duration_s > closed.duration_s - 0.1, "a view stays as it was"


def test_live_weights_of_another_profile(tmp_path: Path) -> None:
    """Each vehicle has its own; what is published for one does not concern the other."""
    engine = engine_of(SQUARE, PLAIN, replace(PLAIN, name="other"))
    points = [SQUARE.position("d"), SQUARE.position("f")]
    before = engine.route(points).duration_s
    engine.follow(tmp_path, profile="other")
    way = SQUARE.way_id("de")
    with engine.live_writer(tmp_path, profile="other") as writer:
        writer.publish(engine.changes(profile="other", way_speeds={way: 9.0}))
    assert engine.route(points).duration_s == before
    assert engine.route(points, profile="other").duration_s == pytest.approx(120, abs=0.1)
    with engine.live_writer(tmp_path, profile="other") as writer:
        with pytest.raises(InvalidInput, match="of another dataset or profile"):
            writer.publish(engine.changes(way_speeds={way: 9.0}))
        assert writer.sequence == 1
    with pytest.raises(InvalidInput, match="no profile 'boat'"):
        engine.follow(tmp_path, profile="boat")
    with pytest.raises(InvalidInput, match="no profile 'boat'"):
        engine.live_writer(tmp_path, profile="boat")
    with pytest.raises(InvalidInput, match="no profile 'boat'"):
        engine.changes(profile="boat")
