"""Results as JSON: names, rounding and geometry."""

import json
import math
from typing import Any

import numpy as np
import pytest
from fake_engine import FakeTable, make_leg

from gis.polyline import decode_polyline
from routing.route import Route, Waypoint
from server.api.osrm_json import (
    HINT,
    geometry,
    leg_object,
    nearest_answer,
    route_answer,
    speeds_m_s,
    table_answer,
    to_bytes,
    waypoint_object,
)
from server.api.osrm_params import (
    ANNOTATIONS,
    TABLES,
    NearestParams,
    RouteParams,
    TableParams,
)

A = Waypoint(24.93000004, 60.1700004, 12.3456789, "High Street", (7, 8))
B = Waypoint(24.95, 60.18, 0.0, "", (0, 9))
BENT = make_leg([24.93, 24.94, 24.95], [60.17, 60.17, 60.18], [55.55, 600.04], [10.04, 31.02])
SHORT = make_leg([24.95, 24.96], [60.18, 60.18], [100.06], [9.96])
ROUTE = Route((BENT, SHORT), (A, B, B))


def answer(**options: object) -> dict:
    params = RouteParams([(24.9, 60.1)] * 3)
    for name, value in options.items():
        setattr(params, name, value)
    return json.loads(to_bytes(route_answer([ROUTE], params)))


def test_totals_are_sums_of_what_legs_say() -> None:
    """Legs are rounded to a tenth, and the route adds up."""
    (route,) = answer(overview="false")["routes"]
    assert [leg["distance"] for leg in route["legs"]] == [655.6, 100.1]
    assert [leg["duration"] for leg in route["legs"]] == [41.1, 10.0]
    assert route["distance"] == 755.7
    assert route["duration"] == route["weight"] == 51.1
    assert route["weight_name"] == "duration"
    assert "geometry" not in route
    assert all((leg["summary"], leg["steps"]) == ("", []) for leg in route["legs"])
    assert "annotation" not in route["legs"][0]


def test_tables_and_routes_round_alike() -> None:
    """Whole hundredths, halfway between two tenths or not, are the same in both."""
    hundredths = np.arange(2000.0) / 100
    table: Any = FakeTable(hundredths[None], hundredths[None], (), ())
    params = TableParams([(0, 0)] * 2, annotations=frozenset(TABLES), skip_waypoints=True)
    found = json.loads(to_bytes(table_answer(table, params)))
    legs = [make_leg([0, 1], [0, 1], [x], [x]) for x in hundredths.tolist()]
    written = [leg_object(leg, RouteParams([(0, 0)] * 2)) for leg in legs]
    assert found["durations"] == [[leg["duration"] for leg in written]]
    assert found["distances"] == [[leg["distance"] for leg in written]]


def test_waypoints() -> None:
    """Places have six digits, distances all they have, and a hint comes unless refused."""
    first, last, _ = answer()["waypoints"]
    assert first == {
        "name": "High Street",
        "location": [24.93, 60.17],
        "distance": 12.3456789,
        "hint": HINT,
    }
    assert len(HINT) == 112
    assert last["name"] == ""
    assert "hint" not in answer(generate_hints=False)["waypoints"][0]
    assert "waypoints" not in answer(skip_waypoints=True)


def test_places_are_rounded_as_in_the_geometry() -> None:
    """A waypoint lies exactly where its route begins, whatever the seventh digit is."""
    lon = np.arange(249_300_000, 249_302_000) / 1e7
    line = geometry(lon, -lon, "geojson")
    assert isinstance(line, dict)
    places = [waypoint_object(Waypoint(x, -x, 0.0, "", (0, 0)), False) for x in lon.tolist()]
    assert [list(place["location"]) for place in places] == line["coordinates"].tolist()


def test_nearest() -> None:
    """The nearest service tells the nodes as well."""
    params = NearestParams([(24.9, 60.1)])
    found = json.loads(to_bytes(nearest_answer([A, B], params)))
    assert found["code"] == "Ok"
    assert [waypoint["nodes"] for waypoint in found["waypoints"]] == [[7, 8], [0, 9]]
    params.skip_waypoints = True
    assert nearest_answer([A, B], params) == {"code": "Ok"}


