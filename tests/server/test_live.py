"""Live speeds over HTTP, in one process and without a network."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from asgi import Response, ask
from engines import engine_of
from world import World

from routing.engine import Engine
from server.app import create_app
from server.live.journal import Journal
from server.settings import Settings
from server.state import EngineState

TOKEN = "a-token-of-24-characters"
TOWN = """
    a---b---c
    |   |   |
    d---e---f
    """
STREETS = tuple(a + b for row in ("abc", "def", "ad", "be", "cf") for a, b in pairwise(row))
JSON = {"content-type": "application/json"}
CSV = {"content-type": "text/csv; charset=utf-8"}
SPEEDS = "/live/v1/plain/speeds"


def town(**tags: str) -> World:
    return World(TOWN, "\n".join(f"{s} {tags.get(s, 'highway=x')}" for s in STREETS))


def way(letters: str) -> int:
    return town().way_id(letters)


@pytest.fixture(autouse=True)
def _memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shared is kept where it does not outlast the test."""
    monkeypatch.setattr("routing.live.files.MEMORY", tmp_path)


class Server:
    """A worker of a server on a folder."""

    def __init__(self, folder: Path, engine: Engine | None = None, **settings: Any) -> None:
        chosen = Settings(**({"admin_token": TOKEN} | settings))
        self.state = EngineState(engine or engine_of(town()), folder / "town.whimbrel", chosen)
        self.state.live.restore(self.state.engine)
        self.app = create_app(self.state)

    def admin(
        self, method: str, body: Any = b"", headers: dict[str, str] | None = None
    ) -> Response:
        if not isinstance(body, bytes | list):
            body, headers = json.dumps(body).encode(), JSON | (headers or {})
        token = {"authorization": f"Bearer {TOKEN}"}
        return ask(self.app, method, SPEEDS, body, token | (headers or {}))

    def put(self, rows: list[dict[str, Any]], method: str = "PUT") -> dict[str, Any]:
        response = self.admin(method, {"speeds": rows})
        assert response.status == 200, response.text
        return dict(response.json())

    def table(self, version: int) -> list[list[float | None]]:
        """All durations, by the version that the answer must name."""
        points = ";".join("{:.6f},{:.6f}".format(*town().position(x)) for x in "abcdef")
        response = ask(self.app, "GET", f"/table/v1/plain/{points}")
        assert response.headers["whimbrel-weights"] == str(version)
        assert response.headers["whimbrel-dataset"] == self.state.engine.data_id
        durations: list[list[float | None]] = response.json()["durations"]
        return durations

    def stop(self) -> None:
        self.state.live.close()


def drawn(folder: Path, **tags: str) -> list[list[float | None]]:
    """The durations in a town with other streets."""
    return Server(folder / "drawn", engine_of(town(**tags)), admin_token="").table(0)


@pytest.fixture
def server(tmp_path: Path) -> Any:
    found = Server(tmp_path)
    yield found
    found.stop()


def test_nothing_in_force(server: Server) -> None:
    answer = server.admin("GET").json()
    assert answer["weights"] == answer["known"] == answer["unknown"] == 0
    assert answer["speeds"] == [] and answer["changed"] == ""


def test_replace_update_and_clear(server: Server, tmp_path: Path) -> None:
    """Each change is in force when it is answered, for every worker, under its number."""
    other = Server(tmp_path)
    nodes = [ord("d"), ord("e")]
    answer = server.put(
        [{"way": way("ab"), "speed": 9}, {"nodes": nodes, "speed": 0}, {"way": 7, "speed": 1}]
    )
    assert (answer["weights"], answer["known"], answer["unknown"]) == (1, 2, 1)
    assert answer["unknown_speeds"] == [{"way": 7, "speed": 1}] and "speeds" not in answer
    changed = {"ab": "highway=x kmh=9", "de": "highway=x oneway=-1"}
    assert server.table(1) == other.table(1) == drawn(tmp_path, **changed)

    answer = other.put(
        [{"way": way("ab"), "speed": None}, {"way": way("be"), "speed": 12}], "PATCH"
    )
    assert (answer["weights"], answer["known"], answer["unknown"]) == (2, 2, 1)
    changed = {"be": "highway=x kmh=12", "de": "highway=x oneway=-1"}
    assert server.table(2) == other.table(2) == drawn(tmp_path, **changed)
    found = server.admin("GET").json()
    assert found["speeds"] == [
        {"nodes": nodes, "speed": 0},
        {"way": 7, "speed": 1},
        {"way": way("be"), "speed": 12},
    ]
    assert found["weights"] == 2 and found["changed"].endswith("Z")

    text = f"{way('cf')},0\n{ord('e')},{ord('f')},18\n".encode()
    assert server.admin("PUT", text, CSV).json()["known"] == 2
    changed = {"cf": "highway=closed", "ef": "highway=x"}
    assert server.table(3) != drawn(tmp_path, **changed)
    server.admin("PUT", text + f"{ord('f')},{ord('e')},18".encode(), CSV)
    changed["ef"] = "highway=x kmh=18"
    assert server.table(4) == other.table(4) == drawn(tmp_path, **changed)

    assert server.admin("DELETE").json()["weights"] == 5
    assert server.table(5) == other.table(5) == drawn(tmp_path)
    assert server.admin("GET").json()["speeds"] == []
    other.stop()


