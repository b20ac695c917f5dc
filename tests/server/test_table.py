"""The table service around a fake engine: rows, columns, estimates and rounding."""

import asyncio
import gzip
import json
from typing import Any

import numpy as np
import pytest
from asgi import ask, ask_in_loop
from fake_engine import SLOW, FakeEngine, FakeTable, fake_state

from gis.geodesy import distances_m, to_units
from routing.route import Waypoint
from server.api.osrm_json import HINT, table_answer, to_bytes
from server.api.osrm_params import TABLES, TableParams
from server.app import create_app
from server.settings import Settings

A, B, C, SOUTH = (24.91, 60.11), (24.92, 60.12), (24.95, 60.11), (24.91, -60.11)
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(fake_state())


def target(*points: tuple[float, float], query: str = "") -> str:
    path = ";".join(f"{lon},{lat}" for lon, lat in points)
    return f"/table/v1/car/{path}" + (f"?{query}" if query else "")


def table(app: Any, *points: tuple[float, float], query: str = "") -> Any:
    response = ask(app, "GET", target(*points, query=query))
    assert response.status == 200
    return response.json()


def test_all_to_all(app: Any) -> None:
    """A row for each source, a column for each destination; durations alone by default."""
    found = table(app, A, B, C)
    assert set(found) == {"code", "durations", "sources", "destinations"}
    assert found["code"] == "Ok"
    assert found["durations"] == [[0, 2000, 4000], [2000, 0, 4000], [4000, 4000, 0]]
    assert found["sources"] == found["destinations"]
    assert found["sources"][1] == {
        "name": "High Street",
        "location": [24.92, 60.12],
        "distance": 1.23456789,
        "hint": HINT,
    }


def test_some_to_some(app: Any) -> None:
    """Rows and columns follow the order of the indices, repeated ones included."""
    found = table(app, A, B, C, query="sources=2;0;2&destinations=1")
    assert found["durations"] == [[4000], [2000], [4000]]
    assert [w["location"][0] for w in found["sources"]] == [24.95, 24.91, 24.95]
    assert [w["location"][0] for w in found["destinations"]] == [24.92]
    found = table(app, A, B, C, query="sources=1&destinations=all")
    assert found["durations"] == [[2000, 0, 4000]]


@pytest.mark.parametrize(
    ("annotations", "members"),
    [
        ("duration", {"durations"}),
        ("distance", {"distances"}),
        ("duration,distance", {"durations", "distances"}),
        ("distance,duration", {"durations", "distances"}),
    ],
)
def test_annotations(app: Any, annotations: str, members: set[str]) -> None:
    """Which tables come is what was asked for."""
    found = table(app, A, B, query=f"annotations={annotations}")
    assert set(found) == {"code", "sources", "destinations"} | members
    if "distances" in members:
        assert found["distances"] == [[0, 20_000], [20_000, 0]]


def test_annotations_of_a_body(app: Any) -> None:
    """A flag means both tables or none."""
    for flag, members in ((True, {"durations", "distances"}), (False, set())):
        body = json.dumps({"coordinates": [A, B], "annotations": flag}).encode()
        found = ask(app, "POST", "/table/v1/car", body, JSON).json()
        assert set(found) == {"code", "sources", "destinations"} | members


def test_what_is_left_out(app: Any) -> None:
    """Waypoints, or only their hints."""
    assert set(table(app, A, B, query="skip_waypoints=true")) == {"code", "durations"}
    found = table(app, A, B, query="generate_hints=false")
    assert all("hint" not in w for w in found["sources"] + found["destinations"])


def test_unreachable_cells(app: Any) -> None:
    """They are null in both tables, even if all are."""
    query = "annotations=duration,distance"
    found = table(app, A, SOUTH, query=query)
    assert found["durations"] == found["distances"] == [[0, None], [None, 0]]
    assert "fallback_speed_cells" not in found
    found = table(app, A, SOUTH, query=f"{query}&sources=0&destinations=1")
    assert found["durations"] == found["distances"] == [[None]]


def test_fallback_speed(app: Any) -> None:
    """Unreachable cells get the straight line at that speed, and are listed."""
    (lon_a, lat_a), (lon_b, lat_b) = (to_units(np.array(point)) for point in (A, SOUTH))
    straight_m = float(distances_m(lon_a, lat_a, lon_b, lat_b))
    query = "annotations=duration,distance&fallback_speed=12.5"
    found = table(app, A, SOUTH, B, query=query)
    assert found["fallback_speed_cells"] == [[0, 1], [1, 0], [1, 2], [2, 1]]
    assert found["distances"][0][1] == found["distances"][1][0] == round(straight_m, 1)
    assert found["durations"][0][1] == round(straight_m / 12.5, 1)
    assert found["durations"][0][2] == 2000
    found = table(app, A, SOUTH, B, query=f"{query}&sources=2;0&destinations=0;1&scale_factor=2")
    assert found["fallback_speed_cells"] == [[0, 1], [1, 1]]
    assert found["durations"][1] == [0, round(straight_m / 12.5 * 2, 1)]
    assert found["distances"][1] == [0, round(straight_m, 1)]
    assert table(app, A, B, query=query)["fallback_speed_cells"] == []


