"""How fast a road may be driven: speed limits in every spelling, and limits by surface."""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from gis.profiles.access import DirectedKeys
from gis.profiles.rules import Tags, Warn

KMH_PER_MPH = 1.609
KMH_PER_KNOT = 1.852
FASTEST_KMH = 140.0
"""What stands for no limit at all."""
WALKING_KMH = 7.0

NOT_SAID = 0.0
"""A limit that is posted without a number that holds all day, as on electronic signs."""

_MIN_KMH, _MAX_KMH = 1.0, 250.0
"""Numbers outside are mistakes: no road sign of the world shows them."""

_WORDS = {
    "none": FASTEST_KMH,
    "unlimited": FASTEST_KMH,
    "walk": WALKING_KMH,
    "walking_pace": WALKING_KMH,
    "signals": NOT_SAID,
    "variable": NOT_SAID,
    "default": NOT_SAID,
    "implicit": NOT_SAID,
    "unposted": NOT_SAID,
    "unknown": NOT_SAID,
}

_BY_CONTEXT: dict[str, float] = {
    "urban": 50.0,
    "rural": 90.0,
    "trunk": 110.0,
    "motorway": 130.0,
    "living_street": 20.0,
    "bicycle_road": 30.0,
    "cycle_street": 30.0,
    "school": 30.0,
    "pedestrian_zone": WALKING_KMH,
}
"""The usual limits of a country by context (OpenStreetMap wiki, Speed limits)."""

_BY_COUNTRY: dict[str, dict[str, float]] = {
    "ar": {"urban": 40, "rural": 110},
    "at": {"rural": 100, "trunk": 100, "living_street": WALKING_KMH},
    "be": {"motorway": 120},
    "be-bru": {"urban": 30, "rural": 70},
    "be-vlg": {"rural": 70},
    "bg": {"motorway": 140},
    "by": {"urban": 60, "motorway": 110},
    "ca-on": {"rural": 80},
    "ch": {"rural": 80, "trunk": 100, "motorway": 120},
    # No general limit on a German motorway: as little is said as by no tag at all.
    "de": {"living_street": WALKING_KMH, "rural": 100, "motorway": NOT_SAID},
    "dk": {"rural": 80, "living_street": 15},
    "es": {"trunk": 90},
    "fr": {"rural": 80},
    "gb": {
        "nsl_restricted": 30 * KMH_PER_MPH,
        "nsl_single": 60 * KMH_PER_MPH,
        "nsl_dual": 70 * KMH_PER_MPH,
        "urban": 30 * KMH_PER_MPH,
        "rural": 60 * KMH_PER_MPH,
        "motorway": 70 * KMH_PER_MPH,
    },
    "nl": {"rural": 80, "trunk": 100, "living_street": 15},
    "no": {"rural": 80, "motorway": 110},
    "ph": {"urban": 40, "rural": 80, "motorway": 100},
    "pl": {"rural": 100, "expressway": 120, "motorway": 140},
    "ro": {"trunk": 100},
    "ru": {"urban": 60, "motorway": 110},
    "us": {
        "urban": 25 * KMH_PER_MPH,
        "rural": 55 * KMH_PER_MPH,
        "trunk": 55 * KMH_PER_MPH,
        "motorway": 65 * KMH_PER_MPH,
    },
    "za": {"urban": 60, "rural": 100},
}
"""Where a country (or a region of it) differs from the usual."""
_BY_COUNTRY["uk"] = _BY_COUNTRY["gb"]

_COUNTRIES_IN_MPH = frozenset(("gb", "uk", "us"))

_UNITS = {
    **dict.fromkeys(("", "km/h", "kmh", "kph", "kmph", "km"), 1.0),
    **dict.fromkeys(("mph", "mp/h"), KMH_PER_MPH),
    **dict.fromkeys(("knots", "knot", "kn", "kt"), KMH_PER_KNOT),
}

_NUMBER = re.compile(r"(\d+(?:[.,]\d+)?)\s*([a-z/]*)", re.ASCII)
_CONTEXT = re.compile(r"([a-z]{2})(-[a-z0-9]{1,3})?:(.+)")
_ZONE = re.compile(r"(?:zone[:_ ]?)?(\d{1,3})", re.ASCII)
_SEPARATOR = re.compile(r"[;|]|,(?!\d\b)", re.ASCII)


