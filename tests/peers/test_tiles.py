"""Our tiles have the layers, fields and places that OSRM's have."""

import base64
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mapbox_vector_tile
import pytest
import shapely

from routing.engine import Engine

OWN_FIELDS = {"class", "oneway"}
NOT_OURS = {"internal-nodes"}
TILES = [
    (1950, 1533, 12),
    (3900, 3066, 13),
    (7800, 6133, 14),
    (15600, 12267, 15),
    (31200, 24535, 16),
]
"""Around the middle of Porto."""


def decode(data: bytes) -> Any:
    return mapbox_vector_tile.decode(data, default_options={"y_coord_down": True})


@pytest.fixture(scope="module", params=TILES, ids=lambda tile: f"zoom {tile[2]}")
def both(
    request: Any,
    porto: Path,
    engine_on: Callable[[Path], Engine],
    ask_osrm: Callable[[dict[str, Any]], Any],
) -> Any:
    """Our tile and OSRM's, and the zoom."""
    theirs = ask_osrm({"tile": request.param})
    return (
        decode(engine_on(porto).tile(*request.param)),
        decode(base64.b64decode(theirs)),
        request.param[2],
    )


def fields(layer: Any) -> dict[str, set[type]]:
    found: dict[str, set[type]] = {}
    for feature in layer["features"]:
        for name, value in feature["properties"].items():
            found.setdefault(name, set()).add(type(value))
    return found


def test_layers_and_fields(both: Any) -> None:
    """All that clients of OSRM may look for, of the same types."""
    ours, theirs, _ = both
    assert set(ours) == set(theirs) - NOT_OURS
    for name, layer in ours.items():
        assert (layer["extent"], layer["version"]) == (4096, 2)
        known = {key: kind for key, kind in fields(layer).items() if key not in OWN_FIELDS}
        assert known == fields(theirs[name])


def test_roads_lie_where_theirs_do(both: Any) -> None:
    """Nearly every piece of OSRM's lies on one of our lines, to the unit of the grid."""
    ours, theirs, _ = both
    lines = [shapely.geometry.shape(f["geometry"]) for f in ours["speeds"]["features"]]
    tree = shapely.STRtree(lines)
    pieces = [
        shapely.geometry.shape(f["geometry"]).interpolate(0.5, normalized=True)
        for f in theirs["speeds"]["features"]
    ]
    _, distances = tree.query_nearest(pieces, return_distance=True, all_matches=False)
    near = sum(distance <= 1.5 for distance in distances.tolist())
    assert near / len(pieces) > 0.98


def test_nodes(both: Any) -> None:
    """Ours are theirs, in the same places; below zoom 14 those where roads meet or end."""
    ours, theirs, zoom = both
    own, other = (
        {f["id"]: f["geometry"]["coordinates"] for f in tile["osmnodes"]["features"]}
        for tile in (ours, theirs)
    )
    shared = own.keys() & other.keys()
    assert len(shared) > 0.97 * len(own)
    if zoom >= 14:
        assert len(shared) > 0.99 * len(other)
    off = [max(abs(a - b) for a, b in zip(own[i], other[i], strict=True)) for i in shared]
    assert max(off) <= 1


def test_turns(both: Any) -> None:
    """Of the places where OSRM has turns we tell most turns alike."""
    ours, theirs, zoom = both
    if zoom < 15:
        assert "turns" not in ours
        return
    told = [
        Counter(
            (f["properties"]["type"], f["properties"]["modifier"])
            for f in tile["turns"]["features"]
        )
        for tile in (ours, theirs)
    ]
    assert (told[0] & told[1]).total() > 0.85 * told[1].total()
