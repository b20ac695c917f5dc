"""Profiles by name, and their judgment of every tag set, against calling them directly."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import osmium
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_rows import Warned

from gis.errors import ProfileError
from gis.osm.tagsets import TagSets, build_tagsets
from gis.profiles.car import PROFILE as CAR
from gis.profiles.conditional import variants_of
from gis.profiles.registry import (
    LABEL_KEYS,
    PROFILES,
    WAY_KEYS,
    apply_profile,
    get_profile,
    tag_selection,
)
from gis.profiles.rules import Mode, NodeRule, Profile, Tags, WayRule
from gis.profiles.verdicts import (
    BACKWARD_RESTRICTED,
    FORWARD_RESTRICTED,
    ROUNDABOUT,
    STARTPOINT,
    Verdicts,
    check_verdicts,
)

NO_SETS = build_tagsets([{}])
WAYS = (
    {},
    {"highway": "primary", "maxspeed": "50"},
    {"highway": "primary", "oneway": "-1", "junction": "roundabout"},
    {"highway": "residential", "access": "destination", "lanes": "1"},
    {"route": "ferry", "duration": "PT10M"},
    {"highway": "steps"},
    {"highway": "primary", "maxspeed": "fast"},
    {"highway": "secondary", "maxspeed": "fast", "maxspeed:forward": "fast"},
    {"highway": "residential", "oneway": "reversible"},
)
NODES = (
    {},
    {"highway": "traffic_signals", "direction": "forward"},
    {"barrier": "bollard"},
    {"barrier": "gate", "access": "elephants"},
)
RESTRICTIONS = (
    {},
    {"type": "restriction", "restriction": "no_left_turn"},
    {"type": "restriction", "restriction": "only_straight_on"},
    {"type": "restriction", "restriction": "no_u_turn", "except": "motorcar"},
)


def judge(profile: Profile, ways: Any = WAYS, nodes: Any = NODES) -> Verdicts:
    return apply_profile(
        profile, build_tagsets(ways), build_tagsets(nodes), build_tagsets(RESTRICTIONS)
    )


def test_get_profile() -> None:
    """A profile is found by its name, and a wrong name is told the right ones."""
    assert get_profile("car") is CAR
    assert all(profile.name == name for name, profile in PROFILES.items())
    with pytest.raises(ProfileError, match=r"no profile 'cart'; there is: bicycle, car, foot"):
        get_profile("cart")


def test_tag_selection() -> None:
    """All keys of all profiles are read, in an order that does not depend on the profiles'."""
    other = replace(CAR, name="other", way_keys=("zebra", "highway"), node_keys=("aardvark",))
    selection = tag_selection([CAR, other])
    assert selection == tag_selection([other, CAR])
    assert set(selection.way_keys) == {*CAR.way_keys, *WAY_KEYS, "zebra"}
    assert set(selection.node_keys) == {*CAR.node_keys, "aardvark"}
    assert selection.relation_keys == tuple(sorted(CAR.relation_keys))
    assert selection.road_tags == (("highway", None), ("route", ("ferry", "shuttle_train")))
    assert selection.label_keys == LABEL_KEYS
    for keys in (selection.way_keys, selection.label_keys, selection.node_keys):
        assert len(set(keys)) == len(keys)


def test_verdicts_of_a_small_map() -> None:
    """Each array holds what the car says of the set at that position."""
    verdicts = judge(CAR)
    check_verdicts(verdicts)
    assert verdicts.forward_kmh.tolist() == [0, 40, 0, 25, 5, 0, 65, 55, 0]
    assert verdicts.backward_kmh.tolist() == [0, 40, 65, 25, 5, 0, 65, 55, 0]
    assert verdicts.forward_preference.tolist() == [1, 1, 1, 0.5, 1, 1, 1, 1, 1]
    assert verdicts.duration_s.tolist() == [0, 0, 0, 0, 600, 0, 0, 0, 0]
    flags = [
        0,
        STARTPOINT,
        STARTPOINT | ROUNDABOUT,
        STARTPOINT | FORWARD_RESTRICTED | BACKWARD_RESTRICTED,
        0,
        0,
    ]
    assert verdicts.way_flags.tolist() == [*flags, STARTPOINT, STARTPOINT, 0]
    assert verdicts.forward_mode.tolist() == [0, 1, 0, 1, Mode.FERRY, 0, 1, 1, 0]
    assert verdicts.backward_mode.tolist() == [0, 1, 1, 1, Mode.FERRY, 0, 1, 1, 0]
    assert verdicts.way_open().tolist() == [kmh > 0 for kmh in verdicts.backward_kmh]
    assert verdicts.node_blocked.tolist() == [False, False, True, False]
    assert verdicts.node_forward_s.tolist() == [0, 2, 0, 0]
    assert verdicts.node_backward_s.tolist() == [0, 0, 0, 0]
    assert verdicts.restriction_kind.tolist() == [0, 1, 2, 0]
    assert verdicts.restriction_reason == ("no tags", "", "", "excepts this vehicle")
    for left_hand, junction, u_turn in np.ndindex(2, 2, 2):
        for angle in (-180, -90, 0, 90, 180):
            expected = np.float32(CAR.turn(angle, bool(u_turn), bool(junction), bool(left_hand)))
            assert verdicts.turn_s[left_hand, junction, u_turn, angle + 180] == expected


