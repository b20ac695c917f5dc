"""A profile's verdicts for every combination of times."""

from dataclasses import replace

import numpy as np
import pytest

from gis.osm.tagsets import TagSets, build_tagsets
from gis.profiles.car import PROFILE as CAR
from gis.profiles.registry import apply_profile
from gis.profiles.rules import Tags
from gis.profiles.timed import (
    MOST_EXPRESSIONS,
    TOO_MANY,
    TimedVerdicts,
    check_timed,
    judge_times,
    verdicts_ever,
)
from gis.profiles.verdicts import FORWARD_RESTRICTED, STARTPOINT, Verdicts, check_verdicts

HOURS = ("07:00-09:00", "22:00-06:00")


def judge(*ways: Tags, relations: tuple[Tags, ...] = ()) -> tuple[TimedVerdicts, Verdicts]:
    """What a car makes of ways; set 0 has no tags."""
    sets = tagsets(ways), tagsets(()), tagsets(relations)
    timed, normal = judge_times(CAR, *sets, apply_profile(CAR, *sets))
    check_timed(timed)
    check_verdicts(normal)
    check_verdicts(verdicts_ever(timed, normal))
    return timed, normal


def tagsets(sets: tuple[Tags, ...]) -> TagSets:
    return build_tagsets([{}, *map(dict, sets)])


def speeds(timed: TimedVerdicts, *holds: str) -> list[tuple[float, float]]:
    """Forward and backward speed of every set but the empty one while some hours hold."""
    verdicts = timed.at(np.array([text in holds for text in timed.expressions], np.bool_))
    both = verdicts.forward_kmh[1:].tolist(), verdicts.backward_kmh[1:].tolist()
    return list(zip(*both, strict=True))


def test_every_combination_of_times() -> None:
    """The last clause that holds counts, of several keys each its own."""
    road = {
        "highway": "primary",
        "maxspeed:conditional": "50 @ (07:00-09:00); 30 @ (22:00-06:00)",
        "oneway:conditional": "yes @ (07:00-09:00)",
    }
    timed, normal = judge(road, {"highway": "primary"})
    assert timed.expressions == HOURS
    assert timed.ways.tagset.tolist() == [1]
    assert normal.forward_kmh[1:].tolist() == [65.0, 65.0]
    other = (65.0, 65.0)
    assert speeds(timed) == [(65.0, 65.0), other]
    assert speeds(timed, HOURS[0]) == [(40.0, 0.0), other]
    assert speeds(timed, HOURS[1]) == [(24.0, 24.0), other]
    assert speeds(timed, *HOURS) == [(24.0, 0.0), other]


def test_what_changes_nothing_is_left_out() -> None:
    """Neither hours of others nor hours at which all stays as it is take room."""
    timed, _ = judge(
        {"highway": "primary", "hgv:conditional": "no @ (07:00-09:00)"},
        {"highway": "primary", "access:conditional": "yes @ (07:00-09:00)"},
        {"highway": "primary", "access:conditional": "no @ wet"},
        {"highway": "primary", "access:conditional": "no @ (22:00-06:00)"},
        {"highway": "primary", "access:conditional": "no @ weight>7.5"},
    )
    assert timed.expressions == (HOURS[1],)
    assert timed.ways.tagset.tolist() == [4]


def test_nothing_changes_with_the_time() -> None:
    """Then there are no tables."""
    timed, normal = judge({"highway": "primary"})
    assert timed.expressions == () and not len(timed.tables.forward_kmh)
    assert verdicts_ever(timed, normal) is normal


def test_roads_that_are_open_at_times() -> None:
    """Among all that is open ever a road has the mode, the flags and the speed of that time."""
    timed, normal = judge(
        {"highway": "primary", "access": "no", "access:conditional": "destination @ (07:00-09:00)"}
    )
    assert not normal.way_open().any() and not normal.way_flags.any()
    ever = verdicts_ever(timed, normal)
    assert ever.forward_kmh[1] == ever.backward_kmh[1] == 65.0
    assert ever.way_flags[1] & (STARTPOINT | FORWARD_RESTRICTED) == STARTPOINT | FORWARD_RESTRICTED
    assert speeds(timed) == [(0.0, 0.0)]
    assert speeds(timed, HOURS[0]) == [(65.0, 65.0)]


def test_what_is_open_keeps_its_speed_among_all_that_is_open_ever() -> None:
    """Only the direction that is closed is as at the time at which it is open."""
    timed, normal = judge(
        {
            "highway": "primary",
            "oneway": "yes",
            "oneway:conditional": "no @ (07:00-09:00)",
            "maxspeed:conditional": "30 @ (07:00-09:00)",
        }
    )
    ever = verdicts_ever(timed, normal)
    assert (ever.forward_kmh[1], ever.backward_kmh[1]) == (65.0, 24.0)


def test_restrictions_at_times() -> None:
    """A relation binds while its hours hold; before there was a grammar, too."""
    timed, normal = judge(
        {"highway": "primary"},
        relations=(
            {"restriction:conditional": "no_left_turn @ (07:00-09:00)"},
            {"restriction": "only_left_turn", "hour_on": "22:00", "hour_off": "06:00"},
            {"restriction": "no_u_turn", "restriction:conditional": "none @ (07:00-09:00)"},
            {"restriction": "no_u_turn", "restriction:conditional": "no_u_turn @ (07:00-09:00)"},
        ),
    )
    assert normal.restriction_kind.tolist() == [0, 0, 0, 1, 1]
    assert normal.restriction_reason[1:3] == ("holds only at times",) * 2
    at = {
        holds: timed.at(np.array([text in holds for text in timed.expressions]))
        for holds in [(), HOURS[:1], HOURS[1:], HOURS]
    }
    assert at[()].restriction_kind.tolist() == [0, 0, 0, 1, 1]
    assert at[HOURS[:1]].restriction_kind.tolist() == [0, 1, 0, 0, 1]
    assert at[HOURS[1:]].restriction_kind.tolist() == [0, 0, 2, 1, 1]
    assert at[HOURS].restriction_kind.tolist() == [0, 1, 2, 0, 1]
    assert verdicts_ever(timed, normal).restriction_kind.tolist() == [0, 1, 2, 1, 1]


def test_too_many_conditions() -> None:
    """Of more than a few the first count, and the others are told."""
    clauses = [f"{10 + 5 * n} @ ({n:02}:00-{n + 1:02}:00)" for n in range(7)]
    timed, normal = judge({"highway": "primary", "maxspeed:conditional": "; ".join(clauses)})
    assert len(timed.expressions) == MOST_EXPRESSIONS
    assert normal.warnings[TOO_MANY] == {"05:00-06:00": 1, "06:00-07:00": 1}


@pytest.mark.parametrize(("weight_t", "expected"), [(2.0, 65.0), (12.0, 0.0)])
def test_dimensions_decide_once(weight_t: float, expected: float) -> None:
    """A condition of the vehicle's size holds always or never."""
    truck = replace(CAR, dimensions=(("weight", weight_t),))
    sets = tagsets(({"highway": "primary", "access:conditional": "no @ weight>7.5"},))
    nothing = tagsets(())
    verdicts = apply_profile(truck, sets, nothing, nothing)
    assert verdicts.forward_kmh[1] == expected
    assert not judge_times(truck, sets, nothing, nothing, verdicts)[0].expressions
