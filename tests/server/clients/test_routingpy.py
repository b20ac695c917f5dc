"""The package routingpy, as it is, speaks to the server as to OSRM."""

import json
import math
from typing import Any

import pytest

from gis.geodesy import distance_m
from routing.engine import Engine
from server.benchmark.pairs import random_points

routingpy = pytest.importorskip("routingpy")

pytestmark = pytest.mark.compiled

POINTS = [[24.935, 60.166], [24.95, 60.172], [24.944, 60.1655]]
FAR_M = 60.0
"""How far from the road the points may be."""


@pytest.fixture
def client(server: str) -> Any:
    return routingpy.OSRM(base_url=server, timeout=20)


def near(a: Any, b: Any) -> bool:
    return bool(distance_m(*a, *b) < FAR_M)


@pytest.mark.parametrize("geometries", [None, "polyline", "polyline6", "geojson"])
@pytest.mark.parametrize("overview", [None, "simplified", "full"])
def test_a_line_in_every_form(client: Any, engine: Engine, geometries: Any, overview: Any) -> None:
    """It is decoded from where the route begins to where it ends."""
    found = client.directions(POINTS, geometries=geometries, overview=overview)
    route = engine.route([(lon, lat) for lon, lat in POINTS], with_details=True)
    assert found.duration == math.floor(round(route.duration_s, 1))
    assert found.distance == math.floor(round(route.distance_m, 1))
    assert near(found.geometry[0], POINTS[0])
    assert near(found.geometry[-1], POINTS[-1])
    assert any(near(at, POINTS[1]) for at in found.geometry)


def test_every_option_of_directions(client: Any) -> None:
    """What the package can ask for is understood, and heeded."""
    found = client.directions(
        POINTS[:2],
        profile="driving",
        radiuses=[200, 250.5],
        bearings=[[90, 180], [0, 180]],
        alternatives=3,
        steps=True,
        continue_straight=False,
        annotations=True,
        geometries="geojson",
        overview="full",
        snapping="any",
        generate_hints="false",
    )
    assert 1 <= len(found) <= 4
    for direction in found:
        (leg,) = direction.raw["legs"]
        assert leg["steps"][0]["maneuver"]["type"] == "depart"
        assert len(leg["annotation"]["nodes"]) == len(direction.geometry)
    assert "hint" not in found.raw["waypoints"][0]
    assert [direction.duration for direction in found] == sorted(d.duration for d in found)


def test_alternatives(client: Any, engine: Engine) -> None:
    """They come as several directions where there are several."""
    points = random_points(engine, 40, 3).tolist()
    counts = [len(client.directions(points[i : i + 2], alternatives=True)) for i in range(0, 40, 2)]
    assert set(counts) == {1, 2}


def test_profiles(client: Any, engine: Engine) -> None:
    """The profile is the one in the path."""
    seconds = [
        client.directions(POINTS, profile=profile).duration
        for profile in ("driving", "bike", "foot")
    ]
    assert len(set(seconds)) == 3
    assert seconds[2] == max(seconds)


def test_matrix(client: Any, engine: Engine) -> None:
    """Durations and distances are the engine's, whole and in part."""
    points = [(lon, lat) for lon, lat in random_points(engine, 12, 4).tolist()]
    table = engine.table(points, distances=True)
    assert table.distance_m is not None
    found = client.matrix([list(point) for point in points])
    durations, distances = table.duration_s.tolist(), table.distance_m.tolist()
    for i in range(12):
        assert found.durations[i] == pytest.approx(durations[i], abs=0.051)
        assert found.distances[i] == pytest.approx(distances[i], abs=0.051)

    sources, destinations = [3, 0, 3], [11, 5]
    part = client.matrix(
        [list(point) for point in points],
        radiuses=[500] * 12,
        bearings=[[0, 180]] * 12,
        sources=sources,
        destinations=destinations,
        annotations=["duration"],
    )
    assert part.durations == [[found.durations[i][j] for j in destinations] for i in sources]
    assert part.distances is None


def test_errors_are_told(client: Any) -> None:
    """Why there is no answer reaches whoever uses the package."""
    with pytest.raises(routingpy.exceptions.RouterApiError) as caught:
        client.directions(POINTS, radiuses=[0, 100, 100])
    assert caught.value.status == 400
    assert json.loads(caught.value.message) == {
        "code": "NoSegment",
        "message": "Could not find a matching segment for coordinate 0",
    }
    with pytest.raises(routingpy.exceptions.RouterApiError) as caught:
        client.matrix(POINTS, profile="rocket")
    assert "rocket" in caught.value.message
