"""Everything that the engine can be asked, on a real map."""

import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from towns import Point, ask, check_alternatives, check_lines, check_pair, check_table

from routing.areas import around as areas
from routing.build import build_dataset
from routing.changes.reweight import MANY
from routing.engine import Engine
from routing.route import Route


@pytest.fixture(scope="module")
def city(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    path = tmp_path_factory.mktemp("city") / "helsinki.whimbrel"
    build_dataset(sample, path)
    return Engine.open(path)


def city_points(n: int, seed: int = 0) -> list[Point]:
    rng = np.random.default_rng(seed)
    places = rng.random((n, 2)) * (0.055, 0.025) + (24.915, 60.157)
    return [(lon, lat) for lon, lat in places.tolist()]


@pytest.mark.compiled
def test_every_way_to_a_route_in_a_city(city: Engine) -> None:
    """On a real map, too, all ways to a route agree, and its pieces add up."""
    points = city_points(14)
    found = {
        (i, j): check_pair(city, points[i], points[j])
        for i, j in product(range(len(points)), repeat=2)
    }
    check_table(city, found, points)
    n_routes = 0
    for route in found.values():
        if isinstance(route, Route):
            n_routes += 1
            (leg,) = route.legs
            assert leg.annotation.distance_m.sum() == pytest.approx(leg.distance_m, abs=1)
    assert n_routes > 150


@pytest.mark.compiled
def test_areas_in_a_city(city: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a real map reached places lie inside the area, and both searches agree."""
    origin = (24.941, 60.171)
    samples = [
        (w.lon, w.lat) for w in (city.route([p, origin]).waypoints[0] for p in city_points(150, 3))
    ]
    for reverse in (False, True):
        monkeypatch.setattr(areas, "SWEEP_FROM", 2.0)
        assert 20 < check_lines(city, origin, samples, 240, reverse) < 150
        monkeypatch.setattr(areas, "SWEEP_FROM", 0.0)
        assert 20 < check_lines(city, origin, samples, 240, reverse) < 150


@pytest.mark.compiled
def test_alternatives_in_a_city(city: Engine) -> None:
    """Between most places of a city there is another way."""
    points = city_points(60, 4)
    n_found = 0
    for pair in zip(points[::2], points[1::2], strict=True):
        n_found += check_alternatives(city, pair, city.alternatives(pair, 2)) > 0
    for three in zip(points[::3], points[1::3], points[2::3], strict=True):
        check_alternatives(city, three, city.alternatives(three, 3))
    assert n_found > 10


@pytest.mark.compiled
def test_own_weights_in_a_city(city: Engine) -> None:
    """With closed and slow roads, A*, customization and Dijkstra's search agree."""
    x, y = 24.941, 60.171
    ring = [(x - 0.004, y - 0.002), (x + 0.004, y - 0.002), (x + 0.004, y + 0.002), (x, y + 0.003)]
    ways = np.unique(city._network.edge_way)[::7]
    options = {"avoid": [[ring]], "way_speeds": dict.fromkeys(ways.tolist(), 5.0)}
    astar = city.with_weights(**options)  # type: ignore[arg-type]
    hierarchy = city.with_weights(**options, n_routes=MANY)  # type: ignore[arg-type]
    points = city_points(40, 5)
    if astar.method() == "customization":  # some of these ways are slower still
        options["way_speeds"] = dict.fromkeys(ways.tolist(), 0.5)
        astar = city.with_weights(**options)  # type: ignore[arg-type]
        hierarchy = city.with_weights(**options, n_routes=MANY)  # type: ignore[arg-type]
    assert (astar.method(), hierarchy.method()) == ("astar", "customization")
    area = shapely.Polygon(ring)
    n_changed = 0
    for pair in zip(points[::2], points[1::2], strict=True):
        one, other = ask(astar, pair), ask(hierarchy, pair)
        slow = ask(astar, pair, algorithm="dijkstra")
        if isinstance(one, str):
            assert one == other == slow
            continue
        assert isinstance(other, Route) and isinstance(slow, Route)
        assert one.duration_s == other.duration_s == slow.duration_s
        assert [w.lon for w in one.waypoints] == [w.lon for w in other.waypoints]
        for route in (one, other):
            line = shapely.linestrings(np.stack([route.legs[0].lon, route.legs[0].lat], 1))
            assert not shapely.intersects(line, area)
        n_changed += one.duration_s != city.route(pair).duration_s
    assert n_changed > 10


@pytest.mark.compiled
def test_threads_share_an_engine(city: Engine) -> None:
    """Eight threads that ask everything at once get what one gets alone."""
    points = city_points(48, 6)
    jobs: list[Callable[[], Any]] = []
    for i in range(0, 40, 2):
        a, b = points[i : i + 2]
        jobs += [
            lambda a=a, b=b: described(ask(city, [a, b])),
            lambda a=a, b=b: described(ask(city, [a, b], with_details=True)),
            lambda a=a, b=b: [described(route) for route in city.alternatives([a, b], 2)],
            lambda a=a: [
                [np.asarray(line).tolist() for line in lines]
                for lines in city.isochrone(*a, durations_s=[120, 240], lines=True).shapes
            ],
            lambda i=i: city.table(points[i : i + 9], points[:7], threads=2).duration_cs.tolist(),
            lambda i=i: city.routes(points[i:], points[: 48 - i], threads=2).status.tolist(),
            lambda i=i: city.routes(points[i:], points[: 48 - i]).distance_m.tolist(),
        ]
    way = int(city._network.edge_way[0])
    view = city.with_weights(way_speeds={way: 0.0})
    jobs += [
        lambda i=i: view.table(points[i : i + 5], points[:5]).duration_cs.tolist()
        for i in range(0, 20, 2)
    ]
    wanted = [str(job()) for job in jobs]
    view = city.with_weights(way_speeds={way: 0.0})  # its hierarchy is made by several at once
    failures: list[object] = []

    def work(seed: int) -> None:
        try:
            order = np.random.default_rng(seed).permutation(len(jobs)).tolist()
            failures.extend(i for i in order if str(jobs[i]()) != wanted[i])
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def described(route: Route | str) -> object:
    """All that a route says."""
    if isinstance(route, str):
        return route
    legs = [(leg.names, leg.lon.tolist(), leg.annotation.duration_s.tolist()) for leg in route.legs]
    return route.duration_s, route.distance_m, route.waypoints, legs