@lru_cache(4096)
def parse_maxspeed(value: str) -> float | None:
    """A speed limit in km/h; ``NOT_SAID`` where it names none, None where it is not understood.

    Understands ``50``, ``48,5``, ``50 km/h``, ``30 mph``, ``5 knots``, ``none``, ``walk``,
    ``signals``, ``DE:urban``, ``BE-VLG:rural``, ``DE:zone:30``, ``zone30``, and lists of these,
    of which the lowest limit counts.
    """
    text = value.strip().lower()
    parts = _SEPARATOR.split(text)
    if len(parts) > 1 and text.endswith("mph"):  # the unit after the last number holds for all
        parts = [f"{part} mph" if part.strip().isdecimal() else part for part in parts]
    limits = [_parse_limit(part.strip()) for part in parts]
    said = [limit for limit in limits if limit]
    return min(said) if said else NOT_SAID if NOT_SAID in limits else None


def _parse_limit(text: str) -> float | None:
    """One limit, in lower case."""
    if text in _WORDS:
        return _WORDS[text]
    number = _NUMBER.fullmatch(text)
    if number:
        return _sensible(float(number[1].replace(",", ".")) * _UNITS.get(number[2], math.nan))
    context = _CONTEXT.fullmatch(text)
    if context:
        return _limit_by_law(context[1], context[2] or "", context[3])
    zone = _ZONE.fullmatch(text)
    return _sensible(float(zone[1])) if zone else None


def _limit_by_law(country: str, region: str, context: str) -> float | None:
    """The limit of a country for a context such as ``urban``, or of a zone."""
    for place in (country + region, country):
        limit = _BY_COUNTRY.get(place, {}).get(context)
        if limit is not None:
            return limit
    if context in _BY_CONTEXT:
        return _BY_CONTEXT[context]
    zone = _ZONE.fullmatch(context)
    if not zone:
        return None
    return _sensible(float(zone[1]) * (KMH_PER_MPH if country in _COUNTRIES_IN_MPH else 1.0))


def _sensible(kmh: float) -> float | None:
    return kmh if _MIN_KMH <= kmh <= _MAX_KMH else None


CONTEXT_KEYS = ("source:maxspeed", "maxspeed:type")
"""Where a limit comes from: a law (``DE:urban``), or a sign or survey, which says nothing here."""


def maxspeed(tags: Tags, keys: DirectedKeys, warn: Warn) -> tuple[float | None, float | None]:
    """The posted limits in km/h forward and backward; None where no tag names one.

    The first of ``keys`` that names a limit holds, then a limit by law. What is not understood is
    counted and passed over.
    """
    forward: float | None = None
    backward: float | None = None
    for key, key_forward, key_backward in keys:
        both = tags.get(key)
        forward = forward or _read_limit(key, tags.get(key_forward, both), warn)
        backward = backward or _read_limit(key, tags.get(key_backward, both), warn)
    if forward is None or backward is None:
        by_law = next(
            (limit for key in CONTEXT_KEYS if (limit := _context_limit(tags.get(key)))), None
        )
        forward, backward = forward or by_law, backward or by_law
    return forward, backward


def _read_limit(key: str, value: str | None, warn: Warn) -> float | None:
    if value is None:
        return None
    limit = parse_maxspeed(value)
    if limit is None:
        warn(key, value)
    return limit or None


def _context_limit(value: str | None) -> float | None:
    return parse_maxspeed(value) if value is not None and ":" in value else None


SpeedLimits: TypeAlias = Mapping[str, Mapping[str, float]]
"""The speed in km/h that a road's condition allows: by key, then by value."""


def slowest(tags: Tags, limits: SpeedLimits) -> float:
    """The lowest limit in km/h that the condition of a road sets, infinite where none does.

    Of a list, such as two surfaces, the worst counts; values without an entry set no limit.
    """
    kmh = math.inf
    for key, by_value in limits.items():
        value = tags.get(key)
        if value is None:
            continue
        limit = by_value.get(value)
        if limit is not None:
            kmh = min(kmh, limit)
        elif ";" in value:
            kmh = min(kmh, *(by_value.get(part.strip(), math.inf) for part in value.split(";")))
    return kmh