def test_closed_roads_are_nowhere_to_stand(server: Server) -> None:
    """Who stands on a closed road is taken to the next one."""
    (x, y), (to_x, to_y) = (town().position(letter) for letter in "be")
    target = f"/nearest/v1/plain/{(x + to_x) / 2},{(y + to_y) / 2}"
    assert ask(server.app, "GET", target).json()["waypoints"][0]["distance"] < 1
    server.put([{"way": way("be"), "speed": 0}])
    response = ask(server.app, "GET", target)
    assert response.json()["waypoints"][0]["distance"] > 50
    assert response.headers["whimbrel-weights"] == "1"


def test_who_is_shut_in(server: Server) -> None:
    """A road that is open, but which closed ones surround, leads nowhere, as in OSRM."""
    (x, y), (to_x, to_y) = (town().position(letter) for letter in "be")
    far_x, far_y = town().position("d")
    there, beside = (f"{x + (to_x - x) * f},{y + (to_y - y) * f}" for f in (0.4, 0.6))
    server.put([{"way": way(street), "speed": 0} for street in ("ab", "bc", "de", "ef")])
    away = ask(server.app, "GET", f"/route/v1/plain/{there};{far_x},{far_y}")
    assert (away.status, away.json()["code"]) == (400, "NoRoute")
    assert ask(server.app, "GET", f"/route/v1/plain/{there};{beside}").json()["code"] == "Ok"
    nearest = ask(server.app, "GET", f"/nearest/v1/plain/{there}").json()
    assert nearest["waypoints"][0]["distance"] < 1


def test_annotations_tell_where_speeds_come_from(server: Server) -> None:
    server.put([{"nodes": [ord("a"), ord("b")], "speed": 30}])
    a, c = ("{:.6f},{:.6f}".format(*town().position(letter)) for letter in "ac")
    target = f"/route/v1/plain/{a};{c}?annotations=datasources,nodes&overview=false"
    found = ask(server.app, "GET", target).json()["routes"][0]["legs"][0]["annotation"]
    assert found["nodes"] == [ord(x) for x in "abc"] and found["datasources"] == [1, 0]
    assert found["metadata"]["datasource_names"] == ["profile", "live"]


def test_a_restart(tmp_path: Path, server: Server) -> None:
    """What is in force outlives processes and shared memory, and the numbers go on."""
    for speed in (9, 5, 0):
        server.put([{"way": way("ab"), "speed": speed}])
    shared = server.state.engine.live_folder(str(tmp_path / "town.whimbrel.state"))
    assert (shared / "version-3").exists()
    server.stop()
    assert not shared.exists()
    again = Server(tmp_path)
    assert again.table(3) == drawn(tmp_path, ab="highway=closed")
    assert again.put([])["weights"] == 4
    again.stop()
    last = Server(tmp_path)
    assert last.table(4) == drawn(tmp_path)
    last.stop()


def test_a_server_that_nobody_administers(tmp_path: Path, server: Server) -> None:
    """It answers from what another one has put in force, and has no such service."""
    server.put([{"way": way("ab"), "speed": 0}])
    public = Server(tmp_path, admin_token="")
    assert public.table(1) == server.table(1)
    assert public.admin("GET").json()["code"] == "InvalidService"
    assert public.admin("PUT", {"speeds": []}).status == 405
    assert not any("live" in path for path in public.app.openapi()["paths"])
    server.put([])
    assert public.table(2) == drawn(tmp_path)


