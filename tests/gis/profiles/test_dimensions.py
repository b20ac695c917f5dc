"""Heights, widths, lengths and weights in the spellings of the wild, and who fits through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_rows import Warned, read_rows, read_tags
from way_rows import check_way_row

from gis.profiles.car import CAR, PROFILE
from gis.profiles.dimensions import (
    NO_LIMIT,
    Dimensions,
    fit,
    keys_of,
    node_limits,
    parse_metres,
    parse_tonnes,
    way_limits,
)

LENGTHS = """
# value        metres; - limits nobody, ! is not understood
3.5            3.5
3,5            3.5
3.5m           3.5
3.5 m          3.5
3.5 meters     3.5
.9             0.9
4              4
380 cm         3.8
380cm          3.8
2000 mm        2
12'            3.6576
12'6"          3.81
12'6''         3.81
12' 6"         3.81
12'6           3.81
12'-6"         3.81
12\u20326\u2033  3.81
12 ft          3.6576
12ft           3.6576
12 feet        3.6576
12 ft 6 in     3.81
12ft6in        3.81
12 ft. 6 in.   3.81
12'6.5"        3.8227
150"           3.81
150 in         3.81
4 yd           3.6576
ca. 4          4
ca 4 m         4
~4             4
<4             4
about 4 m      4
3.5;4          3.5
4 | 3.5        3.5
4;none         4
none           -
None           -
default        -
unsigned       -
no_sign        -
no-sign        -
no_indications  -
unknown        -
below_default  3.9
narrow         2.2
0              !
-3             !
high           !
3.5 parsecs    !
3..5           !
3.5.2          !
"""
WEIGHTS = """
# value        tonnes
3.5            3.5
3,5            3.5
3.5t           3.5
3.5 t          3.5
3.5 T          3.5
7.5 tonnes     7.5
40             40
7500 kg        7.5
7500kg         7.5
7,500 kg       7.5
7.500 kg       7.5
3500           3.5
16000 lbs      7.25748
16,000 lbs     7.25748
16000 lb       7.25748
10 st          9.07185
10 tons        9.07185
10 lt          10.1605
100 cwt        5.08023
3.5;7.5        3.5
none           -
default        -
unsigned       -
0              !
heavy          !
3.5 m          !
1.2.3          !
"""


@pytest.mark.parametrize("row", read_rows(LENGTHS), ids=lambda row: row[0])
def test_lengths(row: tuple[str, str]) -> None:
    """Metres by default, all units of signs, words and lists."""
    assert _text(parse_metres(row[0])) == row[1]


@pytest.mark.parametrize("row", read_rows(WEIGHTS), ids=lambda row: row[0])
def test_weights(row: tuple[str, str]) -> None:
    """Tonnes by default, all units of signs, words and lists."""
    assert _text(parse_tonnes(row[0])) == row[1]


def _text(number: float | None) -> str:
    return "!" if number is None else "-" if number == NO_LIMIT else f"{number:.6g}"


CAR_WAYS = """
# tags                                               forward  backward
highway=primary, maxheight=1.9                             -       -
highway=primary, maxheight=2                               65      65
highway=primary, maxheight=3.8                             65      65
highway=primary, maxheight=6'                              -       -
highway=primary, maxheight=none                            65      65
highway=primary, maxheight=low                             65      65      !maxheight
highway=primary, maxheight=3;1.5                           -       -
highway=primary, maxheight:forward=1.5                     -       65
highway=primary, maxheight:backward=1.5                    65      -
highway=primary, maxheight=1.5, maxheight:backward=3       -       65
highway=primary, maxheight:physical=1.5                    -       -
highway=primary, maxheight:physical=3, maxheight=1.5       -       -
highway=primary, maxheight=1.5, maxheight:motorcar=2.5     65      65
highway=primary, maxheight=1.5, oneway=yes                 -       -
highway=primary, maxheight:forward=1.5, oneway=yes         -       -
highway=primary, maxwidth=1.9                              -       -
highway=primary, maxwidth=2                                65      65
highway=primary, maxwidth:physical=1                       -       -
highway=primary, width=1.8                                 -       -
highway=primary, width=1.9                                 -       -
highway=primary, width=2                                   65      65      x0.5
highway=primary, width=2, oneway=yes                       65      -
highway=primary, width=6'2"                                -       -
highway=primary, width=6'3"                                65      65      x0.5
highway=primary, width:forward=1                           -       65
highway=primary, est_width=1                               -       -
highway=primary, est_width=1, width=4                      65      65      x0.75
highway=primary, est_width=3                               65      65
highway=primary, narrow=yes                                65      65
highway=primary, maxlength=4                               -       -
highway=primary, maxlength=5                               65      65
highway=primary, maxlength=4, maxlength:motorcar=12        65      65
highway=primary, maxweight=1.5                             -       -
highway=primary, maxweight=2                               65      65
highway=primary, maxweight=3.5                             65      65
highway=primary, maxweight=1500 kg                         -       -
highway=primary, maxweight=4000 lbs                        -       -
highway=primary, maxweight=heavy                           65      65      !maxweight
highway=primary, maxweightrating=1.5                       -       -
highway=primary, maxweightrating:backward=1.5              65      -
highway=primary, maxaxleload=0.5                           65      65
highway=service, access=destination, maxheight:forward=1.5  -      15      restricted
highway=primary, maxweight:conditional=1 @ wet             65      65
highway=primary, maxheight:conditional=1 @ wet             65      65
"""


@pytest.mark.parametrize("row", read_rows(CAR_WAYS), ids=lambda row: row[0])
def test_car(row: tuple[str, ...]) -> None:
    """A car of 2 m, 1.9 m, 4.8 m and 2 t passes where it fits."""
    check_way_row(PROFILE, row)


LARGE = Dimensions(height_m=4.0, width_m=2.55, length_m=18.75, weight_t=40.0, axle_load_t=11.5)
LIMITS = (
    *("maxheight", "maxheight:physical", "maxwidth", "maxwidth:physical", "width", "est_width"),
    *("maxlength", "maxweight", "maxweightrating", "maxaxleload"),
)


@pytest.mark.parametrize("key", LIMITS)
def test_every_limit(key: str) -> None:
    """Each key stops a large vehicle and none without size, forward, backward and both ways."""
    limits = way_limits("hgv")
    for suffix, expected in (("", (False, False)), (":forward", (False, True))):
        assert fit(LARGE, {key + suffix: "1.5"}, limits, Warned()) == expected
    assert fit(LARGE, {f"{key}:backward": "1.5"}, limits, Warned()) == (True, False)
    assert fit(LARGE, {key: "45"}, limits, Warned()) == (True, True)
    assert fit(Dimensions(), {key: "0.1"}, limits, Warned()) == (True, True)
    if f"{key}:hgv" in keys_of(limits):
        tags = {key: "1.5", f"{key}:hgv": "45"}
        assert fit(LARGE, tags, limits, Warned()) == (True, True)
        assert fit(LARGE, {key: "45", f"{key}:hgv": "1.5"}, limits, Warned()) == (False, False)


def test_narrow() -> None:
    """What is narrow stops the wide."""
    limits = way_limits("hgv")
    assert fit(LARGE, {"narrow": "yes"}, limits, Warned()) == (False, False)
    assert fit(LARGE, {"narrow": "no"}, limits, Warned()) == (True, True)
    assert fit(CAR.dimensions, {"narrow": "yes"}, limits, Warned()) == (True, True)


def test_exactly() -> None:
    """A limit lets pass what is exactly as high; a width must leave room."""
    for limits in (way_limits("hgv"), node_limits("hgv")):
        assert fit(LARGE, {"maxheight": "4"}, limits, Warned()) == (True, True)
        assert fit(LARGE, {"maxwidth": "2.55"}, limits, Warned()) == (False, False)


@given(st.text(), st.sampled_from(LIMITS))
def test_anything(value: str, key: str) -> None:
    """No value raises, and what is not understood limits nobody and is counted under its key."""
    for parse in (parse_metres, parse_tonnes):
        found = parse(value)
        assert found is None or found > 0
    warned = Warned()
    fits = fit(LARGE, {key: value}, way_limits("hgv"), warned)
    assert set(warned) <= {(key, value)}
    assert not warned or fits == (True, True)


def test_declared() -> None:
    """The car declares what limits it."""
    assert set(keys_of(way_limits("motorcar"))) <= set(PROFILE.way_keys)
    assert set(keys_of(node_limits("motorcar"))) <= set(PROFILE.node_keys)
    assert read_tags("maxheight=2").keys() <= set(PROFILE.way_keys)
