"""The trip service."""

from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from asgi import Response, ask
from fake_engine import fake_state

from routing.engine import Engine
from server.app import create_app
from server.settings import Settings
from server.state import EngineState

POINTS = "24.94,60.167;24.95,60.175;24.93,60.17;24.945,60.165;24.935,60.173"
JSON = {"content-type": "application/json"}
FIXED = [
    ("true", "any", "any"),
    ("true", "first", "any"),
    ("true", "any", "last"),
    ("true", "first", "last"),
    ("false", "first", "any"),
    ("false", "any", "last"),
    ("false", "first", "last"),
]


@pytest.fixture(scope="module")
def city(dataset: Path) -> Any:
    return create_app(EngineState(Engine.open(dataset), dataset))


def fake(target: str, **settings: Any) -> Response:
    app = create_app(fake_state(Settings(**settings)))
    return ask(app, "GET", target)


def matrix(app: Any) -> Any:
    return ask(app, "GET", f"/table/v1/car/{POINTS}").json()["durations"]


@pytest.mark.parametrize(("roundtrip", "source", "destination"), FIXED)
def test_the_best_order(city: Any, roundtrip: str, source: str, destination: str) -> None:
    """No other order that is allowed takes less by the table, and the trip takes as long."""
    query = f"roundtrip={roundtrip}&source={source}&destination={destination}&steps=true"
    found = ask(city, "GET", f"/trip/v1/car/{POINTS}?{query}").json()
    (trip,) = found["trips"]
    places = [waypoint["waypoint_index"] for waypoint in found["waypoints"]]
    order = sorted(range(5), key=places.__getitem__)
    cells = matrix(city)

    def duration(stops: tuple[int, ...]) -> float:
        visits = (*stops, stops[0]) if roundtrip == "true" else stops
        return float(sum(cells[a][b] for a, b in pairwise(visits)))

    allowed = [
        stops
        for stops in permutations(range(5))
        if (source == "any" or stops[0] == 0)
        and (destination == "any" or stops[-1] == 4 or (roundtrip == "true" and source == "any"))
    ]
    assert duration(tuple(order)) == pytest.approx(min(map(duration, allowed)))
    assert trip["duration"] == pytest.approx(duration(tuple(order)), abs=0.3)
    assert len(trip["legs"]) == (5 if roundtrip == "true" else 4)
    assert all(leg["steps"][-1]["maneuver"]["type"] == "arrive" for leg in trip["legs"])
    assert [waypoint["trips_index"] for waypoint in found["waypoints"]] == [0] * 5
    if (source, destination) == ("any", "any"):
        assert order[0] == 0


def test_waypoints_are_in_the_order_of_the_request() -> None:
    """Each with its place in the trip."""
    found = fake("/trip/v1/car/3,1;1,1;2,1?generate_hints=false").json()
    assert [waypoint["location"][0] for waypoint in found["waypoints"]] == [3, 1, 2]
    assert [waypoint["waypoint_index"] for waypoint in found["waypoints"]] == [2, 0, 1]
    assert "waypoints" not in fake("/trip/v1/car/3,1;1,1?skip_waypoints=true").json()


def test_what_the_engine_is_asked() -> None:
    """All options reach it."""
    state = fake_state(Settings())
    query = "roundtrip=false&source=first&destination=last&radiuses=5;;unlimited&snapping=any"
    answer = ask(
        create_app(state),
        "GET",
        f"/trip/v1/car/3,1;1,1;2,1?{query}&bearings=10,20;;&approaches=;curb;",
    )
    assert answer.status == 200
    asked: Any = state.engine
    assert asked.asked | {"points": 0} == {
        "points": 0,
        "round_trip": False,
        "fixed_start": True,
        "fixed_end": True,
        "radiuses": (5.0, None, None),
        "bearings": ((10, 20), None, None),
        "approaches": (None, "curb", None),
        "profile": "car",
        "snapping": "any",
        "exclude": (),
        "depart_at": None,
    }


@pytest.mark.parametrize(
    ("target", "code", "message"),
    [
        ("1,1;2,2?roundtrip=false", "NotImplemented", "This request is not supported"),
        ("1,1;2,2?source=last", "InvalidQuery", "position 28"),
        ("1,1;2,2?destination=first", "InvalidQuery", "position 33"),
        ("1,1;2,2?continue_straight=true", "InvalidQuery", "position 21"),
        ("1,1", "InvalidOptions", "at least two"),
        ("1,1;2,2;3,3;4,4;5,5", "TooBig", "Too many trip coordinates"),
        ("1,1;2,95", "InvalidValue", "Invalid coordinate value."),
    ],
)
def test_what_is_wrong(target: str, code: str, message: str) -> None:
    """The errors that clients know."""
    answer = fake(f"/trip/v1/car/{target}", max_trip_coordinates=4)
    assert (answer.status, answer.json()["code"]) == (400, code)
    assert message in answer.json()["message"]


def test_post(city: Any) -> None:
    """A body says the same as a URL."""
    pairs = [list(map(float, point.split(","))) for point in POINTS.split(";")]
    body = f'{{"coordinates": {pairs}, "roundtrip": false, "source": "first"}}'.encode()
    posted = ask(city, "POST", "/trip/v1/car", body, JSON)
    got = ask(city, "GET", f"/trip/v1/car/{POINTS}?roundtrip=false&source=first")
    assert posted.status == 200 and posted.json() == got.json()