def test_warnings_count_tag_sets() -> None:
    """A value counts once for each set that has it, even where it is looked at twice."""
    assert judge(CAR).warnings == {
        "access": {"elephants": 1},
        "maxspeed": {"fast": 2},
        "oneway": {"reversible": 1},
    }


def test_each_set_is_judged_once() -> None:
    """A profile's functions are called once for each set, and not for the empty one."""
    calls: Counter[tuple[tuple[str, str], ...]] = Counter()

    def way(tags: Any, warn: Any) -> WayRule:
        calls[tuple(tags.items())] += 1
        return WayRule(1.0, 1.0)

    judge(replace(CAR, way=way))
    assert calls == {tuple(tags.items()): 1 for tags in WAYS if tags}


def test_undeclared_keys_stay_hidden() -> None:
    """A tag that another profile asked for cannot reach a profile that did not declare it."""
    seen: list[dict[str, str]] = []

    def way(tags: Any, warn: Any) -> None:
        seen.append(dict(tags))

    def node(tags: Any, warn: Any) -> NodeRule:
        return NodeRule(blocked=True)

    profile = replace(CAR, way=way, node=node, way_keys=("highway",), node_keys=("barrier",))
    verdicts = judge(profile)
    assert all(set(tags) == {"highway"} for tags in seen)
    assert len(seen) == len(WAYS) - 2  # a ferry without a highway has nothing left to judge
    assert verdicts.node_blocked.tolist() == [False, False, True, True]


def closed(tags: Any, warn: Any) -> WayRule:
    return WayRule(
        0.0, 0.0, duration_s=60.0, startpoint=True, forward_restricted=True, forward_mode=Mode.FERRY
    )


def test_closed_and_blocked_are_canonical() -> None:
    """A closed way has no flags and no duration, a blocked node no delay."""
    blocked = NodeRule(blocked=True, forward_s=5.0)
    verdicts = judge(replace(CAR, way=closed, node=lambda tags, warn: blocked))
    check_verdicts(verdicts)
    assert not verdicts.way_flags.any()
    assert not verdicts.duration_s.any()


IMPOSSIBLE_WAYS = (
    WayRule(float("nan"), 10.0),
    WayRule(10.0, float("inf")),
    WayRule(-1.0, 10.0),
    WayRule(10.0, 181.0),
    WayRule(10.0, 10.0, duration_s=0.0),
    WayRule(10.0, 10.0, duration_s=-5.0),
    WayRule(10.0, 10.0, duration_s=1e9),
    WayRule(10.0, 10.0, forward_preference=0.0),
    WayRule(10.0, 10.0, backward_preference=float("nan")),
    WayRule(10.0, 10.0, backward_preference=0.0),
    WayRule(10.0, 10.0, forward_mode=Mode.INACCESSIBLE),
    WayRule(10.0, 10.0, backward_mode="walking"),  # type: ignore[arg-type]
    WayRule(10.0, 10.0, forward_mode=99),  # type: ignore[arg-type]
    WayRule("fast", 10.0),  # type: ignore[arg-type]
    WayRule(None, 10.0),  # type: ignore[arg-type]
    (10.0, 10.0),
    "open",
)


@pytest.mark.parametrize("rule", IMPOSSIBLE_WAYS, ids=repr)
def test_impossible_ways(rule: Any) -> None:
    """What no way can be is a ProfileError that names the profile and the tags."""
    with pytest.raises(
        ProfileError, match=r"^profile 'car': way of \{'highway': 'primary', "
    ) as caught:
        judge(replace(CAR, way=lambda tags, warn: rule))
    assert f" gave {rule!r}" in str(caught.value) or " raised " in str(caught.value)


