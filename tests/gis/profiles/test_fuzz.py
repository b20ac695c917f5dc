"""Bad tags never stop a build: random values at every parser and at every profile."""

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tag_rows import Warned

from gis.osm.tagsets import build_tagsets
from gis.profiles.access import Access, Oneway, directed_keys, oneway
from gis.profiles.car import ACCESS
from gis.profiles.dimensions import parse_metres, parse_tonnes
from gis.profiles.durations import parse_duration
from gis.profiles.registry import PROFILES, apply_profile, tag_selection
from gis.profiles.rules import MAX_DURATION_S, Tags
from gis.profiles.speeds import CONTEXT_KEYS, maxspeed, parse_maxspeed
from gis.profiles.verdicts import check_verdicts

FRAGMENTS = (
    *("yes", "no", "none", "default", "signals", "walk", "private", "destination", "designated"),
    *("-1", "1", "0", "50", "1.5", "3,5", "99999999999", "1e308", "1e-9", "nan", "inf", "-inf"),
    *("0x10", "1_000", "٣٠", "½", "²", "᭐", "∞", "50.", ".5", "5..5", "--5", "+5", "00"),
    *("km/h", "mph", "knots", "m", "ft", "'", '"', "''", "cm", "t", "kg", "lbs", "st", "in"),
    *("DE:urban", "FR:30", "GB:nsl_single", "zone", "zone:30", "US:", ":", "DE:zone:", "x-y:rural"),
    *(
        "PT",
        "PT1H",
        "P1D",
        "H",
        "30M",
        "01:30",
        "1:2:3",
        "90",
        "min",
        "h",
        "1 h",
        "P",
        "T",
        "PT,5S",
    ),
    *(";", "; ", "|", ",", " ", "", "-", "\u2013", "@", "(", ")", "@ (Mo-Fr 07:00-09:00)", "AND"),
    *("no @ (Mo-Fr 07:00-19:00)", "yes @ (weight>7.5)", "50 @ (22:00-06:00); 30", "@ @", "(("),
    *(
        "sunrise-sunset",
        "PH off",
        "24/7",
        "week 54",
        "Feb 30",
        "25:00-26:00",
        "Mo-",
        "dec 31-jan 1",
    ),
    *("gate", "bollard", "height_restrictor", "toll_booth", "kerb", "swing_gate", "cycle_barrier"),
    *("primary", "motorway", "service", "track", "cycleway", "footway", "steps", "path"),
    *("construction", "pedestrian", "platform", "ferry", "shuttle_train", "roundabout", "circular"),
    *("movable", "reversible", "alternating", "opposite", "opposite_lane", "lane", "separate"),
    *("dismount", "both", "left", "right", "forward", "backward", "clockwise", "stop", "give_way"),
    *("traffic_signals", "mini_roundabout", "no_left_turn", "only_straight_on", "no_entry"),
    *("no_right_turn_on_red", "impassable", "mud", "grade5", "narrow", "below_default", "12'6\""),
    *("motorcar", "hgv", "bicycle", "psv", "foot", "\0", "\n", "\u202e", "\U0001f697", "\udcff"),
)
WORDS = st.sampled_from(FRAGMENTS)
NUMBERS = st.one_of(
    st.integers(-(10**30), 10**30).map(str),
    st.floats().map(str),
    st.floats(0, 300).map(lambda number: f"{number:.2f}"),
    st.from_regex(r"\d{1,40}[.,]?\d{0,40}", fullmatch=True),
)
PIECES = st.one_of(WORDS, NUMBERS, st.text(max_size=8))
VALUES = st.one_of(
    WORDS,
    st.text(),
    st.lists(PIECES, min_size=2, max_size=8).map("".join),
    st.lists(PIECES, min_size=2, max_size=5).map(";".join),
    st.tuples(NUMBERS, st.sampled_from(("", " ")), WORDS).map("".join),
    st.lists(WORDS, min_size=2, max_size=5).map(" ".join),
)
MANY = settings(max_examples=200)

COMMON = ("highway", "route", "access", "oneway", "maxspeed", "junction", "surface", "barrier")
"""Decide most often; without them nearly all else would be looked at never."""


@MANY
@given(VALUES)
def test_parsers(value: str) -> None:
    """What is understood is within reason, all else is None."""
    kmh = parse_maxspeed(value)
    assert kmh is None or 0.0 <= kmh <= 250.0
    seconds = parse_duration(value)
    assert seconds is None or 0.0 < seconds <= MAX_DURATION_S
    for size in (parse_metres(value), parse_tonnes(value)):
        assert size is None or size > 0.0


