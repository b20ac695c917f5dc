"""What a car makes of nodes, and what turns cost it."""

import math

import pytest
from tag_rows import Warned, read_rows, read_tags

from gis.profiles.car import PROFILE, node, turn

NODES = """
# tags                                                     seconds forward, backward; - is blocked
(none)                                                     0    0
highway=crossing                                           0    0
highway=turning_circle                                     0    0
highway=mini_roundabout                                    0    0
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
barrier=border_control                                     0    0
barrier=toll_booth                                         0    0
barrier=sally_port                                         0    0
barrier=height_restrictor                                  0    0
barrier=arch                                               0    0
barrier=gate                                               60   60
barrier=lift_gate                                          60   60
barrier=swing_gate                                         60   60
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
barrier=gate, access=destination                           0    0
barrier=gate, access=customers                             0    0
barrier=gate, access=private                               -    -
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
    """Every row of the table holds."""
    tags, forward, backward, more = (*row, "")[:4]
    warned = Warned()
    declared = {key: value for key, value in read_tags(tags).items() if key in PROFILE.node_keys}
    rule = node(declared, warned)
    assert [f"!{kind}" for kind, _ in warned] == more.split()
    if forward == "-":
        assert rule is not None
        assert rule.blocked
    elif rule is None:
        assert (forward, backward) == ("0", "0")
    else:
        assert not rule.blocked
        assert (rule.forward_s, rule.backward_s) == (float(forward), float(backward))


def test_straight_through_a_bend_costs_nothing() -> None:
    """Where two road pieces meet there is nothing to decide, whatever the angle."""
    assert {turn(angle, False, False, False) for angle in range(-180, 181)} == {0.0}


@pytest.mark.parametrize(
    ("angle", "seconds"),
    # 7.5 / (1 + e^(6.9875 - 0.067183 a)) to the right, 7.5 / (1 + e^(6.0465 - 0.077639 a)) left
    [(0, 0.0069), (45, 0.1397), (90, 2.1053), (180, 7.4548), (-45, 0.5418), (-90, 5.3947)],
)
def test_turn_at_a_junction(angle: int, seconds: float) -> None:
    """Turns follow the sigmoid of the angle, with a bias for the side of driving."""
    assert turn(angle, False, True, False) == pytest.approx(seconds, abs=1e-4)


def test_turn_costs_grow_with_the_angle() -> None:
    """The sharper the dearer; to the left dearer than as sharply to the right, up to a limit."""
    right = [turn(angle, False, True, False) for angle in range(181)]
    left = [turn(-angle, False, True, False) for angle in range(181)]
    assert right == sorted(right)
    assert left == sorted(left)
    assert all(a < b for a, b in zip(right[1:], left[1:], strict=True))
    assert max(left) < 7.5


@pytest.mark.parametrize("junction", [False, True])
@pytest.mark.parametrize("angle", [180, -180, 170])
def test_u_turn(angle: int, junction: bool) -> None:
    """To turn back costs 20 s on top of the angle, at a dead end too."""
    assert turn(angle, True, junction, False) == turn(angle, False, True, False) + 20.0
    assert math.isclose(turn(angle, True, junction, False), 27.5, abs_tol=0.2)


def test_the_table_is_complete() -> None:
    """Every key that the car declares for nodes stands in a row."""
    assert set(PROFILE.node_keys) <= {key for row in read_rows(NODES) for key in read_tags(row[0])}
