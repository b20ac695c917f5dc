"""What a cyclist makes of nodes, of turns and of turn restrictions."""

import pytest
from tag_rows import Warned, read_rows, read_tags
from way_rows import check_restriction_row

from gis.profiles.bicycle import PROFILE, node, turn
from gis.profiles.rules import NodeRule

NODES = """
# tags                                  seconds forward, backward; - is blocked, r restricted
(none)                                                     0    0
highway=crossing                                           0    0
highway=stop                                               0    0
highway=give_way                                           0    0
highway=mini_roundabout                                    0    0
highway=traffic_signals                                    2    2
highway=traffic_signals, direction=forward                 2    0
highway=traffic_signals, direction=backward                0    2
highway=traffic_signals, traffic_signals:direction=backward  0   2
highway=traffic_signals, traffic_signals:direction=both, direction=forward  2  2
crossing=traffic_signals                                   0    0
barrier=bollard                                            0    0
barrier=block                                              0    0
barrier=chain                                              0    0
barrier=kerb                                               0    0
barrier=kerb, kerb=raised                                  0    0
barrier=cattle_grid                                        0    0
barrier=lift_gate                                          0    0
barrier=swing_gate                                         0    0
barrier=entrance                                           0    0
barrier=toll_booth                                         0    0
barrier=some_tag                                           0    0
barrier=gate                                               5    5
barrier=gate, highway=traffic_signals, direction=forward   7    5
barrier=cycle_barrier                                      3    3
barrier=kissing_gate                                       10   10
barrier=stile                                              15   15
barrier=turnstile                                          -    -
barrier=full-height_turnstile                              -    -
barrier=wall                                               -    -
barrier=fence                                              -    -
barrier=hedge                                              -    -
barrier=yes                                                -    -
barrier=fence, sensory=audible                             0    0
barrier=fence, sensory=visual                              -    -
barrier=wall, bicycle=yes                                  0    0
barrier=fence, access=permissive                           0    0
barrier=gate, access=yes                                   0    0
barrier=gate, access=no                                    -    -
barrier=gate, access=agricultural                          -    -
barrier=gate, access=private                               0    0    r
barrier=gate, access=destination                           0    0    r
barrier=gate, access=private, bicycle=yes                  0    0
barrier=gate, access=private, foot=yes                     0    0
barrier=gate, access=no, foot=yes                          0    0
barrier=gate, access=no, foot=private                      0    0    r
barrier=gate, access=no, foot=no                           -    -
barrier=bollard, bicycle=no                                -    -
barrier=bollard, bicycle=no, foot=yes                      -    -
barrier=bollard, bicycle=dismount                          0    0
barrier=bollard, vehicle=no                                -    -
barrier=bollard, vehicle=no, foot=yes                      0    0
barrier=bollard, vehicle=no, bicycle=designated            0    0
barrier=bollard, motor_vehicle=no                          0    0
barrier=gate, access=elephants                             0    0    !access
bicycle=no                                                 -    -
bicycle=no, highway=crossing                               0    0
access=no                                                  -    -
access=private, highway=traffic_signals                    2    2    r
"""


@pytest.mark.parametrize("row", read_rows(NODES), ids=lambda row: row[0])
def test_node(row: tuple[str, ...]) -> None:
    """Every row of the table holds."""
    tags, forward, backward, more = (*row, "")[:4]
    warned = Warned()
    declared = {key: value for key, value in read_tags(tags).items() if key in PROFILE.node_keys}
    rule = node(declared, warned) or NodeRule()
    facts = more.split()
    assert [f"!{kind}" for kind, _ in warned] == [fact for fact in facts if fact[0] == "!"]
    assert rule.blocked == (forward == "-")
    assert rule.restricted == ("r" in facts)
    if not rule.blocked:
        assert (rule.forward_s, rule.backward_s) == (float(forward), float(backward))


def test_the_table_is_complete() -> None:
    """Every key that the bicycle declares for nodes stands in a row."""
    assert set(PROFILE.node_keys) <= {key for row in read_rows(NODES) for key in read_tags(row[0])}


@pytest.mark.parametrize(
    ("angle", "seconds"),
    # 6 s by the square of the angle in right angles, times or by 1.4
    [(0, 0.0), (45, 1.0714), (90, 4.2857), (180, 17.1429), (-45, 2.1), (-90, 8.4), (-180, 33.6)],
)
def test_turn_at_a_junction(angle: int, seconds: float) -> None:
    """Turns cost by the square of the angle; across the oncoming traffic they are dearer."""
    assert turn(angle, False, True, False) == pytest.approx(seconds, abs=1e-4)
    assert turn(-angle, False, True, True) == pytest.approx(seconds, abs=1e-4)


def test_straight_through_a_bend_costs_nothing() -> None:
    """Where two road pieces meet there is nothing to decide, whatever the angle."""
    assert {turn(angle, False, False, False) for angle in range(-180, 181)} == {0.0}


@pytest.mark.parametrize("junction", [False, True])
def test_u_turn(junction: bool) -> None:
    """To turn back costs 20 s on top of the angle, at a dead end too."""
    assert turn(180, True, junction, False) == turn(180, False, True, False) + 20.0


RESTRICTIONS = """
restriction=no_left_turn                                   no
restriction=only_straight_on                               only
restriction=no_u_turn                                      no
restriction=no_left_turn, except=bicycle                   -
restriction=no_left_turn, except=bus;bicycle               -
restriction=no_left_turn, except=bus                       no
restriction=no_left_turn, except=motorcar                  no
restriction:bicycle=no_right_turn                          no
restriction:motorcar=no_right_turn                         -
restriction:hgv=no_right_turn                              -
restriction=no_right_turn, restriction:bicycle=none        -
restriction=no_right_turn_on_red                           -
type=restriction:bicycle, restriction=no_entry             no
type=restriction:motorcar, restriction=no_entry            -
"""


@pytest.mark.parametrize("row", read_rows(RESTRICTIONS), ids=lambda row: row[0])
def test_restriction(row: tuple[str, ...]) -> None:
    """Restrictions bind a bicycle unless it is excepted or others are meant."""
    check_restriction_row(PROFILE, row)
