"""What a walker makes of nodes, of turns and of turn restrictions."""

import pytest
from tag_rows import Warned, read_rows, read_tags
from way_rows import check_restriction_row

from gis.profiles.foot import PROFILE, node, turn
from gis.profiles.rules import NodeRule

NODES = """
# tags                                  seconds; - is blocked, r restricted
(none)                                                     0
highway=crossing                                           0
highway=stop                                               0
highway=elevator                                           0
highway=traffic_signals                                    2
highway=traffic_signals, direction=forward                 2    # signs for vehicles
barrier=bollard                                            0
barrier=block                                              0
barrier=kerb                                               0
barrier=gate                                               0
barrier=lift_gate                                          0
barrier=kissing_gate                                       0
barrier=stile                                              0
barrier=turnstile                                          0
barrier=cycle_barrier                                      0
barrier=cattle_grid                                        0
barrier=entrance                                           0
barrier=some_tag                                           0
barrier=wall                                               -
barrier=fence                                              -
barrier=hedge                                              -
barrier=retaining_wall                                     -
barrier=yes                                                -
barrier=yes, bollard=rising                                0
barrier=fence, sensory=audio                               0
barrier=fence, sensory=visual                              -
barrier=wall, foot=yes                                     0
barrier=fence, access=permissive                           0
barrier=gate, access=yes                                   0
barrier=gate, access=no                                    -
barrier=gate, access=forestry                              -
barrier=gate, access=private                               0    r
barrier=gate, access=customers                             0    r
barrier=gate, access=no, foot=yes                          0
barrier=gate, access=private, foot=permissive              0
barrier=gate, foot=no                                      -
barrier=gate, foot=private                                 0    r
barrier=bollard, vehicle=no                                0
barrier=bollard, bicycle=no                                0
barrier=gate, access=elephants                             0    !access
highway=traffic_signals, access=private                    2    r
access=no                                                  -
"""


@pytest.mark.parametrize("row", read_rows(NODES), ids=lambda row: row[0])
def test_node(row: tuple[str, ...]) -> None:
    """Every row of the table holds."""
    tags, seconds, more = (*row, "")[:3]
    warned = Warned()
    declared = {key: value for key, value in read_tags(tags).items() if key in PROFILE.node_keys}
    rule = node(declared, warned) or NodeRule()
    facts = more.split()
    assert [f"!{kind}" for kind, _ in warned] == [fact for fact in facts if fact[0] == "!"]
    assert rule.blocked == (seconds == "-")
    assert rule.restricted == ("r" in facts)
    if not rule.blocked:
        assert rule.forward_s == rule.backward_s == float(seconds)


def test_the_table_is_complete() -> None:
    """Every key that the walker declares for nodes stands in a row."""
    assert set(PROFILE.node_keys) <= {key for row in read_rows(NODES) for key in read_tags(row[0])}


def test_turns() -> None:
    """Turns cost a walker nothing, only to turn back costs 2 s."""
    angles = range(-180, 181)
    assert {turn(angle, False, True, False) for angle in angles} == {0.0}
    assert {turn(angle, True, False, True) for angle in angles} == {2.0}


RESTRICTIONS = """
restriction=no_left_turn                                   -
restriction=only_straight_on                               -
restriction=no_left_turn, except=foot                      -
restriction=no_left_turn, restriction:foot=no_left_turn    no
restriction:foot=no_right_turn                             no
restriction:foot=only_straight_on                          only
restriction:foot=none                                      -
restriction:bicycle=no_right_turn                          -
type=restriction:foot, restriction=no_entry                no
type=restriction:bicycle, restriction=no_entry             -
"""


@pytest.mark.parametrize("row", read_rows(RESTRICTIONS), ids=lambda row: row[0])
def test_restriction(row: tuple[str, ...]) -> None:
    """Only restrictions that name walkers bind them."""
    check_restriction_row(PROFILE, row)
