"""Walkers and cyclists whatever the tags, and the ways that are read for them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_rows import Warned

from gis.osm.tagsets import build_tagsets
from gis.profiles.bicycle import PROFILE as BICYCLE
from gis.profiles.car import PROFILE as CAR
from gis.profiles.foot import PROFILE as FOOT
from gis.profiles.registry import PROFILES, apply_profile, tag_selection
from gis.profiles.rules import Mode, Profile
from gis.profiles.verdicts import check_verdicts

EITHER = pytest.mark.parametrize("profile", [BICYCLE, FOOT], ids=lambda profile: profile.name)

WORDS = (
    *("primary", "trunk", "motorway", "footway", "steps", "track", "cycleway", "platform", "pier"),
    *("ferry", "shuttle_train", "yes", "no", "-1", "reversible", "private", "destination"),
    *("dismount", "use_sidepath", "designated", "lane", "opposite_lane", "separate", "both"),
    *("roundabout", "movable", "gravel", "grade5", "impassable", "01:30", "PT5M", "walk", "10"),
    *("gate", "wall", "stile", "traffic_signals", "forward", "no_left_turn", "only_u_turn", ";"),
)
VALUES = st.sampled_from(WORDS) | st.text(max_size=12)


def tag_sets(keys: tuple[str, ...], common: tuple[str, ...]) -> st.SearchStrategy[dict[str, str]]:
    """Any of a profile's keys, those that decide most often among them, with any values."""
    of_keys = st.sampled_from(common) | st.sampled_from(keys)
    return st.dictionaries(of_keys, VALUES, max_size=8)


@EITHER
@given(data=st.data())
def test_any_tags(profile: Profile, data: st.DataObject) -> None:
    """No tags make a profile raise or return something impossible."""
    deciding = ("highway", "route", "oneway", profile.name)
    ways = data.draw(st.lists(tag_sets(profile.way_keys, deciding), max_size=20))
    nodes = data.draw(st.lists(tag_sets(profile.node_keys, ("barrier", "highway")), max_size=10))
    relations = data.draw(st.lists(tag_sets(profile.relation_keys, ("restriction",)), max_size=5))
    sets = (build_tagsets([{}, *found]) for found in (ways, nodes, relations))
    check_verdicts(apply_profile(profile, *sets))


ONEWAYS = ("oneway", "oneway:bicycle", "oneway:foot")
SAME = ("highway", "access", "vehicle", "bicycle", "foot", "surface", "motorroad", "cycleway")
MIRRORED = {
    key + one: key + other
    for key, words in (
        *((key, (":forward", ":backward")) for key in ("access", "vehicle", "bicycle", "foot")),
        ("cycleway", (":left", ":right")),
    )
    for one, other in (words, words[::-1])
}
TURNED = {"yes": "-1", "-1": "yes", "no": "no"}


@EITHER
@given(
    tags=st.dictionaries(
        st.sampled_from((*SAME, *MIRRORED)),
        st.sampled_from([word for word in WORDS if word != "motorway"]),
        max_size=6,
    ),
    oneways=st.dictionaries(st.sampled_from(ONEWAYS), st.sampled_from(list(TURNED))),
)
def test_ways_drawn_the_other_way(
    profile: Profile, tags: dict[str, str], oneways: dict[str, str]
) -> None:
    """Draw a way in the other direction, tags and all, and the directions swap."""
    drawn = {**tags, **oneways}
    turned = {MIRRORED.get(key, key): value for key, value in tags.items()}
    turned |= {key: TURNED[value] for key, value in oneways.items()}
    one, other = (profile.way(tags, Warned()) if tags else None for tags in (drawn, turned))
    if one is None or other is None:
        assert one is other is None
        return
    forward = one.forward_kmh, one.forward_restricted, one.forward_mode
    backward = one.backward_kmh, one.backward_restricted, one.backward_mode
    assert forward[:2] == (other.backward_kmh, other.backward_restricted)
    assert backward[:2] == (other.forward_kmh, other.forward_restricted)
    assert not forward[0] or forward[2] == other.backward_mode
    assert not backward[0] or backward[2] == other.forward_mode


def test_walkers_go_wherever_a_bicycle_is_pushed() -> None:
    """Who pushes a bicycle is on foot."""
    for highway in (
        "residential",
        "footway",
        "pedestrian",
        "steps",
        "path",
        "platform",
        "crossing",
    ):
        for more in ({}, {"oneway": "yes"}, {"access": "private"}, {"foot": "private"}):
            tags = {"highway": highway, **more}
            cyclist, walker = BICYCLE.way(tags, Warned()), FOOT.way(tags, Warned())
            assert cyclist is not None
            assert walker is not None
            if cyclist.backward_mode is Mode.PUSHING_BIKE:
                assert walker.backward_restricted == cyclist.backward_restricted
            assert walker.backward_kmh > 0


def test_which_ways_are_read() -> None:
    """Platforms, piers and lots are read for those who walk on them, for cars roads and ferries."""
    roads = (("highway", None), ("route", ("ferry", "shuttle_train")))
    assert tag_selection([CAR]).road_tags == roads
    paths: tuple[Any, ...] = (
        ("amenity", ("parking",)),
        ("highway", None),
        ("man_made", ("pier",)),
        ("public_transport", ("platform",)),
        ("railway", ("platform",)),
        ("route", ("ferry", "shuttle_train")),
    )
    for profiles in ([FOOT], [BICYCLE, CAR], list(PROFILES.values())):
        assert tag_selection(profiles).road_tags == paths
        assert tag_selection(profiles[::-1]).road_tags == paths
