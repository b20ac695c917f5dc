"""Plans as JSON: sums that add up, whole seconds within the windows, and lines along the roads."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import orjson
import pytest
from couriers.stand_in import solve_naively
from hypothesis import given
from hypothesis import strategies as st

from gis.polyline import decode_polyline
from routing.courier.plan import SHIPMENT, TOO_LARGE, CourierPlan, Unserved
from routing.courier.schedule import CourierParams
from routing.engine import Engine
from server.courier.geojson import plan_geojson
from server.courier.reading import read_problem
from server.courier.solving import Prepared, prepare

N = 6
PARAMS = CourierParams(seconds=1.0)


def by_matrix(seconds: list[int], **more: Any) -> Prepared:
    """A problem over a matrix: a courier, two parcels and a job with windows."""
    rows = np.array(seconds).reshape(N, N)
    np.fill_diagonal(rows, 0)
    document = {
        "vehicles": [
            {"id": 11, "start_index": 0, "end_indices": [0, 5], "capacity": [3, 9]}
            | {"costs": {"fixed": 100, "per_hour": 7200}, "description": "van"}
        ],
        "shipments": [
            {
                "pickup": {"id": 1, "location_index": 1, "service": 5},
                "delivery": {"id": 2, "location_index": 2, "setup": 7},
                "amount": [1, 4],
                "priority": 5,
            },
            {
                "pickup": {"id": 3, "location_index": 1},
                "delivery": {"id": 4, "location_index": 3},
                "amount": [2, 1],
            },
        ],
        "jobs": [
            {
                "id": 9,
                "description": "shop",
                "location_index": 4,
                "delivery": [1, 1],
                "pickup": [0, 2],
                "time_windows": [[100, 100], [4000, 5000]],
                "priority": 7,
            }
        ],
        "matrices": {
            "car": {"durations": rows.tolist(), "distances": (10 * rows).tolist()},
        },
    } | more
    asked = read_problem(document, "car", 100)
    engine: Any = None  # which a matrix does not need
    return prepare(asked, engine, {}, PARAMS, 100)


@given(st.lists(st.integers(0, 600), min_size=N * N, max_size=N * N))
def test_sums(seconds: list[int]) -> None:
    """Each step follows from the one before, each sum from the steps."""
    prepared = by_matrix(seconds)
    answer = prepared.answer(solve_naively(prepared.problem))
    rows = np.array(seconds).reshape(N, N)
    np.fill_diagonal(rows, 0)
    for route in answer["routes"]:
        steps = route["steps"]
        assert (steps[0]["type"], steps[-1]["type"]) == ("start", "end")
        assert route["vehicle"] == 11 and route["description"] == "van"
        for before, step in pairwise(steps):
            way = int(rows[before["location_index"], step["location_index"]])
            assert step["duration"] - before["duration"] == way
            assert step["distance"] - before["distance"] == 10 * way
            done = sum(before[name] for name in ("arrival", "waiting_time", "setup", "service"))
            assert step["arrival"] == done + way
        for name in ("setup", "service", "waiting_time"):
            assert route[name] == sum(step[name] for step in steps)
        assert route["cost"] == 100 + 2 * route["duration"]
        ids = {(step["type"], step["id"]) for step in steps[1:-1]}
        assert route["priority"] == 5 * (("pickup", 1) in ids) + 7 * (("job", 9) in ids)
        amounts = {("pickup", 1): (1, 4), ("pickup", 3): (2, 1)}
        served = [amounts[key] for key in ids if key in amounts]
        job = ("job", 9) in ids
        expected = np.array([(0, 0), *served]).sum(axis=0)
        assert route["delivery"] == (expected + job * np.array([1, 1])).tolist()
        assert route["pickup"] == (expected + job * np.array([0, 2])).tolist()
        assert steps[-1]["load"] == ([0, 2] if job else [0, 0])
    summary = answer["summary"]
    for name in ("cost", "duration", "waiting_time", "distance"):
        if answer["routes"]:
            assert summary[name] == sum(route[name] for route in answer["routes"])
    assert summary["unassigned"] == len(answer["unassigned"])


def test_both_ends_of_what_nobody_does() -> None:
    """A shipment has two entries, as VROOM has it, both with the reason."""
    prepared = by_matrix([60] * N * N)
    plan = CourierPlan((), (Unserved(SHIPMENT, 1, TOO_LARGE),), 0, 0.0, 0, 0.0)
    answer = prepared.answer(plan)
    assert answer["routes"] == [] and answer["summary"]["routes"] == 0
    assert answer["summary"]["delivery"] == answer["summary"]["pickup"] == [0, 0]
    assert answer["unassigned"] == [
        {"id": 3, "type": "pickup", "location_index": 1, "reason": TOO_LARGE},
        {"id": 4, "type": "delivery", "location_index": 3, "reason": TOO_LARGE},
    ]


def test_moments_are_rounded_down() -> None:
    """What begins within its window does so in the answer, too."""
    prepared = by_matrix([60] * N * N)
    plan = solve_naively(prepared.problem)
    (route,) = plan.routes
    later = tuple(replace(stop, arrival_cs=stop.arrival_cs + 99) for stop in route.stops)
    answer = prepared.answer(replace(plan, routes=(replace(route, stops=later),)))
    exact = prepared.answer(plan)
    for step, other in zip(answer["routes"][0]["steps"], exact["routes"][0]["steps"], strict=True):
        assert step == other


@pytest.mark.parametrize(
    ("window", "begin"), [([10.5, 20], 11), ([10.5, 11.5], 11), ([10, 20], 10), ([9.5, 10.2], 10)]
)
def test_windows_of_fractions(window: list[float], begin: int) -> None:
    """What begins within one is told to, and each step still follows from the one before."""
    job = {"id": 1, "location_index": 1, "service": 3, "time_windows": [window]}
    jobs = [job, {"id": 2, "location_index": 2, "time_windows": [[30, 40]]}]
    vehicles = [{"id": 1, "start_index": 0, "end_index": 0}]
    prepared = by_matrix([2] * N * N, vehicles=vehicles, jobs=jobs, shipments=[])
    (route,) = prepared.answer(solve_naively(prepared.problem))["routes"]
    moments = {s.get("id"): s["arrival"] + s["waiting_time"] for s in route["steps"][1:-1]}
    assert moments == {1: begin, 2: 30}
    for before, step in pairwise(route["steps"]):
        done = sum(before[name] for name in ("arrival", "waiting_time", "setup", "service"))
        assert step["arrival"] == done + 2


@pytest.mark.compiled
def test_along_the_roads(engine_on: Callable[[Path], Engine], sample: Path) -> None:
    """The line, the distance and the travel time of a route are those of driving it."""
    engine, random = engine_on(sample), Random(8)
    west, south, east, north = engine.bounds

    def anywhere() -> list[float]:
        return [round(random.uniform(west, east), 6), round(random.uniform(south, north), 6)]

    document = {
        "vehicles": [{"id": 1, "starts": [anywhere(), anywhere()], "end": anywhere()}],
        "shipments": [
            {
                "pickup": {"id": i, "location": anywhere()},
                "delivery": {"id": i, "location": anywhere()},
            }
            for i in range(5)
        ],
        "options": {"g": True, "geometries": "polyline6"},
    }
    document["jobs"] = [{"id": 1, "location": document["shipments"][0]["pickup"]["location"]}]
    asked = read_problem(document, "car", 100)
    prepared = prepare(asked, engine, {"profile": "car"}, PARAMS, 100)
    plan = solve_naively(prepared.problem)
    assert not plan.unserved
    answer = prepared.answer(plan)
    (route,) = answer["routes"]
    degrees = prepared.writer.legs.degrees  # type: ignore[attr-defined]
    points = [tuple(degrees[stop.place]) for stop in plan.routes[0].stops]
    driven = engine.route(points, continue_straight=False)
    assert plan.travel_cs == round(driven.duration_s * 100)
    assert abs(route["distance"] - driven.distance_m) < 1
    assert abs(route["duration"] - driven.duration_s) <= 0.5
    lon, lat = decode_polyline(orjson.loads(orjson.dumps(route["geometry"])), 6)
    parts = [(leg.lon, leg.lat) for leg in driven.legs]
    expected_lon = np.concatenate([parts[0][0], *(part[0][1:] for part in parts[1:])])
    moves = lambda x, y: int(((np.diff(x) != 0) | (np.diff(y) != 0)).sum())  # noqa: E731
    expected_lat = np.concatenate([parts[0][1], *(part[1][1:] for part in parts[1:])])
    assert moves(lon, lat) == moves(expected_lon.round(6), expected_lat.round(6))
    assert (lon[0], lat[0]) == pytest.approx((expected_lon[0], expected_lat[0]), abs=1e-6)
    found = plan_geojson(prepared.writer, plan, answer)
    assert len(found["features"]) == 1 + len(route["steps"])