@pytest.mark.parametrize("rule", [NodeRule(forward_s=-1.0), NodeRule(backward_s=1e6), 5])
def test_impossible_nodes(rule: Any) -> None:
    """Nodes that give time back or hold cars for days are refused."""
    with pytest.raises(ProfileError, match=r"^profile 'car': node of \{'highway': 'traffic_sig"):
        judge(replace(CAR, node=lambda tags, warn: rule))


@pytest.mark.parametrize("rule", [("never", ""), (None, ""), "no", ("no",), 3])
def test_impossible_restrictions(rule: Any) -> None:
    """A restriction is of a known kind, or has a reason not to bind."""
    with pytest.raises(ProfileError, match=r"^profile 'car': restriction of \{'type': "):
        judge(replace(CAR, restriction=lambda tags, warn: rule))


@pytest.mark.parametrize("fastest", [-5.0, 0.0, float("nan"), "fast", None])
def test_impossible_speeds(fastest: Any) -> None:
    """A profile that could not move is told of its own fault, not of a way's."""
    with pytest.raises(ProfileError, match=r"^profile 'car': max_speed_kmh is .*more than 0$"):
        judge(replace(CAR, max_speed_kmh=fastest))


@pytest.mark.parametrize("seconds", [-0.1, float("nan"), 1e4, None, "long"])
def test_impossible_turns(seconds: Any) -> None:
    """Turn costs are finite, not negative, and fit in the graph."""
    with pytest.raises(
        ProfileError, match=r"^profile 'car': turn of \(-180, False, False, False\) "
    ):
        judge(replace(CAR, turn=lambda angle, u_turn, junction, left_hand: seconds))


def test_a_profile_that_raises() -> None:
    """An exception inside a profile is told with the tags that caused it, on one line."""

    def way(tags: Any, warn: Any) -> WayRule:
        return WayRule(float(tags["maxspeed"]), 1.0)

    with pytest.raises(ProfileError) as caught:
        judge(replace(CAR, way=way))
    assert str(caught.value) == (
        "profile 'car': way of {'highway': 'primary', 'oneway': '-1', 'junction': 'roundabout'}"
        " raised KeyError('maxspeed')"
    )
    assert isinstance(caught.value.__cause__, KeyError)


def corrupt(verdicts: Verdicts, name: str, index: int, value: Any) -> Verdicts:
    array = getattr(verdicts, name).copy()
    array[index] = value
    array.flags.writeable = False
    return replace(verdicts, **{name: array})


@pytest.mark.parametrize(
    ("name", "index", "value"),
    [
        ("forward_kmh", 1, np.nan),
        ("backward_kmh", 1, -1.0),
        ("forward_preference", 1, 0.0),
        ("duration_s", 0, 5.0),
        ("way_flags", 0, STARTPOINT),
        ("way_flags", 1, 32),
        ("way_flags", 2, FORWARD_RESTRICTED),
        ("forward_mode", 0, Mode.DRIVING),
        ("forward_mode", 1, Mode.INACCESSIBLE),
        ("backward_mode", 1, 10),
        ("forward_classes", 2, 1),
        ("node_restricted", 2, True),
        ("node_forward_s", 2, 1.0),
        ("node_backward_s", 1, 1e6),
        ("turn_s", 0, np.inf),
        ("restriction_kind", 1, 3),
        ("restriction_kind", 0, 1),
    ],
)
def test_check_verdicts(name: str, index: int, value: Any) -> None:
    """Each documented invariant is asserted."""
    verdicts = judge(CAR)
    with pytest.raises(AssertionError):
        check_verdicts(corrupt(verdicts, name, index, value))


def test_check_verdicts_wants_frozen_arrays() -> None:
    """A writable array is refused: kernels would be compiled twice."""
    verdicts = judge(CAR)
    with pytest.raises(AssertionError):
        check_verdicts(replace(verdicts, forward_kmh=verdicts.forward_kmh.copy()))


