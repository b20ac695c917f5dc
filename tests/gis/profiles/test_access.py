"""The hierarchy of access tags and one-way rules, for other vehicles than the car too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_rows import Warned, read_rows, read_tags

from gis.profiles.access import (
    Access,
    AccessRules,
    Oneway,
    directed_keys,
    directed_values,
    oneway,
)

BICYCLE = AccessRules(
    keys=("bicycle", "vehicle", "access"),
    open=frozenset(("yes", "designated")),
    restricted=frozenset(("destination",)),
    closed=frozenset(("no", "private")),
)
KEYS = directed_keys(("bicycle", "access"))
DIRECTED = """
# tags                                              forward  backward
(none)                                              -    -
access=a                                            a    a
bicycle=b, access=a                                 b    b
access:forward=f                                    f    -
access:backward=r                                   -    r
access=a, access:forward=f                          f    a
bicycle:forward=f, access=a                         f    a
bicycle:backward=r, access=a                        a    r
bicycle=b, access:forward=f                         b    b
bicycle:forward=f, access:backward=r                f    r
bicycle:forward=f, access:forward=x                 f    -
bicycle:forward=f, bicycle=b, access=a              f    b
"""


@pytest.mark.parametrize("row", read_rows(DIRECTED), ids=lambda row: row[0])
def test_directed_values(row: tuple[str, str, str]) -> None:
    """A more specific key wins over a direction, a direction over the same key without."""
    tags, forward, backward = row
    found = directed_values(read_tags(tags), KEYS)
    assert found == tuple(None if text == "-" else text for text in (forward, backward))


@pytest.mark.parametrize(
    ("value", "access", "counted"),
    [
        ("yes", Access.OPEN, False),
        ("no", Access.CLOSED, False),
        ("destination", Access.RESTRICTED, False),
        ("no;destination", Access.RESTRICTED, False),
        ("no; private", Access.CLOSED, False),
        ("destination ;yes", Access.OPEN, False),
        ("elephants", Access.OPEN, True),
        ("no;elephants", Access.OPEN, True),
        ("", Access.OPEN, True),
    ],
)
def test_values(value: str, access: Access, counted: bool) -> None:
    """The most generous part of a list counts; an unknown value is open and counted."""
    warned = Warned()
    assert BICYCLE.judge(value, warned) == access
    assert bool(warned) == counted
    assert BICYCLE.judge_directions({"access": value}, directed_keys(("access",)), Warned()) == (
        access,
        access,
    )


def test_nodes() -> None:
    """On a node the most specific key decides, and directions mean nothing."""
    assert BICYCLE.judge_node({}, Warned()) is None
    assert BICYCLE.judge_node({"access": "no"}, Warned()) == Access.CLOSED
    assert BICYCLE.judge_node({"access": "no", "bicycle": "yes"}, Warned()) == Access.OPEN
    assert BICYCLE.judge_node({"access:forward": "no", "motorcar": "no"}, Warned()) is None


ONEWAY = """
# tags                                      direction     warnings
(none)                                      NO
oneway=no                                   NO
oneway=yes                                  FORWARD
oneway=-1                                   BACKWARD
oneway=yes, oneway:bicycle=no               NO
oneway=no, oneway:bicycle=yes               FORWARD
oneway=yes, oneway:bicycle=-1               BACKWARD
oneway=yes, oneway:bicycle=perhaps          FORWARD      oneway:bicycle
oneway=perhaps                              NO           oneway
oneway=reversible                           REVERSIBLE   oneway
oneway=alternating                          ALTERNATING  oneway
highway=motorway                            FORWARD
highway=motorway, oneway=no                 NO
highway=motorway_link                       NO
junction=roundabout                         FORWARD
junction=circular                           FORWARD
junction=roundabout, oneway:bicycle=no      NO
"""


@pytest.mark.parametrize("row", read_rows(ONEWAY), ids=lambda row: row[0])
def test_oneway(row: tuple[str, ...]) -> None:
    """The first key that is understood decides, then what the kind of road implies."""
    tags, direction, more = (*row, "")[:3]
    warned = Warned()
    assert oneway(read_tags(tags), ("oneway:bicycle", "oneway"), warned) is Oneway[direction]
    assert [kind for kind, _ in warned] == more.split()


@given(st.text())
def test_values_survive_anything(value: str) -> None:
    """No value of an access or one-way tag raises."""
    assert BICYCLE.judge(value, Warned()) in Access
    assert oneway({"oneway": value}, ("oneway",), Warned()) in Oneway
