"""On which side of the road one drives."""

import re
from importlib.resources import files

import numpy as np
import pytest
from world import World

from gis.arrays import freeze
from gis.network.driving_side import LEFT_HAND_BOXES, LEFT_HAND_ZONES, left_hand_edges
from gis.osm.tagsets import build_tagsets

NO_TAGS = build_tagsets([{}])


def sides(*places: tuple[float, float]) -> list[bool]:
    """Whether one drives on the left at longitudes and latitudes in degrees."""
    lon, lat = np.rint(np.array(places, np.float64).reshape(-1, 2).T * 1e7).astype(np.int32)
    tagset = freeze(np.zeros(len(places), np.uint32))
    return left_hand_edges(freeze(lon), freeze(lat), tagset, NO_TAGS).tolist()


@pytest.mark.parametrize(
    ("place", "is_left"),
    [
        ((-0.13, 51.51), True),  # London
        ((-6.26, 53.35), True),  # Dublin
        ((2.35, 48.86), False),  # Paris
        ((1.86, 50.95), False),  # Calais
        ((1.31, 51.13), True),  # Dover
        ((-8.61, 41.15), False),  # Porto
        ((14.51, 35.9), True),  # Valletta
        ((-5.35, 36.14), False),  # Gibraltar
        ((139.75, 35.68), True),  # Tokyo
        ((114.06, 22.54), False),  # Shenzhen, in one cell of the grid with
        ((114.1, 22.5), True),  # Hong Kong
        ((100.5, 13.75), True),  # Bangkok
        ((102.6, 17.97), False),  # Vientiane, beyond the river from
        ((102.74, 17.88), True),  # Nong Khai
        ((28.05, -26.2), True),  # Johannesburg
        ((13.23, -8.84), False),  # Luanda
        ((-58.16, 6.8), True),  # Georgetown
        ((-66.1, 18.47), False),  # San Juan
        ((-64.93, 18.34), True),  # Charlotte Amalie
        ((-171.76, -13.83), True),  # Apia
        ((-170.7, -14.28), False),  # Pago Pago
        ((179.9, -16.8), True),  # Taveuni, at the antimeridian
        ((-179.99, -16.8), True),
        ((0.0, 0.0), False),
    ],
)
def test_countries(place: tuple[float, float], is_left: bool) -> None:
    """A place takes the side of its country."""
    assert sides(place) == [is_left]


def test_both_sides_of_a_border() -> None:
    """Within one cell of the grid every place is asked for."""
    found = sides((114.0655, 22.5305), (114.0655, 22.5005), (114.0655, 22.5405))
    assert found == [False, True, False]


def test_nowhere() -> None:
    """A network without roads has no sides."""
    assert sides() == []


def test_tags_come_first() -> None:
    """A way's own tag overrides the country; what it does not say, the country does."""
    drawing, ways = "a-b-c-d", "ab highway=x driving_side=right\nbc highway=x\n"
    london, porto = (-0.13, 51.51), (-8.61, 41.15)
    english, _ = World(drawing, ways + "cd highway=x driving_side=both", origin=london).network()
    assert english.edge_left_hand.tolist() == [False, True, True]
    ways = "ab highway=x driving_side=left\nbc highway=x"
    portuguese, _ = World(drawing, ways, origin=porto).network()
    assert portuguese.edge_left_hand.tolist() == [True, False]


def test_the_boxes_hold_the_zones() -> None:
    """The main place of every zone lies well inside one of the boxes."""
    pytest.importorskip("tzdata")
    table = files("tzdata") / "zoneinfo" / "zone.tab"
    if not table.is_file():
        pytest.skip("the time zone database has no zone.tab")
    found = set()
    for line in table.read_text().splitlines():
        if not line.startswith("#"):
            _, place, zone, *_ = line.split("\t")
            if zone in LEFT_HAND_ZONES:
                found.add(zone)
                lat, lon = _degrees(place)
                assert any(
                    west < lon < east and south < lat < north
                    for west, south, east, north in LEFT_HAND_BOXES
                ), zone
    assert found == LEFT_HAND_ZONES


def _degrees(place: str) -> list[float]:
    """Latitude and longitude of ``+4342-07923``, seconds left aside."""
    parts = zip(re.findall(r"[+-]\d+", place), (3, 4), strict=True)
    return [
        float(text[:size]) + float(text[0] + text[size : size + 2]) / 60 for text, size in parts
    ]