def collect_sets(path: Path) -> tuple[TagSets, TagSets, TagSets]:
    """The distinct tag sets of an extract that concern a car, by pyosmium."""
    selection = tag_selection([CAR])
    sets: tuple[dict[Any, None], ...] = ({(): None}, {(): None}, {(): None})
    for item in osmium.FileProcessor(str(path)):
        place, keys = (
            (0, selection.way_keys)
            if item.is_way()
            else (1, selection.node_keys)
            if item.is_node()
            else (2, selection.relation_keys)
        )
        sets[place][tuple((tag.k, tag.v) for tag in item.tags if tag.k in keys)] = None
    ways, nodes, relations = (build_tagsets(dict(tags) for tags in found) for found in sets)
    return ways, nodes, relations


def at_no_special_time(tags: Tags) -> Tags:
    """The tags without what holds only at times."""
    return variants_of(tags, CAR.dimensions, Warned()).normal


def test_verdicts_equal_direct_calls(sample: Path) -> None:
    """On a real extract, each verdict is what the profile says of that set alone."""
    sets = collect_sets(sample)
    verdicts = apply_profile(CAR, *sets)
    check_verdicts(verdicts)
    assert verdicts.way_open().sum() > 50
    for index in range(1, len(sets[0])):
        way = CAR.way(at_no_special_time(sets[0].tags(index)), Warned()) or WayRule(0.0, 0.0)
        speeds = verdicts.forward_kmh[index], verdicts.backward_kmh[index]
        assert speeds == (np.float32(way.forward_kmh), np.float32(way.backward_kmh))
    for index in range(1, len(sets[1])):
        node = CAR.node(sets[1].tags(index), Warned()) or NodeRule()
        assert verdicts.node_blocked[index] == node.blocked
    for index in range(1, len(sets[2])):
        kind, reason = CAR.restriction(at_no_special_time(sets[2].tags(index)), Warned())
        assert verdicts.restriction_kind[index] == {None: 0, "no": 1, "only": 2}[kind]
        assert verdicts.restriction_reason[index] == reason


def test_verdicts_do_not_vary(sample: Path) -> None:
    """Two judgments of the same sets are equal in every byte, warnings and their order too."""
    first, second = (apply_profile(CAR, *collect_sets(sample)) for _ in range(2))
    for name in Verdicts.__dataclass_fields__:
        one, two = getattr(first, name), getattr(second, name)
        if isinstance(one, np.ndarray):
            assert one.tobytes() == two.tobytes()
        else:
            assert repr(one) == repr(two)


def test_no_tags_at_all() -> None:
    """A map without a tag gives verdicts on the empty set alone."""
    verdicts = apply_profile(CAR, NO_SETS, NO_SETS, NO_SETS)
    check_verdicts(verdicts)
    assert not verdicts.way_open().any()


WORDS = (
    *("primary", "motorway", "service", "track", "ferry", "yes", "no", "-1", "reversible"),
    *("private", "destination", "roundabout", "50", "30 mph", "DE:urban", "none", "walk"),
    *("gravel", "grade5", "impassable", "designated|designated", "01:30", "PT5M", "2.5", ";", ""),
    *("gate", "traffic_signals", "stop", "forward", "no_left_turn", "only_u_turn", "movable"),
)
VALUES = st.sampled_from(WORDS) | st.text(max_size=12)


def tag_sets(keys: tuple[str, ...], common: tuple[str, ...]) -> st.SearchStrategy[dict[str, str]]:
    """Any of a profile's keys, those that decide most often among them, with any values."""
    of_keys = st.sampled_from(common) | st.sampled_from(keys)
    return st.dictionaries(of_keys, VALUES, max_size=8)


@given(
    st.lists(tag_sets(CAR.way_keys, ("highway", "route", "maxspeed", "oneway")), max_size=20),
    st.lists(tag_sets(CAR.node_keys, ("barrier", "highway")), max_size=10),
    st.lists(tag_sets(CAR.relation_keys, ("restriction", "except")), max_size=10),
)
def test_car_survives_anything(ways: list[Any], nodes: list[Any], relations: list[Any]) -> None:
    """No tags make the car raise or return something impossible."""
    sets = (build_tagsets([{}, *found]) for found in (ways, nodes, relations))
    check_verdicts(apply_profile(CAR, *sets))


@given(st.lists(st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=5), max_size=9))
def test_all_tags(sets: list[dict[str, str]]) -> None:
    """All tag sets at once are the same as one by one, with all keys or some."""
    built = build_tagsets([{}, *sets])
    assert built.all_tags() == [built.tags(index) for index in range(len(built))]
    some = {key for tags in sets[::2] for key in tags}
    assert built.all_tags(some) == [
        {key: value for key, value in tags.items() if key in some} for tags in built.all_tags()
    ]
