"""The match service."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from asgi import Response, ask
from fake_engine import fake_state

from routing.engine import Engine
from server.app import create_app
from server.settings import Settings
from server.state import EngineState

JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def engine(dataset: Path) -> Engine:
    return Engine.open(dataset)


@pytest.fixture(scope="module")
def city(engine: Engine, dataset: Path) -> Any:
    return create_app(EngineState(engine, dataset))


@pytest.fixture(scope="module")
def trace(engine: Engine) -> list[tuple[float, float]]:
    """Points along a route."""
    leg = engine.route([(24.94, 60.167), (24.95, 60.175)], profile="car").legs[0]
    chosen = range(0, len(leg.lon), max(len(leg.lon) // 12, 1))
    return [(round(float(leg.lon[i]), 6), round(float(leg.lat[i]), 6)) for i in chosen]


def path_of(points: list[tuple[float, float]]) -> str:
    return "/match/v1/car/" + ";".join(f"{lon:.6f},{lat:.6f}" for lon, lat in points)


def fake(target: str, **settings: Any) -> Response:
    return ask(create_app(fake_state(Settings(**settings))), "GET", target)


def failure(response: Response) -> tuple[int, str, str]:
    found = response.json()
    assert set(found) == {"code", "message"}
    return response.status, found["code"], found["message"]


def test_a_trace(city: Any, trace: list[tuple[float, float]]) -> None:
    """Matchings are routes with a confidence, tracepoints waypoints that say where they belong."""
    query = "?steps=true&annotations=true&overview=full&geometries=geojson"
    found = ask(city, "GET", path_of(trace) + query).json()
    assert set(found) == {"code", "matchings", "tracepoints"}
    (matching,) = found["matchings"]
    assert 0 < matching["confidence"] <= 1
    assert len(matching["legs"]) == len(trace) - 1
    assert all(leg["steps"] and leg["annotation"]["nodes"] for leg in matching["legs"])
    line = matching["geometry"]["coordinates"]
    for i, point in enumerate(found["tracepoints"]):
        assert (point["matchings_index"], point["waypoint_index"]) == (0, i)
        assert point["alternatives_count"] >= 0
        assert {"name", "location", "distance", "hint"} < set(point)
        assert point["location"] == pytest.approx(list(trace[i]), abs=1.5e-4)
    assert line[0] == pytest.approx(list(trace[0]), abs=1.5e-4)
    assert line[-1] == pytest.approx(list(trace[-1]), abs=1.5e-4)


def test_every_method(city: Any, trace: list[tuple[float, float]]) -> None:
    """GET, HEAD and POST answer alike."""
    times = list(range(0, 5 * len(trace), 5))
    query = "?gaps=ignore&timestamps=" + ";".join(map(str, times))
    get = ask(city, "GET", path_of(trace) + query)
    body = {"coordinates": trace, "gaps": "ignore", "timestamps": times}
    post = ask(city, "POST", "/match/v1/car", body=orjson.dumps(body), headers=JSON)
    assert get.status == post.status == 200
    assert get.json() == post.json()
    head = ask(city, "HEAD", path_of(trace) + query)
    assert (head.status, head.body) == (200, b"")


def test_outliers_gaps_and_waypoints(city: Any, trace: list[tuple[float, float]]) -> None:
    """What is not matched is null, a gap begins another matching, waypoints end legs."""
    last = len(trace) - 1
    outlier = [*trace[:4], (trace[4][0] + 0.5, trace[4][1]), *trace[5:]]
    found = ask(city, "GET", path_of(outlier) + "?overview=false").json()
    assert [i for i, point in enumerate(found["tracepoints"]) if point is None] == [4]
    assert len(found["matchings"][0]["legs"]) == last - 1
    times = ";".join(str(5 * i + 61 * (i > 4)) for i in range(len(trace)))
    found = ask(city, "GET", path_of(trace) + f"?timestamps={times}").json()
    assert [point["matchings_index"] for point in found["tracepoints"]] == [0] * 5 + [1] * (
        last - 4
    )
    found = ask(city, "GET", path_of(trace) + f"?waypoints=0;3;{last}").json()
    indices = [point["waypoint_index"] for point in found["tracepoints"]]
    assert [i for i in indices if i is not None] == [0, 1, 2]
    assert len(found["matchings"][0]["legs"]) == 2
    found = ask(city, "GET", path_of(trace) + "?skip_waypoints=true&generate_hints=false").json()
    assert set(found) == {"code", "matchings"}


def test_tidy_and_radiuses(city: Any, trace: list[tuple[float, float]]) -> None:
    """Points beside others are left out; a radius is a third of how far a road may be."""
    twice = [point for point in trace for _ in range(2)]
    found = ask(city, "GET", path_of(twice) + "?tidy=true").json()
    assert sum(point is None for point in found["tracepoints"]) >= len(trace) - 2
    away = [(lon, lat + 0.0002) for lon, lat in trace]
    wide = ";".join(["30"] * len(away))
    found = ask(city, "GET", path_of(away) + f"?radiuses={wide}").json()
    assert all(point is not None for point in found["tracepoints"])


def test_what_has_no_answer(city: Any, trace: list[tuple[float, float]]) -> None:
    """One point without a road is no error of that point; none with a road is."""
    far = (trace[0][0] + 0.5, trace[0][1])
    assert failure(ask(city, "GET", path_of([trace[0], far]))) == (
        400,
        "NoMatch",
        "Could not match the trace.",
    )
    assert failure(ask(city, "GET", path_of([far, far]))) == (
        400,
        "NoSegment",
        "Could not find a matching segment for any coordinate.",
    )


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        ("?timestamps=1;2;1", "InvalidValue", "Timestamps need to be monotonically increasing."),
        ("?waypoints=0;1", "InvalidValue", "First and last coordinates must be specified as"),
        ("?timestamps=1;2", "InvalidOptions", "Number of elements in timestamps size 2 does not"),
        ("?waypoints=0;9", "InvalidOptions", "Waypoints must be indices below"),
        ("?radiuses=1;2", "InvalidOptions", "Number of elements in radiuses size 2 does not"),
        ("?gaps=some", "InvalidQuery", "Query string malformed close to position"),
        ("?alternatives=1", "InvalidQuery", "Query string malformed close to position"),
        ("?continue_straight=true", "InvalidQuery", "Query string malformed close to position"),
        ("?tidy=1", "InvalidQuery", "Query string malformed close to position"),
    ],
)
def test_what_cannot_be_asked(
    city: Any, trace: list[tuple[float, float]], query: str, code: str, message: str
) -> None:
    """Each mistake has its code and message."""
    found = failure(ask(city, "GET", path_of(trace[:3]) + query))
    assert found[:2] == (400, code)
    assert found[2].startswith(message)


def test_limits() -> None:
    """More coordinates or larger radiuses than the settings allow are refused."""
    many = ";".join(["1,1"] * 6)
    found = failure(fake(f"/match/v1/car/{many}", max_match_coordinates=5))
    assert found == (400, "TooBig", "Too many trace coordinates")
    found = failure(fake("/match/v1/car/1,1;2,2?radiuses=;51", max_match_radius=50))
    assert found == (400, "TooBig", "Radius search size is too large for map matching.")
    found = failure(fake("/match/v1/car/1,1"))
    assert found[1:] == ("InvalidOptions", "Number of coordinates needs to be at least two.")
    found = failure(fake("/match/v1/car/1,1;2,91"))
    assert found[1:] == ("InvalidValue", "Invalid coordinate value.")
