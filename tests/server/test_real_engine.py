"""Tables, isochrones and alternatives over HTTP from engines over drawn worlds and a real map."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asgi import ask
from engines import engine_of
from shapely.geometry import Point, shape
from shapely.geometry.base import BaseGeometry
from world import World

from gis.geodesy import polyline_length_m, to_units
from routing.engine import Engine
from server.app import create_app
from server.state import EngineState

GRID = World(
    """
    a---b---c   x
    |   |   |   |
    d---e---f   y
    |   |   |
    g---h---i
    """,
    """
    abc highway=x name=North
    def highway=x name=Middle
    ghi highway=x name=South
    adg highway=x name=West
    beh highway=x
    cfi highway=x oneway=yes name=East
    xy highway=x name=Island
    """,
)
"""One step is 100 m or 10 s; who comes from the north cannot drive up the East again."""

LETTERS = "aceixy"
EXACTLY = f"radiuses={';'.join('1' * len(LETTERS))}"
A, B = "24.94,60.167", "24.95,60.175"
PLACES = [(24.925 + i % 5 * 0.008, 60.16 + i // 5 * 0.005) for i in range(20)]
METRE = 1 / 55_000
"""A degree of longitude has so many where the worlds lie, one of latitude twice as many."""
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def grid() -> Any:
    return create_app(EngineState(engine_of(GRID), Path("grid.whimbrel")))


@pytest.fixture(scope="module")
def city(dataset: Path) -> Any:
    return create_app(EngineState(Engine.open(dataset), dataset))


def place(letter: str) -> str:
    lon, lat = GRID.position(letter)
    return f"{lon:.7f},{lat:.7f}"


def get(app: Any, target: str) -> Any:
    response = ask(app, "GET", target)
    assert response.status == 200, response.text
    return response.json()


def test_table_is_made_of_routes(grid: Any) -> None:
    """Each cell is what the route service says; where that finds none the cell is null."""
    points = ";".join(map(place, LETTERS))
    found = get(grid, f"/table/v1/plain/{points}?annotations=duration,distance&{EXACTLY}")
    n_null = 0
    for i, a in enumerate(LETTERS):
        for j, b in enumerate(LETTERS):
            target = f"/route/v1/plain/{place(a)};{place(b)}?overview=false&radiuses=1;1"
            answer = ask(grid, "GET", target).json()
            cells = found["durations"][i][j], found["distances"][i][j]
            if answer["code"] == "Ok":
                (best,) = answer["routes"]
                assert cells == (best["duration"], best["distance"])
                start, end = answer["waypoints"]
                assert found["sources"][i]["location"] == start["location"]
                assert found["destinations"][j]["location"] == end["location"]
            else:
                assert answer["code"] == "NoRoute"
                assert cells == (None, None)
                n_null += 1
    assert n_null == 2 * 4 * 2
    assert found["durations"][0][1] == pytest.approx(80, abs=0.1)
    assert found["durations"][1][3] == pytest.approx(40, abs=0.1)
    assert found["durations"][3][1] == pytest.approx(40 + 40 + 40, abs=0.1)


def test_table_falls_back(grid: Any) -> None:
    """Islands are reached as the crow flies."""
    points = ";".join(map(place, "ax"))
    query = "annotations=duration,distance&fallback_speed=20&radiuses=1;1"
    for where in ("input", "snapped"):
        found = get(grid, f"/table/v1/plain/{points}?{query}&fallback_coordinate={where}")
        assert found["fallback_speed_cells"] == [[0, 1], [1, 0]]
        assert found["distances"][0][1] == pytest.approx(1200, abs=0.2)
        assert found["durations"][0][1] == pytest.approx(60, abs=0.1)
        assert found["durations"][0][0] == found["distances"][1][1] == 0


def test_table_names_the_coordinate(grid: Any) -> None:
    """A point without a road is counted as in the request."""
    points = f"{place('a')};0,0;{place('c')};1,1"
    for query, number in (("", 1), ("&sources=3;1", 3), ("&sources=0&destinations=2;3;1", 3)):
        target = f"/table/v1/plain/{points}?radiuses=1;1;1;1{query}"
        assert ask(grid, "GET", target).json() == {
            "code": "NoSegment",
            "message": f"Could not find a matching segment for coordinate {number}",
        }
    assert get(grid, f"/table/v1/plain/{points}?radiuses=1;1;1;1&sources=0&destinations=2")


def shapes(app: Any, query: str, where: str = "e") -> list[BaseGeometry]:
    """The geometry of each feature."""
    target = f"/isochrone/v1/plain/{place(where)}?{query}"
    return [shape(feature["geometry"]) for feature in get(app, target)["features"]]


def test_isochrone_lines_have_the_right_length(grid: Any) -> None:
    """From the middle of the grid all roads are driven to the limit."""
    for query, metres in (("contours_meters=100", 400), ("contours_minutes=0.25", 600)):
        target = f"/isochrone/v1/plain/{place('e')}?{query}&polygons=false"
        (feature,) = get(grid, target)["features"]
        assert feature["geometry"]["type"] == "MultiLineString"
        driven = sum(map(length_m, feature["geometry"]["coordinates"]))
        assert driven == pytest.approx(metres, abs=2)


def length_m(line: list[list[float]]) -> float:
    lon, lat = to_units(np.array(line)).T.copy()
    return float(polyline_length_m(lon, lat, 0, len(lon)))


def test_isochrone_areas_hold_what_is_reached(grid: Any) -> None:
    """Valid areas that lie in each other, the largest first, each around its roads."""
    query = "contours_meters=100,250,700"
    areas = shapes(grid, query)
    assert all(area.is_valid and not area.is_empty for area in areas)
    assert all(larger.covers(smaller) for larger, smaller in pairwise(areas))
    for area, lines in zip(areas, shapes(grid, f"{query}&polygons=false"), strict=True):
        assert area.buffer(3 * METRE).covers(lines)
    far = [Point(GRID.position(letter)) for letter in "acgix"]
    assert [areas[0].covers(point) for point in far] == [True, True, True, True, False]
    assert not any(areas[2].covers(point) for point in far)


def test_isochrone_directions(grid: Any) -> None:
    """From where the one-way road ends it cannot be driven; towards there it can."""
    north_of_i = Point(GRID.position("f"))
    for direction, reached in (("from", False), ("to", True)):
        query = f"contours_meters=300&direction={direction}&radiuses=1"
        for more in ("", "&polygons=false"):
            (found,) = shapes(grid, query + more, "i")
            assert (found.distance(north_of_i) < 1e-5) == reached


def test_isochrone_that_reaches_nothing_else(grid: Any) -> None:
    """A tiny limit is answered all the same."""
    for query in ("contours_meters=0.01", "contours_minutes=0.00001"):
        for more in ("", "&polygons=false"):
            for geometry in shapes(grid, query + more):
                assert geometry.is_valid


def test_isochrone_without_a_road(grid: Any) -> None:
    """No road within the radius is told as elsewhere."""
    response = ask(grid, "GET", "/isochrone/v1/plain/0,0?contours_minutes=1&radiuses=10")
    assert (response.status, response.json()) == (
        400,
        {"code": "NoSegment", "message": "Could not find a matching segment for coordinate 0"},
    )


def test_isochrone_waypoint(grid: Any) -> None:
    """It is the road on which a route would begin."""
    found = get(grid, f"/isochrone/v1/plain/{place('a')}?contours_meters=10&radiuses=1")
    nearest = get(grid, f"/nearest/v1/plain/{place('a')}?number=1")["waypoints"][0]
    assert found["waypoints"][0]["location"] == nearest["location"]


@pytest.mark.compiled
@pytest.mark.parametrize("lon_lat", PLACES)
def test_isochrones_of_a_city(city: Any, lon_lat: tuple[float, float]) -> None:
    """Whatever is rounded to six digits is valid still, and the areas lie in each other."""
    lon, lat = lon_lat
    for direction in ("from", "to"):
        target = f"/isochrone/v1/car/{lon},{lat}?contours_minutes=1,2,4&direction={direction}"
        areas = [shape(feature["geometry"]) for feature in get(city, target)["features"]]
        assert all(area.is_valid and area.area > 0 for area in areas)
        assert all(area.geom_type in ("Polygon", "MultiPolygon") for area in areas)
        for larger, smaller in pairwise(areas):
            assert smaller.difference(larger.buffer(2e-6)).is_empty
        lines = get(city, f"{target}&polygons=false")["features"]
        for area, feature in zip(areas, lines, strict=True):
            assert area.buffer(20 * METRE).covers(shape(feature["geometry"]))


@pytest.mark.compiled
def test_table_of_a_city(city: Any) -> None:
    """A larger table, asked for in a body, agrees with routes and with its own rows."""
    body = {"coordinates": PLACES, "annotations": True, "generate_hints": False}
    answer = ask(city, "POST", "/table/v1/car", json.dumps(body).encode(), JSON).json()
    durations = np.array(answer["durations"], float)
    assert durations.shape == (len(PLACES), len(PLACES))
    assert (np.diag(durations) == 0).all()
    for i, j in ((0, 19), (7, 3), (12, 5)):
        (a, b), (c, d) = PLACES[i], PLACES[j]
        (best,) = get(city, f"/route/v1/car/{a},{b};{c},{d}?overview=false")["routes"]
        assert best["duration"] == answer["durations"][i][j]
        assert best["distance"] == answer["distances"][i][j]
        some = body | {"sources": [i], "destinations": [j, 0]}
        part = ask(city, "POST", "/table/v1/car", json.dumps(some).encode(), JSON).json()
        assert part["durations"] == [[answer["durations"][i][column] for column in (j, 0)]]


@pytest.mark.compiled
def test_alternatives_in_a_city(city: Any) -> None:
    """Other ways are no faster, not the same, and begin and end where the best does."""
    n_others = 0
    for points in (f"{A};{B}", f"{A};24.93,60.17;{B}"):
        target = f"/route/v1/car/{points}?overview=full&geometries=geojson"
        best = get(city, target)
        found = get(city, f"{target}&alternatives=3")
        assert found["waypoints"] == best["waypoints"]
        assert found["routes"][0] == best["routes"][0]
        durations = [other["duration"] for other in found["routes"]]
        lines = [other["geometry"]["coordinates"] for other in found["routes"]]
        assert min(durations) == durations[0]
        assert len({json.dumps(line) for line in lines}) == len(lines) <= 4
        assert all((line[0], line[-1]) == (lines[0][0], lines[0][-1]) for line in lines)
        n_others += len(lines) - 1
    assert n_others > 0