def test_full_geometry() -> None:
    """The whole line, the point that legs share once, in each of the forms."""
    line = [[24.93, 60.17], [24.94, 60.17], [24.95, 60.18], [24.96, 60.18]]
    route = answer(overview="full", geometries="geojson")["routes"][0]
    assert route["geometry"] == {"type": "LineString", "coordinates": line}
    for form, precision in (("polyline", 5), ("polyline6", 6)):
        route = answer(overview="full", geometries=form)["routes"][0]
        lon, lat = decode_polyline(route["geometry"], precision)
        assert np.allclose(np.stack((lon, lat), axis=1), line, atol=1e-9)


def test_geometry_by_legs() -> None:
    """Each leg has its own line, the route none."""
    route = answer(overview="by_legs", geometries="geojson")["routes"][0]
    assert "geometry" not in route
    assert [len(leg["geometry"]["coordinates"]) for leg in route["legs"]] == [3, 2]


def test_simplified_geometry() -> None:
    """Bends that a map would not show are left out, ends of legs never."""
    zigzag = make_leg(
        np.linspace(24.90, 24.99, 91).tolist(),
        [60.17 + 1e-6 * (-1) ** i for i in range(91)],
    )
    corner = make_leg([24.99, 24.99], [60.17 + 1e-6, 60.15])
    params = RouteParams([(0, 0)] * 3, geometries="geojson")
    route = route_answer([Route((zigzag, corner), (A, B, B))], params)["routes"][0]
    assert route["geometry"]["coordinates"].tolist() == [
        [24.90, 60.170001],
        [24.99, 60.170001],
        [24.99, 60.15],
    ]


def test_annotations() -> None:
    """All of them, or those that were asked for."""
    leg = answer(annotations=frozenset(ANNOTATIONS), overview="false")["routes"][0]["legs"][0]
    assert leg["annotation"] == {
        "distance": [55.55, 600.04],
        "duration": [10.04, 31.02],
        "weight": [10.04, 31.02],
        "speed": [5.5, 19.3],
        "nodes": [1, 2, 3],
        "datasources": [0, 0],
        "metadata": {"datasource_names": ["profile", "live"]},
    }
    some = answer(annotations=frozenset({"nodes"}), overview="false")
    assert [leg["annotation"] for leg in some["routes"][0]["legs"]] == [
        {"nodes": [1, 2, 3]},
        {"nodes": [1, 2]},
    ]


def test_speed_of_a_piece_that_takes_no_time() -> None:
    """It is that of the piece before, and 0 if there is none."""
    distance = np.array([5.0, 100.0, 3.0, 0.0, 50.0])
    duration = np.array([0.0, 10.0, 0.0, 0.0, 2.0])
    assert speeds_m_s(distance, duration).tolist() == [0.0, 10.0, 10.0, 10.0, 25.0]


def test_numbers_that_json_lacks() -> None:
    """NaN and infinities become null."""
    assert to_bytes({"a": math.nan, "b": np.array([math.inf])}) == b'{"a":null,"b":[null]}'


@pytest.mark.parametrize("form", ["polyline", "polyline6", "geojson"])
def test_a_route_without_length(form: str) -> None:
    """Two equal points are a line all the same."""
    route = Route((make_leg([24.93, 24.93], [60.17, 60.17], [0.0], [0.0]),), (A, A))
    params = RouteParams([(0, 0)] * 2, geometries=form, annotations=frozenset(ANNOTATIONS))
    found = json.loads(to_bytes(route_answer([route], params)))["routes"][0]
    assert found["distance"] == found["duration"] == 0
    if form == "geojson":
        assert found["geometry"]["coordinates"] == [[24.93, 60.17], [24.93, 60.17]]
    else:
        assert len(decode_polyline(found["geometry"], 5 + form.endswith("6"))[0]) == 2
