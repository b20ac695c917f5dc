"""Tiles of drawn worlds and of the sample, as clients decode them."""

import math
from pathlib import Path
from typing import Any

import mapbox_vector_tile
import numpy as np
import pytest
import shapely
from engines import engine_of
from world import World

from gis.network.road_class import RoadClass
from gis.profiles.registry import get_profile
from routing.build import build_dataset
from routing.engine import Engine
from routing.errors import InvalidInput
from routing.tiles.roads import CLASS_WORDS

ROADS = World(
    """
    a---b---c---d
        |   |
        e   f---g
    """,
    """
    ab highway=primary name='High Street' maxspeed=50
    bcd highway=primary name='High Street' maxspeed=50
    be highway=residential oneway=yes
    cf highway=service
    fg highway=footway
    """,
    metres=20.0,
    origin=(9327.03 / 2**14 * 360 - 180, 60.18),
)
"""In one tile even at zoom 15."""
LETTERS = {"a-b": "ab", "b-c": "bc", "c-d": "cd", "b-e": "be", "c-f": "cf"}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return engine_of(ROADS, get_profile("car"))


def tile_around(letter: str, zoom: int, world: World = ROADS) -> tuple[int, int, int]:
    lon, lat = world.position(letter)
    angle = math.radians(lat)
    y = (1 - math.log(math.tan(angle) + 1 / math.cos(angle)) / math.pi) / 2
    return int((lon + 180) / 360 * 2**zoom), int(y * 2**zoom), zoom


def decode(data: bytes) -> Any:
    return mapbox_vector_tile.decode(data, default_options={"y_coord_down": True})


def speeds(engine: Engine, zoom: int = 14) -> list[Any]:
    return decode(engine.tile(*tile_around("c", zoom)))["speeds"]["features"]


def of_class(features: list[Any], word: str) -> list[dict[str, Any]]:
    return [f["properties"] for f in features if f["properties"]["class"] == word]


def test_fields(engine: Engine) -> None:
    """Each road has what OSRM tells of it, of the same types, and our class and direction."""
    features = speeds(engine)
    assert len(features) == len(LETTERS)  # none for those on foot
    for feature in features:
        kinds = {name: type(value) for name, value in feature["properties"].items()}
        assert kinds == {
            "speed": int,
            "is_small": bool,
            "datasource": str,
            "weight": float,
            "duration": float,
            "name": str,
            "rate": float,
            "is_startpoint": bool,
            "class": str,
            "oneway": bool,
        }
    (side,) = of_class(features, "residential")
    assert side["oneway"] and side["name"] == ""
    main = of_class(features, "primary")
    assert [road["name"] for road in main] == ["High Street"] * 3
    assert {road["speed"] for road in main} <= {40}
    for road in main:
        assert not road["oneway"] and road["datasource"] == "profile"
        assert road["duration"] == road["weight"] > 0
        assert road["rate"] == pytest.approx(40 / 36, abs=0.06)
        assert road["is_startpoint"]
    assert [road["class"] for road in of_class(features, "service")] == ["service"]
    ids = [feature["id"] for feature in features]
    assert len(set(ids)) == len(ids) and 0 not in ids


def test_geometry(engine: Engine) -> None:
    """Lines lead where the roads do, oneway streets in their direction."""
    x, y, zoom = tile_around("c", 15)
    features = decode(engine.tile(x, y, zoom))["speeds"]["features"]
    (side,) = [f for f in features if f["properties"]["oneway"]]
    first, last = side["geometry"]["coordinates"]
    for letter, found in (("b", first), ("e", last)):
        lon, lat = (math.radians(part) for part in ROADS.position(letter))
        column = (math.degrees(lon) + 180) / 360 * 2**zoom - x
        row = (1 - math.asinh(math.tan(lat)) / math.pi) / 2 * 2**zoom - y
        assert found == pytest.approx([4096 * column, 4096 * row], abs=0.6)


def test_closed_now(engine: Engine) -> None:
    """What is closed since has the speed 0, in the directions in which it is closed."""
    b, e, c, f = (ord(letter) for letter in "becf")
    changed = engine.with_weights(speeds={(b, e): 0, (c, f): 0})
    for zoom in (14, 11):
        features = speeds(changed, zoom)
        closed = [p for p in (f["properties"] for f in features) if p["speed"] == 0]
        assert all(p["datasource"] == "live" for p in closed)
        assert len(closed) == (2 if zoom == 14 else 0)
    features = speeds(changed)
    back = [p for p in of_class(features, "service") if p["speed"] > 0]
    assert len(of_class(features, "service")) == 2 and len(back) == 1
    assert not any(p["oneway"] for p in of_class(features, "service"))
    assert back[0]["datasource"] == "profile"
    (side,) = of_class(features, "residential")
    assert side["oneway"] and side["duration"] == side["weight"] == side["rate"] == 0.0


def test_slower_now(engine: Engine) -> None:
    """A speed that somebody has given is told, and by whom."""
    way = ROADS.way_id("bcd")
    for zoom in (14, 9):
        features = speeds(engine.with_weights(way_speeds={way: 20}), zoom)
        main = of_class(features, "primary")
        assert {(p["speed"], p["datasource"]) for p in main} == {(20, "live"), (40, "profile")}
        assert len(main) == (3 if zoom == 14 else 2)


