"""Problems read from JSON: what VROOM's users send, and what is wrong told with the path to it."""

import copy
from typing import Any

import numpy as np
import pytest

from gis.arrays import INF
from routing.courier.problem import MAKESPAN, Courier, Job, Shipment, Stop
from routing.errors import QueryError, TooBig
from server.courier.reading import read_problem
from server.courier.solving import read_json
from server.errors import InvalidQuery, Unsupported

HERE, THERE = [24.9, 60.1], [24.95, 60.2]
WHOLE: dict[str, Any] = {
    "vehicles": [
        {
            "id": 3,
            "profile": "car",
            "description": "van",
            "start": HERE,
            "ends": [HERE, THERE],
            "capacity": [5, 100],
            "costs": {"fixed": 60, "per_hour": 1800, "per_km": 0},
            "skills": [1, 4],
            "time_window": [0, 28800],
            "breaks": [],
            "speed_factor": 1.5,
            "max_tasks": 8,
            "max_travel_time": 7200,
        }
    ],
    "jobs": [
        {
            "id": 1,
            "description": "post",
            "location": THERE,
            "setup": 20,
            "service": 30,
            "delivery": [1, 0],
            "pickup": [0, 2],
            "skills": [4],
            "priority": 10,
            "time_windows": [[0, 100], [200, 300]],
        }
    ],
    "shipments": [
        {
            "pickup": {"id": 1, "location": HERE, "service": 5},
            "delivery": {"id": 1, "location": THERE, "time_windows": [[50, 60]]},
            "amount": [2, 3],
            "priority": 100,
        }
    ],
    "options": {"g": True, "seconds": 3, "seed": 7},
    "objective": "makespan",
}


def test_everything() -> None:
    """Each member finds its place."""
    asked = read_problem(WHOLE, "car", 100)
    where = ["vehicles[0].start", "vehicles[0].ends[0]", "vehicles[0].ends[1]", "jobs[0]"]
    assert [spot.where for spot in asked.spots] == [
        *where,
        "shipments[0].pickup",
        "shipments[0].delivery",
    ]
    assert [list(spot.location or ()) for spot in asked.spots] == [
        HERE,
        HERE,
        THERE,
        THERE,
        HERE,
        THERE,
    ]
    window, skills = (0, 28800), frozenset({1, 4})
    assert asked.couriers == (
        Courier((0,), (1, 2), (5, 100), window, skills, 8, 7200, 1.5, 60, 1800),
    )
    stop = Stop(3, 30, 20, ((0, 100), (200, 300)))
    assert asked.jobs == (Job(stop, (1, 0), (0, 2), frozenset({4}), 10),)
    ends = Stop(4, 5), Stop(5, windows=((50, 60),))
    assert asked.shipments == (Shipment(*ends, (2, 3), priority=100),)
    wishes = asked.wishes
    assert (wishes.objective, wishes.seconds, wishes.seed) == (MAKESPAN, 3, 7)
    assert (wishes.geometry, wishes.geometries, wishes.iterations) == (True, "polyline", None)
    assert (asked.profile, asked.n_stops) == ("car", 3)
    problem = asked.problem(np.zeros((2, 2), np.uint32), (0, 0, 1, 1, 0, 1))
    assert (problem.couriers[0].starts, problem.couriers[0].ends) == ((0,), (0, 1))
    assert problem.jobs[0].stop.place == 1


def test_a_matrix() -> None:
    """Its rows are the places; null and what takes months is no way."""
    document = {
        "vehicles": [{"id": 1, "start_index": 0, "end_indices": [0, 1]}],
        "jobs": [{"id": 1, "location_index": 1}],
        "matrices": {"car": {"durations": [[0, 7.5], [None, 0]], "distances": [[0, 9], [4, 0]]}},
    }
    asked = read_problem(document, "car", 100)
    assert asked.matrix is not None
    assert asked.matrix.durations_cs.tolist() == [[0, 750], [INF, 0]]
    assert asked.matrix.distances_m.tolist() == [[0, 9], [4, 0]]
    assert [spot.index for spot in asked.spots] == [0, 0, 1, 1]
    document["matrices"] = {"car": {"durations": [[0, 10**8], [1, 0]]}}
    far = read_problem(document, "car", 100).matrix
    assert far is not None and far.durations_cs.tolist() == [[0, INF], [100, 0]]


