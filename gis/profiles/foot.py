"""The walker: what may be walked on, and how fast.

The speeds follow what OSRM's foot profile is known for. Streets are walked in both directions,
squares and parking lots around their outline.
"""

from itertools import chain

from gis.profiles.access import Access, Oneway, directed_keys, oneway
from gis.profiles.carriers import CARRIERS
from gis.profiles.nodes import is_heard_only, passable
from gis.profiles.paths import (
    ON_FOOT,
    PATH_KEYS,
    PATH_TAGS,
    aboard,
    for_strangers,
    ignore,
    is_fast_road,
    is_passable,
    path_classes,
    path_kind,
)
from gis.profiles.restrictions import judge_restriction, restriction_keys
from gis.profiles.rules import Mode, NodeRule, Profile, RestrictionRule, Tags, Warn, WayRule
from gis.profiles.speeds import slowest

WALKING_KMH = 5.0

WALKED = frozenset(
    (
        *("primary", "primary_link", "secondary", "secondary_link", "tertiary", "tertiary_link"),
        *("unclassified", "residential", "living_street", "service", "road", "track", "path"),
        *("footway", "pedestrian", "steps", "crossing", "corridor", "elevator"),
        *("platform", "pier", "parking"),
    )
)
"""Open unless the tags say otherwise; everything else is closed unless they open it."""

CONDITION_KMH = {
    "surface": {
        **dict.fromkeys(("fine_gravel", "gravel", "pebblestone"), WALKING_KMH * 0.75),
        **dict.fromkeys(("mud", "sand"), WALKING_KMH * 0.5),
    },
}

_ACCESS_KEYS = directed_keys(ON_FOOT.keys)
_OWN_KEYS = directed_keys(ON_FOOT.keys[:1])
_ONEWAY_KEYS = ("oneway:foot", "foot:oneway")
_CONDITIONAL_KEYS = tuple(
    f"{key}:conditional" for key in (*chain(*_ACCESS_KEYS), *_ONEWAY_KEYS[:1])
)
_SIDEWALK_KEYS = ("sidewalk", "sidewalk:both", "sidewalk:left", "sidewalk:right")
_SIDEWALKS = frozenset(("yes", "both", "left", "right"))
_CONVEYED = frozenset(("steps", "footway", "corridor"))


def way(tags: Tags, warn: Warn) -> WayRule | None:
    """The verdict on a way; None where nobody walks."""
    if tags.get("route") in CARRIERS:
        said = ON_FOOT.judge_directions(tags, _ACCESS_KEYS, warn)
        return aboard(tags, said, Oneway.NO, warn)
    if not is_passable(tags):
        return None
    forward, backward = _access(tags, warn)
    if forward == backward == Access.CLOSED:
        return None
    kmh = min(WALKING_KMH, slowest(tags, CONDITION_KMH))
    return WayRule(
        forward_kmh=kmh if forward else 0.0,
        backward_kmh=kmh if backward else 0.0,
        startpoint=any(_access(for_strangers(tags), ignore)),
        forward_restricted=forward == Access.RESTRICTED,
        backward_restricted=backward == Access.RESTRICTED,
        roundabout=tags.get("junction") == "roundabout",
        circular=tags.get("junction") == "circular",
        classes=path_classes(tags),
    )


def _access(tags: Tags, warn: Warn) -> tuple[Access, Access]:
    """Access forward and backward."""
    sidewalks = {tags[key] for key in _SIDEWALK_KEYS if key in tags}
    beside = not sidewalks.isdisjoint(_SIDEWALKS)
    elsewhere = not beside and "separate" in sidewalks
    by_name = is_fast_road(tags) or elsewhere  # only tags that name walkers let them in
    usual = beside or (not by_name and path_kind(tags) in WALKED)
    unsaid = Access.OPEN if usual else Access.CLOSED
    said = ON_FOOT.judge_directions(tags, _OWN_KEYS if by_name else _ACCESS_KEYS, warn)
    forward, backward = (unsaid if one is None else one for one in said)
    direction = _direction(tags, warn)
    return (
        Access.CLOSED if direction is Oneway.BACKWARD else forward,
        Access.CLOSED if direction is Oneway.FORWARD else backward,
    )


def _direction(tags: Tags, warn: Warn) -> Oneway:
    """The direction in which one has to walk, as on an escalator."""
    if any(key in tags for key in _ONEWAY_KEYS):
        named = {key: value for key, value in tags.items() if key in _ONEWAY_KEYS}
        return oneway(named, _ONEWAY_KEYS, warn)
    if tags.get("highway") in _CONVEYED and tags.get("oneway") != "no":
        return {"forward": Oneway.FORWARD, "backward": Oneway.BACKWARD}.get(
            tags.get("conveying", ""), Oneway.NO
        )
    return Oneway.NO


SIGNAL_S = 2.0
_CLOSED_BARRIERS = frozenset(("yes", "wall", "fence", "hedge", "retaining_wall"))


def node(tags: Tags, warn: Warn) -> NodeRule | None:
    """The verdict on a node; None where it neither stops nor delays a walker."""
    access = ON_FOOT.judge_node(tags, warn)
    if access == Access.CLOSED:
        return NodeRule(blocked=True)
    stops = tags.get("barrier") in _CLOSED_BARRIERS and tags.get("bollard") != "rising"
    if access is None and stops and not is_heard_only(tags):
        return NodeRule(blocked=True)
    signal_s = SIGNAL_S if tags.get("highway") == "traffic_signals" else 0.0
    return passable(tags, signal_s, 0.0, restricted=access == Access.RESTRICTED)


U_TURN_S = 2.0


def turn(angle_deg: int, u_turn: bool, junction: bool, left_hand: bool) -> float:
    """Seconds that a turn costs: only to turn around costs any."""
    return U_TURN_S if u_turn else 0.0


_VEHICLES = ("foot",)


def restriction(tags: Tags, warn: Warn) -> RestrictionRule:
    """What a restriction relation means to a walker: it binds only if it names walkers."""
    if tags.get("type") != "restriction:foot":
        tags = {key: value for key, value in tags.items() if key != "restriction"}
    return judge_restriction(tags, _VEHICLES, warn)


PROFILE = Profile(
    name="foot",
    description="A walker.",
    way_keys=(
        *(*PATH_KEYS, "route", "junction", "impassable", "status", "tunnel", "duration"),
        *("motorroad", *_SIDEWALK_KEYS, *chain(*_ACCESS_KEYS)),
        *(*_ONEWAY_KEYS, "oneway", "conveying", *_CONDITIONAL_KEYS, *CONDITION_KMH),
    ),
    node_keys=("barrier", "bollard", "sensory", *ON_FOOT.keys, "highway"),
    relation_keys=restriction_keys(_VEHICLES),
    way=way,
    node=node,
    turn=turn,
    restriction=restriction,
    max_speed_kmh=10.0,
    mode=Mode.WALKING,
    classes=("ferry", "tunnel", "restricted"),
    excludable=(frozenset(("ferry",)),),
    continue_straight=False,
    road_tags=PATH_TAGS,
)
