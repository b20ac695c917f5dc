"""What a car makes of nodes, and what turns cost it."""

import math

import pytest
from tag_rows import Warned, read_rows, read_tags

from gis.profiles.car import PROFILE
from gis.profiles.rules import NodeRule

turn = PROFILE.turn

NODES = """
# tags                                                     seconds forward, backward, - is blocked
(none)                                                     0    0
highway=crossing                                           0    0
highway=turning_circle                                     0    0
highway=mini_roundabout                                    1    1
highway=mini_roundabout, direction=clockwise               1    1
highway=stop, stop=minor, direction=forward                0    0
highway=stop, direction=both                               2    2
highway=give_way, direction=forward                        1    0
highway=give_way, direction=both                           1    1
highway=turning_loop                                       0    0
highway=traffic_signals, traffic_signals:direction=backward, direction=forward  0  2
crossing=traffic_signals                                   0    0
highway=traffic_signals                                    2    2
highway=traffic_signals, direction=forward                 2    0
highway=traffic_signals, direction=backward                0    2
highway=traffic_signals, direction=both                    2    2
highway=traffic_signals, direction=270                     2    2
highway=traffic_signals, traffic_signals:direction=forward   2   0
highway=traffic_signals, traffic_signals:direction=backward  0   2
highway=traffic_signals, traffic_signals:direction=both, direction=forward  2  2
highway=stop                                               2    2
highway=stop, direction=forward                            2    0
highway=stop, direction=backward                           0    2
highway=stop, stop=all                                     2    2
highway=stop, stop=minor                                   0    0
highway=stop, traffic_signals:direction=forward            2    2
highway=give_way                                           1    1
highway=give_way, direction=backward                       0    1
barrier=no                                                 0    0
barrier=entrance                                           0    0
barrier=cattle_grid                                        0    0
barrier=border_control                                     60   60
barrier=toll_booth                                         15   15
barrier=toll_booth, access=yes                             15   15
barrier=toll_booth, access=destination                     15   15    restricted
barrier=border_control, motor_vehicle=yes                  60   60
barrier=sally_port                                         0    0
barrier=height_restrictor                                  0    0
barrier=arch                                               0    0
barrier=gate                                               60   60
barrier=lift_gate                                          60   60
barrier=swing_gate                                         -    -
barrier=swing_gate, motor_vehicle=yes                      0    0
barrier=swing_gate, access=private                         0    0     restricted
barrier=hampshire_gate                                     -    -
barrier=sliding_gate                                       -    -
barrier=lift_gate, access=permissive                       0    0
barrier=gate, highway=traffic_signals                      62   62
barrier=gate, highway=stop, direction=forward              62   60
barrier=bollard                                            -    -
barrier=bollard, bollard=rising                            0    0
barrier=bollard, bollard=removable                         -    -
barrier=block                                              -    -
barrier=chain                                              -    -
barrier=cycle_barrier                                      -    -
barrier=kissing_gate                                       -    -
barrier=wall                                               -    -
barrier=yes                                                -    -
barrier=some_tag                                           -    -
barrier=kerb                                               -    -
barrier=kerb, kerb=raised                                  -    -
barrier=kerb, kerb=lowered                                 0    0
barrier=kerb, kerb=flush                                   0    0
barrier=kerb, highway=crossing                             0    0
barrier=gate, access=yes                                   0    0
barrier=gate, access=permissive                            0    0
barrier=gate, access=destination                           0    0     restricted
barrier=gate, access=customers                             0    0     restricted
barrier=gate, access=private                               0    0     restricted
barrier=gate, access=permit                                0    0     restricted
barrier=gate, access=private, motorcar=yes                 0    0
barrier=gate, access=yes, motorcar=private                 0    0     restricted
barrier=gate, access=private;no                            0    0     restricted
barrier=gate, access=private, highway=traffic_signals      2    2     restricted
barrier=bollard, access=private                            0    0     restricted
barrier=bollard, motor_vehicle=destination                 0    0     restricted
barrier=chain, access=delivery                             0    0     restricted
access=private                                             0    0     # no barrier keeps others out
access=customers                                           0    0
barrier=gate, locked=yes                                   -    -
barrier=gate, locked=yes, access=yes                       -    -
barrier=gate, locked=yes, access=private                   0    0     restricted
barrier=gate, locked=no                                    60   60
barrier=chain, locked=yes                                  -    -
locked=yes                                                 0    0
barrier=fence                                              -    -
barrier=fence, sensory=audible                             0    0
barrier=fence, sensory=audio                               0    0
barrier=fence, sensory=visual                              -    -
barrier=bollard, bollard=rising, access=no                 -    -
barrier=jersey_barrier                                     -    -
barrier=bus_trap                                           -    -
barrier=debris                                             -    -
barrier=log                                                -    -
barrier=spikes                                             -    -
barrier=turnstile                                          -    -
barrier=motorcycle_barrier                                 -    -
barrier=height_restrictor, maxheight=1.9                   -    -
barrier=height_restrictor, maxheight=2                     0    0
barrier=height_restrictor, maxheight=2.1 m                 0    0
barrier=height_restrictor, maxheight=6'6"                  -    -
barrier=height_restrictor, maxheight=6'7"                  0    0
barrier=height_restrictor, maxheight=default               0    0
barrier=height_restrictor, maxheight=low                   0    0     !maxheight
barrier=height_restrictor, maxheight:physical=1.8          -    -
barrier=height_restrictor, maxheight=1.8, access=yes       -    -
barrier=gate, maxwidth=1.8                                 -    -
barrier=gate, maxwidth=2.5                                 60   60
barrier=gate, maxwidth:physical=1.5                        -    -
barrier=bollard, motor_vehicle=yes, maxwidth=2             0    0
barrier=bollard, motor_vehicle=yes, maxwidth=1.6           -    -
barrier=gate, maxweight=1.5                                -    -
barrier=gate, maxweight=3.5                                60   60
barrier=gate, maxweightrating=1.5                          -    -
barrier=gate, maxlength=4                                  -    -
barrier=gate, maxaxleload=0.5                              60   60    # unknown of cars
maxheight=1.5                                              0    0     # a sign, not the bridge
highway=traffic_signals, maxheight=1.5                     2    2
barrier=gate, access=no                                    -    -
barrier=gate, access=agricultural                          -    -
barrier=gate, access=no, motorcar=yes                      0    0
barrier=gate, access=yes, motor_vehicle=no                 -    -
barrier=gate, vehicle=no, motor_vehicle=yes                0    0
barrier=bollard, access=yes                                0    0
barrier=bollard, motor_vehicle=yes                         0    0
barrier=bollard, foot=yes, bicycle=yes                     -    -
barrier=wall, access=permissive                            0    0
barrier=toll_booth, access=no                              -    -
barrier=toll_booth, vehicle=no                             -    -
barrier=gate, access=elephants                             0    0     !access
access=no                                                  -    -
access=yes                                                 0    0
motor_vehicle=no                                           -    -
motorcar=no, access=yes                                    -    -
highway=traffic_signals, access=yes                        2    2
highway=traffic_signals, access=no                         -    -
"""