def changed(path: str, value: Any) -> Any:
    """The document with another value at a path such as ``jobs.0.id``; ``...`` takes it away."""
    document = copy.deepcopy(WHOLE)
    *parents, last = (int(key) if key.isdigit() else key for key in path.split("."))
    part: Any = document
    for key in parents:
        part = part[key]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("shipments.0.delivery", ..., "shipments[0] has no delivery, expected pickup and delivery"),
        ("shipments.0.pickup", None, "shipments[0] has no pickup"),
        ("shipments.0", 7, "shipments[0] is a number, expected an object"),
        ("vehicles", [], "vehicles has no element, expected one or more"),
        ("vehicles", ..., "the problem has no vehicles"),
        ("vehicles", {}, "vehicles is an object, expected an array"),
        ("jobs.0.id", ..., "jobs[0] has no id"),
        ("jobs.0.id", -1, "jobs[0].id is -1, expected a whole number"),
        ("jobs.0.id", True, "jobs[0].id is true"),
        ("jobs.0.id", "a", 'jobs[0].id is "a"'),
        ("jobs.0.id", 2**70, "jobs[0].id is 1180591620717411303424, expected a whole number"),
        ("jobs.0.skills", [True, None], "jobs[0].skills is [true, null], expected whole numbers"),
        ("jobs.0.location", ..., "jobs[0].location is missing"),
        ("jobs.0.location", [1], "jobs[0].location is [1], expected [longitude, latitude]"),
        ("jobs.0.location", [200, 0], "jobs[0].location is [200, 0]"),
        ("jobs.0.location", ["1", "2"], 'jobs[0].location is ["1", "2"]'),
        ("jobs.0.location_index", 0, "jobs[0].location_index is 0, but there are no matrices"),
        ("jobs.0.service", -1, "jobs[0].service is -1, expected a number from 0 to 10000000000"),
        ("jobs.0.service", "5", 'jobs[0].service is "5"'),
        ("jobs.0.setup", 1e300, "jobs[0].setup is 1e+300"),
        ("jobs.0.servcie", 5, "jobs[0].servcie is unknown, expected"),
        ("jobs.0.priority", 101, "jobs[0].priority is 101, expected a whole number from 0 to 100"),
        ("jobs.0.skills", [1.5], "jobs[0].skills is [1.5]"),
        ("jobs.0.delivery", [1], "jobs[0].delivery has 1 quantities, expected 2 as the capacities"),
        ("jobs.0.delivery", [-1, 0], "jobs[0].delivery is [-1, 0]"),
        ("jobs.0.time_windows", [[9, 5]], "jobs[0].time_windows[0] ends at 5, before it begins"),
        ("jobs.0.time_windows", [[0, 9], [5, 10]], "jobs[0].time_windows[1] begins at 5, before"),
        ("jobs.0.time_windows", [5, 10], "jobs[0].time_windows[0] is 5, expected [begin, end]"),
        (
            "jobs.0.time_windows",
            [[-10, 5]],
            "[0] is [-10, 5], expected [begin, end] in seconds from 0 to 10000000000",
        ),
        (
            "vehicles.0.time_window",
            [0, 10**18],
            "is [0, 1000000000000000000], expected [begin, end] in seconds from 0 to 10000000000",
        ),
        ("jobs.0.time_windows", [], "jobs[0].time_windows is [], expected one window"),
        ("jobs.0.description", 5, "jobs[0].description is 5, expected a text"),
        ("vehicles.0.time_window", [5, 1], "vehicles[0].time_window ends at 1, before"),
        ("vehicles.0.starts", [HERE], "vehicles[0] has start and starts, expected one of them"),
        ("vehicles.0.ends", [HERE, 4], "vehicles[0].ends[1] is 4"),
        ("vehicles.0.capacity", [1] * 9, "vehicles[0].capacity is [1, 1, 1"),
        ("vehicles.0.speed_factor", 0, "vehicles[0].speed_factor is 0, expected a number from"),
        ("vehicles.0.costs", {"fixed": -1}, "vehicles[0].costs.fixed is -1"),
        ("vehicles.0.max_tasks", 1.5, "vehicles[0].max_tasks is 1.5"),
        ("objective", "speed", 'objective is "speed", expected one of travel, makespan'),
        ("options.objective", "travel", "objective is there twice"),
        ("options.geometries", "wkb", 'options.geometries is "wkb", expected one of'),
        ("options.g", 1, "options.g is 1, expected true or false"),
        ("options.iterations", 0, "options.iterations is 0"),
        ("options.seed", -1, "options.seed is -1"),
        ("options.seed", 2**31, "seed is 2147483648, expected a whole number from 0 to 2147483647"),
        ("options.seconds", -1, "options.seconds is -1, expected more than 0, at most 1000000"),
        ("options.seconds", 0, "options.seconds is 0, expected more than 0, at most 1000000"),
        ("options.seconds", True, "options.seconds is true, expected more than 0"),
        ("options.seconds", 1e7, "seconds is 10000000.0, expected more than 0, at most 1000000"),
        ("matrices", {}, "vehicles[0].start_index is missing, expected a row of the matrix"),
    ],
)
def test_what_is_wrong(path: str, value: Any, message: str) -> None:
    """It is told in one line that names the place."""
    with pytest.raises(InvalidQuery) as told:
        read_problem(changed(path, value), "car", 100)
    assert message in str(told.value)
    assert "\n" not in str(told.value) and len(str(told.value)) < 400


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("vehicles.0.breaks", [{"id": 1}], "vehicles[0].breaks"),
        ("vehicles.0.max_distance", 1000, "vehicles[0].max_distance"),
        ("vehicles.0.steps", [{"type": "start"}], "vehicles[0].steps"),
        ("vehicles.0.type", "van", "vehicles[0].type"),
        ("vehicles.0.costs.per_km", 5, "vehicles[0].costs.per_km"),
        ("vehicles.0.costs.per_task_hour", 5, "vehicles[0].costs.per_task_hour"),
        ("jobs.0.service_per_type", {"a": 1}, "jobs[0].service_per_type"),
        ("shipments.0.pickup.setup_per_type", {"a": 1}, "shipments[0].pickup.setup_per_type"),
        ("matrix", [[0]], "matrix"),
    ],
)
def test_what_is_not_supported(path: str, value: Any, name: str) -> None:
    """It is named, and never ignored; empty, it changes nothing."""
    with pytest.raises(Unsupported) as told:
        read_problem(changed(path, value), "car", 100)
    assert str(told.value).startswith(f"{name}: ")
    read_problem(changed(path, type(value)()), "car", 100)


