"""Speed limits in the spellings of the wild, limits by law, and limits by surface."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_rows import Warned, read_rows, read_tags

from gis.profiles.access import directed_keys
from gis.profiles.speeds import maxspeed, parse_maxspeed, slowest

LIMITS = """
# value            km/h; ? names no number, ! is not understood
50                 50
5                  5
130                130
48,5               48.5
48.5               48.5
50 km/h            50
50km/h             50
50 kmh             50
50 kph             50
50 kmph            50
50 km              50
30 mph             48.27
30mph              48.27
30 MPH             48.27
30 mp/h            48.27
5 knots            9.26
8 kn               14.816
none               140
unlimited          140
walk               7
signals            ?
variable           ?
default            ?
unposted           ?
sign               !
DE:urban           50
de:urban           50
DE:rural           100
DE:motorway        ?
DE:living_street   7
DE:bicycle_road    30
DE:zone:30         30
DE:zone30          30
DE:zone_30         30
DE:zone 20         20
DE:30              30
zone:30            30
zone30             30
FR:urban           50
FR:rural           80
FR:motorway        130
FR:zone30          30
FR:30              30
AT:rural           100
AT:trunk           100
AT:living_street   7
BE:rural           90
BE:motorway        120
BE-VLG:rural       70
BE-WAL:rural       90
BE-BRU:urban       30
CH:rural           80
CH:motorway        120
CA-ON:rural        80
ES:trunk           90
GB:nsl_single      96.54
GB:nsl_dual        112.63
GB:nsl_restricted  48.27
GB:motorway        112.63
UK:nsl_dual        112.63
GB:zone20          32.18
GB:20 mph          !
IT:urban           50
IT:rural           90
IT:motorway        130
NL:rural           80
NO:zone30          30
NO:motorway        110
PL:expressway      120
PT:urban           50
RO:trunk           100
RU:urban           60
RU:rural           90
RU:motorway        110
RU:living_street   20
US:urban           40.225
US:rural           88.495
US:motorway        104.585
ZA:urban           60
walking_pace       7
implicit           ?
unknown            ?
IT:trunk           110
IT:cycle_street    30
IT:school          30
IT:pedestrian_zone  7
IT:living_street   20
IT:bicycle_road    30
AR:urban           40
AR:rural           110
BE-BRU:rural       70
BG:motorway        140
BY:urban           60
BY:motorway        110
CH:trunk           100
DK:rural           80
DK:living_street   15
GB:urban           48.27
GB:rural           96.54
NL:trunk           100
NL:living_street   15
NO:rural           80
PH:urban           40
PH:rural           80
PH:motorway        100
PL:rural           100
PL:motorway        140
US:trunk           88.495
ZA:rural           100
DE:moon            !
DE:zone            !
DE:                !
:urban             !
urban              !
50;30              30
50; 30             30
30;50              30
50|30|70           30
50,30              30
50, 30             30
40;30 mph          48.27
40 mph;30 mph      48.27
none;120           120
signals;80         80
signals;variable   ?
50;fast            50
fast;furious       !
;                  !
0                  !
-30                !
251                !
9999999            !
250 mph            !
1 mph              1.609
0.5                !
fast               !
yes                !
50 furlongs        !
50 @ wet           !
~50                !
5O                 !
\u0665\u0660       !
²                  !
50.                !
"""


@pytest.mark.parametrize("row", read_rows(LIMITS), ids=lambda row: row[0])
def test_parse_maxspeed(row: tuple[str, str]) -> None:
    """Every row of the table holds, with blanks around the value too."""
    value, expected = row
    for text in (value, f" {value} "):
        kmh = parse_maxspeed(text)
        if expected in "?!":
            assert kmh == (0.0 if expected == "?" else None)
        else:
            assert kmh == pytest.approx(float(expected))


@given(st.text() | st.from_regex(r"[A-Z]{2}(-[A-Z]{2})?:\w{0,8}|[\d.,;| a-z/:-]{0,12}"))
def test_parse_maxspeed_survives_anything(value: str) -> None:
    """Nonsense is None, and a limit is always one that a road can have."""
    kmh = parse_maxspeed(value)
    assert kmh is None or kmh == 0.0 or 1.0 <= kmh <= 250.0


KEYS = directed_keys(("maxspeed:advisory", "maxspeed"))
PER_DIRECTION = """
# tags                                                  forward  backward
(none)                                                  -    -
maxspeed=50                                             50   50
maxspeed:forward=50                                     50   -
maxspeed:backward=50                                    -    50
maxspeed=50, maxspeed:forward=70                        70   50
maxspeed=50, maxspeed:advisory=40                       40   40
maxspeed=50, maxspeed:advisory:backward=40              50   40
maxspeed=signals                                        -    -
maxspeed=50, maxspeed:advisory=signals                  50   50
maxspeed=fast                                           -    -   maxspeed
maxspeed=fast, maxspeed:advisory=faster                 -    -   maxspeed maxspeed:advisory
maxspeed=fast, maxspeed:type=DE:urban                   50   50  maxspeed
source:maxspeed=DE:rural                                100  100
maxspeed:type=DE:rural, source:maxspeed=DE:urban        50   50
source:maxspeed=survey                                  -    -
source:maxspeed=survey:2019                             -    -
maxspeed:forward=30, source:maxspeed=DE:urban           30   50
maxspeed=30, source:maxspeed=DE:urban                   30   30
"""


@pytest.mark.parametrize("row", read_rows(PER_DIRECTION), ids=lambda row: row[0])
def test_maxspeed(row: tuple[str, ...]) -> None:
    """The limits by direction, and warnings of what is not understood, never of sources."""
    tags, forward, backward, more = (*row, "")[:4]
    warned = Warned()
    found = maxspeed(read_tags(tags), KEYS, warned)
    assert found == tuple(None if text == "-" else float(text) for text in (forward, backward))
    assert {kind for kind, _ in warned} == set(more.split())


def test_maxspeed_of_another_vehicle() -> None:
    """A truck's own limit comes before the general one when its keys ask for it."""
    tags = {"maxspeed": "100", "maxspeed:hgv": "60"}
    keys = directed_keys(("maxspeed:hgv", "maxspeed"))
    assert maxspeed(tags, keys, Warned()) == (60.0, 60.0)


SURFACES = {"surface": {"gravel": 40.0, "mud": 10.0}, "smoothness": {"bad": 30.0, "impassable": 0}}


@pytest.mark.parametrize(
    ("tags", "kmh"),
    [
        ("(none)", math.inf),
        ("surface=asphalt", math.inf),
        ("surface=gravel", 40.0),
        ("surface=gravel, smoothness=bad", 30.0),
        ("surface=mud, smoothness=bad", 10.0),
        ("surface=gravel;mud", 10.0),
        ("surface=mud; gravel", 10.0),
        ("surface=asphalt;gravel", 40.0),
        ("surface=a;b", math.inf),
        ("surface=mud, smoothness=impassable", 0.0),
    ],
)
def test_slowest(tags: str, kmh: float) -> None:
    """The worst condition counts, and unknown ones do not."""
    assert slowest(read_tags(tags), SURFACES) == kmh
