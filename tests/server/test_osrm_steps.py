"""Steps as JSON: names, what is left out, rounding and geometry."""

import json
from typing import Any

import pytest
from fake_engine import make_leg

from gis.polyline import decode_polyline
from routing.guidance.steps import Intersection, Maneuver, Step
from routing.route import Leg, Route, Waypoint
from server.api.osrm_json import route_answer, to_bytes
from server.api.osrm_params import RouteParams

LON, LAT = [24.93000004, 24.94, 24.95], [60.17, 60.17, 60.18]
LEG = make_leg(LON, LAT, [55.55, 600.04], [10.04, 31.02])
HERE = Waypoint(24.93, 60.17, 0.0, "", (1, 2))


def leg_object(leg: Leg = LEG, **options: Any) -> Any:
    """The only leg of a route as a client reads it."""
    params = RouteParams([(24.9, 60.1)] * 2, **options)
    answer = json.loads(to_bytes(route_answer([Route((leg,), (HERE, HERE))], params)))
    return answer["routes"][0]["legs"][0]


def test_only_when_asked_for() -> None:
    """Steps and the summary belong together; nobody makes them for those who do not ask."""

    def fail() -> Any:
        raise AssertionError

    leg = Leg(1.0, 2.0, LEG.lon, LEG.lat, LEG.annotation, (), fail)
    assert (leg_object(leg)["steps"], leg_object(leg)["summary"]) == ([], "")
    assert leg_object(steps=True)["summary"] == "High Street"
    assert len(leg_object(steps=True)["steps"]) == 2


def test_everything_there_can_be() -> None:
    """Every member has its name and its rounding."""
    step = leg_object(steps=True)["steps"][0]
    geometry = step.pop("geometry")
    assert decode_polyline(geometry)[0].tolist() == [24.93, 24.94, 24.95]
    assert step == {
        "distance": 655.6,
        "duration": 41.1,
        "weight": 41.1,
        "name": "High Street",
        "ref": "E 1",
        "pronunciation": "hai",
        "destinations": "A 1: Town",
        "exits": "7; 8",
        "rotary_name": "Ring",
        "rotary_pronunciation": "ring",
        "mode": "ferry",
        "driving_side": "left",
        "maneuver": {
            "type": "depart",
            "modifier": "left",
            "location": [24.93, 60.17],
            "bearing_before": 0,
            "bearing_after": 90,
            "exit": 2,
        },
        "intersections": [
            {
                "location": [24.93, 60.17],
                "bearings": [90],
                "entry": [True],
                "out": 0,
                "classes": ["tunnel", "toll"],
            },
            {
                "location": [24.93, 60.17],
                "bearings": [0, 90, 270],
                "entry": [True, True, False],
                "in": 2,
                "out": 1,
                "lanes": [
                    {"indications": ["left", "straight"], "valid": False},
                    {"indications": ["right"], "valid": True},
                ],
            },
        ],
    }


def test_no_more_than_must_be() -> None:
    """What is empty is left out; the arrival has no length, and its point twice."""
    step = leg_object(steps=True, geometries="geojson")["steps"][1]
    assert step == {
        "distance": 0,
        "duration": 0,
        "weight": 0,
        "name": "",
        "mode": "driving",
        "driving_side": "right",
        "geometry": {"type": "LineString", "coordinates": [[24.95, 60.18], [24.95, 60.18]]},
        "maneuver": {
            "type": "arrive",
            "location": [24.95, 60.18],
            "bearing_before": 90,
            "bearing_after": 0,
        },
        "intersections": [
            {"location": [24.95, 60.18], "bearings": [270], "entry": [True], "in": 0},
        ],
    }


@pytest.mark.parametrize("form", ["polyline", "polyline6", "geojson"])
@pytest.mark.parametrize("overview", ["simplified", "false"])
def test_all_points_of_every_step(form: str, overview: str) -> None:
    """Steps have their whole line whatever the overview; what one ends with begins the next."""
    lon = [24.9 + i / 100 for i in range(9)]
    lat = [60.1] * 9
    maneuver = Maneuver("turn", "left", 24.9, 60.1, 90, 90)
    place = Intersection(24.9, 60.1, (90,), (True,), None, 0)
    rest = (*[""] * 7, "driving", "right", maneuver, (place,))
    ends = [(0, 3), (3, 4), (4, 8), (8, 8)]
    steps = tuple(Step(1.0, 1.0, 1.0, a, b, *rest) for a, b in ends)
    plain = make_leg(lon, lat)
    leg = Leg(1.0, 1.0, plain.lon, plain.lat, plain.annotation, (), (steps, ""))
    found = []
    for step in leg_object(leg, steps=True, geometries=form, overview=overview)["steps"]:
        line = step["geometry"]
        if form == "geojson":
            found.append([x for x, _ in line["coordinates"]])
        else:
            found.append(decode_polyline(line, 6 if form == "polyline6" else 5)[0].tolist())
    expected = [lon[a : b + 1] if a < b else [lon[a]] * 2 for a, b in ends]
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other)