@pytest.mark.parametrize(
    ("durations", "message"),
    [
        ([[0, 1]], "durations[0] is no array of 1"),
        ([[0, 1], [1]], "durations[1] is no array of 2"),
        ([[0, -1], [1, 0]], "durations[0][1] is -1, expected 0 or more"),
        ([[0, "1"], [1, 0]], 'durations[0][1] is "1", expected a number or null'),
        ([[0]], "jobs[0].location_index is 1, expected 0 to 0"),
        ([], "durations is empty"),
        (None, "matrices.car has no durations"),
        (..., "matrices has no 'car'"),
    ],
)
def test_wrong_matrices(durations: Any, message: str) -> None:
    """The row is named."""
    document = {
        "vehicles": [{"id": 1}],
        "jobs": [{"id": 1, "location_index": 1}],
        "matrices": {} if durations is ... else {"car": {"durations": durations}},
    }
    with pytest.raises(InvalidQuery) as told:
        read_problem(document, "car", 100)
    assert message in str(told.value)


def test_rows_that_are_not_there() -> None:
    """The member that has the index is named."""
    document = {
        "vehicles": [{"id": 1, "start_indices": [0, 9]}],
        "matrices": {"car": {"durations": [[0]]}},
    }
    with pytest.raises(InvalidQuery, match=r"^vehicles\[0\].start_indices\[1\] is 9, expected 0"):
        read_problem(document, "car", 100)


def test_numbers_are_told_as_they_came() -> None:
    """However many digits they have."""
    body = b'{"vehicles": [{"id": 123456789012345678901234567890}]}'
    with pytest.raises(InvalidQuery, match="id is 123456789012345678901234567890, expected"):
        read_problem(read_json(body), "car", 100)
    for digits in (b"9" * 400, b"9" * 5000):
        with pytest.raises(InvalidQuery):
            read_problem(read_json(b'{"vehicles": [{"id": %b}]}' % digits), "car", 100)


def test_ids_and_profiles() -> None:
    """Each id once per kind; one profile for all vehicles."""
    document = changed("jobs.0.id", 1)
    document["jobs"].append(copy.deepcopy(document["jobs"][0]))
    with pytest.raises(InvalidQuery, match=r"jobs\[1\].id is 1, as jobs\[0\].id is already"):
        read_problem(document, "car", 100)
    document = copy.deepcopy(WHOLE)
    document["vehicles"].append(document["vehicles"][0] | {"id": 9, "profile": "bike"})
    with pytest.raises(Unsupported, match=r"vehicles\[1\].profile is 'bike', but that of"):
        read_problem(document, "car", 100)


def test_too_much() -> None:
    """It is refused before it is read."""
    with pytest.raises(TooBig, match="10000 stops are more than the maximum of 9999"):
        read_problem({"vehicles": [{"id": 1}], "shipments": [None] * 5000}, "car", 9999)


def test_anything_else() -> None:
    """Whatever the value at whatever place, there is an answer or a clear error."""
    odd: list[Any] = [None, True, -1, 1.5, 1e400, "x", [], {}, [[]], [None], {"id": 1}, 2**70]

    def paths(value: Any, path: str) -> list[str]:
        below = value.items() if isinstance(value, dict) else enumerate(value)
        found = [path] if path else []
        for key, part in below if isinstance(value, dict | list) else ():
            at = f"{path}.{key}" if path else str(key)
            found += paths(part, at) if isinstance(part, dict | list) else [at]
        return found

    for path in paths(WHOLE, ""):
        for value in odd:
            try:
                read_problem(changed(path, value), "car", 100)
            except QueryError as error:
                assert str(error)
