"""A time of departure and excluded classes, as HTTP and the command line take them."""

import json
from pathlib import Path
from typing import Any

import pytest
from asgi import ask
from engines import engine_of
from world import World

from gis.profiles.car import PROFILE as CAR
from server.app import create_app
from server.cli import run
from server.state import EngineState

WORLD = World(
    """
    a---b---c---d
        |   |
        e---f
    """,
    """
    ab  highway=primary
    bc  highway=primary toll=yes motor_vehicle:conditional='no @ (Mo-Fr 07:00-09:00)'
    cd  highway=primary
    be  highway=residential
    ef  highway=residential
    fc  highway=residential
    """,
)
STRAIGHT, AROUND = 1200, 1600
MORNING = "2026-11-30T08:15"


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(EngineState(engine_of(WORLD, CAR), Path("drawn.whimbrel")))


def place(letter: str) -> str:
    lon, lat = WORLD.position(letter)
    return f"{lon:.7f},{lat:.7f}"


QUERIES = [
    ("", STRAIGHT),
    (f"depart_at={MORNING}", AROUND),
    (f"depart_at={MORNING}:30", AROUND),
    ("depart_at=2026-11-30T06:15Z", AROUND),
    ("depart_at=2026-11-30T11:15%2B05:00", AROUND),
    ("depart_at=2026-11-30T11:15+0500", AROUND),
    ("depart_at=2026-11-30T09:00", STRAIGHT),
    ("depart_at=2026-11-29T08:15", STRAIGHT),
    ("exclude=toll", AROUND),
    ("exclude=motorway", STRAIGHT),
    ("exclude=toll&depart_at=2026-11-29T08:15", AROUND),
]


@pytest.mark.parametrize(("query", "metres"), QUERIES)
def test_route_and_table(app: Any, query: str, metres: int) -> None:
    """The way through, or the way around, by every spelling of a time; a table agrees."""
    ends = f"{place('a')};{place('d')}"
    (route,) = ask(app, "GET", f"/route/v1/car/{ends}?{query}".rstrip("?")).json()["routes"]
    assert route["distance"] == pytest.approx(metres, rel=1e-3)
    target = f"/table/v1/car/{ends}?annotations=distance&{query}".rstrip("&")
    assert ask(app, "GET", target).json()["distances"][0][1] == route["distance"]


def test_body(app: Any) -> None:
    """A JSON body takes both, too."""
    points = [list(WORLD.position(letter)) for letter in "ad"]
    for members in ({"depart_at": MORNING}, {"exclude": ["toll"]}):
        body = json.dumps({"coordinates": points} | members).encode()
        headers = {"content-type": "application/json"}
        response = ask(app, "POST", "/route/v1/car", body, headers)
        assert response.json()["routes"][0]["distance"] == pytest.approx(AROUND, rel=1e-3)


def test_nearest_and_isochrone(app: Any) -> None:
    """Nobody stands on a road that is excluded or closed then."""
    (x, y), (to_x, _) = WORLD.position("b"), WORLD.position("c")
    middle = f"{(x + to_x) / 2:.7f},{y:.7f}"
    for query, near in (("", True), (f"depart_at={MORNING}&", False), ("exclude=toll&", False)):
        (waypoint,) = ask(app, "GET", f"/nearest/v1/car/{middle}?{query}number=1").json()[
            "waypoints"
        ]
        assert (waypoint["distance"] < 1) == near
        target = f"/isochrone/v1/car/{middle}?{query}contours_meters=50&polygons=false"
        assert ask(app, "GET", target).status == 200


@pytest.mark.parametrize("service", ["route", "table", "nearest", "isochrone"])
@pytest.mark.parametrize("exclude", ["tolls", "toll,ferry", "TOLL"])
def test_combinations_that_are_not_declared(app: Any, service: str, exclude: str) -> None:
    """They are refused as OSRM does it."""
    points = place("a") if service in ("nearest", "isochrone") else f"{place('a')};{place('d')}"
    more = "contours_meters=50&" if service == "isochrone" else ""
    response = ask(app, "GET", f"/{service}/v1/car/{points}?{more}exclude={exclude}")
    assert response.status == 400
    assert response.json() == {
        "code": "InvalidValue",
        "message": "Exclude flag combination is not supported.",
    }


def test_days_that_there_are_not(app: Any) -> None:
    """A time of the right shape that is none."""
    target = f"/route/v1/car/{place('a')};{place('d')}?depart_at=2026-02-30T08:15"
    response = ask(app, "GET", target)
    assert (response.status, response.json()["code"]) == (400, "InvalidOptions")
    assert "2026-02-30T08:15" in response.json()["message"]


@pytest.mark.compiled
@pytest.mark.usefixtures("kernels")
def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands take both as options, and batches answer by them."""
    extract = WORLD.write_osm(tmp_path / "drawn.osm")
    dataset, ends = tmp_path / "drawn.whimbrel", [place("a"), place("d")]
    assert run(["build", str(extract), "-o", str(dataset)]) == 0
    rows = tmp_path / "rows.csv"
    header = "origin_lon,origin_lat,destination_lon,destination_lat"
    rows.write_text(f"{header}\n{','.join(ends)}\n", encoding="utf-8")
    for options, metres in (
        ([], STRAIGHT),
        (["--depart-at", MORNING], AROUND),
        (["--exclude", "toll"], AROUND),
    ):
        capsys.readouterr()
        assert run(["route", str(dataset), *ends, "--json", *options]) == 0
        found = json.loads(capsys.readouterr().out)["routes"][0]["distance"]
        assert found == pytest.approx(metres, rel=1e-3)
        output = tmp_path / f"{len(list(tmp_path.iterdir()))}.csv"
        call = ["batch", str(dataset), str(rows), "-o", str(output), "-j", "1", *options]
        assert run(call) == 0
        written = output.read_text(encoding="utf-8").splitlines()[1]
        assert f"{found:.0f}" in written
    assert run(["route", str(dataset), *ends, "--exclude", "toll,ferry"]) == 2
    assert run(["route", str(dataset), *ends, "--depart-at", "soon"]) == 2
