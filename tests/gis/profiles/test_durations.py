"""The ``duration`` of ferries in every spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_rows import read_rows

from gis.profiles.durations import parse_duration

DURATIONS = """
# value                seconds; ! is not understood
01:30                  5400
1:30                   5400
00:05                  300
0:10                   600
72:00                  259200
100:30                 361800
1:30:00                5400
00:12:30               750
00:01:00               60
90                     5400
90.5                   5430
7,5                    450
PT1H30M                5400
PT90M                  5400
PT5M                   300
PT20S                  20
PT21.2S                21.2
PT4H                   14400
P1DT2H                 93600
P4D                    345600
pt1h30m                5400
30 min                 1800
30min                  1800
30 min.                1800
30 minutes             1800
30 mins                1800
45m                    2700
1 h                    3600
2h                     7200
1.5 h                  5400
1 hour                 3600
2 hours                7200
1 hr 30 min            5400
1h 30min               5400
1h30                   5400
1h30m                  5400
1 hour, 30 minutes     5400
1 day                  86400
2 days 3 hours         183600
02:30;03:30            12600
03:30;02:30            12600
10;15                  900
20-25                  1500
20 - 25                1500
00:20-00:25            1500
20;a while             1200
0                      !
00:00                  !
PT                     !
P                      !
P1Y                    !
P13M                   !
-20                    !
a while                !
min                    !
h                      !
yes                    !
12:                    !
:30                    !
1:2:3:4                !
31 days                !
999999                 !
٩٠                     !
"""


@pytest.mark.parametrize("row", read_rows(DURATIONS), ids=lambda row: row[0])
def test_parse_duration(row: tuple[str, str]) -> None:
    """Every row of the table holds, with blanks around the value too."""
    value, expected = row
    wanted = None if expected == "!" else pytest.approx(float(expected))
    assert parse_duration(value) == wanted
    assert parse_duration(f" {value} ") == wanted


@given(st.text() | st.from_regex(r"[PT\dHMSD:.;, -]{0,14}"))
def test_parse_duration_survives_anything(value: str) -> None:
    """Nonsense is None, and a duration is more than nothing and at most 30 days."""
    seconds = parse_duration(value)
    assert seconds is None or 0.0 < seconds <= 30 * 86400.0
