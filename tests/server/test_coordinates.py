"""Coordinates as people type them."""

import pytest

from routing.errors import InvalidCoordinate
from server.coordinates import check_on_map, parse_coordinate, shield_negative_numbers

PORTO = (-8.7, 41.1, -8.5, 41.2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24.93,60.17", (24.93, 60.17)),
        ("-8.61,41.15", (-8.61, 41.15)),
        (" -8.61,41.15", (-8.61, 41.15)),
        ("-.5,.5", (-0.5, 0.5)),
        ("+8.,0", (8.0, 0.0)),
        ("8, 41", (8.0, 41.0)),
        ("180,90", (180.0, 90.0)),
        ("-180,-90", (-180.0, -90.0)),
    ],
)
def test_good(text: str, expected: tuple[float, float]) -> None:
    """Whatever is unmistakable is read."""
    assert parse_coordinate(text) == expected


@pytest.mark.parametrize("text", ["", "8", "8,", ",8", "8;9", "8,9,10", "a,b", "1e1,2", "nan,1"])
def test_bad(text: str) -> None:
    """What is no pair of numbers is quoted, with what was expected."""
    with pytest.raises(InvalidCoordinate, match="expected LON,LAT"):
        parse_coordinate(text)


def test_off_the_globe() -> None:
    """A latitude that cannot be is told, and a swap is suspected where that would help."""
    with pytest.raises(InvalidCoordinate, match=r"not on the globe.*did you mean lon,lat: 151,-34"):
        parse_coordinate("-34,151")
    with pytest.raises(InvalidCoordinate, match="not on the globe") as caught:
        parse_coordinate("200,100")
    assert "did you mean" not in str(caught.value)


def test_swapped_pair() -> None:
    """A point off the map that would be on it the other way round is refused."""
    with pytest.raises(InvalidCoordinate, match=r"41.15,-8.61 .* mean lon,lat: -8.61,41.15\?"):
        check_on_map([(-8.6, 41.15), (41.15, -8.61)], PORTO)


def test_points_off_the_map_are_not_our_business() -> None:
    """Points on the map pass, and so do those that no swap would bring there."""
    check_on_map([(-8.6, 41.15), (-8.7, 41.1), (24.9, 60.2)], PORTO)


@pytest.mark.parametrize("text", ["-8.61,41.15", "-.5,1", "-1", "-0"])
def test_negative_numbers_are_shielded(text: str) -> None:
    """They no longer look like options, and still mean the same."""
    (shielded,) = shield_negative_numbers([text])
    assert not shielded.startswith("-")
    assert shielded.strip() == text


def test_options_are_left_alone() -> None:
    """Nothing else is changed."""
    arguments = ["route", "-o", "--json", "--", "-", "x.osm.pbf", "8.61,-41.15", "-o5"]
    assert shield_negative_numbers(arguments) == arguments
