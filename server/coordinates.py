"""Coordinates as people type them: ``LON,LAT``, and what they meant when it is off the map."""

import re
from collections.abc import Sequence

from routing.errors import InvalidCoordinate

_NEGATIVE = re.compile(r"-[0-9.]")
_NUMBER = r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*"
_PAIR = re.compile(f"{_NUMBER},{_NUMBER}")


def shield_negative_numbers(arguments: Sequence[str]) -> list[str]:
    """Arguments of which none that begins with a negative number looks like an option.

    A leading space does it, and means nothing to whatever reads numbers.
    """
    return [f" {text}" if _NEGATIVE.match(text) else text for text in arguments]


def parse_coordinate(text: str) -> tuple[float, float]:
    """Longitude and latitude in degrees; raises ``InvalidCoordinate``."""
    pair = _PAIR.fullmatch(text)
    if pair is None:
        raise InvalidCoordinate(f"coordinate '{text.strip()}': expected LON,LAT in degrees")
    lon, lat = float(pair[1]), float(pair[2])
    if not (-180 <= lon <= 180 and -90 <= lat <= 90):
        hint = f"; did you mean lon,lat: {lat:.10g},{lon:.10g}?" if _on_globe(lat, lon) else ""
        raise InvalidCoordinate(
            f"coordinate '{text.strip()}' is not on the globe: longitude must be within"
            f" -180 and 180, latitude within -90 and 90{hint}"
        )
    return lon, lat


def check_on_map(
    points: Sequence[tuple[float, float]], bounds: tuple[float, float, float, float]
) -> None:
    """Raise ``InvalidCoordinate`` for a point off the map that would be on it if swapped.

    ``bounds`` are west, south, east and north in degrees.
    """
    for lon, lat in points:
        if not _within(lon, lat, bounds) and _within(lat, lon, bounds):
            west, south, east, north = bounds
            raise InvalidCoordinate(
                f"coordinate {lon:.10g},{lat:.10g} is off the map, which spans"
                f" {west:.4f},{south:.4f} to {east:.4f},{north:.4f};"
                f" did you mean lon,lat: {lat:.10g},{lon:.10g}?"
            )


def _within(lon: float, lat: float, bounds: tuple[float, float, float, float]) -> bool:
    west, south, east, north = bounds
    return west <= lon <= east and south <= lat <= north


def _on_globe(lon: float, lat: float) -> bool:
    return _within(lon, lat, (-180, -90, 180, 90))