@pytest.mark.parametrize("place", ["input", "snapped"])
def test_fallback_coordinate(place: str) -> None:
    """The straight line begins and ends where it was asked to."""
    ends = Waypoint(24.9, 60.1, 5.0, "", (1, 2)), Waypoint(24.9, 60.3, 5.0, "", (1, 2))
    fake: Any = FakeTable(np.array([[np.nan]]), np.array([[np.nan]]), ends[:1], ends[1:])
    params = TableParams(
        [(24.9, 60.1), (0, 0), (24.9, 60.2)],
        sources=(0,),
        destinations=(2,),
        annotations=frozenset(TABLES),
        fallback_speed=1.0,
        fallback_coordinate=place,
    )
    found = json.loads(to_bytes(table_answer(fake, params)))
    degrees = 0.1 if place == "input" else 0.2
    assert found["distances"][0][0] == pytest.approx(111_412 * degrees, rel=1e-3)
    assert found["durations"] == found["distances"]


@pytest.mark.parametrize("factor", ["0.5", "1", "2.5"])
def test_scale_factor(app: Any, factor: str) -> None:
    """It changes durations and nothing else."""
    query = "annotations=duration,distance"
    plain = table(app, A, B, SOUTH, query=query)
    found = table(app, A, B, SOUTH, query=f"{query}&scale_factor={factor}")
    scaled = [[x and x * float(factor) for x in row] for row in plain["durations"]]
    assert found == plain | {"durations": scaled}


def test_extreme_numbers(app: Any) -> None:
    """The largest durations are as OSRM cuts them; nothing becomes null or infinite."""
    huge, tiny = "9" * 400, f"0.{'0' * 330}1"
    for factor in ("1" + "0" * 20, huge):
        found = table(app, A, B, query=f"scale_factor={factor}")
        assert found["durations"] == [[0, 214748364.6], [214748364.6, 0]]
    assert table(app, A, B, query="scale_factor=0.0001")["durations"][0][1] == 0.2
    response = ask(app, "GET", target(A, SOUTH, query=f"fallback_speed={tiny}"))
    assert response.json()["message"] == "fallback_speed must be > 0"  # it is, as a float
    query = "annotations=duration,distance&fallback_speed"
    found = table(app, A, SOUTH, query=f"{query}={huge}")
    assert found["durations"] == [[0, 0], [0, 0]]
    found = table(app, A, SOUTH, query=f"{query}=0.{'0' * 300}1&scale_factor=2")
    assert found["durations"] == [[0, 214748364.6], [214748364.6, 0]]


def test_tenths_are_written_short() -> None:
    """What is rounded to a tenth has one digit behind the point in the text as well."""
    rng = np.random.default_rng(7)
    seconds = rng.integers(0, 10**8, (7, 500)) / 100
    seconds[3] = np.nan
    fake: Any = FakeTable(seconds, seconds, (), ())
    params = TableParams([A] * 500, annotations=frozenset(TABLES), skip_waypoints=True)
    text = to_bytes(table_answer(fake, params)).decode()
    numbers = text.translate(str.maketrans("[]{}:,", "      ")).split()
    numbers = [word for word in numbers if not word.startswith('"')]
    assert len(numbers) == 2 * seconds.size
    assert all(word == "null" or len(word.split(".")[1]) == 1 for word in numbers)


@pytest.mark.parametrize("shape", [(1, 60_001), (60_001, 1), (333, 401)])
def test_tables_written_in_parts(shape: tuple[int, int]) -> None:
    """A large table is the same as if it were written at once."""
    seconds = np.arange(shape[0] * shape[1]).reshape(shape) / 10
    fake: Any = FakeTable(seconds, None, (), ())
    text = to_bytes(table_answer(fake, TableParams([A] * 2, skip_waypoints=True)))
    assert np.array_equal(json.loads(text)["durations"], seconds)