def test_far_away(engine: Engine) -> None:
    """From afar there are fewer roads, joined, with less to tell; at last none."""
    (road,) = speeds(engine, 9)
    assert road["properties"] == {
        "speed": 40,
        "datasource": "profile",
        "class": "primary",
        "oneway": False,
    }
    (named,) = speeds(engine, 10)
    assert named["properties"]["name"] == "High Street"
    assert named["geometry"]["type"] == "LineString"
    assert engine.tile(*tile_around("c", 6)) == b""


def test_nodes(engine: Engine) -> None:
    """Nodes have their numbers, each once, of the roads that are drawn; from afar none."""
    for zoom, letters in ((14, "abcdef"), (12, "abcdef")):
        layer = decode(engine.tile(*tile_around("c", zoom)))["osmnodes"]
        assert sorted(f["id"] for f in layer["features"]) == sorted(map(ord, letters))
        assert all(f["properties"] == {} for f in layer["features"])
    assert "osmnodes" not in decode(engine.tile(*tile_around("c", 11)))


def test_turns(engine: Engine) -> None:
    """From zoom 15 on, with what each costs and demands, but none straight back."""
    assert "turns" not in decode(engine.tile(*tile_around("b", 14)))
    layer = decode(engine.tile(*tile_around("b", 15)))["turns"]["features"]
    at_b = [f["properties"] for f in layer if f["geometry"] == layer[0]["geometry"]]
    told = {(p["bearing_in"], p["type"], p["modifier"]) for p in at_b}
    assert {(90, "turn", "right"), (270, "turn", "left")} <= told
    for p in at_b:
        kinds = [type(value) for value in p.values()]
        assert list(p) == ["bearing_in", "turn_angle", "cost", "weight", "type", "modifier"]
        assert kinds == [int, int, float, float, str, str]
        assert p["cost"] == p["weight"] >= 0
        assert {"right": 90, "left": -90}.get(p["modifier"], 0) == pytest.approx(
            p["turn_angle"], abs=2
        )
    assert len(told) == len(at_b) == 4


def test_roads_without_turns() -> None:
    """Have no layer of turns."""
    alone = World("a-b", "ab highway=primary", metres=20.0, origin=(24.95, 60.18))
    data = engine_of(alone, get_profile("car")).tile(*tile_around("a", 15, alone))
    assert set(decode(data)) == {"speeds", "osmnodes"}


@pytest.mark.parametrize(
    ("x", "y", "zoom"), [(0, 0, 4), (0, 0, 20), (32, 0, 5), (0, 32, 5), (-1, 0, 9), (0, 0, -1)]
)
def test_no_such_tile(engine: Engine, x: int, y: int, zoom: int) -> None:
    """It is said what there is."""
    with pytest.raises(InvalidInput, match="expected"):
        engine.tile(x, y, zoom)


def test_nothing_there(engine: Engine) -> None:
    """Where there are no roads a tile is empty."""
    assert engine.tile(0, 0, 12) == b""


def test_words_for_classes() -> None:
    """Ramps look like their roads."""
    assert len(CLASS_WORDS) == len(RoadClass)
    assert CLASS_WORDS[RoadClass.MOTORWAY_LINK] == "motorway"
    assert CLASS_WORDS[RoadClass.FOOTWAY] == "path"


@pytest.mark.compiled
def test_every_road_of_the_sample(sample: Path, tmp_path: Path) -> None:
    """All tiles of a zoom together show every open road in its full length, and nothing else."""
    build_dataset(sample, tmp_path / "sample.whimbrel")
    engine = Engine.open(tmp_path / "sample.whimbrel")
    network, zoom = engine._network, 15
    west, south, east, north = engine.bounds
    size = 2**zoom

    def place(lon: Any, lat: Any) -> tuple[Any, Any]:
        northing = np.arcsinh(np.tan(np.radians(lat))) / np.pi
        return (lon + 180) / 360 * size, (1 - northing) / 2 * size

    (x_first, y_last), (x_last, y_first) = place(west, south), place(east, north)
    length: dict[int, float] = {}
    for x in range(int(x_first), int(x_last) + 1):
        for y in range(int(y_first), int(y_last) + 1):
            tile = decode(engine.tile(x, y, zoom))
            for feature in tile.get("speeds", {"features": []})["features"]:
                line = shapely.geometry.shape(feature["geometry"])
                inside = shapely.intersection(line, shapely.box(0, 0, 4096, 4096)).length
                edge = feature["id"] - 1 >> 1
                length[edge] = max(length.get(edge, 0.0), 0.0) + inside / 4096
    is_open = engine._vehicles["car"].prepared.metric.open_arc
    expected = np.flatnonzero(is_open[0::2] | is_open[1::2]).tolist()
    px, py = place(network.point_lon / 1e7, network.point_lat / 1e7)
    for edge in expected:
        first, stop = (int(network.first_point[edge + i]) for i in (0, 1))
        exact = np.hypot(np.diff(px[first:stop]), np.diff(py[first:stop])).sum()
        directions = 1 + (is_open[2 * edge] and is_open[2 * edge + 1])
        slack = 4.0 * (stop - first) / 4096
        shown = length.get(edge, 0.0)
        assert any(abs(shown - n * exact) <= n * slack for n in range(1, directions + 1)), edge
    assert set(length) <= set(expected)
