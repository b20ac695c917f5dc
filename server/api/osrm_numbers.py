"""How numbers are rounded in answers."""

PRECISION = {"polyline": 5, "polyline6": 6}
"""Digits of an encoded line."""


def tenth(value: float) -> float:
    """Rounded as NumPy does, so that routes and tables say the same of what lies halfway."""
    return round(value * 10) / 10


def millionth(degrees: float) -> float:
    """Rounded as in the geometry: halves are frequent, the map has seven digits."""
    return round(degrees * 1e6) / 1e6
