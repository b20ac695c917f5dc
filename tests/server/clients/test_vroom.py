"""VROOM, through the package pyvroom, plans tours on the server's tables and routes."""

import itertools
from typing import Any

import numpy as np
import pytest

from routing.engine import Engine
from server.benchmark.pairs import random_points

vroom = pytest.importorskip("vroom")

pytestmark = pytest.mark.compiled

Point = tuple[float, float]

VEHICLES = {"car": "car", "bike": "bicycle", "foot": "foot"}
"""Profiles as clients of OSRM call them, and what they are."""


def points_on(engine: Engine, n: int, seed: int) -> list[Point]:
    """Places with a road nearby, in six digits as VROOM writes them."""
    points = random_points(engine, n, seed).tolist()
    return [(round(lon, 6), round(lat, 6)) for lon, lat in points]


def whole_seconds(engine: Engine, points: list[Point], profile: str = "car") -> Any:
    """The table, in whole seconds as VROOM counts."""
    durations = engine.table(points, profile=VEHICLES[profile]).duration_s
    return np.floor(np.round(durations, 1) + 0.5).astype(int)


def solve(problem: Any) -> Any:
    return problem.solve(exploration_level=5, nb_threads=1)


def steps_of(solution: Any) -> list[tuple[str, int | None]]:
    rows = zip(solution.routes["type"], solution.routes["id"], strict=True)
    return [
        (kind, int(id_) if kind in ("job", "pickup", "delivery") else None) for kind, id_ in rows
    ]


@pytest.mark.parametrize("profile", VEHICLES)
def test_a_tour(server: str, engine: Engine, profile: str) -> None:
    """One vehicle goes the best of all ways round, and takes as long as the engine says."""
    points = points_on(engine, 7, 11)
    problem = vroom.Input(servers={profile: server.removeprefix("http://")})
    problem.add_vehicle(vroom.Vehicle(1, start=points[0], end=points[0], profile=profile))
    problem.add_job([vroom.Job(i, location=points[i]) for i in range(1, 7)])
    solution = solve(problem)
    assert not solution.unassigned
    order = [0, *(id_ for kind, id_ in steps_of(solution) if id_ is not None), 0]
    assert sorted(order) == [0, 0, 1, 2, 3, 4, 5, 6]

    seconds = whole_seconds(engine, points, profile)
    lengths = {
        tour: sum(seconds[a, b] for a, b in itertools.pairwise((0, *tour, 0)))
        for tour in itertools.permutations(range(1, 7))
    }
    assert solution.summary.duration == lengths[tuple(order[1:-1])]
    assert solution.summary.duration == min(lengths.values())
    trip = engine.trip(points, profile=VEHICLES[profile])
    assert trip.route.duration_s == pytest.approx(solution.summary.duration, abs=7)


def test_lines_and_lengths(server: str, engine: Engine) -> None:
    """With geometry it asks for the whole route too, and gets the metres the engine drives."""
    points = points_on(engine, 9, 12)
    problem = vroom.Input(servers={"car": server.removeprefix("http://")}, geometry=True)
    problem.add_vehicle(vroom.Vehicle(1, start=points[0], end=points[1], profile="car"))
    problem.add_job([vroom.Job(i, location=points[i]) for i in range(2, 9)])
    solution = solve(problem)
    order = [0, *(id_ for kind, id_ in steps_of(solution) if id_ is not None), 1]
    driven = engine.route([points[i] for i in order], continue_straight=False)
    assert solution.summary.distance == pytest.approx(driven.distance_m, abs=len(order))
    assert solution.summary.duration == pytest.approx(driven.duration_s, abs=len(order))
    assert solution.routes["distance"].max() == solution.summary.distance
    (route,) = solution.to_dict()["routes"]
    assert len(route["geometry"]) > 50


def test_shipments_and_capacities(server: str, engine: Engine) -> None:
    """Vans of two profiles carry what is to be carried, each pickup before its delivery."""
    points = points_on(engine, 22, 13)
    address = server.removeprefix("http://")
    problem = vroom.Input(servers={"car": address, "bike": address})
    for id_, profile in enumerate(("car", "car", "bike"), 1):
        problem.add_vehicle(
            vroom.Vehicle(id_, start=points[0], end=points[0], profile=profile, capacity=[3])
        )
    for i in range(1, 11):
        problem.add_shipment(
            vroom.ShipmentStep(i, location=points[2 * i]),
            vroom.ShipmentStep(i, location=points[2 * i + 1]),
            amount=vroom.Amount([1]),
        )
    solution = solve(problem)
    assert not solution.unassigned
    seconds = {profile: whole_seconds(engine, points, profile) for profile in ("car", "bike")}
    n_carried = 0
    for vehicle, rows in solution.routes.groupby("vehicle_id"):
        at, total, aboard = 0, 0, set()
        for kind, id_ in zip(rows["type"], rows["id"], strict=True):
            if kind in ("start", "end"):
                place = 0
            elif kind == "pickup":
                place = 2 * int(id_)
                aboard.add(id_)
            else:
                place = 2 * int(id_) + 1
                aboard.remove(id_)
                n_carried += 1
            assert len(aboard) <= 3
            total += seconds["bike" if vehicle == 3 else "car"][at, place]
            at = place
        assert rows["arrival"].max() == total
    assert n_carried == 10


def test_hundreds_of_places(server: str, engine: Engine) -> None:
    """A table as large as a URL can carry is answered."""
    points = points_on(engine, 300, 14)
    problem = vroom.Input(servers={"car": server.removeprefix("http://")})
    for id_ in range(8):
        problem.add_vehicle(
            vroom.Vehicle(id_, start=points[0], end=points[0], profile="car", capacity=[60])
        )
    problem.add_job([vroom.Job(i, location=points[i], delivery=[1]) for i in range(1, 300)])
    solution = problem.solve(exploration_level=0, nb_threads=1)
    assert not solution.unassigned
    assert sum(solution.routes["type"] == "job") == 299


def test_errors_are_told(server: str, engine: Engine) -> None:
    """What the server refuses is what VROOM says."""
    problem = vroom.Input(servers={"rocket": server.removeprefix("http://")})
    points = points_on(engine, 2, 15)
    problem.add_vehicle(vroom.Vehicle(1, start=points[0], profile="rocket"))
    problem.add_job(vroom.Job(1, location=points[1]))
    with pytest.raises(Exception, match="rocket"):
        solve(problem)