@pytest.mark.parametrize("row", read_rows(NODES), ids=lambda row: row[0])
def test_node(row: tuple[str, ...]) -> None:
    """Every row of the table holds, and nothing that a row does not mention."""
    tags, forward, backward, more = (*row, "")[:4]
    warned = Warned()
    declared = {key: value for key, value in read_tags(tags).items() if key in PROFILE.node_keys}
    rule = PROFILE.node(declared, warned) or NodeRule()
    seconds = "-" if rule.blocked else f"{rule.forward_s:g}", f"{rule.backward_s:g}"
    facts = ["restricted"] * rule.restricted + sorted({f"!{kind}" for kind, _ in warned})
    assert (*seconds, " ".join(facts)) == (forward, "0" if rule.blocked else backward, more)


def test_straight_through_a_bend_costs_nothing() -> None:
    """Where two road pieces meet there is nothing to decide, whatever the angle."""
    assert {turn(angle, False, False, False) for angle in range(-180, 181)} == {0.0}


@pytest.mark.parametrize(
    ("angle", "seconds"),
    # To the right 7.5 / (1 + e^(6.9875 - 0.067183 a)); to the left, across the oncoming traffic,
    # 7.5 / (1 + e^(6.0465 - 0.077639 a)) + 2 / (1 + e^(3.25 - 0.072222 a)).
    [
        *((0, 0.0069), (45, 0.1397), (90, 2.1053), (180, 7.4548)),
        *((-45, 0.5418 + 1.0), (-90, 5.3947 + 1.9254), (-135, 7.4121 + 1.9970)),
    ],
)
def test_turn_at_a_junction(angle: int, seconds: float) -> None:
    """Turns follow the sigmoid of the angle, dearer across the oncoming traffic."""
    assert turn(angle, False, True, False) == pytest.approx(seconds, abs=1e-4)


def test_turns_where_one_drives_on_the_left() -> None:
    """All is as in a mirror, but for straight on."""
    for angle in (*range(-180, 0), *range(1, 181)):
        assert turn(angle, False, True, True) == turn(-angle, False, True, False)
    assert turn(0, False, True, True) == pytest.approx(0.0177, abs=1e-4)


def test_turn_costs_grow_with_the_angle() -> None:
    """The sharper the dearer; to the left dearer than as sharply to the right, up to a limit."""
    right = [turn(angle, False, True, False) for angle in range(181)]
    left = [turn(-angle, False, True, False) for angle in range(181)]
    assert right == sorted(right)
    assert left == sorted(left)
    assert all(a < b for a, b in zip(right[1:], left[1:], strict=True))
    assert max(right) < 7.5 and max(left) < 9.5


@pytest.mark.parametrize("junction", [False, True])
@pytest.mark.parametrize("angle", [180, -180, 170])
def test_u_turn(angle: int, junction: bool) -> None:
    """To turn back costs 20 s on top of the angle, at a dead end too."""
    oncoming_s = 2.0 / (1.0 + math.exp(3.25 - 13.0 * abs(angle) / 180.0)) if angle < 0 else 0.0
    expected = turn(angle, False, True, False) - oncoming_s + 20.0  # nobody comes there
    assert turn(angle, True, junction, False) == pytest.approx(expected)
    assert math.isclose(turn(angle, True, junction, False), 27.5, abs_tol=0.2)


def test_the_table_is_whole() -> None:
    """Every key that the car declares for nodes stands in a row, directions of limits aside."""
    keys = {key for row in read_rows(NODES) for key in read_tags(row[0])}
    for key in PROFILE.node_keys:
        assert key in keys or (key.startswith("max") and key.split(":")[0] in keys)
