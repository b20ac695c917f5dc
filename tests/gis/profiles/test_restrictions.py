"""Which turn restriction relations bind a car, and which bind others."""

import pytest
from tag_rows import Warned, read_rows, read_tags

from gis.profiles.car import PROFILE
from gis.profiles.conditional import variants_of
from gis.profiles.restrictions import (
    CONDITIONAL,
    EXCEPTED,
    NOT_RESTRICTING,
    NOT_UNDERSTOOD,
    OTHER_VEHICLES,
    judge_restriction,
)

WORDS = {
    CONDITIONAL: "at times",
    EXCEPTED: "excepted",
    NOT_RESTRICTING: "no turn",
    NOT_UNDERSTOOD: "not understood",
    OTHER_VEHICLES: "others",
}

RESTRICTIONS = """
# tags                                                     kind, or the reason why it does not bind
restriction=no_left_turn                                   no
restriction=no_right_turn                                  no
restriction=no_straight_on                                 no
restriction=no_u_turn                                      no
restriction=no_turn                                        no
restriction=no_entry                                       no
restriction=no_exit                                        no
restriction=only_left_turn                                 only
restriction=only_right_turn                                only
restriction=only_straight_on                               only
restriction=only_u_turn                                    only
type=restriction, restriction=no_left_turn                 no
restriction=no_left_turn;no_u_turn                         no
restriction=no_left_turn; no_u_turn                        no
restriction=no_left_turn;only_straight_on                  not understood  !restriction
restriction=no_right_turn_on_red                           no turn
restriction=no_turn_on_red                                 no turn
restriction=give_way                                       no turn
restriction=stop                                           no turn
restriction=yield                                          no turn
restriction=none                                           no turn
restriction=no_weird_zigzags                               not understood  !restriction
restriction=no                                             not understood  !restriction
restriction=                                               not understood  !restriction
type=restriction                                           others
type=restriction, restriction:hgv=no_left_turn             others
type=restriction:hgv, restriction=no_left_turn             others
type=restriction:bicycle, restriction:motorcar=no_u_turn   others
type=restriction:motorcar, restriction=no_left_turn        no
type=restriction:motor_vehicle, restriction=only_left_turn  only
type=restriction:vehicle, restriction:vehicle=no_u_turn    no
restriction:motorcar=no_left_turn                          no
restriction:motor_vehicle=no_left_turn                     no
restriction:vehicle=only_straight_on                       only
restriction=no_u_turn, restriction:motorcar=only_left_turn  only
restriction=no_u_turn, restriction:motorcar=none           no turn
restriction:vehicle=no_u_turn, restriction:motor_vehicle=none  no turn
restriction=no_left_turn, except=motorcar                  excepted
restriction=no_left_turn, except=motor_vehicle             excepted
restriction=no_left_turn, except=vehicle                   excepted
restriction=no_left_turn, except=psv;motorcar              excepted
restriction=no_left_turn, except=psv; motorcar             excepted
restriction=no_left_turn, except=psv,motorcar              excepted
restriction=only_straight_on, except=motorcar              excepted
restriction=no_left_turn, except=psv                       no
restriction=no_left_turn, except=bicycle;psv               no
restriction=no_left_turn, except=no                        no
restriction:conditional=no_left_turn @ (15:00-18:00)       at times
restriction:motorcar:conditional=no_u_turn @ Su  at times
restriction=no_u_turn, restriction:conditional=none @ Su   no
restriction=no_left_turn, day_on=Mo, day_off=Fr            at times
restriction=no_left_turn, hour_on=7, hour_off=18           at times
"""


@pytest.mark.parametrize("row", read_rows(RESTRICTIONS), ids=lambda row: row[0])
def test_restriction(row: tuple[str, ...]) -> None:
    """Every row of the table holds: a reason stands exactly where a restriction does not bind."""
    tags, expected, more = (*row, "")[:3]
    warned = Warned()
    at_no_special_time = variants_of(read_tags(tags), (), warned).normal
    kind, reason = PROFILE.restriction(at_no_special_time, warned)
    assert (kind or WORDS.get(reason)) == expected
    assert (kind is None) == bool(reason)
    assert [f"!{kind}" for kind, _ in warned] == more.split()


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("type=restriction, restriction:hgv=no_left_turn", "no"),
        ("type=restriction:hgv, restriction=no_left_turn", "no"),
        ("restriction=no_left_turn", "no"),
        ("restriction=no_left_turn, except=hgv", None),
        ("restriction=no_left_turn, except=motorcar", "no"),
        ("restriction:motorcar=no_left_turn", None),
    ],
)
def test_other_vehicles(tags: str, expected: str | None) -> None:
    """The same rules serve a truck by its own keys."""
    truck = ("hgv", "motor_vehicle", "vehicle")
    assert judge_restriction(read_tags(tags), truck, Warned())[0] == expected


def test_the_keys_are_those_that_are_looked_at() -> None:
    """No tag outside the declared keys matters; each inside it does somewhere in the table."""
    keys = PROFILE.relation_keys
    assert len(set(keys)) == len(keys)
    used = {key for row in read_rows(RESTRICTIONS) for key in read_tags(row[0])}
    assert used - set(keys) == {"restriction:hgv"}
    assert set(keys) - used == {
        "restriction:motor_vehicle:conditional",
        "restriction:vehicle:conditional",
    }
