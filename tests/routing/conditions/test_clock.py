"""The local time of a map, and which opening hours hold."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from gis.arrays import freeze
from routing.conditions.clock import Clock, typical_place

PORTO, OSLO, COLUMBUS = Clock(-8.6, 41.15), Clock(10.8, 59.9), Clock(-83.0, 39.96)


@pytest.mark.parametrize(
    ("clock", "departure", "expected"),
    [
        (OSLO, "2026-11-30T08:15", "2026-11-30 08:15 +0100"),
        (OSLO, "2026-11-30T08:15:59", "2026-11-30 08:15 +0100"),
        (OSLO, "2026-11-30T08:15Z", "2026-11-30 09:15 +0100"),
        (OSLO, "2026-11-30T08:15-05:00", "2026-11-30 14:15 +0100"),
        (OSLO, "2026-07-30T08:15", "2026-07-30 08:15 +0200"),
        (OSLO, datetime(2026, 7, 30, 8, 15), "2026-07-30 08:15 +0200"),
        (OSLO, datetime(2026, 7, 30, 8, 15, tzinfo=UTC), "2026-07-30 10:15 +0200"),
        (
            PORTO,
            datetime(2026, 7, 30, 8, 15, tzinfo=timezone(timedelta(hours=2))),
            "2026-07-30 07:15 +0100",
        ),
        (COLUMBUS, "2026-11-30T08:15", "2026-11-30 08:15 -0500"),
        (OSLO, "2026-03-29T02:30", "2026-03-29 03:30 +0200"),  # an hour that there is not
        (OSLO, "2026-10-25T02:30", "2026-10-25 02:30 +0200"),  # one that comes twice
        (OSLO, "2026-11-30", "2026-11-30 00:00 +0100"),
    ],
)
def test_local_time(clock: Clock, departure: datetime | str, expected: str) -> None:
    """Naive times are the map's, others are converted, and all are whole minutes."""
    assert clock.local(departure).strftime("%Y-%m-%d %H:%M %z") == expected


@pytest.mark.parametrize(
    ("clock", "expression", "departure", "expected"),
    [
        (OSLO, "Mo-Fr 07:00-09:00", "2026-11-30T07:00", True),
        (OSLO, "Mo-Fr 07:00-09:00", "2026-11-30T08:59", True),
        (OSLO, "Mo-Fr 07:00-09:00", "2026-11-30T09:00", False),
        (OSLO, "Mo-Fr 07:00-09:00", "2026-11-29T08:00", False),
        (OSLO, "22:00-06:00", "2026-11-30T05:59", True),
        (OSLO, "Fr 22:00-06:00", "2026-11-28T01:00", True),
        (OSLO, "Oct 15-Mar 15", "2026-11-30T12:00", True),
        (OSLO, "Oct 15-Mar 15", "2026-07-30T12:00", False),
        (OSLO, "sunset-sunrise", "2026-06-21T21:00", False),
        (OSLO, "sunset-sunrise", "2026-12-21T16:00", True),
        (PORTO, "sunset-sunrise", "2026-12-21T16:00", False),
        (OSLO, "PH", "2026-05-17T12:00", True),
        (PORTO, "PH", "2026-05-17T12:00", False),
        (COLUMBUS, "PH", "2026-12-25T12:00", True),
        (OSLO, "07:00-09:00 AND Oct-Mar", "2026-11-30T08:00", True),
        (OSLO, "07:00-09:00 AND Oct-Mar", "2026-07-30T08:00", False),
        (OSLO, "2016 Apr 25-2016 Sep 26", "2016-05-01T12:00", True),
        (OSLO, "what", "2026-11-30T08:00", False),
        (OSLO, "Mo-Su 02:00-03:00", "2026-03-29T02:30", False),
    ],
)
def test_what_holds(clock: Clock, expression: str, departure: str, expected: bool) -> None:
    """Hours of the day and the year, of the sun and of a country's holidays."""
    holds = clock.holds(["07:00-07:01", expression], clock.local(departure))
    assert holds.tolist()[1] == expected


def test_at_sea() -> None:
    """Everywhere there is some time."""
    assert Clock(-30.0, 10.0).local("2026-11-30T08:15").utcoffset() == timedelta(hours=-2)


def test_where_most_roads_are() -> None:
    """Islands far out do not move a country's clock into the sea between."""
    mainland = np.random.default_rng(3).uniform((-9, 38), (-7, 41), (900, 2))
    islands = np.random.default_rng(4).uniform((-31.2, 39.4), (-25, 39.6), (100, 2))
    lon, lat = np.rint(np.concatenate([islands, mainland]) * 1e7).astype(np.int32).T
    for n in (1000, 200, 101):
        place = typical_place(freeze(lon[-n:]), freeze(lat[-n:]))
        assert place in zip((lon / 1e7).tolist(), (lat / 1e7).tolist(), strict=True)
        assert Clock(*place).zone.key == "Europe/Lisbon"
    assert typical_place(freeze(lon[:1]), freeze(lat[:1])) == (lon[0] / 1e7, lat[0] / 1e7)
    assert Clock((lon.min() + lon.max()) / 2e7, 39.5).zone.key == "Etc/GMT+1"
