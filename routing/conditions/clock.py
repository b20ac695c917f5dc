"""Which conditions hold at a time: the local time of a map, and its opening hours."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from gis.arrays import I32, Bool, freeze
from gis.geodesy import UNITS_PER_DEGREE
from gis.profiles.times_of_day import AND
from routing.errors import InvalidInput

Departure: TypeAlias = datetime | str
"""A time, or how ISO 8601 spells it; without an offset from UTC it is the map's local time."""

_FIRST_YEAR, _LAST_YEAR = 1900, 9000
"""Outside opening hours know no days."""


_MOST_PLACES = 256
"""So many of a map's nodes tell where most of its roads are."""


def typical_place(lon: I32, lat: I32) -> tuple[float, float]:
    """Longitude and latitude in degrees of one of some places (n,), amid most of them.

    The middle between the outermost roads may lie in the sea, far from the country's own time.
    """
    step = -(-len(lon) // _MOST_PLACES)
    x, y = lon[::step] / UNITS_PER_DEGREE, lat[::step] / UNITS_PER_DEGREE
    middle = np.argmin(np.abs(x - np.median(x)) + np.abs(y - np.median(y)))
    return float(x[middle]), float(y[middle])


class Clock:
    """The time at a place, given in degrees."""

    def __init__(self, lon: float, lat: float) -> None:
        self._place = lat, lon
        self._zone: ZoneInfo | None = None

    @property
    def zone(self) -> ZoneInfo:
        """The time zone; that of Greenwich where none is known."""
        if self._zone is None:
            self._zone = _zone_at(*self._place)
        return self._zone

    def local(self, departure: Departure) -> datetime:
        """The local time of a departure, to the minute; ``InvalidInput`` if it is none."""
        when = departure
        if isinstance(when, str):
            try:
                when = datetime.fromisoformat(when.strip())
            except ValueError:
                raise InvalidInput(
                    f"depart_at is {departure!r}, expected a time such as 2026-11-30T08:15"
                ) from None
        if not isinstance(when, datetime):
            raise InvalidInput(f"depart_at is {departure!r}, expected a datetime or its ISO form")
        if not _FIRST_YEAR <= when.year < _LAST_YEAR:
            raise InvalidInput(
                f"depart_at is in the year {when.year}, expected {_FIRST_YEAR} to {_LAST_YEAR - 1}"
            )
        if when.tzinfo is None:
            when = when.replace(tzinfo=self.zone)
        # By way of UTC, since in spring an hour of the local time does not exist.
        when = when.astimezone(UTC).astimezone(self.zone)
        return when.replace(second=0, microsecond=0)

    def holds(self, expressions: Sequence[str], when: datetime) -> Bool:
        """Which expressions hold at a local time, bool (n,); one that is none never does."""
        return freeze(np.array([self._holds(text, when) for text in expressions], np.bool_))

    def _holds(self, expression: str, when: datetime) -> bool:
        hours = (_hours(part, self._place, self.zone) for part in expression.split(AND))
        return all(part is not None and part.is_open(when) for part in hours)


@lru_cache(maxsize=1 << 16)
def _hours(text: str, place: tuple[float, float], zone: ZoneInfo) -> Any:
    """Opening hours at a latitude and longitude."""
    # A request without a time of departure shall not wait for this import.
    from opening_hours import OpeningHours

    has_holidays = "PH" in text or "SH" in text
    try:
        return OpeningHours(text, timezone=zone, coords=place, auto_country=has_holidays)
    except Exception:  # of the library's kinds of errors none is a reason to fail
        return None


def _zone_at(lat: float, lon: float) -> ZoneInfo:
    # A request without a time of departure shall not wait for this import.
    from tzfpy import get_tz

    try:
        return ZoneInfo(get_tz(lon, lat))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")