def test_another_dataset(tmp_path: Path, server: Server) -> None:
    """Speeds are in force for the data that takes the place of other data, as far as it goes."""
    server.put([{"way": way("ab"), "speed": 0}, {"nodes": [ord("c"), ord("f")], "speed": 9}])
    smaller = engine_of(World("a---b\n|   |\nd---e", "ab highway=x\nad highway=x\nbe highway=x"))
    smaller._data = "data-fedcba9876543210"
    server.state.live.restore(smaller)
    server.state.engine = smaller
    answer = server.admin("GET").json()
    assert (answer["known"], answer["unknown"]) == (1, 1)
    assert answer["dataset"] == smaller.data_id
    a, b = ("{:.6f},{:.6f}".format(*town().position(letter)) for letter in "ab")
    response = ask(server.app, "GET", f"/route/v1/plain/{a};{b}?radiuses=1;1")
    assert response.json()["code"] == "NoRoute" and response.status == 400
    assert server.put([])["weights"] == 2
    assert ask(server.app, "GET", f"/route/v1/plain/{a};{b}").status == 200


def test_put_while_the_dataset_changes(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is put in force for data that is just being replaced is in force for the new data."""
    newer = engine_of(town(de="highway=closed"))
    newer._data = "data-fedcba9876543210"
    server.state.live.restore(newer)
    write = Journal.write

    def swap_and_write(journal: Journal, entry: Any) -> None:
        server.state.engine = newer
        write(journal, entry)

    monkeypatch.setattr(Journal, "write", swap_and_write)
    server.put([{"way": way("bc"), "speed": 0}])
    monkeypatch.undo()
    assert server.table(1) == drawn(tmp_path, bc="highway=closed", de="highway=closed")


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_the_token_is_asked_for(server: Server, method: str) -> None:
    for headers in ({}, {"authorization": "Bearer wrong"}):
        response = ask(server.app, method, SPEEDS, b'{"speeds":[]}', JSON | headers)
        assert (response.status, response.json()["code"]) == (401, "Unauthorized")
    assert server.admin("GET").json()["weights"] == 0


WRONG: list[tuple[Any, dict[str, str], int, str]] = [
    (b"", JSON, 400, "invalid JSON"),
    (b"[]", JSON, 400, "must be a JSON object with speeds"),
    (b"{}", JSON, 400, "must be a JSON object with speeds"),
    (b'{"speeds":[{"way":1,"speed":1},{"way":1}]}', JSON, 400, "speeds[1] has no speed"),
    (b'{"speeds":[{"way":1,"speed":null}]}', JSON, 400, "speeds[0].speed must be a number"),
    (b"1,2,3\n1,2,x", CSV, 400, "line 2: 'x' is no speed"),
    (b"1,2,3", {"content-type": "text/plain"}, 415, "application/json or as text/csv"),
    (b"1,2,3", {}, 415, "application/json or as text/csv"),
    ([b"1,2,3\n" * 99] * 2, CSV, 413, "maximum of 1000 bytes"),
    (
        b"1,2,3\n4,5,6\n7,8,9\n1,9",
        CSV,
        400,
        "Number of speeds 4 is higher than current maximum (3)",
    ),
]


@pytest.mark.parametrize(("body", "headers", "status", "message"), WRONG)
def test_what_is_wrong(
    tmp_path: Path, body: Any, headers: dict[str, str], status: int, message: str
) -> None:
    """The row is named, and all is as it was."""
    server = Server(tmp_path, max_live_body_bytes=1000, max_live_speeds=3)
    server.put([{"way": way("ab"), "speed": 9}])
    response = server.admin("PUT", body, headers)
    assert response.status == status, response.text
    assert message in response.json()["message"] and "\n" not in response.json()["message"]
    assert server.admin("GET").json()["weights"] == 1
    server.stop()


def test_an_unknown_profile(server: Server) -> None:
    target, token = "/live/v1/ship/speeds", {"authorization": f"Bearer {TOKEN}"}
    for method in ("GET", "PUT", "DELETE"):
        response = ask(server.app, method, target, b"{}", token | JSON)
        assert (response.status, response.json()["code"]) == (400, "InvalidValue")


def test_the_document_describes_it(server: Server) -> None:
    """All methods, with what they may answer."""
    described = server.app.openapi()["paths"]["/live/v1/{profile}/speeds"]
    assert set(described) == {"get", "put", "patch", "delete"}
    assert set(described["put"]["requestBody"]["content"]) == {"application/json", "text/csv"}
    assert {"200", "400", "401", "409", "413", "415", "500"} <= set(described["put"]["responses"])


def test_a_disk_that_is_full(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it cannot be kept it is not put in force."""
    server.put([{"way": way("ab"), "speed": 9}])
    before = server.table(1)

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("server.live.journal.os.fsync", fail)
    assert server.admin("PUT", {"speeds": []}).json()["code"] == "InternalError"
    monkeypatch.undo()
    assert server.table(1) == before and server.admin("GET").json()["known"] == 1
    assert server.put([])["weights"] == 2