@MANY
@given(VALUES, VALUES)
def test_readers(one: str, other: str) -> None:
    """Access, one-way rules and limits in both directions never raise."""
    warned = Warned()
    assert ACCESS.judge(one, warned) in Access
    assert ACCESS.is_private(one) in (False, True)
    assert ACCESS.judge_node({"access": one, "vehicle": other}, warned) in Access
    assert oneway(
        {"oneway": one, "oneway:bicycle": other}, ("oneway:bicycle", "oneway"), warned
    ) in (Oneway)
    tags = {"maxspeed": one, "maxspeed:backward": other, CONTEXT_KEYS[0]: one}
    for limit in maxspeed(tags, directed_keys(("maxspeed",)), warned):
        assert limit is None or 0.0 < limit <= 250.0
    assert {value for _, value in warned} <= {one, other, *_parts(one), *_parts(other)}


def _parts(value: str) -> set[str]:
    return {part.strip() for part in value.split(";")}


@pytest.mark.parametrize("parse", [parse_maxspeed, parse_duration, parse_metres, parse_tonnes])
@pytest.mark.parametrize(
    "piece", ["1", "1,", "1;", " ", "1 h ", "PT1H", "'", "9'9", "a", "-", "\u0660"]
)
def test_long_values(parse: object, piece: str) -> None:
    """A value of a hundred thousand characters takes no time that anybody notices."""
    assert callable(parse)
    begin = time.perf_counter()
    for value in (piece * 100_000, piece * 50_000 + "!", "5 " + piece * 50_000):
        found = parse(value)
        assert found is None or not math.isnan(found)
    assert time.perf_counter() - begin < 2.0


@st.composite
def tag_sets(draw: st.DrawFn, keys: tuple[str, ...]) -> list[Tags]:
    """Some tag sets of a profile's keys, the first of them empty as in every extract."""
    common = tuple(key for key in COMMON if key in keys) or keys
    of_keys = st.sampled_from(common) | st.sampled_from(keys)
    found = draw(st.lists(st.dictionaries(of_keys, VALUES, max_size=8), max_size=12))
    return [{}, *found]


@pytest.mark.parametrize("name", sorted(PROFILES))
@given(st.data())
def test_profiles(name: str, data: st.DataObject) -> None:
    """No profile raises or gives a rule that is impossible, whatever it is told."""
    profile = PROFILES[name]
    keys = profile.way_keys, profile.node_keys, profile.relation_keys
    sets = [build_tagsets(data.draw(tag_sets(of))) for of in keys]
    verdicts = apply_profile(profile, *sets)
    check_verdicts(verdicts)


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_every_key_alone(name: str) -> None:
    """Every value at every key of every profile, on the kinds of roads and barriers there are."""
    profile = PROFILES[name]
    roads = ({"highway": "primary"}, {"highway": "path"}, {"route": "ferry"}, {"bridge": "movable"})
    ways = [{**road, key: v} for road in roads for key in profile.way_keys for v in FRAGMENTS]
    nodes = [{"barrier": "gate", key: v} for key in profile.node_keys for v in FRAGMENTS]
    relations = [
        {"type": "restriction", "restriction": "no_u_turn", key: v}
        for key in profile.relation_keys
        for v in FRAGMENTS
    ]
    sets = [build_tagsets([{}, *found]) for found in (ways, nodes, relations)]
    verdicts = apply_profile(profile, *sets)
    check_verdicts(verdicts)
    assert verdicts.way_open().any() and not verdicts.way_open().all()
    assert verdicts.node_blocked.any() and not verdicts.node_blocked.all()


@given(st.data())
def test_all_profiles_see_their_own(data: st.DataObject) -> None:
    """Together in one dataset, each judges as if the others' keys had not been read."""
    profiles = list(PROFILES.values())
    selection = tag_selection(profiles)
    ways = build_tagsets(data.draw(tag_sets(selection.way_keys)))
    nothing = build_tagsets([{}])
    for profile in profiles:
        own = [{k: v for k, v in tags.items() if k in profile.way_keys} for tags in ways.all_tags()]
        together = apply_profile(profile, ways, nothing, nothing)
        alone = apply_profile(profile, build_tagsets(own), nothing, nothing)
        assert together.forward_kmh.tolist() == alone.forward_kmh.tolist()
        assert together.backward_classes.tolist() == alone.backward_classes.tolist()