def test_get_post_and_head_agree(app: Any) -> None:
    """The same question in a body has the same answer, and HEAD tells its length."""
    query = (
        "sources=0;2&destinations=1&annotations=duration,distance&fallback_speed=5"
        "&fallback_coordinate=snapped&scale_factor=2"
    )
    get = ask(app, "GET", target(A, B, SOUTH, query=query))
    body = {
        "coordinates": [A, B, SOUTH],
        "sources": [0, 2],
        "destinations": [1],
        "annotations": ["distance", "duration"],
        "fallback_speed": 5,
        "fallback_coordinate": "snapped",
        "scale_factor": 2,
    }
    post = ask(app, "POST", "/table/v1/car", json.dumps(body).encode(), JSON)
    assert (get.status, get.body) == (200, post.body)
    head = ask(app, "HEAD", target(A, B, SOUTH, query=query))
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["content-length"]) == len(get.body)


def test_compression(app: Any) -> None:
    """A table is compressed for those who accept it, wherever it is made."""
    for n in (5, 50):
        points = [A, B, C, SOUTH] * n
        plain = ask(app, "GET", target(*points))
        packed = ask(app, "GET", target(*points), headers={"accept-encoding": "gzip"})
        assert gzip.decompress(packed.body) == plain.body
        assert len(packed.body) < len(plain.body) / 3


def test_a_large_table_holds_up_nobody(app: Any) -> None:
    """Who asks for something short meanwhile has the answer at once."""
    finished = []

    async def request(name: str, *points: tuple[float, float]) -> None:
        assert (await ask_in_loop(app, "GET", target(*points))).status == 200
        finished.append(name)

    async def both() -> None:
        await asyncio.gather(request("large", (SLOW, 1), *[A] * 11), request("small", A, B))

    asyncio.run(both())
    assert finished == ["small", "large"]


def test_what_the_engine_is_asked() -> None:
    """Each point comes with its own limits; all to all is said so."""
    state = fake_state()
    app = create_app(state)
    engine = state.engine
    assert isinstance(engine, FakeEngine)
    options = "radiuses=1;2;unlimited&bearings=10,20;;30,40&approaches=;curb;opposite&snapping=any"
    ask(app, "GET", target(A, B, C, query=f"{options}&sources=2;0&destinations=1"))
    assert engine.asked == {
        "sources": [C, A],
        "destinations": [B],
        "profile": "car",
        "distances": False,
        "radiuses": [None, 1.0],
        "destination_radiuses": [2.0],
        "bearings": [(30, 40), (10, 20)],
        "destination_bearings": [None],
        "approaches": ["opposite", None],
        "destination_approaches": ["curb"],
        "snapping": "any",
        "exclude": (),
        "depart_at": None,
    }
    for query in ("", "sources=0;1&destinations=0;1", "sources=all&destinations=0;1"):
        ask(app, "GET", target(A, B, query=query))
        assert engine.asked == {
            "sources": [A, B],
            "destinations": None,
            "profile": "car",
            "distances": False,
            "radiuses": None,
            "bearings": None,
            "approaches": None,
            "snapping": "default",
            "exclude": (),
            "depart_at": None,
        }
    ask(app, "GET", target(A, B, query="annotations=distance"))
    assert engine.asked["distances"] is True


@pytest.mark.parametrize(
    ("query", "coordinate"),
    [("", 2), ("sources=2&destinations=0", 2), ("sources=0&destinations=1;2", 2)],
)
def test_missing_segment(app: Any, query: str, coordinate: int) -> None:
    """The coordinate is counted as it was given, whatever it is asked for."""
    found = ask(app, "GET", target(A, B, (50.0, 1.0), query=query)).json()
    assert found == {
        "code": "NoSegment",
        "message": f"Could not find a matching segment for coordinate {coordinate}",
    }


def test_largest_table() -> None:
    """What counts is the number of cells."""
    app = create_app(fake_state(Settings(max_table_cells=6)))
    points = [A, B, C, A, B, C]
    assert table(app, *points, query="sources=0")["durations"][0][2] == 4000
    assert len(table(app, *points, query="sources=0;1&destinations=2;3;4")["durations"]) == 2
    for query in ("", "sources=0;1&destinations=1;2;3;4", "sources=0;1;2;3;4;5;0&destinations=0"):
        response = ask(app, "GET", target(*points, query=query))
        assert response.status == 400
        assert response.json() == {"code": "TooBig", "message": "Too many table coordinates"}


def test_largest_table_by_default(app: Any) -> None:
    """A thousand times a thousand comes through, in a body."""
    coordinates = [(24 + i / 2000, 60 + i % 7 / 100) for i in range(1001)]
    body = {"coordinates": coordinates[:1000], "skip_waypoints": True}
    found = ask(app, "POST", "/table/v1/car", json.dumps(body).encode(), JSON)
    assert np.shape(found.json()["durations"]) == (1000, 1000)
    body["coordinates"] = coordinates
    found = ask(app, "POST", "/table/v1/car", json.dumps(body).encode(), JSON)
    assert found.json()["code"] == "TooBig"
