"""Drawn towns and what every answer about them has to keep."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from engines import engine_of
from graphs import World as RandomWorld
from hypothesis import strategies as st
from world import PLAIN, World

from gis.dataset import Dataset
from gis.geodesy import metres_per_unit
from gis.manifest import About, Extract, Manifest
from gis.profiles.rules import Tags, Warn, WayRule
from gis.snap_index import build_snap_index
from routing.build import BuildReport, prepare_profiles
from routing.engine import Engine
from routing.errors import NoRoute, NoSegment
from routing.many.batch import Routes, RouteStatus
from routing.route import Route
from routing.store import save_index, save_network, save_profile

Point = tuple[float, float]
NO_ROUTE = "no route"
NO_SEGMENT = "no segment"


def between(world: World, letters: str, part: float = 0.5) -> Point:
    """A place on the line between two letters."""
    (x, y), (to_x, to_y) = (world.position(letter) for letter in letters)
    return x + part * (to_x - x), y + part * (to_y - y)


TOWN = """
    a---b---c---d   s-t
    |   |   |   |   | |
    e---f---g---h   u-v
    |   |   |   |
    i---j---k---l   w-x-y
    |   |   |   |
    m---n---o---p     z
    """
STREETS = [
    f"{a}{b}"
    for row in ("abcd", "efgh", "ijkl", "mnop", "aeim", "bfjn", "cgko", "dhlp")
    for a, b in pairwise(row)
]
"""Of the main part; beside it there are a block, a one-way street and a lonely node."""


def _with_motorways(tags: Tags, warn: Warn) -> WayRule | None:
    rule = PLAIN.way(tags, warn)
    return rule and replace(rule, startpoint=tags["highway"] != "motorway")


PICKY = replace(PLAIN, way=_with_motorways)
"""As PLAIN, but nobody starts on a motorway."""


def town_ways(seed: int) -> dict[str, str]:
    """The streets and their tags: some one-way, slow, fast, closed, or motorways."""
    rng = np.random.default_rng(seed)
    tags = [*[""] * 6, "oneway=yes", "oneway=-1", "kmh=18", "kmh=90"]
    kinds = ["x", "x", "x", "x", "x", "x", "motorway", "closed"]
    found = {street: f"highway={rng.choice(kinds)} {rng.choice(tags)}" for street in STREETS}
    found |= dict.fromkeys(("st", "tv", "vu", "us"), "highway=x")
    return found | {"wx": "highway=x oneway=yes", "xy": "highway=x oneway=yes"}


def town_of(ways: dict[str, str], relations: str = "") -> World:
    return World(TOWN, "\n".join(f"{way} {tags}" for way, tags in ways.items()), "", relations)


@cache
def town(seed: int) -> tuple[World, Engine]:
    """A town with turns that are forbidden, by one street and by the way over another."""
    ways = town_ways(seed)
    rng = np.random.default_rng(seed)
    relations = []
    for via in rng.choice(list("fgjk"), 3, replace=False).tolist():
        meeting = [street for street in STREETS if via in street]
        one, other = rng.choice(meeting, 2, replace=False).tolist()
        relations.append(f"restriction=no_turn from:{one} via:{via} to:{other}")
    relations.append("restriction=no_turn from:ef via:fg to:gk")
    relations.append("restriction=only_straight_on from:jn via:fj to:bf")
    world = town_of(ways, "\n".join(relations))
    return world, engine_of(world, PICKY)


SPOTS = st.tuples(
    st.sampled_from([*STREETS, "st", "tv", "us", "wx", "xy", "zy"]),
    st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)),
    st.sampled_from([0.0, 0.0, 2e-4]),
)


def spot(world: World, place: tuple[str, float, float]) -> Point:
    """A place on or beside a street."""
    lon, lat = between(world, *place[:2])
    return lon + place[2], lat + place[2] / 3


def engine_over(world: RandomWorld) -> Engine:
    """The engine for a network and the verdicts of a vehicle."""
    network, verdicts = world
    report = BuildReport(Path("random.osm"), Path("random.whimbrel"), [])
    (prepared,) = prepare_profiles(network, [PLAIN], [verdicts], report)
    arrays = save_network(network) | save_index(build_snap_index(network))
    arrays |= save_profile("plain", prepared)
    about = About("test", Extract("random.osm", 0, ""), ("plain",), (0.0, 0.0, 0.0, 0.0), {})
    return Engine(Dataset(Path("random.whimbrel"), Manifest(about, ()), arrays))


def ask(engine: Engine, points: Sequence[Point], **options: Any) -> Route | str:
    """A route, or why there is none."""
    try:
        return engine.route(points, **options)
    except NoRoute:
        return NO_ROUTE
    except NoSegment:
        return NO_SEGMENT


def check_pair(engine: Engine, a: Point, b: Point, **options: Any) -> Route | str:
    """All ways to a route between two points agree, down to its legs."""
    found = ask(engine, [a, b], **options)
    detailed = ask(engine, [a, b], with_details=True, **options)
    slow = [ask(engine, [a, b], algorithm=name, **options) for name in ("dijkstra", "astar")]
    if isinstance(found, str):
        assert [detailed, *slow] == [found] * 3
        return found
    assert isinstance(detailed, Route)
    assert (detailed.duration_s, detailed.distance_m) == (found.duration_s, found.distance_m)
    assert found.waypoints == detailed.waypoints
    for other in slow:
        assert isinstance(other, Route)
        assert other.duration_s == found.duration_s
        assert other.distance_m >= found.distance_m, "the shortest of the fastest"
    for route in (found, detailed):
        check_totals(route)
    for one, other in zip(found.legs, detailed.legs, strict=True):
        assert np.array_equal(one.lon, other.lon) and np.array_equal(one.lat, other.lat)
        assert one.names == other.names
    return found


def check_totals(route: Route) -> None:
    """The totals are the sums of the legs, and each leg joins its waypoints."""
    assert route.duration_s == round(sum(leg.duration_s for leg in route.legs), 2)
    assert route.distance_m == pytest.approx(sum(leg.distance_m for leg in route.legs), abs=1e-6)
    assert len(route.waypoints) == len(route.legs) + 1
    for leg, (start, end) in zip(route.legs, pairwise(route.waypoints), strict=True):
        assert (leg.lon[0], leg.lat[0]) == (start.lon, start.lat)
        assert (leg.lon[-1], leg.lat[-1]) == (end.lon, end.lat)
        pieces = leg.annotation
        assert len(pieces.duration_s) == len(pieces.distance_m) == len(leg.lon) - 1
        assert pieces.duration_s.sum() <= leg.duration_s + 1e-6, "turns cost more"


def check_table(engine: Engine, found: dict[tuple[int, int], Route | str], points: Any) -> None:
    """A table between all points has the routes of each pair, and so has a list of pairs."""
    n = len(points)
    table = engine.table(points, distances=True, threads=1)
    assert table.distance_m is not None
    pairs = list(product(range(n), range(n)))
    starts, ends = np.reshape([(points[i], points[j]) for i, j in pairs], (-1, 2, 2)).swapaxes(0, 1)
    routes = engine.routes(starts, ends, geometry=True)
    check_routes(routes, [found[pair] for pair in pairs])
    plain = engine.routes(starts, ends)
    assert plain.lines is None and np.array_equal(plain.status, routes.status)
    assert np.array_equal(plain.duration_s, routes.duration_s, equal_nan=True)
    assert np.array_equal(plain.distance_m, routes.distance_m, equal_nan=True)
    for row, (i, j) in enumerate(pairs):
        route = found[i, j]
        cells = table.duration_s[i, j], table.distance_m[i, j]
        listed = routes.duration_s[row], routes.distance_m[row]
        if isinstance(route, str):
            assert np.isnan(cells).all() and np.isnan(listed).all()
            assert routes.status[row] == RouteStatus.NO_ROUTE
        else:
            assert cells == listed == (route.duration_s, route.distance_m), (i, j)
            assert routes.status[row] == RouteStatus.OK


def check_routes(routes: Routes, found: Sequence[Route | str]) -> None:
    """The lines of many routes have exactly the points of each route alone."""
    lines = routes.lines
    assert lines is not None and len(lines.first) == len(found) + 1
    assert lines.first[0] == 0 and lines.first[-1] == len(lines.lon) == len(lines.lat)
    assert (lines.first.dtype, lines.lon.dtype, lines.lat.dtype) == (np.int64, np.int32, np.int32)
    assert not any(array.flags.writeable for array in lines)
    for row, route in enumerate(found):
        line = slice(lines.first[row], lines.first[row + 1])
        lon: list[float] = []
        lat: list[float] = []
        if isinstance(route, Route):
            (leg,) = route.legs
            lon, lat = leg.lon.tolist(), leg.lat.tolist()
        assert (lines.lon[line] / 1e7).tolist() == lon, row
        assert (lines.lat[line] / 1e7).tolist() == lat, row


LINE = World("a---b---c---d", "abcd highway=x name=Long")


def check_lines(
    engine: Engine, origin: Point, samples: list[Point], limit: float, reverse: bool = False
) -> int:
    """Lines hold the samples that are reached within the limit; how many these are."""
    area = engine.isochrone(*origin, durations_s=[limit], reverse=reverse, lines=True)
    (lines,) = area.shapes
    scale = np.array(metres_per_unit(round(origin[1] * 1e7))) * 1e7
    roads = shapely.union_all([shapely.linestrings(line * scale) for line in lines])
    n_within = 0
    for sample in samples:
        route = ask(engine, [sample, origin] if reverse else [origin, sample])
        apart = shapely.distance(roads, shapely.Point(np.array(sample) * scale)) if lines else 1e9
        duration = route.duration_s if isinstance(route, Route) else np.inf
        if duration < limit - 0.1:
            n_within += 1
            assert apart < 0.1, (sample, duration)
        elif duration > limit + 0.1:
            assert apart > 0.2, (sample, duration)
    return n_within


def check_alternatives(engine: Engine, points: Any, found: list[Route], **options: Any) -> int:
    """The first is the route, the others are other ones, slower by a quarter at most."""
    best = engine.route(points, **options)
    first, *others = found
    assert first.duration_s == best.duration_s
    assert first.distance_m == pytest.approx(best.distance_m, abs=0.05), "but for ties"
    ways = [tuple(tuple(leg.annotation.nodes.tolist()) for leg in route.legs) for route in found]
    assert len(set(ways)) == len(ways)
    for route in found:
        check_totals(route)
        assert len(route.legs) == len(best.legs)
    costs = [route.duration_s for route in others]
    assert costs == sorted(costs)
    for cost in costs:
        assert best.duration_s <= cost <= 1.25 * best.duration_s + 0.01
    return len(others)
